"""Where akm-ls keeps its own files."""

from __future__ import annotations

DATABASE = "akm-ls.db"


def default_data_dir() -> str:
    """The platform's directory for a user's data, unless ``--data-dir`` or a setting says."""
    import platformdirs

    return platformdirs.user_data_dir("akm-ls", appauthor=False)
