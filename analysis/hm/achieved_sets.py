"""The sets of facts that one operator makes true in relaxed reachability: finding them, keeping them, value by value.

An operator with the preconditions P makes a set {a} ∪ R ∪ {s} true: a fact a that it adds, *kept facts* R and a last
kept fact s, all true before the operator and after it. (An added fact may be among R ∪ {s}, too.) Which R and s may be
kept is found in `kept_facts`; here is what happens to the sets that come of it. They are handled a row at a time: the
row of {a} ∪ R, AND the facts s that may be kept last, AND those for which the set is still `wanted`.

A set that is achieved *waits*, until no set of a smaller value comes any more: a cheaper operator may still achieve it.
Then it is *reached*: at the end of the visit, if its value is the present one (the operator costs nothing), else when
nothing more is reached at the present value, and the least value of a set that waits becomes the present one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Int, Ints, Longs, Words
from ...runtime.bitops import trailing_zeros
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE
from .operator_arrays import NEVER
from .tuples import Numbering, Rows, Values, insert, number_of, number_of_any, put

VALUE, CLOCK, OPERATOR, WAITING, REACHED, FULL = range(6)
"""Places in `HmState.counters`: the present value; how many operators have been looked at; which one is next; how many
sets wait; whether one was reached in this round; whether one found no room to wait."""


class HmState(NamedTuple):
    """The values of all sets, and the queue of sets to be reached; F facts, m of them in the largest sets.

    `reached`: the sets whose value is at most the present one. `wanted`: the allowed sets whose value is not final.
    `values`: the values so far; none is `NEVER`, or with a limit the least value that is too late. `grown` (2, rows):
    the sets S of m - 1 facts whose own row has gained a fact, that is, S and a fact were reached: [0] in this round,
    [1] in the one before; packed like `Numbering.row_of` does it for sets of m - 1 facts, from 0. `touched` (F): when a
    set with this fact was last reached, by the clock.
    `waiting` (room, m): sets that wait, descending, filled up with -1. `counters`: see `VALUE`. `scratch` (3, m + 1):
    room for sets.
    """

    numbering: Numbering
    reached: Rows
    wanted: Rows
    values: Values
    grown: Words
    touched: Ints
    waiting: Ints
    counters: Longs
    scratch: Ints


class Visit(NamedTuple):
    """One pass over one operator.

    `pre`, `add`: what it requires and adds. `given` (W): the facts that are certainly true after it, since it adds
    them, or requires and keeps them. `parts`, `begin`: the subsets Q of `pre`, those of q facts at
    `parts[begin[q] : begin[q + 1], :q]`, as places in `pre`. `kept` (m): the kept facts R at present, descending, and
    room for more. `value`: the value of what this pass achieves. `final`: no operator achieves it at a smaller value.
    """

    pre: Ints
    add: Ints
    given: Words
    parts: Ints
    begin: Ints
    kept: Ints
    value: Int
    final: bool


class Batch(NamedTuple):
    """Sets that the present visit achieves, to be kept at its end: entry i stands for all {a} ∪ R ∪ {s} with a added
    and s in `rows[i]` (W); R are the first `sizes[i]` facts of `kept[i]` (m). One more entry, of size -1, stands for
    {s}. As many entries as a visit can make: one for each R of up to m - 2 facts. `noted` (1): how many there are.
    """

    kept: Ints
    sizes: Ints
    rows: Words
    noted: Longs


@njit(inner=True, forceinline=True)
def restrict(state: HmState, visit: Visit, size: Int, row: Words) -> None:
    """Leave in `row` the facts s for which Q ∪ R ∪ {s} is reached, for all Q ⊆ P that leave room for one fact more:
    |Q| = min(|P|, m - 1 - |R|). R: the `size` kept facts. A given fact s stays: it is in P, or true in any case.
    """
    # With fewer preconditions than there is room for, Q is all of them.
    part_size = state.numbering.order - 1 - size
    if part_size > len(visit.pre):
        part_size = len(visit.pre)
    first = state.numbering.row_of[size + part_size + 1]
    for k in range(visit.begin[part_size], visit.begin[part_size + 1]):
        # Q ∪ R stands in `kept`: R in front, Q behind it. `number_of_any` takes facts in any order.
        for i in range(part_size):
            visit.kept[size + i] = visit.pre[visit.parts[k, i]]
        other = first + number_of_any(state.numbering.choose, visit.kept, size + part_size)
        for w in range(len(row)):
            row[w] &= state.reached[other, w] | visit.given[w]


@njit(inner=True, forceinline=True)
def gained(state: HmState, visit: Visit, size: Int, grew: Words) -> None:
    """Write to `grew` the facts t for which a row of {p} ∪ R ∪ {t} has grown, p a precondition: such rows are what
    `restrict` reads for R ∪ {t}. All facts, if there are no preconditions. R: the m - 3 (`size`) kept facts.
    """
    for w in range(len(grew)):
        grew[w] = np.uint64(0) if len(visit.pre) else ~np.uint64(0)
    for p in visit.pre:
        visit.kept[size] = p
        row = number_of_any(state.numbering.choose, visit.kept, size + 1)
        for w in range(len(grew)):
            grew[w] |= state.grown[0, row, w] | state.grown[1, row, w]


@njit(inner=True, forceinline=True)
def row_with(numbering: Numbering, kept: Ints, size: Int, a: Int) -> Int:
    """The row of {a} ∪ R, R the `size` kept facts; -1 if a is one of them."""
    for i in range(size):
        if kept[i] == a:
            return np.int64(-1)
    kept[size] = a
    return np.int64(numbering.row_of[size + 2] + number_of_any(numbering.choose, kept, size + 1))


@njit(inner=True, forceinline=True)
def is_wanted(state: HmState, visit: Visit, size: Int, row: Words) -> bool:
    """Whether a set {a} ∪ R ∪ {s} is wanted, with a added, R the `size` kept facts and s in `row`."""
    some = np.uint64(0)
    for a in visit.add:
        other = row_with(state.numbering, visit.kept, size, a)
        if other >= 0:
            for w in range(len(row)):
                some |= row[w] & state.wanted[other, w]
    return bool(some != 0)


@njit(inner=True, forceinline=True)
def note(batch: Batch, kept: Ints, size: Int, row: Words) -> None:
    """Note the sets {a} ∪ R ∪ {s}, R the `size` kept facts and s in `row`, for the end of the visit."""
    at = batch.noted[0]
    batch.noted[0] = at + 1
    batch.sizes[at] = size
    for i in range(size):
        batch.kept[at, i] = kept[i]
    # Of the largest R, rows end with the word of the smallest fact of R: no s is larger.
    for w in range(batch.rows.shape[1]):
        batch.rows[at, w] = row[w] if w < len(row) else np.uint64(0)


@njit(inner=True, forceinline=True)
def emit(state: HmState, visit: Visit, batch: Batch) -> None:
    """Achieve the sets of a batch that are wanted."""
    base, whole = state.scratch[0], state.scratch[1]
    for entry in range(batch.noted[0]):
        size = np.int64(batch.sizes[entry])
        for i in range(size):
            visit.kept[i] = batch.kept[entry, i]
        for a in visit.add:
            # 1. The row of {a} ∪ R has a bit for each s with which the set is wanted.
            row = row_with(state.numbering, visit.kept, size, a) if size >= 0 else np.int64(0)
            if row < 0:
                continue
            is_sorted = bool(size < 0)
            for w in range(batch.rows.shape[1]):
                bits = batch.rows[entry, w] & state.wanted[row, w]
                while bits:
                    if not is_sorted:  # most rows have nothing that is wanted
                        insert(visit.kept, size, np.int64(a), base)
                        is_sorted = True
                    # 2. One set at a time: all its facts, descending.
                    fact = (w << 6) + np.int64(trailing_zeros(bits))
                    bits &= bits - ONE
                    insert(base, size + 1, fact, whole)
                    achieve(state, visit, whole, size + 2)
    batch.noted[0] = 0


@njit(inner=True, forceinline=True)
def achieve(state: HmState, visit: Visit, facts: Ints, size: Int) -> None:
    """A set of `size` facts (descending) is achieved with the value of this visit: if that is less than before, it
    waits.

    A set that finds no room to wait is left as it was, still wanted, and `FULL` is counted.
    """
    numbering, counters = state.numbering, state.counters
    number = numbering.value_of[size] + number_of(numbering.choose, facts, size)
    if visit.value < state.values[number]:
        at = counters[WAITING]
        if at == len(state.waiting):
            counters[FULL] += 1
        else:
            counters[WAITING] = at + 1
            for i in range(numbering.order):
                state.waiting[at, i] = facts[i] if i < size else -1
            state.values[number] = visit.value
            # No longer wanted, a set is not looked at again: most bits of a row are masked out by this.
            if visit.final:
                put(state.wanted, numbering.row_of[size], numbering.choose, facts, size, False)
    elif visit.final:  # too late for a plan within the limit, and later visits come later still
        put(state.wanted, numbering.row_of[size], numbering.choose, facts, size, False)


@njit(inner=True, forceinline=True)
def reach(state: HmState, facts: Ints, size: Int) -> None:
    """Put a set of `size` facts (descending) among those that are reached, and note which rows and facts it is in."""
    numbering = state.numbering
    put(state.reached, numbering.row_of[size], numbering.choose, facts, size, True)
    state.counters[REACHED] = 1
    for i in range(size):
        state.touched[facts[i]] = state.counters[CLOCK]
    if size == numbering.order:  # the rows of all its parts of m - 1 facts have grown
        part = state.scratch[2]
        for skipped in range(size):
            for i in range(size - 1):
                part[i] = facts[i + (i >= skipped)]
            put(state.grown[0], np.int64(0), numbering.choose, part, size - 1, True)


@njit(inner=True, forceinline=True)
def reach_waiting(state: HmState, begin: Int, level: Int, uniform: bool) -> None:
    """Reach all sets of the value `level` among those that wait, from place `begin` on, and keep those of larger
    values.

    Those of smaller values were achieved at a lower cost since they came to wait. `uniform`: all operators cost the
    same, so that all sets that wait have the same, final value and are no longer wanted.
    """
    numbering, counters, waiting = state.numbering, state.counters, state.waiting
    left = begin
    for i in range(begin, counters[WAITING]):
        size = numbering.order
        while waiting[i, size - 1] < 0:
            size -= 1
        # A set that was achieved twice stands here twice, with the smaller value both times: reaching it again does no
        # harm.
        value = level if uniform else _value(state, waiting[i], size)
        if value == level:
            reach(state, waiting[i], size)
            if not uniform:
                put(state.wanted, numbering.row_of[size], numbering.choose, waiting[i], size, False)
        elif value > level:
            for k in range(numbering.order):
                waiting[left, k] = waiting[i, k]
            left += 1
    counters[WAITING] = left


@njit(inner=True, forceinline=True)
def next_value(state: HmState, uniform: bool) -> Int:
    """The least value, above the present one, of the sets that wait; `NEVER` if no set waits."""
    counters, waiting = state.counters, state.waiting
    level: Int = np.int64(NEVER)
    for i in range(1 if uniform and counters[WAITING] else counters[WAITING]):
        size = state.numbering.order
        while waiting[i, size - 1] < 0:
            size -= 1
        value = _value(state, waiting[i], size)
        if counters[VALUE] < value < level:
            level = value
    return level


@njit(inner=True, forceinline=True)
def _value(state: HmState, facts: Ints, size: Int) -> Int:
    """The least value found so far for a set of `size` facts (descending)."""
    return np.int64(state.values[state.numbering.value_of[size] + number_of(state.numbering.choose, facts, size)])
