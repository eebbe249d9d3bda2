"""The areas that a refutation needs where something walks: found by what the clauses without them allow.

The checker's clauses say of a walk only that the walker leaves an area by a walk that is possible, for the areas of a
list. So the list begins with the areas that one closed *gate* makes (what a walk needs of other variables: no box on
the cell), a solver looks for a plan below the claim, and where its walker came to a place that it cannot walk to, an
area that forbids it is added; and again, until the clauses are refuted.
"""

from __future__ import annotations

from collections.abc import Collection

from ...encoders.exports.problem_writing import State, after, holds
from ...proofs.core.problem import Literals, Problem

NO_GATE = -1
FIRST_AREAS = 400
"""Values of the walker times gates from which on the list begins empty."""


class Walks:
    """Where the walker of a problem can walk. A gate is the first need of a walk that says nothing of the walker: the
    checker looks at no other."""

    def __init__(self, problem: Problem, walk: int) -> None:
        self.problem, self.walk = problem, walk
        self.actions = [action for action in problem.actions if action.cost[0] == 0]
        self.gates: list[Literals] = []
        self.ways: list[list[tuple[int, int]]] = [[] for _ in problem.domains[walk]]  # by value: gate, value after
        number: dict[Literals, int] = {}
        for action in self.actions:
            gate = next((part for part in action.needs if all(x != walk for x, _ in part)), None)
            if gate is not None and gate not in number:
                number[gate] = len(self.gates)
                self.gates.append(gate)
            [(_, to)] = action.effects[walk]
            units = [part[0][1] for part in action.needs if len(part) == 1 and part[0][0] == walk]
            for i, ways in enumerate(self.ways):
                if i != to and all(mask >> i & 1 for mask in units):
                    ways.append((NO_GATE if gate is None else number[gate], to))

    def area(self, value: int, closed: Collection[int]) -> int:
        """The values that the walker can come to if these gates are closed and all others open."""
        seen, todo = 1 << value, [value]
        while todo:
            for gate, to in self.ways[todo.pop()]:
                if gate not in closed and not seen >> to & 1:
                    seen |= 1 << to
                    todo.append(to)
        return seen

    def first(self) -> list[int]:
        """The areas that a single closed gate makes."""
        if len(self.ways) * len(self.gates) > FIRST_AREAS:
            return []
        found = dict[int, None]()
        for i in range(len(self.ways)):
            whole = self.area(i, ())
            for gate in range(len(self.gates)):
                area = self.area(i, (gate,))
                if area != whole:
                    found[area] = None
        return list(found)

    def forbidding(self, came: State, walked: int) -> list[int] | None:
        """Areas that forbid a walk from a state to a value of the walker: with few closed gates, as these forbid more.
        Empty if the walk is possible; None if it is not, and no area says so."""
        closed = {gate for gate, needs in enumerate(self.gates) if not holds(came, (needs,))}
        value = came[self.walk]
        if self.area(value, closed) >> walked & 1:
            return None if walked not in self._walked(came) else []
        found = []
        for order in (sorted(closed), sorted(closed, reverse=True)):
            left = set(closed)
            for gate in order:
                if not self.area(value, left - {gate}) >> walked & 1:
                    left.remove(gate)
            found.append(self.area(value, left))
        return found

    def _walked(self, state: State) -> set[int]:
        seen, todo = {state}, [state]
        while todo:
            here = todo.pop()
            for action in self.actions:
                if holds(here, action.needs) and (there := after(here, action)) not in seen:
                    seen.add(there)
                    todo.append(there)
        return {there[self.walk] for there in seen}
