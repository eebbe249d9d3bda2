"""Planning problems in PDDL: two texts are read, and their actions become those that `acting` plays.

A state has the truth of each atom that changes. There is an action for all objects with which it may become possible;
its conditions and effects are terms, as those of custom rules (`terms`): a quantifier has a term for each object.

Lists are nested tuples of words in small letters. Every atom has to be of a declared predicate, so nothing that is not
known here is taken for a condition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from textwrap import wrap
from typing import Any

from .acting import Change, GroundAction, GroundGame, Rule
from .core.limits import Invalid, Limits, Unsupported
from .core.problem import Cost
from .terms import (
    FALSE,
    NO,
    NUMBER,
    TRUE,
    TRUTH,
    YES,
    OneOf,
    Run,
    Term,
    Value,
    choice,
    conjuncts,
    every,
    lifted,
    negated,
    some,
)

Atom = tuple[str, ...]
Names = Mapping[str, str]
Variables = tuple[tuple[str, tuple[str, ...]], ...]
"""Parameters, each with its objects."""

EXACT = 1 << 53
"""Numbers that are read are below this: larger ones may be rounded."""

MAX_DEPTH = 100
ACTIONS, COST = "actions", "cost"
STEPS, TOTAL = "total-time", "total-cost"
"""What a metric minimizes: the number of actions, as none takes time; what they cost, by its usual name."""
RESERVED = frozenset(("and", "or", "not", "imply", "forall", "exists", "when", "increase"))


@dataclass(frozen=True)
class PddlAction:
    """An action as it stands, and its costs: numbers, or terms of which the problem gives the number."""

    parameters: Variables
    condition: Any
    effect: Any


@dataclass(frozen=True)
class PddlPuzzle:
    """A domain with a problem. `said`: both as lists, by which two puzzles are the same or not; `static`: the atoms
    that no action changes.
    """

    said: tuple[Any, Any]
    rows: tuple[str, ...] = field(compare=False)
    objects: dict[str, tuple[str, ...]] = field(compare=False)
    predicates: dict[str, int] = field(compare=False)
    actions: dict[str, PddlAction] = field(compare=False)
    static: frozenset[Atom] = field(compare=False)
    start: frozenset[Atom] = field(compare=False)
    values: dict[Atom, int] = field(compare=False)
    goal: Any = field(compare=False)
    priced: bool = field(compare=False)

    def counted(self, metric: str) -> str | None:
        """The units of a metric; None if the puzzle does not have this metric."""
        known = (ACTIONS, COST, f"{COST},{ACTIONS}") if self.priced else (ACTIONS,)
        return metric if metric in known else None

    def cost(self, plan: str, metric: str, file: str, limits: Limits) -> Cost:
        """Replay a plan, an action on each line as `sail(left,right)`, and count. Raises `Invalid` at an action that is
        not possible, or if the goal is not met.
        """
        return PddlGame(self, metric, limits).replayed(plan, file)


class PddlGame(GroundGame):
    """A problem in one metric: each action with all objects with which it may become possible.

    `places`: where a state has the truth of an atom that may change.
    """

    def __init__(self, puzzle: PddlPuzzle, metric: str, limits: Limits) -> None:
        super().__init__(metric, limits)
        self.puzzle = puzzle
        self.changed = {name for action in puzzle.actions.values() for name, _ in touched(action.effect)}
        self.places: dict[Atom, int] = {}
        self.truths: list[Term] = []
        self.read: set[int] = set()
        self.ground(self._rule(name, action) for name, action in puzzle.actions.items())
        self.goal = [one for part in _conjuncts(puzzle.goal) for one in conjuncts(self.term(part, {}))]
        self.start = bytes(atom in puzzle.start for atom in self.places)
        self.domains, self.size = [(False, True)] * len(self.places), 100 + len(self.places)
        self.names = {".".join(atom): place for atom, place in self.places.items()}

    def _rule(self, name: str, action: PddlAction) -> Rule:
        """An action before it has objects: its parameters in the order in which most of its atoms are soon known."""
        tests = [(part, set(_variables(part))) for part in _conjuncts(action.condition)]
        left, known = dict(action.parameters), set[str]()
        ordered = []
        while left:
            best = max(left, key=lambda one: sum(names <= {*known, one} and one in names for _, names in tests))
            known.add(best)
            ordered.append((best, left.pop(best)))
        return Rule(name, action, ordered, tests)

    def condition(self, node: Any, local: Names) -> Term:
        """A condition as a term."""
        return self.term(node, local)

    def made(self, rule: Rule, local: Names, met: tuple[Run, ...]) -> tuple[str, GroundAction]:
        """The action with these objects, and its text in plans."""
        objects = [local[name] for name, _ in rule.source.parameters]
        return f"{rule.name}({','.join(objects)})" if objects else rule.name, self._act(rule.source, local, met)

    def _bindings(self, variables: Variables, names: Names) -> Iterator[Names]:
        for objects in product(*[able for _, able in variables]):
            self.limits.tick()
            yield {**names, **{name: one for one, (name, _) in zip(objects, variables, strict=True)}}

    # Conditions and effects as terms

    def term(self, condition: Any, names: Names) -> Term:
        """A condition as a term (`terms`), with objects for its variables."""
        self.limits.tick()
        match condition:
            case ("and" | "or" as word, *parts):
                return (every if word == "and" else some)([self.term(part, names) for part in parts])
            case ("not", part):
                return negated(self.term(part, names))
            case ("imply", one, other):
                return some([negated(self.term(one, names)), self.term(other, names)])
            case ("=", one, other):
                return Term(TRUTH, names.get(one, one) == names.get(other, other))
            case ("forall" | "exists" as word, variables, inner):
                parts = [self.term(inner, bound) for bound in self._bindings(variables, names)]
                self.limits.hold(100 * len(parts))
                return (every if word == "forall" else some)(parts)
        atom = _filled(condition, names)
        if atom[0] not in self.changed:
            return Term(TRUTH, atom in self.puzzle.static)
        self.read.add(place := self._place(atom))
        return self.truths[place]

    def _place(self, atom: Atom) -> int:
        if atom not in self.places:
            self.limits.hold(800)
            place = self.places[atom] = len(self.places)
            self.truths.append(Term(TRUTH, run=OneOf(((place, YES),), NO), values=(False, True), place=place))
            self.atoms[place] = atom
            self.reached.append({atom in self.puzzle.start})
        return self.places[atom]

    def _act(self, action: PddlAction, names: Names, conditions: tuple[Run, ...]) -> GroundAction:
        """An action with its objects."""
        ways: dict[int, tuple[list[Term], list[Term]]] = {}
        paid = [Term(NUMBER, 0)]
        for when, what, makes in self._effects(action.effect, names, TRUE):
            if makes is None:
                paid.append(choice(when, Term(NUMBER, what), Term(NUMBER, 0)))
            elif not when.never:
                ways.setdefault(self._place(what), ([], []))[not makes].append(when)
        changes = []
        for place, (gains, losses) in ways.items():
            gain = some(gains)  # what is made true and false at once is true (Fox and Long, PDDL2.1, 2003)
            for term, value in ((gain, TRUE), (every([some(losses), negated(gain)]), FALSE)):
                if not term.never:
                    changes.append(Change(term.run, place, value, BOTH))
        self.limits.hold(1000 + 300 * (len(conditions) + len(changes)))
        price = lifted(NUMBER, lambda *parts: sum(parts), *paid)
        prices = tuple(price if part == COST else Term(NUMBER, 1) for part in self.metric.split(","))
        return GroundAction(conditions, tuple(changes), (), prices)

    def _effects(self, effect: Any, names: Names, when: Term) -> Iterator[tuple[Term, Any, bool | None]]:
        """Each atom that an effect makes true or false, and each price (None), with its condition."""
        self.limits.tick()
        match effect:
            case ("and", *parts):
                for part in parts:
                    yield from self._effects(part, names, when)
            case ("forall", variables, inner):
                for bound in self._bindings(variables, names):
                    yield from self._effects(inner, bound, when)
            case ("when", condition, inner):
                yield from self._effects(inner, names, every([when, self.term(condition, names)]))
            case ("increase", _, amount):
                value = _number(amount) if isinstance(amount, str) else self.puzzle.values.get(_filled(amount, names))
                yield when, value, None
            case ("not", atom):
                yield when, _filled(atom, names), False
            case _:
                yield when, _filled(effect, names), True


BOTH = frozenset[Value]((False, True))


def read(fields: dict[str, Any], file: str, limits: Limits) -> PddlPuzzle:
    """Read the texts `domain` and `problem` of a puzzle file. Raises `Rejected`."""
    texts = []
    for key in ("domain", "problem"):
        text = fields.get(key)
        if not isinstance(text, str) or "(" not in text:
            raise Invalid(f"`{key}` has to be the text of a file of PDDL", file)
        texts.append(_lists(text, file, limits))
    return _Reader(texts[0], texts[1], file).puzzle()


def _lists(text: str, file: str, limits: Limits) -> Any:
    """The list that a text is. Raises `Invalid`."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|-(?=[a-z])|\??[^\s()?]+|\?", re.sub(r";[^\n]*", "", text.lower())):
        limits.tick()
        limits.hold(100)
        if word == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                raise Unsupported(f"{file}: more than {MAX_DEPTH} brackets stand in each other")
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            closed = tuple(stack.pop())
            stack[-1].append(closed)
        else:
            raise Invalid("a bracket is closed that is not open", file)
    if len(stack) != 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], tuple):
        raise Invalid("one list in brackets is wanted", file)
    return stack[0][0]


class _Reader:
    """Reads a domain and a problem that are lists."""

    KNOWN = frozenset((":requirements", ":types", ":constants", ":predicates", ":functions", ":action"))
    SECTIONS = frozenset((":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length"))

    def __init__(self, domain: Any, problem: Any, file: str) -> None:
        self.file, self.said = file, (domain, problem)
        try:
            (_, (what, _), *parts), (_, (which, _), *sections) = domain, problem
            if (what, which) != ("domain", "problem"):
                raise ValueError
            self.parts = [(part[0], part[1:]) for part in parts]
            self.sections = {part[0]: part[1:] for part in sections}
        except (ValueError, LookupError, TypeError):
            raise Invalid("`(define (domain NAME) ...)` and `(define (problem NAME) ...)` are wanted", file) from None
        for known, names in ((self.KNOWN, [name for name, _ in self.parts]), (self.SECTIONS, list(self.sections))):
            for name in names:
                if name not in known:
                    raise Unsupported(f"{file}: this checker does not read `{str(name)[:40]}`")
        single = [name for name, _ in self.parts if name != ":action"]
        if len(set(single)) != len(single) or len(self.sections) != len(sections):
            raise Invalid("a section stands twice", file)

    def puzzle(self) -> PddlPuzzle:
        try:
            return self._puzzle()
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            raise Invalid("this is not PDDL as this checker reads it", self.file) from None

    def _puzzle(self) -> PddlPuzzle:
        domain = {name: rest for name, rest in self.parts if name != ":action"}
        self.objects = self._objects(
            domain.get(":types", ()), (domain.get(":constants", ()), self.sections.get(":objects", ()))
        )
        declared = [one for one in domain.get(":predicates", ()) if one[0] != "="]  # which some domains declare
        self.predicates = {one[0]: len(_typed(one[1:])) for one in declared}
        if len(self.predicates) != len(declared) or not RESERVED.isdisjoint(self.predicates):
            raise ValueError
        minimized = self._minimized(domain.get(":functions", ()))
        self.total = TOTAL if minimized == STEPS else minimized
        actions: dict[str, PddlAction] = {}
        for name, rest in self.parts:
            if name == ":action":
                if rest[0] in actions:
                    raise Invalid("two actions have one name", self.file)
                actions[rest[0]] = self._action(dict(zip(rest[1::2], rest[2::2], strict=True)))
        changed = {name for action in actions.values() for name, _ in touched(action.effect)}
        true, false, values = set[Atom](), set[Atom](), dict[Atom, int]()
        for one in self.sections.get(":init", ()):
            match one:
                case ("=", function, value):
                    if values.setdefault(function, _number(value)) != _number(value):
                        raise ValueError
                case ("not", atom) if not isinstance(atom, str):
                    false.add(self._atom(atom, ()))
                case _:
                    true.add(self._atom(one, ()))
        if not true.isdisjoint(false):
            raise ValueError
        goal = self._condition(self.sections[":goal"][0], ())
        start = frozenset(atom for atom in true if atom[0] in changed)
        return PddlPuzzle(
            self.said, tuple(_rows(start)), self.objects, self.predicates, actions, frozenset(true) - start, start,
            values, goal, minimized != STEPS,
        )  # fmt: skip

    def _minimized(self, functions: Any) -> str:
        """What is minimized: a function of no objects, which is `total-cost` or has been declared."""
        match self.sections.get(":metric", ("minimize", STEPS)):
            case ("minimize", (str(total),) | str(total)) if total in (TOTAL, STEPS) or (total,) in functions:
                return total
        raise Unsupported(f"{self.file}: this checker counts `(:metric minimize (total-cost))` alone")

    def _objects(self, types: Any, several: Iterable[Any]) -> dict[str, tuple[str, ...]]:
        """The objects of each type, those of the types below it included."""
        above = defaultdict[str, set[str]](set)
        for name, parents in _typed(types):
            above[name].update(parents)
        found: dict[str, dict[str, None]] = {"object": {}}
        for name in (*above, *(parent for own in above.values() for parent in own)):
            found.setdefault(name, {})
        for listed in several:
            for one, own in _typed(listed):
                reached, waiting = {"object"}, list(own)
                while waiting:
                    name = waiting.pop()
                    if name not in reached:
                        reached.add(name)
                        waiting += above.get(name, ())
                for name in reached:
                    found.setdefault(name, {})[one] = None
        return {name: tuple(ones) for name, ones in found.items()}

    def _variables(self, listed: Any) -> Variables:
        found = []
        for name, types in _typed(listed):
            if not name.startswith("?"):
                raise ValueError
            found.append((name, tuple(dict.fromkeys(one for of in types for one in self.objects[of]))))
        if len({name for name, _ in found}) != len(found):
            raise ValueError
        return tuple(found)

    def _action(self, parts: dict[str, Any]) -> PddlAction:
        if not parts.keys() <= {":parameters", ":precondition", ":effect"}:
            raise Unsupported(f"{self.file}: this checker does not read all parts of an action")
        parameters = self._variables(parts.get(":parameters", ()))
        names = tuple(name for name, _ in parameters)
        condition = self._condition(parts.get(":precondition") or ("and",), names)
        return PddlAction(parameters, condition, self._effect(parts.get(":effect") or ("and",), names))

    def _condition(self, part: Any, names: tuple[str, ...]) -> Any:
        """A condition with its variables resolved. Raises `ValueError` and the like where it is none."""
        match part:
            case ():
                return ("and",)
            case ("and" | "or" | "not" | "imply" as word, *parts):
                if len(parts) != {"not": 1, "imply": 2}.get(word, len(parts)):
                    raise ValueError
                return (word, *[self._condition(one, names) for one in parts])
            case ("forall" | "exists" as word, listed, inner):
                variables = self._variables(listed)
                return word, variables, self._condition(inner, (*names, *[name for name, _ in variables]))
            case ("=", one, other):
                return "=", *self._terms((one, other), names)
        name, *terms = part
        if self.predicates[name] != len(terms):
            raise ValueError
        return name, *self._terms(terms, names)

    def _terms(self, terms: Iterable[str], names: tuple[str, ...]) -> list[str]:
        found = list(terms)
        for term in found:
            if term not in (names if term.startswith("?") else self.objects["object"]):
                raise ValueError
        return found

    def _effect(self, part: Any, names: tuple[str, ...]) -> Any:
        match part:
            case ():
                return ("and",)
            case ("and", *parts):
                return ("and", *[self._effect(one, names) for one in parts])
            case ("forall", listed, inner):
                variables = self._variables(listed)
                return "forall", variables, self._effect(inner, (*names, *[name for name, _ in variables]))
            case ("when", condition, inner):
                return "when", self._condition(condition, names), self._effect(inner, names)
            case ("increase", (total,), amount) if total == self.total and amount != (total,):
                return (
                    part
                    if isinstance(amount, str)
                    else ("increase", part[1], (amount[0], *self._terms(amount[1:], names)))
                )
            case ("not", atom):
                return "not", self._atom(atom, names)
        return self._atom(part, names)

    def _atom(self, part: Any, names: tuple[str, ...]) -> Any:
        """A condition that is an atom. Raises as `_condition` does."""
        if part[0] not in self.predicates:
            raise ValueError
        return self._condition(part, names)


def _typed(words: Iterable[Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Read a list of names with types, `a b - t c`: each name with its types."""
    found: list[tuple[str, tuple[str, ...]]] = []
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-":
            of = next(rest)
            types = of[1:] if isinstance(of, tuple) and of[0] == "either" else (of,)
            found += [(one, types) for one in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found + [(one, ("object",)) for one in waiting]


def _number(text: str) -> int:
    value = float(text)
    if not 0 <= value < EXACT or value != int(value):
        raise Unsupported("costs are whole numbers from 0 to 2^53 here")
    return int(value)


def _filled(atom: Any, names: Names) -> Atom:
    return (atom[0], *[names.get(term, term) for term in atom[1:]])


def _conjuncts(condition: Any) -> list[Any]:
    return [one for part in condition[1:] for one in _conjuncts(part)] if condition[0] == "and" else [condition]


def touched(effect: Any) -> Iterator[tuple[str, bool]]:
    """The predicates of an effect, each with whether an atom of it is made true: of `(not (at ?r ?c))` at, False."""
    match effect:
        case ("and", *parts):
            for part in parts:
                yield from touched(part)
        case ("forall" | "when", _, inner):
            yield from touched(inner)
        case ("increase", _, _):
            return
        case ("not", atom):
            yield atom[0], False
        case _:
            yield effect[0], True


def _variables(part: Any) -> Iterator[str]:
    """The variables that stand in a condition, its own ones among them."""
    for one in part if isinstance(part, tuple) else (part,):
        if isinstance(one, tuple):
            yield from _variables(one)
        elif one.startswith("?"):
            yield one


def _rows(state: frozenset[Atom]) -> Iterator[str]:
    for predicate in sorted({atom[0] for atom in state}):
        listed = ", ".join(" ".join(atom[1:]) for atom in sorted(state) if atom[0] == predicate)
        yield from wrap(f"{predicate}: {listed}" if listed.strip(", ") else predicate, 100, subsequent_indent="  ")
