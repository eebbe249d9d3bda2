"""Where a walker gets to, by unit propagation in a formula, held against a flood of the free cells."""

from __future__ import annotations

import random

import numpy as np
import pytest
from budge import load
from budge.encoders.formula import FALSE, TRUE, Formula
from budge.encoders.reach import ReachEncoder
from budge.models.task import OperatorTask
from hypothesis import given
from hypothesis import strategies as st

from ..helpers.sokoban_levels import level, levels


def propagated(formula: Formula) -> dict[int, bool]:
    """The variables that unit propagation decides."""
    clauses = formula.clauses + [
        [~cause, effect] for cause, all_of in formula.implications.items() for effect in all_of
    ]
    values: dict[int, bool] = {}

    def value(literal: int) -> bool | None:
        known = values.get(literal if literal >= 0 else ~literal)
        return known if known is None or literal >= 0 else not known

    changed = True
    while changed:
        changed = False
        for clause in clauses:
            open_ones = [literal for literal in clause if value(literal) is None]
            if len(open_ones) == 1 and not any(value(literal) for literal in clause):
                values[open_ones[0] if open_ones[0] >= 0 else ~open_ones[0]] = open_ones[0] >= 0
                changed = True
    return values


def check_reach(task: OperatorTask, rng: random.Random) -> None:
    walker = task.walker
    assert walker is not None
    reach = ReachEncoder(task)
    assert sorted(cell for cells in reach.regions for cell in cells) == [*range(len(walker.cells))]
    stops = sorted({op.walk[1] for op in task.operators if op.walk})
    movable = {fact for op in task.operators for fact in op.delete}
    for begins in (True, False):
        start = walker.start if begins or not stops else rng.choice(stops)
        blocked = {fact for fact in walker.free if fact in movable and rng.random() < 0.4} - {walker.free[start]}
        here = [TRUE if fact not in blocked else FALSE for fact in range(len(task.facts))]
        last = next((n for n, op in enumerate(task.operators) if op.walk and op.walk[1] == start), None)
        if not begins and last is None:
            continue
        previous = [TRUE if n == last and not begins else FALSE for n in range(len(task.operators))]
        formula = Formula()
        chosen = np.arange(len(task.operators), dtype=np.int32)
        formula.variables = len(chosen)
        literals = reach.add(formula, np.array(here), np.array(previous), chosen, first=begins)
        values = propagated(formula)
        cells = [start]
        for cell in cells:
            cells += [n for n in walker.neighbours[cell] if n not in cells and walker.free[n] not in blocked]
        found = [literal == TRUE or values.get(int(literal)) for literal in literals.tolist()]
        for region, gets_there in zip(reach.regions, found, strict=True):
            assert gets_there is (region[0] in cells)
        for number, op in enumerate(task.operators):
            assert op.walk is not None
            assert values.get(number) is (None if op.walk[0] in cells else False)


@given(levels(), st.randoms(use_true_random=False))
def test_reach_on_random_levels(rows: tuple[str, ...], rng: random.Random) -> None:
    check_reach(level(list(rows)).task("pushes"), rng)


@pytest.mark.parametrize("name", ["microban-077", "xsokoban-01"])
def test_reach_on_shipped_levels(name: str) -> None:
    for seed in range(5):
        check_reach(load(name).task("pushes"), random.Random(seed))
