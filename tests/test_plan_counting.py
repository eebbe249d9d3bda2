"""The number of shortest plans as a certificate: beside sequences tried one by one, and numbers that were forged."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import budge
import pytest
from budge import UsageError, load_text
from budge.cli import main
from budge.encoders.exports.problem_writing import write as problem_text
from budge.models.cost import Cost
from budge.models.errors import PuzzleError
from budge.models.library import load
from budge.models.puzzle import Puzzle
from budge.proofs import plan_counting
from budge.proofs.check import check_folder
from budge.proofs.core.check import checked
from budge.proofs.core.claim import EXHAUSTION, PLAN
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.limits import Invalid, Limits, Stopped, Unsupported
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Problem, read
from budge.proofs.plan_counting import COUNTING, count_in_problem
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID
from budge.runtime.budget import Budget
from budge.workflows.certifying import certify
from budge.workflows.evidence_finder import count
from budge.workflows.exporting import problem_of
from budge.workflows.playing import Game
from budge.workflows.solving import solve

from .certificates import claiming
from .made_certificates import Files, Kind, files_of, write
from .random_boards import n_puzzle, rush_hour, sliding_block
from .random_problems import random_problem
from .second_core import read_game

PROBLEMS = int(os.environ.get("PROBLEMS", "120"))
LIMITS = Limits(None, None)
LONGEST = 7
"""The longest plans of which all sequences of moves are tried."""


# Against sequences tried one by one


def costly(problem: Problem) -> Problem:
    """The same, and every action costs something of what counts first."""
    actions = tuple(replace(one, cost=(max(1, one.cost[0]), *one.cost[1:])) for one in problem.actions)
    return replace(problem, actions=actions)


def test_numbers_of_plans_are_those_of_all_sequences_of_actions() -> None:
    several = 0
    for seed in range(3 * PROBLEMS):
        problem = costly(random_problem(random.Random(seed)))
        text = problem_text(problem)
        game = read_game(text)
        best = game.search(whole=False)[1]
        if best is None or best[0][0] > LONGEST:
            continue
        optimum, expected = best[0], game.plans(best[0])
        several += expected > 1
        assert count_in_problem(problem, optimum, [], LIMITS).plans == expected, seed
        assert count(text, optimum, Budget(60)).plans == expected, seed  # with tables, as `certify` counts
        less = (max(0, optimum[0] - 1), *optimum[1:])
        assert count_in_problem(problem, less, [], LIMITS).plans == (expected if less == optimum else 0), seed
        with pytest.raises(Invalid, match="there is a plan that costs"):
            count_in_problem(problem, (optimum[0] + 1, *optimum[1:]), [], LIMITS)
    assert several >= PROBLEMS // 15


def tried(game: Game, cost: int) -> int:
    """How many sequences of moves, by the rules of the family, solve a puzzle at a cost: all are tried."""
    if game.solved or not cost:
        return int(game.solved and not cost)
    found = 0
    for move in game.near_moves() or game.moves():
        game.play(move)
        found += tried(game, cost - 1)
        game.undo()
    return found


def sliding(seed: int) -> str:
    """A small board of blocks, some of which can stand for each other."""
    return sliding_block(seed).text


MAKERS: dict[str, tuple[Callable[[int], str], tuple[str, ...], int]] = {
    "rush-hour": (rush_hour, ("slides", "steps"), 3),
    "n-puzzle": (n_puzzle, ("moves",), 0),
    "sliding-block": (sliding, ("slides", "steps"), 1),
}
"""For each family how its boards are made, its metrics, and how many of 12 boards have several shortest plans."""


@pytest.mark.parametrize("family", MAKERS)
def test_numbers_of_plans_are_those_of_the_rules_of_the_puzzle(family: str, tmp_path: Path) -> None:
    make, metrics, least = MAKERS[family]
    compared = several = 0
    for seed in range(400):
        metric = metrics[seed % len(metrics)]
        try:
            puzzle = load_text(make(seed))
        except PuzzleError:  # a goal piece that may not move, for example
            continue
        solution = solve(puzzle, "plain", metric)
        cost = solution.outcome.upper_bound
        if cost is None or not 0 < cost[0] <= LONGEST - 1:
            continue
        expected = tried(Game(puzzle, metric), cost[0])
        verdict = certify(solution, tmp_path, Budget(60), counted=True).verdict
        plans = "1 plan has" if expected == 1 else f"{expected:,} plans have"
        assert verdict.shown.endswith(f" is the optimum, and {plans} it"), seed
        assert "the rules of the puzzle in `proofs/` count as many" in " ".join(verdict.by), seed
        compared, several = compared + 1, several + (expected > 1)
        if compared == 12:
            break
    assert compared == 12
    assert several >= least


@pytest.mark.parametrize(
    ("name", "metric", "plans"),
    [
        ("bird-2", "slides", 152),
        ("level-16", "slides", 58_060_800),
        ("level-32", "slides", 20_580_499_456),
        ("eight-20", "moves", 1),
        ("bridge-and-torch", "minutes", 2),
        ("knights-exchange", "moves", 4_726_784),
    ],
)
def test_numbers_that_others_have_counted(name: str, metric: str, plans: int) -> None:
    """The first three were counted by a program written apart, over all states of the board."""
    problem = problem_of(load(name), metric).problem
    cost = solve(load(name), metric=metric).outcome.upper_bound
    assert cost is not None
    assert count_in_problem(problem, cost, [], LIMITS).plans == plans


# On the command line and from Python


def test_certify_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "made")
    assert main(["certify", "bird-2", "--plans", "--out", out, "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "valid: 10 slides is the optimum, and 152 plans have it" in said
    assert "their number: 152 sequences of actions of problem.txt" in said
    assert main(["verify", out, "--puzzle", "bird-2"]) == 0
    assert "and 152 plans have it" in capsys.readouterr().out
    assert main(["certify", "bird-2", "--plans", "--claim", "11", "--out", out, "--quiet", "--json"]) == 1
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (told["evidence"], told["shown"]) == (COUNTING, "10 slides is the optimum, and 152 plans have it")


def test_plans_from_python(tmp_path: Path) -> None:
    made = budge.certify("microban-001", tmp_path / "made", metric="moves,pushes", plans=True)
    assert made.verdict.shown == "33 moves and 8 pushes is the optimum, and 1 plan has it"
    made = budge.certify("line-4", tmp_path / "line", plans=True)
    assert made.verdict.shown == "there is no plan"
    with pytest.raises(ValueError, match="leave out `at_least`"):
        budge.certify("bird-2", tmp_path / "two", plans=True, at_least=3)
    with pytest.raises(UsageError, match="a refutation counts no plans"):
        budge.certify("bird-2", tmp_path / "two", plans=True, evidence="refutation")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["microban-001", "--metric", "pushes"], "every action costs something, and here one costs nothing"),
        (["dads-puzzler", "--metric", "moves"], "every action costs something, and here one costs nothing"),
        (["bird-2", "--at-least", "3"], "leave out --at-least and --evidence"),
        (["bird-2", "--evidence", "refutation"], "leave out --at-least and --evidence"),
    ],
)
def test_what_cannot_be_counted_is_told(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", *words, "--plans", "--out", str(tmp_path / "made"), "--quiet"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


def test_a_puzzle_without_a_problem_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="by the text of a problem: "):
        certify(solve(load("flood-4x4"), "plain"), tmp_path, Budget(60), counted=True)


def test_limits_hold_while_plans_are_counted() -> None:
    problem = problem_of(load("eight-31-a"), "moves").problem
    for limits in (Limits(0.0), Limits(None, 1)):
        with pytest.raises(Stopped):
            count_in_problem(problem, (31,), [], limits)


def test_the_rules_do_not_count_without_end(tmp_path: Path) -> None:
    write(tmp_path, files_of(Kind("turned", "moves", COUNTING)))
    with patch.object(plan_counting, "MOST", 1):
        verdict = check_folder(tmp_path)
    assert verdict.status == VALID
    assert "those of puzzle.yaml were not counted: they visit more than 1 positions" in " ".join(verdict.by)


# Forged numbers


ROWS = files_of(Kind("rows", "cost", COUNTING))


def lines_of(files: Files) -> list[str]:
    """The first lines of claim.txt."""
    return files[CLAIM].decode().split("\n")[:4]


def test_forged_numbers_are_refused(tmp_path: Path) -> None:
    _, optimum, plans, by = lines_of(ROWS)
    number, states = int(plans.split(" ")[1]), int(by.split(" ")[2])
    assert check_folder(write(tmp_path, ROWS)).status == VALID
    for old, new in (
        *[(plans, f"plans {other}") for other in (number - 1, number + 1, 0, f"0{number}", f"+{number}", -1, "many")],
        *[(plans, f"plans {other}") for other in ("9" * 1000, "9" * 5000, "", f"{number} {number}")],
        *[(by, f"by {COUNTING} {other}") for other in (states - 1, states + 1, "", f"0{states}")],
        (by, by.replace(COUNTING, EXHAUSTION)),
        (optimum, optimum.replace("optimum", "at-least")),
        (optimum, "unsolvable"),
        (optimum, f"optimum {int(optimum.split(' ')[1]) + 1}"),
    ):
        verdict = check_folder(write(tmp_path, claiming(ROWS, f"{old}\n", f"{new}\n")))
        assert verdict.status in (INVALID, UNSUPPORTED), new
        assert "failed" not in verdict.problem, new
    without = {name: data for name, data in ROWS.items() if name != PLAN}
    assert check_folder(write(tmp_path, without)).status == INVALID


def test_plans_are_of_the_optimum_and_not_of_a_dearer_plan(tmp_path: Path) -> None:
    """There and back: a plan that replays, with the number of all plans as long."""
    files = files_of(Kind("turned", "moves", COUNTING))
    game = read_game(files[PROBLEM].decode())
    plan = files[PLAN].decode().splitlines()
    there = next(step for step in game.steps if game.holds(game.start, step.needs))
    back = next(step for step in game.steps if game.after(game.after(game.start, there), step) == game.start)
    optimum = len(plan)
    longer = {PLAN: "".join(f"{name}\n" for name in (there.name, back.name, *plan)).encode()}
    forged = claiming(files | longer, f"optimum {optimum}", f"optimum {optimum + 2}")
    verdict = check_folder(write(tmp_path, forged))
    assert (verdict.status, "there is a plan that costs" in verdict.problem) == (INVALID, True)


def test_a_text_with_an_action_twice_has_more_plans_than_its_puzzle(tmp_path: Path) -> None:
    """The optimum is that of the puzzle, the graph is the same, and the number is not the puzzle's."""
    problem = read(ROWS[PROBLEM].decode())
    used = ROWS[PLAN].decode().split("\n")[0]
    first = next(action for action in problem.actions if action.name == used)
    twice = replace(problem, actions=(*problem.actions, replace(first, name="more")))
    cost: Cost = (int(lines_of(ROWS)[1].split(" ")[1]),)
    found = count_in_problem(twice, cost, [], LIMITS)
    claim = f"budge claim 1\noptimum {cost[0]}\nplans {found.plans}\nby {COUNTING} {found.states}\n"
    forged = ROWS | {PROBLEM: problem_text(twice).encode(), CLAIM: claim.encode()}
    verdict = check_folder(write(tmp_path, forged))
    assert verdict.status == INVALID
    assert f"the rules of the puzzle count {lines_of(ROWS)[2].split(' ')[1]} plans" in verdict.problem


def test_the_core_alone_does_not_know_numbers_of_plans() -> None:
    with pytest.raises(Unsupported, match="does not know"):
        checked(ROWS, LIMITS)


def puzzle_without_cost() -> Puzzle:
    """A free action leads from the start to where a paid one leads, too."""
    return load_text("""\
format: 1
family: custom
state: {n: {in: 0..3, start: 0}}
actions:
  up: {when: n < 3, set: {n: n + 1}}
  gift: {when: n == 0, set: {n: 1}, cost: 0}
goal: n == 3
metrics: {cost: cost}
""")


def test_a_free_action_is_refused_by_writer_and_checker(tmp_path: Path) -> None:
    solution = solve(puzzle_without_cost(), "plain", "cost")
    with pytest.raises(UsageError, match="here one costs nothing"):
        certify(solution, tmp_path / "made", Budget(60), counted=True)
    certify(solution, tmp_path, Budget(60), evidence="exhaustion")
    made = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    claim = f"budge claim 1\noptimum 2\nplans 1\nby {COUNTING} 4\n".encode()
    verdict = check_folder(write(tmp_path, made | {CLAIM: claim}))
    assert (verdict.status, "costs nothing" in verdict.problem) == (UNSUPPORTED, True)
