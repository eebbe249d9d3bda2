"""Collections of levels in files: XSB (`xsb`) or SLC (`slc`), told apart by what they hold."""

from __future__ import annotations

import re
from pathlib import Path

from ...documents.document import Report
from ...documents.files import FileError, read_whole
from .slc import SlcError, is_slc, read_slc
from .xsb import CollectionLevel, read_collection

MAX_COLLECTION_BYTES = 32 * 1024 * 1024
"""The largest collection that is converted."""


def read_levels(path: Path, limit: int = MAX_COLLECTION_BYTES, name: str = "") -> tuple[list[CollectionLevel], Report]:
    """The levels of a file of at most `limit` bytes, and a report on its lines, named `name` or by its path.

    What is wrong with the text as a whole is in the report; maps are looked at later (`Level.map`). Raises `FileError`
    if the file cannot be read.
    """
    text = read_text(path, limit)
    report = Report(name or str(path), text.split("\n"))
    if not is_slc(text):
        return read_collection(text, sok=path.suffix.lower() == ".sok"), report
    try:
        return read_slc(text), report
    except SlcError as error:
        report.error(error.span, str(error), error.hint)
        return [], report


def read_text(path: Path, limit: int = MAX_COLLECTION_BYTES) -> str:
    """The text of a collection, with `\\n` line ends. Raises `FileError`.

    UTF-8, UTF-16 with a byte order mark, what an XML declaration says, or, as in many old collections, Windows-1252.
    """
    data = read_whole(path, limit)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    declared = re.match(rb"\s*<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.-]+)", data[:200])
    guesses = ("utf-8-sig", *([declared[1].decode("ascii", "replace")] if declared else []), "cp1252", "latin-1")
    for encoding in ("utf-16",) if wide else guesses:
        try:
            text = data.decode(encoding)
        except (UnicodeError, LookupError):  # LookupError: no such encoding, or none of text
            continue
        if "\0" in text:
            raise FileError("it is not a text file")
        return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\x1a")
    raise FileError("it starts like UTF-16 but is not", "save it as UTF-8")


def is_collection(path: Path) -> bool:
    """Whether a file is a collection of levels: by its name, or by a map in it that has a player and a box."""
    try:
        return path.suffix.lower() in (".xsb", ".sok", ".slc") or any(
            not set(rows).isdisjoint("@+pP") and not set(rows).isdisjoint("$*bB")
            for rows in ("".join(level.lines) for level in read_levels(path)[0])
        )
    except FileError:
        return False


NO_LEVEL = "a level is rows of `#` walls, `@` player, `$` boxes, `.` goals; `#` must be in its first row"
"""A hint for files in which no level was found: how levels are written."""
