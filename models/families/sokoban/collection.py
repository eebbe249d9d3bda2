"""Collections of levels in files: XSB (`xsb`) or SLC (`slc`), told apart by what they hold."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from ...documents.compose import Span
from ...documents.document import Report
from ...documents.files import FileError, read_whole
from .xsb import CollectionLevel, read_collection

# SLC, the XML format of Sokoban collections.
#
#     <SokobanLevels>
#       <Title>Two rooms</Title>
#       <LevelCollection Copyright="N. N.">
#         <Level Id="Room" Width="5" Height="3">
#           <L>#####</L>
#           <L>#@$.#</L>
#           <L>#####</L>
#         </Level>
#       </LevelCollection>
#     </SokobanLevels>
#
# The parser is the standard library's expat. Collections name a document type (`<!DOCTYPE SokobanLevels SYSTEM
# ...>`), which is never fetched. A part of it in the file itself, `[ ... ]`, is refused, and with it every entity of
# one's own: they are how XML texts of a few bytes become gigabytes, or contain other files. The format needs none.


class SlcError(ValueError):
    """The error for a text that is not XML, or whose document type declares something (`[ ... ]`): place and remedy."""

    def __init__(self, span: Span, message: str, hint: str) -> None:
        super().__init__(message)
        self.span, self.hint = span, hint


def is_slc(text: str) -> bool:
    """Whether a text is meant to be XML; no row of an XSB map starts with `<`."""
    return text.lstrip().startswith("<") or "<SokobanLevels" in text


def read_slc(text: str) -> list[CollectionLevel]:
    """The levels of an SLC text, in order. Raises `SlcError`."""
    start = next((i for i in (text.find("<?xml"), text.find("<")) if i >= 0), 0)  # some have words before it
    reader = _SlcReader(text.count("\n", 0, start))
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.SkippedEntityHandler = reader.unknown
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    reader.parser = parser
    try:
        parser.Parse(text[start:], True)
    except expat.ExpatError as error:
        span = Span(reader.above + error.lineno - 1, error.offset)
        reason = expat.ErrorString(error.code)
        raise SlcError(span, f"this is not well-formed XML: {reason}", "check the tag here and those above") from None
    return reader.levels


class _SlcReader:
    """What the parser has met so far. `above`: lines of the file above the XML text."""

    parser: expat.XMLParserType

    def __init__(self, above: int) -> None:
        self.above = above
        self.levels: list[CollectionLevel] = []
        self.copyright = ""
        self.level: dict[str, str] | None = None
        self.rows: list[str] = []
        self.places: list[Span] = []
        self.inside_row = False

    def here(self) -> Span:
        return Span(self.above + self.parser.CurrentLineNumber - 1, self.parser.CurrentColumnNumber)

    def doctype(self, _name: str, _system: str | None, _public: str | None, internal: bool) -> None:
        if internal:
            hint = "remove all that stands between `[` and `]`: levels need none of it"
            raise SlcError(self.here(), "a document type with declarations, which collections may not have", hint)

    def unknown(self, name: str, _parameter: bool) -> None:
        raise SlcError(self.here(), f"`&{name};` stands for nothing that this file says", "write the character itself")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        known = {key.lower(): " ".join(value.split()) for key, value in attributes.items()}
        match name.lower():
            case "levelcollection":
                self.copyright = known.get("copyright", "")
            case "level":
                self.level, self.rows, self.places = known, [], []
            case "l" if self.level is not None:
                self.inside_row = True
                self.rows.append("")
                self.places.append(self.here())

    def text(self, text: str) -> None:
        if self.inside_row:
            if not self.rows[-1]:
                self.places[-1] = self.here()
            self.rows[-1] += text

    def end(self, name: str) -> None:
        if name.lower() == "l":
            self.inside_row = False
        elif name.lower() == "level" and self.level is not None:
            if any(row.strip() for row in self.rows):
                holder = self.level.get("copyright", "") or self.copyright
                self.levels.append(
                    CollectionLevel(
                        number=len(self.levels) + 1,
                        title=self.level.get("id", ""),
                        author=self.level.get("author", "") or _person(holder),
                        comment="",
                        line=self.places[0].line,
                        lines=tuple(row.rstrip() for row in self.rows),
                        copyright=holder,
                        places=tuple(self.places),
                    )
                )
            self.level = None


def _person(holder: str) -> str:
    """The author's name in a copyright such as `(c) 2001 N. N.`; files without an author have it only there."""
    words = re.sub(r"\(c\)|©|\bcopyright\b|\b(?:19|20)\d\d\b", " ", holder, flags=re.IGNORECASE)
    return " ".join(re.sub(r"^[\s,;:-]*(?:by\s)?", "", words, flags=re.IGNORECASE).split()).rstrip(" ,;:-")


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
