"""Symmetries of tasks against their definition, and A* with symmetric states kept once against plain search."""

from __future__ import annotations

import pytest
from budge import load, load_text
from budge.analysis.symmetries import symmetries_of
from budge.models.errors import PuzzleError
from budge.models.task import Task
from budge.workflows.solving import solve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.random_puzzles import agrees
from ..helpers.reference import distances, optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels, text_of

SQUARE = ["#######", "#     #", "# $.$ #", "# . . #", "# $.$ #", "#@    #", "#######"]
WIDE = ["#########", "#   #   #", "# $ . $ #", "#@  .   #", "#########"]
CROOKED = ["#######", "#     #", "# $$  #", "# .@ .#", "#   # #", "#######"]


def mirrored(rows: tuple[str, ...], across: bool) -> list[str]:
    """A level beside its mirror image, or above it: the room and the goals twice, boxes and player once."""
    bare = [row.replace("$", " ").replace("@", " ").replace("*", ".").replace("+", ".") for row in rows]
    if across:
        return [row[:-1] + image[::-1] for row, image in zip(rows, bare, strict=True)]
    return [*rows[:-1], *reversed(bare[:-1])]


@pytest.mark.parametrize(("rows", "count"), [(SQUARE, 7), (WIDE, 1), (CROOKED, 0)])
def test_known_boards(rows: list[str], count: int) -> None:
    task = level(rows).task("pushes")
    assert len(symmetries_of(task).fact) == count


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 3)
    assert len(symmetries_of(level(SQUARE).task("pushes")).fact) == 3
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    assert not symmetries_of(level(SQUARE).task("pushes"))
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 15)
    monkeypatch.setattr("budge.analysis.symmetries.MOST_OPERATORS", 3)
    assert not symmetries_of(level(SQUARE).task("pushes"))


def goal_distances_agree(task: Task) -> None:
    """States and their images are equally far from the goal, where both can be reached."""
    found = symmetries_of(task)
    _, left = distances(task)
    for image in found.fact.tolist():
        for state, steps in left.items():
            other = frozenset(image[f] for f in state)
            assert left.get(other, steps) == steps


@pytest.mark.parametrize(
    ("name", "metric"), [("bird-1", "slides"), ("eight-31-a", "moves"), ("klotski/heng-dao-li-ma", "moves")]
)
def test_definition(name: str, metric: str) -> None:
    task = load(name).task(metric)
    found = symmetries_of(task)
    operators = {(op.pre, op.add, op.delete, op.cost) for op in task.operators}
    goal = set(task.goal)

    def mapped(facts: tuple[int, ...], image: list[int]) -> tuple[int, ...]:
        return tuple(sorted(image[f] for f in facts))

    for image in found.fact.tolist():
        assert sorted(image) == list(range(len(task.facts)))
        for op in task.operators:
            assert (mapped(op.pre, image), mapped(op.add, image), mapped(op.delete, image), op.cost) in operators
        assert {mapped(clause, image) for clause in task.goal} == goal


@given(seed=st.integers(0, 10**9))
@settings(max_examples=20)
def test_images_are_equally_far(seed: int) -> None:
    for text, metric in ((rush_hour(seed), "slides"), (n_puzzle(seed), "moves")):
        task = load_text(text).task(metric)
        try:
            optimal(task, 2_000)
        except OverflowError:
            continue
        goal_distances_agree(task)


@given(rows=levels(max_boxes=3), across=st.booleans())
@settings(max_examples=examples(100))
def test_symmetric_levels(rows: tuple[str, ...], across: bool) -> None:
    puzzle = load_text(text_of(mirrored(rows, across)))
    task = puzzle.task("pushes")
    try:
        expected = optimal(task, 20_000)
    except OverflowError:
        assume(False)
    agrees(solve(puzzle, "astar", "pushes"), expected and expected[0])


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(30))
def test_symmetric_sliding_blocks(seed: int) -> None:
    try:
        puzzle = load_text(sliding_block(seed).text)
        expected = optimal(puzzle.task("steps"), 20_000)
    except (PuzzleError, OverflowError):
        assume(False)
    outcome = solve(puzzle, "astar", "steps").outcome
    assert outcome.upper_bound == (None if expected is None else expected[0])


@pytest.mark.parametrize(("rows", "metric"), [(SQUARE, "pushes"), (WIDE, "pushes"), (SQUARE, "moves")])
def test_same_answers_with_fewer_states(rows: list[str], metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk is paid for in `moves`, where bounds depend on the initial state: there nothing is left out."""
    with_them = solve(level(rows), "astar", metric).outcome
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    without = solve(level(rows), "astar", metric).outcome
    assert with_them.upper_bound == without.upper_bound
    assert ("symmetries" in with_them.lower_bound_by) == (metric == "pushes")
    assert "symmetries" not in without.lower_bound_by
    fewer = int(with_them.stats["states"]) < int(without.stats["states"])
    assert fewer == (metric == "pushes")


def test_mirrored_klotski(monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = solve(load("klotski/heng-dao-li-ma"), "astar", "steps").outcome
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    without = solve(load("klotski/heng-dao-li-ma"), "astar", "steps").outcome
    assert with_them.upper_bound == without.upper_bound == (116,)
    assert int(with_them.stats["states"]) < 0.6 * int(without.stats["states"])
