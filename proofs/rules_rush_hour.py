"""Rush Hour: vehicles are straight runs of cells and move along their length; one of them must cover the exit."""

from __future__ import annotations

from typing import Any

from .limits import Invalid
from .pieces import Board, Piece, Wish
from .reading import Cell, Text, only_keys, rectangle

EMPTY, WALL = ".o", "#x"
COUNTS = (("slides", "slides"), ("steps", "steps"))


def read(fields: dict[str, Any], file: str) -> Board:
    """The puzzle of a file."""
    only_keys(fields, {"board", "goal", "orientation"})
    board = fields.get("board")
    if isinstance(board, Text) and "\n" not in board.strip() and len(board.strip()) == 36:
        line = board.strip()
        board = [Text(line[i : i + 6]) for i in range(0, 36, 6)]
    grid = rectangle(board, "board", file)
    used = set(grid.values())
    if set(EMPTY) <= used or set(WALL) <= used:
        raise Invalid("`board` writes empty cells or walls in two ways", file)
    height, width = max(grid)[0] + 1, max(grid)[1] + 1
    open_ = frozenset(cell for cell, char in grid.items() if char not in WALL)
    turned = fields.get("orientation", {})
    pieces = []
    for letter in sorted(used - set(EMPTY + WALL)):
        cells = sorted(cell for cell, char in grid.items() if char == letter)
        pieces.append(Piece(letter, frozenset(cells), open_, _ways(letter, cells, turned, file)))
    target, exit_ = _goal(fields.get("goal", {}), {p.letter: p for p in pieces}, (height, width), file)
    if exit_ not in open_:
        raise Invalid("the exit is a wall, or outside the board", file)
    wish = Wish(frozenset((target.letter,)), frozenset((exit_,)))
    rows = tuple("".join(grid[r, c] for c in range(width)) for r in range(height))
    return Board(rows, tuple(pieces), (wish,), COUNTS)


def _ways(letter: str, cells: list[Cell], turned: Any, file: str) -> str:
    """Where a vehicle goes: along its length, or as `orientation` says if it is one cell."""
    rows, columns = {r for r, _ in cells}, {c for _, c in cells}
    said = turned.get(letter) if isinstance(turned, dict) else None
    if len(cells) == 1 and said in ("horizontal", "vertical"):
        return "LR" if said == "horizontal" else "UD"
    across = len(rows) == 1
    straight = (across or len(columns) == 1) and max(max(rows) - min(rows), max(columns) - min(columns)) + 1 == len(
        cells
    )
    if len(cells) == 1 or not straight or said == ("vertical" if across else "horizontal"):
        raise Invalid(f"piece {letter} is no straight run of cells, or its orientation is not clear", file)
    return "LR" if across else "UD"


def _goal(goal: Any, pieces: dict[str, Piece], size: Cell, file: str) -> tuple[Piece, Cell]:
    """The vehicle that must get out, and the cell that it must cover."""
    if not isinstance(goal, dict) or not set(goal) <= {"piece", "exit"}:
        raise Invalid("`goal` is not {piece: ..., exit: ...}", file)
    target, exit_ = pieces.get(goal.get("piece", "A")), goal.get("exit", "right")
    if target is None:
        raise Invalid("the piece that must get out is not on the board", file)
    row, column = min(target.cells)
    if isinstance(exit_, dict) and set(exit_) == {"row", "col"}:
        texts = [exit_["row"], exit_["col"]]
        if not all(isinstance(t, Text) and t.isascii() and t.isdigit() and len(t) < 4 for t in texts):
            raise Invalid("`exit` has no row and column", file)
        return target, (int(texts[0]) - 1, int(texts[1]) - 1)
    sides = {"right": ("LR", (row, size[1] - 1)), "left": ("LR", (row, 0))}
    sides |= dict.fromkeys(("top", "up"), ("UD", (0, column)))
    sides |= dict.fromkeys(("bottom", "down"), ("UD", (size[0] - 1, column)))
    ways, cell = sides.get(exit_, ("", (0, 0))) if isinstance(exit_, str) else ("", (0, 0))
    if ways != target.ways:
        raise Invalid("the piece cannot leave at the side that `exit` names", file)
    return target, cell
