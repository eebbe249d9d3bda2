"""Cells of a board, the four directions, and how cells are written for people and in names of facts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

Cell = tuple[int, int]
"""A cell as 0-based (row, column)."""

Rows = tuple[str, ...]
"""A board or a map as rows of text."""

DIRECTIONS: dict[str, Cell] = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def shift(cell: Cell, direction: str, by: int = 1) -> Cell:
    """The cell that is `by` cells from another in a direction (U, D, L or R)."""
    row, column = DIRECTIONS[direction]
    return cell[0] + by * row, cell[1] + by * column


def direction(here: Cell, there: Cell) -> str:
    """The letter of the direction from a cell to a neighbouring one."""
    vector = (there[0] - here[0], there[1] - here[1])
    return next(letter for letter, step in DIRECTIONS.items() if step == vector)


def flood(starts: Iterable[Cell], allowed: Callable[[Cell, str], bool]) -> set[Cell]:
    """The cells that steps lead to from some cells, these among them; `allowed(cell, direction)` says which steps."""
    return set(came_from(starts, allowed))


def came_from(starts: Iterable[Cell], allowed: Callable[[Cell, str], bool]) -> dict[Cell, Cell]:
    """Each cell that steps lead to, nearer ones first, with the cell before it on a shortest way (a start: itself)."""
    came = {cell: cell for cell in starts}
    queue = list(came)
    for cell in queue:  # it grows
        for way in DIRECTIONS:
            target = shift(cell, way)
            if target not in came and allowed(cell, way):
                came[target] = cell
                queue.append(target)
    return came


def parts_of(cells: list[Cell]) -> list[list[Cell]]:
    """The edge-connected parts of a set of cells, each in reading order, by their first cell."""
    inside, placed, parts = set(cells), set[Cell](), []
    for first in cells:
        if first not in placed:
            part = flood([first], lambda cell, way: shift(cell, way) in inside)
            placed |= part
            parts.append(sorted(part))
    return parts


def pieces_of(rows: Iterable[Iterable[str]], blank: Container[str]) -> dict[str, list[Cell]]:
    """The cells of every sign that is not in `blank`, signs and cells in reading order."""
    pieces: dict[str, list[Cell]] = {}
    for r, row in enumerate(rows):
        for c, sign in enumerate(row):
            if sign not in blank:
                pieces.setdefault(sign, []).append((r, c))
    return pieces


def is_square(cells: list[Cell]) -> bool:
    """Whether cells, in reading order, are two by two."""
    row, column = cells[0]
    return cells == [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]


def place(cell: Cell) -> str:
    """A cell for people: `row 3, column 4`."""
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def bits(mask: int) -> list[int]:
    """The numbers of the bits of a mask, as sets of cells or values are kept; the lowest first."""
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers


def rc(cell: Cell) -> str:
    """A cell in names of facts: `r3c4`."""
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def draw(height: int, width: int, letters: Mapping[Cell, str], walls: Container[Cell]) -> tuple[str, ...]:
    """A board as rows of text: the letters, `#` for a wall, `.` for an empty cell."""
    return tuple(
        "".join(letters.get((r, c), "#" if (r, c) in walls else ".") for c in range(width)) for r in range(height)
    )
