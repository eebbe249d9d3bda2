"""What the commands of the command line share: exit codes, errors, limits, Ctrl-C, progress."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, DisagreementError, PuzzleError, ReplayError

if TYPE_CHECKING:
    import threading

    from ..models.puzzle import Puzzle
    from ..runtime.budget import Budget
    from ..runtime.events import Event
    from ..runtime.outcome import Status

OPTIMAL, UNSOLVABLE, USAGE, LIMIT, WRONG, INTERRUPTED = 0, 1, 2, 3, 4, 130
GRAVITY = (OPTIMAL, UNSOLVABLE, LIMIT, USAGE, WRONG, INTERRUPTED)
LAYER_LINE_SECONDS = 1.0
PUZZLE_HELP = "a puzzle file, `-` for standard input, or the name of a shipped puzzle"


def positive(text: str) -> float:
    """The type of an argument that is a positive number."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number")
    return number


def add_limits(command: argparse.ArgumentParser) -> None:
    """The options of every command that searches."""
    command.add_argument("--metric", metavar="NAME", help="what counts as one move; default: the puzzle's own")
    command.add_argument("--time-limit", type=positive, metavar="SECONDS", help="for each puzzle (default 600)")
    command.add_argument("--memory-limit", type=positive, metavar="MIB", help="for the engine (default 4096)")
    command.add_argument("--quiet", "-q", action="store_true", help="no progress lines")
    command.add_argument("--json", action="store_true", help="one JSON object a line, on standard output")


def budget_of(arguments: argparse.Namespace, interrupted: threading.Event) -> Budget:
    """The limits that were asked for, and Ctrl-C."""
    from ..runtime.budget import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Budget

    memory = int(arguments.memory_limit) if arguments.memory_limit else DEFAULT_MEMORY_LIMIT
    budget = Budget(arguments.time_limit or DEFAULT_TIME_LIMIT, memory)
    budget.interrupted = interrupted
    return budget


def message(error: BudgeError) -> str:
    """An error as it is printed."""
    return str(error) if isinstance(error, PuzzleError) else f"budge: error: {error}"


def code_of(error: BudgeError) -> int:
    """The exit code of an error."""
    return WRONG if isinstance(error, ReplayError | DisagreementError) else USAGE


def code_of_status(status: Status) -> int:
    """The exit code of the way in which a search ended."""
    from ..runtime.outcome import Status

    codes = {
        Status.OPTIMAL: OPTIMAL,
        Status.UNSOLVABLE: UNSOLVABLE,
        Status.INTERRUPTED: INTERRUPTED,
        Status.ERROR: WRONG,
    }
    return codes.get(status, LIMIT)


def worst(codes: list[int]) -> int:
    """The gravest of some exit codes."""
    return max(codes, key=GRAVITY.index, default=OPTIMAL)


def each(names: list[str], act: Callable[[Puzzle], None]) -> int:
    """Load every puzzle and act on it; errors are printed and the rest goes on."""
    from ..models.library import load

    codes = []
    for name in names:
        try:
            act(load(name))
            codes.append(OPTIMAL)
        except BudgeError as error:
            print(message(error), file=sys.stderr)
            codes.append(code_of(error))
    return worst(codes)


Search = Callable[[str, argparse.Namespace, "threading.Event"], int]
"""What a command does with a puzzle's name; gives the exit code. The event is set by Ctrl-C."""


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, within; a second Ctrl-C does not wait for what is at work to end."""
    import threading

    interrupted = threading.Event()

    def on_interrupt(signum: int, frame: object) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    if threading.current_thread() is not threading.main_thread():  # where no signals come
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def search_each(arguments: argparse.Namespace, search: Search) -> int:
    """Search every puzzle that was named, until Ctrl-C."""
    codes = []
    with interrupts() as interrupted:
        for number, name in enumerate(arguments.puzzles):
            if number and not arguments.json:
                print()
            codes.append(search(name, arguments, interrupted))
            if interrupted.is_set():
                codes.append(INTERRUPTED)
                break
    return worst(codes)


def print_json(value: dict[str, Any]) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def progress_to(arguments: argparse.Namespace, line: Callable[[Event], str] | None = None) -> Callable[[Event], None]:
    """Where progress goes: JSON lines, lines on standard error (as `line` writes them), or nowhere."""
    from ..runtime.events import LayerDone, silent
    from ..views import json_lines
    from ..views.text import progress_line

    last, write = [0.0], line or progress_line

    def show(event: Event) -> None:
        if arguments.json:
            print_json(json_lines.event(event))
            return
        if isinstance(event, LayerDone):  # layers can be many and quick
            if event.seconds - last[0] < LAYER_LINE_SECONDS:
                return
            last[0] = event.seconds
        print(write(event), file=sys.stderr, flush=True)

    return silent if arguments.quiet else show
