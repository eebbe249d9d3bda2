"""CP-SAT on programs that compute with large numbers, held against breadth-first search on random puzzles."""

from __future__ import annotations

import random

import pytest
from budge import load_text
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.cp_sat.engine import solve as solve_programs
from budge.models.errors import GroundingError, PuzzleError, UsageError
from budge.models.program import ProgramTask
from budge.runtime.budget import Budget
from budge.runtime.outcome import Status

from ..helpers.program_tasks import task_of
from ..helpers.seeds import seeds


class Numbers:
    """A random puzzle on a few numbers of up to sixty values, whose sums are integer variables of the solver."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names, self.in_action = 0, False
        self.most = self.rng.choice((9, 25, 60))

    def number(self, depth: int) -> str:
        rng = self.rng
        if depth == 0:
            more = ["w"] if self.in_action else []
            return rng.choice(["x[a]", "x[b]", "x[c]", "y", str(rng.randrange(7)), "weight[a]", *more])
        self.names += 1
        k = f"k{self.names}"
        one, other = self.number(depth - 1), self.number(depth - 1)
        return rng.choice(
            (
                f"({one} + {other})",
                f"({one} - {other})",
                f"({one} + {other} + {self.number(0)})",
                f"{rng.randrange(2, 5)} * {one}",
                f"({one} {rng.choice(('%', '//'))} {rng.randrange(2, 7)})",
                f"{rng.choice(('min', 'max'))}({one}, {other})",
                f"abs({one} - {other})",
                f"({one} if {self.condition(0)} else {other})",
                f"sum(x[{k}] for {k} in thing)",
                f"count(x[{k}] < {other} for {k} in thing)",
                f"prime[({one}) % 7]",
                f"x[nth[({one}) % 3]]",
            )
        )

    def condition(self, depth: int) -> str:
        rng = self.rng
        compared = f"{self.number(depth)} {rng.choice(('<', '<=', '==', '!=', '>='))} {self.number(depth)}"
        if depth == 0:
            return compared
        self.names += 1
        k = f"k{self.names}"
        return rng.choice(
            (
                compared,
                f"not ({compared})",
                f"({compared} or {self.condition(0)})",
                f"different(x[{k}] + {self.number(0)} * weight[{k}] for {k} in thing)",
                f"all(x[{k}] != {self.number(0)} for {k} in thing)",
            )
        )

    def text(self) -> str:
        rng = self.rng
        actions = []
        for i in range(rng.randrange(2, 5)):
            w = rng.choice(("{w: 0..2}", "{w: 1..3}"))
            target = rng.choice(("x[a]", "x[b]", "x[c]", "y", "x[nth[w % 3]]", "x[nth[y % 3]]"))
            self.in_action = True
            asked = f"    when: {self.condition(rng.randrange(2))}\n" if rng.random() < 0.6 else ""
            value = self.number(rng.randrange(1, 3))
            actions.append(f"  act{i}:\n    with: {w}\n{asked}    set:\n      {target}: {value}\n")
        self.in_action = False
        always = f"always: {self.condition(1)}\n" if rng.random() < 0.5 else ""
        goal = f"x[{rng.choice('abc')}] == {rng.randrange(self.most)}"
        if rng.random() < 0.4:
            goal = f"{goal} and {self.condition(1)}"
        elif rng.random() < 0.5:
            goal = f"x[a] + x[b] >= {rng.randrange(self.most)} and different(x[k] for k in thing)"
        head = f"""\
format: 1
family: custom
types:
  thing: [a, b, c]
constants:
  weight: {{of: thing, in: 0..9, value: [1, 3, 2]}}
  nth: {{of: 0..2, in: thing, value: [a, b, c]}}
  prime: {{of: 0..6, in: 0..60, value: [2, 3, 5, 7, 11, 13, 17]}}
state:
  x: {{of: thing, in: 0..{self.most}, start: [1, 2, 5]}}
  y: {{in: -3..{self.most}, start: 3}}
actions:
"""
        return head + "".join(actions) + always + f"goal: {goal}\n"


def check(seed: int) -> str:
    """Both engines prove the same, or the solver stops at a horizon that the search proves too short."""
    text = Numbers(seed).text()
    try:
        task: ProgramTask = task_of(load_text(text))
    except (PuzzleError, GroundingError):
        return "rejected"
    expected = breadth_first(task, Budget(5, None))
    if not expected.status.proven:
        return "large"
    if expected.status is Status.OPTIMAL and expected.upper_bound is not None and expected.upper_bound[0] <= 9:
        try:
            found = solve_programs(task, Budget(60))
        except UsageError:  # a clause for each pair of too many values
            return "too large to state"
        if found.stopped_by == "time limit":
            return "slow"
        assert (found.status, found.upper_bound) == (Status.OPTIMAL, expected.upper_bound), text
        return "solved"
    try:
        found = solve_programs(task, Budget(60), horizon_limit=3)
    except UsageError:
        return "too large to state"
    assert found.plan is None, text
    return "refuted"


@pytest.mark.parametrize("seed", seeds(25))
def test_large_numbers(seed: int) -> None:
    check(seed)


@pytest.mark.weekly
def test_most_puzzles_say_something() -> None:
    found = [check(seed) for seed in range(100, 125)]
    assert found.count("solved") > 5, found


def test_whether_numbers_differ_can_be_assigned() -> None:
    task = task_of(
        load_text("""\
format: 1
family: custom
types:
  thing: [a, b, c]
state:
  x: {of: thing, in: 0..40, start: [1, 1, 9]}
  spread: {start: false}
actions:
  raise:
    with: {t: thing}
    set:
      x[t]: x[t] + 3
      spread: different(x[u] for u in thing)
goal: spread
""")
    )
    found = solve_programs(task, Budget(60))
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (2,))


@pytest.mark.slow
def test_many_large_numbers() -> None:
    for seed in range(1_000, 3_000):
        check(seed)
