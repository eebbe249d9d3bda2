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

from ..models.errors import UsageError
from ..runtime.budget import EXPLAIN_TIME_LIMIT, WHY_TIME_LIMIT
from ..runtime.outcome import StoppedError
from .common import (
    LimitedWork,
    answer_each,
    check_writable,
    code_of_status,
    read_text,
    write,
)
from .streams import Exit

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..workflows.exploration import Answer
    from ..workflows.why.reasons import Reasons


def run_explore(arguments: argparse.Namespace) -> int:
    """Visit every reachable state: how many, how deep, how far from the goal, and which is the hardest."""
    from ..views.explore import as_json, of_answer
    from ..workflows.exploration import explore

    for_one(arguments, "hardest")
    save = partial(_write_hardest, Path(arguments.hardest)) if arguments.hardest is not None else None
    stopped = partial(_stopped, arguments.command)
    return answer_each(arguments, explore, as_json, of_answer, _code_of, stopped=stopped, save=save)


def run_hint(arguments: argparse.Namespace) -> int:
    """Find the distance from a puzzle's position to the goal, and every best next move."""
    from ..views.explore import as_json, of_answer
    from ..workflows.exploration import MILESTONE, hint, with_milestone

    find = with_milestone if arguments.degree == MILESTONE else hint
    told = partial(of_answer, degree=arguments.degree)
    return answer_each(arguments, find, as_json, told, _code_of, stopped=partial(_stopped, arguments.command))


def _stopped(command: str, puzzle: Puzzle, metric: str, stop: StoppedError, watch: LimitedWork) -> Answer:
    """The answer where a limit or Ctrl-C has ended the work: its status, and nothing of the puzzle."""
    from ..workflows.exploration import Answer

    return Answer(puzzle, metric, stop.outcome(), watch.budget.elapsed, command=command)


def _code_of(answer: Answer) -> int:
    return Exit.WRONG if answer.contradicts else code_of_status(answer.status)


def _write_hardest(file: Path, answer: Answer) -> None:
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

    from ..views.explore import explanation_json, of_explanation
    from ..workflows.explaining import explain

    if arguments.html is not None and not arguments.why:
        raise UsageError("`--html` shows why no plan is shorter: use it with `--why`")
    arguments.time_limit = arguments.time_limit or (WHY_TIME_LIMIT if arguments.why else EXPLAIN_TIME_LIMIT)
    if arguments.why:
        from ..workflows.why.find_reasons import why

        for_one(arguments, "html")
        save = partial(_write_page, Path(arguments.html)) if arguments.html is not None else None
        return _reasons_of(why, arguments, save)
    return answer_each(arguments, explain, explanation_json, of_explanation, lambda found: int(found.unsolvable))


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
    return _reasons_of(find, arguments)


def for_one(arguments: argparse.Namespace, option: str) -> None:
    """Refuse an option with a file where several puzzles are named, or where the file could not be written."""
    file = getattr(arguments, option)
    if file is not None and len(arguments.puzzles) > 1:
        raise UsageError(f"`--{option}` is for one puzzle: name one")
    if file is not None and option != "intended":
        check_writable(file)


def _reasons_of(
    find: Callable[..., Reasons], arguments: argparse.Namespace, save: Callable[[Reasons], None] | None = None
) -> int:
    """Find reasons or plans of each puzzle, and print them."""
    from ..views.reasons import as_json, of_reasons

    def code_of(reasons: Reasons) -> int:
        if reasons.contradicts:
            return Exit.WRONG
        if reasons.optimum is None:
            return Exit.LIMIT if reasons.stopped_by else Exit.UNSOLVABLE
        return Exit.OPTIMAL

    return answer_each(arguments, find, as_json, of_reasons, code_of, save=save)


def _write_page(file: Path, reasons: Reasons) -> None:
    from ..views.reasons_html import reasons_page

    write(file, reasons_page(reasons))
