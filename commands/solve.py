"""The command `solve`: find plans and prove them shortest."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, FaultError, UsageError
from ..models.text import counted
from .common import (
    LimitedWork,
    check_writable,
    code_of,
    code_of_status,
    message,
    print_answer,
    print_json,
    reporter_of,
    search_each,
    tell_error,
    write,
)
from .parsing import Parser
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..workflows.solving import Solution

OPTION = "option "
"""The prefix of engines' options in the names of arguments."""


def add_solve(solve: Parser, others: str) -> None:
    """Add the option `--engine`, the options of all engines, as their records have them, and the `others`."""
    from ..engines.table import DEFAULT_ENGINE, ENGINES, options_by_name

    names = ", ".join(name for name in ENGINES if name != DEFAULT_ENGINE)
    solve.add_argument("--engine", metavar="NAME", help=f"{DEFAULT_ENGINE} (default), {names}")
    for name, by_engine in options_by_name().items():
        option = next(iter(by_engine.values()))
        choices = tuple(dict.fromkeys(word for variant in by_engine.values() for word in variant.choices))
        values = f": {', '.join(choices)}" if choices else ""
        default = "" if option.default is None else f" (default {option.default})"
        action = solve.add_argument(
            option.flag,
            dest=OPTION + name,
            metavar=option.metavar,
            help=f"{', '.join(by_engine)}: {option.sentence}{values}{default}".replace("%", "%%"),
        )
        action.words = choices  # type: ignore[attr-defined]
    solve.add(others)


def _engine_and_options(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The engine that was asked for, or that has the options that were; and the options. Raises `UsageError`."""
    from ..engines.table import engine_for, find, options_by_name

    texts = {key.removeprefix(OPTION): text for key, text in vars(arguments).items() if key.startswith(OPTION)}
    texts = {name: text for name, text in texts.items() if text is not None}
    engine = engine_for(texts) if arguments.engine is None else find(arguments.engine)
    options = {option.name: option for option in engine.options}
    for name in texts:
        if name not in options:
            able = " and ".join(f"`{other}`" for other in options_by_name()[name])
            raise UsageError(f"`--{name.replace('_', '-')}` is for {able}; this run uses `{engine.name}`")
    return engine.name, engine.checked({name: options[name].parse(text) for name, text in texts.items()})


def run_solve(arguments: argparse.Namespace) -> int:
    """Solve puzzles, replay the plans, and say what is proven."""
    plans = _PlanFile(check_writable(arguments.plan_out)) if arguments.plan_out is not None else None
    ended: Counter[str] = Counter()

    if arguments.certificate is not None and len(arguments.puzzles) > 1:
        raise UsageError("a certificate is of one puzzle: use `budge certify` for several")
    code = search_each(arguments, partial(_solve_one, plans, ended))
    if len(arguments.puzzles) > 1 and not arguments.json:
        parts = [
            counted(number, status) if status == "error" else f"{number} {status}"
            for status, number in ended.most_common()
        ]
        print(f"\n{len(arguments.puzzles)} puzzles: {', '.join(parts)}")
    return worst([code, plans.finish()]) if plans else code


def _solve_one(
    plans: _PlanFile | None, ended: Counter[str], name: str, arguments: argparse.Namespace, watch: LimitedWork
) -> int:
    """Solve a puzzle and print the result; its status is counted in `ended`."""
    from ..views import json_lines
    from ..workflows.solving import solve

    engine = arguments.engine or ""
    try:
        engine, options = _engine_and_options(arguments)
        with reporter_of(arguments) as progress:
            puzzle, metric = watch.position(name, arguments, progress)
            if arguments.certificate is not None:
                from ..workflows.certifying import check_folder_is_ours

                check_folder_is_ours(Path(arguments.certificate), puzzle, metric)
            solution = solve(puzzle, engine, metric, watch.budget, progress, apart=watch.apart, **options)
    except BudgeError as error:
        ended["error"] += 1
        code = tell_error(name, error)
        if isinstance(error, FaultError) and error.solution:
            _show(error.solution, arguments, error)
        elif arguments.json:
            print_json(json_lines.failure(name, engine, arguments.metric, error))
        return code
    ended[solution.status] += 1
    _show(solution, arguments)
    if plans:
        plans.add(solution)
    code = _code_of_solution(solution)
    if arguments.certificate is None:
        return code
    return worst([code, _certify(solution, watch, arguments)])


def _show(solution: Solution, arguments: argparse.Namespace, error: FaultError | None = None) -> None:
    """Print what is proven and found; `error`: what ended the run before it was done."""
    from ..views import json_lines
    from ..views.sections import with_start
    from ..views.solution import of_solution

    failed = {"error": str(error), "problems": []} if error else {}
    sections = of_solution(solution, boards=arguments.boards, stats=arguments.stats)
    print_answer(arguments, lambda: json_lines.result(solution) | failed, with_start(solution.puzzle, sections))


def _certify(solution: Solution, watch: LimitedWork, arguments: argparse.Namespace) -> int:
    """Write the certificate that was asked for; a failure is reported and does not change the answer."""
    from ..workflows.certifying import certify
    from .certify import write_certificate

    try:
        work = partial(certify, solution, Path(arguments.certificate))
        return write_certificate(work, solution.puzzle, watch, arguments)
    except BudgeError as error:
        return tell_error(solution.puzzle.header.name, error)


class _PlanFile:
    """The file for the plans of one run: a line for each puzzle that has one.

    What the file held before is replaced by the first plan, and stays if there is none. A line that cannot be written
    changes no answer: it is reported, and `finish` gives the exit code.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.mode = path, "w"
        self.code: int = Exit.OPTIMAL

    def add(self, solution: Solution) -> None:
        """Write the plan of a puzzle, if it has one."""
        if solution.replay is None:
            return
        metric = solution.puzzle.metric(solution.metric)
        try:
            text = solution.puzzle.plan_text(solution.replay) + "\n"
            write(self.path, text, self.mode, metric.counted(solution.outcome.upper_bound or ()))
            self.mode = "a"
        except UsageError as error:
            print(message(error), file=sys.stderr)
            self.code = code_of(error)

    def finish(self) -> int:
        """Say if nothing was written. Gives the exit code."""
        if self.mode == "w" and self.code == Exit.OPTIMAL:
            print(f"{self.path} is not written: no plan was found", file=sys.stderr)
        return self.code


def _code_of_solution(solution: Solution) -> int:
    from ..engines.table import find
    from ..runtime.outcome import Status

    if solution.contradicts:
        return Exit.WRONG
    if solution.outcome.status is Status.FEASIBLE and not find(solution.engine).promises_optimum:
        return Exit.OPTIMAL
    return code_of_status(solution.outcome.status)
