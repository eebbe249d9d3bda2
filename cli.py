"""The command line.

Exit codes of `budge solve`: 0 every puzzle optimal, or solved by an engine that promises no optimum; 1 proven
unsolvable; 2 bad usage or input; 3 a limit was reached; 4 a plan that does not replay, or a proven value that
contradicts another or the file's `expect`; 130 interrupted. Of several puzzles the gravest code counts, in the order
0, 1, 3, 2, 4, 130. `check` and `show`: 0 or 2. Results go to standard output, progress and errors to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .commands import compare as cli_compare
from .commands import convert as cli_convert
from .commands import explore as cli_explore
from .commands import export as cli_export
from .commands import schema as cli_schema
from .commands.common import (
    INTERRUPTED,
    OPTIMAL,
    PUZZLE_HELP,
    WRONG,
    add_limits,
    budget_of,
    code_of,
    code_of_status,
    each,
    message,
    print_json,
    progress_to,
    search_each,
)
from .models.errors import BudgeError, PuzzleError, UsageError
from .version import __version__

if TYPE_CHECKING:
    import threading

    from .models.puzzle import Puzzle
    from .workflows.solving import Solution


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; gives the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    arguments = _parsed(argv)
    command: Callable[[argparse.Namespace], int] = arguments.run
    try:
        code = command(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of a pipe has gone: nothing more to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OPTIMAL
    except KeyboardInterrupt:
        return INTERRUPTED
    except BudgeError as error:
        print(message(error), file=sys.stderr)
        return code_of(error)


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments. Options that are not known may be those of engines of other packages: these are looked up."""
    arguments, unknown = _parser().parse_known_args(argv)
    if not unknown:
        return arguments
    from .engines.table import all_engines

    with contextlib.suppress(BudgeError):  # then the options stay unknown, and that is told
        all_engines()
    return _parser().parse_args(argv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="budge", description="Solve moving-piece puzzles written in YAML, and prove the answer shortest."
    )
    parser.add_argument("--version", action="version", version=f"budge {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    solve = commands.add_parser("solve", help="find a plan and prove it shortest", description=_solve.__doc__)
    solve.add_argument("puzzles", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP)
    _add_engines(solve)
    solve.add_argument("--plan-out", metavar="FILE", help="write the plan, in the notation of its family, to a file")
    solve.add_argument("--boards", action="store_true", help="show the board after every move")
    add_limits(solve)
    solve.set_defaults(run=_solve)

    cli_explore.add_commands(commands)
    cli_export.add_commands(commands)
    cli_compare.add_commands(commands)

    check = commands.add_parser("check", help="read puzzles and report every error", description=_check.__doc__)
    check.add_argument("puzzles", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP)
    check.set_defaults(run=_check)

    show = commands.add_parser("show", help="draw puzzles", description=_show.__doc__)
    show.add_argument("puzzles", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP)
    show.set_defaults(run=_show)

    cli_convert.add_commands(commands)
    cli_schema.add_commands(commands)

    listing = commands.add_parser("list", help="list the shipped puzzles", description=_list.__doc__)
    listing.add_argument("filter", nargs="?", default="", help="only names that contain this")
    listing.set_defaults(run=_list)
    return parser


OPTION = "option "
"""What the names of engines' options begin with among the arguments."""


def _add_engines(solve: argparse.ArgumentParser) -> None:
    """`--engine`, and the options of all engines, as their records have them."""
    from .engines.table import DEFAULT_ENGINE, ENGINES, options_by_name

    names = ", ".join(name for name in ENGINES if name != DEFAULT_ENGINE)
    solve.add_argument("--engine", metavar="NAME", help=f"{DEFAULT_ENGINE} (default), {names}; see docs/engines.md")
    for name, by_engine in options_by_name().items():
        option = next(iter(by_engine.values()))
        values = f": {', '.join(option.choices)}" if option.choices else ""
        default = "" if option.default is None else f" (default {option.default})"
        solve.add_argument(
            option.flag,
            dest=OPTION + name,
            metavar=option.metavar,
            help=f"{', '.join(by_engine)}: {option.sentence}{values}{default}".replace("%", "%%"),
        )


def _engine_and_options(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The engine that was asked for, or that has the options that were; and the options. Raises `UsageError`."""
    from .engines.table import engine_for, find

    texts = {key.removeprefix(OPTION): text for key, text in vars(arguments).items() if key.startswith(OPTION)}
    texts = {name: text for name, text in texts.items() if text is not None}
    engine = find(arguments.engine) if arguments.engine else engine_for(texts)
    known = {option.name: option for option in engine.options}
    options = {name: known[name].parse(text) if name in known else text for name, text in texts.items()}
    return engine.name, engine.checked(options)


def _check(arguments: argparse.Namespace) -> int:
    """Read puzzle files without solving them and report every error with its place."""

    def act(puzzle: Puzzle) -> None:
        sizes = []
        for metric in puzzle.metrics:
            task = puzzle.task(metric)
            task.validate()
            sizes.append(f"{metric} {len(task.operators):,} operators")
        facts = len(puzzle.task(puzzle.header.metric).facts)
        print(f"ok  {puzzle.header.file}: {puzzle.family}, {puzzle.header.name}; {facts:,} facts; {', '.join(sizes)}")

    return each(arguments.puzzles, act)


def _show(arguments: argparse.Namespace) -> int:
    """Draw puzzles, with their goal, metric and expected optimum."""
    from .views.board import wants_colour
    from .views.text import show

    drawn = []

    def act(puzzle: Puzzle) -> None:
        drawn.append(puzzle)
        print(("\n" if len(drawn) > 1 else "") + show(puzzle, colour=wants_colour()))

    return each(arguments.puzzles, act)


def _list(arguments: argparse.Namespace) -> int:
    """List the shipped puzzles with their metric and expected optimum."""
    from .models.cost import show_cost
    from .models.library import load, shipped

    wanted = arguments.filter.lower()
    names = {name: path for name, path in shipped().items() if wanted in name.lower()}
    if not names:
        raise UsageError(f"no shipped puzzle has `{arguments.filter}` in its name")
    width = max(map(len, names))
    for name, path in names.items():
        puzzle = load(path)
        expect = puzzle.header.expect
        known = [f"{show_cost(cost)} {metric}" for metric, cost in expect.costs.items()]
        print(f"{name:{width}}  {'unsolvable' if expect.unsolvable else '; '.join(known):32}  {puzzle.header.name}")
    return OPTIMAL


def _solve(arguments: argparse.Namespace) -> int:
    """Solve puzzles, replay the plans, and say what is proven."""
    return search_each(arguments, _solve_one)


def _solve_one(name: str, arguments: argparse.Namespace, interrupted: threading.Event) -> int:
    from .models.library import load
    from .views import json_lines
    from .views.board import wants_colour
    from .views.text import answer
    from .workflows.solving import solve

    budget = budget_of(arguments, interrupted)
    engine = arguments.engine or ""
    try:
        engine, options = _engine_and_options(arguments)
        progress = progress_to(arguments)
        solution = solve(load(name), engine, arguments.metric, budget, progress, hard_limits=True, **options)
    except BudgeError as error:
        print(message(error), file=sys.stderr)
        if arguments.json:
            problems = error.problems if isinstance(error, PuzzleError) else []
            print_json(json_lines.failure(name, engine, arguments.metric, str(error), problems))
        return code_of(error)
    if arguments.plan_out and solution.replay:
        _write_plan(arguments.plan_out, solution)
    if arguments.json:
        print_json(json_lines.result(solution))
    else:
        print(answer(solution, colour=wants_colour(), boards=arguments.boards), flush=True)
    return _code_of_solution(solution)


def _write_plan(file: str, solution: Solution) -> None:
    """Append the plan, one line: the notation of its steps."""
    assert solution.replay is not None
    try:
        with open(file, "a", encoding="utf-8") as out:
            out.write(solution.puzzle.plan_text(solution.replay) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from None


def _code_of_solution(solution: Solution) -> int:
    from .engines.table import find
    from .runtime.outcome import Status

    if solution.contradicts:
        return WRONG
    if solution.outcome.status is Status.FEASIBLE and not find(solution.engine).promises_optimum:
        return OPTIMAL
    return code_of_status(solution.outcome.status)
