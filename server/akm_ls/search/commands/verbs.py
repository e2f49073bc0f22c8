"""What the server and the command line can do, in the words people have for it.

One row for each ``akm.…`` command and for each subcommand that has none. A test compares the
rows with what is there, so that nothing retired can be found and nothing new is left out.
"""

from __future__ import annotations

from typing import Any

from akm_ls.search.commands.document import CommandDoc, Effect, spoken

_REF = {"type": "string", "description": "[bundle//]conceptId[#fragment]"}
_QUERY = {"type": "string", "description": "words"}
_COUNT = {"type": "integer"}
_FLAG = {"type": "boolean"}


def _verb(
    key: str,
    title: str,
    description: str,
    *aliases: str,
    effect: Effect = "read",
    required: tuple[str, ...] = (),
    cli: str | None = None,
    help: str = "",
    **arguments: dict[str, Any],
) -> CommandDoc:
    on_the_command_line = key.startswith("akm-ls ")
    return CommandDoc(
        key=key,
        title=title,
        kind="cli" if on_the_command_line else "server",
        key_and_name=f"{spoken(key)} {title}",
        aliases=" ".join(aliases),
        description=description,
        help=f"{help} {cli or ''} {' '.join(arguments)}".strip(),
        effect=effect,
        arguments={"type": "object", "properties": arguments, "required": list(required)}
        if arguments
        else {},
        call={} if on_the_command_line else {"command": key, "arguments": [{}]},
        cli=cli,
    )


VERBS: tuple[CommandDoc, ...] = (
    _verb(
        "akm.search",
        "Search the library",
        "Finds the assets of all bundles that answer a query, best first, with reasons.",
        "find an asset, look something up, where is the skill about, which knowledge do we have",
        "list all skills, browse a bundle, discover assets, query the stash",
        required=("query",),
        cli="akm-ls search QUERY",
        help="Words, or a place to list such as knowledge/auth/.",
        query=_QUERY,
        type={"type": "string"},
        bundle={"type": "string"},
        limit=_COUNT,
        offset=_COUNT,
        detail={"enum": ["brief", "normal", "full", "agent"]},
        mode={"enum": ["auto", "lexical", "hybrid", "semantic"]},
        belief={"enum": ["all", "current", "historical"]},
        includeProposed=_FLAG,
    ),
    _verb(
        "akm.show",
        "Show an asset",
        "Gives the content of one asset, or of one section of it.",
        "read, open or show me a skill or another asset, print a section, get the full text",
        "load the instructions",
        "view a memory, how is this script run, which keys does an env file have, display",
        cli="akm-ls show REF",
        help="Fragments name headings. An env file shows its keys, a secret its name.",
        ref=_REF,
        textDocument={"type": "object"},
        position={"type": "object"},
        detail={"enum": ["normal", "agent"]},
    ),
    _verb(
        "akm.contextPack",
        "Pack context for an agent",
        "Packs cited, redacted excerpts for a query within a budget of tokens.",
        "gather background, brief an agent, prepare a prompt, summarise what we know about",
        "evidence with citations, ground an answer, collect sources, token budget, rag context",
        required=("query",),
        cli="akm-ls context QUERY",
        query=_QUERY,
        maxItems=_COUNT,
        maxTokens=_COUNT,
        purpose={"enum": ["agent_context", "proposal"]},
        topic={"type": "string"},
        type={"type": "string"},
        bundle={"type": "string"},
        since={"type": "string"},
        dedupe=_FLAG,
    ),
    _verb(
        "akm.findCommand",
        "Find a command",
        "Finds the command, workflow, skill, script or server command that does something.",
        "which command does, how do I, what can I run, what tool is there for, available actions",
        "help me do, capabilities, list commands, is there a workflow for",
        required=("query",),
        cli="akm-ls commands QUERY",
        query=_QUERY,
        limit=_COUNT,
        scope={"enum": ["all", "verbs", "assets"]},
        effects={"type": "array", "items": {"enum": ["read", "write", "destructive"]}},
        writable=_FLAG,
    ),
    _verb(
        "akm.check",
        "Check for faults",
        "Finds broken refs, bad frontmatter, dead links and other faults in bundles or files.",
        "lint, validate, verify, what is broken, problems, diagnostics, warnings, errors",
        "broken links, is my skill valid, report for continuous integration, sarif",
        cli="akm-ls check [PATH…]",
        help="--select --ignore --format json sarif github",
        paths={"type": "array", "items": {"type": "string"}},
        severity={"enum": ["error", "warning", "information", "hint"]},
        limit=_COUNT,
    ),
    _verb(
        "akm.references",
        "Find references",
        "Lists every place that cites an asset, with file, range and channel.",
        "who cites this, who uses it, where is it used, backlinks, usages, incoming links",
        "what breaks if I delete or rename it, what depends on, find callers, impact",
        required=("ref",),
        cli="akm-ls refs REF",
        ref=_REF,
    ),
    _verb(
        "akm.graph",
        "Draw the citations",
        "Gives the assets as nodes and their citations as edges, with those that lead nowhere.",
        "graph of the library, map, network, how do the assets hang together, visualise",
        "orphans, clusters, nodes and edges, diagram, overview picture",
        bundle={"type": "string"},
        limit=_COUNT,
    ),
    _verb(
        "akm.conventions",
        "Show the authoring standards",
        "Gives the facts that say how assets of a type are written in a bundle, with their texts.",
        "how do we write skills here, style guide, authoring rules, house style, conventions",
        "what must a new asset look like, standards for a type",
    ),
    _verb(
        "akm.newAsset",
        "Begin a new asset",
        "Says where an asset of a type belongs in a bundle, and gives its template as a file.",
        "create a skill, add a command, start a memory, write a new lesson, scaffold, template",
        "where should this go, which directory, blank file, boilerplate",
        help="It writes nothing. Without a name it lists places, without a type bundles.",
        type={"type": "string"},
        bundle={"type": "string"},
        name={"type": "string"},
    ),
    _verb(
        "akm.status",
        "Say how things are",
        "Tells which bundles are open, how fresh the index is and what semantic search does.",
        "is the index ready, which bundles are loaded, is it working, health, version",
        "why is semantic search off, how many assets, state of the server, warnings",
        cli="akm-ls doctor",
    ),
    _verb(
        "akm.reindex",
        "Rebuild the index",
        "Brings the index up to date with the files, or builds it again.",
        "refresh, rescan, update the index, search results are stale, new files are missing",
        "rebuild from scratch, reload bundles, sync, embeddings again",
        effect="write",
        cli="akm-ls index",
        help="The files of bundles are only read: what is written is the index.",
        full=_FLAG,
        clean=_FLAG,
        reembed=_FLAG,
        bundle={"type": "string"},
    ),
    _verb(
        "akm-ls check --fix",
        "Fix faults",
        "Applies the safe fixes to the files of writable bundles.",
        "repair, autofix, correct mistakes, clean up, apply quick fixes, fix all problems",
        effect="write",
        cli="akm-ls check --fix [PATH…]",
        help="--diff shows what would change and changes nothing.",
    ),
    _verb(
        "akm-ls doctor",
        "Say what was found",
        "Says what was found and why: configuration, bundles, formats, index, versions.",
        "troubleshoot, diagnose, debug the setup, why is my folder not a bundle, not found",
        "which config is used, environment, installation",
        cli="akm-ls doctor [PATH…]",
    ),
    _verb(
        "akm-ls serve",
        "Start the server",
        "Serves the Language Server Protocol on stdin and stdout, or on a TCP port.",
        "run the language server, start, connect an editor, listen on a port, launch",
        cli="akm-ls serve [--tcp HOST:PORT]",
    ),
    _verb(
        "akm-ls mcp",
        "Serve agents",
        "Serves search, show, context packs and checks over the Model Context Protocol on stdio.",
        "connect an agent, register an MCP server, Claude Code, Codex, Cursor, Gemini CLI, tools",
        cli="akm-ls mcp",
    ),
)
"""The server's commands first, in the order of the protocol's table, then the command line's."""
