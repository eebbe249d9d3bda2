"""A successor generator as a table: after each operator, one load for each place where something could move.

A successor generator gives the operators that apply in a state without trying them all (Helmert, *The Fast Downward
planning system*, JAIR 2006, section 5.3.1). In an n-puzzle even less is needed: the last operator says where the blank
is now, and each neighbouring cell says by its content which tile moves. Example, tiles 1 2 3 on a 2x2 board:

    last operator: 3 moved up from d to b, so d is free; cells a b on top of c d
    branch 0: variable "cell c", values 1@c 2@c 3@c free c  ->  "1R from c", "2R from c", "3R from c", none
    (no branch for cell b: 3 would only move back, which is a redundant pair)

The variables of a table are mutex groups, so an operator is applied by writing the values of those that it changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import OperatorTask
from .move_pruning import redundant_pairs_if_few
from .structure import Ints

# The most operators of a task with a successor table: each is held against all others (two float tables of N x F, and
# pairs of them).
MOST_OPERATORS = 3_000

# Operators that may follow, each with the one fact that decides whether it applies.
Choices = list[tuple[int, int]]


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


def successor_table(task: OperatorTask, redundant: NDArray[np.bool_] | None = None) -> SuccessorTable | None:
    """The successor table of a task, or None if the task is not of this kind.

    It is if after any operator each possible next one has at most one precondition that is not known to be true, and
    each clause of the goal is one fact. Possible is what the last operator does not rule out and is not `redundant`
    after it (N, N; by default `redundant_pairs_if_few`).
    """
    if task.walker or task.compound_moves or not 0 < len(task.operators) <= MOST_OPERATORS:
        return None
    if any(len(clause) > 1 for clause in task.goal) or not all(op.pre for op in task.operators):
        return None
    following = _following(task, redundant_pairs_if_few(task) if redundant is None else redundant)
    return None if following is None else _Builder(task).build(following)


def _following(task: OperatorTask, redundant: NDArray[np.bool_]) -> list[Choices] | None:
    """(N + 1): what may follow each operator, and last what applies at the root. None if a follower has several open
    preconditions.
    """
    init = set(task.init)
    starting = [n for n, op in enumerate(task.operators) if init.issuperset(op.pre)]
    # The few that apply at the root first: that settles most tasks that are not of this kind, at little cost.
    if _open_preconditions(task, redundant, starting) is None:
        return None
    pairs = _open_preconditions(task, redundant, list(range(len(task.operators))))
    if pairs is None:
        return None
    following: list[Choices] = [[] for _ in task.operators]
    for before, after, fact in pairs:
        following[before].append((after, fact))
    return [*following, [(n, task.operators[n].pre[0]) for n in starting]]


def _open_preconditions(
    task: OperatorTask, redundant: NDArray[np.bool_], rows: list[int]
) -> list[tuple[int, int, int]] | None:
    """(operator of `rows`, one that may follow, the fact that decides it); None if a follower has several open."""
    facts = len(task.facts)
    before = np.zeros((len(task.operators), facts), np.float32)
    after, barred = np.zeros((len(rows), facts), np.float32), np.zeros((len(rows), facts), np.bool_)
    for n, op in enumerate(task.operators):
        before[n, list(op.pre)] = 1
    for i, n in enumerate(rows):
        op = task.operators[n]
        after[i, list(op.after)] = 1
    # Barred are the facts that are false after the operator: what it deletes, and the rest of each mutex group of which
    # it makes or keeps a fact true.
    for group in task.groups:
        if group.count == 1:
            inside = list(group.facts)
            decided = after[:, inside].sum(axis=1) > 0
            barred[np.ix_(decided, inside)] |= after[np.ix_(decided, inside)] == 0
    for i, n in enumerate(rows):
        barred[i, list(task.operators[n].delete)] = True
    # Matrix products count: preconditions that are barred, and those that are not known to be true.
    may = (barred.astype(np.float32) @ before.T == 0) & ~redundant[rows]
    unknown = before.sum(axis=1)[None, :] - after @ before.T
    if (unknown[may] > 1).any():
        return None
    # Where one is unknown, its number is what remains of the sum of the preconditions' numbers.
    numbered = before * np.arange(facts, dtype=np.float32)
    open_fact = np.where(
        unknown == 1,
        numbered.sum(axis=1)[None, :] - after @ numbered.T,
        np.array([op.pre[0] for op in task.operators])[None, :],
    )
    row, other = np.nonzero(may)
    decisive = open_fact[may].astype(np.int64)
    return list(zip(np.array(rows)[row].tolist(), other.tolist(), decisive.tolist(), strict=True))


@dataclass(slots=True)
class _Builder:
    """Numbers the mutex groups that are looked at as variables, in the order in which they are first needed.

    `number`: the variable of a group; `groups_of`: the mutex groups of each fact; `value_in[g][f]`: the value that fact
    f is of group g.
    """

    task: OperatorTask
    number: dict[int, int] = field(default_factory=dict)
    table: list[int] = field(default_factory=list)
    groups_of: list[list[int]] = field(init=False)
    value_in: list[dict[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        groups = self.task.groups
        self.groups_of = [[g for g in numbers if groups[g].count == 1] for numbers in self.task.groups_of]
        self.value_in = [{fact: n for n, fact in enumerate(group.facts)} for group in groups]

    def build(self, following: list[Choices]) -> SuccessorTable | None:
        """None if a fact that decides or that the goal names is in no mutex group, or an operator changes none."""
        if not all(self.groups_of[fact] for choices in following for _, fact in choices):
            return None
        first, branches = self._branches(following)
        goal = self._goal()
        changes = self._changes()
        if goal is None or changes is None:
            return None
        init = set(self.task.init)
        start = [next(n for n, f in enumerate(self.task.groups[g].facts) if f in init) for g in self.number]
        return SuccessorTable(
            start=np.array(start, np.int32),
            first=np.array(first, np.int32),
            variable=np.array([variable for variable, _ in branches], np.int32),
            offset=np.array([offset for _, offset in branches], np.int32),
            table=np.array(self.table, np.int32),
            changed=np.ascontiguousarray(changes[:, :, 0]),
            new=np.ascontiguousarray(changes[:, :, 1]),
            old=np.ascontiguousarray(changes[:, :, 2]),
            goal=np.array(goal, np.int32).reshape(-1, 2),
        )

    def _variable(self, group: int) -> int:
        return self.number.setdefault(group, len(self.number))

    def _branches(self, following: list[Choices]) -> tuple[list[int], list[tuple[int, int]]]:
        """`first`, and (variable, offset) of each branch. Operators with the same followers share their entries in the
        table.
        """
        by_key: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
        first: list[int] = [0]
        branches: list[tuple[int, int]] = []
        for choices in following:
            key = tuple(choices)
            if key not in by_key:
                by_key[key] = []
                for group, operators in self._split(choices, self.number):
                    by_key[key].append((self._variable(group), len(self.table)))
                    self.table += [operators.get(fact, -1) for fact in self.task.groups[group].facts]
            branches += by_key[key]
            first.append(len(branches))
        return first, branches

    def _split(self, choices: Choices, used: Container[int]) -> list[tuple[int, dict[int, int]]]:
        """(group, operator by its fact) for all choices: in each turn the group that decides most of them.

        Of equal ones, one that is used already.
        """
        branches = []
        while choices:
            votes = Counter(g for fact in {fact for _, fact in choices} for g in self.groups_of[fact])
            group = max(votes, key=lambda g: (votes[g], g in used, -g))
            taken: dict[int, int] = {}
            rest = []
            for operator, fact in choices:
                if group in self.groups_of[fact] and fact not in taken:
                    taken[fact] = operator
                else:
                    rest.append((operator, fact))
            branches.append((group, taken))
            choices = rest
        return branches

    def _goal(self) -> list[tuple[int, int]] | None:
        """(variable, value) for each fact of the goal; None if a fact is in no mutex group."""
        goal = []
        for (fact,) in self.task.goal:
            groups = self.groups_of[fact]
            if not groups:
                return None
            group = next((g for g in groups if g in self.number), groups[0])
            goal.append((self._variable(group), self.value_in[group][fact]))
        return goal

    def _changes(self) -> Ints | None:
        """(N, E, 3): the variables that each operator changes, to what, from what; None if one changes none."""
        changes = []
        for op in self.task.operators:
            gone = {g: self.value_in[g][f] for f in op.delete for g in self.groups_of[f] if g in self.number}
            come = {g: self.value_in[g][f] for f in op.add for g in self.groups_of[f] if g in self.number}
            if not gone:
                return None
            changes.append([(self.number[g], come[g], gone[g]) for g in gone])
        widest = max(map(len, changes))
        return np.array([each + each[-1:] * (widest - len(each)) for each in changes], np.int32)
