"""XSB, the text format of Sokoban levels: one level, or a collection of them with titles and comments.

    #  wall          @ player    + player on a goal    (space), -, _, no-break space: floor
    .  goal          $ box       * box on a goal

A level may use letters instead: `p` player, `P` player on a goal, `b` box, `B` box on a goal, `o` goal
(`.` too). They mean other things elsewhere, so a map that mixes them with `@ + $ *` is an error, not a guess.

Run-length encoding: a number repeats what follows it, a character or a group in parentheses (`2(3(#-)#)`);
`|` ends a row. Both formats are described at http://sokobano.de/wiki/index.php?title=Level_format.

Lines and columns count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ...cells import Cell, Rows
from ...documents.compose import Node, Span
from ...documents.document import Report
from ...documents.fields import MAX_SIDE
from ...text import counted

WALL, FLOOR, GOAL, PLAYER, PLAYER_ON_GOAL, BOX, BOX_ON_GOAL = "# .@+$*"
FLOORS = " -_\xa0"
SIGNS = "@+$*"
LETTERS = {"p": PLAYER, "P": PLAYER_ON_GOAL, "b": BOX, "B": BOX_ON_GOAL, "o": GOAL}
MAX_EXPANDED = 4 * MAX_SIDE * MAX_SIDE
"""Characters that one run-length encoded text may stand for."""

_MEANING = {**dict.fromkeys(FLOORS, FLOOR), **{sign: sign for sign in "#.@+$*"}, **LETTERS}


class RunLengthError(ValueError):
    """A run-length encoding that makes no sense; `column` says where."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column


def expand(text: str, skip: str = "", limit: int = MAX_EXPANDED) -> list[tuple[str, int]]:
    """Undo run-length encoding: (character, its column in `text`), leaving out the characters of `skip`.

    Raises `RunLengthError` for numbers that repeat nothing, for unbalanced parentheses and for more than
    `limit` characters.
    """
    done: list[list[tuple[str, int]]] = [[]]
    opened: list[tuple[int, int]] = []
    digits, digits_at = "", 0

    def repeat(items: list[tuple[str, int]], count: int, column: int) -> None:
        if len(done[-1]) + len(items) * count > limit:
            raise RunLengthError(column, f"this run-length encoding stands for more than {limit:,} characters")
        done[-1].extend(items * count)

    for column, char in enumerate(text):
        if char in "0123456789":
            digits, digits_at = digits + char, digits_at if digits else column
            continue
        if char in skip:
            continue
        if char == ")":
            if digits:
                break
            if not opened:
                raise RunLengthError(column, "`)` without a `(` before it")
            count, column = opened.pop()
            repeat(done.pop(), count, column)
            continue
        count = int(digits[:9]) if digits else 1
        if digits and count == 0:
            raise RunLengthError(digits_at, f"`{digits}` repeats nothing")
        digits = ""
        if char == "(":
            opened.append((count, column))
            done.append([])
        else:
            repeat([(char, column)], count, column)
    if digits:
        raise RunLengthError(digits_at, f"the number {digits[:20]} has nothing after it to repeat")
    if opened:
        raise RunLengthError(opened[-1][1], "this `(` is never closed")
    return done[0]


def compress(text: str) -> str:
    """Run-length encoding of a text without digits, parentheses and `|`."""
    runs = ((char, len(list(run))) for char, run in groupby(text))
    return "".join(f"{count if count > 1 else ''}{char}" for char, count in runs)


def file_rows(board: Rows) -> Rows:
    """The rows of a position as a file has them; an empty one is written `-`, because it would end the map."""
    return tuple(row.rstrip() or "-" for row in board)


@dataclass(frozen=True, slots=True)
class LevelMap:
    """The map of one level in standard characters, rows without trailing floor, and the place of each character that
    was written.
    """

    rows: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    at: Span | Node

    def __getitem__(self, cell: Cell) -> str:
        """The character of a cell; floor where the map has none."""
        row, column = cell
        inside = 0 <= row < len(self.rows) and 0 <= column < len(self.rows[row])
        return self.rows[row][column] if inside else FLOOR

    def span(self, cell: Cell) -> Span:
        """Where a cell stands in its file; behind a row's last character, the end of that row."""
        row = min(max(cell[0], 0), len(self.rows) - 1)
        spans, column = self.spans[row], min(max(cell[1], 0), len(self.rows[row]))
        if column < len(spans):
            return spans[column]
        last = spans[-1] if spans else self.at if isinstance(self.at, Span) else self.at.span
        return Span(last.line, last.column + 1)

    def cells(self, chars: str) -> list[Cell]:
        """The cells that show one of these characters, in reading order."""
        return [(r, c) for r, row in enumerate(self.rows) for c, char in enumerate(row) if char in chars]


def decode_map(
    lines: Sequence[str], span: Callable[[int, int], Span], at: Span | Node, report: Report
) -> LevelMap | None:
    """The map that these lines write in any dialect; `span(line, column)` says where a character stands.

    Records tabs, broken run-length encoding, characters with no meaning, mixed dialects and maps of more than
    `MAX_SIDE` cells a side, and gives None if there are any.
    """
    errors = report.errors
    rows: list[list[tuple[str, Span]]] = []
    for number, line in enumerate(lines):
        if "\t" in line:
            report.error(span(number, line.index("\t")), "a tab in the map", "use spaces, or `-` for floor")
            continue
        try:
            expanded = expand(line)
        except RunLengthError as error:
            message = str(error)
            report.error(span(number, error.column), message, "in a map `3#` stands for `###`, and `2(#-)` for `#-#-`")
            continue
        more = _split([(char, span(number, column)) for char, column in expanded])
        rows += more
        if len(rows) > MAX_SIDE or max(map(len, more)) > MAX_SIDE:  # before the rest is read, which may be long
            wide = counted(max(map(len, more)), "column")
            size = f"more than {counted(MAX_SIDE, 'row')}" if len(rows) > MAX_SIDE else f"a row of {wide}"
            report.error(at, f"the map has {size}; at most {MAX_SIDE} rows by {MAX_SIDE} columns are allowed")
            return None
    _check_characters(rows, report)
    if report.errors > errors:
        return None
    level_map = _trim(rows, at)
    if level_map is None:
        report.error(at, "the map is empty: it shows nothing but floor")
    return level_map


def _split(cells: list[tuple[str, Span]]) -> list[list[tuple[str, Span]]]:
    """Cut at every `|`; one at the end of the line closes the last row and opens none."""
    rows: list[list[tuple[str, Span]]] = [[]]
    for char, span in cells:
        if char == "|":
            rows.append([])
        else:
            rows[-1].append((char, span))
    return rows[:-1] if len(rows) > 1 and not rows[-1] else rows


def _trim(rows: list[list[tuple[str, Span]]], at: Span | Node) -> LevelMap | None:
    texts = ["".join(_MEANING[char] for char, _ in row).rstrip() for row in rows]
    used = [i for i, text in enumerate(texts) if text]
    if not used:
        return None
    keep = slice(used[0], used[-1] + 1)
    return LevelMap(tuple(texts[keep]), tuple(tuple(place for _, place in row) for row in rows[keep]), at)


def _check_characters(rows: list[list[tuple[str, Span]]], report: Report) -> None:
    first: dict[str, Span] = {}
    count: dict[str, int] = {}
    for row in rows:
        for char, span in row:
            first.setdefault(char, span)
            count[char] = count.get(char, 0) + 1
    signs = [sign for sign in SIGNS if sign in first]
    for char, span in first.items():
        if char not in _MEANING:
            times = f" ({count[char]} times)" if count[char] > 1 else ""
            report.error(span, f"`{char}` means nothing in a Sokoban map{times}", _advice(char))
        elif char in LETTERS and signs:
            message = f"`{char}` beside `{signs[0]}`: a map uses letters (p P b B o) or signs (@ + $ *), not both"
            report.error(span, message, f"if `{char}` is what the letters mean, write `{LETTERS[char]}`")


def _advice(char: str) -> str:
    if char in "xXHW%█":
        return "if it is a wall, write `#`"
    if char in "O0c&":
        return "write `$` for a box, `.` for a goal, `@` for the player"
    return "write # wall, @ player, $ box, . goal, * box on a goal, + player on a goal, space or - floor"


@dataclass(frozen=True, slots=True)
class CollectionLevel:
    """One level of a collection. `number` counts from 1; `lines` are as written, the first one in line `line`.

    `places`: where each of the lines starts, if that is not column 0 of the next line of the file. `collector`: the
    author of the collection, if others made levels of it. `solutions`: LURD below the map, and where each begins.
    """

    number: int
    title: str
    author: str
    comment: str
    line: int
    lines: tuple[str, ...]
    copyright: str = ""
    collector: str = ""
    places: tuple[Span, ...] = ()
    solutions: tuple[tuple[Span, str], ...] = ()

    def map(self, report: Report) -> LevelMap | None:
        """Its map; problems go to `report`, whose lines must be those of the collection."""
        return decode_map(self.lines, self._place, replace(self._place(), width=max(1, len(self.lines[0]))), report)

    def _place(self, row: int = 0, column: int = 0) -> Span:
        start = self.places[row] if self.places else Span(self.line + row, 0)
        return Span(start.line, start.column + column)


_SYMBOLS = " \t\xa0#@+$*.\\-_"
_ROW = re.compile(rf"(?=.*#)[{_SYMBOLS}pPbBo0-9()|]+")
_NUMBERED = re.compile(r"\s*#\s*[0-9]+\s*")
_ROW_INSIDE = re.compile(rf"(?=.*[^0-9()|])[{_SYMBOLS}0-9()|]+")
_KNOWN_KEYS = (
    "title|name|author|comment|collection|set|date|date created|date of last change|copyright|licen[sc]e|"
    "e-?mail|home ?page|web ?site|url|difficulty|solution|snapshot|saved? ?game|moves|pushes|best|id|version|"
    "width|height"
)
_KEY = re.compile(rf"\s*[;:]*\s*(?P<key>{_KNOWN_KEYS})\s*:(?!:)\s*(?P<value>.*)", re.IGNORECASE)
_END_OF_COMMENT = re.compile(r"\s*[;:]*\s*comment[-_ ]?end\s*:?.*", re.IGNORECASE)
_HEADING = re.compile(r"(?P<what>solution|snapshot|saved? ?game)\b.*", re.IGNORECASE)
_MOVES = re.compile(r"[lurdLURD0-9()\s]+")


class _Gap:
    """The text between two maps: `key: value` lines (keys in lower case) and paragraphs of plain lines.

    The first value of a key counts. But before the first map a second title begins the keys of the level, and what
    stands before it is the `collection`'s. `noted`: how many lines are notes on the map above, as those behind a
    solution are not; None if no solution follows it. `solutions`: each with its place. `moves`: what the next line of
    moves belongs to: a `solution` that begins, or goes on (`more`), a `snapshot`, or what is not said.
    """

    def __init__(self, *, first: bool = False) -> None:
        self.first = first
        self.collection: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.paragraphs: list[list[str]] = [[]]
        self.noted: int | None = None
        self.solutions: list[tuple[Span, str]] = []
        self.moves = ""

    def _heading(self, what: str) -> None:
        self.moves = "solution" if what.lower() == "solution" else "snapshot"

    def _solution(self, number: int, line: str, text: str) -> None:
        """Take a line of moves, which may go on with those above."""
        if self.moves != "snapshot" and re.search("[a-zA-Z]", text):
            more = self.moves == "more"
            at, above = self.solutions.pop() if more else (Span(number, line.find(text), len(text)), "")
            self.solutions.append((at, above + text))
            self.moves = "more"

    def add(self, line: str, number: int) -> None:
        """Take a line of the text between maps."""
        key = _KEY.fullmatch(line)
        if key:
            self.moves = ""
            if _HEADING.fullmatch(key["key"]):
                self._heading(key["key"])
                if _MOVES.fullmatch(value := key["value"].strip()):
                    self._solution(number, line, value)
            word = {"name": "title"}.get(key["key"].lower(), key["key"].lower())
            if self.first and word == "title" and word in self.keys and not self.collection:
                self.collection, self.keys = self.keys, {}
            if key["value"].strip():
                self.keys.setdefault(word, key["value"].strip())
            return
        text = line.strip().lstrip(";:").strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1].strip()
        heading = _HEADING.fullmatch(text)
        if heading or (_MOVES.fullmatch(text) and (len(text) >= 8 or self.moves)):
            self.noted = sum(map(len, self.paragraphs)) if self.noted is None else self.noted
            self.paragraphs.append([])
            if heading:
                self._heading(heading["what"])
            else:
                self._solution(number, line, text)
            return
        self.moves = ""
        if not any(char.isalnum() for char in text):
            self.paragraphs.append([])
        elif not line.startswith("::"):
            self.paragraphs[-1].append(text)

    @property
    def plain(self) -> list[list[str]]:
        return [paragraph for paragraph in self.paragraphs if paragraph]

    def notes(self, *, titled: bool) -> str:
        """The plain lines that are about the map above: none behind a solution, and not the title of the map below."""
        lines = [line for paragraph in self.plain[: -1 if titled else None] for line in paragraph]
        return "\n".join(lines[: self.noted])

    @property
    def described(self) -> bool:
        return not self.keys.keys().isdisjoint(("title", "author", "comment"))


def read_collection(text: str, *, sok: bool = False) -> list[CollectionLevel]:
    """The levels of an XSB text, in order; none if it holds no map.

    A map is a run of lines of map characters with a `#` in the first of them. What stands between maps are
    titles: `Title:`, `Author:` and `Comment:` ... `Comment-End:`, or a plain line, with or without `;`. They
    may stand before the maps or after them: after them if the last map is followed by such a line, or if the
    first is preceded by none. Of two titles before the first map, the first one is that of the collection.

    In SOK (http://sokobano.de/wiki/index.php?title=Sok_format: a file that is named so, has lines that begin with `::`,
    or says `Collection:` above its first map) a plain line above a map is its title, and keys and notes stand below it.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").rstrip("\x1a").split("\n")
    gaps, maps = [_Gap(first=True)], []
    number = 0
    while number < len(lines):
        end = _end_of_map(lines, number)
        if end > number:
            maps.append((number, tuple(line.rstrip() for line in lines[number:end])))
            gaps.append(_Gap())
            number = end
            continue
        after = _comment(lines, number, gaps[-1])
        if after == number:
            gaps[-1].add(lines[number], number)
            after = number + 1
        number = after
    sok = sok or "collection" in gaps[0].keys or any(line.startswith("::") for line in lines)
    return _with_titles(maps, gaps, sok=sok and (gaps[-1].described or "title" not in gaps[0].keys))


def _end_of_map(lines: list[str], start: int) -> int:
    """The line after the map that starts here; `start` itself if none does."""
    end = start
    if _ROW.fullmatch(lines[start]) and not _NUMBERED.fullmatch(lines[start]):
        while end < len(lines) and lines[end].strip() and _is_row(lines[end]):
            end += 1
    while end > start and not lines[end - 1].strip(" -_\xa0\t"):
        end -= 1
    text = "\n".join(lines[start:end])
    ruled_line = end - start < 3 and "|" not in text and not re.search(r"[@+$*pPbB]", text)
    return start if ruled_line else end


def _is_row(line: str) -> bool:
    """Whether a line below a map's row belongs to it, be it with a few wrong characters between its walls."""
    if _ROW.fullmatch(line) or _ROW_INSIDE.fullmatch(line):
        return True
    text = line.strip()
    wrong = set(re.sub(rf"[{_SYMBOLS}pPbBo0-9()|]", "", text))
    return len(text) > 1 and text[0] == text[-1] == WALL and len(wrong) <= 3


def _comment(lines: list[str], start: int, gap: _Gap) -> int:
    """Read `Comment:` ... `Comment-End:` into the gap: the line after it; `start` itself if no comment begins there."""
    key = _KEY.fullmatch(lines[start])
    if not key or key["key"].lower() != "comment" or key["value"].strip():
        return start
    for end in range(start + 1, len(lines)):
        if _END_OF_COMMENT.fullmatch(lines[end]):
            gap.keys["comment"] = "\n".join(line.rstrip() for line in lines[start + 1 : end]).strip("\n")
            return end + 1
        if lines[end].strip().lower() == "comment:":
            break  # the one above was never ended
    return start


def _with_titles(maps: list[tuple[int, tuple[str, ...]]], gaps: list[_Gap], *, sok: bool) -> list[CollectionLevel]:
    first, last, between = gaps[0], gaps[-1], gaps[1:-1]
    keys_after = sok or last.described or not first.described
    labels_after = (
        not sok and bool(last.plain) and (not first.plain or re.sub(r"\D", "", last.plain[0][0]) == str(len(maps)))
    )
    header_only = len(maps) > 1 and not any(gap.plain for gap in between)
    titled = [bool(gap.plain) and not (sok and len(gap.plain[-1]) > 1) for gap in gaps[:-1]] + [False]
    signed = sok and any("author" in gap.keys for gap in gaps[1:])  # then the file's author is who collected them
    general = first.collection or first.keys
    levels = []
    for index, (line, rows) in enumerate(maps):
        keys = gaps[index + 1 if keys_after else index].keys
        if len(maps) == 1:
            keys = {**first.keys, **keys}
        plain = gaps[index + 1 if labels_after else index].plain
        label = (
            [] if header_only or not (plain if labels_after else titled[index]) else plain[0 if labels_after else -1]
        )
        worded = [text for text in label if any(char.isalpha() for char in text)]
        title = keys.get("title") or (worded or label or [""])[0 if labels_after else -1]
        collector = general.get("author", "") if signed else ""
        author = keys.get("author") or ("" if signed else general.get("author", ""))
        copyright_ = keys.get("copyright") or general.get("copyright", "")
        notes = gaps[index + 1].notes(titled=titled[index + 1]) if sok else ""
        comment = "\n".join(filter(None, (keys.get("comment"), notes)))
        solutions = tuple(gaps[index + 1].solutions)
        about = title, author, comment, line, rows, copyright_, collector
        levels.append(CollectionLevel(index + 1, *about, solutions=solutions))
    return levels
