"""From changes of variables to facts: what is true, what is not, and which facts exclude each other.

Each variable has a fact for each value. Preconditions are positive, so what must *not* be true needs facts of its own.
For a set F of facts of which at most one can be true there is a fact "none of F"; F and it are a mutex group. F is

- the values of one variable that a precondition excludes: at[A] is none of r1c1, r1c2; or
- everything that is at one place, of several variables: `none of at r1c1` while no robot is there. That at most one is,
  is an invariant: it holds at the start, and whoever comes there leaves another fact of F or requires that no other is
  true (Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009, on such invariants).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...task import ExactlyInvariant, GroupKind
from . import arrays
from .arrays import Changes, Domains, FactSets, Flags, Ints, Lists, Longs
from .language.expressions import Value, text_of
from .leaves import Variables, bits
from .puzzle import Place


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
