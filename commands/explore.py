"""The commands `explore` and `hint`: the whole reachable space of a puzzle, and the best moves from its position."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import BudgeError, UsageError
from ..runtime.outcome import StoppedError
from .common import LimitedWork, answered, check_writable, code_of_status, search_each, tell_error, write
from .parsing import Parser
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..workflows.exploration import Answer


def add_explore(explore: Parser) -> None:
    """Add the arguments of `budge explore`."""
    explore.describe(_explore, "budge explore bird-2", "budge explore microban-001 --metric moves --hardest hard.yaml")
    explore.add_puzzles()
    explore.add_argument("--hardest", metavar="FILE", help="write the state farthest from the goal as a puzzle")
    explore.add_limits()


def add_hint(hint: Parser) -> None:
    """Add the arguments of `budge hint`."""
    from ..workflows.exploration import DEGREES, MOVE

    hint.describe(_hint, "budge hint bird-2", "budge hint bird-2 --degree piece")
    hint.add_puzzles()
    hint.add_argument(
        "--degree",
        choices=DEGREES,
        default=MOVE,
        metavar="WHAT",
        help="how much to say: `far`, how far the goal is; `milestone`, also a place that every plan passes; `piece`, "
        "which piece to move; `move`, the moves",
        takes=DEGREES,
    )
    hint.add_limits()


def _explore(arguments: argparse.Namespace) -> int:
    """Visit every reachable state: how many, how deep, how far from the goal, and which is the hardest."""
    if arguments.hardest is not None:
        if len(arguments.puzzles) > 1:
            raise UsageError("`--hardest` writes one file: name one puzzle")
        check_writable(arguments.hardest)
    return search_each(arguments, _search_one)


def _hint(arguments: argparse.Namespace) -> int:
    """Find the distance from a puzzle's position to the goal, and every best next move."""
    arguments.hardest = None
    return search_each(arguments, _search_one)


def _search_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views import explore as views
    from ..workflows.exploration import MILESTONE, MOVE, Answer, explore, hint, with_milestone

    run: Callable[..., Answer] = explore
    if arguments.run is not _explore:
        run = with_milestone if arguments.degree == MILESTONE else hint

    def stopped(puzzle: Puzzle, metric: str, stop: StoppedError) -> Answer:
        return Answer(puzzle, metric, stop.outcome(), watch.budget.elapsed, command=arguments.command)

    as_text = partial(views.as_text, degree=getattr(arguments, "degree", MOVE))
    answer = answered(run, views.as_json, as_text, name, arguments, watch, stopped)
    if isinstance(answer, int):
        return answer
    code = Exit.WRONG if answer.contradicts else code_of_status(answer.status)
    if arguments.hardest is None:
        return code
    try:
        _write_hardest(answer, Path(arguments.hardest))
    except BudgeError as error:
        return worst([code, tell_error(name, error)])
    return code


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
