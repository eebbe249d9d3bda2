"""The clauses of a problem whose actions change one variable each, without variables for actions: a fast layer.

In the core's formula (`core/formula.py`) each action has a variable. Here that one was made that takes x from p to q is
said by the values of x in both layers, which makes proofs a third to a fifth as long. This is for problems whose
actions cost 1 each and change one variable each, without a condition, and for claims without tables. Every plan
satisfies every sentence, so what is refuted is no plan. Of the sentences of the core 4 to 8 are replaced:

    10  x keeps its value, or goes where an action leads from there. It kept its value, or came from where one does.
    11  x keeps its value p, or goes where an action leads that does not need a clause, or that clause holds: before the
        step for actions from p. After the step, for actions that lead to x's value then. (A need `y=1,2` is a clause
        `y!=v` for each other value v. Of several actions between the same two values only what all of them need counts,
        and no clause with x.)
    12  x has *moved* if its value changed, and only then. In an idle step nothing moves, in any other something does;
        after an idle step all are idle.
    13  In a step one variable moves at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.claim import Claim
from .core.formula import Clause, Formula, kept, not_both
from .core.limits import Limits, Unsupported
from .core.problem import Literals, Problem
from .end_state_formula import Totals

Needs = dict[int, set[Literals]]
"""Values of a variable that actions lead to from one value (or come from), by number, each with the clauses that all
actions between the two values need: `{2: {y!=0}}`, every action to the value 2 needs that y is not 0.
"""


class ChangeFormula(Formula):
    """The clauses of the core's `Formula`, but the variables of a step say which variables of the problem move."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        if not change_one_each(claim.problem) or claim.tables:
            raise Unsupported(
                "clauses about changes are for actions of cost 1 that change one variable, without conditions or tables"
            )
        super().__init__(claim, limits)

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
                    yield (-before, after, self.moved[x])  # 12
                    yield (-before, -after, -self.moved[x])
        yield from ((-self.idle, -moved) for moved in self.moved.values())
        yield (self.idle, *self.moved.values())
        yield from self._together()

    def _together(self) -> Iterator[Clause]:
        """What may move in the same step."""
        yield from not_both(self.moved.values())  # 13

    def _ways(self, x: int) -> tuple[list[Needs], list[Needs]]:
        """For each value of a variable the values that actions lead to from there, and those that they come from."""
        away: list[Needs] = [{} for _ in range(self.sizes[x])]
        here: list[Needs] = [{} for _ in range(self.sizes[x])]
        for action in self.problem.actions:
            if x not in action.effects:
                continue
            ((_, to),) = action.effects[x]
            needs = {one for part in action.needs if all(y != x for y, _ in part) for one in self._split(part)}
            self.limits.tick(self.sizes[x] + len(needs) // 8)
            own = self.problem.allowed(action.needs, x)
            for i in range(self.sizes[x]):
                if i != to and own >> i & 1:
                    away[i][to] = here[to][i] = away[i][to] & needs if to in away[i] else needs
        return away, here

    def _split(self, part: Literals) -> Iterator[Literals]:
        """A clause of one literal as clauses `y!=v`."""
        if len(part) > 1:
            yield part
            return
        ((y, mask),) = part
        full = self.problem.full(y)
        yield from (((y, full & ~(1 << v)),) for v in range(self.sizes[y]) if not mask >> v & 1)

    def _change(self, x: int, i: int, ways: Needs, this: list[int], other: list[int]) -> Iterator[Clause]:
        """Sentences 10 and 11 for the i-th value of x in a layer; `ways` lead to the other layer, or come from it."""
        here, stays = -self.value(x, i, this), self.value(x, i, other)
        leads = [self.value(x, k, other) for k in ways]
        if -stays not in leads:  # else there are two values, and it is true whatever holds
            yield (here, stays, *leads)  # 10
        for part in sorted({part for needs in ways.values() for part in needs}):
            spared = [self.value(x, k, other) for k, needs in ways.items() if part not in needs]
            if -stays not in spared:
                yield (here, *self.within(part, this), stays, *spared)  # 11


def change_one_each(problem: Problem) -> bool:
    """Whether each action of a problem costs 1 and changes one variable, without a condition."""
    return all(
        action.cost == (1,) and len(action.effects) == 1 and not next(iter(action.effects.values()))[0][0]
        for action in problem.actions
    )


# The clauses of a problem with steps in which several actions may be made: a fast layer beside the core.
#
# With one action a step a proof has to show that k actions that all have to be made do not fit into k - 1 steps: a
# pigeonhole argument, which is long in resolution (Haken, *The intractability of resolution*, 1985). Here several
# actions may be made in a step, and they are counted over all steps. A plan that makes one action a step satisfies
# every sentence, so what is refuted is no plan. All is as in `ChangeFormula`, but for sentence 13:
#
#     14  In all steps together at most N variables move. *n of a set*: at least n of the set's variables *moved* are
#         true; i of one half and j of the other are i + j of both; and never N + 1 of all.
#
# What an action needs holds before and after its step, so the actions of a step can be made one after the other in
# any order: if no two actions lead between the same two values, there is a model only if there is a plan. (Nobody has
# to believe that; it says that the clauses are not weak.)


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
        yield from kept(self.totals.clauses(), self.limits)  # 14

    def _together(self) -> Iterator[Clause]:
        yield from ()


LAYERS: dict[str, type[Formula]] = {"changes": ChangeFormula, "parallel": ParallelFormula}
"""The formulas that are not in the core, by their word in claim.txt."""
