"""One adapter per bundle format, in the order in which they may claim a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.bundles.adapters.adapter import Adapter, Recognition
from akm_ls.bundles.adapters.agent_skills import AgentSkills
from akm_ls.bundles.adapters.akm import Akm
from akm_ls.bundles.adapters.akm_task import AkmTask
from akm_ls.bundles.adapters.akm_workflow import AkmWorkflow
from akm_ls.bundles.adapters.claude import Claude
from akm_ls.bundles.adapters.dotenv import Dotenv
from akm_ls.bundles.adapters.generic_files import GenericFiles
from akm_ls.bundles.adapters.host import Host
from akm_ls.bundles.adapters.llm_wiki import LlmWiki
from akm_ls.bundles.adapters.okf import Okf
from akm_ls.bundles.adapters.opencode import OpenCode
from akm_ls.bundles.adapters.website_snapshot import WebsiteSnapshot

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle

__all__ = [
    "ADAPTERS",
    "FALLBACK",
    "HOST",
    "Adapter",
    "Recognition",
    "adapter_of",
    "detect_adapter",
    "get_adapter",
    "is_adapter",
]

ADAPTERS: tuple[Adapter, ...] = (
    WebsiteSnapshot(),
    AgentSkills(),
    Claude(),
    OpenCode(),
    Dotenv(),
    AkmWorkflow(),
    AkmTask(),
    LlmWiki(),
    Akm(),
    Okf(),
    GenericFiles(),
)
"""In probe order."""

FALLBACK = "akm"
"""The format of a directory that was named explicitly and that no format claims."""

HOST = Host()
"""The layout of tools' own directories; never detected and never configured."""

_BY_ID = {adapter.id: adapter for adapter in ADAPTERS}


def detect_adapter(root: str) -> str | None:
    """The id of the first format that claims ``root``, or ``None``. Never raises."""
    return next((adapter.id for adapter in ADAPTERS if adapter.probe(root)), None)


def get_adapter(adapter_id: str) -> Adapter:
    """The adapter called ``adapter_id``.

    Raises:
        KeyError: for a name that is not a format.
    """
    return _BY_ID[adapter_id]


def is_adapter(adapter_id: str) -> bool:
    """Whether ``adapter_id`` names a format."""
    return adapter_id in _BY_ID


def adapter_of(bundle: Bundle) -> Adapter:
    """The adapter that reads ``bundle``: its format's, or `HOST` for a tool's directory."""
    if bundle.origin == "host":
        return HOST
    return _BY_ID.get(bundle.adapter) or _BY_ID[FALLBACK]
