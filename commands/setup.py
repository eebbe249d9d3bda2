"""The command `setup`.

Exit codes: 0 all kernels are there; 2 they cannot be kept; 70 they could not be compiled; 130 interrupted.
"""

from __future__ import annotations

import argparse
import time

from .common import interrupts, print_answer, reporter_of
from .streams import Exit


def run_setup(arguments: argparse.Namespace) -> int:
    """Compile all kernels, and keep them. Otherwise that happens when the first is needed."""
    from ..runtime import kernels
    from ..runtime.budget import Budget

    budget = Budget(None, None)
    began = time.monotonic()
    with interrupts() as interrupted, reporter_of(arguments) as progress:
        budget.interrupted = interrupted
        compiled = kernels.ensure_kernels(progress, budget)
    seconds, folder, there = time.monotonic() - began, kernels.folder(), kernels.loaded()
    said = {
        "type": "result",
        "command": "setup",
        "compiled": compiled > 0 and there,
        "folder": None if folder is None else str(folder),
        "interrupted": interrupted.is_set(),
        "seconds": {"total": round(seconds, 4)},
    }
    words = f"all kernels were compiled in {compiled:.1f} s" if compiled else "all kernels were there"
    if not there:
        why = "interrupted" if interrupted.is_set() else "not compiled"
        words = f"{why}: kernels are compiled when the first is needed, or by `budge setup`"
    print_answer(
        arguments,
        lambda: said,
        lambda _screen: f"{words}\n{kernels.NOT_KEPT if folder is None else f'kept in {folder}'}",
    )
    if interrupted.is_set():
        return interrupted.code
    if not there:
        return Exit.FAULT
    return Exit.USAGE if folder is None else Exit.OPTIMAL
