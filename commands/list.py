"""The command `list`: the shipped puzzles."""

from __future__ import annotations

import argparse
import sys

from ..models.errors import UsageError
from .common import OPTIMAL, print_json
from .parsing import Parser


def add_list(listing: Parser) -> None:
    """Add the arguments of `budge list`."""
    listing.describe(_list, "budge list", "budge list rush-hour", "budge list 'second grid'")
    listing.add_argument("filter", nargs="?", default="", metavar="TEXT", help="only names, families or titles with it")
    listing.add_argument("--json", action="store_true", help="one JSON object a line for each puzzle")


def _list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their title and expected optimum."""
    from ..models.library import search
    from ..views.listing import as_text
    from ..views.puzzle_json import summary
    from ..views.screen import Screen

    found = search(arguments.filter)
    if not found:
        raise UsageError(f"no shipped puzzle matches `{arguments.filter}` (see `budge list`)")
    if arguments.json:
        for name, puzzle in found.items():
            print_json(summary(puzzle, name))
        return OPTIMAL
    print(as_text(found, Screen.of(sys.stdout)))
    return OPTIMAL
