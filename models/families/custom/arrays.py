"""Rows of small numbers as arrays: a *matrix*, with -1 where a row is shorter, or *pairs* (row, number).

    rows 4 7 | none | 5        matrix   4  7        pairs    0 4
                                       -1 -1                 0 7
                                        5 -1                 2 5

A table that is looked up with the numbers of a matrix has one entry more than there are numbers: -1 finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...moves import Cost
from ...task import Operator
from .puzzle import Act

Ints = NDArray[np.signedinteger[Any]]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]

BLOCK = 1 << 14
"""Rows that are worked on at once, so that what is made of them stays in the processor's cache."""


def spread(counts: Longs) -> tuple[Longs, Longs]:
    """For counts 2, 0, 1 the rows 0, 0, 2, and the places in them 0, 1, 0."""
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - (np.cumsum(counts) - counts)[row]


def cut(numbers: Longs, begin: Longs, counts: Longs) -> Longs:
    """Parts of an array as a matrix: row i has the counts[i] numbers from begin[i] on."""
    columns = np.arange(counts.max(initial=0))
    inside = columns < counts[:, None]
    return np.where(inside, numbers[np.where(inside, begin[:, None] + columns, 0)], -1)


def matrix(row: Longs, number: Longs | Ints, rows: int) -> Ints:
    """The matrix of pairs that are sorted by rows."""
    counts = np.bincount(row, minlength=rows)
    made = np.full((rows, counts.max(initial=0)), -1, np.int32)
    made[row, np.arange(len(row)) - (np.cumsum(counts) - counts)[row]] = number
    return made


def pairs(several: Ints) -> tuple[Longs, Ints]:
    """The pairs of a matrix, sorted by rows."""
    row, column = (several >= 0).nonzero()
    return row, several[row, column]


def joined(parts: Sequence[Ints]) -> Ints:
    """Matrices one below the other, with as many columns as the widest."""
    shape = sum(map(len, parts)), max([part.shape[1] for part in parts])
    rows = np.full(shape, -1, np.result_type(*parts))
    end = 0
    for part in parts:
        begin, end = end, end + len(part)
        rows[begin:end, : part.shape[1]] = part
    return rows


def beside(*parts: Ints) -> Ints:
    """Matrices side by side: a row 1 2 beside a row 5 is a row 1 2 5."""
    parts = tuple([part for part in parts if part.shape[1]]) or parts[:1]
    return parts[0] if len(parts) == 1 else np.column_stack(parts)


def without(several: Ints, others: Ints) -> Ints:
    """A matrix less another, row by row: 1 2 3 less 2 5 is 1 3."""
    return np.where((several[:, :, None] == others[:, None]).any(2), -1, several)


def some(marks: Flags) -> Flags:
    """Which rows have a mark."""
    marked: Flags = np.logical_or.reduce(marks, axis=1)
    return marked


def flags(numbers: Iterable[int], count: int) -> Flags:
    """A table that tells which of the numbers below `count` are given."""
    table = np.zeros(count + 1, np.bool_)
    table[[*numbers]] = True
    return table


def ranked(*columns: NDArray[np.generic]) -> tuple[Longs, Longs]:
    """The distinct rows of some columns, in order: where each is found first, and for each row which it is."""
    key, size = np.zeros(len(columns[0]) if columns else 0, np.int64), 1
    for each in columns if len(key) else ():
        column = each.astype(np.int64)
        low, high = int(column.min()), int(column.max())
        if size * (high - low + 1) >= 1 << 62:  # beyond what a key can hold: numbers of the values in place of these
            key, column = (np.unique(numbers, return_inverse=True)[1] for numbers in (key, column))
            size, low, high = int(key.max()) + 1, 0, int(column.max())
        key = key * (high - low + 1) + column - low
        size *= high - low + 1
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which


def balance(gained: tuple[Longs, Ints], lost: tuple[Longs, Ints]) -> tuple[Longs, Ints, Longs]:
    """The distinct pairs of both, sorted by rows; and for each how often it is gained, less how often it is lost."""
    row, number = (np.concatenate(both) for both in zip(gained, lost, strict=True))
    first, which = ranked(row, number)
    sign = np.repeat([1, -1], [len(gained[0]), len(lost[0])])
    return row[first], number[first], np.bincount(which, sign, len(first)).astype(np.int64)


class Lists(NamedTuple):
    """Lists of numbers, one after the other: list i has counts[i] numbers from numbers[begin[i]] on."""

    begin: Longs
    counts: Longs
    numbers: Ints

    @classmethod
    def grouped(cls, which: Longs | Ints, numbers: Longs | Ints, lists: int) -> Lists:
        """Lists of numbers that are sorted by which list they belong to."""
        counts = np.bincount(which, minlength=lists)
        return cls(np.cumsum(counts) - counts, counts, numbers.astype(np.int32))

    def of_each(self, which: Longs | Ints) -> tuple[Longs, Ints]:
        """The numbers of some lists, one list after the other, and for each number the place in `which` of its list."""
        place, at = spread(self.counts[which])
        return place, self.numbers[self.begin[which[place]] + at]


def replacements(own: Flags, gained: Ints, lost: Ints) -> list[tuple[int, int]]:
    """What replaces what in a set of facts: (box r1c2, box r1c1) if a row gains the first and loses the second."""
    found = set[int]()
    for begin in range(0, len(gained), BLOCK):
        block = slice(begin, begin + BLOCK)
        row, new = pairs(np.where(own[gained[block]], gained[block], -1))
        place, old = Lists.grouped(*pairs(np.where(own[lost[block]], lost[block], -1)), BLOCK).of_each(row)
        found.update(np.unique(new[place] * np.int64(len(own)) + old).tolist())
    return [divmod(pair, len(own)) for pair in sorted(found)]


class FactSets(NamedTuple):
    """Sets of facts, as bits: set n is bit n % 64 of word n // 64. `words`: for each fact the sets that hold it."""

    words: Words

    @classmethod
    def of(cls, sets: Sequence[Iterable[int]], facts: int) -> FactSets:
        words = np.zeros((facts + 1, -(-len(sets) // 64)), np.uint64)
        for number, members in enumerate(sets):
            words[[*members], number // 64] |= np.uint64(1 << number % 64)
        return cls(words)

    def met(self, facts: Ints) -> tuple[Words, Words]:
        """For each row of facts two masks of sets: those that hold at least one of its facts, and at least two."""
        once = np.zeros((len(facts), self.words.shape[1]), np.uint64)
        twice = once.copy()
        for column in facts.T:
            own = self.words[column]
            twice |= once & own
            once |= own
        return once, twice


class Domains(NamedTuple):
    """Values of variables, as arrays. Of each variable its first fact; of each fact its variable. Of each variable the
    values, by their places, that are reached; of each *mask* its variable, and the values that it allows.
    """

    first: Longs
    variable: Longs
    reached: Flags
    mask_of: Longs
    mask: Flags


@dataclass(frozen=True)
class Table:
    """Arrays of the same length: row i of each is about the same thing, a change or an operator."""

    act: Ints
    price: Ints

    def __len__(self) -> int:
        return len(self.act)

    def where(self, which: Flags | Longs | slice) -> Self:
        """The table of some of them: a mask, or their places."""
        if not isinstance(which, slice) and which.dtype == np.bool_ and which.all():
            return self
        return replace(self, **{name: array[which] for name, array in self.arrays().items()})

    def arrays(self) -> dict[str, Any]:
        """Its arrays by their names."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class Changes(Table):
    """Some changes: the numbers of an act and of a price for each, and matrices (`rows`).

    `needed`: the facts that are surely true before it. `among`: masks of the variables of which more than one value
    is possible before it. `gained`: the facts that become true. `lost`: those that become false. `open`: the gained
    facts of variables of which it is not known what they were, and so what is lost.
    """

    needed: Ints
    among: Ints
    gained: Ints
    lost: Ints
    open: Ints

    def adding(self, facts: int) -> Lists:
        """For each fact the changes that make it true."""
        row, fact = pairs(self.gained)
        order = np.argsort(fact, kind="stable")
        return Lists.grouped(fact[order], row[order], facts)

    def possible(self, domains: Domains, excluding: FactSets) -> Changes:
        """The changes that do change something and do not need two facts of one set; what is open, in each case of what
        it was.
        """
        taken, twice = excluding.met(self.needed)
        kept = ~some(twice > 0) & some(self.gained >= 0)
        changes, taken = self.where(kept), taken[kept]
        for place in range(self.open.shape[1]):
            fact = changes.open[:, place]  # -1 where nothing more is open: then -1 is what it was
            variable = domains.variable[fact]
            allowed = domains.reached[variable]
            own = domains.mask_of[changes.among] == variable[:, None]
            row, column = own.nonzero()
            allowed[row] = domains.mask[changes.among[row, column]]
            options = np.minimum(domains.first[variable, None] + np.arange(allowed.shape[1]), len(domains.variable) - 1)
            for word, sets in zip(taken.T, excluding.words.T, strict=True):
                allowed &= word[:, None] & sets[options] == 0
            allowed[fact < 0] = np.arange(allowed.shape[1]) == 0
            row, column = allowed.nonzero()
            fact = fact[row]
            before = np.where(fact < 0, -1, options[row, column]).astype(self.needed.dtype)
            among = np.where(own, -1, changes.among)
            changes = replace(changes, among=among[:, (among >= 0).any(0)]).where(row)
            taken = taken[row] | excluding.words[before]
            stays = before == fact
            changes = replace(
                changes,
                needed=np.column_stack((changes.needed, before)),
                gained=np.where((stays & (fact >= 0))[:, None] & (changes.gained == fact[:, None]), -1, changes.gained),
                lost=np.column_stack((changes.lost, np.where(stays, -1, before))),
            )
        return replace(changes, open=changes.open[:, :0]).where(some(changes.gained >= 0))


def all_of(parts: Sequence[Changes]) -> Changes:
    """The changes of all parts, one after the other."""
    columns = {name: [getattr(part, name) for part in parts] for name in parts[0].arrays()}
    return Changes(**{n: joined(c) if c[0].ndim > 1 else np.concatenate(c) for n, c in columns.items()})


@dataclass(frozen=True)
class OperatorTable(Table):
    """Operators over so many facts. `acts`, `prices`: what they do, and cost; of each operator an act, a price, and a
    `number` if it is not the first with that act. `pre`, `add`, `delete`: matrices of facts. `walk`: where a walker
    stands before and after, of `cells` (no columns without one). `twins`: act, number and price of others that do the
    same, by `row`.
    """

    row: Ints
    number: Ints
    pre: Ints
    add: Ints
    delete: Ints
    walk: Ints
    acts: Sequence[Act]
    prices: Sequence[Cost]
    facts: int
    twins: Mapping[int, Sequence[tuple[int, int, int]]] = field(default_factory=dict)
    cells: Sequence[str] = ()

    def sets(self, numbers: Ints | None = None) -> Iterator[tuple[tuple[int, ...], ...]]:
        """`pre`, `add` and `delete` of each operator, sorted; with the numbers in a table in place of the facts'."""
        return zip(
            *[_tuples(s if numbers is None else numbers[s]) for s in (self.pre, self.add, self.delete)], strict=True
        )

    def named(self) -> set[int]:
        """The facts that some operator requires or adds."""
        table = flags((), self.facts)
        table[self.pre] = table[self.add] = True
        return set(table[:-1].nonzero()[0].tolist())

    def made(self, new: Sequence[int], twins: bool = False) -> Iterator[Operator]:
        """The operators, or their twins, over the facts' new numbers."""
        table = self.where(np.isin(self.row, [*self.twins])) if twins else self
        numbers = np.array([*new, -1], np.int32)
        names = [*map(str, table.acts)]
        sets = table.sets(numbers)
        walks = map(tuple, table.walk.tolist())
        heads = zip(*[each.tolist() for each in (table.row, table.act, table.number, table.price)], strict=True)
        for (row, *own), (pre, add, delete), walk in zip(heads, sets, walks, strict=True):
            for act, number, price in self.twins[row] if twins else (own,):
                move, name = table.acts[act], names[act]
                if number > 1:
                    name = f"{name} {number}"
                if walk:
                    move = Act(move.action, move.args, self.cells[walk[0]])
                yield Operator(name, pre, add, delete, move, table.prices[price], walk or None)


def _tuples(rows: Ints) -> list[tuple[int, ...]]:
    """The rows of a matrix, sorted."""
    rows = np.sort(rows, axis=1)
    return [tuple(row[absent:]) for row, absent in zip(rows.tolist(), (rows < 0).sum(1).tolist(), strict=True)]


def with_twins(table: OperatorTable) -> OperatorTable:
    """Of operators that do the same only the cheapest, at the place of the first, with the others as its twins. Numbers
    are given to those that were the cheapest so far.
    """
    _, kind = ranked(*(column for facts in (table.pre, table.add, table.delete) for column in np.sort(facts).T))
    best = np.ones(len(table), np.bool_)
    alike: dict[int, list[int]] = {}
    for row in (np.bincount(kind)[kind] > 1).nonzero()[0].tolist():
        group = alike.setdefault(int(kind[row]), [])
        best[row] = not group or table.prices[table.price[row]] < table.prices[table.price[group[0]]]
        group.insert(0 if best[row] else len(group), row)
    # Operators with the same act follow each other.
    number, begins = np.cumsum(best), np.ones(len(table), np.bool_)
    begins[1:] = table.act[1:] != table.act[:-1]
    number = np.maximum(number - (number - best)[begins][np.cumsum(begins) - 1], 1)
    if not alike:
        return replace(table, number=number)
    order, kept, twins = np.arange(len(table)), np.ones(len(table), np.bool_), {}
    for group in alike.values():
        kept[group] = False
        order[min(group)], kept[min(group)] = group[0], True
        if others := group[1:]:
            twins[int(table.row[group[0]])] = [(int(table.act[n]), int(number[n]), int(table.price[n])) for n in others]
    return replace(table, number=number, twins=twins).where(order[kept])
