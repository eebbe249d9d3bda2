"""Planning problems in PDDL: two texts are read, and become a custom puzzle, whose rules `acting` plays.

    (forall (?b - box) (at ?b ?c))                          all(at[?b, ?c] for ?b in box)
    (forall (?b) (when (on ?b ?a) (not (clear ?a))))        clear[?a] for ?b in object if on[?b, ?a]: false
    (:derived (clear ?x) (not (holding ?x)))                a definition, used as clear(?x)

A predicate is a table of truth values, of all objects; only atoms that are asked for or set have a place in the state.
Lists are nested tuples of words in small letters. Every atom has to be of a declared predicate, so nothing that is not
known here is taken for a condition. What is named in the tree has a blank or a bracket in its name where words of PDDL
could be mistaken for it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import count
from textwrap import wrap
from typing import Any

from .acting import Action, ActionPuzzle, definitions_in_circles
from .core.limits import Invalid, Limits, Unsupported
from .terms import NUMBER, OBJECT, TRUTH, Key, Names, Parameters, Places, Table, TypeDomain

Variables = Mapping[str, str]
"""The variables that are known at a place of a text, each with its name in the tree: there all differ."""

EXACT = 1 << 53
"""Numbers that are read are below this: larger ones may be rounded."""

MAX_DEPTH = 100
ACTIONS, COST = "actions", "cost"
STEPS, TOTAL = "total-time", "total-cost"
"""What a metric minimizes: the number of actions, as none takes time; what they cost, by its usual name."""
RESERVED = frozenset(("and", "or", "not", "imply", "forall", "exists", "when", "increase"))


def read(fields: dict[str, Any], file: str, limits: Limits) -> ActionPuzzle:
    """Read the texts `domain` and `problem` of a puzzle file. Raises `Rejected`."""
    texts = []
    for key in ("domain", "problem"):
        text = fields.get(key)
        if not isinstance(text, str) or "(" not in text:
            raise Invalid(f"`{key}` has to be the text of a file of PDDL", file)
        texts.append(_lists(text, file, limits))
    return puzzle_of_lists(texts[0], texts[1], file)


def puzzle_of_lists(domain: Any, problem: Any, file: str) -> ActionPuzzle:
    """The puzzle of a domain and a problem as nested lists of words in small letters. Raises `Rejected`."""
    return _Reader(domain, problem, file).puzzle()


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

    KNOWN = frozenset((":requirements", ":types", ":constants", ":predicates", ":functions", ":derived", ":action"))
    SECTIONS = frozenset((":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length"))
    SEVERAL = ":derived", ":action"

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
        single = [name for name, _ in self.parts if name not in self.SEVERAL]
        if len(set(single)) != len(single) or len(self.sections) != len(sections):
            raise Invalid("a section stands twice", file)
        self.names, self.number = Names(), count(1)
        self.changed = set[str]()

    def puzzle(self) -> ActionPuzzle:
        try:
            return self._puzzle()
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            raise Invalid("this is not PDDL as this checker reads it", self.file) from None

    def _puzzle(self) -> ActionPuzzle:
        domain = {name: rest for name, rest in self.parts if name not in self.SEVERAL}
        self.objects = self._objects(
            domain.get(":types", ()), (domain.get(":constants", ()), self.sections.get(":objects", ()))
        )
        self.all = self._domain(("object",))
        declared = [one for one in domain.get(":predicates", ()) if one[0] != "="]  # which some domains declare
        self.predicates = {one[0]: len(_typed(one[1:])) for one in declared}
        if len(self.predicates) != len(declared) or not RESERVED.isdisjoint(self.predicates):
            raise ValueError
        minimized = self._minimized(domain.get(":functions", ()))
        self.total = TOTAL if minimized == STEPS else minimized
        heads = [rest[0][0] for name, rest in self.parts if name == ":derived"]
        self.derived = {*heads}
        if len(self.derived) < len(heads) or not self.predicates.keys() >= self.derived:
            raise ValueError
        actions: dict[str, Action] = {}
        costs: dict[str, ast.expr | bool] = {}
        for name, rest in self.parts:
            if name == ":action":
                if rest[0] in actions:
                    raise Invalid("two actions have one name", self.file)
                actions[rest[0]], costs[rest[0]] = self._action(dict(zip(rest[1::2], rest[2::2], strict=True)))
            elif name == ":derived":
                self._define(*rest)
        if definitions_in_circles(self.names.definitions):
            raise Unsupported(
                f"{self.file}: this checker does not read a `:derived` predicate that leads back to itself"
            )
        goal = self._condition(self.sections[":goal"][0], {})
        self._tables()
        one: dict[str, ast.expr | bool] = dict.fromkeys(actions, ast.Constant(1))
        prices = {ACTIONS: one} if minimized == STEPS else {COST: costs, ACTIONS: one}
        rows = _rows((name, *key) for name in self.changed for key in self.names.tables[name].values)
        return ActionPuzzle(self.said, tuple(rows), self.names, actions, (), (goal,), prices)

    def _tables(self) -> None:
        """The predicates and functions as tables, with what `:init` says of them."""
        everything, truth = self.names.domains[self.all], TypeDomain(TRUTH, (False, True))
        for name, size in self.predicates.items():
            if name not in self.derived:
                places = Places() if name in self.changed else None
                of = (everything,) * size
                self.names.tables[name] = Table(of, truth, {}, places, others=False, sparse=True)
        false = set[tuple[Any, ...]]()
        for one in self.sections.get(":init", ()):
            match one:
                case ("=", function, value):
                    name, *key = (function,) if isinstance(function, str) else function
                    values = self._function(name, len(key)).values
                    if values.setdefault(tuple(key), _number(value)) != _number(value):
                        raise ValueError
                case ("not", atom) if not isinstance(atom, str):
                    false.add(self._fact(atom))
                case _:
                    name, *key = self._fact(one)
                    self.names.tables[name].values[tuple(key)] = True
        if any(key in self.names.tables[name].values for name, *rest in false for key in [tuple(rest)]):
            raise ValueError

    def _fact(self, atom: Any) -> Key:
        """An atom of `:init`. Raises as `_condition` does."""
        if atom[0] in self.derived:
            raise ValueError
        self._atom(atom, {})
        return tuple(atom)

    def _function(self, name: str, size: int) -> Table:
        """The table of a function; it has no value where `:init` gives none."""
        table = Table((self.names.domains[self.all],) * size, TypeDomain(NUMBER, (0,)), sparse=True)
        return self.names.tables.setdefault(f"{name} of {size}", table)

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

    def _domain(self, types: tuple[str, ...]) -> str:
        """The name of the domain of all objects of some types."""
        name = f"- {' '.join(types)}"
        found = dict.fromkeys(one for of in types for one in self.objects[of])
        self.names.domains[name] = TypeDomain(OBJECT, tuple(found))
        return name

    def _variables(self, listed: Any, known: Variables) -> tuple[dict[str, str], Variables]:
        """The variables of a list: their names in the tree, each with its domain; and all that are known with them."""
        found = _typed(listed)
        names = {name: f"{name} {next(self.number)}" for name, _ in found}
        if not all(name.startswith("?") for name in names) or len(names) < len(found):
            raise ValueError
        return {names[name]: self._domain(types) for name, types in found}, {**known, **names}

    def _loops(self, listed: Any, known: Variables) -> tuple[list[ast.comprehension], Variables]:
        """The loops over the variables of a quantifier, and all that are known inside."""
        domains, inside = self._variables(listed, known)
        return [_loop(name, ast.Name(domain)) for name, domain in domains.items()], inside

    def _parameters(self, listed: Any) -> tuple[Parameters, Variables]:
        domains, inside = self._variables(listed, {})
        return tuple((name, self.names.domains[domain]) for name, domain in domains.items()), inside

    def _action(self, parts: dict[str, Any]) -> tuple[Action, ast.expr]:
        """An action, and what it costs."""
        if not parts.keys() <= {":parameters", ":precondition", ":effect"}:
            raise Unsupported(f"{self.file}: this checker does not read all parts of an action")
        parameters, names = self._parameters(parts.get(":parameters", ()))
        condition = self._condition(parts.get(":precondition") or ("and",), names)
        effects = list(self._effects(parts.get(":effect") or ("and",), names, []))
        sets = tuple((place, ast.Constant(makes)) for place, makes in effects if makes is not None)
        prices = [price for price, makes in effects if makes is None]
        paid = [_call("sum", price) if isinstance(price, ast.GeneratorExp) else price for price in prices]
        cost = reduce(lambda a, b: ast.BinOp(a, ast.Add(), b), paid or [ast.Constant(0)])
        return Action(parameters, (condition,), sets, None, adds_win=True), cost

    def _define(self, head: Any, condition: Any) -> None:
        """A derived predicate: false of objects of other types than its variables'."""
        domains, names = self._variables(head[1:], {})
        if self.predicates[head[0]] != len(domains):
            raise ValueError
        fits = [ast.Compare(ast.Name(name), [ast.In()], [ast.Name(domain)]) for name, domain in domains.items()]
        everything = self.names.domains[self.all]
        body = ast.BoolOp(ast.And(), [*fits, self._condition(condition, names)])
        self.names.definitions[f"{head[0]}()"] = tuple((name, everything) for name in domains), body

    def _condition(self, part: Any, names: Variables) -> ast.expr:
        """A condition as a tree. Raises `ValueError` and the like where it is none."""
        match part:
            case ():
                return ast.BoolOp(ast.And(), [])
            case ("and" | "or" as word, *parts):
                return ast.BoolOp(ast.And() if word == "and" else ast.Or(), [self._condition(p, names) for p in parts])
            case ("not", one):
                return ast.UnaryOp(ast.Not(), self._condition(one, names))
            case ("imply", one, other):
                return ast.BoolOp(ast.Or(), [self._condition(("not", one), names), self._condition(other, names)])
            case ("forall" | "exists" as word, listed, inner):
                loops, inside = self._loops(listed, names)
                body = ast.GeneratorExp(self._condition(inner, inside), loops)
                return _call("all" if word == "forall" else "any", body)
            case ("=", one, other):
                return ast.Compare(self._term(one, names), [ast.Eq()], [self._term(other, names)])
        return self._atom(part, names)

    def _atom(self, part: Any, names: Variables) -> ast.expr:
        """An atom as a tree. Raises as `_condition` does."""
        name, *terms = part
        if self.predicates[name] != len(terms):
            raise ValueError
        arguments = [self._term(term, names) for term in terms]
        return _call(f"{name}()", *arguments) if name in self.derived else _entry(name, arguments)

    def _term(self, term: str, names: Variables) -> ast.expr:
        if term.startswith("?"):
            return ast.Name(names[term])
        if term not in self.objects["object"]:
            raise ValueError
        return ast.Constant(term)

    def _effects(
        self, part: Any, names: Variables, loops: list[ast.comprehension]
    ) -> Iterator[tuple[ast.expr, bool | None]]:
        """Each atom that an effect makes true or false, and each price (None), with its loops. A condition is that of a
        loop which comes to one value.
        """
        match part:
            case ():
                return
            case ("and", *parts):
                for one in parts:
                    yield from self._effects(one, names, loops)
                return
            case ("forall", listed, inner):
                more, inside = self._loops(listed, names)
                yield from self._effects(inner, inside, [*loops, *more])
                return
            case ("when", condition, inner):
                asked = self._condition(condition, names)
                once = _loop(f"when {next(self.number)}", ast.List([ast.Constant(True)]), asked)
                yield from self._effects(inner, names, [*loops, once])
                return
            case ("increase", (total,), amount) if total == self.total and amount != (total,):
                place, makes = self._amount(amount, names), None
            case ("not", atom):
                place, makes = self._set(atom, names), False
            case _:
                place, makes = self._set(part, names), True
        yield ast.GeneratorExp(place, loops) if loops else place, makes

    def _set(self, atom: Any, names: Variables) -> ast.expr:
        """An atom that an effect makes true or false. Raises as `_condition` does."""
        if atom[0] in self.derived:
            raise ValueError
        self.changed.add(atom[0])
        return self._atom(atom, names)

    def _amount(self, amount: Any, names: Variables) -> ast.expr:
        if isinstance(amount, str):
            return ast.Constant(_number(amount))
        self._function(amount[0], len(amount) - 1)
        return _entry(f"{amount[0]} of {len(amount) - 1}", [self._term(term, names) for term in amount[1:]])


def _loop(name: str, values: ast.expr, *tests: ast.expr) -> ast.comprehension:
    return ast.comprehension(ast.Name(name), values, [*tests], 0)


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), [*arguments], [])


def _entry(table: str, arguments: list[ast.expr]) -> ast.expr:
    """An entry of a table."""
    return ast.Subscript(ast.Name(table), ast.Tuple(arguments))


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


def _rows(facts: Iterable[Key]) -> Iterator[str]:
    state = sorted(facts)
    for predicate in sorted({atom[0] for atom in state}):
        listed = ", ".join(" ".join(atom[1:]) for atom in state if atom[0] == predicate)
        yield from wrap(f"{predicate}: {listed}" if listed.strip(", ") else predicate, 100, subsequent_indent="  ")
