"""Relaxed reachability h^m (Haslum and Geffner, *Admissible heuristics for optimal planning*, AIPS 2000), m = 2 to 5.

The value h(S) of a set of facts is a lower bound on the steps before a state that contains it. For |S| <= m it is

    h(S) = 0                                      if S is true at the start,
           min of cost(o) + h(pre(o) ∪ (S - add(o)))
               over the operators o that add a fact of S and delete none        otherwise;

for more facts, and that is the relaxation, it is

    h(S) = max of h(T) over the subsets T of S with |T| = m.

Sets that cannot be built up from the start by operators, and sets that are not allowed, have the value `NEVER`. Larger
m give larger values: on the classic Klotski opening pairs prove 7 of 116 steps, triples 52, sets of four 82 and sets
of five 109.

`relax` finds the values in their order, so that one that is found is final (as Dijkstra's algorithm does): it visits
the operators round after round, until nothing more is reached at the present value, and goes on to the next. How the
sets that one operator achieves are found without looking at each of them: `kept_facts`. How they are stored: `tuples`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Int, Ints, Longs, Words
from ...runtime.bitops import on_stack, trailing_zeros
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE, has_bit
from .tuples import (
    NEVER,
    Numbering,
    OperatorArrays,
    Rows,
    Values,
    add_bit,
    insert,
    members,
    number_of,
    number_of_any,
    put,
    start_values,
)

# The sets of facts that one operator makes true in relaxed reachability: finding them, keeping them, value by value.
#
# An operator with the preconditions P makes a set {a} ∪ R ∪ {s} true: a fact a that it adds, *kept facts* R and a
# last kept fact s, all true before the operator and after it. (An added fact may be among R ∪ {s}, too.) Which R and
# s may be kept is found in `kept_facts`; here is what happens to the sets that come of it. They are handled a row at
# a time: the row of {a} ∪ R, AND the facts s that may be kept last, AND those for which the set is still `wanted`.
#
# A set that is achieved *waits*, until no set of a smaller value comes any more: a cheaper operator may still achieve
# it. Then it is *reached*: at the end of the visit, if its value is the present one (the operator costs nothing),
# else when nothing more is reached at the present value, and the least value of a set that waits becomes the present
# one.

# Places in `HmState.counters`: the present value; how many operators have been looked at; which one is next; how many
# sets wait; whether one was reached in this round.
VALUE, CLOCK, OPERATOR, WAITING, REACHED = range(5)


class HmState(NamedTuple):
    """The values of all sets, and the queue of sets to be reached; F facts, m of them in the largest sets.

    `reached`: the sets whose value is at most the present one. `wanted`: the allowed sets whose value is not final.
    `values`: the values so far; none is `NEVER`, or with a limit the least value that is too late. `grown` (2, rows):
    the sets S of m - 1 facts whose own row has gained a fact, that is, S and a fact were reached: [0] in this round,
    [1] in the one before; packed like `Numbering.row_of` does it for sets of m - 1 facts, from 0. `touched` (F): when a
    set with this fact was last reached, by the clock.
    `waiting` (room, m): sets that wait, descending, filled up with -1; of a set and its image one. `counters`: see
    `VALUE`. `scratch` (4, m + 1): room for sets. `mirror` (F): the image of each fact, if there is such a symmetry;
    else of no entries.
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
    mirror: Ints


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


@njit(inner=True, forceinline=True)
def restrict(state: HmState, visit: Visit, size: Int, row: Words) -> bool:
    """Leave in `row` the facts s for which Q ∪ R ∪ {s} is reached, for all Q ⊆ P that leave room for one fact more:
    |Q| = min(|P|, m - 1 - |R|); whether there are any. R: the `size` kept facts. A given fact s stays: it is in P, or
    true in any case.
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
        some = np.uint64(0)
        for w in range(len(row)):
            row[w] &= state.reached[other, w] | visit.given[w]
            some |= row[w]
        if some == 0:
            return False
    return True


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
def find_wanted(state: HmState, visit: Visit, size: Int, row: Words, useful: Words) -> bool:
    """Write to `useful` the facts s of `row` for which a set {a} ∪ R ∪ {s} is wanted, with a added, R the `size` kept
    facts; whether there are any.
    """
    for w in range(len(row)):
        useful[w] = 0
    for a in visit.add:
        other = row_with(state.numbering, visit.kept, size, a)
        if other >= 0:
            for w in range(len(row)):
                useful[w] |= state.wanted[other, w]
    some = np.uint64(0)
    for w in range(len(row)):
        useful[w] &= row[w]
        some |= useful[w]
    return bool(some != 0)


@njit(inner=True)
def emit(state: HmState, visit: Visit, size: Int, row: Words) -> None:
    """Achieve the sets {a} ∪ R ∪ {s} that are wanted, with a added, R the `size` kept facts and s in `row`; of size -1
    the sets {s}.
    """
    base, whole, kept = state.scratch[0], state.scratch[1], visit.kept
    for a in visit.add[: 1 if size < 0 else len(visit.add)]:
        # 1. The row of {a} ∪ R has a bit for each s with which the set is wanted.
        wanted = row_with(state.numbering, kept, size, a) if size >= 0 else np.int64(0)
        is_sorted = bool(size < 0)
        for w in range(len(row) if wanted >= 0 else 0):
            bits = row[w] & state.wanted[wanted, w]
            while bits:
                if not is_sorted:  # most rows have nothing that is wanted
                    insert(kept, size, np.int64(a), base)
                    is_sorted = True
                # 2. One set at a time: all its facts, descending.
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                insert(base, size + 1, fact, whole)
                achieve(state, visit, whole, size + 2)


@njit(inner=True, forceinline=True)
def achieve(state: HmState, visit: Visit, facts: Ints, size: Int) -> None:
    """A set of `size` facts (descending) is achieved with the value of this visit, and so is its image: if that is less
    than before, they wait.
    """
    numbering, counters = state.numbering, state.counters
    number = numbering.value_of[size] + number_of(numbering.choose, facts, size)
    sooner = visit.value < state.values[number]
    if sooner:
        at = counters[WAITING]
        counters[WAITING] = at + 1
        for i in range(numbering.order):
            state.waiting[at, i] = facts[i] if i < size else -1
        state.values[number] = visit.value
    # No longer wanted, a set is not looked at again: most bits of a row are masked out by this. It waits, or it is too
    # late for a plan within the limit, and later visits come later still.
    if visit.final:
        put(state.wanted, numbering.row_of[size], numbering.choose, facts, size, False)
    if len(state.mirror):
        image = state.scratch[3]
        reflect(state.mirror, facts, size, image)
        if sooner:
            state.values[numbering.value_of[size] + number_of(numbering.choose, image, size)] = visit.value
        if visit.final:
            put(state.wanted, numbering.row_of[size], numbering.choose, image, size, False)


@njit(inner=True, forceinline=True)
def reflect(mirror: Ints, facts: Ints, size: Int, image: Ints) -> None:
    """Write to `image` the image of a set under the symmetry, descending."""
    for i in range(size):
        insert(image, i, np.int64(mirror[facts[i]]), image)


@njit(inner=True, forceinline=True)
def reach(state: HmState, facts: Ints, size: Int, uniform: bool) -> None:
    """Put a set of `size` facts (descending) among those that are reached, and note which rows and facts it is in.
    `uniform`: see `reach_waiting`.
    """
    numbering = state.numbering
    put(state.reached, numbering.row_of[size], numbering.choose, facts, size, True)
    if not uniform:
        put(state.wanted, numbering.row_of[size], numbering.choose, facts, size, False)
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
            reach(state, waiting[i], size, uniform)
            if len(state.mirror):
                reflect(state.mirror, waiting[i], size, state.scratch[3])
                reach(state, state.scratch[3], size, uniform)
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


# Which facts an operator may keep, in relaxed reachability over sets of m facts.
#
# An operator with the preconditions P that adds a makes {a} ∪ S true, |S| <= m - 1, if all sets of up to m facts in P
# ∪ S are reached (and the operator deletes nothing of S). S is built fact by fact, as *kept facts* R and a last fact
# s:
#
#     beside[R] = the facts s such that all sets of up to m facts in P ∪ R ∪ {s} are reached
#               = AND of beside[R'] over the R' with one fact less than R            (the sets that lack a fact of R)
#                 AND of the rows of Q ∪ R over the Q in P with |Q| = m - 1 - |R|    (the sets with all of R, and s)
#
# where s that are `given` (true after the operator in any case) are in every row. For m = 4, P = {7, 6}, of which 6
# is deleted and 7 kept, and R = {5, 2}:
#
#     fact                  7 6 5 4 3 2 1 0
#     beside[{5}]           1 0 0 1 0 1 1 1     from row({7,6,5})
#     beside[{2}]           1 0 1 1 1 0 0 1     from row({7,6,2})
#     row({7,5,2})          1 0 0 0 1 0 1 1     7 is given; {7,5,2,4} has not been reached
#     row({6,5,2})          1 0 0 1 1 0 1 1
#     beside[{5,2}] = AND   1 0 0 0 0 0 0 1     so {a,7,5,2} and {a,5,2,0} are achieved
#
# beside[R] is kept for |R| <= m - 3, at the place that R's row has in a collection. For |R| = m - 2 it is computed,
# used and forgotten, and only for s below all facts of R, so that each S comes up once.
#
# *What is new.* An operator is visited again when sets that share a fact with P have been reached. By far most sets S
# were already dealt with in the visit before. S matters only if, since then, a set of up to m - 2 of its facts has
# become possible (a bit of beside[.] is new), or a set {p} ∪ S was reached (a row of {p} ∪ R has grown). Both are
# bits, too.


class Beside(NamedTuple):
    """The facts beside kept facts, found in one visit of an operator, and scratch; W words a row.

    `rows`: beside[R], for R of up to m - 3 facts, at `row_of[|R| + 1] + number(R)`. `new`: what of it was not there
    in the visit before (|R| = m - 3 only). `partners`: the row of each R'' of m - 4 facts (a single row if m < 5) has
    the facts r for which beside[R'' ∪ {r}] has something new. `sets` (2, sets, m): the R of one size, those of the
    next. `facts` (F): a list of facts. `candidates`, `grew`, `last`, `useful` (W): rows.
    """

    rows: Rows
    new: Rows
    partners: Rows
    sets: Ints
    facts: Ints
    candidates: Words
    grew: Words
    last: Words
    useful: Words


@njit(inner=True, forceinline=True)
def compare(state: HmState, beside: Beside, sets: Int, seen: Rows) -> None:
    """Find the facts of beside[R'] that are new since the visit before, for the `sets` sets R' of m - 3 facts.

    `seen` (sets of m - 3 facts, W): beside[.] in the visit before, which is replaced by what it is now.
    """
    numbering = state.numbering
    size = numbering.order - 3
    # `partners` is symmetric: if {r, t} has something new, r has the bit of t, and t that of r.
    for r in range(beside.partners.shape[0]):
        for w in range(seen.shape[1]):
            beside.partners[r, w] = 0
    for i in range(sets):
        kept = beside.sets[size & 1, i]
        number = number_of(numbering.choose, kept, size)
        row = numbering.row_of[size + 1] + number
        some = np.uint64(0)
        for w in range(seen.shape[1]):
            new = beside.rows[row, w] & ~seen[number, w]
            beside.new[row, w] = new
            some |= new
            seen[number, w] = beside.rows[row, w]
        if some and size == 1:
            add_bit(beside.partners[0], kept[0])
        if some and size == 2:
            add_bit(beside.partners[1 + kept[0]], kept[1])
            add_bit(beside.partners[1 + kept[1]], kept[0])


@njit(inner=True, forceinline=True)
def extend(state: HmState, visit: Visit, beside: Beside, size: Int, sets: Int) -> Int:
    """beside[R] for the sets R = R' ∪ {t} of `size` facts, t < all of R', from the `sets` sets R' of a fact less. What
    it makes true is achieved; it is kept, if `size` is at most m - 3. How many sets R there are.
    """
    numbering, rows, new, last = state.numbering, beside.rows, beside.new, beside.last
    complete = size == numbering.order - 2  # the largest R: only what is new matters, and s < t
    first = numbering.row_of[size]  # of the rows of sets R'
    found, words = 0, len(last)
    for i in range(sets):
        # 1. R', and where the rows of the sets of R without one fact are. They depend on t in a simple way:
        #      size 1  R = {t}        {}
        #      size 2  R = {r, t}     {r}                   {t} at t
        #      size 3  R = {q, r, t}  {q, r}                {q, t} at C(q, 2) + t        {r, t} at C(r, 2) + t
        #    Where there are fewer than three, some stand for others.
        below: Int = 64 * words
        for j in range(size - 1):
            below = np.int64(beside.sets[(size - 1) & 1, i, j])
            visit.kept[j] = below
        one = first + number_of_any(numbering.choose, visit.kept, size - 1)
        two = three = one if size == 1 else first
        step = 0 if size == 1 else 1
        q = r = 0  # the rows of `partners`: of R' without one fact
        if size == 3:
            q, r = 1 + visit.kept[0], 1 + visit.kept[1]
            two, three = first + numbering.choose[2, q - 1], first + numbering.choose[2, r - 1]
        # 2. The candidates t: all that are beside R'. But if R is complete and nothing new is beside R', those for
        # which
        #    something new is beside another part of R.
        plain = not _some_given(visit.given, visit.kept, size - 1)
        some = np.uint64(0)
        if complete:
            if plain:
                gained(state, visit, size - 1, beside.grew)
            for w in range(words):
                some |= new[one, w]
                beside.grew[w] = beside.grew[w] & ~visit.given[w] if plain else np.uint64(0)
        for w in range(words):
            beside.candidates[w] = rows[one, w]
            if complete and not some:
                beside.candidates[w] &= beside.partners[q, w] | beside.partners[r, w] | beside.grew[w]
        for j in range(members(beside.candidates, below, beside.facts)):
            # 3. What is beside all parts of R. If R is complete, only s < t; and only s that are new beside a part,
            #    unless R is new, or a row has grown that is to be read for it.
            t = np.int64(beside.facts[j])
            every = not complete or has_bit(beside.grew, t) or has_bit(new[one], t)
            top = t >> 6 if complete else words - 1
            some = np.uint64(0)
            for w in range(top + 1):
                bits = rows[one, w] & rows[two + step * t, w] & rows[three + step * t, w]
                if not every:
                    bits &= new[one, w] | new[two + step * t, w] | new[three + step * t, w]
                if complete and w == top:
                    bits &= (ONE << np.uint64(t & 63)) - ONE
                last[w] = bits
                some |= bits
            visit.kept[size - 1] = t
            # 4. Rows of the preconditions are read only where that may lead to something: if R is complete, for the s
            #    that are wanted.
            wanted = some != 0 and find_wanted(state, visit, size, last[: top + 1], beside.useful)
            if complete and not wanted:
                continue
            row = beside.useful[: top + 1] if complete else last
            if plain and not has_bit(visit.given, t):
                wanted &= restrict(state, visit, size, row)
            if wanted:
                emit(state, visit, size, row)
            if not complete:
                own = numbering.row_of[size + 1] + number_of_any(numbering.choose, visit.kept, size)
                for w in range(words):
                    rows[own, w] = last[w]
                for k in range(size):
                    beside.sets[size & 1, found, k] = visit.kept[k]
                found += 1
    return found


@njit(inner=True, forceinline=True)
def _some_given(given: Words, kept: Ints, size: Int) -> bool:
    """Whether a fact of R, the `size` kept facts, is given. Then no row with it is asked: it is true without them."""
    for i in range(size):  # noqa: SIM110 (numba compiles no generators)
        if has_bit(given, kept[i]):
            return True
    return False


class Visits(NamedTuple):
    """What is kept of the visits to N operators, and room for one.

    `at` (N): when each operator was last visited; -1: never. `seen` (N, sets of m - 3 facts, W): beside[.] then (see
    `kept_facts`). `parts` (rows, m), `begin` (P + 1, m + 2): the subsets of up to m of n places, for each number n of
    preconditions that occurs, P at most; those of q places at `parts[begin[n, q] : begin[n, q + 1], :q]`.
    `given` (W), `kept` (m): see `Visit`.
    """

    at: Ints
    seen: Rows
    parts: Ints
    begin: Ints
    given: Rows
    kept: Ints


def fixpoint(
    numbering: Numbering,
    start: Rows,
    allowed: Rows,
    operators: OperatorArrays,
    stop: Bytes,
    too_late: Values | None = None,
    mirror: Ints | None = None,
) -> tuple[Rows, Values]:
    """The sets that are reached from those of `start` within those `allowed`, and the value of every set.

    Sets that are not reached have the value `NEVER`. `too_late`: a set is not reached with this value or a larger one
    (see `within`; None: all values will do); no set has less of it than a larger set. `mirror` (F): a symmetry that is
    its own inverse; then of an operator and its image one is enough. Another thread may set `stop` (1) to end the
    computation; then the values are too large to be bounds.
    """
    state = _state(numbering, start, allowed, too_late, mirror, len(set(operators.costs.tolist())))
    if len(operators.costs):
        relax(operators, state, _visits(numbering, operators), _beside(numbering), stop)
    if too_late is not None:
        state.values[state.values >= too_late] = NEVER
    return state.reached, state.values


def _state(
    numbering: Numbering, start: Rows, allowed: Rows, too_late: Values | None, mirror: Ints | None, costs: int
) -> HmState:
    """The state of the fixpoint before the first visit, of operators of so many different costs. A value above the
    limit means no value yet: any smaller one replaces it.
    """
    n, order = numbering, numbering.order
    reached = start & allowed
    values = np.full(n.sets, NEVER, np.int16) if too_late is None else too_late.copy()
    start_values(reached, n, values, np.empty(order, np.int32))
    wanted = allowed & ~reached
    # Room for all sets: one of k facts has k bits, and waits again only if an operator achieves it that costs less. The
    # kernel writes where sets wait, and no further: memory that is not written to costs nothing.
    room = costs * ((int.from_bytes(wanted.tobytes(), "little").bit_count() + n.fact_count) // 2)
    return HmState(
        numbering=n,
        reached=reached,
        wanted=wanted,
        values=values,
        grown=np.zeros((2, int(n.row_of[order] - n.row_of[order - 1]), n.words), np.uint64),
        touched=np.zeros(n.fact_count, np.int32),
        waiting=np.empty((room, order), np.int32),
        counters=np.zeros(5, np.int64),
        scratch=np.empty((4, order + 1), np.int32),
        mirror=np.zeros(0, np.int32) if mirror is None else mirror,
    )


def _beside(numbering: Numbering) -> Beside:
    n, order = numbering, numbering.order
    kept = int(n.row_of[max(2, order - 1)])  # rows of sets of up to m - 3 facts
    sets = max(n.fact_count, int(n.choose[max(0, order - 3), n.fact_count]))  # of a size up to m - 3
    return Beside(
        rows=np.zeros((kept, n.words), np.uint64),
        new=np.zeros((kept, n.words), np.uint64),
        partners=np.zeros((1 + n.fact_count if order == 5 else 1, n.words), np.uint64),
        sets=np.empty((2, sets, order), np.int32),
        facts=np.empty(max(n.fact_count, order), np.int32),
        candidates=np.zeros(n.words, np.uint64),
        grew=np.zeros(n.words, np.uint64),
        last=np.zeros(n.words, np.uint64),
        useful=np.zeros(n.words, np.uint64),
    )


def _visits(numbering: Numbering, operators: OperatorArrays) -> Visits:
    order, count = numbering.order, len(operators.costs)
    remembered = int(numbering.choose[order - 3, numbering.fact_count]) if order > 2 else 1
    parts, begin = _parts(operators.lengths, order)
    return Visits(
        at=np.full(count, -1, np.int32),
        seen=np.zeros((count, remembered, numbering.words), np.uint64),
        parts=parts,
        begin=begin,
        given=np.zeros(numbering.words, np.uint64),
        kept=np.empty(order, np.int32),
    )


@lru_cache(maxsize=4)
def _parts(lengths: tuple[int, ...], order: int) -> tuple[Ints, Ints]:
    """The subsets of up to `order` of n places, for each n in `lengths`: see `Visits`."""
    parts: list[tuple[int, ...]] = []
    begin = np.zeros((max(lengths) + 1, order + 2), np.int32)
    for n in lengths:
        for q in range(order + 1):
            begin[n, q] = len(parts)
            parts += [(*places, *[0] * (order - q)) for places in combinations(range(n), q)]
        begin[n, order + 1] = len(parts)
    return np.array(parts, np.int32), begin


@njit(nogil=True, _nrt=False, effort=1)
def relax(operators: OperatorArrays, state: HmState, visits: Visits, beside: Beside, stop: Bytes) -> None:
    """Reach what can be reached. `state` and `visits` are changed in place.

    Invariant: whatever an operator achieves from the sets that were reached when it was visited is reached or waits.
    """
    counters, costs, count = state.counters, operators.costs, len(operators.costs)
    # Where all operators cost the same, what waits has its final value. Sets that the cheapest ones achieve are final
    # in any case: nothing that comes later is cheaper.
    least = largest = costs[0]
    for op in range(count):
        least = costs[op] if costs[op] < least else least
        largest = costs[op] if costs[op] > largest else largest
    while True:
        op, began, level = counters[OPERATOR], counters[WAITING], counters[VALUE]
        counters[OPERATOR] += 1
        if op < count:
            # 1. Visit the next operator, if that can achieve anything.
            if not _worth_a_visit(operators, state, visits, op):
                continue
            if stop[0]:
                return
            visits.at[op] = counters[CLOCK]
            counters[CLOCK] += 1
            _visit(operators, state, visits, beside, op, costs[op] == 0 or costs[op] == least)
            if costs[op]:
                continue
        else:
            # 2. The next round; at the next value, if nothing was reached in this one.
            counters[OPERATOR] = 0
            # What has grown for an operator since its last visit has grown in this round or in the one before;
            # otherwise it would have been visited in between. So two generations of `grown` do, and the older one is
            # forgotten now.
            for row in range(state.grown.shape[1]):
                for w in range(state.grown.shape[2]):
                    state.grown[1, row, w] = state.grown[0, row, w]
                    state.grown[0, row, w] = 0
            if counters[REACHED]:
                counters[REACHED] = 0
                continue
            level = next_value(state, least == largest)
            if level >= NEVER:
                return
            counters[CLOCK] += 1
            counters[VALUE] = level
            began = 0
        # 3. Reach sets: of the next value, all that wait; of the present one, if the operator cost nothing, those that
        #    came in this visit; then one more round at this value is due (`REACHED`).
        reach_waiting(state, began, level, least == largest)
        counters[REACHED] &= op < count


@njit(inner=True, forceinline=True)
def _worth_a_visit(operators: OperatorArrays, state: HmState, visits: Visits, op: Int) -> bool:
    """Whether a precondition was touched since the visit before, and all of them can be true together."""
    numbering, facts, last = state.numbering, operators.facts, visits.at[op]
    first, end = operators.offsets[3 * op], operators.offsets[3 * op + 1]
    touched = last < 0 or first == end
    for i in range(first, end):
        touched |= state.touched[facts[i]] > last
    if not touched or last >= 0:
        return bool(touched)
    # Before the first visit: whether all sets of up to m preconditions are reached.
    # A set is one bit: that of its last (smallest) fact, in the row that the facts before it number.
    n = end - first
    size = numbering.order if numbering.order < n else n
    for k in range(visits.begin[n, size], visits.begin[n, size + 1] if size else 0):
        row = numbering.row_of[size]
        for i in range(size - 1):
            row += numbering.choose[size - 1 - i, facts[first + visits.parts[k, i]]]
        if not has_bit(state.reached[row], facts[first + visits.parts[k, size - 1]]):
            return False
    return True


@njit(inner=True, forceinline=True)
def _visit(operators: OperatorArrays, state: HmState, visits: Visits, beside: Beside, op: Int, final: bool) -> None:
    """Visit an operator: achieve the sets that it makes true now."""
    order, offsets, facts = state.numbering.order, operators.offsets, operators.facts
    pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
    add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
    given, row, added = visits.given, beside.rows[0], beside.useful
    visit = Visit(
        pre=pre,
        add=add,
        given=given,
        parts=visits.parts,
        begin=visits.begin[len(pre)],
        kept=visits.kept,
        value=state.counters[VALUE] + operators.costs[op],
        final=final,
    )
    visit = on_stack(visit)
    # 1. What may be kept, beside[{}]: reached, with all sets of up to m - 1 preconditions, or given, and not deleted.
    for w in range(len(given)):
        given[w] = added[w] = 0
        row[w] = state.reached[0, w]
    if len(pre):
        restrict(state, visit, np.int64(0), row)
    for p in pre:
        add_bit(given, p)
    for i in range(offsets[3 * op + 2], offsets[3 * op + 3]):
        deleted = ~(ONE << np.uint64(facts[i] & 63))
        given[facts[i] >> 6] &= deleted
        row[facts[i] >> 6] &= deleted
    for a in add:
        add_bit(given, a)
        add_bit(added, a)
    for w in range(len(given)):
        row[w] |= given[w]
    # 2. Achieve the sets {a}, then {a} ∪ {s}, then those with more kept facts, R.
    emit(state, visit, np.int64(-1), added)
    emit(state, visit, np.int64(0), row)
    sets: Int = np.int64(1)  # R of the size looked at; the first one is {}
    for size in range(1, order - 1):
        if size == order - 2:
            compare(state, beside, sets, visits.seen[op])
        sets = extend(state, visit, beside, size, sets)
