"""`budge verify DIR`: checking a certificate, with the checker of `proofs/`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import UsageError
from ..models.library import CERTIFICATES
from ..runtime.events import Stage
from ..runtime.outcome import StoppedError
from .common import LimitedWork, print_answer, reporter_of, tell_error
from .streams import Exit

if TYPE_CHECKING:
    from ..proofs.verdict import CertificateVerdict


def is_certificate(name: str) -> bool:
    """Whether a name is that of a folder with a certificate."""
    return any(os.path.exists(Path(name, mark)) for mark in CERTIFICATES)


def check_certificate(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
    """Check a certificate and print the verdict; gives the exit code. Raises `BudgeError`."""
    from ..views.certificate import as_text
    from ..workflows.checking_certificates import checking

    for option in ("plan", "map", "claim", "engines"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for puzzles; a certificate says itself what it claims")
    try:
        with reporter_of(arguments) as progress:
            puzzle = watch.load(arguments.puzzle, progress) if arguments.puzzle else None
            progress(Stage(seconds=watch.budget.elapsed, text="checking the certificate"))
            verdict = watch.run(checking(Path(name), puzzle, arguments.metric), progress)
    except StoppedError as error:
        stopped = {"type": "certificate", "folder": name, "status": "unsupported", "problem": str(error)}
        return tell_error(name, error, stopped if arguments.json else None)
    value: dict[str, Any] = {"type": "certificate", "folder": name, "status": verdict.status}
    value |= {"shown": verdict.shown or None, "by": list(verdict.by)}
    value |= {"open": verdict.open or None, "trust": verdict.trust or None, "problem": verdict.problem or None}
    print_answer(arguments, lambda: value, lambda screen: as_text(verdict.lines, verdict.board, screen.width))
    return code_of_certificate(verdict, watch)


def code_of_certificate(verdict: CertificateVerdict, watch: LimitedWork) -> Exit:
    """The exit code of a verdict: that of the checker, or that somebody broke it off."""
    from ..proofs.verdict import CODES

    code = Exit(CODES[verdict.status])
    return Exit.INTERRUPTED if code is Exit.LIMIT and watch.budget.interrupted.is_set() else code
