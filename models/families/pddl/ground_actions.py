"""Every action with its objects that can ever be possible, as conditions and effects over numbered atoms.

    (drive truck1 a b)    condition: {at truck1 a}                  sets of facts, one of which has to hold
                          effects:   at truck1 b  always            each fact with the ways in which it comes about
                                     not (at truck1 a)  always

Quantifiers, `or`, `imply` and what never changes are gone here; operators (`grounding`) and programs (`programs`) are
made of this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod

from ...errors import GroundingError, UsageError
from ...task import MAX_OPERATORS
from ...watching import progress_callback
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, Loop, conjuncts
from .problem import Atom, GroundAtom, Names, Pddl, PddlAction, Truths, atom_of, bindings, filled, known, words

# Which actions can ever be possible, and which atoms ever true: relaxed reachability.
#
# Nothing ever becomes false in the relaxation: atoms that are asked to be false are taken for false, unless they are
# true for good. Actions and conditional effects are rules, whose heads are the atoms that they make true; each new atom
# is a seed for the rules that ask for it (semi-naive evaluation, as in Datalog). What is found is a superset of what is
# possible.

# Finding all objects for which some atoms are there: joins, as databases make them, with an index for each question.
#
# An action `(drive ?t ?a ?b)` that asks `(at ?t ?a)` and `(road ?a ?b)` is tried with what is there, not with all
# trucks and pairs of places: for each atom `at`, the atoms `road` that begin with its place (Helmert, *Concise
# finite-domain representations for PDDL planning tasks*, 2009, section 6, on grounding by queries).

Slots = list[str]
"""The objects of the terms of a question, by number: first its variables, then its constants."""

Next = Callable[[Slots], None]
"""What is done with variables that are bound so far."""

Pairs = list[tuple[int, int]]
"""Places of an atom, each with the slot that stands there, or with the place whose object it must equal."""

Same = tuple[str, str, bool]
"""Two terms, and whether they must be equal (or else must differ)."""


@dataclass
class Atoms:
    """Atoms that are there, and for each question that is asked an index: those of a predicate with given objects at
    given places.
    """

    indexes: dict[str, dict[tuple[int, ...], dict[tuple[str, ...], list[GroundAtom]]]] = field(default_factory=dict)

    def add(self, atom: GroundAtom) -> None:
        """Add an atom that was not there."""
        self.index(atom[0], ())
        for places, by_objects in self.indexes[atom[0]].items():
            by_objects.setdefault(tuple([atom[place] for place in places]), []).append(atom)

    def index(self, predicate: str, places: tuple[int, ...]) -> dict[tuple[str, ...], list[GroundAtom]]:
        """The atoms of a predicate by their objects at some places (1 is the first); it grows with the atoms."""
        indexes = self.indexes.setdefault(predicate, {(): {}})
        if places not in indexes:
            indexes[places] = {}
            for atom in indexes[()].get((), ()):
                indexes[places].setdefault(tuple([atom[place] for place in places]), []).append(atom)
        return indexes[places]


@dataclass
class Query:
    """Variables, atoms that must be there, and pairs of terms that must be equal, or must differ (`same`)."""

    atoms: Atoms
    variables: Sequence[Loop]
    asked: Sequence[Atom]
    same: Sequence[Same] = ()
    current: GroundAtom | None = None

    def __post_init__(self) -> None:
        names = [variable.name for variable in self.variables]
        terms = [term for one, other, _ in self.same for term in (one, other)]
        terms += [term for atom in self.asked for term in atom[1:]]
        self.slot = {term: number for number, term in enumerate(dict.fromkeys((*names, *terms)))}
        self.constants = [*self.slot][len(names) :]
        self.allowed = [dict.fromkeys(map(str, variable.values)) for variable in self.variables]

    def start(self) -> Slots:
        """The slots before anything is bound."""
        return [""] * len(self.variables) + self.constants

    def plan(self, last: Next, seed: int | None = None) -> Next:
        """Compile the join: a function that is given the slots at the start, and calls `last` with each answer, all
        variables filled in.

        `seed`: the number of an asked atom that is to be the newest one, `current`, as in semi-naive evaluation. Atoms
        asked before it may not be that one, so each answer is found once: when the last of its atoms comes.
        """
        filled = set(range(len(self.variables), len(self.slot)))
        steps: list[Callable[[Next], Next]] = []
        tests = [(self.slot[one], self.slot[other], same) for one, other, same in self.same]
        waiting = [*range(len(self.asked))]
        while True:
            for test in [other for other in tests if filled.issuperset(other[:2])]:
                tests.remove(test)
                steps.append(partial(_tested, *test))
            if waiting:
                number = seed if seed in waiting else min(waiting, key=lambda n: self._effort(n, filled))
                assert number is not None
                waiting.remove(number)
                steps.append(partial(self._joined, *self._parts(number, filled), number, seed))
            elif (number := next((n for n in range(len(self.variables)) if n not in filled), None)) is not None:
                filled.add(number)
                steps.append(partial(self._enumerated, number))
            else:
                break
        for step in reversed(steps):
            last = step(last)
        return last

    def _effort(self, number: int, filled: set[int]) -> float:
        """About how many atoms fit what is known: what is asked next has fewest. Of a predicate whose atoms are not
        there yet, as many as there are combinations of objects for the variables that are open.
        """
        predicate, *terms = self.asked[number]
        missing = {self.slot[term] for term in terms} - filled
        count = len(self.atoms.index(predicate, ()).get((), ()))
        if not missing or not count:
            return prod(len(self.allowed[slot]) for slot in missing) if missing else 0
        places = tuple(place for place, term in enumerate(terms, 1) if self.slot[term] not in missing)
        return count / len(self.atoms.index(predicate, places))

    def _parts(self, number: int, filled: set[int]) -> tuple[Pairs, Pairs, Pairs]:
        """The places of an atom whose slot is filled; those that bind a slot; and those that must equal another one."""
        given: Pairs = []
        equal: Pairs = []
        binds: dict[int, int] = {}
        for place, term in enumerate(self.asked[number][1:], 1):
            slot = self.slot[term]
            if slot in filled:
                given.append((place, slot))
            elif slot in binds:
                equal.append((place, binds[slot]))
            else:
                binds[slot] = place
        filled.update(binds)
        return given, [(place, slot) for slot, place in binds.items()], equal

    def _joined(self, given: Pairs, binds: Pairs, equal: Pairs, number: int, seed: int | None, then: Next) -> Next:
        """Bind slots to the objects of each atom that is there, or of the newest one (`seed`), if their types allow
        it.
        """
        index = self.atoms.index(self.asked[number][0], tuple(place for place, _ in given))
        known = [slot for _, slot in given]
        allowed = [(place, slot, self.allowed[slot]) for place, slot in binds]
        newest, older = number == seed, seed is not None and number < seed

        def joined(slots: Slots) -> None:
            current = self.current
            if newest:
                assert current is not None
                candidates = [current] if all(current[place] == slots[slot] for place, slot in given) else []
            else:
                candidates = index.get(tuple([slots[slot] for slot in known]), [])
            for atom in candidates:
                if older and atom is current:
                    continue
                for place, slot, objects in allowed:
                    if atom[place] not in objects:
                        break
                    slots[slot] = atom[place]
                else:
                    if not equal or all(atom[first] == atom[other] for first, other in equal):
                        then(slots)

        return joined

    def _enumerated(self, number: int, then: Next) -> Next:
        def enumerated(slots: Slots) -> None:
            for name in self.allowed[number]:
                slots[number] = name
                then(slots)

        return enumerated


def _tested(one: int, other: int, same: bool, then: Next) -> Next:
    def tested(slots: Slots) -> None:
        if (slots[one] == slots[other]) == same:
            then(slots)

    return tested


LOOK = 500
"""Atoms and instances between two looks at the clock."""


Instance = tuple[PddlAction, dict[str, str]]
"""An action with the object of each of its parameters, in order."""


def split(condition: Expr) -> tuple[list[Atom], list[Same], list[Expr]]:
    """What a condition asks for: atoms that must be true, terms that must be equal or not, and what is left."""
    atoms: list[Atom] = []
    same: list[Same] = []
    rest: list[Expr] = []
    for part in conjuncts(condition):
        match part:
            case ex.Read():
                atoms.append(atom_of(part))
            case ex.Compare(_, left, right) | ex.Not(ex.Compare(_, left, right)):
                one, other = words((left, right))
                same.append((one, other, isinstance(part, ex.Compare)))
            case _:
                rest.append(part)
    return atoms, same, rest


class ManyActionsError(GroundingError):
    """More actions are possible than are wanted."""


def reached(
    puzzle: Pddl, impossible: Callable[[Expr, dict[str, str]], bool], most: int
) -> tuple[Iterable[GroundAtom], list[Instance]]:
    """The atoms that can become true, those of the start among them, and the actions that can become possible.

    `impossible(condition, names)` says whether a condition is false for good.

    Raises `ManyActionsError` for more instances than `most`, `GroundingError` for a join that is too long: a call
    stands inside another for each parameter and each condition.
    """
    try:
        return _Reaching(puzzle, impossible, most).result()
    except RecursionError:
        longest = max(puzzle.actions, key=lambda each: len(each.parameters) + 2 * len(split(each.precondition)[0]))
        message = "has more parameters or conditions than can be matched; 400 are no trouble"
        raise puzzle.error(("action", longest.name), message, "split it into several actions") from None


class _Reaching:
    def __init__(self, puzzle: Pddl, impossible: Callable[[Expr, dict[str, str]], bool], most: int) -> None:
        self.puzzle, self.impossible, self.most = puzzle, impossible, most
        self.atoms = Atoms()
        self.instances: list[Instance] = []
        self.waiting: list[GroundAtom] = []
        self.met: set[GroundAtom] = set()
        self.seeds: dict[str, list[tuple[Query, Next]]] = {}
        self.on_progress = progress_callback()
        for atom in sorted(puzzle.init):
            if atom[0] in puzzle.static:
                self.atoms.add(atom)
                self.met.add(atom)
        self.at_once = [rule for action in puzzle.actions for rule in self._rules(action)]

    def result(self) -> tuple[Iterable[GroundAtom], list[Instance]]:
        for atom in sorted(self.puzzle.init):
            self._reach(atom)
        for query, rule in self.at_once:
            rule(query.start())
        for number, atom in enumerate(self.waiting):  # it grows
            if number % LOOK == 0:
                self.on_progress(len(self.instances), "actions")
            self.atoms.add(atom)
            for query, rule in self.seeds.get(atom[0], ()):
                query.current = atom
                rule(query.start())
        return self.met, self.instances

    def _reach(self, atom: GroundAtom) -> None:
        if atom not in self.met:
            self.met.add(atom)
            self.waiting.append(atom)

    def _rules(self, action: PddlAction) -> Iterator[tuple[Query, Next]]:
        """The rules of an action that ask for no atom that changes; the others are kept by the predicates of those."""
        made = [effect for effect in action.effects if effect.makes]
        certain = [effect.atom for effect in made if effect.certain]
        yield from self._rule(action, (), action.precondition, certain, True)
        for effect in made:
            if not effect.certain:
                both = ex.And((action.precondition, effect.condition))
                yield from self._rule(action, effect.variables, both, [effect.atom], False)

    def _rule(
        self, action: PddlAction, more: tuple[Loop, ...], condition: Expr, heads: list[Atom], instances: bool
    ) -> Iterator[tuple[Query, Next]]:
        """One rule for each atom of its condition that may come last. `more`: variables beside the parameters;
        `instances`: whether it is the rule of the action itself, or of an effect.
        """
        variables = (*action.parameters, *more)
        names = [variable.name for variable in variables]
        atoms, same, rest = split(condition)

        def last(slots: Slots) -> None:
            bound = dict(zip(names, slots, strict=False))
            if any(self.impossible(part, bound) for part in rest):
                return
            if instances:
                self._add((action, bound))
            for head in heads:
                self._reach(filled(head, bound))

        query = Query(self.atoms, variables, atoms, same)
        changing = [number for number, atom in enumerate(atoms) if atom[0] not in self.puzzle.static]
        if not changing:
            yield query, query.plan(last)
        for number in changing:
            self.seeds.setdefault(atoms[number][0], []).append((query, query.plan(last, number)))

    def _add(self, instance: Instance) -> None:
        self.instances.append(instance)
        if len(self.instances) % LOOK == 0:
            self.on_progress(len(self.instances), "actions")
            if len(self.instances) > self.most:
                message = f"more than {self.most:,} actions are possible"
                raise ManyActionsError(self.puzzle.error(("problem",), message, "use a smaller problem").problems)


# Pairs of facts that are never true together, the negations of atoms among them: reachability of pairs, h^2.
#
# A pair is *met* if it is true at the start, or some step that can happen makes it true: it makes both facts true, or
# one of them, while the other can be true beside all that it needs and stays (Haslum and Geffner, *Admissible
# heuristics for optimal planning*, 2000; with negations as Alcázar and Torralba, *A reminder about the importance of
# computing and exploiting invariants in planning*, 2015). The facts met beside a fact are the bits of one large
# number.

FactStep = tuple[Collection[int], Collection[int]]
"""The facts that a step needs, and those that hold after it whatever was before (2i + 1: atom i, 2i: not)."""

MAX_WORK = 1_500_000_000
"""Pairs are looked for in tasks of at most so many facts times steps: some 20 seconds."""


def apart(
    atoms: int, init: Iterable[int], steps: Sequence[FactStep], look: Callable[[int, str], None]
) -> list[int] | None:
    """Of each fact, as bits, the facts that are never true together with it; None if that is too much work. `init`: the
    atoms that are true at the start; `look` is called now and then.
    """
    size = 2 * atoms
    if size * len(steps) > MAX_WORK:
        return None
    start = _bits(range(0, size, 2)) ^ _bits(fact for atom in init for fact in (2 * atom, 2 * atom + 1))
    beside = [start if start >> fact & 1 else 0 for fact in range(size)]
    read = [(needed, _bits(needed), made, _bits(made), _bits([fact ^ 1 for fact in made])) for needed, made in steps]
    last = [-1] * len(read)  # of each step: what could be true beside all that it needs
    reached = news = start
    while news:  # the facts of pairs that were met in the round before and in this one
        older, news = news, 0
        for n, (needed, asked, made, true, gone) in enumerate(read):
            if not n % LOOK:
                look(n, "pairs of facts")
            if asked and not asked & (news | older):
                continue
            kept = reached
            for fact in needed:
                kept &= beside[fact]
            if asked & ~kept or kept == last[n]:
                continue
            last[n] = kept
            kept = kept & ~gone | true
            reached |= true
            for fact in made:
                new = kept & ~beside[fact]
                beside[fact] |= new
                if new:
                    news |= new | 1 << fact
                while new:
                    other = new.bit_length() - 1
                    beside[other] |= 1 << fact
                    new ^= 1 << other
    every = (1 << size) - 1
    return [every ^ row for row in beside]


def _bits(facts: Iterable[int]) -> int:
    bits = 0
    for fact in facts:
        bits |= 1 << fact
    return bits


# Every action with its objects, as conditions and effects.

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
                return self.joined([self.of(part, names, yes) for part in parts], isinstance(condition, ex.And) == yes)
            case ex.Quantifier(kind, inner, loops):
                operands, every = [], (kind == "all") == yes
                for bound in bindings(loops, names):
                    ways = self.of(inner, bound, yes)
                    if ways != ALWAYS if every else ways:
                        operands.append(ways)
                    elif every == (not ways):
                        return [] if every else ALWAYS
                return self.joined(operands, every)
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
    def joined(several: list[Dnf], every: bool) -> Dnf:
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
    atom that becomes false and true at once is true; `cost`: what it adds to the total cost, or why that is not known.
    """

    name: str
    objects: tuple[str, ...]
    conditions: Dnf
    effects: Effects
    cost: int | GroundingError

    @property
    def paid(self) -> int:
        """What it adds to the total cost. Raises `GroundingError` if that is not known."""
        return known(self.cost)


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

    value, sure = puzzle.evaluators().evaluator, Truths(for_good)
    relaxed: Iterable[GroundAtom]
    instances: list[Instance]
    if puzzle.translated:  # the translator has left out what is not reached
        made = {effect.atom for action in puzzle.actions for effect in action.effects if effect.makes}
        relaxed, instances = puzzle.init | made, [(action, {}) for action in puzzle.actions]
    else:
        relaxed, instances = reached(puzzle, lambda part, names: value(part)(names, sure) is False, most)
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
    """The ground actions without atoms that nothing asks for; the others keep their numbers. Of a variable of `.sas`
    all values are kept if one is asked for.
    """
    asked = {fact >> 1 for way in grounded.goal for fact in way}
    for action in grounded.actions:
        for ways in (action.conditions, *[ways for _, ways in action.effects]):
            asked.update(fact >> 1 for way in ways for fact in way)
    number = {atom: n for n, atom in grounded.atoms.items()} if grounded.puzzle.exclusive else {}
    for several in grounded.puzzle.exclusive:
        members = {number[atom] for atom in several & number.keys()}
        asked |= members if members & asked else set()
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
            priced = _priced(to_dnf, action, names, ways)
        except LargeDnfError as error:
            message = f"a condition of the action `{action.name}` {error}"
            hint = "say it with fewer `or`, `exists` and `when`"
            raise puzzle.error(("action", action.name), message, hint) from None
        for case, cost in priced:
            yield GroundAction(action.name, tuple(names.values()), case, effects, cost)


MAX_PRICES = 64
"""The most cases into which an action falls whose cost depends on what is true."""


def _priced(to_dnf: ToDnf, action: PddlAction, names: Names, ways: Dnf) -> list[tuple[Dnf, int | GroundingError]]:
    """The ways in which an action is possible, each case with what it costs there. Raises `LargeDnfError` for more
    than `MAX_PRICES`.
    """
    cases: list[tuple[Dnf, int | GroundingError]] = [(ways, 0)] if ways else []
    for amount, condition, bound in to_dnf.puzzle.prices(action, names):
        yes, no = to_dnf.of(condition, bound), to_dnf.of(condition, bound, yes=False)
        several = []
        for conditions, cost in cases:
            several.append(
                (conditions if yes == ALWAYS else to_dnf.joined([conditions, yes], True), _sum(cost, amount))
            )
            several += [(to_dnf.joined([conditions, no], True), cost)] if no else []
        cases = [case for case in several if case[0]]
        if len(cases) > MAX_PRICES:
            raise LargeDnfError(f"falls into more than {MAX_PRICES} cases of what the action costs")
    return cases


def _sum(cost: int | GroundingError, amount: int | GroundingError) -> int | GroundingError:
    if isinstance(cost, int) and isinstance(amount, int):
        return cost + amount
    return amount if isinstance(cost, int) else cost


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
