"""The stores of `budge batch` below the folder that was opened: which there are, and what is asked of one.

A store is named by its path from the folder. It is opened for each question and closed again, so that any thread may
ask, and `budge batch` may write meanwhile. Nothing here draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..lab.store import Difference, Filter, Kept, Session, Store, compare_runs, comparison, ordered
from ..models.documents.files import FileError, read_regular
from ..models.errors import UsageError
from ..models.library import files_below
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.events import Progress
from ..views.report import report
from ..workflows.rows import Row, told_apart
from .library import Library, below

ENDINGS = (".sqlite", ".sqlite3", ".db")
"""The endings of the names of stores."""

MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""

MOST_STORES = 200
"""Stores that are listed."""

MOST_RUNS = 20_000
"""The most runs that are shown at a time; if more fit the filter, the latest."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a store, and how its answer is shown. `column`: by which runs are sorted ("": when they ended).

    `label`, `other`: the two sets that are held against each other.
    """

    store: str = ""
    wanted: Filter = field(default_factory=Filter)
    column: str = ""
    descending: bool = True
    label: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """The answer: the sessions and the words to choose from, the runs that fit, how many there are altogether."""

    sessions: tuple[Session, ...]
    words: dict[str, list[str]]
    runs: tuple[Kept, ...]
    fitting: int

    @property
    def labels(self) -> list[str]:
        """The names that select a set of runs: the labels, then the versions and the numbers of the sessions."""
        names = [*(session.label for session in self.sessions), *(session.budge for session in self.sessions)]
        return list(dict.fromkeys([*names, *(str(session.number) for session in self.sessions)]))

    @property
    def rows(self) -> list[Row]:
        return [kept.row for kept in self.runs]


class Stores:
    """The stores below the library's folder."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def names(self) -> list[str]:
        """The stores, by their paths from the folder. (Databases of other programs are found out later.)"""
        stores = []
        for path in files_below(self.library.folder, ENDINGS):
            name = path.relative_to(self.library.folder).as_posix()
            try:
                if read_regular(self.path(name), len(MAGIC)).startswith(MAGIC):
                    stores.append(name)
            except (FileError, UsageError):
                continue  # a link that leads out of the folder, or no file
            if len(stores) >= MOST_STORES:
                break
        return stores

    def path(self, name: str) -> Path:
        """The file of a store. Raises `UsageError` for what is no store's name, or not below the folder."""
        path = below(self.library.folder, name)
        if path.suffix.lower() not in ENDINGS:
            raise UsageError(f"`{name}` is no store: their names end in {' or '.join(ENDINGS)}")
        return path

    def stamp(self, name: str) -> tuple[tuple[int, int], ...]:
        """A value that changes when something is written to a store."""
        path, stamps = self.path(name), []
        for file in (path, path.with_name(f"{path.name}-wal")):
            try:
                state = file.stat()
            except OSError:
                continue
            stamps.append((state.st_mtime_ns, state.st_size))
        return tuple(stamps)

    def answer(self, asked: Question) -> Content:
        """The content of a store. Raises `UsageError`."""
        with Store(self.path(asked.store)) as store:
            runs = asked.wanted.runs(store, MOST_RUNS)
            named = told_apart(kept.row for kept in runs)
            runs = [replace(kept, row=row) for kept, row in zip(runs, named, strict=True)]
            return Content(
                tuple(store.sessions()),
                store.values(),
                tuple(ordered(runs, asked.column, asked.descending)),
                asked.wanted.count(store),
            )

    def difference(self, asked: Question) -> Difference:
        """Two sets of runs side by side. Raises `UsageError`."""
        sides = [replace(asked.wanted, label=label) for label in (asked.label, asked.other)]
        with Store(self.path(asked.store)) as store:
            return compare_runs(store, *sides)

    def rows(self, asked: Question) -> list[Row]:
        """All runs that fit. Raises `UsageError`."""
        with Store(self.path(asked.store)) as store:
            return asked.wanted.rows(store)

    def one(self, name: str, number: int) -> tuple[Kept, str]:
        """A run by its number, and the text of its puzzle. Raises `UsageError`."""
        with Store(self.path(name)) as store:
            text = store.text_of(number)
            return next(iter(store.runs("run = ?", [number]))), text

    def reporting(self, asked: Question) -> Work:
        """Write the report of `budge results --html`; gives its text. For a process of its own."""
        return partial(_report, self.path(asked.store), asked.wanted)


def _report(path: Path, wanted: Filter, _budget: Budget, _progress: Progress) -> str:
    with Store(path) as store:
        return report(comparison(store, wanted.rows(store)))
