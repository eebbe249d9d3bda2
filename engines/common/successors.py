"""The successors of a stored state, of operators and of programs: the one place where nearly all searches make them.

A search room knows a task by its *form*: tables, and room for the successors of one state. Kernels are written once,
over `successors(form, row)`, `is_goal(form, row)` and `form.task.cost`; numba compiles them for each form.

    OperatorForm     a state is a set of facts, fact f in bit f; an operator applies if its preconditions are true
    ProgramForm      a state is the values of the variables, each in bits of its own; every action is a program that is
                     run on them, and fails if it does not apply
                     (`inverse_form`: for a search backward from the goals; a child is a state one action before)

Of operators, a child is one operator away. In a task with compound moves it is one *compound move* away: any way of one
movable object, while nothing else moves. A walker gets to where the operator is made by itself, within the region of
free cells that it is in; the cell that stands in a state is the first one of that region.

By definition the children of a state are what `steps` of `engines/common/state_space.py` gives;
`tests/engines/test_successors.py` holds the two against each other. Searches that look at an operator before they make
the child (`astar.kernels.expand`, `idastar.kernels.children`) and the one over short keys (`bfs.fdr_store`) have
loops of their own: there, most children are dropped before they are made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis import bitset_kernels
from ...analysis.bitset_kernels import ONE, applies, apply, walk_region
from ...analysis.bitset_task import BitsetTask, to_bitset_task
from ...analysis.inverse_programs import BothWays
from ...analysis.program_machine import (
    ProgramScratch,
    ProgramTables,
    make_canonical,
    packed,
    program_tables,
    repack,
    run,
    scratch_for,
    undo,
    unpack,
)
from ...models.interchangeable import canonical
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Bytes, Ints, Words, zeros
from ...runtime.bitops import long, same_row, trailing_zeros
from ...runtime.kernel_calls import by_type, njit
from .successor_generator import (
    BACKWARD,
    SuccessorGenerator,
    change,
    digit_of,
    fits,
    inverse_generator,
    simple_generator,
    successor_generator,
)


class Workspace(NamedTuple):
    """Where the children of one state are written, and scratch. A task has F facts and K walker cells.

    `rows` (most, row words): the children; `steps` (most): how each is reached, the number of an operator, of a
    compound move the last one. `start`, `position` (most): the facts before and after a compound move; `seen` (F): the
    positions reached in one. `region`, `after` (K): cells that the walker can reach, in the state and in a child;
    `stack` (K).
    """

    rows: Words
    steps: Ints
    start: Ints
    position: Ints
    seen: Bytes
    region: Bytes
    after: Bytes
    stack: Ints


def workspace(task: BitsetTask) -> Workspace:
    """Room for the children of any state of a task with operators."""
    most, facts, cells = task.most + 1, 64 * task.words, max(1, len(task.free_bit))
    return zeros(Workspace, cells, rows=(most, task.row), steps=most, start=most, position=most, seen=facts)


class OperatorForm(NamedTuple):
    """A task with operators; `init` (row words): its initial state."""

    task: BitsetTask
    work: Workspace
    init: Words


class ProgramWorkspace(NamedTuple):
    """Where the children of one state are written, and what programs work in. `rows` and `steps` as in `Workspace`:
    a step is the number of an action.
    """

    rows: Words
    steps: Ints
    scratch: ProgramScratch


class ProgramForm(NamedTuple):
    """A task whose actions are programs; `init` (row words): its initial state; `generator`: which of them apply."""

    task: ProgramTables
    generator: SuccessorGenerator
    work: ProgramWorkspace
    init: Words


Form = OperatorForm | ProgramForm
"""A task as search rooms know it."""


def form_of(task: Task) -> Form:
    """The form of a task, which is made at once."""
    return by_form(task, _operator_form, lambda task: program_form(task, task.computed(simple_generator)))


def quicker_form(task: Task) -> Form:
    """A form of a task on which long searches are quicker; it takes up to a tenth of a second to make."""
    return by_form(task, _operator_form, lambda task: program_form(task, task.computed(successor_generator)))


def _operator_form(task: OperatorTask) -> Form:
    return operator_form(to_bitset_task(task))


def operator_form(task: BitsetTask) -> OperatorForm:
    """The form of a task with operators."""
    work, init = workspace(task), np.zeros(task.row, np.uint64)
    init[: task.words] = task.init
    if task.has_walker:
        init[task.words] = walk_region(task, init, task.start, work.region, work.stack)
    return OperatorForm(task, work, init)


def program_form(task: ProgramTask, generator: SuccessorGenerator) -> ProgramForm:
    """The form of a task whose actions are programs."""
    tables = task.computed(program_tables)
    init, most = packed(tables, canonical(tables.swaps, task.init)[0]), len(task.actions) + 1
    work = ProgramWorkspace(
        rows=np.zeros((most, len(init)), np.uint64),
        steps=np.zeros(most, np.int32),
        scratch=scratch_for(task, tables),
    )
    return ProgramForm(tables, generator, work, init)


def inverse_form(task: ProgramTask, both_ways: BothWays) -> ProgramForm:
    """The form of a task for a search backward, which ends in the initial state. Raises `UsageError`."""
    return program_form(task, inverse_generator(task, both_ways))


@njit(inner=True)
def copy_row(target: Words, row: Words) -> None:
    """`target[:] = row`. Spelled out, as numba's own assignment of a row takes two seconds more to compile."""
    for w in range(len(row)):
        target[w] = row[w]


@njit(inner=True)
def operator_successors(task: BitsetTask, state: Words, work: Workspace, barred: int) -> int:
    """Write the children of a state of a task with operators into `work`; gives their number.

    No compound move starts at fact `barred` (-1: any may): what has just moved need not move on.
    """
    rows, steps, region, stack = work.rows, work.steps, work.region, work.stack
    words, cells, compound = task.words, len(task.free_bit), len(task.displacement) > 0
    if cells:
        walk_region(task, state, long(state[words]), region, stack)
    count = 0
    for w in range(words):
        bits = state[w] & task.watched[w]
        while bits:
            # Each true fact is the watched one of some operators: only these can apply because of it.
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            if compound:
                if fact != barred:
                    count = compound_moves(task, state, work, fact, count)
                continue
            # Behind what it pushes, the walker must be in its region; its cell after that is the region's first.
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = task.watch_ops[i]
                if not applies(task, op, state) or (cells and not region[task.walk[op, 0]]):
                    continue
                apply(task, op, state, rows[count])
                if cells:
                    rows[count, words] = walk_region(task, rows[count], long(task.walk[op, 1]), work.after, stack)
                steps[count] = op
                count += 1
    return count


@njit(inner=True)
def compound_moves(task: BitsetTask, state: Words, work: Workspace, start: int, count: int) -> int:
    """Add the compound moves of the object at fact `start` to the `count` children in `work`; gives the new number.

    Breadth-first over the positions of the object. Nothing else moves meanwhile, so its position says which state it
    is. The rows written are the queue; the state itself stands before the first of them:

        source   state   rows[count]   rows[count + 1]   ...
        head    count-1     count         count + 1             tail
    """
    rows, steps, position, seen = work.rows, work.steps, work.position, work.seen
    head, tail, here = count - 1, count, long(start)
    seen[start] = 1
    while True:
        # 1. Operators that move the object from where it is to where it was not yet.
        source = state if head < count else rows[head]
        for i in range(task.watch_first[here], task.watch_first[here + 1]):
            op = task.watch_ops[i]
            there = task.displacement[op, 1]
            if not seen[there] and applies(task, op, source):
                seen[there] = 1
                apply(task, op, source, rows[tail])
                steps[tail], work.start[tail], position[tail] = op, start, there
                tail += 1
        head += 1
        if head == tail:
            break
        here = long(position[head])
    # 2. The marks are taken back: `seen` is clear for the next object.
    seen[start] = 0
    for i in range(count, tail):
        seen[position[i]] = 0
    return tail


@njit(inner=True)
def _of_operators(form: OperatorForm, state: Words) -> int:
    return operator_successors(form.task, state, form.work, -1)


@njit(inner=True)
def _of_programs(form: ProgramForm, state: Words) -> int:
    """Write the states after each action that applies and changes something; gives their number. Where objects are
    interchangeable, these are the canonical ones.
    """
    tables, generator, scratch, rows, steps = (
        form.task,
        form.generator,
        form.work.scratch,
        form.work.rows,
        form.work.steps,
    )
    count, unpacked, now = 0, False, long(0)
    for x in range(len(generator.watched)):
        # 1. The cases of actions that are listed for the value of a watched variable, and whose conditions hold.
        at, variable = generator.lists[x], generator.watched[x]
        if variable >= 0:
            at += digit_of(tables, state, variable)
        for i in range(generator.first[at], generator.first[at + 1]):
            case = long(generator.case[i])
            if variable >= 0 and not fits(generator, tables, case, state):
                continue
            # 2. What it does: as its case says, or its program, run on registers. They hold the state's values, which
            # a run changes and gives back (`undo`).
            action = generator.action[case]
            if generator.whole[case]:
                change(generator, tables, case, state, rows[count])
                if generator.whole[case] == BACKWARD and not _applies(form, action, rows[count]):
                    continue
            else:
                if not unpacked:
                    unpack(tables, state, scratch)
                    unpacked, now = True, scratch.runs[0]
                assigned = run(tables, scratch, tables.entry[action], now)
                if assigned < 0:
                    continue
                copy_row(rows[count], state)
                repack(tables, scratch, assigned, rows[count])
                undo(scratch, assigned)
            if len(tables.swaps.first) > 1:
                make_canonical(tables, scratch, rows[count])
            if not same_row(rows, count, state):
                steps[count] = action
                count += 1
    return count


@njit(inner=True)
def _applies(form: ProgramForm, action: int, row: Words) -> bool:
    """Whether the program of an action does not fail in a state."""
    tables, scratch = form.task, form.work.scratch
    unpack(tables, row, scratch)
    assigned = run(tables, scratch, tables.entry[action], scratch.runs[0])
    if assigned >= 0:
        undo(scratch, assigned)
    return bool(assigned >= 0)


successors = by_type({OperatorForm: _of_operators, ProgramForm: _of_programs})
"""`successors(form, row)` writes the children of a state into `form.work`, and gives their number."""


@njit(inner=True)
def _holds_facts(form: OperatorForm, row: Words) -> bool:
    return bool(bitset_kernels.is_goal(form.task, row))


@njit(inner=True)
def _meets_program(form: ProgramForm, row: Words) -> bool:
    goal = len(form.generator.action) - 1
    if not fits(form.generator, form.task, goal, row):
        return False
    if form.generator.whole[goal]:
        return True
    unpack(form.task, row, form.work.scratch)
    return run(form.task, form.work.scratch, form.task.goal, form.work.scratch.runs[0]) >= 0


is_goal = by_type({OperatorForm: _holds_facts, ProgramForm: _meets_program})
"""`is_goal(form, row)`: whether a state is a goal."""
