"""The commands `explore` and `hint`: the whole reachable space of a puzzle, and the best moves from its position;
`explain`: why a puzzle is unsolvable, suspicious, or has no shorter plan; and `plans`: how many shortest plans it has,
and what they have in common.

Exit codes of `plans` and `explain --why`: 0 found, 1 no plan exists, 2 bad usage or file, 3 a limit was reached, 4 the
file expects something else, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import BudgeError, UsageError
from ..runtime.budget import EXPLAIN_TIME_LIMIT, WHY_TIME_LIMIT
from ..runtime.outcome import StoppedError
from .common import (
    LimitedWork,
    answered,
    check_writable,
    code_of_status,
    read_text,
    search_each,
    tell_error,
    write,
)
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..workflows.exploration import Answer
    from ..workflows.why.reasons import Reasons


def run_explore(arguments: argparse.Namespace) -> int:
    """Visit every reachable state: how many, how deep, how far from the goal, and which is the hardest."""
    for_one(arguments, "hardest")
    return search_each(arguments, _explore_one)


def _explore_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views.explore import as_json, of_answer
    from ..workflows.exploration import explore

    answer = answered(explore, as_json, of_answer, name, arguments, watch, partial(_stopped, arguments, watch))
    code = _code_of(answer)
    try:
        if arguments.hardest is not None:
            _write_hardest(answer, Path(arguments.hardest))
    except BudgeError as error:
        return worst([code, tell_error(name, error)])
    return code


def run_hint(arguments: argparse.Namespace) -> int:
    """Find the distance from a puzzle's position to the goal, and every best next move."""
    return search_each(arguments, _hint_one)


def _hint_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views.explore import as_json, of_answer
    from ..workflows.exploration import MILESTONE, hint, with_milestone

    find = with_milestone if arguments.degree == MILESTONE else hint
    told = partial(of_answer, degree=arguments.degree)
    return _code_of(answered(find, as_json, told, name, arguments, watch, partial(_stopped, arguments, watch)))


def _stopped(
    arguments: argparse.Namespace, watch: LimitedWork, puzzle: Puzzle, metric: str, stop: StoppedError
) -> Answer:
    """The answer where a limit or Ctrl-C has ended the work: its status, and nothing of the puzzle."""
    from ..workflows.exploration import Answer

    return Answer(puzzle, metric, stop.outcome(), watch.budget.elapsed, command=arguments.command)


def _code_of(answer: Answer) -> int:
    return Exit.WRONG if answer.contradicts else code_of_status(answer.status)


def _write_hardest(answer: Answer, file: Path) -> None:
    """Write the hardest start, if it is known. Raises `UsageError` for a file that exists with other content."""
    text = answer.hardest_yaml()
    if text is None:
        print(f"{file} is not written: no farthest state is known", file=sys.stderr)
        return
    if file.exists() and file.read_bytes() != text.encode():
        raise UsageError(f"{file} exists and has other content; remove it, or choose another name")
    assert answer.space is not None
    farthest = answer.puzzle.metric(answer.metric).units[0].counted(len(answer.space.distances) - 1)
    write(file, text, about=farthest)


def run_explain(arguments: argparse.Namespace) -> int:
    """Say what can be said cheaply of a puzzle: goals out of reach even in the relaxation in which nothing gets in the
    way, actions that can never apply, what never moves, and a dead end with the moves that lead there.

    With `--why`, of a puzzle that has a plan: what each piece needs in any plan, which adds up to a proof that no plan
    is shorter; what every plan passes; and how many shortest plans there are.
    """

    if arguments.html is not None and not arguments.why:
        raise UsageError("`--html` shows why no plan is shorter: use it with `--why`")
    if arguments.why:
        from ..workflows.why import find_reasons

        for_one(arguments, "html")
        arguments.time_limit = arguments.time_limit or WHY_TIME_LIMIT
        return search_each(arguments, partial(reasons_of, find_reasons.why))
    arguments.time_limit = arguments.time_limit or EXPLAIN_TIME_LIMIT
    return search_each(arguments, _explain_one)


def _explain_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views.explore import explanation_json, of_explanation
    from ..workflows.explaining import explain

    explanation = answered(explain, explanation_json, of_explanation, name, arguments, watch)
    return Exit.UNSOLVABLE if explanation.unsolvable else Exit.OPTIMAL


def run_plans(arguments: argparse.Namespace) -> int:
    """Count the shortest plans of a puzzle, strictly and up to swapping moves that do not touch each other: whether it
    has one solution, which first moves are right, where plans part, what all of them have in common.

    With `--avoid` and `--through` only plans are counted that keep these conditions, and one of them is shown.

    All states that can be reached are visited. `expect: {plans: 1}` in a puzzle file makes it a test.
    """
    from ..workflows.why.find_reasons import plans

    for_one(arguments, "intended")
    intended = None if arguments.intended is None else read_text(arguments.intended)
    find = partial(plans, intended=intended, avoid=arguments.avoid, through=arguments.through)
    return search_each(arguments, partial(reasons_of, find))


def for_one(arguments: argparse.Namespace, option: str) -> None:
    """Refuse an option with a file where several puzzles are named, or where the file could not be written."""
    file = getattr(arguments, option)
    if file is not None and len(arguments.puzzles) > 1:
        raise UsageError(f"`--{option}` is for one puzzle: name one")
    if file is not None and option != "intended":
        check_writable(file)


def reasons_of(find: Callable[..., Reasons], name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    """Find reasons or plans of a puzzle, and print them."""
    from ..views.reasons import as_json, of_reasons

    reasons = answered(find, as_json, of_reasons, name, arguments, watch)
    if getattr(arguments, "html", None) is not None:
        from ..views.reasons_html import reasons_page

        write(Path(arguments.html), reasons_page(reasons))
    if reasons.contradicts:
        return Exit.WRONG
    if reasons.optimum is None:
        return Exit.LIMIT if reasons.stopped_by else Exit.UNSOLVABLE
    return Exit.OPTIMAL
