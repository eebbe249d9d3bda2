"""The clauses of a problem with steps in which several actions may be made: a fast layer beside the core.

With one action a step (`core/formula.py`) a proof has to show that k actions that all have to be made do not fit into
k - 1 steps: a pigeonhole argument, which is long in resolution (Haken, *The intractability of resolution*, 1985). Here
several actions may be made in a step, and they are counted over all steps. A plan that makes one action a step
satisfies every sentence, so what is refuted is no plan. Of the sentences of the core 5 and 9 are replaced by these:

    11  In each step no variable is changed by two actions, and in an idle step none is; after it all are idle.
    12  What an action needs of a variable that it does not change holds after the step as well.
    13  All actions of all steps together cost at most N.

By 11 and 12 the actions of a step can be made one after the other, in any order: so there is a model only if there is
a plan (which nobody has to believe: it only says that the clauses are not weak). This is for problems whose actions
cost 1 each and have effects without conditions, and for claims without tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.bounds import Table
from .core.formula import LITERAL_BYTES, Clause, Formula, not_both
from .core.limits import Limits, Unsupported
from .core.problem import Literals, Problem


class ParallelFormula(Formula):
    """As `Formula`; behind the variables of the last layer come those that count, see `_sum`."""

    TRUST = "the sentences behind the clauses, those of parallel steps among them, the loop that checks proofs"

    def __init__(
        self, problem: Problem, at_most: int, evidence: tuple[list[Literals], list[int], list[Table]],
        spare: list[int], limits: Limits,
    ) -> None:  # fmt: skip
        super().__init__(problem, at_most, evidence, spare, limits)
        conditional = any(when for action in problem.actions for some in action.effects.values() for when, _ in some)
        if conditional or evidence[2] or any(action.cost != (1,) for action in problem.actions):
            raise Unsupported(
                "parallel steps are for actions of cost 1, without conditional effects and without tables"
            )
        self.at_most = at_most
        self.extra = 0
        depth = at_most.bit_length() + len(self.groups).bit_length()
        limits.hold(2 * LITERAL_BYTES * depth * at_most * len(self.groups))
        self.sums: list[tuple[list[int], list[int], list[int]]] = []
        counted = [self._sum([[x + t * self.stride] for t in range(self.steps)]) for x in self.groups]
        self.total = self._sum(counted)

    @property
    def variables(self) -> int:
        """The number of variables: of the steps, of the last layer, and of what counts."""
        return super().variables + self.extra

    def clauses(self) -> Iterator[Clause]:
        """The clauses of the core, and those that count."""
        yield from super().clauses()
        yield from self._kept(self._counting())

    def _sum(self, parts: list[list[int]]) -> list[int]:
        """Variables for "at least 1, 2, ... of these are true", up to N + 1, half by half. Each part has such already;
        a single variable is one, too."""
        if len(parts) < 2:
            return parts[0] if parts else []
        half = len(parts) // 2
        one, two = self._sum(parts[:half]), self._sum(parts[half:])
        first = self.variables + 1
        self.extra += min(self.at_most + 1, len(one) + len(two))
        both = list(range(first, self.variables + 1))
        self.limits.tick(len(both))
        self.sums.append((one, two, both))
        return both

    def _counting(self) -> Iterator[Clause]:
        """13: at least i of one half and at least j of the other are at least i + j of both; and never N + 1 of all."""
        for one, two, both in self.sums:
            for i in range(len(one) + 1):
                for j in range(max(0, 1 - i), min(len(two), len(both) - i) + 1):
                    yield (*(-x for x in one[:i][-1:]), *(-x for x in two[:j][-1:]), both[i + j - 1])
        for x in self.total[self.at_most :]:
            yield (-x,)

    def _choice(self) -> Iterator[Clause]:
        changers: dict[int, list[int]] = {}
        for group, members in self.groups.items():
            made = [self.made[a] for a in members]
            yield (-group, *made)
            yield from ((-one, group) for one in made)
            yield (-self.idle, -group)  # 11
            for a in members:
                for x in self.problem.actions[a].effects:
                    changers.setdefault(x, []).append(self.made[a])
        yield (self.idle, *self.groups)
        for x in sorted(changers):
            yield from not_both(changers[x])  # 11
        for a in self.charged:
            action = self.problem.actions[a]
            for part in action.needs:
                if not any(x in action.effects for x, _ in part):
                    yield (-self.made[a], *self.within(part, self.later))  # 12
