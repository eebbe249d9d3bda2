"""Models with a horizon for other programs: what they need of relaxed reachability is compiled first, and told."""

from __future__ import annotations

from ..encoders.exports.model_files import Bounded
from ..engines.kernels import HM
from ..engines.preparation import of_kernels, prepare_within
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage, silent
from ..runtime.preparation import Preparation
from .solving import GROUNDING


def bounded(puzzle: Puzzle, metric: str, budget: Budget | None = None, progress: Progress = silent) -> Bounded | None:
    """A puzzle's task ready for models of any horizon; None if it was interrupted while kernels were compiled.

    Raises `UsageError` if the horizon of its plans is not their cost.
    """
    budget = budget or Budget(None, None)
    prepare_within([preparation()], budget, progress)
    if budget.interrupted.is_set():
        return None
    progress(Stage(seconds=budget.elapsed, text=GROUNDING))
    return Bounded(puzzle.task(metric))


def preparation() -> Preparation:
    """How to compile what models with a horizon need."""
    (found,) = of_kernels([HM])
    return found
