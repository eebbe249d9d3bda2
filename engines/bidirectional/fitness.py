"""Whether a task whose actions are programs can be searched from both ends, and what has to be compiled for that."""

from __future__ import annotations

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ..common.programs.sample import counter


def refusal(task: ProgramTask) -> str | None:
    """Why a task cannot be searched from both ends; None if it can."""
    from ...analysis.inverse_programs import ends_of

    ends = task.computed(ends_of)
    return ends if isinstance(ends, str) else None


def compile_kernels() -> None:
    """Run the search on the counter, with and without room for states."""
    from .programs import bidirectional

    bidirectional(counter(), Budget())
    bidirectional(counter(), Budget(None, 0))
