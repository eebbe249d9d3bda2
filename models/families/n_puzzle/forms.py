"""N-puzzles in other people's files: rows of numbers, below their size or not, and lists, each puzzle a line.

Such files do not say what the goal is. It is the tiles in order, with the blank last, unless `Said.goal` has another
of `GOALS`, or the file a comment `goal: blank-first`. Of a list of 15-puzzles none of which can reach that goal, and
all of which can reach the one with the blank first (half of all positions reach each), the latter is taken. Which it
was is told with each level.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import isqrt

from ...cells import Rows
from ...documents.compose import Span
from ...documents.document import Report
from ...documents.fields import Header
from ...documents.text_levels import AROUND, Blocks, Level, Line, Said, signs
from ...errors import UsageError
from ...family import Form
from ...text import clip, suggest
from .reading import BLANKS, in_order, split, write
from .rules import NPuzzle, NPuzzleSimulator, Tiles

GOALS = {"blank-last": "the blank last", "blank-first": "the blank first", "spiral": "in a spiral from the corner"}
"""Goals by the words for them."""


def _goal(height: int, width: int, word: str) -> Tiles:
    if word == "blank-first":
        return tuple(tuple(range(row * width, (row + 1) * width)) for row in range(height))
    if word != "spiral":
        return in_order(height, width)
    tiles = [[0] * width for _ in range(height)]
    row, column, down, right = 0, 0, 0, 1
    for tile in range(1, height * width):
        tiles[row][column] = tile
        ahead = row + down, column + right
        if not (0 <= ahead[0] < height and 0 <= ahead[1] < width) or tiles[ahead[0]][ahead[1]]:
            down, right = right, -down
        row, column = row + down, column + right
    return tuple(map(tuple, tiles))


def _reaches(start: Tiles, goal: Tiles) -> bool:
    """Whether a position can become another, of the same tiles: each move is a transposition, and moves the blank by
    one cell; so the parity of the permutation is that of the blank's distance. True where that says nothing.
    """
    width = len(start[0])
    tiles, wanted = ([tile for row in rows for tile in row] for rows in (start, goal))
    if sorted(tiles) != sorted(wanted) or len(set(tiles)) < len(tiles) or width == 1 or len(start) == 1:
        return True
    order = [wanted.index(tile) for tile in tiles]
    inversions = sum(a > b for i, b in enumerate(order) for a in order[:i])
    here, there = divmod(tiles.index(0), width), divmod(wanted.index(0), width)
    return (inversions + abs(here[0] - there[0]) + abs(here[1] - there[1])) % 2 == 0


def _with_goal(report: Report, said: Said, levels: list[tuple[Level, Tiles]]) -> Iterator[Level]:
    """The levels with the goal of all: what is said, or what the module's text has."""
    if said.goal and said.goal not in GOALS:
        raise UsageError(f"there is no goal `{said.goal}` of n-puzzles; {suggest(said.goal, GOALS)}")
    comments = (re.fullmatch(r"\s*[#;/]+\s*goal:\s*([a-z-]+)\s*", line) for line in report.lines)
    word = said.goal or next((found[1] for found in comments if found and found[1] in GOALS), "")

    def reach(start: Tiles, word: str) -> bool:
        return _reaches(start, _goal(len(start), len(start[0]), word))

    chosen = word or "blank-last"
    why = "" if word else "; for another say `--goal`"
    if (
        not word
        and len(levels) > 1
        and all(reach(start, "blank-first") and not reach(start, "blank-last") for _, start in levels)
    ):
        chosen, why = "blank-first", "; none of these positions can reach the one with the blank last"
    for level, start in levels:
        goal = _goal(len(start), len(start[0]), chosen)
        more = why
        if not reach(start, chosen) and reach(start, "blank-first" if chosen != "blank-first" else "blank-last"):
            other = "blank-first" if chosen != "blank-first" else "blank-last"
            more = f", which cannot be reached; that of `--goal {other}` can"
        keys = dict(level.keys)
        if chosen != "blank-last":
            keys["goal"] = _rows(goal)
        yield replace(level, keys=keys, took=f"the goal is the tiles in order, {GOALS[chosen]}{more}")


def _rows(tiles: Tiles) -> Rows:
    width = max(len(str(tile)) for row in tiles for tile in row)
    return tuple(" ".join(str(tile or ".").rjust(width) for tile in row) for row in tiles)


# Rows of numbers with 0 (`.`, `_`) as the blank; above them may stand the size, as `3` or `3 3`.

_BLANK = "xX*"
"""Signs for the blank, beside those of puzzle files."""

_ROWS = "an n-puzzle is rows of numbers, equally long, with 0 for the blank; above them may stand the size"


def in_rows(report: Report, said: Said) -> Iterator[Level]:
    form = Blocks(_in_block, "n-puzzle", _ROWS, r"\s*[0-9]{1,2}\s*$", r";|//|#|```", "(?!)")
    levels = list(form.levels(report))
    yield from _with_goal(report, said, [(level, _tiles(level.keys["start"])) for level in levels])


def _tiles(rows: str | Rows) -> Tiles:
    return tuple(tuple(map(_number, row.split())) for row in rows)


def _number(word: str) -> int:
    return 0 if word in BLANKS or word in _BLANK else int(word)


def _in_block(block: list[Line]) -> Level | None:
    """An n-puzzle: equally long rows, of whose words at least two thirds are different ones of 1, ..., cells - 1."""
    rows = [split(line.text.strip(AROUND)) for line in block]
    size = [word for _, word in rows[0]]
    if len(rows) > 2 and size in ([str(len(rows) - 1)], [str(len(rows) - 1), str(len(rows[1]))]):
        block = block[1:]
    cells = signs(block) or []
    words = [sign.text for row in cells for sign in row]
    usual = {str(number) for number in range(1, len(words))} & set(words)
    if not words or len(cells[0]) < 2 or 3 * len(usual) < 2 * len(words):
        return None
    if not all(re.fullmatch("[0-9]{1,9}|[._xX*]", word) for word in words):
        return None
    start = _rows(tuple(tuple(_number(sign.text) for sign in row) for row in cells))
    wide = len(start[0]) // len(cells[0]) + 1
    return Level(block[0].span, {"start": start}, rows=[[sign for sign in row for _ in range(wide)] for row in cells])


# Lists, as Korf's: a line has the number of a puzzle, perhaps other columns, and its tiles row by row. They are a
# square of 9 tiles or more: where they begin is the same in most lines, the last such place.

_LINE = "a line has the tiles of a square, 0 for the blank, as `1 14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3`"


def in_lines(report: Report, said: Said) -> Iterator[Level]:
    lines = [Line(number, re.sub(r"(#|;|//).*", "", text)) for number, text in enumerate(report.lines)]
    lines = [line for line in lines if re.search("[0-9]", line.text)]
    starts: Counter[tuple[int, int]] = Counter()  # where the tiles begin, and how many they are
    words = {line: _words(line) for line in lines}
    for found in words.values():
        texts = [word for _, word in found]
        for side in range(isqrt(len(texts)), 2, -1):
            size = side * side
            tiles = {*map(str, range(1, size))}
            for first in range(len(texts) - size + 1):
                own = [text for text in texts[first : first + size] if text not in BLANKS]
                starts[first, size] += len(own) == size - 1 and set(own) == tiles
    place = max(starts, key=lambda at: (starts[at], at[1], at[0]), default=(0, 0))
    if not starts[place] or 3 * starts[place] < len(lines):
        return
    first, size = place
    levels = []
    for line, found in words.items():
        tokens = found[first : first + size]
        if len(tokens) < size:
            message = f"this line has {len(found)} numbers, too few for {size} cells from number {first + 1} on"
            report.error(line.span, message, _LINE)
            continue
        if (fault := _fault(tokens)) is not None:
            report.error(*fault, _LINE)
            continue
        numbers = tuple(_number(word) for _, word in tokens)
        side = isqrt(size)
        start = tuple(numbers[i : i + side] for i in range(0, size, side))
        levels.append((Level(line.span, {"start": _rows(start)}), start))
    yield from _with_goal(report, said, levels)


def _fault(tokens: list[tuple[Span, str]]) -> tuple[Span, str] | None:
    """What is wrong with the tiles of a line, and where; None if they are 1, 2, ... and a blank."""
    seen: dict[str, Span] = {}
    for at, word in tokens:
        tile = "0" if word in BLANKS else word
        if not re.fullmatch("[0-9]{1,3}", tile):
            return at, f"`{clip(word)}` is no tile"
        if int(tile) >= len(tokens):
            return at, f"tile {tile} is not one of 1 to {len(tokens) - 1}"
        if tile in seen:
            what = f"tile {tile}" if int(tile) else "the blank"
            return at, f"{what} stands here a second time (first in column {seen[tile].column + 1})"
        seen[tile] = at
    return None


def _words(line: Line) -> list[tuple[Span, str]]:
    """The numbers of a line with their places; a word of nine or more digits has a tile in each."""
    text = re.sub(f"[{_BLANK}]", "0", line.text)
    found = [(match.start(), match[0]) for match in re.finditer(r"[^\s,;|\"'\[\](){}]+", text)]
    return [
        (Span(line.number, column + (i if many else 0), 1 if many else len(word)), part)
        for column, word in found
        for many in [bool(re.fullmatch("[0-8._]{9}", word))]
        for i, part in enumerate(word if many else [word])
    ]


# Writing


def to_rows(_header: Header, puzzle: NPuzzle) -> str:
    """The size and the rows; a goal with the blank first, or a spiral, is a comment."""
    return f"{_comment(puzzle, 'n-puzzle-rows')}{_size(puzzle.start)}\n" + "".join(
        f"{row.replace('.', '0')}\n" for row in _start(puzzle)
    )


def to_line(_header: Header, puzzle: NPuzzle) -> str:
    """The tiles of a square in one line, as in Korf's lists."""
    if len(puzzle.start) != len(puzzle.start[0]) or len(puzzle.start) < 3:
        raise UsageError("n-puzzle-lines has squares of at least 3 by 3 cells")
    tiles = " ".join(" ".join(_start(puzzle)).replace(".", "0").split())
    return f"{_comment(puzzle, 'n-puzzle-lines')}{tiles}\n"


def _size(tiles: Tiles) -> str:
    return f"{len(tiles)}" if len(tiles) == len(tiles[0]) else f"{len(tiles)} {len(tiles[0])}"


def _start(puzzle: NPuzzle) -> Rows:
    rows = write(puzzle, NPuzzleSimulator(puzzle).board())["start"]
    return tuple(rows)


def _comment(puzzle: NPuzzle, form: str) -> str:
    """A comment with the goal, where it is not that of the form. Raises `UsageError` for a goal without a word."""
    height, width = len(puzzle.start), len(puzzle.start[0])
    if min(height, width) < 2:
        raise UsageError(f"{form} has at least two rows and two columns")
    word = next((word for word in GOALS if puzzle.goal == _goal(height, width, word)), None)
    if word is None:
        raise UsageError(f"{form} cannot say a goal other than {', '.join(GOALS)}")
    return "" if word == "blank-last" else f"; goal: {word}\n"


_ROWS_HELP = "n-puzzles in rows of numbers, 0 for the blank, with or without their size above"
_LINES_HELP = "n-puzzles, each the tiles of a square in a line, as Korf's"

FORMS: tuple[Form[NPuzzle], ...] = (
    Form("n-puzzle-rows", (".txt", ".json", ".csv"), _ROWS_HELP, in_rows, to_rows, "n-puzzle", _ROWS),
    Form("n-puzzle-lines", (".txt", ".tsv", ".csv"), _LINES_HELP, in_lines, to_line, "n-puzzle in a line", _LINE),
)
