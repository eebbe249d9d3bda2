"""The puzzles that the studio offers: the shipped ones, and the files below the folder that was opened.

A puzzle has a key: `shipped:rush_hour/bird-1`, `file:levels/first.yaml`, or `draft:NAME` for a text that is in no file
yet. Files are read and written below the folder only, and none is overwritten unless that is asked for.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ..models.documents.document import parse
from ..models.documents.files import FileError, inside, read_regular
from ..models.errors import BudgeError, UsageError
from ..models.families import families, load_file, load_text, read_puzzle
from ..models.library import ENDINGS, files_below, shipped
from ..models.puzzle import Puzzle
from ..views.text import expectation
from .reading import MAX_TEXT

SHIPPED, FILE, DRAFT = "shipped:", "file:", "draft:"

MOST_FILES = 2000
"""Files of the folder that are listed."""

MOST_DRAFTS = 200
"""Texts that are kept for tabs that come back."""


def address(key: str) -> str:
    """Where a puzzle is opened."""
    return f"/?open={quote(key, safe=':/')}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A puzzle of the library: what its card says. `problem`: why it cannot be used, else empty."""

    key: str
    title: str
    family: str
    known: str
    size: str
    problem: str = ""

    def matches(self, words: str) -> bool:
        """Whether all of some words are in what the card says."""
        text = f"{self.key} {self.title} {self.family} {self.known}".lower().replace("_", "-")
        return all(word in text for word in words.lower().replace("_", "-").split())


class Library:
    """The shipped puzzles and those below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._drafts: dict[str, str] = {}
        self._revisions: dict[str, tuple[int, float]] = {}
        self._entries: dict[tuple[str, int, int], Entry] = {}
        self._lock = threading.Lock()
        self._last = 0

    # Files

    def path(self, key: str) -> Path | None:
        """The file of a key; of a draft, the one beside which it would stand. Raises `UsageError`."""
        if key.startswith(SHIPPED):
            found = shipped().get(key.removeprefix(SHIPPED))
            if found is None:
                raise UsageError(f"there is no shipped puzzle `{key.removeprefix(SHIPPED)}`")
            return found
        if key.startswith(FILE):
            return self._below(key.removeprefix(FILE))
        return self.folder / "draft.yaml"

    def name(self, key: str) -> str:
        """What messages call the text of a key: as `budge check` does."""
        return key.split(":", 1)[1] if not key.startswith(DRAFT) else "draft.yaml"

    def _below(self, name: str) -> Path:
        try:
            path = inside(self.folder, name)
        except FileError as error:
            raise UsageError(f"`{name}` cannot be opened: {error.reason}") from None
        if path.suffix.lower() not in ENDINGS or any(part.startswith(".") for part in Path(name).parts):
            raise UsageError(f"`{name}` is no puzzle file: the studio opens names that end in {' or '.join(ENDINGS)}")
        return path

    def read(self, key: str) -> str:
        """The text of a puzzle as it is stored. Raises `UsageError`."""
        if key.startswith(DRAFT):
            raise UsageError("this text is not kept any more")
        path = self.path(key)
        assert path is not None
        try:
            data = read_regular(path, MAX_TEXT)
        except FileError as error:
            raise UsageError(f"`{self.name(key)}` cannot be read: {error.reason}") from None
        if len(data) > MAX_TEXT:
            raise UsageError(f"`{self.name(key)}` is larger than {MAX_TEXT:,} bytes; use the command line")
        return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def save(self, name: str, text: str, overwrite: bool = False) -> str:
        """Write a text to a file below the folder; gives its key. Raises `UsageError`, and `FileExistsError` for a file
        with another text that was not said to be overwritten.
        """
        name = name.strip() + ("" if name.strip().lower().endswith(ENDINGS) else ".yaml")
        path = self._below(name)
        if path.exists() and not overwrite and path.read_bytes() != text.encode():
            raise FileExistsError(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("wb", dir=path.parent, suffix=".part", delete=False) as part:
                part.write(text.encode())
            os.chmod(part.name, 0o644)
            os.replace(part.name, path)
        except OSError as error:
            raise UsageError(f"`{name}` cannot be written: {error.strerror}") from None
        return FILE + path.relative_to(self.folder).as_posix()

    # Drafts: texts that are in no file, or not as they are

    def keep(self, key: str, text: str) -> int:
        """Keep a text that is not saved, so that a tab that comes back finds it; gives its revision."""
        with self._lock:
            self._drafts.pop(key, None)
            self._drafts[key] = text
            for old in list(self._drafts)[: max(0, len(self._drafts) - MOST_DRAFTS)]:
                del self._drafts[old]
            return self._revised(key)

    def drop(self, key: str) -> int:
        """Forget the unsaved text of a key, for that of its file; gives the revision."""
        with self._lock:
            self._drafts.pop(key, None)
            return self._revised(key)

    def _revised(self, key: str) -> int:
        number = self._revisions.get(key, (0, 0.0))[0] + 1
        self._revisions[key] = number, time.time()
        return number

    def revision(self, key: str) -> tuple[int, float]:
        """The number of the text of a key, which every change makes larger, and when that was (seconds since 1970)."""
        return self._revisions.get(key, (0, 0.0))

    def text(self, key: str) -> str:
        """The text of a key: the unsaved one if there is one, else that of its file. Raises `UsageError`."""
        draft = self.draft(key)
        return self.read(key) if draft is None else draft

    def draft(self, key: str) -> str | None:
        """The unsaved text of a key."""
        return self._drafts.get(key)

    def new_draft(self, text: str) -> str:
        """Keep a text of no file; gives its key."""
        with self._lock:
            self._last += 1
            key = f"{DRAFT}{self._last}"
        self.keep(key, text)
        return key

    def key_of(self, file: str, text: str) -> str:
        """Under which key a puzzle that came from a file is opened: that of the file, if it is in the library and still
        is the same puzzle, else that of a draft with the text. Raises `BudgeError` for a text that is no puzzle.
        """
        digest = load_text(text, file).digest
        here = (self.folder / file).resolve()
        own = [FILE + here.relative_to(self.folder).as_posix()] if here.is_relative_to(self.folder) else []
        own += [SHIPPED + name for name, path in shipped().items() if str(path) == file]
        for key in own:
            with contextlib.suppress(BudgeError):
                if self.puzzle(key).digest == digest:
                    return key
        with self._lock:
            kept = next((key for key, draft in self._drafts.items() if key.startswith(DRAFT) and draft == text), None)
        return self.new_draft(text) if kept is None else kept

    # Entries

    def keys(self) -> list[str]:
        """The keys of all puzzles: the folder's, then the shipped ones."""
        files = []
        for path in files_below(self.folder, ENDINGS):
            files.append(FILE + path.relative_to(self.folder).as_posix())
            if len(files) >= MOST_FILES:
                break
        return files + [SHIPPED + name for name in shipped()]

    def entries(self) -> list[Entry]:
        """All puzzles, as their cards show them: the folder's, then the shipped ones, family by family. Files that have
        not changed are not read again.
        """
        found = [entry for key in self.keys() if (entry := self._entry(key)) is not None]
        order = {name: number for number, name in enumerate(families())}
        return sorted(found, key=lambda one: order.get(one.family, 0) if one.key.startswith(SHIPPED) else -1)

    def _entry(self, key: str) -> Entry | None:
        try:
            path = self.path(key)
            assert path is not None
            found = path.stat()
        except (UsageError, OSError):
            return None  # a link that leads out of the folder, or a file that has just gone
        known = key, found.st_mtime_ns, found.st_size
        if known not in self._entries:
            self._entries[known] = self._described(key, path)
        return self._entries[known]

    def _described(self, key: str, path: Path) -> Entry:
        title = self.name(key)
        try:
            puzzle = load_file(path)
        except BudgeError as error:
            return Entry(key, title, "", "", "", str(error).split("\n")[0])
        return Entry(key, puzzle.header.name, puzzle.family, expectation(puzzle), size_of(puzzle))

    def puzzle(self, key: str) -> Puzzle:
        """The puzzle of a key, with its unsaved text if there is one. Raises `BudgeError`."""
        text = self.draft(key)
        path = self.path(key)
        if text is None and path is not None:
            return load_file(path)
        return read_puzzle(parse(text or "", self.name(key), path))


def size_of(puzzle: Puzzle) -> str:
    """`6x6, 10 vehicles`."""
    rows = puzzle.board()
    counts = f", {puzzle.record.counts(puzzle.value)}" if puzzle.record.counts else ""
    return f"{max(map(len, rows), default=0)}×{len(rows)}{counts}"
