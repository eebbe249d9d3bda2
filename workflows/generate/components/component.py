"""What is found out about the component of a board of sliding rectangles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....runtime.arrays import Longs
from ....runtime.by_address import laid_out
from .block_kernels import EMPTY, FULL, Desk, Space, component, distance_to_goal, shortest_plans
from .blocks import Blocks, Piece, lay_out, place_of

SUCCESSORS = 4096
"""Room for the successors of one state: 62 positions at most, for each of at most 62 pieces."""


@dataclass(frozen=True, slots=True)
class Component:
    """The states around a board: their number, the largest distance to a goal (None without one), and the pieces at
    the state that has it, in the order of classes.
    """

    states: int
    farthest: int | None
    pieces: tuple[Piece, ...]


class Explorer:
    """Explores boards with at most `most` states, in arrays that are made once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._space = laid_out(
            Space(
                states=np.empty(most, np.uint64),
                table=np.full(1 << (2 * most - 1).bit_length(), EMPTY, np.int32),
                slot=np.empty(most, np.int32),
                distance=np.empty(most, np.int16),
                queue=np.empty(most, np.int32),
            )
        )
        self._keys, self._stack = np.empty(SUCCESSORS, np.uint64), np.empty(64, np.int64)

    def explore(
        self, height: int, width: int, walls: frozenset[tuple[int, int]], pieces: list[Piece], metric: int
    ) -> Component | None:
        """The component of a board; None if it is too large."""
        laid = lay_out(height, width, walls, pieces)
        if laid is None:
            return None
        blocks, start = laid
        count, farthest, best = component(
            blocks, self._desk(len(start)), _key(blocks.shift, start), metric, self._space
        )
        if count == FULL:
            return None
        if farthest < 0:
            return Component(count, None, tuple(pieces))
        ordered = sorted(pieces, key=lambda piece: (piece.klass, piece.row, piece.column))
        key = int(self._space.value.states[best])  # type: ignore[attr-defined]
        placed = []
        for p, piece in enumerate(ordered):
            end = int(blocks.shift[p + 1]) if p + 1 < len(ordered) else 64
            position = (key >> int(blocks.shift[p])) & ((1 << (end - int(blocks.shift[p]))) - 1)
            row, column = place_of(piece, position, width)
            placed.append(piece._replace(row=row, column=column))
        return Component(count, farthest, tuple(placed))

    def distance(
        self, height: int, width: int, walls: frozenset[tuple[int, int]], pieces: list[Piece], metric: int
    ) -> int | None:
        """The distance of a board to the nearest goal; None if there is none, or too many states before it."""
        found = self._measured(distance_to_goal, (height, width, walls, pieces), metric)
        return None if found is None else int(found)

    def plans(
        self, height: int, width: int, walls: frozenset[tuple[int, int]], pieces: list[Piece], metric: int
    ) -> int | None:
        """The number of shortest plans of a board; None if it is too large."""
        found = self._measured(shortest_plans, (height, width, walls, pieces), metric)
        return None if found is None else int(found)

    def _measured(
        self,
        kernel: Callable[[Blocks, Desk, np.uint64, int, Space], float],
        board: tuple[int, int, frozenset[tuple[int, int]], list[Piece]],
        metric: int,
    ) -> float | None:
        """What a kernel measures of a board; None where that is negative, or the board is too large."""
        laid = lay_out(*board)
        if laid is None:
            return None
        blocks, start = laid
        found = kernel(blocks, self._desk(len(start)), _key(blocks.shift, start), metric, self._space)
        return found if found >= 0 else None

    def _desk(self, n: int) -> Desk:
        return Desk(np.empty(n, np.int64), np.empty(n, np.int64), self._keys, self._stack)


def _key(shift: Longs, start: Longs) -> np.uint64:
    return np.uint64(sum(int(at) << int(s) for at, s in zip(start, shift, strict=True)))
