"""What is connected: the cells that are reached from a cell by steps in the directions, where a definition allows them.

    connected(a, b, same)      for c in region(a, same)      with   same(from, to): colour[from] == colour[to]

The definition is asked with the cell that a step leads to, with both cells, or with the cell before it and the
direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....cells import Cell
from .expressions import Value
from .values import BoardGeometry

Step = tuple[Cell, tuple[Value, ...]]
"""The cell that a step leads to, and what its definition is asked with."""


def steps_from(board: BoardGeometry, here: Cell, asks: str) -> Iterator[Step]:
    """The steps from a cell to others on the board; `asks` as in `Connected`."""
    for way, (rows, columns) in board.directions.items():
        there = (here[0] + rows, here[1] + columns)
        if there in board.cells and there != here:
            yield there, (there,) if asks == "cell" else (here, there if asks == "cells" else way)


def region(board: BoardGeometry, start: Cell, asks: str, allowed: Callable[[tuple[Value, ...]], bool]) -> set[Cell]:
    """The cells that are reached from a cell, itself among them, by steps for which `allowed` is true."""
    found, waiting = {start}, [start]
    while waiting:
        for there, asked in steps_from(board, waiting.pop(), asks):
            if there not in found and allowed(asked):
                found.add(there)
                waiting.append(there)
    return found
