"""Refuting clauses with a proof that others can check. Which engine does it is not told outside of this room."""

from __future__ import annotations

from ...runtime.preparation import KernelPreparation
from ..cp_sat.lrat import Clauses, Refine, Refutation, Refuting, refute


def _trim() -> None:
    from ..cp_sat.trimming import trimmed

    trimmed(b"3 0 1 2 0\n", [(1,), (-1,)])


TRIMMING = KernelPreparation("trimming", (_trim,))
"""What is compiled before proofs are trimmed."""

__all__ = ["TRIMMING", "Clauses", "Refine", "Refutation", "Refuting", "refute"]
