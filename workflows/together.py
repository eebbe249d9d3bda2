"""One puzzle by many machines: the members of the portfolio, and strategies of theirs, on the workers of a scheduler.

As in the portfolio `auto` (`engines.auto.portfolio`), all that one of them proves or finds counts at once, for all:
lower bounds and plans come here through the scheduler, the cost of the best plan goes to everyone. When the highest
lower bound meets the cheapest plan, wherever they came from, the puzzle is solved, and the rest is ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..engines.common.known_together import Portfolio
from ..engines.engine import Engine
from ..engines.line_up import kind_of, line_up
from ..engines.table import DEFAULT_ENGINE, members
from ..models.errors import DisagreementError
from ..models.puzzle import Puzzle
from ..models.task import Task
from ..runtime.budget import Budget
from ..runtime.child_main import Orders
from ..runtime.events import Event, Progress, silent
from ..runtime.executors.cluster import ClusterExecutor
from ..runtime.outcome import Recorder, Status, Times
from ..runtime.processes import Report
from .jobs import Job, orders_of
from .solving import Solution, metric_of, replayed

POLL = 0.1
"""Seconds between two looks at the clock."""

STRATEGY = "strategy"
"""The option of an engine whose values are worth trying side by side."""


@dataclass(frozen=True, slots=True)
class ClusterMember:
    """An engine with its options; `name` is how the statistics of the outcome call it."""

    engine: Engine
    options: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return " ".join([self.engine.name, *(f"{value}" for _, value in self.options)])


def members_for(task: Task, puzzle: Puzzle) -> Iterator[ClusterMember]:
    """The members for a task, in the order in which they begin: the first engine of each side of the portfolio, then
    other strategies of these engines, then the remaining engines of each side.
    """
    able = [engine for engine in members() if puzzle.offers(engine.reads)]
    sides = line_up(kind_of(task), able)
    first = [side[0] for side in sides]
    yield from map(ClusterMember, first)
    for engine in first:
        for option in engine.options:
            if option.name == STRATEGY:
                yield from (
                    ClusterMember(engine, ((STRATEGY, word),)) for word in option.choices if word != option.default
                )
    yield from (ClusterMember(engine) for side in sides for engine in side[1:])


def solve_together(
    puzzle: Puzzle,
    executor: ClusterExecutor,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
) -> Solution:
    """Solve a puzzle by as many members as the scheduler has cores; when one ends without a proof, the next begins.

    `stats` names who found the plan (`plan_by`) and who proved the bound (`bound_by`), and the worker of each member
    (`bfs_worker`). Raises `DisagreementError` if two contradict each other, and `ReplayError` for a plan that does not
    replay.
    """
    metric = metric_of(puzzle, metric)
    budget = budget or Budget()
    task = puzzle.task(metric)
    record = Recorder(budget, progress, parts=len(task.metric))
    if (outcome := record.trivial(task)) is None:
        record.encoded()
        portfolio = Portfolio(task, record)
        with executor.reached():
            reason = _work(puzzle, metric, list(members_for(task, puzzle)), portfolio, executor)
        outcome = portfolio.outcome(reason)
    outcome = replace(outcome, times=Times(solve=budget.elapsed))
    replay = replayed(puzzle, metric, outcome)
    if outcome.status is Status.UNSOLVABLE and replay is not None:
        raise DisagreementError("a plan replays, but another engine proves that there is none")
    return Solution(puzzle, DEFAULT_ENGINE, metric, outcome, replay)


def _work(
    puzzle: Puzzle, metric: str, members: list[ClusterMember], portfolio: Portfolio, executor: ClusterExecutor
) -> str | None:
    """Let members work until the task is solved; why they ended otherwise."""
    budget, text = portfolio.budget, puzzle.to_yaml()
    running: dict[int, str] = {}
    begun = 0
    gave_up = "no engine can do more"
    sharing = executor.share()
    try:
        while not portfolio.solved:
            if reason := budget.stopped():
                return reason
            while begun < len(members) and len(running) < executor.cores:
                member = members[begun]
                running[begun] = member.name
                sharing.start(begun, _orders(puzzle, text, metric, member, budget))
                begun += 1
            if not running:
                return gave_up
            for number, where, message in sharing.hear(POLL):
                name = members[number].name
                if where:
                    portfolio.record.stats[f"{name}_worker"] = where
                if isinstance(message, Event):
                    portfolio.hear(name, message)
                    continue
                del running[number]
                if isinstance(message, Report):
                    portfolio.learn(name, message.outcome())
                    gave_up = message.outcome().stopped_by or gave_up
                else:
                    portfolio.record.stats[f"{name}_error"] = message
                if portfolio.solved:
                    break
            sharing.tell(portfolio.record.bounds.upper_bound)
        return None
    finally:
        sharing.close()


def _orders(puzzle: Puzzle, text: str, metric: str, member: ClusterMember, budget: Budget) -> Orders:
    job = Job(puzzle, member.engine.name, metric, member.options)
    return replace(orders_of(job, text, job.engine, budget.seconds_left, budget.memory_mib), incumbent=budget.incumbent)
