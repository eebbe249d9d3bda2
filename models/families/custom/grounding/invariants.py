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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from ....task import ExactlyInvariant, GroupKind, Operator, Task
from ..language.expressions import text_of
from ..puzzle import Place
from .cases import Compiler
from .instances import Changes, Fact, VariableChange

FactT = TypeVar("FactT")

MAX_FAILURES = 30
"""After so many facts of a table without an invariant, the rest of the table is not tried."""

MAX_TRIES = 60
"""The most candidate sets that are tested, starting from one fact."""

MAX_SIZE = 80
"""The most facts of a mutex set."""


class _Transition(NamedTuple):
    """A change as the search for invariants sees it: facts that were surely true, facts gained, facts lost."""

    needed: frozenset[Fact]
    gained: frozenset[Fact]
    lost: tuple[Fact, ...]


class Mutexes:
    """Grows sets of facts of which at most one is ever true, in the changes of a puzzle.

    A change is *broken* if two facts of a set may be true after it though at most one was before: it makes one true and
    none of the others false. A set is mended by what such a change makes false. What it makes false cannot be chosen
    if no set was found that holds it.
    """

    def __init__(self, compiler: Compiler, changes: Changes, start: Mapping[int, int]) -> None:
        self.reached, self.start, self.places = changes.reached, start, compiler.places
        self.truth = {
            v: values.index(True)
            for v, values in enumerate(compiler.values)
            if isinstance(values[0], bool) and self.reached[v] & (self.reached[v] - 1)
        }
        self.adders: dict[Fact, list[_Transition]] = {}
        self.hopeless: set[Fact] = set()
        self.wanted: set[Fact] = set()
        for change in changes.found:
            self._add(change)
        self.tries = 0

    def _add(self, change: VariableChange) -> None:
        truth, term = self.truth, change.term
        needed = [(v, mask.bit_length() - 1) for v, mask in term.items() if mask & (mask - 1) == 0]
        gained, lost = [], []
        for variable, value in change.new.items():
            mask = term.get(variable, 0)
            if mask == 1 << value:
                continue
            gained.append((variable, value))
            if not mask or mask & (mask - 1):
                if variable in truth:
                    self.wanted.add((variable, truth[variable]))  # it may have been true
            elif truth.get(variable, old := mask.bit_length() - 1) == old:
                lost.append((variable, old))
        transition = _Transition(frozenset(needed), frozenset(gained), tuple(sorted(lost)))
        for fact in gained:
            self.adders.setdefault(fact, []).append(transition)
        for variable, value in needed:
            if truth.get(variable) == value:
                self.wanted.add((variable, value))

    def sets(self) -> list[frozenset[Fact]]:
        """Sets of mutually exclusive facts, each with a truth value on which some change depends."""
        found: list[frozenset[Fact]] = []
        covered: set[Fact] = set()
        failures: Counter[str] = Counter()  # by table
        promising: set[str] = set()  # tables of which some fact is in a set
        for fact in sorted(self.truth.items(), reverse=True):  # free cells, declared last, bring the pieces with them
            table = self.places[fact[0]][0]
            if table not in promising and failures[table] == MAX_FAILURES:
                continue
            if fact in self.wanted and fact not in covered:
                self.tries = MAX_TRIES
                grown = self._grow(frozenset([fact]), self.adders.get(fact, []))
                if grown is None:
                    self.hopeless.add(fact)
                    failures[table] += 1
                elif len(grown) > 1:
                    found.append(grown)
                    covered |= grown
                    promising.add(table)
        return found

    def _grow(self, facts: frozenset[Fact], adding: list[_Transition]) -> frozenset[Fact] | None:
        """A mutex set that holds some facts. `adding`: the changes that make one true, but for those known not broken.

        Of the broken changes, the one that leaves the least choice is mended first.
        """
        self.tries -= 1
        if self.tries < 0 or len(facts) > MAX_SIZE or sum(self.start[v] == value for v, value in facts) > 1:
            return None
        broken: list[_Transition] = []
        choices: list[Fact] | None = None
        for change in adding:
            several = len(facts & change.gained) > 1
            if not several and not facts.isdisjoint(change.lost):
                continue
            if len(facts & change.needed) > 1:
                continue  # never possible
            mending = [] if several else [fact for fact in change.lost if fact not in self.hopeless]
            if not mending:
                return None
            broken.append(change)
            if choices is None or len(mending) < len(choices):
                choices = mending
        if choices is None:
            return facts
        for fact in choices:
            found = self._grow(facts | {fact}, broken + self.adders.get(fact, []))
            if found is not None:
                return found
        return None


def by_fact(found: Sequence[frozenset[FactT]]) -> dict[FactT, list[int]]:
    """The numbers of the sets that hold each fact."""
    sets_of: dict[FactT, list[int]] = {}
    for number, facts in enumerate(found):
        for fact in facts:
            sets_of.setdefault(fact, []).append(number)
    return sets_of


def strengthened(task: Task, negative: Mapping[int, int], found: Sequence[frozenset[int]]) -> Task:
    """The task with mutex sets of its facts as groups, without the facts that they make superfluous.

    `negative`: for each fact that is a truth value, the fact that it is false.
    """
    if not found:
        return task
    deleters: dict[int, list[Operator]] = {}
    for op in task.operators:
        for fact in op.delete:
            deleters.setdefault(fact, []).append(op)
    init = frozenset(task.init)
    groups = [*task.groups]
    for facts in found:
        if len(facts & init) == 1 and all(
            not facts.isdisjoint(op.add) or len(facts.intersection(op.pre)) > 1
            for fact in facts
            for op in deleters.get(fact, ())
        ):
            groups.append(ExactlyInvariant(_name(task, facts), GroupKind.CELL, tuple(sorted(facts))))
    dropped = _superfluous(task, negative, found)
    return replace(
        task,
        groups=tuple(group for group in groups if dropped.isdisjoint(group.facts)),
        operators=tuple(_without(op, dropped) for op in task.operators),
        init=tuple(fact for fact in task.init if fact not in dropped),
    )


def _superfluous(task: Task, negative: Mapping[int, int], found: Sequence[frozenset[int]]) -> set[int]:
    """Facts "not t" that are implied wherever they are required, because another precondition excludes t."""
    sets_of = by_fact(found)
    asked: dict[int, list[Operator]] = {}
    for op in task.operators:
        for fact in op.pre:
            asked.setdefault(fact, []).append(op)
    in_goal = {fact for clause in task.goal for fact in clause}
    dropped = set()
    for fact, opposite in negative.items():
        rivals = set().union(*(found[number] for number in sets_of.get(fact, ()))) - {fact}
        if rivals and opposite not in in_goal and all(rivals.intersection(op.pre) for op in asked.get(opposite, ())):
            dropped.add(opposite)
    return dropped


def _without(op: Operator, gone: set[int]) -> Operator:
    """The operator, with some facts removed from its preconditions and effects."""
    if gone.isdisjoint(op.pre) and gone.isdisjoint(op.add):
        return op
    pre, add, delete = (tuple([f for f in facts if f not in gone]) for facts in (op.pre, op.add, op.delete))
    return Operator(op.name, pre, add, delete, op.move, op.cost, op.walk)


def _name(task: Task, facts: Iterable[int]) -> str:
    names = [task.facts[fact] for fact in sorted(facts)]
    return f"one of {names[0]}, ..." if len(names) > 2 else " or ".join(names)


def with_counted(task: Task, places: Mapping[int, Place]) -> Task:
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

    # Truth values that one operator changes together, by table: +1 becomes true, -1 becomes false.
    changes: list[list[tuple[int, int]]] = []
    for op in task.operators:
        flips: dict[str, list[tuple[int, int]]] = {}
        for facts, sign in ((op.add, 1), (op.delete, -1)):
            for fact in facts:
                if fact in places:
                    flips.setdefault(places[fact][0], []).append((fact, sign))
        changes += flips.values()
    for change in changes:
        for fact, _ in change[1:]:
            parent[root(fact)] = root(change[0][0])
    # A part is counted if every operator makes as many of it true as false.
    broken: set[int] = set()
    for change in changes:
        balance: dict[int, int] = {}
        for fact, sign in change:
            balance[root(fact)] = balance.get(root(fact), 0) + sign
        broken.update(part for part, more in balance.items() if more)
    parts: dict[int, list[int]] = {}
    for fact in sorted(places):
        if root(fact) not in broken:
            parts.setdefault(root(fact), []).append(fact)
    objects, init = [], set(task.init)
    for part in parts.values():
        count = len(init.intersection(part))
        if len(part) > 1 and count:
            objects.append(ExactlyInvariant(_counted_name(part, places), GroupKind.OBJECT, tuple(part), count))
    # Pieces of one cell and free cells look the same: what is declared last is taken for what is free.
    resources = [group for group in objects if _covered(task, group.facts)][-1:] if len(objects) > 1 else []
    objects = [group for group in objects if group not in resources]
    counted = {fact for group in objects for fact in group.facts}
    covered = {fact for group in resources for fact in group.facts}
    others = [
        replace(group, kind=GroupKind.CELL) if (counted | covered).intersection(group.facts) else group
        for group in task.groups
    ]
    resources = [replace(group, kind=GroupKind.RESOURCE) for group in resources]
    return replace(task, groups=(*objects, *others, *resources))


def _covered(task: Task, facts: Sequence[int]) -> bool:
    """Whether the facts are "none of" facts of cells: each is true if and only if the other facts of its cell are
    false.
    """
    cells = {
        fact for group in task.groups if group.kind == GroupKind.CELL for fact in group.facts if len(group.facts) > 2
    }
    singles = sum(cells.issuperset([fact]) for fact in facts)
    if singles < len(facts):
        return False
    of = {fact: [g for g in task.groups if g.kind == GroupKind.CELL and fact in g.facts] for fact in facts}
    return all(len(groups) == 1 for groups in of.values())


def _counted_name(facts: Sequence[int], places: Mapping[int, Place]) -> str:
    """The name of a group of facts: the table, and the arguments that all have in common: `box`, `piece tall`."""
    table, first = places[facts[0]]
    same = [text_of(arg) for i, arg in enumerate(first) if all(places[fact][1][i] == arg for fact in facts)]
    return " ".join([table, *same])
