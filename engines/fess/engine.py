"""Feature Space Search (FESS): Sokoban solved by many kinds of progress at once; no promise that a plan is shortest.

Y. Shoham, J. Schaeffer: *The FESS Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE Conference on Games
2020; details as in Shoham's program Festival. A position is described by a few *features*, and a point of the space
that they span is a *cell*. The search visits the cells in a circle and expands one move in each, so its time is split
over kinds of progress and not over states. What it is made of:

- *macro moves*: a box from one cell to any other (`macro_moves`);
- *features*: what is packed, regions, rooms, boxes out of plan, hotspots (`features`);
- *advisors*, each of which recommends one move; other moves weigh 1, and light ways are searched first (`advisors`);
- the *packing plan*, by a search backward from the solved board (`packing`, `packing_plan`);
- *deadlock tests*, quick ones on every move, searches on those that are chosen (`freeze`, `deadlock_search`);
- *PI-corrals*, whose boxes are the only ones to move as long as they are closed (`pi_corrals`);
- the loop over the cells (`loop`, `space`, `tree`);
- searches from both ends, when those with a packing plan fail (`halves`, `meeting`).

Positions are cut off only if they are proven dead, and moves only if others lead to a solution as well. So a search to
the goals that comes to its end proves that there is no plan. That a search to a middle ends proves nothing (`halves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...analysis.boxes.board import FAR, Board, scratch_for
from ...analysis.boxes.box_board import BoxBoard, find_box_board
from ...analysis.boxes.macro_moves import make
from ...analysis.boxes.packing_plan import PackingPlan, no_plan, out_of_plan
from ...analysis.matching import assignment, match
from ...analysis.movable_objects import INFINITE
from ...models.errors import UsageError
from ...models.moves import Cost
from ...models.plan import Plan, apply
from ...models.task import OperatorTask, walks
from ...runtime.arrays import Shorts
from ...runtime.budget import MIB, Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.neighbourhood import shortened_plan
from .loop import MOVES
from .search import (
    HAD_ENOUGH,
    MEMORY_MIB,
    MEMORY_SHARE,
    Deadlocks,
    FeatureSearch,
    Level,
    deadlocks_for,
    find_packing_plan,
    labels,
    level_of,
)
from .space import AS_SCORED, BASE, ORDERS, Strategy, rounds
from .tree import SLOT_BYTES, Meetings, Tree, meetings_of

# From the macro moves of a search to the pushes of a plan, and what they cost.

Push = tuple[int, int]
"""(cell of the box, direction)."""

Macro = tuple[int, int, int]
"""(start, end, a cell that the player can get to then; -1 for any)."""


class Replayer:
    """Makes macro moves from the start of a level."""

    def __init__(self, board: Board, boxes: Sequence[int], player: int) -> None:
        self.board, self.boxes, self.player = board, list(boxes), player
        cells = len(board.goal) - 1
        self.scratch = scratch_for(cells, 0, 0)
        self.way = np.zeros(16 * cells + 8, np.int32)
        self.direction = {(c, int(board.neighbour[c, d])): d for c in range(cells) for d in range(4)}

    def unfold(self, macros: Sequence[Macro]) -> list[Push]:
        """The single pushes of macro moves. Raises `ValueError` if they do not lead to a goal."""
        board, occupied, player = self.board, self.scratch.occupied, self.player
        occupied[:-1] = 0
        occupied[self.boxes] = 1
        found: list[Push] = []
        for start, end, stand in macros:
            moved = occupied[start] and make(
                board.neighbour, board.live, self.scratch, start, end, player, stand, self.way
            )
            if not moved:
                raise ValueError(f"macro move {(start, end, stand)} cannot be made")
            way = self.way[: int(moved)].tolist()
            found += [(here, self.direction[here, there]) for here, there in pairwise(way)]
            player = way[-2]
        if (occupied[:-1] > board.goal[:-1]).any():
            raise ValueError("these macro moves do not lead to a goal")
        return found


class PushLimit:
    """Whether a plan with at most `most` pushes can go through a position of a search from one root: its pushes on the
    way there, and the cheapest matching of boxes to goals by their pushes alone on the board.
    """

    def __init__(self, level: Level, replayer: Replayer, tree: Tree, most: int) -> None:
        pushes = np.ascontiguousarray(level.forward.pushes[:, list(level.goals)], np.int64)
        self.pushes, self.work = np.where(pushes < FAR, pushes, INFINITE), assignment(len(level.goals))
        self.matched = len(level.boxes) == len(level.goals)
        self.replayer, self.tree, self.most, self.paid = replayer, tree, most, [0]

    def __call__(self, node: int) -> bool:
        made, replayer = self.tree.node[node], self.replayer
        parent, (start, end, stand) = int(made["parent"]), (int(made[name]) for name in ("start", "end", "player"))
        occupied, board = replayer.scratch.occupied, replayer.board
        occupied[:-1] = 0
        occupied[self.tree.box[parent]] = 1
        player = int(self.tree.node[parent]["player"])
        cells = make(board.neighbour, board.live, replayer.scratch, start, end, player, stand, replayer.way)
        self.paid.append(self.paid[parent] + int(cells) - 1)
        if not self.matched:
            return bool(self.paid[node] <= self.most)
        self.work.where[:] = self.tree.box[node]
        return bool(0 <= match(self.pushes, self.work) <= self.most - self.paid[node])


def plan_of(task: OperatorTask, board: BoxBoard, pushes: Sequence[Push]) -> tuple[Plan, Cost]:
    """The plan that these pushes are, and its cost; the player walks the shortest ways."""
    operators = [task.operators[board.push[push]] for push in pushes]
    walker, cost = task.walker, [sum(paid) for paid in zip(*(op.cost for op in operators), strict=True)]
    assert walker is not None
    if any(walker.cost):
        state, steps, cell = frozenset(task.init), 0, walker.start
        for op in operators:
            assert op.walk is not None
            steps += walks(walker, cell, state)[op.walk[0]]
            state, cell = apply(state, op), op.walk[1]
        cost = [paid + steps * step for paid, step in zip(cost, walker.cost, strict=True)]
    return Plan.of(operators), tuple(cost)


# A level in two halves: a search backward to a board that is easy to get to, and one forward to that board.
#
# From the solved board boxes are pulled until all free cells are joined, and the boxes far apart: the *middle*. From
# there the plan to the goals is known. Forward the cells of its boxes are the goals: with the boxes that far apart,
# they can be filled in almost any order. Every position that the backward search met may be the middle as well
# (`meeting`). (The program Festival, version 3, has such a pair of searches, "HF", among its strategies, and calls
# the cells of the middle imagined.)
#
# What such a forward search calls dead is so for the cells of the middle, not for the goals: that it comes to its end
# proves nothing.

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

    `number`: of the search; `level`: the one whose goals are the boxes of the middle.
    """

    number: int
    search: FeatureSearch
    meetings: Meetings
    level: Level

    def macros(self, slot: int) -> list[Macro]:
        """The macro moves from the position in a slot of the table to the goals."""
        start, end, _ = self.meetings.move[slot].tolist()
        parent = int(self.meetings.parent[slot])
        first = (end, start, int(self.search.tree.node[parent]["player"]))
        return [first, *((step.end, step.start, step.before) for step in reversed(self.search.way(parent)))]


def other_side(level: Level, budget: Budget, number: int, most: int) -> OtherSide | None:
    """Search backward, without a sink, in at most `most` positions; None if it finds no middle that boxes could reach.

    `number`: of the search. Of odd ones the boxes get far from the goals, of even ones near to where boxes start; all
    but the first two have noise.
    """
    forward, backward, boxes = level.forward, level.backward, level.boxes
    if len(boxes) != len(level.goals):
        return None
    strategy = Strategy(AS_SCORED, (number - 1) // 2)
    board = backward if number % 2 else _near(backward, forward.pushes[list(boxes)])
    search = FeatureSearch(board, no_plan(board), boxes, strategy, budget, pull=True, memory=TABLE_MEMORY)
    search.plant_all(level.goals)
    search.tree.left[: search.positions] = 0  # no base is left: no box vanishes
    search.run(search.budget.stopped, most)
    tree, made = search.tree, search.expanded
    room = TABLE_MEMORY * MEMORY_SHARE * (budget.memory_mib or MEMORY_MIB) * MIB
    slots = min(TABLE_SLOTS, int(room / SLOT_BYTES))
    meetings = meetings_of(tree, made, int(search.numbers[MOVES]), slots)
    for best in np.argsort(tree.node["rank"][:made], kind="stable")[:LOOKED_AT]:
        middle = tuple(int(cell) for cell in tree.box[best])
        if _matched(forward.pushes[np.ix_(boxes, middle)] < FAR):
            return OtherSide(number, search, meetings, Level(*toward(forward, backward, middle), boxes, middle))
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


# Positions for which each strategy is tried first.
FIRST_POSITIONS = 2_000

# The most positions that the packing search expands.
PACKING_POSITIONS = 20_000

# Positions of a search to a middle, for one forward.
MIDDLE_POSITIONS = 1.0

# Other plans that are looked for, to be made shorter, once there is one.
OTHER_PLANS = 100

# Part of `SHORTEN_SECONDS` in which other plans are looked for.
PLANS_SHARE = 0.3

# The most seconds in which the plan is made shorter.
SHORTEN_SECONDS = 10.0

# Part of that memory for the search that goes on from round to round.
BASE_MEMORY = 0.7

FIRST_SEED = 1_000
"""The first seed of the strategies that look for other plans."""


APART = 1_000_000
"""The distance between the strategies' seeds for one value of the option `seed` and the next."""


def solve(task: OperatorTask, budget: Budget, progress: Progress = silent, *, seed: int | None = None) -> Outcome:
    """Find a plan. Its cost is an upper bound; that no plan exists is proven by exhaustion.

    `seed`: of the strategies that have noise; the first search has none. Raises `UsageError` if the
    task is no board with boxes.
    """
    record = Recorder(
        budget, progress, parts=len(task.metric), by="feature space search proves no lower bound", states=0
    )
    if done := record.trivial(task):
        return done
    board = find_box_board(task)
    if not isinstance(board, BoxBoard):
        raise UsageError(f"not a puzzle for the engine `fess`: {board.reason}")
    level = level_of(board, budget)
    if reason := budget.stopped():  # then the tables are not complete
        return record.stopped(reason)
    plan, expanded = find_packing_plan(level, budget, BASE, PACKING_POSITIONS)
    record.stats.update(packing_positions=expanded, plan_entries=len(plan.to))
    record.encoded()
    root = int(labels(level.forward, level.boxes)[board.player])
    tries = _Tries(task, level, plan, root, record, APART * (seed or 0))
    search, reason = tries.run()
    if search.goal < 0 and reason is None:
        text = f"feature space search: none of the {search.expanded:,} positions that are not dead is a goal"
        return record.unsolvable(text)
    if search.goal < 0:
        return record.stopped(reason)
    found = plan_of(task, board, tries.replayer.unfold(tries.macros(search)))
    record.stats.update(macro_moves=len(tries.macros(search)), first_pushes=len(found[0].moves))
    record.found(*found)
    for shorter in tries.shorter(search, board):
        record.found(*shorter)
    return record.stopped("interrupted" if budget.interrupted.is_set() else None)


class _Tries:
    """Searches with different strategies, in rounds. `shift`: what is added to their seeds; `others`: positions of
    those that were given up, and of those backward to a middle; `other`: the last of these.
    """

    def __init__(
        self, task: OperatorTask, level: Level, plan: PackingPlan, root: int, record: Recorder, shift: int
    ) -> None:
        self.task, self.level, self.plan, self.root = task, level, plan, root
        self.record, self.shift = record, shift
        self.others = 0
        self.other: OtherSide | None = None
        self.deadlocks = deadlocks_for(level.forward, len(level.boxes))
        self.replayer = Replayer(level.forward, level.boxes, root)

    def run(self) -> tuple[FeatureSearch, str | None]:
        """The search that ended, and the reason if it was given up, else None."""
        base = self._begin(BASE, BASE_MEMORY)
        for most, strategies in rounds(FIRST_POSITIONS, self.shift):
            reason = self._go_on(base, base.expanded + most, 0)
            if reason != HAD_ENOUGH:
                return base, reason
            for strategy in strategies:
                share = most * strategy.effort
                if strategy.middle and not self._turn_round(strategy.middle, int(MIDDLE_POSITIONS * share)):
                    continue
                search = self._begin(strategy, 1 - BASE_MEMORY, share)
                reason = self._go_on(search, share, base.expanded)
                exhausted = reason is None and search.goal < 0 and strategy.middle > 0  # that proves nothing
                if not exhausted and reason not in (HAD_ENOUGH, "memory limit"):
                    return search, reason
                self.others += search.expanded
        raise AssertionError("there are always more rounds")

    def macros(self, search: FeatureSearch) -> list[Macro]:
        """The macro moves of a solution."""
        macros = [(step.start, step.end, step.after) for step in search.way(search.goal)]
        if search.meeting < 0:
            return macros
        assert self.other is not None
        return macros + self.other.macros(search.meeting)

    def shorter(self, search: FeatureSearch, board: BoxBoard) -> Iterator[tuple[Plan, Cost]]:
        """Shorter and shorter plans: the one with the fewest pushes of those that are found as easily, then what plan
        neighbourhood graph search makes of it.
        """
        part = self.record.budget.part(SHORTEN_SECONDS)
        macros = self._fewest(search, part.part(PLANS_SHARE * part.remaining))
        plan, cost = plan_of(self.task, board, self.replayer.unfold(macros))
        yield plan, cost
        if part.fits(2 * len(board.cells) ** 2):  # of the bits of the operators
            yield shortened_plan(self.task, plan, part, seconds=part.remaining)

    def _fewest(self, search: FeatureSearch, budget: Budget) -> list[Macro]:
        """The plan with the fewest pushes of a solution and those that other strategies find within the budget, each in
        about as many positions as the solution took; positions through which no plan is shorter than the best are left.

        Most have a packing plan of their own: from the order in which the goals are filled it follows which ways are
        still open when a box is on its way, so that no other choice changes the number of pushes more.
        """
        best = self.macros(search)
        fewest, most = len(self.replayer.unfold(best)), search.expanded + FIRST_POSITIONS // 2
        for seed in range(1, OTHER_PLANS + 1):
            number = self.shift + FIRST_SEED + seed
            noise, near = number if seed % 3 == 0 else 0, seed % 2 == 0
            other = self._begin(Strategy(seed % ORDERS, noise, plan=number, near=near), 1 - BASE_MEMORY, most)
            allows = PushLimit(self.level, self.replayer, other.tree, fewest - 1)
            if self._go_on(other, most, search.expanded, budget, allows) not in (None, HAD_ENOUGH) or budget.stopped():
                break
            if other.goal >= 0 and (pushes := len(self.replayer.unfold(macros := self.macros(other)))) < fewest:
                best, fewest = macros, pushes
            self.others += other.expanded
        return best

    def _begin(self, strategy: Strategy, memory: float, planning: int = 0) -> FeatureSearch:
        """A search from the start; `planning`: positions in which it looks for a packing plan of its own."""
        budget = self.record.budget
        plan, level = self.plan, self.level
        known: Deadlocks | None = self.deadlocks
        if strategy.middle and self.other is not None:
            plan, known, level = no_plan(level.forward), None, self.other.level
        if planning and strategy.plan:
            plan = find_packing_plan(level, budget, Strategy(strategy.order, strategy.plan), planning)[0]
        board = level.forward
        if strategy.near:
            board = board._replace(away=FARTHEST - board.away)
        search = FeatureSearch(board, plan, level.boxes, strategy, budget, pull=False, memory=memory, deadlocks=known)
        search.plant(level.boxes, self.root)
        return search

    def _turn_round(self, number: int, most: int) -> bool:
        """Make backward search `number` the other side, unless it is already; False if it finds no middle."""
        if self.other is None or self.other.number != number:
            self.other = other_side(self.level, self.record.budget, number, most)
            self.others += self.other.search.expanded if self.other else 0
        return self.other is not None

    def _go_on(
        self,
        search: FeatureSearch,
        most: int,
        before: int,
        budget: Budget | None = None,
        allows: PushLimit | None = None,
    ) -> str | None:
        search.meetings = self.other.meetings if self.other else search.meetings
        record = self.record

        def stopped() -> str | None:
            record.stats["states"] = self.others + before + search.expanded
            record.working()
            return (budget or record.budget).stopped()

        reason = search.run(stopped, most, allows)
        stopped()
        return reason


def compile_kernels(task: OperatorTask, budget: Budget) -> None:
    """Compile what the engine runs, if the task is a board with boxes."""
    view = find_box_board(task)
    if not isinstance(view, BoxBoard):
        return
    solve(task, budget)
    level = level_of(view, Budget())
    board = level.forward
    out_of_plan(board.neighbour, board.live, np.zeros_like(board.live), [view.goals[0]])
    other_side(level, budget, 1, 10)
