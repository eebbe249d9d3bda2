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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bitops import trailing_zeros
from ..kernel_cache import njit
from .fact_sets import (
    LEAF,
    Numbering,
    Rows,
    Values,
    add_bit,
    has_bit,
    members,
    number2,
    number3,
    number4,
    number_of,
    put,
    subsets,
    union_number,
    values_of,
    with_fact,
)
from .relations import NEVER, Relations


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
    n = numbering
    reached = start & allowed
    values = np.full(n.sets, NEVER, np.int16)
    values_of(reached, n.row_of, n.value_of, n.choose, n.order, values)
    if len(weights):
        _relax(n.order, *relations, weights, reached, allowed & ~reached, values, n.row_of, n.value_of, n.choose, stop)
    return reached, values


class _State(NamedTuple):
    """What is known: the sets `reached`, those `wanted` (allowed, and no final value yet), the `values`, the numbers
    of sets, the sets of m - 1 facts whose rows have `grown` ([0]: in this round, [1]: in the one before), when facts
    were last `touched`; `queue`: how many sets wait for a later level, and whether any was reached at this one.
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


class _Look(NamedTuple):
    """A look at an operator: what it adds, which facts are `given`; by the number of facts chosen, the `parts` Q of its
    preconditions, their size and number; the value of what it makes true now, the level and the clock.
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


class _Room(NamedTuple):
    """What is `beside` no fact, one fact and two facts chosen, and which of it is new; lists and words to work with."""

    beside0: Any
    delta0: Any
    newly0: Any
    beside1: Any
    delta1: Any
    newly1: Any
    beside2: Any
    delta2: Any
    near0: Any
    near1: Any
    near2: Any
    new: Any
    grew: Any
    both: Any


@njit(cache=True, nogil=True)
def _relax(
    order: int,
    offsets: Any,
    facts: Any,
    weights: Any,
    reached: Any,
    wanted: Any,
    values: Any,
    row_of: Any,
    value_of: Any,
    choose: Any,
    stop: Any,
) -> None:
    """Reach what can be reached, level by level; `reached`, `wanted` and `values` are changed in place."""
    words = reached.shape[1]
    count, operators = choose.shape[1] - 1, len(weights)
    state = _State(
        reached,
        wanted,
        values,
        row_of,
        value_of,
        choose,
        np.zeros((2, row_of[order] - row_of[order - 1], words), np.uint64),
        np.zeros(count, np.int32),
        np.zeros(2, np.int64),
        np.empty(order + 1, np.int32),
        np.empty(order + 1, np.int32),
    )
    one, two = count if order > 3 else 0, count if order > 4 else 0
    room = _Room(
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty((one, words), np.uint64),
        np.empty((one, words), np.uint64),
        np.empty((one, words), np.uint64),
        np.empty((two, two, words), np.uint64),
        np.empty((two, two, words), np.uint64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
    )
    given = np.empty(words, np.uint64)
    remembered = number2(choose, count, 0) if order == 5 else count if order == 4 else 1
    seen = np.zeros((operators, remembered, words), np.uint64)  # what was beside m - 3 facts at the last look
    done = np.full(operators, -1, np.int32)  # when the operator was last looked at
    longest = 0
    for op in range(operators):
        longest = max(longest, offsets[3 * op + 1] - offsets[3 * op])
    most = 1
    for size in range(1, order + 1):
        most = max(most, choose[size, longest])
    parts = np.empty((order, most, order), np.int32)
    part_size = np.zeros(order, np.int64)
    part_count = np.zeros(order, np.int64)
    chosen = np.empty(order, np.int32)
    waiting = np.empty((4096, order), np.int32)  # sets whose value is above the level, -1 for facts they lack
    least = weights.min()
    clock = 0
    level = 0
    state.queue[1] = 1
    while True:
        state.grown[1] = state.grown[0]
        state.grown[0] = 0
        if not state.queue[1]:
            clock += 1
            level = _advance(state, waiting, clock)
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
            if done[op] < 0 and not _applicable(order, pre, values, value_of, choose, level, parts[0]):
                continue
            done[op] = clock
            clock += 1
            for depth in range(order - 1):
                part_size[depth] = min(len(pre), order - 1 - depth)
                part_count[depth] = subsets(pre, part_size[depth], parts[depth])
            final = weights[op] == least or weights[op] == 0
            value = level + weights[op]
            look = _Look(pre, add, given, parts, part_size, part_count, chosen, value, level, final, clock)
            _given(state, look, room, delete)
            waiting = _enlarged(waiting, state, (count + 1) * len(add))
            for a in add:
                if has_bit(wanted[0], a):
                    chosen[0] = a
                    _found(state, look, waiting, chosen, np.int64(1))
            _emit(state, look, waiting, np.int64(0), room.beside0)
            if order == 3:
                waiting = _by_one(state, look, room, waiting, seen[op])
            elif order == 4:
                waiting = _by_two(state, look, room, waiting, seen[op])
            elif order == 5:
                waiting = _by_three(state, look, room, waiting, seen[op])


@LEAF
def _applicable(order: int, pre: Any, values: Any, value_of: Any, choose: Any, level: int, found: Any) -> bool:
    """Whether all sets of up to m preconditions are reached."""
    size = min(order, len(pre))
    if size:
        for i in range(subsets(pre, size, found)):
            if values[value_of[size] + number_of(choose, found[i], size)] > level:
                return False
    return True


@LEAF
def _given(state: Any, look: Any, room: Any, delete: Any) -> None:
    """Find the facts that are given after the operator, and what is beside no fact chosen."""
    given, beside = look.given, room.beside0
    for w in range(len(given)):
        given[w] = 0
        beside[w] = state.reached[0, w]
    if len(look.pre):
        _restrict(state, look, np.int64(0), beside)
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


@njit(cache=True, nogil=True)
def _by_one(state: Any, look: Any, room: Any, waiting: Any, seen: Any) -> Any:
    """Sets of three: one fact chosen, and what is beside it."""
    beside, delta, new, grew, near = room.beside0, room.delta0, room.new, room.grew, room.near0
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words = look.pre, look.add, look.given, len(room.new)
    first = state.row_of[3]
    fresh = np.uint64(0)
    for w in range(words):
        delta[w] = beside[w] & ~seen[0, w]
        fresh |= delta[w]
        seen[0, w] = beside[w]
        grew[w] = 0 if len(pre) else ~np.uint64(0)
    for x in range(len(pre)):
        p = pre[x]
        for w in range(words):
            grew[w] |= grown[0, p, w] | grown[1, p, w]
    for w in range(words):
        grew[w] &= ~given[w]
        new[w] = beside[w] if fresh else beside[w] & grew[w]
    found = members(new, 64 * words, near)
    waiting = _enlarged(waiting, state, found * 64 * words * len(add))
    for i in range(found):
        r = near[i]
        look.chosen[0] = r
        plain = (given[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) == 0
        own = (grew[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) != 0
        some = np.uint64(0)
        for w in range(words):
            new[w] = beside[w] if own else delta[w]
        for x in range(len(add)):
            a = add[x]
            if a != r:
                row = first + number2(choose, a, r)
                for w in range(words):
                    some |= new[w] & wanted[row, w]
        if not some:
            continue
        if plain:
            for x in range(len(pre)):
                p = pre[x]
                row = first + number2(choose, p, r)
                for w in range(words):
                    new[w] &= reached[row, w] | given[w]
        _emit(state, look, waiting, np.int64(1), new)
    return waiting


@njit(cache=True, nogil=True)
def _by_two(state: Any, look: Any, room: Any, waiting: Any, seen: Any) -> Any:
    """Sets of four: two facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (room.beside1, room.delta1, room.newly0, room.new, room.grew, room.both)
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words = look.pre, look.add, look.given, len(room.new)
    near0, near1 = room.near0, room.near1
    first = state.row_of[4]
    found, waiting = _first(state, look, room, waiting)
    newly[:] = 0
    for i in range(found):
        r = near0[i]
        some = np.uint64(0)
        for w in range(words):
            delta[r, w] = beside[r, w] & ~seen[r, w]
            some |= delta[r, w]
            seen[r, w] = beside[r, w]
        if some:
            newly[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        waiting = _enlarged(waiting, state, found * found * len(add))
        plain = (given[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) == 0
        for w in range(words):
            grew[w] = 0 if len(pre) else ~np.uint64(0)
        if plain:
            for x in range(len(pre)):
                p = pre[x]
                row = number2(choose, p, r)
                for w in range(words):
                    grew[w] |= grown[0, row, w] | grown[1, row, w]
        every = (newly[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) != 0
        for w in range(words):
            grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
            new[w] = beside[r, w] if every else beside[r, w] & (newly[w] | grew[w])
        for j in range(members(new, r, near1)):
            s = near1[j]
            own = (grew[s >> 6] >> np.uint64(s & 63)) & np.uint64(1) != 0
            some = np.uint64(0)
            for w in range(words):
                both[w] = beside[r, w] & beside[s, w]
                if not own:
                    both[w] &= delta[r, w] | delta[s, w]
                some |= both[w]
            if not some:
                continue
            some = np.uint64(0)
            for x in range(len(add)):
                a = add[x]
                if a != r and a != s:
                    row = first + number3(choose, a, r, s)
                    for w in range(words):
                        some |= both[w] & wanted[row, w]
            if not some:
                continue
            if plain and (given[s >> 6] >> np.uint64(s & 63)) & np.uint64(1) == 0:
                for x in range(len(pre)):
                    p = pre[x]
                    row = first + number3(choose, p, r, s)
                    for w in range(words):
                        both[w] &= reached[row, w] | given[w]
            look.chosen[1] = s
            _emit(state, look, waiting, np.int64(2), both)
    return waiting


@njit(cache=True, nogil=True)
def _by_three(state: Any, look: Any, room: Any, waiting: Any, seen: Any) -> Any:
    """Sets of five: three facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (room.beside2, room.delta2, room.newly1, room.new, room.grew, room.both)
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words, beside1 = look.pre, look.add, look.given, len(room.new), room.beside1
    near0, near1, near2, queue = room.near0, room.near1, room.near2, state.queue
    first, smaller = state.row_of[5], state.row_of[4]
    parts, size, count = look.parts, look.part_size[2], look.part_count[2]
    below = state.row_of[size + 3]
    found, waiting = _first(state, look, room, waiting)
    for i in range(found):
        for w in range(words):
            newly[near0[i], w] = 0
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        for w in range(words):
            new[w] = beside1[r, w]
        for j in range(members(new, r, near1)):
            s = near1[j]
            look.chosen[1] = s
            for w in range(words):
                both[w] = beside1[r, w] & beside1[s, w]
            if not (has_bit(given, r) or has_bit(given, s)):
                for k in range(count):
                    if size == 2:
                        row = number4(choose, parts[2, k, 0], parts[2, k, 1], r, s)
                    elif size == 1:
                        row = number3(choose, parts[2, k, 0], r, s)
                    else:
                        row = number2(choose, r, s)
                    for w in range(words):
                        both[w] &= reached[below + row, w] | given[w]
            pair = number2(choose, r, s)
            some = np.uint64(0)
            for w in range(words):
                beside[r, s, w] = both[w]
                delta[r, s, w] = both[w] & ~seen[pair, w]
                some |= delta[r, s, w]
                seen[pair, w] = both[w]
            if some:
                newly[r, s >> 6] |= np.uint64(1) << np.uint64(s & 63)
                newly[s, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
            some = np.uint64(0)
            for x in range(len(add)):
                a = add[x]
                if a != r and a != s:
                    row = smaller + number3(choose, a, r, s)
                    for w in range(words):
                        some |= both[w] & wanted[row, w]
            if some:
                waiting = _enlarged(waiting, state, found * len(add))
                _emit(state, look, waiting, np.int64(2), both)
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        for w in range(words):
            new[w] = beside1[r, w]
        for j in range(members(new, r, near1)):
            s = near1[j]
            look.chosen[1] = s
            if queue[0] + found * 64 * words * len(add) > len(waiting):
                waiting = _enlarged(waiting, state, found * 64 * words * len(add))
            plain = not (has_bit(given, r) or has_bit(given, s))
            for w in range(words):
                grew[w] = 0 if len(pre) else ~np.uint64(0)
            if plain:
                for x in range(len(pre)):
                    p = pre[x]
                    row = number3(choose, p, r, s)
                    for w in range(words):
                        grew[w] |= grown[0, row, w] | grown[1, row, w]
            every = (newly[r, s >> 6] >> np.uint64(s & 63)) & np.uint64(1) != 0
            for w in range(words):
                grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
                new[w] = beside[r, s, w]
                if not every:
                    new[w] &= newly[r, w] | newly[s, w] | grew[w]
            for k in range(members(new, s, near2)):
                t = near2[k]
                own = (grew[t >> 6] >> np.uint64(t & 63)) & np.uint64(1) != 0
                some = np.uint64(0)
                for w in range(words):
                    both[w] = beside[r, s, w] & beside[r, t, w] & beside[s, t, w]
                    if not own:
                        both[w] &= delta[r, s, w] | delta[r, t, w] | delta[s, t, w]
                    some |= both[w]
                if not some:
                    continue
                some = np.uint64(0)
                for x in range(len(add)):
                    a = add[x]
                    if a != r and a != s and a != t:
                        row = first + number4(choose, a, r, s, t)
                        for w in range(words):
                            some |= both[w] & wanted[row, w]
                if not some:
                    continue
                if plain and (given[t >> 6] >> np.uint64(t & 63)) & np.uint64(1) == 0:
                    for x in range(len(pre)):
                        p = pre[x]
                        row = first + number4(choose, p, r, s, t)
                        for w in range(words):
                            both[w] &= reached[row, w] | given[w]
                look.chosen[2] = t
                _emit(state, look, waiting, np.int64(3), both)
    return waiting


@njit(cache=True, nogil=True)
def _first(state: Any, look: Any, room: Any, waiting: Any) -> Any:
    """Choose one fact in each way: what is beside it. Gives the number of facts, which are in `room.near0`."""
    found = members(room.beside0, 64 * len(room.beside0), room.near0)
    for i in range(found):
        r = room.near0[i]
        look.chosen[0] = r
        room.new[:] = room.beside0
        if not has_bit(look.given, r):
            _restrict(state, look, np.int64(1), room.new)
        room.beside1[r] = room.new
        waiting = _enlarged(waiting, state, found * len(look.add))
        _emit(state, look, waiting, np.int64(1), room.new)
    return found, waiting


@LEAF
def _restrict(state: Any, look: Any, size: int, beside: Any) -> None:
    """Leave in `beside` what stands beside the facts chosen and each part of the preconditions, or is given."""
    first = state.row_of[look.part_size[size] + size + 1]
    for k in range(look.part_count[size]):
        row = first + union_number(state.choose, look.parts[size, k], look.part_size[size], look.chosen, size)
        for w in range(len(beside)):
            beside[w] &= state.reached[row, w] | look.given[w]


@LEAF
def _row(state: Any, look: Any, size: int, a: int) -> Any:
    """The row of the `size` facts chosen and a; -1 if a is one of them."""
    for i in range(size):
        if look.chosen[i] == a:
            return np.int64(-1)
    state.union[0] = a
    return state.row_of[size + 2] + union_number(state.choose, state.union, np.int64(1), look.chosen, size)


@LEAF
def _emit(state: Any, look: Any, waiting: Any, size: int, beside: Any) -> None:
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
                _found(state, look, waiting, state.whole, size + 2)


@LEAF
def _found(state: Any, look: Any, waiting: Any, facts: Any, size: int) -> None:
    """A set has at most the operator's value: keep it, if it is new."""
    number = state.value_of[size] + number_of(state.choose, facts, size)
    if look.value >= state.values[number]:
        return
    state.values[number] = look.value
    if look.value == look.level:
        _reach(state, facts, size, look.clock)
    else:
        for i in range(waiting.shape[1]):
            waiting[state.queue[0], i] = facts[i] if i < size else -1
        state.queue[0] += 1
    if look.final:
        put(state.wanted, state.row_of[size], state.choose, facts, size, False)


@LEAF
def _reach(state: Any, facts: Any, size: int, clock: int) -> None:
    """Put a set among those that are reached, and mark its rows and facts."""
    put(state.reached, state.row_of[size], state.choose, facts, size, True)
    state.queue[1] = 1
    for i in range(size):
        state.touched[facts[i]] = clock
    if size == len(state.union) - 1:
        for skipped in range(size):
            for i in range(size - 1):
                state.whole[i] = facts[i + (i >= skipped)]
            put(state.grown[0], np.int64(0), state.choose, state.whole, size - 1, True)


@njit(cache=True, nogil=True)
def _enlarged(waiting: Any, state: Any, count: int) -> Any:
    """The waiting sets, with room for `count` more."""
    needed = state.queue[0] + count
    if needed <= len(waiting):
        return waiting
    larger = np.empty((2 * needed, waiting.shape[1]), np.int32)
    larger[: state.queue[0]] = waiting[: state.queue[0]]
    return larger


@njit(cache=True, nogil=True)
def _advance(state: Any, waiting: Any, clock: int) -> Any:
    """Go to the least value of the sets that wait, and reach those; `NEVER` if none do."""
    level, queued = np.int64(NEVER), state.queue[0]
    number = np.empty(queued, np.int64)
    sizes = np.empty(queued, np.int64)
    for i in range(queued):
        size = waiting.shape[1]
        while waiting[i, size - 1] < 0:
            size -= 1
        sizes[i] = size
        number[i] = state.value_of[size] + number_of(state.choose, waiting[i], size)
        level = min(level, np.int64(state.values[number[i]]))
    left = 0
    for i in range(queued):
        value = state.values[number[i]]
        if value == level:
            _reach(state, waiting[i], sizes[i], clock)
            put(state.wanted, state.row_of[sizes[i]], state.choose, waiting[i], sizes[i], False)
        elif value > level:
            waiting[left] = waiting[i]
            left += 1
    state.queue[0] = left
    return level
