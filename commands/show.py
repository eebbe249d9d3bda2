"""The command `show`: draw puzzles."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .common import add_colour, add_puzzles, each, print_json, screen_of

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    show = commands.add_parser(
        "show", help="draw puzzles", description=_show.__doc__, examples=("budge show bird-1 heng-dao-li-ma",)
    )
    add_puzzles(show)
    add_colour(show)
    show.add_argument("--json", action="store_true", help="one JSON object a line for each puzzle")
    show.set_defaults(run=_show)


def _show(arguments: argparse.Namespace) -> int:
    """Draw puzzles, with their goal, metric and expected optimum."""
    from ..views.puzzle_json import whole
    from ..views.text import show

    screen = screen_of(arguments)
    drawn = []

    def act(puzzle: Puzzle) -> None:
        if arguments.json:
            print_json(whole(puzzle))
            return
        drawn.append(puzzle)
        print(("\n" if len(drawn) > 1 else "") + show(puzzle, screen))

    return each(arguments.puzzles, act)
