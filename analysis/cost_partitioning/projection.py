"""Projections of a task onto a few of its finite-domain variables, as graphs for `kernels`.

In a projection the other variables are not there: neither what operators ask of them nor what the goal does. So each
plan is a way in it, and the cost of the cheapest way from a state to the goal is a lower bound (Edelkamp, *Planning
with pattern databases*, ECP 2001). An *abstract state* is one number, the sum of value * stride over the variables:

    variables   truck at a, b or c (stride 1)     box at a, b, c or in the truck (stride 3)
    truck at b, box in the truck                  1 * 1 + 3 * 3 = 10

Operators that do the same in a projection share a *label*: unloading the box at b is one, with whatever fuel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.task import Task
from ...runtime.arrays import Flags, Ints, Longs
from ..relaxation import relaxation
from ..structure import NONE_OF_THOSE, structure_of

# The most operators times variables, eight bytes each.
MOST_VALUES = 10_000_000

ANY = -1
"""Stands where an operator has no value for a variable: no precondition on it, or no effect."""

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VariableTask:
    """A task of V finite-domain variables and N operators: `sizes` (V), the numbers of values.

    `places`: for each fact the variables that it is a value of, and which one. `before`, `after` (N, V): the values
    that operators ask for and lead to, or `ANY`. `possible` (N): the operators that can ever apply. `clauses`: the
    goal's; `init` (V): the values in the initial state.
    """

    sizes: Longs
    places: dict[int, list[tuple[int, int]]]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    possible: Flags
    clauses: tuple[tuple[int, ...], ...]
    init: Longs


class Projection(NamedTuple):
    """A projection with n abstract states, T transitions and L labels.

    `first` (n + 1), `source`, `label` (T): the transitions to each abstract state, those that lead nowhere else left
    out. `operators`: of label i those from `label_first[i]` to `label_first[i + 1]`. `goals`: the abstract states that
    may be those of a goal. `variables`, `strides`: see above.
    """

    first: Ints
    source: Ints
    label: Ints
    label_first: Ints
    operators: Ints
    goals: Ints
    variables: Ints
    strides: Longs


def variable_task(task: Task) -> VariableTask | None:
    """The variables of a task (`structure.cover`), and what operators do to them. None if these are more values than
    `partition_values`.
    """
    variables = structure_of(task).cover.variables
    if len(task.operators) * len(variables) > MOST_VALUES:
        return None
    places: dict[int, list[tuple[int, int]]] = {}
    for number, values in enumerate(variables):
        for value, fact in enumerate(values):
            if fact != NONE_OF_THOSE:
                places.setdefault(fact, []).append((number, value))
    alone = {number for number, values in enumerate(variables) if NONE_OF_THOSE in values}
    before = np.full((len(task.operators), len(variables)), ANY, np.int32)
    after = np.full_like(before, ANY)
    for n, op in enumerate(task.operators):
        for fact in op.pre:
            for number, value in places.get(fact, ()):
                before[n, number] = value
        for fact in op.add:
            for number, value in places.get(fact, ()):
                after[n, number] = value
        for fact in op.delete:
            for number, _ in places.get(fact, ()):
                if number in alone:
                    after[n, number] = 0
    init = np.zeros(len(variables), np.int64)
    for fact in task.init:
        for number, value in places.get(fact, ()):
            init[number] = value
    possible = np.zeros(len(task.operators), np.bool_)
    possible[sorted(relaxation(task).operators)] = True
    sizes = np.array([len(values) for values in variables], np.int64)
    return VariableTask(sizes, places, before, after, possible, task.goal, init)


def projection(task: VariableTask, pattern: Sequence[int], most: int) -> Projection | None:
    """The projection onto some variables; None if it has more than `most` transitions, or every state is a goal."""
    sizes = task.sizes[list(pattern)]
    strides = np.cumprod([1, *sizes[:-1]])
    states = int(sizes.prod())
    digits = [np.arange(states) // stride % size for stride, size in zip(strides, sizes, strict=True)]
    goal = _goal_states(task, pattern, digits)
    if goal.all():
        return None
    # 1. What operators do here: equal rows are one label.
    before, after = task.before[:, pattern], task.after[:, pattern]
    (moving,) = np.nonzero((after != ANY).any(axis=1) & task.possible)
    both = np.hstack((before[moving], after[moving])).astype(np.int64)
    numbers = both @ np.cumprod([1, *(sizes + 1), *(sizes[:-1] + 1)])  # of a row, but for an offset
    _, examples, label_of = np.unique(numbers, return_index=True, return_inverse=True)
    asked, new = np.split(both[examples], 2, axis=1)
    if np.where(asked == ANY, sizes, 1).prod(axis=1).sum() > most:
        return None
    # 2. The transitions of each label from every abstract state in which it applies, if the initial state leads there;
    # by target.
    source, target, label = _transitions(asked, new, sizes, strides)
    start = int((task.init[list(pattern)] * strides).sum())
    met = _reached(states, start, source, target)[source]
    source, target, label = source[met], target[met], label[met]
    order = np.argsort(target, kind="stable")
    return Projection(
        first=np.searchsorted(target[order], np.arange(states + 1)).astype(np.int32),
        source=source[order].astype(np.int32),
        label=label[order].astype(np.int32),
        label_first=np.cumsum([0, *np.bincount(label_of, minlength=len(examples))]).astype(np.int32),
        operators=moving[np.argsort(label_of, kind="stable")].astype(np.int32),
        goals=np.flatnonzero(goal).astype(np.int32),
        variables=np.array(pattern, np.int32),
        strides=strides.astype(np.int64),
    )


def _transitions(asked: Table, new: Table, sizes: Longs, strides: Longs) -> tuple[Longs, Longs, Longs]:
    """The transitions of labels, given by the values that they ask for and lead to, (L, variables) each: sources,
    targets and labels.
    """
    parts = [(np.zeros(0, np.int64),) * 3]
    # Labels that leave the same variables open are done together: an axis for each variable, of one value or of all.
    shapes, shape_of = np.unique((asked == ANY) @ (1 << np.arange(len(sizes))), return_inverse=True)
    for number, shape in enumerate(shapes.tolist()):
        (labels,) = np.nonzero(shape_of == number)
        source, target = np.zeros((len(labels), 1), np.int64), np.zeros((len(labels), 1), np.int64)
        for i, (size, stride) in enumerate(zip(sizes.tolist(), strides.tolist(), strict=True)):
            values = np.arange(size)[None, :] if shape >> i & 1 else asked[labels, i, None]
            leads = np.where(new[labels, i, None] == ANY, values, new[labels, i, None])
            source = (source[:, :, None] + values[:, None, :] * stride).reshape(len(labels), -1)
            target = (target[:, :, None] + leads[:, None, :] * stride).reshape(len(labels), -1)
        moves = source != target
        parts.append((source[moves], target[moves], np.broadcast_to(labels[:, None], moves.shape)[moves]))
    sources, targets, of_label = (np.concatenate(column) for column in zip(*parts, strict=True))
    return sources, targets, of_label


def _goal_states(task: VariableTask, pattern: Sequence[int], digits: list[Longs]) -> Flags:
    """The abstract states in which every clause of the goal may hold."""
    place = {variable: i for i, variable in enumerate(pattern)}
    good = np.ones(len(digits[0]), np.bool_)
    for clause in task.clauses:
        met = np.zeros(len(good), np.bool_)
        for fact in clause:
            may = np.ones(len(good), np.bool_)
            for variable, value in task.places.get(fact, ()):
                if variable in place:
                    may &= digits[place[variable]] == value
            met |= may
        good &= met
    return good


def _reached(states: int, start: int, source: Longs, target: Longs) -> Flags:
    """The abstract states to which transitions lead from `start`."""
    reached = np.zeros(states, np.bool_)
    reached[start] = True
    count = 0
    while count < (count := int(reached.sum())):
        reached[target[reached[source]]] = True
    return reached
