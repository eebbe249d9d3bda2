"""Which facts an operator may keep, in relaxed reachability over sets of m facts.

An operator with the preconditions P that adds a makes {a} ∪ S true, |S| <= m - 1, if all sets of up to m facts in P ∪ S
are reached (and the operator deletes nothing of S). S is built fact by fact, as *kept facts* R and a last fact s:

    beside[R] = the facts s such that all sets of up to m facts in P ∪ R ∪ {s} are reached
              = AND of beside[R'] over the R' with one fact less than R            (the sets that lack a fact of R)
                AND of the rows of Q ∪ R over the Q in P with |Q| = m - 1 - |R|    (the sets with all of R, and s)

where s that are `given` (true after the operator in any case) are in every row. For m = 4, P = {7, 6}, of which 6 is
deleted and 7 kept, and R = {5, 2}:

    fact                  7 6 5 4 3 2 1 0
    beside[{5}]           1 0 0 1 0 1 1 1     from row({7,6,5})
    beside[{2}]           1 0 1 1 1 0 0 1     from row({7,6,2})
    row({7,5,2})          1 0 0 0 1 0 1 1     7 is given; {7,5,2,4} has not been reached
    row({6,5,2})          1 0 0 1 1 0 1 1
    beside[{5,2}] = AND   1 0 0 0 0 0 0 1     so {a,7,5,2} and {a,5,2,0} are achieved

beside[R] is kept for |R| <= m - 3, at the place that R's row has in a collection. For |R| = m - 2 it is computed, used
and forgotten, and only for s below all facts of R, so that each S comes up once.

*What is new.* An operator is visited again when sets that share a fact with P have been reached. By far most sets S
were already dealt with in the visit before. S matters only if, since then, a set of up to m - 2 of its facts has become
possible (a bit of beside[.] is new), or a set {p} ∪ S was reached (a row of {p} ∪ R has grown). Both are bits, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Int, Ints, Words
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE, has_bit
from .achieved_sets import Batch, HmState, Visit, gained, is_wanted, note, restrict
from .tuples import Rows, add_bit, members, number_of, number_of_any


class Beside(NamedTuple):
    """The facts beside kept facts, found in one visit of an operator, and scratch; W words a row.

    `rows`: beside[R], for R of up to m - 3 facts, at `row_of[|R| + 1] + number(R)`. `new`: what of it was not there
    in the visit before (|R| = m - 3 only). `partners`: the row of each R'' of m - 4 facts (a single row if m < 5) has
    the facts r for which beside[R'' ∪ {r}] has something new. `sets` (2, sets, m): the R of one size, those of the
    next. `facts` (F): a list of facts. `candidates`, `grew`, `last` (W): rows.
    """

    rows: Rows
    new: Rows
    partners: Rows
    sets: Ints
    facts: Ints
    candidates: Words
    grew: Words
    last: Words


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
def extend(state: HmState, visit: Visit, beside: Beside, batch: Batch, size: Int, sets: Int) -> Int:
    """beside[R] for the sets R = R' ∪ {t} of `size` facts, t < all of R', from the `sets` sets R' of a fact less. What
    it makes true is noted; it is kept, if `size` is at most m - 3. How many sets R there are.
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
            row = last[: top + 1]
            # 4. Rows of the preconditions are read only where that may lead to something.
            wanted = some != 0 and is_wanted(state, visit, size, row)
            if complete and not wanted:
                continue
            if plain and not has_bit(visit.given, t):
                restrict(state, visit, size, row)
            if wanted:
                note(batch, visit.kept, size, row)
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
