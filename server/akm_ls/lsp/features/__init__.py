"""One module per feature of the protocol.

A module is loaded when somebody asks for it as an attribute of this package, so that a server can
say what it offers (`offers`) before it has loaded what it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from akm_ls.lsp.features import (
        call_hierarchy,
        code_actions,
        code_lens,
        completion,
        file_operations,
        hover,
        inlay_hints,
        navigation,
        parameters,
        pull_diagnostics,
        references,
        rename,
        requests,
        semantic_tokens,
        structure,
        symbols,
    )

__all__ = [
    "call_hierarchy",
    "code_actions",
    "code_lens",
    "completion",
    "file_operations",
    "hover",
    "inlay_hints",
    "navigation",
    "parameters",
    "pull_diagnostics",
    "references",
    "rename",
    "requests",
    "semantic_tokens",
    "structure",
    "symbols",
]

loading: Callable[[], AbstractContextManager[None]] = nullcontext
"""Within what modules are loaded."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with loading():
        return import_module(f"{__name__}.{name}")
