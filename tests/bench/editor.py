"""An editor for the benchmarks: the real server on a generated bundle, and a clock."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lsp"))

from generate import Generated  # noqa: E402
from rpc import RpcClient  # noqa: E402

PUBLISH = "textDocument/publishDiagnostics"
LONG = 300.0
SETTLE_MS = 200
"""What the server waits after a change before it publishes; its default."""
QUIET_MS = 100
"""What the server waits for more files to change before it reads them."""


def environment(home: str) -> dict[str, str]:
    """This process's, without settings of akm's and with nobody's home; byte code is kept, as
    in every installation."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("AKM_", "XDG_")) and key != "PYTHONDONTWRITEBYTECODE"
    }
    return {**kept, "HOME": home}


class Editor(RpcClient):
    """A client that has a generated bundle open as its one folder.

    ``pull`` makes it a client that asks for diagnostics instead of being sent them.
    """

    def __init__(
        self,
        made: Generated,
        data: str,
        home: str,
        *,
        pull: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        command = [sys.executable, "-m", "akm_ls", "serve", "--data-dir", data]
        super().__init__(command, env=environment(home))
        self.made = made
        self._versions: dict[str, int] = {}
        text: dict[str, Any] = {
            "completion": {
                "completionItem": {"documentationFormat": ["markdown"]},
                "completionList": {"itemDefaults": ["editRange"]},
            },
            "hover": {"contentFormat": ["markdown"]},
            "publishDiagnostics": {"relatedInformation": True},
        }
        if pull:
            text["diagnostic"] = {"dynamicRegistration": False}
        result = self.initialize(
            {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "textDocument": text,
                "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
                "window": {"workDoneProgress": True},
            },
            workspaceFolders=[{"uri": Path(made.root).as_uri(), "name": made.bundle}],
            processId=os.getpid(),
            initializationOptions=options,
        )
        self.offers: dict[str, Any] = result["capabilities"]
        self.initialized_at = time.perf_counter()

    def uri(self, concept_id: str) -> str:
        return Path(self.made.path(concept_id)).as_uri()

    def document(self, concept_id: str) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri(concept_id)}}

    def text(self, concept_id: str) -> str:
        return Path(self.made.path(concept_id)).read_text(encoding="utf-8")

    def open(self, concept_id: str, text: str | None = None) -> None:
        item = {
            "uri": self.uri(concept_id),
            "languageId": "markdown",
            "version": 1,
            "text": self.text(concept_id) if text is None else text,
        }
        self._versions[concept_id] = 1
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, concept_id: str, *changes: dict[str, Any]) -> None:
        self._versions[concept_id] += 1
        document = {"uri": self.uri(concept_id), "version": self._versions[concept_id]}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def timed(self, method: str, params: dict[str, Any]) -> float:
        """Milliseconds until a request is answered."""
        pending = self.request(method, params)
        pending.result(LONG)
        return 1000 * pending.seconds

    def arrival(self, method: str, since: int = 0, uri: str | None = None) -> float:
        """When the first notification of a method (about ``uri``) from ``since`` on came in."""

        def wanted(message: dict[str, Any]) -> bool:
            return message.get("method") == method and (
                uri is None or message["params"]["uri"] == uri
            )

        found = self.wait_for(wanted, LONG, since)
        return next(at for at, message in reversed(self.received) if message is found)

    def cpu_seconds(self) -> float:
        """Processor time that the server has spent; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def diagnosed(self, concept_id: str, since: int = 0) -> float:
        """When diagnostics of a document were published."""
        return self.arrival(PUBLISH, since, self.uri(concept_id))

    def indexed(self, since: int = 0) -> float:
        """When the server said that its index is up to date."""
        return self.arrival("akm/didIndex", since)
