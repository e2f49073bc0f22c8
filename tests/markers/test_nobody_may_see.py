"""What nobody may see, looked for in every byte that the product writes, answers, logs or sends.

Five markers are placed: an env file's value, a secret, a file marked as sensitive, a session's
checkpoint, an API key. `LOOKED_AT` lists where they are looked for, each with something that is
there, so that looking there would find a marker.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from embedders.endpoint import Answer, Endpoint, Request, openai
from lsp.rpc import RpcClient, RpcError

# No two begin alike: an index of words keeps of a word only what its neighbour does not have.
MARKERS = {
    "an env value": "kqvrenvvaluez7731",
    "a secret": "wjxbsecretstuff7732",
    "a file marked as sensitive": "vbzdsensitiveone7733",
    "a session's checkpoint": "jgqtcheckpoint7734",
    "an API key": "qhkfapikeyvalue7735",
}
HEAD = 5
"""Letters that a neighbour may have in common with a marker; the rest is what is looked for."""
CONTROL = "ypmcordinary7736"
"""In names, descriptions and bodies of what anybody may see."""
BODY_CONTROL = "xnwlbodyonly7737"
"""In a body and nowhere else: of that the database has its index of words alone."""
LATER_MARKERS = ("mdrkturnedsaid7740", "pgwlturnedquoted7741")
"""In the descriptions and in the bodies of files that are marked while a server runs."""
UNSENT = {"an env file's key": "HZRT_KEYNAME_7738", "a secret's name": "rdtpsecretname7739"}
"""May be seen here, and is sent to no model."""
ENV, SECRET, SENSITIVE, CHECKPOINT, API_KEY = MARKERS.values()
KEY_NAME, SECRET_NAME = UNSENT.values()
# Beside every marker stands what its file is found by, "payroll" or the file's name: an answer that
# quotes the place would show the marker.
FILES = {
    "team/env/prod.env": (
        f"# prod payroll {ENV}\n{KEY_NAME}='payroll {ENV}'\nexport OTHER=\"\n{ENV} payroll\n\"\n"
    ),
    "team/env/hidden.env": f"HIDDEN={SENSITIVE} payroll\n",
    "team/env/hidden.sensitive": "",
    f"team/secrets/{SECRET_NAME}": f"payroll {SECRET}\n",
    "team/secrets/notes.md": f"---\ndescription: notes {SECRET}\n---\n\n# notes {SECRET}\n",
    "team/secrets/tls.env": f"{SECRET}={SECRET} tls\n",
    "team/secrets/plan.md": f"# payroll {SENSITIVE}\n",
    "team/secrets/plan.md.sensitive": f"{SENSITIVE}\n",
    "team/secrets/held.lock": f"payroll {SENSITIVE}\n",
    "team/knowledge/marked.md": (
        f"---\ndescription: {SENSITIVE} payroll\ntags: [{SENSITIVE}]\n---\n\n"
        f"# {SENSITIVE} payroll\n"
    ),
    "team/knowledge/marked.md.sensitive": "",
    "team/memories/marked.md": f"# {SENSITIVE} payroll\n",
    "team/memories/marked.sensitive": "",
    "team/scripts/marked.sh": f"#!/bin/sh\n# {SENSITIVE} payroll\n",
    "team/scripts/marked.sh.sensitive": "",
    "team/vaults/old.md": f"---\ndescription: {SENSITIVE}\n---\n\n# {SENSITIVE} payroll\n",
    "team/memories/checkpoint.md": (
        "---\ndescription: Where the payroll session stood.\n"
        "akm_memory_kind: session_checkpoint\n---\n\n"
        f"# Payroll {CHECKPOINT}\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/memories/checkpoint-below.md": (
        "---\ndescription: Where another payroll session stood.\n---\n\n"
        f"---\nakm_memory_kind: session_checkpoint\n---\n\n# Payroll\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/sessions/s.md": (
        "---\ndescription: A payroll session.\n---\n\n"
        f"# Payroll {CHECKPOINT}\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/skills/payroll/SKILL.md": (
        f"---\nname: payroll\ndescription: Runs the payroll {CONTROL}.\n---\n\n# Payroll\n\n"
        f"## Steps\n\nUse team//env/prod for the {CONTROL} payroll, {BODY_CONTROL}.\n"
    ),
    "team/commands/pay.md": f"---\ndescription: Pays {CONTROL}.\n---\n\nPay the payroll.\n",
    # Other formats have other rules for what they open.
    "files/reading.md": f"# Reading the payroll\n\nRead {CONTROL}.\n",
    "files/prod.env": f"# prod payroll {ENV}\nFILES='{ENV}'\n",
    "files/.env": f"# payroll {ENV}\nFILES='{ENV}'\n",
    "files/.env.md": f"# payroll {ENV}\nFILES='{ENV}'\n",
    "files/secrets/notes.md": f"# notes {SECRET} payroll\n",
    "files/deep/secrets/run.sh": f"# notes {SECRET} payroll\n",
    "files/marked.txt": f"marked {SENSITIVE} payroll\n",
    "files/marked.sensitive": "",
}
LATER = {
    "team/env/later.env": f"LATER='{ENV} payroll'\n",
    "team/secrets/later.md": f"# {SECRET} payroll\n",
    "team/knowledge/later.md": f"# {SENSITIVE} payroll\n",
    "team/knowledge/later.sensitive": "",
    "team/memories/later.md": (
        f"---\nakm_memory_kind: session_checkpoint\n---\n\n# Later\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/facts/later.md": f"---\ndescription: Written later, payroll {CONTROL}.\n---\n\n# Later\n",
}
"""What is written while a server runs."""
LINKS = {
    "team/knowledge/linked.md": "../secrets/notes.md",
    "team/knowledge/env.md": "../env/prod.env",
    "team/knowledge/linked-marked.md": "marked.md",
}
"""What looks like an ordinary file and leads to one of those."""
# A checkpoint is not shown here: that is reading a file which one may read, by its name.
REFS = (
    "team//vaults/old",
    "team//knowledge/linked",
    "team//knowledge/env",
    "team//knowledge/linked-marked",
    "team//env/prod",
    "team//env/hidden",
    "team//env/later",
    f"team//secrets/{SECRET_NAME}",
    "team//secrets/notes.md",
    "team//secrets/plan.md",
    "team//secrets/tls.env",
    "team//knowledge/marked",
    "team//knowledge/later",
    "team//memories/marked",
    "team//scripts/marked.sh",
    "team//skills/payroll",
    f"team//env/prod#{KEY_NAME}",
    "files//prod.env",
    "files//.env",
    "files//secrets/notes",
    "files//deep/secrets/run.sh",
    "files//marked",
    "team//knowledge/marked#payroll",
)
LISTED = (
    "payroll",
    "payroll session",
    "prod notes tls",
    "env secrets",
    "",
    "secrets/",
    "env/",
    CONTROL,
)
# Not whole, so that an answer that repeats its query proves nothing; any index would match them.
QUERIES = (*(marker[:-1] for marker in MARKERS.values()), *LISTED)
TYPES = ("session", "memory", "env", "secret", "knowledge", "script")
LOOKED_AT = {
    "the database": CONTROL,
    "the database's index of words": BODY_CONTROL,
    "its write-ahead log": CONTROL,
    "another file of the server": "skills/payroll",
    "a search": CONTROL,
    "what is shown": CONTROL,
    "a pack": CONTROL,
    "a found command": CONTROL,
    "an agent's answer": CONTROL,
    "a status": "HTTP 500",
    "another message": "didIndex",
    "a log": "HTTP 500",
    "a request body": CONTROL,
}
"""Every place, and what is there in any case."""
PLACES = {
    "akm/search": "a search",
    "akm/contextPack": "a pack",
    "akm/findCommand": "a found command",
    "akm/show": "what is shown",
    "akm/references": "what is shown",
    "akm/status": "a status",
}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


class Installation:
    """akm-ls on a machine of its own, everything it writes and says kept by place."""

    def __init__(self, root: Path, endpoint: Endpoint) -> None:
        self.root = root
        self.found: defaultdict[str, list[bytes]] = defaultdict(list)
        self.write(FILES)
        for name, target in LINKS.items():
            (root / name).symlink_to(target)
        (root / "home").mkdir()
        files = {"adapter": "generic-files"}
        config = {
            "bundles": {"files": {"path": str(root / "files"), "components": {"main": files}}},
            "semanticSearchMode": "auto",
            # akm's own key is not taken over, and nowhere told.
            "embedding": {"endpoint": endpoint.url, "model": "m", "apiKey": API_KEY},
        }
        self.endpoint = endpoint
        (root / "config.json").write_text(json.dumps(config))
        kept = {key: value for key, value in os.environ.items() if not key.startswith("AKM_")}
        self.environment = {
            **kept,
            "HOME": str(root / "home"),
            "XDG_CACHE_HOME": str(root / "home" / "cache"),
            "AKM_EMBED_API_KEY": API_KEY,
        }
        self.common = ["--data-dir", str(root / "data"), "--config", str(root / "config.json")]

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def keep(self, place: str, said: object) -> None:
        self.found[place].append(said if isinstance(said, bytes) else json.dumps(said).encode())

    def run(self, place: str, *arguments: str) -> None:
        """One command line, on the bundle's directory."""
        done = subprocess.run(
            [sys.executable, "-m", "akm_ls", *self.common, *arguments],
            cwd=self.root / "team",
            env=self.environment,
            capture_output=True,
        )
        self.keep(place, done.stdout)
        self.keep("a log", done.stderr)

    def ask_an_agents_server(self) -> None:
        """The tools of ``akm-ls mcp``, called as an agent's host calls them."""
        pytest.importorskip("mcp_types", reason="the SDK is an extra")
        with (self.root / "mcp.log").open("w") as log:
            asyncio.run(self._call_tools(log))
        self.keep("a log", (self.root / "mcp.log").read_bytes())

    async def _call_tools(self, log: Any) -> None:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "akm_ls", *self.common, "mcp"],
            env=self.environment,
            cwd=self.root / "team",
        )
        async with Client(stdio_client(parameters, errlog=log)) as client:
            for query in (*QUERIES[: len(MARKERS)], "payroll", "prod notes tls"):
                for kind in (None, *TYPES):
                    asked = {"query": query, "type": kind, "limit": 30}
                    for tool in ("akm_search", "akm_context"):
                        self.keep("an agent's answer", repr(await client.call_tool(tool, asked)))
            for ref in REFS:
                self.keep(
                    "an agent's answer", repr(await client.call_tool("akm_show", {"ref": ref}))
                )

    def serve(self) -> None:
        """A session of the server in which everything is asked for."""
        with self.session({}) as client:
            for _ in range(2):
                self._ask_everything(client)
                self.write(LATER)
                self._ask(client, "akm/reindex", {"full": True, "reembed": True})
            self._read_files()

    def serve_with_the_key_in_the_settings(self) -> None:
        """The same where the client gives the key, and the endpoint repeats it as it refuses."""
        del self.environment["AKM_EMBED_API_KEY"]
        address = f"{self.endpoint.url}?api_key={API_KEY}"
        embedding = {"endpoint": address, "model": "other", "apiKey": API_KEY}
        self.endpoint.behave = _fail
        with self.session({"embedding": embedding}) as client:
            self._wait_until_it_is(client, "blocked")
            self._ask_everything(client)
            self._read_files()
            self.endpoint.behave = openai
            self._ask(client, "akm/reindex", {"reembed": True})
            self._wait_until_it_is(client, "ready")
            self.endpoint.behave = _refuse
            self._ask_everything(client)
            self._read_files()

    @staticmethod
    def _wait_until_it_is(client: RpcClient, status: str) -> None:
        """Until the semantic search is; the endpoint is asked in the background."""
        deadline = time.monotonic() + 60
        while (now := client.call("akm/status", {})["semantic"])["status"] != status:
            assert time.monotonic() < deadline, now
            time.sleep(0.1)

    @contextlib.contextmanager
    def session(self, settings: dict[str, Any]) -> Iterator[RpcClient]:
        errors, log = self.root / "stderr.log", self.root / "server.log"
        command = [sys.executable, "-m", "akm_ls", *self.common, "serve"]
        command += ["--log-file", str(log), "--log-level", "debug"]
        folder = {"uri": (self.root / "team").as_uri(), "name": "team"}
        with (
            errors.open("wb") as stderr,
            RpcClient(command, env=self.environment, stderr=stderr) as client,
        ):
            client.initialize({}, workspaceFolders=[folder], initializationOptions=settings)
            client.wait_for_method("akm/didIndex")
            # Somebody edits what nobody may see.
            for name, text in FILES.items():
                if not name.startswith("team/skills"):
                    uri = (self.root / name).as_uri()
                    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
                    client.notify("textDocument/didOpen", {"textDocument": item})
            yield client
            client.shutdown()
        for _, message in client.received:
            if "method" in message:
                is_log = message["method"] in ("window/logMessage", "window/showMessage")
                self.keep("a log" if is_log else "another message", message)
        self.keep("a log", errors.read_bytes() + log.read_bytes())

    def _ask_everything(self, client: RpcClient) -> None:
        for query in QUERIES:
            self._ask_for(client, query)
        for ref in REFS:
            self._ask(client, "akm/show", {"ref": ref})
            self._ask(client, "akm/references", {"ref": ref})
        for method in ("akm/status", "akm/graph", "akm/check", "akm/conventions"):
            self._ask(client, method, {})

    def _ask_for(self, client: RpcClient, query: str) -> None:
        for detail in ("full", "agent"):
            params = {"query": query, "detail": detail, "limit": 100}
            self._ask(client, "akm/search", params)
        for kind in TYPES:
            self._ask(client, "akm/search", {"query": query, "type": kind, "detail": "full"})
            pack = {"query": query, "type": kind, "maxTokens": 12_000, "maxItems": 50}
            self._ask(client, "akm/contextPack", pack)
        pack = {"query": query, "maxTokens": 12_000, "maxItems": 50, "dedupe": True}
        self._ask(client, "akm/contextPack", pack)
        self._ask(client, "akm/findCommand", {"query": query, "limit": 200})

    def _ask(self, client: RpcClient, method: str, params: dict[str, Any]) -> None:
        self.keep(PLACES.get(method, "another message"), self.said(client, method, params).encode())

    @staticmethod
    def said(client: RpcClient, method: str, params: dict[str, Any]) -> str:
        """What is answered; a refusal is an answer."""
        try:
            return json.dumps(client.call(method, params))
        except RpcError as refused:
            return json.dumps(refused.error)

    def _read_files(self) -> None:
        """Every byte of every file of its own, as they are now."""
        for directory in (self.root / "data", self.root / "home"):
            for path in directory.rglob("*"):
                if path.is_file() and not path.name.endswith("-shm"):
                    self.keep(_place_of(path), path.read_bytes())

    def read_what_is_left(self) -> None:
        """The files after the end, and once more with all that was pending in the database."""
        self._read_files()
        for path in (self.root / "data").rglob("*.db"):
            connection = apsw.Connection(str(path))
            list(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
            for (name,) in list(
                connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5%'")
            ):
                vocabulary = f"CREATE VIRTUAL TABLE temp.v USING fts5vocab('main', {name}, 'row')"
                connection.execute(vocabulary)
                terms = [term for (term,) in connection.execute("SELECT term FROM temp.v")]
                connection.execute("DROP TABLE temp.v")
                self.keep("the database's index of words", terms)
            connection.close()
        self._read_files()
        for request in self.endpoint.requests:
            self.keep("a request body", request.body)


def _place_of(path: Path) -> str:
    if path.name.endswith("-wal"):
        return "its write-ahead log"
    return "the database" if path.name.startswith("akm-ls.db") else "another file of the server"


def _fail(request: Request) -> Answer:
    said = f"no {request.headers.get('Authorization', '')} {request.path} {API_KEY}"
    return Answer(500, json.dumps({"error": {"message": said}}))


def _refuse(request: Request) -> Answer:
    return Answer(401, json.dumps({"error": {"message": f"bad key {API_KEY}"}}))


def _spellings(text: str) -> Iterator[bytes]:
    for spelling in (text, text.lower(), text.upper()):
        yield spelling.encode()
        yield spelling.encode("utf-16-le")


def test_what_nobody_may_see_is_in_no_file_answer_log_or_request(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    made = Installation(tmp_path, endpoint)
    made.run("another message", "index", "--embed", "--format", "json")
    for query in ("payroll", "prod notes tls", " ".join(QUERIES[: len(MARKERS)])):
        made.run("a search", "search", query, "--detail", "full", "--format", "json")
        made.run("a pack", "context", query, "--max-tokens", "12000", "--format", "json")
        made.run("a found command", "commands", query, "--format", "json")
    for ref in ("team//env/prod", "team//secrets/notes.md", "team//knowledge/marked"):
        made.run("what is shown", "show", ref, "--format", "json")
    made.run("a status", "doctor", "--format", "json")
    made.run("another message", "check", "--severity", "hint", "--format", "json")
    made.ask_an_agents_server()
    made.serve()
    with_key = len(endpoint.requests)
    made.serve_with_the_key_in_the_settings()
    made.read_what_is_left()
    found = {place: b"\n".join(made.found[place]) for place in LOOKED_AT}
    assert set(made.found) == set(LOOKED_AT)
    # First that the search for markers would find one, and that the key was in use.
    blind = [place for place, control in LOOKED_AT.items() if control.encode() not in found[place]]
    assert blind == []
    for requests in (endpoint.requests[:with_key], endpoint.requests[with_key:]):
        assert any(API_KEY in value for it in requests for value in it.headers.values())
    assert b"akm-context-pack" in found["a pack"]
    for ref in (b"team//commands/pay", b"files//reading"):
        assert ref in found["a search"]
    seen = [
        f"{what}: in {place}"
        for what, marker in MARKERS.items()
        for place, said in found.items()
        if any(spelling in said for spelling in _spellings(marker[HEAD:]))
    ]
    assert seen == []
    for what, name in UNSENT.items():
        assert name.encode() in found["a search"], f"{what} may be seen"
        sent = [spelling for spelling in _spellings(name) if spelling in found["a request body"]]
        assert sent == [], f"{what} was sent"


def test_what_is_marked_while_a_server_runs_is_told_no_more(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    made = Installation(tmp_path, endpoint)
    said, quoted = LATER_MARKERS
    description = f"---\ndescription: Turned {said}.\n---\n\n"
    turned = {
        "team/knowledge/turned.md": f"{description}# Turned\n\nTurned {quoted}.\n",
        "team/commands/turned.md": f"{description}Turned {quoted}.\n",
    }
    made.write(turned)

    def told(client: RpcClient, marker: str) -> list[str]:
        asked = {
            f"{method} {query}": (method, {"query": query, "limit": 50})
            for query in ("turned", marker[:-1], "knowledge/", "")
            for method in ("akm/search", "akm/contextPack", "akm/findCommand")
        }
        for ref in ("team//knowledge/turned", "team//commands/turned"):
            asked[f"akm/show {ref}"] = ("akm/show", {"ref": ref})
        answers = {name: made.said(client, *it) for name, it in asked.items()}
        return [name for name, answer in answers.items() if marker in answer]

    with made.session({}) as client:
        assert len(told(client, said)) > 6, "so far it may be seen"
        assert len(told(client, quoted)) > 3
        made.write({"team/knowledge/turned.sensitive": "", "team/commands/turned.md.sensitive": ""})
        assert told(client, quoted) == [], "before the index knows"
        client.call("akm/reindex", {})
        assert (told(client, said), told(client, quoted)) == ([], [])
