"""The command `replay`: a plan step by step.

Exit codes: 0 the plan reaches the goal; 1 it breaks a rule, or stops before the goal; 2 bad usage or input. Without a
plan the puzzle is solved first; then also those of `solve`.
"""

from __future__ import annotations

import argparse
import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import (
    budget_of,
    check_writable,
    code_of_status,
    interrupts,
    read_text,
    reporter_of,
    screen_of,
    write,
    write_bytes,
)
from .streams import Ended, Exit

if TYPE_CHECKING:
    from ..models.plan import Replay
    from ..models.puzzle import Puzzle
    from ..workflows.solving import Solution


# Keys of a terminal, one after the other, however they arrive: several at once, or one in parts.

PARTIAL = re.compile(rb"\x1b(\[[0-9;]*|O)?")
"""What may be the beginning of an escape sequence (ECMA-48, CSI and SS3); if nothing follows, it is the key Escape."""

PATIENCE = 0.05
"""Seconds to wait for the rest of an escape sequence."""


def next_key(read: Callable[[float | None], bytes]) -> str:
    """The next key; "" if the input has ended. `read` waits at most some seconds (None: for ever) for one more byte."""
    text = read(None)
    while PARTIAL.fullmatch(text) and (more := read(PATIENCE)):
        text += more
    return text.decode("latin-1")


@contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """A function that waits for a key of the terminal and gives its characters; several for the arrows."""
    if sys.platform == "win32":
        import msvcrt

        arrows = {"H": "\x1b[A", "P": "\x1b[B", "K": "\x1b[D", "M": "\x1b[C", "G": "\x1b[H", "O": "\x1b[F"}

        def key() -> str:
            char = msvcrt.getwch()
            return arrows.get(msvcrt.getwch(), "?") if char in ("\x00", "\xe0") else char

        yield key
        return
    import termios
    import tty

    stream = sys.stdin.fileno()

    def read(seconds: float | None) -> bytes:
        return os.read(stream, 1) if select.select([stream], [], [], seconds)[0] else b""

    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSADRAIN)  # what was typed before is kept
        yield partial(next_key, read)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def run_replay(arguments: argparse.Namespace) -> int:
    """Play a plan by the rules and show every board, with what moved marked: on a terminal one at a time (n next, p
    previous, g first, G last, u up, d down, q quit), otherwise side by side. Or write it as a page or a picture.
    """
    from ..models.library import load
    from ..views.terminal import is_terminal, paragraph
    from ..views.text import filmstrip, heading
    from ..workflows.solving import metric_of
    from ..workflows.verification import played

    name, *others = arguments.puzzles
    if others:
        raise UsageError(f"this command takes one puzzle, and `{others[0]}` is another")
    if name == "-" == arguments.plan:
        raise UsageError("the puzzle and the plan cannot both come from standard input")
    if arguments.at is not None and arguments.svg is None:
        raise UsageError("`--at` says which position `--svg FILE` shows")
    files = [check_writable(file) for file in (arguments.html, arguments.svg, arguments.gif) if file is not None]
    puzzle, proof = load(name), ""
    if arguments.plan is None:
        solution = _solved(puzzle, arguments)
        if solution.replay is None:
            return code_of_status(solution.status)
        replay, problem, proof = solution.replay, None, _proof(solution)
    else:
        made, problem = played(puzzle, read_text(arguments.plan), metric_of(puzzle, arguments.metric))
        if made is None:
            print(f"invalid: {problem}", file=sys.stderr)
            return Exit.INVALID
        replay = made
    if files:
        _write(puzzle, replay, proof, arguments)
    screen = screen_of(arguments)
    if replay.steps and (not files or arguments.all):
        if is_terminal(sys.stdout) and sys.stdin.isatty() and not arguments.all:
            _interactive(puzzle, replay, arguments)
        else:
            print(f"{heading(puzzle, screen)}\n\n{filmstrip(puzzle, replay, screen)}\n")
    if problem:
        print(f"invalid: {problem}", file=sys.stderr)
        return Exit.INVALID
    costs = ", ".join(puzzle.unit(unit).counted(cost) for unit, cost in replay.costs.items())
    print(paragraph(f"the plan reaches the goal: {costs}", screen.width))
    return Exit.OPTIMAL


def _solved(puzzle: Puzzle, arguments: argparse.Namespace) -> Solution:
    """The solution of a puzzle that came without a plan."""
    from ..workflows.solving import metric_of, solve

    metric = metric_of(puzzle, arguments.metric)
    with interrupts() as interrupted, reporter_of(arguments, puzzle.metric(metric), json=False) as progress:
        solution = solve(puzzle, "auto", metric, budget_of(arguments, interrupted), progress, hard_limits=True)
    if solution.replay is None:
        print(f"no plan to replay: {solution.bounds}", file=sys.stderr)
        if interrupted.is_set():
            raise Ended(interrupted.code - 128)
    return solution


def _proof(solution: Solution) -> str:
    """A sentence on the proven lower bound of the length of its plan."""
    counted = solution.puzzle.metric(solution.metric).counted
    low, high = solution.outcome.lower_bound, solution.outcome.upper_bound
    if low is not None and low == high:
        return f"No plan has fewer than {counted(low)} ({solution.proof})."
    return f"A plan needs at least {counted(low)} ({solution.proof})." if low else ""


def _write(puzzle: Puzzle, replay: Replay, proof: str, arguments: argparse.Namespace) -> None:
    """The files that were asked for. Raises `UsageError`."""
    if arguments.html is not None:
        from ..views.player import replay_page

        write(Path(arguments.html), replay_page(puzzle, replay, proof))
    if arguments.svg is not None:
        from ..views.animation import animated_svg
        from ..views.svg import board_svg, moved_cells

        if arguments.at is None:
            write(Path(arguments.svg), animated_svg(puzzle, replay))
        else:
            boards = [puzzle.board(), *(step.board for step in replay.steps)]
            if not 0 <= arguments.at < len(boards):
                raise UsageError(f"`--at` is 0 to {len(boards) - 1}, the moves of this plan, not {arguments.at}")
            moved = moved_cells(puzzle, boards[max(0, arguments.at - 1)], boards[arguments.at])
            write(Path(arguments.svg), board_svg(puzzle, boards[arguments.at], moved=moved))
    if arguments.gif is not None:
        from ..views.animation import gif

        write_bytes(Path(arguments.gif), gif(puzzle, replay))


def _interactive(puzzle: Puzzle, replay: Replay, arguments: argparse.Namespace) -> None:
    """Show the plan step by step on the terminal's second screen, by keys."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..views.text import step_through
    from .streams import harmless

    console = Console(file=getattr(sys.stdout, "terminal", sys.stdout), force_terminal=True, highlight=False)
    live = Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
    with keys() as key, live:

        def show(text: str) -> None:
            live.update(Text.from_ansi(harmless(text, colours=True), no_wrap=True, overflow="crop"), refresh=True)

        step_through(puzzle, replay, lambda: screen_of(arguments), show, key)
