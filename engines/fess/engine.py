"""Feature Space Search (FESS): Sokoban solved by many kinds of progress at once; no promise that a plan is shortest.

Y. Shoham, J. Schaeffer: *The FESS Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE Conference on Games
2020; details as in Shoham's program Festival. A position is described by a few *features*, and a point of the space
that they span is a *cell*. The search visits the cells in a circle and expands one move in each, so its time is split
over kinds of progress and not over states. What it is made of:

- *macro moves*: a box from one cell to any other (`macro_moves`);
- *features*: what is packed, regions, rooms, boxes out of plan, hotspots (`features`);
- *advisors*, each of which recommends one move; other moves weigh 1, and light ways are searched first (`advisors`);
- the *packing plan*, by a search backward from the solved board (`packing`, `packing_plan`);
- *deadlock tests*, quick ones on every move, searches on those that are chosen (`freeze`, `corral_deadlocks`);
- *PI-corrals*, whose boxes are the only ones to move as long as they are closed (`corral_pruning`);
- the loop over the cells (`loop`, `space`, `tree`);
- searches from both ends, when those with a packing plan fail (`halves`, `meeting`).

Positions are cut off only if they are proven dead, and moves only if others lead to a solution as well. So a search to
the goals that comes to its end proves that there is no plan. That a search to a middle ends proves nothing (`halves`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from ...analysis.boxes.board import Board, board_arrays
from ...analysis.boxes.packing_plan import PackingPlan, no_plan, out_of_plan
from ...models.boxes import BoxBoard, to_task
from ...models.moves import Cost
from ...models.plan import Plan
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.neighbourhood import shortened_plan
from .halves import FARTHEST, OtherSide, other_side
from .loop import CELLS
from .packing import find_packing_plan, regions
from .pushes import Macro, Replayer, plan_of
from .search import HAD_ENOUGH, Deadlocks, FeatureSearch, deadlocks_for
from .strategy import BASE, ORDERS, Strategy, rounds

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


def feature_space_search(
    view: BoxBoard, budget: Budget, progress: Progress = silent, *, trace: str = "off", seed: int | None = None
) -> Outcome:
    """Find a plan. Its cost is an upper bound; that no plan exists is proven by exhaustion.

    `trace`: "cells" reports each cell of the feature space when it opens. `seed`: of the strategies that have noise;
    the first search has none.
    """
    record = Recorder(budget, progress, parts=len(view.push), by="feature space search proves no lower bound", states=0)
    if view.unsolvable_because:
        return record.unsolvable(view.unsolvable_because)
    if set(view.boxes) <= set(view.goals):
        return record.optimal(Plan(()), (0,) * len(view.push), "the initial state is a goal")
    number = {cell: i for i, cell in enumerate(view.cells)}
    boxes, goals = [number[cell] for cell in view.boxes], [number[cell] for cell in view.goals]
    forward, backward = board_arrays(view, lambda: budget.stopped() is not None)
    if reason := budget.stopped():  # then the tables are not complete
        return record.stopped(reason)
    plans = _Plans(view, forward, backward, boxes, goals, budget)
    plan, expanded = plans.made(BASE, PACKING_POSITIONS)
    record.stats.update(packing_positions=expanded, plan_entries=len(plan.to))
    record.encoded()
    root = regions(forward, boxes)[number[view.player]]
    tries = _Tries(plans, plan, root, record, APART * (seed or 0), told=trace == "cells")
    search, reason = tries.run()
    if search.goal < 0 and reason is None:
        text = f"feature space search: none of the {search.expanded:,} positions that are not dead is a goal"
        return record.unsolvable(text)
    if search.goal < 0:
        return record.stopped(reason)
    found = plan_of(view, forward, tries.replayer.unfold(tries.macros(search)))
    record.stats.update(macro_moves=len(tries.macros(search)), first_pushes=len(found[0].moves))
    record.found(*found)
    for shorter in tries.shorter(search):
        record.found(*shorter)
    return record.stopped("interrupted" if budget.interrupted.is_set() else None)


@dataclass(frozen=True, slots=True)
class _Plans:
    """Packing plans of one board, by different strategies."""

    view: BoxBoard
    forward: Board
    backward: Board
    boxes: list[int]
    goals: list[int]
    budget: Budget

    def made(self, strategy: Strategy, most: int) -> tuple[PackingPlan, int]:
        """The plan that a strategy finds in at most `most` positions, and the number of positions expanded."""
        return find_packing_plan(self.forward, self.backward, self.boxes, self.goals, self.budget, strategy, most)

    def other_side(self, seed: int, most: int) -> OtherSide | None:
        """A search backward to a middle, in at most `most` positions; None if it finds no middle."""
        return other_side(self.forward, self.backward, self.boxes, self.goals, self.budget, seed, most)


class _Tries:
    """Searches with different strategies, in rounds. `shift`: what is added to their seeds; `others`: positions of
    those that were given up, and of those backward to a middle; `other`: the last of these; `told`: whether cells are
    reported.
    """

    def __init__(
        self, plans: _Plans, plan: PackingPlan, root: int, record: Recorder, shift: int, *, told: bool
    ) -> None:
        self.shift, self.told, self.plans = shift, told, plans
        self.board, self.plan, self.boxes, self.root, self.record = plans.forward, plan, plans.boxes, root, record
        self.others = 0
        self.other: OtherSide | None = None
        self.deadlocks = deadlocks_for(self.board, len(plans.boxes), learns=True)
        self.replayer = Replayer(self.board, plans.boxes, root)

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

    def shorter(self, search: FeatureSearch) -> Iterator[tuple[Plan, Cost]]:
        """Shorter and shorter plans: the one with the fewest pushes of those that are found as easily, then what plan
        neighbourhood graph search makes of it.
        """
        part = self.record.budget.part(SHORTEN_SECONDS)
        macros = self._fewest(search, part.part(PLANS_SHARE * part.remaining))
        plan, cost = plan_of(self.plans.view, self.board, self.replayer.unfold(macros))
        yield plan, cost
        if part.fits(2 * len(self.plans.view.cells) ** 2):  # of the bits of the operators
            yield shortened_plan(to_task(self.plans.view, ("",) * len(cost)), plan, part, seconds=part.remaining)

    def _fewest(self, search: FeatureSearch, budget: Budget) -> list[Macro]:
        """The plan with the fewest pushes of a solution and those that other strategies find within the budget, each in
        about as many positions as the solution took.

        Most have a packing plan of their own: from the order in which the goals are filled it follows which ways are
        still open when a box is on its way, so that no other choice changes the number of pushes more.
        """
        found = [self.macros(search)]
        most = search.expanded + FIRST_POSITIONS // 2
        for seed in range(1, OTHER_PLANS + 1):
            number = self.shift + FIRST_SEED + seed
            noise, near = number if seed % 3 == 0 else 0, seed % 2 == 0
            other = self._begin(Strategy(seed % ORDERS, noise, plan=number, near=near), 1 - BASE_MEMORY, most)
            if self._go_on(other, most, search.expanded, budget) not in (None, HAD_ENOUGH) or budget.stopped():
                break
            if other.goal >= 0:
                found.append(self.macros(other))
            self.others += other.expanded
        return min(found, key=lambda macros: len(self.replayer.unfold(macros)))

    def _begin(self, strategy: Strategy, memory: float, planning: int = 0) -> FeatureSearch:
        """A search from the start; `planning`: positions in which it looks for a packing plan of its own."""
        budget = self.record.budget
        plan, board = self.plan, self.board
        known: Deadlocks | None = self.deadlocks
        plans = self.plans
        if strategy.middle and self.other is not None:
            plan, known, board = no_plan(self.board), None, self.other.forward
            plans = replace(plans, forward=board, backward=self.other.backward, goals=list(self.other.goals))
        if planning and strategy.plan:
            plan = plans.made(Strategy(strategy.order, strategy.plan), planning)[0]
        if strategy.near:
            board = board._replace(away=FARTHEST - board.away)
        search = FeatureSearch(board, plan, self.boxes, strategy, budget, pull=False, memory=memory, deadlocks=known)
        search.plant(self.boxes, self.root)
        return search

    def _turn_round(self, number: int, most: int) -> bool:
        """Make backward search `number` the other side, unless it is already; False if it finds no middle."""
        if self.other is None or self.other.number != number:
            self.other = self.plans.other_side(number, most)
            self.others += self.other.search.expanded if self.other else 0
        return self.other is not None

    def _go_on(self, search: FeatureSearch, most: int, before: int, budget: Budget | None = None) -> str | None:
        search.meetings = self.other.meetings if self.other else search.meetings
        record, told = self.record, int(search.numbers[CELLS])

        def stopped() -> str | None:
            nonlocal told
            if self.told:
                for cell in search.cells(told):
                    told += 1
                    known = {name: value for name, value in asdict(cell).items() if value != ""}
                    record.trace("cell", cell.in_words(told), cell=told, **known)
            record.stats["states"] = self.others + before + search.expanded
            record.working()
            return (budget or record.budget).stopped()

        reason = search.run(stopped, most)
        stopped()
        return reason


def compile_kernels(_: object, budget: Budget) -> None:
    """Compile what the engine runs, on a board of three cells."""
    cells = ((0, 0), (0, 1), (0, 2))
    view = BoxBoard(cells, cells[1:2], cells[2:], cells[0], (1,), (0,))
    feature_space_search(view, budget)
    board, backward = board_arrays(view)
    out_of_plan(board.neighbour, board.live, np.zeros_like(board.live), [2])  # a plan of one box closes nothing off
    other_side(board, backward, [1], [2], budget, 1, 10)
