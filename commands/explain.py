"""The command `explain`: why a puzzle is unsolvable, or suspicious; and why no plan is shorter."""

from __future__ import annotations

import argparse
from functools import partial

from ..models.errors import UsageError
from .common import LimitedWork, search_each
from .parsing import Parser
from .streams import Exit


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
        from ..workflows.why import reasons
        from .plans import for_one, reasons_of

        for_one(arguments, "html")
        return search_each(arguments, partial(reasons_of, reasons.why), reasons.SECONDS)
    return search_each(arguments, _explain_one, SECONDS)


def _explain_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views import explanation
    from ..workflows.explaining import explain
    from .plans import answered

    found = answered(explain, explanation, name, arguments, watch)
    return found if isinstance(found, int) else Exit.UNSOLVABLE if found.unsolvable else Exit.OPTIMAL
