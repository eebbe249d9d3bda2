"""A task whose states fit one or two machine words: no fact is stored that the others decide.

Where exactly one fact of a group is true, one of its facts is decided by the rest: a cell is free if no place of a
thing covers it. Such *derived* facts are left out of the key of a state. A group of n places of one thing is a field
with the number of the place, of log2 n bits; things that share their places have a bit for each place. So a Rush Hour
board of 6x6 cells takes at most 3 bits a vehicle. Where at most two cells are free, these are kept, other facts are
derived, and each fact has a bit: 63 for Klotski. Every operator flips constant bits, of the key and of derived facts
alike. The fields are the multi-valued variables of SAS+ (Bäckström and Nebel, *Complexity results for SAS+ planning*,
1995), their choice is a greedy cover as in Helmert, *Concise finite-domain representations for PDDL planning tasks*
(2009).
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....analysis.structure import structure_of
from ....models.task import Operator, Task
from ....models.walking import walks

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Literal = tuple[int, int, int]

PLACES = 128
"""Places below are the bits of the key, places from here on the values of fields."""

ROOM = 64
"""A pair of free cells (low, high) has the index ROOM * low + high."""


class FdrTask(NamedTuple):
    """Arrays of a task with P places and N operators.

    `words`, `derived_words`: words of a key and of the derived facts, 1 or 2. `field` (, 3): word, shift and first
    place of each field; `field_mask`. `bits` (2): the bits of the key that are a place each. `cover` (P, 2): the
    derived facts that a place flips in `base` (2). `first` (P+1): the operators by the place that they move a thing
    from; `rows` (N, 8): derived facts needed, bits of the key flipped, derived facts flipped (two words each), and for
    a walker the bit of the cell before and the number of the cell after; `number` (N): the operator's number in the
    task; `touches` (N): whether it makes a fact true that the goal names.

    Where at most two cells are free and all fits one word, `room` (2) is the mask of their bits in the key and the
    shift of the derived facts there, and the operators are indexed by the lowest and the highest: `room_first`,
    `room_rows` (, 3): bits of the key to look at, what they must be, bits to flip; `room_ops`: their index in `rows`.

    `goal` (, 3): literals (word, mask, value); words 2 and 3 are the derived facts; `goal_first` (C+1): clauses.
    `near` (cells): for a walker the neighbours of each cell as bits (derived fact i is: cell i is free), and
    `walker` (3): word, shift and mask of the number of its cell in the key. `init` (2).
    """

    words: int
    derived_words: int
    field: Ints
    field_mask: Words
    bits: Words
    cover: Words
    base: Words
    first: Ints
    rows: Words
    number: Ints
    touches: NDArray[np.bool_]
    room: Words
    room_first: Ints
    room_rows: Words
    room_ops: Ints
    goal: Words
    goal_first: Ints
    near: Words
    walker: Ints
    init: Words


class Layout:
    """Where each fact is: `place` of the facts in the key, `literal[f]` = (word, mask, value): true if they match.

    Words 0 and 1 are the key, 2 and 3 the derived facts. `derived[f]` are the facts of which one is true if f is not;
    `constant` are the facts that are always true; `walker` is word, shift and mask of the walker's cell in the key.
    """

    def __init__(self, derived: dict[int, set[int]], constant: Set[int]) -> None:
        self.derived = derived
        self.constant = constant
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

    def keep_bits(self, facts: list[int]) -> None:
        """A bit of the first word for each of at most 64 facts, which can never be all true."""
        for shift, fact in enumerate(facts):
            self.place[fact] = shift
            self.bits[0] |= 1 << shift
            self.literal[fact] = (0, 1 << shift, 1 << shift)
        self.used[0] = len(facts)

    def true(self, fact: int, key: tuple[int, ...]) -> bool:
        """Whether a fact is true in a state."""
        if fact in self.place:
            word, mask, value = self.literal[fact]
            return key[word] & mask == value
        others = self.derived.get(fact)
        return fact in self.constant if others is None else not any(self.true(other, key) for other in others)

    def facts(self, key: tuple[int, ...]) -> set[int]:
        """The true facts of a state."""
        return {f for f in (*self.place, *self.derived, *self.constant) if self.true(f, key)}


def to_fdr_task(task: Task, without_goal: bool = False) -> tuple[FdrTask, Layout] | None:
    """The arrays and what they stand for; None if keys or derived facts need more than two words, or the task carries.

    With `without_goal` no state is a goal.
    """
    if task.compound_moves:
        return None
    walker, cells = task.walker, len(task.walker.cells) if task.walker else 0
    structure = structure_of(task)
    init, changed = set(task.init), structure.changing
    possible = changed | init
    operators = [(n, op) for n, op in enumerate(task.operators) if possible.issuperset(op.pre)]
    room = set() if walker else _room(task, changed, [op for _, op in operators])
    derived = structure.derived_facts(keep=room)
    plain = bool(room) and len(changed) <= 64 + len(derived)  # a bit for each fact that is kept, free cells among them
    if not plain:
        derived = structure.derived_facts()
    kept = changed - derived.keys()
    moved = [next(filter(kept.__contains__, op.delete), -1) for _, op in operators]
    required = [kept.intersection(op.pre) for _, op in operators]
    # Where an operator requires more than the place of what it moves, places are looked up like derived facts.
    others = set().union(*required) if any(len(places) > 1 for places in required) else set()
    names = list(dict.fromkeys([*(walker.free if walker else ()), *sorted(derived.keys() | others)]))
    found = Layout(derived, structure.constant)
    if plain:
        found.keep_bits([*sorted(room), *sorted(kept - room)])
        names = []
    elif -1 in moved or cells > 64 or len(names) > 128 or not found.keep(*_fields(task, kept), cells):
        return None
    need = {f: 1 << i for i, f in enumerate(names)}
    if not plain and (found.used[1] or found.used[0] + len(names) > 64 or not derived.keys() >= room):
        room = set()
    base, cover = _cover(found, derived, init, names)
    flips = {
        f: value << 64 * word | cover[found.place[f]] << 128
        for f, (word, _, value) in found.literal.items()
        if f in kept
    }
    order = sorted(range(len(operators)), key=lambda i: found.place[moved[i]])
    rows = [_row(operators[i][1], need, flips) for i in order]
    shift = 0 if plain else found.used[0]
    if room:  # everything can be seen from the key
        found.literal.update({f: (0, bit << shift, bit << shift) for f, bit in need.items() if f not in kept})
        if plain:
            found.literal.update({f: (0, sum(found.literal[g][1] for g in others), 0) for f, others in derived.items()})
    key = sum(
        value << 64 * word for word, _, value in (found.literal[f] for f in init if f in kept or (room and f in need))
    )
    if walker:
        key |= min(walks(walker, walker.start, init)) << 64 * found.walker[0] + found.walker[1]
    named, goal_first, goal = _goal(task, found, init)
    arrays = FdrTask(
        2 if found.used[1] else 1,
        2 if len(names) > 64 else 1,
        np.array([entry[:3] for entry in found.fields], np.int64).reshape(-1, 3),
        np.array([entry[3] for entry in found.fields], np.uint64),
        np.array(found.bits, np.uint64),
        _words(cover, 2),
        _words([base], 2)[0],
        np.searchsorted([found.place[moved[i]] for i in order], np.arange(len(cover) + 1)).astype(np.int64),
        _words(rows, 8),
        np.array([operators[i][0] for i in order], np.int64),
        np.array([not without_goal and not named.isdisjoint(operators[i][1].add) for i in order], np.bool_),
        np.array([sum(found.literal[f][1] for f in room), shift], np.uint64),
        *_by_room(room, [operators[i][1] for i in order], rows, found, shift),
        np.array(goal, np.uint64).reshape(-1, 3),
        np.array(goal_first, np.int64),
        _words([sum(1 << other for other in near) for near in walker.neighbours] if walker else [], 1)[:, 0],
        np.array(found.walker, np.int64),
        _words([key], 2)[0],
    )
    return arrays, found


def _row(op: Operator, need: dict[int, int], flips: dict[int, int]) -> int:
    """A row of `rows` as one number, the first word lowest."""
    row = 0
    for fact in op.pre:
        row |= need.get(fact, 0)
    for fact in op.add + op.delete:
        row ^= flips.get(fact, 0) << 128
    if op.walk:
        row |= 1 << 384 + op.walk[0] | op.walk[1] << 448
    return row


def _words(numbers: list[int], words: int) -> Words:
    """Each number as a row of words, the lowest first."""
    size = 8 * words
    joined = b"".join(number.to_bytes(size, "little") for number in numbers)
    return np.frombuffer(joined, "<u8").astype(np.uint64).reshape(-1, words)


def _fields(task: Task, kept: Set[int]) -> tuple[list[list[int]], list[int]]:
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


def _room(task: Task, changed: Set[int], operators: list[Operator]) -> set[int]:
    """Facts that change of which always one or two are true and every operator needs some; empty if there are none."""
    for group in task.groups:
        room = set(group.facts)
        if (
            1 <= group.count <= 2 < len(room)
            and room <= changed
            and not any(room.isdisjoint(op.pre) for op in operators)
        ):
            return room
    return set()


def _by_room(
    room: set[int], operators: list[Operator], rows: list[int], found: Layout, shift: int
) -> tuple[Ints, Words, Ints]:
    """The operators indexed by the free cells: `room_first`, `room_rows`, `room_ops` of the arrays."""
    by: dict[int, list[int]] = {}
    entries = []
    for i, op in enumerate(operators if room else ()):
        look, must, free, never = 0, 0, 0, False
        for fact in op.pre:
            if fact in found.literal:
                _, mask, value = found.literal[fact]
                never = never or bool(look & mask & (must ^ value))
                look |= mask
                must |= value
                free |= mask if fact in room else 0
        if not never:  # it does not require what excludes each other, more free cells than there are
            by.setdefault(free >> shift, []).append(i)
        change = rows[i] >> 128 ^ rows[i] >> 256 << shift
        entries.append(look | must << 64 | (change & (1 << 64) - 1) << 128)
    ops: list[int] = []
    first = [0]
    places = sum(found.literal[fact][1] for fact in room) >> shift
    for low in range(places.bit_length()):
        for high in range(ROOM):
            if low <= high and places >> low & places >> high & 1:
                for mask in {1 << low, 1 << high, 1 << low | 1 << high}:
                    ops += by.get(mask, ())
            first.append(len(ops))
    return np.array(first), _words(entries, 3)[ops], np.array(ops, np.int64)


def _goal(task: Task, found: Layout, init: set[int]) -> tuple[set[int], list[int], list[Literal]]:
    """The facts that the goal names, and its clauses as literals. A clause that always holds is left out."""
    first, literals = [0], []
    for clause in task.goal:
        if any(f not in found.literal and f in init for f in clause):
            continue
        literals += [found.literal[f] for f in clause if f in found.literal]
        first.append(len(literals))
    return {f for clause in task.goal for f in clause}, first, literals
