"""The checker of certificates as a process of its own."""

from __future__ import annotations

import time
from pathlib import Path

import budge
from budge.proofs.core.limits import Limits

PROOFS = Path(budge.__file__).parent / "proofs"


def processor_time(seconds: float) -> Limits:
    """Limits that do not depend on what else the machine does."""
    until = time.process_time() + seconds
    return Limits(None, 4096, lambda: "time" if time.process_time() > until else None)
