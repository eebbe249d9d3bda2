"""The commands `compare` and `verify`.

Exit codes of `compare`: 0 every row was run (limits are no error), 2 bad usage or input, 4 two engines disagree on a
proven value, or one with the file's `expect`, or an engine failed; 130 interrupted.

Exit codes of `verify`: 0 the claim is proven (with `--engines none`: the plan replays and reaches the goal); 1 it is
wrong: the plan is none, does not cost what is claimed, or is proven not optimal; 2 bad usage or input; 3 neither proven
nor refuted: a limit was reached, or the engines cannot do this puzzle; 4 proofs that contradict each other; 130
interrupted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, UsageError
from .common import (
    INTERRUPTED,
    LIMIT,
    OPTIMAL,
    PUZZLE_HELP,
    UNSOLVABLE,
    WRONG,
    add_limits,
    budget_of,
    code_of,
    interrupts,
    message,
    positive,
    print_json,
    progress_to,
    search_each,
    worst,
)

if TYPE_CHECKING:
    import threading

    from ..runtime.events import Event
    from ..workflows.comparison import Row
    from ..workflows.jobs import Job
    from ..workflows.verification import Verification

INVALID = UNSOLVABLE
"""The exit code of a claim that is wrong."""


def add_commands(commands: Any) -> None:
    """Add the commands to the parser's subcommands."""
    compare = commands.add_parser("compare", help="run several engines on puzzles", description=_compare.__doc__)
    compare.add_argument("files", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP)
    compare.add_argument("--engines", metavar="NAMES", help="separated by commas; default: all that know the family")
    compare.add_argument("--metric", metavar="NAME", help="what counts as one move; default: each puzzle's own")
    compare.add_argument("--time-limit", type=positive, metavar="SECONDS", help="for each run (default 60)")
    compare.add_argument("--memory-limit", type=positive, metavar="MIB", help="for each run (default 4096)")
    compare.add_argument("--jobs", type=_count, default=1, metavar="N", help="runs at once (default 1: fair times)")
    compare.add_argument("--resume", metavar="FILE", help="append each finished row to FILE, skip rows that it has")
    compare.add_argument("--html", metavar="FILE", help="write a report with tables and plots")
    compare.add_argument("--csv", action="store_true", help="the rows as CSV, on standard output")
    compare.add_argument("--json", action="store_true", help="one JSON object a line, on standard output")
    compare.add_argument("--quiet", "-q", action="store_true", help="no progress lines")
    compare.set_defaults(run=_compare)

    verify = commands.add_parser("verify", help="check a plan or a claimed optimum", description=_verify.__doc__)
    verify.add_argument("puzzles", nargs=1, metavar="PUZZLE", help=PUZZLE_HELP)
    verify.add_argument(
        "--plan",
        metavar="FILE",
        help="the plan: `A+2 B-1`, LURD, JSON, a planner's actions or a SAT solver's model; `-` for standard input",
    )
    verify.add_argument(
        "--map",
        metavar="FILE",
        help="what the variables of a model mean (default: FILE.cnf.map.json beside a plan FILE.txt or FILE.cnf.txt)",
    )
    verify.add_argument(
        "--claim", metavar="N", help="the optimum, as is said (`24`; two components: `8,31`), or `unsolvable`"
    )
    verify.add_argument(
        "--engines", metavar="NAMES", help="that prove or refute it, separated by commas; `none`: only replay the plan"
    )
    add_limits(verify)
    verify.set_defaults(run=_verify)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from 1 on")
    return int(text)


def _names(text: str | None) -> list[str] | None:
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


# compare


def _compare(arguments: argparse.Namespace) -> int:
    """Run engines on puzzles, each in its own process with hard limits, and hold what they prove against each other."""
    if arguments.json and arguments.csv:
        raise UsageError("`--json` and `--csv` both write to standard output: choose one")
    if arguments.html:
        from ..views.report import check_plots

        check_plots()
        _writable(Path(arguments.html))
    with interrupts() as interrupted:
        code = _compare_all(arguments, interrupted)
        return INTERRUPTED if interrupted.is_set() else code


def _compare_all(arguments: argparse.Namespace, interrupted: threading.Event) -> int:
    from ..models.library import load
    from ..runtime.budget import DEFAULT_MEMORY_LIMIT
    from ..views import compare_text as views
    from ..workflows.comparison import TIME_LIMIT, as_object, compare

    codes, puzzles = [OPTIMAL], []
    for name in arguments.files:
        try:
            puzzles.append(load(name))
        except BudgeError as error:
            print(message(error), file=sys.stderr)
            codes.append(code_of(error))
    if not puzzles:
        return worst(codes)

    def on_row(row: Row) -> None:
        if arguments.json:
            print_json(as_object(row))
        elif not arguments.quiet:
            print(views.row_line(row), file=sys.stderr, flush=True)

    comparison = compare(
        puzzles,
        _names(arguments.engines),
        arguments.metric,
        time_limit=arguments.time_limit or TIME_LIMIT,
        memory_limit=int(arguments.memory_limit or DEFAULT_MEMORY_LIMIT),
        jobs=arguments.jobs,
        resume=Path(arguments.resume) if arguments.resume else None,
        interrupted=interrupted,
        on_row=on_row,
    )
    if arguments.json:
        print_json(
            {
                "type": "result",
                "command": "compare",
                "rows": len(comparison.rows),
                "disagreements": comparison.disagreements,
                "errors": [f"{row.asked.puzzle}: {row.engine}: {row.error}" for row in comparison.errors],
                "interrupted": comparison.interrupted,
            }
        )
    elif arguments.csv:
        print(views.as_csv(comparison.rows), end="", flush=True)
        print(views.verdict(comparison), file=sys.stderr)
    else:
        print(views.table(comparison), flush=True)
    if arguments.html:
        from ..views.report import report

        _write(Path(arguments.html), report(comparison))
    if comparison.disagreements or comparison.errors:
        codes.append(WRONG)
    return worst(codes)


def _writable(file: Path) -> None:
    """Say before hours of work, and not after, that a file cannot be written."""
    try:
        with file.open("ab"):
            pass
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from None


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from None


# verify


def _verify(arguments: argparse.Namespace) -> int:
    """Replay a plan by the rules, count its cost in every metric, and prove or refute that it is optimal."""
    return search_each(arguments, _verify_one)


def _verify_one(name: str, arguments: argparse.Namespace, interrupted: threading.Event) -> int:
    from ..models.library import load
    from ..views.board import wants_colour
    from ..views.verify_text import as_json, as_text, progress_line
    from ..workflows.verification import verify

    show, budget = progress_to(arguments, progress_line), budget_of(arguments, interrupted)

    def on_event(job: Job, event: Event) -> None:
        show(event)

    if name == "-" == arguments.plan:
        raise UsageError("the puzzle and the plan cannot both come from standard input")
    found = verify(
        load(name),
        _read(arguments.plan) if arguments.plan else None,
        _claim(arguments.claim) if arguments.claim else None,
        () if arguments.engines == "none" else _names(arguments.engines),
        arguments.metric,
        variables=_variables(arguments),
        budget=budget,
        on_event=on_event,
    )
    if arguments.json:
        print_json(as_json(found))
    else:
        print(as_text(found, colour=wants_colour()), flush=True)
    return _code(found)


def _read(file: str) -> str:
    """The text of a plan. Raises `UsageError` for a file that cannot be read."""
    try:
        return sys.stdin.buffer.read().decode() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {file}: it is not text in UTF-8") from None


def _variables(arguments: argparse.Namespace) -> str | None:
    """The text of the map: of the file that is named, else of the one beside the plan whose name fits."""
    if arguments.map:
        return _read(arguments.map)
    if not arguments.plan or arguments.plan == "-":
        return None
    plan = Path(arguments.plan)
    beside = (plan.with_name(name + end) for name in (plan.name, plan.stem) for end in (".map.json", ".cnf.map.json"))
    return next((_read(str(file)) for file in beside if file.is_file()), None)


def _claim(text: str) -> tuple[int, ...] | str:
    from ..workflows.verification import UNSOLVABLE

    if text.strip().lower() == UNSOLVABLE:
        return UNSOLVABLE
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(
            f"`{text}` is not a cost. Write a number such as `24` (or `8,31` for a metric of two components), or "
            f"`{UNSOLVABLE}`"
        )
    return tuple(map(int, parts))


def _code(found: Verification) -> int:
    from ..workflows.verification import Verdict

    if found.verdict in (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.VALID):
        return OPTIMAL
    if found.verdict is Verdict.OPEN:
        return INTERRUPTED if found.interrupted else LIMIT
    return INVALID
