"""A counter as a program task, on which the kernels for programs are compiled."""

from __future__ import annotations

from collections.abc import Sequence

from ....models import program as op
from ....models.moves import Move
from ....models.program import ProgramAction, ProgramTask, ProgramVariable
from ....runtime.budget import Budget
from ....runtime.events import silent
from ....runtime.outcome import Recorder

STEP, SUM, ONE, THREE = range(4)


def _counted(_: Sequence[int]) -> Move:
    return Move()


def counter() -> ProgramTask:
    """A variable from 0 to 3 that is counted up to 3."""
    code = (
        (op.ADD, SUM, STEP, ONE, 0),
        (op.SET, STEP, SUM, 0, 0),
        (op.APPLY, 0, 0, 0, 0),
        (op.DONE, 0, 0, 0, 0),
        (op.SAME, 6, STEP, THREE, 0),
        (op.DONE, 0, 0, 0, 0),
        (op.FAIL, 0, 0, 0, 0),
    )
    return ProgramTask(
        name="a counter",
        variables=(ProgramVariable("count", (0, 1, 2, 3)),),
        init=(0,),
        actions=(ProgramAction("count", 0, (1,), _counted, frozenset({0})),),
        goal=4,
        code=code,
        tables=(),
        constants={ONE: 1, THREE: 3},
        registers=4,
        metric=("steps",),
    )


def compile_kernels() -> None:
    """Run the searches over programs, and what `explore`, `hint` and `plans` run, on the counter, and find out how
    it is undone.
    """
    from ....analysis.inverse_programs import ends_of
    from ..reachable import explore, hint
    from ..state_graph import state_graph
    from .best_first import best_first, in_order

    ends_of(counter())
    in_order(counter(), Recorder(Budget()))
    best_first(counter(), Recorder(Budget()), "A*")
    explore(counter(), Budget())
    state_graph(counter(), Budget(), silent)
    hint(counter(), Budget())
