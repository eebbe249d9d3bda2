"""The store of what was seen: boards with their grades, and pieces of work that are done (docs/generating.md).

A grade is a function of the board alone, and a piece of work (a unit of the search, the finishing of a board) one of
what it was given. So what is known takes the place of doing it again, and what comes out is the same with and without
a store, whoever has filled it.

The process that searches writes, a transaction for each piece of work. Workers on its machine only look boards up.
Nobody keeps the database open: SQLite forbids a process that has it open to fork (https://sqlite.org/howtocorrupt.html,
section 2.6), and that is how workers begin.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..version import __version__
from ..workflows.database import Database
from .maker import Graded, Maker

VERSION = 101
"""Of these tables: `PRAGMA user_version`. (From 101 to 199: stores of boards.)"""

RECIPE = 1
"""To be raised when grades, or what comes of a seed, change: what was found by another recipe is not taken over."""

TABLES = """
CREATE TABLE IF NOT EXISTS boards (
    board   BLOB PRIMARY KEY,       -- a hash of the least of its mirror images
    optimum INTEGER,                -- at the hardest start of its component. NULL: no grade
    states  INTEGER,                -- of its component
    start   TEXT                    -- that start, NULL if it is the board itself
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS work (   -- units of the search, and boards that were finished
    work    BLOB PRIMARY KEY,       -- a hash of all that it depends on
    kind    TEXT NOT NULL,          -- `unit` or `finish`
    result  TEXT NOT NULL           -- JSON
) WITHOUT ROWID;
"""

Grade = tuple[bytes, int | None, int | None, str | None]
"""A line of the table `boards`: a board and its grade."""


def digest(*parts: Any) -> bytes:
    """A hash of texts and numbers."""
    return hashlib.sha256(json.dumps(parts).encode()).digest()[:16]


def work_key(maker: Maker, kind: str, *parts: Any) -> bytes:
    """The key of a piece of work for a maker; `parts` are what it depends on besides."""
    return digest(RECIPE, __version__, repr(maker), kind, *parts)


class Seen(Database):
    """An open store of boards. Raises `UsageError` for a file that is not a store, or cannot be written."""

    version, tables = VERSION, TABLES
    what, maker = "a store of boards", "budge generate --store"

    def results(self, keys: Iterable[bytes]) -> dict[bytes, Any]:
        """The results of those pieces of work that are done."""
        wanted = list(keys)
        marks = ", ".join("?" * len(wanted))
        with self._read():
            lines = self._database.execute(f"SELECT work, result FROM work WHERE work IN ({marks})", wanted).fetchall()
            return {line["work"]: json.loads(line["result"]) for line in lines}

    def add(self, boards: Sequence[Grade], key: bytes | None = None, kind: str = "", result: Any = None) -> None:
        """Store grades and, with a `key`, the result of a piece of work. They are on the disk when this returns."""
        with self._told(), self._transaction():
            self._database.executemany("INSERT OR IGNORE INTO boards VALUES (?, ?, ?, ?)", boards)
            if key is not None:
                values = (key, kind, json.dumps(result))
                self._database.execute("INSERT OR IGNORE INTO work VALUES (?, ?, ?)", values)

    def count(self) -> int:
        """The number of boards."""
        with self._told():
            return int(self._one("SELECT count(*) FROM boards")[0])


class Grader:
    """Grades boards for a unit of the search, each once: what it has met, or finds in a store, is not graded again.

    Whatever is known, the grades are the same: those of canonical boards. `seen` boards were asked for, `known` of them
    were in the store; `new` are the grades that were not.
    """

    def __init__(self, maker: Maker, store: str | None) -> None:
        self.maker, self.store = maker, store
        self.seen = self.known = 0
        self.new: dict[bytes, Grade] = {}

    def grade(self, board: Any) -> Graded | None:
        """The grade that the maker gives to the canonical form of a board; None if the board does not fit."""
        self.seen += 1
        if not self.maker.fits(board):
            return None
        text, board = self.maker.canonical(board)
        key = digest(RECIPE, self.maker.grading, text)
        if (line := self.new.get(key)) is not None:
            return self._graded(board, line)
        if self.store is not None and (line := _looked_up(self.store, key)) is not None:
            self.known += 1
            return self._graded(board, line)
        graded = self.maker.grade(board)
        if graded is not None:
            start = None if graded.board == board else self.maker.to_text(graded.board)
            self.new[key] = key, graded.optimum, graded.states, start
        elif self.maker.sure:
            self.new[key] = key, None, None, None
        return graded

    def _graded(self, board: Any, line: Grade) -> Graded | None:
        _, optimum, states, start = line
        if optimum is None or states is None:
            return None
        return Graded(board if start is None else self.maker.from_text(start), optimum, states)


def _looked_up(store: str, key: bytes) -> Grade | None:
    """The grade of a board in the store, as a worker reads it; None if it is not there, or cannot be read now."""
    with suppress(sqlite3.Error):
        found: Grade | None = _opened(store).execute("SELECT * FROM boards WHERE board = ?", (key,)).fetchone()
        return found
    return None


@lru_cache(maxsize=1)
def _opened(store: str) -> sqlite3.Connection:
    """The store, to be read by this process from now on."""
    return sqlite3.connect(f"{Path(store).absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
