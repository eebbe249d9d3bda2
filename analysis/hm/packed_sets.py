"""Collections of sets of facts as rows of bits (see `tuples`), made and combined in NumPy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...runtime.arrays import Flags, Ints, Longs, Words, bit_rows
from .tuples import Numbering, Rows, all_sets, numbers_of


def from_pairs(numbering: Numbering, pairs: Flags) -> Rows:
    """The collection, for m = 2, of the pairs that are true in a matrix (F, F), and of the facts on its diagonal."""
    # Row 0 is that of {}, the single facts; row 1 + p that of {p}. Columns are filled up to whole words.
    padded = np.zeros((numbering.fact_count + 1, 64 * numbering.words), np.bool_)
    padded[0, : numbering.fact_count] = pairs.diagonal()
    padded[1:, : numbering.fact_count] = pairs
    np.fill_diagonal(padded[1:], False)
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def subsets_of(numbering: Numbering, facts: Iterable[int]) -> Rows:
    """The collection of all sets of up to m of these facts: in the row of each smaller set of them, all the others."""
    chosen = np.array(sorted(facts), np.int32)
    rows = np.zeros((numbering.rows, numbering.words), np.uint64)
    whole = bit_rows([chosen.tolist()], numbering.words)[0]
    for size in range(numbering.order):
        sets = chosen[all_sets(len(chosen), size)]
        row = numbering.row_of[size + 1] + numbers_of(numbering, sets)
        # In the row of R all facts have their bits, but those of R.
        rows[row] = whole
        for i in range(size):
            rows[row, sets[:, i] >> 6] ^= _bit(sets[:, i])
    return rows


def lifted(numbering: Numbering, rows: Rows) -> Rows:
    """A collection of sets of up to m - 1 facts, and all sets of m facts whose smaller sets are in it.

    S ∪ {s} with |S| = m - 1 is one of them if S is in the collection, and s in the row of S without x, for each x in S.
    """
    size = numbering.order - 1
    sets = all_sets(numbering.fact_count, size)
    inside = np.ones(len(sets), np.bool_)
    last = np.full((len(sets), numbering.words), ~np.uint64(0))
    for i in range(size):
        smaller = rows[numbering.row_of[size] + numbers_of(numbering, np.delete(sets, i, axis=1))]
        inside &= _has(smaller, sets[:, i])
        last &= smaller
    last[~inside] = 0
    return np.concatenate([rows[: numbering.row_of[numbering.order]], last])


def with_clauses(numbering: Numbering, rows: Rows, clauses: Iterable[Iterable[int]]) -> Rows:
    """The sets S of a collection that can be true together with some fact c of each clause, one clause at a time, as
    far as the collection tells: every set of up to m facts in S ∪ {c} is in it.
    """
    kept = rows.copy()
    for size in range(numbering.order):
        # The sets S = R ∪ {s} with |R| = size; R by R, all s at once.
        sets = all_sets(numbering.fact_count, size)
        first = int(numbering.row_of[size + 1])
        own = rows[first : first + len(sets)]
        for clause in clauses:
            met = np.zeros_like(own)
            for c in clause:
                # R has c: then S ∪ {c} is S. R has not: then S and c have to go together, and s may be c itself.
                among = (sets == c).any(axis=1)
                met[among] |= own[among]
                apart = np.flatnonzero(_has(own, np.int32(c)) & ~among)
                met[apart] |= _beside(numbering, rows, sets[apart], c) | _bits_of(numbering, c)
            kept[first : first + len(sets)] &= met
    return kept


def _beside(numbering: Numbering, rows: Rows, sets: Ints, fact: int) -> Words:
    """(sets, W): for each set R, without `fact`, the s such that all sets of up to m facts in R ∪ {s, fact} that have s
    and `fact`, or are R ∪ {s}, are in the collection.
    """
    size = sets.shape[1]
    beside: Words = rows[numbering.row_of[size + 1] + numbers_of(numbering, sets)]
    # R ∪ {s, c} is small enough to be in the collection, or all its parts of m facts with s and c have to be.
    if size + 2 <= numbering.order:
        beside &= rows[numbering.row_of[size + 2] + _numbers_with(numbering, sets, fact)]
        return beside
    for i in range(size):
        smaller = _numbers_with(numbering, np.delete(sets, i, axis=1), fact)
        beside &= rows[numbering.row_of[size + 1] + smaller]
    return beside


def _numbers_with(numbering: Numbering, sets: Ints, fact: int) -> Longs:
    """(sets): the numbers of sets (sets, k), each without `fact`, after `fact` has been put into each."""
    size, choose = sets.shape[1], numbering.choose
    place = (sets > fact).sum(axis=1)
    numbers: Longs = choose[size + 1 - place, fact]
    # The larger facts, in front of it, count by a binomial of one more than before; the smaller ones as before.
    for i in range(size):
        numbers += choose[size + 1 - i - (i >= place), sets[:, i]]
    return numbers


def _bit(facts: Ints) -> Words:
    bits: Words = np.uint64(1) << (facts & 63).astype(np.uint64)
    return bits


def _bits_of(numbering: Numbering, fact: int) -> Words:
    bits: Words = bit_rows([[fact]], numbering.words)[0]
    return bits


def _has(rows: Rows, facts: Ints | np.int32) -> Flags:
    """(n): whether row i has the bit of `facts[i]`, or of one fact given for all rows."""
    words = rows[np.arange(len(rows)), facts >> 6]
    has_bit: Flags = (words >> (facts & 63).astype(np.uint64)) & np.uint64(1) != 0
    return has_bit
