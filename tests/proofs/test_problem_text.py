"""Tasks as the text of a problem: read back by the checker's core to the same bytes, with the same optimum as a plain
search over the text finds, and with Budge's plans, at the cost that they claim.
"""

from __future__ import annotations

import heapq
import os
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from budge import Puzzle, PuzzleError, load, load_text, solve
from budge.analysis import conditional_effects
from budge.analysis.conditional_effects import TooManyCasesError
from budge.cli import main
from budge.encoders.exports.problem_text import problem_text
from budge.encoders.exports.problem_writing import ProblemText, State, after, holds, named_values, word_of, words_of
from budge.models.errors import GroundingError, UsageError
from budge.models.families.custom.grounding import ground
from budge.models.families.custom.programs.task import ProgramWriter
from budge.models.moves import Cost
from budge.models.plan import Plan
from budge.models.task import OperatorTask, Task
from budge.proofs.core.exhaustion import replay
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.core.problem import Problem, read
from budge.proofs.one_variable_formula import change_one_each
from budge.workflows.exporting import problem_of
from hypothesis import given, settings

from ..helpers.contraption_games import EFFORT, contraption, game_of, oracle
from ..helpers.random_puzzles import cost_of, puzzles
from ..helpers.reference import optimal
from ..helpers.seeds import examples

NUMBER = int(os.environ.get("BUDGE_PROBLEM_TEXTS", "1000"))
"""How many contraptions the slow test looks at."""


def cheapest(problem: Problem, most: int = 30_000) -> Cost | None:
    """The least cost of a plan by Dijkstra's search; None if there is none. Raises `MemoryError` for many states."""
    start: Cost = (0,) * len(problem.counts)
    heap: list[tuple[Cost, State]] = [(start, problem.start)]
    best, done = {problem.start: start}, set[State]()
    while heap:
        cost, state = heapq.heappop(heap)
        if state in done:
            continue
        if holds(state, problem.goal):
            return cost
        done.add(state)
        if len(done) > most:
            raise MemoryError
        for action in problem.actions:
            if holds(state, action.needs):
                then, total = after(state, action), tuple(map(int.__add__, cost, action.cost))
                if then not in best or total < best[then]:
                    best[then] = total
                    heapq.heappush(heap, (total, then))
    return None


def played(made: ProblemText, plan: Plan) -> Cost:
    return replay(read(made.text), made.steps_of(plan), "plan.txt", Limits())


SHIPPED = [
    *("level-01", "unsolvable-lane", "eight-10", "three-6", "line-4", "equal-tiles", "microban-001"),
    *("mas-puzzle", "klotski-gate"),
]
CUSTOM = [
    *("ball-sort", "blocks-world", "bridge-and-torch", "burnt-pancakes-4", "hanoi-4-on-4-pegs", "hanoi-8", "ice-maze"),
    *("jugs-3-5", "jugs-8-5-3", "klotski", "knights-exchange", "labyrinth-4x4", "lights-out", "loopover-3x3"),
    *("lorries-1", "missionaries-and-cannibals", "peg-solitaire-4x4"),
    *("rubiks-cube-2x2x2", "rush-hour", "snake-5", "sokoban-microban-1", "sokoban-on-ice", "two-player-sokoban"),
    "wolf-goat-cabbage",
]
HARD = [
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("ten-step-solution", "custom/lunar-lockout-1", "custom/pocket-cube")
]
LARGE = {
    "klotski",
    "sokoban-on-ice",
    "klotski-gate",
    "mas-puzzle",
    "labyrinth-4x4",
    "lights-out",
    "loopover-3x3",
    "pocket-cube",
    "rubiks-cube-2x2x2",
    "two-player-sokoban",
}
"""Puzzles with too many states for a plain search."""


@pytest.mark.weekly
@pytest.mark.parametrize("name", [*SHIPPED, *(f"custom/{name}" for name in CUSTOM), *HARD])
def test_shipped_puzzles(name: str) -> None:
    puzzle = load(name)
    for metric in puzzle.metrics:
        made, solution = problem_of(puzzle, metric), solve(puzzle, "auto", metric)
        assert solution.status.proven
        assert read(made.text) == made.problem
        if solution.plan:
            assert played(made, solution.plan) == solution.outcome.upper_bound
        if puzzle.header.file.removesuffix(".yaml").rsplit("/")[-1] not in LARGE:
            assert cheapest(made.problem) == solution.outcome.upper_bound


def test_a_cell_that_many_vehicles_can_cover_is_no_variable() -> None:
    """Then each action changes one variable, and steps of several actions can be refuted."""
    problem = problem_of(load("uva-12x12"), "slides").problem
    assert len(problem.names) == 44
    assert change_one_each(problem)


def test_moves_to_dead_squares_are_in_the_text() -> None:
    """A box in a corner is a position of the puzzle, and the task that engines get leaves it out."""
    for name in ("microban-001", "custom/sokoban-microban-1"):
        puzzle = load(name)
        assert len(problem_of(puzzle, "pushes").problem.actions) > len(
            problem_text(puzzle.task("pushes")).problem.actions
        )


@pytest.mark.parametrize(
    "name",
    ["bird-1", "korf-01", "microban-065", pytest.param("custom/snake-8", marks=pytest.mark.slow), "custom/topspin"],
)
def test_larger_puzzles_are_read_back(name: str) -> None:
    puzzle = load(name)
    made = problem_of(puzzle, puzzle.header.metric)
    assert read(made.text) == made.problem


@settings(max_examples=examples(40))
@given(puzzles())
def test_random_puzzles(drawn: tuple[Puzzle, str]) -> None:
    puzzle, metric = drawn
    made = problem_of(puzzle, metric)
    assert read(made.text) == made.problem
    expected = cost_of(puzzle, metric)
    with suppress(MemoryError):
        assert cheapest(made.problem) == expected
    solution = solve(puzzle, "bfs", metric)
    if solution.plan:
        assert played(made, solution.plan) == expected


# Contraptions


def check(seed: int) -> str:
    """What came of a random contraption, as programs and as operators."""
    text = contraption(seed)
    try:
        puzzle = load_text(text)
    except PuzzleError:
        return "rejected"
    metric = random.Random(seed).choice(puzzle.metrics)
    try:
        truth = oracle(game_of(text, metric))
    except Unsupported:
        return "rejected"
    if truth is None:
        return "large"
    tasks: list[Task] = []
    with suppress(GroundingError):
        tasks.append(ProgramWriter(puzzle.value, puzzle.metric(metric)).task())
    with suppress(GroundingError):
        tasks.append(ground(puzzle.value, puzzle.metric(metric), EFFORT))
    said = []
    for task in tasks:
        try:
            made = problem_text(replace(task, name="test"))
        except UsageError:
            continue
        said.append(type(task).__name__)
        found = optimal(task) if isinstance(task, OperatorTask) and not task.walker and truth.optimum else None
        assert read(made.text) == made.problem
        assert cheapest(made.problem) == truth.optimum
        if found:
            assert played(made, Plan.of(found[1])) == truth.optimum
    return f"{'unsolvable' if truth.optimum is None else 'solved'}: {', '.join(said)}"


def noted(seed: int) -> str:
    try:
        return check(seed)
    except Exception as error:
        error.add_note(f"seed {seed}\n{contraption(seed)}")
        raise


BEFORE = (418,)
"""Contraptions that showed a fault: a function of one variable of which a box allows only some values (418)."""


@pytest.mark.weekly
def test_contraptions() -> None:
    found = [noted(seed) for seed in (*range(8), *BEFORE)]
    for said in ("solved: ProgramTask, OperatorTask", "unsolvable: ProgramTask, OperatorTask"):
        assert said in found


@pytest.mark.slow
def test_many_contraptions() -> None:
    for seed in range(8, NUMBER):
        noted(seed)


# Words


def test_words() -> None:
    assert word_of("A+1 from r1c1") == "A+1@r1c1"
    assert word_of("move(1, last)") == "move:1:last"
    assert word_of("tube[a,2]") == "tube:a:2"
    assert words_of(["a b", "a.b", "é"]) == ("a.b", "a.b*2", "ue9")


def test_values_are_what_facts_do_not_have_in_common() -> None:
    assert named_values("A", ["A at r1c1", "A at r1c2"]) == ("A", ("c1", "c2"))
    assert named_values("tile 1", ["1 at r1c1", "1 at r2c2"]) == ("tile 1", ("r1c1", "r2c2"))
    assert named_values("cell r2c3", ["box at r2c3", "free r2c3"]) == ("r2c3", ("box", "free"))
    assert named_values("x", ["not box r2c3", "box r2c3"]) == ("box r2c3", ("no", "yes"))
    assert named_values("on A", ["on A B", "on A table"]) == ("on A", ("B", "table"))
    assert named_values("x", ["a", "a b"]) == ("x", ("a", "a.b"))


# The command


def test_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "level-01", "--to", "problem", "--quiet"]) == 0
    assert capsys.readouterr().out == problem_of(load("level-01"), "slides").text
    assert main(["export", "microban-001", "--to", "problem", "--metric", "pushes,moves", "--out", str(tmp_path)]) == 0
    assert read((tmp_path / "microban-001.txt").read_text()).counts == ("pushes", "moves")


def test_what_has_too_many_effects_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load("custom/snake-5").form("moves")
    monkeypatch.setattr(conditional_effects, "MOST_STEPS", 200)
    with pytest.raises(TooManyCasesError, match=r"the action crawl\(up\) tells too many cases apart"):
        problem_text(task)
    monkeypatch.setattr(conditional_effects, "MOST_STEPS", 300_000)
    monkeypatch.setattr(conditional_effects, "MOST_EFFECTS", 100)
    with pytest.raises(TooManyCasesError, match="more than 100 conditional effects"):
        problem_text(task)
