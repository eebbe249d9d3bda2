"""The commands `list`: the shipped puzzles; `show`: draw puzzles; `new`: a puzzle file to begin with; and `schema`:
what files may have, as a JSON Schema for editors.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import check_writable, each, print_json, screen_of, write
from .streams import Exit

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle


def run_list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their title and expected optimum."""
    from ..models.library import search
    from ..views.json_lines import summary
    from ..views.sections import as_text
    from ..views.solution import of_puzzles
    from ..views.terminal import Screen

    known = None if arguments.known is None else arguments.known == "yes"
    puzzles = search(arguments.filter or "", family=arguments.family, known=known, optimum=arguments.optimum)
    if not puzzles:
        asked = f"`{arguments.filter}`" if arguments.filter else "this"
        raise UsageError(f"no shipped puzzle matches {asked} (see `budge list`)")
    if arguments.json:
        for name, puzzle in puzzles.items():
            print_json(summary(puzzle, name))
        return Exit.OPTIMAL
    print(as_text(of_puzzles(puzzles), Screen.of(sys.stdout)))
    return Exit.OPTIMAL


def run_show(arguments: argparse.Namespace) -> int:
    """Draw puzzles, with their goal, metric and expected optimum."""
    from ..views.json_lines import whole
    from ..views.sections import as_text, with_start
    from ..views.solution import of_puzzle

    screen = screen_of(arguments)
    drawn = []

    def act(puzzle: Puzzle) -> None:
        if arguments.json:
            print_json(whole(puzzle))
            return
        drawn.append(puzzle)
        print(("\n" if len(drawn) > 1 else "") + as_text(with_start(puzzle, of_puzzle(puzzle)), screen))

    return each(arguments.puzzles, act)


def run_new(arguments: argparse.Namespace) -> int:
    """Write a small puzzle of a family with every key that its files may have, explained. Nothing is overwritten."""
    from ..models.families import find_family
    from ..views.schema import template

    family = find_family(arguments.family.lower().replace("_", "-"))
    samples = (
        [sample for sample in family.samples if "\ngrid:" in sample] if "grid" in arguments.given else [family.sample]
    )
    if not samples:
        raise UsageError(f"`--grid` is for `custom`; files of the family {family.name} have their board anyway")
    text = template(family, samples[0])
    file = arguments.grid or arguments.file
    if file == "-":
        print(text, end="")
        return Exit.OPTIMAL
    path = check_writable(Path(file if file is not None else f"{family.name}.yaml"))
    if path.exists():
        raise UsageError(f"{path} exists and is not overwritten; choose another name: `budge new {family.name} FILE`")
    write(path, text, "x", family.title)
    quoted = shlex.quote(str(path))
    print(f"next: edit it, then `budge check {quoted}` and `budge solve {quoted}`", file=sys.stderr)
    return Exit.OPTIMAL


def run_schema(arguments: argparse.Namespace) -> int:
    """Print a JSON Schema of puzzle files, for editors: see docs/editors.md."""
    from ..models.families import families, find_family
    from ..views.schema import puzzle_schema

    chosen = [find_family(arguments.family)] if arguments.family else families().values()
    print(json.dumps(puzzle_schema(chosen), ensure_ascii=False, indent=2))
    return Exit.OPTIMAL
