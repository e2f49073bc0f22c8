"""pygls's own answers to ``initialize``, ``shutdown``, ``exit`` and commands, with faults cured."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from akm_ls.lsp.buffers import Buffers
from akm_ls.lsp.faults import one_line
from akm_ls.lsp.uris import uri_of

HandlerStep = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any] | None]


class BuiltinMethods(LanguageServerProtocol):
    """From the first message to the last: what a conversation is before it has any content.

    Attributes:
        buffers: the open documents; none before ``initialize``. Also ``server.workspace``.
        exit_code: set once the client said ``exit``.
        watch_client: told the client's process id, if it has given one.
    """

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        self.buffers = Buffers()
        self.exit_code: int | None = None
        self.watch_client: Callable[[int], object] | None = None
        self._initialized = False
        super().__init__(server, converter)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[HandlerStep, Any, types.InitializeResult]:
        """Replaces pygls's workspace before the server's own handler sees it."""
        self._initialized = True
        folders, root_uri, root_path = (
            params.workspace_folders,
            params.root_uri,
            params.root_path,
        )
        if root_uri is None and root_path and os.path.isabs(root_path):
            root_uri = uri_of(root_path)
        # pygls fails on some of these; it shall not read them.
        params.root_uri = params.root_path = params.workspace_folders = None
        _prefer_utf8(params.capabilities)
        steps = super().lsp_initialize(params)
        step, result = _advance(steps, None)
        params.root_uri, params.root_path, params.workspace_folders = root_uri, root_path, folders
        given = self.workspace
        self.buffers = Buffers(root_uri, given._sync_kind, folders, given.position_encoding)
        self._workspace = self.buffers
        while step is not None:
            sent = yield step
            step, result = _advance(steps, sent)
        if params.process_id is not None and self.watch_client is not None:
            self.watch_client(params.process_id)
        assert result is not None
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[HandlerStep, Any, None]:
        """Cancels what is running and refuses what comes."""
        user_handler = self.fm.features.get(types.SHUTDOWN)
        if user_handler is not None:
            yield user_handler, args, None
        self._shutdown = True
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != self.msg_id and not future.done():
                future.cancel()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[HandlerStep, Any, None]:
        """Ends the conversation: code 0 after ``shutdown``, else 1."""
        user_handler = self.fm.features.get(types.EXIT)
        if user_handler is not None:
            yield user_handler, args, None
        self.exit_code = 0 if self._shutdown else 1

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(
        self, params: types.ExecuteCommandParams
    ) -> Generator[HandlerStep, Any, Any]:
        """Calls a command with its arguments as plain JSON; Python's defaults count."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"{one_line(params.command)}: unknown command")
        arguments = tuple(params.arguments or ())
        # pygls wraps a coroutine that wants the server so that its signature is hidden.
        hidden = inspect.isfunction(handler) and hasattr(handler, "func")
        try:
            if hidden:
                inspect.signature(handler.func).bind(self._server, *arguments)
            else:
                inspect.signature(handler).bind(*arguments)
        except TypeError as error:
            raise JsonRpcInvalidParams(f"{params.command}: {error}") from None
        result = yield handler, arguments, None
        return result


def _advance(
    steps: Generator[HandlerStep, Any, types.InitializeResult], sent: Any
) -> tuple[HandlerStep | None, types.InitializeResult | None]:
    """The generator's next step, or its result."""
    try:
        return steps.send(sent), None
    except StopIteration as stop:
        return None, stop.value


def _prefer_utf8(capabilities: types.ClientCapabilities) -> None:
    """Choose utf-8 whenever the client offers it, else utf-16, which every client knows."""
    general = capabilities.general
    if general is not None and general.position_encodings is not None:
        utf8 = types.PositionEncodingKind.Utf8
        offered = utf8 in general.position_encodings
        general.position_encodings = [utf8 if offered else types.PositionEncodingKind.Utf16]
