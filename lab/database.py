"""The SQLite file of a store: its tables, their versions and checksums, and its transactions (docs/decisions/0018).

Several processes may write it, any of which may be killed at any moment.

Write-ahead mode: when a transaction has ended, `kill -9` loses nothing of it, and others may read and write meanwhile.
(A machine that loses its power may lose the last transactions, never the database.)
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from ..models.errors import UsageError, WriteError

_PROTECTED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_NOT_WRITABLE = (*_PROTECTED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

PATIENCE = 30.0
"""Seconds to wait while another process writes."""

# The tables of the store, as SQLite has them. (Statements are divided at semicolons: none in a comment.)

VERSION = 4
"""The version of these tables (`PRAGMA user_version`)."""

NAMES = """
CREATE TABLE IF NOT EXISTS names (              -- equal puzzles may have several
    digest TEXT NOT NULL REFERENCES puzzles,
    name   TEXT NOT NULL,
    file   TEXT NOT NULL,
    PRIMARY KEY (digest, name, file)
);
"""

SEALED = ("sessions", "puzzles", "names", "runs")
"""The tables whose rows have a checksum of their other values, the column `seal`: so a damaged one is found."""

SEALS = "; ".join(f"ALTER TABLE {table} ADD COLUMN seal INTEGER" for table in SEALED)

UPGRADES = {
    1: "ALTER TABLE runs ADD COLUMN seed INTEGER",
    2: f"{NAMES} INSERT OR IGNORE INTO names SELECT digest, name, file FROM puzzles",
    3: SEALS,
}
"""The SQL that turns a store of each older version into the next version."""

CLAIMS = """
CREATE TABLE IF NOT EXISTS claims (             -- what is at work, empty when nothing is
    key     TEXT NOT NULL,                      -- as in `runs`
    label   TEXT NOT NULL,                      -- of a session with --again, else empty
    session INTEGER NOT NULL,
    pid     INTEGER NOT NULL,                   -- the process, and when it began: a dead one claims nothing
    began   REAL NOT NULL,
    PRIMARY KEY (key, label)
)
"""
"""The table of runs that sessions have claimed; it is made in stores of every version, and only writing needs it."""

TABLES = f"""{NAMES}
CREATE TABLE IF NOT EXISTS sessions (           -- one for each `budge batch`
    session     INTEGER PRIMARY KEY,
    label       TEXT NOT NULL,                  -- --label, or the version of Budge
    budge       TEXT NOT NULL,                  -- the version
    date        TEXT NOT NULL,                  -- UTC, ISO 8601, of its beginning
    command     TEXT NOT NULL,
    executor    TEXT NOT NULL,                  -- `2 cores`, or the address of a scheduler
    jobs        INTEGER NOT NULL,               -- runs at once
    environment TEXT NOT NULL                   -- JSON: machine, system, versions of libraries
);

CREATE TABLE IF NOT EXISTS puzzles (
    digest      TEXT PRIMARY KEY,               -- a hash of the content, not of the title
    family      TEXT NOT NULL,
    name        TEXT NOT NULL,                  -- the first: `names` has all
    file        TEXT NOT NULL,
    text        TEXT NOT NULL                   -- the puzzle file
);

CREATE TABLE IF NOT EXISTS runs (
    run            INTEGER PRIMARY KEY,
    session        INTEGER NOT NULL REFERENCES sessions,
    key            TEXT NOT NULL,               -- a hash of what was run, with its limits
    digest         TEXT NOT NULL REFERENCES puzzles,
    metric         TEXT NOT NULL,
    engine         TEXT NOT NULL,
    options        TEXT NOT NULL,               -- `strategy=linear workers=1`, without the seed
    repetition     INTEGER NOT NULL,
    time_limit     REAL,                        -- seconds
    memory_limit   INTEGER,                     -- MiB
    date           TEXT NOT NULL,               -- UTC, ISO 8601, of its end
    status         TEXT NOT NULL,
    cost           TEXT,                        -- of the plan by the rules: JSON, a number for each component
    lower_bound    TEXT,
    upper_bound    TEXT,
    lower_bound_by TEXT NOT NULL,               -- what proved it
    stopped_by     TEXT,
    seconds        REAL NOT NULL,
    ground_seconds REAL, encode_seconds REAL, solve_seconds REAL, other_seconds REAL,
    memory_mib     REAL NOT NULL,
    stats          TEXT NOT NULL,               -- JSON: counts
    plan           TEXT,                        -- JSON: its steps in the family's notation
    history        TEXT NOT NULL,               -- JSON: [[seconds, lower bound, cost of the best plan], ...]
    error          TEXT,
    contradicts    TEXT,
    seed           INTEGER                      -- the engine's option `seed`, NULL where none was given
);

CREATE INDEX IF NOT EXISTS runs_by_question ON runs (digest, metric, engine, options, repetition);
CREATE INDEX IF NOT EXISTS runs_by_session ON runs (session);
{SEALS}"""


class Database:
    """An open database of experiments. Raises `UsageError` for another file, or one that cannot be written.

    `before`: the version that was upgraded, or 0.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path, self.before, self._carried = path, 0, time.monotonic()
        if not create and not os.path.isfile(path):
            raise UsageError(f"there is no store {path}; `budge batch` makes one")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"cannot make the store {path}: there is no folder {path.parent}")
        with self._read():
            self._connect(path)
            try:
                self._open(create)
            except sqlite3.OperationalError as error:
                if create or error.sqlite_errorcode & 0xFF not in _PROTECTED:
                    raise
                self._open_to_read()
            self._check()
        if create:
            with self._told(), self._transaction():
                self._database.execute(CLAIMS)

    def _connect(self, database: Path | str, *, uri: bool = False) -> None:
        self._database = sqlite3.connect(database, timeout=PATIENCE, isolation_level=None, uri=uri)
        self._database.row_factory = sqlite3.Row
        self._database.create_function("checksum", -1, _checksum, deterministic=True)

    def _open_to_read(self) -> None:
        """Open a store in a place that cannot be written.

        Where the log of write-ahead mode is empty, nobody is writing: then no file is needed beside the store.
        """
        self.close()
        log = f"{self.path}-wal"
        mode = "mode=ro" if os.path.exists(log) and os.path.getsize(log) else "immutable=1"
        self._connect(f"{self.path.absolute().as_uri()}?{mode}", uri=True)
        self._open(False)

    def _copy(self) -> None:
        """Go on with a copy in memory: who only reads a store of an older version does not change it."""
        with closing(self._database) as original:
            self._connect(":memory:")
            original.backup(self._database)

    def _check(self) -> None:
        """Look at every page and row. Raises `ValueError` for what is damaged, before anything is written."""
        if (problem := self._one("PRAGMA integrity_check(1)")[0]) != "ok":
            raise ValueError(problem.splitlines()[-1])
        for table in SEALED:
            if damaged := self._one(f"SELECT rowid FROM {table} WHERE seal IS NOT {self._sealed(table)} LIMIT 1"):
                raise ValueError(f"row {damaged[0]} of {table}")

    def _sealed(self, table: str) -> str:
        """The checksum of a row's values, as an expression in SQL."""
        names = self._database.execute("SELECT name FROM pragma_table_info(?) WHERE name != 'seal'", (table,))
        return f"checksum({', '.join(name for (name,) in names)})"

    def _checkpoint(self) -> None:
        """Carry what the log has over into the database, so that a copy of that file alone has it too."""
        self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._carried = time.monotonic()

    def _open(self, create: bool) -> None:
        tables = self._one("SELECT count(*) FROM sqlite_master")[0]  # before the version: another process may make them
        version = self._one("PRAGMA user_version")[0]
        known = version == VERSION or version in UPGRADES
        if not known and (version or tables or not create):
            self.close()
            raise UsageError(
                f"{self.path} is a database, but not a store of experiments of this version of Budge; "
                "choose another name"
            )
        if create:
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
        if version != VERSION:
            if not create:
                self._copy()
            with self._transaction():  # two processes may come here at once: the second finds all done
                self.before = self._one("PRAGMA user_version")[0]
                self._make(self.before)
            self._checkpoint()

    def _make(self, version: int) -> None:
        """Make the tables, or bring those of an older version up to this one."""
        while version != VERSION:
            following, statements = (version + 1, UPGRADES[version]) if version else (VERSION, TABLES)
            for statement in statements.split(";"):
                self._database.execute(statement)
            version = following
        self._database.execute(f"PRAGMA user_version = {version}")
        for table in SEALED:
            self._database.execute(f"UPDATE {table} SET seal = {self._sealed(table)}")

    def _insert(self, table: str, values: Mapping[str, Any], or_else: str = "ABORT") -> int:
        """Write a row with its checksum; its number. `or_else`: what to do about a row with the same key, as in SQL."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        statement = f"INSERT OR {or_else} INTO {table} ({names}) VALUES ({marks})"
        cursor = self._database.execute(statement, tuple(values.values()))
        if cursor.rowcount:
            statement = f"UPDATE {table} SET seal = {self._sealed(table)} WHERE rowid = ?"
            self._database.execute(statement, (cursor.lastrowid,))
        return int(cursor.lastrowid or 0)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A context in which an error of SQLite becomes a `UsageError` that names the file of the store."""
        try:
            yield
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_WRITABLE
            raise (WriteError if full else UsageError)(f"cannot use the store {self.path}: {error}") from None

    @contextmanager
    def _read(self) -> Iterator[None]:
        """A context in which errors of SQLite, and damaged values, become a `UsageError` that names the store."""
        with self._told():
            try:
                yield
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                hint = f"`sqlite3 {self.path} .recover` saves what can be read"
                raise UsageError(f"cannot use the store {self.path}: it is damaged ({error!r}); {hint}") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _one(self, statement: str, values: Iterable[Any] = ()) -> Any:
        with closing(self._database.execute(statement, tuple(values))) as cursor:
            return cursor.fetchone()

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _checksum(*values: Any) -> int:
    return zlib.crc32(repr(values).encode())
