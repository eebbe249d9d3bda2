"""The delete relaxation of a task as arrays: operators only make facts true.

A fact counts if an operator asks for it, or the goal does. Operators that ask for the same and make the same true are
one, the cheapest of them. Artificial facts and operators make the goal a single fact:

    goal (a or b) and c       a -> "a or b"    b -> "a or b"    "a or b", c -> goal       all at no cost
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Bytes, Ints, Longs, to_csr
from ..bitset_task import cost_key
from ..relaxation import relaxation


class RelaxedTask(NamedTuple):
    """A relaxed task of n facts and N operators. `number`: for each bit of a state its fact, or -1.

    `cost` (N): keys of costs. `pre`, `add`: the facts that operators ask for, and make true; `asking`, `making`: the
    operators that ask for each fact, and make it true; all as offsets and numbers. `always`: a fact that is true in
    every state; `goal`: the one to be reached.
    """

    number: Ints
    cost: Longs
    pre_first: Ints
    pre: Ints
    add_first: Ints
    add: Ints
    asking_first: Ints
    asking: Ints
    making_first: Ints
    making: Ints
    always: int
    goal: int


class CutScratch(NamedTuple):
    """Scratch of `landmark_cut`, by fact (n) and by operator (N).

    `level` (n): h^max of a fact; `heap`, `place` (n): the facts that wait, a binary heap by level, and where in it each
    stands, or -1; `stack`, `zone` (n); `true` (n): the facts of the state. `left` (N): what an operator still costs;
    `unmet` (N): how many of its preconditions were not reached yet; `supporter`, `support` (N): its precondition of the
    highest level, and that level; `cut` (N).
    """

    level: Longs
    heap: Ints
    place: Ints
    stack: Ints
    true: Ints
    zone: Bytes
    left: Longs
    unmet: Ints
    supporter: Ints
    support: Longs
    cut: Ints


def relaxed_task(task: Task, words: int) -> RelaxedTask:
    """The relaxation of a task without a walker and compound moves, of what is ever reached from its initial state."""
    possible = [task.operators[number] for number in sorted(relaxation(task).operators)]
    asked = sorted({f for op in possible for f in op.pre} | {f for clause in task.goal for f in clause})
    number = {fact: n for n, fact in enumerate(asked)}
    always, goal, count = len(asked), len(asked) + 1, len(asked) + 2
    best: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for op in possible:
        add = tuple(number[f] for f in op.add if f in number)
        key = tuple(number[f] for f in op.pre) or (always,), add
        if add:
            best[key] = min(cost_key(op.cost), best.get(key, cost_key(op.cost)))
    operators = [(pre, add, cost) for (pre, add), cost in best.items()]
    clauses = []
    for clause in task.goal:
        if len(clause) == 1:
            clauses.append(number[clause[0]])
            continue
        operators += [((number[fact],), (count,), 0) for fact in clause]
        clauses.append(count)
        count += 1
    operators.append((tuple(sorted(set(clauses))) or (always,), (goal,), 0))
    asking: list[list[int]] = [[] for _ in range(count)]
    making: list[list[int]] = [[] for _ in range(count)]
    for n, (pre, add, _) in enumerate(operators):
        for fact in pre:
            asking[fact].append(n)
        for fact in add:
            making[fact].append(n)
    numbers = np.full(64 * words, -1, np.int32)
    numbers[asked] = range(len(asked))
    return RelaxedTask(
        numbers,
        np.array([cost for _, _, cost in operators], np.int64),
        *to_csr([pre for pre, _, _ in operators]),
        *to_csr([add for _, add, _ in operators]),
        *to_csr(asking),
        *to_csr(making),
        always=always,
        goal=goal,
    )


def no_relaxed_task(words: int) -> RelaxedTask:
    """A relaxed task whose goal is the fact that is always true: the bound is 0."""
    none, first = np.zeros(0, np.int32), np.zeros(2, np.int32)
    lists = (np.zeros(1, np.int32), none) * 2 + (first, none) * 2
    return RelaxedTask(np.full(64 * words, -1, np.int32), np.zeros(0, np.int64), *lists, always=0, goal=0)


def cut_scratch(task: RelaxedTask) -> CutScratch:
    """Scratch for a relaxed task."""
    facts, operators = len(task.asking_first) - 1, len(task.cost)
    return CutScratch(
        level=np.zeros(facts, np.int64),
        heap=np.zeros(facts, np.int32),
        place=np.full(facts, -1, np.int32),
        stack=np.zeros(facts, np.int32),
        true=np.zeros(facts, np.int32),
        zone=np.zeros(facts, np.uint8),
        left=np.zeros(operators, np.int64),
        unmet=np.zeros(operators, np.int32),
        supporter=np.zeros(operators, np.int32),
        support=np.zeros(operators, np.int64),
        cut=np.zeros(operators, np.int32),
    )
