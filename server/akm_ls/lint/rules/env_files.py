"""Names of variables that change what other programs run.

Only names are looked at; no message, datum or edit here holds a part of a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.env_keys import SUPPRESSION, read_env_keys
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.fixes import line_end
from akm_ls.lint.rule import Rule, Subject

_LINUX_LINKER = "changes which code the Linux linker loads into every program"
_MACOS_LINKER = "changes which code the macOS linker loads into every program"
_SHELL = "changes what a shell finds or runs when it starts"
_NODE = "changes what Node.js loads or whom it trusts"
_PYTHON = "changes what Python loads or runs when it starts"
_RUBY = "changes what Ruby loads"
_PERL = "changes what Perl loads"
_JAVA = "gives every Java program more options"
_GIT = "names a program that git runs"
_TOOLS = "names a program that other tools run"

DANGEROUS_KEYS = {
    **dict.fromkeys(
        (
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "LD_DEBUG",
            "LD_BIND_NOW",
            "LD_PROFILE",
            "LD_ASSUME_KERNEL",
            "LD_TRACE_LOADED_OBJECTS",
        ),
        _LINUX_LINKER,
    ),
    **dict.fromkeys(
        ("DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"), _MACOS_LINKER
    ),
    **dict.fromkeys(
        ("PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS1", "PS2", "IFS", "ZDOTDIR"), _SHELL
    ),
    **dict.fromkeys(("NODE_OPTIONS", "NODE_PATH", "NODE_TLS_REJECT_UNAUTHORIZED"), _NODE),
    **dict.fromkeys(
        ("PYTHONSTARTUP", "PYTHONPATH", "PYTHONINSPECT", "PYTHONHOME", "PYTHONNOUSERSITE"), _PYTHON
    ),
    **dict.fromkeys(("RUBYLIB", "RUBYOPT"), _RUBY),
    **dict.fromkeys(("PERL5LIB", "PERL5OPT"), _PERL),
    **dict.fromkeys(("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"), _JAVA),
    **dict.fromkeys(("GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR"), _GIT),
    **dict.fromkeys(("EDITOR", "VISUAL", "PAGER"), _TOOLS),
}
"""Each name akm warns of (akm.md §8.3), with what it does. Case counts."""

DANGEROUS_FAMILIES = {
    "BASH_FUNC_": "makes bash import a function",
    "GIT_CONFIG_": "injects settings into git",
}
"""The same for all names that start alike."""

_ANY_DANGER = re.compile("|".join((*DANGEROUS_KEYS, *DANGEROUS_FAMILIES)))
"""Most env files hold no such text, and need no closer look."""


def danger_of(name: str) -> str | None:
    """What a variable does to the programs it is set for; ``None`` for a harmless one."""
    found = DANGEROUS_KEYS.get(name)
    if found is not None:
        return found
    return next(
        (what for prefix, what in DANGEROUS_FAMILIES.items() if name.startswith(prefix)), None
    )


def check_dangerous_env_key(subject: Subject) -> Iterator[Finding]:
    if subject.bundle.adapter not in ("akm", "dotenv") or subject.traits.head != "env":
        return
    document = subject.document
    if _ANY_DANGER.search(document.text) is None:
        return
    seen: set[str] = set()
    for key in read_env_keys(document.text):
        what = danger_of(key.name)
        if what is None or key.name in seen:
            continue
        seen.add(key.name)
        if key.suppressed:
            continue
        line = document.lines.start_of(key.line)
        comment = f"{SUPPRESSION}{line_end(document.text)}"
        yield Finding(
            code="dangerous-env-key",
            severity="warning",
            message=(
                f"{key.name} {what}, so whoever writes this file decides what `akm env run` "
                f'executes. Remove it, or accept it with "{SUPPRESSION}" on the line above.'
            ),
            span=key.span,
            data={"key": key.name},
            fixes=(
                Fix(
                    f"Accept {key.name} here",
                    (TextEdit(Span(line, line), comment),),
                    preferred=False,
                ),
            ),
        )


RULES: tuple[Rule, ...] = (
    Rule(
        code="dangerous-env-key",
        severity="warning",
        summary="An env file sets a variable that changes what programs run.",
        why=(
            "`akm env run` hands the file's variables to a command. A variable such as "
            "`LD_PRELOAD` or `PATH` lets the author of the file run code of their own, which "
            "matters most in a bundle that others wrote."
        ),
        remedy=(
            "Remove the variable, or write `# akm-lint-ok: dangerous-env-key` on the line above. "
            "Values are never shown, and files below `secrets/` are never opened."
        ),
        example="PATH=/opt/tools/bin\n",
        check=check_dangerous_env_key,
        group="assets",
        places=("env keys",),
        example_path="env/build.env",
        kinds=frozenset({"env"}),
    ),
)
