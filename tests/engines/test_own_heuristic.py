"""Searches in plain Python with a heuristic of one's own: held against the optimum, and what is wrong with a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from budge import Puzzle, Status, UsageError, load
from budge.engines.common.own_heuristic import OwnHeuristic, in_words
from budge.engines.common.plain_search import Deepening, PlainSearch
from budge.engines.common.state_space import state_space_of
from budge.models.task import Task
from budge.runtime.budget import Budget
from budge.runtime.outcome import Outcome, Recorder
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.random_puzzles import puzzles
from ..helpers.seeds import examples

UNMET = """
admissible = True

def prepare(task):
    global goal
    goal = task.goal

def value(state):
    return sum(state.isdisjoint(clause) for clause in goal)
"""


def written(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text)
    return str(path)


def test_the_example_of_the_docs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "adding-a-heuristic.md").read_text()
    path = written(tmp_path, page.split("```python\n")[1].split("```")[0])
    blind = solve(load("eight-15"), "plain")
    assert isinstance(blind.outcome.stats["expanded"], int)
    for engine in ("plain", "astar", "idastar"):
        solution = solve(load("eight-15"), engine, heuristic=path)
        assert (solution.status, solution.cost) == (Status.OPTIMAL, 15)
        assert "mine.py" in solution.outcome.lower_bound_by
        if engine != "idastar":
            assert int(solution.outcome.stats["expanded"] or 0) * 10 < blind.outcome.stats["expanded"]
    greedy = solve(load("eight-15"), "greedy", heuristic=path)
    assert greedy.status is Status.FEASIBLE
    assert isinstance(greedy.cost, int)
    assert greedy.cost >= 15


@pytest.mark.parametrize(
    "name",
    ["bird-1", "microban-001", "wolf-goat-cabbage", "jugs-3-5", "missionaries-and-cannibals", "burnt-pancakes-4"],
)
def test_every_form_of_puzzle(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "admissible = True\ndef value(state):\n    return 0\n")
    puzzle = load(name)
    solution = solve(puzzle, "astar", heuristic=path)
    assert solution.status is Status.OPTIMAL
    assert solution.cost == solve(puzzle, "plain").cost


@cache
def distance(task: Task, state: Any) -> tuple[int, ...] | None:
    """The least cost from a state to a goal, by trying all: None if there is no way."""
    space = state_space_of(task)
    best: dict[Any, tuple[int, ...]] = {state: (0,) * len(task.metric)}
    queue = [state]
    for here in queue:
        for _, cost, after in space.steps(here):
            total = tuple(a + b for a, b in zip(best[here], cost, strict=True))
            if after not in best or total < best[after]:
                best[after] = total
                queue.append(after)
    return min((cost for here, cost in best.items() if space.is_goal(here)), default=None)


@settings(max_examples=examples(60))
@given(puzzles(), st.integers(0, 3), st.data())
def test_any_estimates_below_the_distance_give_the_optimum(
    drawn: tuple[Puzzle, str], dead: int, data: st.DataObject
) -> None:
    """Estimates that are not consistent, and dead ends, drawn at random; the true distance is found by trying all."""
    puzzle, metric = drawn
    task = puzzle.task(metric)
    space = state_space_of(task)
    if task.unsolvable_because or space.is_goal(space.start):
        return
    lost = 1 << 30
    salt = data.draw(st.integers(0, 1000))

    class Random(OwnHeuristic):
        def __init__(self) -> None:
            self.path = self.name = "random"
            self.admissible, self.dead, self.words = True, 0, in_words(task)

        def __call__(self, state: Any) -> int | None:
            exact = distance(task, state)
            if exact is None:
                return None if dead else hash((state, salt)) % lost
            return hash((state, salt)) % (exact[0] + 1)

    expected = distance(task, space.start)
    record = Recorder(Budget(None, None), parts=len(task.metric))
    outcomes: list[Outcome] = [PlainSearch(task, record, heuristic=Random()).run()]
    if expected is not None and sum(expected) < 6:
        outcomes.append(Deepening(task, Recorder(Budget(None, None), parts=len(task.metric)), Random()).run())
    for outcome in outcomes:
        assert outcome.upper_bound == expected
        assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
        if outcome.plan is not None:
            assert puzzle.replay(outcome.plan).solved


def test_without_the_word_admissible_nothing_is_proven(tmp_path: Path) -> None:
    path = written(tmp_path, UNMET.replace("admissible = True", ""))
    solution = solve(load("bird-1"), "astar", heuristic=path)
    assert (solution.status, solution.lower_bound) == (Status.FEASIBLE, None)
    dead = written(tmp_path, "def value(state):\n    return None\n")
    for engine in ("astar", "idastar"):
        solution = solve(load("bird-1"), engine, heuristic=dead)
        assert solution.status is Status.UNKNOWN
        assert "dead ends" in (solution.outcome.stopped_by or "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("admissible = True\ndef value(state):\n    return 99\n", "its value is 99 where 0 is enough"),
        ("def value(state):\n    return 1.5\n", "gave 1.5; it has to be a whole number"),
        ("def value(state):\n    return -1\n", "gave -1; it has to be a whole number"),
        ("def value(state):\n    return {}[1]\n", "line 2: cannot value a state: KeyError: 1"),
        (
            "def prepare(task):\n    task.no\n\ndef value(state):\n    return 0\n",
            "line 2: cannot prepare: AttributeError",
        ),
        ("x = 1\n", "has no function `value(state)`"),
        ("def value(state:\n", "line 1: "),
        ("import nothing_of_this_name\n", "line 1: cannot be read: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_is_told_with_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as error:
        solve(load("bird-1"), "astar", heuristic=path)
    assert str(error.value).startswith(path)
    assert message in str(error.value)
    with pytest.raises(UsageError, match="No such file"):
        solve(load("bird-1"), "plain", heuristic=str(tmp_path / "none.py"))
