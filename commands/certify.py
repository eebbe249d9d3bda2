"""The command `certify`: write a certificate of an optimum or a lower bound, which someone else can check."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..models.errors import UsageError, printable
from ..models.text import counted
from ..runtime.events import Stage
from ..runtime.outcome import StoppedError
from .common import (
    LimitedWork,
    code_of_status,
    message,
    print_answer,
    print_json,
    reporter_of,
    search_each,
    tell_error,
)
from .streams import Exit

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..proofs.verdict import CertificateVerdict
    from ..workflows.certifying import Certified
    from ..workflows.solving import Solution


# `budge verify DIR`: checking a certificate, with the checker of `proofs/`.


def check_certificate(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    """Check a certificate and print the verdict; gives the exit code. Raises `BudgeError`."""
    from ..views.solution import of_certificate
    from ..workflows.certifying import checking

    for option in ("plan", "map", "claim", "engines"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for puzzles; a certificate says itself what it claims")
    try:
        with reporter_of(arguments) as progress:
            puzzle = watch.load(arguments.puzzle, progress) if arguments.puzzle else None
            progress(Stage(seconds=watch.budget.elapsed, text="checking the certificate"))
            verdict = watch.run(checking(Path(name), puzzle, arguments.metric), progress)
    except StoppedError as error:
        if arguments.json:
            print_json({"type": "certificate", "folder": name, "status": "unsupported", "problem": str(error)})
        return tell_error(name, error)
    value: dict[str, Any] = {"type": "certificate", "folder": name, "status": verdict.status}
    value |= {"shown": verdict.shown or None, "by": list(verdict.by)}
    value |= {"open": verdict.open or None, "trust": verdict.trust or None, "problem": verdict.problem or None}
    print_answer(arguments, lambda: value, of_certificate(verdict.status, verdict.lines))
    return code_of_certificate(verdict, watch)


def code_of_certificate(verdict: CertificateVerdict, watch: LimitedWork) -> Exit:
    """The exit code of a verdict: that of the checker, or that somebody broke it off."""
    from ..proofs.verdict import CODES

    code = Exit(CODES[verdict.status])
    return Exit.INTERRUPTED if code is Exit.LIMIT and watch.budget.interrupted.is_set() else code


def run_certify(arguments: argparse.Namespace) -> int:
    """Solve a puzzle and write a certificate of the optimum: a folder that `budge verify DIR`, or `python -m
    budge.proofs DIR`, checks without trusting any engine."""
    if arguments.out and len(arguments.puzzles) > 1:
        raise UsageError("--out names one folder: certify one puzzle at a time, or leave it out")
    if arguments.at_least is not None and arguments.claim is not None:
        raise UsageError("--claim is about the optimum, --at-least about a lower bound alone: give one of them")
    return search_each(arguments, _certify_one)


def _certify_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    from ..views.solution import stopped
    from ..workflows.certifying import certify, check_folder_is_ours, offer
    from ..workflows.solving import solve

    folder = Path(arguments.out or f"{Path(name.rstrip('/')).stem}.certificate")
    with reporter_of(arguments) as progress:
        puzzle, metric = watch.position(name, arguments, progress)
        check_folder_is_ours(folder, puzzle, metric)
        if arguments.at_least is not None:
            return _write_bound(puzzle, metric, folder, watch, arguments)
        solution = solve(puzzle, metric=metric, budget=watch.budget, progress=progress, apart=watch.apart)
    if not solution.status.proven:
        why = f"{solution.bounds}, not proven ({stopped(solution.outcome)}){offer(solution)}"
        print(f"no certificate for {name}: {why}", file=sys.stderr)
        return code_of_status(solution.status)
    work = partial(certify, solution, folder)
    return write_certificate(work, puzzle, watch, arguments, _refuted(arguments.claim, solution))


def _refuted(claim: str | None, solution: Solution) -> str | None:
    """A sentence if the certificate refutes a claim, else None. Raises `UsageError` for a text that is not a claim."""
    if claim is None:
        return None
    from ..models.plan import cost_in
    from ..workflows.verification import UNSOLVABLE, claim_of

    wanted, parts = claim_of(claim), solution.metric.count(",") + 1
    if wanted != UNSOLVABLE and len(wanted) != parts:
        raise UsageError(f"`{claim}` is no claim: {solution.metric} needs {counted(parts, 'number')}, or `unsolvable`")
    if wanted == (UNSOLVABLE if solution.replay is None else cost_in(solution.replay, solution.metric)):
        return None
    return f"refuted: the claim is {claim}, and the certificate shows: {solution.bounds}"


def _write_bound(puzzle: Puzzle, metric: str, folder: Path, watch: LimitedWork, arguments: argparse.Namespace) -> int:
    """Write the certificate of the lower bound that is asked for, and say so. Gives the exit code."""
    from ..workflows.certifying import certify_bound, check_bound
    from ..workflows.problem_certificate import Statement
    from ..workflows.verification import UNSOLVABLE, claim_of

    least = claim_of(arguments.at_least)
    if isinstance(least, str):
        raise UsageError(f"`{UNSOLVABLE}` is no lower bound: leave out --at-least, and the certificate says so")
    statement = Statement(puzzle, metric, least)
    check_bound(statement)
    return write_certificate(partial(certify_bound, statement, folder), puzzle, watch, arguments)


def write_certificate(
    certify: Callable[..., Certified],
    puzzle: Puzzle,
    watch: LimitedWork,
    arguments: argparse.Namespace,
    refuted: str | None = None,
) -> int:
    """Let `certify` write a certificate in a process of its own, and say what it shows, and what that has `refuted`.
    Gives the exit code. Raises `BudgeError`.
    """
    from ..proofs.core.claim import REFUTATION
    from ..runtime import budget
    from ..views.json_lines import result
    from ..views.sections import with_start
    from ..views.solution import of_certified, of_solution
    from ..workflows.certifying import REMEDY, NotCertified
    from ..workflows.solving import is_small

    evidence, cnf = getattr(arguments, "evidence", "auto"), getattr(arguments, "dimacs", False)
    try:
        with reporter_of(arguments, json=False) as progress, TemporaryDirectory(prefix="budge-") as scratch:
            work = partial(certify, evidence=evidence, cnf=cnf, scratch=scratch)
            written = watch.run(work, progress, prompt=is_small(puzzle), grace=budget.COMMAND)
    except StoppedError as problem:
        raise StoppedError(problem.reason, f"{problem.stage}; {REMEDY}" * problem.reason.endswith("limit")) from None
    except NotCertified as problem:
        if problem.cheaper is not None:
            cheaper = problem.cheaper
            print_answer(arguments, partial(result, cheaper), with_start(cheaper.puzzle, of_solution(cheaper)))
            print(message(problem), file=sys.stderr)
            return Exit.INVALID
        if not problem.stopped:
            raise
        print(message(problem), file=sys.stderr)
        return Exit.INTERRUPTED if watch.budget.interrupted.is_set() else Exit.LIMIT
    if cnf and written.kind != REFUTATION:
        print(
            f"--dimacs: the evidence is {written.kind}, which has no formula; add --evidence refutation",
            file=sys.stderr,
        )
    print_answer(arguments, written.to_dict, of_certified(written, printable(str(written.folder))))
    if refuted:
        print(refuted)
        return Exit.INVALID
    return code_of_certificate(written.verdict, watch)
