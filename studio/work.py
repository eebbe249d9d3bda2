"""The work of runs besides solving: functions that a child process calls with its budget.

What they call is imported in that process: the studio starts without it, and a hint does not wait for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.late import late
from ..models.moves import Cost
from ..models.plan import Plan
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.child_main import Orders, Work
from ..runtime.events import Event, LayerDone, LowerBound, PlanFound, Progress
from ..workflows.comparison import Comparison, ComparisonListener, Terms, compare
from ..workflows.jobs import Job
from ..workflows.playing import Advice, Game
from ..workflows.rows import Asked, Row, asked_of
from ..workflows.streaming import Background

if TYPE_CHECKING:
    from ..workflows.certifying import Certified


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDone(Event):
    """The event that a row of a comparison is finished."""

    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundReported(Event):
    """The engine of a cell has a better lower bound, proven `by` what it says, or a plan of a lower cost, `upper`."""

    cell: Asked
    lower: Cost | None = None
    upper: Cost | None = None
    by: str = ""


MILESTONE_SECONDS = 2.0
"""Seconds in which a milestone is looked for, after a hint is known."""

REPORTED = (RowDone, BoundReported)
"""The events of a comparison that belong to one of its cells."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim to check: a plan as text, a cost (or `unsolvable`), or both."""

    plan: str | None
    cost: Cost | str | None


def under(budget: Budget, work: Work) -> Background:
    """Start a piece of work under a budget, in a process of its own."""
    return Background(Orders(work, budget.seconds, budget.memory_mib))


def exploring(puzzle: Puzzle, metric: str) -> Work:
    """Visit every reachable state; gives an `Answer`."""
    return partial(late(__package__, "..workflows.exploration:explore"), puzzle, metric)


def explaining(puzzle: Puzzle, metric: str) -> Work:
    """Say why no plan is shorter; gives `Reasons`."""
    return partial(late(__package__, "..workflows.why.find_reasons:why"), puzzle, metric)


def checking(puzzle: Puzzle, metric: str, claim: Claim) -> Work:
    """Say what is proven of a claim; gives a `Verification`."""
    return partial(late(__package__, "..workflows.verification:verify"), puzzle, claim.plan, claim.cost, None, metric)


def certifying(puzzle: Puzzle, metric: str, folder: Path) -> Work:
    """Solve, and write a certificate; gives a `Certified`."""
    return partial(_certify, puzzle, metric, folder)


def comparing(puzzles: Sequence[Puzzle], engines: Sequence[str], each: Budget) -> Work:
    """Run engines on puzzles and report bounds and rows; gives a `Comparison`. `each`: the limits of a run."""
    return partial(_compare, tuple(puzzles), tuple(engines), (each.seconds, each.memory_mib))


def advising(puzzle: Puzzle, metric: str, plan: Plan, fully: bool = True) -> Work:
    """Say how far the goal is after a plan, and the best moves there; gives an `Advice`."""
    return partial(_advise, puzzle, metric, plan, fully)


def _advise(puzzle: Puzzle, metric: str, plan: Plan, fully: bool, budget: Budget, progress: Progress) -> Advice:
    from ..workflows.why.find_reasons import next_milestone

    game = Game(puzzle, metric)
    for move in plan.moves:
        game.play(move)
    advice = game.hint()
    if not advice.moves or not fully:
        return advice
    milestone = next_milestone(game.here(), metric, budget.part(MILESTONE_SECONDS), progress)
    return replace(advice, milestone=milestone)


def _certify(puzzle: Puzzle, metric: str, folder: Path, budget: Budget, progress: Progress) -> Certified:
    from ..workflows.certifying import NotCertified, certify
    from ..workflows.solving import solve

    solution = solve(puzzle, metric=metric, budget=budget, progress=progress, hard_limits=True)
    if not solution.status.proven:
        raise NotCertified(f"no certificate: {solution.bounds}, not proven ({solution.outcome.stopped_by})")
    return certify(solution, folder, budget)


def _compare(
    puzzles: tuple[Puzzle, ...],
    engines: tuple[str, ...],
    limits: tuple[float | None, int | None],
    budget: Budget,
    progress: Progress,
) -> Comparison:
    best: dict[Asked, tuple[Cost | None, Cost | None]] = {}

    def on_row(row: Row) -> None:
        progress(RowDone(seconds=budget.elapsed, row=row))

    def on_event(job: Job, event: Event) -> None:
        cell = asked_of(job)
        low, high = best.get(cell, (None, None))
        match event:
            case LowerBound(lower_bound=bound, by=by) | LayerDone(lower_bound=bound, by=by):
                if bound is not None and (low is None or bound > low):
                    best[cell] = bound, high
                    progress(BoundReported(seconds=event.seconds, cell=cell, lower=bound, by=by))
            case PlanFound(cost=cost) if high is None or cost < high:
                best[cell] = low, cost
                progress(BoundReported(seconds=event.seconds, cell=cell, upper=cost))

    return compare(
        puzzles,
        engines,
        terms=Terms(time_limit=limits[0], memory_limit=limits[1], command="budge studio"),
        listener=ComparisonListener(
            on_row=on_row, on_event=on_event, on_prepare=progress, interrupted=budget.interrupted
        ),
    )
