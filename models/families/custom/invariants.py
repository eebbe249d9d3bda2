"""What can never be true together, found in the operators; and what is superfluous once that is known.

Authors write `free[c]` beside `at[x]`, as the built-in families do, and do not say that a covered cell is not free.
Sets of facts of which at most one is ever true are grown from one fact, as in Helmert, *Concise finite-domain
representations for PDDL planning tasks* (2009), 5.1: if an operator makes a fact of the set true and leaves none, one
that it deletes joins the set. A small example, a vehicle A of two cells in a row of three:

    seed    free c3
    A- from c2  adds `free c3`, deletes `A at c2`, `free c1`:  A at c2 joins
    A+ from c1  adds `A at c2`, deletes `free c3`:             nothing is missing; {free c3, A at c2} is mutex

Then operators that need two facts of one set can go, and so can "not free" where it follows from what is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...task import Draft, ExactlyInvariant, GroupKind
from .arrays import Changes, FactSets, Ints, Longs, OperatorTable, balance, beside, flags, pairs, ranked, some
from .language.expressions import text_of
from .puzzle import Place

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
