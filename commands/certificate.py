"""`budge verify DIR`: checking a certificate, with the checker of `proofs/`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..models.errors import UsageError
from .common import LIMIT, OPTIMAL, Interrupted, print_json, screen_of

INVALID = 1
MANIFEST = "certificate.json"


def is_certificate(name: str) -> bool:
    """Whether a name is that of a folder with a certificate."""
    return os.path.exists(Path(name, MANIFEST))


def check_certificate(name: str, arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    """Check a certificate and print the verdict; gives the exit code. Raises `UsageError`."""
    from ..proofs.check import INVALID as REJECTED
    from ..proofs.check import VALID, check_folder
    from ..proofs.limits import Limits
    from ..runtime.budget import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
    from ..views.certificate import as_text

    for option in ("plan", "map", "claim", "engines", "metric"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for puzzles; a certificate says itself what it claims")
    seconds, memory = arguments.time_limit or DEFAULT_TIME_LIMIT, arguments.memory_limit or DEFAULT_MEMORY_LIMIT
    limits = Limits(seconds, memory, lambda: "interrupted" if interrupted.is_set() else None)
    verdict = check_folder(Path(name), limits, outside=True)
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
