"""Whether IDA* can solve a task whose actions are programs, and what has to be compiled for that."""

from __future__ import annotations

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ..common.programs.sample import counter


def refusal(task: ProgramTask) -> str | None:
    """Why a task cannot be solved; None if it can."""
    from ...analysis.inverse_programs import both_ways_of

    both_ways = task.computed(both_ways_of)
    return both_ways if isinstance(both_ways, str) else None


def compile_kernels() -> None:
    """Run the search on the counter, with the first databases."""
    from ...analysis.inverse_programs import ends_of
    from ...analysis.program_projections import databases_of
    from ..common.programs.in_order import exhausted
    from .programs import iterative_deepening

    task = counter()
    exhausted(task, Budget(), 10)
    iterative_deepening(task, Budget())
    ends = task.computed(ends_of)
    if not isinstance(ends, str):
        goals, both_ways = ends
        databases_of(task, both_ways, goals, 4, Budget())
