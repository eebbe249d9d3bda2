"""Which two values of a problem can hold at once: what is reached in pairs (h^2: Haslum and Geffner 2000).

A value that no action gives beside another one never holds with it: `carry/free.left=carry.ball1` never with
`carry/free.right=carry.ball1`. Of a state it is assumed that each two of its values have been reached together; so it
is at the start, and so it is after each action that such a state allows. It is recomputed, not proven: nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_

from .limits import Limits
from .problem import Action, Literal, Literals, Problem


class ReachedPairs:
    """For each value of each variable of a problem the values that can hold with it: `beside[5] = 0b100110`, so 1, 2
    and 5 itself. Values are numbered, a variable's after those of the variable before; one that is never reached has 0.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        *self.first, self.many = accumulate(map(len, problem.domains), initial=0)
        self.own = [problem.full(x) << first for x, first in enumerate(self.first)]
        limits.hold(self.many * (self.many // 8 + 64))
        self.beside = [0] * self.many
        self.grew = True
        start = [first + value for first, value in zip(self.first, problem.start, strict=True)]
        self._add(start, sum(1 << number for number in start))
        while self.grew:
            self.grew = False
            for action in problem.actions:
                self._act(action)
        self.met = sum(1 << number for number, beside in enumerate(self.beside) if beside)

    def beside_all(self, literals: Iterable[Literal]) -> int:
        """The values that can hold where some literals do, those of their own variables among them; none if two
        literals can never hold together.
        """
        able = (1 << self.many) - 1
        asked = [(x, mask << self.first[x]) for x, mask in literals]
        for _, bits in asked:
            able &= reduce(or_, (self.beside[number] for number in numbers_in(bits)))
        return able if all(able & bits for _, bits in asked) else 0

    def exclude(self, clauses: Sequence[Literals]) -> bool:
        """Whether some clauses are never true together, as far as pairs tell: two clauses of one literal each are never
        true together, or one of several literals has none that can hold beside all clauses of one literal.
        """
        able = self.met & self.beside_all(part[0] for part in clauses if len(part) == 1)
        return not all(any(able & mask << self.first[x] for x, mask in part) for part in clauses)

    def clauses(self) -> Iterator[Literals]:
        """That each variable has a value that is reached, and of two values that are never reached together one does
        not hold: `A!=1|E!=1`.
        """
        full = self.problem.full
        for x, first in enumerate(self.first):
            if (reached := (self.met & self.own[x]) >> first) != full(x):
                yield ((x, reached),)
            for i in numbers_in(reached):
                self.limits.tick(1 + len(self.first) // 64)
                others = self.met & ~self.beside[first + i] & -1 << first + len(self.problem.domains[x])
                for y in range(x + 1, len(self.first)) if others else ():
                    for j in numbers_in((others & self.own[y]) >> self.first[y]):
                        yield (x, full(x) ^ 1 << i), (y, full(y) ^ 1 << j)

    def _act(self, action: Action) -> None:
        """Add the pairs that hold after an action that is possible."""
        needs = [clause[0] for clause in action.needs if len(clause) == 1]
        self.limits.tick(1 + len(needs) + len(action.effects) * (1 + self.many // 1000))
        if not (able := self.beside_all(needs)):
            return
        new: dict[int, tuple[int, int]] = {}  # of each value that may be given its variable, and what may be beside it
        surely = 0  # the values of variables that get another one for sure
        for x, effects in action.effects.items():
            surely |= self.own[x] if any(not condition for condition, _ in effects) else 0
            for condition, value in effects:
                if here := self.beside_all((*needs, *condition)) if condition else able:
                    number = self.first[x] + value
                    new[number] = self.own[x], here | new.get(number, (0, 0))[1]
        given = sum(1 << number for number in new)
        for number, (own, here) in new.items():
            self._add([number], (here & ~surely | given) & ~own | 1 << number)

    def _add(self, numbers: Iterable[int], beside: int) -> None:
        """Values hold with others."""
        for number in numbers:
            for other in numbers_in(beside & ~self.beside[number]):
                self.limits.tick(1 + self.many // 1000)
                self.beside[number] |= 1 << other
                self.beside[other] |= 1 << number
                self.grew = True


def numbers_in(bits: int) -> Iterator[int]:
    """The numbers of the bits of a set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
