"""Objects that nothing tells apart, found from the rules: thirteen glasses, two jugs of one size, the pegs of a tower.

Two objects a and b of a type are *interchangeable* if the rules, the constants and the goal are the same once each
stands where the other stood. What the initial state says of them does not matter: a state and the same state with a
and b exchanged have the same future, and a search needs one of the two.

    goal: all(ball[t, s] == ball[t, 1] for t in tube for s in slot)      tubes: yes. Slots: no, 1 is named
    size: {A: 8, B: 5, C: 5}                                             jugs B and C; A is of another size
    when: t + 1 == u                                                     no: a number is not just a name here

A number can be a name (tube 3) or a quantity (3 litres), and tube 3 is not slot 3. So each argument, parameter and
value has a *sort*, and sorts are one wherever a value goes from one to the other or both are compared (`==`). What is
calculated, ordered (`<`, `the`) or walked on has the sort `RIGID`, of which no values are interchangeable. (Symmetric
values in constraint programming: Roy and Pachet, 1998; Van Hentenryck et al., IJCAI 2003; scalarsets of Murphi: Ip and
Dill, *Better verification through symmetry*, 1996.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from ...interchangeable import Interchangeable, Pair, Swap, canonical, exchanged, swap_tables
from ...program import ProgramTask
from .language import expressions as ex
from .language.expressions import Expr, Loop, Value, conjuncts, text_of
from .puzzle import Custom, Domain, Parameters, TableAssignment, ValueTable

RIGID = 0
"""The sort of all values that are told apart: quantities, cells, directions, truth values."""

MOST_TRIES = 2_000
"""Pairs of objects that are tried."""


class Named(NamedTuple):
    """A value that an expression names, and its sort."""

    sort: int
    value: Value


class Members(NamedTuple):
    """The values that something ranges over; a tuple where their order counts."""

    sort: int
    values: frozenset[Value] | tuple[Value, ...]


Form = Any
"""An expression with sorts: `Named` and `Members` in nested tuples, and in frozensets where no order counts."""

Position = tuple[str, str, int | str]
"""Where values stand: `("table", name, k)` is the k-th argument of a table, `("table", name, "value")` its value."""


class Sorts:
    """The sorts of all positions of a puzzle, and its rules as forms in which sorts are known (`forms`). `typed`:
    arguments of one type are one sort, at[robot] and battery[robot], where rules name each robot by itself.
    """

    def __init__(self, puzzle: Custom, typed: bool = False) -> None:
        self.puzzle = puzzle
        self.parent = [RIGID]
        self.positions: dict[Position, int] = {}
        self.forms: list[Form] = []
        of_type: dict[Domain, int] = {}
        for table in (*puzzle.state.values(), *puzzle.constants.values()):
            self._declare(("table", table.name, "value"), table.domain)
            for k, domain in enumerate(table.of):
                sort = self._declare(("table", table.name, k), domain)
                if typed and domain.kind == "object":
                    self._join(sort, of_type.setdefault(domain, sort))
        for name, definition in puzzle.definitions.items():
            self._parameters(name, definition.parameters)
            self.positions["define", name, "value"] = self._fresh()
        for name, definition in puzzle.definitions.items():
            sort, form = self._visit(definition.body, self._names(name, definition.parameters))
            self._join(sort, self.positions["define", name, "value"])
            self.forms.append(("define", name, form))
        self.forms += [("always", self._together(puzzle.always, {})), ("goal", self._together(puzzle.goal, {}))]
        for action in puzzle.actions.values():
            self._parameters(action.name, action.parameters, "action")
            names = self._names(action.name, action.parameters, "action")
            when = self._together(action.conditions, names)
            change = frozenset(self._assignment(each, names) for each in action.assignments)
            prices = [counting.costs.get(action.name) for counting in puzzle.countings]
            self.forms.append((when, change, tuple([price and self._rigid(price, names) for price in prices])))

    # Sorts are joined as in a union-find structure: each points to another one, or to itself if it stands for all.

    def _fresh(self) -> int:
        self.parent.append(len(self.parent))
        return self.parent[-1]

    def root(self, sort: int) -> int:
        """The sort that stands for all that were joined with this one."""
        while self.parent[sort] != sort:
            self.parent[sort] = sort = self.parent[self.parent[sort]]
        return sort

    def _join(self, a: int, b: int) -> int:
        a, b = sorted((self.root(a), self.root(b)))
        self.parent[b] = a  # the least: RIGID, if it is one of them
        return a

    def _declare(self, position: Position, domain: Domain) -> int:
        sort = self._fresh() if domain.kind in ("object", "number") and domain.name != "direction" else RIGID
        self.positions[position] = sort
        self.forms.append(("domain", Members(sort, domain.members)))
        return sort

    def _parameters(self, name: str, parameters: Parameters, kind: str = "define") -> None:
        for k, (_, domain) in enumerate(parameters):
            self._declare((kind, name, k), domain)

    def _names(self, name: str, parameters: Parameters, kind: str = "define") -> dict[str, int]:
        return {parameter: self.positions[kind, name, k] for k, (parameter, _) in enumerate(parameters)}

    # Expressions

    def _together(self, conditions: Iterable[Expr], names: Mapping[str, int]) -> Form:
        """Conditions that all must hold, in whatever order."""
        return frozenset(self._rigid(part, names) for condition in conditions for part in conjuncts(condition))

    def _assignment(self, assignment: TableAssignment, names: Mapping[str, int]) -> Form:
        inner, loops = self._loops(assignment.loops, names)
        target = self._placed("table", assignment.table, assignment.args, inner)
        sort, value = self._visit(assignment.value, inner)
        self._join(sort, self.positions["table", assignment.table, "value"])
        return loops, target, value

    def _loops(
        self, loops: tuple[Loop, ...], names: Mapping[str, int], ordered: bool = False
    ) -> tuple[dict[str, int], Form]:
        inner, forms = dict(names), []
        for loop in loops:
            sort = inner[loop.name] = RIGID if loop.around is not None else self._fresh()
            around = loop.around and self._rigid(loop.around, inner)
            members = Members(sort, loop.values if ordered else frozenset(loop.values))
            forms.append((loop.name, members, self._together(loop.conditions, inner), around))
        return inner, tuple(forms)

    def _placed(self, kind: str, name: str, args: tuple[Expr, ...], names: Mapping[str, int]) -> Form:
        """Something with arguments, which have the sorts of its parameters."""
        forms = []
        for k, arg in enumerate(args):
            sort, form = self._visit(arg, names)
            self._join(sort, self.positions[kind, name, k])
            forms.append(form)
        return kind, name, tuple(forms)

    def _rigid(self, expr: Expr, names: Mapping[str, int]) -> Form:
        """The form of an expression whose values are told apart."""
        sort, form = self._visit(expr, names)
        self._join(sort, RIGID)
        return form

    def _equal(self, a: Expr, b: Expr, names: Mapping[str, int]) -> tuple[int, Form, Form]:
        """The forms of two expressions of one sort, and that sort."""
        (sort, first), (other, second) = self._visit(a, names), self._visit(b, names)
        return self._join(sort, other), first, second

    def _visit(self, expr: Expr, names: Mapping[str, int]) -> tuple[int, Form]:
        """The sort of an expression, and its form. Whatever is not listed here is rigid, with all that is in it."""
        match expr:
            case ex.Const(value):
                sort = self._fresh()
                return sort, Named(sort, value)
            case ex.Local(name):
                return names[name], ("local", name)
            case ex.Read(name, args) | ex.ConstantLookup(name, args):
                return self.positions["table", name, "value"], self._placed("table", name, args, names)
            case ex.Use(name, args):
                return self.positions["define", name, "value"], self._placed("define", name, args, names)
            case ex.Compare("==" | "!=" as op, left, right):
                _, first, second = self._equal(left, right, names)
                return RIGID, (op, frozenset((first, second)))
            case ex.And():
                return RIGID, ("and", self._together((expr,), names))
            case ex.Or(parts):
                return RIGID, ("or", frozenset(self._rigid(part, names) for part in parts))
            case ex.Membership(inner, values):
                sort, form = self._visit(inner, names)
                return RIGID, ("in", form, Members(sort, values))
            case ex.Conditional(condition, yes, no):
                sort, first, second = self._equal(yes, no, names)
                return sort, ("if", self._rigid(condition, names), first, second)
            case ex.Quantifier(kind, body, loops):
                within, forms = self._loops(loops, names, ordered=kind == "the")
                if kind in ("the", "different"):
                    sort, form = self._visit(body, within)
                    return sort if kind == "the" else RIGID, (kind, forms, form)
                return RIGID, (kind, forms, self._rigid(body, within))
            case ex.ClosedLoop(tail, tip, loops):
                within, forms = self._loops(loops, names)
                return RIGID, ("loop", forms, self._equal(tail, tip, within)[1:])
            case ex.ByValue(arg, ((a, b), (c, d))) if (a, b) == (d, c):  # `other`
                sort, form = self._visit(arg, names)
                return sort, ("other", form, Members(sort, frozenset((a, b))))
            case ex.SlideEnd(start, end, test, asks) | ex.Connected(start, end, test, asks):
                for k, _ in enumerate(self.puzzle.definitions[test].parameters):
                    self._join(self.positions["define", test, k], RIGID)
                return RIGID, (type(expr), self._rigid(start, names), self._rigid(end, names), test, asks)
            case ex.Not() | ex.ByValue() | ex.VectorOf() | ex.CellStep() | ex.Arith() | ex.Compare():
                inside = [getattr(expr, name) for name in expr.__dataclass_fields__]
                forms = [self._rigid(each, names) if isinstance(each, Expr) else each for each in inside]
                return RIGID, (type(expr), *forms)


def _mapped(form: Form, change: Callable[[int, Value], Value], root: Callable[[int], int]) -> Form:
    """The form with each value v of a sort s replaced by `change(s, v)`, and each sort by its `root`."""
    if isinstance(form, Named):
        sort = root(form.sort)
        return Named(sort, change(sort, form.value))
    if isinstance(form, Members):
        sort = root(form.sort)
        return Members(sort, type(form.values)([change(sort, value) for value in form.values]))
    if isinstance(form, tuple | frozenset):
        return type(form)([_mapped(part, change, root) for part in form])
    return form


def _sorts_in(form: Form) -> set[int]:
    if isinstance(form, Named | Members):
        return {form.sort}
    return set().union(*map(_sorts_in, form)) if isinstance(form, tuple | frozenset) else set()


class Exchanges:
    """Which objects of a puzzle can be exchanged, sort by sort."""

    def __init__(self, puzzle: Custom, typed: bool = False) -> None:
        sorts = Sorts(puzzle, typed)
        self.root, self.puzzle = sorts.root, puzzle
        self.positions = {position: sorts.root(sort) for position, sort in sorts.positions.items()}
        forms = [_mapped(form, lambda _, value: value, sorts.root) for form in sorts.forms]
        self.about: dict[int, dict[Form, None]] = {}
        for form in forms:
            for sort in _sorts_in(form) - {RIGID}:
                self.about.setdefault(sort, {})[form] = None

    def sorts_of(self, name: str, arguments: int) -> tuple[list[int], int]:
        """The sorts of a table's arguments, and of its value."""
        return [self.positions["table", name, k] for k in range(arguments)], self.positions["table", name, "value"]

    def sorts(self, table: ValueTable) -> Iterable[tuple[int, Domain]]:
        """The sorts and types of a table's value and arguments."""
        sorts, last = self.sorts_of(table.name, len(table.of))
        return zip((last, *sorts), (table.domain, *table.of), strict=True)

    def classes(self) -> Iterable[tuple[int, list[Value]]]:
        """Objects of a sort, any two of which are interchangeable."""
        tries = 0
        objects: dict[int, dict[Value, None]] = {}
        for table in self.puzzle.state.values():
            for sort, domain in self.sorts(table):
                objects.setdefault(sort, {}).update(dict.fromkeys(domain.values))
        for sort, values in objects.items():
            classes: list[list[Value]] = []
            for value in values if sort != RIGID else ():
                tries += len(classes)
                if tries > MOST_TRIES:
                    break
                home = next((some for some in classes if self._alike(sort, some[0], value)), None)
                if home is None:
                    classes.append([value])
                else:
                    home.append(value)
            yield from ((sort, some) for some in classes if len(some) > 1)

    def _alike(self, sort: int, a: Value, b: Value) -> bool:
        """Whether everything is the same with a and b exchanged."""
        change, about = exchange_of(sort, a, b), self.about.get(sort, {})
        for table in self.puzzle.constants.values():
            sorts, last = self.sorts_of(table.name, len(table.of))
            if sort in (*sorts, last):
                for key, value in table.values.items():
                    other = tuple(map(change, sorts, key))
                    if table.values.get(other) != change(last, value):
                        return False
        return all(_mapped(form, change, self.root) in about for form in about)


def exchange_of(sort: int, a: Value, b: Value) -> Callable[[int, Value], Value]:
    """What a value of a sort becomes when a and b are exchanged."""
    other = {a: b, b: a}
    return lambda of, value: other.get(value, value) if of == sort else value


def interchangeable_names(puzzle: Custom) -> tuple[tuple[str, ...], ...]:
    """The classes of interchangeable objects, as facts of operators name them."""
    return tuple(tuple(map(text_of, objects)) for _, objects in Exchanges(puzzle).classes())


def interchangeable(puzzle: Custom, task: ProgramTask, typed: bool = False) -> tuple[Interchangeable, ...]:
    """The classes of interchangeable objects of a puzzle, as exchanges of the values of variables of its programs.
    `typed`: as in `Sorts`.
    """
    exchanges = Exchanges(puzzle.within(task.metric), typed)
    places = [(table, key) for table in puzzle.state.values() for key in table.every_key()]
    number = {(table.name, key): n for n, (table, key) in enumerate(places)}

    def swap(sort: int, a: Value, b: Value) -> Swap:
        change, pairs = exchange_of(sort, a, b), list[Pair]()
        for left, (table, key) in enumerate(places):
            sorts, last = exchanges.sorts_of(table.name, len(table.of))
            right = number[table.name, tuple(map(change, sorts, key))]
            if left > right or (left == right and last != sort):
                continue
            value_of: tuple[int, ...] = ()
            if last == sort:
                variable = task.variables[left]
                numbers = dict(zip(variable.texts, variable.values, strict=True))
                texts = {numbers[text_of(value)]: text_of(change(last, value)) for value in table.domain.values}
                value_of = tuple(numbers[texts[n]] if n in texts else n for n in range(variable.low, variable.high + 1))
            pairs.append(Pair(left, right, value_of))
        return tuple(pairs)

    found: list[Interchangeable] = []
    tables = puzzle.state.values()
    named = {exchanges.sorts_of(table.name, 0)[1] for table in tables}
    kinds = {sort: domain.name for table in tables for sort, domain in exchanges.sorts(table)}
    placed = {sort for table in tables for sort in exchanges.sorts_of(table.name, len(table.of))[0]}
    for sort, objects in sorted(exchanges.classes(), key=lambda each: each[0] not in placed):
        twos = list(combinations(objects, 2) if sort in named else pairwise(objects))
        swaps = {two: swap(sort, *two) for two in twos}
        if sort not in placed:
            swaps = {two: each for two, each in swaps.items() if _keeps_start(task, found, each)}
        if swaps:
            exchanged_ones = dict.fromkeys(text_of(value) for two in swaps for value in two)
            found.append(Interchangeable(kinds[sort], tuple(exchanged_ones), tuple(swaps.values())))
    return tuple(found)


def _keeps_start(task: ProgramTask, classes: list[Interchangeable], swap: Swap) -> bool:
    """Whether the initial state stays as it is with two objects exchanged, up to exchanges in `classes`. If not,
    objects that are only values, such as colours, rarely change places later: looking for it costs more than it saves.
    """
    lows = [variable.low for variable in task.variables]
    image = exchanged(swap_tables([Interchangeable("", (), (swap,))], lows), task.init, [0])
    known = swap_tables(classes, lows)
    return canonical(known, image)[0] == canonical(known, task.init)[0]
