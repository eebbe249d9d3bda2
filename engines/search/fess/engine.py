"""Feature Space Search (FESS): Sokoban solved by many kinds of progress at once; no promise that a plan is shortest.

Y. Shoham, J. Schaeffer: *The FESS Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE Conference on Games
2020; details as in Shoham's program Festival. A position is described by a few *features*, and a point of the space
that they span is a *cell*. The search visits the cells in a circle and expands one move in each, so its time is split
over kinds of progress and not over states. What it is made of:

- *macro moves*: a box from one cell to any other (`macros`);
- *features*: what is packed, regions, rooms, boxes out of plan, hotspots (`features`, `rooms`, `hotspots`);
- *advisors*, each of which recommends one move; others weigh 1, and light ways are searched first (`advisors`);
- the *packing plan*, by a search backward from the solved board (`packing`, `plan`);
- *deadlock tests*, quick ones on every move, searches on those that are chosen (`deadlocks`, `corrals`, `cores`);
- the loop over the cells (`loop`, `space`, `tree`).

Everything that is cut off is proven dead, so a search that comes to its end proves that there is no plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from ....models.boxes import BoxBoard
from ....models.plan import Plan
from ....runtime.budget import Budget
from ....runtime.events import Progress, silent
from ....runtime.outcome import Outcome, Recorder
from ..tunables import FESS
from .board import Board, board_arrays
from .loop import CELLS
from .packing import find_packing_plan, regions
from .plan import PackingPlan, out_of_plan
from .pushes import Macro, Push, Replayer, plan_of
from .search import HAD_ENOUGH, FeatureSearch, deadlocks_for
from .shorten import Shortener
from .strategy import BASE, ORDERS, Strategy, rounds

FIRST_SEED = 1_000
"""Of the strategies by which other plans are looked for."""


APART = 1_000_000
"""The strategies of one seed that was asked for are so far from those of the next."""


def feature_space_search(
    view: BoxBoard, budget: Budget, progress: Progress = silent, *, trace: str = "off", seed: int | None = None
) -> Outcome:
    """Find a plan. Its cost is an upper bound; that there is none is proven by exhaustion.

    `trace`: "cells" tells each cell of the feature space when it is opened. `seed`: of the strategies that have noise;
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
    plans = _Plans(forward, backward, boxes, goals, budget)
    plan, expanded = plans.made(BASE, FESS.packing_positions)
    record.stats.update(packing_positions=expanded, plan_entries=len(plan.to))
    record.encoded()
    root = regions(forward, boxes)[number[view.player]]
    tries = _Tries(plans, plan, boxes, root, record, APART * (seed or 0), told=trace == "cells")
    search, reason = tries.run()
    if search.goal < 0 and reason is None:
        text = f"feature space search: none of the {search.expanded:,} positions that are not dead is a goal"
        return record.unsolvable(text)
    if search.goal < 0:
        return record.stopped(reason)
    found = plan_of(view, forward, tries.replayer.unfold(tries.macros(search)))
    record.stats.update(macro_moves=len(tries.macros(search)), first_pushes=len(found[0].moves))
    record.found(*found)
    for pushes in tries.shorter(search):
        record.found(*plan_of(view, forward, pushes))
    return record.stopped("interrupted" if budget.interrupted.is_set() else None)


@dataclass(frozen=True, slots=True)
class _Plans:
    """Packing plans of one board, by different strategies."""

    forward: Board
    backward: Board
    boxes: list[int]
    goals: list[int]
    budget: Budget

    def made(self, strategy: Strategy, most: int) -> tuple[PackingPlan, int]:
        """The plan that a strategy finds, and the positions of the packing search: so many at most."""
        return find_packing_plan(self.forward, self.backward, self.boxes, self.goals, self.budget, strategy, most)


class _Tries:
    """Searches with different strategies, in rounds. `shift`: what is added to their seeds; `others`: positions of
    those that were given up; `told`: whether cells are told.
    """

    def __init__(
        self, plans: _Plans, plan: PackingPlan, boxes: list[int], root: int, record: Recorder, shift: int, *, told: bool
    ) -> None:
        self.shift, self.told, self.plans = shift, told, plans
        self.board, self.plan, self.boxes, self.root, self.record = plans.forward, plan, boxes, root, record
        self.others = 0
        self.deadlocks = deadlocks_for(self.board, len(boxes), learns=True)
        self.replayer = Replayer(self.board, boxes, root)

    def run(self) -> tuple[FeatureSearch, str | None]:
        """The search that came to an end, and why it was given up, None if it was not."""
        base = self._begin(BASE, FESS.base_memory)
        for most, strategies in rounds(FESS.first_positions, self.shift):
            reason = self._go_on(base, base.expanded + most, 0)
            if reason != HAD_ENOUGH:
                return base, reason
            for strategy in strategies:
                search = self._begin(strategy, 1 - FESS.base_memory, most)
                reason = self._go_on(search, most, base.expanded)
                if reason not in (HAD_ENOUGH, "memory limit"):
                    return search, reason
                self.others += search.expanded
        raise AssertionError("there are always more rounds")

    def macros(self, search: FeatureSearch) -> list[Macro]:
        """The macro moves of a solution."""
        return [(step.start, step.end, step.after) for step in search.way(search.goal)]

    def shorter(self, search: FeatureSearch) -> Iterator[list[Push]]:
        """Shorter and shorter plans: of the solution, of others that are found as easily, and of the best of them."""
        part = self.record.budget.part(FESS.shorten_seconds)
        shortener = Shortener(self.replayer, lambda: part.stopped() is not None)
        best = shortener.quickly(self.macros(search))
        yield best
        most = 2 * search.expanded + FESS.first_positions
        for seed in range(FESS.plans):
            other = self._begin(Strategy(seed % ORDERS, self.shift + FIRST_SEED + seed), 1 - FESS.base_memory)
            if self._go_on(other, most, search.expanded) not in (None, HAD_ENOUGH) or part.stopped():
                break
            if other.goal >= 0:
                pushes = shortener.quickly(self.macros(other))
                if len(pushes) < len(best):
                    best = pushes
                    yield best
            self.others += other.expanded
        yield shortener.thoroughly(best)

    def _begin(self, strategy: Strategy, memory: float, planning: int = 0) -> FeatureSearch:
        """A search from the start; `planning`: positions in which it looks for a packing plan of its own."""
        budget = self.record.budget
        plan, known = self.plan, self.deadlocks
        if planning and strategy.plan:
            plan = self.plans.made(Strategy(strategy.order, strategy.plan), planning)[0]
        search = FeatureSearch(
            self.board, plan, self.boxes, strategy, budget, pull=False, memory=memory, deadlocks=known
        )
        search.plant(self.boxes, self.root)
        return search

    def _go_on(self, search: FeatureSearch, most: int, before: int) -> str | None:
        record, told = self.record, int(search.numbers[CELLS])

        def stopped() -> str | None:
            nonlocal told
            if self.told:
                for cell in search.cells(told):
                    told += 1
                    record.cell(told, **asdict(cell))
            record.stats["states"] = self.others + before + search.expanded
            record.working()
            return record.budget.stopped()

        reason = search.run(stopped, most)
        stopped()
        return reason


def compile_kernels(budget: Budget) -> None:
    """Compile what the engine runs, on a board of three cells."""
    cells = ((0, 0), (0, 1), (0, 2))
    view = BoxBoard(cells, cells[1:2], cells[2:], cells[0], (1,), (0,))
    feature_space_search(view, budget)
    board, _ = board_arrays(view)
    out_of_plan(board.neighbour, board.live, np.zeros_like(board.live), [2])  # a plan of one box closes nothing off
