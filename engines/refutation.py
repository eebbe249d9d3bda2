"""Refuting clauses with a proof that others can check. Which engine does it is not told outside of this room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..runtime.budget import Budget

Clauses = Sequence[tuple[int, ...]]
"""Variables count from 1, a negative number is a negation. A clause has at least one literal."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """What came out. `proof`: LRAT as text, trimmed, compressed with xz; None if there is none, because the clauses can
    all be true (`satisfiable`), or because of a limit (`stopped_by`)."""

    proof: bytes | None
    satisfiable: bool = False
    stopped_by: str | None = None


def refute(variables: int, clauses: Clauses, budget: Budget) -> Refutation:
    """Refute clauses, in a child process that keeps to the limits of a budget."""
    from .cp_sat.lrat import refute as by_solver

    return by_solver(variables, clauses, budget)
