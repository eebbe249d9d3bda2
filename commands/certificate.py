"""`budge verify DIR`: checking a certificate, with the checker of `proofs/`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..models.errors import UsageError
from .common import LIMIT, OPTIMAL, Interrupted, budget_of, print_json, screen_of

INVALID = 1
MANIFEST = "certificate.json"


def is_certificate(name: str) -> bool:
    """Whether a name is that of a folder with a certificate."""
    return Path(name, MANIFEST).exists()


def check_certificate(name: str, arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    """Check a certificate and print the verdict; gives the exit code. Raises `BudgeError`."""
    from ..models.library import load
    from ..proofs.check import INVALID as REJECTED
    from ..proofs.check import VALID
    from ..views.certificate import as_text
    from ..workflows.checking_certificates import check_within

    for option in ("plan", "map", "claim", "engines"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for puzzles; a certificate says itself what it claims")
    puzzle = load(arguments.puzzle) if arguments.puzzle else None
    verdict = check_within(budget_of(arguments, interrupted), Path(name), puzzle, arguments.metric)
    if arguments.json:
        value = {"type": "certificate", "folder": name, "status": verdict.status, "shown": verdict.shown or None}
        print_json(
            {**value, "by": list(verdict.by), "trust": verdict.trust or None, "problem": verdict.problem or None}
        )
    else:
        print(as_text(verdict.lines, verdict.board, screen_of(arguments).width), flush=True)
    if verdict.status not in (VALID, REJECTED):
        return interrupted.code if interrupted.is_set() else LIMIT
    return OPTIMAL if verdict.status == VALID else INVALID
