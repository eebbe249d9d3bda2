"""The clauses of a problem with steps in which several actions may be made: a fast layer beside the core.

With one action a step a proof has to show that k actions that all have to be made do not fit into k - 1 steps: a
pigeonhole argument, which is long in resolution (Haken, *The intractability of resolution*, 1985). Here several actions
may be made in a step, and they are counted over all steps. A plan that makes one action a step satisfies every
sentence, so what is refuted is no plan. All is as in `changing`, but for sentence 14:

    15  In all steps together at most N variables move. *n of a set*: at least n of the set's variables *moved* are
        true; i of one half and j of the other are i + j of both; and never N + 1 of all.

What an action needs holds before and after its step, so the actions of a step can be made one after the other in any
order: if no two actions lead between the same two values, there is a model only if there is a plan. (Nobody has to
believe that; it says that the clauses are not weak.)
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.claim import Claim
from .core.formula import Clause, Formula, kept
from .core.limits import Limits
from .end_state_formula import Totals
from .one_variable_formula import ChangeFormula


class ParallelFormula(ChangeFormula):
    """The clauses of `ChangeFormula` with several moves in a step; the last variables count moves (`Totals`)."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        super().__init__(claim, limits)
        counted = (range(x, x + self.steps * self.stride, self.stride) for x in self.moved.values())
        self.totals = Totals(counted, self.steps * len(self.moved), self.at_most, self.variables + 1, limits)
        self.variables = self.totals.last

    def clauses(self) -> Iterator[Clause]:
        """The clauses of layers, steps and goal, and those that count."""
        yield from super().clauses()
        yield from kept(self.totals.clauses(), self.limits)  # 15

    def _together(self) -> Iterator[Clause]:
        yield from ()


LAYERS: dict[str, type[Formula]] = {"changes": ChangeFormula, "parallel": ParallelFormula}
"""The formulas that are not in the core, by their word in claim.txt."""
