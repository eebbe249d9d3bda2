"""Costs up to the largest that a file can hold: right in every engine, or refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import Puzzle, load_text, solve
from budge.benchmarks.large_costs import RoadMap, answers
from budge.models.errors import BudgeError
from budge.models.moves import MOST_OF_A_PLAN, MOST_OF_A_STEP

from ..helpers.seeds import seeds


@pytest.mark.parametrize("seed", seeds(6))
def test_every_engine_beside_dijkstra(tmp_path: Path, seed: int) -> None:
    assert not [(engine, wrong) for engine, _, wrong in answers(tmp_path, seed) if wrong]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(6, 60))
def test_every_engine_beside_dijkstra_on_more_maps(tmp_path: Path, seed: int) -> None:
    assert not [(engine, wrong) for engine, _, wrong in answers(tmp_path, seed) if wrong]


def _graph(factor: int) -> Puzzle:
    road_map = RoadMap(1)
    road_map.roads = {(here, (here + step) % 9): 3 * here + 7 * step for here in range(9) for step in (1, 2, 4)}
    road_map.places, road_map.movers = 9, [(0, 8), (3, 2), (5, 1)]
    road_map.roads = {road: cost * factor for road, cost in road_map.roads.items()}
    return load_text(road_map.as_yaml())


def test_a_factor_of_all_costs_changes_no_expansion() -> None:
    """Neither the order of the queue nor a heuristic depends on how large the numbers are."""
    small, large = (solve(_graph(factor), engine="astar") for factor in (1, 17_000_000))
    assert small.cost is not None
    assert large.cost == 17_000_000 * small.cost > 1 << 31
    for count in ("expanded", "reopened", "generated"):
        assert large.outcome.stats[count] == small.outcome.stats[count], count


def test_one_place_says_how_large_a_cost_can_be() -> None:
    text = RoadMap(0).as_yaml()
    cost = text[text.index("cost: ") :].splitlines()[0]
    assert load_text(text.replace(cost, f"cost: {MOST_OF_A_STEP}", 1))
    for wrong in (f"cost: {MOST_OF_A_STEP + 1}", "cost: 999999999 * 2", "cost: at0 * 600000000"):
        with pytest.raises(BudgeError, match="1,000,000,000"):
            solve(load_text(text.replace(cost, wrong)), engine="bfs")
    expected = load_text(f"{text}expect: {{cost: {MOST_OF_A_PLAN}}}\n").header.expect
    assert list(expected.costs.values()) == [(MOST_OF_A_PLAN,)]
    with pytest.raises(BudgeError, match="at most 4,611,686,018,427,387,904"):
        load_text(f"{text}expect: {{cost: {MOST_OF_A_PLAN + 1}}}\n")


def test_one_cheap_road_beside_dear_ones_is_optimal_by_iterative_deepening() -> None:
    """A way may go to and fro on the cheap road 10^9 times; room for that would be beyond any memory."""
    road_map = RoadMap(1)
    road_map.places, road_map.movers = 8, [(0, 4)]
    road_map.roads = {(here, (here + step) % 8): 10**9 for here in range(8) for step in (1, 7)}
    road_map.roads[2, 3] = road_map.roads[3, 2] = 1
    found = solve(load_text(road_map.as_yaml()), engine="idastar", memory_limit=512)
    assert found.status == "optimal"
    assert found.cost == road_map.optimum() == 3 * 10**9 + 1
