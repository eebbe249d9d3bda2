"""The commands `list`: the shipped puzzles; and `show`: draw puzzles."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import each, print_json, screen_of
from .parsing import command
from .streams import Exit

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle


@command(
    """
        filter [TEXT]   only names, families or titles with it
        --family NAME   only of this family
        --optimum N-M   only with a known optimum in this range
        --known yes|no  only those whose file knows the optimum, or that there is no plan; or those whose file does not
        --json          one JSON object a line for each puzzle
        """,
    "budge list",
    "budge list rush-hour",
    "budge list 'second grid'",
    "budge list --family sokoban --optimum 1-20",
)
def run_list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their title and expected optimum."""
    from ..models.library import search
    from ..views.json_lines import summary
    from ..views.terminal import Screen
    from ..views.text import as_text

    known = None if arguments.known is None else arguments.known == "yes"
    puzzles = search(arguments.filter or "", family=arguments.family, known=known, optimum=arguments.optimum)
    if not puzzles:
        asked = f"`{arguments.filter}`" if arguments.filter else "this"
        raise UsageError(f"no shipped puzzle matches {asked} (see `budge list`)")
    if arguments.json:
        for name, puzzle in puzzles.items():
            print_json(summary(puzzle, name))
        return Exit.OPTIMAL
    print(as_text(puzzles, Screen.of(sys.stdout)))
    return Exit.OPTIMAL


@command("puzzles\n--color\n--json", "budge show bird-1 heng-dao-li-ma")
def run_show(arguments: argparse.Namespace) -> int:
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
