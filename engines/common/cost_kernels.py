"""Compiled kernels of uniform-cost search: a binary heap over the states that wait to be expanded, and expanding them.

The cheapest state first (Dijkstra, *A note on two problems in connexion with graphs*, 1959). By definition the cost of
a state is the least sum of operators' costs over the paths of `models.plan.apply` that lead there;
`tests/engines/test_bfs.py` and `tests/engines/test_agreement.py` hold it against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from itertools import pairwise

from ...analysis.bitset_kernels import ONE, applies, apply, find, is_goal
from ...analysis.bitset_task import BitsetTask
from ...models.plan import apply as result_of
from ...models.task import Operator, Task
from ...runtime.arrays import Ints, Longs, Words, bit_rows
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import njit
from .store import Nodes, facts_of
from .successors import Workspace, copy_row, successors

# Forced steps: where one operator applies, a free one, a search goes on to the next choice and stores nothing
# between.
#
# A plan that comes to such a state, and not to the goal there, goes on by that operator. So a search that expands a
# state with one successor, which is free, may follow the free steps from there to the first state with a choice, or
# to a goal, and keep only that one; where no operator applies at all, nothing leads to the goal. No plan is lost, and
# its cost stays what it is. (The same holds of steps that cost something. But those may lead to a total that is never
# looked at.)
#
#     a --push: 1--> b --mark: 0--> c --count: 0--> d --clear: 0--> e --left--> ...        stored: a, b, e
#                                                                     --right-> ...
#
# Puzzles that count something, or run a program between two moves, have such chains. In the folding puzzles of the
# planning competition of 2023 nineteen of twenty states have one way on. That a state has just one successor is seen
# when it is expanded, so where there are no forced steps nothing is looked for.
#
# Not for tasks with a walker or compound moves, whose steps are more than operators.

# The most forced steps that are followed before a state is stored all the same.
MOST = 1_000

NONE_APPLIES, SEVERAL = -1, -2
"""Results of `only_operator` in place of an operator's number: none applies (a dead end), or two and more do."""


@njit(inner=True)
def only_operator(task: BitsetTask, row: Words) -> int:
    """The operator that applies in a state, if there is just one; else `NONE_APPLIES` or `SEVERAL`."""
    found = long(NONE_APPLIES)
    for w in range(task.words):
        bits = row[w] & task.watched[w]
        while bits:
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = long(task.watch_ops[i])
                if applies(task, op, row):
                    if found >= 0:
                        return SEVERAL
                    found = op
    return found


@njit(inner=True)
def follow_forced(task: BitsetTask, row: Words) -> int:
    """Make the free steps that are forced in a state: `row` becomes the first one without such a step, or a goal, or
    the one after `MOST` steps (there are circles). Gives how many they were; -1: no operator applies in the end.
    """
    for steps in range(MOST):
        if is_goal(task, row):
            return steps
        op = only_operator(task, row)
        if op == NONE_APPLIES:
            return -1
        if op == SEVERAL or task.cost[op] > 0:
            return steps
        apply(task, op, row, row)
    return MOST


def with_forced_steps(task: Task, packed: BitsetTask, rows: Words) -> Words:
    """A path with the forced states in it that a search did not store: a, b, e becomes a, b, c, d, e if c and d have
    one way on.
    """
    states = [frozenset(facts_of(row.tolist())) for row in rows]
    way = states[:1]
    for before, after in pairwise(states):
        state = before
        while state != after:
            steps = applicable(task, packed, state)
            state = result_of(state, steps[0]) if len(steps) == 1 else after
            way.append(state)
    return bit_rows(way, packed.words)


def applicable(task: Task, packed: BitsetTask, state: frozenset[int]) -> list[Operator]:
    """The operators that apply in a state."""
    first, watching, operators = packed.watch_first, packed.watch_ops, task.operators
    watched = (operators[n] for fact in sorted(state) for n in watching[first[fact] : first[fact + 1]].tolist())
    return [op for op in watched if state.issuperset(op.pre)]


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


@njit()
def expand_cheapest(
    task: BitsetTask, nodes: Nodes, work: Workspace, count: int, waiting: int, quota: int
) -> tuple[int, int, int, int, int]:
    """Expand at most `quota` states, cheapest first; `count` states are met, `waiting` entries are in the heap.

    Returns (count, waiting, expanded, goal, bound): `goal` is the cheapest goal state or -1; `bound`, a lower bound on
    the cost of every plan: the cost of the goal or of the cheapest state that waits.
    """
    states, table, costs = nodes.states, nodes.table, nodes.cost
    expanded = 0
    while waiting > 0:
        # 1. The cheapest entry. A state has an entry for each cost that it was met at: only the last one counts.
        cost, index = long(nodes.heap_key[0]), long(nodes.heap[0])
        if cost > costs[index]:
            pop(nodes.heap_key, nodes.heap, waiting)
            waiting -= 1
            continue
        # 2. It stays in the heap if this is all for now: room, quota or the goal.
        if expanded >= quota or max(count, waiting) + task.most > len(states) or 2 * (count + task.most) > len(table):
            return count, waiting, expanded, -1, cost
        if is_goal(task, states[index]):
            return count, waiting, expanded, index, cost
        pop(nodes.heap_key, nodes.heap, waiting)
        waiting -= 1
        expanded += 1
        # 3. Its children, if they are new or cheaper than before. Of a single one, what is forced behind it.
        children = successors(task, states[index], work, -1)
        if children == 1 and task.cost[work.operators[0]] == 0 and follow_forced(task, work.rows[0]) < 0:
            continue
        for i in range(children):
            row = work.rows[i]
            total = cost + task.cost[work.operators[i]]
            slot = find(states, table, row)
            known = long(table[slot])
            if known >= 0 and costs[known] <= total:
                continue
            # 4. It gets one entry more in the heap; an older one, dearer, is passed over later.
            if known < 0:
                known = long(count)
                copy_row(states[count], row)
                table[slot] = count
                count += 1
            costs[known] = total
            nodes.parent[known] = index
            push(nodes.heap_key, nodes.heap, waiting, total, known)
            waiting += 1
    return count, 0, expanded, -1, 0
