"""A task seen through its groups: which of them move, what excludes what, and what may be true in a goal.

A group of which one fact is true is a finite-domain variable (Bäckström and Nebel, *Complexity results for SAS+
planning*, 1995; Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009). A *moving group* has
facts that operators replace, the places of a thing: families list the groups of things before the groups of cells, so
the first group in which an operator replaces a fact says what it moves. Interchangeable things share a group of more;
`heuristics.things` counts them one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import Group, Operator, Task
from .bitset_task import Ints
from .move_pruning import redundant_pairs


@dataclass(frozen=True, slots=True)
class Arc:
    """Operator `operator` replaces fact `before` of a group by fact `after`."""

    operator: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class MovingGroup:
    """A group of facts that operators replace, seen alone.

    `operators` are those that count as its own, each operator for one group at most; `arcs` are all ways on which an
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
class MovingGroups:
    """The moving groups of a task, one a thing or more.

    `apart`: whether every operator changes exactly one of them, so that the rest of a state can be left out.
    """

    things: tuple[MovingGroup, ...]
    apart: bool


class Ends(NamedTuple):
    """Where the true facts of a group are in a goal: facts that may be true, and clauses of which each needs one."""

    allowed: frozenset[int]
    clauses: tuple[frozenset[int], ...]


def excluded_by(task: Task, fact: int) -> set[int]:
    """The facts that are never true with a fact, because a group of one has both."""
    others = {f for g in task.groups_of[fact] if task.groups[g].count == 1 for f in task.groups[g].facts}
    others.discard(fact)
    return others


def never_at_goal(task: Task) -> set[int]:
    """The facts that are false in every goal state, as far as the groups and one clause at a time tell."""
    never: set[int] = set()
    for clause in task.goal:
        never |= set(range(len(task.facts))).intersection(*(excluded_by(task, fact) for fact in clause))
    return never


def ends_of(task: Task, group: Group, never: Set[int]) -> Ends:
    """Where a group ends; `never` as in `never_at_goal`. Its clauses have no fact in common."""
    facts = set(group.facts)
    clauses: list[frozenset[int]] = []
    taken: set[int] = set()
    for clause in task.goal:
        if facts.issuperset(clause) and taken.isdisjoint(clause):
            clauses.append(frozenset(clause))
            taken.update(clause)
    allowed = facts - never
    return Ends(frozenset(allowed & taken if len(clauses) >= group.count else allowed), tuple(clauses))


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


def moving_groups(task: Task) -> MovingGroups:
    """Find the moving groups of a task, without those that neither move nor have a goal.

    Operators that can never apply are left out.
    """
    groups = task.groups_of

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
    never = never_at_goal(task)
    things = []
    for g in numbers:
        group = task.groups[g]
        ends = ends_of(task, group, never).allowed
        thing = MovingGroup(g, group.facts, group.count, frozenset(own[g]), tuple(arcs[g]), ends)
        if thing.arcs or thing.has_goal:
            things.append(thing)
    return MovingGroups(tuple(things), apart)


class SuccessorTable(NamedTuple):
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


def redundant_pairs_if_few(task: Task) -> NDArray[np.bool_]:
    """`redundant_pairs`; (0, 0) if operators are too many, or a step is more than one of them (a walk, a carry)."""
    few = not (task.walker or task.compound_moves) and len(task.operators) <= MAX_PAIRS
    return redundant_pairs(task) if few else np.zeros((0, 0), np.bool_)


def lookup(task: Task, needless: NDArray[np.bool_] | None = None) -> SuccessorTable | None:
    """The task with its operators looked up, or None if it is not of this kind.

    It is if, whatever operator was made last, every other that may follow has at most one precondition that is not
    known to be true: in an n-puzzle the last move says where the blank is, and what stands beside it decides. An
    operator that only undoes the one before, or that could have been made in one with it, does not follow: these are
    `needless`, if they are known (`redundant_pairs_if_few`).
    """
    count = len(task.operators)
    if (
        task.walker
        or task.compound_moves
        or not 0 < count <= MAX_LOOKUP
        or any(len(clause) > 1 for clause in task.goal)
    ):
        return None
    if not all(op.pre for op in task.operators):
        return None
    starting = [n for n, op in enumerate(task.operators) if set(task.init).issuperset(op.pre)]
    if needless is None:
        needless = redundant_pairs_if_few(task)
    few = _open_preconditions(task, needless, starting)
    pairs = None if few is None else _open_preconditions(task, needless, list(range(count)))
    if pairs is None:
        return None
    groups = [[g for g in of if task.groups[g].count == 1] for of in task.groups_of]
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
    return SuccessorTable(
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
        after[i, list(op.after)] = 1
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
