"""Steps over actions as programs, forward and backward: by substitutions where actions are some, else by programs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.inverse_programs import BothWays, Substitutions, substitute, useful_pairs
from ...analysis.program_machine import ProgramScratch, ProgramTables, repack, run, scratch_for, undo, unpack, words_of
from ...models.program import ProgramTask
from ...runtime.arrays import Flags, Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from .successors import copy_row


class Walk(NamedTuple):
    """The steps of a search in one direction: forward by the `moves` of `tables`, or with `back` = 1 by their inverses.

    `useful[a, b]`: whether b is to be tried after a (see `useful_pairs`). `digits` (V): scratch.
    """

    tables: ProgramTables
    scratch: ProgramScratch
    moves: Substitutions
    back: int
    useful: Flags
    digits: Longs


class Trail(NamedTuple):
    """A way of n steps: its states (n + 1, row), their `digits` (n + 1, V), and the action `chosen` in each (n + 1)."""

    rows: Words
    digits: Longs
    chosen: Ints


@njit(inner=True)
def step(walk: Walk, row: Words, digits: Longs, action: int, after: Words) -> bool:
    """Write the state after an action, or the one before it, into `after`; False if there is none.

    Where an action does not always apply, its program decides: backward it is run on what was before.
    """
    tables, scratch = walk.tables, walk.scratch
    if walk.moves.total[action]:
        return bool(substitute(walk.moves, action, row, digits, after))
    if walk.back:
        if not substitute(walk.moves, action, row, digits, after):
            return False
        unpack(tables, after, scratch)
    else:
        unpack(tables, row, scratch)
    assigned = run(tables, scratch, tables.entry[action], scratch.runs[0])
    if assigned < 0:
        return False
    if not walk.back:
        copy_row(after, row)
        repack(tables, scratch, assigned, after)
    undo(scratch, assigned)
    return True


@njit(inner=True)
def next_step(walk: Walk, trail: Trail, level: int) -> bool:
    """Apply the next action after `chosen[level]` that can be applied to state `level` of a way; False if none is left.

    Its result is state `level` + 1. An action is left out where it need not follow the one before (`Walk.useful`).
    """
    chosen = trail.chosen
    chosen[level] += 1
    while chosen[level] < len(walk.tables.entry):
        action = long(chosen[level])
        if (level == 0 or walk.useful[chosen[level - 1], action]) and step(
            walk, trail.rows[level], trail.digits[level], action, trail.rows[level + 1]
        ):
            return True
        chosen[level] += 1
    return False


def walks_of(task: ProgramTask, tables: ProgramTables, both_ways: BothWays) -> tuple[Walk, Walk]:
    """Forward and backward, for actions that are substitutions."""
    scratch, digits = scratch_for(task, tables), np.zeros(len(task.variables), np.int64)
    ahead, back = (
        Walk(tables, scratch, moves, back, useful_pairs(assignments, both_ways.total), digits)
        for back, (moves, assignments) in enumerate(
            zip(both_ways.tables(tables), (both_ways.ahead, both_ways.back), strict=True)
        )
    )
    return ahead, back


def trail_of(walk: Walk, steps: int) -> Trail:
    """Arrays for a way of `steps` steps, before the first action is chosen."""
    variables = len(walk.digits)
    return Trail(
        rows=np.zeros((steps + 1, words_of(walk.tables)), np.uint64),
        digits=np.zeros((steps + 1, variables), np.int64),
        chosen=np.full(steps + 1, -1, np.int32),
    )
