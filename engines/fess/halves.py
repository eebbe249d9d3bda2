"""A level in two halves: a search backward to a board that is easy to get to, and one forward to that board.

From the solved board boxes are pulled until all free cells are joined, and the boxes far apart: the *middle*. From
there the plan to the goals is known. Forward the cells of its boxes are the goals: with the boxes that far apart, they
can be filled in almost any order. Every position that the backward search met may be the middle as well (`meeting`).
(The program Festival, version 3, has such a pair of searches, "HF", among its strategies, and calls the cells of the
middle imagined.)

What such a forward search calls dead is so for the cells of the middle, not for the goals: that it comes to its end
proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...analysis.boxes.board import FAR, Board
from ...analysis.boxes.packing_plan import no_plan
from ...analysis.matching import assignment, match
from ...analysis.movable_objects import INFINITE
from ...runtime.arrays import Shorts
from ...runtime.budget import MIB, Budget
from .loop import MOVES
from .meeting import SLOT_BYTES, Meetings, meetings_of
from .packing import regions
from .pushes import Macro
from .search import MEMORY_MIB, MEMORY_SHARE, FeatureSearch
from .strategy import AS_SCORED, Strategy

# Part of the memory that a search to a middle may fill.
TABLE_MEMORY = 0.1

# The most slots of the table of positions of a search to a middle.
TABLE_SLOTS = 1 << 22

LOOKED_AT = 400
"""The best positions of the backward search in which the middle is looked for."""

FARTHEST = 255
"""The largest value of `Board.away`."""


@dataclass(frozen=True, slots=True)
class OtherSide:
    """A backward search, the table of the positions that it met, and the boards of the half before the middle.

    `number`: of the search; `forward`, `backward`: the boards with the boxes of the middle, `goals`, as goals.
    """

    number: int
    search: FeatureSearch
    meetings: Meetings
    forward: Board
    backward: Board
    goals: tuple[int, ...]

    def macros(self, slot: int) -> list[Macro]:
        """The macro moves from the position in a slot of the table to the goals."""
        start, end, _ = self.meetings.move[slot].tolist()
        parent = int(self.meetings.parent[slot])
        first = (end, start, int(self.search.tree.node[parent]["player"]))
        return [first, *((step.end, step.start, step.before) for step in reversed(self.search.way(parent)))]


def other_side(
    forward: Board,
    backward: Board,
    boxes: Sequence[int],
    goals: Sequence[int],
    budget: Budget,
    number: int,
    most: int,
) -> OtherSide | None:
    """Search backward, without a sink, in at most `most` positions; None if it finds no middle that boxes could reach.

    `number`: of the search. Of odd ones the boxes get far from the goals, of even ones near to where boxes start; all
    but the first two have noise.
    """
    if len(boxes) != len(goals):
        return None
    strategy = Strategy(AS_SCORED, (number - 1) // 2)
    board = backward if number % 2 else _near(backward, forward.pushes[list(boxes)])
    search = FeatureSearch(board, no_plan(board), boxes, strategy, budget, pull=True, memory=TABLE_MEMORY)
    for player in sorted(set(regions(board, goals).values())):
        search.plant(goals, player)
    search.tree.left[: search.positions] = 0  # no base is left: no box vanishes
    search.run(search.budget.stopped, most)
    tree, made = search.tree, search.expanded
    room = TABLE_MEMORY * MEMORY_SHARE * (budget.memory_mib or MEMORY_MIB) * MIB
    slots = min(TABLE_SLOTS, int(room / SLOT_BYTES))
    meetings = meetings_of(tree, made, int(search.numbers[MOVES]), slots)
    for best in np.argsort(tree.node["rank"][:made], kind="stable")[:LOOKED_AT]:
        middle = tuple(int(cell) for cell in tree.box[best])
        if _matched(forward.pushes[np.ix_(boxes, middle)] < FAR):
            return OtherSide(number, search, meetings, *toward(forward, backward, middle), middle)
    return None


def _near(board: Board, pushes: Shorts) -> Board:
    """The board for pulling boxes to cells near their starts; `pushes` (B, F): the pushes from start to cell."""
    away = np.zeros_like(board.away)
    away[:-1] = FARTHEST - np.minimum(pushes, FARTHEST).min(axis=0)
    return board._replace(away=away)


def toward(forward: Board, backward: Board, cells: Sequence[int]) -> tuple[Board, Board]:
    """The two boards with `cells` as goals. Pushed boxes should come near them; none has to keep away on the way."""
    pushes = np.minimum(forward.pushes[:, list(cells)], FARTHEST).astype(np.int32)
    goal, live = np.zeros_like(forward.goal), np.zeros_like(forward.live)
    away, mean = np.zeros_like(forward.away), np.zeros_like(forward.away)
    goal[list(cells)] = 1
    live[:-1] = (forward.pushes[:, list(cells)] < FAR).any(axis=1)
    away[:-1] = FARTHEST - pushes.min(axis=1)
    mean[:-1] = pushes.sum(axis=1) // len(cells)
    return forward._replace(goal=goal, live=live, away=away), backward._replace(goal=goal, away=mean)


def _matched(may: NDArray[np.bool_]) -> bool:
    """Whether `may` (B, B) has a perfect matching: for each row a column of its own where it is true."""
    work = assignment(len(may))
    work.where[:] = range(len(may))
    return bool(match(np.where(may, 0, INFINITE), work) >= 0)
