"""An experiment: puzzles times metrics times engines times limits times repetitions, carried out into a store."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..engines.engine import Engine
from ..engines.table import all_engines, find
from ..models.documents import compose
from ..models.documents.compose import Node, Scalar, describe
from ..models.documents.document import Report, read_file
from ..models.documents.fields import Fields, integer
from ..models.errors import PuzzleError, UsageError
from ..models.library import ENDINGS, expand, load
from ..models.moves import canonical_metric
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..runtime.budget import DEFAULT_MEMORY_LIMIT, RUN_TIME_LIMIT, Budget, mebibytes, seconds
from ..runtime.child_main import Orders
from ..runtime.environment import environment
from ..runtime.events import Progress, silent
from ..runtime.kernels import ensure_kernels
from ..runtime.outcome import Status
from ..runtime.processes import ChildReport
from ..workflows.comparison import disagreements
from ..workflows.jobs import Job, orders_of, run_of
from ..workflows.rows import SEED, Conditions, Row, key_of, row_of
from ..workflows.solving import metric_of, readers
from .executors import Executor
from .store import Store

LOOK = 0.5
"""Seconds between two checks of runs that another session is working on."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An engine with its options."""

    engine: str
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """What a run may take: seconds and MiB; None for no limit."""

    seconds: float | None = RUN_TIME_LIMIT
    memory_mib: int | None = DEFAULT_MEMORY_LIMIT


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is to be run. Without `metrics`, each puzzle's own; `seeds` are for engines that have the option `seed`."""

    puzzles: Sequence[Puzzle]
    entrants: Sequence[Entrant]
    metrics: Sequence[str] = ()
    limits: Sequence[Limit] = (Limit(),)
    repetitions: int = 1
    seeds: Sequence[int] = ()

    def checked(self) -> Experiment:
        """The experiment with options as engines take them. Raises `UsageError` for what none of them can do."""
        entrants = [
            Entrant(entrant.engine, tuple(sorted(find(entrant.engine).checked(dict(entrant.options)).items())))
            for entrant in self.entrants
        ]
        if self.seeds and not any(_takes_seeds(find(entrant.engine)) for entrant in entrants):
            raise UsageError("`seeds` are given, but none of these engines has the option `seed`")
        for entrant in entrants:
            for seed in self.seeds if _takes_seeds(find(entrant.engine)) else ():
                find(entrant.engine).checked({SEED: seed})
        for metric in self.metrics:
            if not any(metric in puzzle.metrics for puzzle in self.puzzles):
                metric_of(self.puzzles[0], metric)
        checked = Experiment(self.puzzles, entrants, self.metrics, self.limits, self.repetitions, self.seeds)
        if next(checked.jobs(), None) is None:
            able = ", ".join(f"{entrant.engine}: {readers(find(entrant.engine))} only" for entrant in entrants)
            raise UsageError(f"none of these engines supports these puzzles ({able})")
        return checked

    def jobs(self) -> Iterator[tuple[Job, Limit]]:
        """Every run, puzzle by puzzle. A metric that a puzzle does not have, and an engine that does not read it, is
        left out.
        """
        for puzzle in self.puzzles:
            for metric in (
                [name for name in self.metrics if name in puzzle.metrics] if self.metrics else [puzzle.header.metric]
            ):
                for entrant in self.entrants:
                    engine = find(entrant.engine)
                    if not engine.takes(puzzle):
                        continue
                    for options in self._seeded(engine, entrant):
                        for limit in self.limits:
                            for repetition in range(1, self.repetitions + 1):
                                yield Job(puzzle, engine.name, metric, options, repetition), limit

    def _seeded(self, engine: Engine, entrant: Entrant) -> list[tuple[tuple[str, Any], ...]]:
        """The options of an engine, once for each seed if it takes one."""
        if not self.seeds or not _takes_seeds(engine):
            return [entrant.options]
        return [tuple(sorted({**dict(entrant.options), SEED: seed}.items())) for seed in self.seeds]


def _takes_seeds(engine: Engine) -> bool:
    return any(option.name == SEED for option in engine.options)


@dataclass(slots=True)
class Done:
    """The state of an experiment: how many runs were in the store before (`skipped`), have ended now, are proven.

    `refused`: runs that an engine could not take, as it does not solve such tasks, or a library is missing; they have
    ended. `errors`: runs that failed.
    """

    skipped: int = 0
    ended: int = 0
    proven: int = 0
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    interrupted: bool = False
    prepare: float = 0.0


def run(  # noqa: PLR0913  (public keywords)
    experiment: Experiment,
    store: Store,
    executor: Executor,
    *,
    label: str = "",
    again: bool = False,
    command: str = "",
    interrupted: threading.Event | None = None,
    on_row: Callable[[Row], None] = lambda _row: None,
    on_prepare: Progress = silent,
    on_wait: Callable[[int], None] = lambda _runs: None,
) -> Done:
    """Carry out what the store does not have yet; each row is in the store before `on_row` hears of it.

    A run is not done again if it is proven, or was finished under the same limits. With `again` only runs under the
    same `label` count for that: so an experiment is done anew under a new label, and can be resumed, too.

    What another session is at work on is left to it. In the end it is waited for, which `on_wait` hears with the
    number of these runs; what that session did not finish is done here. Raises `UsageError`.
    """
    experiment = experiment.checked()
    if again and not label:
        raise UsageError("`--again` needs a `--label` for the new runs, so that they can be told from the old ones")
    interrupted = interrupted or threading.Event()
    done = Done()
    budget = Budget(None, None)
    budget.interrupted = interrupted
    engines = [find(name) for name in dict.fromkeys(entrant.engine for entrant in experiment.entrants)]
    if any(engine.compiled or engine.portfolio for engine in engines):
        done.prepare = ensure_kernels(on_prepare, budget)
    for engine in engines:
        engine.load()  # what workers that are forked can share
    machine = environment()
    conditions = {
        limit: Conditions(machine, limit.seconds, limit.memory_mib, executor.cores, command)
        for limit in experiment.limits
    }
    number = store.begin(next(iter(conditions.values())), label, executor.name)
    session = _Session(store, number, label if again else None, done)
    rest: Iterable[tuple[Job, Limit]] = experiment.jobs()
    try:
        while rest:
            # Every finished run is stored at once, so a crash loses those at work only. What other sessions have taken
            # is waited for and looked at again, until nothing is left elsewhere.
            for given, report in session.carry_out(rest, executor, interrupted):
                job, limit, key, text = given
                row = row_of(run_of(job, report), key, conditions[limit])
                if row.finished or row.error:
                    store.add(number, job.puzzle, text, row)
                _count(done, row)
                on_row(row)
            rest = [] if interrupted.is_set() else session.elsewhere
            if rest:
                on_wait(len(session.elsewhere))
                interrupted.wait(LOOK)
    finally:
        store.release(number)
    done.interrupted = interrupted.is_set()
    done.contradictions += disagreements(store.rows("sessions.session = ?", [number]))
    return done


Given = tuple[Job, Limit, str, str]
"""A run that was handed out: its job, its limits, its key, and the text of its puzzle."""


@dataclass(slots=True)
class _Session:
    """The runs of a session. `label`: only runs under this one count as done; None: all do. `elsewhere`: those that
    another session has claimed, which is at work on them.
    """

    store: Store
    number: int
    label: str | None
    done: Done
    elsewhere: list[tuple[Job, Limit]] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)
    _texts: dict[int, str] = field(default_factory=dict)

    def carry_out(
        self, runs: Iterable[tuple[Job, Limit]], executor: Executor, interrupted: threading.Event
    ) -> Iterator[tuple[Given, ChildReport]]:
        """Carry out the runs that are not in the store yet; gives each with its report, as it ends."""
        self.elsewhere = []
        given: dict[int, Given] = {}

        def orders() -> Iterator[Orders]:
            for number, claimed in enumerate(self._claimed(runs)):
                given[number] = claimed
                job, limit, _, text = claimed
                yield orders_of(job, text, job.engine, limit.seconds, limit.memory_mib)

        for number, report in executor.carry_out(orders(), interrupted):
            yield given.pop(number), report

    def _claimed(self, runs: Iterable[tuple[Job, Limit]]) -> Iterator[Given]:
        """The runs that this session has claimed in the store, so that no other session does them too; of equal puzzles
        one.
        """
        for job, limit in runs:
            key = key_of(job, limit.seconds, limit.memory_mib)
            self.store.name(job.puzzle)
            done = key in self._taken or self.store.done(job, key, self.label)
            if not done:
                if not self.store.claim(self.number, key, self.label or ""):
                    self.elsewhere.append((job, limit))
                    continue
                done = self.store.done(job, key, self.label)
            if done:
                self.done.skipped += 1
            else:
                self._taken.add(key)
                yield job, limit, key, self._text(job)

    def _text(self, job: Job) -> str:
        """The puzzle of a job as text, kept for the next jobs, which are often on the same puzzle."""
        text = self._texts.get(id(job.puzzle))
        if text is None:
            self._texts.clear()
            text = self._texts[id(job.puzzle)] = job.puzzle.to_yaml()
        return text


def _count(done: Done, row: Row) -> None:
    done.ended += row.finished or row.error is not None
    done.proven += row.proven
    if row.error:
        sentences = done.refused if row.status is Status.UNSUPPORTED else done.errors
        sentences.append(f"{row.asked.puzzle}, {row.asked.metric}, {row.engine}: {row.error}")


# The file of an experiment. Its errors are reported like those of a puzzle file, all at once.
#
#     format: 1
#     puzzles: [boards/, bird-1, levels.xsb]      # files, folders, collections, shipped names
#     metrics: [slides, steps]                    # default: each puzzle's own
#     engines:
#       - bfs
#       - {name: cp-sat, options: {strategy: linear}}
#     limits: {time: 10s, memory: 2G}             # or a list of such
#     repetitions: 3
#     seeds: [1, 2]                               # for engines that have the option `seed`
#     store: results.sqlite


# The puzzles of an experiment: files, folders, shipped names and patterns, and collections of levels.


def load_all(names: Iterable[str], folder: Path | None = None) -> list[Puzzle]:
    """The puzzles of these names, in their order; paths are from `folder`, if they are there.

    Raises `PuzzleError` with the problems of all files, and `UsageError` for a name that does not exist.
    """
    puzzles, problems = [], []
    for name in names:
        here = name if folder is None or not os.path.exists(folder / name) else str(folder / name)
        for file in expand([here]):
            try:
                puzzles.append(load(file))
            except PuzzleError as error:
                problems += error.problems
    if problems:
        raise PuzzleError(problems)
    return puzzles


KEYS = ("format", "puzzles", "metrics", "engines", "limits", "repetitions", "seeds", "store")


def read_spec(path: Path) -> tuple[Experiment, Path | None]:
    """Read the file of an experiment and its puzzles; gives it, and the store that the file names. Raises `PuzzleError`
    with everything that is wrong.
    """
    document = read_file(path)
    report = document.report
    fields = Fields(document.root, report, KEYS, "an experiment")
    reader = _SpecReader(report)
    if (version := fields.text("format", required=True, example="format: 1")) not in (None, "1"):
        report.error(document.root.get("format"), f"format `{version}` is not known", "write `format: 1`")
    names = reader.words(fields.node("puzzles", required=True, example="puzzles: [boards/, bird-1]"), "a puzzle")
    metrics = reader.words(fields.node("metrics"), "a metric")
    entrants = reader.entrants(fields.node("engines", required=True, example="engines: [bfs, cp-sat]"))
    limits = reader.limits(fields.node("limits"))
    repetitions = fields.integer("repetitions", minimum=1)
    seeds = [integer(node, report, "a seed") for node in _items(fields.node("seeds"))]
    store = fields.text("store")
    report.raise_if_any()
    puzzles = []
    for node in names:
        try:
            puzzles += load_all([node.text], path.parent)
        except UsageError as error:
            report.error(node, str(error))
        except PuzzleError as error:
            report.problems += error.problems
    report.raise_if_any()
    experiment = Experiment(
        puzzles=puzzles,
        entrants=entrants,
        metrics=[canonical_metric(node.text) for node in metrics],
        limits=limits or [Limit()],
        repetitions=repetitions or 1,
        seeds=[seed for seed in seeds if seed is not None],
    )
    try:
        return experiment.checked(), None if store is None else path.parent / store
    except UsageError as error:
        report.error(document.root.key("seeds") or document.root.key("engines"), str(error))
    report.raise_if_any()
    raise AssertionError


def is_spec(path: Path) -> bool:
    """Whether a file is an experiment: YAML with the key `puzzles`, and without `family`."""
    if not os.path.isfile(path) or path.suffix.lower() not in ENDINGS:
        return False
    try:
        root = read_file(path).root
    except PuzzleError:
        return False
    return root.get("puzzles") is not None and root.get("family") is None


def _items(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; a value that is not a list counts as a list of one."""
    if node is None:
        return ()
    return tuple(node.items) if isinstance(node, compose.Sequence) else (node,)


@dataclass(frozen=True, slots=True)
class _SpecReader:
    report: Report

    def words(self, node: Node | None, what: str) -> list[Scalar]:
        """The words of a list, or of one."""
        words = []
        for item in _items(node):
            if isinstance(item, Scalar) and item.text.strip():
                words.append(item)
            else:
                self.report.error(item, f"{what} must be a name, not {describe(item)}")
        return words

    def entrants(self, node: Node | None) -> list[Entrant]:
        """Engines: names, or mappings with `name` and `options`."""
        entrants = []
        for item in _items(node):
            options: Node | None = None
            name: Node | None = item
            if isinstance(item, compose.Mapping):
                fields = Fields(item, self.report, ("name", "options"), "an engine")
                name, options = fields.node("name", required=True, example="name: cp-sat"), fields.node("options")
            if name is None:
                continue
            text = name.text.strip() if isinstance(name, Scalar) else ""
            if text not in all_engines():
                self.report.error(name, f"no engine {describe(name)}", suggest(text, all_engines()))
            else:
                entrants.append(Entrant(text, self._options(text, options)))
        return entrants

    def _options(self, engine: str, node: Node | None) -> tuple[tuple[str, Any], ...]:
        if node is None:
            return ()
        if not isinstance(node, compose.Mapping):
            self.report.error(
                node, f"`options` must be a mapping, not {describe(node)}", "write `options: {name: value}`"
            )
            return ()
        checked: dict[str, Any] = {}
        for entry in node.entries:
            value = entry.value.value if isinstance(entry.value, Scalar) else None
            try:
                checked |= find(engine).checked({entry.key.text.strip().replace("-", "_"): value})
            except UsageError as error:
                self.report.error(entry.key, str(error))
        return tuple(sorted(checked.items()))

    def limits(self, node: Node | None) -> list[Limit]:
        """One mapping of limits, or a list of them."""
        limits = []
        for item in _items(node):
            if not isinstance(item, compose.Mapping):
                self.report.error(
                    item, f"limits must be a mapping, not {describe(item)}", "write `limits: {time: 10s}`"
                )
                continue
            fields = Fields(item, self.report, ("time", "memory"), "`limits`")
            time = self._quantity(fields, "time", seconds, Limit().seconds)
            limits.append(Limit(time, self._quantity(fields, "memory", mebibytes, Limit().memory_mib)))
        return limits

    def _quantity(self, fields: Fields, key: str, convert: Callable[[str], Any], default: Any) -> Any:
        text = fields.text(key)
        if text is None:
            return default
        try:
            return convert(text)
        except ValueError as error:
            self.report.error(fields.mapping.get(key), f"`{key}` {error}")
            return default
