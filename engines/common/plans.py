"""Reconstructing the plan that led to a stored state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_task import BitsetTask
from ...analysis.program_machine import packed, program_tables, unpacked
from ...models.interchangeable import canonical, exchanged
from ...models.moves import Cost, Move
from ...models.plan import Plan, apply
from ...models.program import Machine, ProgramTask, by_form
from ...models.task import Operator, OperatorTask, Task, walks
from ...runtime.arrays import Words, bit_rows
from .plain_search import added
from .state_space import State, StateSpace, StateStep
from .store import StateStore, facts_of, way_to


def plan_to(task: Task, store: StateStore, index: int) -> Plan:
    """The plan that led to a stored state."""
    return plan_over(task, rows_to(task, store, index))[0]


def rows_to(task: Task, store: StateStore, index: int) -> Words:
    """The states of the way to a stored state, from the initial one on, with interchangeable objects told apart."""
    return told_apart(task, store.states[way_to(store.parent, index)])


def told_apart(task: Task, rows: Words) -> Words:
    """The states of a way, from the initial one on, as a search has them, with interchangeable objects told apart.

    If an action leads from the canonical state c to s, and the swaps σ make s canonical, then σ(s) is the next stored
    state. Where τ maps c to the state that is really reached, τ(s) is the next one, and τ σ⁻¹ maps σ(s) to it. A swap
    undoes itself, so σ⁻¹ is σ in the opposite order.
    """
    if not isinstance(task, ProgramTask) or not task.interchangeable:
        return rows
    machine, tables, reached = Machine(task), task.computed(program_tables), [task.init]
    back = canonical(tables.swaps, task.init)[1][::-1]
    for before, after in pairwise(unpacked(tables, row) for row in rows):
        steps = [(action.cost, machine.after(before, action)) for action in task.actions]
        ways = [(cost, state, *canonical(tables.swaps, state)) for cost, state in steps if state is not None]
        _, state, _, swaps = min(way for way in ways if way[2] == after)
        reached.append(exchanged(tables.swaps, state, back))
        back = [*swaps[::-1], *back]
    return np.array([packed(tables, state) for state in reached])


def plan_over(task: Task, rows: NDArray[np.uint64]) -> tuple[Plan, Cost]:
    """The plan that leads from each state to the next, and its cost; a walker goes the shortest ways.

    A state has the walker's very cell, or the first one of its region. Where several operators or actions lead from the
    one state to the other, the cheapest is taken.
    """
    return by_form(task, lambda task: _over_operators(task, rows), lambda task: _over_programs(task, rows))


def _over_operators(task: OperatorTask, rows: NDArray[np.uint64]) -> tuple[Plan, Cost]:
    words, walker = (len(task.facts) + 63) // 64, task.walker
    held = [facts_of(row[:words].tolist()) for row in rows]
    if not task.compound_moves:  # operators that change anything else are never looked at
        changes = {(before - after, after - before) for before, after in pairwise(held)}
        able = [op for op in task.operators if (frozenset(op.delete), frozenset(op.add)) in changes]
        task = replace(task, operators=able)
    space = StateSpace(task, regions=False)
    state, cost, steps = space.start, (0,) * len(task.metric), []
    for row, after in zip(rows[1:], held[1:], strict=True):
        ways = ways_to(space, state, after)
        if walker:
            there, cells = int(row[words]), {way.state.cell for way in ways}
            fitting = {cell for cell in cells if there in (cell, min(walks(walker, cell, after)))}
            ways = [way for way in ways if way.state.cell in fitting]
        step = min(ways, key=lambda way: way.cost)
        state, cost = step.state, added(cost, step.cost)
        steps.append(step.operators)
    return space.plan(steps), cost


def ways_to(space: StateSpace, state: State, after: frozenset[int]) -> list[StateStep]:
    """The steps from a state after which these facts are true. There has to be one."""
    facts = sum(1 << fact for fact in after)
    ways = [way for way in space.steps(state) if way.state.facts == facts]
    if not ways:
        raise AssertionError("no step leads from the one state to the other")
    return ways


def compound_move(task: OperatorTask, before: frozenset[int], after: frozenset[int]) -> list[Operator]:
    """The shortest sequence of operators that brings one object from its place in a state to that in another."""
    state = State(sum(1 << fact for fact in before), 0)
    return list(ways_to(task.computed(StateSpace), state, after)[0].operators)


def _over_programs(task: ProgramTask, rows: Iterable[Words]) -> tuple[Plan, Cost]:
    machine, tables = Machine(task), task.computed(program_tables)
    actions = [
        min((one for one in task.actions if machine.after(before, one) == after), key=lambda action: action.cost)
        for before, after in pairwise(unpacked(tables, row) for row in rows)
    ]
    return task.plan(actions), tuple(map(sum, zip(*(action.cost for action in actions), strict=True)))


def rows_along(task: OperatorTask, packed: BitsetTask, plan: Plan) -> Words:
    """The states of a plan as rows of a store; what lies between two visits of a state is left out.

    Each move is that of one operator, and a walker, if there is one, walks for nothing: a state has the first cell of
    its region. Raises `ValueError` if a move is that of no applicable operator.
    """
    by_move: dict[Move, list[Operator]] = {}
    for op in task.operators:
        if op.move:
            by_move.setdefault(op.move.singles[0], []).append(op)
    state, walker = frozenset(task.init), task.walker
    cell = walker.start if walker else 0
    way: list[Words] = []
    left = plan.moves
    while True:
        row = np.zeros(packed.row, np.uint64)
        row[: packed.words] = bit_rows([sorted(state)], packed.words)[0]
        if walker:
            row[packed.words] = min(walks(walker, cell, state))
        way.append(row)
        if not left:
            break
        # Of a chain, all of it: what another operator has of it is its beginning.
        made: Operator | None = None
        size = 0
        for op in by_move.get(left[0], ()):
            moves = op.move.singles if op.move else ()
            if len(moves) > size and left[: len(moves)] == moves and state.issuperset(op.pre):
                made, size = op, len(moves)
        if made is None:
            raise ValueError(f"{left[0]} is the move of no applicable operator")
        state, left = apply(state, made), left[size:]
        cell = made.walk[1] if made.walk else cell
    return without_loops(np.array(way))


def without_loops(rows: Words) -> Words:
    """The states of a way; what lies between two visits of a state is left out."""
    last = {row.tobytes(): number for number, row in enumerate(rows)}
    kept, step = [], 0
    while step < len(rows):
        step = last[rows[step].tobytes()]
        kept.append(step)
        step += 1
    return rows[kept]
