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
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...task import ExactlyInvariant, GroupKind
from .facts import Draft
from .language.expressions import text_of
from .leaves import FactChange
from .puzzle import Place

MAX_FAILURES = 30
"""After so many facts of a table without an invariant, the rest of the table is not tried."""

MAX_TRIES = 60
"""The most candidate sets that are tested, starting from one fact."""

MAX_SIZE = 80
"""The most facts of a mutex set."""


_Broken = tuple[FactChange, list[int]]
"""A step after which two facts of a set may be true at once, and the facts of which any one, if it joined the set,
would be made false by it: free r1c2, where a piece moves there.
"""


class Mutexes:
    """Grows sets of facts of which at most one is ever true, in the steps of a puzzle.

    A step is *broken* if two facts of a set may be true after it though at most one was before: it makes one true and
    none of the others false. A set is mended by what such a step makes false. What it makes false cannot be chosen
    if no set was found that holds it.
    """

    def __init__(self, steps: Iterable[FactChange], truths: Mapping[int, Place], init: Iterable[int]) -> None:
        self.truths, self.init = truths, set(init)
        untrue = {fact - 1 for fact in truths}  # the facts that a truth value is false: they join no set
        self.hopeless = set(untrue)
        self.adders: dict[int, list[FactChange]] = {}
        self.wanted: set[int] = set()
        for step in steps:
            for fact in step.gained:
                if fact not in untrue:
                    self.adders.setdefault(fact, []).append(step)
            self.wanted.update(step.needed)
            if step.open:
                self.wanted.update(step.open, [fact + 1 for fact in step.open if fact in untrue])
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
            if fact in self.wanted and fact not in covered:
                self.tries = MAX_TRIES
                grown = self._grow(fact)
                if grown is None:
                    self.hopeless.add(fact)
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
        choices: list[tuple[Iterator[int], list[_Broken], int]] = []
        before: list[_Broken] = []
        initial = 0
        while True:
            self.tries -= 1
            if self.tries < 0:
                return None
            joined.append(fact)
            facts.add(fact)
            initial += fact in self.init
            if len(facts) <= MAX_SIZE and initial <= 1:
                broken = self._broken(facts, fact, before)
                if not broken:
                    return facts
                options = min([mending for _, mending in broken], key=len)
                choices.append((iter(options), broken, len(joined)))
            # The next option, of the last choice that has one.
            while True:
                if not choices:
                    return None
                remaining, before, count = choices[-1]
                for other in joined[count:]:
                    facts.discard(other)
                    initial -= other in self.init
                del joined[count:]
                if (option := next(remaining, None)) is not None:
                    fact = option
                    break
                choices.pop()

    def _broken(self, facts: set[int], fact: int, before: list[_Broken]) -> list[_Broken]:
        """The steps that are broken now that a fact has joined; `before`: those that were so without it."""
        broken: list[_Broken] = []
        asked = self.adders.get(fact, [])
        again = []
        for pair in before:
            step = pair[0]
            if fact in step.needed or fact in step.gained:
                again.append(step)
            else:  # has nothing to do with the new fact, and is as broken as it was
                broken.append(pair)
        for step in again + asked if again else asked:
            needed, gained, lost = step.needed, step.gained, step.lost
            come = 0
            for one_more in gained:
                if one_more in facts:
                    come += 1
            # At most one is still true if another becomes false; or the step is never possible.
            if (come > 1 or facts.isdisjoint(lost)) and len(facts.intersection(needed)) < 2:
                broken.append((step, [] if come > 1 else sorted([f for f in lost if f not in self.hopeless])))
        return broken


def by_fact(sets: Sequence[frozenset[int]]) -> dict[int, list[int]]:
    """The numbers of the sets that hold each fact."""
    sets_of: dict[int, list[int]] = {}
    for number, facts in enumerate(sets):
        for fact in facts:
            sets_of.setdefault(fact, []).append(number)
    return sets_of


def strengthened(draft: Draft, sets: Sequence[frozenset[int]], sets_of: Mapping[int, list[int]]) -> Draft:
    """The task with mutex sets of its facts as groups, where each operator keeps one of them true."""
    if not sets:
        return draft
    # A set keeps one true fact if whatever makes one of its facts false makes another one true.
    leaking: set[int] = set()
    for op in draft.operators:
        kept: set[int] | None = None
        for fact in op.delete:
            for number in sets_of.get(fact, ()):
                if kept is None:
                    kept = {n for added in op.add if added in sets_of for n in sets_of[added]}
                if number not in kept and len(sets[number].intersection(op.pre)) < 2:
                    leaking.add(number)
    groups = [*draft.groups]
    for number, facts in enumerate(sets):
        if number not in leaking and len(facts & draft.init) == 1:
            groups.append(ExactlyInvariant(_name(draft, facts), GroupKind.CELL, tuple(sorted(facts))))
    return replace(draft, groups=tuple(groups))


def superfluous(
    preconditions: Iterable[Collection[int]],
    negative: Mapping[int, int],
    sets: Sequence[frozenset[int]],
    sets_of: Mapping[int, list[int]],
) -> set[int]:
    """Facts "not t" that are implied wherever they are required, because another precondition excludes t.

    `negative`: for each fact t that is a truth value, the fact that it is false. `sets`: the mutex sets; `sets_of`:
    the numbers of those that hold a fact.
    """
    rivals = {
        opposite: frozenset().union(*[sets[number] for number in sets_of[fact]]) - {fact}
        for fact, opposite in negative.items()
        if fact in sets_of
    }
    dropped = set(rivals)
    for pre in preconditions if dropped else ():
        for fact in pre:
            if fact in dropped and rivals[fact].isdisjoint(pre):
                dropped.discard(fact)
    return dropped


def _name(draft: Draft, facts: Iterable[int]) -> str:
    first, *others = sorted(facts)
    if len(others) > 1:
        return f"one of {draft.name(first)}, ..."
    return " or ".join(map(draft.name, [first, *others]))


def with_counted(draft: Draft, places: Mapping[int, Place]) -> Draft:
    """The task with groups of truth values of which the same number is true in every state: interchangeable pieces.

    `places`: the table and the arguments of each fact that is a truth value. Two of a table belong together if an
    operator replaces one by the other: pieces of two shapes in one table never become each other, and are two groups.
    What is in a mutex set with such pieces (the free cells) is no object, but a resource.
    """
    parent = {fact: fact for fact in places}

    def root(fact: int) -> int:
        while parent[fact] != fact:
            parent[fact] = parent[parent[fact]]  # halves the path for those who come after
            fact = parent[fact]
        return fact

    # Truth values of a table that become true or false in one operator.
    table_of = {fact: table for fact, (table, _) in places.items()}
    flips: list[tuple[list[int], list[int]]] = []  # but for those of one fact by one other, which keep the count
    for op in draft.operators:
        gained = [fact for fact in op.add if fact in table_of]
        lost = [fact for fact in op.delete if fact in table_of]
        if not gained and not lost:
            continue
        ends = {table_of[fact]: fact for fact in gained}
        if len(ends) == len(gained) == len(lost) and ends.keys() == {table_of[fact] for fact in lost}:
            for fact in lost:
                if parent[fact] != parent[ends[table_of[fact]]]:
                    parent[root(fact)] = root(ends[table_of[fact]])
            continue
        tables = {table_of[fact] for fact in gained}.union([table_of[fact] for fact in lost])
        if len(tables) > 1:
            flips += [([f for f in gained if table_of[f] == t], [f for f in lost if table_of[f] == t]) for t in tables]
        elif tables:
            flips.append((gained, lost))
    for gained, lost in flips:
        several = [*gained, *lost]
        for fact in several[1:]:
            parent[root(fact)] = root(several[0])
    # A part is counted if every operator makes as many of it true as false.
    part_of = {fact: root(fact) for fact in sorted(places)}
    broken: set[int] = set()
    for gained, lost in flips:
        balance: dict[int, int] = {}
        for facts, sign in ((gained, 1), (lost, -1)):
            for fact in facts:
                balance[part_of[fact]] = balance.get(part_of[fact], 0) + sign
        broken.update([part for part, more in balance.items() if more])
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


def _covered(draft: Draft, facts: Sequence[int]) -> bool:
    """Whether the facts are "none of" facts of cells: each is true if and only if the other facts of its cell are
    false.
    """
    cells = [group.facts for group in draft.groups if group.kind == GroupKind.CELL]
    times = Counter(fact for group in cells for fact in group)
    several = {fact for group in cells for fact in group if len(group) > 2}
    return all(fact in several and times[fact] == 1 for fact in facts)


def _follows(draft: Draft, facts: Sequence[int], truths: Container[int]) -> bool:
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
