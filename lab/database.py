"""An SQLite file that several processes may write, any of which may be killed at any moment (docs/decisions/0018).

Write-ahead mode: when a transaction has ended, `kill -9` loses nothing of it, and others may read and write meanwhile.
(A machine that loses its power may lose the last transactions, never the database.)
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from ..models.errors import UsageError, WriteError

_PROTECTED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_NOT_WRITABLE = (*_PROTECTED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

PATIENCE = 30.0
"""Seconds to wait while another process writes."""


class Database:
    """An open database of one kind. Raises `UsageError` for a file of another kind, or one that cannot be written.

    `version`: of its tables (`PRAGMA user_version`), another one for each kind; `tables`: statements that make them;
    `upgrades`: statements that lead from an older version to the next; `before`: the version that was upgraded, or 0;
    `what`: its name for people; `maker`: the command that makes one.
    """

    version: int
    tables: str
    upgrades: Mapping[int, str] = {}
    what: str
    maker: str

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path, self.before, self._carried = path, 0, time.monotonic()
        if not create and not os.path.isfile(path):
            raise UsageError(f"there is no store {path}; `{self.maker}` makes one")
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

    def _connect(self, database: Path | str, *, uri: bool = False) -> None:
        self._database = sqlite3.connect(database, timeout=PATIENCE, isolation_level=None, uri=uri)
        self._database.row_factory = sqlite3.Row

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
        """Look at every page. Raises `UsageError` for a damaged database, before anything is written to it."""
        if (problem := self._one("PRAGMA integrity_check(1)")[0]) != "ok":
            raise ValueError(problem.splitlines()[-1])

    def _checkpoint(self) -> None:
        """Carry what the log has over into the database, so that a copy of that file alone has it too."""
        self._database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._carried = time.monotonic()

    def _open(self, create: bool) -> None:
        tables = self._one("SELECT count(*) FROM sqlite_master")[0]  # before the version: another process may make them
        version = self._one("PRAGMA user_version")[0]
        known = version == self.version or version in self.upgrades
        if not known and (version or tables or not create):
            self.close()
            raise UsageError(
                f"{self.path} is a database, but not {self.what} of this version of Budge; choose another name"
            )
        if create:
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
        if version != self.version:
            if not create:
                self._copy()
            with self._transaction():  # two processes may come here at once: the second finds all done
                self.before = self._one("PRAGMA user_version")[0]
                self._make(self.before)
            self._checkpoint()

    def _make(self, version: int) -> None:
        """Make the tables, or bring those of an older version up to this one."""
        while version != self.version:
            following, statements = (version + 1, self.upgrades[version]) if version else (self.version, self.tables)
            for statement in statements.split(";"):
                self._database.execute(statement)
            version = following
        self._database.execute(f"PRAGMA user_version = {version}")

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
