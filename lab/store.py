"""The store of experiments: an SQLite database with a row for each run (docs/batch.md, docs/decisions/0018).

Each row is a transaction of its own: when `add` has returned, `kill -9` loses nothing of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..runtime.environment import Environment
from ..runtime.outcome import Status
from ..workflows.jobs import Job
from ..workflows.rows import Conditions, Row, findings, joined, row_from, seed_of, shown_options
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
