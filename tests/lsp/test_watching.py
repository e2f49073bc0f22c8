"""What the client is asked to watch while folders come and go."""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from rpc import RpcClient

SERVER = [sys.executable, "-m", "akm_ls", "serve"]
CAPABILITIES = {
    "workspace": {
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
    }
}


class Watchers:
    """A client's list of registrations, which takes its time over each change."""

    def __init__(self, client: RpcClient) -> None:
        self.registered: dict[str, Any] = {}
        self.faults: list[str] = []
        client.handlers["client/registerCapability"] = self._register
        client.handlers["client/unregisterCapability"] = self._unregister

    def _register(self, params: Any) -> None:
        time.sleep(0.05)
        for registration in params["registrations"]:
            if registration["id"] in self.registered:
                self.faults.append(f"{registration['id']} is registered already")
            self.registered[registration["id"]] = registration["registerOptions"]

    def _unregister(self, params: Any) -> None:
        time.sleep(0.05)
        for unregistration in params["unregisterations"]:
            if self.registered.pop(unregistration["id"], None) is None:
                self.faults.append(f"{unregistration['id']} is not registered")

    def directories(self) -> list[str]:
        """What is watched below, without the directories of akm's own files."""
        return [
            Path(unquote(urlsplit(watcher["globPattern"]["baseUri"]).path)).name
            for options in self.registered.values()
            for watcher in options["watchers"]
            if watcher["globPattern"]["pattern"] == "**/*"
        ]


def folder(path: Path) -> dict[str, str]:
    return {"uri": path.as_uri(), "name": path.name}


def test_quick_changes_of_folders_leave_the_watchers_of_the_last(tmp_path: Path) -> None:
    folders = [tmp_path / f"bundle-{number}" for number in range(11)]
    for path in folders:
        (path / ".stash").mkdir(parents=True)
        (path / "knowledge").mkdir()
    options = {"dataDir": str(tmp_path / "data"), "config": str(tmp_path / "config.json")}
    with RpcClient(SERVER) as client:
        watchers = Watchers(client)
        client.initialize(
            CAPABILITIES,
            workspaceFolders=[folder(folders[0])],
            initializationOptions=options,
        )
        for before, after in pairwise(folders):
            event = {"added": [folder(after)], "removed": [folder(before)]}
            client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        deadline = time.monotonic() + 20
        while watchers.directories() != ["bundle-10"] and time.monotonic() < deadline:
            time.sleep(0.02)
        status = client.call("akm/status", {})
        assert [bundle["id"] for bundle in status["bundles"]] == ["bundle-10"]
        assert watchers.directories() == ["bundle-10"]
        assert watchers.faults == []
        assert client.shutdown() == 0
        assert watchers.directories() == ["bundle-10"], "and it stays so"
