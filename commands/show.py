"""The command `show`: draw puzzles."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .common import each, print_json, screen_of
from .parsing import Parser

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle


def add_show(show: Parser) -> None:
    """Add the arguments of `budge show`."""
    show.describe(_show, "budge show bird-1 heng-dao-li-ma")
    show.add_puzzles()
    show.add_colour()
    show.add_json("one JSON object a line for each puzzle")


def _show(arguments: argparse.Namespace) -> int:
    """Draw puzzles, with their goal, metric and expected optimum."""
    from ..views.json_lines import whole
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
