"""Comparing engines: a row for each engine on each puzzle, and whether all that they prove agrees.

Each run has a process of its own with hard limits. By default one run follows the other, so that they do not slow each
other down; `auto` and `cp-sat` may use a second core.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..engines.table import ENGINES
from ..models.cost import Cost, show_cost
from ..models.errors import DisagreementError, UsageError
from ..models.plan import cost_in
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..runtime.outcome import DEFAULT_MEMORY_LIMIT, Event, Outcome, Status
from .jobs import Job, Run, run_all
from .solving import contradiction, metric_of

TIME_LIMIT = 60.0
"""Seconds that each engine has for each puzzle unless the caller says otherwise."""

UNSUPPORTED = "unsupported"
"""The status of a row whose engine says that it cannot do this puzzle in this metric; otherwise a `Status`."""

Point = tuple[float, Cost | None, Cost | None]
"""(seconds, lower bound, cost of the best plan)"""


@dataclass(frozen=True, slots=True)
class Row:
    """What an engine made of a puzzle. `key` says what was run: the same key means the same run.

    `seconds` is the wall-clock time of everything, `encode_seconds` and `solve_seconds` what the engine says of it if
    it was not killed;
    `memory_mib` is the most by which its memory grew. `history` tells how the bounds came about.
    """

    key: str
    puzzle: str
    file: str
    family: str
    metric: str
    engine: str
    status: str
    cost: Cost | None
    lower_bound: Cost | None
    upper_bound: Cost | None
    lower_bound_by: str
    stopped_by: str | None
    seconds: float
    encode_seconds: float | None
    solve_seconds: float | None
    memory_mib: float
    stats: dict[str, int | float | str] = field(default_factory=dict)
    plan: tuple[str, ...] | None = None
    history: tuple[Point, ...] = ()
    error: str | None = None
    contradicts: str | None = None

    @property
    def finished(self) -> bool:
        """Whether the run came to its own end or to a limit; one that was interrupted or failed is run again."""
        broken = (Status.INTERRUPTED.value, Status.ERROR.value, UNSUPPORTED)
        return self.status not in broken and self.stopped_by != "interrupted"

    @property
    def proven(self) -> bool:
        """Whether the engine has proven the optimum, or that there is no plan."""
        return self.status in (Status.OPTIMAL.value, Status.UNSOLVABLE.value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows in the order of puzzles and engines, and every disagreement among what they prove, in sentences."""

    rows: tuple[Row, ...]
    disagreements: tuple[str, ...]
    interrupted: bool = False

    def check(self) -> None:
        """Raises `DisagreementError` if two engines disagree, or one with the file's `expect`."""
        if self.disagreements:
            raise DisagreementError("\n".join(self.disagreements))

    @property
    def errors(self) -> tuple[Row, ...]:
        """Rows whose engine failed."""
        return tuple(row for row in self.rows if row.status == Status.ERROR.value)


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
) -> Comparison:
    """Run engines (default: all that know the family) on puzzles in a metric (default: each puzzle's own).

    `jobs` runs go on side by side. Each finished row is appended to the file `resume`, and a row that the file holds
    already, of the same puzzle, engine, metric and limits, is not run again. `on_row` gets the rows in their order, as
    soon as those before them are there. Raises `UsageError` for an unknown engine or metric.
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
    runs = run_all(
        [plan[i] for i in left],
        time_limit,
        memory_limit,
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
    stopped = len(rows) < len(plan) or any(row.status == Status.INTERRUPTED.value for row in ordered)
    return Comparison(ordered, disagreements(ordered), stopped)


def _engines_for(puzzle: Puzzle, asked: Sequence[str] | None) -> list[str]:
    """The engines to run on a puzzle: those asked for, or all, without those that are for other families."""
    for name in asked or ():
        if name not in ENGINES:
            raise UsageError(f"no engine `{name}`; " + suggest(name, ENGINES))
    names = list(dict.fromkeys(asked or ENGINES))
    return [name for name in names if not ENGINES[name].families or puzzle.family in ENGINES[name].families]


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
    job, outcome = run.job, run.outcome
    puzzle = job.puzzle
    status, error = outcome.status.value, None
    if run.error:
        kind, error = run.error
        status = UNSUPPORTED if issubclass(kind, UsageError | ImportError) else Status.ERROR.value
    return Row(
        key=key,
        puzzle=puzzle.header.name,
        file=puzzle.header.file,
        family=puzzle.family,
        metric=job.metric,
        engine=job.engine,
        status=status,
        cost=None if run.replay is None else cost_in(run.replay, job.metric),
        lower_bound=outcome.lower_bound,
        upper_bound=outcome.upper_bound,
        lower_bound_by=outcome.lower_bound_by,
        stopped_by=None if run.error else outcome.stopped_by,
        seconds=run.seconds,
        encode_seconds=None if run.killed else outcome.encode_seconds,
        solve_seconds=None if run.killed else outcome.solve_seconds,
        memory_mib=run.memory_mib,
        stats=outcome.stats,
        plan=None if run.replay is None else tuple(run.replay.notation),
        history=run.history,
        error=error,
        contradicts=contradiction(puzzle, job.metric, outcome),
    )


def _again(job: Job, row: Row) -> Row:
    """A row from a file, under the puzzle's present name and held against its present `expect`."""
    header = job.puzzle.header
    status = Status.UNKNOWN if row.status == UNSUPPORTED else Status(row.status)
    outcome = Outcome(status, None, row.lower_bound, row.lower_bound_by, row.upper_bound)
    return replace(
        row, puzzle=header.name, file=header.file, contradicts=contradiction(job.puzzle, job.metric, outcome)
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
        groups.setdefault((row.file, row.puzzle, row.metric), []).append(row)
        if row.contradicts:
            found.append(f"{row.puzzle}: {row.engine}: {row.contradicts}")
    for (_, puzzle, metric), group in groups.items():
        for one in group:
            for other in group:
                if one.cost is None:
                    continue
                plan = f"{puzzle}: {one.engine} has a plan of {show_cost(one.cost)} {metric}"
                if other.status == Status.UNSOLVABLE.value:
                    found.append(f"{plan}, but {other.engine} proves that there is none ({other.lower_bound_by})")
                elif other.lower_bound is not None and other.lower_bound > one.cost:
                    least = f"{other.engine} proves that at least {show_cost(other.lower_bound)} are needed"
                    found.append(f"{plan}, but {least} ({other.lower_bound_by})")
    return tuple(found)


# Rows as JSON


def as_object(row: Row) -> dict[str, Any]:
    """A row as JSON has it."""
    return {"type": "row", **asdict(row)}


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
    fields = {name: value[name] for name in Row.__dataclass_fields__}

    def cost(parts: list[int] | None) -> Cost | None:
        return None if parts is None else tuple(parts)

    fields |= {name: cost(fields[name]) for name in ("cost", "lower_bound", "upper_bound")}
    fields["plan"] = None if fields["plan"] is None else tuple(fields["plan"])
    fields["history"] = tuple((seconds, cost(low), cost(high)) for seconds, low, high in fields["history"])
    return Row(**fields)


def _append(file: Path, row: Row) -> None:
    """Add a row to a file that `read_rows` has read; in place of an incomplete last one, if there is one."""
    try:
        with file.open("a+b") as out:
            out.seek(0)
            out.truncate(out.read().rfind(b"\n") + 1)
            out.write(json.dumps(as_object(row), ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from None
