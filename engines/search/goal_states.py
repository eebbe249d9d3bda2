"""All full states in which the goal of a task holds, as far as its groups tell, and the task run backward.

The goal of a puzzle says where some things must be and nothing of the rest. A search backward needs whole states:
here they are enumerated by branching on facts and counting in the groups (each has a fixed number of true facts).
States among them that nothing can reach do no harm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...analysis.bitset_kernels import ONE, walk_region
from ...analysis.bitset_task import BitsetTask, Words
from ...analysis.structure import structure_of
from ...models.task import Operator, Task
from ...runtime.arrays import bit_rows
from ...runtime.bitops import ones, trailing_zeros
from ...runtime.kernel_cache import njit


def inverse(task: Task) -> Task | None:
    """The task with every operator undone; its initial state and goal are kept, and mean nothing.

    None if some operator cannot be undone by what the groups say: it must be sure that the facts to be added are
    false. For that each of them has to share a group, of which one fact is true, with a fact that is required.
    """
    structure = structure_of(task)
    rivals = [structure.excluded_by(fact) for fact in range(len(task.facts))]
    operators = []
    for op in task.operators:
        required = op.after
        undone = Operator(
            op.name,
            tuple(sorted(required)),
            op.delete,
            op.add,
            op.move,
            op.cost,
            op.walk and (op.walk[1], op.walk[0]),
            op.displacement and (op.displacement[1], op.displacement[0]),
        )
        for one_way in (op, undone):
            if any(rivals[fact].isdisjoint(one_way.pre) for fact in one_way.add):
                return None
        operators.append(undone)
    return replace(task, operators=tuple(operators))


def goal_states(task: Task, packed: BitsetTask, most: int) -> Words | None:
    """The states, one a row as in a `StateStore`; None if there are more than `most`, or it takes too long to tell."""
    structure = structure_of(task)
    constant = structure.constant
    words = packed.words
    groups = bit_rows([structure.changing.intersection(group.facts) for group in task.groups], words)
    counts = np.array([group.count - len(constant.intersection(group.facts)) for group in task.groups], np.int64)
    true = bit_rows([constant], words)[0]
    false = bit_rows([structure.never_true], words)[0]
    found = np.empty((most + 1, packed.row), np.uint64)
    count = complete(groups, counts, packed.goal, true, false, found, most, 4 * most + 1000, len(task.facts))
    if count > most:
        return None
    if not packed.has_walker:
        return found[:count].copy()
    regions = np.empty((most + 1, packed.row), np.uint64)
    count = with_regions(packed, found[:count], regions, most)
    return None if count > most else regions[:count].copy()


@njit(cache=True)
def complete(
    groups: Any, counts: Any, goal: Any, true: Any, false: Any, found: Any, most: int, patience: int, facts: int
) -> int:
    """Write the states with counts[g] true facts in each groups[g], and one in each clause of the goal, to `found`.

    `true` and `false` are what is known from the start. Gives their number, `most` + 1 if they are more or if
    `patience` choices did not settle it.
    """
    words = len(true)
    stack = np.empty((facts + 2, 2, words), np.uint64)
    stack[0, 0] = true
    stack[0, 1] = false
    height, count = 1, 0
    yes = np.empty(words, np.uint64)
    no = np.empty(words, np.uint64)
    while height > 0:
        height -= 1
        yes[:] = stack[height, 0]
        no[:] = stack[height, 1]
        patience -= 1
        if patience < 0:
            return most + 1
        choice = settle(groups, counts, goal, yes, no)
        if choice == -2:
            continue
        if choice == -1:
            for w in range(words):  # a fact in no group
                left = ~(yes[w] | no[w])
                if left:
                    choice = 64 * w + int(trailing_zeros(left))
                    break
            if choice < 0 or choice >= facts:
                if count == most:
                    return most + 1
                found[count, :words] = yes
                count += 1
                continue
        bit = ONE << np.uint64(choice & 63)
        for side in range(2):
            stack[height, 0] = yes
            stack[height, 1] = no
            stack[height, 1 - side, choice >> 6] |= bit
            height += 1
    return count


@njit(cache=True)
def settle(groups: Any, counts: Any, goal: Any, yes: Any, no: Any) -> int:
    """Draw the conclusions from what is true and false. Gives a fact to branch on, -1 if none is left, -2 if wrong."""
    words = len(yes)
    changes = True
    choice = -1
    while changes:
        changes = False
        choice, fewest = -1, 1 << 30
        for g in range(len(groups)):
            sure, open_ = np.uint64(0), np.uint64(0)
            for w in range(words):
                sure += ones(groups[g, w] & yes[w])
                open_ += ones(groups[g, w] & ~yes[w] & ~no[w])
            missing = counts[g] - np.int64(sure)
            if missing < 0 or missing > np.int64(open_):
                return -2
            if open_ == 0:
                continue
            if missing == 0 or missing == np.int64(open_):
                for w in range(words):
                    left = groups[g, w] & ~yes[w] & ~no[w]
                    if missing == 0:
                        no[w] |= left
                    else:
                        yes[w] |= left
                changes = True
            elif np.int64(open_) < fewest:
                fewest = int(open_)
                for w in range(words):
                    left = groups[g, w] & ~yes[w] & ~no[w]
                    if left:
                        choice = 64 * w + int(trailing_zeros(left))
                        break
        for c in range(len(goal)):
            possible, first, met = 0, -1, False
            for w in range(words):
                met = met or (goal[c, w] & yes[w]) != 0
                left = goal[c, w] & ~no[w]
                possible += int(ones(left))
                if left:
                    first = 64 * w + int(trailing_zeros(left))
            if possible == 0:
                return -2
            if possible == 1 and not met:
                yes[first >> 6] |= ONE << np.uint64(first & 63)
                changes = True
    return choice


@njit(cache=True)
def with_regions(task: Any, states: Any, found: Any, most: int) -> int:
    """Each state once for each region in which the walker can be; gives their number, `most` + 1 if they are more."""
    cells = len(task.free_bit)
    reached = np.empty(cells, np.uint8)
    stack = np.empty(cells, np.int32)
    count = 0
    for s in range(len(states)):
        for cell in range(cells):
            bit = task.free_bit[cell]
            free = (states[s, bit >> 6] >> np.uint64(bit & 63)) & ONE
            if free and walk_region(task, states[s], cell, reached, stack) == cell:
                if count == most:
                    return most + 1
                found[count] = states[s]
                found[count, task.words] = cell
                count += 1
    return count
