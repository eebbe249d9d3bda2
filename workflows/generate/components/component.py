"""What is found out about the component of a board of sliding rectangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....runtime.by_address import laid_out
from ..pieces import Cell, Rectangle
from .block_kernels import EMPTY, BlockScratch, BlockStates, component
from .blocks import lay_out, place_of

SUCCESSORS = 4096
"""Room for the successors of one state: 62 positions at most, for each of at most 62 pieces."""


@dataclass(frozen=True, slots=True)
class Component:
    """The states around a board: its walls, the number of states, how far the board is from a goal, the largest
    distance of any state (both None if no goal can be reached), and the pieces at the state that has it, by class.
    """

    walls: frozenset[Cell]
    states: int
    distance: int | None
    farthest: int | None
    pieces: tuple[Rectangle, ...]


class Explorer:
    """Explores boards with at most `most` states, in arrays that are made once."""

    def __init__(self, most: int) -> None:
        self._space = laid_out(
            BlockStates(
                states=np.empty(most, np.uint64),
                table=np.full(1 << (2 * most - 1).bit_length(), EMPTY, np.int32),
                slot=np.empty(most, np.int32),
                distance=np.empty(most, np.int16),
                queue=np.empty(most, np.int32),
            )
        )
        self._keys, self._stack = np.empty(SUCCESSORS, np.uint64), np.empty(64, np.int64)

    def explore(
        self, height: int, width: int, walls: frozenset[Cell], pieces: list[Rectangle], metric: int, least: int = 0
    ) -> Component | None:
        """The component of a board; None if it is too large, or the board is fewer than `least` steps from a goal."""
        pieces = sorted(pieces, key=lambda piece: (piece.klass, piece.row, piece.column))
        laid = lay_out(height, width, walls, pieces)
        if laid is None:
            return None
        blocks, start = laid
        shifts = blocks.shift.tolist()
        scratch = BlockScratch(np.empty(len(start), np.int64), np.empty(len(start), np.int64), self._keys, self._stack)
        first = sum(at << shift for at, shift in zip(start.tolist(), shifts, strict=True))
        count, farthest, best = component(blocks, scratch, np.uint64(first), metric, least, self._space)
        if count < 0:
            return None
        if farthest < 0:
            return Component(walls, count, None, None, tuple(pieces))
        found: BlockStates = self._space.value  # type: ignore[attr-defined]
        key, placed = int(found.states[best]), []
        for piece, shift, end in zip(pieces, shifts, [*shifts[1:], 64], strict=True):
            row, column = place_of(piece, key >> shift & ((1 << (end - shift)) - 1), width)
            placed.append(piece._replace(row=row, column=column))
        return Component(walls, count, int(found.distance[0]), farthest, tuple(placed))
