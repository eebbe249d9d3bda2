"""Landmark cut: cuts between the state and the goal, each of which every plan crosses (`landmark_cuts`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.task import OperatorTask
from ...runtime.arrays import Bytes, Ints, Longs, Words, to_csr, zeros
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..bitset_task import cost_key
from ..heuristic import Estimate, Heuristic, Role, Successor, Survey
from ..index_heap import lower, take_least
from ..transition_graphs import relaxation

# Landmark cut: sets of operators of which every plan has one; their least costs, each paid once, are a lower bound.
#
# First the delete relaxation as arrays, in which operators only make facts true. A fact counts if an operator asks
# for it, or the goal does. Operators that ask for the same and make the same true are one, the cheapest of them.
# Artificial facts and operators make the goal a single fact:
#
#     goal (a or b) and c       a -> "a or b"    b -> "a or b"    "a or b", c -> goal       all at no cost
#
# Then the kernel that finds the cuts in a state.


class RelaxedTask(NamedTuple):
    """A relaxed task of n facts and N operators. `number`: for each bit of a state its fact, or -1.

    `cost` (N): keys of costs. `pre`, `add`: the facts that operators ask for, and make true; `asking`, `making`: the
    operators that ask for each fact, and make it true; all as offsets and numbers. `always`: a fact that is true in
    every state; `goal`: the one to be reached.
    """

    number: Ints
    cost: Longs
    pre_first: Ints
    pre: Ints
    add_first: Ints
    add: Ints
    asking_first: Ints
    asking: Ints
    making_first: Ints
    making: Ints
    always: int
    goal: int


class CutScratch(NamedTuple):
    """Scratch of `landmark_cut`, by fact (n) and by operator (N).

    `level` (n): h^max of a fact; `heap`, `place` (n): the facts that wait, a binary heap by level, and where in it each
    stands, or -1; `stack`, `zone` (n); `true` (n): the facts of the state. `left` (N): what an operator still costs;
    `unmet` (N): how many of its preconditions were not reached yet; `supporter`, `support` (N): its precondition of the
    highest level, and that level; `cut` (N).
    """

    level: Longs
    heap: Ints
    place: Ints
    stack: Ints
    true: Ints
    zone: Bytes
    left: Longs
    unmet: Ints
    supporter: Ints
    support: Longs
    cut: Ints


def relaxed_task(task: OperatorTask, words: int) -> RelaxedTask:
    """The relaxation of a task without a walker and compound moves, of what is ever reached from its initial state."""
    possible = [task.operators[number] for number in sorted(relaxation(task).operators)]
    asked = sorted({f for op in possible for f in op.pre} | {f for clause in task.goal for f in clause})
    number = {fact: n for n, fact in enumerate(asked)}
    always, goal, count = len(asked), len(asked) + 1, len(asked) + 2
    best: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for op in possible:
        add = tuple(number[f] for f in op.add if f in number)
        key = tuple(number[f] for f in op.pre) or (always,), add
        if add:
            best[key] = min(cost_key(op.cost), best.get(key, cost_key(op.cost)))
    operators = [(pre, add, cost) for (pre, add), cost in best.items()]
    clauses = []
    for clause in task.goal:
        if len(clause) == 1:
            clauses.append(number[clause[0]])
            continue
        operators += [((number[fact],), (count,), 0) for fact in clause]
        clauses.append(count)
        count += 1
    operators.append((tuple(sorted(set(clauses))) or (always,), (goal,), 0))
    asking: list[list[int]] = [[] for _ in range(count)]
    making: list[list[int]] = [[] for _ in range(count)]
    for n, (pre, add, _) in enumerate(operators):
        for fact in pre:
            asking[fact].append(n)
        for fact in add:
            making[fact].append(n)
    numbers = np.full(64 * words, -1, np.int32)
    numbers[asked] = range(len(asked))
    return RelaxedTask(
        numbers,
        np.array([cost for _, _, cost in operators], np.int64),
        *to_csr([pre for pre, _, _ in operators]),
        *to_csr([add for _, add, _ in operators]),
        *to_csr(asking),
        *to_csr(making),
        always=always,
        goal=goal,
    )


def no_relaxed_task(words: int) -> RelaxedTask:
    """A relaxed task whose goal is the fact that is always true: the bound is 0."""
    none, first = np.zeros(0, np.int32), np.zeros(2, np.int32)
    lists = (np.zeros(1, np.int32), none) * 2 + (first, none) * 2
    return RelaxedTask(np.full(64 * words, -1, np.int32), np.zeros(0, np.int64), *lists, always=0, goal=0)


def cut_scratch(task: RelaxedTask) -> CutScratch:
    """Scratch for a relaxed task."""
    facts, operators = len(task.asking_first) - 1, len(task.cost)
    nowhere = np.full(facts, -1, np.int32)
    return zeros(CutScratch, operators, level=facts, heap=facts, place=nowhere, stack=facts, true=facts, zone=facts)


# Landmark cut, compiled (Helmert and Domshlak, *Landmarks, critical paths and abstractions: what's the difference
# anyway?*, ICAPS 2009).
#
# h^max of a fact is the least cost at which it becomes true if, of what an operator asks for, only the dearest fact
# counted: its *supporter*. In the graph with an edge from the supporter of each operator to each fact that it makes
# true, the *goal zone* is whatever leads to the goal at no cost. The operators that enter it from where the state leads
# are a *cut*: every plan has one of them. Their least cost counts, is taken off all of them, and the next cut is looked
# for:
#
#     state --a: 2--> p --b: 1--> q --c: 0--> goal     the zone is {q, goal}, the cut {b}, 1; then {p, q, goal}, {a}, 2
#
# until h^max of the goal is 0. No cost is counted twice, so the sum is at most the cost of a plan. What
# `landmark_cut` computes is written out in Python in `tests/analysis/test_landmark_cut.py`, cut by cut; which of
# several supporters of one level is taken is open, so that the test checks what makes the sum a bound.

# The level of a fact that cannot become true.
NEVER = 1 << 62

# Entries of `CutScratch.zone`: reached from the state without entering the goal zone; in that zone.
BEFORE, GOAL_ZONE = 1, 2


@njit(inner=True)
def _relax(
    task: RelaxedTask, work: CutScratch, op: int, value: int, target: int, height: int, size: int
) -> tuple[int, int]:
    """Give the effects of an operator the level `target`, where theirs is higher. Facts of the level at hand, `value`,
    wait on the stack, those of higher levels in the heap; gives how many wait on each.
    """
    add_first, add, level, place = task.add_first, task.add, work.level, work.place
    for j in range(add_first[op], add_first[op + 1]):
        other = long(add[j])
        if level[other] <= target:
            continue
        if target == value and place[other] < 0:
            level[other] = target
            work.stack[height] = other
            height += 1
        else:
            size = lower(level, work.heap, place, size, other, target)
    return height, size


@njit(inner=True)
def _explore(task: RelaxedTask, work: CutScratch, count: int) -> None:
    """Find h^max of all facts from the `count` facts of the state, and the supporters of all operators (Dijkstra)."""
    pre_first, asking_first, asking = task.pre_first, task.asking_first, task.asking
    level, heap, place, stack, true = work.level, work.heap, work.place, work.stack, work.true
    left, unmet, supporter, support = work.left, work.unmet, work.supporter, work.support
    for fact in range(len(level)):
        level[fact] = NEVER
    for op in range(len(left)):
        unmet[op] = pre_first[op + 1] - pre_first[op]
        supporter[op] = -1
    height, size = long(count), long(0)
    for i in range(count):
        stack[i] = true[i]
        level[true[i]] = 0
    while height > 0 or size > 0:
        if height > 0:
            height -= 1
            fact = long(stack[height])
        else:
            fact = take_least(level, heap, place, size)
            size -= 1
        value = level[fact]
        for i in range(asking_first[fact], asking_first[fact + 1]):
            op = asking[i]
            unmet[op] -= 1
            if unmet[op]:
                continue
            # The last of its preconditions is one of the highest level.
            supporter[op], support[op] = fact, value
            height, size = _relax(task, work, op, value, value + left[op], height, size)


@njit(inner=True)
def _explore_again(task: RelaxedTask, work: CutScratch, cut: int) -> None:
    """Find h^max anew after the first `cut` operators of `work.cut` have become cheaper, where it changes."""
    pre_first, pre, add_first, add = task.pre_first, task.pre, task.add_first, task.add
    asking_first, asking = task.asking_first, task.asking
    level, heap, place, stack = work.level, work.heap, work.place, work.stack
    left, supporter, support = work.left, work.supporter, work.support
    height, size = long(0), long(0)
    for i in range(cut):
        op = work.cut[i]
        target = support[op] + left[op]
        for j in range(add_first[op], add_first[op + 1]):
            if level[add[j]] > target:
                size = lower(level, heap, place, size, long(add[j]), target)
    while height > 0 or size > 0:
        if height > 0:
            height -= 1
            fact = long(stack[height])
        else:
            fact = take_least(level, heap, place, size)
            size -= 1
        value = level[fact]
        for i in range(asking_first[fact], asking_first[fact + 1]):
            op = asking[i]
            if supporter[op] != fact or support[op] <= value:
                continue
            # Its supporter has become cheaper: another precondition may be the dearest now.
            highest, dearest = value, fact
            for j in range(pre_first[op], pre_first[op + 1]):
                if level[pre[j]] > highest:
                    highest, dearest = level[pre[j]], long(pre[j])
            supporter[op] = dearest
            if highest == support[op]:
                continue
            support[op] = highest
            height, size = _relax(task, work, op, value, highest + left[op], height, size)


@njit(inner=True)
def _find_cut(task: RelaxedTask, work: CutScratch, count: int) -> int:
    """Write the operators of a cut to `work.cut`; gives their number."""
    add_first, add, asking_first, asking = task.add_first, task.add, task.asking_first, task.asking
    making_first, making = task.making_first, task.making
    zone, stack, left, supporter = work.zone, work.stack, work.left, work.supporter
    for fact in range(len(zone)):
        zone[fact] = 0
    # 1. The goal zone, backward over operators that cost nothing.
    zone[task.goal] = GOAL_ZONE
    stack[0], height = task.goal, long(1)
    while height > 0:
        height -= 1
        fact = stack[height]
        for i in range(making_first[fact], making_first[fact + 1]):
            op = making[i]
            if left[op] == 0 and supporter[op] >= 0 and zone[supporter[op]] == 0:
                zone[supporter[op]] = GOAL_ZONE
                stack[height] = supporter[op]
                height += 1
    # 2. Forward from the state up to the zone: what enters it is the cut.
    for i in range(count):
        zone[work.true[i]] = BEFORE
        stack[i] = work.true[i]
    height, cut = long(count), long(0)
    while height > 0:
        height -= 1
        fact = stack[height]
        for i in range(asking_first[fact], asking_first[fact + 1]):
            op = asking[i]
            if supporter[op] != fact:
                continue
            enters = False
            for j in range(add_first[op], add_first[op + 1]):
                enters = enters or zone[add[j]] == GOAL_ZONE
            if enters:
                work.cut[cut] = op
                cut += 1
                continue
            for j in range(add_first[op], add_first[op + 1]):
                other = add[j]
                if zone[other] == 0:
                    zone[other] = BEFORE
                    stack[height] = other
                    height += 1
    return cut


@njit(inner=True)
def landmark_cut(task: RelaxedTask, work: CutScratch, row: Words) -> int:
    """The bound of a packed state: the sum of the costs of its cuts; -1 if the goal cannot be reached."""
    number, true, left, goal = task.number, work.true, work.left, task.goal
    count, total = long(1), long(0)
    true[0] = task.always
    for w in range(len(number) >> 6):
        bits = row[w]
        while bits:
            fact = number[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            if fact >= 0:
                true[count] = fact
                count += 1
    for op in range(len(left)):
        left[op] = task.cost[op]
    _explore(task, work, count)
    if work.level[goal] == NEVER:
        return long(-1)
    while work.level[goal] > 0:
        cut = _find_cut(task, work, count)
        least = long(left[work.cut[0]])
        for i in range(1, cut):
            least = min(least, long(left[work.cut[i]]))
        total += least
        for i in range(cut):
            left[work.cut[i]] -= least
        _explore_again(task, work, cut)
    return total


class LandmarkCut(NamedTuple):
    """The tables for kernels: the relaxed task, and scratch."""

    relaxed: RelaxedTask
    work: CutScratch


def _tables(relaxed: RelaxedTask) -> LandmarkCut:
    return LandmarkCut(relaxed, cut_scratch(relaxed))


@njit(inner=True)
def _after(tables: LandmarkCut, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = landmark_cut(tables.relaxed, tables.work, child.row)
    return value


HEURISTIC = Heuristic(
    sentence="cuts of operators, one of which every plan has, at their least costs (Helmert and Domshlak 2009)",
    role=Role.LATE_BOUND,
    rank=10,
    prepare=lambda given: _tables(relaxed_task(given.task, given.packed.words)),
    empty=lambda _task, packed: _tables(no_relaxed_task(packed.words)),
    words=lambda tables: "landmark cut" if tables.relaxed.goal != tables.relaxed.always else "",
    after=_after,
)
