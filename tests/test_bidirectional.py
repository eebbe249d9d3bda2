"""The search from both ends, against the definition and breadth-first search."""

from __future__ import annotations

from itertools import combinations

import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.bidirectional.engine import bidirectional, from_any_state
from budge.engines.bidirectional.goal_states import goal_states, inverse
from budge.engines.bidirectional.tunables import BIDIRECTIONAL
from budge.runtime.events import Event, LayerDone
from budge.workflows.solving import solve
from hypothesis import given, settings

from .random_puzzles import agrees, cost_of, interrupted, puzzles
from .test_successors import count


def check(puzzle: Puzzle, metric: str) -> None:
    agrees(solve(puzzle, "bidirectional", metric), cost_of(puzzle, metric))


@given(case=puzzles())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_random_puzzles(case: tuple[Puzzle, str]) -> None:
    check(*case)


@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("eight-31-a", "moves", 31),
        ("jewel-swap", "moves", 61),
        ("microban-005", "pushes", 6),
        ("seven-36", "moves", 36),
    ],
)
def test_fewer_states_than_forward_alone(name: str, metric: str, cost: int) -> None:
    puzzle = load(name)
    both, forward = (solve(puzzle, engine, metric) for engine in ("bidirectional", "bfs"))
    assert both.cost == forward.cost == cost
    assert int(both.outcome.stats["states"]) < int(forward.outcome.stats["states"])
    assert int(both.outcome.stats["layers_backward"]) > 0


def test_goal_states_are_those_that_the_groups_allow() -> None:
    task = load_text("format: 1\nfamily: n-puzzle\nstart: |\n  2 1\n  3 .\n").task("moves")
    task = task.__class__(**{**{f: getattr(task, f) for f in task.__dataclass_fields__}, "goal": ((task.init[0],),)})
    packed = to_bitset_task(task)
    found = goal_states(task, packed, 1000)
    assert found is not None
    expected = set()
    for facts in combinations(range(len(task.facts)), len(task.init)):
        true = set(facts)
        if task.init[0] in true and all(len(true.intersection(g.facts)) == g.count for g in task.groups):
            expected.add(sum(1 << f for f in facts))
    assert {int(row[0]) for row in found} == expected
    assert len(found) == 6
    assert goal_states(task, packed, 5) is None


def test_the_inverse_task_goes_back() -> None:
    task = load("bird-2").task("slides")
    undone = inverse(task)
    assert undone is not None
    state = set(task.init)
    for op, back in zip(task.operators, undone.operators, strict=True):
        if state.issuperset(op.pre):
            after = state.difference(op.delete).union(op.add)
            assert after.issuperset(back.pre)
            assert after.difference(back.delete).union(back.add) == state


def test_too_many_goal_states_go_forward_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BIDIRECTIONAL, "most_goals", 10)
    outcome = bidirectional(load("bird-2").task("slides"), Budget())
    assert outcome.status is Status.OPTIMAL
    assert outcome.stats["backward"] == "too many goal states"
    assert "forward only" in outcome.lower_bound_by


@pytest.mark.parametrize(("name", "metric"), [("eight-20", "moves"), ("microban-005", "pushes"), ("bird-1", "slides")])
def test_layers_tell_what_is_proven(name: str, metric: str) -> None:
    """Both depths and one more: raised by one with every layer, up to the optimum."""
    events: list[Event] = []
    outcome = bidirectional(load(name).task(metric), Budget(), events.append)
    layers = [event for event in events if isinstance(event, LayerDone)]
    assert [event.depth for event in layers] == list(range(1, len(layers) + 1))
    assert [event.lower_bound for event in layers] == [(d + 2,) for d in range(len(layers))]
    assert outcome.lower_bound == layers[-1].lower_bound
    assert outcome.lower_bound_by == layers[-1].by
    if "backward" not in outcome.stats:
        depths = int(outcome.stats["layers_forward"]), int(outcome.stats["layers_backward"])
        assert sum(depths) == layers[-1].depth
        assert f"within {depths[0]} of the start is within {depths[1]}" in layers[-1].by


def test_limits_leave_the_bound() -> None:
    outcome = bidirectional(load("eight-31-a").task("moves"), interrupted())
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound is not None
    assert 1 <= outcome.lower_bound[0] < 31  # layers that are made before the clock is looked at differ by machine
    outcome = bidirectional(load("korf-01").task("moves"), Budget(memory_mib=8))
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound is not None
    assert 20 < outcome.lower_bound[0] <= 57


def test_there_is_room_for_the_successors_of_goal_states() -> None:
    """Two pieces of a kind, one in a room and one in a closet; as far as the groups tell, both may end in the room."""
    rows, goal = ["A...#C", "...B#.", "....##"], ["....#.", "....#.", "...A##"]
    maps = [f"{key}: |\n" + "".join(f"  {row}\n" for row in map_) for key, map_ in (("board", rows), ("goal", goal))]
    puzzle = load_text("format: 1\nfamily: sliding-block\n" + "".join(maps))
    task = puzzle.task("moves")
    assert task.compound_moves
    undone = inverse(task)
    assert undone
    packed = to_bitset_task(undone)
    states = goal_states(task, to_bitset_task(task), 1000)
    assert states is not None
    most = max(
        count(undone, frozenset(f for f in range(len(task.facts)) if int(row[f >> 6]) >> (f & 63) & 1))
        for row in states
    )
    assert packed.most < most <= from_any_state(packed).most
    assert solve(puzzle, "bidirectional", "moves").cost == solve(puzzle, "bfs", "moves").cost
