"""Files that the models of an editing session are about, and what is typed into them.

There are few names and few lines, so that files cite, resemble and contest each other often.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

FOLDERS = ("team", "other")
FILES = (
    "team/knowledge/a.md",
    "team/knowledge/b.md",
    "team/knowledge/größe 😀.md",
    "team/knowledge/dir/c.md",
    "team/knowledge/skills/s/references/x.md",
    "team/skills/s/SKILL.md",
    "team/skills/s/references/x.md",
    "team/skills/t/SKILL.md",
    "team/commands/s.md",
    "team/memories/m.md",
    "team/memories/m.derived.md",
    "team/facts/conventions/domains.md",
    "team/workflows/w.md",
    "team/env/e.env",
    "team/scripts/run.sh",
    "team/README.md",
    "other/knowledge/a.md",
    "other/memories/n.md",
)
CENTRAL = ("team/knowledge/a.md", "team/knowledge/b.md", "other/knowledge/a.md")
"""What the others cite; more happens to it than to others."""
names = st.sampled_from((*CENTRAL, *CENTRAL, *FILES))
DIRECTORIES = (
    "team/knowledge",
    "team/knowledge/dir",
    "team/skills/s",
    "team/skills/t",
    "other/knowledge",
)
SETTINGS = "team/.akm-ls.toml"

REFS = (
    "team//knowledge/a",
    "team//knowledge/a#part",
    "team//knowledge/dir/c#other-part",
    "team//skills/s",
    "team//skills/s/SKILL.md",
    "team//knowledge/skills/s/references/x",
    "other//knowledge/a",
    "other//memories/n",
    "team//memories/m",
)
IDS = ("knowledge/a", "knowledge/b", "memories/m", "memories/n", "skills/s", "skills/t")
LINKS = (
    "[x](a.md)",
    "[x](a.md#part)",
    "[x](a.md#part) and [y](b.md#other-part)",
    "[x](references/x.md)",
    "[x](../../scripts/run.sh)",
    "[x](../memories/m.md)",
    "[x](../../other/knowledge/a.md#part)",
    "[x](gr%C3%B6%C3%9Fe%20%F0%9F%98%80.md#part)",
    "[x](dir)",
)
HEADINGS = ("# Title", "# 😀 Other title", "## Part", "## Other part")
LINES = (*HEADINGS, "Plain words.", "```", "<!--")
WIDE = (
    "😀 team//knowledge/a#part",
    "😀😀 [x](a.md#part) 😀 other//memories/n",
    "## 😀 Part",
)
KEYS = (
    "title: A title",
    "description: Use it when you rotate the tokens of all the services.",
    "description: short 😀",
    "name: s",
    "name: t",
    "beliefState: superseded",
    "beliefState: active",
    "status: deprecated",
    "updated: 2026-01-02",
    "tags: [auth, auth]",
    "category: convention",
    "steps: [{id: part, unit: {agent: agents/x}}]",
)
CHANNELS = ("xrefs", "supersededBy", "refs", "contradictedBy")
SCRAPS = (
    "",
    "",
    "x",
    " ",
    "😀",
    "é",
    "\n",
    "\r\n",
    "#",
    "## Part\n",
    "```\n",
    "---\n",
    ": ",
    "-->",
)
NEW_NAMES = (
    "fresh",
    "b",
    "t",
    "other-part",
    "Fresh part 😀",
    "knowledge/dir/fresh",
    "other//knowledge/fresh",
)
CONFIGURATIONS = (
    "[lint.rules]\nmissing-ref = 'off'\n",
    "[lint.rules]\ndead-link = 'error'\nunknown = 'off'\n",
    "portable = true\n",
    "",
)
QUERIES = ("", "a", "part", "type:skill s", "bundle:other a", "title")
"""What is asked of ``workspace/symbol``."""
CITED = (*(f"{bundle}//{name}" for bundle in FOLDERS for name in IDS), *REFS[1:3])
"""The assets and headings whose references are compared."""


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document, often with a citation, sometimes broken."""
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=4, unique_by=lambda key: key[:5]))
    for name in draw(st.lists(st.sampled_from(CHANNELS), max_size=2, unique=True)):
        cited = draw(st.lists(st.sampled_from((*IDS, *REFS)), max_size=2))
        keys.append(f"{name}: [{', '.join(cited)}]")
    if draw(st.integers(0, 9)) == 9:
        keys.append("broken: [")
    head = ["---", *keys, "---"] if keys or draw(st.booleans()) else []
    body = draw(st.lists(st.sampled_from((*LINES, *REFS, *LINKS, *WIDE)), max_size=6))
    return draw(st.sampled_from(("\n", "\n", "\r\n"))).join([*head, *body, ""])


COMMON = {
    "team/knowledge/a.md": "---\ntitle: A title\n---\n# Title\n\n## Part\n",
    "team/knowledge/b.md": "[x](a.md#part) [y](../../other/knowledge/a.md)\n",
}


@st.composite
def bundles(draw: st.DrawFn) -> dict[str, str]:
    """What there is in the beginning; mostly one file cites another."""
    return {**COMMON, **draw(files(least=3, most=8))}


@st.composite
def files(draw: st.DrawFn, least: int, most: int) -> dict[str, str]:
    return draw(st.dictionaries(names, texts(), min_size=least, max_size=most))


Change = tuple[int, int, str]
"""What is put in the place of ``text[start:end]``."""


def places(text: str) -> list[int]:
    """Where a cursor can stand."""
    return [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"]


@st.composite
def typing(draw: st.DrawFn, text: str, where: tuple[int, ...] = ()) -> Change:
    """Something in the place of some characters, or of none."""
    start = draw(st.sampled_from(where or places(text)))
    within = [at for at in places(text) if start <= at <= start + 40]
    end = draw(st.sampled_from([start, start, *within]))
    return start, end, draw(st.sampled_from((*SCRAPS, *REFS, *LINKS, *LINES)))


def typing_behind_wide_characters(text: str) -> st.SearchStrategy[Change]:
    """The same in a line behind what is one character and two units in UTF-16."""
    behind = [at for at in places(text) if "😀" in text[:at].rpartition("\n")[2]]
    return typing(text, tuple(behind))


@st.composite
def line_ends(draw: st.DrawFn, text: str) -> Change:
    """A line that is split or joined with the next one, however lines end."""
    ends = [match.span() for match in re.finditer("\r\n|\n|\r", text)]
    split = [(at, at) for at in places(text)]
    start, end = draw(
        st.sampled_from(ends) if ends and draw(st.booleans()) else st.sampled_from(split)
    )
    return start, end, draw(st.sampled_from(("", "\n", "\r\n", "\r", "\n\n## Part\n")))


@st.composite
def other_heading(draw: st.DrawFn, text: str) -> Change:
    """A heading that becomes another one; in a text without any it is put at the end."""
    headings = [match.span() for match in re.finditer("^#.*$", text, re.MULTILINE)]
    start, end = draw(st.sampled_from(headings or [(len(text), len(text))]))
    end -= text[:end].endswith("\r")
    return start, end, draw(st.sampled_from(HEADINGS))
