"""Finding commands: the ranking by itself, and what is found for the words people use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw
import pytest

from akm_ls.search.commands import (
    VERBS,
    CommandDoc,
    CommandFinder,
    CommandIndex,
    FindRequest,
)
from akm_ls.search.commands.index import RRF_K
from akm_ls.search.library import Library
from akm_ls.search.request import RequestError

from .conftest import MakeLibrary, page


def doc(key: str, **columns: Any) -> CommandDoc:
    named = columns.pop("key_and_name", key.replace(".", " "))
    return CommandDoc(key=key, title=key, kind="server", key_and_name=named, **columns)


def keys(hits: Iterable[Any]) -> list[str]:
    return [hit.command_key for hit in hits]


# The index.


def test_where_a_word_stands_decides() -> None:
    index = CommandIndex(
        [
            doc("in.help", help="import"),
            doc("in.description", description="import"),
            doc("in.aliases", aliases="import"),
            doc("ledger.import"),
            doc("something.else", help="nothing of the kind"),
        ]
    )
    assert keys(index.search("import")) == [
        "ledger.import",
        "in.aliases",
        "in.description",
        "in.help",
    ]


def test_a_homonym_in_the_help_does_not_outrank_the_key() -> None:
    index = CommandIndex(
        [
            doc("bank.export", description="Writes files.", help="import a bank statement " * 9),
            doc("ledger.import", description="Takes over a statement."),
            doc("ledger.list", description="Lists what is in the ledger."),
        ]
    )
    assert keys(index.search("import a ledger statement"))[0] == "ledger.import"


def test_words_are_found_in_other_forms_and_without_accents() -> None:
    index = CommandIndex([doc("tokens.rotate", description="Rotates café tokens")])
    assert keys(index.search("rotating")) == ["tokens.rotate"]
    assert keys(index.search("CAFE")) == ["tokens.rotate"]


@pytest.mark.parametrize("query", ["", "   ", "?! …", "a", "-"])
def test_a_blank_query_finds_nothing(query: str) -> None:
    assert CommandIndex(VERBS).search(query) == ()


@pytest.mark.parametrize("limit", [0, -3])
def test_no_limit_finds_nothing(limit: int) -> None:
    assert CommandIndex(VERBS).search("search", limit=limit) == ()


def test_an_index_without_commands_finds_nothing() -> None:
    assert CommandIndex().search("search") == ()


@pytest.mark.parametrize("query", ['"', "a OR b", "NEAR(x y)", "col:x", "x*", "-search", "'; DROP"])
def test_nothing_in_a_query_is_an_operator(query: str) -> None:
    CommandIndex(VERBS).search(query)


def test_equals_keep_their_order_and_ranks_count_from_zero() -> None:
    index = CommandIndex([doc("b", key_and_name="same"), doc("a", key_and_name="same")])
    hits = index.search("same")
    assert keys(hits) == ["b", "a"]
    assert [(hit.rank, hit.lexical_rank, hit.semantic_rank) for hit in hits] == [
        (0, 0, None),
        (1, 1, None),
    ]
    assert hits[0].score == 1 / (RRF_K + 1)


def test_a_command_takes_the_place_of_its_former_self() -> None:
    index = CommandIndex([doc("x", description="old")])
    index.put([doc("x", description="new")])
    assert index.search("old") == ()
    assert keys(index.search("new")) == ["x"]
    index.drop(["x"])
    assert len(index) == 0
    assert index.search("new") == ()


# Degrading.


class Likes:
    """A model that likes texts by the words it was given, the first one most."""

    id = "likes"
    dims = 1
    body_limit = None

    def __init__(self, *liked: str) -> None:
        self.liked = liked
        self.embedded = 0

    def embed_documents(self, documents: Any, watch: Any) -> None:
        import numpy as np

        for document in documents:
            self.embedded += 1
            likes = [word in document.text for word in self.liked]
            value = 1 / (1 + likes.index(True)) if True in likes else 0.0
            watch.on_batch([document.key], np.array([[value]], dtype="float32"))

    def embed_query(self, text: str) -> Any:
        import numpy as np

        return np.array([1.0], dtype="float32")


THREE = [doc("one", help="go"), doc("two", aliases="go"), doc("three", help="stay")]


def test_a_model_reorders_what_matches_and_adds_nothing() -> None:
    model = Likes("one", "three")
    index = CommandIndex(THREE, embedder=model)
    mode, hits = index.ranked("go")
    assert mode == "hybrid"
    # By words: two, one. To the model `one` comes first of all, `two` third, after `three`.
    ranks = {hit.command_key: (hit.lexical_rank, hit.semantic_rank) for hit in hits}
    assert ranks == {"two": (0, 2), "one": (1, 0)}
    assert keys(hits) == ["one", "two"]
    for hit in hits:
        assert hit.semantic_rank is not None
        assert hit.score == pytest.approx(
            1 / (RRF_K + hit.lexical_rank + 1) + 1 / (RRF_K + hit.semantic_rank + 1)
        )


def test_no_match_in_words_is_no_match() -> None:
    model = Likes("three")
    assert CommandIndex(THREE, embedder=model).search("unknown") == ()
    assert model.embedded == 0


def test_every_command_is_embedded_once_and_new_ones_on_the_next_search() -> None:
    model = Likes("one")
    index = CommandIndex(THREE, embedder=model)
    index.search("go")
    index.search("go")
    assert model.embedded == 3
    index.put([doc("four", help="go")])
    index.search("go")
    assert model.embedded == 4


def test_a_model_that_fails_leaves_the_order_of_the_words() -> None:
    class Broken(Likes):
        def embed_query(self, text: str) -> Any:
            raise RuntimeError("weights are gone")

    index = CommandIndex(THREE, embedder=Broken())
    mode, hits = index.ranked("go")
    assert mode == "lexical"
    assert hits == CommandIndex(THREE).search("go")
    assert index.degraded
    index.search("go")
    assert not index.degraded, "it is asked once"


def test_without_full_text_search_words_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoFts:
        def __init__(self, *_: object) -> None:
            raise apsw.SQLError("no such module: fts5")

    monkeypatch.setattr(apsw, "Connection", NoFts)
    index = CommandIndex([doc("a", help="go"), doc("b", help="go away"), doc("c", help="x")])
    mode, hits = index.ranked("go away now")
    assert mode == "overlap"
    assert keys(hits) == ["b", "a"]
    assert index.degraded


def test_a_search_that_fails_counts_words_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    index = CommandIndex(THREE)
    assert index._connection is not None
    index._connection.execute("DROP TABLE commands")
    mode, hits = index.ranked("go")
    assert (mode, keys(hits)) == ("overlap", ["one", "two"])


# What is found for the words people use.

GOLDEN = {
    "find an asset about deployment": "akm.search",
    "search the library": "akm.search",
    "look something up": "akm.search",
    "list all skills": "akm.search",
    "browse a bundle": "akm.search",
    "show me the skill": "akm.show",
    "read the instructions of a skill": "akm.show",
    "open one asset": "akm.show",
    "print a section": "akm.show",
    "get the full text of a memory": "akm.show",
    "pack context for an agent": "akm.contextPack",
    "gather background for a prompt": "akm.contextPack",
    "evidence with citations": "akm.contextPack",
    "fit what we know into a token budget": "akm.contextPack",
    "brief an agent": "akm.contextPack",
    "which command does this": "akm.findCommand",
    "what can I run": "akm.findCommand",
    "list commands": "akm.findCommand",
    "who cites this": "akm.references",
    "where is it used": "akm.references",
    "find references": "akm.references",
    "backlinks": "akm.references",
    "what breaks if I delete this file": "akm.references",
    "show usages": "akm.references",
    "show the house style": "akm.conventions",
    "draw a graph of the assets": "akm.graph",
    "create a new skill": "akm.newAsset",
    "where should a new memory go": "akm.newAsset",
    "is the index ready": "akm.status",
    "which bundles are loaded": "akm.status",
    "server health": "akm.status",
    "why is semantic search off": "akm.status",
    "rebuild the index": "akm.reindex",
    "refresh stale search results": "akm.reindex",
    "new files are missing from the index": "akm.reindex",
    "reload the bundles": "akm.reindex",
    "lint my bundle": "akm.check",
    "find broken links": "akm.check",
    "validate frontmatter": "akm.check",
    "report problems in continuous integration": "akm.check",
    "repair mistakes": "akm-ls check --fix",
    "autofix": "akm-ls check --fix",
    "apply quick fixes": "akm-ls check --fix",
    "troubleshoot": "akm-ls doctor",
    "why is my folder not a bundle": "akm-ls doctor",
    "which config is used": "akm-ls doctor",
    "connect an editor": "akm-ls serve",
    "start the language server": "akm-ls serve",
    "connect an agent": "akm-ls mcp",
    "register an MCP server": "akm-ls mcp",
}


def test_the_golden_phrases_are_many() -> None:
    assert len(GOLDEN) >= 40
    assert set(GOLDEN.values()) == {verb.key for verb in VERBS}
    assert len(VERBS) >= 11


@pytest.mark.parametrize(("phrase", "key"), GOLDEN.items(), ids=list(GOLDEN))
def test_golden_phrases_find_their_command_without_a_model(phrase: str, key: str) -> None:
    assert keys(CommandIndex(VERBS).search(phrase))[0] == key


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.key)
def test_every_verb_says_what_it_does_in_many_words(verb: CommandDoc) -> None:
    assert verb.effect in ("read", "write", "destructive")
    assert verb.description.endswith(".")
    assert verb.aliases.count(",") >= 2, "three phrases for what it is good for, at least"


# The bundles' commands.

TEAM = {
    "commands/import-statement.md": page(
        "Imports a bank statement.", "Import it.", params="{f: x}"
    ),
    "commands/export.md": page("Exports things.", "Never import a bank statement here. " * 9),
    "skills/quickfile/SKILL.md": page(
        "Files the quarterly VAT return.",
        "# Quickfile\n\nSteps.",
        name="quickfile",
        aliases="[do my taxes, tax return]",
    ),
    "skills/reader/SKILL.md": page(
        "Reads ledgers.", "Read.", name="reader", **{"allowed-tools": "Read, Grep"}
    ),
    "workflows/deploy.md": page("Ships a release.", "## build", effect="destructive"),
    "agents/auditor.md": page("Audits the ledger.", "You audit.", effect="read"),
    "scripts/purge-cache.sh": "#!/bin/sh\n# @description Empties the ledger cache.\n",
    "tasks/nightly.yml": "schedule: '0 3 * * *'\nprompt: back up the ledger\n",
    "knowledge/ledger.md": page("How the ledger works.", "Ledger."),
    "commands/old-import.md": page("Imports ledgers.", "x", beliefState="deprecated"),
    "commands/idea.md": page("Imports ledger ideas.", "x", quality="proposed"),
}


@pytest.fixture(scope="module")
def team(make_library: MakeLibrary) -> Library:
    return make_library(team=TEAM)


def find(library: Library, query: str, **options: Any) -> dict[str, Any]:
    return CommandFinder().find(library, FindRequest(query=query, **options)).to_json()


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("import a bank statement", "team//commands/import-statement"),
        ("file my quarterly VAT", "team//skills/quickfile"),
        ("do my taxes", "team//skills/quickfile"),
        ("ship a release", "team//workflows/deploy"),
        ("audit the ledger", "team//agents/auditor"),
        ("empty the ledger cache", "team//scripts/purge-cache.sh"),
        ("nightly", "team//tasks/nightly"),
    ],
)
def test_assets_are_found_by_what_they_are_for(team: Library, query: str, key: str) -> None:
    hit = find(team, query)["hits"][0]
    assert hit["key"] == hit["ref"] == key
    assert hit["uri"].startswith("file://")
    assert hit["call"] == {"command": "akm.show", "arguments": [{"ref": key}]}
    assert hit["rank"] == hit["lexicalRank"] == 0
    assert hit["score"] == 1.0


def test_what_is_no_command_or_no_longer_one_is_not_found(team: Library) -> None:
    found = {hit["key"] for hit in find(team, "ledger ledgers import imports", limit=200)["hits"]}
    assert len(found) >= 5
    gone = {"team//knowledge/ledger", "team//commands/old-import", "team//commands/idea"}
    assert not found & gone


def test_effects_are_declared_and_can_be_asked_for(team: Library) -> None:
    hits = find(team, " ".join(["ledger", "release", "statement", "index", "bundles"]))["hits"]
    effects = {hit["key"]: (hit["effect"], hit["confirm"]) for hit in hits}
    assert effects["team//workflows/deploy"] == ("destructive", True)
    assert effects["team//scripts/purge-cache.sh"] == ("destructive", True)
    assert effects["team//agents/auditor"] == ("read", False)
    assert effects["team//skills/reader"] == ("read", False)
    assert effects["team//commands/import-statement"] == ("write", True)
    assert effects["akm.reindex"] == ("write", True)
    query = "ledger release statement index"
    for effect in ("read", "write", "destructive"):
        hits = find(team, query, effects=frozenset({effect}))["hits"]
        assert hits
        assert {hit["effect"] for hit in hits} == {effect}


def test_scopes(team: Library) -> None:
    verbs = find(team, "find ledger index", scope="verbs")["hits"]
    assert verbs
    assert {hit["kind"] for hit in verbs} <= {"server", "cli"}
    assets = find(team, "find ledger index", scope="assets")["hits"]
    assert assets
    assert all(hit["ref"] for hit in assets)


def test_a_finder_follows_the_bundles(make_library: MakeLibrary) -> None:
    files = {
        "commands/one.md": page("Counts otters.", "x"),
        "commands/two.md": page("Counts.", "x"),
    }
    library = make_library(
        team=files, buffers={"team/commands/one.md": page("Counts walruses.", "x")}
    )
    finder = CommandFinder()
    request = FindRequest("otters")
    assert len(finder.find(library, request).hits) == 1
    stub = library.catalog.get("team", "commands/one")
    assert stub is not None
    library.catalog.overlay(stub.path, [])
    assert finder.find(library, request).hits == ()
    library.catalog.drop_overlay(stub.path)
    assert len(finder.find(library, request).hits) == 1


def test_descriptions_lose_their_secrets(make_library: MakeLibrary) -> None:
    key = "sk-" + "ant-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4"
    library = make_library(team={"commands/call.md": page(f"Calls otters with {key}.", "x")})
    hit = find(library, "call otters")["hits"][0]
    assert hit["description"] == "Calls otters with [REDACTED:anthropic_api_key]."


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (None, "must be an object"),
        ({"query": 1}, "query must be a string"),
        ({"query": "x", "limit": "2"}, "limit must be a whole number"),
        ({"query": "x", "scope": "all of it"}, "scope must be one of"),
        ({"query": "x", "effects": ["fun"]}, "effects must be a list of"),
        ({"query": "x", "writable": "no"}, "writable must be true or false"),
    ],
)
def test_wrong_parameters_are_refused_by_name(params: Any, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        FindRequest.from_params(params)


def test_parameters() -> None:
    asked = FindRequest.from_params({"query": "x", "writable": False, "limit": 3.0})
    assert (asked.effects, asked.limit) == (frozenset({"read"}), 3)
    assert FindRequest.from_params({}).query == ""
