"""Best-first search: uniform-cost search, A*, weighted and greedy search are its parameters.

The open state with the least f = g + weight * h is expanded first, where g is what the way to it costs and h a lower
bound on the rest. Without a bound this is uniform-cost search (Dijkstra, *A note on two problems in connexion with
graphs*, 1959), with weight 1 A* (Hart, Nilsson and Raphael, 1968), with a larger one weighted A* (Pohl, 1970). With
weight 1, no plan costs less than the least f of an open state. By definition the cost of a state is the least sum of
costs over the ways that lead there; `tests/engines/test_bfs.py` and `tests/engines/test_agreement.py` hold it against
`tests/helpers/reference.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...analysis.bitset_kernels import find
from ...analysis.bitset_task import cost_of_key, to_bitset_task
from ...analysis.program_machine import unpack
from ...analysis.program_projections import ProjectionTables, lower_bound
from ...models.moves import show_cost
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_calls import by_type, laid_out, njit
from ...runtime.outcome import Outcome, Recorder
from .forced_steps import skip_forced, with_forced_steps
from .growing_bounds import GrowingBounds
from .plans import plan_over, rows_to
from .relaxed_plans import RelaxedTables, guess, look_again
from .store import Nodes, StateStore, way_to
from .successors import Form, ProgramForm, copy_row, is_goal, successors
from .work_quota import WorkQuota

# A heap of n entries is in key[0:n] and item[0:n]: no entry is below the one at (place - 1) // 2 above it.
#
#     place       0            keys        3
#                1 2                      5 4         key  = 3 5 4 9 7
#               3 4                      9 7          item = the states that wait, by these keys


@njit(inner=True)
def push(key: Longs, item: Ints, size: int, new: int, index: int) -> None:
    """Put item `index` with key `new` into a heap of `size` entries."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if key[above] <= new:
            break
        key[place], item[place] = key[above], item[above]
        place = above
    key[place], item[place] = new, index


@njit(inner=True)
def pop(key: Longs, item: Ints, size: int) -> None:
    """Take the entry with the least key, at 0, out of a heap of `size` entries: the last one sinks from there."""
    last, index = key[size - 1], item[size - 1]
    size -= 1
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and key[below + 1] < key[below]:
            below += 1
        if key[below] >= last:
            break
        key[place], item[place] = key[below], item[below]
        place = below
    key[place], item[place] = last, index


class NoBound(NamedTuple):
    """The lower bound 0 of every state."""

    value: int = 0


@njit(inner=True)
def _nothing(tables: NoBound, _form: Form, _row: Words) -> int:
    return tables.value


@njit(inner=True)
def _projected(tables: ProjectionTables, form: ProgramForm, row: Words) -> int:
    unpack(form.task, row, form.work.scratch)
    # Estimates have 32 bits; a larger bound is cut, which leaves it a bound.
    return min(long(lower_bound(tables, form.work.scratch.registers)), long((1 << 31) - 1))


BoundTables = NoBound | ProjectionTables | RelaxedTables

bound = by_type({NoBound: _nothing, ProjectionTables: _projected, RelaxedTables: guess})
"""`bound(tables, form, row)`: a lower bound on what a state still costs, or an estimate; -1 if no goal can be reached
from it."""


@njit(inner=True)
def _as_before(_tables: NoBound | ProjectionTables, _row: Words, before: int) -> int:
    return before


when_expanded = by_type({NoBound: _as_before, ProjectionTables: _as_before, RelaxedTables: look_again})
"""`when_expanded(tables, row, before)`: the bound of a state that comes to be expanded, which was `before` so far."""


class StateOrder(NamedTuple):
    """The order of open states: by f = cost + `weight` * estimate, with `ties` bits for the estimate below it. With
    `reopens` 0, a state keeps the way by which it was met first.
    """

    weight: int
    ties: int
    reopens: int


@njit(inner=True)
def key_of(cost: int, estimate: int, order: StateOrder) -> int:
    """The key by which open states are ordered: f, and below it in `ties` bits the estimate, so that of states of equal
    f the one nearer to the goal comes first.
    """
    total, ties = long(cost) + order.weight * long(estimate), order.ties
    return (total << ties) | min(long(estimate), (1 << ties) - 1)


@njit()
def estimate_root(form: Form, tables: BoundTables, nodes: Nodes) -> int:
    """Note the lower bound of the initial state, -1 if no goal can be reached."""
    nodes.estimate[0] = bound(tables, form, nodes.states[0])
    return long(nodes.estimate[0])


@njit()
def expand_best_first(
    form: Form,
    tables: BoundTables,
    order: StateOrder,
    nodes: Nodes,
    count: int,
    waiting: int,
    quota: int,
) -> tuple[int, int, int, int, int]:
    """Expand at most `quota` states, the least f first; `count` states are met, `waiting` entries are in the heap.

    Returns (count, waiting, expanded, goal, bound): `goal` is a goal state or -1. With weight 1 it is a cheapest one,
    and no plan costs less than `bound`.
    """
    states, table, costs, estimates, parent = nodes.states, nodes.table, nodes.cost, nodes.estimate, nodes.parent
    keys, heap = nodes.heap_key, nodes.heap
    rows, steps, most, expanded = form.work.rows, form.work.steps, len(form.work.rows), 0
    while waiting > 0:
        # 1. The entry of the least f. A state has an entry for each cost that it was met at: only the last one counts.
        key, index = long(keys[0]), long(heap[0])
        cost, estimate = long(costs[index]), long(estimates[index])
        if key > key_of(cost, estimate, order):
            pop(keys, heap, waiting)
            waiting -= 1
            continue
        # 2. It stays in the heap if this is all for now: quota, room, or the goal.
        if expanded >= quota or max(count, waiting) + most > len(states) or 2 * (count + most) > len(table):
            return count, waiting, expanded, -1, cost + estimate
        estimate = when_expanded(tables, states[index], estimate)
        if estimate == 0 and is_goal(form, states[index]):
            return count, waiting, expanded, index, cost
        pop(keys, heap, waiting)
        waiting -= 1
        expanded += 1
        if estimate < 0:
            continue
        # 3. Its children, if they are new or cheaper than before. Of a single one, what is forced behind it.
        children = successors(form, states[index])
        if children == 1 and form.task.cost[steps[0]] == 0 and skip_forced(form, rows[0]) < 0:
            continue
        for i in range(children):
            row = rows[i]
            total = cost + form.task.cost[steps[i]]
            slot = find(states, table, row)
            child = long(table[slot])
            if child >= 0 and (costs[child] <= total or not order.reopens):
                continue
            if child < 0:
                estimate = bound(tables, form, row)
                if estimate < 0:  # a dead end
                    continue
                child = long(count)
                copy_row(states[count], row)
                estimates[count] = estimate
                table[slot] = count
                count += 1
            # 4. It gets one entry more in the heap; an older one, dearer, is passed over later.
            parent[child], costs[child] = index, total
            push(keys, heap, waiting, key_of(total, long(estimates[child]), order), child)
            waiting += 1
    return count, 0, expanded, -1, 0


TIES = 12
"""Bits of the key of an open state in which its estimate stands."""

MOST_FOR_TIES = 1 << 31
"""Costs of actions up to here leave room for them: a plan of a million such actions costs less than 2^51."""


class BestFirst:
    """A best-first search from the initial state on, by bounds or estimates that stay as they are, by default none.
    `words`: their name; `form`: that of the task, if costs are to be others; `reopens`: see `StateOrder`.
    """

    def __init__(
        self,
        task: Task,
        record: Recorder,
        tables: BoundTables | None = None,
        *,
        words: str = "",
        weight: int = 1,
        form: Form | None = None,
        reopens: bool = True,
    ) -> None:
        self.task, self.record, self.parts, self.words = task, record, len(task.metric), words
        self.store = StateStore(task, heap=True, form=form)
        self.tables = laid_out(tables or NoBound())
        self.held = tables.databases.distances.nbytes if isinstance(tables, ProjectionTables) else 0
        # Costs of two components, or very large ones, leave no bits for the order of states of equal f.
        small = weight * self.store.dearest < MOST_FOR_TIES
        self.order = laid_out(StateOrder(weight, TIES if small and tables else 0, int(reopens)))
        self.root = int(estimate_root(self.store.form, self.tables, self.store.laid_out))
        """The lower bound of the initial state; -1 for a dead end."""
        self.waiting, self.expanded, self.pace = 1, 0, WorkQuota()

    @property
    def size(self) -> int:
        """The memory of all states, in bytes."""
        return self.store.size

    def at_once(self) -> Outcome | None:
        """Report the bound of the initial state; the outcome, if that is a dead end."""
        if self.root < 0:
            return self.record.unsolvable(f"{self.words}: no goal can be reached")
        if self.root:
            self.record.raise_bound(self.root, "the heuristic value of the initial state")
        return None

    def expand(self) -> tuple[int, int]:
        """Expand some states; a goal state or -1, and the bound of `expand_best_first`."""
        store = self.store
        store.quicken()
        store.count, self.waiting, done, goal, least = expand_best_first(
            store.form, self.tables, self.order, store.laid_out, store.count, self.waiting, self.pace.begin()
        )
        self.pace.end(done)
        self.expanded += done
        return int(goal), int(least)

    def advance(self) -> Words | None:
        """Expand some states and count them: the states on the way to a goal, if one is met."""
        states, expanded = self.store.count, self.expanded
        goal, _ = self.expand()
        self.record.count(states=self.store.count - states, expanded=self.expanded - expanded)
        return self.store.states[way_to(self.store.parent, goal)] if goal >= 0 else None

    def go_on(self, name: str) -> Outcome | None:
        """Expand some states; the outcome, if that ends the search. `name`: of the search, in words."""
        store, record = self.store, self.record
        goal, least = self.expand()
        record.stats.update(states=store.count, expanded=self.expanded)
        cost = cost_of_key(least, self.parts)
        words = f"{name}{self.words and f' ({self.words})'}"
        proof = f"{words}: every state cheaper than {show_cost(cost)} expanded"
        if goal >= 0:
            return record.optimal(self.plan_to(goal), cost, proof)
        if self.waiting == 0:
            return record.unsolvable(f"{words}: none of the {store.count:,} states that were met is a goal")
        record.raise_bound(cost, proof, states=store.count)
        record.working()
        reason = self.stopped()
        return record.stopped(reason) if reason else None

    def plan_to(self, goal: int) -> Plan:
        """The plan that led to a state, with the forced steps that were not stored."""
        rows, task = rows_to(self.task, self.store, goal), self.task
        if isinstance(task, OperatorTask):
            rows = with_forced_steps(task, to_bitset_task(task), rows)
        return plan_over(task, rows)[0]

    def stopped(self, others: int = 0) -> str | None:
        """Why the search cannot go on; None if it can, with room for more states. `others`: bytes that others hold."""
        return self.store.why_stop(self.record.budget, self.waiting, self.held + others)


def uniform_cost(task: Task, record: Recorder, look: Callable[[], None] = lambda: None) -> Outcome:
    """Expand the states of a task that is not trivial in the order of their cost. The task has no walker.

    `look` is called between two portions of work.
    """
    search = BestFirst(task, record)
    record.encoded()
    while (outcome := search.go_on("uniform-cost search")) is None:
        look()
    return outcome


def a_star(task: ProgramTask, record: Recorder, left_out: frozenset[str] = frozenset()) -> Outcome:
    """Solve a task of programs that is not trivial by A*, with the bounds of projections; `left_out`: see
    `GrowingBounds`. When larger ones say more of the initial state, the search begins anew with them.
    """
    bounds = GrowingBounds(task, record, left_out)
    record.encoded()
    search = BestFirst(task, record, bounds.found.tables, words=bounds.found.words)
    if done := search.at_once():
        return done
    while (outcome := search.go_on("A*")) is None:
        if bounds.grow():
            begun_anew = BestFirst(task, record, bounds.found.tables, words=bounds.found.words)
            if begun_anew.root > search.root:
                search = begun_anew
    return outcome
