"""The command `export`: a puzzle, or its task at a horizon, in other programs' formats."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .cli_common import PUZZLE_HELP, each
from .errors import UsageError

if TYPE_CHECKING:
    from .models.puzzle import Puzzle


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    export = commands.add_parser("export", help="write a puzzle in another format", description=_export.__doc__)
    export.add_argument("puzzles", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP)
    export.add_argument("--to", choices=["xsb", "xsb-rle"], required=True, help="XSB rows, or XSB run-length encoded")
    export.set_defaults(run=_export)


def _export(arguments: argparse.Namespace) -> int:
    """Write Sokoban puzzles as XSB, to standard output."""
    from .models.families.sokoban import Sokoban
    from .models.families.sokoban_convert import to_xsb

    written: list[Puzzle] = []

    def act(puzzle: Puzzle) -> None:
        if not isinstance(puzzle, Sokoban):
            raise UsageError(f"{puzzle.header.name}: only Sokoban can be written as XSB, not {puzzle.family}")
        print(("\n" if written else "") + to_xsb(puzzle, compact=arguments.to == "xsb-rle"), end="")
        written.append(puzzle)

    return each(arguments.puzzles, act)
