"""Refuting clauses with a proof that others can check. Callers outside `engines` do not see which engine does it."""

from __future__ import annotations

from ..cp_sat.lrat import Clauses, Make, Refine, Refutation, Refuting, packed, refute, trimmed

__all__ = ["Clauses", "Make", "Refine", "Refutation", "Refuting", "packed", "refute", "trimmed"]
