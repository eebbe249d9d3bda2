"""One search in feature space, forward or backward, from its roots to a goal or a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...analysis.boxes.board import Board, bare_board, board_arrays, label_regions, scratch_for
from ...analysis.boxes.box_board import BoxBoard
from ...analysis.boxes.deadlock_search import DeadlockSearch, deadlock_search_for
from ...analysis.boxes.freeze import GoalReach, goal_reach_for
from ...analysis.boxes.packing_plan import PackingEntry, PackingPlan, entries, no_plan, packing_plan
from ...runtime.arrays import Ints
from ...runtime.budget import MIB, Budget
from ..common.work_quota import WorkQuota
from .loop import BEST, BOX, COUNTS, ENOUGH, EXPANDED, GOAL, LISTED, MEETING, MOVES, NODES, advance
from .space import BASE, SpaceSearch, Strategy, space_for
from .tree import MOVE, bytes_per_position, no_meetings, tree_for

# Moves of a position, on the average, that there is memory for.
MOVES_EACH = 200

# Part of the memory limit that positions and moves may fill.
MEMORY_SHARE = 0.8

# MiB that count as the limit if the budget has no memory limit.
MEMORY_MIB = 8192

# The most positions that a tree has room for.
MOST_POSITIONS = 1 << 22

HAD_ENOUGH = "enough"
"""The reason reported for a search that has used up its share of positions."""


@dataclass(frozen=True, slots=True)
class MacroStep:
    """A macro move: a box from one cell to another, the player's region before and after, whether the box vanished."""

    start: int
    end: int
    before: int
    after: int
    gone: bool


Deadlocks = tuple[GoalReach, DeadlockSearch]
"""The searches for deadlocks with the results they have kept: all searches on one board share them."""


def deadlocks_for(board: Board, boxes: int) -> Deadlocks:
    """New searches for deadlocks, without kept results."""
    return goal_reach_for(board), deadlock_search_for(scratch_for(len(board.goal) - 1, boxes, 0))


@dataclass(frozen=True, slots=True)
class Level:
    """A level as two boards, for pushing `forward` and pulling `backward`, with the cells of its boxes and goals."""

    forward: Board
    backward: Board
    boxes: tuple[int, ...]
    goals: tuple[int, ...]


def level_of(board: BoxBoard, budget: Budget) -> Level:
    """The level that a board is. If the budget has ended by then, its tables are not complete."""
    forward, backward = board_arrays(board, lambda: budget.stopped() is not None)
    return Level(forward, backward, board.boxes, board.goals)


class FeatureSearch:
    """A search on one board. `bases`: where the boxes start; `memory`: the part of the memory that it may fill;
    `deadlocks`: shared with other searches of the board. `meetings`: positions of the other side, none to begin with.
    """

    def __init__(
        self,
        board: Board,
        plan: PackingPlan,
        bases: Sequence[int],
        strategy: Strategy,
        budget: Budget,
        *,
        pull: bool,
        memory: float = 1.0,
        deadlocks: Deadlocks | None = None,
    ) -> None:
        cells, boxes = len(board.goal) - 1, len(bases)
        meets = strategy.middle > 0
        self.strategy = np.array([strategy.order, strategy.seed, strategy.open_start, meets], np.int64)
        self.meetings = no_meetings(boxes)
        self.board, self.plan, self.budget, self.pull = board, plan, budget, pull
        self.bases = np.array(bases, np.int16)
        self.scratch = scratch_for(cells, boxes, len(board.edges))
        self.deadlocks = deadlocks or deadlocks_for(board, boxes)
        room = memory * MEMORY_SHARE * (budget.memory_mib or MEMORY_MIB) * MIB
        each = bytes_per_position(boxes) + MOVES_EACH * MOVE.itemsize
        nodes = min(MOST_POSITIONS, max(int(room / each), 16))
        self.most_moves = 8 * cells * boxes + 8
        """An upper bound on the moves of a position: for each box a cell, a side of it, and whether it vanishes."""
        self.tree = tree_for(boxes, nodes, MOVES_EACH * nodes + self.most_moves)
        self.space = space_for(nodes)
        self.numbers = np.zeros(COUNTS, np.int64)
        self.numbers[GOAL] = self.numbers[BEST] = self.numbers[MEETING] = -1

    @property
    def positions(self) -> int:
        return int(self.numbers[NODES])

    @property
    def expanded(self) -> int:
        return int(self.numbers[EXPANDED])

    @property
    def goal(self) -> int:
        """The position that solves the board or meets the other side; -1 until it is found."""
        return int(self.numbers[GOAL])

    @property
    def meeting(self) -> int:
        """The slot of that position in the table `meetings`; -1 if it is solved."""
        return int(self.numbers[MEETING])

    def plant(self, boxes: Sequence[int], player: int) -> None:
        """Add a root: where the boxes are, and the smallest cell of the player's region."""
        node, tree = self.positions, self.tree
        tree.box[node], tree.left[node] = boxes, 1
        tree.node[node]["player"], tree.node[node]["parent"] = player, -1
        keys = [*self.board.box_key[list(boxes)], self.board.player_key[player]]
        tree.node[node]["hash"] = np.bitwise_xor.reduce(np.array(keys, np.uint64))
        self.numbers[NODES] += 1

    def plant_all(self, boxes: Sequence[int]) -> None:
        """Add a root for each region in which the player may be between boxes on these cells."""
        for player in sorted(set(labels(self.board, boxes).tolist()) - {-1}):
            self.plant(boxes, player)

    def run(
        self, stopped: Callable[[], str | None], most: int, allows: Callable[[int], bool] | None = None
    ) -> str | None:
        """Search until the goal is found or nothing is left (None), or until `stopped` gives a reason to end.

        The reason is "enough" when `most` positions are expanded: what is found then does not depend on the clock. A
        position that is not allowed (asked once for each, in their order) gets no moves, and does not count.
        """
        self.numbers[ENOUGH] = most
        pace = WorkQuota(least=1, most=100_000)
        tables = SpaceSearch(
            self.board,
            self.plan,
            self.bases,
            self.strategy,
            self.scratch,
            *self.deadlocks,
            self.meetings,
            self.tree,
            self.space,
            self.numbers,
        )
        while True:
            quota = pace.begin()
            if allows is None:
                more = advance(tables, self.pull, self.most_moves, quota)
            else:
                more = self._advance_within(allows, advance.bind(tables, self.pull, self.most_moves, 1), quota)
            pace.end(quota)
            if self.goal >= 0 or not more:
                return None
            full = self.positions + 1 >= len(self.tree.node)
            if full or self.numbers[MOVES] + self.most_moves > len(self.tree.move):
                return "memory limit"
            reason = stopped() or (HAD_ENOUGH if self.expanded >= self.numbers[ENOUGH] else None)
            if reason:
                return reason

    def _advance_within(self, allows: Callable[[int], bool], turn: Callable[[], bool], turns: int) -> bool:
        """As `advance`, turn by turn, with no moves for positions that are not allowed."""
        for _ in range(turns):
            node, more = self.positions, turn()
            # The turn that makes a position lists the moves of its first box; the others' turns are left out.
            if self.positions > node and not allows(node) and self.expanded == node:
                self.numbers[BOX], self.numbers[LISTED] = len(self.bases), 0
                self.numbers[ENOUGH] += 1
            if not more:
                return False
        return True

    def way(self, node: int) -> list[MacroStep]:
        """The macro moves from the root to a position."""
        tree, steps = self.tree, list[MacroStep]()
        while (parent := int(tree.node[node]["parent"])) >= 0:
            made, before = tree.node[node], int(tree.node[parent]["player"])
            steps.append(
                MacroStep(int(made["start"]), int(made["end"]), before, int(made["player"]), bool(made["gone"]))
            )
            node = parent
        return steps[::-1]


# The packing search: backward from the solved board, to learn in which order the goals are filled.
#
# Boxes are pulled off their goals. A box that gets to a *base* (a cell where a box starts) in the part of the board
# that can hold all of them, the *sink*, vanishes with that base: from there it can be pushed to where it was pulled
# from. The search ends when no box is left; the pulls on the best way, reversed, are the plan. (Shoham and Schaeffer,
# *The FESS Algorithm*, IEEE CoG 2020; bases as in the program Festival, version 3.)

# Part of the time that the packing search may take.
PACKING_SHARE = 0.25


def find_packing_plan(level: Level, budget: Budget, strategy: Strategy, most: int) -> tuple[PackingPlan, int]:
    """The packing plan that a strategy finds for a level, and the number of positions searched, at most `most`.

    If boxes are fewer than goals there is no plan, as nobody knows which goals
    stay empty; without a plan, the boxes on goals count as packed.
    """
    listed: list[PackingEntry] = []
    expanded = 0
    if len(level.boxes) == len(level.goals):
        search = FeatureSearch(
            level.backward,
            no_plan(level.backward),
            level.boxes,
            strategy,
            budget.part(PACKING_SHARE * budget.remaining),
            pull=True,
        )
        search.plant_all(level.goals)
        search.run(search.budget.stopped, most)
        expanded = search.expanded
        tree, made = search.tree, search.positions
        remaining = (tree.box[:made] >= 0).sum(axis=1)
        best = int(np.lexsort((tree.node["score"][:made], remaining))[0])
        if remaining[best] < len(level.boxes):
            left = [int(cell) for cell in tree.box[best] if cell >= 0]
            listed = entries([(step.start, step.end, step.gone) for step in search.way(best)], left)
    return packing_plan(listed, level.forward.neighbour, level.forward.live), expanded


def board_and_plan(view: BoxBoard, budget: Budget, most: int) -> tuple[Board, PackingPlan]:
    """A board and its packing plan, searched for in at most `most` positions; without a plan if that is 0."""
    if not most or budget.stopped():
        board = bare_board(view, lambda: budget.stopped() is not None)
        return board, no_plan(board)
    level = level_of(view, budget)
    return level.forward, find_packing_plan(level, budget, BASE, most)[0]


def labels(board: Board, boxes: Sequence[int]) -> Ints:
    """For each cell that the boxes leave free the smallest cell of its region; -1 for other cells."""
    s = scratch_for(len(board.goal) - 1, 0, 0)
    s.occupied[list(boxes)] = 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    return s.label
