"""The command `export`: a puzzle, its task, or its task at a horizon, in other programs' formats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, UsageError
from ..models.task import Task
from ..runtime.events import Stage
from ..runtime.stopped import StoppedError
from .common import OPTIMAL, Watch, add_budget, add_metric, add_puzzles, reporter_of, search_each, tell_error
from .parsing import Parser

if TYPE_CHECKING:
    from ..encoders.exports.model_files import BoundedModel
    from ..models.family import Family
    from ..models.puzzle import Puzzle
    from ..runtime.budget import Budget
    from ..runtime.events import Progress

Files = dict[str, str | bytes]
"""What is written: the ends of files' names, in order, and what they contain."""

MAP = ".map.json"
"""The end of a file that only says what the variables of another mean; never printed."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written, as it was asked for, and within which limits; `said` is told when it is done."""

    puzzle: Puzzle
    to: str
    metric: str | None
    horizon: int | None
    steps: str | None
    binary: bool
    budget: Budget
    progress: Progress
    said: list[str] = field(default_factory=list)

    @property
    def task(self) -> Task:
        """The task in the metric that was asked for, or the puzzle's own."""
        from ..workflows.solving import GROUNDING, metric_of

        self.progress(Stage(seconds=self.budget.elapsed, text=GROUNDING))
        return self.puzzle.task(metric_of(self.puzzle, self.metric))


@dataclass(frozen=True, slots=True)
class Form:
    """A format: what makes its files, and which options it takes (`metric`, `horizon`).

    `idle`: whether plans shorter than the horizon are part of the model unless `--steps` says otherwise.
    """

    write: Callable[[Writing], Files]
    metric: bool = True
    horizon: bool = False
    idle: bool = False


def add_export(export: Parser) -> None:
    """Add the arguments of `budge export`."""
    export.describe(
        _export, "budge export bird-2 --to dimacs --horizon 9 --out bird-2.cnf", "budge export microban-001 --to xsb"
    )
    add_puzzles(export)
    export.add_argument(
        "--to",
        choices=_Formats(),
        metavar="FORMAT",
        required=True,
        help="one of %(choices)s: the task as PDDL or JSON, the model of a horizon as CNF, CP-SAT or LP, or a form "
        "of the puzzle's own family",
    )
    add_metric(export)
    export.add_argument(
        "--horizon",
        type=int,
        metavar="N",
        help="dimacs, cp-sat, lp: how many steps; default: the optimum that the file expects, else a lower bound",
    )
    export.add_argument(
        "--steps",
        choices=["exactly", "at-most"],
        help="dimacs, cp-sat, lp: plans of exactly N steps (default of dimacs) or at most N (of the others)",
    )
    add_budget(export, "each puzzle", "10m")
    export.add_argument("--quiet", "-q", action="store_true", help="no progress")
    export.add_argument("--out", metavar="PATH", help="a folder, or a file (a path with an ending); default: print")


def _export(arguments: argparse.Namespace) -> int:
    """Write puzzles in other programs' formats, to standard output or to files (docs/exports.md)."""
    form = FORMS.get(arguments.to, OWN)
    if arguments.metric and not form.metric:
        raise UsageError(f"--metric does not apply to --to {arguments.to}: it writes the level itself")
    for option in ("horizon", "steps"):
        if getattr(arguments, option) is not None and not form.horizon:
            models = ", ".join(name for name, other in FORMS.items() if other.horizon)
            raise UsageError(f"--{option} does not apply to --to {arguments.to}; it is for {models}")
    if arguments.horizon is not None and arguments.horizon < 0:
        raise UsageError("--horizon must not be negative")
    if arguments.out and len(arguments.puzzles) > 1 and _is_file(Path(arguments.out)):
        raise UsageError(f"--out {arguments.out} is one file for {len(arguments.puzzles)} puzzles; name a folder")
    from ..workflows.solving import is_small

    written: list[Puzzle] = []

    def export_one(name: str, arguments: argparse.Namespace, watch: Watch) -> int:
        try:
            with reporter_of(arguments, json=False) as progress:
                puzzle = watch.load(name, progress)
                work = partial(_write, puzzle, *_asked(arguments))
                files, said = watch.run(work, progress, prompt=is_small(puzzle))
            print("".join(f"{sentence}\n" for sentence in said), end="", file=sys.stderr)
            if arguments.out:
                _save(puzzle, files, arguments)
            else:
                shown = [str(text) for end, text in files.items() if end != MAP]
                print(("\n" if written else "") + "\n".join(shown), end="")
        except BudgeError as error:
            return tell_error(name, error)
        written.append(puzzle)
        return OPTIMAL

    return search_each(arguments, export_one, spaced=False)


def _asked(arguments: argparse.Namespace) -> tuple[str, str | None, int | None, str | None, bool]:
    """The fields of a `Writing` that the command line has."""
    binary = bool(arguments.out and arguments.out.endswith(".pb"))
    return arguments.to, arguments.metric, arguments.horizon, arguments.steps, binary


def _write(
    puzzle: Puzzle,
    to: str,
    metric: str | None,
    horizon: int | None,
    steps: str | None,
    binary: bool,
    budget: Budget,
    progress: Progress,
) -> tuple[Files, list[str]]:
    """What the files of a puzzle contain, and what is to be said about it. Raises `UsageError`."""
    writing = Writing(puzzle, to, metric, horizon, steps, binary, budget, progress)
    return FORMS.get(to, OWN).write(writing), writing.said


def _save(puzzle: Puzzle, files: Files, arguments: argparse.Namespace) -> None:
    """Write the files of one puzzle into the folder, or to the file, that `--out` names.

    A file is named as it is asked for; if there are several, they stand beside each other under that name.
    """
    out = Path(arguments.out)
    named = _is_file(out)
    several = sum(end != MAP for end in files) > 1
    stem = out.with_name(out.stem) if named else out / _stem(puzzle)
    path = stem
    for end, content in files.items():
        if end == MAP:  # beside the file before it
            path = path.with_name(path.name + MAP)
        else:
            path = out if named and not several else stem.with_name(stem.name + end)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise UsageError(f"cannot write to {path}: {error.strerror}") from None
        print(f"wrote {path}", file=sys.stderr)


def _is_file(out: Path) -> bool:
    """Whether `--out` names a file: a path with an ending that is no folder."""
    return bool(out.suffix) and not out.is_dir()


def _stem(puzzle: Puzzle) -> str:
    """How the files of a puzzle begin: as its own file does."""
    from ..encoders.exports.names import Identifiers

    path = Path(puzzle.header.file)
    return path.stem if path.suffix else Identifiers("-", "puzzle").new(puzzle.header.name)


def _pddl(writing: Writing) -> Files:
    from ..encoders.exports.pddl import to_pddl

    domain, problem = to_pddl(writing.task)
    return {"-domain.pddl": domain, "-problem.pddl": problem}


def _json(writing: Writing) -> Files:
    from ..encoders.exports.task_json import to_json

    return {".json": to_json(writing.task)}


def _dimacs(writing: Writing) -> Files:
    from ..encoders.exports.dimacs import to_dimacs, variable_comments, variable_map

    bounded = _bounded(writing)
    names = bounded.variable_names()
    about: dict[str, object] = {
        "puzzle": writing.puzzle.header.name,
        "metric": ",".join(bounded.task.metric),
        "horizon": bounded.horizon,
        "steps": _steps(writing),
    }
    comments = [f"{key} = {value}" for key, value in about.items()]
    text = to_dimacs(bounded.formula, [*comments, *variable_comments(names)])
    return {".cnf": text, MAP: variable_map(names, about)}


def _cp_sat(writing: Writing) -> Files:
    from ..encoders.exports.model_files import cp_sat_bytes, to_cp_sat

    bounded = _bounded(writing)
    if writing.binary:
        return {".pb": cp_sat_bytes(bounded)}
    return {".pbtxt": str(to_cp_sat(bounded))}


def _lp(writing: Writing) -> Files:
    from ..encoders.exports.model_files import to_lp

    return {".lp": to_lp(_bounded(writing))}


def _bounded(writing: Writing) -> BoundedModel:
    """The model at the horizon that was asked for, or at one that makes sense."""
    from ..workflows import exporting
    from ..workflows.solving import metric_of

    puzzle = writing.puzzle
    metric = metric_of(puzzle, writing.metric)
    bounded = exporting.bounded(puzzle, metric, writing.budget, writing.progress)
    if bounded is None:
        raise StoppedError("interrupted")
    horizon, expected = writing.horizon, puzzle.header.expect.costs.get(metric)
    if horizon is None and expected:
        horizon, why = expected[0], "the optimum that the file expects"
    elif horizon is None:
        horizon, why = bounded.tables.lower_bound, f"a lower bound, by reachability analysis ({bounded.tables.name})"
        if horizon is None:
            raise UsageError(
                f"{puzzle.header.name}: reachability analysis shows that there is no plan; "
                "for a model all the same choose its --horizon"
            )
    if writing.horizon is None:
        writing.said.append(f"{puzzle.header.name}: horizon {horizon}, {why} (choose another with --horizon)")
    return bounded.model(horizon, idle=_steps(writing) == "at-most")


def _steps(writing: Writing) -> str:
    return writing.steps or ("at-most" if FORMS[writing.to].idle else "exactly")


def _own(writing: Writing) -> Files:
    """A puzzle in a format of its family."""
    puzzle = writing.puzzle
    exporter = next((e for e in puzzle.record.exporters if e.name == writing.to), None)
    if exporter is None:
        able = " and ".join(family.title for family in _writers(writing.to))
        raise UsageError(f"{puzzle.header.name}: only {able} can be written as {writing.to}, not {puzzle.family}")
    return {exporter.ending: exporter.write(puzzle.header, puzzle.value)}


def _writers(form: str) -> list[Family[Any, Any]]:
    """The families that can be written in a format of their own."""
    from ..models.families import families

    return [family for family in families().values() if form in (exporter.name for exporter in family.exporters)]


class _Formats(Collection[str]):
    """The names of all formats; those of families are looked up when they are asked for, and not for `--help`."""

    def _names(self) -> list[str]:
        from ..models.families import families

        own = (exporter.name for family in families().values() for exporter in family.exporters)
        return list(dict.fromkeys([*own, *FORMS]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in FORMS or name in self._names()


OWN = Form(_own, metric=False)
"""A format that a family can be written in, besides those of every task."""

FORMS: dict[str, Form] = {
    "pddl": Form(_pddl),
    "json": Form(_json),
    "dimacs": Form(_dimacs, horizon=True),
    "cp-sat": Form(_cp_sat, horizon=True, idle=True),
    "lp": Form(_lp, horizon=True, idle=True),
}
