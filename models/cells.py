"""Cells of a board, the four directions, and how cells are written for people and in names of facts."""

from __future__ import annotations

from collections.abc import Container, Mapping

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


def parts_of(cells: list[Cell]) -> list[list[Cell]]:
    """The edge-connected parts of a set of cells, each in reading order, by their first cell."""
    left = dict.fromkeys(cells)
    parts = []
    while left:
        part = [next(iter(left))]
        del left[part[0]]
        for r, c in part:  # grows while it is read
            for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if near in left:
                    del left[near]
                    part.append(near)
        parts.append(sorted(part))
    return parts


def place(cell: Cell) -> str:
    """A cell for people: `row 3, column 4`."""
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def rc(cell: Cell) -> str:
    """A cell in names of facts: `r3c4`."""
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def draw(height: int, width: int, letters: Mapping[Cell, str], walls: Container[Cell]) -> tuple[str, ...]:
    """A board as rows of text: the letters, `#` for a wall, `.` for an empty cell."""
    return tuple(
        "".join(letters.get((r, c), "#" if (r, c) in walls else ".") for c in range(width)) for r in range(height)
    )
