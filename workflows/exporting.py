"""Puzzles, their tasks, and models with a horizon, in other programs' formats; and their collections as puzzle files.

What models need of relaxed reachability is compiled first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.collections import convert as convert_file
from ..models.collections import is_collection
from ..models.documents.text_levels import Said
from ..models.errors import BudgeError, UsageError, WriteError
from ..models.families import forms
from ..models.family import Conversion
from ..models.library import files_below
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask
from ..models.text import suggest
from ..runtime.budget import Budget
from ..runtime.events import Progress, silent
from ..runtime.kernels import ensure_kernels
from ..runtime.outcome import StoppedError
from .checking import problems_of
from .solving import for_planners, grounding, metric_of, operators_of

if TYPE_CHECKING:  # it loads numba, for which there is no time before the clock is watched
    from ..encoders.exports.model_files import BoundedModel, PreparedTask
    from ..encoders.exports.problem_writing import ProblemText


Files = dict[str, str | bytes]
"""The files of an export: the ending of each name, in order, and the content."""

MAP = ".map.json"
"""The ending of the file that says what the variables of the file beside it mean."""

STEPS = ("exactly", "at-most")


@dataclass(frozen=True, slots=True)
class Export:
    """What is asked for. `to`: the format; `steps`: plans of exactly, or at most, `horizon` steps; `binary`: of
    `cp-sat`, the compact form.
    """

    to: str
    metric: str | None = None
    horizon: int | None = None
    steps: str | None = None
    binary: bool = False

    def check(self) -> None:
        """Raises `UsageError` for an unknown format, and for options that do not apply to it."""
        if self.to not in (forms := formats()):
            raise UsageError(f"there is no format `{self.to}`; {suggest(self.to, forms)}")
        form = FORMS.get(self.to, OWN)
        if self.metric and not form.metric:
            raise UsageError(f"--metric does not apply to --to {self.to}: it writes the level itself")
        for option, value in (("horizon", self.horizon), ("steps", self.steps)):
            if value is not None and not form.horizon:
                models = ", ".join(name for name, other in FORMS.items() if other.horizon)
                raise UsageError(f"--{option} does not apply to --to {self.to}; it is for {models}")
        if self.horizon is not None and self.horizon < 0:
            raise UsageError("--horizon must not be negative")
        if self.steps not in (None, *STEPS):
            raise UsageError(f"--steps is {' or '.join(STEPS)}, not {self.steps}")


@dataclass(frozen=True, slots=True)
class ExportJob:
    """A puzzle that is being exported, and within which limits; `notes`: what is to be said about it afterwards."""

    puzzle: Puzzle
    wanted: Export
    budget: Budget
    progress: Progress
    notes: list[str] = field(default_factory=list)

    @property
    def task(self) -> OperatorTask:
        """The task in the metric that was asked for, or in the puzzle's own. Raises `UsageError`."""
        metric = metric_of(self.puzzle, self.wanted.metric)
        with grounding(self.budget, self.progress):
            return operators_of(self.puzzle, metric, f"the format {self.wanted.to}")


def export(puzzle: Puzzle, wanted: Export, budget: Budget | None = None, progress: Progress = silent) -> Exported:
    """The files of a puzzle in a format. Raises `UsageError`, and `StoppedError` if it was interrupted."""
    wanted.check()
    job = ExportJob(puzzle, wanted, budget or Budget(None, None), progress)
    return Exported(FORMS.get(wanted.to, OWN).write(job), tuple(job.notes))


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of a puzzle in a format, and what is to be said about them (which horizon was taken)."""

    files: Files
    notes: tuple[str, ...]


def formats() -> list[str]:
    """The names of all formats, those of families first."""
    return [*forms(read=False), *FORMS]


@dataclass(frozen=True, slots=True)
class Form:
    """A format: what makes its files, and which options it takes (`metric`, `horizon`).

    `idle`: whether plans shorter than the horizon are part of the model unless `steps` says otherwise.
    """

    write: Callable[[ExportJob], Files]
    metric: bool = True
    horizon: bool = False
    idle: bool = False


def bounded(
    puzzle: Puzzle, metric: str, budget: Budget | None = None, progress: Progress = silent
) -> PreparedTask | None:
    """A puzzle's task ready for models of any horizon; None if it was interrupted while kernels were compiled.

    Raises `UsageError` if the horizon of its plans is not their cost.
    """
    budget = budget or Budget(None, None)
    ensure_kernels(progress, budget)
    if budget.interrupted.is_set():
        return None
    from ..encoders.exports.model_files import PreparedTask

    with grounding(budget, progress):
        return PreparedTask(operators_of(puzzle, metric, "a model with a horizon"))


def problem_of(puzzle: Puzzle, metric: str) -> ProblemText:
    """A puzzle as the text of a problem, for the checker of certificates. Raises `UsageError` where it would have too
    many actions.
    """
    from ..encoders.exports.problem_text import problem_text

    form = for_planners(puzzle, metric, "the text of a problem", problem_text)
    return problem_text(puzzle.complete(metric)) if isinstance(form, OperatorTask) else form


# Formats


def _pddl(job: ExportJob) -> Files:
    from ..analysis.conditional_effects import conditional_effects
    from ..encoders.exports.pddl import to_pddl

    metric = metric_of(job.puzzle, job.wanted.metric)
    with grounding(job.budget, job.progress):
        read = for_planners(job.puzzle, metric, "the format pddl", conditional_effects)
    domain, problem = to_pddl(read)
    return {"-domain.pddl": domain, "-problem.pddl": problem}


def _problem(job: ExportJob) -> Files:
    with grounding(job.budget, job.progress):
        return {".txt": problem_of(job.puzzle, metric_of(job.puzzle, job.wanted.metric)).text}


def _json(job: ExportJob) -> Files:
    from ..encoders.exports.model_files import to_json

    return {".json": to_json(job.task)}


def _dimacs(job: ExportJob) -> Files:
    from ..encoders.exports.dimacs import to_dimacs, variable_comments, variable_map

    bounded = _bounded(job)
    names = bounded.variable_names()
    about: dict[str, object] = {
        "puzzle": job.puzzle.header.name,
        "metric": ",".join(bounded.task.metric),
        "horizon": bounded.horizon,
        "steps": _steps(job.wanted),
    }
    comments = [f"{key} = {value}" for key, value in about.items()]
    text = to_dimacs(bounded.formula, [*comments, *variable_comments(names)])
    return {".cnf": text, MAP: variable_map(names, about)}


def _cp_sat(job: ExportJob) -> Files:
    from ..encoders.exports.model_files import cp_sat_bytes, to_cp_sat

    bounded = _bounded(job)
    if job.wanted.binary:
        return {".pb": cp_sat_bytes(bounded)}
    return {".pbtxt": str(to_cp_sat(bounded))}


def _lp(job: ExportJob) -> Files:
    from ..encoders.exports.model_files import to_lp

    return {".lp": to_lp(_bounded(job))}


def _bounded(job: ExportJob) -> BoundedModel:
    """The model at the horizon that was asked for, else at the expected optimum, else at a proven lower bound."""
    puzzle, wanted = job.puzzle, job.wanted
    metric = metric_of(puzzle, wanted.metric)
    models = bounded(puzzle, metric, job.budget, job.progress)
    if models is None:
        raise StoppedError("interrupted")
    horizon, expected = wanted.horizon, puzzle.header.expect.costs.get(metric)
    if horizon is None and expected:
        horizon, why = expected[0], "the optimum that the file expects"
    elif horizon is None:
        bound, why = models.tables.lower_bound, f"a lower bound, by reachability analysis ({models.tables.name})"
        horizon = None if bound is None else bound * models.unit
        if horizon is None:
            raise UsageError(
                f"{puzzle.header.name}: reachability analysis shows that there is no plan; "
                "for a model all the same choose its --horizon"
            )
    if wanted.horizon is None:
        job.notes.append(f"{puzzle.header.name}: horizon {horizon}, {why}")
    return models.model(horizon, idle=_steps(wanted) == "at-most")


def _steps(wanted: Export) -> str:
    default = "at-most" if FORMS[wanted.to].idle else "exactly"
    return str(wanted.steps or default)


def _own(job: ExportJob) -> Files:
    """A puzzle in a format of its family."""
    puzzle, wanted = job.puzzle, job.wanted
    family, form = forms(read=False)[wanted.to]
    if family.name != puzzle.family or form.write is None:
        raise UsageError(
            f"{puzzle.header.name}: only {family.title} can be written as {wanted.to}, not {puzzle.family}"
        )
    try:
        return {form.endings[0]: form.write(puzzle.header, puzzle.value)}
    except UsageError as error:
        raise UsageError(f"{puzzle.header.name}: {error}") from None


OWN = Form(_own, metric=False)
"""A family's own format; unlike the formats of `FORMS`, it is not made from a task."""

FORMS: dict[str, Form] = {
    "pddl": Form(_pddl),
    "json": Form(_json),
    "problem": Form(_problem),
    "dimacs": Form(_dimacs, horizon=True),
    "cp-sat": Form(_cp_sat, horizon=True, idle=True),
    "lp": Form(_lp, horizon=True, idle=True),
}


# Collections of levels of other programs, written as puzzle files.


def convert(
    path: Path, out: Path, form: str | None = None, prefix: str | None = None, said: Said | None = None
) -> Iterator[tuple[Path, Conversion]]:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file; gives what came of each
    collection. One that cannot be read is a problem, and the others go on. Raises `UsageError`, `WriteError`.
    """
    work = [path]
    if folder := path if path.is_dir() else None:
        endings = {ending for _, each in forms().values() for ending in each.endings if form in (None, each.name)}
        work = [file for file in files_below(path, tuple(endings)) if form or is_collection(file)]
        if not work:
            listed = ", ".join(f"`*{ending}`" for ending in sorted(endings))
            raise UsageError(f"there is no collection of levels ({listed}) in the folder `{path}`")
        if prefix and len(work) > 1:
            raise UsageError(f"`--prefix` is for one collection; there are {len(work)} in the folder `{path}`")
    for file in work:
        try:
            yield file, convert_file(file, out / file.parent.relative_to(folder) if folder else out, prefix, form, said)
        except WriteError:  # of the disk, not of a collection
            raise
        except BudgeError as error:
            if isinstance(error, UsageError) and not folder:
                raise
            yield file, Conversion([], problems_of(error, str(file)))
