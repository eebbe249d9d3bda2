"""The command `judge`: a table of claimed optima, each proven, refuted or open.

Exit codes are those of `verify`, the gravest of all claims: 0 all are proven; 1 one is refuted, or its plan is wrong; 3
one is open; 2 bad usage, a table or a task that cannot be read; 4 proofs that contradict each other; 70 an engine
failed; 130 interrupted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from ..models.errors import BudgeError
from .common import LimitedWork, print_json, read_text, reporter_of, screen_of, search_each, tell_error
from .compare import code_of_verification
from .parsing import Parser
from .streams import worst

if TYPE_CHECKING:
    from ..views.judge_text import Table
    from ..workflows.judging import ClaimedCost


def add_judge(judge: Parser) -> None:
    """Add the arguments of `budge judge`."""
    judge.describe(
        _judge,
        "budge judge claims.csv",
        "budge judge claims.csv --time-limit 5m --json",
    )
    judge.add_argument(
        "table",
        metavar="TABLE",
        help="CSV: its first line names the columns `task` (a puzzle; or `domain` and `problem`), `cost`, `planner`, "
        "`plan` (a file), `metric`; `-` for standard input",
    )
    judge.add_engines("; that prove or refute the claims; `none`: only replay the plans")
    judge.add_limits()


def _judge(arguments: argparse.Namespace) -> int:
    """Judge a table of claims, such as other planners make: of each line it is proven that the cost is the optimum, or
    that it is not (a cheaper plan is shown, or more is needed), or it stays open, with the bounds that are known.

    Claims about one task are judged together, and the time limit is for all of them.
    """
    from ..views import judge_text as views
    from ..workflows.judging import read_claims

    claims = read_claims(read_text(arguments.table), "<stdin>" if arguments.table == "-" else arguments.table)
    tasks: dict[str, list[ClaimedCost]] = {}
    for claim in claims:
        tasks.setdefault(claim.task, []).append(claim)
    arguments.puzzles = list(tasks)
    counts = Counter[str]()
    table = views.Table(claims, screen_of(arguments))
    code = search_each(arguments, partial(_judge_task, tasks, table, counts))
    counts[views.ERROR] += len(claims) - counts.total()  # those behind a Ctrl-C
    if arguments.json:
        print_json(views.as_json(counts))
    else:
        print(f"\n{views.summary(counts)}")
    return code


def _judge_task(
    tasks: dict[str, list[ClaimedCost]],
    table: Table,
    counts: Counter[str],
    name: str,
    arguments: argparse.Namespace,
    watch: LimitedWork,
) -> int:
    """Judge the claims about one task, print the verdicts, and count them."""
    from ..runtime import budget
    from ..views import judge_text as views
    from ..workflows.judging import judge_claims

    claims = tasks[name]
    try:
        with reporter_of(arguments, named=True) as progress:
            puzzle = watch.load(name, progress)
            engines = () if arguments.engines == ["none"] else arguments.engines
            work = partial(judge_claims, puzzle, claims, engines, arguments.metric)
            found = watch.run(work, progress, grace=budget.COMMAND)
    except BudgeError as error:
        counts[views.failed(error)] += len(claims)
        if arguments.json:
            for claim in claims:
                print_json(views.as_object(claim, error))
        else:
            print(table.failed(name, claims, error), flush=True)
        return tell_error(name, error)
    counts.update(map(views.word, found))
    if arguments.json:
        for claim, one in zip(claims, found, strict=True):
            print_json(views.as_object(claim, one))
    else:
        print(table.judged(name, claims, found), flush=True)
    return worst(map(code_of_verification, found))
