"""The checker on the command line: `python -m budge.proofs DIR...`; with a copy of this folder `python proofs DIR...`.

Exit codes: 0 all are valid, 1 one is invalid, 2 wrong usage, 3 one is valid for problem.txt only, is unsupported, or a
limit was reached, 70 a fault of the checker, 74 the verdict cannot be written, 130 it was broken off (Ctrl-C).
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from .check import check_folder
from .core.limits import TICKS, Limits, Stopped
from .verdict import CODES, UNSUPPORTED, CertificateVerdict, printable

GRACE = 0.2
"""Seconds after the time limit in which the checker may stop by itself, before a timer of the system ends it."""

BASE = 1024
"""Mebibytes that the process may use besides what the checker counts: for Python itself and for short-lived values."""


def main(argv: list[str] | None = None) -> int:
    """Check the certificates named on the command line; the result is the exit code."""
    parser = argparse.ArgumentParser(description="Check certificates of optimality.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--puzzle", type=Path, metavar="FILE", help="the puzzle that the certificates have to be about")
    parser.add_argument("--time-limit", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=int, default=4096, metavar="MIB")
    arguments = parser.parse_args(argv)
    if not (0 <= arguments.time_limit < 1e8 and 0 < arguments.memory_limit < 1 << 30):
        parser.error("a limit is a number of seconds, or of mebibytes, that is not negative")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    puzzle = None
    if arguments.puzzle:
        try:
            puzzle = arguments.puzzle.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            parser.error(f"cannot read {arguments.puzzle}: {error}")
    codes = []
    with _limited_memory(arguments.memory_limit + BASE), contextlib.suppress(BrokenPipeError):
        for folder in arguments.folders:
            verdict = _check(folder, Limits(arguments.time_limit, arguments.memory_limit), puzzle)
            head = [f"{printable(str(folder))}:"] if len(arguments.folders) > 1 else []
            print(*head, *verdict.lines, sep="\n", flush=True)
            codes.append(CODES[verdict.status])
    return 1 if 1 in codes else max(codes, default=0)


def _check(folder: Path, limits: Limits, puzzle: str | None) -> CertificateVerdict:
    """Check one folder; where the system has timers, one ends a check that overruns its time limit."""
    if not hasattr(signal, "setitimer"):
        return check_folder(folder, limits, puzzle=puzzle)

    verdicts: list[CertificateVerdict] = []

    def over(_number: int, _frame: object) -> None:
        if not verdicts:  # else nothing is being checked any more; it may take a while to free what the check held
            limits.tick(TICKS)

    before = signal.signal(signal.SIGALRM, over)
    try:
        signal.setitimer(signal.ITIMER_REAL, (limits.seconds or 0) + GRACE, GRACE)
        verdicts.append(check_folder(folder, limits, puzzle=puzzle))
    except Stopped as problem:  # it came between the verdict and its place
        verdicts.append(CertificateVerdict(UNSUPPORTED, problem=str(problem)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return verdicts[0]


@contextlib.contextmanager
def _limited_memory(mebibytes: int) -> Iterator[None]:
    """Limit the memory of the whole process, where the system can; after it the process has its former limit again."""
    try:
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        size = mebibytes << 20
        soft = size if before[1] == resource.RLIM_INFINITY else min(size, before[1])
        resource.setrlimit(resource.RLIMIT_AS, (soft, before[1]))
    except (ImportError, AttributeError, OSError, ValueError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
