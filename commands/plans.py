"""The command `plans`: how many shortest plans a puzzle has, and what they have in common.

Exit codes: 0 counted, 1 no plan exists, 2 bad usage or file, 3 a limit was reached, 4 the file expects something else,
130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from ..models.errors import BudgeError, UsageError
from .common import LimitedWork, check_writable, print_answer, read_text, reporter_of, search_each, tell_error, write
from .parsing import Parser
from .streams import Exit

if TYPE_CHECKING:
    from ..workflows.why.found import Reasons


T = TypeVar("T")


def add_plans(plans: Parser) -> None:
    """Add the arguments of `budge plans`."""
    plans.describe(_plans, "budge plans level-26", "budge plans microban-001 --metric moves")
    plans.add_puzzles()
    plans.add_argument(
        "--intended",
        metavar="FILE",
        help="an author's solution (`-` for standard input), held against all shortest plans",
        takes="file",
    )
    for option, what in (("avoid", "never have"), ("through", "have at some time")):
        plans.add_argument(
            f"--{option}",
            action="append",
            default=[],
            metavar="WHAT",
            help=f"count plans that {what} a move (`B+3`) or a position (`'B at r4c1'`); may be given several times",
        )
    plans.add_argument(
        "--graph", metavar="FILE", help="write the graph of shortest plans for Graphviz, if it is small", takes="file"
    )
    plans.add_limits("30s")


def _plans(arguments: argparse.Namespace) -> int:
    """Count the shortest plans of a puzzle, strictly and up to swapping moves that do not touch each other: whether it
    has one solution, which first moves are right, where plans part, what all of them have in common.

    With `--avoid` and `--through` only plans are counted that keep these conditions, and one of them is shown.

    All states that can be reached are visited. `expect: {plans: 1}` in a puzzle file makes it a test.
    """
    from ..workflows.why.reasons import SECONDS, plans

    for_one(arguments, "intended", "graph")
    intended = None if arguments.intended is None else read_text(arguments.intended)
    find = partial(plans, intended=intended, avoid=arguments.avoid, through=arguments.through)
    return search_each(arguments, partial(reasons_of, find), SECONDS)


def for_one(arguments: argparse.Namespace, *options: str) -> None:
    """Refuse options with a file where several puzzles are named, or where the file could not be written."""
    for option in options:
        file = getattr(arguments, option)
        if file is not None and len(arguments.puzzles) > 1:
            raise UsageError(f"`--{option}` is for one puzzle: name one")
        if file is not None and option != "intended":
            check_writable(file)


def answered(
    find: Callable[..., T], views: ModuleType, name: str, arguments: argparse.Namespace, watch: LimitedWork
) -> T | int:
    """What is found of a puzzle, after it is printed; or the exit code where that is nothing."""
    from ..views.json_lines import failed
    from ..workflows.solving import is_small

    try:
        with reporter_of(arguments) as progress:
            puzzle = watch.load(name, progress)
            found: T = watch.run(partial(find, puzzle, arguments.metric), progress, prompt=is_small(puzzle))
    except BudgeError as error:
        value = failed(arguments.command, name, arguments.metric, error)
        return tell_error(name, error, value if arguments.json else None)
    print_answer(arguments, partial(views.as_json, found), partial(views.as_text, found))
    return found


def reasons_of(find: Callable[..., Reasons], name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    """Find reasons or plans of a puzzle, and print them."""
    from ..views import reasons_json

    found = answered(find, reasons_json, name, arguments, watch)
    if isinstance(found, int):
        return found
    if getattr(arguments, "graph", None) is not None:
        dot = reasons_json.as_dot(found)
        if dot is None:
            print(f"{arguments.graph} is not written: there are too many shortest plans, or none", file=sys.stderr)
        else:
            write(Path(arguments.graph), dot)
    if getattr(arguments, "html", None) is not None:
        from ..views.reasons_html import reasons_page

        write(Path(arguments.html), reasons_page(found))
    if found.contradicts:
        return Exit.WRONG
    if found.optimum is None:
        return Exit.LIMIT if found.stopped_by else Exit.UNSOLVABLE
    return Exit.OPTIMAL
