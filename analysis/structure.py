"""The structure of a task: movable objects, finite-domain variables, derived facts, mutex groups, moves of operators.

`structure_of(task)` is computed once for a task and shared by all engines and analyses, each part when it is first
asked for. Everything follows from the groups (`models.task.ExactlyInvariant`) and the operators. A small example, two
tiles and the blank in a row of three cells, `1 2 .`:

    object   positions                    true    moved by
    tile 1   1@a 1@b 1@c                  1@a     the operators 0 to 3
    tile 2   2@a 2@b 2@c                  2@b     the operators 4 to 7
    blank    free a, free b, free c       free c  all of them, but each counts as a move of its tile

    operator 5, "2R from b": requires and deletes {2@b, free c}, adds {2@c, free b}
    its transitions: tile 2 from 2@b to 2@c; blank from free c to free b; its owner: tile 2
    cell a is a mutex group {1@a, 2@a, free a}, so `free a` is derived: true if and only if neither 1@a nor 2@a is
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import GroupKind, OperatorTask

Ints = NDArray[np.int32]

# The value of a finite-domain variable while none of its facts is true (Helmert 2009 calls it so).
NONE_OF_THOSE = -1


@dataclass(frozen=True, slots=True)
class MovableObject:
    """`count` interchangeable objects whose positions are `facts`: a group (number `group` of the task) of kind
    `object` whose facts operators replace. A vehicle that can never move is not one.
    """

    group: int
    name: str
    facts: tuple[int, ...]
    count: int


class Transitions(NamedTuple):
    """All moves, (T) each, sorted by operator: `operator` replaces `before` by `after`, positions of object `object`.

    Nearly every operator has one for each object that it moves. One that moves k members of one object has k * k.
    """

    operator: Ints
    object: Ints
    before: Ints
    after: Ints


class Variable(NamedTuple):
    """A finite-domain variable: the `values` are the facts of a mutex group that change; exactly one is true."""

    group: int
    values: frozenset[int]


@dataclass(frozen=True, eq=False)
class TaskStructure:
    """The structure of a task with F facts, N operators and M movable objects. Ask `structure_of` for it."""

    task: OperatorTask

    # Facts

    @cached_property
    def changing(self) -> frozenset[int]:
        """The facts that some operator changes."""
        return frozenset(chain.from_iterable(chain(op.add, op.delete) for op in self.task.operators))

    @cached_property
    def constant(self) -> frozenset[int]:
        """The facts that are true in every state."""
        return frozenset(self.task.init) - self.changing

    @cached_property
    def never_true(self) -> frozenset[int]:
        """The facts that are false in every state."""
        return frozenset(range(len(self.task.facts))) - self.changing - frozenset(self.task.init)

    def excluded_by(self, fact: int) -> set[int]:
        """The facts that are never true together with a fact, because a mutex group has both."""
        groups = self.task.groups
        others = {f for g in self.task.groups_of[fact] if groups[g].count == 1 for f in groups[g].facts}
        others.discard(fact)
        return others

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """(F, F): the pairs p > q of facts that no mutex group excludes."""
        apart = np.tri(len(self.task.facts), k=-1, dtype=np.bool_)
        for group in self.task.groups:
            if group.count == 1:
                apart[np.ix_(group.facts, group.facts)] = False
        return apart

    # Objects, and what operators do to them

    @cached_property
    def objects(self) -> tuple[MovableObject, ...]:
        """The M movable objects, in the order of their groups."""
        return tuple(
            MovableObject(number, group.name, group.facts, group.count)
            for number, group in enumerate(self.task.groups)
            if group.kind == GroupKind.OBJECT and not self.changing.isdisjoint(group.facts)
        )

    @cached_property
    def object_of(self) -> list[int]:
        """(F): the number of the movable object of which a fact is a position; -1 for other facts.

        There is one at most: `OperatorTask.validate` sees to it.
        """
        owner = [-1] * len(self.task.facts)
        for number, moved in enumerate(self.objects):
            for fact in moved.facts:
                owner[fact] = number
        return owner

    @cached_property
    def transitions(self) -> Transitions:
        """The movable object that each operator moves, with its positions before and after."""
        object_of = self.object_of
        rows = [
            (number, object_of[before], before, after)
            for number, op in enumerate(self.task.operators)
            for before in op.delete
            if object_of[before] >= 0
            for after in op.add
            if object_of[after] == object_of[before]
        ]
        operators, objects, befores, afters = np.array(rows, np.int32).reshape(-1, 4).T.copy()
        return Transitions(operators, objects, befores, afters)

    def transitions_by_object(self) -> list[list[tuple[int, int, int]]]:
        """(M): the (operator, position before, position after) of each object's transitions, by operator."""
        moves: list[list[tuple[int, int, int]]] = [[] for _ in self.objects]
        for number, moved, before, after in zip(*(column.tolist() for column in self.transitions), strict=True):
            moves[moved].append((number, before, after))
        return moves

    def transitions_by_group(self) -> list[list[tuple[int, int, int]]]:
        """The same for each group of the task, whatever its kind: a cell goes from being free to being covered.

        Not kept, as it is large: a fact is in several groups.
        """
        groups_of = self.task.groups_of
        changes: list[list[tuple[int, int, int]]] = [[] for _ in self.task.groups]
        for number, op in enumerate(self.task.operators):
            added = [(g, fact) for fact in op.add for g in groups_of[fact]]
            for before in op.delete:
                own = groups_of[before]
                for g, after in added:
                    if g in own:
                        changes[g].append((number, before, after))
        return changes

    @cached_property
    def owner(self) -> Ints:
        """(N): the object to which an operator's move is attributed, the first that it moves; -1 if it moves
        nothing.
        """
        owner = np.full(len(self.task.operators), len(self.objects), np.int32)
        # The least number of all objects that an operator moves; unbuffered, as an operator may stand there several
        # times.
        np.minimum.at(owner, self.transitions.operator, self.transitions.object)
        return np.where(owner < len(self.objects), owner, -1)

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The objects that own an operator (see `owner`), in order: the tiles, not the blank that moves with each of
        them.
        """
        return tuple(sorted(set(self.owner.tolist()) - {-1}))

    @cached_property
    def always_changed(self) -> tuple[int, ...]:
        """The mutex groups (by number) of which every operator replaces the true fact: the blank of an n-puzzle."""
        groups, operators = self.task.groups, self.task.operators
        candidates = {g for op in operators[:1] for f in op.delete for g in self.task.groups_of[f]}
        facts = {g: frozenset(groups[g].facts) for g in sorted(candidates) if groups[g].count == 1}
        return tuple(
            g
            for g in facts
            if all(not facts[g].isdisjoint(op.delete) and not facts[g].isdisjoint(op.add) for op in operators)
        )

    @cached_property
    def component(self) -> Ints:
        """(F): a number for each position that operators enter or leave; equal where they lead from one to the other.

        These are the connected components of all transitions, as union-find finds them. Interchangeable objects in
        two separate rooms share a group, but no component. -1 for other facts.
        """
        parent = list(range(len(self.task.facts)))

        def root(fact: int) -> int:
            while parent[fact] != fact:
                # Path halving: each node on the way skips one.
                parent[fact] = fact = parent[parent[fact]]
            return fact

        pairs = list(zip(self.transitions.before.tolist(), self.transitions.after.tolist(), strict=True))
        for before, after in pairs:
            parent[root(before)] = root(after)
        component = np.full(len(parent), -1, np.int32)
        for fact in set(chain.from_iterable(pairs)):
            component[fact] = root(fact)
        return component

    # Finite-domain variables

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The finite-domain variables of a task, as in SAS+ (Bäckström and Nebel, *Complexity results for SAS+
        planning*, 1995): one for each mutex group that changes. They overlap; covers choose from them.
        """
        init = set(self.task.init)
        values = ((g, self.changing.intersection(x.facts)) for g, x in enumerate(self.task.groups) if x.count == 1)
        return tuple(Variable(g, facts) for g, facts in values if not facts.isdisjoint(init))

    def derived_facts(self, keep: Set[int] = frozenset()) -> dict[int, set[int]]:
        """Facts that a stored state can leave out, because others determine them: a greedy choice that avoids those in
        `keep`.

        Each has the rest of a variable that it is a value of: it is true if and only if none of those is. The facts
        with the fewest variables are left out first (a free cell, which is a value of its cell alone), of those the
        ones that operators name most. A choice among variables as in Helmert, *Concise finite-domain representations
        for PDDL planning tasks* (2009).
        """
        named = Counter(chain.from_iterable(op.pre + op.add for op in self.task.operators))
        variables_of: dict[int, list[frozenset[int]]] = {f: [] for f in self.changing}
        for variable in self.variables:
            for fact in variable.values:
                variables_of[fact].append(variable.values)
        derived: dict[int, set[int]] = {}
        needed: set[int] = set()
        for fact in sorted(self.changing, key=lambda f: (len(variables_of[f]), -named[f], f)):
            # A fact that another is derived from has to be stored.
            if fact in needed or fact in keep:
                continue
            values = next((values for values in variables_of[fact] if derived.keys().isdisjoint(values)), None)
            if values:
                derived[fact] = set(values - {fact})
                needed |= derived[fact]
        return derived

    @cached_property
    def cover(self) -> tuple[tuple[int, ...], ...]:
        """A state as the values of some finite-domain variables: the values of each, facts or `NONE_OF_THOSE`. Every
        fact that changes is a value of one, or is derived: true if and only if none of some values is.

        The objects as whose moves operators count come first. A later group is a variable unless it has one fact that
        is no value yet, and that follows: a cell is free if no object is there. Facts of no mutex group are a
        variable each.
        """
        groups = self.task.groups
        first = [self.objects[number].group for number in self.owners]
        valued: set[int] = set()
        derived: set[int] = set()
        variables: list[tuple[int, ...]] = []
        for g in dict.fromkeys((*first, *range(len(groups)))):
            if groups[g].count != 1:
                continue
            values = tuple(f for f in groups[g].facts if f not in self.never_true)
            rest = [f for f in values if f in self.changing and f not in valued and f not in derived]
            # All others are values already, so the one that is left is true where none of them is.
            if len(rest) == 1 and valued.issuperset(f for f in values if f != rest[0]):
                derived.add(rest[0])
            elif rest:
                variables.append(values)
                valued.update(values)
        # Facts of no mutex group: true or not.
        return (*variables, *((NONE_OF_THOSE, f) for f in sorted(self.changing - valued - derived)))


def structure_of(task: OperatorTask) -> TaskStructure:
    """The structure of a task, computed at the first call and kept."""
    return task.computed(TaskStructure)
