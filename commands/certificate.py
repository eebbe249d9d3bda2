"""`budge verify DIR`: checking a certificate, with the checker of `proofs/`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..models.errors import UsageError
from .common import LIMIT, OPTIMAL, print_json

INVALID = 1
MANIFEST = "certificate.json"


def is_certificate(name: str) -> bool:
    """Whether a name is that of a folder with a certificate."""
    return Path(name, MANIFEST).exists()


def check_certificate(name: str, arguments: argparse.Namespace) -> int:
    """Check a certificate and print the verdict; gives the exit code. Raises `UsageError`."""
    from ..proofs.check import INVALID as REJECTED
    from ..proofs.check import VALID, check_folder
    from ..proofs.limits import Limits
    from ..runtime.budget import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT

    for option in ("plan", "map", "claim", "engines", "metric"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"`--{option}` is for puzzles; a certificate says itself what it claims")
    seconds = arguments.time_limit or DEFAULT_TIME_LIMIT
    verdict = check_folder(Path(name), Limits(seconds, arguments.memory_limit or DEFAULT_MEMORY_LIMIT), outside=True)
    if arguments.json:
        value = {"type": "certificate", "folder": name, "status": verdict.status, "shown": verdict.shown or None}
        print_json(
            {**value, "by": list(verdict.by), "trust": verdict.trust or None, "problem": verdict.problem or None}
        )
    else:
        print("\n".join(verdict.lines), flush=True)
    return {VALID: OPTIMAL, REJECTED: INVALID}.get(verdict.status, LIMIT)
