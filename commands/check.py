"""The command `check`: read puzzle files and report every error, for people and for programs.

Exit codes: 0 every file is a puzzle, 2 not, 3 a limit was reached, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from ..models.errors import printable
from ..runtime.outcome import StoppedError
from .common import LimitedWork, code_of, print_json, reporter_of, search_each
from .streams import Exit

if TYPE_CHECKING:
    from ..workflows.checking import Check


def run_check(arguments: argparse.Namespace) -> int:
    """Read puzzle files without solving them and report every error with its place."""
    from ..views.json_lines import as_github, check_object

    arguments.format = "json" if arguments.json else arguments.format

    def check_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
        result, code = _checked(name, arguments, watch)
        match arguments.format:
            case "text":
                _print(result, arguments.stats)
            case "json":
                print_json(check_object(result))
            case "github":
                for problem in result.problems:
                    print(as_github(problem), flush=True)
        return code

    return search_each(arguments, check_one, spaced=False)


def _checked(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> tuple[Check, int]:
    """The check of a file, and the exit code. A check that was stopped counts as a problem."""
    from ..workflows.checking import Check, check, problems_of

    try:
        with reporter_of(arguments, json=False) as progress:
            data = watch.stdin() if name == "-" else None
            result: Check = watch.run(partial(check, name, data), progress)
            return result, Exit.OPTIMAL if result.ok else Exit.USAGE
    except StoppedError as error:
        return Check(name, problems=tuple(problems_of(error, name))), code_of(error)


def _print(result: Check, stats: bool) -> None:
    """Print a check for people: problems on standard error, a line for a good puzzle on standard output."""
    for problem in result.problems:
        print(problem.render(), file=sys.stderr)
    if result.dropped:
        print(f"... and {result.dropped:,} more problems", file=sys.stderr)
    if puzzle := result.puzzle:
        record = puzzle.record
        about = ", ".join([record.title, *([record.counts(puzzle.value)] if record.counts else [])])
        if stats:
            sizes = [f"{count:,} operators in {metric}" for metric, count in result.operators.items()]
            if sizes:
                about += f"; {result.facts:,} facts, {', '.join(sizes)}"
            if result.programs:
                kept = [f"{count:,} actions kept as programs in {metric}" for metric, count in result.programs.items()]
                about += f"; {', '.join(kept)}: {result.why}; what reads no programs: docs/analyses.md"
            about += "".join(f"; interchangeable: {words}" for words in result.interchangeable)
        named = f"{printable(result.file)}  {printable(puzzle.header.name)}"
        print(f"ok  {named} ({about})", flush=True)  # in order with errors, in one file
    for note in result.notes:
        print(f"{printable(result.file)}: note: {note}", file=sys.stderr)
