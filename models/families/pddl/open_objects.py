"""Actions with open parameters: those whose objects the state decides, as of a card that stands on a place.

    (move ?card ?next ?p ?q) that needs (at ?card ?p), (at ?next ?q), (beside ?p ?q)

With `?card` and `?next` open it is one step for each two places, and not one for each two cards on them. Open are the
parameters of those kinds with which the fewest conditions are left. Parameters that stand together in a condition are
one *part*, whose objects are listed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations
from math import prod

from .dnf import Conjunction
from .exact_sets import ExactSets, NoMovesError
from .ground_actions import cost_of
from .matching import Atoms, Query, Slots
from .problem import AtomOf, Formula, Junction, Negation, PddlAction, SameObject, TypedName, conjuncts, filled

MOST_STEPS = 20_000
"""An action has fewer steps than this, times the choices of objects in each: 49 * 49 with 49 cards are too many."""


MOST_KINDS = 4
"""The most parameter types that are tried as open, in every combination: cards, places, cards and places."""


class _EnoughError(Exception):
    """Ends a search for objects, once `MOST_STEPS` were found."""


@dataclass(frozen=True, slots=True)
class OpenParameters:
    """Open parameters that conditions tie together. `choices`: their objects, with the facts that these need."""

    names: tuple[str, ...]
    choices: list[tuple[tuple[str, ...], Conjunction]]


@dataclass(frozen=True, slots=True)
class Step:
    """An action with objects for all but its open parameters. `facts`: those that it needs whatever these are."""

    action: PddlAction
    names: dict[str, str]
    facts: Conjunction
    parts: list[OpenParameters]
    cost: int


class Steps:
    """Finds the steps of actions over the atoms of a problem. Raises `NoMovesError` for conditional effects, and for
    conditions that are no conjunction.
    """

    def __init__(self, sets: ExactSets) -> None:
        self.sets, self.puzzle = sets, sets.puzzle
        self.static = Atoms()
        for atom in sorted(self.puzzle.init):
            if atom[0] in self.puzzle.static:
                self.static.add(atom)

    def of(self, action: PddlAction) -> Iterator[Step]:
        """The actions of a schema, with those parameters open for which the fewest conditions are left in all."""
        asked = list(conjuncts(action.precondition))
        simple = all(isinstance(_inner(part), AtomOf | SameObject) for part in asked)
        if not simple or any(e.variables or e.condition != Junction(True, ()) for e in action.effects):
            raise NoMovesError
        tied = [{term for term in _terms(part) if term.startswith("?")} for part in asked]
        deciding = {
            term
            for part in asked
            if isinstance(part, AtomOf) and part.predicate not in self.puzzle.static
            for term in part.terms
        }
        objects = {parameter.name: parameter.objects for parameter in action.parameters}
        kinds = list(dict.fromkeys(objects[name] for name in objects if name in deciding))[:MOST_KINDS]
        best: tuple[int, list[tuple[str, ...]]] | None = None
        for several in chain.from_iterable(combinations(kinds, n) for n in range(len(kinds) + 1)):
            opened = _tied([name for name in objects if name in deciding and objects[name] in several], tied)
            closed = self._closed(action, opened, asked)
            size = len(closed) * max(1, sum(prod(len(objects[name]) for name in part) for part in opened))
            if size < MOST_STEPS and (best is None or size <= best[0]):
                best = size, opened
        if best is None:
            raise NoMovesError
        yield from self._bound(action, best[1], asked)

    def _closed(
        self, action: PddlAction, opened: list[tuple[str, ...]], asked: Sequence[Formula]
    ) -> list[dict[str, str]]:
        """The objects of all parameters but the open ones, for which all holds that never changes."""
        closed = [parameter for parameter in action.parameters if not any(parameter.name in part for part in opened)]
        return self._matches(closed, {}, asked)

    def _bound(self, action: PddlAction, opened: list[tuple[str, ...]], asked: Sequence[Formula]) -> Iterator[Step]:
        if any(term in part for cost in action.costs for term in cost.terms for part in opened):
            raise NoMovesError
        for names in self._closed(action, opened, asked):
            facts = self._facts(asked, names, ())
            if facts is None:
                continue
            parts = []
            for several in opened:
                variables = [parameter for parameter in action.parameters if parameter.name in several]
                choices = []
                for more in self._matches(variables, names, asked):
                    needed = self._facts(asked, more, several)
                    if needed is not None:
                        choices.append((tuple(more[name] for name in several), needed))
                parts.append(OpenParameters(several, choices))
            if all(part.choices for part in parts):
                yield Step(action, names, facts, parts, cost_of(self.puzzle, action, names))

    def _matches(
        self, variables: Sequence[TypedName], names: dict[str, str], asked: Sequence[Formula]
    ) -> list[dict[str, str]]:
        """The objects of some variables, beside those known, for which all holds that never changes: at most
        `MOST_STEPS` of them.
        """
        listed = [variable.name for variable in variables]
        atoms, same = list[AtomOf](), list[tuple[SameObject, bool]]()
        for part in asked:
            inner, terms = _inner(part), tuple(names.get(term, term) for term in _terms(part))
            if any(term.startswith("?") and term not in listed for term in terms):
                continue
            if isinstance(inner, SameObject):
                same.append((SameObject(*terms), part is inner))
            elif part is inner and isinstance(inner, AtomOf) and inner.predicate in self.puzzle.static:
                atoms.append(AtomOf(inner.predicate, terms))
        matches: list[dict[str, str]] = []

        def last(slots: Slots) -> None:
            matches.append({**names, **dict(zip(listed, slots, strict=True))})
            if len(matches) >= MOST_STEPS:
                raise _EnoughError

        with suppress(_EnoughError):
            Query(self.static, variables, atoms, same).plan((), last)([""] * len(listed))
        return matches

    def _facts(self, asked: Sequence[Formula], names: dict[str, str], of: Sequence[str]) -> Conjunction | None:
        """The facts that conditions need that name some variables of `of` (with none, those that name no open ones);
        None if one is false for good.
        """
        needed = set()
        for part in asked:
            inner = _inner(part)
            if not isinstance(inner, AtomOf):
                continue
            open_terms = [term for term in inner.terms if term.startswith("?") and (term not in names or term in of)]
            if any(term not in names for term in open_terms) or bool(open_terms) != bool(of):
                continue
            atom, yes = filled(inner, names), part is inner
            if inner.predicate in self.puzzle.static:
                if (atom in self.puzzle.init) != yes:
                    return None
            elif atom not in self.sets.number:
                if yes:
                    return None
            else:
                needed.add(2 * self.sets.number[atom] + yes)
        way = frozenset(needed)
        return None if any(fact ^ 1 in way for fact in way) else way


def _inner(part: Formula) -> Formula:
    """A condition without its `not`."""
    return part.inner if isinstance(part, Negation) else part


def _terms(part: Formula) -> tuple[str, ...]:
    """The variables and objects of an atom or a comparison."""
    inner = _inner(part)
    if isinstance(inner, AtomOf):
        return inner.terms
    return (inner.left, inner.right) if isinstance(inner, SameObject) else ()


def _tied(names: Sequence[str], tied: Sequence[set[str]]) -> list[tuple[str, ...]]:
    """Names in parts: those that stand together in a set of `tied` are in one part."""
    parts: list[set[str]] = [{name} for name in names]
    for several in tied:
        together = [part for part in parts if not part.isdisjoint(several)]
        if len(together) > 1:
            parts = [part for part in parts if part not in together] + [set().union(*together)]
    return [tuple(name for name in names if name in part) for part in parts]
