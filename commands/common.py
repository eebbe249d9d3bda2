"""Shared by all commands: errors, limits, Ctrl-C, progress, files."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..models.documents.files import write_named, writing
from ..models.errors import (
    BudgeError,
    DisagreementError,
    FaultError,
    PuzzleError,
    ReplayError,
    UsageError,
    WriteError,
    printable,
)
from ..runtime.outcome import StoppedError
from .streams import Ended, Exit, end, handled, show_colours, worst

if TYPE_CHECKING:
    from ..models.moves import Metric
    from ..models.puzzle import Puzzle
    from ..runtime.budget import Budget
    from ..runtime.child_main import Work
    from ..runtime.events import Event, Progress
    from ..runtime.outcome import Status
    from ..runtime.worker import Apart
    from ..views.progress import Reporter
    from ..views.sections import Section
    from ..views.terminal import Screen
    from ..workflows.rows import Row

T = TypeVar("T")

# Limits


def budget_of(arguments: argparse.Namespace, interrupted: threading.Event) -> Budget:
    """The budget that the command line asks for. Its clock begins with the work in a process apart, when the code of
    the command is loaded.
    """
    from ..runtime.budget import Budget

    budget = Budget(arguments.time_limit, arguments.memory_limit)
    budget.interrupted = interrupted
    budget.pause()
    return budget


# Errors and exit codes


def message(error: BudgeError, name: str = "") -> str:
    """An error as it is printed; the traceback of a fault is written to a file, whose name is in the message. `name`:
    the puzzle of a fault.
    """
    if isinstance(error, FaultError) and error.details:
        return f"budge: error: {name and f'{name}: '}{error}{_report(error.details)}"
    return str(error) if isinstance(error, PuzzleError) else f"budge: error: {error}"


def _report(details: str) -> str:
    """How to report a fault: its traceback is written to a file, or shown here if no file can be written."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile("w", prefix="budge-fault-", suffix=".txt", delete=False) as file:
            file.write(f"{sys.version}\n{sys.argv}\n\n{details}")
        return f"\n  help: please report it; {file.name} says where it happened"
    except OSError:
        return f"\n  help: please report it with these lines\n{details}"


def code_of(error: BudgeError) -> int:
    """The exit code of an error."""
    if isinstance(error, StoppedError) and not error.died:
        return Exit.INTERRUPTED if error.reason == "interrupted" else Exit.LIMIT
    if isinstance(error, FaultError | StoppedError):
        return Exit.FAULT
    if isinstance(error, WriteError):
        return Exit.OUTPUT
    wrong = isinstance(error, ReplayError | DisagreementError) and not isinstance(error, UsageError)
    return Exit.WRONG if wrong else Exit.USAGE


def code_of_status(status: Status) -> int:
    """The exit code of the way in which a search ended."""
    from ..runtime.outcome import Status

    codes = {
        Status.OPTIMAL: Exit.OPTIMAL,
        Status.UNSOLVABLE: Exit.UNSOLVABLE,
        Status.INTERRUPTED: Exit.INTERRUPTED,
        Status.ERROR: Exit.FAULT,
    }
    return codes.get(status, Exit.LIMIT)


def expand_puzzles(arguments: argparse.Namespace) -> None:
    """Put the puzzles of a folder or a pattern in its place, for every command that takes puzzles. A folder with a
    certificate is one thing to `verify`.
    """
    if getattr(arguments, "puzzles", None):
        from ..models.library import expand

        arguments.puzzles = expand(
            arguments.puzzles, is_certificate if arguments.command == "verify" else lambda _: False
        )


def is_certificate(name: str) -> bool:
    """Whether a name is that of a folder with a certificate."""
    from ..models.library import CERTIFICATE

    return os.path.exists(Path(name, CERTIFICATE))


def each(names: list[str], act: Callable[[Puzzle], None]) -> int:
    """Load every puzzle and act on it; errors are printed, and the other puzzles follow."""
    from ..models.library import load

    codes = list[int]()
    for name in names:
        try:
            act(load(name))
        except BudgeError as error:
            print(message(error), file=sys.stderr)
            codes.append(code_of(error))
    return worst(codes)


# Ctrl-C


class Interrupted(threading.Event):
    """Set by Ctrl-C or its like; `code` is the exit code of what was interrupted."""

    code = Exit.INTERRUPTED


@contextmanager
def interrupts() -> Iterator[Interrupted]:
    """An event that Ctrl-C, SIGTERM (of `timeout`, a CI, a batch system), SIGHUP (a closed terminal) and SIGQUIT set,
    within.

    A second one does not wait for what is at work to end.
    """
    interrupted = Interrupted()

    def on_signal(signum: int, _frame: object) -> None:
        if interrupted.is_set():
            raise Ended(signum)
        interrupted.code = Exit(128 + signum)
        interrupted.set()

    with handled(on_signal):
        yield interrupted


def until_interrupted(work: Callable[[Interrupted], int]) -> int:
    """Do some work until Ctrl-C; gives its exit code, or that of the signal."""
    with interrupts() as interrupted:
        code = work(interrupted)
        return interrupted.code if interrupted.is_set() else code


@dataclass(frozen=True, slots=True)
class LimitedWork:
    """Work on a puzzle in a process of its own, within a budget, until Ctrl-C."""

    budget: Budget
    apart: Apart

    def load(self, name: str, progress: Progress, data: bytes | None = None) -> Puzzle:
        """Read a puzzle. Standard input is read in this process, without a time limit, unless it was: then `data` is
        its content. Raises `PuzzleError`, `UsageError`.
        """
        from ..workflows.checking import read

        data = self.stdin() if name == "-" and data is None else data
        puzzle: Puzzle = self.run(partial(read, name, data), progress, prompt=True)
        return puzzle

    def position(self, name: str, arguments: argparse.Namespace, progress: Reporter) -> tuple[Puzzle, str]:
        """Read a puzzle; gives it with the metric that is asked for, in which progress is shown from now on. Raises
        `PuzzleError`, `UsageError`.
        """
        from ..workflows.solving import metric_of

        puzzle = self.load(name, progress)
        metric = metric_of(puzzle, arguments.metric)
        progress.count_in(puzzle.metric(metric))
        return puzzle, metric

    def stdin(self) -> bytes:
        """The content of standard input; a signal ends the wait for it at once."""
        from ..models.library import standard_input

        with self.budget.paused(), handled(end):
            return standard_input()

    def run(self, work: Work, progress: Progress, **more: Any) -> Any:
        """Do some work and give its result, see `Apart.run`. Raises `StoppedError`."""
        return self.apart.run(work, self.budget, progress, **more)


Search = Callable[[str, argparse.Namespace, LimitedWork], int]
"""A function that handles one puzzle, given by its name; it gives the exit code. It may raise `BudgeError`."""


def search_each(arguments: argparse.Namespace, search: Search, *, spaced: bool = True) -> int:
    """Search every puzzle that was named, until Ctrl-C; errors are printed, and the other puzzles follow. `spaced`: an
    empty line is printed between two answers for people.
    """
    from ..runtime.worker import Apart

    codes = []
    with interrupts() as interrupted, Apart() as apart:
        for number, name in enumerate(arguments.puzzles):
            if number and spaced and not arguments.json:
                print()
            try:
                codes.append(search(name, arguments, LimitedWork(budget_of(arguments, interrupted), apart)))
            except BudgeError as error:
                codes.append(tell_error(name, error, arguments if getattr(arguments, "json", False) else None))
            if interrupted.is_set():
                codes.append(interrupted.code)
                break
    return worst(codes)


def answer_each(
    arguments: argparse.Namespace,
    find: Callable[..., T],
    as_json: Callable[[T], dict[str, Any]],
    sections: Callable[[T], Iterable[Section]],
    code_of_answer: Callable[[T], int],
    *,
    stopped: Callable[[Puzzle, str, StoppedError, LimitedWork], T] | None = None,
    save: Callable[[T], None] | None = None,
) -> int:
    """Print the answer that `find` has about each puzzle in a metric; gives the exit code. `stopped`: makes an answer
    where a limit or Ctrl-C has ended the work; `save`: writes a file of it, and a failure changes no answer.
    """

    def search(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
        from ..views.sections import with_start
        from ..workflows.solving import is_small

        with reporter_of(arguments) as progress:
            puzzle, metric = watch.position(name, arguments, progress)
            try:
                answer: T = watch.run(partial(find, puzzle, metric), progress, prompt=is_small(puzzle))
            except StoppedError as stop:
                if stopped is None:
                    raise
                answer = stopped(puzzle, metric, stop, watch)
        print_answer(arguments, partial(as_json, answer), with_start(puzzle, sections(answer)))
        try:
            if save is not None:
                save(answer)
        except BudgeError as error:
            return worst([code_of_answer(answer), tell_error(name, error)])
        return code_of_answer(answer)

    return search_each(arguments, search)


def tell_error(name: str, error: BudgeError, asked: argparse.Namespace | None = None, **more: Any) -> int:
    """Print why there is no result for a puzzle; gives the exit code. `asked`: the arguments of a command that answers
    programs, which get an object that has `more` besides.
    """
    if asked is not None:
        from ..views.json_lines import failed

        print_json(failed(asked.command, name, asked.metric, error, **more))
    stopped = isinstance(error, StoppedError)
    print(f"budge: {name}: {error}" if stopped else message(error, name), file=sys.stderr)
    return code_of(error)


# Output


def print_json(value: dict[str, Any]) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def print_answer(
    arguments: argparse.Namespace, as_json: Callable[[], dict[str, Any]], sections: Iterable[Section]
) -> None:
    """Print a result: one line of JSON if that was asked for, else text for people."""
    from ..views.sections import as_text

    if arguments.json:
        print_json(as_json())
    else:
        print(as_text(sections, screen_of(arguments)), flush=True)


def screen_of(arguments: argparse.Namespace) -> Screen:
    """Standard output as a screen: its width, its colours, its characters."""
    from ..views.terminal import Screen

    screen = Screen.of(sys.stdout, getattr(arguments, "color", "auto"))
    show_colours(screen.colour)
    return screen


def reporter_of(
    arguments: argparse.Namespace, metric: Metric | None = None, *, named: bool = False, json: bool | None = None
) -> Reporter:
    """Where progress goes: JSON lines (`json`; by default if they were asked for), standard error, or nowhere. It is a
    context, within which it is shown.
    """
    from ..views.progress import JsonLines, Reporter, reporter

    if arguments.quiet:
        return Reporter()
    as_json = arguments.json if json is None else json
    return JsonLines(print_json) if as_json else reporter(sys.stderr, metric, named=named)


class RowsProgress(ExitStack):
    """Progress of engines that are prepared, as text, and of the rows that they make: an object a row for programs, or
    what `show` prints of it.
    """

    def __init__(self, arguments: argparse.Namespace, show: Callable[[Row], None]) -> None:
        super().__init__()
        self._arguments, self._show = arguments, show
        self._tell: Reporter | None = None

    def prepare(self, event: Event) -> None:
        """Show an event, until a row is there."""
        if self._tell is None:
            self._tell = self.enter_context(reporter_of(self._arguments, json=False))
        self._tell(event)

    def row(self, row: Row) -> None:
        """Show a row."""
        from ..workflows.rows import as_object

        self.close()
        self._tell = None
        if self._arguments.json:
            print_json(as_object(row))
        elif not self._arguments.quiet:
            self._show(row)


# Files


PLAN_BYTES = 4 * 1024 * 1024
"""The largest file with a plan in bytes; puzzle files have the same limit."""


def read_data(file: str, limit: int = PLAN_BYTES) -> bytes:
    """The content of a file, or of standard input, up to one byte more than the limit; a signal ends the wait for it.
    Raises `OSError`, `UsageError`.
    """
    from ..models.library import standard_input

    with handled(end):
        if file == "-":
            return standard_input(limit + 1)
        with open(file, "rb") as stream:
            return stream.read(limit + 1)


def read_text(file: str, limit: int = PLAN_BYTES, data: bytes | None = None) -> str:
    """The text of a file with a plan, or beside one; `data`: its content, if that was read. Raises `UsageError` for a
    file that cannot be read.
    """
    try:
        data = read_data(file, limit) if data is None else data
        if len(data) > limit:
            raise UsageError(f"cannot read {file}: it has more than {limit // 2**20} MiB, and is no plan")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {file}: it is not text in UTF-8") from None


def check_writable(file: str | Path) -> Path:
    """Say before minutes or hours of work, and not after, that a file cannot be written. Makes and changes none.

    Raises `UsageError`.
    """
    path = Path(file)
    folder = path.parent
    if not str(file):
        raise UsageError("the name of the file to write is empty")
    if os.path.isdir(path):
        raise UsageError(f"cannot write to {path}: it is a folder")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write to {path}: there is no folder {folder}")
    with writing(path):
        if os.path.lexists(path):
            if os.path.isfile(path):  # opening a pipe would wait for its reader
                os.close(os.open(path, os.O_WRONLY))
        else:  # permissions do not say it all: a file system may allow none
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            path.unlink()
    return path


def write(path: Path, text: str, mode: str = "w", about: str = "") -> None:
    """Write a file, and say so. Raises `WriteError`."""
    write_bytes(path, text.encode(), mode, about)


def write_bytes(path: Path, data: bytes, mode: str = "w", about: str = "") -> None:
    """Write a file that is no text, and say so. Raises `WriteError`."""
    with writing(path):
        if mode == "w":
            write_named(path, data)
        else:
            with path.open(f"{mode}b") as out:
                out.write(data)
    tell_written(path, f" ({about})" if about else "")


def tell_written(path: Path | str, about: str = "") -> None:
    """Say that a file was written."""
    print(f"wrote {printable(str(path))}{about}", file=sys.stderr)
