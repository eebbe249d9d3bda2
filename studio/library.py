"""The puzzles that the studio offers: the shipped ones, the files below the folder that was opened, and unsaved texts.

A puzzle has a key: `shipped:rush_hour/bird-1`, `file:levels/first.yaml`, or `draft:NAME` for a text that is in no file
yet. Files are read and written below the folder only, and none is overwritten unless that is asked for.

A problem in PDDL is opened with its domain, as the text of a puzzle file that holds both. What is changed of it is
saved as such a file, `p01.pddl.yaml`: no file of PDDL is written.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import stat
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..models.documents.document import parse
from ..models.documents.files import FileError, inside, read_regular, write_whole
from ..models.errors import BudgeError, PuzzleError, UsageError
from ..models.families import families, load_text, read_puzzle
from ..models.families.pddl.files import ENDING as PDDL
from ..models.families.pddl.files import files_of, is_pddl
from ..models.library import ENDINGS, load, puzzles_below, shipped
from ..models.puzzle import Puzzle
from ..models.text import cut
from .kept import DRAFT, KeptTexts, Unsaved, digest, new_key, place_for
from .reading import MAX_TEXT, Helper
from .shown import card

SHIPPED, FILE = "shipped:", "file:"

MOST_FILES = 2000
"""Files of the folder that are listed."""

HEAD_BYTES = 4096
"""Bytes of a file that are read for its card before the whole file is."""

HEAD = re.compile(r"^(name|family): *([^#\n]*)", re.MULTILINE)
"""The lines of a text that its card shows: `name` and `family`."""

BOM = b"\xef\xbb\xbf"
"""The byte order mark with which some programs begin a file in UTF-8."""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A puzzle of the library: what its card says. `problem`: why it cannot be used, else empty; `reading`: it has not
    been read yet, so that only what stands in its first lines is known.

    `known`: the optima that its file says; `cost`: the one in its own `metric`; `stamp`: another one for another text.
    """

    key: str
    title: str = ""
    family: str = ""
    known: str = ""
    size: str = ""
    problem: str = ""
    metric: str = ""
    cost: int | None = None
    digest: str = ""
    stamp: str = ""
    reading: bool = False


def below(folder: Path, name: str) -> Path:
    """The file at a path below a folder. Raises `UsageError` if the path leads out or cannot be shown."""
    try:
        name.encode()  # names of files may hold bytes that are no UTF-8
        return inside(folder, name)
    except UnicodeEncodeError:
        raise UsageError(f"{cut(ascii(name), 60)} cannot be opened: its name is not in UTF-8") from None
    except FileError as error:
        raise UsageError(f"`{cut(name, 60)}` cannot be opened: {error.reason}") from None


class Library:
    """The puzzles of the studio: the shipped ones, the files below a folder, and unsaved texts."""

    def __init__(self, folder: Path, helper: Helper | None = None) -> None:
        self.folder = folder.resolve()
        self._helper = helper
        self._kept = KeptTexts(place_for(self.folder))
        self._cards: dict[Path, tuple[str, dict[str, Any]]] = {}  # with the stamp of the file as it was read
        self._states: dict[str, tuple[Any, str]] = {}
        self._reading: threading.Thread | None = None
        self.lock = threading.RLock()

    @property
    def id(self) -> str:
        """The identity of the opened folder in a browser, whatever the port."""
        return self._kept.place.name

    # Files

    def path(self, key: str) -> Path:
        """The file of a key; for a draft, the name that a file of the folder could have. Raises `UsageError`."""
        if key.startswith(SHIPPED):
            file = shipped().get(key.removeprefix(SHIPPED))
            if file is None:
                raise UsageError(f"there is no shipped puzzle `{cut(key.removeprefix(SHIPPED), 60)}`")
            return file
        if key.startswith(FILE):
            return self._below(key.removeprefix(FILE))
        if key.startswith(DRAFT):
            return self.folder / "draft.yaml"
        raise UsageError(f"there is no puzzle `{cut(key, 60)}`: choose one in the library")

    def name(self, key: str) -> str:
        """The name of a text in messages, as `budge check` would show it."""
        return key.partition(":")[2] if key.startswith((SHIPPED, FILE)) else "draft.yaml"

    def _below(self, name: str) -> Path:
        path = below(self.folder, name)
        if not name.lower().endswith((*ENDINGS, PDDL)) or any(part.startswith(".") for part in Path(name).parts):
            endings = " or ".join((*ENDINGS, PDDL))
            raise UsageError(f"`{name}` is no puzzle file: the studio opens names that end in {endings}")
        return path

    def read(self, key: str) -> str:
        """The text of a puzzle as it is stored. Raises `UsageError`."""
        if key.startswith(DRAFT):
            raise UsageError("this text is not kept any more")
        if is_pddl(key):
            return self._pair(key).to_yaml()
        return _text_of(self._bytes(self.path(key), self.name(key)), self.name(key))

    def _pair(self, key: str) -> Puzzle:
        """The puzzle of a problem in PDDL and of the domain beside it."""
        try:
            return load(self.path(key))
        except PuzzleError as error:
            raise UsageError(str(error)) from None

    def _bytes(self, path: Path, name: str) -> bytes:
        try:
            data = read_regular(path, MAX_TEXT)
        except FileError as error:
            raise UsageError(f"`{cut(name, 60)}` cannot be read: {error.reason}") from None
        if len(data) > MAX_TEXT:
            raise UsageError(f"`{name}` is larger than {MAX_TEXT:,} bytes; use the command line")
        return data

    def save(self, name: str, text: str, overwrite: bool = False) -> str:
        """Write a text to a file below the folder; gives its key. Raises `UsageError`, and `FileExistsError` for a file
        with another text that was not said to be overwritten.

        A file that is there keeps its permissions, its line ends and its byte order mark.
        """
        name = name.strip() + ("" if name.strip().lower().endswith(ENDINGS) else ".yaml")
        path = self._below(name)
        try:
            data, mode = text.encode(), None
            if path.exists():
                before, mode = self._bytes(path, name), stat.S_IMODE(path.stat().st_mode)
                data = _as_before(data, before)
                if not overwrite and before != data:
                    raise FileExistsError(name)
                if not os.access(path, os.W_OK):
                    raise UsageError(f"`{name}` may not be written to: its permissions say so")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data, mode)
        except (OSError, ValueError) as error:  # ValueError: characters that no name or file can have
            if isinstance(error, FileExistsError) and error.errno is None:
                raise
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"`{cut(name, 60)}` cannot be written: {why}") from None
        return FILE + path.relative_to(self.folder).as_posix()

    # Texts that are in no file, or not as they are there

    def keep(self, key: str, text: str, base: str = "") -> bool:
        """Keep a text that is not saved, made from the file's text with the digest `base`, for when the page is opened
        again; whether it is safe on the disk. A text that is that of its file is not kept.
        """
        with self.lock:
            if not key.startswith(DRAFT) and text == self.stored(key):
                self._kept.drop(key)
                return True
            before = self._kept.get(key)
            return self._kept.keep(Unsaved(key, text, base, origin=before.origin if before else ""))

    def drop(self, key: str) -> None:
        """Forget the unsaved text of a key, so that its file counts again."""
        with self.lock:
            self._kept.drop(key)

    def revision(self, key: str) -> str:
        """The identity of the unsaved text of a key, also after a new start; "" without one."""
        unsaved = self._kept.get(key)
        return digest(unsaved.text)[:16] if unsaved else ""

    def overtaken(self, key: str, revision: str, text: str) -> bool:
        """Whether another tab has changed the text of a key since this tab saw `revision`, and has another text now."""
        return self.revision(key) not in ("", revision, digest(text)[:16])

    def state(self, key: str) -> dict[str, Any]:
        """What a page has to know to see that another tab or program has changed a text."""
        try:
            stamp: Any = _stamp(self.path(key))
        except (UsageError, OSError):
            stamp = None
        known, base = self._states.get(key, ("", ""))
        if known != stamp:
            base = digest(self.stored(key))
            self._states[key] = stamp, base
        return {"key": key, "revision": self.revision(key), "base": base}

    def text(self, key: str) -> str:
        """The text of a key: the unsaved one if there is one, else that of its file. Raises `UsageError`."""
        draft = self.draft(key)
        return self.read(key) if draft is None else draft

    def stored(self, key: str) -> str | None:
        """The text in the file of a key; None if it cannot be read."""
        try:
            return self.read(key)
        except UsageError:
            return None

    def draft(self, key: str) -> str | None:
        """The unsaved text of a key; None without one, or if its file has changed since the text was made from it."""
        unsaved = self._kept.get(key)
        return None if unsaved is None or self._strange(unsaved) else unsaved.text

    def set_aside(self, key: str) -> str | None:
        """Make the unsaved text of a key a draft of its own if its file has another text by now: it is offered, and
        never put in its place. Gives the draft's key.
        """
        with self.lock:
            unsaved = self._kept.get(key)
            if unsaved is None or not self._strange(unsaved):
                return None
            draft = self.new_draft(unsaved.text, self.name(key), untouched=False)
            self.drop(key)
            return draft

    def _strange(self, unsaved: Unsaved) -> bool:
        now = None if unsaved.key.startswith(DRAFT) else self.stored(unsaved.key)
        return now is not None and digest(now) != unsaved.base

    def shelf(self) -> list[Unsaved]:
        """All unsaved texts, the latest change first."""
        with self.lock:
            return self._kept.all()

    def new_draft(self, text: str, origin: str = "", untouched: bool = True) -> str:
        """Keep a text of no file; gives its key: that of a draft with this text, if there is one."""
        with self.lock:
            drafts = (draft for draft in self._kept.all() if draft.key.startswith(DRAFT) and draft.text == text)
            same = next(drafts, None)
            if same is not None and (untouched or not same.untouched):
                return same.key
            key = new_key() if same is None else same.key
            self._kept.keep(Unsaved(key, text, untouched=untouched, origin=origin))
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
        return self.new_draft(text)

    # Entries

    def keys(self) -> list[str]:
        """The keys of all puzzles: the folder's, then the shipped ones."""
        files = []
        for path in puzzles_below(self.folder):
            files.append(FILE + path.relative_to(self.folder).as_posix())
            if len(files) >= MOST_FILES:
                break
        return files + [SHIPPED + name for name in shipped()]

    def first(self) -> str | None:
        """The first puzzle of the folder; None without one."""
        key = next(iter(self.keys()), "")
        return key if key.startswith(FILE) else None

    def entries(self, wait: bool = False) -> list[LibraryEntry]:
        """All puzzles, as their cards show them: the folder's, then the shipped ones by family, and in each from
        short solutions to long ones. Files that have changed are read again, by and by, unless one is to `wait`.
        """
        listed = self._listed()
        if unread := [entry.key for entry in listed if entry.reading]:
            with self.lock:
                if self._reading is None or not self._reading.is_alive():
                    self._reading = threading.Thread(target=self._read_all, args=(unread,), daemon=True)
                    self._reading.start()
            if wait:
                self._reading.join()
                listed = self._listed()
        order = {name: number for number, name in enumerate(families())}

        def place(entry: LibraryEntry) -> tuple[float, float]:
            if not entry.key.startswith(SHIPPED):
                return -1, 0
            return order.get(entry.family, 0), math.inf if entry.cost is None else entry.cost

        return sorted(listed, key=place)

    def _listed(self) -> list[LibraryEntry]:
        return [entry for key in self.keys() if (entry := self._entry(key)) is not None]

    def _entry(self, key: str) -> LibraryEntry | None:
        """The card of a puzzle as far as it is known; None for what is no file (any more)."""
        try:
            path = self.path(key)
            stamp = _stamp(path)
        except (UsageError, OSError):
            return None  # a link that leads out of the folder, or a file that has just gone
        read, about = self._cards.get(path, ("", {}))
        if read != stamp:
            head = _head(path)
            return LibraryEntry(
                key, head.get("name") or self.name(key), head.get("family", ""), stamp=stamp, reading=True
            )
        return LibraryEntry(key, **{"title": self.name(key), **about}, stamp=stamp)

    def _read_all(self, keys: Sequence[str]) -> None:
        """Read files for their cards, one after the other."""
        for key in keys:
            if self._helper is not None and self._helper.closed:
                return
            with contextlib.suppress(UsageError, OSError):  # a file that has just gone
                path = self.path(key)
                self._cards[path] = _stamp(path), self._card(path)

    def _card(self, path: Path) -> dict[str, Any]:
        work = partial(card, path)
        try:
            about: dict[str, Any] = self._helper.told(work, "reading it") if self._helper else work()
        except BudgeError as error:  # it takes too long, or ends the process
            about = {"problem": str(error)}
        return about

    def puzzle(self, key: str) -> Puzzle:
        """The puzzle of a key, with its unsaved text if there is one. Raises `BudgeError`."""
        text, path = self.draft(key), self.path(key)
        if text is None and key.startswith((SHIPPED, FILE)):
            return load(path)
        return read_puzzle(parse(self.read(key) if text is None else text, self.name(key), path))


def unsaved_json(unsaved: Unsaved) -> dict[str, Any]:
    """The card of an unsaved text."""
    said = said_in(unsaved.text)
    about = {"title": said.get("name") or "no name", "family": said.get("family", "")}
    more = {"changed": unsaved.changed, "origin": unsaved.origin, "stamp": digest(unsaved.text)[:16]}
    return {"key": unsaved.key, **about, **more}


def _stamp(path: Path) -> str:
    """A value that changes with the file, or either file of PDDL. Raises `OSError`."""
    files = [file.stat() for file in files_of(str(path)) or (path,)]
    return "-".join(f"{file.st_mtime_ns:x}.{file.st_size:x}" for file in files)


def _head(path: Path) -> dict[str, str]:
    """The name and the family that stand in the first lines of a file."""
    try:
        text = read_regular(path, HEAD_BYTES - 1).decode("utf-8-sig", "replace")
    except FileError:
        return {}
    return said_in(text)


def said_in(text: str) -> dict[str, str]:
    """The name and the family in a text that is not read as a puzzle: it may have problems."""
    return {name: value.strip("\"' ") for name, value in HEAD.findall(text)}


def _text_of(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise UsageError(f"`{name}` is not in UTF-8: save it as UTF-8 first, so that nothing of it is lost") from None


def _as_before(data: bytes, before: bytes) -> bytes:
    """A text as bytes with the line ends and the byte order mark of the file that it replaces."""
    ends = b"\r\n" if b"\r\n" in before else b"\r" if b"\r" in before and b"\n" not in before else b"\n"
    return (BOM if before.startswith(BOM) else b"") + data.replace(b"\n", ends)
