"""The table of engines, and solving a puzzle with one of them: ground, solve, replay, check."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..engines.table import DEFAULT_ENGINE, ENGINES
from ..models.cost import Cost, canonical_metric, show_cost
from ..models.errors import ReplayError, UsageError
from ..models.plan import Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..runtime.outcome import Budget, Outcome, Progress, Status, silent


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of an engine on a puzzle, with the replay of its plan.

    `seconds` is the wall-clock time of everything: grounding, encoding, solving, replay.
    """

    puzzle: Puzzle
    engine: str
    metric: str
    outcome: Outcome
    replay: Replay | None
    seconds: float

    @property
    def cost(self) -> Cost | None:
        """The cost of the plan as replayed, one number for each component of the metric."""
        return None if self.replay is None else cost_in(self.replay, self.metric)

    @property
    def contradicts(self) -> str | None:
        """What is wrong with the file's `expect`, if something proven contradicts it."""
        return contradiction(self.puzzle, self.metric, self.outcome)


def contradiction(puzzle: Puzzle, metric: str, outcome: Outcome) -> str | None:
    """What is wrong with the file's `expect`, if the outcome's bounds or its plan contradict it."""
    expect, cost = puzzle.header.expect, outcome.upper_bound
    expected = expect.costs.get(metric)
    if expect.unsolvable and cost is not None:
        return "the file expects no plan, but this plan solves the puzzle"
    if expected is None:
        return None
    if outcome.status is Status.UNSOLVABLE:
        return f"the file expects {show_cost(expected)} {metric}, but the puzzle is unsolvable"
    if cost is not None and (cost < expected or (outcome.status is Status.OPTIMAL and cost != expected)):
        return f"the file expects {show_cost(expected)} {metric}, but a plan of {show_cost(cost)} was found"
    if outcome.lower_bound is not None and outcome.lower_bound > expected:
        least = show_cost(outcome.lower_bound)
        return f"the file expects {show_cost(expected)} {metric}, but at least {least} are needed"
    return None


def metric_of(puzzle: Puzzle, asked: str | None) -> str:
    """The metric to solve in: the one asked for, or the puzzle's own. Raises `UsageError` for an unknown one."""
    metric = canonical_metric(asked) if asked else puzzle.header.metric
    if metric not in puzzle.metrics:
        raise UsageError(
            f"{puzzle.header.name}: the family {puzzle.family} has no metric `{metric}`; "
            + suggest(metric, puzzle.metrics)
        )
    return metric


def solve(
    puzzle: Puzzle,
    engine: str = DEFAULT_ENGINE,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    hard_limits: bool = False,
    **options: Any,
) -> Solution:
    """Solve a puzzle and replay the plan by the rules of its family.

    With `hard_limits`, an engine that is not prompt works in a process of its own, which is ended when the budget is.
    `metric` defaults to the puzzle's own, `budget` to the default limits. Raises `UsageError` for an unknown
    engine, metric or option, and `ReplayError` if the plan does not replay or does not cost what the engine
    says: that is a bug in Budge, and no answer.
    """
    if engine not in ENGINES:
        raise UsageError(f"no engine `{engine}`; " + suggest(engine, ENGINES))
    chosen = ENGINES[engine]
    for option in options:
        if option not in chosen.options:
            raise UsageError(f"the engine `{engine}` has no option `{option}`")
    metric = metric_of(puzzle, metric)
    budget = budget or Budget()
    began = time.monotonic()
    if chosen.families:
        if puzzle.family not in chosen.families:
            raise UsageError(
                f"{puzzle.header.name}: the engine `{engine}` is for {', '.join(chosen.families)}, not {puzzle.family}"
            )
        outcome = chosen.solve(puzzle, metric, budget, progress, **options)
    else:
        task = puzzle.task(metric)
        grounded = time.monotonic() - began
        if hard_limits and not chosen.prompt:
            from ..runtime.processes import in_subprocess

            outcome = in_subprocess(partial(chosen.solve, task, **options), budget, progress, len(task.metric))
        else:
            outcome = chosen.solve(task, budget, progress, **options)
        outcome = replace(outcome, encode_seconds=outcome.encode_seconds + grounded)
        outcome.stats.update(facts=len(task.facts), operators=len(task.operators))
    budget.incumbent = None  # what was known of this puzzle is of no use for the next
    replay = replayed(puzzle, metric, outcome)
    if replay is not None:
        cost = cost_in(replay, metric)
        outcome = replace(outcome, upper_bound=cost)
        expected = puzzle.header.expect.costs.get(metric)
        if not chosen.promises_optimum and expected and len(cost) == 1:
            outcome.stats.update(optimum_by_expect=expected[0], above_optimum=cost[0] - expected[0])
    return Solution(puzzle, engine, metric, outcome, replay, time.monotonic() - began)


def replayed(puzzle: Puzzle, metric: str, outcome: Outcome) -> Replay | None:
    """The replay of an outcome's plan. Raises `ReplayError` if it fails, or contradicts the outcome's bounds."""
    if outcome.plan is None:
        return None
    replay = puzzle.replay(outcome.plan)
    if not replay.solved:
        raise ReplayError("the plan ends before the goal is reached")
    cost = cost_in(replay, metric)
    if outcome.upper_bound is not None and cost != outcome.upper_bound:
        raise ReplayError(
            f"the plan costs {show_cost(cost)} {metric} by the rules, not {show_cost(outcome.upper_bound)}"
        )
    if outcome.lower_bound is not None and cost < outcome.lower_bound:
        raise ReplayError(
            f"the plan costs {show_cost(cost)} {metric}, less than the lower bound {show_cost(outcome.lower_bound)}"
        )
    if outcome.status is Status.OPTIMAL and cost != outcome.lower_bound:
        raise ReplayError(f"the plan costs {show_cost(cost)} {metric}, more than the claimed optimum")
    return replay
