"""The textbook encoding and the real one have the same plans."""

from __future__ import annotations

import pytest
from budge import Budget, Puzzle, load
from budge.analysis.hm.tables import hm_tables
from budge.analysis.move_pruning import find_move_pruning
from budge.analysis.plan_invariants import find_invariants
from budge.analysis.transformed_tasks import with_unit_cost
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat.solver import SearchSettings
from budge.engines.cp_sat.solver import solve as solve_formula
from hypothesis import assume, given, settings

from ..helpers import plain_encoding
from ..helpers.random_puzzles import cost_of, puzzles
from ..helpers.seeds import examples

LONGEST = 6
"""Plans of more steps are left out: the textbook encoding is slow."""


def check(puzzle: Puzzle, metric: str, optimum: int | None, horizons: range) -> None:
    """At each horizon both formulas have a plan if and only if one is short enough; the plans are valid."""
    task = puzzle.task(metric)
    stepwise = with_unit_cost(task)
    assert stepwise is not None
    tables = hm_tables(stepwise, 2)
    if tables.lower_bound is None:
        assert optimum is None
    encoder = HorizonEncoder(stepwise, tables, find_move_pruning(stepwise), find_invariants(stepwise, Budget()))
    for horizon in horizons:
        for model in plain_encoding.encode(stepwise, horizon), encoder.encode(horizon, idle=True):
            answer = solve_formula(model.formula, Budget(), SearchSettings(long=True))
            has_a_plan = optimum is not None and optimum <= horizon
            assert answer.status == ("solution" if has_a_plan else "infeasible")
            if answer.values is not None:
                replay = puzzle.replay(model.plan(answer.values))
                assert replay.solved
                assert replay.costs[task.metric[0]] <= horizon


@given(drawn=puzzles())
@settings(max_examples=examples(60))
def test_random_puzzles(drawn: tuple[Puzzle, str]) -> None:
    puzzle, metric = drawn
    task = puzzle.task(metric)
    assume(not task.unsolvable_because and not task.holds(task.init))
    expected = cost_of(puzzle, metric)
    optimum = None if expected is None else expected[0]
    assume(optimum is None or optimum <= LONGEST)
    check(puzzle, metric, optimum, range(1, 4) if optimum is None else range(max(1, optimum - 1), optimum + 2))


@pytest.mark.parametrize(
    ("name", "metric", "optimum"),
    [("three-6", "moves", 6), ("bird-2", "slides", 10)],
)
def test_shipped_puzzles(name: str, metric: str, optimum: int) -> None:
    check(load(name), metric, optimum, range(optimum - 1, optimum + 1))
