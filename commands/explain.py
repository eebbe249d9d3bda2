"""The command `explain`: why a puzzle is unsolvable, or suspicious."""

from __future__ import annotations

import argparse
import sys

from ..models.errors import BudgeError, PuzzleError
from .common import (
    OPTIMAL,
    UNSOLVABLE,
    Interrupted,
    add_budget,
    add_colour,
    add_metric,
    add_puzzles,
    code_of,
    message,
    print_json,
    screen_of,
    search_each,
)
from .parsing import Parser


def add_explain(explain: Parser) -> None:
    """Add the arguments of `budge explain`."""
    explain.describe(_explain, "budge explain unsolvable-lane", "budge explain microban-001 --time-limit 2")
    add_puzzles(explain)
    add_metric(explain)
    add_budget(explain, "each puzzle", "10s")
    explain.add_argument("--json", action="store_true", help="one JSON object a line, on standard output")
    add_colour(explain)


def _explain(arguments: argparse.Namespace) -> int:
    """Say what can be said cheaply of a puzzle: goals out of reach even in the relaxation in which nothing gets in the
    way, actions that can never apply, what never moves, and a dead end with the moves that lead there.
    """
    return search_each(arguments, _explain_one)


def _explain_one(name: str, arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    from ..models.library import load
    from ..runtime.budget import DEFAULT_MEMORY_LIMIT, Budget
    from ..views import explanation as views
    from ..views.explore import failure
    from ..workflows.explaining import SECONDS, explain

    budget = Budget(arguments.time_limit or SECONDS, arguments.memory_limit or DEFAULT_MEMORY_LIMIT)
    budget.interrupted = interrupted
    try:
        found = explain(load(name), arguments.metric, budget)
    except BudgeError as error:
        print(message(error), file=sys.stderr)
        if arguments.json:
            problems = error.problems if isinstance(error, PuzzleError) else []
            print_json(failure("explain", name, arguments.metric, str(error), problems))
        return code_of(error)
    if arguments.json:
        print_json(views.as_json(found))
    else:
        print(views.as_text(found, screen_of(arguments)), flush=True)
    return UNSOLVABLE if found.unsolvable else OPTIMAL
