"""`budge explain --why` and `budge plans`: why a puzzle's plans are not shorter, and how the shortest plans look."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...engines.common.state_graph import StateGraph, state_graph
from ...engines.preparation import on_samples, prepare_within
from ...models.display import Written
from ...models.errors import UsageError
from ...models.puzzle import Puzzle
from ...models.text import counted
from ...runtime.budget import Budget
from ...runtime.events import Progress, Stage, silent
from ...runtime.outcome import Outcome, Status
from ...runtime.preparation import KernelPreparation
from ..grounding import grounding
from ..plan_files import read_plan
from ..solving import contradiction, metric_of
from .intended import Intended, follow
from .leaving_out import without_one
from .milestones import Milestones, milestones_of
from .owners import owners_of
from .plans import Counted, counted_plans
from .shares import Shares, shares_of

SECONDS = 30.0
"""Default time limit: all states are visited, and then asked many times."""

SHARES, MILESTONES, WITHOUT = 0.6, 0.5, 0.5
"""Parts of the time left that shares may take, then milestones, and at last the puzzles without one piece."""


@dataclass(frozen=True, slots=True)
class Reasons(Written):
    """What all plans of a puzzle have in common. `optimum`: the cost of a shortest one; None if there is no plan, and
    then all but `states` is None or empty.

    `shares`, `milestones`: after `why`; `routes`: for each owner with one route only, its steps in words. `without`:
    the optimum without one piece, for pieces that may be left out. `plans`: None
    where shortest plans have free steps, as these may be repeated; `first`: their first moves, in notation. `command`:
    which of the two it answers. `intended`: the author's plan, if one was given.
    """

    puzzle: Puzzle
    metric: str
    command: str
    states: int
    optimum: int | None
    shares: Shares | None = None
    routes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    milestones: Milestones | None = None
    without: dict[str, int] = field(default_factory=dict)
    plans: Counted | None = None
    first: tuple[str, ...] = ()
    intended: Intended | None = None
    seconds: float = 0.0

    @property
    def _outcome(self) -> Outcome:
        """The optimum as the outcome of an engine that visits all states."""
        if self.optimum is None:
            return Outcome(status=Status.UNSOLVABLE)
        return Outcome(status=Status.OPTIMAL, lower_bound=(self.optimum,), upper_bound=(self.optimum,))

    @property
    def contradicts(self) -> str | None:
        """What is wrong with the file's `expect`, if something found contradicts it."""
        expect = self.puzzle.header.expect
        if wrong := contradiction(self.puzzle, self.metric, self._outcome):
            return wrong
        if expect.plans is not None and self.metric == self.puzzle.header.metric and self.plans:
            many = self.plans.number if self.plans.up_to_order is None else self.plans.up_to_order
            if many != expect.plans:
                return f"the file expects {counted(expect.plans, 'shortest plan')} up to order, and there are {many:,}"
        return None


def why(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Reasons:
    """Shares, milestones and shortest plans. Raises `StoppedError` where a limit stops the visit of all states, and
    `UsageError` for a metric of several components.
    """
    budget = budget or Budget(SECONDS)
    began = budget.elapsed  # a clock that stands still while kernels are compiled
    metric = metric_of(puzzle, metric)
    graph = _graph(puzzle, metric, budget, progress)
    if graph.optimum is None:
        return Reasons(puzzle, metric, "explain", graph.states, None, seconds=budget.elapsed - began)
    progress(Stage(seconds=budget.elapsed, text="finding what each piece needs"))
    shares = shares_of(graph, owners_of(graph), budget.part(SHARES * budget.remaining))
    progress(Stage(seconds=budget.elapsed, text="finding what every plan passes"))
    milestones = milestones_of(graph, budget.part(MILESTONES * budget.remaining))
    routes = {one.owners[0]: tuple(map(graph.text, one.route)) for one in shares.single if one.route}
    found = plans(puzzle, metric, budget, progress, graph)
    without = without_one(puzzle, metric, graph.task, budget.part(WITHOUT * budget.remaining))
    return replace(
        found,
        command="explain",
        shares=shares,
        milestones=milestones,
        routes=routes,
        without=without,
        seconds=budget.elapsed - began,
    )


def plans(
    puzzle: Puzzle,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    graph: StateGraph | None = None,
    intended: str | None = None,
) -> Reasons:
    """Count the shortest plans. `graph`: of the puzzle, if it is known. `intended`: a plan, as `verify` reads them,
    that is held against them. Raises as `why`, and `ReplayError` for an intended plan that is wrong.
    """
    budget = budget or Budget(SECONDS)
    began = budget.elapsed
    metric = metric_of(puzzle, metric)
    graph = graph or _graph(puzzle, metric, budget, progress)
    plan = None if intended is None else read_plan(puzzle, intended, metric).plan
    told = None if plan is None else follow(puzzle, metric, graph, plan)
    found = None if graph.optimum is None else counted_plans(graph, budget)
    first = _first(puzzle, graph, found)
    seconds = budget.elapsed - began
    return Reasons(
        puzzle, metric, "plans", graph.states, graph.optimum, plans=found, first=first, intended=told, seconds=seconds
    )


def _graph(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress) -> StateGraph:
    with grounding(budget, progress):
        task = puzzle.form(metric)
    if len(task.metric) > 1:
        raise UsageError(f"`{metric}` counts several things; name one of them: `--metric {task.metric[0]}`")
    prepare_within([preparation()], budget, progress)
    return state_graph(task, budget, progress)


def preparation() -> KernelPreparation:
    """How to compile what this file runs on large puzzles."""
    return on_samples("why", _compile)


def _compile(puzzle: Puzzle, metric: str) -> None:
    graph = state_graph(puzzle.form(metric), Budget(), silent)
    if graph.optimum is None:
        return
    shares_of(graph, owners_of(graph), Budget())
    milestones_of(graph, Budget())
    without_one(puzzle, metric, graph.task, Budget())


def _first(puzzle: Puzzle, graph: StateGraph, found: Counted | None) -> tuple[str, ...]:
    """The first moves of shortest plans, in notation."""
    if found is None:
        return ()
    return tuple(" ".join(puzzle.replay(graph.plan(edge)).notation) for edge in found.first)
