"""The stores of `budge batch` below the folder that was opened: which there are, and what is asked of one.

A store is named by its path from the folder. It is opened for each question and closed again, so that any thread may
ask, and `budge batch` may write meanwhile. Nothing here draws.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..lab.store import Filter, Store, comparison
from ..models.documents.files import FileError, read_regular
from ..models.errors import UsageError
from ..models.library import files_below
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.events import Progress
from ..views.report import report
from .library import Library, below

ENDINGS = (".sqlite", ".sqlite3", ".db")
"""The endings of the names of stores."""

MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""

MOST_STORES = 200
"""Stores that are listed."""


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

    def open(self, name: str) -> Store:
        """A store, to be closed again. Raises `UsageError`."""
        return Store(self.path(name))

    def reporting(self, name: str, wanted: Filter) -> Work:
        """Write the report of `budge results --html`; gives its text. For a process of its own."""
        return partial(_report, self.path(name), wanted)


def _report(path: Path, wanted: Filter, _budget: Budget, _progress: Progress) -> str:
    with Store(path) as store:
        return report(comparison(store, wanted.rows(store)))
