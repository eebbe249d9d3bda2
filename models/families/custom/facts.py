"""From changes of variables to facts: what is true, what is not, and which facts exclude each other.

Each variable has a fact for each value. Preconditions are positive, so what must *not* be true needs facts of its own.
For a set F of facts of which at most one can be true there is a fact "none of F"; F and it are a mutex group. F is

- the values of one variable that a precondition excludes: at[A] is none of r1c1, r1c2; or
- everything that is at one place, of several variables: `none of at r1c1` while no robot is there. That at most one is,
  is an invariant: it holds at the start, and whoever comes there leaves another fact of F or requires that no other is
  true (Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009, on such invariants).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...cells import bits
from ...task import Draft, ExactlyInvariant, GroupKind
from . import arrays
from .arrays import (
    Changes,
    Domains,
    FactSets,
    Flags,
    Ints,
    Lists,
    Longs,
    OperatorTable,
    balance,
    beside,
    flags,
    pairs,
    ranked,
    some,
)
from .language.expressions import Value, text_of
from .leaves import Variables
from .puzzle import Place

# The facts of a task.


@dataclass
class Facts:
    """The facts of a task, by their numbers (see `Variables`); facts "none of some facts" have numbers after all
    others.

    `reached`: each variable's reachable values (a mask). `changes`: what actions change.
    """

    variables: Variables
    reached: list[int]
    domains: Domains
    changes: Changes
    further: list[str] = field(default_factory=list)
    nones: dict[frozenset[int], int] = field(default_factory=dict)
    exclusive: dict[frozenset[int], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.varying = [v for v, mask in enumerate(self.reached) if mask & (mask - 1)]

    @cached_property
    def varies(self) -> Flags:
        """Which facts say a value that is reached, of a variable that reaches several."""
        reached, variable = self.domains.reached, self.domains.variable[:-1]
        place = np.arange(len(variable)) - self.domains.first[variable]
        several: Flags = reached[variable, place] & (reached.sum(1) > 1)[variable]
        return several

    def different(self) -> Iterator[frozenset[int]]:
        """Sets of facts of which at most one is ever true because the author says that values are different."""
        for variable, others in self.variables.siblings.items():
            if variable < min(others, default=variable + 1):
                facts: dict[int, list[int]] = {}
                for other in (variable, *others):
                    for number in bits(self.reached[other]):
                        facts.setdefault(number, []).append(self.variables.first[other] + number)
                yield from map(frozenset, facts.values())

    def expand(self, excluding: list[frozenset[int]]) -> None:
        """Leave of the changes those that are possible, with what was before. `excluding`: sets of facts of which at
        most one is true.
        """
        sets = FactSets.of(excluding, self.count)
        blocks = self.variables.blocks(len(self.changes))
        self.changes = arrays.all_of([self.changes.where(block).possible(self.domains, sets) for block in blocks])

    @cached_property
    def adders(self) -> Lists:
        """The changes that make each fact true."""
        return self.changes.adding(self.count)

    @property
    def count(self) -> int:
        """How many facts there are."""
        return len(self.variables.value) + len(self.further)

    def facts(self, variable: int) -> list[int]:
        """The facts of the values that a variable reaches."""
        return [self.variables.first[variable] + value for value in bits(self.reached[variable])]

    def further_fact(self, name: str) -> int:
        """A fact that is not the value of a variable."""
        self.further.append(name)
        return self.count - 1

    def name(self, fact: int) -> str:
        """A fact in words: `at wolf left`, `peg r1c3`, `not peg r1c3`."""
        if fact >= len(self.variables.value):
            return self.further[fact - len(self.variables.value)]
        words, value = self._words(self.variables.variable[fact]), self.variables.value[fact]
        if isinstance(value, bool):
            return words if value else f"not {words}"
        return f"{words} {text_of(value)}"

    def _words(self, variable: int) -> str:
        table, args = self.variables.places[variable]
        return " ".join([table, *map(text_of, args)])

    # Preconditions

    @cached_property
    def value_of(self) -> Ints:
        """For each fact a number of the value that it says."""
        numbers: dict[Value, int] = {}
        return np.array([*(numbers.setdefault(value, len(numbers)) for value in self.variables.value), -1], np.int32)

    @cached_property
    def table_of(self) -> Ints:
        """For each fact a number of the table of its variable."""
        tables = [*self.variables.puzzle.state]
        return np.array([tables.index(self.variables.places[v][0]) for v in self.variables.variable], np.int32)

    @cached_property
    def absent(self) -> Lists:
        """For each mask the facts of its variable that it excludes."""
        domains = self.domains
        of, value = (domains.reached[domains.mask_of[:-1]] & ~domains.mask).nonzero()
        return Lists.grouped(of, domains.first[domains.mask_of[of]] + value, len(domains.mask_of) - 1)

    def required(self, changes: Changes) -> Ints:
        """Facts "none of" that say, with `needed`, what is so before changes.

        Of the facts that a change excludes those with one value are one group: `at r1c1` of robots A and B. A group is
        `none at r1c1` if all other robots are elsewhere; the others are excluded for each variable: `at[A] not r1c1
        r1c2`.
        """
        row, mask = arrays.pairs(changes.among)
        if not len(row):
            return changes.among[:, :0]
        place, fact = self.absent.of_each(mask)
        row, value, variable = row[place], self.value_of[fact], self.domains.variable[fact]
        # Groups: their first facts, and which facts belong to them.
        first, group = arrays.ranked(row, value)
        within = np.zeros((len(first), len(self.variables.puzzle.state)), np.bool_)  # their tables
        within[group, self.table_of[fact]] = True
        examples, family = arrays.ranked(value[first], *within.T)
        families = [self._family(int(value[first[n]]), within[n]) for n in examples]
        families = [members if len(members) > 1 and self.mutex(members) else frozenset() for members in families]
        size = np.array([len(members) for members in families], np.int64)
        covers = np.zeros((len(families), len(self.variables.values) + 1), np.bool_)
        for cover, members in zip(covers, families, strict=True):
            cover[[self.variables.variable[member] for member in members]] = True
        elsewhere = np.zeros(len(first), np.int64)
        for other in changes.needed[row[first]].T:
            elsewhere += covers[family, self.domains.variable[other]] & (self.value_of[other] != value[first])
        others = size[family] - np.bincount(group, minlength=len(first))
        whole = (size[family] > 0) & (elsewhere == others)
        # What is left, by variables, in the order of the groups.
        rest = (~whole[group]).nonzero()[0]
        rest = rest[np.lexsort((first[group[rest]], row[rest]))]
        begin, part = arrays.ranked(row[rest], variable[rest])
        values = np.zeros((len(begin), self.domains.reached.shape[1]), np.bool_)
        values[part, fact[rest] - self.domains.first[variable[rest]]] = True
        examples, kind = arrays.ranked(variable[rest[begin]], *np.packbits(values, axis=1).T)
        sets = [
            frozenset((np.flatnonzero(values[n]) + self.domains.first[variable[rest[begin[n]]]]).tolist())
            for n in examples
        ]
        # Facts "none of" are made in the order in which changes ask for them, of a change first those of groups.
        rows = np.concatenate((row[first[whole]], row[rest[begin]]))
        asked = np.concatenate((family[whole], kind + len(families)))
        order = np.lexsort((np.concatenate((first[whole], begin + len(row))), rows))
        rows, asked = rows[order], asked[order]
        numbers = np.zeros(len(families) + len(sets), np.int32)
        for n in np.sort(np.unique(asked, return_index=True)[1]).tolist():
            numbers[asked[n]] = self.none_of([*families, *sets][asked[n]])
        return arrays.matrix(rows, numbers[asked], len(changes))

    def _family(self, value: int, tables: Flags) -> frozenset[int]:
        """All facts of some tables that say a value: "x is at this place"."""
        return frozenset(np.flatnonzero(self.varies & (self.value_of[:-1] == value) & tables[self.table_of]).tolist())

    def _table(self, fact: int) -> str:
        return self.variables.places[self.variables.variable[fact]][0]

    def mutex(self, facts: frozenset[int]) -> bool:
        """Whether at most one of some facts is true in every reachable state; proven as an invariant of all steps."""
        variable_of, first_of = self.variables.variable, self.variables.first
        if facts not in self.exclusive:
            first, *others = sorted(variable_of[fact] for fact in facts)
            values = {fact - first_of[variable_of[fact]] for fact in facts}
            if set(others) <= set(self.variables.siblings.get(first, ())) and len(values) == 1:
                self.exclusive[facts] = True  # the author says so, and no change makes them equal
        if facts not in self.exclusive:
            start = self.variables.start
            at_start = sum(fact - first_of[variable_of[fact]] == start[variable_of[fact]] for fact in facts)
            self.exclusive[facts] = at_start <= 1 and self._kept(facts)
        return self.exclusive[facts]

    def _kept(self, facts: frozenset[int]) -> bool:
        """Whether there is at most one of the facts after each change if there was at most one before."""
        changes = self.changes.where(self.adders.of_each(np.array([*facts]))[1])
        among, variable = arrays.flags(facts, self.count), self.domains.variable
        if (among[changes.gained].sum(1) > 1).any():
            return False
        # What makes one of them false: there was no other.
        changes = changes.where(~arrays.some(among[changes.lost]))
        for fact in facts:
            own = self.domains.mask_of[changes.among] == variable[fact]
            possible = (variable[changes.needed] != variable[fact]).all(1)
            possible[arrays.some(own)] = self.domains.mask[
                changes.among[own], fact - self.domains.first[variable[fact]]
            ]
            stays = (variable[changes.gained] != variable[fact]).all(1)
            if (stays & (possible | arrays.some(changes.needed == fact))).any():
                return False
        return True

    def none_of(self, facts: frozenset[int]) -> int:
        """The fact that is true if and only if none of some mutually exclusive facts is."""
        if len(facts) == 1:
            (fact,) = facts
            variable = self.variables.variable[fact]
            first = self.variables.first[variable]
            rest = self.reached[variable] & ~(1 << fact - first)
            if rest & (rest - 1) == 0:
                return first + rest.bit_length() - 1
        if facts not in self.nones:
            self.nones[facts] = self.further_fact(self._none_name(sorted(facts)))
        return self.nones[facts]

    def _none_name(self, facts: list[int]) -> str:
        variables = dict.fromkeys(self.variables.variable[fact] for fact in facts)
        texts = [text_of(self.variables.value[fact]) for fact in facts]
        if len(variables) == 1:
            return f"{self._words(next(iter(variables)))} not {' '.join(texts)}"
        return f"no {' '.join(dict.fromkeys(map(self._table, facts)))} {texts[0]}"

    # Effects

    @cached_property
    def nones_of(self) -> Lists:
        """For each fact the facts "none of" that it makes false."""
        none = np.repeat([*self.nones.values()], [*map(len, self.nones)])
        fact = np.array([fact for facts in self.nones for fact in facts], np.int64)
        order = np.argsort(fact, kind="stable")
        return Lists.grouped(fact[order], none[order], self.count)

    def _nones_of(self, facts: Ints) -> tuple[Longs, Ints]:
        """The facts "none of" that the facts of each row make false, as pairs."""
        row, fact = arrays.pairs(facts)
        place, none = self.nones_of.of_each(fact)
        return row[place], none

    def effects(self, changes: Changes, required: Ints) -> tuple[Flags, Ints, Ints, Ints]:
        """Which changes are possible; of each the facts "none of" that it adds; that it deletes; and those of them that
        are not required.
        """
        kept = np.ones(len(changes), np.bool_)
        gained, lost = (self._nones_of(facts) for facts in (changes.gained, changes.lost))
        row, none, difference = arrays.balance(gained, lost)
        kept[row[abs(difference) > 1]] = False
        made, gone = (arrays.matrix(row[at], none[at], len(kept)) for at in (difference == -1, difference == 1))
        return kept, arrays.without(made, required), gone, arrays.without(gone, required)

    # What is always so

    def initial(self) -> list[int]:
        """The facts of the initial state."""
        init = {self.variables.first[variable] + self.variables.start[variable] for variable in self.varying}
        return [*init, *(number for facts, number in self.nones.items() if facts.isdisjoint(init))]

    def groups(self) -> Iterator[ExactlyInvariant]:
        """The groups of the task: each variable, and each set completed by a fact "none of"."""
        for variable in self.varying:
            yield ExactlyInvariant(self._words(variable), GroupKind.OBJECT, tuple(self.facts(variable)))
        for members, number in self.nones.items():
            yield ExactlyInvariant(self.name(number), GroupKind.CELL, (*sorted(members), number))

    @cached_property
    def negatives(self) -> dict[int, int]:
        """For each fact that is a truth value, the fact that it is false."""
        return {fact: fact - 1 for fact in self.truths}

    def on_cells(self) -> dict[str, dict[Value, tuple[int, ...]]]:
        """For each table of cells with other values than truth values: the facts of each value, one for each cell."""
        tables: dict[str, dict[Value, tuple[int, ...]]] = {}
        for variable in self.varying:
            table = self.variables.puzzle.state[self.variables.places[variable][0]]
            if table.domain.kind != "truth" and [domain.kind for domain in table.of] == ["cell"]:
                facts = tables.setdefault(table.name, {})
                for fact in self.facts(variable):
                    value = self.variables.value[fact]
                    facts[value] = (*facts.get(value, ()), fact)
        return tables

    @cached_property
    def truths(self) -> dict[int, Place]:
        """The place in the state of each fact that says that a truth value is true. (It is value 1: `puzzle.BOOL`.)"""
        return {
            self.variables.first[v] + 1: self.variables.places[v]
            for v in self.varying
            if isinstance(self.variables.values[v][0], bool)
        }


# What can never be true together, found in the operators; and what is superfluous once that is known.
#
# Authors write `free[c]` beside `at[x]`, as the built-in families do, and do not say that a covered cell is not free.
# Sets of facts of which at most one is ever true are grown from one fact, as in Helmert, *Concise finite-domain
# representations for PDDL planning tasks* (2009), 5.1: if an operator makes a fact of the set true and leaves none, one
# that it deletes joins the set. A small example, a vehicle A of two cells in a row of three:
#
#     seed    free c3
#     A- from c2  adds `free c3`, deletes `A at c2`, `free c1`:  A at c2 joins
#     A+ from c1  adds `A at c2`, deletes `free c3`:             nothing is missing; {free c3, A at c2} is mutex
#
# Then operators that need two facts of one set can go, and so can "not free" where it follows from what is there.

MAX_FAILURES = 30
"""After so many facts of a table without an invariant, the rest of the table is not tried."""

MAX_TRIES = 60
"""The most candidate sets that are tested, starting from one fact."""

MAX_SIZE = 80
"""The most facts of a mutex set."""


class Mutexes:
    """Grows sets of facts of which at most one is ever true, in the steps of a puzzle.

    A step is *broken* if two facts of a set may be true after it though at most one was before: it makes one true and
    none of the others false. A set is mended by what such a step makes false. What it makes false cannot be chosen
    if no set was found that holds it.
    """

    def __init__(self, changes: Changes, facts: int, truths: Mapping[int, Place], init: Iterable[int]) -> None:
        self.changes, self.truths, self.init = changes, truths, set(init)
        untrue = [fact - 1 for fact in truths]  # the facts that a truth value is false: they join no set
        self.hopeless = flags(untrue, facts)
        self.hopeless[-1] = True
        self.within = flags((), facts)  # the set that is grown
        self.adders = changes.adding(facts)
        self.wanted = flags((), facts)
        self.wanted[changes.needed] = self.wanted[changes.open] = True
        self.wanted[1:-1] |= flags(np.intersect1d(changes.open, untrue), facts)[:-2]
        self.tries = 0

    def sets(self) -> list[frozenset[int]]:
        """Sets of mutually exclusive facts, each with a truth value on which some step depends."""
        sets: list[frozenset[int]] = []
        covered: set[int] = set()
        failures: Counter[str] = Counter()  # by table
        promising: set[str] = set()  # tables of which some fact is in a set
        for fact in sorted(self.truths, reverse=True):  # free cells, declared last, bring the pieces with them
            table = self.truths[fact][0]
            if table not in promising and failures[table] == MAX_FAILURES:
                continue
            if self.wanted[fact] and fact not in covered:
                self.tries = MAX_TRIES
                grown = self._grow(fact)
                if grown is None:
                    self.hopeless[fact] = True
                    failures[table] += 1
                elif len(grown) > 1:
                    sets.append(frozenset(grown))
                    covered |= grown
                    promising.add(table)
        return sets

    def _grow(self, fact: int) -> set[int] | None:
        """A mutex set that holds a fact; None if none is found.

        Of the broken steps, the one that leaves the least choice is mended first (a depth-first search).
        """
        facts: set[int] = set()
        joined: list[int] = []
        # Of each choice on the way: the options that are left, what was broken, and how many facts there were.
        choices: list[tuple[Iterator[int], Longs, int]] = []
        broken = np.zeros(0, np.int64)
        initial = 0
        self.within[:] = False
        while True:
            self.tries -= 1
            if self.tries < 0:
                return None
            joined.append(fact)
            facts.add(fact)
            self.within[fact] = True
            initial += fact in self.init
            if len(facts) <= MAX_SIZE and initial <= 1:
                broken, options = self._broken(fact, broken)
                if not len(broken):
                    return facts
                choices.append((iter(options), broken, len(joined)))
            # The next option, of the last choice that has one.
            while True:
                if not choices:
                    return None
                remaining, broken, count = choices[-1]
                for other in joined[count:]:
                    facts.discard(other)
                    self.within[other] = False
                    initial -= other in self.init
                del joined[count:]
                if (option := next(remaining, None)) is not None:
                    fact = option
                    break
                choices.pop()

    def _broken(self, fact: int, before: Longs) -> tuple[Longs, list[int]]:
        """The changes that are broken now that a fact has joined, and the facts of which any one, if it joined, would
        mend the one with the least choice: free r1c2, where a piece moves there. `before`: those that were broken
        without it.
        """
        needed, gained, lost = self.changes.needed, self.changes.gained, self.changes.lost
        near = some(needed[before] == fact) | some(gained[before] == fact)  # the others are as broken as they were
        rows = np.concatenate((before[~near], before[near], self.adders.of_each(np.array([fact]))[1]))
        # At most one is still true if another becomes false; or the change is never possible.
        come, goes = self.within[gained[rows]].sum(1), some(self.within[lost[rows]])
        broken = ((come > 1) | ~goes) & (self.within[needed[rows]].sum(1) < 2)
        rows = rows[broken]
        if not len(rows):
            return rows, []
        mends = ~self.hopeless[lost[rows]] & (come[broken] == 1)[:, None]
        least = mends.sum(1).argmin()
        return rows, sorted(lost[rows[least]][mends[least]].tolist())


def strengthened(
    draft: Draft[OperatorTable], mutexes: Sequence[frozenset[int]], sets: FactSets
) -> Draft[OperatorTable]:
    """The task with mutex sets of its facts as groups, where each operator keeps one of them true."""
    if not mutexes:
        return draft
    # A set keeps one true fact if whatever makes one of its facts false makes another one true.
    operators = draft.operators
    leaking = sets.met(operators.delete)[0] & ~sets.met(operators.add)[0] & ~sets.met(operators.pre)[1]
    words = np.bitwise_or.reduce(leaking, axis=0).tolist()
    groups = [*draft.groups]
    for number, facts in enumerate(mutexes):
        if not words[number // 64] >> number % 64 & 1 and len(facts & draft.init) == 1:
            groups.append(ExactlyInvariant(_name(draft, facts), GroupKind.CELL, tuple(sorted(facts))))
    return replace(draft, groups=tuple(groups))


def superfluous(required: Ints, negative: Mapping[int, int], sets: FactSets) -> set[int]:
    """Facts "not t" that are implied wherever they are required, because another precondition excludes t.

    `negative`: for each fact t that is a truth value, the fact that it is false. `sets`: the mutex sets.
    """
    opposite = np.full(len(sets.words), -1)
    for fact, other in negative.items():
        if sets.words[fact].any():
            opposite[other] = fact
    met, asked = sets.met(required)[0], flags((), len(opposite) - 1)
    for column in required.T if (opposite >= 0).any() else ():
        excluded = sets.words[opposite[column]]
        asked[column[~some(met & excluded > 0)]] = True
    return {fact for fact in negative.values() if opposite[fact] >= 0 and not asked[fact]}


def _name(draft: Draft[OperatorTable], facts: Iterable[int]) -> str:
    first, *others = sorted(facts)
    if len(others) > 1:
        return f"one of {draft.name(first)}, ..."
    return " or ".join(map(draft.name, [first, *others]))


def with_counted(draft: Draft[OperatorTable], places: Mapping[int, Place]) -> Draft[OperatorTable]:
    """The task with groups of truth values of which the same number is true in every state: interchangeable pieces.

    `places`: the table and the arguments of each fact that is a truth value. Two of a table belong together if an
    operator replaces one by the other: pieces of two shapes in one table never become each other, and are two groups.
    What is in a mutex set with such pieces (the free cells) is no object, but a resource.
    """
    if not places:
        return draft
    parent = {fact: fact for fact in places}

    def root(fact: int) -> int:
        while parent[fact] != fact:
            parent[fact] = parent[parent[fact]]  # halves the path for those who come after
            fact = parent[fact]
        return fact

    # Truth values of a table that become true or false in one operator belong together.
    operators, tables = draft.operators, sorted({table for table, _ in places.values()})
    table_of = np.full(operators.facts + 1, -1)
    table_of[[*places]] = [tables.index(table) for table, _ in places.values()]
    changed = beside(operators.add, operators.delete)
    row, truth = pairs(np.where(table_of[changed] >= 0, changed, -1))
    order = np.lexsort((table_of[truth], row))
    this, other = order[:-1], order[1:]
    linked = (row[this] == row[other]) & (table_of[truth[this]] == table_of[truth[other]])
    this, other = truth[this[linked]], truth[other[linked]]
    first, _ = ranked(this, other)
    for a, b in zip(this[first].tolist(), other[first].tolist(), strict=True):
        parent[root(a)] = root(b)
    # A part is counted if every operator makes as many of it true as false.
    part_of = {fact: root(fact) for fact in sorted(places)}
    part = np.full(operators.facts + 1, -1)
    part[[*part_of]] = [*part_of.values()]
    _, changed, more = balance(pairs(part[operators.add]), pairs(part[operators.delete]))
    broken = set(changed[more != 0].tolist())
    parts: dict[int, list[int]] = {}
    for fact, own in part_of.items():
        if own not in broken:
            parts.setdefault(own, []).append(fact)
    objects: list[ExactlyInvariant] = []
    for members in parts.values():
        count = len(draft.init.intersection(members))
        if len(members) > 1 and count:
            objects.append(ExactlyInvariant(_counted_name(members, places), GroupKind.OBJECT, tuple(members), count))
    # Pieces of one cell and free cells look the same: what is declared last is taken for what is free.
    resources = [group for group in objects if _covered(draft, group.facts)][-1:] if len(objects) > 1 else []
    resources += [group for group in objects if group not in resources and _follows(draft, group.facts, places)]
    objects = [group for group in objects if group not in resources]
    counted = {fact for group in (*objects, *resources) for fact in group.facts}
    others = [
        group if counted.isdisjoint(group.facts) else replace(group, kind=GroupKind.CELL) for group in draft.groups
    ]
    resources = [replace(group, kind=GroupKind.RESOURCE) for group in resources]
    return replace(draft, groups=(*objects, *others, *resources))


def _covered(draft: Draft[OperatorTable], facts: Sequence[int]) -> bool:
    """Whether the facts are "none of" facts of cells: each is true if and only if the other facts of its cell are
    false.
    """
    cells = [group.facts for group in draft.groups if group.kind == GroupKind.CELL]
    times = Counter(fact for group in cells for fact in group)
    several = {fact for group in cells for fact in group if len(group) > 2}
    return all(fact in several and times[fact] == 1 for fact in facts)


def _follows(draft: Draft[OperatorTable], facts: Sequence[int], truths: Container[int]) -> bool:
    """Whether the facts follow from where objects are: in a mutex group with each are only values of variables that are
    no truth values, as the places of vehicles that cover a cell are beside "the cell is free".
    """
    objects = [group for group in draft.groups if group.kind == GroupKind.OBJECT and group.count == 1]
    positions = {f for group in objects if not any(fact in truths for fact in group.facts) for f in group.facts}
    followed = set[int]()
    for group in draft.groups:
        if group.count == 1:
            others = [fact for fact in group.facts if fact not in positions]
            followed.update((others or group.facts) if len(others) < 2 else ())
    return followed.issuperset(facts)


def _counted_name(facts: Sequence[int], places: Mapping[int, Place]) -> str:
    """The name of a group of facts: the table, and the arguments that all have in common: `box`, `piece tall`."""
    table, first = places[facts[0]]
    same = [text_of(arg) for i, arg in enumerate(first) if all(places[fact][1][i] == arg for fact in facts)]
    return " ".join([table, *same])
