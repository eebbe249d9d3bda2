"""The clauses that say where a plan of at most N ends: for puzzles whose actions change one value each, as edges drawn.

Eighteen edges can be drawn in any order, so there are many positions, and each says little. Here nothing is said of
the way, only of its end: every plan satisfies the clauses, whatever the conditions of its actions are. An action has to
set one value of the state and to cost at least 1. A value that is true or false has a variable; any other one has a
variable for each thing that it can be.

    1   Such a value is one of these things. If it is what it was at the start, it is nothing else. At most N values
        differ from those at the start (`counting` says how that is written).
    2   Each condition of the goal holds; of `a and b` and of `all(...)`, each part. It is asked for its value, and told
        the values of the state for which it asks: if what it was told is not enough to make it true, these are not the
        values at the end.
    3   Of `loop(...)`: an edge is *there* or not, by what its condition answers, asked as in 2. Some edge is there.
        Where one edge of a node is there, so is another, and no third one. An edge from a node to itself is not there.
    4   A cut is a list of nodes. If an edge is there between two of them, and one between two others, then also one
        from one of them to another: a loop that is on both sides crosses over. (`inside` and `outside` are variables
        that each such edge makes true.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from .acting import ActingGame, Action, ActionPuzzle, parted, written
from .core.formula import Clause, clause_bytes
from .core.limits import Invalid, Limits, Unsupported
from .state_classes import answers
from .terms import TRUTH, Run, Term, Value, conjuncts, running

# Clauses that count how many of some variables are true, half by half (a totalizer: Bailleux and Boufkhad 2003).


class Totals:
    """Says that at most `most` of some variables are true; they come in groups, which are halved before the groups are.

    For each set that is halved there are new variables, from `first` on, for "at least 1, 2, ... of the set are true",
    up to `most` + 1. `last`: the last of them. `many`: how many variables the groups have in all.
    """

    def __init__(self, groups: Iterable[Iterable[int]], many: int, most: int, first: int, limits: Limits) -> None:
        self.most, self.last, self.limits = most, first - 1, limits
        limits.hold(80 * many * many.bit_length())  # before the first group is read
        self.sums: list[tuple[list[int], list[int], list[int]]] = []
        self.total = self._sum([self._sum([[x] for x in group]) for group in groups])

    def _sum(self, parts: list[list[int]]) -> list[int]:
        """The variables "at least 1, 2, ... of the set are true". Its `parts` have theirs: of one variable, itself."""
        if len(parts) < 2:
            return parts[0] if parts else []
        half = len(parts) // 2
        one, two = self._sum(parts[:half]), self._sum(parts[half:])
        size = min(self.most + 1, len(one) + len(two))
        both = list(range(self.last + 1, self.last + 1 + size))
        self.last += size
        self.limits.tick(size)
        self.sums.append((one, two, both))
        return both

    def clauses(self) -> Iterator[Clause]:
        """At least i of one half and at least j of the other are at least i + j of both; never `most` + 1 of all."""
        for one, two, both in self.sums:
            for i in range(len(one) + 1):
                for j in range(max(0, 1 - i), min(len(two), len(both) - i) + 1):
                    yield (*(-x for x in one[:i][-1:]), *(-x for x in two[:j][-1:]), both[i + j - 1])
        for x in self.total[self.most :]:
            yield (-x,)


Cut = tuple[str, ...]
"""The nodes of a cut as plans write them, in order."""

Edge = tuple[int, str, str]
"""The variable that says that an edge is there, and its two nodes."""


def one_change_each(puzzle: object, metric: str) -> bool:
    """Whether each action of a puzzle sets one value and costs at least 1."""
    if not isinstance(puzzle, ActionPuzzle) or metric not in puzzle.prices:
        return False
    return all(
        len(action.sets) == 1
        and not isinstance(action.sets[0][0], ast.GeneratorExp)
        and _at_least_one(action, puzzle.prices[metric].get(name, False))
        for name, action in puzzle.actions.items()
    )


def only_truths(puzzle: object) -> bool:
    """Whether the values of a puzzle's state are true or false."""
    return isinstance(puzzle, ActionPuzzle) and all(
        table.domain.kind == TRUTH for table in puzzle.names.tables.values() if table.places is not None
    )


def _at_least_one(action: Action, price: ast.expr | bool) -> bool:
    """Whether an action costs at least 1, whatever the state is. A price of True is the action's own cost, of False
    nothing."""
    cost = price if price is not True else action.cost or ast.Constant(1)
    return isinstance(cost, ast.Constant) and type(cost.value) is int and cost.value >= 1


class Endings:
    """The clauses, in order, about plans of at most `at_most`. `loops`: the edges of each `loop(...)`. Raises
    `Unsupported` where they cannot be made, and `Stopped` at a limit."""

    def __init__(self, puzzle: object, metric: str, at_most: int, cuts: list[Cut], limits: Limits) -> None:
        if not isinstance(puzzle, ActionPuzzle) or not one_change_each(puzzle, metric):
            raise Unsupported("clauses about the end of a plan are for actions that each change one value")
        game = ActingGame(puzzle, metric, limits)
        self.limits, self.meaning, self.domains = limits, game.meaning, game.domains
        self.variables = 0
        self.clauses: list[Clause] = []
        self.loops: list[list[Edge]] = []
        # For each value of the state, the literals that say what it is.
        self.said = [self._literals(values) for values in game.domains]
        differ = [-said[value] for said, value in zip(self.said, game.start, strict=True)]
        for first, said in zip(differ, self.said, strict=True):
            others = [is_so for is_so in said.values() if abs(is_so) != abs(first)]
            if others:
                self._add([tuple(said.values()), *((first, -other) for other in others)])
        totals = Totals([differ], len(differ), at_most, self.variables + 1, limits)
        self.variables = totals.last
        self._add(totals.clauses())  # 1
        for node in parted(puzzle.goal):
            self._condition(node)
        nodes = {node for edges in self.loops for _, *ends in edges for node in ends}
        for cut in cuts:
            if not set(cut) <= nodes or tuple(sorted(set(cut))) != cut:
                raise Invalid("a cut has to list nodes of a loop, each once, in order")
            for edges in self.loops:
                self._cut(frozenset(cut), edges)

    def _new(self) -> int:
        self.variables += 1
        return self.variables

    def _literals(self, values: Sequence[Value]) -> dict[Value, int]:
        """For each value of a place the literal of a new variable that says it."""
        if values == (False, True):
            new = self._new()
            return {True: new, False: -new}
        return {value: self._new() for value in values}

    def _add(self, clauses: Iterator[Clause] | list[Clause]) -> None:
        for clause in clauses:
            self.limits.tick(1 + len(clause) // 64)
            self.limits.hold(clause_bytes(clause))
            self.clauses.append(clause)

    def _condition(self, node: ast.expr) -> None:
        term = self.meaning.of_kind(TRUTH, node, {})
        match node:
            case ast.Call(ast.Name("loop"), [ast.GeneratorExp(ast.Tuple([one, other]), loops)], []):
                turns = self.meaning.turns(loops, {})
                self._loop([(w, self.meaning.term(one, it), self.meaning.term(other, it)) for w, it in turns])
            case _:
                for holds in conjuncts(term):
                    self._add([told for told, answer in self._answers(holds) if answer is not True])  # 2

    def _answers(self, run: Run) -> Iterator[tuple[Clause, object]]:
        """What a condition answers, each time with the clause that says that the values are others than it was told."""
        for known, answer in answers(run, self.domains, 1 + self.meaning.size // 64, self.limits):
            yield tuple(-self.said[place][value] for place, value in known.items()), answer

    def _loop(self, turns: list[tuple[Term, Term, Term]]) -> None:
        edges: list[Edge] = []
        at: dict[str, list[int]] = {}
        for when, *ends in turns:
            if any(end.run or end.value is None for end in ends):
                raise Unsupported("the nodes of a loop have to be the same in all states")
            there, (a, b) = self._new(), [written(end.value) for end in ends]  # type: ignore[arg-type]
            self._add([(*told, there if answer is True else -there) for told, answer in self._answers(running(when))])
            edges.append((there, a, b))
            for end in (a, b):
                at.setdefault(end, []).append(there)
        self._add([(-there,) for there, a, b in edges if a == b])
        self._add([tuple(there for there, _, _ in edges)])
        for several in at.values():
            self._add([(-one, *(other for other in several if other != one)) for one in several])
            self._add((-a, -b, -c) for a, b, c in combinations(several, 3))  # 3
        self.loops.append(edges)

    def _cut(self, cut: frozenset[str], edges: list[Edge]) -> None:
        inside, outside = self._new(), self._new()
        across = []
        for there, a, b in edges:
            if a in cut and b in cut:
                self._add([(-there, inside)])
            elif a not in cut and b not in cut:
                self._add([(-there, outside)])
            else:
                across.append(there)
        self._add([(-inside, -outside, *across)])  # 4
