"""What finding evidence for a lower bound shares, whatever the evidence is: its kinds, its limits, and its race.

Nothing tells beforehand whether a puzzle has few states or a short proof. So states are exhausted for a moment; if that
is not enough, a solver refutes clauses in a process of its own beside it, and what is done first is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ..engines.common.refutation import Make, Refine, Refutation, Refuting
from ..models.errors import DisagreementError
from ..proofs.by_rules import RULES
from ..proofs.core.claim import EXHAUSTION, REFUTATION
from ..proofs.core.limits import Limits, Stopped
from ..runtime.budget import Budget
from ..runtime.kernels import ensure_kernels

Found = TypeVar("Found")


class CheaperPlanError(DisagreementError):
    """The checker of certificates finds a plan that costs less than the claim for which evidence is looked for."""


AUTO = "auto"
KINDS = (AUTO, RULES, EXHAUSTION, REFUTATION)
"""The kinds of evidence that a caller may choose."""

MOMENT = 1.0
"""Seconds for which exhaustion is tried alone before a solver is started beside it."""


def limits_of(budget: Budget, seconds: float | None = None) -> Limits:
    """The time left of a budget (at most `seconds`), its memory, and Ctrl-C, as limits of the checker."""
    left = budget.seconds_left if seconds is None else min(seconds, budget.remaining)
    return Limits(left, budget.memory_mib, budget.stopped)


def first_of(
    make: Make, refine: Refine | None, exhausted: Callable[[Limits], Found], budget: Budget
) -> Found | Refutation:
    """Try exhaustion here and refutation in a child, each with half of the memory: what is ready first. (A refutation
    may have failed: then exhaustion has reached its limits before.)
    """
    ensure_kernels(budget=budget)
    half = None if budget.memory_mib is None else budget.memory_mib // 2
    with Refuting(make, budget, half, refine) as solver:

        def done() -> str | None:
            answer = solver.answer()
            return "the clauses are refuted" if answer and answer.proof else limits_of(budget).stopped()

        limits = limits_of(budget)
        limits.mebibytes, limits.stopped = half, done
        with suppress(Stopped):
            return exhausted(limits)
        while (answer := solver.answer(0.1)) is None:  # too many states; the solver's limits end this
            pass
    return answer
