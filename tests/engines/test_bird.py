"""Plan refinement: valid plans, complete, and no more than an upper bound."""

from __future__ import annotations

import json

import pytest
from budge import Budget, Status, load, load_text
from budge.cli import main
from budge.engines.bird.engine import Refinement
from budge.models.boards import LaneBoard
from budge.models.errors import UsageError
from budge.models.moves import Slide
from budge.models.task import OperatorTask
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import rush_hour
from ..helpers.seeds import examples

HEAD = "format: 1\nfamily: rush-hour\n"


@pytest.mark.parametrize(
    ("name", "steps"), [("bird-1", 40), ("bird-2", 18), ("bird-3", 59), ("bird-4", 91), ("servais-93", 143)]
)
def test_the_five_boards(name: str, steps: int) -> None:
    solution = solve(load(name), "bird", "steps")
    assert solution.outcome.status is Status.FEASIBLE
    assert (solution.cost,) == solution.outcome.upper_bound == (steps,)
    assert solution.outcome.lower_bound is None
    stats = solution.outcome.stats
    optimum = solution.puzzle.header.expect.costs["steps"][0]
    assert (stats["optimum_by_expect"], stats["above_optimum"]) == (optimum, steps - optimum)
    assert int(stats["plans"]) >= steps
    assert int(stats["states"]) > 0


def test_slides_are_counted_by_the_replay() -> None:
    by_steps, by_slides = (solve(load("bird-1"), "bird", metric) for metric in ("steps", "slides"))
    assert by_steps.replay is not None
    assert by_slides.replay is not None
    assert by_steps.replay.costs == by_slides.replay.costs
    assert by_slides.cost == len(by_slides.replay.steps)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=examples(150))
def test_a_plan_is_found_if_and_only_if_there_is_one(seed: int, metric: str) -> None:
    puzzle = load_text(rush_hour(seed))
    searched, planned = solve(puzzle, "bfs", metric), solve(puzzle, "bird", metric)
    if searched.cost is None:
        assert planned.outcome.status is Status.UNSOLVABLE
        assert planned.outcome.lower_bound_by
    else:
        assert planned.outcome.status is Status.FEASIBLE
        assert planned.cost is not None
        assert planned.cost >= searched.cost


def test_unsolvable_is_proven_by_all_states() -> None:
    outcome = solve(load("rush_hour/unsolvable"), "bird").outcome
    assert outcome.status is Status.UNSOLVABLE
    assert "11,617 reachable states" in outcome.lower_bound_by


def test_a_wall_before_the_exit_is_named() -> None:
    outcome = solve(load_text(HEAD + "board: |\n  AA#.\n  ....\n"), "bird").outcome
    assert outcome.status is Status.UNSOLVABLE
    assert "a wall stands between piece A and its exit" in outcome.lower_bound_by


def test_a_plan_is_made_in_the_order_in_which_it_is_found() -> None:
    puzzle = load_text(HEAD + "board: |\n  ..B\n  AAB\n  ...\n  ...\n")
    solution = solve(puzzle, "bird", "steps")
    assert solution.replay is not None
    assert solution.replay.notation == ["B+1", "B+1", "A+1"]


@pytest.mark.parametrize(
    ("rest", "steps"),
    [
        ("board: |\n  ..AA\n  ....\n", 0),
        ("board: |\n  AA..\n  ....\ngoal: {exit: left}\n", 0),
        ("board: |\n  .A..\n  .A..\n  BB..\n  ....\ngoal: {exit: bottom}\n", 4),
        ("board: |\n  ..AA\n  B...\n  B...\ngoal: {exit: {row: 1, col: 1}}\n", 2),
        ("board: |\n  ..BAAA\n  ..B...\n  ..B...\n  ......\ngoal: {exit: left}\n", 4),
        ("board: |\n  AKKB\n  ...#\norientation: {A: horizontal, B: vertical}\ngoal: {exit: {row: 1, col: 1}}\n", 0),
        ("board: |\n  A.K\n  ...\norientation: {A: horizontal, K: vertical}\n", 3),
    ],
)
def test_other_sides_cells_and_lengths(rest: str, steps: int) -> None:
    assert solve(load_text(HEAD + rest), "bird", "steps").cost == steps


def test_a_board_as_lanes() -> None:
    puzzle = load_text(HEAD + "board: |\n  ..B#\n  AAB.\n  ...#\n")
    lanes = puzzle.view(LaneBoard, "slides")
    assert lanes is not None
    assert [(len(v.cells), v.size, v.position) for v in lanes.vehicles] == [(3, 2, 0), (4, 2, 0)]
    assert (lanes.target, lanes.exit, lanes.long_moves, lanes.unsolvable_because) == (1, (1, 3), True, None)
    assert lanes.vehicles[0].slide(0, 1) == Slide((0, 2), "D")
    assert lanes.vehicles[1].slide(2, 0) == Slide((1, 2), "LL")
    steps = puzzle.view(LaneBoard, "steps")
    assert steps is not None
    assert not steps.long_moves
    assert load("microban-001").view(LaneBoard) is None
    assert puzzle.view(OperatorTask, "steps") == puzzle.task("steps")


def test_refinements_of_a_first_plan() -> None:
    puzzle = load_text(HEAD + "board: |\n  ...\n  ..B\n  AAB\n  ...\n")
    board = puzzle.view(LaneBoard)
    assert board is not None
    search = Refinement(board, Budget())
    first = search._expand(search.start, (0, search.exit))
    assert first == ((0, 2),)
    # B has room for one cell downward, which is not enough, and goes up by one.
    assert list(search._newplans(search.start, first)) == [((1, 0), (0, 2))]


def test_limits() -> None:
    budget = Budget()
    budget.interrupted.set()
    assert solve(load("rush_hour/unsolvable"), "bird", budget=budget).outcome.status is Status.INTERRUPTED
    outcome = solve(load("rush_hour/unsolvable"), "bird", budget=Budget(memory_mib=1)).outcome
    assert (outcome.status, outcome.stopped_by) == (Status.UNKNOWN, "memory limit")
    outcome = solve(load("rush_hour/unsolvable"), "bird", budget=Budget(seconds=0.0)).outcome
    assert (outcome.status, outcome.stopped_by) == (Status.UNKNOWN, "time limit")


def test_other_families_are_refused() -> None:
    with pytest.raises(UsageError, match="the engine `bird` is for rush-hour, not sokoban"):
        solve(load("microban-001"), "bird")


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-1", "--engine", "bird", "--metric", "steps", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["status"], result["cost"], result["lower_bound"]) == ("feasible", 40, None)
    assert main(["solve", "rush_hour/unsolvable", "--engine", "bird"]) == 1
    assert main(["solve", "bird-1", "--engine", "bird"]) == 0
    assert "not proven shortest" in capsys.readouterr().out
