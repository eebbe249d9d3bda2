"""What leaving out pieces says, held against all states of puzzles that are small enough."""

from __future__ import annotations

import pytest
from budge import PuzzleError, load, load_text, solve, why
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget
from budge.views.reasons import as_json, of_reasons
from budge.views.sections import as_text, with_start
from budge.workflows.why import find_reasons
from budge.workflows.why.removals import removable, removals_of, without

from ..helpers.other_positions import random_level
from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block

SWAPPED = """format: 1
family: n-puzzle
start: |
  2 1 3
  4 5 6
  7 8 _
goal: |
  1 2 3
  4 5 6
  8 7 _
"""
"""1 and 2, which have to change places, need two moves more than their distances, and so do 7 and 8."""


def bfs(puzzle: Puzzle, metric: str) -> int:
    cost = solve(puzzle, "bfs", metric).cost
    assert isinstance(cost, int)
    return cost


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("level-13", "slides"),
        ("simplicity", "moves"),
        pytest.param("klotski/heng-dao-li-ma", "slides", marks=pytest.mark.slow),
    ],
)
def test_pieces_that_may_be_left_out(name: str, metric: str) -> None:
    """Left out all at once, nothing becomes cheaper; each of the others is needed, and its optimum is the true one."""
    puzzle = load(name)
    found = removals_of(puzzle, metric, Budget())
    assert found is not None
    assert found.optimum == found.least == bfs(puzzle, metric) == bfs(without(puzzle, found.left_out), metric)
    assert not found.undecided
    assert found.without
    for letter, cost in found.without:  # with those that were left out before it was tried
        assert bfs(without(puzzle, [*found.left_out, letter]), metric) <= cost < found.least


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric"), [("microban-025", "pushes"), ("microban-003", "pushes"), ("eight-20", "moves")]
)
def test_shares_with_all_others_away(name: str, metric: str) -> None:
    """No box or tile needs fewer moves where others are in its way."""
    puzzle = load(name)
    found, true = removals_of(puzzle, metric, Budget()), why(puzzle, metric)
    assert found is not None
    assert found.shares
    assert true.shares
    least = {share.owners[0]: share.least for share in true.shares.single}
    assert {share.owners[0] for share in found.shares.single} == set(least)
    assert all(share.least <= least[share.owners[0]] for share in found.shares.single)
    assert sum(share.least for share in found.shares.single) <= found.shares.bound <= found.least == true.optimum


def test_tiles_that_change_places() -> None:
    found = removals_of(load_text(SWAPPED), "moves", Budget())
    assert found is not None
    assert found.shares
    assert [share.least for share in found.shares.single if share.least] == [1, 1, 1, 1]
    assert 8 <= found.shares.bound <= found.least


def test_what_may_not_be_left_out() -> None:
    """Walks have no box as their owner; equal tiles may each go elsewhere; a box out of reach needs no goal."""
    assert not removable(load("microban-003"), "moves")
    assert not removable(load("equal-tiles"), "moves")
    assert removable(load("microban-003"), "pushes")


@pytest.mark.weekly
def test_where_a_limit_stops_the_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_reasons, "BESIDE_REMOVALS", 0.0)
    found = find_reasons.why(load("level-13"), None, Budget())
    assert found.states is None
    assert found.removals
    assert "M" in found.removals.left_out
    assert not found.removals.undecided
    out = as_text(with_start(found.puzzle, of_reasons(found)))
    assert "without" in out
    assert "not all visited" in out
    assert as_json(found)["least"] == found.optimum


def sound(seed: int) -> None:
    """What is said of random small puzzles of four families is true of their optima."""
    level = "".join(f"  {row}\n" for row in random_level(seed))
    made = {
        rush_hour(seed): "slides",
        sliding_block(seed).text: "moves",
        n_puzzle(seed): "moves",
        f"format: 1\nfamily: sokoban\nmap: |\n{level}": "pushes",
    }
    for text, metric in made.items():
        try:
            puzzle = load_text(text)
        except PuzzleError:
            continue
        optimum = solve(puzzle, "bfs", metric).cost
        if optimum is None or not removable(puzzle, metric):
            continue
        found = removals_of(puzzle, metric, Budget())
        assert found is not None
        assert found.optimum == found.least == optimum
        if found.shares:
            assert found.shares.bound <= optimum
        else:
            assert not found.undecided
            assert bfs(without(puzzle, found.left_out), metric) == optimum
            for letter, cost in found.without:
                assert bfs(without(puzzle, [*found.left_out, letter]), metric) <= cost < optimum


def test_random_puzzles() -> None:
    for seed in range(6):
        sound(seed)


@pytest.mark.slow
def test_many_random_puzzles() -> None:
    for seed in range(400):
        sound(seed)
