"""Walkers: a variable whose values are cells, and actions that step from cell to neighbouring cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....cells import DIRECTIONS, Cell, rc, shift
from ....task import Walker
from ..puzzle import Custom
from ..rules import walking
from .draft import Draft, DraftOperator
from .facts import Facts


def with_walker(draft: Draft, puzzle: Custom, facts: Facts) -> Draft:
    """The same task with a walker in place of a variable and its free steps; the task itself if there is no walker.

    All that a walker is must be so: its steps all cost the same (in what counts first, nothing), lead to neighbouring
    cells and back, and need one fact at most, which depends on the cell alone; every other operator says where it
    stands before; nothing else asks for it.
    """
    home = walking(puzzle)
    if home is None:
        return draft
    cell_of: dict[int, Cell] = {}
    for fact in facts.facts(facts.compiler.at[home[0]][()]):
        cell = facts.numbering.value[fact]
        assert isinstance(cell, tuple)
        cell_of[fact] = cell
    asked = [*draft.goal, *facts.nones]
    if len(cell_of) < 2 or any(not cell_of.keys().isdisjoint(several) for several in asked):
        return draft
    # The walking actions must be steps between neighbouring cells; what a cell needs to be entered is its "free" fact.
    actions = {action.name for action in home[1]}
    walks = [op for op in draft.operators if op.action in actions]
    found = _steps(walks, cell_of)
    if found is None:
        return draft
    arcs, needs = found
    # The walker's own facts go; engines want a "free" fact for each of its cells, so cells that need none get one.
    cells = sorted(cell_of.values())
    index = {cell: i for i, cell in enumerate(cells)}
    begin = next(cell for fact, cell in cell_of.items() if fact in draft.init)
    if needs.get(begin) is not None and needs[begin] not in draft.init:
        return draft
    operators = []
    for op in draft.operators:
        if op.action not in actions:
            moved = _from_a_cell(op, cell_of, needs, index)
            if moved is None:
                return draft
            operators.append(moved)
    always = {cell: facts.further_fact(f"free {rc(cell)}") for cell in cells if needs.get(cell) is None}
    free = {cell: fact for cell, fact in (needs | always).items() if fact is not None}
    return replace(
        draft,
        groups=tuple(group for group in draft.groups if cell_of.keys().isdisjoint(group.facts)),
        operators=operators,
        init=draft.init.difference(cell_of).union(always.values()),
        walker=Walker(
            cells=tuple(cells),
            free=tuple(free[cell] for cell in cells),
            neighbours=tuple(tuple(sorted(index[c] for c in arcs.get(cell, ()))) for cell in cells),
            start=index[begin],
            cost=walks[0].cost,
            silent=True,
        ),
    )


def _from_a_cell(
    op: DraftOperator, cell_of: Mapping[int, Cell], free: Mapping[Cell, int | None], index: Mapping[Cell, int]
) -> DraftOperator | None:
    """An operator with the walker's cells before and after it in place of their facts.

    None if it does not say where the walker stands, or if he may stand afterwards where it is not free.
    """
    pre, add, delete = op.pre, op.add, op.delete
    before = [cell_of[fact] for fact in pre if fact in cell_of]
    if len(before) != 1:
        return None
    after = next((cell_of[fact] for fact in add if fact in cell_of), before[0])
    here, there = free.get(before[0]), free.get(after)
    # Where the walker stands it is free: it was so before, and is so after.
    if there is not None and (there in delete or (there not in add and there not in pre and there != here)):
        return None
    needed = [fact for fact in pre if fact not in cell_of]
    if here is not None and here not in needed:
        needed = sorted([*needed, here])
    return DraftOperator(
        op.action,
        op.args,
        op.number,
        tuple(needed),
        tuple([fact for fact in add if fact not in cell_of and fact not in needed]),
        tuple([fact for fact in delete if fact not in cell_of]),
        op.cost,
        (index[before[0]], index[after]),
        before[0],
        op.twins,
    )


def _steps(
    walks: list[DraftOperator], cell_of: dict[int, Cell]
) -> tuple[dict[Cell, set[Cell]], dict[Cell, int | None]] | None:
    """The cells that a walker can step to from each cell, and the fact that each cell needs; None if these are no
    walks.
    """
    arcs: dict[Cell, set[Cell]] = {}
    needs: dict[Cell, int | None] = {}
    for op in walks:
        if op.cost != walks[0].cost or op.cost[0] or len(op.delete) != 1 or len(op.add) != 1:
            return None
        here, there = cell_of.get(op.delete[0]), cell_of.get(op.add[0])
        rest = [fact for fact in op.pre if fact not in cell_of]
        if here is None or there is None or len(rest) > 1:
            return None
        need = rest[0] if rest else None
        if needs.setdefault(there, need) != need:
            return None
        arcs.setdefault(here, set()).add(there)
    for cell, targets in arcs.items():
        near = {shift(cell, direction) for direction in DIRECTIONS}
        if not targets <= near or any(cell not in arcs.get(target, ()) for target in targets):
            return None
    return (arcs, needs) if arcs else None
