"""The built-in families as definitions in the language of custom families: the same states, the same optima."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import PuzzleError, Status, load, load_text, solve
from budge.analysis.transformed_tasks import with_explicit_walker
from budge.models.plan import apply
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from hypothesis import given, settings

from ..helpers import random_boards
from ..helpers.as_definition import as_definition
from ..helpers.seeds import seeds
from ..helpers.sokoban_levels import levels, text_of

MOST = 2_000
"""States up to which they are counted."""


def states(task: OperatorTask) -> int | None:
    """The number of states that can be reached, the walker's cell among what tells them apart; None for too many."""
    operators = with_explicit_walker(task).operators
    seen = {frozenset(with_explicit_walker(task).init)}
    queue = list(seen)
    for state in queue:
        found = {apply(state, op) for op in operators if state.issuperset(op.pre)}
        queue += found - seen
        seen |= found
        if len(seen) > MOST:
            return None
    return len(seen)


def check(puzzle: Puzzle, *metrics: str) -> None:
    for metric in metrics:
        definition = as_definition(puzzle, metric)
        ours, theirs = (solve(one, "plain", metric) for one in (puzzle, definition))
        assert ours.status in (Status.OPTIMAL, Status.UNSOLVABLE)
        assert (theirs.status, theirs.cost) == (ours.status, ours.cost), (metric, puzzle.to_yaml())
        if (puzzle.family, metric) != ("sliding-block", "moves"):  # there a lifted piece is part of the state
            assert states(definition.complete(metric)) == states(puzzle.complete(metric)), (metric, puzzle.to_yaml())


@pytest.mark.weekly
@pytest.mark.parametrize("seed", seeds(12))
def test_rush_hour(seed: int) -> None:
    check(load_text(random_boards.rush_hour(seed)), "slides", "steps")


@pytest.mark.weekly
@pytest.mark.parametrize("seed", seeds(30))
def test_sliding_block(seed: int) -> None:
    """Polyominoes, walls, doors, pieces that go some ways only, goals that show a part of a piece."""
    check(load_text(random_boards.sliding_block(seed).text), "moves", "slides", "steps")


@pytest.mark.parametrize(
    ("board", "goal", "more"),
    [("ab. .cd", "b.d ..a", "alike: [ab, cd]"), ("a.c .c.", ".c. c.a", "detached: c"), ("a.b .cd", "... .dc", "")],
)
def test_pieces_that_are_alike_or_in_parts(board: str, goal: str, more: str) -> None:
    rows = [text.replace(" ", "\n  ") for text in (board, goal)]
    text = f"format: 1\nfamily: sliding-block\nboard: |\n  {rows[0]}\ngoal: |\n  {rows[1]}\n{more}\n"
    check(load_text(text), "moves", "slides", "steps")


@pytest.mark.parametrize("seed", seeds(6))
def test_n_puzzle(seed: int) -> None:
    check(load_text(random_boards.n_puzzle(seed)), "moves")


def test_equal_tiles() -> None:
    check(load_text("format: 1\nfamily: n-puzzle\nstart: 4 . / 2 7 / 9 9\ngoal: 2 4 / 9 7 / 9 .\n"), "moves")


@settings(max_examples=12)
@given(levels())
def test_sokoban(rows: tuple[str, ...]) -> None:
    """Also more goals than boxes, and boxes that can never be brought to a goal."""
    check(load_text(text_of(list(rows))), "pushes", "moves", "pushes,moves")


def test_a_shipped_puzzle_of_each_family() -> None:
    """The same facts and operators, not only the same states."""
    shipped = (("level-01", "steps"), ("simplicity", "steps"), ("eight-31-a", "moves"), ("heng-dao-li-ma", "steps"))
    for name, metric in shipped:
        ours, theirs = (one.task(metric) for one in (load(name), as_definition(load(name), metric)))
        assert (len(theirs.facts), len(theirs.operators)) == (len(ours.facts), len(ours.operators)), name


def test_a_broken_file_of_rules_is_no_unknown_family(tmp_path: Path) -> None:
    (tmp_path / "one.family.yaml").write_text("format: 1\nfamily: custom\naim: a\naim: b\n")
    (tmp_path / "puzzle.yaml").write_text("format: 1\nfamily: one.family.yaml\n")
    with pytest.raises(PuzzleError) as raised:
        load(tmp_path / "puzzle.yaml")
    assert [problem.message for problem in raised.value.problems] == ["`aim` appears twice; the first is in line 3"]
