"""A task seen through its groups: which things there are, where each may go, and which may end where.

A group of which one fact is true is a finite-domain variable (Bäckström and Nebel, *Complexity results for SAS+
planning*, 1995; Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009). A *thing* is a group
whose facts operators replace, one that moves: families list the groups of things before the groups of cells, so the
first group in which an operator replaces a fact says what it moves. Interchangeable things share a group of more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds.succession import needless_pairs
from ..models.task import Operator, Task
from .packed import Ints


@dataclass(frozen=True, slots=True)
class Arc:
    """Operator `operator` brings the thing from fact `before` to fact `after`."""

    operator: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A group of facts that operators change, seen alone.

    `operators` are those that count as its own, each operator for one thing at most; `arcs` are all ways on which an
    operator changes it. `ends` are the facts that may be true of it in a goal; all of them, if it has no goal.
    """

    group: int
    facts: tuple[int, ...]
    count: int
    operators: frozenset[int]
    arcs: tuple[Arc, ...]
    ends: frozenset[int]

    @property
    def has_goal(self) -> bool:
        return len(self.ends) < len(self.facts)


@dataclass(frozen=True, slots=True)
class Things:
    """The things of a task.

    `apart`: whether every operator changes exactly one thing, so that the rest of a state can be left out.
    `single_groups`: for each fact the groups with one true fact that it belongs to.
    """

    things: tuple[Thing, ...]
    apart: bool
    single_groups: tuple[frozenset[int], ...]


def groups_of_facts(task: Task) -> list[list[int]]:
    """For each fact the groups that it belongs to, in order."""
    groups: list[list[int]] = [[] for _ in task.facts]
    for number, group in enumerate(task.groups):
        for fact in group.facts:
            groups[fact].append(number)
    return groups


def possible_operators(task: Task) -> frozenset[int]:
    """The operators that might apply some time: those that do if nothing is ever deleted (and walkers get anywhere)."""
    missing = [len(op.pre) for op in task.operators]
    requiring: list[list[int]] = [[] for _ in task.facts]
    for n, op in enumerate(task.operators):
        for fact in op.pre:
            requiring[fact].append(n)
    reached = set(task.init)
    queue = list(task.init)
    for fact in queue:  # grows while it is read
        for n in requiring[fact]:
            missing[n] -= 1
            if not missing[n]:
                fresh = [f for f in task.operators[n].add if f not in reached]
                reached.update(fresh)
                queue += fresh
    return frozenset(n for n, count in enumerate(missing) if not count)


def things_of(task: Task) -> Things:
    """Find the things of a task, without those that neither move nor have a goal.

    Operators that can never apply are left out.
    """
    groups = groups_of_facts(task)

    def replaced(op: Operator) -> set[int]:
        return {g for f in op.delete for g in groups[f]} & {g for f in op.add for g in groups[f]}

    possible = possible_operators(task)
    changes = [replaced(op) for op in task.operators]
    owner = [min(changed, default=-1) for changed in changes]
    numbers = sorted(set(owner) - {-1})
    arcs: dict[int, list[Arc]] = {g: [] for g in numbers}
    own: dict[int, set[int]] = {g: set() for g in numbers}
    apart = True
    for n, op in enumerate(task.operators):
        if n not in possible:
            continue
        if owner[n] >= 0:
            own[owner[n]].add(n)
        touched = [g for g in changes[n] if g in arcs]
        apart = apart and len(touched) == 1
        for g in touched:
            pairs = [(a, b) for a in op.delete if g in groups[a] for b in op.add if g in groups[b]]
            apart = apart and len(pairs) == 1
            arcs[g] += [Arc(n, a, b) for a, b in pairs]
    single = tuple(frozenset(g for g in of if task.groups[g].count == 1) for of in groups)
    things = []
    for g in numbers:
        group = task.groups[g]
        thing = Thing(g, group.facts, group.count, frozenset(own[g]), tuple(arcs[g]), ends_of(task, g, single))
        if thing.arcs or thing.has_goal:
            things.append(thing)
    return Things(tuple(things), apart, single)


def ends_of(task: Task, number: int, single: tuple[frozenset[int], ...]) -> frozenset[int]:
    """The facts of a group that may be true in a goal, as far as single clauses tell."""
    group = task.groups[number]
    required = {clause[0] for clause in task.goal if len(clause) == 1}
    inside = required.intersection(group.facts)
    if len(inside) == group.count:
        return frozenset(inside)
    taken: dict[int, int] = {g: fact for fact in required for g in single[fact]}
    ends = {fact for fact in group.facts if all(taken.get(g, fact) == fact for g in single[fact])}
    if group.count == 1:
        for clause in task.goal:
            if set(group.facts).issuperset(clause):
                ends.intersection_update(clause)
    return frozenset(ends)


class Lookup(NamedTuple):
    """A task whose applicable operators are found by looking them up; V variables, N operators, B branches.

    After operator a (a = N at the root), the branches first[a]:first[a + 1] hold what may follow: the operator of
    branch b is table[offset[b] + value of variable[b]], -1 for none. Operators that may not follow a are not there.
    `start` (V): the values at the root. `changed`, `new`, `old` (N, E): the variables that an operator changes, to
    what, and from what (fewer than E are filled up with repeats). `goal` (C, 2): variables and their values.
    """

    start: Ints
    first: Ints
    variable: Ints
    offset: Ints
    table: Ints
    changed: Ints
    new: Ints
    old: Ints
    goal: Ints


MAX_LOOKUP, MAX_PAIRS = 3_000, 8_000
"""Operators at most for a lookup, which compares all of them, and for a table of the pairs of them."""


def lookup(task: Task) -> Lookup | None:
    """The task with its operators looked up, or None if it is not of this kind.

    It is if, whatever operator was made last, every other that may follow has at most one precondition that is not
    known to be true: in an n-puzzle the last move says where the blank is, and what stands beside it decides. An
    operator that only undoes the one before, or that could have been made in one with it, does not follow.
    """
    count = len(task.operators)
    if task.walker or task.carries or not 0 < count <= MAX_LOOKUP or any(len(clause) > 1 for clause in task.goal):
        return None
    if not all(op.pre for op in task.operators):
        return None
    starting = [n for n, op in enumerate(task.operators) if set(task.init).issuperset(op.pre)]
    needless = needless_pairs(task)
    few = _open_preconditions(task, needless, starting)
    pairs = None if few is None else _open_preconditions(task, needless, list(range(count)))
    if pairs is None:
        return None
    groups = [[g for g in of if task.groups[g].count == 1] for of in groups_of_facts(task)]
    value = {(g, fact): n for g, group in enumerate(task.groups) for n, fact in enumerate(group.facts)}
    following: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for before, after, fact in pairs:
        following[before].append((after, fact))
    init = set(task.init)
    following.append([(n, task.operators[n].pre[0]) for n in starting])
    numbers: dict[int, int] = {}
    known: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
    first = [0]
    branches: list[tuple[int, int]] = []
    table: list[int] = []
    for choices in following:
        key = tuple(choices)
        if key not in known:
            known[key] = []
            for group, operators in _branches(choices, groups, numbers):
                known[key].append((numbers.setdefault(group, len(numbers)), len(table)))
                table += [operators.get(fact, -1) for fact in task.groups[group].facts]
        branches += known[key]
        first.append(len(branches))
    if not all(groups[clause[0]] for clause in task.goal):
        return None
    goal = []
    for (fact,) in task.goal:
        group = next((g for g in groups[fact] if g in numbers), groups[fact][0])
        goal.append((numbers.setdefault(group, len(numbers)), value[group, fact]))
    changes = []
    for op in task.operators:
        gone = {g: value[g, f] for f in op.delete for g in groups[f] if g in numbers}
        come = {g: value[g, f] for f in op.add for g in groups[f] if g in numbers}
        changes.append([(numbers[g], come[g], gone[g]) for g in gone] or [(0, -1, -1)])
    widest = max(map(len, changes))
    filled = np.array([each + each[-1:] * (widest - len(each)) for each in changes], np.int32)
    if (filled < 0).any():
        return None  # an operator that changes nothing that is looked at
    return Lookup(
        np.array([next(value[g, f] for f in task.groups[g].facts if f in init) for g in numbers], np.int32),
        np.array(first, np.int32),
        np.array([variable for variable, _ in branches], np.int32),
        np.array([offset for _, offset in branches], np.int32),
        np.array(table, np.int32),
        np.ascontiguousarray(filled[:, :, 0]),
        np.ascontiguousarray(filled[:, :, 1]),
        np.ascontiguousarray(filled[:, :, 2]),
        np.array(goal, np.int32).reshape(-1, 2),
    )


def _branches(
    choices: list[tuple[int, int]], groups: list[list[int]], used: Container[int]
) -> list[tuple[int, dict[int, int]]]:
    """(group, operator by its fact) for (operator, fact) pairs: in each turn the group that decides most of them.

    Of equal ones, one that is used already.
    """
    branches = []
    while choices:
        votes = Counter(g for fact in {fact for _, fact in choices} for g in groups[fact])
        group = max(votes, key=lambda g: (votes[g], g in used, -g))
        taken: dict[int, int] = {}
        rest = []
        for operator, fact in choices:
            if group in groups[fact] and fact not in taken:
                taken[fact] = operator
            else:
                rest.append((operator, fact))
        branches.append((group, taken))
        choices = rest
    return branches


def _open_preconditions(task: Task, needless: NDArray[np.bool_], rows: list[int]) -> list[tuple[int, int, int]] | None:
    """(operator of `rows`, one that may follow, the fact that decides it); None if a follower has several open."""
    facts = len(task.facts)
    before = np.zeros((len(task.operators), facts), np.float32)
    after, barred = np.zeros((len(rows), facts), np.float32), np.zeros((len(rows), facts), np.bool_)
    for n, op in enumerate(task.operators):
        before[n, list(op.pre)] = 1
    for i, n in enumerate(rows):
        op = task.operators[n]
        after[i, list({*op.add, *op.pre}.difference(op.delete))] = 1
    for group in task.groups:
        if group.count == 1:
            inside = list(group.facts)
            decided = after[:, inside].sum(axis=1) > 0
            barred[np.ix_(decided, inside)] |= after[np.ix_(decided, inside)] == 0
    for i, n in enumerate(rows):
        barred[i, list(task.operators[n].delete)] = True
    may = (barred.astype(np.float32) @ before.T == 0) & ~needless[rows]
    unknown = before.sum(axis=1)[None, :] - after @ before.T
    if (unknown[may] > 1).any():
        return None
    numbered = before * np.arange(facts, dtype=np.float32)
    open_fact = np.where(
        unknown == 1,
        numbered.sum(axis=1)[None, :] - after @ numbered.T,
        np.array([op.pre[0] for op in task.operators])[None, :],
    )
    one, other = np.nonzero(may)
    decisive = open_fact[may].astype(np.int64)
    return list(zip(np.array(rows)[one].tolist(), other.tolist(), decisive.tolist(), strict=True))
