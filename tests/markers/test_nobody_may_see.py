"""Five things nobody may see, looked for in every byte that the product writes or sends."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embedders.endpoint import Answer, Endpoint, Request
from lsp.rpc import RpcClient, RpcError

MARKERS = {
    "an env value": "zqenvvalue7731",
    "a secret": "zqsecret7732",
    "a file marked as sensitive": "zqsensitive7733",
    "a session's checkpoint": "zqcheckpoint7734",
    "an API key": "zqapikey7735",
}
CONTROL = "zqordinary7736"
ENV, SECRET, SENSITIVE, CHECKPOINT, API_KEY = MARKERS.values()
FILES = {
    "team/env/prod.env": f"# {ENV}\nPAYROLL_TOKEN={ENV}\nexport OTHER='{ENV}'\n",
    "team/env/hidden.env": f"HIDDEN={SENSITIVE}\n",
    "team/env/hidden.sensitive": "",
    "team/secrets/payroll": f"{SECRET}\n",
    "team/secrets/notes.md": f"---\ndescription: {SECRET}\n---\n\n# {SECRET}\n",
    "team/secrets/plan.md": f"# {SENSITIVE}\n",
    "team/secrets/plan.md.sensitive": f"{SENSITIVE}\n",
    "team/knowledge/marked.md": f"---\ndescription: {SENSITIVE} payroll\n---\n\n# {SENSITIVE}\n",
    "team/knowledge/marked.md.sensitive": "",
    "team/memories/marked.md": f"# {SENSITIVE} payroll\n",
    "team/memories/marked.sensitive": "",
    "team/secrets/held.lock": f"{SENSITIVE}\n",
    "team/vaults/old.md": f"---\ndescription: {SENSITIVE}\n---\n\n# {SENSITIVE} payroll\n",
    "team/memories/checkpoint.md": (
        "---\ndescription: Where the payroll session stood.\n"
        f"akm_memory_kind: session_checkpoint\n---\n\n# Payroll\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/memories/checkpoint-below.md": (
        "---\ndescription: Where another payroll session stood.\n---\n\n"
        f"---\nakm_memory_kind: session_checkpoint\n---\n\n# Payroll\n\n{CHECKPOINT} payroll.\n"
    ),
    "team/sessions/s.md": f"---\ndescription: A payroll session.\n---\n\n{CHECKPOINT}\n",
    "team/skills/payroll/SKILL.md": (
        f"---\nname: payroll\ndescription: Runs the payroll {CONTROL}.\n---\n\n# Payroll\n\n"
        f"## Steps\n\nUse team//env/prod and team//secrets/payroll for {CONTROL} payroll.\n"
    ),
    "team/commands/pay.md": "---\ndescription: Pays.\n---\n\nPay the payroll.\n",
}
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
    "team//env/prod",
    "team//env/hidden",
    "team//secrets/payroll",
    "team//secrets/notes.md",
    "team//secrets/plan.md",
    "team//knowledge/marked",
    "team//memories/marked",
    "team//skills/payroll",
    "team//env/prod#PAYROLL_TOKEN",
)
LISTED = ("payroll", "token", "env secrets", "", "secrets/", "env/", "session", CONTROL)
# Not whole, so that an answer that repeats its query proves nothing; any index would match them.
QUERIES = (*(marker[:-1] for marker in MARKERS.values()), *LISTED)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


class Installation:
    """akm-ls on a machine of its own, everything it writes and says kept."""

    def __init__(self, root: Path, endpoint: Endpoint) -> None:
        self.root = root
        self.said: list[bytes] = []
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, target in LINKS.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).symlink_to(target)
        (root / "home").mkdir()
        config = {
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

    def run(self, *arguments: str) -> None:
        """One command line, on the bundle's directory."""
        done = subprocess.run(
            [sys.executable, "-m", "akm_ls", *self.common, *arguments],
            cwd=self.root / "team",
            env=self.environment,
            capture_output=True,
        )
        self.said += [done.stdout, done.stderr]

    def serve(self, settings: dict[str, Any] | None = None) -> None:
        """A session of the server in which everything is asked for."""
        errors = self.root / "stderr.log"
        with errors.open("wb") as stderr:
            command = [sys.executable, "-m", "akm_ls", *self.common, "serve"]
            command += ["--log-file", str(self.root / "server.log"), "--log-level", "debug"]
            client = RpcClient(command, env=self.environment, stderr=stderr)
            with client:
                self._ask_everything(client, settings or {})
                client.shutdown()
            self.said += [json.dumps(message).encode() for _, message in client.received]
        self.said += [errors.read_bytes(), (self.root / "server.log").read_bytes()]

    def serve_with_the_key_in_the_settings(self) -> None:
        """The same where the client gives the key and the endpoint repeats it when it refuses."""
        del self.environment["AKM_EMBED_API_KEY"]
        embedding = {"endpoint": self.endpoint.url, "model": "m", "apiKey": API_KEY}
        self.endpoint.script(*[_refuse] * 3)
        self.serve({"embedding": embedding})

    def _ask_everything(self, client: RpcClient, settings: dict[str, Any]) -> None:
        folder = {"uri": (self.root / "team").as_uri(), "name": "team"}
        client.initialize({}, workspaceFolders=[folder], initializationOptions=settings)
        client.wait_for_method("akm/didIndex")
        # Somebody edits what nobody may see.
        for name in FILES:
            if not name.startswith("team/skills"):
                uri = (self.root / name).as_uri()
                item = {"uri": uri, "languageId": "markdown", "version": 1, "text": FILES[name]}
                client.notify("textDocument/didOpen", {"textDocument": item})
        for _ in range(2):
            for query in QUERIES:
                self._ask_for(client, query)
            for ref in REFS:
                self._ask(client, "akm/show", {"ref": ref})
                self._ask(client, "akm/references", {"ref": ref})
            self._ask(client, "akm/status", {})
            self._ask(client, "akm/reindex", {"full": True, "reembed": True})

    def _ask_for(self, client: RpcClient, query: str) -> None:
        for detail in ("full", "agent"):
            params = {"query": query, "detail": detail, "limit": 100}
            self._ask(client, "akm/search", params)
        for kind in ("session", "memory", "env", "secret"):
            self._ask(client, "akm/search", {"query": query, "type": kind, "detail": "full"})
            pack = {"query": query, "type": kind, "maxTokens": 12_000, "maxItems": 50}
            self._ask(client, "akm/contextPack", pack)
        pack = {"query": query, "maxTokens": 12_000, "maxItems": 50, "dedupe": True}
        self._ask(client, "akm/contextPack", pack)
        self._ask(client, "akm/findCommand", {"query": query, "limit": 200})

    @staticmethod
    def _ask(client: RpcClient, method: str, params: dict[str, Any]) -> None:
        with contextlib.suppress(RpcError):  # a refusal is an answer, kept with the others
            client.call(method, params)

    @property
    def written(self) -> bytes:
        """Every byte of every file of its own."""
        places = (self.root / "data", self.root / "home")
        return b"\0".join(
            path.read_bytes() for place in places for path in place.rglob("*") if path.is_file()
        )


def _refuse(request: Request) -> Answer:
    said = f"bad key: {request.headers.get('authorization', '')}{API_KEY}"
    return Answer(401, json.dumps({"error": {"message": said}}))


def test_what_nobody_may_see_is_in_no_file_answer_log_or_request(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    made = Installation(tmp_path, endpoint)
    made.run("index", "--embed", "--format", "json")
    for query in ("payroll", " ".join(QUERIES[: len(MARKERS)])):
        made.run("search", query, "--detail", "full", "--format", "json")
        made.run("context", query, "--max-tokens", "12000", "--format", "json")
        made.run("commands", query, "--format", "json")
    made.run("doctor", "--format", "json")
    made.run("check", "--severity", "hint", "--format", "json")
    made.serve()
    with_key = len(endpoint.requests)
    made.serve_with_the_key_in_the_settings()
    bodies = [json.dumps(request.body).encode() for request in endpoint.requests]
    sent = b"\n".join(bodies) + b"\n".join(request.path.encode() for request in endpoint.requests)
    places = {
        "what was answered and logged": b"\n".join(made.said),
        "the files": made.written,
        "the request bodies": sent,
    }
    # First that the search for markers would find one, and that the key was in use.
    for place, found in places.items():
        assert CONTROL.encode() in found, f"{place} hold nothing at all"
    for requests in (endpoint.requests[:with_key], endpoint.requests[with_key:]):
        assert any(API_KEY in value for it in requests for value in it.headers.values())
    said = places["what was answered and logged"]
    assert b"akm-context-pack" in said
    assert b"team//commands/pay" in said
    for what, marker in MARKERS.items():
        for place, found in places.items():
            for spelling in (marker, marker.upper()):
                assert spelling.encode() not in found, f"{what} is in {place}"
                assert spelling.encode("utf-16-le") not in found, f"{what} is in {place}"
