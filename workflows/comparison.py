"""Comparing engines: a row for each engine on each puzzle, and whether all that they prove agrees.

Each run has a process of its own with hard limits. By default one run follows the other, so that they do not slow each
other down; an engine may use a second core.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..engines.table import all_engines, find
from ..models.display import Displayed
from ..models.errors import DisagreementError, UsageError
from ..models.moves import Cost, at_least, show_cost
from ..models.puzzle import Puzzle
from ..models.text import aligned, counted, cut
from ..runtime.budget import Budget
from ..runtime.events import Event, Progress, silent
from ..runtime.kernels import ensure_kernels
from ..runtime.outcome import Status
from .jobs import Job, RunLimits, run_all
from .rows import (
    COLUMNS,
    Compared,
    Conditions,
    Row,
    flat,
    frame,
    key_of,
    names_of,
    row_of,
    told_apart,
)
from .solving import metric_of, readers


@dataclass(frozen=True, slots=True)
class Comparison(Displayed):
    """The rows in the order of puzzles and engines, and every disagreement among what they prove, in sentences.

    `puzzles` are those that were compared, and `conditions` those of this comparison; rows of a store have their own.
    `prepare`: the seconds that compiling took, before the first run; they are in no row.
    """

    rows: tuple[Row, ...]
    disagreements: tuple[str, ...]
    interrupted: bool = False
    puzzles: tuple[Puzzle, ...] = ()
    conditions: Conditions | None = None
    prepare: float = 0.0

    def __repr__(self) -> str:
        """As `Comparison(4 puzzles x 3 engines, 12 rows, 10 proven, all agree)`."""
        puzzles = counted(len({row.asked.compared for row in self.rows}), "puzzle")
        engines = counted(len({row.engine for row in self.rows}), "engine")
        proven = sum(row.proven for row in self.rows)
        agree = counted(len(self.disagreements), "disagreement") if self.disagreements else "all agree"
        failed = f"{counted(len(self.errors), 'error')}, " if self.errors else ""
        return f"Comparison({puzzles} x {engines}, {counted(len(self.rows), 'row')}, {proven} proven, {failed}{agree})"

    def __str__(self) -> str:
        """A table with a row for each run: the puzzle, the metric, the engine, how it ended, the cost, the seconds."""
        lines = [("puzzle", "metric", "engine", "status", "cost", "seconds")]
        for row in told_apart(self.rows):
            cost = "" if row.exact_cost is None else show_cost(row.exact_cost)
            asked = row.asked
            lines.append((cut(asked.puzzle, 40), asked.metric, asked.engine, row.status, cost, f"{row.seconds:.2f}"))
        return "\n".join(aligned(lines))

    def to_frame(self) -> Any:
        """A pandas `DataFrame` with a row for each run. Raises `ImportError` without pandas.

        Costs are numbers where the metric has one component, else tuples; times are seconds.
        """
        return frame([flat(row) for row in self.rows], COLUMNS)

    def check(self) -> None:
        """Raises `DisagreementError` if two engines disagree, or one with the file's `expect`."""
        if self.disagreements:
            raise DisagreementError("\n".join(self.disagreements))

    @property
    def measured_under(self) -> tuple[Conditions, ...]:
        """The conditions of all rows, each once, the newest first."""
        measured = [row.conditions for row in self.rows]
        different = [conditions for number, conditions in enumerate(measured) if conditions not in measured[:number]]
        return tuple(sorted(different, key=lambda conditions: conditions.environment.date, reverse=True))

    @property
    def errors(self) -> tuple[Row, ...]:
        """Rows whose engine failed."""
        return tuple(row for row in self.rows if row.status is Status.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonListener:
    """Who hears of a comparison, and can end it. `on_row` gets the rows in their order, as soon as those before them
    are there; `on_event` the events of engines; `on_prepare` hears of compiling.
    """

    on_row: Callable[[Row], None] = lambda _row: None
    on_event: Callable[[Job, Event], None] | None = None
    on_prepare: Progress = silent
    interrupted: threading.Event = field(default_factory=threading.Event)


def compare(
    puzzles: Sequence[Puzzle],
    engines: Sequence[str] | None = None,
    metric: str | None = None,
    conditions: Conditions | None = None,
    listener: ComparisonListener | None = None,
) -> Comparison:
    """Run engines (default: all that know the family) on puzzles in a metric (default: each puzzle's own).

    Engines are compiled if need be: those for which nothing has to be compiled are run first, the others as soon as
    they are ready, and nothing is compiled while one runs. Raises `UsageError` for an unknown engine or metric.
    """
    conditions, listener = conditions or Conditions(), listener or ComparisonListener()
    limits = conditions.time_limit, conditions.memory_limit
    # 1. What is to be run.
    plan = [
        Job(puzzle, engine, chosen)
        for puzzle in puzzles
        for chosen in (metric_of(puzzle, metric),)
        for engine in engines_for(puzzle, engines)
    ]
    if not plan:
        able = ", ".join(f"{name}: {readers(find(name))} only" for name in engines or ())
        raise UsageError(f"none of these engines supports these puzzles ({able})")
    whole = Budget(None, None)
    whole.interrupted = listener.interrupted
    # 2. All kernels are made first: nothing is compiled while anything is measured.
    prepare = 0.0
    if any(engine.compiled or engine.portfolio for engine in (find(job.engine) for job in plan)):
        prepare = ensure_kernels(listener.on_prepare, whole)
    runs = run_all(
        plan,
        RunLimits(*limits),
        parallel=conditions.jobs,
        interrupted=listener.interrupted,
        on_event=listener.on_event,
    )
    # 3. Rows are shown in the order of the plan although runs end in any: each waits for those before it.
    rows, shown = dict[int, Row](), 0
    for index, run in runs:
        rows[index] = row_of(run, key_of(run.job, *limits), conditions)
        while shown in rows:
            listener.on_row(rows[shown])
            shown += 1
    for i in range(shown, len(plan)):  # after Ctrl-C there are gaps
        if i in rows:
            listener.on_row(rows[i])
    ordered = tuple(rows[i] for i in sorted(rows))
    stopped = len(rows) < len(plan) or any(row.status is Status.INTERRUPTED for row in ordered)
    return Comparison(
        rows=ordered,
        disagreements=disagreements(ordered),
        interrupted=stopped,
        puzzles=tuple(puzzles),
        conditions=conditions,
        prepare=prepare,
    )


def engines_for(puzzle: Puzzle, asked: Sequence[str] | None = None) -> list[str]:
    """The engines to run on a puzzle: those asked for, or all, without those that cannot read it."""
    engines = [find(name) for name in dict.fromkeys(asked)] if asked else list(all_engines().values())
    return [engine.name for engine in engines if engine.takes(puzzle)]


# Whether what they prove agrees


def disagreements(rows: Iterable[Row]) -> tuple[str, ...]:
    """Every row that contradicts the cheapest plan of the same puzzle, by its content, in the same metric; and every
    one that contradicts what its file expects.

    A plan that was replayed, a proven lower bound and a proof that there is no plan are facts: no plan may be cheaper
    than any engine's lower bound, and no puzzle with a plan may be unsolvable.
    """
    rows = list(rows)
    names = names_of(row.asked for row in rows)
    problems = [f"{names[row.asked.digest]}: {row.engine}: {row.contradicts}" for row in rows if row.contradicts]
    cheapest: dict[Compared, tuple[Cost, str]] = {}
    for row in rows:
        plan = row.exact_cost
        if plan is not None and ((best := cheapest.get(row.asked.compared)) is None or plan < best[0]):
            cheapest[row.asked.compared] = plan, row.engine
    for row in rows:
        if row.asked.compared not in cheapest:
            continue
        cost, engine = cheapest[row.asked.compared]
        least, proof = row.outcome.lower_bound, f"{row.engine} proves that"
        if row.status is Status.UNSOLVABLE:
            proof += " there is none"
        elif least is not None and least > cost:
            proof += f" {at_least(least)}"
        else:
            continue
        plan_of = f"{names[row.asked.digest]}: {engine} has a plan of {show_cost(cost)} {row.asked.metric}"
        problems.append(f"{plan_of}, but {proof} ({row.outcome.lower_bound_by})")
    return tuple(problems)
