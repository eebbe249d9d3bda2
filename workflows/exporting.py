"""Puzzles, their tasks, and models with a horizon, in other programs' formats; and their collections as puzzle files.

What models need of relaxed reachability is compiled first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.documents.files import FileError
from ..models.documents.text_levels import lines_of_file
from ..models.errors import BudgeError, UsageError, WriteError
from ..models.families import families, importers
from ..models.family import Conversion, Importer
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
    own = (exporter.name for family in families().values() for exporter in family.exporters)
    return list(dict.fromkeys([*own, *FORMS]))


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
    from ..encoders.exports.pddl import effects_to_pddl, to_pddl

    metric = metric_of(job.puzzle, job.wanted.metric)
    with grounding(job.budget, job.progress):
        read = for_planners(job.puzzle, metric, "the format pddl", conditional_effects)
    domain, problem = to_pddl(read) if isinstance(read, OperatorTask) else effects_to_pddl(read)
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
    exporter = next((e for e in puzzle.record.exporters if e.name == wanted.to), None)
    if exporter is None:
        able = " and ".join(f.title for f in families().values() if wanted.to in (e.name for e in f.exporters))
        raise UsageError(f"{puzzle.header.name}: only {able} can be written as {wanted.to}, not {puzzle.family}")
    return {exporter.ending: exporter.write(puzzle.header, puzzle.value)}


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
    path: Path, out: Path, form: str | None = None, prefix: str | None = None
) -> Iterator[tuple[Path, Conversion]]:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file; gives what came of each
    collection. One that cannot be read is a problem, and the others go on. Raises `UsageError`, `WriteError`.
    """
    for importer, collection, folder in _work(path, out, form, prefix):
        try:
            if not form:
                _refuse_game(collection)
            yield collection, replace(importer.convert(collection, folder, prefix), form=importer.name)
        except WriteError:  # of the disk, not of a collection
            raise
        except BudgeError as error:
            yield collection, Conversion([], problems_of(error, str(collection)))


def _work(path: Path, out: Path, form: str | None, prefix: str | None) -> Iterator[tuple[Importer, Path, Path]]:
    """Each collection with its importer and the folder for its puzzles: for one in a subfolder, a subfolder."""
    if not path.is_dir():
        yield _importer(form, path), path, out
        return
    chosen = [_named(form)] if form else importers().values()
    work = [
        (importer, file) for importer in chosen for file in files_below(path, importer.endings) if importer.takes(file)
    ]
    if not work:
        endings = ", ".join(f"`*{ending}`" for importer in chosen for ending in importer.endings)
        raise UsageError(f"there is no collection of levels ({endings}) in the folder `{path}`")
    if prefix and len(work) > 1:
        raise UsageError(f"`--prefix` is for one collection; there are {len(work)} in the folder `{path}`")
    for importer, file in work:
        yield importer, file, out / file.parent.relative_to(path)


def _importer(form: str | None, path: Path) -> Importer:
    """The importer of a format; without one, that which knows the file by its ending and by what it holds. Raises
    `UsageError` if none or several do: a wrong guess would say of each line that it is wrong.
    """
    if form:
        return _named(form)
    _refuse_game(path)
    guessed = [importer for importer in importers().values() if importer.endings]
    fits = [importer for importer in guessed if importer.is_one is None or importer.is_one(path)]
    by_ending = [importer for importer in fits if path.suffix.lower() in importer.endings]
    fits = by_ending or fits
    if len(fits) == 1 or not path.is_file():
        return (fits or guessed)[0]  # which says why the file cannot be read
    formats = "; ".join(f"{importer.name}: {importer.help}" for importer in importers().values())
    if fits:
        raise UsageError(f"{path}: say with `--from` which format this is: {formats}")
    raise UsageError(
        f"{path} holds nothing in a format that is read here ({formats}). If it is one of them, `--from` names it, and "
        "then says what is wrong; another puzzle can be written as a file of its own: `budge new --help`"
    )


_SECTION = re.compile(r"^(OBJECTS|LEGEND|SOUNDS|COLLISIONLAYERS|RULES|WINCONDITIONS|LEVELS)\s*$", re.IGNORECASE)


def _refuse_game(path: Path) -> None:
    """Raises `UsageError` for a game of PuzzleScript, whose levels look like those of other forms."""
    try:
        lines = lines_of_file(path)
    except FileError:
        return
    if len({found[1].upper() for line in lines if (found := _SECTION.match(line))}) > 2:
        raise UsageError(
            f"{path} is a PuzzleScript game, which is not read here: its rules can be said in a puzzle of the family "
            "`custom` (`budge new custom`)"
        )


def _named(form: str) -> Importer:
    """The importer that has this name. Raises `UsageError` with a suggestion if there is none."""
    forms = importers()
    if form not in forms:
        raise UsageError(f"no format of collections is called `{form}`; {suggest(form, forms)}")
    return forms[form]
