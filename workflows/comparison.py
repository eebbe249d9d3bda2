"""Comparing engines: a row for each engine on each puzzle, and whether all that they prove agrees.

Each run has a process of its own with hard limits. By default one run follows the other, so that they do not slow each
other down; an engine may use a second core.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..engines.preparation import prepare_engines
from ..engines.table import all_engines, find
from ..models.cost import Cost, plain_cost, show_cost
from ..models.display import Displayed
from ..models.errors import DisagreementError, UsageError
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..models.text import counted, cut
from ..runtime.budget import DEFAULT_MEMORY_LIMIT, Budget
from ..runtime.events import Event, Progress, silent
from ..runtime.outcome import Outcome, Status, Times
from .frames import frame
from .jobs import Job, Limits, Run, run_all
from .solving import contradiction, metric_of

TIME_LIMIT = 60.0
"""Seconds that each engine has for each puzzle unless the caller says otherwise."""

Point = tuple[float, Cost | None, Cost | None]
"""(seconds, lower bound, cost of the best plan)"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row is the answer to. `file` is where the puzzle comes from."""

    puzzle: str
    file: str
    family: str
    metric: str
    engine: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run took: `seconds` of wall clock for everything, `times` its parts (None if the engine was killed: it
    could not say), `memory_mib` the most by which its memory grew.
    """

    seconds: float
    times: Times | None
    memory_mib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What an engine made of a puzzle. `key` says what was run: the same key means the same run.

    `outcome` is the engine's, or what it had told when it was ended; it holds no plan, for `plan` is its notation as
    replayed, and `cost` what it costs by the rules. `history` tells how the bounds came about, `error` what the engine
    raised, `contradicts` what is wrong with the file's `expect`.
    """

    key: str
    asked: Asked
    outcome: Outcome
    cost: Cost | None
    measured: Measured
    plan: tuple[str, ...] | None = None
    history: tuple[Point, ...] = ()
    error: str | None = None
    contradicts: str | None = None

    @property
    def engine(self) -> str:
        return self.asked.engine

    @property
    def status(self) -> Status:
        return self.outcome.status

    @property
    def seconds(self) -> float:
        return self.measured.seconds

    @property
    def finished(self) -> bool:
        """Whether the run came to its own end or to a limit; one that was interrupted or failed is run again."""
        broken = (Status.INTERRUPTED, Status.ERROR, Status.UNSUPPORTED)
        return self.status not in broken and self.outcome.stopped_by != "interrupted"

    @property
    def proven(self) -> bool:
        """Whether the engine has proven the optimum, or that there is no plan."""
        return self.status.proven

    def count(self, what: str) -> int | None:
        """A count of the statistics: `states`, `conflicts`; of a portfolio, of all its engines together."""
        stats = self.outcome.stats
        own = stats.get(what)
        if isinstance(own, int):
            return own
        parts = [value for key, value in stats.items() if key.endswith(f"_{what}") and isinstance(value, int)]
        return sum(parts) if parts else None

    def __repr__(self) -> str:
        asked = self.asked
        name = repr(cut(asked.puzzle, 60))
        return f"Row({name}, {asked.metric}, {asked.engine}: {self.status.value}, {self.seconds:.2f} s)"


@dataclass(frozen=True, slots=True)
class Comparison(Displayed):
    """The rows in the order of puzzles and engines, and every disagreement among what they prove, in sentences.

    `prepare`: the seconds that compiling took, before the first run; they are in no row.
    """

    rows: tuple[Row, ...]
    disagreements: tuple[str, ...]
    interrupted: bool = False
    prepare: float = 0.0

    def __repr__(self) -> str:
        """As `Comparison(4 puzzles x 3 engines, 12 rows, 10 proven, all agree)`."""
        puzzles = counted(len({(row.asked.file, row.asked.puzzle, row.asked.metric) for row in self.rows}), "puzzle")
        engines = counted(len({row.engine for row in self.rows}), "engine")
        proven = sum(row.proven for row in self.rows)
        agree = counted(len(self.disagreements), "disagreement") if self.disagreements else "all agree"
        return f"Comparison({puzzles} x {engines}, {counted(len(self.rows), 'row')}, {proven} proven, {agree})"

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
    def errors(self) -> tuple[Row, ...]:
        """Rows whose engine failed."""
        return tuple(row for row in self.rows if row.status is Status.ERROR)


def compare(
    puzzles: Sequence[Puzzle],
    engines: Sequence[str] | None = None,
    metric: str | None = None,
    *,
    time_limit: float | None = TIME_LIMIT,
    memory_limit: int | None = DEFAULT_MEMORY_LIMIT,
    jobs: int = 1,
    resume: Path | None = None,
    interrupted: threading.Event | None = None,
    on_row: Callable[[Row], None] = lambda row: None,
    on_event: Callable[[Job, Event], None] | None = None,
    on_prepare: Progress = silent,
) -> Comparison:
    """Run engines (default: all that know the family) on puzzles in a metric (default: each puzzle's own).

    `jobs` runs go on side by side. Each finished row is appended to the file `resume`, and a row that the file holds
    already, of the same puzzle, engine, metric and limits, is not run again. `on_row` gets the rows in their order, as
    soon as those before them are there. Engines are compiled before the first run, if need be, of which `on_prepare`
    hears. Raises `UsageError` for an unknown engine or metric.
    """
    plan = [
        Job(puzzle, engine, chosen)
        for puzzle in puzzles
        for chosen in (metric_of(puzzle, metric),)
        for engine in _engines_for(puzzle, engines)
    ]
    if not plan:
        raise UsageError("none of these engines knows any of these puzzles")
    keys = [key_of(job, time_limit, memory_limit) for job in plan]
    known = read_rows(resume) if resume else {}
    rows: dict[int, Row] = {
        i: _again(job, known[key]) for i, (job, key) in enumerate(zip(plan, keys, strict=True)) if key in known
    }
    left = [i for i in range(len(plan)) if i not in rows]
    shown = 0

    def show() -> None:
        nonlocal shown
        while shown in rows:
            on_row(rows[shown])
            shown += 1

    show()
    whole = Budget(None, None)
    whole.interrupted = interrupted = interrupted or threading.Event()
    prepare = prepare_engines([find(plan[i].engine) for i in left], whole, on_prepare)
    runs = run_all(
        [plan[i] for i in left],
        Limits(time_limit, memory_limit),
        parallel=jobs,
        interrupted=interrupted,
        on_event=on_event,
    )
    for index, run in runs:
        row = rows[left[index]] = row_of(run, keys[left[index]])
        if resume and row.finished:
            _append(resume, row)
        show()
    for i in sorted(i for i in rows if i >= shown):  # after Ctrl-C there are gaps
        on_row(rows[i])
    ordered = tuple(rows[i] for i in sorted(rows))
    stopped = len(rows) < len(plan) or any(row.status is Status.INTERRUPTED for row in ordered)
    return Comparison(ordered, disagreements(ordered), stopped, prepare)


def _engines_for(puzzle: Puzzle, asked: Sequence[str] | None) -> list[str]:
    """The engines to run on a puzzle: those asked for, or all, without those that cannot read it."""
    engines = [find(name) for name in dict.fromkeys(asked)] if asked else list(all_engines().values())
    return [engine.name for engine in engines if puzzle.offers(engine.reads)]


def key_of(job: Job, time_limit: float | None, memory_limit: int | None) -> str:
    """A name for a run: a hash of the puzzle's content (not its title), the engine, the metric and the limits."""
    puzzle = job.puzzle
    try:
        content: Any = puzzle.keys(puzzle.board())
    except UsageError:
        content = (puzzle.board(), puzzle.goal_text())
    parts = [puzzle.family, content, job.engine, job.metric, time_limit, memory_limit]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def row_of(run: Run, key: str) -> Row:
    """The row of a run."""
    job, outcome, times, error = run.job, run.outcome, run.outcome.times, None
    puzzle = job.puzzle
    if run.error:
        kind, error = run.error
        status = Status.UNSUPPORTED if issubclass(kind, UsageError | ImportError) else Status.ERROR
        outcome = replace(outcome, status=status, stopped_by=None)
    # From the engine's answer to the parent's clock, all is `other`.
    times = replace(times, other=max(0.0, run.seconds - times.ground - times.encode - times.solve))
    return Row(
        key=key,
        asked=Asked(puzzle.header.name, puzzle.header.file, puzzle.family, job.metric, job.engine),
        outcome=replace(outcome, plan=None, times=times),
        cost=None if run.replay is None else cost_in(run.replay, job.metric),
        measured=Measured(run.seconds, None if run.killed else times, run.memory_mib),
        plan=None if run.replay is None else tuple(run.replay.notation),
        history=run.history,
        error=error,
        contradicts=contradiction(puzzle, job.metric, outcome),
    )


def _again(job: Job, row: Row) -> Row:
    """A row from a file, under the puzzle's present name and held against its present `expect`."""
    header = job.puzzle.header
    return replace(
        row,
        asked=replace(row.asked, puzzle=header.name, file=header.file),
        contradicts=contradiction(job.puzzle, job.metric, row.outcome),
    )


# Whether what they prove agrees


def disagreements(rows: Iterable[Row]) -> tuple[str, ...]:
    """Every contradiction between two rows of a puzzle in a metric, and to what its file expects.

    A plan that was replayed, a proven lower bound and a proof that there is no plan are facts: no plan may be cheaper
    than any engine's lower bound, and no puzzle with a plan may be unsolvable.
    """
    found = []
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.asked.file, row.asked.puzzle, row.asked.metric), []).append(row)
        if row.contradicts:
            found.append(f"{row.asked.puzzle}: {row.engine}: {row.contradicts}")
    for (_, puzzle, metric), group in groups.items():
        for one in group:
            for other in group:
                if one.cost is None:
                    continue
                plan = f"{puzzle}: {one.engine} has a plan of {show_cost(one.cost)} {metric}"
                proof, least = other.outcome.lower_bound_by, other.outcome.lower_bound
                if other.status is Status.UNSOLVABLE:
                    found.append(f"{plan}, but {other.engine} proves that there is none ({proof})")
                elif least is not None and least > one.cost:
                    needed = f"{other.engine} proves that at least {show_cost(least)} are needed"
                    found.append(f"{plan}, but {needed} ({proof})")
    return tuple(found)


# Rows as tables

COLUMNS = (
    *("puzzle", "file", "family", "metric", "engine", "status", "cost", "lower_bound", "upper_bound", "seconds"),
    *("ground_seconds", "encode_seconds", "solve_seconds", "other_seconds", "states", "conflicts", "memory_mib"),
    *("stopped_by", "lower_bound_by", "error"),
)
"""The columns of a table of rows."""


def flat(row: Row) -> dict[str, Any]:
    """A row as a line of a table, by `COLUMNS`, and what else `as_object` has. Costs as `plain_cost` has them."""
    whole = as_object(row)
    costs = {name: plain_cost(whole[name]) for name in ("cost", "lower_bound", "upper_bound")}
    return whole | costs | {name: row.count(name) for name in ("states", "conflicts")}


# Rows as JSON


def as_object(row: Row) -> dict[str, Any]:
    """A row as JSON has it: flat. Costs are lists, with a number for each component of the metric."""
    outcome, measured = row.outcome, row.measured
    return {
        "type": "row",
        "key": row.key,
        **asdict(row.asked),
        "status": outcome.status.value,
        "cost": row.cost,
        "lower_bound": outcome.lower_bound,
        "upper_bound": outcome.upper_bound,
        "lower_bound_by": outcome.lower_bound_by,
        "stopped_by": outcome.stopped_by,
        "seconds": measured.seconds,
        **{f"{part}_seconds": measured.times and getattr(measured.times, part) for part in _PARTS},
        "memory_mib": measured.memory_mib,
        "stats": dict(outcome.stats),
        "plan": row.plan,
        "history": row.history,
        "error": row.error,
        "contradicts": row.contradicts,
    }


_PARTS = tuple(part for part in Times.__dataclass_fields__ if part != "prepare")
"""The parts of a run's time. (Engines are prepared before the first run.)"""


def read_rows(file: Path) -> dict[str, Row]:
    """The rows of a file by their key. A row that a crash has left incomplete at the end is skipped.

    Raises `UsageError` for a file with anything else in it.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from None
    rows = {}
    for number, line in enumerate(lines, 1):
        try:
            row = row_from(json.loads(line))
        except (ValueError, KeyError, TypeError):
            if not line.endswith("\n") and _BEGINNING.startswith(line[: len(_BEGINNING)]):
                break
            raise UsageError(f"{file}:{number}: not a row of `budge compare`; choose another file") from None
        rows[row.key] = row
    return rows


_BEGINNING = '{"type": "row"'


def row_from(value: dict[str, Any]) -> Row:
    """A row from its JSON object. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""

    def cost(parts: list[int] | None) -> Cost | None:
        return None if parts is None else tuple(parts)

    parts = {part: value[f"{part}_seconds"] for part in _PARTS}
    times = None if None in parts.values() else Times(**parts)
    outcome = Outcome(
        status=Status(value["status"]),
        lower_bound=cost(value["lower_bound"]),
        lower_bound_by=value["lower_bound_by"],
        upper_bound=cost(value["upper_bound"]),
        stopped_by=value["stopped_by"],
        times=times or Times(other=value["seconds"]),
        stats=value["stats"],
    )
    return Row(
        key=value["key"],
        asked=Asked(**{name: value[name] for name in Asked.__dataclass_fields__}),
        outcome=outcome,
        cost=cost(value["cost"]),
        measured=Measured(value["seconds"], times, value["memory_mib"]),
        plan=None if value["plan"] is None else tuple(value["plan"]),
        history=tuple((seconds, cost(low), cost(high)) for seconds, low, high in value["history"]),
        error=value["error"],
        contradicts=value["contradicts"],
    )


def _append(file: Path, row: Row) -> None:
    """Add a row to a file that `read_rows` has read; in place of an incomplete last one, if there is one."""
    try:
        with file.open("a+b") as out:
            out.seek(0)
            out.truncate(out.read().rfind(b"\n") + 1)
            out.write(json.dumps(as_object(row), ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from None
