"""Problems of files for programs: JSON, and GitHub's workflow commands.

Lines and columns count from 1, in characters; `end_column` is the column behind the last character. A problem of a file
as a whole has line 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..models.errors import Problem
from ..models.family import Conversion
from ..workflows.checking import Check


def as_object(problem: Problem) -> dict[str, Any]:
    """A problem with its place and what to do."""
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "end_line": problem.line,
        "end_column": problem.end_column,
        "message": problem.message,
        "help": problem.hint,
    }


def as_objects(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Each problem of a file with its place and what to do."""
    return [as_object(problem) for problem in problems]


def check_object(check: Check) -> dict[str, Any]:
    """What `budge check --json` says of a file."""
    puzzle = check.puzzle
    return {
        "type": "check",
        "file": check.file,
        "ok": check.ok,
        "puzzle": puzzle.header.name if puzzle else None,
        "family": puzzle.family if puzzle else None,
        "facts": check.facts if puzzle else None,
        "operators": check.operators if puzzle else None,
        "programs": check.programs if puzzle else None,
        "problems": as_objects(check.problems),
        "more_problems": check.dropped,
        "notes": list(check.notes),
    }


def conversion(collection: Path, done: Conversion) -> dict[str, Any]:
    """What `budge convert --json` says of a collection."""
    return {
        "type": "conversion",
        "file": str(collection),
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
