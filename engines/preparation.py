"""Preparing engines: what an engine runs is called on sample puzzles of every family, in every metric, so that all of
it is compiled, with all kinds of arguments (`runtime.preparation` does it, and keeps the result).

The samples are small, and the families' own: they say what such puzzles can have. Together they have what makes kernels
differ: plain operators, compound moves, a walker that walks for nothing or at a cost, costs of two components, goals of
several clauses, interchangeable objects, dead ends. Kernels that differ by whether a task has a walker are compiled for
the kind of task at hand only: nobody who solves sliding blocks waits for Sokoban's.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from ..models.errors import UsageError
from ..models.families import families, load_text
from ..models.family import Family
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import Task
from ..runtime.budget import LOADING, Budget
from ..runtime.environment import cores
from ..runtime.events import Progress, silent
from ..runtime.preparation import Bar, KernelPreparation, load_compiler, needed, prepare
from .engine import BOTH, Engine, Kernels

PATIENCE = 2.0
"""Seconds for which plain search is tried once more where anything else would have to be compiled first."""

Call = Callable[[Puzzle, str], None]
"""A function that runs, and so compiles, some kernels on a puzzle in a metric."""


def prepare_engines(
    engines: Iterable[Engine],
    budget: Budget,
    progress: Progress = silent,
    puzzles: Iterable[Puzzle] | None = None,
    bar: Bar | None = None,
) -> float:
    """Compile what these engines run on puzzles of these families (default: of all), on operators and on programs, if
    that has not been done; see `prepare_within`.
    """
    engines = list(engines)
    among = list(families().values()) if puzzles is None else [puzzle.record for puzzle in puzzles]
    programs = _of_programs(engines, among)
    if not needed(preparations(engines) + programs):
        return 0.0

    def load() -> None:
        for engine in engines:
            engine.load()

    kinds = BOTH if puzzles is None else _kinds(among)
    return prepare_within(preparations(engines, kinds) + programs, budget, progress, load, bar)


def _kinds(among: Iterable[Family[Any, Any]]) -> tuple[bool, ...]:
    return kinds_of({family.name for family in among})


def _of_programs(engines: Iterable[Engine], among: Iterable[Family[Any, Any]] | None = None) -> list[KernelPreparation]:
    """What engines run on programs, if one of these families has puzzles whose actions are kept as such."""
    if among is not None and not any(family.form for family in among):
        return []
    found = [engine.programs.prepare() for engine in engines if engine.programs and engine.programs.prepare]
    return list({one.marker: one for one in found}.values())


def in_order_of_need(engines: Iterable[Engine], puzzles: Iterable[Puzzle]) -> tuple[list[list[Engine]], Bar]:
    """Engines in groups that can be prepared and put to work one after the other, and the bar of all that is compiled:
    first those that need nothing, then whichever needs the least beside what those before it have.
    """
    waiting = list({engine.name: engine for engine in engines}.values())
    among = [puzzle.record for puzzle in puzzles]
    kinds = _kinds(among) if needed(preparations(waiting)) else BOTH
    missing = {
        engine.name: {one.marker: one for one in needed(preparations([engine], kinds) + _of_programs([engine], among))}
        for engine in waiting
    }
    everything = {marker: one for each in missing.values() for marker, one in each.items()}
    done: set[str] = set()

    def seconds(engine: Engine) -> float:
        return sum(one.seconds for marker, one in missing[engine.name].items() if marker not in done)

    groups = []
    while waiting:
        done |= missing[min(waiting, key=seconds).name].keys()
        groups.append([engine for engine in waiting if not seconds(engine)])
        waiting = [engine for engine in waiting if seconds(engine)]
    return groups, Bar(list(everything.values()), cores())


def kinds_of(names: Iterable[str]) -> tuple[bool, ...]:
    """Whether tasks of families have a walker, by their samples."""
    samples = [sample for name in names for sample in _samples([families()[name]])]
    return tuple(sorted({_sample(text).task(metric).walker is not None for text, metric in samples}))


def prepare_within(
    preparations: Sequence[KernelPreparation],
    budget: Budget,
    progress: Progress = silent,
    meanwhile: Callable[[], object] = lambda: None,
    bar: Bar | None = None,
) -> float:
    """Do the preparations that are not done yet, while a budget's clock stands still; gives the seconds that it took.

    It ends when the budget is interrupted. `meanwhile`, `bar`: see `runtime.preparation.prepare`.
    """
    began = time.monotonic()
    if missing := needed(preparations):
        with budget.paused():
            prepare(missing, progress, budget.interrupted, cores(), meanwhile, bar)
    with budget.paused(LOADING):
        load_compiler()
    return time.monotonic() - began if missing else 0.0


def patience(preparations: Sequence[KernelPreparation], budget: Budget) -> float:
    """Seconds for a second try of plain search: 0 if the next engines need not be compiled."""
    return min(PATIENCE, budget.remaining / 4) if needed(preparations) else 0.0


def preparations(engines: Iterable[Engine], kinds: Sequence[bool] = BOTH) -> list[KernelPreparation]:
    """The preparations of engines for tasks of these kinds; for a portfolio, those of its members."""
    members = [member for engine in engines for member in (engine.members() or (engine,))]
    return of_kernels((kernels for member in members for kernels in member.kernels), kinds)


def preparations_for(
    engines: Iterable[Engine], task: Task | ProgramTask, options: Mapping[str, Any] = MappingProxyType({})
) -> list[KernelPreparation]:
    """The preparations of engines for a task, of operators or programs, that they solve with these options."""
    if isinstance(task, Task):
        return preparations(engines, [task.walker is not None])
    return _of_programs(engine for engine in engines if engine.runs_compiled(task, options))


def of_kernels(sets: Iterable[Kernels], kinds: Sequence[bool] = BOTH) -> list[KernelPreparation]:
    """The preparations of sets of kernels, each once, for tasks of these kinds."""
    return [
        on_samples(_name(kernels, kind), partial(_compile, kernels, kind), kernels.seconds)
        for kernels in dict.fromkeys(sets)
        for kind in kernels.kinds
        if kind is None or kind in kinds
    ]


def _name(kernels: Kernels, kind: bool | None) -> str:
    """A name like "astar", or "astar (walker)" if tasks with and without a walker are compiled separately."""
    return f"{kernels.name} (walker)" if kind and len(kernels.kinds) > 1 else kernels.name


def on_samples(name: str, call: Call, seconds: float = 1.0) -> KernelPreparation:
    """The preparation that calls something for every sample of every family in every metric."""
    samples = _samples(families().values())
    return KernelPreparation(
        name, tuple(partial(_on_sample, call, *sample) for sample in samples), str(samples), seconds
    )


def _samples(among: Iterable[Family[Any, Any]]) -> list[tuple[str, str]]:
    """(text of a sample puzzle, metric) for every family and metric."""
    return [
        (text, metric)
        for family in among
        for text in (family.sample, *family.samples)
        for metric in family.metric_names
    ]


def _on_sample(call: Call, text: str, metric: str) -> None:
    with contextlib.suppress(UsageError):  # it cannot do such puzzles
        call(_sample(text), metric)


_sample = cache(load_text)


def _compile(kernels: Kernels, walker: bool | None, puzzle: Puzzle, metric: str) -> None:
    task = puzzle.task(metric)
    if walker in (None, task.walker is not None):
        kernels.call(task, Budget())
