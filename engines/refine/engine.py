"""Plan refinement for every task: Richard Bird's search with facts in place of cells, operators in place of moves.

Means-ends analysis (Newell, Shaw and Simon, *Report on a general problem-solving program*, 1959): to apply an operator
that reduces the difference to the goal, first bring about what it lacks, and so on. How the plans are searched is
Bird's (*Pearls of Functional Algorithm Design*, 2010, "Planning solves the Rush Hour problem"; `engines.bird.engine`
has it as the book does):

- a plan is a list of facts to be brought about in order; the first plan is the goal;
- a plan is refined until an operator can be applied: an object that is to be elsewhere moves nearer; a fact that an
  object excludes asks for a position of that object that does not; what the operator lacks comes first;
- nothing enters a plan that it is already part of: the guard against going round in circles;
- a path is a state with the plan for the rest. The states that a plan leads on to are visited at once, depth first; of
  each state met, all operators wait in a second frontier, with a fresh plan each, for when no plan leads on.

Two things are other than in the book:

- Alternatives are ordered: by what they lack, how far they lead, and how much of the rest of the plan they make
  impossible (`refining.alternatives`). Only the first refinement of a plan is followed.
- Either that leads to the goal within some dozens of states, or not for long. So a search that has met some hundreds of
  states begins anew with a random part in the order, and has more states each time: randomized restarts (Gomes, Selman
  and Kautz, *Boosting combinatorial search through randomization*, AAAI 1998).

Every state that is met gets all its operators in the end: when both frontiers of an attempt are empty, every reachable
state has been seen. The plan found is shortened through the states near it (`states.neighbourhood`).
"""

from __future__ import annotations

import numpy as np

from ...analysis.bitset_task import BitsetTask, to_bitset_task
from ...analysis.relaxation import relaxation
from ...models.task import Task
from ...runtime.arrays import Ints, Words
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.neighbourhood import shortened
from ..common.pace import Pace
from ..common.plans import plan_over
from ..common.root_bound import RootBound
from ..common.store import StateStore, way_to
from .kernels import PATHS, Frontiers, RefineSearch, follow_plans
from .means import Means, means_of
from .refining import TRIES, Plans, pile_for
from .tunables import REFINE


def refine(task: Task, budget: Budget, progress: Progress = silent, seed: int | None = None) -> Outcome:
    """Find a plan by refining the goal. Its cost is an upper bound; that no plan exists is proven by exhaustion.

    With a `seed` from 1 on, the first attempt has a random part, too.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    record.raise_bound(min(op.cost for op in task.operators), "the initial state is no goal")
    root = RootBound(task, record)
    reached = relaxation(task)
    if any(reached.facts.isdisjoint(clause) for clause in task.goal):
        return record.unsolvable("the goal is out of reach even if nothing that is true ever became false")
    means = means_of(task, reached, budget)
    if means is None:
        return record.stopped("memory limit")
    search = _Refinement(task, to_bitset_task(task), means, REFINE.attempts * (seed or 0))
    record.encoded()
    rows, reason = _run(search, record, root)
    if rows is None and reason is None:
        return record.unsolvable(f"plan refinement: none of the {record.stats['states']:,} reachable states is a goal")
    if rows is None:
        return record.stopped(reason)
    record.stats["first_plan_steps"] = len(rows) - 1
    record.found(*plan_over(task, rows))
    rows = shortened(search.packed, rows, budget)
    record.found(*plan_over(task, rows))
    record.stats["steps"] = len(rows) - 1
    return record.stopped(None)


class _Refinement:
    """The growing arrays of a search. `first`: the number of the first attempt, 0 for one without a random part."""

    def __init__(self, task: Task, packed: BitsetTask, means: Means, first: int = 0) -> None:
        self.packed, self.means, self.first, self.attempt = packed, means, first, 0
        self.pile = pile_for(len(task.facts), len(packed.free_bit), REFINE.refinements)
        self.step = max(packed.most, REFINE.refinements)
        self.most = TRIES * max(1, *(len(op.pre) for op in task.operators)) + len(task.goal)
        self.begin()

    def begin(self) -> None:
        """Begin anew with the initial state; every time but the first with other random preferences."""
        self.store = StateStore(self.packed)
        self.pile = self.pile._replace(attempt=self.first + self.attempt)
        self.attempt += 1
        cells, room = max(REFINE.first_cells, 2 * self.most), len(self.store.states)
        item, purpose, rest = (np.empty(cells, np.int32) for _ in range(3))
        self.plans = Plans(item, purpose, rest, np.zeros(1, np.int64), self.most)
        state, op, plan = (np.empty(room + self.step, np.int32) for _ in range(3))
        self.frontiers = Frontiers(state, op, plan, np.zeros(room, np.int32), np.array([0, 1], np.int64))

    def tables(self) -> RefineSearch:
        """The arrays as they are now, for a kernel."""
        store = self.store
        return laid_out(RefineSearch(store.nodes, store.work, self.frontiers, self.plans, self.pile, self.means))

    def grow(self, budget: Budget) -> bool:
        """Double what is nearly full. False if that would pass the memory limit."""
        held, frontiers, plans = self._held(), self.frontiers, self.plans
        if self.store.count == len(self.store.states):
            if not self.store.grow(budget, held):
                return False
            self.frontiers = frontiers = frontiers._replace(other=_doubled(frontiers.other))
        if plans.used[0] + plans.most > len(plans.item):
            if not budget.fits(self.store.size + held + 2 * plans.item.nbytes * 3):
                return False
            item, purpose, rest = map(_doubled, (plans.item, plans.purpose, plans.rest))
            self.plans = plans._replace(item=item, purpose=purpose, rest=rest)
        if frontiers.waiting[PATHS] + self.step > len(frontiers.state):
            if not budget.fits(self.store.size + held + 2 * frontiers.state.nbytes * 3):
                return False
            state, op, plan = map(_doubled, (frontiers.state, frontiers.op, frontiers.plan))
            self.frontiers = frontiers._replace(state=state, op=op, plan=plan)
        return True

    def _held(self) -> int:
        """The memory of all arrays except the states, in bytes."""
        arrays = (*self.frontiers, self.plans.item, self.plans.purpose, self.plans.rest, *self.means)
        return sum(array.nbytes for array in arrays)


def _doubled(array: Ints) -> Ints:
    return np.concatenate((array, np.empty_like(array)))


def _run(search: _Refinement, record: Recorder, root: RootBound) -> tuple[Words | None, str | None]:
    """(states of a plan, None), or (None, the reason to give up), or (None, None) if there is no plan."""
    budget, packed = record.budget, laid_out(search.packed)
    tables, pace, limit, before = search.tables(), Pace(), REFINE.first_states, 0
    while True:
        store, quota = search.store, pace.begin()
        store.count, done, goal = follow_plans(packed, tables, store.count, min(quota, limit - store.count + 1))
        pace.end(done)
        record.stats.update(states=before + store.count, attempts=search.attempt)
        if goal >= 0:
            return store.states[way_to(store.parent, goal)], None
        if not search.frontiers.waiting.any():
            return None, None
        record.working()
        root.look()
        if reason := budget.stopped():
            return None, reason
        if store.count > limit:
            before, limit = before + store.count, int(REFINE.growth * limit)
            search.begin()
        elif done < quota and not search.grow(budget):
            return None, "memory limit"
        tables = search.tables()
