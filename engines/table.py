"""The table of engines: those of Budge, and those that are registered.

A package of one's own adds an engine by `register`, or, to be found without being imported, by an entry point of the
group `budge.engines` that names the record:

    [project.entry-points."budge.engines"]
    toy = "toy_engine:TOY"

Entry points are looked at only when a name is unknown, or when all engines are asked for: that takes time, which
`budge --help` should not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from ..models.program import ProgramTask, by_form
from ..models.task import OperatorTask, Task
from ..models.text import suggest
from .engine import Engine, Option, TaskKind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


GROUP = "budge.engines"
"""The group of entry points."""


def _in_folders() -> list[Engine]:
    """The engines of this folder, in their order: the record `ENGINE` of each package whose name has no `_` before."""
    found = Path(__file__).parent.glob("[!_]*/__init__.py")
    if not Path(__file__).is_file():
        raise UsageError(f"Budge cannot run inside an archive: install it (`pip install {Path(__file__).parents[2]}`)")
    folders = [import_module(f".{path.parent.name}", __package__) for path in found]
    return sorted((folder.ENGINE for folder in folders if hasattr(folder, "ENGINE")), key=lambda engine: engine.order)


ENGINES: dict[str, Engine] = {}
"""The engines that are registered, by name."""


def register(engine: Engine) -> Engine:
    """Add an engine. Raises `UsageError` if there is another one of its name."""
    if ENGINES.setdefault(engine.name, engine) is not engine:
        raise UsageError(f"there is an engine `{engine.name}` already")
    return engine


for _engine in _in_folders():
    register(_engine)

DEFAULT_ENGINE = next(iter(ENGINES))


def members() -> tuple[Engine, ...]:
    """The engines that have a place in the portfolio."""
    return tuple(engine for engine in ENGINES.values() if engine.role)


def blind() -> Engine:
    """The blind search, which meets every state up to the optimum and needs no estimate; without one, the default
    engine.
    """
    return next((engine for engine in ENGINES.values() if engine.style.blind), ENGINES[DEFAULT_ENGINE])


def entry_points(group: str) -> EntryPoints:
    """The entry points of installed packages. (`importlib.metadata` is slow to import, and seldom needed.)"""
    from importlib import metadata

    return metadata.entry_points(group=group)


def all_engines() -> Mapping[str, Engine]:
    """Every engine by name, those of installed packages included. Raises `UsageError` for one that cannot be loaded."""
    for point in entry_points(group=GROUP):
        if point.name not in ENGINES:
            try:
                engine = point.load()
            except Exception as error:
                raise UsageError(f"the engine `{point.name}` ({point.value}) cannot be loaded: {error}") from error
            if not isinstance(engine, Engine):
                raise UsageError(f"the entry point `{point.name}` ({point.value}) is no record of an engine")
            register(engine)
    return ENGINES


def find(name: str) -> Engine:
    """The engine of a name. Raises `UsageError`."""
    known = ENGINES if name in ENGINES else all_engines()
    if name not in known:
        raise UsageError(f"no engine `{name}`; {suggest(name, known)}")
    return known[name]


def options_by_name() -> dict[str, dict[str, Option]]:
    """The options of all registered engines: for each name the engines that have it, with theirs."""
    found: dict[str, dict[str, Option]] = {}
    for engine in ENGINES.values():
        for option in engine.options:
            found.setdefault(option.name, {})[engine.name] = option
    return found


def engine_for(options: Iterable[str]) -> Engine:
    """The engine for options that were given without one: the default, or the first that has them all."""
    wanted = set(options)
    if not wanted:
        return ENGINES[DEFAULT_ENGINE]
    for engine in ENGINES.values():
        if wanted <= {option.name for option in engine.options}:
            return engine
    names = " and ".join(f"`--{name.replace('_', '-')}`" for name in sorted(wanted))
    raise UsageError(f"no engine has the options {names} together; leave some out, or choose one with `--engine`")


# Which engines work on a task, side by side and one after the other, by the places that their records name.


def kind_of(task: Task) -> TaskKind:
    """The kind of a task, by its walker, costs, objects and goal; the first in the order of the list that fits."""
    return by_form(task, _kind_of_operators, _kind_of_programs)


def _kind_of_programs(task: ProgramTask) -> TaskKind:
    from ..analysis.linked_variables import pairs_of

    return (
        TaskKind.SEVERAL_GOALS if task.computed(pairs_of) else TaskKind.PROGRAMS
    )  # pairs see far, as several goals do


def _kind_of_operators(task: OperatorTask) -> TaskKind:
    from ..analysis.structure import structure_of  # brings numpy, which a small puzzle does not need

    if not task.uniform:
        return TaskKind.COSTS_DIFFER
    if not task.walker and structure_of(task).always_changed:
        return TaskKind.ONE_OBJECT
    return TaskKind.SEVERAL_GOALS if len(task.goal) > 1 else TaskKind.ONE_GOAL


def line_up(kind: TaskKind, engines: Sequence[Engine]) -> tuple[tuple[Engine, ...], ...]:
    """Which engines work side by side on tasks of a kind, in queues."""
    sides: dict[str, list[tuple[int, int, Engine]]] = {}
    for number, engine in enumerate(engines):
        if engine.role and kind in engine.role.rank_by_kind:
            sides.setdefault(engine.role.queue, []).append((engine.role.rank_by_kind[kind], number, engine))
    order = ("search", "solver", "quick plan")
    return tuple(tuple(engine for _, _, engine in sorted(sides[side])) for side in order if side in sides)
