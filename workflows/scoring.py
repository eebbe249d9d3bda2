"""Scoring answers of people and models: is every step legal, is the goal reached, and how much longer than the optimum?

Nothing is skipped or mended: one illegal step, or one word that is no step, and the answer counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..engines.table import DEFAULT_ENGINE
from ..models.display import Written
from ..models.errors import DisagreementError, ReplayError, UnreadableError, UsageError
from ..models.plan import Plan, cost_in
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.outcome import Status
from .solving import metric_of, solve
from .verification import notated, played

LONGEST = 1_000_000
"""The most characters of an answer: 250,000 short steps are read and played in some seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Written):
    """What an answer is worth.

    `legal`: the rules allow every step; `solved`: and the goal is reached at the end. If not, `problem` says why, and
    `step` is the number of the first step that is illegal, or not one at all (None: no single step is to blame). `cost`
    is None unless solved; `optimum` is None where it is not known, and `optimum_by` says who vouches for it, or why it
    is not known. `lost` is cost - optimum. `reward`: 0.0 unless solved, else optimum / cost, which is 1.0 for a
    shortest plan; None where the answer solves the puzzle, and the optimum is not known.
    """

    puzzle: Puzzle
    metric: str
    legal: bool
    solved: bool
    problem: str | None = None
    step: int | None = None
    cost: int | None = None
    optimum: int | None = None
    optimum_by: str = ""

    @property
    def lost(self) -> int | None:
        return None if self.cost is None or self.optimum is None else self.cost - self.optimum

    @property
    def reward(self) -> float | None:
        if not self.solved or self.cost == self.optimum:
            return float(self.solved)
        return None if self.cost is None or self.optimum is None else self.optimum / self.cost


def score(
    puzzle: Puzzle,
    answer: Plan | str,
    metric: str | None = None,
    budget: Budget | None = None,
    *,
    optimum: int | Literal["expect"] | None = None,
) -> Score:
    """Replay an answer, and hold its cost against the optimum: a number that the caller knows, what the file expects,
    or without either what is proven within the budget, if the answer solves the puzzle.

    Raises `UsageError` for a metric of several components, or a file that expects nothing; and `DisagreementError` if
    the answer is better than the optimum.
    """
    metric = metric_of(puzzle, metric)
    if "," in metric:
        raise UsageError(f"`{metric}` has several components, and a score is one number: choose a metric of one")
    best: int | None
    if optimum == "expect":
        best, by = _expected(puzzle, metric)
    else:
        best, by = optimum, "" if optimum is None else "given"
    cost, legal, wrong = _replayed(puzzle, answer, metric)
    if cost is not None and optimum is None:
        best, by = _proven(puzzle, metric, budget)
    if cost is not None and best is not None and cost < best:
        said = puzzle.metric(metric).counted
        raise DisagreementError(f"this answer costs {said((cost,))}, less than the optimum of {best} ({by})")
    return Score(
        puzzle=puzzle,
        metric=metric,
        legal=legal,
        solved=wrong is None,
        problem=str(wrong) if wrong else None,
        step=wrong.step if wrong else None,
        cost=cost,
        optimum=best,
        optimum_by=by,
    )


def _replayed(puzzle: Puzzle, answer: Plan | str, metric: str) -> tuple[int | None, bool, ReplayError | None]:
    """What an answer costs, if it solves the puzzle; whether all its steps are legal; and what is wrong with it."""
    try:
        if isinstance(answer, str) and len(answer) > LONGEST:
            raise UnreadableError(f"the answer has {len(answer):,} characters, and at most {LONGEST:,} are read")
        plan = notated(puzzle, answer)
        if isinstance(answer, str) and not plan.plan.moves:
            raise UnreadableError("the text has no step")
        replay, wrong = played(puzzle, plan, metric)
    except ReplayError as error:
        return None, False, error
    legal = replay is not None and len(replay.steps) == len(plan.plan.moves)
    cost = cost_in(replay, metric)[0] if replay is not None and wrong is None else None
    return cost, legal, wrong


def _expected(puzzle: Puzzle, metric: str) -> tuple[int, str]:
    """The optimum in the puzzle's file."""
    expected = puzzle.header.expect.costs.get(metric)
    if expected is None:
        raise UsageError(f"{puzzle.header.file}: the file expects no cost in {metric} (`expect: {{cost: N}}`)")
    return expected[0], "the file's `expect`"


def _proven(puzzle: Puzzle, metric: str, budget: Budget | None) -> tuple[int | None, str]:
    """The optimum that is proven, and by what; or why none is."""
    solution = solve(puzzle, DEFAULT_ENGINE, metric, budget)
    if solution.status is Status.UNSOLVABLE:
        raise DisagreementError(f"this answer solves the puzzle, and there is no plan: {solution.proof}")
    if solution.status is Status.OPTIMAL and isinstance(solution.cost, int):
        return solution.cost, solution.proof
    return None, f"not proven: {solution.outcome.stopped_by or solution.status.sentence}"
