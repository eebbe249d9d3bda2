"""The commands `compare` and `verify`.

Exit codes of `compare`: 0 every row was run (limits are no error), 2 bad usage or input, 4 two engines disagree on a
proven value, or one with the file's `expect`; 70 an engine failed; 130 interrupted.

Exit codes of `verify`: 0 the claim is proven (with `--engines none`: the plan replays and reaches the goal); 1 it is
wrong: the moves are not a legal plan, do not cost what is claimed, or are proven not optimal; 2 bad usage or input; 3
neither proven nor refuted: a limit was reached, or the engines cannot do this puzzle; 4 proofs that contradict each
other; 70 neither proven nor refuted, and an engine failed; 130 interrupted. Of a certificate: 0 valid, 1 invalid, 2 bad
usage, 3 unsupported or a limit was reached. Of several claims: the gravest of all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import BudgeError, UsageError
from ..models.puzzle import Puzzle
from ..runtime.outcome import StoppedError
from .certify import check_certificate
from .common import (
    PLAN_BYTES,
    Interrupted,
    LimitedWork,
    RowsProgress,
    check_writable,
    each,
    is_certificate,
    print_answer,
    print_json,
    read_data,
    read_text,
    reporter_of,
    screen_of,
    search_each,
    tell_error,
    until_interrupted,
    write,
)
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..views.verify_text import ClaimsTable
    from ..workflows.verdict import Verification
    from ..workflows.verification import Claim

MODEL_BYTES = 64 * 1024 * 1024
"""The largest model of a SAT solver, or map of its variables, in bytes: there is a variable for each fact and step."""


# compare


def run_compare(arguments: argparse.Namespace) -> int:
    """Run engines on puzzles, each in its own process with hard limits, and hold what they prove against each other."""
    if arguments.json and arguments.csv:
        raise UsageError("`--json` and `--csv` both write to standard output: choose one")
    if arguments.html is not None:
        check_writable(arguments.html)
    puzzles = list[Puzzle]()
    codes = [each(arguments.puzzles, puzzles.append)]
    if not puzzles:
        return worst(codes)
    return until_interrupted(lambda interrupted: worst([*codes, _compare_all(puzzles, arguments, interrupted)]))


def _compare_all(puzzles: list[Puzzle], arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    from ..views import rows as views
    from ..views.sections import as_text
    from ..views.terminal import Screen
    from ..workflows.comparison import ComparisonListener, compare
    from ..workflows.rows import Conditions

    with RowsProgress(arguments, lambda row: print(views.row_line(row), file=sys.stderr, flush=True)) as progress:
        comparison = compare(
            puzzles,
            arguments.engines,
            arguments.metric,
            Conditions(
                time_limit=arguments.time_limit,
                memory_limit=arguments.memory_limit,
                jobs=arguments.jobs,
                command=arguments.typed,
            ),
            ComparisonListener(on_row=progress.row, on_prepare=progress.prepare, interrupted=interrupted),
        )
    if arguments.csv:
        print(views.as_csv(comparison.rows), end="", flush=True)
        print(as_text(views.verdict(comparison), Screen.of(sys.stderr)), file=sys.stderr)
    else:
        print_answer(arguments, partial(views.comparison_json, comparison), views.of_comparison(comparison))
    if arguments.html:
        from ..views.report import report

        write(Path(arguments.html), report(comparison))
    return worst([Exit.FAULT] * bool(comparison.errors) + [Exit.WRONG] * bool(comparison.disagreements))


# verify


def run_verify(arguments: argparse.Namespace) -> int:
    """Replay a plan by the rules, count its cost in every metric, and prove or refute that it is optimal. Or check a
    certificate: a folder that `budge certify` has written. Or verify each line of a table, a file `NAME.csv` or
    `NAME.tsv` or `-`: its first line names the columns `task` (or `domain` and `problem`), `cost`, `planner`, `plan`,
    `metric`. Claims about one task are settled together, within one time limit."""
    from ..views.verify_text import ClaimsTable

    data = read_data("-") if arguments.puzzles == ["-"] != [arguments.plan] else None
    in_table = _claims_of_table(arguments, data)
    if in_table is None:
        single = [_claim_of_options(arguments)]
        return search_each(arguments, partial(_verify_claims, dict.fromkeys(arguments.puzzles, single), None, data))
    claims: dict[str, list[Claim]] = {}
    for claim in in_table:
        claims.setdefault(claim.task, []).append(claim)
    arguments.puzzles = list(claims)
    table = ClaimsTable(in_table)
    code = search_each(arguments, partial(_verify_claims, claims, table, None))
    if arguments.json:
        print_json(table.summary_object())
    else:
        print(f"\n{table.summary()}")
    return code


def _claims_of_table(arguments: argparse.Namespace, data: bytes | None) -> list[Claim] | None:
    """The claims of the table that is named, or that standard input holds (`data`); None if neither is a table."""
    from ..workflows.claims_table import is_table, read_claims

    tables = [name for name in arguments.puzzles if name.lower().endswith((".csv", ".tsv"))]
    if not tables and not (data and is_table(data)):
        return None
    if len(arguments.puzzles) > 1:
        raise UsageError(f"a table of claims is verified by itself: name nothing beside `{tables[0]}`")
    for option in ("plan", "map", "claim", "puzzle"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for one puzzle; a table names plans and claims in its columns")
    (file,) = arguments.puzzles
    return read_claims(read_text(file, data=data), "<stdin>" if file == "-" else file)


def _claim_of_options(arguments: argparse.Namespace) -> Claim:
    """The claim that the options make, about the puzzle that is named."""
    from ..workflows.verification import Claim, claim_of

    if arguments.puzzle is not None and (other := [name for name in arguments.puzzles if not is_certificate(name)]):
        raise UsageError(f"`--puzzle` is for certificates, and `{other[0]}` is not one")
    if len(arguments.puzzles) > 1 and (arguments.plan is not None or arguments.claim is not None):
        raise UsageError(f"a plan or a claim is of one puzzle, not of {len(arguments.puzzles)}; name one of them")
    if arguments.puzzles == ["-"] == [arguments.plan]:
        raise UsageError("the puzzle and the plan cannot both come from standard input")
    variables = _variables(arguments)
    limit = PLAN_BYTES if variables is None else MODEL_BYTES
    return Claim(
        cost=None if arguments.claim is None else claim_of(arguments.claim),
        plan=None if arguments.plan is None else read_text(arguments.plan, limit),
        variables=variables,
    )


def _verify_claims(
    claims_by_task: dict[str, list[Claim]],
    table: ClaimsTable | None,
    data: bytes | None,
    name: str,
    arguments: argparse.Namespace,
    watch: LimitedWork,
) -> int:
    """Verify the claims about one task, and print the verdicts: that on one claim in full, those of a `table` in a line
    each. `data`: what standard input held, if it was read.
    """
    from ..runtime import budget
    from ..views.sections import Title
    from ..views.verify_text import as_json, of_verification
    from ..workflows.solving import is_small, metric_of
    from ..workflows.verification import verify_claims

    if table is None and is_certificate(name):
        return check_certificate(name, arguments, watch)
    claims = claims_by_task[name]
    try:
        with reporter_of(arguments, named=True) as progress:
            puzzle = watch.load(name, progress, data)
            progress.count_in(puzzle.metric(metric_of(puzzle, claims[0].metric or arguments.metric)))
            engines = () if arguments.engines == ["none"] else arguments.engines
            work = partial(verify_claims, puzzle, claims, engines, arguments.metric)
            verdicts = watch.run(work, progress, prompt=is_small(puzzle), grace=budget.COMMAND)
    except BudgeError as error:
        if table is not None:
            _print_lines(table, name, claims, [error] * len(claims), arguments)
            return tell_error(name, error)
        verdict = "open" if isinstance(error, StoppedError) else None
        return tell_error(name, error, arguments if arguments.json else None, verdict=verdict)
    if table is not None:
        _print_lines(table, name, claims, verdicts, arguments)
    else:
        print_answer(arguments, partial(as_json, verdicts[0]), [Title(puzzle), *of_verification(verdicts[0])])
    return worst(map(code_of_verification, verdicts))


def _print_lines(
    table: ClaimsTable,
    task: str,
    claims: Sequence[Claim],
    results: Sequence[Verification | BudgeError],
    arguments: argparse.Namespace,
) -> None:
    """Print what has come of the claims about one task of a table."""
    from ..views.sections import as_text

    if arguments.json:
        for value in table.as_objects(claims, results):
            print_json(value)
    else:
        print(as_text(table.of_task(task, claims, results), screen_of(arguments)), flush=True)


def _variables(arguments: argparse.Namespace) -> str | None:
    """The text of the map: of the file that is named, else of the one beside the plan whose name fits."""
    if arguments.map:
        return read_text(arguments.map, MODEL_BYTES)
    if not arguments.plan or arguments.plan == "-":
        return None
    plan = Path(arguments.plan)
    beside = (plan.with_name(name + end) for name in (plan.name, plan.stem) for end in (".map.json", ".cnf.map.json"))
    return next((read_text(str(file), MODEL_BYTES) for file in beside if file.is_file()), None)


def code_of_verification(verification: Verification) -> int:
    """The exit code of what is known of a claim."""
    from ..runtime.outcome import Status
    from ..workflows.verdict import Verdict

    if verification.verdict in (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.VALID):
        return Exit.OPTIMAL
    if verification.verdict is Verdict.OPEN:
        if verification.interrupted:
            return Exit.INTERRUPTED
        return Exit.FAULT if any(proof.status is Status.ERROR for proof in verification.proofs) else Exit.LIMIT
    return Exit.USAGE if verification.verdict is Verdict.UNREADABLE else Exit.INVALID
