"""`budge.score`: what an answer is worth, whoever wrote it."""

from __future__ import annotations

import random
import string
import time
from itertools import islice
from typing import Any

import budge
import pytest
from budge.models.plan import Plan

GOOD = "D+1 C+2 E-2 G-2 H-3 D+1 G+1 I-3 F+1 X+4"
"""A shortest plan of `bird-2`."""

SCORED = [*islice(budge.puzzles(family="rush-hour"), 8), "microban-001", "microban-005", "eight-31-a", "level-26"]
LARGE = {
    "rush_hour/uva-9x9": "G-2 K-4 T-6 J-1 S-3 Q-2 U-2 L+2 M-3 L-2 V-2 R-3 N+1 X-2 H+2 I-3 C+2 D-1 P-4 O+1 H+2 X+3",
    "rush_hour/uva-12x12": "O+1 k-1 D+1 g+2 A-5 h-3 D-1 B-2 G-1 I-1 H+2 F+4 E+3 O-1 R-2 e-1 M-1 d+1 T-2 W+3 Y-1 d-2 U+1"
    " e+1 X+8",
}
"""Shortest plans of boards that are too large for `bfs`."""

SCORED += ["klotski/bi-yi-heng-kong", *islice(budge.puzzles(family="custom"), 7)]
"""Twenty boards of five families."""


def score(answer: Any, puzzle: str = "bird-2", optimum: Any = "expect", **more: Any) -> budge.Score:
    return budge.score(puzzle, answer, optimum=optimum, **more)


def test_a_shortest_plan_is_worth_one() -> None:
    for answer in (GOOD, GOOD.split(), f'{{"plan": "{GOOD}"}}', budge.solve("bird-2", "bfs").plan):
        found = score(answer)
        assert (found.legal, found.solved, found.cost, found.optimum, found.lost) == (True, True, 10, 10, 0)
        assert (found.reward, found.problem, found.step) == (1.0, None, None)


def test_a_longer_plan_is_worth_less() -> None:
    found = score(GOOD + " X-1 X+1")
    assert (found.solved, found.cost, found.lost, found.reward) == (True, 12, 2, 10 / 12)
    assert score(GOOD, metric="steps", optimum=None).to_dict()["reward"] == 18 / 20


@pytest.mark.parametrize(
    ("answer", "legal", "step", "problem"),
    [
        (GOOD + " X-1", True, None, "the plan stops after 11 moves and the goal is not reached"),
        (GOOD[:-4], True, None, "the plan stops after 9 moves and the goal is not reached"),
        (f"{GOOD} {GOOD}", False, 12, "move 12 (`C+2`): C is blocked"),
        (GOOD[4:], False, 1, "move 1 (`C+2`): C is blocked"),
        (GOOD.replace("G-2 ", ""), False, 4, "move 4 (`H-3`): H is blocked"),
        (GOOD.replace("G-2", "G-9"), False, 4, "move 4 (`G-9`): G is blocked"),
        ("A+9 " + GOOD, False, 1, "move 1 (`A+9`): A is blocked"),
        ("D+0 " + GOOD, False, 1, "move 1 (`D+0`): D cannot move nowhere"),
        (GOOD + " Z+1", False, 11, "no piece Z on this board"),
        ("My plan: " + GOOD, False, 1, "step 1 (`My`, line 1, column 1) is not a step"),
        (GOOD + " Done.", False, 11, "is not a step"),
        (f"```\n{GOOD}\n```", False, 1, "is not a step"),
        ("", False, None, "the text has no step"),
        (" ,;\n", False, None, "the text has no step"),
        ("[]", False, None, "the text has no step"),
        ('{"steps": []}', False, None, "this JSON holds no plan"),
        ("[" * 5000, False, None, "looks like JSON, but is not"),
        ("(d-plus-1-from-r1c4)", False, 1, "is not a step"),
        ("s SATISFIABLE\nv 1 2 0", False, 1, "is not a step"),
        (Plan(()), True, None, "the plan stops after 0 moves"),
        (budge.solve("microban-001", "bfs").plan, False, 1, "move 1"),
    ],
)
def test_anything_else_is_worth_nothing(answer: Any, legal: bool, step: int | None, problem: str) -> None:
    found = score(answer)
    assert (found.reward, found.solved, found.cost, found.lost) == (0.0, False, None, None)
    assert (found.legal, found.step) == (legal, step)
    assert problem in (found.problem or "")


def test_skipped_doubled_and_swapped_steps() -> None:
    """Whatever is done to a shortest plan, nothing but a plan of its length is worth one."""
    steps = GOOD.split()
    changed = [steps[:n] + steps[n + 1 :] for n in range(10)] + [steps[: n + 1] + steps[n:] for n in range(10)]
    for answer in changed:
        assert score(answer).reward == 0.0
    for n in range(9):
        swapped = score([*steps[:n], steps[n + 1], steps[n], *steps[n + 2 :]])
        assert swapped.reward == float(swapped.legal)


@pytest.mark.parametrize("name", SCORED)
def test_random_texts_are_worth_nothing(name: str) -> None:
    puzzle, draw = budge.load(name), random.Random(name)
    letters = sorted({*"".join(puzzle.board())} - {" "})
    alphabets = ["lurdLURD", string.printable, "".join(map(chr, range(32, 1000)))]
    words = [f"{piece}{sign}{n}" for piece in letters for sign in ("+", "-") for n in (1, 2, 9)]
    words += [f"{piece}:{way}" for piece in letters for way in "UDLR"] + ["jump(r1c1,right)", "(move a b)", "8L", "1U"]
    answers = ["".join(draw.choices(draw.choice(alphabets), k=draw.randrange(60))) for _ in range(30)]
    answers += [" ".join(draw.choices(words, k=draw.randrange(1, 20))) for _ in range(30)]
    for answer in answers:
        found = score(answer, name, optimum=1)
        assert found.reward == 0.0, (answer, found)
        assert found.problem


@pytest.mark.parametrize("name", budge.puzzles(family="rush-hour", optimum=(1, 100)))
def test_each_rush_hour_has_an_answer_that_is_worth_one_and_nothing_elsewhere(name: str) -> None:
    answer = LARGE.get(name) or " ".join(budge.solve(name, "bfs").notation)
    assert score(answer, name).reward == 1.0
    assert name == "rush_hour/bird-1" or score(answer, "bird-1").reward == 0.0


@pytest.mark.parametrize(
    ("name", "answer", "step"),
    [
        ("bird-2", "D+1 C+2 E\u22122 \uff27-2", 4),  # a minus sign of typography is one, a wide letter is none
        ("bird-2", "D+1 C+\u0662", 2),
        ("bird-2", "d+1", 1),
        ("bird-2", "D+1 \u200bC+2", 2),
        ("eight-15", "\u0668L", 1),
        ("eight-15", "9" * 5000 + "L", 1),
        ("microban-001", "lurd!", 1),
        ("microban-001", "dlx", 3),
        ("klotski/bi-yi-heng-kong", "a:D99999999999", 1),
        ("custom/wolf-goat-cabbage", "carry(goat) ROW", 2),
        ("custom/wolf-goat-cabbage", "carry(goat) row carry(moon)", 3),
        ("custom/wolf-goat-cabbage", "carry(goat) row !", 3),
        ("custom/wolf-goat-cabbage", "carry(goat) carry(goat) carry(wolf) row", 3),
    ],
)
def test_the_first_wrong_step_has_its_number(name: str, answer: str, step: int) -> None:
    """Whether it cannot be read, or is illegal: the number is of the error itself, and not of its words."""
    found = score(answer, name, 7 if name.startswith("custom") else 1)
    assert (found.reward, found.step) == (0.0, step), found


def test_the_optimum_is_proven_unless_it_is_given() -> None:
    assert score(GOOD, optimum=None).optimum_by.endswith("search: no goal within 9 slides")
    assert score(GOOD, optimum=10).optimum_by == "given"
    assert score(GOOD).optimum_by == "the file's `expect`"
    assert score("D+1", optimum=None).optimum is None
    late = score(GOOD, "bird-2", None, time_limit=0.001)
    assert (late.solved, late.cost, late.optimum, late.lost, late.reward) == (True, 10, None, None, None)
    assert late.optimum_by == "not proven: time limit"


def test_an_answer_that_is_better_than_the_optimum_is_a_contradiction() -> None:
    with pytest.raises(budge.DisagreementError, match=r"costs 10 slides, less than the optimum of 11 \(given\)"):
        score(GOOD, optimum=11)


def test_what_cannot_be_meant() -> None:
    with pytest.raises(TypeError, match="`answer` is a list of steps"):
        score(3)
    with pytest.raises(TypeError, match="`optimum` is a whole number"):
        score(GOOD, optimum="best")
    with pytest.raises(budge.UsageError, match="several components"):
        score("r", "microban-001", metric="pushes,moves")
    with pytest.raises(budge.UsageError, match="the file expects no cost in steps"):
        score("A+1", "uva-9x9", metric="steps")


def test_a_long_answer_takes_no_long_time() -> None:
    began = time.monotonic()
    for answer, name in (("A+9999 " * 10_000, "bird-2"), ("a:D999U999 " * 5_000, "klotski/bi-yi-heng-kong")):
        assert score(answer, name).reward == 0.0
    assert score("9999(9999(r))", "microban-001").reward == 0.0
    for text in ("A+9 ", GOOD + "\n", "[", "\u0416", "9"):
        found = score(text * (10_000_000 // len(text)))
        assert (found.reward, found.step) == (0.0, None)
        assert "characters, and at most 1,000,000 are read" in (found.problem or "")
    assert time.monotonic() - began < 10
