"""The tools over stdio, by the official SDK.

Clients of both generations are served: those that begin with ``initialize``, and those of 2026
that begin with a request. The former may offer roots, which are the folders then.

Nothing of the library is imported here: clients are impatient, and the SDK alone takes most of a
second. It is loaded while the client reads who we are.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from akm_ls import __version__
from akm_ls.lsp.uris import path_of
from akm_ls.lsp.work import CancellationToken, Cancelled, request_token
from akm_ls.mcp.arguments import ToolError
from akm_ls.mcp.tools import INSTRUCTIONS, TOOLS, ToolDescription

if TYPE_CHECKING:
    from akm_ls.mcp.library import OpenLibrary

logger = logging.getLogger(__name__)

ROOTS_PATIENCE = 2.0
"""Seconds that a client has to say which folders it works in."""

_Context: TypeAlias = "ServerRequestContext[Any, Any]"


async def serve(open_library: Callable[[], OpenLibrary]) -> None:
    """Serve one client on stdin and stdout, until it closes its end.

    Args:
        open_library: called, on the event loop, once there is a client; not started yet.
    """
    served = Served(open_library)
    server = served.server()
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        served.close()


class Served:
    """The library as one client sees it."""

    def __init__(self, open_library: Callable[[], OpenLibrary]) -> None:
        self._open_library = open_library
        self._library: OpenLibrary | None = None
        self._opening: asyncio.Task[OpenLibrary] | None = None

    def server(self) -> Server[Any]:
        server: Server[Any] = Server(
            "akm-ls",
            version=__version__,
            title="AKM",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._initialized
        )
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )
        return server

    def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        if self._library is not None:
            self._library.close()

    # The start, and the folders.

    def _begin(self, ctx: _Context) -> asyncio.Task[OpenLibrary]:
        """Load and index, from the first message on that a client may be asked something after."""
        if self._opening is None:
            # Not in the context of a request: that may be cancelled, and the library stays.
            self._opening = Context().run(asyncio.ensure_future, self._open(ctx))
        return self._opening

    async def _initialized(self, ctx: _Context, _: types.NotificationParams) -> None:
        self._begin(ctx)

    async def _open(self, ctx: _Context) -> OpenLibrary:
        await asyncio.to_thread(_load)
        library = self._library = self._open_library()
        folders = await self._roots(ctx, library)
        if folders:
            library.open_folders(folders)
        library.start()
        return library

    async def _roots_changed(self, ctx: _Context, _: types.NotificationParams) -> None:
        # Not here: an answer can come in only after this handler has returned.
        following = asyncio.get_running_loop().create_task(self._follow_roots(ctx))
        following.add_done_callback(_log_failure)

    async def _follow_roots(self, ctx: _Context) -> None:
        library = await asyncio.shield(self._begin(ctx))
        folders = await self._roots(ctx, library)
        if folders:
            library.open_folders(folders)

    async def _roots(self, ctx: _Context, library: OpenLibrary) -> list[str]:
        """The folders that the client works in; none where it does not say."""
        capabilities = ctx.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return []
        if library.workspace.settings.bundle_dirs:
            return []
        try:
            answered = await ctx.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                request_read_timeout_seconds=ROOTS_PATIENCE,
            )
        except Exception as problem:  # whatever the client does: the current directory will do
            logger.warning("the client does not say its roots: %s", problem)
            return []
        paths = (path_of(str(root.uri)) for root in answered.roots)
        return [path for path in paths if path is not None]

    # The tools.

    async def _list_tools(
        self, ctx: _Context, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._begin(ctx)  # clients of 2026 say nothing before
        return types.ListToolsResult(tools=[_tool(tool) for tool in TOOLS])

    async def _call_tool(
        self, ctx: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        token = CancellationToken()
        reset = request_token.set(token)
        try:
            library = await asyncio.shield(self._begin(ctx))
            from akm_ls.mcp.answers import answer
            from akm_ls.workspace.covering import cover
            from akm_ls.workspace.for_agents import to_text

            found = await answer(
                library, params.name, params.arguments, ctx.session.report_progress
            )
        except ToolError as problem:
            return _refused(str(problem))
        except asyncio.CancelledError:
            token.cancel()
            raise
        except Cancelled:
            return _refused("cancelled")
        except Exception as problem:
            logger.exception("%s failed", params.name)
            return _refused(f"internal error: {type(problem).__name__}; the server's log says more")
        finally:
            request_token.reset(reset)
        text = to_text(cover(found))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=json.loads(text),
        )


def _load() -> None:
    """Import what the answers need, beside the event loop."""
    import akm_ls.mcp.answers
    import akm_ls.mcp.library  # noqa: F401


def _tool(tool: ToolDescription) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input),
        output_schema=dict(tool.output),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _refused(message: str) -> types.CallToolResult:
    from akm_ls.workspace.covering import cover_text
    from akm_ls.workspace.for_agents import sendable

    text = sendable(cover_text(message))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("the client's roots could not be followed", exc_info=error)
