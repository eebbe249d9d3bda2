"""The head start of plain search in the portfolio: it works in this process, and after a moment all others begin in a
child process beside it.

The others need half a second before they do anything, for numba to load. Plain search needs nothing: in that time it
solves a puzzle of some ten thousand states. So neither waits for the other:

    seconds   this process                              the child
    0.0       plain search, alone
    0.1       plain search, which hears the child       loads numba, breadth-first search for a moment,
    0.6       hears the child                           then all sides, in processes of their own

What the child tells is the portfolio's, as if its engines were here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..runtime import grace
from ..runtime.child_main import Orders, Work
from ..runtime.environment import cores
from ..runtime.events import Event, LowerBound
from ..runtime.preparation import Preparation, needed
from ..runtime.processes import Child, start_method, wait
from ..runtime.tunables import tunable
from .engine import Engine
from .known_together import Portfolio


@dataclass(slots=True)
class Tunables:
    """See `runtime.tunables`."""

    alone: float = tunable(
        0.1, 0.0, 60.0, "seconds before the others begin", "half of the shipped puzzles are solved in less"
    )
    together: float = tunable(
        0.6,
        0.0,
        60.0,
        "seconds after which plain search ends",
        "when the others have loaded numba, they meet ten times as many states in a second",
    )
    poll: float = tunable(0.05, 0.001, 1.0, "seconds between two looks at the child")


TUNABLES = Tunables()


def possible(preparations: Sequence[Preparation]) -> bool:
    """Whether a child can begin at once: it is forked, there is a core for it, and nothing has to be compiled first."""
    return cores() > 1 and start_method() == "fork" and not needed(preparations)


def solve_with_head_start(
    together: Portfolio, plain: Engine, others: Work, ready: Callable[[], bool], here: Callable[[], str | None]
) -> str | None:
    """Plain search, and after a moment the `others` beside it, whose outcome is a portfolio's, if they are `ready`;
    else they work `here` when its moment is over. Why it ended unsolved.
    """

    def tell(event: Event) -> None:
        if isinstance(event, LowerBound):
            together.hear(plain.name, event)

    beside = _Beside(together, others, ready, (plain.place and plain.place.seconds) or 0.0)
    try:
        together.learn(plain.name, plain.run(together.task, budget=beside.budget, progress=tell))
        if together.solved or (reason := together.record.budget.stopped()):
            return None if together.solved else reason
        return beside.rest() if beside.child or ready() else here()
    finally:
        if beside.child:
            beside.child.kill()


class _Beside:
    """The child, and the budget of plain search, within which it begins and is heard, and which ends with the task."""

    def __init__(self, together: Portfolio, others: Work, ready: Callable[[], bool], seconds: float) -> None:
        self.whole = together.record.budget
        self.budget = self.whole.part(seconds, self.over)
        self.together, self.others, self.ready = together, others, ready
        self.child: Child | None = None
        self.asked = False

    def over(self) -> str | None:
        """Asked again and again while plain search works: the child begins at its time, and is heard."""
        budget = self.budget
        if not self.asked and budget.elapsed > TUNABLES.alone:
            self.asked = True
            if self.ready():
                self.child = self.begun()
                budget.seconds = min(TUNABLES.together, budget.elapsed + self.whole.remaining)
        if self.child:
            self.child.look()
            if self.together.solved or self.child.ended:
                return "the others have ended"
        return None

    def begun(self) -> Child:
        """The child at work. It sees to the memory of its own children; its own would count what they share."""
        budget = self.whole
        orders = Orders(self.others, budget.seconds_left, budget.memory_mib, budget.incumbent)
        child = Child(orders, lambda event: self.together.hear(event.engine, event), grace.PORTFOLIO)
        child.memory_mib = None
        return child

    def rest(self) -> str | None:
        """Wait for the child; why it ended unsolved. Raises what it raised."""
        child = self.child = self.child or self.begun()
        while not child.ended:
            wait([child], TUNABLES.poll)
            if self.together.solved:
                return None
            if reason := self.whole.stopped():
                child.stop(reason)
        if child.error and (failure := child.report().failure):
            raise failure
        outcome = child.outcome()
        self.together.learn_all(outcome)
        return self.whole.stopped() or outcome.stopped_by
