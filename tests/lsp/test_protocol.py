"""The conversation with a client, over a real process's stdin and stdout."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rpc import TIMEOUT, Pending, RpcClient, RpcError, frame

SERVER = [sys.executable, str(Path(__file__).with_name("plain_server.py"))]
URI = "file:///w/a.md"


@pytest.fixture(scope="module")
def shared() -> Iterator[RpcClient]:
    """One initialized server for the tests that leave it as it was."""
    with RpcClient(SERVER) as client:
        client.initialize()
        yield client


@pytest.fixture
def start() -> Iterator[Callable[..., RpcClient]]:
    """Starts servers of the test's own."""
    clients: list[RpcClient] = []

    def start(*arguments: str, initialize: bool = True, **options: Any) -> RpcClient:
        popen = {key: options.pop(key) for key in ("env", "stderr") if key in options}
        clients.append(RpcClient([*SERVER, *arguments], **popen))
        if initialize:
            clients[-1].initialize(**options)
        return clients[-1]

    yield start
    for client in clients:
        client.kill()


def error_of(client: RpcClient, method: str, params: Any = None) -> dict[str, Any]:
    with pytest.raises(RpcError) as caught:
        client.call(method, params)
    return caught.value.error


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    return {"range": {"start": position(*start), "end": position(*end)}, "text": text}


class Editor:
    """An open document, and what the server believes it holds."""

    def __init__(self, client: RpcClient, text: str, uri: str = URI) -> None:
        self.client, self.uri, self.version = client, uri, 1
        item = {"uri": uri, "languageId": "skill", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, *changes: dict[str, Any]) -> None:
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.client.notify("textDocument/didChange", params)

    @property
    def text(self) -> str:
        return self.client.call("akm/text", {"uri": self.uri})["text"]

    def before(self, line: int, character: int) -> str:
        params = {"textDocument": {"uri": self.uri}, "position": position(line, character)}
        return self.client.call("textDocument/hover", params)["contents"]


# Requests that cannot be served are answered.


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("textDocument/hover", {"textDocument": {"uri": URI}}, "position"),
        ("textDocument/hover", None, "params"),
        ("textDocument/hover", {"textDocument": "x", "position": position(0, 0)}, "invalid"),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": position(-1, 0)}, "line"),
        ("akm/echo", [1, 2], "object"),
        ("workspace/executeCommand", {"arguments": []}, "command"),
        ("workspace/executeCommand", {"command": "akm.nothing"}, "akm.nothing"),
        ("workspace/executeCommand", {"command": "akm.join"}, "left"),
        ("workspace/executeCommand", {"command": "akm.join", "arguments": [1, 2, 3]}, "argument"),
        ("workspace/executeCommand", {"command": "akm.work", "arguments": []}, "params"),
    ],
)
def test_bad_parameters_are_an_error_that_names_them(
    shared: RpcClient, method: str, params: Any, named: str
) -> None:
    error = error_of(shared, method, params)
    assert error["code"] == -32602
    assert named in error["message"]
    assert "\n" not in error["message"]


def test_an_unknown_method_is_an_error(shared: RpcClient) -> None:
    assert error_of(shared, "akm/nothing", {})["code"] == -32601
    assert error_of(shared, "$/nothing", {})["code"] == -32601


@pytest.mark.parametrize("what", ["set", "nan"])
def test_a_result_that_is_not_json_is_an_internal_error(shared: RpcClient, what: str) -> None:
    assert error_of(shared, "akm/unserialisable", {"what": what})["code"] == -32603


def test_an_internal_error_tells_one_line_and_no_frames(shared: RpcClient) -> None:
    error = error_of(shared, "akm/fail", {})
    assert error["code"] == -32603
    assert error["message"].startswith("ValueError: first line")
    assert "\n" not in error["message"]
    assert "data" not in error


def test_an_internal_error_tells_no_path_that_failed(shared: RpcClient) -> None:
    error = error_of(shared, "akm/fail", {"file": "/nowhere/at/all"})
    assert error["code"] == -32603
    assert "nowhere" not in json.dumps(error)


def test_a_handler_may_say_why_with_code_and_data(shared: RpcClient) -> None:
    error = error_of(shared, "akm/fail", {"code": -32001})
    assert error == {"code": -32001, "message": "no such ref", "data": {"suggestions": ["a"]}}


def test_pygls_threads_are_refused(shared: RpcClient) -> None:
    assert error_of(shared, "akm/thread", {})["code"] == -32603


def test_failing_notifications_pop_up_nowhere(shared: RpcClient) -> None:
    shared.notify("akm/failingNotification", {})
    shared.notify("textDocument/didChange", {"textDocument": {"uri": URI}})
    shared.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 1}})
    shared.notify("$/unknown", {})
    shared.notify("unknown", [])
    shared.call("akm/echo")
    assert "window/showMessage" not in shared.methods()


def test_what_handlers_print_does_not_reach_the_client(shared: RpcClient) -> None:
    assert shared.call("akm/print") == ""  # and stdin is not theirs either
    assert shared.call("akm/echo", {"still": "there"}) == {"still": "there"}


# Parameters and results are the client's JSON.


def test_parameters_of_our_requests_are_plain_json(shared: RpcClient) -> None:
    params = {"class": 1, "a-b": [{"_u": None}], "type_name": "x", "jsonrpc": {"id": 3}}
    assert shared.call("akm/echo", params) == params
    assert shared.call("akm/echo") == {}


def test_arguments_of_commands_are_plain_json_and_may_be_left_out(shared: RpcClient) -> None:
    params = {"command": "akm.join", "arguments": [{"class": 1, "_u": [None]}]}
    assert shared.call("workspace/executeCommand", params) == [
        {"class": 1, "_u": [None]},
        "default",
    ]


def test_lone_surrogates_are_replaced_on_the_way_in_and_out(shared: RpcClient) -> None:
    pending = shared.expect("lone")
    message = {"jsonrpc": "2.0", "id": "lone", "method": "akm/echo", "params": {"t": "a\ud83d|😀"}}
    shared.send(message)
    assert pending.result() == {"t": "a\ufffd|😀"}
    shared.call("akm/notifyFromThread")
    assert shared.wait_for_method("akm/hello") == {"main": False, "lone": "\ufffd"}


def test_a_notification_that_is_not_json_is_dropped(shared: RpcClient) -> None:
    shared.call("akm/notifyFromThread")
    assert "akm/bad" not in shared.methods()


def test_the_client_may_be_asked_and_may_answer_nonsense(
    start: Callable[..., RpcClient],
) -> None:
    client = start()
    client.handlers["workspace/configuration"] = lambda params: [{"class": "x"}]
    assert client.call("akm/waitThenAsk") == [{"class": "x"}]
    client.handlers["workspace/configuration"] = lambda params: 7
    assert "error" in client.request("akm/waitThenAsk").answer()
    client.send({"jsonrpc": "2.0", "id": "never-asked", "result": 1})
    client.send({"jsonrpc": "2.0", "id": None, "error": 1})
    assert client.call("akm/echo", {}) == {}


# Documents.


def test_lines_end_where_the_protocol_says(shared: RpcClient) -> None:
    odd = "a\x0bb\x0cc\x1cd\x1de\x1ef\x85g\u2028h\u2029i"
    editor = Editor(shared, f"{odd}\r\nsecond\rthird\nlast")
    editor.change(edit((1, 0), (1, 6), "2nd"))
    editor.change(edit((0, 3), (0, 4), "_"), edit((3, 4), (3, 4), "!"))
    assert editor.text == f"{odd[:3]}_{odd[4:]}\r\n2nd\rthird\nlast!"


def test_a_line_end_may_be_cut_in_two_and_joined(shared: RpcClient) -> None:
    editor = Editor(shared, "a\rb\nc")
    editor.change(edit((1, 0), (1, 1), ""))  # \r and \n meet
    editor.change(edit((1, 0), (1, 0), "C"))
    assert editor.text == "a\r\nCc"
    editor.change(edit((0, 1), (1, 0), "\r"), edit((1, 0), (1, 0), "\n"))
    editor.change(edit((1, 0), (1, 1), ">"))
    assert editor.text == "a\r\n>c"


@pytest.mark.parametrize(
    ("offered", "chosen", "column"),
    [
        (None, "utf-16", 5),
        (["utf-16"], "utf-16", 5),
        (["utf-8", "utf-16"], "utf-8", 8),
        (["utf-16", "utf-8"], "utf-8", 8),
        (["utf-32"], "utf-16", 5),
    ],
)
def test_positions_count_the_agreed_units(
    start: Callable[..., RpcClient], offered: list[str] | None, chosen: str, column: int
) -> None:
    client = start(initialize=False)
    capabilities = {"general": {"positionEncodings": offered}} if offered else {}
    assert client.initialize(capabilities)["capabilities"]["positionEncoding"] == chosen
    editor = Editor(client, "😀é :x\nend")
    assert editor.before(0, column) == "😀é :"
    editor.change(edit((0, column), (0, column + 1), "y"))
    assert editor.text == "😀é :y\nend"


def test_positions_outside_the_document_are_clamped(shared: RpcClient) -> None:
    editor = Editor(shared, "ab\n😀d\n")
    assert editor.before(0, 99) == "ab"
    assert editor.before(1, 1) == "ab\n"  # inside the emoji: before it
    assert editor.before(99, 99) == "ab\n😀d\n"
    editor.change(edit((7, 0), (9, 9), "end"), edit((0, 99), (0, 0), "AB"))
    assert editor.text == "AB\n😀d\nend"


def test_one_document_has_one_text_however_its_uri_is_written(shared: RpcClient) -> None:
    Editor(shared, "text", "file:///w/a%20b%2Bc.md")
    for uri in ("file:///w/a b+c.md", "file://localhost/w/a%20b+c.md", "file:/w/./a%20b%2bc.md"):
        assert shared.call("akm/text", {"uri": uri})["text"] == "text"


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a#W0", "file://[", "x", "", "file:%00"]
)
def test_a_strange_uri_is_a_document_like_any_other(shared: RpcClient, uri: str) -> None:
    editor = Editor(shared, "ab", uri)
    editor.change(edit((0, 1), (0, 1), "-"))
    assert editor.text == "a-b"
    shared.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.text == ""


def test_folders_come_and_go_by_what_they_name(start: Callable[..., RpcClient]) -> None:
    folders = [{"uri": "file:///w/a%20b", "name": "a"}, {"uri": "zip:/x", "name": "x"}]
    client = start(rootUri="file://[", workspaceFolders=folders)
    assert client.call("akm/folders") == ["/w/a b"]
    removed, added = {"uri": "file:///w/a b/", "name": ""}, {"uri": "file:///c", "name": "c"}
    event = {"added": [added], "removed": [removed]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert client.call("akm/folders") == ["/c"]


def test_a_root_is_the_folder_when_there_are_none(start: Callable[..., RpcClient]) -> None:
    assert start(rootPath="/w", rootUri=None).call("akm/folders") == ["/w"]
    assert start(rootPath="//w", rootUri="file:///v").call("akm/folders") == ["/v"]


def test_tasks_of_notifications_are_forgotten(shared: RpcClient) -> None:
    editor = Editor(shared, "")
    for _ in range(20):
        editor.change({"text": "x"})
    deadline = time.monotonic() + 10
    while shared.call("akm/tasks"):
        assert time.monotonic() < deadline


# Slow work and cancellation.


def test_messages_come_in_while_every_worker_is_busy(shared: RpcClient) -> None:
    slow = [shared.request("akm/work", {"seconds": 1, "listens": True}) for _ in range(12)]
    ping = shared.request("akm/echo", {})
    ping.result()
    assert not any(pending.done for pending in slow)
    for pending in slow:
        shared.cancel(pending)
    for pending in slow:
        assert pending.answer()["error"]["code"] == -32800


def test_a_cancelled_request_is_answered_while_its_work_still_runs(shared: RpcClient) -> None:
    deaf = shared.request("akm/work", {"seconds": 0.5})
    shared.call("akm/echo")
    shared.cancel(deaf)
    assert deaf.answer()["error"]["code"] == -32800
    shared.cancel(deaf)  # late and twice
    shared.notify("$/cancelRequest", {"id": "unknown"})
    shared.notify("$/cancelRequest", {"id": []})
    shared.notify("$/cancelRequest")
    assert shared.call("akm/echo", {}) == {}


def test_work_can_learn_that_it_was_cancelled(shared: RpcClient) -> None:
    def wait_for_more(what: str, before: int) -> None:
        deadline = time.monotonic() + TIMEOUT
        while shared.call("akm/processed", {"what": what}) == before:
            assert time.monotonic() < deadline, f"waited in vain for {what}"

    begun, stopped = (shared.call("akm/processed", {"what": it}) for it in ("begun", "stopped"))
    pending = shared.request("akm/work", {"seconds": 60, "listens": True})
    wait_for_more("begun", begun)
    shared.cancel(pending)
    wait_for_more("stopped", stopped)


def test_requests_cancelled_in_the_queue_are_not_processed(shared: RpcClient) -> None:
    before = shared.call("akm/processed", {"what": "echo"})
    busy = shared.request("akm/hold", {"seconds": 0.3})
    queued = [shared.request("akm/echo", {"n": n}) for n in range(20)]
    for pending in queued[1:]:
        shared.cancel(pending)
    assert busy.result() == "held"
    assert queued[0].result() == {"n": 0}
    assert {pending.answer()["error"]["code"] for pending in queued[1:]} == {-32800}
    assert shared.call("akm/processed", {"what": "echo"}) == before + 1


def test_even_a_handler_that_holds_the_loop_learns_of_its_cancellation(shared: RpcClient) -> None:
    busy = shared.request("akm/hold", {"seconds": 30})
    shared.cancel(busy)
    assert busy.answer(10)["error"]["code"] == -32800


def test_cancelling_a_command_reaches_its_coroutine(shared: RpcClient) -> None:
    params = {"command": "akm.work", "arguments": [{"seconds": 30}]}
    pending = shared.request("workspace/executeCommand", params)
    shared.call("akm/echo")
    shared.cancel(pending)
    assert pending.answer()["error"]["code"] == -32800
    # The answer does not wait for the coroutine to be through with its own clearing up.
    deadline = time.monotonic() + 20
    while shared.call("akm/processed", {"what": "command cancelled"}) != 1:
        assert time.monotonic() < deadline


# Messages that are none.


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"Content-Length: 3\r\n\r\n{]}", -32700),
        (b"Content-Length: 0\r\n\r\n", -32700),
        (b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01", -32700),
        (b"Content-Length: x\r\n\r\n", -32700),
        (b"Content-Length: -1\r\n\r\n", -32700),
        (b"Content-Type: text/plain\r\n\r\n", -32700),
        (b"[" * 60_000 + b"\r\n\r\n", -32700),
        (b"Content-Length: 60000\r\n\r\n" + b"[" * 60_000, -32700),
        (frame([{"jsonrpc": "2.0", "id": 9, "method": "akm/echo"}]), -32600),
        (frame([]), -32600),
        (frame("text"), -32600),
        (frame(None), -32600),
        (frame({}), -32600),
        (frame({"id": 5, "method": "akm/echo"}), -32600),
        (frame({"jsonrpc": "1.0", "id": 5, "method": "akm/echo"}), -32600),
        (frame({"jsonrpc": "2.0", "id": 5, "method": ["akm/echo"]}), -32600),
        (frame({"jsonrpc": "2.0", "id": {"x": 1}, "method": "akm/echo"}), -32600),
        (frame({"jsonrpc": "2.0", "id": None, "method": "akm/echo"}), -32600),
        (frame({"jsonrpc": "2.0", "id": True, "method": "akm/echo"}), -32600),
    ],
)
def test_a_bad_message_is_answered_and_the_next_one_served(
    shared: RpcClient, data: bytes, code: int
) -> None:
    since = len(shared.received)
    shared.send_bytes(data)
    answer = shared.wait_for(lambda message: "error" in message, since=since)
    assert answer["error"]["code"] == code
    assert answer["id"] in (None, 5)
    assert shared.call("akm/echo", {"next": 1}) == {"next": 1}


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n\n",
        b"warning: something\r\n",
        b'{"jsonrpc": "2.0", "method": "akm/echo"}\n',
        b'{"jsonrpc": "2.0", "method": "akm/echo"}',
        b"\x00\xff" * 100_000,
    ],
)
def test_junk_between_messages_is_skipped(shared: RpcClient, data: bytes) -> None:
    shared.send_bytes(data)
    assert shared.call("akm/echo", {"next": 1}) == {"next": 1}


def test_a_wrong_content_length_costs_one_message(shared: RpcClient) -> None:
    body = frame({"jsonrpc": "2.0", "method": "x", "params": {"t": "é"}}).split(b"\r\n\r\n")[1]
    for length in (len(body) - 3, len(body) + 40):
        shared.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (length, body))
        assert shared.call("akm/echo", {"next": 1}) == {"next": 1}


def test_headers_may_be_written_in_other_ways(shared: RpcClient) -> None:
    body = b'{"jsonrpc":"2.0","id":"odd","method":"akm/echo"}'
    for head in (
        b"content-length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: x\r\nCONTENT-LENGTH:   %d\r\n\r\n",
        b"Content-Length: %d\n\n",
    ):
        pending = shared.expect("odd")
        shared.send_bytes(head % len(body) + body)
        assert pending.result() == {}


def test_a_message_may_be_large_and_come_in_pieces(shared: RpcClient) -> None:
    text = "é😀\n" * 500_000
    pending = shared.expect("large")
    params = {"text": text}
    message = {"jsonrpc": "2.0", "id": "large", "method": "akm/echo", "params": params}
    data = frame(message)
    for start in range(50):
        shared.send_bytes(data[start : start + 1])
    shared.send_bytes(data[50:])
    assert pending.result() == {"text": text}


# The beginning and the end.


def test_nothing_is_served_before_initialize(start: Callable[..., RpcClient]) -> None:
    client = start(initialize=False)
    assert error_of(client, "akm/echo", {})["code"] == -32002
    assert error_of(client, "shutdown")["code"] == -32002
    Editor(client, "ignored")
    client.initialize()
    assert client.call("akm/text", {"uri": URI})["text"] == ""
    assert error_of(client, "initialize", {"capabilities": {}})["code"] == -32600


def test_invalid_parameters_of_initialize_are_answered(start: Callable[..., RpcClient]) -> None:
    client = start(initialize=False)
    assert error_of(client, "initialize", {"processId": None})["code"] == -32602
    assert "capabilities" in client.initialize()


def test_after_shutdown_requests_are_refused_and_exit_is_clean(
    start: Callable[..., RpcClient], tmp_path: Path
) -> None:
    client = start(env={**os.environ, "FAREWELL": str(tmp_path / "closed")})
    slow = client.request("akm/work", {"seconds": 30})
    assert client.call("shutdown") is None
    assert slow.answer()["error"]["code"] == -32800
    assert error_of(client, "akm/echo", {})["code"] == -32600
    assert error_of(client, "shutdown")["code"] == -32600
    client.notify("exit")
    assert client.exit_code(2) == 0
    assert (tmp_path / "closed").exists()  # on_exit was called


def test_exit_without_shutdown_is_a_failure(start: Callable[..., RpcClient]) -> None:
    client = start()
    client.notify("exit")
    assert client.exit_code(2) == 1


def test_exit_before_initialize_ends_too(start: Callable[..., RpcClient]) -> None:
    client = start(initialize=False)
    client.notify("exit")
    assert client.exit_code(5) == 1


@pytest.mark.parametrize("method", ["akm/work", "akm/hold"])
def test_exit_waits_neither_for_workers_nor_for_the_loop_nor_for_stdin(
    start: Callable[..., RpcClient], method: str
) -> None:
    client = start()
    client.request(method, {"seconds": 60})
    client.notify("exit")
    assert client.exit_code(5) == 1


def test_the_end_of_stdin_is_the_end(start: Callable[..., RpcClient]) -> None:
    client = start()
    last = client.request("akm/work", {"seconds": 0.1})
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert last.result() == "worked"  # what is quick is still answered
    assert client.exit_code(5) == 1


def test_a_client_that_cannot_be_answered_is_gone() -> None:
    with subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize"}))
        process.stdin.flush()
        assert process.wait(10) == 1


def test_the_server_ends_with_the_process_of_its_client(start: Callable[..., RpcClient]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        client = start(processId=editor.pid)
        assert client.call("akm/echo", {}) == {}
        editor.kill()
        editor.wait()
        assert client.exit_code(5) == 1


def test_a_process_that_is_not_visible_here_is_not_watched(
    start: Callable[..., RpcClient],
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    client = start(processId=gone.pid)
    time.sleep(0.1)
    assert client.call("akm/echo", {}) == {}
    assert client.shutdown() == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_signal_ends_it_properly(start: Callable[..., RpcClient], tmp_path: Path) -> None:
    client = start(env={**os.environ, "FAREWELL": str(tmp_path / "closed")})
    client.process.send_signal(signal.SIGTERM)
    assert client.exit_code(5) == 128 + signal.SIGTERM
    assert (tmp_path / "closed").exists()


def test_a_tcp_client_is_served_alone_and_ends_the_server(tmp_path: Path) -> None:
    process = subprocess.Popen([*SERVER, "--tcp"], stderr=subprocess.PIPE)
    with process:
        assert process.stderr is not None
        found = re.search(rb"listening on 127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert found is not None
        address = ("127.0.0.1", int(found[1]))
        with socket.create_connection(address, 10) as wire, wire.makefile("rb") as answers:

            def ask(msg_id: int, method: str, params: Any = None) -> Any:
                message = {"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}
                wire.sendall(frame(message))
                length = int(answers.readline().split(b":")[1])
                answers.readline()
                return json.loads(answers.read(length))

            ask(1, "initialize", {"capabilities": {}, "processId": None})
            with socket.create_connection(address, 10) as second:
                assert second.recv(1) == b""
            assert ask(2, "akm/notifyFromThread")["method"] == "akm/hello"
            answers.readline()
            wire.sendall(frame({"jsonrpc": "2.0", "method": "exit"}))
            assert process.wait(5) == 1


def test_a_pending_answer_times_out_in_words() -> None:
    with pytest.raises(TimeoutError, match="no answer to 7"):
        Pending(7).answer(0.01)
