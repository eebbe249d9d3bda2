"""Every action with its objects, as conditions and effects over numbered atoms.

    (drive truck1 a b)    condition: {at truck1 a}                  sets of facts, one of which has to hold
                          effects:   at truck1 b  always            each fact with the ways in which it comes about
                                     not (at truck1 a)  always

Quantifiers, `or`, `imply` and what never changes are gone here; operators (`grounding`) and programs (`programs`) are
made of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...errors import UsageError
from ...task import MAX_OPERATORS
from ...watching import progress_callback
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, conjuncts
from .problem import GroundAtom, Names, Pddl, PddlAction, Truths, bindings, filled, words
from .reaching import LOOK, Instance, reached, split

# Conditions in disjunctive normal form: quantifiers expanded, what never changes decided.
#
#     (and (at t a) (or (free a) (free b)))     [{at t a, free a}, {at t a, free b}]
#
# Atoms are numbered. The fact 2i + 1 says that atom i is true, 2i that it is not. A condition is a list of
# conjunctions, the *ways* in which it is true.

Conjunction = frozenset[int]
"""Facts that all hold."""

Dnf = list[Conjunction]
"""The ways in which a condition is true."""

ALWAYS: Dnf = [frozenset()]
"""The ways of what is true in every state."""


class LargeDnfError(UsageError):
    """A condition falls into more than `MAX_CONJUNCTIONS` ways of being true."""


MAX_CONJUNCTIONS = 5_000
"""The most ways into which one condition is split."""


@dataclass(frozen=True)
class ToDnf:
    """Makes conditions lists of conjunctions. `number`: of each atom that can become true."""

    puzzle: Pddl
    number: Mapping[GroundAtom, int]

    def of(self, condition: Expr, names: Names, yes: bool = True) -> Dnf:
        """The ways in which a condition is true (false, if not `yes`); none if it never is. Raises `LargeDnfError`."""
        match condition:
            case ex.Read(predicate, terms):
                return self.atom((predicate, *filled(words(terms), names)), yes)
            case ex.Compare(_, left, right):
                first, other = filled(words((left, right)), names)
                return ALWAYS if (first == other) == yes else []
            case ex.Use(name, terms):
                definition = self.puzzle.derived[name]
                objects = zip(definition.parameters, filled(words(terms), names), strict=True)
                return self.of(definition.body, {parameter: given for (parameter, _), given in objects}, yes)
            case ex.Membership(inner, members):
                return ALWAYS if (filled(words((inner,)), names)[0] in members) == yes else []
            case ex.Not(inner):
                return self.of(inner, names, not yes)
            case ex.And(parts) | ex.Or(parts):
                return self._joined([self.of(part, names, yes) for part in parts], isinstance(condition, ex.And) == yes)
            case ex.Quantifier(kind, inner, loops):
                operands, every = [], (kind == "all") == yes
                for bound in bindings(loops, names):
                    ways = self.of(inner, bound, yes)
                    if ways != ALWAYS if every else ways:
                        operands.append(ways)
                    elif every == (not ways):
                        return [] if every else ALWAYS
                return self._joined(operands, every)
        raise TypeError(condition)

    def atom(self, atom: GroundAtom, yes: bool) -> Dnf:
        """The ways in which an atom is true, or false: its fact, if that may change."""
        if atom[0] in self.puzzle.steady and atom in self.puzzle.init:  # and stays so
            return ALWAYS if yes else []
        number = self.number.get(atom)
        if number is None:
            return [] if yes else ALWAYS
        return [frozenset((2 * number + yes,))]

    @staticmethod
    def _joined(several: list[Dnf], every: bool) -> Dnf:
        """The ways in which all of some conditions are true, or any of them."""
        if not every:
            return shortest([way for ways in several for way in ways])
        product = ALWAYS
        for ways in sorted(several, key=len):
            product = shortest(
                [met | way for met in product for way in ways if not any(fact ^ 1 in met for fact in way)]
            )
        return product


def shortest(ways: Dnf) -> Dnf:
    """The ways without those that ask for more than another one. Raises `LargeDnfError` for too many."""
    if len(ways) > MAX_CONJUNCTIONS:
        raise LargeDnfError(f"falls into more than {MAX_CONJUNCTIONS:,} ways of being true")
    if len(ways) < 2:
        return ways
    kept: Dnf = []
    for way in sorted(set(ways), key=lambda literals: (len(literals), sorted(literals))):
        if not any(other <= way for other in kept):
            kept.append(way)
    return kept


Effects = list[tuple[int, Dnf]]
"""What an action does: pairs of a fact and the ways in which it comes about. The fact 2i + 1 says that atom i becomes
true, 2i that it becomes false; `ALWAYS` stands for an effect without a condition.
"""


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action with its objects. `conditions`: the ways in which it is possible; `effects`: what it does, where an
    atom that becomes false and true at once is true; `cost`: what it adds to the total cost.
    """

    name: str
    objects: tuple[str, ...]
    conditions: Dnf
    effects: Effects
    cost: int


@dataclass(frozen=True)
class GroundActions:
    """All actions of a problem that can be possible. `atoms`: those that matter, by number; `goal`: clauses of facts,
    all of which must hold; `impossible`: why there is no plan, if that is known.
    """

    puzzle: Pddl
    atoms: Mapping[int, GroundAtom]
    actions: list[GroundAction]
    goal: Dnf
    impossible: str | None


def ground_actions_of(puzzle: Pddl, complete: bool = False, most: int = MAX_OPERATORS) -> GroundActions:
    """The ground actions of a problem; if not `complete`, without atoms that nothing asks for. Raises
    `ManyActionsError` for more than `most`.
    """

    def for_good(atom: GroundAtom) -> bool | None:
        """Whether an atom is true in every state, or false in every state; None if neither is known."""
        if atom[0] in puzzle.static:
            return atom in puzzle.init
        return True if atom[0] in puzzle.steady and atom in puzzle.init else None

    value, known = puzzle.evaluators().evaluator, Truths(for_good)
    relaxed, instances = reached(puzzle, lambda part, names: value(part)(names, known) is False, most)
    atoms = sorted(atom for atom in relaxed if atom[0] not in puzzle.static)
    every = ToDnf(puzzle, {atom: number for number, atom in enumerate(atoms)})
    actions = [action for action in _ground_actions(puzzle, every, instances) if action.conditions]
    try:
        goal, impossible = goal_of(puzzle, every)
    except LargeDnfError as error:
        raise puzzle.error(("goal",), f"the goal {error}", "say it with fewer `or` and `exists`") from None
    grounded = GroundActions(puzzle, dict(enumerate(atoms)), actions, goal, impossible)
    return grounded if complete else relevant(grounded)


def goal_of(puzzle: Pddl, to_dnf: ToDnf) -> tuple[Dnf, str | None]:
    """The goal as clauses: the negation of each way in which it is false."""
    for part in split(puzzle.goal)[0]:
        if not to_dnf.atom(part, True):
            return [], f"the goal asks for `({' '.join(part)})`, which no action can make true"
    return [frozenset(fact ^ 1 for fact in way) for way in to_dnf.of(puzzle.goal, {}, yes=False)], None


def relevant(grounded: GroundActions) -> GroundActions:
    """The ground actions without atoms that nothing asks for. The others keep their numbers."""
    asked = {fact >> 1 for way in grounded.goal for fact in way}
    for action in grounded.actions:
        for ways in (action.conditions, *[ways for _, ways in action.effects]):
            asked.update(fact >> 1 for way in ways for fact in way)
    actions = [
        replace(action, effects=[effect for effect in action.effects if effect[0] >> 1 in asked])
        for action in grounded.actions
    ]
    return replace(
        grounded,
        atoms={number: atom for number, atom in grounded.atoms.items() if number in asked},
        actions=[action for action in actions if action.effects],
    )


def _ground_actions(puzzle: Pddl, to_dnf: ToDnf, instances: Iterable[Instance]) -> Iterator[GroundAction]:
    """The ground actions of instances; those that are never possible have no way in their condition."""
    conditions = {action.name: ex.And(tuple(conjuncts(action.precondition))) for action in puzzle.actions}
    on_progress = progress_callback()
    for number, (action, names) in enumerate(instances, 1):
        if number % LOOK == 0:
            on_progress(number, "actions with their conditions")
        try:
            ways = to_dnf.of(conditions[action.name], names)
            effects = _effects(to_dnf, action, names) if ways else []
        except LargeDnfError as error:
            message = f"a condition of the action `{action.name}` {error}"
            hint = "say it with fewer `or`, `exists` and `when`"
            raise puzzle.error(("action", action.name), message, hint) from None
        yield GroundAction(action.name, tuple(names.values()), ways, effects, puzzle.price(action, names))


def _effects(to_dnf: ToDnf, action: PddlAction, names: dict[str, str]) -> Effects:
    made: dict[int, Dnf] = {}
    for effect in action.effects:
        for bound in bindings(effect.variables, names):
            atom = to_dnf.number.get(filled(effect.atom, bound))
            if atom is not None and (ways := to_dnf.of(effect.condition, bound)):
                made.setdefault(2 * atom + effect.makes, []).extend(ways)
    certain = {fact for fact, ways in made.items() if frozenset() in ways}
    return [
        (fact, ALWAYS if fact in certain else ways)
        for fact, ways in sorted(made.items())
        if fact & 1 or fact + 1 not in certain
    ]
