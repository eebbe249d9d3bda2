"""Tunnels: what has been pushed a step into a corridor one cell wide is pushed on at once.

    ########      The box has just been pushed from a to b by the player, who now stands on a. None of the three cells
    #  abc #      has a neighbour beside the way, b is no goal, and c is free. Of all that could be pushed now, only the
    ##.##### ...  box is: to c.

Let a, b, c be cells in each of which nobody can step aside: the walker's neighbours of b are a and c, of a they are b
and at most one more, of c too; and let b be no goal. Let S be a state that was reached by the push from a to b from a
state P, with c free, and suppose that S is on an optimal plan. Some push of that plan has to move the object on b,
after pushes X of others. None of X puts an object on a or c: two objects on neighbouring cells of a, b and c bar each
other for ever, and one of them stands on b. Nor can the walker be on a or c during X to push something: such a cell has
one way out then, and from there nothing but the object on b can be pushed: what would stand on the way out keeps the
walker from getting there.

1. The plan pushes it from b to c next. Then it can do so at once: where the object stands, on b or c, the walker gets
   from the same cells to the same cells, so that X can be made afterwards, and the same state is left.
2. The plan pushes it back from b to a. Then X can be made from P, without the two pushes: the object shuts the corridor
   on a as it does on b, and the walker, who in the plan is on b afterwards, has come from c. That plan is cheaper, so S
   was not on an optimal one.

So on every optimal plan through S the push to c can come first, and it is the only one that needs to be expanded. That
needs a walker that walks for nothing, and operators that are pushes along one cell (`corrals.pushes_only`). In a search
it depends on how S was reached: if S is reached more cheaply by another push, it is expanded anew. For each state only
one of this rule and the corrals is used: each keeps a push of an optimal plan from any state that is on one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..models.task import Task
from ..runtime.arrays import Ints, Words, bit_rows
from ..runtime.bitops import long, trailing_zeros
from ..runtime.kernel_cache import njit
from .bitset_kernels import applies
from .bitset_task import BitsetTask
from .object_arrays import MovableObjects


class Tunnels(NamedTuple):
    """`onward` (N): for the push from a to b that from b to c, -1 where no such rule holds; `inside` (W): the facts of
    an object on such a cell b, as bits.
    """

    onward: Ints
    inside: Words


def no_tunnels(task: BitsetTask) -> Tunnels:
    """No push has to go on."""
    return Tunnels(onward=np.full(len(task.pre), -1, np.int32), inside=np.zeros(task.words, np.uint64))


def find_tunnels(task: Task, packed: BitsetTask, objects: MovableObjects) -> Tunnels:
    """The tunnels of a task of which `corrals.pushes_only` holds."""
    found = no_tunnels(packed)
    assert task.walker is not None
    near = [{other for other in cells if objects.walkable[other]} for cells in task.walker.neighbours]
    cell, inside = objects.covers.tolist(), set[int]()
    next_push = {
        (before, int(packed.walk[op, 0])): (op, after) for op, (before, after) in enumerate(objects.moves.tolist())
    }
    for op, (before, after) in enumerate(objects.moves.tolist()):
        a, b = cell[before], cell[after]
        onward, there = next_push.get((after, a), (-1, -1))
        if onward < 0 or objects.target[after]:
            continue
        c = cell[there]
        if near[b] == {a, c} and len(near[a]) <= 2 and len(near[c]) <= 2:
            found.onward[op] = onward
            inside.add(int(objects.fact[after]))
    found.inside[:] = bit_rows([sorted(inside)], packed.words)[0]
    return found


@njit(inner=True)
def may_be_inside(tunnels: Tunnels, row: Words) -> bool:
    """Whether an object is on a cell in which it might have to be pushed on."""
    for w in range(len(tunnels.inside)):  # noqa: SIM110 (numba compiles no generators)
        if tunnels.inside[w] & row[w]:
            return True
    return False


@njit(inner=True)
def push_on(tunnels: Tunnels, task: BitsetTask, objects: MovableObjects, row: Words, before: Words) -> int:
    """The push that has to follow the one that led from state `before` to `row`, or -1."""
    mask, place, moves, onward = objects.mask, objects.place, objects.moves, tunnels.onward
    start, end = long(-1), long(-1)
    for w in range(len(mask)):
        changed = (row[w] ^ before[w]) & mask[w]
        came = changed & row[w]
        if came:
            end = long(place[(w << 6) + long(trailing_zeros(came))])
        if changed != came:
            start = long(place[(w << 6) + long(trailing_zeros(changed ^ came))])
    for i in range(objects.leaving_first[start], objects.leaving_first[start + 1]):
        op = objects.leaving[i]
        if moves[op, 1] == end:
            follows = long(onward[op])
            return follows if follows >= 0 and applies(task, follows, row) else long(-1)
    return long(-1)
