"""Refuting clauses with a proof that others can check. Callers outside `engines` do not see which engine does it."""

from __future__ import annotations

from ...runtime.preparation import KernelPreparation
from ..cp_sat.lrat import Clauses, Make, Refine, Refutation, Refuting, packed, refute


def _trim() -> None:
    from ..cp_sat.trimming import trimmed

    trimmed(b"3 0 1 2 0\n", [(1,), (-1,)])


TRIMMING = KernelPreparation("trimming", (_trim,))
"""The preparation that compiles the kernels for trimming proofs."""

__all__ = ["TRIMMING", "Clauses", "Make", "Refine", "Refutation", "Refuting", "packed", "refute"]
