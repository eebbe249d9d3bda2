"""The tables of one search in feature space."""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.boxes.board import Board
from ...analysis.boxes.core_deadlocks import CoreSearch
from ...analysis.boxes.corral_deadlocks import CorralSearch
from ...analysis.boxes.freeze import GoalReach
from ...analysis.boxes.packing_plan import PackingPlan
from ...analysis.boxes.scratch import BoardScratch
from ...runtime.arrays import Longs, Shorts
from .meeting import Meetings
from .space import CellSpace
from .tree import Tree


class SpaceSearch(NamedTuple):
    """Tables of a search by pushes, or by pulls, of B boxes.

    `bases` (B): where boxes start, for the packing search; `strategy`: see `strategy.ORDER`; `s`: the position that is
    looked at; `goals`, `corrals`, `cores`: tests for deadlocks, with what they know; `meetings`: positions of the
    search from the other side; `numbers`: see `loop.NODES`.
    """

    board: Board
    plan: PackingPlan
    bases: Shorts
    strategy: Longs
    s: BoardScratch
    goals: GoalReach
    corrals: CorralSearch
    cores: CoreSearch
    meetings: Meetings
    tree: Tree
    space: CellSpace
    numbers: Longs
