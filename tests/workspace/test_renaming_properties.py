"""Whatever is renamed or moved: every rule says afterwards what it said before, every ref and link
leads where it led, and the way back restores every byte."""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from renamed import Disk, Files, renaming

from akm_ls.lint.rules.link_targets import read_target
from akm_ls.workspace.renaming import Move, RenameRefused, move_files, view_of
from akm_ls.workspace.renaming.moves import Moves
from akm_ls.workspace.renaming.occurrences import citings

ABOUT_NAMES = frozenset(
    [
        *("missing-ref", "wrong-bundle", "duplicate-ref", "dead-link", "dead-anchor"),
        *("legacy-ref", "superseded-target", "xref-self", "xref-duplicate"),
        *("provenance-missing", "source-changed", "correction-pairing", "belief-orphan"),
        *("skill-name-invalid", "duplicate-name", "missing-skill-md", "skill-deep-reference"),
        *("invalid-frontmatter", "unquoted-colon"),
    ]
)
BUNDLES = ("team", "other")
WORDS = ("tokens", "e\u0301tat", "größe", "ключ", "目录", "v1.2", "on_call")
DIRECTORIES = ("", "auth", "auth/deep", "сеть", "two words")
HEADINGS = ("Daily rotation", "Files & Names", "Größe", "Daily rotation")
SLUGS = (("daily-rotation", "daily-rotation"), ("files-names", "files--names"), ("größe", "größe"))


@dataclass(frozen=True)
class Asset:
    bundle: str
    concept_id: str
    rel: str

    @property
    def name(self) -> str:
        return f"{self.bundle}/{self.rel}"

    @property
    def is_composed(self) -> bool:
        """Whether its path is spelled as refs are: the other form cannot be typed."""
        return unicodedata.is_normalized("NFC", self.rel)

    @property
    def has_blank(self) -> bool:
        return " " in self.concept_id


@st.composite
def assets(draw: st.DrawFn) -> list[Asset]:
    found: dict[str, Asset] = {}
    for number in range(draw(st.integers(3, 8))):
        bundle = draw(st.sampled_from(BUNDLES))
        directory = draw(st.sampled_from(DIRECTORIES))
        word = f"{draw(st.sampled_from(WORDS))}-{number}"
        kind = draw(st.sampled_from(("knowledge", "knowledge", "memories", "lessons", "skills")))
        stem = "/".join(part for part in (directory, word) if part)
        if kind == "skills":
            stem = f"skill-{number}"
            found[f"{bundle}{stem}"] = Asset(bundle, f"skills/{stem}", f"skills/{stem}/SKILL.md")
            resource = f"skills/{stem}/references/{word}"
            found[resource] = Asset(bundle, f"knowledge/{resource}", f"{resource}.md")
        else:
            found[stem + bundle] = Asset(bundle, f"{kind}/{stem}", f"{kind}/{stem}.md")
            if kind == "memories" and draw(st.booleans()):
                twin = f"memories/{stem}.derived"
                found[twin + bundle] = Asset(bundle, twin, f"{twin}.md")
    return [
        Asset(asset.bundle, unicodedata.normalize("NFC", asset.concept_id), asset.rel)
        for asset in found.values()
    ]


def relative(source: Asset, target: Asset) -> str:
    return os.path.relpath(target.name, os.path.dirname(source.name))


@st.composite
def sentence(draw: st.DrawFn, source: Asset, target: Asset) -> str:
    """One mention of ``target``, or of what only looks like it."""
    slug, anchor = draw(st.sampled_from(SLUGS))
    ref = f"{target.bundle}//{target.concept_id}"
    path = relative(source, target)
    in_link = quote(path, safe="/") if draw(st.booleans()) else path.replace(" ", "%20")
    fragment = draw(st.booleans())
    mentions = [
        f"[a link]({in_link}{'#' + quote(anchor) if fragment else ''})",
        f"![an image](<{path}>)",
        f"[label]: {in_link}{'#' + anchor if fragment else ''} 'Title'",
        f"In text {target.concept_id} and {path} are no refs.",
        f"```sh\necho {ref} [x]({in_link})\n```",
        f"<!-- {ref} [x]({in_link}) -->",
        "team//knowledge/gone and [gone](gone-file.md#nowhere)",
    ]
    skill = "/".join(source.rel.split("/")[:2])
    if skill.startswith("skills/") and target.name.startswith(f"{source.bundle}/{skill}/"):
        mentions.append(f"Read `{target.rel.removeprefix(skill)[1:]}` before.")
    if not target.has_blank:
        mentions += [
            f"See {ref}{'#' + slug if fragment else ''}, or `{ref}`; *{ref}*.",
            f"| {ref} | ({ref}.md) |",
        ]
    return draw(st.sampled_from(mentions))


@st.composite
def document(draw: st.DrawFn, source: Asset, everything: list[Asset]) -> str:
    targets = draw(st.lists(st.sampled_from(everything), max_size=4))
    cited = draw(st.lists(st.sampled_from(everything), max_size=3, unique=True))
    lines = ["---"]
    if source.rel.endswith("SKILL.md"):
        lines.append(f"name: {source.rel.split('/')[-2]}")
    lines.append("description: What it is")
    if cited:
        key = draw(st.sampled_from(("xrefs", "refs", "supersededBy", "sources")))
        items = [draw(item(source, target)) for target in cited]
        if draw(st.booleans()):
            lines.append(f"{key}: [{', '.join(items)}]  # why")
        else:
            lines += [f"{key}:", *(f"  - {one}" for one in items)]
    lines += ["---", "# Title", ""]
    for heading in HEADINGS:
        lines += [f"## {heading}", ""]
    for target in targets:
        lines += [draw(sentence(source, target)), ""]
    end = draw(st.sampled_from(("\n", "\n", "\r\n")))
    return end.join("\n".join(lines).split("\n")) + end


@st.composite
def item(draw: st.DrawFn, source: Asset, target: Asset) -> str:
    bare = target.bundle == source.bundle and draw(st.booleans())
    text = target.concept_id if bare else f"{target.bundle}//{target.concept_id}"
    quotes = draw(st.sampled_from(("", "'", '"')))
    return f"{quotes}{text}{quotes}"


@st.composite
def stashes(draw: st.DrawFn) -> tuple[Files, list[Asset]]:
    everything = draw(assets())
    files = {asset.name: draw(document(asset, everything)) for asset in everything}
    readme = Asset("team", "", "README.md")
    files[readme.name] = draw(document(readme, everything))
    files.setdefault("team/knowledge/base.md", "# Base\n")
    files.setdefault("other/knowledge/base.md", "# Base\n")
    return files, everything


def edges(disk: Disk, moves: Moves) -> set[tuple[str, str, str]]:
    """(citing file, ref or link, file it leads to), under their names after some moves."""
    found: set[tuple[str, str, str]] = set()
    with disk.workspace() as workspace:
        view = view_of(workspace)
        paths = [disk.path(name) for name in disk.files() if name.endswith(".md")]
        for path in paths:
            source = view.source(path)
            assert source is not None
            for citing in citings(source.document, source.bundle.adapter):
                got = workspace.catalog.resolve(citing.ref, source.bundle.id, workspace.bundles)
                target = moves.of(got.stub.path) if got.status == "found" and got.stub else ""
                found.add((moves.of(path), f"ref#{citing.ref.fragment}", target))
            for link in source.document.links:
                target_ = read_target(link.target)
                assert target_ is not None
                leads = os.path.normpath(os.path.join(os.path.dirname(path), target_.path))
                there = moves.of(leads) if os.path.exists(leads) else ""
                found.add((moves.of(path), f"link#{target_.fragment}", there))
    return found


def named(disk: Disk, moves: Moves, name: str) -> str:
    return os.path.relpath(moves.of(disk.path(name)), disk.root)


def about_names(
    disk: Disk, moves: Moves, but: frozenset[str] = frozenset()
) -> dict[str, list[str]]:
    codes = ABOUT_NAMES - but
    found = disk.findings(lambda name: named(disk, moves, name))
    kept = {
        name: [said for said in lines if said.partition(":")[0] in codes]
        for name, lines in found.items()
    }
    return {name: lines for name, lines in kept.items() if lines}


NOTHING = Moves(())
# Every example indexes several bundles: making a failing one smaller would take minutes.
examples = settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


@examples
@given(stashes(), st.data())
def test_a_renamed_asset_breaks_nothing_and_comes_back(
    stash: tuple[Files, list[Asset]], data: st.DataObject
) -> None:
    files, everything = stash
    renamable = [asset for asset in everything if asset.is_composed]
    if not renamable:
        return
    asset = data.draw(st.sampled_from(renamable))
    old = asset.concept_id.rpartition("/")[2]
    ending = ".derived" if old.endswith(".derived") else ""
    new = data.draw(st.sampled_from(("fresh", "über", "новый", "new-2.0")))
    if asset.rel.endswith("SKILL.md"):
        new = "fresh-skill"
    # Of a name that needs no escapes nobody can tell that another one was written with some.
    escaped = not old.isascii() and any(re.search("%[89A-F]", text) for text in files.values())
    ref = f"{asset.bundle}//{asset.concept_id}"
    there_and_back(files, ref, new + ending, old, exact=not escaped)


@examples
@given(stashes(), st.data())
def test_an_asset_that_goes_to_another_directory_or_bundle(
    stash: tuple[Files, list[Asset]], data: st.DataObject
) -> None:
    files, everything = stash
    movable = [
        asset for asset in everything if asset.is_composed and not asset.rel.startswith("skills")
    ]
    if not movable:
        return
    asset = data.draw(st.sampled_from(movable))
    head, _, rest = asset.concept_id.partition("/")
    bundle = data.draw(st.sampled_from(BUNDLES))
    directory = data.draw(st.sampled_from(("fresh", "auth/fresh", "свежий/и")))
    last = rest.rpartition("/")[2]
    new = f"{bundle}//{head}/{directory}/{last}"
    # Corrections are paired within one bundle only.
    but = frozenset() if bundle == asset.bundle else frozenset({"correction-pairing"})
    ref = f"{asset.bundle}//{asset.concept_id}"
    there_and_back(files, ref, new, None, exact=False, but=but)


def there_and_back(
    files: Files,
    ref: str,
    new: str,
    old: str | None,
    *,
    exact: bool = True,
    but: frozenset[str] = frozenset(),
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        disk = Disk(Path(directory), files)
        before = disk.files()
        try:
            plan = disk.plan(lambda view: renaming(view, ref, new))
        except RenameRefused as reason:
            # A blank in a directory's name cannot be written in prose, old or new.
            assert "cannot be written" in str(reason), reason
            return
        moves = Moves(plan.moves)
        findings, edges_before = about_names(disk, moves, but), edges(disk, moves)
        disk.apply(plan)
        assert about_names(disk, NOTHING, but) == findings
        assert edges(disk, NOTHING) == edges_before
        again = disk.plan(lambda view: renaming(view, where(disk, plan.moves[0]), old or ref))
        disk.apply(again)
        after = disk.files()
        assert set(after) == set(before)
        for name, data in before.items():
            if exact:
                assert after[name] == data, name
        assert about_names(disk, NOTHING) == about_names_of(files)


def about_names_of(files: Files) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as directory:
        return about_names(Disk(Path(directory), files), NOTHING)


def where(disk: Disk, move: Move) -> str:
    """The ref of the asset that has moved."""
    path = move.new if move.new.endswith(".md") else os.path.join(move.new, "SKILL.md")
    with disk.workspace() as workspace:
        stub = workspace.stub_at(path)
        assert stub is not None
        return stub.ref


@examples
@given(stashes(), st.data())
def test_files_and_directories_moved_in_the_tree(
    stash: tuple[Files, list[Asset]], data: st.DataObject
) -> None:
    files, everything = stash
    places = {asset.name for asset in everything}
    places |= {os.path.dirname(asset.name) for asset in everything}
    kinds = {f"{bundle}/{kind}" for bundle in BUNDLES for kind in ("knowledge", "memories")}
    place = data.draw(st.sampled_from(sorted(places - kinds - set(BUNDLES))))
    parent, _, last = place.rpartition("/")
    if last == "SKILL.md":
        parent, _, last = parent.rpartition("/")
        place = f"{parent}/{last}"
    new = f"{parent}/fresh-{last.lower()}" if "skill" in last else f"{parent}/новый {last}"
    if last == "references":
        return  # a skill's own vocabulary of directories
    with tempfile.TemporaryDirectory() as directory:
        disk = Disk(Path(directory), files)
        before = disk.files()
        paths = [(disk.path(place), disk.path(new))]
        plan = disk.plan(lambda view: move_files(view, paths))
        if plan.left:
            return  # prose cannot name a path with a blank; the author is told
        moves = Moves(plan.moves)
        findings, edges_before = about_names(disk, moves), edges(disk, moves)
        disk.apply(plan)
        assert about_names(disk, NOTHING) == findings
        assert edges(disk, NOTHING) == edges_before
        disk.move_files((new, place))
        assert set(disk.files()) == set(before)
