"""`budge explain --why` and `budge plans`: why a puzzle's plans are not shorter, and how the shortest plans look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...engines.common.state_graph import StateGraph, state_graph
from ...models.errors import UsageError
from ...models.puzzle import Puzzle
from ...models.task import Task
from ...runtime.budget import WHY_TIME_LIMIT, Budget
from ...runtime.events import Progress, Stage, silent
from ...runtime.kernels import ensure_kernels
from ...runtime.outcome import StoppedError
from ..solving import grounding, metric_of
from ..verification import read_plan
from .laws import PARITY, Law, laws_of
from .milestones import milestones_of, pictured
from .plans import Counted, condition, counted_plans, follow, under_conditions
from .reasons import Reasons
from .removals import removable, removals_of, without_one
from .shares import owners_of, shares_of

BESIDE_LAWS, BESIDE_REMOVALS = 0.8, 0.4
"""Parts of the time for the visit of all states where there are laws to report, and where something can be said by
leaving out pieces.
"""

REMOVALS = 0.9
"""Part of the time left for leaving out pieces: an engine may end a little late."""

SHARES, MILESTONES, WITHOUT = 0.6, 0.5, 0.5
"""Parts of the time left for shares, then for milestones, then for leaving pieces out."""


def why(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Reasons:
    """Shares, milestones, laws and shortest plans. Where not all states can be visited, laws and what leaving out
    pieces says. Raises `StoppedError` where that is nothing, and `UsageError` for a metric of several components.
    """
    budget = budget or Budget(WHY_TIME_LIMIT)
    began = budget.elapsed  # a clock that stands still while kernels are compiled
    metric = metric_of(puzzle, metric)
    task = _form(puzzle, metric, budget, progress)
    laws = _laws(puzzle, task, None)
    removing = removable(puzzle, metric)
    part = BESIDE_LAWS if laws else 1.0
    part = min(part, BESIDE_REMOVALS) if removing else part
    graph = _visited(task, budget.part(part * budget.remaining), progress)
    if isinstance(graph, StoppedError):
        most = budget.part(REMOVALS * budget.remaining)
        removals = removals_of(puzzle, metric, most, progress) if removing else None
        if not laws and removals is None:
            raise graph
        return Reasons(
            puzzle,
            metric,
            "explain",
            None,
            removals.optimum if removals else None,
            shares=removals.shares if removals else None,
            laws=laws,
            removals=removals,
            stopped_by=str(graph),
            seconds=budget.elapsed - began,
        )
    if graph.optimum is None:
        return Reasons(puzzle, metric, "explain", graph.states, None, seconds=budget.elapsed - began)
    progress(Stage(seconds=budget.elapsed, text="finding what each piece needs"))
    shares = shares_of(graph, owners_of(graph), budget.part(SHARES * budget.remaining))
    progress(Stage(seconds=budget.elapsed, text="finding what every plan passes"))
    milestones = milestones_of(graph, budget.part(MILESTONES * budget.remaining))
    routes = {share.owners[0]: tuple(map(graph.text, share.route)) for share in shares.single if share.route}
    reasons = plans(puzzle, metric, budget, progress, graph)
    without = without_one(puzzle, metric, graph.task, budget.part(WITHOUT * budget.remaining))
    return replace(
        reasons,
        command="explain",
        shares=shares,
        milestones=milestones,
        routes=routes,
        pictured=pictured(puzzle, graph, shares, milestones),
        laws=_laws(puzzle, task, graph),
        without=without,
        seconds=budget.elapsed - began,
    )


def _visited(task: Task, budget: Budget, progress: Progress) -> StateGraph | StoppedError:
    """The graph of all states, or which limit stopped the visit."""
    try:
        return state_graph(task, budget, progress)
    except StoppedError as error:
        if not error.reason.endswith("limit"):
            raise
        return error.with_traceback(None)  # whose frames would keep the arrays


def _laws(puzzle: Puzzle, task: Task, graph: StateGraph | None) -> tuple[Law, ...]:
    """The laws of a puzzle. Of PDDL, whose task lacks actions that change nothing that is asked for, only those that
    more such actions leave true: bounds.
    """
    laws = laws_of(task, graph)
    if puzzle.family != "pddl":
        return laws
    return tuple(replace(law, exact=False) for law in laws if law.kind != PARITY)


def plans(
    puzzle: Puzzle,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    graph: StateGraph | None = None,
    intended: str | None = None,
    avoid: Sequence[str] = (),
    through: Sequence[str] = (),
) -> Reasons:
    """Count the shortest plans. `graph`: of the puzzle, if it is known. `intended`: a plan, as `verify` reads them,
    that is held against them. `avoid`, `through`: positions and moves that the counted plans never have, or
    have at some time (`plans.condition`). Raises as `why`, and `ReplayError` for an intended plan that is wrong.
    """
    budget = budget or Budget(WHY_TIME_LIMIT)
    began = budget.elapsed
    metric = metric_of(puzzle, metric)
    graph = graph or state_graph(_form(puzzle, metric, budget, progress), budget, progress)
    if avoid or through:
        if intended is not None:
            raise UsageError("an intended plan is held against all plans: leave out what they shall avoid or pass")
        return _under_conditions(puzzle, metric, graph, avoid, through, budget)
    plan = None if intended is None else read_plan(puzzle, intended, metric).plan
    told = None if plan is None else follow(puzzle, metric, graph, plan)
    counted = None if graph.optimum is None else counted_plans(graph, budget)
    first = _first(puzzle, graph, counted)
    seconds = budget.elapsed - began
    return Reasons(
        puzzle, metric, "plans", graph.states, graph.optimum, plans=counted, first=first, intended=told, seconds=seconds
    )


def next_milestone(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress = silent) -> str | None:
    """The first of the milestones that come in order in every plan; None if there is none, or no time to find it."""
    try:
        graph = state_graph(_form(puzzle, metric, budget, progress), budget, progress)
    except (StoppedError, UsageError):
        return None
    chain = milestones_of(graph, budget).chain if graph.optimum else ()
    return chain[0].text if chain else None


def _under_conditions(
    puzzle: Puzzle, metric: str, graph: StateGraph, avoid: Sequence[str], through: Sequence[str], budget: Budget
) -> Reasons:
    """Count the shortest of the plans that keep conditions."""
    without, passed = ([condition(puzzle, graph, text) for text in texts] for texts in (avoid, through))
    kept = under_conditions(graph, without, passed, budget)
    # A swap may bring the goal, where a plan ends, before what has to be passed.
    counted = None if kept.optimum is None else counted_plans(kept, budget, swaps=not passed)
    example = tuple(puzzle.replay(kept.plan(kept.shortest())).notation) if counted else ()
    return Reasons(
        puzzle,
        metric,
        "plans",
        graph.states,
        kept.optimum,
        plans=counted,
        first=_first(puzzle, kept, counted),
        avoid=tuple(asked.text for asked in without),
        through=tuple(asked.text for asked in passed),
        optimum_of_all=graph.optimum,
        example=example,
        seconds=budget.elapsed,
    )


def _form(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress) -> Task:
    with grounding(budget, progress):
        task = puzzle.form(metric)
    if len(task.metric) > 1:
        raise UsageError(f"`{metric}` counts several things; name one of them: `--metric {task.metric[0]}`")
    ensure_kernels(progress, budget)
    return task


def compile_kernels(puzzle: Puzzle, metric: str) -> None:
    """Call what this file runs on large puzzles."""
    graph = state_graph(puzzle.form(metric), Budget(), silent)
    if graph.optimum is None:
        return
    shares_of(graph, owners_of(graph), Budget())
    milestones_of(graph, Budget())
    without_one(puzzle, metric, graph.task, Budget())


def _first(puzzle: Puzzle, graph: StateGraph, counted: Counted | None) -> tuple[str, ...]:
    """The first moves of shortest plans, in notation."""
    if counted is None:
        return ()
    return tuple(" ".join(puzzle.replay(graph.plan([edge])).notation) for edge in counted.first)
