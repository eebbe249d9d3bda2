"""Best-first search over actions as programs: A*, or uniform-cost search where no projections are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....models.cost import show_cost
from ....models.program import ProgramTask
from ....runtime.outcome import Outcome, Recorder
from ..pace import Pace

if TYPE_CHECKING:
    from ....analysis.projections.build import Projections

TIES = 12
"""Bits of the key of an open state in which its estimate stands."""

MOST_FOR_TIES = 1 << 31
"""Costs of actions up to here leave room for them: a plan of a million such actions costs less than 2^51."""


def best_first(task: ProgramTask, record: Recorder, name: str, left_out: frozenset[str] = frozenset()) -> Outcome:
    """Solve a task that is not trivial. When the least f of an open state is c, no plan costs less than c.

    `name`: of the search, in words. A state's estimate comes from projections; `bounds.GrowingBounds` says what
    `left_out` can be. When larger ones say more of the initial state, the search begins anew with them.
    """
    from .bounds import GrowingBounds

    bounds = GrowingBounds(task, record, left_out)
    record.encoded()
    search = _ProgramSearch(task, record, name, bounds.found)
    if search.root < 0:
        return record.unsolvable(f"{bounds.found.words}: no goal can be reached")
    if search.root:
        record.raise_bound(search.root, "the heuristic value of the initial state")
    while True:
        if (outcome := search.go_on()) is not None:
            return outcome
        if bounds.grow():
            begun_anew = _ProgramSearch(task, record, name, bounds.found)
            if begun_anew.root > search.root:
                search = begun_anew


class _ProgramSearch:
    """A search from the initial state on, with lower bounds that stay as they are."""

    def __init__(self, task: ProgramTask, record: Recorder, name: str, bounds: Projections) -> None:
        from ....analysis.programs.tables import scratch_for
        from ....runtime.by_address import laid_out
        from .kernels import estimate_of
        from .store import ProgramStore

        self.record, self.parts = record, len(task.metric)
        self.store = ProgramStore(task, heap=True)
        self.words = f"{name}{bounds.words and f' ({bounds.words})'}"
        self.given = tuple(map(laid_out, (self.store.tables, scratch_for(task, self.store.tables), bounds.tables)))
        self.held = bounds.tables.databases.distance.nbytes
        # Costs of two components, or very large ones, leave no bits for the order of states of equal f.
        small = self.parts == 1 and max(action.cost[0] for action in task.actions) < MOST_FOR_TIES
        self.ties = TIES if small else 0
        self.root = int(estimate_of(*self.given, self.store.laid_out, 0))
        """The lower bound of the initial state; -1 for a dead end."""
        self.waiting, self.expanded, self.pace = 1, 0, Pace()

    def go_on(self) -> Outcome | None:
        """Expand some states; the outcome, if that ends the search."""
        from ....analysis.bitset_task import cost_of_key
        from .kernels import expand_best_first

        store, record = self.store, self.record
        store.count, self.waiting, done, goal, bound = expand_best_first(
            *self.given, store.laid_out, store.count, self.waiting, self.pace.begin(), self.ties
        )
        self.pace.end(done)
        self.expanded += done
        record.stats.update(states=store.count, expanded=self.expanded)
        cost = cost_of_key(int(bound), self.parts)
        proof = f"{self.words}: every state below {show_cost(cost)} expanded"
        if goal >= 0:
            return record.optimal(store.plan_to(goal), cost, proof)
        if self.waiting == 0:
            return record.unsolvable(f"{self.words}: none of the {store.count:,} states that were met is a goal")
        record.raise_bound(cost, proof, states=store.count)
        record.working()
        reason = record.budget.stopped()
        full = max(store.count, self.waiting) + store.most > len(store.states)
        if not reason and full and not store.grow(record.budget, self.held):
            reason = "memory limit"
        return record.stopped(reason) if reason else None
