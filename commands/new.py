"""The commands `new`: a puzzle file to begin with; and `schema`: what files may have, as a JSON Schema for editors."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

from ..models.errors import UsageError
from .common import check_writable, write
from .parsing import command
from .streams import Exit


@command(
    """
        family FAMILY   rush-hour, sliding-block, n-puzzle, sokoban, custom, ...
        --grid [FILE]   of `custom`: begin with a map and its legend
        file [FILE]     default: FAMILY.yaml; `-` prints it
        """,
    "budge new rush-hour",
    "budge new sokoban my-level.yaml",
    "budge new custom --grid my.yaml",
)
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


@command("--family NAME   only this family; default: all that are known", "budge schema > budge.schema.json")
def run_schema(arguments: argparse.Namespace) -> int:
    """Print a JSON Schema of puzzle files, for editors: see docs/editors.md."""
    from ..models.families import families, find_family
    from ..views.schema import puzzle_schema

    chosen = [find_family(arguments.family)] if arguments.family else families().values()
    print(json.dumps(puzzle_schema(chosen), ensure_ascii=False, indent=2))
    return Exit.OPTIMAL
