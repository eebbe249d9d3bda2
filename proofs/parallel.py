"""The clauses of a problem with steps in which several actions may be made: a fast layer beside the core.

With one action a step (`core/formula.py`) a proof has to show that k actions that all have to be made do not fit into
k - 1 steps: a pigeonhole argument, which is long in resolution (Haken, *The intractability of resolution*, 1985). Here
several actions may be made in a step, and they are counted over all steps. A plan that makes one action a step
satisfies every sentence, so what is refuted is no plan. This is for problems whose actions cost 1 each and change one
variable each, without a condition, and for claims without tables. There are no variables for actions: that one was made
that takes x from p to q is said by the values of x in both layers. Of the sentences of the core 5 to 9 are replaced:

    11  x keeps its value, or goes where an action leads from there. It kept its value, or came from where one does.
    12  x keeps its value p, or goes where an action leads that does not need a clause, or that clause holds: before the
        step for actions from p. After the step, for actions that lead to x's value then. (Of several actions between
        the same two values only what all of them need counts, and no clause with x.)
    13  x has *moved* if its value changed, and only then. In an idle step nothing moves, in any other something does;
        after an idle step all are idle.
    14  In all steps together at most N variables move. *n of a set*: at least n of the set's variables *moved* are
        true; i of one half and j of the other are i + j of both; and never N + 1 of all.

What an action needs holds before and after its step, so the actions of a step can be made one after the other in any
order: if no two actions lead between the same two values, there is a model only if there is a plan. (Nobody has to
believe that; it says that the clauses are not weak.)
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.claim import Claim
from .core.formula import Clause, Formula, kept
from .core.limits import Limits, Unsupported
from .core.problem import Literals, Problem
from .counting import Totals

Needs = dict[int, set[Literals]]
"""For the values that an action leads to (or comes from) what all actions between the two values need."""


class ParallelFormula(Formula):
    """As `Formula`; behind the variables of the last layer come those that count (`Totals`)."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        if not parallel_steps(claim.problem) or claim.tables:
            raise Unsupported(
                "parallel steps are for actions of cost 1 that change one variable, without conditions or tables"
            )
        super().__init__(claim, limits)
        counted = (range(x, x + self.steps * self.stride, self.stride) for x in self.moved.values())
        self.totals = Totals(counted, self.steps * len(self.moved), self.at_most, self.variables + 1, limits)
        self.variables = self.totals.last

    def clauses(self) -> Iterator[Clause]:
        """The clauses of layers, steps and goal, and those that count."""
        yield from super().clauses()
        yield from kept(self.totals.clauses(), self.limits)  # 14

    def _number_step(self) -> None:
        changed = sorted({x for action in self.problem.actions for x in action.effects})
        self.moved = {x: self._new() + 1 for x in changed}
        self.idle = self._new() + 1

    def _step(self) -> Iterator[Clause]:
        for x, size in enumerate(self.sizes):
            away, here = self._ways(x)
            for i in range(size):
                yield from self._change(x, i, away[i], self.now, self.later)
                yield from self._change(x, i, here[i], self.later, self.now)
                if x in self.moved:
                    before, after = self.value(x, i, self.now), self.value(x, i, self.later)
                    yield (-before, after, self.moved[x])  # 13
                    yield (-before, -after, -self.moved[x])
        yield from ((-self.idle, -moved) for moved in self.moved.values())
        yield (self.idle, *self.moved.values())

    def _ways(self, x: int) -> tuple[list[Needs], list[Needs]]:
        """For each value of a variable the values that actions lead to from there, and those that they come from."""
        away: list[Needs] = [{} for _ in range(self.sizes[x])]
        here: list[Needs] = [{} for _ in range(self.sizes[x])]
        for action in self.problem.actions:
            if x not in action.effects:
                continue
            ((_, to),) = action.effects[x]
            self.limits.tick(self.sizes[x])
            needs = {part for part in action.needs if all(y != x for y, _ in part)}
            own = self.problem.allowed(action.needs, x)
            for i in range(self.sizes[x]):
                if i != to and own >> i & 1:
                    away[i][to] = here[to][i] = away[i][to] & needs if to in away[i] else needs
        return away, here

    def _change(self, x: int, i: int, ways: Needs, this: list[int], other: list[int]) -> Iterator[Clause]:
        """Sentences 11 and 12 for the i-th value of x in a layer; `ways` lead to the other layer, or come from it."""
        here, stays = -self.value(x, i, this), self.value(x, i, other)
        leads = [self.value(x, k, other) for k in ways]
        if -stays not in leads:  # else there are two values, and it is true whatever holds
            yield (here, stays, *leads)  # 11
        for part in sorted({part for needs in ways.values() for part in needs}):
            spared = [self.value(x, k, other) for k, needs in ways.items() if part not in needs]
            if -stays not in spared:
                yield (here, *self.within(part, this), stays, *spared)  # 12


def parallel_steps(problem: Problem) -> bool:
    """Whether the formula with parallel steps can be made for a problem."""
    return all(
        action.cost == (1,) and len(action.effects) == 1 and not next(iter(action.effects.values()))[0][0]
        for action in problem.actions
    )
