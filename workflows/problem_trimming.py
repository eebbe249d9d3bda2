"""A problem without what never happens: values, actions and effects that pairs of values exclude which never occur
together (`evidence_finder.invariants`). In all states that are reached it is the same problem.

Two vehicles in a row do not pass each other, so each has only some of the places of its lane. Texts, formulas and
proofs get smaller: bird-1 in slides 12 kB to 8 and 350 kB to 260, uva-12x12 520 kB to 83.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..encoders.exports.problem_plans import ProblemText, closed
from ..models.moves import Move
from ..proofs.core.limits import Limits, Stopped
from ..proofs.core.problem import Action, Literals, Problem, State, copied
from .evidence_finder.invariants import Reached

MOST_WORK = 12_000_000
"""Work, in the units of `Limits.tick`, after which a problem stays as it is: some ten seconds. (Not seconds: the same
puzzle has the same text everywhere.)
"""

Effects = tuple[tuple[Literals, int], ...]


def trimmed(made: ProblemText) -> ProblemText:
    """The same problem without values, actions and effects that never occur, and needs that others imply."""
    try:
        trimmer = _Trimmer(made.problem, _Counted(made.problem, _Work()))
    except Stopped:
        return made
    kept = [
        (action, deed)
        for old, deed in zip(made.problem.actions, made.deeds, strict=True)
        if (action := trimmer.action(old))
    ]
    moves_in = made.moves_in and _MovesIn(made, trimmer.possible)
    return ProblemText(trimmer.closed([action for action, _ in kept]), tuple(deed for _, deed in kept), moves_in)


class _Work(Limits):
    """Limits that count work, whatever time it takes."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.left = MOST_WORK

    def tick(self, work: int = 1) -> None:
        self.left -= work
        if self.left < 0:
            raise Stopped("too much work")


class _Counted(Reached):
    """Counts what it is asked, by the number of clauses."""

    def narrowed(self, left: int, clauses: tuple[tuple[int, ...], ...], near: int) -> int:
        self.limits.tick(len(self.wholes) + len(clauses))
        return super().narrowed(left, clauses, near)


@dataclass(frozen=True)
class _MovesIn:
    """The moves of programs in a state of the trimmed problem. `possible`: for each variable of the whole problem the
    values that it has.
    """

    made: ProblemText
    possible: list[list[int]]

    def __call__(self, state: State) -> dict[int, Move]:
        values = iter(state)
        whole = [some[next(values)] if len(some) > 1 else some[0] for some in self.possible]
        return self.made.moves_in(tuple(whole)) if self.made.moves_in else {}


class _Trimmer:
    """Makes the trimmed problem. Variables with one value are left out, the others have new numbers."""

    def __init__(self, problem: Problem, reached: Reached) -> None:
        self.problem, self.reached = problem, reached
        wanted = [0] * len(problem.domains)
        for part in problem.goal:
            # A goal that never holds keeps its values: that it never does is to be shown, not supposed.
            if not any(mask >> i & 1 for x, mask in part for i in self._reached_values(x)):
                for x, mask in part:
                    wanted[x] |= mask
        self.possible = [
            sorted({*self._reached_values(x), *(i for i in range(len(domain)) if wanted[x] >> i & 1)})
            for x, domain in enumerate(problem.domains)
        ]
        self.kept = [x for x, some in enumerate(self.possible) if len(some) > 1]
        self.number = {x: k for k, x in enumerate(self.kept)}
        self.domains = tuple(tuple(problem.domains[x][i] for i in self.possible[x]) for x in self.kept)

    def _reached_values(self, x: int) -> list[int]:
        first = self.reached.first[x]
        return [i for i in range(len(self.problem.domains[x])) if self.reached.rows[first + i]]

    def closed(self, actions: list[Action]) -> Problem:
        problem = self.problem
        return closed(
            problem.counts,
            [problem.names[x] for x in self.kept],
            self.domains,
            [self.possible[x].index(problem.start[x]) for x in self.kept],
            [clause for part in problem.goal if (clause := self._clause(part)) is not None],
            actions,
        )

    def action(self, action: Action) -> Action | None:
        """The action without what never happens; None if it never takes place, or changes nothing."""
        units = self.reached.every
        for part in action.needs:
            if len(part) == 1:
                units &= self.reached.without(*part[0])
        clauses = tuple(tuple(self.reached.literal(*one) for one in part) for part in action.needs if len(part) > 1)
        before = self._narrowed(units, clauses)
        if not before:
            return None
        effects = {
            self.number[x]: found
            for x, some in action.effects.items()
            if x in self.number and (found := self._effects(x, some, before, clauses))
        }
        if not effects:
            return None
        needs = {self._clause(part) for part in action.needs if len(part) == 1 or not self._implied(part, units)}
        return replace(action, needs=tuple(sorted(part for part in needs if part is not None)), effects=effects)

    def _narrowed(self, facts: int, clauses: tuple[tuple[int, ...], ...] = ()) -> int:
        """The facts that stay possible; all pairs are looked at, also of variables of which nothing is said."""
        return self.reached.narrowed(facts, clauses, self.reached.every)

    def _implied(self, clause: Literals, units: int) -> bool:
        """Whether a clause holds wherever the needs of one literal do."""
        for x, mask in clause:
            units &= self.reached.without(x, self.problem.full(x) & ~mask)
        return not self._narrowed(units)

    def _effects(self, x: int, effects: Effects, before: int, clauses: tuple[tuple[int, ...], ...]) -> Effects:
        """The effects on a variable that may take place, and change it."""
        found = []
        for when, value in effects:
            facts = before
            for one in when:
                facts &= self.reached.without(*one)
            facts = self._narrowed(facts, clauses) if when else before
            if facts and facts >> self.reached.first[x] & self.problem.full(x) != 1 << value:
                found.append((self._condition(when), self.possible[x].index(value)))
        return self._as_copy(x, effects) or tuple(sorted(found)) if found else ()

    def _as_copy(self, x: int, effects: Effects) -> Effects | None:
        """The effects of a copy of another variable, if they are that and remain it."""
        y, domains = effects[0][0][0][0] if effects[0][0] else x, self.problem.domains
        if y == x or y not in self.number or not set(domains[y]) <= set(domains[x]):
            return None
        to, source = self.number[x], self.number[y]
        if sorted(effects) != sorted(copied(domains, x, y)) or not set(self.domains[source]) <= set(self.domains[to]):
            return None
        return tuple(copied(self.domains, to, source))

    def _left(self, x: int, mask: int) -> int:
        """The values of a set that are possible, by their new numbers."""
        return sum(1 << k for k, i in enumerate(self.possible[x]) if mask >> i & 1)

    def _clause(self, clause: Literals) -> Literals | None:
        """A clause without values that never occur; None if it always holds."""
        left = [(x, self._left(x, mask)) for x, mask in clause]
        if any(mask == (1 << len(self.possible[x])) - 1 for x, mask in left):
            return None
        return tuple((self.number[x], mask) for x, mask in left if mask)

    def _condition(self, when: Literals) -> Literals:
        """A condition, which may hold, without what always does."""
        left = [(x, self._left(x, mask)) for x, mask in when]
        return tuple((self.number[x], mask) for x, mask in left if mask != (1 << len(self.possible[x])) - 1)
