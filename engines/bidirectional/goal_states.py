"""All full states in which the goal of a task holds, as far as its groups tell, and the task run backward.

The goal of a puzzle says where some objects must be and nothing of the rest. A search backward needs whole states:
here they are enumerated by branching on facts and counting in the groups (each has a fixed number of true facts).
States among them that nothing can reach do no harm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE, walk_region
from ...analysis.bitset_task import BitsetTask
from ...analysis.structure import structure_of
from ...models.task import Operator, Task
from ...runtime.arrays import Longs, Words, bit_rows
from ...runtime.bitops import long, ones, trailing_zeros
from ...runtime.kernel_cache import njit
from ..common.successors import copy_row
from .tunables import BIDIRECTIONAL

NOTHING, WRONG = -1, -2
"""Results of `settle` other than a fact to branch on: every fact is decided; the facts contradict each other."""


def inverse(task: Task) -> Task | None:
    """The task with every operator undone; its initial state and goal are kept, and mean nothing.

    None if some operator cannot be undone (`TaskStructure.invertible`).
    """
    if not structure_of(task).invertible:
        return None
    operators = (
        Operator(
            op.name,
            tuple(sorted(op.after)),
            op.delete,
            op.add,
            op.move,
            op.cost,
            op.walk and (op.walk[1], op.walk[0]),
            op.displacement and (op.displacement[1], op.displacement[0]),
        )
        for op in task.operators
    )
    return replace(task, operators=tuple(operators))


class Constraints(NamedTuple):
    """What is known of whole states of F facts, W words: G groups and C clauses of the goal.

    `groups` (G, W): sets of facts; `counts` (G): how many facts of each are true; `goal` (C, W): of each clause one is.
    """

    groups: Words
    counts: Longs
    goal: Words
    facts: int


def goal_states(task: Task, packed: BitsetTask, most: int) -> Words | None:
    """The states, one a row as in a `StateStore`; None if there are more than `most`, or it takes too long to tell.

    Facts that no operator changes are decided: they are what they are in the initial state.
    """
    init, facts, words = set(task.init), len(task.facts), packed.words
    changed = {f for op in task.operators for f in (*op.add, *op.delete)}
    known = Constraints(
        groups=bit_rows([changed.intersection(group.facts) for group in task.groups], words),
        counts=np.array(
            [group.count - len(init.intersection(group.facts) - changed) for group in task.groups], np.int64
        ),
        goal=packed.goal,
        facts=facts,
    )
    stack = np.empty((facts + 2, 2, words), np.uint64)
    stack[0, 0] = bit_rows([init - changed], words)[0]
    stack[0, 1] = bit_rows([set(range(facts)) - changed - init], words)[0]
    found = np.empty((most + 1, packed.row), np.uint64)
    patience = BIDIRECTIONAL.choices_per_goal * most + BIDIRECTIONAL.first_choices
    count = complete(known, stack, found, most, patience)
    if count > most:
        return None
    if not packed.has_walker:
        return found[:count].copy()
    regions = np.empty((most + 1, packed.row), np.uint64)
    count = with_regions(packed, found[:count], regions, most)
    return None if count > most else regions[:count].copy()


@njit(cache=True)
def complete(known: Constraints, stack: Words, found: Words, most: int, patience: int) -> int:
    """Write the states that satisfy the constraints to `found`.

    By definition these are the sets of facts s with |s & groups[g]| = counts[g] for each g, a fact in each goal[c], and
    what is known from the start; `tests/test_bidirectional.py` holds the two against each other. Gives their
    number, `most` + 1 if they are more or if `patience` choices did not settle it.

    `stack` (F + 2, 2, W): partial states that wait, each as the facts that are true in it and those that are false; at
    first the one of what is known. Depth-first: a choice replaces one entry by two and decides one fact more in both,
    so there are never more than F + 2.
    """
    words, height, count = stack.shape[2], 1, 0
    while height > 0:
        height -= 1
        yes, no = stack[height, 0], stack[height, 1]
        patience -= 1
        if patience < 0:
            return most + 1
        # 1. Conclusions, and a fact to branch on: of a group, or else one that is in no group.
        choice = settle(known, yes, no)
        if choice == WRONG:
            continue
        for w in range(words):
            left = ~(yes[w] | no[w])
            if choice < 0 and left:
                choice = 64 * w + long(trailing_zeros(left))
        # 2. None is left: a whole state.
        if choice < 0 or choice >= known.facts:
            if count == most:
                return most + 1
            copy_row(found[count, :words], yes)
            count += 1
            continue
        # 3. Two partial states in place of this one: with the fact, which is looked at first, and without it.
        word, bit = choice >> 6, ONE << np.uint64(choice & 63)
        copy_row(stack[height + 1, 0], yes)
        copy_row(stack[height + 1, 1], no)
        stack[height, 1, word] |= bit
        stack[height + 1, 0, word] |= bit
        height += 2
    return count


@njit(inner=True)
def settle(known: Constraints, yes: Words, no: Words) -> int:
    """Draw conclusions from the facts that are true (`yes`) and false (`no`), until no more follow.

    Gives a fact to branch on, of a group with the fewest open facts; NOTHING if all groups are settled; WRONG if a
    constraint is violated.
    """
    groups, counts, goal, words = known.groups, known.counts, known.goal, len(yes)
    # To a fixed point: a fact decided by one constraint can decide others. A fact is open if it is in neither row.
    changes, choice = True, NOTHING
    while changes:
        changes = False
        choice, fewest = NOTHING, 1 << 30
        # 1. Groups. `missing` facts of the open ones are still to be true: none of them, or all, is a conclusion.
        for g in range(len(groups)):
            sure, unknown = 0, 0
            for w in range(words):
                sure += long(ones(groups[g, w] & yes[w]))
                unknown += long(ones(groups[g, w] & ~yes[w] & ~no[w]))
            missing = counts[g] - sure
            if missing < 0 or missing > unknown:
                return WRONG
            if unknown == 0:
                continue
            if missing == 0 or missing == unknown:
                for w in range(words):
                    left = groups[g, w] & ~yes[w] & ~no[w]
                    if missing == 0:
                        no[w] |= left
                    else:
                        yes[w] |= left
                changes = True
            # Branch where the fewest ways are left, as in constraint satisfaction (minimum remaining values).
            elif unknown < fewest:
                fewest = unknown
                for w in range(words):
                    left = groups[g, w] & ~yes[w] & ~no[w]
                    if left:
                        choice = 64 * w + long(trailing_zeros(left))
                        break
        # 2. Clauses of the goal: one with no fact left is violated, the only one left must be true.
        for c in range(len(goal)):
            possible, first, met = 0, -1, False
            for w in range(words):
                met = met or (goal[c, w] & yes[w]) != 0
                left = goal[c, w] & ~no[w]
                possible += long(ones(left))
                if left:
                    first = 64 * w + long(trailing_zeros(left))
            if possible == 0:
                return WRONG
            if possible == 1 and not met:
                yes[first >> 6] |= ONE << np.uint64(first & 63)
                changes = True
    return choice


@njit(cache=True)
def with_regions(task: BitsetTask, states: Words, found: Words, most: int) -> int:
    """Write each state once for each region that the walker can be in; gives their number, `most` + 1 if they
    are more.
    """
    cells = len(task.free_bit)
    reached = np.empty(cells, np.uint8)
    stack = np.empty(cells, np.int32)
    count = 0
    for s in range(len(states)):
        for cell in range(cells):
            bit = task.free_bit[cell]
            free = (states[s, bit >> 6] >> np.uint64(bit & 63)) & ONE
            # A region is counted at its first cell, which is what `walk_region` gives.
            if free and walk_region(task, states[s], cell, reached, stack) == cell:
                if count == most:
                    return most + 1
                copy_row(found[count], states[s])
                found[count, task.words] = cell
                count += 1
    return count
