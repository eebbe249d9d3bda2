"""Models with a horizon for other programs: what they need of relaxed reachability is compiled first, and told."""

from __future__ import annotations

import threading

from ..encoders.exports.model_files import Bounded
from ..engines.kernels import HM
from ..engines.preparation import of_kernels, prepare_within
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.events import Progress, silent
from ..runtime.preparation import Preparation


def bounded(
    puzzle: Puzzle, metric: str, progress: Progress = silent, interrupted: threading.Event | None = None
) -> Bounded | None:
    """A puzzle's task ready for models of any horizon; None if it was interrupted while kernels were compiled.

    Raises `UsageError` if the horizon of its plans is not their cost.
    """
    budget = Budget(None, None)
    budget.interrupted = interrupted or budget.interrupted
    prepare_within([preparation()], budget, progress)
    return None if budget.interrupted.is_set() else Bounded(puzzle.task(metric))


def preparation() -> Preparation:
    """How to compile what models with a horizon need."""
    (found,) = of_kernels([HM])
    return found
