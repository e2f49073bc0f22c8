"""Absolute paths in a text that do not exist on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.rule import Rule, Subject

MAX_PATHS = 200
"""Paths of one document that are looked for."""

# What may stand before a path; akm looks for no such thing and finds paths within URLs.
_PATH = re.compile(
    r"(?:^|(?<=[\s\"'`(\[=,|*;]))(/(?:home|tmp|var|root|opt)/[^\s\"'`)\]>,]+)", re.MULTILINE
)
_ANY_PATH = re.compile(r"/(?:home|tmp|var|root|opt)/")
"""Most texts hold no such path, and need no closer look."""
_TEMPLATE = re.compile(r"[<>{}$*?\[]|\.\.\.|…|%[sd]|\\")
_PLACEHOLDER_HOME = re.compile(
    r"/home/(?:user|username|you|yourname|your-name|me|name|alice|bob|jdoe|johndoe|example)(?:/|\Z)"
)
_FLEETING = ("/tmp/", "/var/tmp/")
"""Where files come and go: that one is missing now says little of the text."""
_TRAILING = ".,;:!|~_"


def check_stale_path(subject: Subject) -> Iterable[Finding]:
    text = subject.document.text
    if os.sep != "/" or not _is_for_akm(subject) or _ANY_PATH.search(text) is None:
        return ()
    return _stale_paths(subject, text)


def _stale_paths(subject: Subject, text: str) -> Iterator[Finding]:
    for number, match in enumerate(_PATH.finditer(text)):
        if number >= MAX_PATHS:
            return
        written = match.group(1)
        path = written.rstrip(_TRAILING)
        if _TEMPLATE.search(written) or _PLACEHOLDER_HOME.match(path):
            continue
        if subject.around.exists(path) or subject.around.exists(written):
            continue
        span = Span(match.start(1), match.start(1) + len(path))
        portable = _portable(subject, path)
        advice = (
            f"Write {portable}, which holds wherever the bundle lies."
            if portable
            else "Correct it, or say where it comes from."
        )
        yield Finding(
            code="stale-path",
            severity="information" if path.startswith(_FLEETING) else "warning",
            message=f"{path} does not exist on this machine. {advice}",
            span=span,
            data={"path": path} | ({"portable": portable} if portable else {}),
            fixes=(Fix(f"Replace by {portable}", (TextEdit(span, portable),)),) if portable else (),
        )


def _is_for_akm(subject: Subject) -> bool:
    """Whether akm sweeps the bundle: it alone takes such a path for a claim about this machine.

    A skill or an agent of another tool names the paths that it will make, or those of a server.
    """
    bundle = subject.bundle
    return bundle.adapter == "akm" or bundle.origin != "workspace"


def _portable(subject: Subject, path: str) -> str | None:
    """A path below the bundle's root, by the variable that akm sets to that root."""
    for root in (subject.bundle.root, subject.bundle.real_root):
        if path.startswith(os.path.join(root, "")):
            return "$AKM_BUNDLE_DIR" + path[len(root.rstrip(os.sep)) :]
    return None


RULES: tuple[Rule, ...] = (
    Rule(
        code="stale-path",
        best_fix="offered",
        severity="warning",
        summary="An absolute path does not exist on this machine.",
        why=(
            "An agent that follows the path finds nothing. Paths below /home, /root, /tmp, /var "
            "and /opt differ from machine to machine; what was true when it was written may not "
            "be. Below /tmp the finding is an information. Only akm's bundles are searched: skills "
            "for other tools mostly name paths that are made later, or elsewhere."
        ),
        remedy=(
            "Correct the path. For a file of the bundle write `$AKM_BUNDLE_DIR/...`, which is "
            "never looked up."
        ),
        example="---\nupdated: 2026-01-31\n---\nThe log is in `/var/no-such-service/log.txt`.\n",
        check=check_stale_path,
        about=lambda traits: traits.format != "host" and traits.type != "session",
        group="assets",
        places=(
            "frontmatter",
            "prose",
            "headings",
            "inline code",
            "indented code",
            "fenced code",
            "links",
            "HTML comments",
        ),
        kinds=frozenset({"markdown", "yaml"}),
        skippable=True,
    ),
)
