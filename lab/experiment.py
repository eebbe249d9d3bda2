"""An experiment: puzzles times metrics times engines times limits times repetitions, carried out into a store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..engines.engine import Engine
from ..engines.table import find
from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..runtime.budget import DEFAULT_MEMORY_LIMIT, RUN_TIME_LIMIT, Budget
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
