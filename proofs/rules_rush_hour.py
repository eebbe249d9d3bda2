"""Rush Hour: vehicles are straight runs of cells and move along their length; one of them must cover the exit."""

from __future__ import annotations

from typing import Any

from .core.limits import Invalid, Limits
from .pieces import Piece, PiecePuzzle, Wish
from .reading import Cell, Text, cell_of, mapping_of, only_keys, other_form, rectangle

EMPTY, WALL = ".", "#"
COUNTS = (("slides", "slides"), ("steps", "steps"))
AXES = {"horizontal": "LR", "vertical": "UD"}


def read(fields: dict[str, Any], file: str, _limits: Limits) -> PiecePuzzle:
    """The puzzle of a file."""
    only_keys(fields, {"board", "goal", "orientation"})
    grid = rectangle(fields.get("board"), "board", file)
    if not set(grid.values()).isdisjoint("ox"):
        raise other_form("`board` has `.` for an empty cell and `#` for a wall, not o and x", file)
    cells: dict[str, set[Cell]] = {}
    for cell, char in grid.items():
        cells.setdefault(char, set()).add(cell)
    open_ = frozenset(cell for cell, char in grid.items() if char != WALL)
    turned = mapping_of(fields, "orientation", file)
    singles = {char for char, covered in cells.items() if len(covered) == 1 and char not in EMPTY + WALL}
    if set(turned) != singles or not all(isinstance(said, Text) and said in AXES for said in turned.values()):
        raise other_form("`orientation` says horizontal or vertical, of each vehicle of one cell and no other", file)
    pieces = tuple(
        Piece(
            letter,
            frozenset(covered),
            open_,
            AXES[turned[letter]] if letter in turned else _ways(letter, covered, file),
        )
        for letter, covered in sorted(cells.items())
        if letter not in EMPTY + WALL
    )
    goal = fields.get("goal")
    if not isinstance(goal, dict) or set(goal) != {"piece", "exit"} or not isinstance(goal["piece"], Text):
        raise other_form("`goal` is `{piece: ..., exit: {row: ..., col: ...}}`", file)
    exit_ = cell_of(goal["exit"], {"row", "col"}, "`exit`", file)
    if str(goal["piece"]) not in {piece.letter for piece in pieces} or exit_ not in open_:
        raise Invalid("the piece that must get out is not on the board, or the exit is a wall or outside", file)
    rows = tuple(fields["board"].removesuffix("\n").split("\n"))
    return PiecePuzzle(rows, pieces, (Wish(frozenset((str(goal["piece"]),)), frozenset((exit_,))),), COUNTS)


def _ways(letter: str, cells: set[Cell], file: str) -> str:
    """The directions in which a vehicle of several cells moves: along its length."""
    rows, columns = {r for r, _ in cells}, {c for _, c in cells}
    for ways, across, along in (("LR", rows, columns), ("UD", columns, rows)):
        if len(across) == 1 and max(along) - min(along) + 1 == len(cells):
            return ways
    raise Invalid(f"piece {letter} is no straight run of cells", file)
