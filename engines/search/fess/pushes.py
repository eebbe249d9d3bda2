"""From the macro moves of a search to the pushes of a plan, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ....models.boxes import BoxBoard
from ....models.cost import Cost
from ....models.moves import Slide
from ....models.plan import Plan
from ....runtime.arrays import Bytes, Ints, Longs
from ....runtime.kernel_cache import njit
from .board import LETTERS, Board
from .macros import pushes_of
from .scratch import scratch_for
from .search import Step

Push = tuple[int, int]
"""(cell of the box, direction)."""


def unfold(board: Board, boxes: Sequence[int], steps: Sequence[Step]) -> list[Push]:
    """The pushes of macro moves, made one after the other from a position."""
    cells = len(board.goal) - 1
    scratch, way = scratch_for(cells, 0, 0), np.zeros(16 * cells + 8, np.int32)
    scratch.occupied[list(boxes)] = 1
    direction = {(c, int(board.neighbour[c, d])): d for c in range(cells) for d in range(4)}
    pushes: list[Push] = []
    for step in steps:
        count = pushes_of(board.neighbour, board.live, scratch, step.start, step.end, step.before, step.after, way)
        cells_of = way[:count].tolist()
        pushes += [(here, direction[here, there]) for here, there in pairwise(cells_of)]
    return pushes


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
