"""The command `list`: the shipped puzzles."""

from __future__ import annotations

import argparse
import sys

from ..models.errors import UsageError
from .common import print_json
from .parsing import Parser, span
from .streams import Exit


def add_list(listing: Parser) -> None:
    """Add the arguments of `budge list`."""
    listing.describe(
        _list,
        "budge list",
        "budge list rush-hour",
        "budge list 'second grid'",
        "budge list --family sokoban --optimum 1-20",
    )
    listing.add_argument("filter", nargs="?", default="", metavar="TEXT", help="only names, families or titles with it")
    listing.add_argument("--family", metavar="NAME", help="only of this family", takes="family")
    listing.add_argument("--optimum", type=span, metavar="N-M", help="only with a known optimum in this range")
    listing.add_argument(
        "--known",
        choices=("yes", "no"),
        metavar="yes|no",
        help="only those whose file knows the optimum, or that there is no plan; or those whose file does not",
    )
    listing.add_json("one JSON object a line for each puzzle")


def _list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their title and expected optimum."""
    from ..models.library import search
    from ..views.json_lines import summary
    from ..views.terminal import Screen
    from ..views.text import as_text

    known = None if arguments.known is None else arguments.known == "yes"
    found = search(arguments.filter, family=arguments.family, known=known, optimum=arguments.optimum)
    if not found:
        asked = f"`{arguments.filter}`" if arguments.filter else "this"
        raise UsageError(f"no shipped puzzle matches {asked} (see `budge list`)")
    if arguments.json:
        for name, puzzle in found.items():
            print_json(summary(puzzle, name))
        return Exit.OPTIMAL
    print(as_text(found, Screen.of(sys.stdout)))
    return Exit.OPTIMAL
