"""The successors of a packed state: the generator of all searches over bit sets in which a state's children are made
alike.

A child is one operator away. In a task with compound moves it is one *compound move* away: any way of one movable
object, while nothing else moves. A walker gets to where the operator is made by itself, within the region of free cells
that it is in; the cell that stands in a state is the first one of that region.

By definition the children of a state s are

    {apply(s, op) for op in task.operators if s.issuperset(op.pre)}     (`models.plan.apply`, facts as sets)

without a walker, and for compound moves the closure of this over the operators that start where the last one ended.
`tests/engines/test_successors.py` holds the two against each other. Searches that look at an operator before they make
the child (`astar.kernels.expand`, `idastar.walk_kernels`) and the one over short keys (`bfs.fdr_kernels`) have
loops of their own: there, most children are dropped before they are made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE, applies, apply, walk_region
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Bytes, Ints, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import njit


class Workspace(NamedTuple):
    """Where `successors` writes the children of one state, and its scratch. A task has F facts and K walker cells.

    `rows` (most, row words): the children; `operators` (most): how each is reached, of a compound move the last
    operator. `start`, `position` (most): the facts before and after a compound move; `seen` (F): the positions reached
    in one. `region`, `after` (K): cells that the walker can reach, in the state and in a child; `stack` (K).
    """

    rows: Words
    operators: Ints
    start: Ints
    position: Ints
    seen: Bytes
    region: Bytes
    after: Bytes
    stack: Ints


def workspace(task: BitsetTask) -> Workspace:
    """Room for the children of any state of a task."""
    most, facts, cells = task.most + 1, 64 * task.words, max(1, len(task.free_bit))
    return Workspace(
        rows=np.zeros((most, task.row), np.uint64),
        operators=np.zeros(most, np.int32),
        start=np.zeros(most, np.int32),
        position=np.zeros(most, np.int32),
        seen=np.zeros(facts, np.uint8),
        region=np.zeros(cells, np.uint8),
        after=np.zeros(cells, np.uint8),
        stack=np.zeros(cells, np.int32),
    )


@njit(inner=True)
def copy_row(target: Words, row: Words) -> None:
    """`target[:] = row`. Spelled out, as numba's own assignment of a row takes two seconds more to compile."""
    for w in range(len(row)):
        target[w] = row[w]


@njit(inner=True)
def successors(task: BitsetTask, state: Words, work: Workspace, barred: int) -> int:
    """Write the children of a state into `work`; gives their number.

    No compound move starts at fact `barred` (-1: any may): what has just moved need not move on.
    """
    rows, operators, region, stack = work.rows, work.operators, work.region, work.stack
    words, cells, compound = task.words, len(task.free_bit), len(task.displacement) > 0
    if cells:
        walk_region(task, state, long(state[words]), region, stack)
    count = 0
    for w in range(words):
        bits = state[w] & task.watched[w]
        while bits:
            # Each true fact is the watched one of some operators: only these can apply because of it.
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            if compound:
                if fact != barred:
                    count = compound_moves(task, state, work, fact, count)
                continue
            # Behind what it pushes, the walker must be in its region; its cell after that is the region's first.
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = task.watch_ops[i]
                if not applies(task, op, state) or (cells and not region[task.walk[op, 0]]):
                    continue
                apply(task, op, state, rows[count])
                if cells:
                    rows[count, words] = walk_region(task, rows[count], long(task.walk[op, 1]), work.after, stack)
                operators[count] = op
                count += 1
    return count


@njit(inner=True)
def compound_moves(task: BitsetTask, state: Words, work: Workspace, start: int, count: int) -> int:
    """Add the compound moves of the object at fact `start` to the `count` children in `work`; gives the new number.

    Breadth-first over the positions of the object. Nothing else moves meanwhile, so its position says which state it
    is. The rows written are the queue; the state itself stands before the first of them:

        source   state   rows[count]   rows[count + 1]   ...
        head    count-1     count         count + 1             tail
    """
    rows, operators, position, seen = work.rows, work.operators, work.position, work.seen
    head, tail, here = count - 1, count, long(start)
    seen[start] = 1
    while True:
        # 1. Operators that move the object from where it is to where it was not yet.
        source = state if head < count else rows[head]
        for i in range(task.watch_first[here], task.watch_first[here + 1]):
            op = task.watch_ops[i]
            there = task.displacement[op, 1]
            if not seen[there] and applies(task, op, source):
                seen[there] = 1
                apply(task, op, source, rows[tail])
                operators[tail], work.start[tail], position[tail] = op, start, there
                tail += 1
        head += 1
        if head == tail:
            break
        here = long(position[head])
    # 2. The marks are taken back: `seen` is clear for the next object.
    seen[start] = 0
    for i in range(count, tail):
        seen[position[i]] = 0
    return tail
