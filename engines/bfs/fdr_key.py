"""A task whose states fit one or two machine words: no fact is stored that the others decide.

Where exactly one fact of a group is true, one of its facts is decided by the rest: a cell is free if no object covers
it. Such *derived* facts are left out of the key of a state. A group of n positions of one object is a field with the
number of the position, of log2 n bits; objects that share their positions have a bit for each. So a Rush Hour
board of 6x6 cells takes at most 3 bits a vehicle. Every operator flips constant bits, of the key and of derived facts
alike. An example, with the bits of a word written highest first:

    AA.B    A has 3 positions, B has 3: two fields of 2 bits. Cells that can be free or not are derived facts:
    ...B        bit      0     1     2     3     4     5     6
    ....        free  r1c1  r1c2  r1c3  r1c4  r2c4  r3c4  r4c4
    ....
            key        00 00      B at its position 0, A at its position 0
            base       1111111    derived facts of a board without objects: every cell is free
            cover A 0  0000011    flips r1c1, r1c2
            cover B 0  0011000    flips r1c4, r2c4
            derived    1100100    base ^ cover A 0 ^ cover B 0: r1c3, r3c4, r4c4 are free

    A moves right:     need 0000100 (r1c3 is free),  flip the key by 00 01,  flip derived facts by 0000101

The fields are the finite-domain variables of SAS+ (Bäckström and Nebel, *Complexity results for SAS+ planning*, 1995),
their choice is a greedy cover as in Helmert, *Concise finite-domain representations for PDDL planning tasks* (2009).
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from ...analysis.structure import structure_of
from ...models.task import Operator, OperatorTask, walks
from ...runtime.arrays import Flags, Longs, Words

Literal = tuple[int, int, int]
"""(word, mask, value): true where the bits of the mask have this value."""

PLACES = 128
"""Places below are the bits of the key, places from here on the values of fields."""


class FdrTask(NamedTuple):
    """Arrays of a task with P places and N operators. A *place* is what a key can hold: a value of a field, or a bit.

    `words`, `derived_words`: words of a key and of the derived facts, 1 or 2. `field` (, 3): word, shift and first
    place of each field; `field_mask`. `bits` (2): the bits of the key that are a place each. `cover` (P, 2): the
    derived facts that a place flips in `base` (2). `first` (P+1): the operators by the place that they move an object
    from; `rows` (N, 8): derived facts needed, bits of the key flipped, derived facts flipped (two words each), and for
    a walker the bit of the cell before and the number of the cell after; `number` (N): the operator's number in the
    task; `touches` (N): whether it makes a fact true that the goal names.

    `goal` (, 3): literals (word, mask, value); words 2 and 3 are the derived facts; `goal_first` (C+1): clauses.
    `near` (cells): for a walker the neighbours of each cell as bits (derived fact i is: cell i is free), and
    `walker` (3): word, shift and mask of the number of its cell in the key. `init` (2).
    """

    words: int
    derived_words: int
    field: Longs
    field_mask: Words
    bits: Words
    cover: Words
    base: Words
    first: Longs
    rows: Words
    number: Longs
    touches: Flags
    goal: Words
    goal_first: Longs
    near: Words
    walker: Longs
    init: Words


class Layout:
    """Where each fact is: `place` of the facts in the key, `literal[f]` = (word, mask, value): true if they match.

    Words 0 and 1 are the key, 2 and 3 the derived facts. `walker` is word, shift and mask of the walker's cell in the
    key.
    """

    def __init__(self) -> None:
        self.walker = (0, 0, 0)
        self.place: dict[int, int] = {}
        self.literal: dict[int, Literal] = {}
        self.fields: list[tuple[int, int, int, int]] = []
        self.bits = [0, 0]
        self.used = [0, 0]

    def room(self, size: int) -> tuple[int, int]:
        """Word and shift of new bits of the key. The first word is never full: all ones mark an empty slot."""
        word = 0 if self.used[0] + size < 64 else 1
        self.used[word] += size
        return word, self.used[word] - size

    def keep(self, fields: list[list[int]], bits: list[int], cells: int) -> bool:
        """Give places in the key to fields, single facts and the walker's cell; False if there is no room."""
        place = PLACES
        for members in fields:
            size = (len(members) - 1).bit_length()
            word, shift = self.room(size)
            mask = (1 << size) - 1
            self.fields.append((word, shift, place, mask))
            for value, fact in enumerate(members):
                self.place[fact] = place + value
                self.literal[fact] = (word, mask << shift, value << shift)
            place += mask + 1
        for fact in bits:
            word, shift = self.room(1)
            self.place[fact] = 64 * word + shift
            self.bits[word] |= 1 << shift
            self.literal[fact] = (word, 1 << shift, 1 << shift)
        if cells:
            size = (cells - 1).bit_length()
            self.walker = (*self.room(size), (1 << size) - 1)
        return self.used[1] <= 64


def to_fdr_task(task: OperatorTask) -> FdrTask | None:
    """The arrays of a task; None if keys or derived facts need more than two words, or it has compound moves."""
    if task.compound_moves:
        return None
    structure, walker = structure_of(task), task.walker
    init, changed, cells = set(task.init), structure.changing, len(walker.cells) if walker else 0
    numbered = [(n, op) for n, op in enumerate(task.operators) if (changed | init).issuperset(op.pre)]
    # 1. What is kept.
    derived = structure.derived_facts()
    kept = changed - derived.keys()
    # 2. Each operator is found by the first position that it leaves. Where one requires more positions than this, they
    #    are looked up like derived facts.
    moved = [next(filter(kept.__contains__, op.delete), -1) for _, op in numbered]
    required = [kept.intersection(op.pre) for _, op in numbered]
    others = set().union(*required) if any(len(places) > 1 for places in required) else set()
    looked_up = list(dict.fromkeys([*(walker.free if walker else ()), *sorted(derived.keys() | others)]))
    # 3. Places in the key.
    found = Layout()
    if -1 in moved:  # an operator that leaves derived facts only: nothing in the key says when to try it
        return None
    if cells > 64 or len(looked_up) > 128 or not found.keep(*_fields(task, kept), cells):
        return None
    bit_of = {f: 1 << i for i, f in enumerate(looked_up)}
    # 4. Operators, sorted by the place that they leave.
    base, cover = _cover(found, derived, init, looked_up)
    flips = {
        f: value << 64 * word | cover[found.place[f]] << 128
        for f, (word, _, value) in found.literal.items()
        if f in kept
    }
    order = sorted(range(len(numbered)), key=lambda i: found.place[moved[i]])
    rows = [_row(numbered[i][1], bit_of, flips) for i in order]
    key = sum(value << 64 * word for word, _, value in (found.literal[f] for f in init & kept))
    if walker:
        key |= min(walks(walker, walker.start, init)) << 64 * found.walker[0] + found.walker[1]
    named, goal_first, goal = _goal(task, found, init)
    near = [sum(1 << other for other in cell) for cell in walker.neighbours] if walker else []
    return FdrTask(
        words=2 if found.used[1] else 1,
        derived_words=2 if len(looked_up) > 64 else 1,
        field=np.array([entry[:3] for entry in found.fields], np.int64).reshape(-1, 3),
        field_mask=np.array([entry[3] for entry in found.fields], np.uint64),
        bits=np.array(found.bits, np.uint64),
        cover=_words(cover, 2),
        base=_words([base], 2)[0],
        first=np.searchsorted([found.place[moved[i]] for i in order], np.arange(len(cover) + 1)).astype(np.int64),
        rows=_words(rows, 8),
        number=np.array([numbered[i][0] for i in order], np.int64),
        touches=np.array([not named.isdisjoint(numbered[i][1].add) for i in order], np.bool_),
        goal=np.array(goal, np.uint64).reshape(-1, 3),
        goal_first=np.array(goal_first, np.int64),
        near=_words(near, 1)[:, 0],
        walker=np.array(found.walker, np.int64),
        init=_words([key], 2)[0],
    )


def _row(op: Operator, need: dict[int, int], flips: dict[int, int]) -> int:
    """A row of `rows` as one number, the first word lowest.

    bits      0 ... 127   128 ... 255   256 ... 383     384 ... 447             448 ... 511
    columns   needed      key flipped   derived ones    walker's cell before    and after (a number)
    """
    row = 0
    for fact in op.pre:
        row |= need.get(fact, 0)
    for fact in op.add + op.delete:
        row ^= flips.get(fact, 0) << 128
    if op.walk:
        row |= 1 << 384 + op.walk[0] | op.walk[1] << 448
    return row


def _words(numbers: list[int], words: int) -> Words:
    """Each number as a row of machine words, the lowest word first."""
    size = 8 * words
    joined = b"".join(number.to_bytes(size, "little") for number in numbers)
    return np.frombuffer(joined, "<u8").astype(np.uint64).reshape(-1, words)


def _fields(task: OperatorTask, kept: Set[int]) -> tuple[list[list[int]], list[int]]:
    """Disjoint sets of facts of which exactly one is true, and the facts in none of them."""
    fields = []
    loose = set(kept)
    variables = (variable.values for variable in structure_of(task).variables)
    for facts in sorted(variables, key=lambda facts: (-len(facts), min(facts))):
        if len(facts) > 1 and facts <= loose:
            fields.append(sorted(facts))
            loose -= facts
    return fields, sorted(loose)


def _cover(found: Layout, derived: dict[int, set[int]], init: set[int], names: list[int]) -> tuple[int, list[int]]:
    """The derived facts that are true where no place is taken, and those that each place flips."""
    base = 0
    cover = [0] * (found.fields[-1][2] + found.fields[-1][3] + 1 if found.fields else PLACES)
    for i, fact in enumerate(names):
        if fact in found.place:
            cover[found.place[fact]] ^= 1 << i
            continue
        found.literal[fact] = (2 + (i >> 6), 1 << (i & 63), 1 << (i & 63))
        base |= (fact in derived or fact in init) << i
        for other in derived.get(fact, ()):
            cover[found.place[other]] ^= 1 << i
    return base, cover


def _goal(task: OperatorTask, found: Layout, init: set[int]) -> tuple[set[int], list[int], list[Literal]]:
    """The facts that the goal names, and its clauses as literals. A clause that always holds is left out."""
    first, literals = [0], []
    for clause in task.goal:
        if any(f not in found.literal and f in init for f in clause):
            continue
        literals += [found.literal[f] for f in clause if f in found.literal]
        first.append(len(literals))
    return {f for clause in task.goal for f in clause}, first, literals
