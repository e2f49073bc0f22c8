"""The tables of the index database, and how an older file is brought up to them.

One file serves every workspace of a user, so a bundle is known by more than its id: see
``bundles``. All offsets are ``str`` offsets in the file, all times nanoseconds or POSIX seconds,
all paths relative to the bundle's real root and POSIX. ``entries.document`` is the one stored
projection of an asset; its body is in ``entries_fts`` only, which is contentless.
"""

from __future__ import annotations

from dataclasses import dataclass

import apsw

VERSION = 2
"""Written to ``meta.version``. A marker, never a gate: see `migrate`."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table. Columns that come later than the table itself need a default."""

    name: str
    columns: tuple[str, ...]
    constraint: str = ""
    options: str = ""
    from_files: bool = False
    """Whether its rows are made from the files, so that reading those again fills a gap."""

    @property
    def statement(self) -> str:
        inner = ", ".join((*self.columns, self.constraint) if self.constraint else self.columns)
        return f"CREATE TABLE IF NOT EXISTS {self.name} ({inner}) {self.options}"


_CITATION = (
    "ordinal INTEGER NOT NULL",
    "bundle TEXT",
    "concept_id TEXT NOT NULL DEFAULT ''",
    "fragment TEXT",
    "channel TEXT NOT NULL DEFAULT 'prose'",
    "text TEXT",
    "start INTEGER NOT NULL DEFAULT 0",
    '"end" INTEGER NOT NULL DEFAULT 0',
    "line INTEGER NOT NULL DEFAULT 0",
    "utf8_start INTEGER NOT NULL DEFAULT 0",
    "utf8_end INTEGER NOT NULL DEFAULT 0",
    "utf16_start INTEGER NOT NULL DEFAULT 0",
    "utf16_end INTEGER NOT NULL DEFAULT 0",
)
"""One reference: its target as written, and where it stands."""

TABLES = (
    Table("meta", ("key TEXT PRIMARY KEY", "value"), options="WITHOUT ROWID"),
    # The same id may mean different directories in two workspaces, and the same directory may
    # be cut differently (another format, other bundles nested in it: `variant`). Each has its
    # own rows, so that servers with different workspaces never undo each other's work.
    Table(
        "bundles",
        (
            "key INTEGER PRIMARY KEY",
            "id TEXT NOT NULL",
            "real_root TEXT NOT NULL",
            "variant TEXT NOT NULL",
            "adapter TEXT NOT NULL DEFAULT ''",
            "config TEXT",
            "indexed_at REAL",
            "seen_at REAL NOT NULL DEFAULT 0",
        ),
        "UNIQUE (id, real_root, variant)",
    ),
    Table(
        "entries",
        (
            "id INTEGER PRIMARY KEY",
            "bundle_key INTEGER NOT NULL",
            "concept_id TEXT NOT NULL",
            "rel TEXT NOT NULL",
            "type TEXT NOT NULL",
            "name TEXT NOT NULL",
            "title TEXT",
            "description TEXT NOT NULL DEFAULT ''",
            "tags TEXT NOT NULL DEFAULT ''",
            "slugs TEXT NOT NULL DEFAULT ''",
            "belief_state TEXT",
            "superseded_by TEXT NOT NULL DEFAULT ''",
            "when_to_use TEXT NOT NULL DEFAULT ''",
            "quality TEXT NOT NULL DEFAULT 'generated'",
            "marks TEXT NOT NULL DEFAULT ''",
            "embed_hash TEXT NOT NULL DEFAULT ''",
            "generation INTEGER NOT NULL DEFAULT 0",
            "document TEXT NOT NULL DEFAULT '{}'",
        ),
        "UNIQUE (bundle_key, concept_id)",
        from_files=True,
    ),
    Table(
        "fragments",
        (
            "entry_id INTEGER NOT NULL",
            "ordinal INTEGER NOT NULL",
            "slug TEXT NOT NULL DEFAULT ''",
            "title TEXT",
            "level INTEGER NOT NULL DEFAULT 1",
            "line INTEGER NOT NULL DEFAULT 0",
            "start INTEGER NOT NULL DEFAULT 0",
            '"end" INTEGER NOT NULL DEFAULT 0',
        ),
        "PRIMARY KEY (entry_id, ordinal)",
        "WITHOUT ROWID",
        from_files=True,
    ),
    Table(
        "citations",
        ("entry_id INTEGER NOT NULL", *_CITATION),
        "PRIMARY KEY (entry_id, ordinal)",
        "WITHOUT ROWID",
        from_files=True,
    ),
    # What files cite that have no row in `entries`: READMEs and other files that are no assets,
    # and those whose ref another file holds. A file's citations are in one of both tables.
    Table(
        "file_citations",
        ("bundle_key INTEGER NOT NULL", "rel TEXT NOT NULL", *_CITATION),
        "PRIMARY KEY (bundle_key, rel, ordinal)",
        "WITHOUT ROWID",
        from_files=True,
    ),
    # One vector of length 1 for an entry, half precision, of the model whose fingerprint it has;
    # the writer removes it with the text it is made of. Vectors have generations of their own
    # (`meta.vectors`), so that embedding changes nothing for those who follow the entries.
    Table(
        "embeddings",
        (
            "entry_id INTEGER PRIMARY KEY",
            "model TEXT NOT NULL DEFAULT ''",
            "dim INTEGER NOT NULL DEFAULT 0",
            "embedding BLOB NOT NULL DEFAULT x''",
            "generation INTEGER NOT NULL DEFAULT 0",
        ),
    ),
    # Every walked file, an asset or not. Several files may name one `concept_id`: the smallest
    # `rel` holds it and has the row in `entries`, the others are shadowed (akm.md §3.4).
    # `racy`: written in the moment it was read, so that an unchanged time proves nothing.
    Table(
        "files",
        (
            "bundle_key INTEGER NOT NULL",
            "rel TEXT NOT NULL",
            "size INTEGER NOT NULL DEFAULT 0",
            "mtime_ns INTEGER NOT NULL DEFAULT 0",
            "content_hash TEXT NOT NULL DEFAULT ''",
            "concept_id TEXT",
            "warning TEXT",
            "racy INTEGER NOT NULL DEFAULT 0",
        ),
        "PRIMARY KEY (bundle_key, rel)",
        "WITHOUT ROWID",
    ),
    # A directory whose fingerprint is unchanged is not looked into. There is a row only while
    # `files` is known to agree with it. `context` fingerprints what its files borrow from.
    Table(
        "dir_state",
        (
            "bundle_key INTEGER NOT NULL",
            "dir TEXT NOT NULL",
            "fingerprint BLOB NOT NULL DEFAULT x''",
            "context BLOB NOT NULL DEFAULT x''",
            "max_mtime_ns INTEGER NOT NULL DEFAULT 0",
            "row_count INTEGER NOT NULL DEFAULT 0",
        ),
        "PRIMARY KEY (bundle_key, dir)",
        "WITHOUT ROWID",
    ),
    # What was deleted in which generation, so that another process can follow.
    Table(
        "tombstones",
        (
            "bundle_key INTEGER NOT NULL",
            "concept_id TEXT NOT NULL",
            "generation INTEGER NOT NULL DEFAULT 0",
        ),
        "PRIMARY KEY (bundle_key, concept_id)",
        "WITHOUT ROWID",
    ),
)

FTS = """
    CREATE VIRTUAL TABLE IF NOT EXISTS entries_fts USING fts5(
        name, description, tags, hints, content,
        content='', contentless_delete=1, tokenize='porter unicode61'
    )"""
# What a transaction writes becomes one segment, and 32 segments are merged, which writes them once
# more. With FTS5's own numbers (1 MB, 16) the texts of 20,000 assets were written twice.
_FTS_SETTINGS = (("hashsize", 4 << 20), ("automerge", 32), ("crisismerge", 32))

GATE_INDEX = "entries_gate"
TARGET_INDEX = "citations_target"
INDEXES = (
    "CREATE INDEX IF NOT EXISTS entries_generation ON entries (generation)",
    # What decides who may see a row, on pages of its own: a search asks it of hundreds of rows.
    f"CREATE INDEX IF NOT EXISTS {GATE_INDEX} ON entries (id, bundle_key, type, quality)",
    f"CREATE INDEX IF NOT EXISTS {TARGET_INDEX} ON citations (concept_id)",
    "CREATE INDEX IF NOT EXISTS file_citations_target ON file_citations (concept_id)",
    "CREATE INDEX IF NOT EXISTS files_claims ON files (bundle_key, concept_id)"
    " WHERE concept_id IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS embeddings_generation ON embeddings (generation)",
    "CREATE INDEX IF NOT EXISTS tombstones_generation ON tombstones (generation)",
)


def is_current(connection: apsw.Connection) -> bool:
    """Whether `migrate` has nothing to do; asked without a write lock."""
    names = _names(connection)
    full_text = has_full_text(connection)
    wanted = {table.name for table in TABLES} | {GATE_INDEX}
    if full_text:
        wanted.add("entries_fts")
    if not names.issuperset(wanted) or _is_textless(connection) == full_text:
        return False
    return _version(connection) == VERSION and not any(
        _missing_columns(connection, table) for table in TABLES
    )


def migrate(connection: apsw.Connection) -> str | None:
    """Add what is missing; call it inside a write transaction.

    Nothing is dropped or rewritten. Where a table or a column that is filled from the files was
    missing, every file counts as changed, and the next run fills it again; vectors stay, as long
    as their texts turn out to be the same. The result is a notice for the log when another
    version wrote the file.
    """
    names = _names(connection)
    if "embeddings" in names and "entries" not in names:
        # Ids are given anew: these would be taken for other assets' vectors.
        connection.execute("DELETE FROM embeddings")
    found = _version(connection) if "meta" in names else None
    full_text = has_full_text(connection)
    if full_text and "meta" in names and _is_textless(connection):
        connection.execute("DROP TABLE IF EXISTS entries_fts")
        names.discard("entries_fts")
    gaps = full_text and "entries_fts" not in names
    for table in TABLES:
        if table.name not in names:
            connection.execute(table.statement)
            gaps = gaps or table.from_files
            continue
        for column in _missing_columns(connection, table):
            connection.execute(f"ALTER TABLE {table.name} ADD COLUMN {column}")
            gaps = gaps or table.from_files
    if full_text:
        connection.execute(FTS)
        connection.execute("DELETE FROM meta WHERE key = ?", (_TEXTLESS,))
    else:
        connection.execute("REPLACE INTO meta VALUES (?, 1)", (_TEXTLESS,))
    if full_text and "entries_fts" not in names:
        for setting in _FTS_SETTINGS:
            connection.execute("INSERT INTO entries_fts (entries_fts, rank) VALUES (?, ?)", setting)
    for statement in INDEXES:
        connection.execute(statement)
    if gaps:
        connection.execute("DELETE FROM dir_state")
        connection.execute(f"UPDATE files SET content_hash = '{UNREAD}', racy = 1")
        mark_texts(connection)
    if found is None or (isinstance(found, int) and found < VERSION):
        connection.execute("REPLACE INTO meta VALUES ('version', ?)", (VERSION,))
    if found in (None, VERSION):
        return None
    return f"The index file has layout {found}, this version writes {VERSION}; serving it anyway."


def put_off_sorting(connection: apsw.Connection) -> None:
    """Before a first load: do without the index of what is cited until `sort_citations`.

    Call it in a write transaction; nothing happens where something is cited already. Entering
    citations one by one, in no order, takes three times as long as sorting all in the end. Who
    asks meanwhile is answered more slowly (25 ms where there are 150,000), and so is who asks
    after the process was killed, until the next run.
    """
    if connection.execute("SELECT 1 FROM citations LIMIT 1").fetchone() is None:
        connection.execute(f"DROP INDEX IF EXISTS {TARGET_INDEX}")


def is_sorted(connection: apsw.Connection) -> bool:
    """Whether `sort_citations` has nothing to do."""
    return TARGET_INDEX in _names(connection)


def sort_citations(connection: apsw.Connection) -> None:
    """Make the index that was put off; call it in a write transaction."""
    for statement in INDEXES:
        connection.execute(statement)


_MERGED_AT_ONCE = 500
"""Pages of full text, some 2 MB, that are merged in one turn."""


def merge_texts(connection: apsw.Connection) -> bool:
    """Merge some of the segments that much writing left; whether there may be more to merge.

    Otherwise the 32nd segment has all of them merged at once, while somebody saves a file. Call it
    in a write transaction.
    """
    if not has_full_text(connection):
        return False
    before = connection.total_changes()
    connection.execute(
        "INSERT INTO entries_fts (entries_fts, rank) VALUES ('merge', ?)", (_MERGED_AT_ONCE,)
    )
    return connection.total_changes() - before > 1  # the command itself counts as one


_TEXTLESS = "textless"
"""In ``meta`` once a SQLite without FTS5 has used the file: texts are missing then."""


def has_full_text(connection: apsw.Connection) -> bool:
    """Whether this SQLite has FTS5. Without it everything but full-text search works."""
    try:
        return connection.execute("SELECT fts5_source_id()").fetchone() is not None
    except apsw.SQLError:
        return False


def _is_textless(connection: apsw.Connection) -> bool:
    row = connection.execute("SELECT 1 FROM meta WHERE key = ?", (_TEXTLESS,)).fetchone()
    return row is not None


UNREAD = "?"
"""In ``files.content_hash``: whatever is in the file, it is to be taken for changed. An empty hash
would not do: files that are never opened have one."""
UNWRITTEN = "?"
"""Before a hash in ``entries.embed_hash``: the full-text row is to be written again. What the
hash says of the vector stays true."""


def mark_texts(connection: apsw.Connection, where: str = "1") -> None:
    """Have the next run write the full-text rows of some entries again, and keep their vectors.

    ``where`` is a condition on a row of ``entries``.
    """
    connection.execute(
        f"UPDATE entries SET embed_hash = '{UNWRITTEN}' || embed_hash"
        f" WHERE embed_hash NOT LIKE '{UNWRITTEN}%' AND {where}"
    )


def _names(connection: apsw.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _version(connection: apsw.Connection) -> object:
    row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    return None if row is None else row[0]


def _missing_columns(connection: apsw.Connection, table: Table) -> list[str]:
    present = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
    return [column for column in table.columns if column.split(" ", 1)[0].strip('"') not in present]
