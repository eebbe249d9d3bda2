"""Best-first search over actions as programs: A*, or uniform-cost search where no projections are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....models.moves import show_cost
from ....models.program import ProgramTask
from ....runtime.outcome import Outcome, Recorder
from ..work_quota import WorkQuota

if TYPE_CHECKING:
    from ....analysis.program_projections import Projections

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
    search = ProgramSearch(task, record, bounds.found)
    if done := search.at_once():
        return done
    while True:
        if (outcome := _go_on(search, name)) is not None:
            return outcome
        if bounds.grow():
            begun_anew = ProgramSearch(task, record, bounds.found)
            if begun_anew.root > search.root:
                search = begun_anew


def _go_on(search: ProgramSearch, name: str) -> Outcome | None:
    """Expand some states; the outcome, if that ends the search."""
    from ....analysis.bitset_task import cost_of_key

    store, record = search.store, search.record
    goal, bound = search.expand()
    record.stats.update(states=store.count, expanded=search.expanded)
    cost = cost_of_key(bound, search.parts)
    words = f"{name}{search.words and f' ({search.words})'}"
    proof = f"{words}: every state below {show_cost(cost)} expanded"
    if goal >= 0:
        return record.optimal(store.plan_to(goal), cost, proof)
    if search.waiting == 0:
        return record.unsolvable(f"{words}: none of the {store.count:,} states that were met is a goal")
    record.raise_bound(cost, proof, states=store.count)
    record.working()
    reason = search.stopped()
    return record.stopped(reason) if reason else None


class ProgramSearch:
    """A search from the initial state on, with lower bounds that stay as they are; those with the least cost + `weight`
    * bound are expanded first.
    """

    def __init__(self, task: ProgramTask, record: Recorder, bounds: Projections, weight: int = 1) -> None:
        from ....analysis.program_machine import scratch_for
        from ....runtime.by_address import laid_out
        from .kernels import StateOrder, estimate_of
        from .store import ProgramStore

        self.record, self.parts, self.words = record, len(task.metric), bounds.words
        self.store: ProgramStore = ProgramStore(task, heap=True)
        self.given = tuple(map(laid_out, (self.store.tables, scratch_for(task, self.store.tables), bounds.tables)))
        self.held = bounds.tables.databases.distance.nbytes
        # Costs of two components, or very large ones, leave no bits for the order of states of equal f.
        small = self.parts == 1 and weight * max((action.cost[0] for action in task.actions), default=0) < MOST_FOR_TIES
        self.order = laid_out(StateOrder(weight, TIES if small else 0))
        self.root = int(estimate_of(*self.given, self.store.laid_out, 0))
        """The lower bound of the initial state; -1 for a dead end."""
        self.waiting, self.expanded, self.pace = 1, 0, WorkQuota()

    def at_once(self) -> Outcome | None:
        """Report the bound of the initial state; the outcome, if that is a dead end."""
        if self.root < 0:
            return self.record.unsolvable(f"{self.words}: no goal can be reached")
        if self.root:
            self.record.raise_bound(self.root, "the heuristic value of the initial state")
        return None

    def expand(self) -> tuple[int, int]:
        """Expand some states; a goal state or -1, and the bound of `kernels.expand_best_first`."""
        from .kernels import expand_best_first

        store = self.store
        store.count, self.waiting, done, goal, bound = expand_best_first(
            *self.given, store.laid_out, store.count, self.waiting, self.pace.begin(), self.order
        )
        self.pace.end(done)
        self.expanded += done
        return int(goal), int(bound)

    def stopped(self, others: int = 0) -> str | None:
        """Why the search cannot go on; None if it can, with room for more states. `others`: bytes that others hold."""
        reason = self.record.budget.stopped()
        full = max(self.store.count, self.waiting) + self.store.most > len(self.store.states)
        if not reason and full and not self.store.grow(self.record.budget, self.held + others):
            reason = "memory limit"
        return reason
