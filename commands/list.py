"""The command `list`: the shipped puzzles."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..models.errors import UsageError
from .common import OPTIMAL


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    listing = commands.add_parser(
        "list",
        help="list the shipped puzzles",
        description=_list.__doc__,
        examples=("budge list", "budge list rush-hour", "budge list 'second grid'"),
    )
    listing.add_argument("filter", nargs="?", default="", metavar="TEXT", help="only names, families or titles with it")
    listing.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their title and expected optimum."""
    from ..models.library import search
    from ..views.listing import as_text
    from ..views.screen import Screen

    found = search(arguments.filter)
    if not found:
        raise UsageError(f"no shipped puzzle matches `{arguments.filter}` (see `budge list`)")
    print(as_text(found, Screen.of(sys.stdout)))
    return OPTIMAL
