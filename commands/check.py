"""The command `check`: read puzzle files and report every error."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .common import add_puzzles, each

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    check = commands.add_parser(
        "check",
        help="read puzzles and report every error",
        description=_check.__doc__,
        examples=("budge check my.yaml", "budge check puzzles/*.yaml"),
    )
    add_puzzles(check)
    check.add_argument("--stats", action="store_true", help="say how large the planning tasks are")
    check.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    """Read puzzle files without solving them and report every error with its place."""

    def act(puzzle: Puzzle) -> None:
        sizes = []
        for metric in puzzle.metrics:
            task = puzzle.task(metric)
            task.validate()
            sizes.append(f"{len(task.operators):,} operators in {metric}")
        record = puzzle.record
        about = ", ".join([record.title, *([record.counts(puzzle.value)] if record.counts else [])])
        if arguments.stats:
            about += f"; {len(puzzle.task(puzzle.header.metric).facts):,} facts, {', '.join(sizes)}"
        print(f"ok  {puzzle.header.file}  {puzzle.header.name} ({about})")

    return each(arguments.puzzles, act)
