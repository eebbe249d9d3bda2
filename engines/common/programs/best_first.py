"""Best-first search over actions as programs: A*, or uniform-cost search where no projections are wanted."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ....analysis.inverse_programs import BothWays, State, ends_of
from ....analysis.program_machine import program_tables
from ....analysis.program_projections import Projections, databases_of, no_projections, patterns_of, projections_of
from ....models.moves import show_cost
from ....models.program import ProgramTask
from ....runtime.outcome import Outcome, Recorder
from ..work_quota import WorkQuota

if TYPE_CHECKING:
    from ....analysis.program_projections import Projections


# The lower bounds of searches over programs: projections to single variables at first, pattern databases when the
# search has taken longer than building them will take.

# The most abstract states of a pattern, of databases that are built one after the other.
DATABASE_SIZES = [500_000, 10_000_000, 200_000_000]

# Seconds of search before the first databases are built.
DATABASES_AFTER = 0.5

# Seconds that an action takes on an abstract state of a database. Twelve turns of a cube: 3 s for 32 million states,
# of which 21 million are reached, 70 s for 764 million.
SECONDS_A_STEP = 1e-8


class GrowingBounds:
    """The bounds of a task. `left_out`: `projections` for none at all, `databases` for those to single variables."""

    def __init__(self, task: ProgramTask, record: Recorder, left_out: frozenset[str]) -> None:
        self.task, self.record = task, record
        wanted = "projections" not in left_out and len(task.metric) == 1
        self.single = projections_of(task, task.computed(program_tables), record.budget) if wanted else no_projections()
        self.found: Projections = self.single
        self.sizes = list(DATABASE_SIZES) if wanted and "databases" not in left_out else []
        self._began, self._built = record.elapsed, 0.0
        record.stats.update(self.found.stats)

    def grow(self) -> bool:
        """Build the next pattern databases if the search has taken as long as that will; whether there are new ones."""
        began = self.record.elapsed
        searched = began - self._began - self._built
        if not self.sizes or searched < DATABASES_AFTER:
            return False
        ends = self.task.computed(ends_of)
        grown = not isinstance(ends, str) and self._build(*ends, searched)
        if isinstance(ends, str):
            self.sizes = []  # databases begin at the goals
        self._built += self.record.elapsed - began
        return grown

    def _build(self, goals: list[State], both_ways: BothWays, searched: float) -> bool:
        states = sum(map(self._size, patterns_of(self.task, both_ways, self.sizes[0])))
        if searched < states * len(self.task.actions) * SECONDS_A_STEP:
            return False
        made = databases_of(self.task, both_ways, goals, self.sizes.pop(0), self.record.budget) if states else None
        if made is None:
            self.sizes = []
            return False
        self.found = self.single.with_databases(made.tables)
        self.record.stats.update(databases=made.count, database_states=made.states)
        return True

    def _size(self, pattern: tuple[int, ...]) -> int:
        return prod(self.task.variables[v].high - self.task.variables[v].low + 1 for v in pattern)


TIES = 12
"""Bits of the key of an open state in which its estimate stands."""

MOST_FOR_TIES = 1 << 31
"""Costs of actions up to here leave room for them: a plan of a million such actions costs less than 2^51."""


def best_first(task: ProgramTask, record: Recorder, name: str, left_out: frozenset[str] = frozenset()) -> Outcome:
    """Solve a task that is not trivial. When the least f of an open state is c, no plan costs less than c.

    `name`: of the search, in words. A state's estimate comes from projections; `bounds.GrowingBounds` says what
    `left_out` can be. When larger ones say more of the initial state, the search begins anew with them.
    """

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
        from ....runtime.kernel_calls import laid_out
        from .kernels import ProgramStore, StateOrder, estimate_of

        self.record, self.parts, self.words = record, len(task.metric), bounds.words
        self.store: ProgramStore = ProgramStore(task, heap=True)
        self.given = (*self.store.given, laid_out(bounds.tables))
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
        return self.store.why_stop(self.record.budget, self.waiting, self.held + others)
