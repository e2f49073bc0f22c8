"""What each tool answers: the same functions as the command line's and the editor's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from akm_ls.lsp.work import cancellation
from akm_ls.mcp import tools
from akm_ls.mcp.arguments import ToolError, read_arguments, ref_of
from akm_ls.search.context_pack import PackError, PackRequest, build_pack
from akm_ls.search.request import RequestError
from akm_ls.search.search import search
from akm_ls.search.show import ShowError
from akm_ls.workspace.check_for_agents import CheckRequest, check_for_agents
from akm_ls.workspace.for_agents import check_for_reading, search_for_agents, show_for_agents

if TYPE_CHECKING:
    from akm_ls.mcp.library import OpenLibrary, Report

Arguments = Mapping[str, Any]
Answer = Callable[["OpenLibrary", Arguments, "Report"], Awaitable[dict[str, Any]]]

NO_BUNDLE = (
    "No bundle was found in {folders} and none is configured. `akm-ls doctor` says why; "
    "`akm-ls mcp --bundle-dir PATH` names one."
)


async def answer(
    library: OpenLibrary, name: str, given: Arguments | None, report: Report
) -> dict[str, Any]:
    """What a tool answers, as JSON by its output schema.

    Args:
        report: tells the client how far it is, while the index is built.

    Raises:
        ToolError: there is no answer; the message says why, and what to do.
    """
    tool = next((tool for tool in tools.TOOLS if tool.name == name), None)
    if tool is None:
        names = ", ".join(tool.name for tool in tools.TOOLS)
        raise ToolError(f"There is no tool {name[:80]!r}; there are {names}.")
    arguments = read_arguments(tool, given)
    warnings = await library.settled(report)
    _require_bundles(library, arguments.get("bundle"))
    try:
        found = await _ANSWERS[tool.name](library, arguments, report)
    except RequestError as problem:
        raise ToolError(str(problem)) from problem
    except ShowError as problem:
        raise ToolError(_with_suggestions(problem)) from problem
    except PackError as problem:
        needed = f" At least maxTokens {problem.needed} is needed." if problem.needed else ""
        raise ToolError(f"{problem}{needed}") from problem
    if warnings:
        found["warnings"] = [*warnings, *found.get("warnings", ())]
    return found


def _with_suggestions(problem: ShowError) -> str:
    if problem.suggestions:
        return f"{problem} Did you mean {', '.join(problem.suggestions)}?"
    return f"{problem} Search with akm_search."


def _require_bundles(library: OpenLibrary, asked: object) -> None:
    bundles = library.workspace.bundles
    if not len(bundles):
        folders = ", ".join(library.workspace.settings.folders) or "the directories named"
        why = library.workspace.unusable_sources()
        raise ToolError(" ".join((NO_BUNDLE.format(folders=folders), *why)))
    if isinstance(asked, str) and bundles.get(asked) is None:
        known = ", ".join(sorted(bundles.ids))
        raise ToolError(f"No bundle is called {asked[:80]!r}; there is {known}.")


async def _search(library: OpenLibrary, arguments: Arguments, _: Report) -> dict[str, Any]:
    request = replace(library.workspace.search_defaults, **arguments)
    token = cancellation()
    found = await library.ask(
        lambda shelves: search(shelves, request, cancelled=lambda: token.cancelled)
    )
    return search_for_agents(found)


async def _show(library: OpenLibrary, arguments: Arguments, _: Report) -> dict[str, Any]:
    ref = ref_of(arguments["ref"])
    try:
        shown = library.workspace.show(ref)
    except ShowError as problem:
        if problem.code != "ASSET_NOT_FOUND":
            raise
        # A file that was written a moment ago is no more news to anybody after this.
        await library.index.run()
        shown = library.workspace.show(ref)
    return show_for_agents(shown)


async def _context(library: OpenLibrary, arguments: Arguments, _: Report) -> dict[str, Any]:
    request = PackRequest(
        query=arguments["query"],
        type=arguments.get("type"),
        bundle=arguments.get("bundle"),
        max_items=arguments["maxItems"],
        max_tokens=arguments["maxTokens"],
    )
    token = cancellation()
    pack = await library.ask(
        lambda shelves: build_pack(
            shelves,
            request,
            lambda asked: search(shelves, asked, cancelled=lambda: token.cancelled),
        )
    )
    return pack.to_json()


async def _check(library: OpenLibrary, arguments: Arguments, report: Report) -> dict[str, Any]:
    token = cancellation()
    found = await check_for_agents(
        library.workspace,
        CheckRequest.from_params({**arguments, "paths": _refs_read(arguments.get("paths"))}),
        cancelled=lambda: token.cancelled,
    )
    return check_for_reading(found)


def _refs_read(paths: list[str] | None) -> list[str] | None:
    return None if paths is None else [ref_of(path) if "//" in path else path for path in paths]


_ANSWERS: dict[str, Answer] = {
    tools.SEARCH.name: _search,
    tools.SHOW.name: _show,
    tools.CONTEXT.name: _context,
    tools.CHECK.name: _check,
}
