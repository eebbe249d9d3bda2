"""Check: read a puzzle, ground it in every metric, and collect everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..models.display import Written
from ..models.documents.document import parse
from ..models.errors import BudgeError, Problem, PuzzleError
from ..models.families import read_puzzle
from ..models.library import PuzzleLike, as_puzzle, load, load_bytes
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask, Task
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage, silent
from ..runtime.outcome import StoppedError
from .solving import GROUNDING, grounding

# Reading a puzzle, as the first piece of what is done for it.

READING = "reading the puzzle"


def read(name: str, data: bytes | None, budget: Budget, progress: Progress) -> Puzzle:
    """Read a puzzle: the one of this name or file or, if `data` is given, from that. Raises `PuzzleError` and
    `UsageError`.
    """
    progress(Stage(seconds=budget.elapsed, text=READING, uninterruptible=True))
    return load(name) if data is None else load_bytes(data)


@dataclass(frozen=True, slots=True)
class Check(Written):
    """What is known of a file: the puzzle and its number of operators by metric, or its problems.

    `programs`: the number of actions by metric, where they are kept as programs because there would be too many
    operators; `why`: which action makes too many, in words. `interchangeable`: the objects of each class that searches
    do not tell apart, in words.
    `dropped`: further problems that are only counted. `notes`: what its author may want to know.
    """

    file: str
    puzzle: Puzzle | None = None
    operators: dict[str, int] = field(default_factory=dict)
    facts: int = 0
    programs: dict[str, int] = field(default_factory=dict)
    why: str = ""
    interchangeable: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems


def check(name: str, data: bytes | None = None, budget: Budget | None = None, progress: Progress = silent) -> Check:
    """Check the puzzle of this name or file, or the one from standard input. What keeps it from being used is
    a problem, not an error.
    """
    within = budget or Budget(None, None)
    return _checked(name, lambda: read(name, data, within, progress), within, progress)


def check_value(value: PuzzleLike) -> Check:
    """Check a puzzle, a name, a path or the text of a puzzle file."""
    name = value if isinstance(value, str) and "\n" not in value else "<text>"
    return _checked(value.header.file if isinstance(value, Puzzle) else str(name), lambda: as_puzzle(value))


def check_text(text: str, file: str, path: Path | None = None) -> Check:
    """Check the text of a puzzle file. `file` names it in messages; other files that it names are beside `path`."""
    return _checked(file, lambda: read_puzzle(parse(text, file, path)))


def _checked(
    name: str, puzzle_of: Callable[[], Puzzle], budget: Budget | None = None, progress: Progress = silent
) -> Check:
    forms: dict[str, Task] = {}
    try:
        puzzle = puzzle_of()
        for metric in puzzle.metrics:
            with grounding(budget or Budget(None, None), progress, text=f"{GROUNDING} in {metric}"):
                form = puzzle.form(metric)
            form.validate()
            forms[metric] = form
    except StoppedError:
        raise
    except BudgeError as error:
        dropped = error.dropped if isinstance(error, PuzzleError) else 0
        return Check(name, problems=tuple(problems_of(error, name)), dropped=dropped)
    return Check(
        puzzle.header.file,
        puzzle,
        {metric: len(task.choices) for metric, task in forms.items() if isinstance(task, OperatorTask)},
        forms[puzzle.header.metric].counts.get("facts", 0),
        {metric: len(task.choices) for metric, task in forms.items() if isinstance(task, ProgramTask)},
        next((task.instead_of for task in forms.values() if isinstance(task, ProgramTask)), ""),
        tuple(dict.fromkeys(each.words for task in forms.values() for each in task.interchangeable)),
        notes=tuple(puzzle.record.notes(puzzle.value)) if puzzle.record.notes else (),
    )


def problems_of(error: BudgeError, file: str) -> list[Problem]:
    """The problems of a `PuzzleError`, with their places; any other error is one problem of the file as a whole."""
    if isinstance(error, PuzzleError):
        return error.problems
    return [Problem(file, 0, 0, str(error).removeprefix(f"{file}: "))]
