"""Sets of facts that an operator makes true in relaxed reachability: finding them, keeping them, level by level."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...runtime.bitops import trailing_zeros
from ...runtime.kernel_cache import njit
from .operator_arrays import NEVER
from .tuples import INLINE, LEAF, number_of, put, union_number, with_fact


class State(NamedTuple):
    """What is known: the sets `reached`, those `wanted` (allowed, and no final value yet), the `values`, the numbers
    of sets, the sets of m - 1 facts whose rows have `grown` ([0]: in this round, [1]: in the one before), when facts
    were last `touched`; `queue`: how many sets wait for a later level, and whether any was reached at this one.
    `union`, `whole`, `part`: room for a set each.
    """

    reached: Any
    wanted: Any
    values: Any
    row_of: Any
    value_of: Any
    choose: Any
    grown: Any
    touched: Any
    queue: Any
    union: Any
    whole: Any
    part: Any


class Look(NamedTuple):
    """A look at an operator: what it requires and adds; which facts are `given` after it; by the number of facts
    chosen, the `parts` Q of its preconditions, their size and number; the facts `chosen`; the value of what it makes
    true now, the level, whether that value is final, and the clock.
    """

    pre: Any
    add: Any
    given: Any
    parts: Any
    part_size: Any
    part_count: Any
    chosen: Any
    value: int
    level: int
    final: bool
    clock: int


@INLINE
def restrict(state: Any, look: Any, size: int, beside: Any) -> None:
    """Leave in `beside` what stands beside the facts chosen and each part of the preconditions, or is given."""
    first = state.row_of[look.part_size[size] + size + 1]
    for k in range(look.part_count[size]):
        row = first + union_number(state.choose, look.parts[size, k], look.part_size[size], look.chosen, size)
        for w in range(len(beside)):
            beside[w] &= state.reached[row, w] | look.given[w]


@INLINE
def is_wanted(state: Any, look: Any, size: int, beside: Any) -> Any:
    """Whether a set of a fact added, the `size` facts chosen and one that is in `beside` has no final value yet."""
    some = np.uint64(0)
    for a in look.add:
        row = _row(state, look, size, a)
        if row >= 0:
            for w in range(len(beside)):
                some |= beside[w] & state.wanted[row, w]
    return some != 0


@INLINE
def narrow(state: Any, look: Any, size: int, beside: Any) -> None:
    """Leave in `beside` what stands beside the facts chosen and each precondition, or is given."""
    if len(look.pre) == 0:
        restrict(state, look, size, beside)
    for p in look.pre:
        row = _row(state, look, size, p)
        for w in range(len(beside)):
            beside[w] &= state.reached[row, w] | look.given[w]


@INLINE
def grown_beside(state: Any, look: Any, size: int, grew: Any) -> None:
    """Write to `grew` what is newly beside the facts chosen and some precondition; all facts if there is none."""
    for w in range(len(grew)):
        grew[w] = np.uint64(0) if len(look.pre) else ~np.uint64(0)
    for p in look.pre:
        row = _row(state, look, size, p) - state.row_of[size + 2]
        for w in range(len(grew)):
            grew[w] |= state.grown[0, row, w] | state.grown[1, row, w]


@LEAF
def emit(state: Any, look: Any, waiting: Any, size: int, beside: Any) -> None:
    """Reach the sets of a fact added, the `size` facts chosen and one more that is beside them."""
    for a in look.add:
        row = _row(state, look, size, a)
        if row < 0:
            continue
        sorted_already = False
        for w in range(len(beside)):
            bits = beside[w] & state.wanted[row, w]
            while bits:
                if not sorted_already:
                    with_fact(state.choose, look.chosen, size, np.int64(a), state.union)
                    sorted_already = True
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - np.uint64(1)
                with_fact(state.choose, state.union, size + 1, fact, state.whole)
                found(state, look, waiting, state.whole, size + 2)


@INLINE
def _row(state: Any, look: Any, size: int, a: int) -> Any:
    """The row of the `size` facts chosen and a; -1 if a is one of them."""
    for i in range(size):
        if look.chosen[i] == a:
            return np.int64(-1)
    state.union[0] = a
    return state.row_of[size + 2] + union_number(state.choose, state.union, np.int64(1), look.chosen, size)


@INLINE
def found(state: Any, look: Any, waiting: Any, facts: Any, size: int) -> None:
    """A set has at most the operator's value: keep it, if it is new."""
    number = state.value_of[size] + number_of(state.choose, facts, size)
    if look.value >= state.values[number]:
        return
    state.values[number] = look.value
    if look.value == look.level:
        reach(state, facts, size, look.clock)
    else:
        for i in range(waiting.shape[1]):
            waiting[state.queue[0], i] = facts[i] if i < size else -1
        state.queue[0] += 1
    if look.final:
        put(state.wanted, state.row_of[size], state.choose, facts, size, False)


@INLINE
def reach(state: Any, facts: Any, size: int, clock: int) -> None:
    """Put a set among those that are reached, and mark its rows and facts."""
    put(state.reached, state.row_of[size], state.choose, facts, size, True)
    state.queue[1] = 1
    for i in range(size):
        state.touched[facts[i]] = clock
    if size == len(state.union) - 1:
        for skipped in range(size):
            for i in range(size - 1):
                state.part[i] = facts[i + (i >= skipped)]
            put(state.grown[0], np.int64(0), state.choose, state.part, size - 1, True)


@njit(cache=True, nogil=True)
def enlarged(waiting: Any, state: Any, count: int) -> Any:
    """The waiting sets, with room for `count` more."""
    needed = state.queue[0] + count
    if needed <= len(waiting):
        return waiting
    larger = np.empty((2 * needed, waiting.shape[1]), np.int32)
    larger[: state.queue[0]] = waiting[: state.queue[0]]
    return larger


@LEAF
def advance(state: Any, waiting: Any, now: int, uniform: bool, clock: int) -> Any:
    """Go from the level `now` to the least value of the sets that wait, and reach those; `NEVER` if none do.

    `uniform`: the values of all sets that wait are final, and they are no longer wanted.
    """
    level, queued = np.int64(NEVER), state.queue[0]
    for i in range(queued):
        value = _value(state, waiting[i])
        if value > now:  # else it was reached at a lower cost
            level = min(level, value)
    left = 0
    for i in range(queued):
        value = _value(state, waiting[i])
        if value == level:
            size = _size(waiting[i])
            reach(state, waiting[i], size, clock)
            if not uniform:
                put(state.wanted, state.row_of[size], state.choose, waiting[i], size, False)
        elif value > level:
            for k in range(waiting.shape[1]):
                waiting[left, k] = waiting[i, k]
            left += 1
    state.queue[0] = left
    return level


@INLINE
def _size(facts: Any) -> Any:
    """How many facts a set that waits has."""
    size = len(facts)
    while facts[size - 1] < 0:
        size -= 1
    return size


@INLINE
def _value(state: Any, facts: Any) -> Any:
    """The present value of a set that waits."""
    size = _size(facts)
    return np.int64(state.values[state.value_of[size] + number_of(state.choose, facts, size)])
