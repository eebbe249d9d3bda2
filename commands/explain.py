"""The commands `explain`: why a puzzle is unsolvable, suspicious, or has no shorter plan; and `plans`: how many
shortest plans it has, and what they have in common.

Exit codes of `plans` and `explain --why`: 0 found, 1 no plan exists, 2 bad usage or file, 3 a limit was reached, 4 the
file expects something else, 130 interrupted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import LimitedWork, answered, check_writable, read_text, search_each, write
from .parsing import Parser
from .streams import Exit

if TYPE_CHECKING:
    from ..workflows.why.reasons import Reasons


def add_explain(explain: Parser) -> None:
    """Add the arguments of `budge explain`."""
    explain.describe(_explain, "budge explain unsolvable-lane", "budge explain level-26 --why")
    explain.add_puzzles()
    explain.add_argument(
        "--why",
        action="store_true",
        help="why no plan is shorter: what each piece needs in any plan, and what every plan passes",
    )
    explain.add_argument(
        "--html", metavar="FILE", help="with `--why`: write it with pictures, one file for a browser", takes="file"
    )
    explain.add_limits("10s, with `--why` 30s")


def _explain(arguments: argparse.Namespace) -> int:
    """Say what can be said cheaply of a puzzle: goals out of reach even in the relaxation in which nothing gets in the
    way, actions that can never apply, what never moves, and a dead end with the moves that lead there.

    With `--why`, of a puzzle that has a plan: what each piece needs in any plan, which adds up to a proof that no plan
    is shorter; what every plan passes; and how many shortest plans there are.
    """
    from ..workflows.explaining import SECONDS

    if arguments.html is not None and not arguments.why:
        raise UsageError("`--html` shows why no plan is shorter: use it with `--why`")
    if arguments.why:
        from ..workflows.why import find_reasons

        for_one(arguments, "html")
        return search_each(arguments, partial(reasons_of, find_reasons.why), find_reasons.SECONDS)
    return search_each(arguments, _explain_one, SECONDS)


def _explain_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views.explore import explanation_json, explanation_text
    from ..workflows.explaining import explain

    explanation = answered(explain, explanation_json, explanation_text, name, arguments, watch)
    if isinstance(explanation, int):
        return explanation
    return Exit.UNSOLVABLE if explanation.unsolvable else Exit.OPTIMAL


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
    plans.add_limits("30s")


def _plans(arguments: argparse.Namespace) -> int:
    """Count the shortest plans of a puzzle, strictly and up to swapping moves that do not touch each other: whether it
    has one solution, which first moves are right, where plans part, what all of them have in common.

    With `--avoid` and `--through` only plans are counted that keep these conditions, and one of them is shown.

    All states that can be reached are visited. `expect: {plans: 1}` in a puzzle file makes it a test.
    """
    from ..workflows.why.find_reasons import SECONDS, plans

    for_one(arguments, "intended")
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


def reasons_of(find: Callable[..., Reasons], name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    """Find reasons or plans of a puzzle, and print them."""
    from ..views.reasons import as_json, as_text

    found = answered(find, as_json, as_text, name, arguments, watch)
    if isinstance(found, int):
        return found
    if getattr(arguments, "html", None) is not None:
        from ..views.reasons_html import reasons_page

        write(Path(arguments.html), reasons_page(found))
    if found.contradicts:
        return Exit.WRONG
    if found.optimum is None:
        return Exit.LIMIT if found.stopped_by else Exit.UNSOLVABLE
    return Exit.OPTIMAL
