"""What a new name or a new place means for everything that cites it.

Paths and documents in, edits out: nothing here writes a file or knows the protocol. A plan is made
on a `View` of the workspace and may be made in any thread.
"""

from akm_ls.workspace.renaming.deleting import Citers, citers_of
from akm_ls.workspace.renaming.following import delta_of_moves
from akm_ls.workspace.renaming.headings import rename_heading, rename_step
from akm_ls.workspace.renaming.moves import Move
from akm_ls.workspace.renaming.moving import move_files, rename_asset
from akm_ls.workspace.renaming.plan import Change, FileChanges, Left, Plan, RenameRefused
from akm_ls.workspace.renaming.subjects import Subject, subject_at
from akm_ls.workspace.renaming.tags import rename_tag
from akm_ls.workspace.renaming.view import Source, View, view_of

__all__ = [
    "Change",
    "Citers",
    "FileChanges",
    "Left",
    "Move",
    "Plan",
    "RenameRefused",
    "Source",
    "Subject",
    "View",
    "citers_of",
    "delta_of_moves",
    "move_files",
    "rename_asset",
    "rename_heading",
    "rename_step",
    "rename_tag",
    "subject_at",
    "view_of",
]
