"""Events and results as JSON: the command line's contract with programs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, Problem, PuzzleError
from ..models.family import Conversion
from ..models.moves import Cost, plain_cost
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Preparing
from ..runtime.outcome import Status, StoppedError, Times
from ..version import SCHEMA, __version__

if TYPE_CHECKING:
    from ..workflows.checking import Check
    from ..workflows.solving import Solution


# A puzzle as JSON, for programs: what `budge list --json` and `budge show --json` say.


def about(puzzle: Puzzle) -> dict[str, Any]:
    """Which puzzle a result is about."""
    return {"puzzle": puzzle.header.name, "file": puzzle.header.file, "family": puzzle.family}


def summary(puzzle: Puzzle, name: str | None = None) -> dict[str, Any]:
    """A puzzle in a list; `name` is that of a shipped one."""
    header = puzzle.header
    expect = {metric: plain_cost(cost) for metric, cost in header.expect.costs.items()}
    return {
        "type": "puzzle",
        **({"name": name} if name is not None else {}),
        **picked(header, "file title=name"),
        **picked(puzzle, "family"),
        **picked(header, "author? metric"),
        "expect": {"unsolvable": True} if header.expect.unsolvable else expect,
    }


def whole(puzzle: Puzzle) -> dict[str, Any]:
    """All of a puzzle: the position and the goal as rows of text, its metrics, its credits."""
    return {
        **summary(puzzle),
        **picked(puzzle.header, "credit? notes?"),
        "metrics": list(puzzle.metrics),
        "board": list(puzzle.board()),
        "goal": list(puzzle.goal_text()),
    }


def plain(cost: Cost | None) -> int | list[int] | None:
    """A cost as JSON has it: a number, or a list where the metric has two components."""
    if cost is None:
        return None
    return cost[0] if len(cost) == 1 else list(cost)


def picked(value: object | None, names: str) -> dict[str, Any]:
    """Fields of a value by name, as JSON has them: `lower_bound_by=by` by another name, `stage?` null if it is empty;
    nulls without a value.
    """
    found: dict[str, Any] = {}
    for written in names.split():
        name, _, source = written.replace("?", "").partition("=")
        field = None if value is None else _simple(getattr(value, source or name))
        found[name] = field or None if "?" in written else field
    return found


def _simple(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case Replay():
            return value.notation
        case float():
            return round(value, 4)
        case tuple():
            return [_simple(part) for part in value]
    return value


def head(command: str) -> dict[str, Any]:
    """The first entries of every result: its kind, the command, the version of this JSON, the version of Budge."""
    return {"type": "result", "command": command, "schema": SCHEMA, "budge": __version__}


def event(reported: Event) -> dict[str, Any]:
    """The object of an event, without the values that are not known."""
    match reported:
        case LowerBound():
            kind = "bound"
            counts = {"horizon": reported.horizon, "states": reported.states, "nodes": reported.nodes}
            said = {"lower_bound": plain(reported.lower_bound), "by": reported.by, **counts}
        case PlanFound():
            kind, said = "plan", {"cost": plain(reported.cost)}
        case LayerDone():
            kind, proof = "layer", {"lower_bound": plain(reported.lower_bound), "by": reported.by or None}
            said = {"depth": reported.depth, "states": reported.states, **proof}
        case Preparing():
            kind, said = "prepare", {"done": reported.done, "about": reported.about}
        case Note():
            kind, said = "note", {"text": reported.text}
        case _:
            raise TypeError(f"{type(reported).__name__} has no form as JSON")
    whole = {"type": kind, **said, "seconds": round(reported.seconds, 4), "engine": reported.engine or None}
    return {key: value for key, value in whole.items() if value is not None}


def seconds(times: Times) -> dict[str, float]:
    """The parts of the time and their sum."""
    parts = {part: round(getattr(times, part), 4) for part in Times.__dataclass_fields__}
    return {"total": round(times.total, 4), **parts}


def result(solution: Solution) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    outcome, costs = solution.outcome, solution.replay.costs if solution.replay else None
    bounds = {"cost": outcome.upper_bound, "lower_bound": outcome.lower_bound, "upper_bound": outcome.upper_bound}
    return {
        **head("solve"),
        **about(solution.puzzle),
        **picked(solution, "engine metric"),
        **picked(outcome, "status"),
        **{name: plain(cost) for name, cost in bounds.items()},
        **picked(outcome, "lower_bound_by?"),
        **picked(solution, "plan=replay"),
        "costs": costs,
        **picked(outcome, "stopped_by stage?"),
        **picked(solution, "contradicts"),
        "seconds": seconds(outcome.times),
        "stats": dict(outcome.stats),
    }


def failure(name: str, engine: str, metric: str | None, error: BudgeError) -> dict[str, Any]:
    """The `result` object of a puzzle that could not be read, or whose engine failed."""
    unknown = ("family", "cost", "lower_bound", "upper_bound", "lower_bound_by", "plan", "costs", "contradicts")
    none = dict.fromkeys(unknown) | {"seconds": seconds(Times()), "stats": {}}
    return failed("solve", name, metric, error, engine=engine, **none)


def failed(command: str, name: str, metric: str | None, error: BudgeError, **more: Any) -> dict[str, Any]:
    """The `result` object of a puzzle for which a command has no answer; `more`: what it says besides."""
    return {**head(command), "puzzle": name, "file": name, "metric": metric, **more, **why(error)}


def why(error: BudgeError) -> dict[str, Any]:
    """The end of the `result` object of a puzzle that has no result: its status, the message, the problems of its file;
    of one that a limit or Ctrl-C ended, by what, and what was done then.
    """
    stopped, stage, status = None, None, Status.ERROR
    if isinstance(error, StoppedError):
        stopped, stage, status = error.reason, error.stage or None, error.outcome().status
    problems = error.problems if isinstance(error, PuzzleError) else []
    result = {"status": status.value, "stopped_by": stopped, "stage": stage, "error": str(error)}
    return {**result, "problems": as_objects(problems)}


# Problems of files: JSON, and GitHub's workflow commands.
#
# Lines and columns count from 1, in characters; `end_column` is the column behind the last character. A problem of a
# file as a whole has line 0.


def as_object(problem: Problem) -> dict[str, Any]:
    """A problem with its place and what to do."""
    return picked(problem, "file line column end_line=line end_column message help=hint")


def as_objects(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Each problem of a file with its place and what to do."""
    return [as_object(problem) for problem in problems]


def check_object(check: Check) -> dict[str, Any]:
    """What `budge check --json` says of a file."""
    return {
        "type": "check",
        **picked(check, "file ok"),
        **picked(check.puzzle and check.puzzle.header, "puzzle=name"),
        **picked(check.puzzle, "family"),
        **picked(check if check.puzzle else None, "facts operators programs"),
        "problems": as_objects(check.problems),
        **picked(check, "more_problems=dropped notes"),
    }


def conversion(collection: Path, done: Conversion) -> dict[str, Any]:
    """What `budge convert --json` says of a collection."""
    return {
        "type": "conversion",
        "file": str(collection),
        "form": done.form or None,
        "notes": list(done.notes),
        "written": [str(path) for path in done.written],
        "problems": as_objects(done.problems),
        "more_problems": done.dropped,
    }


def as_github(problem: Problem) -> str:
    """A workflow command of GitHub Actions, which shows the problem beside its line.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    place = {"file": _relative(problem.file)}
    if problem.line:
        place |= {
            "line": str(problem.line),
            "endLine": str(problem.line),
            "col": str(problem.column),
            "endColumn": str(problem.end_column),
        }
    place["title"] = "budge check"
    properties = ",".join(f"{key}={_property(value)}" for key, value in place.items())
    return f"::error {properties}::{_data(_text(problem))}"


def _text(problem: Problem) -> str:
    return problem.message + (f"\nhelp: {problem.hint}" if problem.hint else "")


def _relative(file: str) -> str:
    """A path from the working folder, if the file is in it: that is the repository in which a check runs."""
    try:
        return Path(file).resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (OSError, RuntimeError, ValueError):  # elsewhere, or no path at all
        return file


def _data(text: str) -> str:
    """Text behind the `::` of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A value before the `::`."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
