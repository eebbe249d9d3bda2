"""Levels in text: boards in rows or lines of signs, records of vehicles, several a file, and what all forms share.

A form is a function from the lines of a file to its levels. A level has the keys of its puzzle file and says where in
the text it stands; the family's own reading finds what is wrong with it, and that is told at this place.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..cells import Rows
from . import compose as yaml
from .compose import Mapping, Node, Scalar, Span, compose
from .document import Report
from .fields import Expect
from .files import FileError, read_whole

MAX_BYTES = 32 * 1024 * 1024
"""The largest file that is converted."""

AROUND = " \t\"',[]"
"""What may stand around a row of signs or numbers, as in a list of texts."""


class Line(NamedTuple):
    """A line of a text, or a part of one: its number, its text, and the column where that begins."""

    number: int
    text: str
    column: int = 0

    @property
    def span(self) -> Span:
        return Span(self.number, self.column, max(1, len(self.text)))


class Sign(NamedTuple):
    """The sign of a cell, or its number, and where it stands."""

    text: str
    at: Span


@dataclass(frozen=True, slots=True)
class Said:
    """What a user says of a file that it does not say itself.

    `piece`: the vehicle that must get out; `goal`: of n-puzzles; `signs`: of Sokoban, as `wall=W,box=b`.
    """

    piece: str = ""
    goal: str = ""
    signs: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """A level as a text has it. `at`: its place; `keys`: of its file, none where what is wrong has been reported.

    `took`: what the text leaves open and how it was taken; empty where it is doubtful that this is a level at all.
    `rows`: the signs of each row of the board, its first key. `checked`: nothing is wrong with it.
    """

    at: Span
    keys: dict[str, str | Rows]
    name: str = ""
    took: str = ""
    expect: Expect = field(default_factory=Expect)
    rows: Sequence[Sequence[Sign]] = ()
    author: str = ""
    credit: str = ""
    notes: str = ""
    checked: bool = False


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """The text of a file of levels, with `\\n` line ends. Raises `FileError`.

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


# Blocks of lines


@dataclass(frozen=True, slots=True)
class Blocks:
    """How the blocks of a form are read: `read` gives the level of some lines, None if they hold none.

    `what`, `hint`: for messages. `first`: the pattern of lines with which a block begins also where no empty line
    stands above; `comment`: the pattern of what is no part of a line, at its beginning or behind a blank; `label`: the
    pattern of a line above the rows that is a number, as of the board.
    """

    read: Callable[[list[Line]], Level | None]
    what: str
    hint: str
    first: str = "(?!)"
    comment: str = r";|//|#(?=\s|$)|```"
    label: str = r"\s*#?[0-9]+[.):]?\s*"

    def levels(self, report: Report) -> Iterator[Level]:
        """The levels of a text, each a block of lines. What is above a block, or its first line, may be a title; words
        below its rows are notes. Blocks that hold no level, and titles of none, are reported.
        """
        title: Line | None = None
        for block in (part for whole in self.blocks(report.lines) for part in self._parts(whole)):
            level, used = self._read(block)
            if level is None and len(block) == 1 and title is None and _is_title(block[0].text):
                title = block[0]
                continue
            if title and (level is None or used):
                report.error(title.span, f"this line belongs to no {self.what}", self.hint)
            if level is None:
                where = f"the {len(block)} lines from here" if len(block) > 1 else "this line"
                report.error(block[0].span, f"no {self.what} in {where}", self.hint)
            else:
                name = block[0] if used else title
                yield replace(level, name=level.name or (_name(name.text) if name else ""))
            title = None
        if title:
            report.error(title.span, f"this line belongs to no {self.what}", self.hint)

    def _read(self, block: list[Line]) -> tuple[Level | None, int]:
        """The level of some lines, or of those between words above and below; and how many words are above."""
        worded = [_is_title(line.text) or bool(re.fullmatch(self.label, line.text)) for line in block]
        if (level := self.read(block)) or len(block) == 1 or not any(worded):
            return level, 0
        first = next((i for i, word in enumerate(worded) if not word), 0)
        last = len(block) - next((i for i, word in enumerate(reversed(worded)) if not word), 0)
        level = self.read(block[first:last])
        notes = "\n".join(line.text.strip() for line in (*block[1:first], *block[last:]))
        return level and replace(level, notes="\n".join(filter(None, (level.notes, notes)))), first

    def _parts(self, block: list[Line]) -> list[list[Line]]:
        """A block, or if it is no level, its parts that begin with a title each: `One`, rows, `Two`, rows is two."""
        worded = [_is_title(line.text) for line in block]
        cuts = [i for i in range(1, len(block)) if worded[i] and not worded[i - 1]]
        if not cuts or self._read(block)[0]:
            return [block]
        return [block[i:j] for i, j in pairwise([0, *cuts, len(block)])]

    def blocks(self, lines: list[str]) -> Iterator[list[Line]]:
        """Lines between empty lines, without comments; of JSON, lists of rows."""
        root = json_root(lines)
        if root is not None:
            yield from (rows for rows in _row_lists(root, lines) if len(rows) > 1)
            return
        block: list[Line] = []
        for number, text in enumerate([*(re.sub(r"^\s*={3,}\s*$", "", line) for line in lines), ""]):
            kept = re.sub(rf"(^\s*|\s+)({self.comment}|[\[\](){{}}]+[,;]?$).*", "", text) if text.strip() else text
            blank_row = text.isspace() and len(text) == 6 and len(block) < 6
            empty = not kept.strip() and not blank_row
            if block and ((empty and kept == text) or re.match(self.first, kept)):
                titled = not empty and len(block) > 1 and _is_title(block[-1].text)
                block, above = ([block[-1]], block[:-1]) if titled else ([], block)
                yield above
            if not empty:
                block.append(Line(number, kept))


def _name(text: str) -> str:
    """The title in a line: `; Level 1`, `name: Level 1`."""
    name = re.sub(r"^(name|title|id|puzzle)\s*:\s*", "", text.strip(" \t#:;=-*\"'"), flags=re.IGNORECASE)
    number = name.rstrip(".)")
    return f"Level {number}" if number.isdigit() else name


def _is_title(text: str) -> bool:
    """Whether a line has a word, which a row of signs has not."""
    return bool(re.search("[A-Z][a-z]{2}|[A-Za-z]{3}.*[^A-Za-z.]|[^A-Za-z.].*[A-Za-z]{3}", text[:100].strip()))


def signs(block: list[Line]) -> list[list[Sign]] | None:
    """The cells of a board, each with its sign; None if they are no rectangle.

    Between signs may be a blank, comma or bar; numbers are signs, then. Where six rows are no rectangle so, blanks are
    cells, of which those at the right may be missing.
    """
    words = [list(re.finditer(r"[^\s,;|\"'\[\]]+", line.text)) for line in block]
    single = all(re.fullmatch(r"-?[0-9]{1,5}|.", word[0]) for row in words for word in row)
    close = all(
        word[0][-1].isdigit() or re.search(r"^.$|[,;|\t\"]", line.text[word.end() : after.start()])
        for line, row in zip(block, words, strict=True)
        for word, after in itertools.pairwise(row)
    )
    if single and close and min(map(len, words), default=0) > 1:
        rows = [
            [Sign(word[0], Span(line.number, line.column + word.start(), len(word[0]))) for word in row]
            for line, row in zip(block, words, strict=True)
        ]
        return rows if len({len(row) for row in rows}) == 1 < len(rows) else None
    pad = 6 if len(block) == 6 and not any(char in line.text for line in block for char in "._-0") else 0
    for around in (AROUND, "") if block else ():
        rows = []
        for line in block:
            text = line.text.strip(around) if around else line.text.rstrip().ljust(pad)
            start = line.column + len(line.text) - len(line.text.lstrip(around) if around else line.text)
            rows.append([Sign(char, Span(line.number, start + i)) for i, char in enumerate(text)])
        blank = any(sign.text.isspace() for row in rows for sign in row)
        if len({len(row) for row in rows}) == 1 < len(rows) and not (blank and (around or len(rows) != 6)):
            return rows
    return None


def lettered(names: Collection[str], letters: str, able: Callable[[str], bool]) -> dict[str, str]:
    """A sign for each name: itself if it is `able` to be one, else the next of `letters` that is no name."""
    own = {name: name for name in names if able(name)}
    free = (letter for letter in letters if letter not in own)
    return {name: own.get(name) or next(free, "?") for name in dict.fromkeys(names)}


# Lines, each with a board in one word


WORD = r"[^\s,;\"'\[\]{}]+"
"""A word of a line, as in a table or a list."""


def in_lines(
    report: Report,
    read: Callable[[list[list[Sign]], str], Level | None],
    width: Callable[[int], int],
    what: str,
    hint: str,
) -> Iterator[Level]:
    """The levels in the words of lines; `read` gives that of a board, and of what stands before it on the line. Words
    there are its name. `width`: of a board with so many signs; 0 if there is none.

    A line without a level is reported, but for comments (`#`, `;`, `//`) and a first line without numbers, the heading
    of a table.
    """
    first = True
    for number, text in enumerate(report.lines):
        if not text.strip(" \t[]{},"):
            continue
        heading, first = first and not any(word.isdigit() for word in re.findall(WORD, text)), False
        comment = re.match(r"\s*(#|;|//)", text)
        levels = []
        for match in re.finditer(WORD, "" if comment else text):
            signs = [Sign(char, Span(number, match.start() + i)) for i, char in enumerate(match[0])]
            side, before = width(len(signs)), text[: match.start()]
            rows = [signs[i : i + side] for i in range(0, len(signs), side or len(signs))]
            if side and (level := read(rows, before)) is not None:
                name = " ".join(word for word in re.findall(WORD, before) if re.search(r"[^\W\d_]", word))
                levels.append(replace(level, at=Span(number, match.start(), len(signs)), name=level.name or name))
        yield from (replace(level, name="") for level in levels) if len(levels) > 1 else levels
        if not levels and not heading and not comment:
            report.error(Span(number, 0, len(text)), f"this line holds no {what}", hint)


# JSON, and records of vehicles in JSON and CSV

Record = dict[str, Scalar]
"""The values of an object, or of a line of a table, by their names in small letters."""


def json_root(lines: list[str]) -> Node | None:
    """The value that a text in JSON writes; None for any other text."""
    first = next((line.strip() for line in lines if line.strip()), "")
    if not first.startswith(("[", "{")):
        return None
    return compose([line.replace("\t", " ") for line in lines]).root


def not_json(lines: list[str]) -> tuple[Span, str, str] | None:
    """Where a text that begins as JSON is none, why, and what to do; None for any other text."""
    if "".join(lines).lstrip()[:1] not in ("[", "{"):
        return None
    try:
        json.loads("\n".join(lines))
    except (json.JSONDecodeError, RecursionError) as error:
        line, column = (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (1, 1)
        return Span(line - 1, column - 1), f"this is not JSON: {error}", "check the brackets and commas above"
    return None


def _row_lists(node: Node, lines: list[str], name: str = "") -> Iterator[list[Line]]:
    """The lists of rows in a value of JSON: of texts, or of lists of numbers or texts; each with its title above."""
    if isinstance(node, Mapping):
        texts = {entry.key.text.lower(): entry.value for entry in node.entries}
        title = next((texts[key] for key in ("name", "title", "id") if isinstance(texts.get(key), Scalar)), None)
        for entry in node.entries:
            yield from _row_lists(entry.value, lines, title.text if isinstance(title, Scalar) else name)
    if not isinstance(node, yaml.Sequence):
        return
    rows = [_row(item, lines) for item in node.items]
    if rows and all(row is not None and row.text for row in rows):
        title_line = [Line(node.span.line, f"name: {name}", node.span.column)] if name else []
        yield [*title_line, *filter(None, rows)]
    else:
        for item in node.items:
            yield from _row_lists(item, lines, name)


def _row(node: Node, lines: list[str]) -> Line | None:
    """A row of a board in JSON, as it stands in its line, or its values with blanks between."""
    if isinstance(node, Scalar):
        return Line(node.span.line, node.text, node.span.column + 1) if node.style and len(node.text) > 1 else None
    if not isinstance(node, yaml.Sequence) or not all(isinstance(item, Scalar) for item in node.items):
        return None
    if len(node.items) > 1 and node.items[0].span.line == node.items[-1].span.line:
        start, last = node.span.column + 1, node.items[-1].span
        return Line(node.span.line, lines[node.span.line][start : last.column + last.width], start)
    return Line(node.span.line, " ".join(getattr(item, "text", "") for item in node.items), node.span.column)


def records_of_json(
    node: Node, around: Record | None = None
) -> Iterator[tuple[Record, Node, list[tuple[Record, Node]]]]:
    """The lists of objects in a value of JSON, or several objects by their names: what is said around a list, the list,
    and its objects.
    """
    keys = [entry.key for entry in node.entries] if isinstance(node, Mapping) else []
    values = [entry.value for entry in node.entries] if isinstance(node, Mapping) else getattr(node, "items", ())
    named = zip(values, [{"name": key} for key in keys] or [{}] * len(values), strict=True)
    flat: list[tuple[Record, Node]] = [
        (name | _record(item), item) for item, name in named if isinstance(item, Mapping) and _is_flat(item)
    ]
    if len(flat) == len(values) > bool(keys):
        yield around or {}, node, flat
        return
    own = {key.text.lower(): value for key, value in zip(keys, values, strict=False) if isinstance(value, Scalar)}
    for value in values:
        yield from records_of_json(value, {**(around or {}), **own})


def _is_flat(node: Mapping) -> bool:
    return not any(isinstance(entry.value, yaml.Sequence) for entry in node.entries)


def _record(node: Mapping) -> Record:
    """The scalars of an object and of objects in it: `{"id": "A", "position": {"x": 1}}`."""
    record: Record = {}
    for entry in node.entries:
        if isinstance(entry.value, Mapping) and _is_flat(entry.value):
            record.update(_record(entry.value))
        elif isinstance(entry.value, Scalar):
            record[entry.key.text.lower()] = entry.value
    return record
