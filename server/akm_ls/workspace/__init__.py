"""The facade: bundles, index, catalog and open documents as one thing.

The command line, the tests, the benchmarks and the language server all use `Workspace`.
"""

from akm_ls.workspace.settings import SettingProblem, Settings, read_settings
from akm_ls.workspace.workspace import FileFindings, Workspace

__all__ = ["FileFindings", "SettingProblem", "Settings", "Workspace", "read_settings"]
