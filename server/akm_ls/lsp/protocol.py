"""pygls's protocol with its faults cured; every request gets exactly one answer.

Use it with `transport`, which brings the messages::

    class AkmLanguageServer(LanguageServer):
        protocol: AkmProtocol

    server = AkmLanguageServer(
        "akm-ls", version, protocol_cls=AkmProtocol, converter_factory=new_converter
    )
    start_stdio(server)

Handlers are plain functions (a few milliseconds, they hold the event loop) or coroutines, which
hand slow work to ``server.protocol.workers.run``. ``@server.thread()`` is refused. Requests of
our own (every method lsprotocol has no type for, ``akm/…``) and commands get plain JSON: a
``dict`` as parameters, lists and strings as arguments. A handler says "no" by raising a
`pygls.exceptions.JsonRpcException` with the code, message and data to answer with.
"""

from __future__ import annotations

import asyncio
import contextvars
import enum
import itertools
import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import attrs
import cattrs
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.feature_manager import is_thread_function
from pygls.lsp.server import LanguageServer

from akm_ls.lsp.builtin_methods import BuiltinMethods
from akm_ls.lsp.faults import invalid, one_line, said
from akm_ls.lsp.framing import encode_message
from akm_ls.lsp.work import (
    CancellationToken,
    Cancelled,
    Workers,
    handled_method,
    holding_the_loop,
    request_token,
)

if TYPE_CHECKING:
    from pygls.protocol.json_rpc import MessageCallback, MessageHandler

logger = logging.getLogger(__name__)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800

Json = dict[str, Any]
MsgId = str | int


def new_converter() -> cattrs.Converter:
    """lsprotocol's converter, without the tree of errors that only a person would read:
    its hooks compile in two thirds of the time, which every start pays."""
    return converters.get_converter(cattrs.Converter(detailed_validation=False))


class AkmProtocol(BuiltinMethods):
    """One client's conversation: `register` and `dispatch` take its messages in order.

    Attributes:
        workers: threads for slow work.
        once_answered: called, once, when ``initialize`` has been answered.
        unread: asked, with the URI, before a request about a document: what to wait for first.
        on_exit: called, in order, when the server is about to end; at most `process.GRACE`.
    """

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        self.workers = Workers()
        self.on_exit: list[Callable[[], object]] = []
        self.once_answered: Callable[[], object] | None = None
        self.unread: Callable[[str], asyncio.Future[None] | None] | None = None
        self.shutdown_seen = False
        self.write: Callable[[bytes], None] | None = None
        self._notifications = itertools.count()
        self._tokens: dict[MsgId, CancellationToken] = {}
        super().__init__(server, converter)

    # Messages in.

    def register(self, message: object) -> None:
        """Take note of a message that has just arrived; from any thread, before `dispatch`.

        A cancellation reaches its request here, ahead of everything that waits in the queue.
        """
        if not isinstance(message, dict):
            return
        method, msg_id = message.get("method"), message.get("id")
        if method == types.CANCEL_REQUEST:
            params = message.get("params")
            target = params.get("id") if isinstance(params, dict) else None
            if _is_id(target) and (token := self._tokens.get(target)) is not None:
                token.cancel()
        elif isinstance(method, str) and _is_id(msg_id):
            self._tokens[msg_id] = CancellationToken()
            self.shutdown_seen |= method == types.SHUTDOWN

    def dispatch(self, message: object) -> None:
        """Handle one message, on the event loop. Never raises an `Exception`."""
        if not isinstance(message, dict):
            what = "a batch" if isinstance(message, list) else "not an object"
            self.refuse(None, INVALID_REQUEST, f"the message is {what}")
            return
        method, msg_id = message.get("method"), message.get("id")
        is_request = "id" in message
        if method is None and is_request and ("result" in message or "error" in message):
            self._take_response(message)
        elif not isinstance(method, str) or message.get("jsonrpc") != "2.0":
            self.refuse(msg_id, INVALID_REQUEST, "the message is not JSON-RPC 2.0")
        elif not is_request:
            self._take_notification(method, message)
        elif _is_id(msg_id):
            self._take_request(msg_id, method, message)
            if method == types.INITIALIZE:
                self._call_once_answered()
        else:
            self.refuse(None, INVALID_REQUEST, f"{method}: the id is not a number or a string")

    def _call_once_answered(self) -> None:
        callback, self.once_answered = self.once_answered, None
        if callback is not None:
            try:
                callback()
            except Exception:
                logger.exception("what follows the answer to initialize failed")

    def refuse(self, msg_id: object, code: int, reason: str) -> None:
        """Answer with an error; ``reason`` is one sentence. An unusable id is answered as null."""
        logger.info("refused: %s", reason)
        error: Json = {"code": code, "message": reason}
        usable = msg_id if _is_id(msg_id) else None
        if usable is not None:
            self._tokens.pop(usable, None)
        self._send({"jsonrpc": self.VERSION, "id": usable, "error": error})

    def _take_request(self, msg_id: MsgId, method: str, message: Json) -> None:
        token = self._tokens.setdefault(msg_id, CancellationToken())
        if self._shutdown:
            self.refuse(msg_id, INVALID_REQUEST, f"{method}: the server was shut down")
        elif not self._initialized and method != types.INITIALIZE:
            self.refuse(msg_id, NOT_INITIALIZED, f"{method}: the server is not initialized")
        elif self._initialized and method == types.INITIALIZE:
            self.refuse(msg_id, INVALID_REQUEST, "the server is initialized already")
        elif token.cancelled:
            self.refuse(msg_id, REQUEST_CANCELLED, f"{method}: cancelled")
        elif (handler := self._handler(method)) is None:
            self.refuse(msg_id, METHOD_NOT_FOUND, f"{method}: unknown method")
        else:
            try:
                params = self._params(method, message)
            except Exception as error:
                self.refuse(msg_id, INVALID_PARAMS, f"{method}: {invalid(error)}")
                return
            answer = partial(self._send_handler_result, msg_id=msg_id)
            context = contextvars.copy_context()

            def handle() -> None:
                context.run(
                    self._handle, method, msg_id, handler, params, callback=answer, token=token
                )

            unread = self._unread_document(params)
            if unread is None:
                handle()
            else:
                unread.add_done_callback(lambda _: self._handle_unless_cancelled(msg_id, handle))

    def _unread_document(self, params: Any) -> asyncio.Future[None] | None:
        uri = getattr(getattr(params, "text_document", None), "uri", None)
        return self.unread(uri) if self.unread is not None and isinstance(uri, str) else None

    def _handle_unless_cancelled(self, msg_id: MsgId, handle: Callable[[], None]) -> None:
        token = self._tokens.get(msg_id)
        if token is None or token.cancelled or self._shutdown:
            self.refuse(msg_id, REQUEST_CANCELLED, "the request was cancelled")
        else:
            handle()

    def _take_notification(self, method: str, message: Json) -> None:
        if method == types.CANCEL_REQUEST:
            params = message.get("params")
            target = params.get("id") if isinstance(params, dict) else None
            if _is_id(target):
                self._handle_cancel_notification(target)
            return
        if method != types.EXIT and (self._shutdown or not self._initialized):
            logger.info("%s: ignored before initialize and after shutdown", method)
            return
        handler = self._handler(method)
        if handler is None:
            logger.debug("%s: unknown notification", method)
            return
        try:
            params = self._params(method, message)
        except Exception as error:
            logger.warning("%s: ignored: %s", method, invalid(error))
            return
        done = partial(self._report_failure, method)
        msg_id = f"akm-ls/notification/{next(self._notifications)}"
        contextvars.copy_context().run(self._handle, method, msg_id, handler, params, callback=done)

    def _take_response(self, message: Json) -> None:
        msg_id = message["id"]
        future = self._request_futures.pop(msg_id, None) if _is_id(msg_id) else None
        result_type = self._result_types.pop(msg_id, None) if _is_id(msg_id) else None
        if future is None or future.done():
            logger.debug("an answer to no question of ours was ignored")
            return
        try:
            if "error" in message:
                given = message["error"] if isinstance(message["error"], dict) else {}
                code, text = given.get("code"), str(given.get("message", "no reason given"))
                code = code if isinstance(code, int) else INTERNAL_ERROR
                error = types.ResponseError(code=code, message=text, data=given.get("data"))
                future.set_exception(JsonRpcException.from_error(error))
            elif result_type is None:
                future.set_result(message["result"])
            else:
                future.set_result(self._converter.structure(message, result_type).result)
        except Exception as problem:
            if not future.done():
                reason = f"the client's answer is invalid: {invalid(problem)}"
                future.set_exception(JsonRpcInvalidParams(reason))

    def _handler(self, method: str) -> MessageHandler | None:
        handler: MessageHandler | None = self.fm.builtin_features.get(method)
        return handler if handler is not None else self.fm.features.get(method)

    def _params(self, method: str, message: Json) -> Any:
        message_type = self.get_message_type(method)
        if message_type is not None:
            return self._converter.structure(message, message_type).params
        params = message.get("params")
        if params is None:
            return {}
        if not isinstance(params, dict):
            raise TypeError("the parameters are not an object")
        return params

    # Handlers.

    def running(self) -> list[asyncio.Task[Any]]:
        """The tasks that handle messages now."""
        futures: tuple[object, ...] = tuple(self._request_futures.values())
        return [future for future in futures if isinstance(future, asyncio.Task)]

    def _handle(
        self,
        what: str,
        msg_id: MsgId,
        handler: MessageHandler,
        params: Any,
        *,
        callback: MessageCallback,
        token: CancellationToken | None = None,
    ) -> None:
        if token is not None:
            self._ctx_msg_id.set(msg_id)
            request_token.set(token)
        handled_method.set(what)
        with holding_the_loop(what):
            self._execute_handler(msg_id, handler, callback, (params,))

    def _execute_handler(
        self,
        msg_id: MsgId,
        handler: MessageHandler,
        callback: MessageCallback,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if is_thread_function(handler):  # type: ignore[no-untyped-call]
            # A thread would write to the client from outside the loop, could not be cancelled,
            # and would be waited for at the end.
            refused: Future[Any] = Future()
            refused.set_exception(TypeError("a thread handler: use protocol.workers.run"))
            callback(refused)
            return
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is None:
            return
        # pygls forgets only what it answers: each notification's task would stay for ever.
        future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))
        if isinstance(future, asyncio.Task):
            tasks = request_token.get().tasks
            tasks.add(future)
            future.add_done_callback(tasks.discard)

    def _handle_cancel_notification(self, msg_id: MsgId) -> None:
        token = self._tokens.get(msg_id)
        if token is None:
            return  # answered already, the usual race
        token.cancel()
        future = self._request_futures.get(msg_id)
        tasks = tuple(token.tasks)
        if future is not None:
            future.cancel()
        for task in tasks:  # a command runs in a task of its own
            task.cancel()

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self.refuse(msg_id, REQUEST_CANCELLED, "the request was cancelled")
            return
        error = future.exception()
        if error is None:
            self._send_response(msg_id, future.result())
        elif isinstance(error, Cancelled | asyncio.CancelledError):
            self.refuse(msg_id, REQUEST_CANCELLED, "the request was cancelled")
        elif isinstance(error, JsonRpcException):
            answer = types.ResponseError(error.code, one_line(error.message), error.data)
            self._send_response(msg_id, error=answer)
        else:
            logger.error("a request failed", exc_info=error)
            self._send_response(msg_id, error=types.ResponseError(INTERNAL_ERROR, said(error)))

    def _report_failure(self, method: str, future: Future[Any]) -> None:
        """A notification has no answer, and a pop-up would interrupt somebody's typing: log."""
        if not future.cancelled() and (error := future.exception()) is not None:
            logger.error("%s failed", method, exc_info=error)

    # Messages out.

    def _send_response(
        self, msg_id: MsgId, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        self._tokens.pop(msg_id, None)
        answer: Json = {"jsonrpc": self.VERSION, "id": msg_id}
        if error is not None:
            answer["error"] = error
        else:
            answer["result"] = result
        try:
            self._send(answer)
        except Exception as problem:
            logger.error("an answer cannot be sent", exc_info=problem)
            self.refuse(msg_id, INTERNAL_ERROR, f"the answer cannot be sent: {said(problem)}")

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification, from any thread. One that cannot be JSON is logged and dropped."""
        message: Json = {"jsonrpc": self.VERSION, "method": method}
        if params is not None:
            message["params"] = params
        try:
            self._send(message)
        except Exception as problem:
            logger.error("%s cannot be sent", method, exc_info=problem)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MsgId | None = None,
    ) -> Future[Any]:
        """Ask the client. The future gets its result or a `JsonRpcException`.

        Raises:
            TypeError, ValueError: ``params`` cannot be JSON.
        """
        msg_id = str(uuid.uuid4()) if msg_id is None else msg_id
        try:
            return super().send_request(method, params, callback, msg_id)
        except Exception:
            self._request_futures.pop(msg_id, None)
            self._result_types.pop(msg_id, None)
            raise

    def _send_data(self, data: Any) -> None:
        self._send(data)

    def _send(self, message: object) -> None:
        """Serialise once and write.

        Raises:
            TypeError, ValueError, RecursionError: ``message`` cannot be JSON.
        """
        data = encode_message(message, self._serialize_message)
        if self.write is None:
            logger.debug("nobody is connected: a message was dropped")
        else:
            self.write(data)

    def _serialize_message(self, data: Any) -> Any:
        if attrs.has(type(data)):
            return self._converter.unstructure(data)
        if isinstance(data, enum.Enum):
            return data.value
        raise TypeError(f"a {type(data).__name__} is not JSON")


def _is_id(value: object) -> TypeGuard[MsgId]:
    return isinstance(value, str | int) and not isinstance(value, bool)
