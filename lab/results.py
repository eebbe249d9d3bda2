"""What can be asked of a store: the runs that fit a filter, a report on them, two sets of runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..models.errors import PuzzleError, UsageError
from ..models.families import load_text
from ..workflows.comparison import Comparison, disagreements
from ..workflows.rows import Row, told_apart
from .store import Kept, Store

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
