"""The assets in memory, with open buffers laid over them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.index.catalog import Catalog, Resolution
from akm_ls.index.delta import Claims, Delta
from akm_ls.index.stub import MAX_TEXT_CHARS, Stub, pack_fragments, shorten
from akm_ls.refs import parse_ref

BUNDLES = BundleSet(
    tuple(Bundle(name, f"/{name}", f"/{name}", "akm") for name in ("team", "core", "third")), "core"
)


def stub(ref: str, path: str = "", **values: object) -> Stub:
    bundle, _, concept_id = ref.partition("//")
    head, _, name = concept_id.partition("/")
    path = path or f"/{bundle}/{concept_id}.md"
    return Stub(bundle, concept_id, head, name, path, **values)  # type: ignore[arg-type]


def headings(*titles: str) -> str:
    return pack_fragments((title.lower().replace(" ", "-"), title) for title in titles)


@pytest.fixture
def catalog() -> Catalog:
    found = Catalog()
    found.expect(["team", "core"])
    found.load(
        [
            stub("team//knowledge/tls", slugs=headings("First steps", "Later")),
            stub("team//knowledge/auth/tokens"),
            stub("team//skills/review", path="/team/skills/review/SKILL.md"),
            stub("core//knowledge/tls"),
            stub("core//knowledge/only-here"),
        ]
    )
    return found


def test_an_asset_by_ref_and_by_path(catalog: Catalog) -> None:
    found = catalog.get("team", "skills/review")
    assert found is not None
    assert catalog.by_path("/team/skills/review/SKILL.md") is found
    assert catalog.get("team", "skills/gone") is None
    assert catalog.by_path("/team/gone.md") is None
    assert [it.ref for it in catalog.by_concept("knowledge/tls")] == [
        "team//knowledge/tls",
        "core//knowledge/tls",
    ]
    assert len(catalog) == len(list(catalog.stubs())) == 5
    assert len(list(catalog.stubs("core"))) == 2


@pytest.mark.parametrize(
    ("ref", "home", "status", "leads_to"),
    [
        ("team//knowledge/tls", "core", "found", "team//knowledge/tls"),
        ("knowledge/tls", "core", "found", "core//knowledge/tls"),
        ("knowledge/tls", "team", "found", "team//knowledge/tls"),
        ("knowledge/only-here", "team", "found", "core//knowledge/only-here"),
        ("knowledge/tls", None, "found", "core//knowledge/tls"),
        ("knowledge/auth/tokens", None, "found", "team//knowledge/auth/tokens"),
        ("nobody//knowledge/tls", "team", "unknown-bundle", None),
        ("team//knowledge/only-here", "team", "elsewhere", "core//knowledge/only-here"),
        ("third//knowledge/tls", "team", "elsewhere", "team//knowledge/tls"),
        ("team//knowledge/gone", "team", "missing", None),
        ("team//Knowledge/tls", "team", "missing", None),
        ("team//knowledge/tls.md", "team", "found", "team//knowledge/tls"),
        ("team//skills/review/SKILL.md", "team", "found", "team//skills/review"),
        ("team//knowledge/tls#later", "team", "found", "team//knowledge/tls"),
        ("team//knowledge/tls#First Steps", "team", "found", "team//knowledge/tls"),
        ("team//knowledge/tls#never", "team", "missing-fragment", "team//knowledge/tls"),
        ("core//knowledge/tls#later", "team", "missing-fragment", "core//knowledge/tls"),
    ],
)
def test_where_a_ref_leads(
    catalog: Catalog, ref: str, home: str | None, status: str, leads_to: str | None
) -> None:
    resolution = catalog.resolve(parse_ref(ref), home, BUNDLES)
    assert resolution.status == status
    assert (resolution.stub and resolution.stub.ref) == leads_to


def test_a_heading_by_its_text_gives_the_slug(catalog: Catalog) -> None:
    ref = parse_ref("team//knowledge/tls#FIRST STEPS")
    assert catalog.resolve(ref, None, BUNDLES).fragment == "first-steps"


def test_a_machine_selector_is_never_wrong(catalog: Catalog) -> None:
    selector = "akm-fragment-3-0123456789ab"
    found = catalog.resolve(parse_ref(f"team//knowledge/tls#{selector}"), None, BUNDLES)
    assert (found.status, found.fragment) == ("found", selector)


@pytest.mark.parametrize(
    ("ref", "suggested"),
    [
        ("team//knowledge/tsl", "team//knowledge/tls"),
        ("team//knowlege/auth/tokens", "team//knowledge/auth/tokens"),
        ("team//knowledge/AUTH/Tokens", "team//knowledge/auth/tokens"),
        ("team//knowledge/tokens", "team//knowledge/auth/tokens"),
        ("team//skills/reveiw", "team//skills/review"),
        ("tema//skills/review", "team//skills/review"),
        ("team//knowledge/only-here", "core//knowledge/only-here"),
        ("team//knowledge/tls#latr", "later"),
    ],
)
def test_did_you_mean(catalog: Catalog, ref: str, suggested: str) -> None:
    assert catalog.resolve(parse_ref(ref), "team", BUNDLES).suggestions[0] == suggested


def test_nothing_like_it_is_suggested_when_there_is_nothing(catalog: Catalog) -> None:
    found = catalog.resolve(parse_ref("team//knowledge/zebra-crossing"), "team", BUNDLES)
    assert found == Resolution("missing")


def test_what_is_suggested_follows_what_there_is(catalog: Catalog) -> None:
    ref = parse_ref("team//knowledge/zebra-crosing")
    assert catalog.suggest(ref, "team") == ()
    added = stub("team//knowledge/zebra-crossing")
    catalog.apply(Delta(added=(added,)))
    assert catalog.suggest(ref, "team") == (added.ref,)
    catalog.apply(Delta(removed=(added,)))
    assert catalog.suggest(ref, "team") == ()


# Deltas of the index.


def test_a_delta_that_says_nothing_new_changes_nothing(catalog: Catalog) -> None:
    known = catalog.get("team", "knowledge/tls")
    assert known is not None
    assert catalog.apply(Delta(added=(known,), changed=((known, known),))).is_empty
    assert catalog.apply(Delta(removed=(stub("team//knowledge/gone"),))).is_empty
    assert catalog.apply(Delta(gone=("/team/gone.md",))).is_empty


def test_a_changed_asset(catalog: Catalog) -> None:
    old = catalog.get("team", "knowledge/tls")
    assert old is not None
    new = old._replace(slugs=headings("Other"))
    delta = catalog.apply(Delta(changed=((old, new),)))
    assert delta.changed == ((old, new),)
    assert delta.refs == delta.citable == {("team", "knowledge/tls")}
    described = new._replace(description="Only that")
    delta = catalog.apply(Delta(changed=((new, described),)))
    assert delta.refs == {("team", "knowledge/tls")}
    assert delta.citable == frozenset(), "nobody who cites it has to look again"


def test_a_file_that_is_another_asset_now(catalog: Catalog) -> None:
    renamed = stub("team//knowledge/renamed", path="/team/knowledge/tls.md")
    delta = catalog.apply(Delta(added=(renamed,)))
    assert {it.ref for it in delta.added} == {"team//knowledge/renamed"}
    assert {it.ref for it in delta.removed} == {"team//knowledge/tls"}
    assert catalog.by_path("/team/knowledge/tls.md") == renamed


def test_a_removal_by_ref_or_by_path(catalog: Catalog) -> None:
    unplaced = stub("core//knowledge/tls")._replace(path="")
    assert len(catalog.apply(Delta(removed=(unplaced,))).removed) == 1
    delta = catalog.apply(Delta(gone=("/team/knowledge/tls.md",)))
    assert [it.ref for it in delta.removed] == ["team//knowledge/tls"]
    moved = stub("core//knowledge/only-here", path="/core/elsewhere.md")
    catalog.apply(Delta(added=(moved,)))
    late = moved._replace(path="/core/knowledge/only-here.md")
    assert catalog.apply(Delta(removed=(late,))).is_empty, "that file no longer held it"


def test_a_catalog_is_complete_when_every_bundle_was_read(catalog: Catalog) -> None:
    assert not catalog.is_complete()
    assert catalog.apply(Delta(complete=("team",))).is_empty, "one is still to come"
    assert catalog.is_complete("team")
    assert not catalog.is_complete()
    assert catalog.apply(Delta(complete=("core", "stranger"))).complete
    assert catalog.is_complete()
    catalog.expect(["team", "core", "third"])
    assert not catalog.is_complete()
    catalog.expect([])
    assert catalog.is_complete()


def test_a_catalog_knows_how_far_it_has_read() -> None:
    catalog = Catalog()
    catalog.load([], generation=7)
    catalog.apply(Delta(generation=8))
    assert catalog.generation == 8
    catalog.apply(Delta(generation=10))
    assert catalog.generation == 8, "another process wrote the ninth"


def test_a_bundle_that_is_closed(catalog: Catalog) -> None:
    delta = catalog.clear_bundle("core")
    assert len(delta.removed) == 2
    assert [it.bundle for it in catalog.stubs()] == ["team"] * 3


# Open buffers.


def test_a_buffer_wins_over_the_file(catalog: Catalog) -> None:
    saved = catalog.get("team", "knowledge/tls")
    assert saved is not None
    typed = saved._replace(slugs=headings("Just typed"))
    delta = catalog.overlay(saved.path, [typed])
    assert delta.changed == ((saved, typed),)
    assert catalog.by_path(saved.path) == typed
    ref = parse_ref("team//knowledge/tls#just-typed")
    assert catalog.resolve(ref, None, BUNDLES).status == "found"
    assert catalog.drop_overlay(saved.path).changed == ((typed, saved),)
    assert catalog.resolve(ref, None, BUNDLES).status == "missing-fragment"


def test_a_buffer_that_was_never_saved(catalog: Catalog) -> None:
    new = stub("team//knowledge/new")
    assert catalog.overlay(new.path, [new]).added == (new,)
    assert catalog.get("team", "knowledge/new") == new
    assert [it.ref for it in catalog.candidates("knowledge/ne")[0]] == [new.ref]
    assert catalog.drop_overlay(new.path).removed == (new,)
    assert new not in catalog.candidates("knowledge/ne")[0]


def test_a_buffer_that_is_no_asset_any_more(catalog: Catalog) -> None:
    delta = catalog.overlay("/team/knowledge/tls.md", [])
    assert [it.ref for it in delta.removed] == ["team//knowledge/tls"]
    assert catalog.by_path("/team/knowledge/tls.md") is None
    assert len(catalog.drop_overlay("/team/knowledge/tls.md").added) == 1


def test_a_buffer_that_is_another_asset_now(catalog: Catalog) -> None:
    path = "/team/knowledge/tls.md"
    delta = catalog.overlay(path, [stub("team//knowledge/ssl", path=path)])
    assert {it.ref for it in delta.added} == {"team//knowledge/ssl"}
    assert {it.ref for it in delta.removed} == {"team//knowledge/tls"}


def test_the_index_catching_up_with_a_buffer_is_no_change(catalog: Catalog) -> None:
    saved = catalog.get("team", "knowledge/tls")
    assert saved is not None
    typed = saved._replace(description="Typed")
    catalog.overlay(saved.path, [typed])
    assert catalog.apply(Delta(changed=((saved, typed),))).is_empty
    assert catalog.drop_overlay(saved.path).is_empty


def test_buffers_outlive_a_new_load(catalog: Catalog) -> None:
    new = stub("team//knowledge/new")
    catalog.overlay(new.path, [new])
    catalog.overlay("/core/knowledge/tls.md", [])
    catalog.load([stub("core//knowledge/tls"), stub("core//knowledge/x")])
    assert [it.ref for it in catalog.stubs()] == ["core//knowledge/x", new.ref]


def test_closing_what_was_not_open(catalog: Catalog) -> None:
    assert catalog.drop_overlay("/team/knowledge/tls.md").is_empty


# Two files, one ref.

CONTESTED = ("/team/a.md", "/team/b.md")


@pytest.fixture
def contested() -> Catalog:
    found = Catalog()
    found.load(
        [stub("team//knowledge/x", path="/team/a.md")],
        [Claims("team", "knowledge/x", CONTESTED)],
    )
    return found


def test_both_files_know_of_each_other(contested: Catalog) -> None:
    assert contested.claimants("team", "knowledge/x") == CONTESTED
    assert [contested.contested_by(path) for path in CONTESTED] == ["knowledge/x"] * 2
    assert contested.contested_by("/team/c.md") is None


def test_the_contest_ends(contested: Catalog) -> None:
    delta = contested.apply(Delta(claims=(Claims("team", "knowledge/x", ()),)))
    assert delta.claims == (Claims("team", "knowledge/x", ()),)
    assert contested.claimants("team", "knowledge/x") == ("/team/a.md",)
    assert contested.contested_by("/team/a.md") is None


def test_a_buffer_joins_and_leaves_a_contest(contested: Catalog) -> None:
    typed = stub("team//knowledge/x", path="/team/c.md")
    delta = contested.overlay("/team/c.md", [typed])
    assert delta.claims == (Claims("team", "knowledge/x", (*CONTESTED, "/team/c.md")),)
    assert contested.contested_by("/team/c.md") == "knowledge/x"
    delta = contested.overlay("/team/c.md", [stub("team//knowledge/y", path="/team/c.md")])
    assert delta.claims == (Claims("team", "knowledge/x", CONTESTED),)
    assert contested.contested_by("/team/c.md") is None


def test_a_buffer_with_a_smaller_path_takes_the_ref(contested: Catalog) -> None:
    typed = stub("team//knowledge/x", path="/team/_.md")
    contested.overlay(typed.path, [typed])
    assert contested.get("team", "knowledge/x") == typed
    assert contested.claimants("team", "knowledge/x")[0] == typed.path


def test_the_other_file_takes_the_ref_when_a_buffer_gives_it_up(contested: Catalog) -> None:
    delta = contested.overlay("/team/a.md", [stub("team//knowledge/y", path="/team/a.md")])
    heir = contested.get("team", "knowledge/x")
    assert heir is not None
    assert heir.path == "/team/b.md"
    assert not delta.removed
    assert contested.contested_by("/team/b.md") is None
    contested.drop_overlay("/team/a.md")
    assert [contested.contested_by(path) for path in CONTESTED] == ["knowledge/x"] * 2


# Whatever happens in whatever order.

_refs = st.sampled_from([f"{b}//k/{c}" for b in ("team", "core") for c in "xyz"])
_paths = st.sampled_from([f"/p/{name}" for name in "abc"])
_stubs = st.builds(
    lambda ref, path, text: stub(ref, path=path, description=text),
    _refs,
    _paths,
    st.sampled_from(["", "one", "two"]),
)
_steps = st.one_of(
    st.tuples(st.just("add"), _stubs),
    st.tuples(st.just("remove"), _stubs),
    st.tuples(st.just("gone"), _paths),
    st.tuples(st.just("overlay"), _paths, st.one_of(st.none(), _stubs)),
    st.tuples(st.just("drop"), _paths),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(_steps, max_size=12))
def test_deltas_tell_the_whole_story(steps: list[tuple[object, ...]]) -> None:
    catalog = Catalog()
    seen: dict[str, Stub] = {}
    for kind, *arguments in steps:
        match kind, arguments:
            case "add", [Stub() as it]:
                delta = catalog.apply(Delta(added=(it,)))
            case "remove", [Stub() as it]:
                delta = catalog.apply(Delta(removed=(it,)))
            case "gone", [str() as path]:
                delta = catalog.apply(Delta(gone=(path,)))
            case "overlay", [str() as path, None]:
                delta = catalog.overlay(path, [])
            case "overlay", [str() as path, Stub() as it]:
                delta = catalog.overlay(path, [it._replace(path=path)])
            case "drop", [str() as path]:
                delta = catalog.drop_overlay(path)
            case other:
                raise AssertionError(other)
        for it in delta.removed:
            assert seen.pop(it.ref) == it
        for old, new in delta.changed:
            assert seen[old.ref] == old != new
            seen[new.ref] = new
        for it in delta.added:
            assert it.ref not in seen
            seen[it.ref] = it
        assert {it.ref: it for it in catalog.stubs()} == seen
        assert len(catalog) == len(seen)
        for it in seen.values():
            assert catalog.get(it.bundle, it.concept_id) == it
            assert it.path in catalog.claimants(it.bundle, it.concept_id)
            assert catalog.candidates(it.concept_id, bundle=it.bundle)[0][0] == it


def test_long_texts_are_cut_at_a_word() -> None:
    text = shorten("word " * 100)
    assert len(text) <= MAX_TEXT_CHARS
    assert text.endswith("word…")
    assert shorten("one\n two\tthree") == "one two three"
    assert len(shorten("x" * 1000)) == MAX_TEXT_CHARS


def test_headings_come_back_as_they_went_in() -> None:
    made = (("first-steps", "First steps"), ("plain", "plain"), ("tab", "a\tb\nc"))
    packed = stub("team//k/x", slugs=pack_fragments(made))
    assert packed.fragments() == (
        ("first-steps", "First steps"),
        ("plain", "plain"),
        ("tab", "a b c"),
    )
    assert stub("team//k/x").fragments() == ()
