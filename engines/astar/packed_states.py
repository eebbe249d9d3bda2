"""The states that A* has met, packed: some 40 bytes each, so that 10^8 of a Sokoban level fit into 4 GiB.

A state as kernels work on it is a row with a bit for each fact (`BitsetTask`). Many of the facts follow from others: if
exactly one fact of a group is true (`ExactlyInvariant`), any one of them is true where the others are not. So one fact
of each such group is *left out*, if the others of the group are all kept. The kept ones are numbered, and the walker's
cell is put above them:

    facts    box at A (0), box at B (1), free A (2), free B (3), free C (4)     groups {0, 2}, {1, 3}, {4}
    row      01001|10: the box at A, free B, free C; the walker is in cell 2
    kept     0, 1                           left out: 2, 3, 4
    packed   10|01: the cell in two bits, above the bits of facts 1 and 0

XSokoban has 41 to 133 cells on which boxes can stand and up to 8 bits for the player's: two words, mostly, where a row
has five. How a state was reached is not stored but its parent is, and the operator is found again
(`states.plans.plan_over`). Costs and estimates are 32 bits each where a path has to be very long to pass that.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE
from ...analysis.bitset_task import BitsetTask
from ...models.task import OperatorTask
from ...runtime.arrays import Bytes, Ints, Longs, Words, bit_rows, to_csr
from ...runtime.bitops import HASH_SEED, hash_word, long, trailing_zeros
from ...runtime.kernel_calls import njit

# The open states of A*, in buckets: all states of the same key stand in one, and a heap orders the buckets.
#
# A key is two numbers of 64 bits: the total f = cost + estimate, and a second one that orders states of equal f, such
# as the estimate h. There are a few thousand keys where there are millions of states.
#
#     heap of buckets     (20, 3)  (20, 5)  (22, 4)        the least f first, then the least h
#     top                    17       9        4           the newest state of each
#                             |       |
#     bottom                  3      12        4           the oldest; the list is linked both ways
#
# A state stands in at most one bucket: one to which a cheaper way is found leaves its old one.

# Buckets of open states that there is room for at first.
FIRST_BUCKETS = 1 << 10

BUCKETS, HEAPED = range(2)
"""Entries of `OpenStates.sizes`: buckets that there are, and those that stand in the heap."""

NOWHERE = -1
"""No state below, or above; an empty bucket; an empty slot."""

OUT = -2
"""Stands in place of the state below for a state that is in no bucket, that is, not open."""


class OpenStates(NamedTuple):
    """Buckets (B) of states (S). `below`, `above` (S): the neighbours of a state in its bucket; `top`, `bottom` (B):
    the states at its ends.

    `total`, `second` (B): the key of each bucket; `slot` (2 B): open addressing, the number of a bucket or -1. `heap`
    (B): a binary heap of numbers of buckets, in which each that is not empty stands, and may stand when it is: `heaped`
    (B).
    """

    below: Ints
    above: Ints
    total: Longs
    second: Longs
    top: Ints
    bottom: Ints
    slot: Ints
    heaped: Ints
    heap: Ints
    sizes: Longs


def open_states(states: int, buckets: int = FIRST_BUCKETS) -> OpenStates:
    """An empty queue with room for `states` states and `buckets` buckets (a power of two)."""
    return OpenStates(
        below=np.full(states, OUT, np.int32),
        above=np.full(states, NOWHERE, np.int32),
        total=np.zeros(buckets, np.int64),
        second=np.zeros(buckets, np.int64),
        top=np.full(buckets, NOWHERE, np.int32),
        bottom=np.full(buckets, NOWHERE, np.int32),
        slot=np.full(2 * buckets, NOWHERE, np.int32),
        heaped=np.zeros(buckets, np.int32),
        heap=np.zeros(buckets, np.int32),
        sizes=np.zeros(2, np.int64),
    )


def begin(opened: OpenStates, total: int, second: int) -> None:
    """Open the initial state, 0, in an empty queue."""
    opened.below[0] = opened.above[0] = NOWHERE
    opened.total[0], opened.second[0] = total, second
    opened.top[0] = opened.bottom[0] = opened.heap[0] = 0
    opened.heaped[0] = opened.sizes[BUCKETS] = opened.sizes[HEAPED] = 1
    _reslot(opened)


def longer(opened: OpenStates, states: int) -> OpenStates:
    """The same queue with room for `states` states, and for twice the buckets if these are three quarters full.

    The arrays of states are made longer in place: nothing else may hold their addresses.
    """
    enough = 4 * opened.sizes[BUCKETS] < 3 * len(opened.total)
    made = open_states(0, len(opened.total) if enough else 2 * len(opened.total))
    for links in (opened.below, opened.above):
        links.resize(states, refcheck=False)
    made = made._replace(below=opened.below, above=opened.above)
    for name in ("total", "second", "top", "bottom", "heaped", "heap"):
        getattr(made, name)[: len(opened.top)] = getattr(opened, name)
    made.sizes[:] = opened.sizes
    _reslot(made)
    return made


@njit()
def _reslot(opened: OpenStates) -> None:
    for bucket in range(opened.sizes[BUCKETS]):
        opened.slot[_slot_of(opened, opened.total[bucket], opened.second[bucket])] = bucket


@njit(inner=True)
def _slot_of(opened: OpenStates, total: int, second: int) -> int:
    """The slot of the bucket with a key, or the empty one where it belongs."""
    slot, mask = opened.slot, len(opened.slot) - 1
    # A product spreads a number over the upper bits (Knuth's multiplicative hashing).
    place = ((long(total) << 32) + long(total) + long(second)) * long(0x9E3779B97F4A7C1) >> 20 & mask
    while slot[place] != NOWHERE and (opened.total[slot[place]] != total or opened.second[slot[place]] != second):
        place = (place + 1) & mask
    return place


@njit(inner=True)
def _before(opened: OpenStates, one: int, other: int) -> bool:
    """Whether a bucket has a smaller key than another: a smaller total, or an equal one and a smaller second number."""
    total, than = opened.total[one], opened.total[other]
    return bool(total < than or (total == than and opened.second[one] < opened.second[other]))


@njit(inner=True)
def _push(opened: OpenStates, bucket: int) -> None:
    """Put a bucket into the heap, where it rises above those with larger keys."""
    heap, place = opened.heap, opened.sizes[HEAPED]
    opened.sizes[HEAPED] += 1
    opened.heaped[bucket] = 1
    while place > 0 and _before(opened, bucket, heap[(place - 1) >> 1]):
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = bucket


@njit(inner=True)
def _pop(opened: OpenStates) -> None:
    """Take the bucket with the least key out of the heap: the last one sinks from there."""
    heap, place = opened.heap, long(0)
    opened.heaped[heap[0]] = 0
    opened.sizes[HEAPED] -= 1
    size = opened.sizes[HEAPED]
    last = heap[size]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and _before(opened, heap[below + 1], heap[below]):
            below += 1
        if not _before(opened, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last


@njit(inner=True)
def enter(opened: OpenStates, total: int, second: int, state: int) -> None:
    """Put a state that stands nowhere on top of the bucket of a key. There must be room for a bucket."""
    sizes, top = opened.sizes, opened.top
    slot = _slot_of(opened, total, second)
    bucket = long(opened.slot[slot])
    if bucket == NOWHERE:
        bucket = sizes[BUCKETS]
        sizes[BUCKETS] += 1
        opened.slot[slot], opened.total[bucket], opened.second[bucket] = bucket, total, second
    if not opened.heaped[bucket]:
        _push(opened, bucket)
    under = top[bucket]
    opened.below[state], opened.above[state] = under, NOWHERE
    if under == NOWHERE:
        opened.bottom[bucket] = state
    else:
        opened.above[under] = state
    top[bucket] = state


@njit(inner=True)
def leave(opened: OpenStates, total: int, second: int, state: int) -> None:
    """Take a state out of the bucket of a key, in which it stands."""
    below, above = opened.below[state], opened.above[state]
    bucket = long(opened.slot[_slot_of(opened, total, second)])
    if above == NOWHERE:
        opened.top[bucket] = below
    else:
        opened.below[above] = below
    if below == NOWHERE:
        opened.bottom[bucket] = above
    else:
        opened.above[below] = above
    opened.below[state] = OUT


@njit(inner=True)
def least(opened: OpenStates) -> int:
    """The number of the bucket with the least key that is not empty; -1 if all are."""
    sizes = opened.sizes
    while sizes[HEAPED] > 0:
        bucket = long(opened.heap[0])
        if opened.top[bucket] != NOWHERE:
            return bucket
        _pop(opened)
    return -1


@njit(inner=True)
def beside(opened: OpenStates, total: int, second: int) -> int:
    """The number of the bucket of a key; -1 if no bucket has this key or it is empty."""
    bucket = long(opened.slot[_slot_of(opened, total, second)])
    return bucket if bucket != NOWHERE and opened.top[bucket] != NOWHERE else -1


class Packing(NamedTuple):
    """How states are packed, for F facts of which n are kept.

    `kept` (W): the bits of the facts that are kept; `number` (F): the number of a fact, or -1; `fact` (n): its inverse.
    `left_out` (W): the bits of the others; `covers_first` (n+1), `covers`: those that are false where a kept one is
    true. The walker's cell begins at bit `shift` of word `cell_word`, which is -1 without a walker. `words`: of a
    packed state. `by_objects`: 1 if the table of states has one slot for all states that differ in the walker's cell
    only (see `PackedStates`), otherwise 0.
    """

    kept: Words
    number: Ints
    fact: Ints
    left_out: Words
    covers_first: Ints
    covers: Ints
    cell_word: int
    shift: int
    words: int
    by_objects: int


class PackedStates(NamedTuple):
    """The states (S): `rows` (S, words), packed; `parent` (S): the state from which each was reached, -1 for the
    initial one; `turned` (S, or 0 without symmetries): by which symmetry, see `symmetric_states`; `values` (S, 2): its
    cost from there, and its estimate, a lower bound on the rest; (S, 4) where they take 64 bits, the upper halves
    behind the lower ones. `looked` (S, or 0 without late bounds): 1 if a state has got them. `table`: open addressing,
    the number of a state in each slot, or -1. With `Packing.by_objects` that is the newest of the states that have the
    same facts but for the walker's cell, and `older` (S, otherwise 0) has for each the next older one of these, or -1.
    """

    rows: Words
    parent: Ints
    turned: Bytes
    values: Ints
    looked: Bytes
    older: Ints
    table: Ints


def packing_for(task: OperatorTask, packed: BitsetTask, *, by_objects: bool = False) -> Packing:
    """Choose the facts that are left out: in each group the one that the fewest other groups share."""
    single = [group.facts for group in task.groups if group.count == 1]
    groups_of = Counter(fact for facts in single for fact in facts)
    needed, covered = set[int](), dict[int, tuple[int, ...]]()
    for facts in single:
        dropped = min(facts, key=lambda fact: (groups_of[fact], -fact))
        others = set(facts) - {dropped}
        if dropped not in needed and dropped not in covered and others.isdisjoint(covered):
            needed |= others
            covered[dropped] = tuple(others)
    fact = [f for f in range(len(task.facts)) if f not in covered]
    number = np.full(64 * packed.words, -1, np.int32)
    number[fact] = range(len(fact))
    covers: list[list[int]] = [[] for _ in fact]
    for dropped, others_of in covered.items():
        for other in others_of:
            covers[int(number[other])].append(dropped)
    covers_first, covers_flat = to_csr(covers)
    bits = len(packed.free_bit).bit_length()
    word, shift = divmod(len(fact), 64)
    if shift + bits > 64:
        word, shift = word + 1, 0
    return Packing(
        kept=bit_rows([fact], packed.words)[0],
        number=number,
        fact=np.array(fact, np.int32),
        left_out=bit_rows([sorted(covered)], packed.words)[0],
        covers_first=covers_first,
        covers=covers_flat,
        cell_word=word if bits else -1,
        shift=shift,
        words=max(1, word + (shift + bits > 0)),
        by_objects=int(by_objects),
    )


COST, ESTIMATE = range(2)
"""Columns of `PackedStates.values`."""

LOW = 0xFFFFFFFF


@njit(inner=True, inline="always")
def value_of(nodes: PackedStates, column: int, index: int) -> int:
    """The cost or the estimate of a state."""
    values = nodes.values
    if values.shape[1] == 2:
        return long(values[index, column])
    return (long(values[index, column + 2]) << 32) | (long(values[index, column]) & LOW)


@njit(inner=True, inline="always")
def set_value(nodes: PackedStates, column: int, index: int, value: int) -> None:
    """Set the cost or the estimate of a state."""
    values = nodes.values
    values[index, column] = np.int32(value)
    if values.shape[1] > 2:
        values[index, column + 2] = np.int32(value >> 32)


@njit(inner=True)
def pack(packing: Packing, row: Words, into: Words) -> None:
    """Write the packed state of a row."""
    kept, number = packing.kept, packing.number
    for w in range(len(into)):
        into[w] = np.uint64(0)
    for w in range(len(kept)):
        # From fact f, bit f of the row, to bit number[f] of the packed state. The walker's cell follows above the last
        # fact.
        bits = row[w] & kept[w]
        while bits:
            n = number[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            into[n >> 6] |= ONE << np.uint64(n & 63)
    if packing.cell_word >= 0:
        into[packing.cell_word] |= row[len(kept)] << np.uint64(packing.shift)


@njit(inner=True)
def unpack(packing: Packing, packed: Words, row: Words) -> None:
    """Write the row of a packed state: all facts that are left out are true, until a kept one covers them."""
    fact, first, covers, left_out = packing.fact, packing.covers_first, packing.covers, packing.left_out
    for w in range(len(left_out)):
        row[w] = left_out[w]
    for w in range(len(packed)):
        bits = packed[w]
        # Of this word the bits from `shift` on are the walker's cell, those below are facts.
        if w == packing.cell_word:
            row[len(left_out)] = bits >> np.uint64(packing.shift)
            bits &= (ONE << np.uint64(packing.shift)) - ONE
        while bits:
            n = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            row[fact[n] >> 6] |= ONE << np.uint64(fact[n] & 63)
            # Facts that are left out because they exclude this one: a free cell under a box.
            for i in range(first[n], first[n + 1]):
                row[covers[i] >> 6] &= ~(ONE << np.uint64(covers[i] & 63))


@njit(inner=True, inline="always")
def facts_of(packing: Packing, word: np.uint64, w: int) -> np.uint64:
    """Word w of a packed state as the table compares it: with `by_objects`, without the bits of the walker's cell."""
    if packing.by_objects and w == packing.cell_word:
        return word & ((ONE << np.uint64(packing.shift)) - ONE)
    return word


@njit(inner=True, inline="always")
def cell_of(packing: Packing, packed: Words) -> int:
    """The walker's cell of a packed state that has one."""
    return long(packed[packing.cell_word] >> np.uint64(packing.shift))


@njit(inner=True)
def find_packed(packing: Packing, nodes: PackedStates, packed: Words) -> int:
    """The slot of the table for a state: with its number, or that of the newest state of its objects; or the empty slot
    where it belongs. There must be one.

    As `bitset_kernels.find`, for a table of any length n: a hash h of 32 bits goes to slot h n / 2^32.
    """
    rows, table, size, h = nodes.rows, nodes.table, len(nodes.table), HASH_SEED
    for w in range(len(packed)):
        h = hash_word(h, facts_of(packing, packed[w], w))
    # Multiply and shift in place of a remainder: the table's length need not be a power of two. Then linear probing.
    slot = long(((h >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))
    while True:
        index = long(table[slot])
        if index < 0:
            return slot
        same = True
        for w in range(len(packed)):
            same = same and facts_of(packing, rows[index, w], w) == facts_of(packing, packed[w], w)
        if same:
            return slot
        slot = slot + 1 if slot + 1 < size else 0


@njit()
def fill_table(packing: Packing, nodes: PackedStates, count: int) -> None:
    """Enter the first `count` states into an empty table."""
    for i in range(count):
        enter_state(packing, nodes, find_packed(packing, nodes, nodes.rows[i]), i)


@njit(inner=True)
def enter_state(packing: Packing, nodes: PackedStates, slot: int, index: int) -> None:
    """Put a state that is not in the table into its slot."""
    if packing.by_objects:
        nodes.older[index] = nodes.table[slot]
    nodes.table[slot] = index


@njit()
def pack_row(packing: Packing, row: Words, into: Words) -> None:
    """Pack a row of values into the words of a state: `pack`, for callers in Python."""
    pack(packing, row, into)


@njit()
def unpack_row(packing: Packing, packed: Words, row: Words) -> None:
    """Unpack the words of a state into a row of values: `unpack`, for callers in Python."""
    unpack(packing, packed, row)
