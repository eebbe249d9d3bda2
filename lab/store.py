"""The store of experiments: an SQLite database with a row for each run (docs/batch.md, docs/decisions/0018).

Each row is a transaction of its own: when `add` has returned, `kill -9` loses nothing of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from ..models.errors import PuzzleError, UsageError
from ..models.families import load_text
from ..models.puzzle import Puzzle
from ..runtime.environment import Environment
from ..runtime.outcome import Status
from ..workflows.comparison import Comparison, disagreements
from ..workflows.jobs import Job
from ..workflows.rows import Conditions, Row, findings, joined, row_from, seed_of, shown_options, told_apart
from .database import Database

CARRY = 1.0
"""Seconds after which the next row is also carried over from the log into the database (`Database._checkpoint`)."""


@dataclass(frozen=True, slots=True)
class Session:
    """One `budge batch`: under which label, by which version, when, where and as what it was typed."""

    number: int
    label: str
    budge: str
    date: str
    command: str
    executor: str
    runs: int
    proven: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A run in a store: its number, the label of its session, when it ended (UTC, ISO 8601), and what came of it."""

    number: int
    label: str
    date: str
    row: Row


class Store(Database):
    """An open store. Raises `UsageError` for a file that is not a store, or cannot be written."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._known: set[str] = set()
        self._named: set[tuple[str, str, str]] = set()
        super().__init__(path, create=create)

    # Writing

    def begin(self, conditions: Conditions, label: str, executor: str) -> int:
        """Note that an experiment begins; the number of its session."""
        machine = conditions.environment
        values = {
            "label": label or machine.budge,
            "budge": machine.budge,
            "date": machine.date,
            "command": conditions.command,
            "executor": executor,
            "jobs": conditions.jobs,
            "environment": json.dumps(asdict(machine)),
        }
        with self._told(), self._transaction():
            return self._insert("sessions", values)

    def claim(self, session: int, key: str, label: str = "") -> bool:
        """Take a run for a session, so that no other one does it at the same time; whether it was free.

        A claim ends with the row that is added, with `release`, or with the process that has it. `label`: of the runs
        that count, with `--again`.
        """
        own = psutil.Process()
        with self._told(), self._transaction():
            claim = self._one("SELECT session, pid, began FROM claims WHERE key = ? AND label = ?", (key, label))
            if claim is not None and claim["session"] != session and _lives(claim["pid"], claim["began"]):
                return False
            values = (key, label, session, own.pid, own.create_time())
            self._database.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", values)
            return True

    def release(self, session: int) -> None:
        """Delete the claims of a session on runs that it has not done."""
        with self._told(), self._transaction():
            self._database.execute("DELETE FROM claims WHERE session = ?", (session,))

    def name(self, puzzle: Puzzle) -> None:
        """Keep under which name a puzzle came, and from where: equal ones may have several."""
        named = puzzle.digest, puzzle.header.name, puzzle.header.file
        if named not in self._named:
            self._named.add(named)
            with self._told(), self._transaction():
                self._insert("names", dict(zip(("digest", "name", "file"), named, strict=True)), "IGNORE")

    def add(self, session: int, puzzle: Puzzle, text: str, row: Row) -> None:
        """Keep a row, and its puzzle if it is new. It is safe when this returns."""
        digest, line = puzzle.digest, findings(row)
        values: dict[str, Any] = {
            "session": session,
            "digest": digest,
            "date": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "time_limit": row.conditions.time_limit,
            "memory_limit": row.conditions.memory_limit,
            "options": row.asked.options,
            "repetition": row.asked.repetition,
            "seed": row.asked.seed,
        }
        values |= {name: line[name] for name in _PLAIN}
        values |= {name: None if line[name] is None else json.dumps(line[name]) for name in _JSON}
        with self._told(), self._transaction():
            self._add_puzzle(puzzle, text)
            self._database.execute("DELETE FROM claims WHERE key = ? AND session = ?", (row.key, session))
            self._insert("runs", values)
        if time.monotonic() - self._carried > CARRY:
            with self._told():
                self._checkpoint()

    def _add_puzzle(self, puzzle: Puzzle, text: str) -> None:
        if puzzle.digest not in self._known:
            header = puzzle.header
            values = {"digest": puzzle.digest, "family": puzzle.family, "name": header.name, "file": header.file}
            self._insert("puzzles", values | {"text": text}, "IGNORE")
            self._known.add(puzzle.digest)

    # Reading

    def done(self, job: Job, key: str, label: str | None = None) -> bool:
        """Whether a job need not be run again: it is proven under whatever limits, or was finished under the same.

        With a `label`, only runs under that one count.
        """
        question = [job.puzzle.digest, job.metric, job.engine, shown_options(job), job.repetition]
        values: list[Any] = [*question, seed_of(job), key]
        only = ""
        if label is not None:
            only = "AND session IN (SELECT session FROM sessions WHERE label = ?)"
            values.append(label)
        with self._read():
            return bool(
                self._one(
                    "SELECT EXISTS (SELECT * FROM runs WHERE digest = ? AND metric = ? AND engine = ? AND options = ? "
                    "AND repetition = ? AND seed IS ? "
                    f"AND (status IN {_PROVEN} OR (key = ? AND status IN {_FINISHED})) {only})",
                    values,
                )[0]
            )

    def sessions(self) -> list[Session]:
        """All sessions, the oldest first."""
        statement = (
            "SELECT session, label, budge, sessions.date, command, executor, count(run) AS runs, "
            f"coalesce(sum(status IN {_PROVEN}), 0) AS proven FROM sessions LEFT JOIN runs USING (session) "
            "GROUP BY session ORDER BY session"
        )
        with self._read():
            return [Session(*line) for line in self._database.execute(statement)]

    def rows(self, where: str = "", values: Iterable[Any] = ()) -> Iterator[Row]:
        """The runs for which a condition in SQL holds, as `runs` has them, without their numbers."""
        return (kept.row for kept in self.runs(where, values))

    def runs(self, where: str = "", values: Iterable[Any] = (), last: int | None = None) -> Iterator[Kept]:
        """The runs for which a condition in SQL holds (default: all), in the order in which they ended; `last`: only so
        many, those that ended last.

        It may name the columns of `runs`, of `sessions`, and `family`, `name`, `file` of the puzzle.
        """
        condition = where and f"WHERE {where}"
        if last is not None:
            condition = (
                "WHERE run IN (SELECT run FROM runs JOIN sessions USING (session) JOIN puzzles USING (digest) "
                f"{condition} ORDER BY run DESC LIMIT {last:d})"
            )
        statement = (
            "SELECT runs.*, label, command, jobs, environment, family, name, file FROM runs "
            f"JOIN sessions USING (session) JOIN puzzles USING (digest) {condition} ORDER BY run"
        )
        with self._read():
            several = self._several_names()
            for record in self._database.execute(statement, tuple(values)):
                line = dict(record)
                line["name"] = several.get(line["digest"], line["name"])
                yield Kept(line["run"], line["label"], line["date"], _row(line))

    def _several_names(self) -> dict[str, str]:
        """The names of puzzles that have several, by their digests: as `one = other`."""
        of_several = "SELECT digest FROM names GROUP BY digest HAVING count(DISTINCT name) > 1"
        by_digest: dict[str, list[str]] = {}
        for digest, name in self._database.execute(
            f"SELECT digest, name FROM names WHERE digest IN ({of_several}) GROUP BY digest, name ORDER BY min(rowid)"
        ):
            by_digest.setdefault(digest, []).append(name)
        return {digest: joined(names) for digest, names in by_digest.items()}

    def count(self, where: str = "", values: Iterable[Any] = ()) -> int:
        """How many runs there are for which a condition in SQL holds, as for `runs`."""
        statement = "SELECT count(*) FROM runs JOIN sessions USING (session) JOIN puzzles USING (digest)"
        with self._read():
            return int(self._one(f"{statement} {where and f'WHERE {where}'}", values)[0])

    def values(self) -> dict[str, list[str]]:
        """The engines, metrics, families and statuses that runs have, in alphabetical order, by the column's name."""
        columns = ("engine", "metric", "family", "status")
        statement = "SELECT DISTINCT {0} FROM runs JOIN puzzles USING (digest) ORDER BY {0}"
        with self._read():
            return {name: [line[0] for line in self._database.execute(statement.format(name))] for name in columns}

    def text_of(self, number: int) -> str:
        """The text of the puzzle of a run. Raises `UsageError` if there is no such run."""
        with self._read():
            row = self._one("SELECT text FROM runs JOIN puzzles USING (digest) WHERE run = ?", [number])
        if row is None:
            raise UsageError(f"the store {self.path} has no run {number}")
        return str(row[0])

    def texts(self) -> dict[str, str]:
        """The texts of the puzzles, by their digests."""
        with self._read():
            return dict(self._database.execute("SELECT digest, text FROM puzzles"))


_PROVEN = f"('{Status.OPTIMAL.value}', '{Status.UNSOLVABLE.value}')"
_FINISHED = f"('{Status.FEASIBLE.value}', '{Status.UNKNOWN.value}')"
_PLAIN = (
    *("key", "metric", "engine", "status", "lower_bound_by", "stopped_by", "seconds", "memory_mib", "error"),
    *("contradicts", "ground_seconds", "encode_seconds", "solve_seconds", "other_seconds"),
)
"""Columns with the same values as in a row's JSON."""
_JSON = ("cost", "lower_bound", "upper_bound", "stats", "plan", "history")
"""Columns that hold JSON."""


def _row(line: dict[str, Any]) -> Row:
    """The `Row` of a line in the database."""
    conditions = Conditions(
        environment=_environment(line["environment"]),
        time_limit=line["time_limit"],
        memory_limit=line["memory_limit"],
        jobs=line["jobs"],
        command=line["command"],
    )
    value = line | {name: None if line[name] is None else json.loads(line[name]) for name in _JSON}
    return row_from(value | {"puzzle": line["name"]}, conditions)


def _lives(pid: int, began: float) -> bool:
    """Whether the process of this id, begun at this time, is still running."""
    try:
        return abs(psutil.Process(pid).create_time() - began) < 1.0
    except psutil.NoSuchProcess:
        return False


@lru_cache(maxsize=64)
def _environment(text: str) -> Environment:
    """The environment in which a session ran: all its runs share it."""
    return Environment(**json.loads(text))


# What can be asked of a store: the runs that fit a filter, a report on them, two sets of runs side by side.


SLOWER = 1.25
"""A run is slower than another if it takes at least this many times as long, and `LEAST` seconds more."""

LEAST = 0.05


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are meant; what is empty does not matter. `puzzle` is a part of the name or the file.

    `label`: of sessions; if none has it, the number of one, or a version of Budge.
    """

    label: str = ""
    engine: str = ""
    metric: str = ""
    family: str = ""
    status: str = ""
    puzzle: str = ""

    def rows(self, store: Store) -> list[Row]:
        """The runs that fit, in the order in which they ended."""
        return [kept.row for kept in self.runs(store)]

    def runs(self, store: Store, last: int | None = None) -> list[Kept]:
        """The runs that fit, with their numbers, in the order in which they ended; `last`: only the latest ones."""
        return list(store.runs(*self._condition(store), last))

    def count(self, store: Store) -> int:
        """How many runs fit."""
        return store.count(*self._condition(store))

    def _condition(self, store: Store) -> tuple[str, list[str | int]]:
        """The filter as a condition in SQL, and its values."""
        parts, values = list[str](), list[str | int]()
        for column in ("engine", "metric", "family", "status"):
            if wanted := getattr(self, column):
                parts.append(f"{column} = ?")
                values.append(wanted)
        if self.label:
            chosen = _sessions(store, self.label)
            parts.append(f"sessions.session IN ({', '.join('?' * len(chosen))})")
            values += chosen
        if self.puzzle:
            named = "instr(lower(name), lower(?)) OR instr(lower(file), lower(?))"
            parts.append(f"runs.digest IN (SELECT digest FROM names WHERE {named})")
            values += [self.puzzle] * 2
        return " AND ".join(parts), values


ORDERS: dict[str, Callable[[Kept], Any]] = {
    "puzzle": lambda kept: kept.row.asked.puzzle.casefold(),
    "label": lambda kept: kept.label.casefold(),
    "metric": lambda kept: kept.row.asked.metric,
    "engine": lambda kept: kept.row.engine,
    "options": lambda kept: kept.row.asked.options,
    "status": lambda kept: kept.row.status.value,
    "bounds": lambda kept: (kept.row.outcome.lower_bound or (), kept.row.outcome.upper_bound or ()),
    "seconds": lambda kept: kept.row.seconds,
}
"""By what runs can be sorted: costs by the lower bound, then by the plan; unknown ones first."""


def ordered(runs: Iterable[Kept], column: str = "", descending: bool = False) -> list[Kept]:
    """Runs sorted by a column of `ORDERS` (default: in the order in which they ended). Equal ones stay as they are."""
    return sorted(runs, key=ORDERS.get(column, lambda kept: kept.number), reverse=descending)


def latest(rows: Iterable[Row]) -> list[Row]:
    """The last run of each key, of several runs of the same thing."""
    return list({row.key: row for row in rows}.values())


def _sessions(store: Store, name: str) -> list[int]:
    """The sessions of a label; else the one of this number; else those of this version."""
    sessions = store.sessions()
    for key in ("label", "number", "budge"):
        if chosen := [session.number for session in sessions if str(getattr(session, key)) == name]:
            return chosen
    return []


def comparison(store: Store, rows: Sequence[Row]) -> Comparison:
    """Runs as `compare` has them, for its table and its report: of several runs of the same thing the last one."""
    last = latest(rows)
    puzzles = []
    wanted, texts = {row.asked.digest: row.asked.file for row in last}, store.texts()
    for digest, file in wanted.items():
        try:
            puzzles.append(load_text(texts[digest], file))
        except PuzzleError:  # a later version may not read it; its rows are shown without its picture
            continue
    chosen = tuple(sorted(last, key=lambda row: (row.asked.file, *row.asked.compared)))
    return Comparison(rows=chosen, disagreements=disagreements(chosen), puzzles=tuple(puzzles))


@dataclass(frozen=True, slots=True)
class Pair:
    """The run in the middle of one set and of the other, of the same puzzle, metric, engine and options: of so many
    (`runs`), for there is one for each seed and repetition, proven ones before others and quick ones before slow ones.
    `number`: of the other one in the store.
    """

    before: Row
    after: Row
    number: int
    runs: tuple[int, int] = (1, 1)

    @property
    def change(self) -> str:
        """`newly proven`, `no longer proven`, `other bounds`, `slower`, `quicker`, or "" where nothing differs."""
        before, after = self.before, self.after
        if before.proven != after.proven:
            return "newly proven" if after.proven else "no longer proven"
        if (before.exact_cost, before.outcome.lower_bound) != (after.exact_cost, after.outcome.lower_bound):
            return "other bounds"
        if before.proven and abs(before.seconds - after.seconds) >= LEAST:
            if after.seconds > SLOWER * before.seconds:
                return "slower"
            if before.seconds > SLOWER * after.seconds:
                return "quicker"
        return ""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two sets of runs side by side. `only_before`, `only_after`: how many questions were asked in one set only."""

    pairs: tuple[Pair, ...]
    only_before: int
    only_after: int

    def changed(self, how: str) -> list[Pair]:
        """The pairs that changed in a way, the largest ratio of times first."""
        pairs = [pair for pair in self.pairs if pair.change == how]
        return sorted(pairs, key=lambda pair: -abs(pair.after.seconds - pair.before.seconds))

    @property
    def changes(self) -> dict[str, list[Pair]]:
        """The pairs by how they changed, in the order of `CHANGES`."""
        return {how: self.changed(how) for how in CHANGES}


CHANGES = ("newly proven", "no longer proven", "other bounds", "slower", "quicker")
"""How a pair may have changed, in the order in which changes are listed."""


def compare_runs(store: Store, one: Filter, other: Filter) -> Difference:
    """Hold two sets of runs against each other. Raises `UsageError` if one is empty."""
    sides = []
    for which in (one, other):
        groups: dict[tuple[Any, ...], dict[Any, Kept]] = {}
        for kept in which.runs(store):  # of several runs of the same thing the last one
            groups.setdefault(_question(kept.row), {})[kept.row.asked.seed, kept.row.asked.repetition] = kept
        if not groups:
            raise UsageError(f"the store has no run of `{which.label}`; `budge results STORE --sessions` lists them")
        sides.append({question: list(rows.values()) for question, rows in groups.items()})
    before, after = sides
    both = [key for key in before if key in after]
    middle = [_middle(side[key]) for key in both for side in sides]
    rows = iter(told_apart(kept.row for kept in middle))
    pairs = [
        Pair(next(rows), next(rows), later.number, (len(before[key]), len(after[key])))
        for key, later in zip(both, middle[1::2], strict=True)
    ]
    return Difference(tuple(pairs), len(before) - len(pairs), len(after) - len(pairs))


def _question(row: Row) -> tuple[Any, ...]:
    asked = row.asked
    return (*asked.compared, asked.engine, asked.options)


def _middle(runs: Sequence[Kept]) -> Kept:
    """The median run, by seconds; of an even number the quicker of the middle two."""
    return sorted(runs, key=lambda kept: (not kept.row.proven, kept.row.seconds))[(len(runs) - 1) // 2]
