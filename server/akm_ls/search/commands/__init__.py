"""Finding a command, workflow, skill, script or server command by what it is for."""

from akm_ls.search.commands.document import CommandDoc, Effect
from akm_ls.search.commands.find import CommandFinder, FindRequest, FoundCommands
from akm_ls.search.commands.index import CommandHit, CommandIndex
from akm_ls.search.commands.verbs import VERBS

__all__ = [
    "VERBS",
    "CommandDoc",
    "CommandFinder",
    "CommandHit",
    "CommandIndex",
    "Effect",
    "FindRequest",
    "FoundCommands",
]
