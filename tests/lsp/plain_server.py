"""A server with nothing but the protocol in it, for `test_protocol`."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from akm_ls.lsp.protocol import AkmProtocol, new_converter
from akm_ls.lsp.transport import start_stdio, start_tcp
from akm_ls.lsp.work import cancellation


class PlainServer(LanguageServer):
    protocol: AkmProtocol


server = PlainServer("plain", "1", protocol_cls=AkmProtocol, converter_factory=new_converter)
processed: list[str] = []


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(ls: PlainServer, params: types.HoverParams) -> types.Hover | None:
    """The text before the position, as the server counts."""
    buffer = ls.protocol.buffers.open(params.text_document.uri)
    if buffer is None:
        return None
    offset = buffer.offset_at_position(params.position)
    return types.Hover(contents=buffer.source[:offset])


@server.feature("akm/text")
def text(ls: PlainServer, params: Any) -> Any:
    buffer = ls.workspace.get_text_document(params["uri"])
    return {"text": buffer.source, "lines": len(buffer.lines), "version": buffer.version}


@server.feature("akm/folders")
def folders(ls: PlainServer, params: Any) -> Any:
    return list(ls.protocol.buffers.folder_paths)


@server.feature("akm/echo")
def echo(ls: PlainServer, params: Any) -> Any:
    processed.append("echo")
    return params


@server.feature("akm/processed")
def count(ls: PlainServer, params: Any) -> Any:
    return processed.count(params["what"])


@server.feature("akm/hold")
def hold(ls: PlainServer, params: Any) -> Any:
    """Keep the event loop busy, as a slow plain handler does; stops when it is cancelled."""
    deadline = time.monotonic() + params["seconds"]
    while time.monotonic() < deadline:
        cancellation().raise_if_cancelled()
        time.sleep(0.005)
    return "held"


@server.feature("akm/work")
async def work(ls: PlainServer, params: Any) -> Any:
    def slow() -> str:
        if params.get("listens"):
            processed.append("begun")
        deadline = time.monotonic() + params["seconds"]
        while time.monotonic() < deadline:
            if params.get("listens") and cancellation().cancelled:
                processed.append("stopped")
                cancellation().raise_if_cancelled()
            time.sleep(0.005)
        processed.append("worked")
        return "worked"

    return await ls.protocol.workers.run(slow)


@server.feature("akm/thread")
@server.thread()
def in_pygls_thread(ls: PlainServer, params: Any) -> Any:
    return "never"


@server.feature("akm/unserialisable")
def unserialisable(ls: PlainServer, params: Any) -> Any:
    return {"set": {1}, "nan": {2: float("nan")}}["set" if params["what"] == "set" else "nan"]


@server.feature("akm/fail")
def fail(ls: PlainServer, params: Any) -> Any:
    if params.get("code"):
        raise JsonRpcException("no such ref", params["code"], {"suggestions": ["a"]})
    if params.get("file"):
        open(params["file"]).close()
    raise ValueError("first line\nsecond line at /home/somebody/x.py")


@server.feature("akm/failingNotification")
async def fail_quietly(ls: PlainServer, params: Any) -> None:
    raise ValueError("nobody shall see this in a pop-up")


@server.feature("akm/waitThenAsk")
async def ask(ls: PlainServer, params: Any) -> Any:
    asked = await ls.workspace_configuration_async(
        types.ConfigurationParams([types.ConfigurationItem(section="akm")])
    )
    return list(asked)


@server.feature("akm/notifyFromThread")
async def notify_from_thread(ls: PlainServer, params: Any) -> Any:
    def notify() -> bool:
        ls.protocol.notify("akm/hello", {"main": False, "lone": "\ud83d"})
        ls.protocol.notify("akm/bad", {1, 2})
        return threading.current_thread() is threading.main_thread()

    return await ls.protocol.workers.run(notify)


@server.feature("akm/print")
def stray_print(ls: PlainServer, params: Any) -> Any:
    print("a library prints")
    os.write(1, b"and another one\n")
    return os.read(0, 100).decode()


@server.command("akm.join")
def join(left: Any, right: Any = "default") -> Any:
    return [left, right]


@server.command("akm.work")
async def command_work(ls: PlainServer, params: Any) -> Any:
    try:
        await asyncio.sleep(params["seconds"])
    except asyncio.CancelledError:
        processed.append("command cancelled")
        raise
    return "done"


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
async def did_change(ls: PlainServer, params: Any) -> None:
    await asyncio.sleep(0)


@server.feature("akm/tasks")
def tasks(ls: PlainServer, params: Any) -> Any:
    return len(ls.protocol.running())


if __name__ == "__main__":
    farewell = os.environ.get("FAREWELL")
    if farewell:
        server.protocol.on_exit.append(lambda: open(farewell, "w").close())
    if "--tcp" in sys.argv:
        start_tcp(server, "127.0.0.1", 0)
    start_stdio(server)
