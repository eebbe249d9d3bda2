"""From the macro moves of a search to the pushes of a plan, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...analysis.boxes.board import LETTERS, Board
from ...analysis.boxes.core_deadlocks import replay
from ...analysis.boxes.scratch import scratch_for
from ...models.boxes import BoxBoard
from ...models.moves import Cost, Slide
from ...models.plan import Plan
from ...runtime.arrays import Bytes, Ints, Longs
from ...runtime.kernel_cache import njit

Push = tuple[int, int]
"""(cell of the box, direction)."""

Macro = tuple[int, int, int]
"""(start, end, a cell that the player can get to then; -1 for any)."""

ROOM_FOR = 1 << 16
"""Cells of all the ways of a plan, at most."""


class Replayer:
    """Makes macro moves from the start of a level."""

    def __init__(self, board: Board, boxes: Sequence[int], player: int) -> None:
        self.board, self.boxes, self.player = board, list(boxes), player
        cells = len(board.goal) - 1
        self.scratch = scratch_for(cells, 0, 0)
        self.way, self.all = np.zeros(16 * cells + 8, np.int32), np.zeros(ROOM_FOR, np.int32)
        self.direction = {(c, int(board.neighbour[c, d])): d for c in range(cells) for d in range(4)}

    def pushes(self, macros: Sequence[Macro]) -> int | None:
        """How many pushes macro moves take to a goal; None if they do not lead to one."""
        occupied = self.scratch.occupied
        occupied[:-1] = 0
        occupied[self.boxes] = 1
        moves = np.array(macros, np.int32).reshape(-1, 3)
        board = self.board
        total = replay(board.neighbour, board.live, board.goal, self.scratch, moves, self.player, self.way, self.all)
        return int(total) if total >= 0 else None

    def unfold(self, macros: Sequence[Macro]) -> list[Push]:
        """The single pushes of macro moves, which must lead to a goal."""
        if self.pushes(macros) is None:
            raise ValueError("these macro moves do not lead to a goal")
        found: list[Push] = []
        at = 0
        for _ in macros:
            count = int(self.all[at])
            way = self.all[at + 1 : at + 1 + count].tolist()
            found += [(here, self.direction[here, there]) for here, there in pairwise(way)]
            at += count + 1
        return found


def plan_of(view: BoxBoard, board: Board, pushes: Sequence[Push]) -> tuple[Plan, Cost]:
    """The plan that these pushes are, and its cost in the metric of the view."""
    number = {cell: i for i, cell in enumerate(view.cells)}
    steps = walked(board.neighbour, [number[cell] for cell in view.boxes], number[view.player], pushes)
    cost = tuple(len(pushes) * push + steps * walk for push, walk in zip(view.push, view.walk, strict=True))
    return Plan(tuple(Slide(view.cells[cell], LETTERS[d]) for cell, d in pushes)), cost


def walked(neighbour: Ints, boxes: Sequence[int], player: int, pushes: Sequence[Push]) -> int:
    """The steps without a push that the player makes for pushes, by shortest ways."""
    cells = len(neighbour) - 1
    occupied = np.zeros(cells + 1, np.uint8)
    occupied[[*boxes, cells]] = 1
    listed, work = np.array(pushes, np.int64).reshape(-1, 2), np.zeros((2, cells + 1), np.int32)
    return int(_walked(neighbour, occupied, player, listed, work[0], work[1]))


@njit(cache=True, _nrt=False, effort=1)
def _walked(neighbour: Ints, occupied: Bytes, player: int, pushes: Longs, queue: Ints, steps: Ints) -> int:
    """See `walked`: `pushes` (P, 2) are cells and directions, `queue` and `steps` (F+1) scratch arrays."""
    total = 0
    for p in range(len(pushes)):
        cell, d = pushes[p, 0], pushes[p, 1]
        behind = neighbour[cell, d ^ 1]
        for c in range(len(steps)):
            steps[c] = -1
        steps[player] = 0
        queue[0], head, tail = player, 0, 1
        while head < tail and steps[behind] < 0:
            here = queue[head]
            head += 1
            for way in range(4):
                other = neighbour[here, way]
                if not occupied[other] and steps[other] < 0:
                    steps[other] = steps[here] + 1
                    queue[tail] = other
                    tail += 1
        total += steps[behind]
        occupied[cell], occupied[neighbour[cell, d]] = 0, 1
        player = cell
    return total
