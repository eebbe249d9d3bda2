"""Landmark cut, compiled (Helmert and Domshlak, *Landmarks, critical paths and abstractions: what's the difference
anyway?*, ICAPS 2009).

h^max of a fact is the least cost at which it becomes true if, of what an operator asks for, only the dearest fact
counted: its *supporter*. In the graph with an edge from the supporter of each operator to each fact that it makes true,
the *goal zone* is whatever leads to the goal at no cost. The operators that enter it from where the state leads are a
*cut*: every plan has one of them. Their least cost counts, is taken off all of them, and the next cut is looked for:

    state --a: 2--> p --b: 1--> q --c: 0--> goal     the zone is {q, goal}, the cut {b}, 1; then {p, q, goal}, {a}, 2

until h^max of the goal is 0. No cost is counted twice, so the sum is at most the cost of a plan. What `landmark_cut`
computes is written out in Python in `tests/analysis/test_landmark_cut.py`, cut by cut; which of several supporters of
one level is taken is open, so that the test checks what makes the sum a bound.
"""

from __future__ import annotations

from ...runtime.arrays import Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE
from ..index_heap import lower, take_least
from .tables import CutScratch, RelaxedTask

NEVER = 1 << 62
"""The level of a fact that cannot become true."""

BEFORE, GOAL_ZONE = 1, 2
"""Entries of `CutScratch.zone`: reached from the state without entering the goal zone; in that zone."""


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


@njit(cache=True)
def landmark_cut_of(task: RelaxedTask, work: CutScratch, row: Words) -> int:
    """The lower bound of landmark cut in a state: `landmark_cut`, for callers in Python."""
    value: int = landmark_cut(task, work, row)
    return value
