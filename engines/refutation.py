"""Refuting clauses with a proof that others can check. Which engine does it is not told outside of this room."""

from __future__ import annotations

from .cp_sat.lrat import Clauses, Refutation, refute

__all__ = ["Clauses", "Refutation", "refute"]
