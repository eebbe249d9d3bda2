"""Relaxed reachability over sets of up to m facts: the family h^m (Haslum and Geffner, AIPS 2000), for m = 2 to 5.

The value of a set is a lower bound on the horizon at which its facts can be true together: the least fixpoint of "an
operator makes a set true when all sets of m facts among what it needs were true". On the classic Klotski opening pairs
prove 7 of 116 steps, triples 52, sets of four 82 and sets of five 109.

Values are found in the order of the horizon, so that one that is found is final. An operator with the preconditions P
makes {a, ...} true with facts that it keeps, for each fact a that it adds. The facts R that are kept are chosen one
after the other; beside R are the facts s that may be the last: every set of m facts among P, R and s is reached. That
is an intersection of rows of bits, 64 facts at a time (see `fact_sets`): of the rows of Q and R together, over the
preconditions Q that leave room for one fact more, and of what is beside the smaller parts of R. Facts that are true
after the operator in any case (added, or required and kept) are beside everything.

When an operator is looked at again, of the largest sets R only those matter that have something new: a fact newly
beside a part of R, or a row of R and a precondition that has grown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...runtime.kernel_cache import njit
from .achieved_sets import Look, State, advance, emit, enlarged, found, restrict
from .kept_facts import Ones, Room, Twos, by_one, by_three, by_two
from .operator_arrays import NEVER, Relations
from .tuples import LEAF, Numbering, Rows, Values, add_bit, has_bit, number_of, subsets, values_of


def fixpoint(
    numbering: Numbering,
    start: Rows,
    allowed: Rows,
    relations: Relations,
    weights: NDArray[np.int16],
    stop: NDArray[np.uint8],
) -> tuple[Rows, Values]:
    """The sets that are reached from those of `start` within those `allowed`, and the value of every set.

    Sets that are not reached have the value `NEVER`. Another thread may set `stop` (1) to end the computation; then
    the values are too large to be bounds.
    """
    n, order, count, words = numbering, numbering.order, numbering.count, numbering.words
    reached = start & allowed
    values = np.full(n.sets, NEVER, np.int16)
    values_of(reached, n.row_of, n.value_of, n.choose, order, values)
    if not len(weights):
        return reached, values

    def facts() -> NDArray[np.int32]:
        return np.empty(max(count, order + 1), np.int32)

    def bits(*shape: int) -> Rows:
        return np.zeros((*shape, words), np.uint64)

    state = State(
        reached,
        allowed & ~reached,
        values,
        n.row_of,
        n.value_of,
        n.choose,
        bits(2, int(n.row_of[order] - n.row_of[order - 1])),
        np.zeros(count, np.int32),
        np.zeros(2, np.int64),
        np.empty(order + 1, np.int32),
        np.empty(order + 1, np.int32),
        np.empty(order + 1, np.int32),
    )
    room = Room(bits(), bits(), bits(), facts(), facts(), facts(), bits(), bits(), bits())
    ones = Ones(bits(count), bits(count)) if order > 3 else None
    twos = Twos(bits(count, count), bits(count, count), bits(count)) if order > 4 else None
    remembered = {4: count, 5: count * (count - 1) // 2}.get(order, 1)
    seen = bits(len(weights), remembered)
    relax(order, *relations, weights, state, room, ones, twos, seen, stop)
    return reached, values


@njit(cache=True, nogil=True)
def relax(
    order: int,
    offsets: Any,
    facts: Any,
    weights: Any,
    state: Any,
    room: Any,
    ones: Any,
    twos: Any,
    seen: Any,
    stop: Any,
) -> None:
    """Reach what can be reached, level by level: `state` is changed in place.

    `ones`, `twos`: None where m is too small to need them (so that what needs them is not compiled). `seen`: what was
    beside each choice of m - 3 facts when the operator was last looked at (N, choices, W).
    """
    count, operators = len(state.touched), len(weights)
    done = np.full(operators, -1, np.int32)  # when the operator was last looked at
    longest = 0
    for op in range(operators):
        longest = max(longest, offsets[3 * op + 1] - offsets[3 * op])
    most = 1
    for size in range(1, order + 1):
        most = max(most, state.choose[size, longest])
    given = np.empty_like(room.beside)
    parts = np.empty((order, most, order), np.int32)
    part_size = np.zeros(order, np.int64)
    part_count = np.zeros(order, np.int64)
    chosen = np.empty(order, np.int32)
    waiting = np.empty((4096, order), np.int32)  # sets whose value is above the level, -1 for facts they lack
    least = weights.min()
    uniform = least == weights.max()
    clock = 0
    level = 0
    state.queue[1] = 1
    while True:
        state.grown[1] = state.grown[0]
        state.grown[0] = 0
        if not state.queue[1]:
            clock += 1
            level = advance(state, waiting, level, uniform, clock)
            if level >= NEVER:
                return
        state.queue[1] = 0
        for op in range(operators):
            pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
            add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
            delete = facts[offsets[3 * op + 2] : offsets[3 * op + 3]]
            fresh = done[op] < 0 or len(pre) == 0
            for p in pre:
                fresh |= state.touched[p] > done[op]
            if not fresh:
                continue
            if stop[0]:
                return
            if done[op] < 0 and not _applicable(order, pre, state, level, parts[0]):
                continue
            done[op] = clock
            clock += 1
            for depth in range(order - 1):
                part_size[depth] = min(len(pre), order - 1 - depth)
                part_count[depth] = subsets(pre, part_size[depth], parts[depth])
            final = weights[op] == least or weights[op] == 0
            value = level + weights[op]
            look = Look(pre, add, given, parts, part_size, part_count, chosen, value, level, final, clock)
            _given(state, look, room.beside, delete)
            waiting = enlarged(waiting, state, (count + 1) * len(add))
            for a in add:
                if has_bit(state.wanted[0], a):
                    chosen[0] = a
                    found(state, look, waiting, chosen, np.int64(1))
            emit(state, look, waiting, np.int64(0), room.beside)
            if order == 3:
                waiting = by_one(state, look, room, waiting, seen[op])
            if ones is not None and order == 4:
                waiting = by_two(state, look, room, ones, waiting, seen[op])
            if twos is not None:
                waiting = by_three(state, look, room, ones, twos, waiting, seen[op])


@LEAF
def _applicable(order: int, pre: Any, state: Any, level: int, found: Any) -> bool:
    """Whether all sets of up to m preconditions are reached."""
    size = min(order, len(pre))
    if size:
        for i in range(subsets(pre, size, found)):
            if state.values[state.value_of[size] + number_of(state.choose, found[i], size)] > level:
                return False
    return True


@LEAF
def _given(state: Any, look: Any, beside: Any, delete: Any) -> None:
    """Find the facts that are given after the operator, and what is beside no fact chosen."""
    given = look.given
    for w in range(len(given)):
        given[w] = 0
        beside[w] = state.reached[0, w]
    if len(look.pre):
        restrict(state, look, np.int64(0), beside)
    for p in look.pre:
        add_bit(given, p)
    for p in delete:
        bit = np.uint64(1) << np.uint64(p & 63)
        given[p >> 6] &= ~bit
        beside[p >> 6] &= ~bit
    for p in look.add:
        add_bit(given, p)
    for w in range(len(given)):
        beside[w] |= given[w]
