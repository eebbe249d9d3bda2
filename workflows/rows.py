"""The rows of a comparison: what an engine made of a puzzle, under which conditions; written to and read from JSON."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..models.display import Written
from ..models.errors import BudgeError, UsageError
from ..models.moves import Cost, PlainCost, plain_cost
from ..models.plan import Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.text import cut
from ..runtime.budget import DEFAULT_MEMORY_LIMIT, RUN_TIME_LIMIT
from ..runtime.environment import Environment, environment
from ..runtime.outcome import Outcome, Status, Times
from ..version import SCHEMA
from .jobs import Job, Run
from .solving import OfOutcome, contradiction

Point = tuple[float, Cost | None, Cost | None]
"""(seconds, lower bound, cost of the best plan)"""


Compared = tuple[str, str]
"""(the digest of a puzzle's content, the metric)"""

SEED = "seed"
"""The option of an engine that is a random seed: runs that differ only in it are repetitions."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row is the answer to. `digest` is of the puzzle's content: names and files may be those of several, and
    `file` is where it comes from; `options` are as in `strategy=linear`, without the `seed` of the engine's random
    choices, which is None where none was given.
    """

    puzzle: str
    file: str
    family: str
    metric: str
    engine: str
    options: str = ""
    repetition: int = 1
    seed: int | None = None
    digest: str = ""

    @property
    def compared(self) -> Compared:
        """Runs with the same value have to agree: they are of the same puzzle, by its content, and metric."""
        return self.digest, self.metric


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a row was measured, so that it can be cited and measured again: by default here and now.

    `time_limit` in seconds and `memory_limit` in MiB are those of the run, `jobs` is how many went on side by side,
    `command` what was typed ("" from Python). The environment's date is that of the whole comparison.
    """

    environment: Environment = field(default_factory=environment)
    time_limit: float | None = RUN_TIME_LIMIT
    memory_limit: int | None = DEFAULT_MEMORY_LIMIT
    jobs: int = 1
    command: str = ""

    def as_object(self) -> dict[str, Any]:
        """The conditions as an object of JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(OfOutcome, Written):
    """What an engine made of a puzzle. `key` says what was run: the same key means the same run.

    `outcome` is the engine's, or what it reported before its end; it holds no plan, for `plan` is its notation as
    replayed, and `exact_cost` what it costs by the rules, a number for each component. `history` tells how the bounds
    came about, `error` what the engine raised, `contradicts` what is wrong with the file's `expect`. `cost` and the
    bounds are as in a `Solution`: an int where the metric has one component, else a tuple.

    What it took: `seconds` of wall clock for everything, `times` its parts (None if the engine was killed: it could not
    say), `memory_mib` the most by which its memory grew.
    """

    key: str
    asked: Asked
    outcome: Outcome
    exact_cost: Cost | None
    seconds: float
    times: Times | None
    memory_mib: float
    conditions: Conditions
    plan: tuple[str, ...] | None = None
    history: tuple[Point, ...] = ()
    error: str | None = None
    contradicts: str | None = None

    @property
    def engine(self) -> str:
        return self.asked.engine

    @property
    def cost(self) -> PlainCost:
        """What the plan costs, as replayed by the rules; None without a plan."""
        return plain_cost(self.exact_cost)

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
        """A count of the statistics: `states`, `conflicts`; of a portfolio, of all its engines together, or the largest
        `h_start`.
        """
        stats = self.outcome.stats
        own = stats.get(what)
        if isinstance(own, int):
            return own
        parts = [value for key, value in stats.items() if key.endswith(f"_{what}") and isinstance(value, int)]
        return (max(parts) if what == "h_start" else sum(parts)) if parts else None

    def __repr__(self) -> str:
        asked = self.asked
        name = repr(cut(asked.puzzle, 60))
        return f"Row({name}, {asked.metric}, {asked.engine}: {self.status.value}, {self.seconds:.2f} s)"


def key_of(job: Job, time_limit: float | None, memory_limit: int | None) -> str:
    """A name for a run: a hash of the puzzle's content (not its title), the engine, the metric and the limits."""
    seconds = None if time_limit is None else float(time_limit)
    parts: list[Any] = [job.puzzle.digest, job.engine, job.metric, seconds, memory_limit]
    if job.options or job.repetition > 1:
        parts += [list(map(list, job.options)), job.repetition]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def shown_options(job: Job) -> str:
    """Options as a table shows them: `strategy=linear workers=1`; without the seed."""
    return " ".join(f"{name}={value}" for name, value in job.options if name != SEED)


def seed_of(job: Job) -> int | None:
    """The seed of a job, if it has one."""
    return dict(job.options).get(SEED)


def asked_of(job: Job) -> Asked:
    """What the row of a job will be the answer to."""
    puzzle, header = job.puzzle, job.puzzle.header
    more = shown_options(job), job.repetition, seed_of(job), puzzle.digest
    return Asked(header.name, header.file, puzzle.family, job.metric, job.engine, *more)


def names_of(asked: Iterable[Asked]) -> dict[str, str]:
    """What to call puzzles, by their digests: the name, or `one = other` where equal ones have several. Where different
    ones have the same name, their files stand behind it, or their digests.
    """
    names: dict[str, dict[str, None]] = {}
    files: dict[str, str] = {}
    for question in asked:
        names.setdefault(question.digest, {})[question.puzzle] = None
        files.setdefault(question.digest, question.file)
    shown = {digest: joined(several) for digest, several in names.items()}
    for more in (files, {digest: digest[:8] for digest in files}, {digest: digest for digest in files}):
        same = Counter(shown.values())
        shown = {digest: f"{name} ({more[digest]})" if same[name] > 1 else name for digest, name in shown.items()}
    return shown


def joined(names: Iterable[str]) -> str:
    """The names of one puzzle as `one = other`, of more than three only the first ones and `...`."""
    first, *more = names
    return " = ".join([first, *more[:2], *["..."] * (len(more) > 2)])


def told_apart(rows: Iterable[Row]) -> list[Row]:
    """The rows with different names of different puzzles, for people (`names_of`)."""
    listed = list(rows)
    names = names_of(row.asked for row in listed)
    return [replace(row, asked=replace(row.asked, puzzle=names[row.asked.digest])) for row in listed]


def row_of(run: Run, key: str, conditions: Conditions) -> Row:
    """The row of a run. Seconds are rounded here, once for table, JSON and report."""
    job, outcome, times, error = run.job, run.outcome, run.outcome.times, None
    puzzle = job.puzzle
    if run.error:
        error = str(run.error)
        status = Status.UNSUPPORTED if isinstance(run.error, UsageError) else Status.ERROR
        outcome = replace(outcome, status=status, stopped_by=None)
    # From the engine's answer to the parent's clock, all is `other`.
    seconds = _rounded(run.seconds)
    ground, encode, solve = map(_rounded, (times.ground, times.encode, times.solve))
    times = Times(
        ground=ground, encode=encode, solve=solve, other=_rounded(max(0.0, seconds - ground - encode - solve))
    )
    return Row(
        key=key,
        asked=asked_of(job),
        outcome=replace(outcome, plan=None, times=times),
        exact_cost=None if run.replay is None else cost_in(run.replay, job.metric),
        seconds=seconds,
        times=None if run.killed else times,
        memory_mib=round(run.memory_mib, 2),
        plan=None if run.replay is None else tuple(run.replay.notation),
        history=tuple((_rounded(at), low, high) for at, low, high in run.history),
        error=error,
        contradicts=contradiction(puzzle, job.metric, outcome),
        conditions=conditions,
    )


def _rounded(seconds: float) -> float:
    return round(seconds, 4)


def replay_of(plan: Sequence[str], puzzle: Puzzle) -> Replay | None:
    """The plan of a row, replayed; None if its text cannot be read back or is of another puzzle."""
    notation = puzzle.record.notation
    text = (notation.separator if notation else " ").join(plan)
    try:
        replay = puzzle.replay(puzzle.parse_plan(text))
    except BudgeError:
        return None
    return replay if puzzle.plan_text(replay) == text else None


# Rows as tables

COLUMNS = (
    *("puzzle", "file", "family", "metric", "engine", "status", "cost", "lower_bound", "upper_bound", "seconds"),
    *("ground_seconds", "encode_seconds", "solve_seconds", "other_seconds", "states", "conflicts", "memory_mib"),
    *("processor_seconds", "expanded", "generated", "h_start"),
    *("stopped_by", "lower_bound_by", "error", "options", "seed", "repetition"),
    *("time_limit", "memory_limit_mib", "jobs", "date", "budge", "python", "libraries", "system", "processor", "cores"),
    "command",
)
"""The columns of a table of rows; the last ones are their conditions."""


def flat(row: Row) -> dict[str, Any]:
    """A row as a mapping with at least the `COLUMNS` of a table; a cost of one component is a number."""
    whole, conditions = as_object(row), row.conditions
    costs = {"cost": row.cost, "lower_bound": row.lower_bound, "upper_bound": row.upper_bound}
    machine = asdict(conditions.environment)
    more: dict[str, Any] = {
        "memory_limit_mib": conditions.memory_limit,
        "libraries": " ".join(f"{name}=={version}" for name, version in conditions.environment.libraries.items()),
    }
    counts = {name: row.count(name) for name in ("states", "conflicts", "expanded", "generated", "h_start")}
    more["processor_seconds"] = row.outcome.stats.get("processor_seconds")
    return whole | conditions.as_object() | machine | costs | counts | more


# Rows as JSON


def as_object(row: Row) -> dict[str, Any]:
    """A row as JSON has it: flat, but for its conditions. Costs are lists, a number for each component."""
    return {"type": "row", "schema": SCHEMA, **findings(row), "conditions": row.conditions.as_object()}


def findings(row: Row) -> dict[str, Any]:
    """The question and the result of a row as one flat object of JSON."""
    outcome, asked = row.outcome, row.asked
    return {
        "key": row.key,
        **{name: getattr(asked, name) for name in Asked.__dataclass_fields__},
        "status": outcome.status.value,
        "cost": row.exact_cost,
        "lower_bound": outcome.lower_bound,
        "upper_bound": outcome.upper_bound,
        "lower_bound_by": outcome.lower_bound_by,
        "stopped_by": outcome.stopped_by,
        "seconds": row.seconds,
        **{f"{part}_seconds": row.times and getattr(row.times, part) for part in _PARTS},
        "memory_mib": row.memory_mib,
        "stats": dict(outcome.stats),
        "plan": row.plan,
        "history": row.history,
        "error": row.error,
        "contradicts": row.contradicts,
    }


_PARTS = tuple(part for part in Times.__dataclass_fields__ if part != "prepare")
"""The parts of a run's time; preparing is none of them, as engines are prepared before the first run."""


def row_from(value: dict[str, Any], conditions: Conditions) -> Row:
    """A row from its JSON object, without its conditions, and these. Raises `ValueError`, `KeyError` or `TypeError` for
    anything else.
    """

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
        asked=Asked(**{name: value[name] for name in Asked.__dataclass_fields__ if name in value}),
        outcome=outcome,
        exact_cost=cost(value["cost"]),
        seconds=value["seconds"],
        times=times,
        memory_mib=value["memory_mib"],
        plan=None if value["plan"] is None else tuple(value["plan"]),
        history=tuple((seconds, cost(low), cost(high)) for seconds, low, high in value["history"]),
        error=value["error"],
        contradicts=value["contradicts"],
        conditions=conditions,
    )


# Results as tables of pandas, for notebooks. pandas is imported only when a table is made.


def frame(lines: Iterable[Mapping[str, Any]], columns: Sequence[str], index: str | None = None) -> Any:
    """A `DataFrame` with these columns, of lines that may have more; `index` names the index.

    Raises `ImportError`, with what to do, where pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas, which is not installed: `pip install pandas`") from None
    table = pandas.DataFrame([[line[column] for column in columns] for line in lines], columns=list(columns))
    table.index.name = index
    return table
