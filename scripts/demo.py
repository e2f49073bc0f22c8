"""What an editor shows on the example bundle: a scripted session with the real server.

Starts ``akm-ls`` on stdio, as an editor does, sends it what an editor sends, and prints the
answers. Run it by ``make demo``. Ends with an error when an answer is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from akm_ls.cli.excerpt import excerpt

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT / "docs" / "example-bundle"
AKM_LS = [sys.executable, "-m", "akm_ls"]
SKILL = "skills/code-review/SKILL.md"
BROKEN = "knowledge/broken-on-purpose/missing-ref.md"
COLON = "knowledge/broken-on-purpose/unquoted-colon.md"
QUERY = "rotate a leaked token"
SEVERITY = {1: ("error", "bold red"), 2: ("warning", "bold yellow"), 3: ("info", "bold blue")}
PATIENCE = 60.0
"""Seconds to wait for any one answer: the first start compiles everything."""


class Server:
    """An ``akm-ls`` process and the conversation with it."""

    def __init__(self, data_dir: str) -> None:
        self._process = subprocess.Popen(
            [*AKM_LS, "--stdio", "--bundle-dir", str(BUNDLE), "--data-dir", data_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._next_id = 0
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def request(self, method: str, params: object) -> Any:
        """Send a request and wait for its result."""
        self._next_id += 1
        wanted = self._next_id
        self._send({"id": wanted, "method": method, "params": params})
        while True:
            message = self._receive(method)
            if message.get("id") == wanted and "method" not in message:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']['message']}")
                return message.get("result")
            self._handle(message)

    def notify(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def wait_for_diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """The first findings the server publishes for a document."""
        while not self.diagnostics.get(uri):
            self._handle(self._receive("diagnostics"))
        return self.diagnostics[uri]

    def stop(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._process.wait(timeout=10)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()

    def _handle(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "id" in message and method is not None:
            # A request of the server: settings, a progress token, a registration.
            items = message.get("params", {}).get("items") if method.endswith("ration") else None
            self._send({"id": message["id"], "result": [None] * len(items) if items else None})

    def _receive(self, waiting_for: str) -> dict[str, Any]:
        try:
            message = self._incoming.get(timeout=PATIENCE)
        except queue.Empty:
            sys.exit(f"no answer to {waiting_for} within {PATIENCE:.0f} seconds")
        if message is None:
            sys.exit(f"the server ended while {waiting_for} was waited for")
        return message

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                self._incoming.put(None)
                return
            self._incoming.put(json.loads(stream.read(length)))


class Editor:
    """Opens documents on the server and prints what it answers."""

    def __init__(self, server: Server, console: Console) -> None:
        self._server = server
        self._console = console
        self._texts: dict[str, str] = {}

    def start(self) -> None:
        self._server.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": BUNDLE.as_uri(),
                "workspaceFolders": [{"uri": BUNDLE.as_uri(), "name": BUNDLE.name}],
                "capabilities": {
                    "general": {"positionEncodings": ["utf-16"]},
                    "textDocument": {
                        "publishDiagnostics": {"relatedInformation": True},
                        "hover": {"contentFormat": ["markdown"]},
                        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
                    },
                    "workspace": {"workspaceFolders": True},
                },
            },
        )
        self._server.notify("initialized", {})

    def open(self, rel: str) -> None:
        text = (BUNDLE / rel).read_text(encoding="utf-8")
        self._texts[rel] = text
        self._server.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": uri_of(rel),
                    "languageId": "markdown",
                    "version": 1,
                    "text": text,
                }
            },
        )

    def type(self, rel: str, addition: str) -> None:
        """Append text to the open document, as keystrokes at its end would."""
        before = self._texts[rel]
        self._texts[rel] = before + addition
        self._server.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri_of(rel), "version": 2},
                "contentChanges": [{"text": self._texts[rel]}],
            },
        )

    def squiggles(self, rel: str) -> None:
        lines = self._texts[rel].split("\n")
        for found in self._server.wait_for_diagnostics(uri_of(rel)):
            start, end = found["range"]["start"], found["range"]["end"]
            line = lines[start["line"]]
            stop = end["character"] if end["line"] == start["line"] else len(line)
            severity, style = SEVERITY.get(found.get("severity", 1), ("hint", "cyan"))
            source, marker = excerpt(line, start["character"], stop, self._console.width - 8)
            number = start["line"] + 1
            self._print((f"{number:>5} │ ", "dim"), source)
            self._print((" " * 5 + " │ ", "dim"), (marker.replace("^", "~"), style))
            label = (f"{severity} {found.get('code', '')}", style)
            self._print_block(8, label, f"  {found['message']}")

    def completions(self, rel: str) -> None:
        items = self._ask("textDocument/completion", rel, self._end_of(rel))
        items = items["items"] if isinstance(items, dict) else items
        for item in expected("completions", items)[:5]:
            detail = (item.get("labelDetails") or {}).get("description") or item.get("detail") or ""
            self._print_block(8, (item["label"], "bold cyan"), (f"  {detail}", "dim"))

    def hover(self, rel: str, ref: str) -> None:
        card = self._ask("textDocument/hover", rel, self._place_of(rel, ref))
        text = expected("a hover card", card)["contents"]["value"]
        self._console.print(Panel(Markdown(text), width=min(90, self._console.width)))

    def definition(self, rel: str, ref: str) -> None:
        found = self._ask("textDocument/definition", rel, self._place_of(rel, ref))
        for place in expected("a definition", found if isinstance(found, list) else [found]):
            self._print_place(place)

    def references(self, rel: str, ref: str) -> None:
        found = self._server.request(
            "textDocument/references",
            {
                "textDocument": {"uri": uri_of(rel)},
                "position": self._place_of(rel, ref),
                "context": {"includeDeclaration": False},
            },
        )
        for place in expected("references", found):
            self._print_place(place)

    def search(self, query: str) -> None:
        found = self._server.request("akm/search", {"query": query, "limit": 3})
        for number, hit in enumerate(expected("hits", found["hits"]), 1):
            place = Text.assemble((hit["ref"], "bold cyan"), (f"  {hit['type']}", "magenta"))
            self._print_block(7, place, lead=f"{number:>5}. ")
            self._print_block(7, hit["description"])

    def _ask(self, method: str, rel: str, position: dict[str, int]) -> Any:
        return self._server.request(
            method, {"textDocument": {"uri": uri_of(rel)}, "position": position}
        )

    def _end_of(self, rel: str) -> dict[str, int]:
        lines = self._texts[rel].split("\n")
        return {"line": len(lines) - 1, "character": len(lines[-1])}

    def _place_of(self, rel: str, ref: str) -> dict[str, int]:
        before = self._texts[rel][: self._texts[rel].index(ref) + len(ref) - 1]
        return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}

    def _print_place(self, place: dict[str, Any]) -> None:
        uri = place.get("uri") or place["targetUri"]
        start = (place.get("range") or place["targetSelectionRange"])["start"]
        path = Path(url2pathname(unquote(urlsplit(uri).path)))
        line = path.read_text(encoding="utf-8").split("\n")[start["line"]]
        name = path.relative_to(BUNDLE).as_posix()
        self._print_block(8, (f"{name}:{start['line'] + 1}", "bold"), (f"  {line.strip()}", "dim"))

    def _print(self, *segments: str | tuple[str, str]) -> None:
        """One line that fits already."""
        self._console.print(Text.assemble(*segments), overflow="ellipsis", no_wrap=True)

    def _print_block(
        self, indent: int, *segments: str | Text | tuple[str, str], lead: str = ""
    ) -> None:
        """Text of any length, wrapped within an indent; ``lead`` stands before its first line."""
        text = Text.assemble(*segments)
        for line in text.wrap(self._console, self._console.width - indent, overflow="fold"):
            line.rstrip()
            self._console.print(Text.assemble(lead.ljust(indent), line), no_wrap=True)
            lead = ""


def terminal() -> Console:
    """The terminal as it is, or, in a log, one of a hundred columns."""
    console = Console()
    return console if console.is_terminal else Console(width=100)


def expected(what: str, answer: Any) -> Any:
    if not answer or answer == [None]:
        sys.exit(f"the server answered without {what}")
    return answer


def uri_of(rel: str) -> str:
    return (BUNDLE / rel).as_uri()


def heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold green"))


def build_index(console: Console, data_dir: str) -> None:
    heading(console, "$ akm-ls index")
    done = subprocess.run(
        [*AKM_LS, "index", "--bundle-dir", str(BUNDLE), "--data-dir", data_dir],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.returncode)
    console.print(done.stdout.rstrip(), highlight=False)


def play(editor: Editor, console: Console) -> None:
    """The scenes of the picture."""
    editor.start()
    heading(console, f"Open {BROKEN}: squiggles")
    editor.open(BROKEN)
    editor.squiggles(BROKEN)
    heading(console, f"Open {COLON}: agents drop such a file")
    editor.open(COLON)
    editor.squiggles(COLON)
    typed = "example-bundle//knowledge/au"
    heading(console, f"Type {typed} in {SKILL}: completion")
    editor.open(SKILL)
    editor.type(SKILL, f"\nSee also {typed}")
    editor.completions(SKILL)
    heading(console, "Hover a ref")
    editor.hover(SKILL, "example-bundle//facts/conventions/writing")


def play_on(editor: Editor, console: Console) -> None:
    """The scenes after it."""
    ref = "example-bundle//knowledge/auth/token-rotation#rotate-a-token"
    heading(console, f"Go to the definition of {ref}")
    editor.definition(SKILL, ref)
    heading(console, "Find its references")
    editor.references(SKILL, ref)
    heading(console, f"Search: {QUERY}")
    editor.search(QUERY)


def say_how_to_open(console: Console) -> None:
    heading(console, "See it in your editor")
    console.print(
        f"""\
  VS Code   open {ROOT} and press F5: a window opens on the example bundle
  Neovim    docs/neovim.md has the configuration; then
            cd docs/example-bundle && nvim {BROKEN}
  Terminal  {Path(sys.executable).parent / "akm-ls"} check docs/example-bundle""",
        highlight=False,
        soft_wrap=True,
    )


def save_picture(console: Console, path: Path) -> None:
    """Write what was printed so far as an SVG that loads nothing from elsewhere."""
    svg = console.export_svg(title="akm-ls")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svg", type=Path, help="also record a picture of the first scenes")
    options = parser.parse_args()
    console = terminal()
    if options.svg:
        console = Console(record=True, width=100, force_terminal=True)
    with tempfile.TemporaryDirectory(prefix="akm-ls-demo-") as data_dir:
        build_index(console, data_dir)
        server = Server(data_dir)
        try:
            editor = Editor(server, console)
            play(editor, console)
            if options.svg:
                save_picture(console, options.svg)
            play_on(editor, console)
            server.stop()
        finally:
            server.kill()
    say_how_to_open(console)


if __name__ == "__main__":
    main()
