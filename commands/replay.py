"""The command `replay`: a plan step by step.

Exit codes: 0 the plan reaches the goal; 1 it breaks a rule, or stops before the goal; 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import OPTIMAL, UNSOLVABLE, add_colour, add_puzzles, read_text, screen_of
from .parsing import Parser

if TYPE_CHECKING:
    from ..models.plan import Replay
    from ..models.puzzle import Puzzle

INVALID = UNSOLVABLE
"""The exit code of a plan that is none."""


def add_replay(replay: Parser) -> None:
    """Add the arguments of `budge replay`."""
    replay.describe(
        _replay, "budge replay bird-1 --plan plan.txt", "budge solve bird-1 --json -q | budge replay bird-1 --plan -"
    )
    add_puzzles(replay, many=False)
    replay.add_argument(
        "--plan",
        metavar="FILE",
        required=True,
        help="a plan, as `solve --plan-out FILE` or `solve --json` writes it; `-` for standard input",
    )
    replay.add_argument("--all", action="store_true", help="print all boards, also on a terminal")
    add_colour(replay)


def _replay(arguments: argparse.Namespace) -> int:
    """Play a plan by the rules and show every board, with what moved marked: on a terminal one at a time (n next, p
    previous, g first, G last, u up, d down, q quit), otherwise side by side.
    """
    from ..models.library import load
    from ..views.layout import paragraph
    from ..views.replay import filmstrip
    from ..views.screen import is_terminal
    from ..views.text import heading
    from ..workflows.verification import played

    name = arguments.puzzles[0]
    if name == "-" == arguments.plan:
        raise UsageError("the puzzle and the plan cannot both come from standard input")
    puzzle = load(name)
    replay, problem = played(puzzle, read_text(arguments.plan), puzzle.header.metric)
    screen = screen_of(arguments)
    if replay is not None and replay.steps:
        if is_terminal(sys.stdout) and sys.stdin.isatty() and not arguments.all:
            _interactive(puzzle, replay, arguments)
        else:
            print(f"{heading(puzzle, screen)}\n\n{filmstrip(puzzle, replay, screen)}\n")
    if problem:
        print(f"invalid: {problem}", file=sys.stderr)
        return INVALID
    assert replay is not None
    costs = ", ".join(puzzle.unit(unit).counted(cost) for unit, cost in replay.costs.items())
    print(paragraph(f"the plan reaches the goal: {costs}", screen.width))
    return OPTIMAL


def _interactive(puzzle: Puzzle, replay: Replay, arguments: argparse.Namespace) -> None:
    """One board at a time, on the terminal's second screen."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..views.replay import step_through

    console = Console(force_terminal=True, highlight=False)
    live = Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
    with _keys() as key, live:

        def show(text: str) -> None:
            live.update(Text.from_ansi(text, no_wrap=True, overflow="crop"), refresh=True)

        step_through(puzzle, replay, lambda: screen_of(arguments), show, key)


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """A function that waits for a key and gives its characters; several for the arrows."""
    if sys.platform == "win32":
        import msvcrt

        arrows = {"H": "\x1b[A", "P": "\x1b[B", "K": "\x1b[D", "M": "\x1b[C", "G": "\x1b[H", "O": "\x1b[F"}

        def read() -> str:
            char = msvcrt.getwch()
            return arrows.get(msvcrt.getwch(), "?") if char in ("\x00", "\xe0") else char

        yield read
        return
    import termios
    import tty

    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream)
        yield lambda: os.read(stream, 16).decode(errors="replace")
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)
