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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...task import ExactlyInvariant, GroupKind, Operator, Task
from .notation import text_of
from .puzzle import Place

MAX_TRIES = 60
"""Sets that are looked at for one seed."""

MAX_SIZE = 80
"""Facts of a set."""


class Mutexes:
    """Grows mutex sets in the operators of a task."""

    def __init__(self, task: Task, negative: dict[int, int]) -> None:
        self.operators, self.negative = task.operators, negative
        self.init = frozenset(task.init)
        self.adders: dict[int, list[int]] = {}
        self.deleters: dict[int, list[int]] = {}
        for number, op in enumerate(task.operators):
            for fact in op.add:
                self.adders.setdefault(fact, []).append(number)
            for fact in op.delete:
                self.deleters.setdefault(fact, []).append(number)
        self.objects = {fact for group in task.groups if group.kind == GroupKind.OBJECT for fact in group.facts}
        self.tries = 0

    def grow(self, seed: int) -> frozenset[int] | None:
        """A mutex set with a fact; None if none is found."""
        self.tries = MAX_TRIES
        found = self._grow(frozenset([seed]))
        return found if found and len(found) > 1 else None

    def _grow(self, facts: frozenset[int]) -> frozenset[int] | None:
        self.tries -= 1
        if self.tries < 0 or len(facts) > MAX_SIZE or len(facts & self.init) > 1:
            return None
        broken = self._broken(facts)
        if broken is None:
            return facts
        candidates = [fact for fact in broken.delete if fact not in self.negative.values() and fact not in facts]
        for fact in sorted(candidates, key=lambda fact: (fact not in self.objects, fact)):
            found = self._grow(facts | {fact})
            if found is not None:
                return found
        return None

    def _broken(self, facts: frozenset[int]) -> Operator | None:
        """An operator after which two of the facts may be true, though at most one was before."""
        for fact in sorted(facts):
            for number in self.adders.get(fact, ()):
                op = self.operators[number]
                before = facts.intersection(op.pre)
                if len(before) < 2 and (not facts.intersection(op.delete) or len(facts.intersection(op.add)) > 1):
                    return op
        return None

    def exact(self, facts: frozenset[int]) -> bool:
        """Whether exactly one of the facts of a mutex set is always true."""
        return len(facts & self.init) == 1 and all(
            facts.intersection(self.operators[number].add) or len(facts.intersection(self.operators[number].pre)) > 1
            for fact in facts
            for number in self.deleters.get(fact, ())
        )


def strengthened(task: Task, negative: dict[int, int]) -> Task:
    """The task with the mutex sets of its truth values, without what they make impossible or superfluous.

    `negative`: for each fact that is a truth value, the fact that it is false.
    """
    wanted = {fact for op in task.operators for fact in op.pre}
    mutexes = Mutexes(task, negative)
    found: list[frozenset[int]] = []
    covered: set[int] = set()
    for fact in sorted(negative, reverse=True):  # free cells, which are declared last, bring the pieces with them
        grown = mutexes.grow(fact) if fact in wanted and fact not in covered else None
        if grown:
            found.append(grown)
            covered |= grown
    if not found:
        return task
    sets_of: dict[int, list[int]] = {}
    for number, facts in enumerate(found):
        for fact in facts:
            sets_of.setdefault(fact, []).append(number)
    operators = [op for op in task.operators if _possible(op, sets_of)]
    exact = [facts for facts in found if mutexes.exact(facts)]
    groups = [*task.groups]
    groups += [ExactlyInvariant(_name(task, facts), GroupKind.CELL, tuple(sorted(facts))) for facts in exact]
    dropped = _superfluous(task, operators, negative, found, sets_of)
    return replace(
        task,
        groups=tuple(group for group in groups if dropped.isdisjoint(group.facts)),
        operators=tuple(_without(op, dropped) for op in operators),
        init=tuple(fact for fact in task.init if fact not in dropped),
    )


def _possible(op: Operator, sets_of: dict[int, list[int]]) -> bool:
    """Whether an operator does not need two facts of one mutex set."""
    numbers = [number for fact in op.pre for number in sets_of.get(fact, ())]
    return len(numbers) == len(set(numbers))


def _superfluous(
    task: Task,
    operators: Sequence[Operator],
    negative: dict[int, int],
    found: Sequence[frozenset[int]],
    sets_of: dict[int, list[int]],
) -> set[int]:
    """The facts "not t" that follow, wherever they are required, from another precondition that excludes t."""
    asked: dict[int, list[Operator]] = {}
    for op in operators:
        for fact in op.pre:
            asked.setdefault(fact, []).append(op)
    in_goal = {fact for clause in task.goal for fact in clause}
    dropped = set()
    for fact, opposite in negative.items():
        rivals = set().union(*(found[number] for number in sets_of.get(fact, ()))) - {fact}
        if rivals and opposite not in in_goal and all(rivals.intersection(op.pre) for op in asked.get(opposite, ())):
            dropped.add(opposite)
    return dropped


def _without(op: Operator, dropped: Iterable[int]) -> Operator:
    """An operator without some facts."""
    gone = set(dropped)
    if gone.isdisjoint(op.pre) and gone.isdisjoint(op.add):
        return op
    return replace(
        op,
        pre=tuple(fact for fact in op.pre if fact not in gone),
        add=tuple(fact for fact in op.add if fact not in gone),
        delete=tuple(fact for fact in op.delete if fact not in gone),
    )


def _name(task: Task, facts: Iterable[int]) -> str:
    names = [task.facts[fact] for fact in sorted(facts)]
    return f"one of {names[0]}, ..." if len(names) > 2 else " or ".join(names)


def with_counted(task: Task, places: Mapping[int, Place]) -> Task:
    """The task with groups of truth values of which as many are true in every state: pieces that stand for each other.

    `places`: the table and the arguments of each fact that is a truth value. Two of a table belong together if an
    operator replaces one by the other: pieces of two shapes in one table never become each other, and are two groups.
    What is in a mutex set with such pieces (the free cells) is no object, but a resource.
    """
    parent = {fact: fact for fact in places}

    def root(fact: int) -> int:
        while parent[fact] != fact:
            fact = parent[fact]
        return fact

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
    """Whether each of some facts is the last of a cell: one that is true if nothing else of a group of cells is."""
    cells = {
        fact for group in task.groups if group.kind == GroupKind.CELL for fact in group.facts if len(group.facts) > 2
    }
    singles = sum(cells.issuperset([fact]) for fact in facts)
    if singles < len(facts):
        return False
    of = {fact: [g for g in task.groups if g.kind == GroupKind.CELL and fact in g.facts] for fact in facts}
    return all(len(groups) == 1 for groups in of.values())


def _counted_name(facts: Sequence[int], places: Mapping[int, Place]) -> str:
    """`box`; `piece tall` where all have an argument in common."""
    table, first = places[facts[0]]
    same = [text_of(arg) for i, arg in enumerate(first) if all(places[fact][1][i] == arg for fact in facts)]
    return " ".join([table, *same])
