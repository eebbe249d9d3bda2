"""The table of engines, and solving a puzzle with one of them: ground, solve, replay, check."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

from .errors import ReplayError, UsageError
from .models.documents.fields import suggest
from .models.plan import Replay
from .models.puzzle import Puzzle, canonical_metric
from .models.task import Cost
from .outcome import Budget, Outcome, Progress, Status, silent


@dataclass(frozen=True, slots=True)
class Engine:
    """One way of solving. `solve` takes the task, the budget, a progress callback and its own options.

    An engine that plans in terms of the puzzle names the `families` that it knows; its `solve` takes the puzzle and
    the metric in place of the task. One that does not promise an optimum is done when it has a plan. One that is not
    `prompt` uses a solver that does not always look at the clock, or at Ctrl-C.
    """

    name: str
    solve: Callable[..., Outcome]
    options: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    promises_optimum: bool = True
    prompt: bool = True


def _lazily(module: str, function: str) -> Callable[..., Outcome]:
    """A function of a module of the package that is imported when it is first called: solvers are heavy."""

    def call(*arguments: Any, **options: Any) -> Outcome:
        solve: Callable[..., Outcome] = getattr(import_module(module, __package__), function)
        return solve(*arguments, **options)

    return call


ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("auto", _lazily(".portfolio", "auto")),
        Engine(
            "cp-sat", _lazily(".horizon", "solve_by_horizons"), ("strategy", "horizon_limit", "workers"), prompt=False
        ),
        Engine("csp", _lazily(".encoders.csp", "solve_by_csp"), ("solver", "horizon_limit"), prompt=False),
        Engine("bfs", _lazily(".search.bfs", "breadth_first")),
        Engine("bidirectional", _lazily(".search.bidirectional", "bidirectional")),
        Engine("astar", _lazily(".search.astar", "a_star")),
        Engine("idastar", _lazily(".search.idastar", "iterative_deepening")),
        Engine("greedy", _lazily(".search.greedy", "greedy"), promises_optimum=False),
        Engine("bird", _lazily(".search.bird", "plan_refinement"), families=("rush-hour",), promises_optimum=False),
    )
}

DEFAULT_ENGINE = "auto"


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


def show_cost(cost: Cost) -> str:
    return ", ".join(str(part) for part in cost)


def cost_in(replay: Replay, metric: str) -> Cost:
    """A replayed plan's cost in a metric, lexicographic ones included."""
    return tuple(replay.costs[part] for part in metric.split(","))


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
            from .processes import contained

            outcome = contained(partial(chosen.solve, task, **options), budget, progress, len(task.metric))
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
