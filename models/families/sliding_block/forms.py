"""Klotskis and other sliding blocks in other people's files: rows of signs, with a size and a target or without, and
lines of 20 signs.

In rows, equal signs are one piece; `.`, `_`, `-` or a blank is an empty cell, where there is none of these, `0`; `#` is
a wall. Where a file says no more, the one piece of two by two cells goes to the bottom, in the middle. A block that
begins with its size says more: a name, the size, the rows of the start, a line of words, the rows of the target.

    name: Dad's Puzzler
    5 4
    AABB
    AACC
    DE..
    FGHH
    FGII
    -> 2x2 A to the lower left
    ....
    ....
    ....
    AA..
    AA..
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from string import ascii_letters

from ...cells import Rows, is_square, parts_of, pieces_of
from ...documents.compose import Span
from ...documents.document import Report
from ...documents.fields import Header
from ...documents.text_levels import Blocks, Level, Line, Said, Sign, in_lines, lettered, signs
from ...errors import UsageError
from ...family import Form, Keys
from ...text import counted
from .reading import EMPTY, WALL, write
from .rules import SlidingBlock, SlidingBlockSimulator

_GRID = (
    "a Klotski is rows of signs, equal ones a piece; its one piece of 2 by 2 cells goes to the bottom, in the middle"
)


def in_rows(report: Report, _said: Said) -> Iterator[Level]:
    return Blocks(_in_block, "Klotski", _GRID, comment=r";|//|(?<!.)#\s.*\w{2}|```").levels(report)


def _in_block(block: list[Line]) -> Level | None:
    """A board of even width, which has a middle for the one piece of two by two cells; or one with its size."""
    sized = next(
        (i for i, line in enumerate(block) if re.fullmatch(r"\s*[0-9]{1,2}[ x,]+[0-9]{1,2}\s*", line.text)), None
    )
    if sized is not None:
        return _with_target(block, sized)
    cells = signs(block)
    return _classic(cells, block[0].span) if cells else None


def _with_target(block: list[Line], sized: int) -> Level | None:
    """The level of a block whose size is line number `sized`: start, and target with or without words above."""
    height, width = map(int, re.findall("[0-9]+", block[sized].text))
    start, rest = block[sized + 1 : sized + 1 + height], block[sized + 1 + height :]
    target, words = rest[-height:], rest[:-height]
    board, goal = (signs(rows) if len(rows) == height else None for rows in (start, target))
    if board is None or len(board[0]) != width:
        return None
    named = "\n".join(line.text.strip() for line in (*block[:sized], *words))
    name = re.search(r"^name\s*:\s*(.*)", named, re.MULTILINE | re.IGNORECASE)
    title = name[1] if name else block[0].text.strip() if sized else ""
    notes = "\n".join(line for line in named.split("\n") if title not in line or not title)
    if goal is None and not rest:
        level = _classic(board, block[sized].span)
    elif goal is None or len(goal[0]) != width:
        return None
    else:
        keys: Keys = {"board": _texts(board), "goal": _texts(goal)}
        level = Level(block[sized].span, keys, took="the target is in the file", rows=(*board, (), *goal))
    return level and replace(level, name=title, notes=notes)


def _texts(rows: list[list[Sign]]) -> Rows:
    """The rows of a board as puzzle files have them: a number of two digits is a letter."""
    text = {sign.text for row in rows for sign in row}
    empty = set("._ -") if text & set("._ -") else {"0"}
    names = lettered(sorted(text), ascii_letters, lambda sign: len(sign) == 1) | dict.fromkeys(empty, EMPTY)
    return tuple("".join(names[sign.text] for sign in row) for row in rows)


def _classic(cells: list[list[Sign]], at: Span) -> Level | None:
    """The level whose one piece of two by two cells goes to the bottom, in the middle; None if there is no such."""
    if not all(sign.text.isalnum() or sign.text in "._ #-" for row in cells for sign in row):
        return None
    board = _texts(cells)
    if (goal := _middle(board)) is None:
        return None
    letter = next(sign for sign in goal[-1] if sign not in EMPTY + WALL)
    took = f"piece {letter} of 2 by 2 cells goes to the bottom, in the middle"
    return Level(at, {"board": board, "goal": goal}, took=took, rows=cells)


def _middle(board: Rows) -> Rows | None:
    """The target with the one piece of two by two cells at the bottom, in the middle."""
    pieces = pieces_of(board, EMPTY + WALL)
    squares = [sign for sign, own in pieces.items() if is_square(own)]
    whole = sum(len(parts_of(own)) == 1 for own in pieces.values())
    width = len(board[0])
    if len(squares) != 1 or width % 2 or 3 * whole < 2 * len(pieces):
        return None
    sides = EMPTY * (width // 2 - 1)
    return (*(EMPTY * width for _ in board[2:]), *[sides + squares[0] * 2 + sides] * 2)


def in_text_lines(report: Report, _said: Said) -> Iterator[Level]:
    """Boards of five rows of four cells, each in a word of 20 signs."""
    hint = "a Klotski is 20 signs in one line, equal ones a piece"
    read = lambda rows, _before: _classic(rows, rows[0][0].at)  # noqa: E731
    return in_lines(report, read, lambda signs: 4 if signs == 20 else 0, "Klotski of 20 signs", hint)


# Writing


def to_rows(header: Header, puzzle: SlidingBlock) -> str:
    """A board as rows; with its size, name and target where that is another than a Klotski's."""
    board = SlidingBlockSimulator(puzzle).board()
    keys = write(puzzle, board)
    if more := sorted(keys.keys() - {"board", "goal"}):
        raise UsageError(f"klotski-rows cannot say {', '.join(f'`{key}`' for key in more)}")
    goal = tuple(keys["goal"])
    if goal == _middle(board):
        return "\n".join(board) + "\n"
    size = f"{puzzle.height} {puzzle.width}"
    return "\n".join([f"name: {header.name}", size, *board, "-> target", *goal]) + "\n"


def to_line(_header: Header, puzzle: SlidingBlock) -> str:
    """A Klotski of five rows of four cells in one line."""
    rows = to_rows(Header("", "", ""), puzzle).split()
    if [len(row) for row in rows] != [4] * 5:
        what = counted(puzzle.height, "row")
        raise UsageError(
            f"klotski-lines has five rows of four cells and the target of a Klotski, not {what} of {puzzle.width}"
        )
    return "".join(rows) + "\n"


_ROWS_HELP = "Klotskis in rows of digits or letters, equal ones a piece"
_LINES_HELP = "Klotskis, each a line of 20 signs, equal ones a piece"

FORMS: tuple[Form[SlidingBlock], ...] = (
    Form("klotski-rows", (".txt", ".json"), _ROWS_HELP, in_rows, to_rows, "Klotski", _GRID),
    Form("klotski-lines", (".txt", ".tsv"), _LINES_HELP, in_text_lines, to_line, "Klotski of 20 signs", _GRID),
)
