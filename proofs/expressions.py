"""The expressions of custom puzzles: from text to functions of a state (`docs/custom-reference.md`).

An expression is read by Python's parser (`ast`), and never run by Python. Parameters and the variables of loops range
over few values, so a term is made for each of their values (partial evaluation): what depends on no variable of the
state is worked out at once, loops become lists of terms, and the rest is a function of the state.

    all(at[r] != c for r in robot)     with c = r2c3     becomes     at[X] != r2c3 and at[A] != r2c3 and ...

What is not understood, or joins values of the wrong kinds, is refused (`Unsupported`), never guessed.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

from .core.limits import Limits, Unsupported
from .reading import CELL_NAME, Cell, Text
from .terms import (
    CELL,
    FALSE,
    NO,
    NUMBER,
    OBJECT,
    TRUE,
    TRUTH,
    VECTOR,
    YES,
    Names,
    OneOf,
    Run,
    State,
    Term,
    TypeDomain,
    Value,
    choice,
    counted,
    equal,
    every,
    folded,
    lifted,
    negated,
    one_of,
    present,
    remembered,
    running,
    some,
    whole,
)

LARGEST = 10**18
"""The largest number that is computed, by its absolute value."""

SIGNS = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*+|[0-9]++(?![A-Za-z_])|[][\s(){},.:+*/%<>=!-])*+", re.ASCII)
"""The characters that an expression may have: none that makes Python read text, a comment or a number of another
kind.
"""

FUNCTIONS = (
    *("other", "row", "col", "min", "max", "abs", "opposite", "slide", "connected", "cell"),
    *("all", "any", "count", "sum", "the", "different", "loop"),
)
WORDS = frozenset(
    (*FUNCTIONS, *("neighbours", "region", "never", "true", "false", "bool", "cell", "direction", "int", "here"))
)
"""Words with a meaning of their own, which name nothing else."""

COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
JOINED: dict[type[ast.operator], Callable[[int, int], int | None]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: a // b if b else None,
    ast.Mod: lambda a, b: a % b if b else None,
}

DECISIVE = {"all": False, "any": True}
"""What one turn has to be to decide a loop: `all` is false with one false turn, `any` is true with one true turn."""

Tree = ast.expr | ast.comprehension
Local = Mapping[str, Term]
"""Parameters and variables of loops."""


def parsed(text: Any) -> ast.expr:
    """An expression as a tree. `1..8` is written `1**8` for Python's parser, as `**` is not in the language."""
    if not isinstance(text, Text) or len(text) > 4000 or "**" in text or not SIGNS.fullmatch(text):
        raise Unsupported("an expression is wanted, of at most 4,000 characters: names, numbers and signs")
    readable = re.sub(r"(?<![A-Za-z0-9_.])([0-9]+)\s*\.\.\s*([0-9]+)(?![A-Za-z0-9_.])", r"\1**\2", text)
    try:
        return ast.parse(f"({readable}\n)", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise Unsupported(f"line {text.line}: no expression: {error}") from None
    except (RecursionError, MemoryError):
        raise Unsupported(f"line {text.line}: an expression that is nested too deeply") from None


def not_understood(node: ast.AST) -> Unsupported:
    """The error for a part of an expression that this checker does not know, or that does not fit."""
    return Unsupported(f"this checker does not understand `{shown(node)}`")


def shown(node: ast.AST) -> str:
    """The beginning of an expression."""
    try:
        text = ast.unparse(node)
        return text if len(text) <= 60 else f"{text[:57]}..."
    except RecursionError:
        return "..."


class Expressions:
    """Turns syntax trees into terms."""

    def __init__(self, names: Names, limits: Limits) -> None:
        self.names, self.limits = names, limits
        self.made: dict[tuple[str, tuple[Value, ...]], Term] = {}
        self.parts: dict[tuple[Any, ...], Term] = {}
        self.listed: dict[tuple[Any, ...], list[tuple[Term, Term]]] = {}
        self.names_in: dict[Tree, tuple[str, ...]] = {}
        self.asked = set[int]()  # the places that are read
        self.size = 0

    def of_kind(self, kind: str, node: ast.expr, local: Local) -> Term:
        """A term that has to be of a kind."""
        found = self.term(node, local)
        if found.kind != kind:
            raise not_understood(node)
        return found

    def term(self, node: ast.expr, local: Local) -> Term:
        """The term of a tree, with these values of parameters and of variables of loops. One that does not name all of
        them is made once for each of their values that it does name.
        """
        if isinstance(node, ast.Name | ast.Constant):
            return self._term(node, local)
        if (key := self._key(node, local)) is None:
            return self._term(node, local)
        if (found := self.parts.get(key)) is None:
            found = self.parts[key] = self._term(node, local)
        return found

    def _key(self, node: Tree, local: Local) -> tuple[Any, ...] | None:
        """A tree and the values of the names in it; None if it has all names, so that it will not be met again, or if a
        name has a value that depends on the state.
        """
        if (names := self.names_in.get(node)) is None:
            names = tuple({one.id for one in ast.walk(node) if isinstance(one, ast.Name)})
            self.names_in[node] = names
        used = [local[name] for name in names if name in local]
        return None if len(used) == len(local) or any(one.run for one in used) else (node, *[one.value for one in used])

    def _term(self, node: ast.expr, local: Local) -> Term:
        self._count()
        tables, definitions = self.names.tables, self.names.definitions
        # The order matters: a use of a definition and a loop are calls too, and are tried before the built-in
        # functions.
        match node:
            case ast.Constant(bool(value)):
                return Term(TRUTH, value)
            case ast.Constant(int(value)) if value <= LARGEST:
                return Term(NUMBER, value, values=(value,))
            case ast.Constant(str(value)):  # an object of PDDL
                return Term(OBJECT, value, values=(value,))
            case ast.Name(name):
                return local.get(name) or self._name(node, name)
            case ast.Subscript(ast.Name(name), index) if name in tables and name not in local:
                return self.read(name, [self.term(arg, local) for arg in indices(index)])
            case ast.BoolOp(op, parts):
                join = every if isinstance(op, ast.And) else some
                return join([self.of_kind(TRUTH, part, local) for part in parts])
            case ast.UnaryOp(ast.Not(), part):
                return negated(self.of_kind(TRUTH, part, local))
            case ast.UnaryOp(ast.USub(), part):
                return self._negative(node, self.term(part, local))
            case ast.Compare(left, ops, rights):
                sides = zip(ops, [left, *rights], rights, strict=False)
                return every([self._compared(op, a, b, local) for op, a, b in sides])
            case ast.BinOp(left, op, right):
                return self._joined(node, op, self.term(left, local), self.term(right, local))
            case ast.IfExp(test, yes, no):
                return choice(self.of_kind(TRUTH, test, local), self.term(yes, local), self.term(no, local))
            case ast.Call(ast.Name(name), args, []) if name in definitions:
                return self.use(name, [self.term(arg, local) for arg in args])
            case ast.Call(ast.Name("loop"), [ast.GeneratorExp(ast.Tuple([first, second]), loops)], []):
                inside = self.turns(loops, local)
                return _closed_loop(node, [(when, self.term(first, it), self.term(second, it)) for when, it in inside])
            case ast.Call(ast.Name("the" | "first"), [ast.GeneratorExp(body, loops), other], []):
                found = self._turns_with("first", body, self.turns(loops, local))
                return _first(found, self.term(other, local))
            case ast.Call(ast.Name(name), [ast.GeneratorExp(body, loops)], []):
                return _quantified(node, name, self._turns_with(name, body, self.turns(loops, local)))
            case ast.Call(ast.Name("all" | "any" | "count" as name), [ast.Name(table)], []) if table in tables:
                return _quantified(node, name, self._entries(node, table))
            case ast.Call(ast.Name("slide"), [start, way, ast.Name(test)], []):
                return self._slide(node, self.term(start, local), self.term(way, local), test)
            case ast.Call(ast.Name("connected"), [start, end, ast.Name(test)], []):
                return self._is_in(self._region(node, self.term(start, local), test), self.of_kind(CELL, end, local))
            case ast.Call(ast.Name(name), args, []):
                return self._function(node, name, [self.term(arg, local) for arg in args])
        raise not_understood(node)

    def _turns_with(self, name: str, body: ast.expr, turns: Iterator[tuple[Term, Local]]) -> list[tuple[Term, Term]]:
        """The turns of a loop, each with its condition and its body, as far as that one which decides it."""
        found = []
        for when, inner in turns:
            found.append((when, self.term(body, inner)))
            if when.value is True and found[-1][1].value is DECISIVE.get(name, when):
                break
        return found

    def _entries(self, node: ast.expr, name: str) -> list[tuple[Term, Term]]:
        """The values of a table as turns of a loop."""
        table = self.names.tables[name]
        if not table.of:
            raise not_understood(node)
        kinds = [domain.kind for domain in table.of]
        terms = [[Term(kind, value) for kind, value in zip(kinds, key, strict=True)] for key in table.values]
        return [(TRUE, self.read(name, args)) for args in terms]

    def _count(self) -> None:
        """Count one more term. At most `size` of them are evaluated for a state."""
        self.size += 1
        self.limits.tick()
        self.limits.hold(400)

    # Names

    def _name(self, node: ast.expr, name: str) -> Term:
        if name in ("true", "false"):
            return Term(TRUTH, name == "true")
        if name in self.names.tables:
            return self.read(name, [])
        if name in self.names.definitions:
            return self.use(name, [])
        if name in self.names.homes:
            return Term(OBJECT, name, values=(name,))
        if (place := CELL_NAME.fullmatch(name)) and name not in self.names.taken:
            cell = (int(place[1]) - 1, int(place[2]) - 1)
            if cell in self.names.cells:
                return Term(CELL, cell)
        raise not_understood(node)

    def read(self, name: str, args: list[Term]) -> Term:
        """The term of a table with arguments; it has no value for arguments that the table does not have."""
        self._count()
        table = self.names.tables[name]
        _fit(name, args, table.of)
        domain, places, values, others = table.domain, table.places, table.values, table.others
        truth, fixed = domain.kind == TRUTH, all(arg.run is None for arg in args)
        key = tuple([arg.value for arg in args])
        if places is None and truth and fixed and (value := values.get(key, others)) is not None:
            return TRUE if value else FALSE
        if places is None:
            return lifted(domain.kind, lambda *key: values.get(key, others), *args, values=domain.values)
        if fixed:
            place = places.get(key)
            if place is None:
                return Term(domain.kind, None, values=domain.values)
            self.asked.add(place)
            run: Run = OneOf(((place, YES),), NO) if truth else operator.itemgetter(place)
            return Term(domain.kind, None, run, domain.values, place=place)
        runs = [running(arg) for arg in args]

        def read_at(state: State) -> Any:
            place = places.get(tuple([run(state) for run in runs]))
            return None if place is None else state[place]

        return Term(domain.kind, None, read_at, domain.values)

    def use(self, name: str, args: list[Term]) -> Term:
        """The term of a definition with arguments; it has no value if an argument is not of the parameter's type."""
        domains = [domain for _, domain in self.names.definitions[name][0]]
        _fit(name, args, tuple(domains))
        if not all(domain.values for domain in domains):
            raise Unsupported(f"`{name}` has a parameter of a type without values")
        if all(arg.run is None for arg in args):
            return self.instance(name, tuple(arg.value for arg in args))
        sample, runs = self.instance(name, tuple(domain.values[0] for domain in domains)), [running(a) for a in args]

        def run(state: State) -> Any:
            return self.instance(name, tuple([run(state) for run in runs])).of(state)

        return Term(sample.kind, None, run, sample.values)

    def instance(self, name: str, key: tuple[Any, ...]) -> Term:
        """The body of a definition for these values of its parameters, made once for each."""
        if (found := self.made.get((name, key))) is None:
            parameters, body = self.names.definitions[name]
            inside = all(value in domain.values for value, (_, domain) in zip(key, parameters, strict=True))
            values = key if inside else [domain.values[0] for _, domain in parameters]
            local = {
                parameter: Term(domain.kind, value, values=domain.values)
                for value, (parameter, domain) in zip(values, parameters, strict=True)
            }
            self.limits.hold(200)
            found = remembered(whole(self.term(body, local)))
            self.made[name, key] = found = found if inside else Term(found.kind, values=found.values)
        return found

    # Loops

    def turns(self, loops: list[ast.comprehension], local: Local, when: Term = TRUE) -> Iterator[tuple[Term, Local]]:
        """The turns of nested loops, each with its condition and its names."""
        self.limits.tick()
        if not loops:
            yield when, local
            return
        match loops[0]:
            case ast.comprehension(ast.Name(name), _, _, 0) if self._is_new(name, local):
                key = self._key(loops[0], local)
                if (listed := self.listed.get(key) if key else None) is None:
                    listed = self._taken(loops[0], name, local)
                    if key:
                        self.listed[key] = listed
                for value, there in listed:
                    both = there if when is TRUE else every([when, there])
                    if not both.never:
                        yield from self.turns(loops[1:], {**local, name: value}, both)
            case _:
                raise Unsupported(f"this checker does not understand the loop over `{shown(loops[0].iter)}`")

    def _taken(self, loop: ast.comprehension, name: str, local: Local) -> list[tuple[Term, Term]]:
        """The values that a loop may come to, each with the condition that it does."""
        found = []
        for value, inside in self._turns_of(loop.iter, local):
            self._count()
            inner = {**local, name: value}
            there = every([inside, *(self.of_kind(TRUTH, test, inner) for test in loop.ifs)])
            if not there.never:
                found.append((value, there))
        return found

    def _is_new(self, name: str, local: Local) -> bool:
        return name not in local and name not in self.names.taken and name not in WORDS

    def _turns_of(self, node: ast.expr, local: Local) -> list[tuple[Term, Term]]:
        """The values of a loop, each with whether the loop comes to it."""
        match node:
            case ast.Call(ast.Name("region"), [start, ast.Name(test)], []):
                region = self._region(node, self.term(start, local), test)
                cells = [Term(CELL, cell) for cell in sorted(self.names.cells)]
                return [(cell, self._is_in(region, cell)) for cell in cells]
            case ast.Name(name) if name in self.names.tables:
                table = self.names.tables[name]
                if table.domain.kind != TRUTH or len(table.of) != 1:
                    raise not_understood(node)
                self.limits.tick(len(table.of[0].values))
                values = [Term(table.of[0].kind, value, values=table.of[0].values) for value in table.of[0].values]
                return [(value, self.read(name, [value])) for value in values]
        return [(value, present(value)) for value in self._loop_values(node, local)]

    def _loop_values(self, node: ast.expr, local: Local) -> list[Term]:
        """The values of a loop: of a type, a range, a list of names, or the neighbours of a cell."""
        match node:
            case ast.Call(ast.Name("neighbours"), [middle], []):
                cell, vectors = self.of_kind(CELL, middle, local), self.names.directions.values()
                steps = [self._step(cell, Term(VECTOR, vector)) for vector in vectors]
                return [remembered(whole(step)) for step in steps]
            case ast.Name(name) if name in self.names.domains:
                domain = self.names.domains[name]
            case ast.BinOp(ast.Constant(int(low)), ast.Pow(), ast.Constant(int(high))) if low <= high < low + 10_000:
                domain = TypeDomain(NUMBER, tuple(range(low, high + 1)))
            case ast.List(items) | ast.Tuple(items):
                terms = [self.term(item, {}) for item in items]
                found = tuple(dict.fromkeys(t.value for t in terms if t.run is None and t.value is not None))
                if len({term.kind for term in terms}) != 1 or len(found) != len(terms):
                    raise not_understood(node)
                domain = TypeDomain(terms[0].kind, found)
            case _:
                raise not_understood(node)
        self.limits.tick(len(domain.values))
        return [Term(domain.kind, value, values=domain.values) for value in domain.values]

    # Operators and functions

    def _compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr, local: Local) -> Term:
        a = self.term(left, local)
        if isinstance(op, ast.In | ast.NotIn):
            inside = self._member(a, right, local)
            return inside if isinstance(op, ast.In) else negated(inside)
        b = self.term(right, local)
        ordered = type(op) not in (ast.Eq, ast.NotEq)
        if ordered and a.kind == b.kind and a.kind in (OBJECT, CELL):
            rank = self._rank(a, b)
            a, b = (lifted(NUMBER, rank.get, side) for side in (a, b))
        if type(op) not in COMPARED or a.kind != b.kind or (ordered and a.kind != NUMBER):
            raise not_understood(ast.Compare(left, [op], [right]))
        return equal(COMPARED[type(op)], a, b)

    def _rank(self, a: Term, b: Term) -> dict[Value, int]:
        """The order in which objects or cells are compared: that of the cells, or of the smallest type with all objects
        that both can be.
        """
        both = {*a.values, *b.values}
        types = {d.values for d in self.names.domains.values() if d.kind == a.kind and both <= set(d.values)}
        smallest = [values for values in types if len(values) == min(map(len, types))]
        if len(smallest) != 1 or (a.kind == OBJECT and not (a.values and b.values)):
            raise Unsupported("this checker does not know the order of what is compared")
        return {value: number for number, value in enumerate(smallest[0])}

    def _member(self, term: Term, options: ast.expr, local: Local) -> Term:
        """Membership: `x in [a, b]`, `c in target` (a table), `c + d in cell` (a type); a term without a value is in
        no type.
        """
        match options:
            case ast.List(items) | ast.Tuple(items) | ast.Set(items):
                terms, term = [self.term(item, local) for item in items], remembered(term)
                if all(item.kind == term.kind for item in terms):
                    return some([equal(operator.eq, term, item) for item in terms])
            case ast.Name(name) if name in self.names.tables:
                if self.names.tables[name].domain.kind == TRUTH:
                    return self.read(name, [term])
            case _:
                terms = self._loop_values(options, {})
                if all(item.kind == term.kind for item in terms):
                    self.limits.hold(64 * len(terms))
                    return one_of(term, frozenset(item.value for item in terms))
        raise not_understood(options)

    def _vector(self, term: Term) -> Term | None:
        """The vector of a direction; None if the value is not a direction."""
        ways = self.names.directions
        if term.kind == OBJECT and 0 < len(term.values) <= len(ways) and set(term.values) <= set(ways):
            return lifted(VECTOR, ways.__getitem__, term)
        return term if term.kind == VECTOR else None

    def _step(self, cell: Term, vector: Term) -> Term:
        """The cell that is a vector away; no value off the board."""
        cells = self.names.cells

        def there(c: Cell, v: Cell) -> Cell | None:
            found = (c[0] + v[0], c[1] + v[1])
            return found if found in cells else None

        found = lifted(CELL, there, cell, vector)
        return Term(CELL, found.value, found.run, step=(cell, vector))

    def _negative(self, node: ast.expr, term: Term) -> Term:
        vector = self._vector(term)
        if vector is None and term.kind != NUMBER:
            raise not_understood(node)
        return lifted(VECTOR, lambda v: (-v[0], -v[1]), vector) if vector else lifted(NUMBER, operator.neg, term)

    def _joined(self, node: ast.expr, op: ast.operator, a: Term, b: Term) -> Term:
        join = JOINED.get(type(op))
        if join is None:
            raise not_understood(node)
        if a.kind == b.kind == NUMBER:
            return lifted(NUMBER, lambda x, y: _small(join(x, y)), a, b)
        v, w = self._vector(a), self._vector(b)
        if isinstance(op, ast.Mult) and (a.kind, b.kind).count(NUMBER) == 1 and (v or w):
            number, vector = (a, w) if w else (b, v)
            assert vector is not None
            return lifted(VECTOR, lambda n, d: (_small(n * d[0]), _small(n * d[1])), number, vector)
        if isinstance(op, ast.Add | ast.Sub) and w and (v or a.kind == CELL):

            def moved(x: Cell, y: Cell) -> tuple[int | None, int | None]:
                return join(x[0], y[0]), join(x[1], y[1])

            if v:
                return lifted(VECTOR, moved, v, w)
            cell, first = a.step or (a, Term(VECTOR, (0, 0)))  # of `c + d - e` only where it ends counts
            return self._step(cell, lifted(VECTOR, moved, first, w))
        raise not_understood(node)

    def _steps(self, node: ast.expr, start: Term, test: str) -> Callable[[State, Cell, str, Cell], bool]:
        """Whether a step is possible, by state, cell, direction and next cell: `test` is true of the next cell, of both
        cells, or of the cell before and the direction.
        """
        domains = [domain for _, domain in self.names.definitions.get(test, ((), node))[0]]
        kinds, sample = [domain.kind for domain in domains], [Term(d.kind, d.values[0]) for d in domains if d.values]
        fit = start.kind == CELL and kinds in ([CELL], [CELL, CELL], [CELL, OBJECT])
        if not fit or self.use(test, sample).kind != TRUTH:
            raise not_understood(node)
        cells = self.names.cells

        def possible(state: State, here: Cell, way: str, there: Cell) -> bool:
            self.limits.tick()
            asked = (there,) if len(kinds) == 1 else (here, there if kinds[1] == CELL else way)
            return there in cells and self.instance(test, asked).of(state) is True

        return possible

    def _slide(self, node: ast.expr, start: Term, way: Term, test: str) -> Term:
        """The end of a slide, which goes on while steps are possible (`_steps`)."""
        possible, cells, ways = self._steps(node, start, test), self.names.cells, self.names.directions
        if way.kind != OBJECT or not self._vector(way):
            raise not_understood(node)

        def stop(state: State) -> Any:
            here, direction = start.of(state), way.of(state)
            if here is None or direction is None:
                return None
            row, column = ways[direction]
            for _ in cells:  # no way is longer
                there = (here[0] + row, here[1] + column)
                if not possible(state, here, direction, there):
                    break
                here = there
            return here

        return Term(CELL, run=stop)

    def _region(self, node: ast.expr, start: Term, test: str) -> Run:
        """The cells that are reached from a cell by steps (`_steps`). None if the start has no value."""
        possible, ways = self._steps(node, start, test), self.names.directions

        def reached(state: State) -> Any:
            first = start.of(state)
            found, waiting = {first}, [first] if first is not None else []
            while waiting:
                here = waiting.pop()
                for way, (rows, columns) in ways.items():
                    there = (here[0] + rows, here[1] + columns)
                    if there not in found and possible(state, here, way, there):
                        found.add(there)
                        waiting.append(there)
            return None if first is None else found

        return running(remembered(Term(CELL, run=reached)))

    def _is_in(self, region: Run, cell: Term) -> Term:
        """Whether a cell is in a region; no value if one of them has none."""

        def inside(state: State) -> Any:
            cells, place = region(state), cell.of(state)
            return None if cells is None or place is None else place in cells

        return Term(TRUTH, run=inside)

    def _function(self, node: ast.expr, name: str, args: list[Term]) -> Term:
        kinds, values = [arg.kind for arg in args], args[0].values if args else ()
        if name in ("row", "col") and kinds == [CELL]:
            return lifted(NUMBER, lambda cell: cell[name == "col"] + 1, *args)
        if name == "cell" and kinds == [NUMBER, NUMBER]:
            cell = self._step(Term(CELL, (-1, -1)), lifted(VECTOR, lambda row, column: (row, column), *args))
            return whole(cell)
        if name == "abs" and kinds == [NUMBER]:
            return lifted(NUMBER, abs, *args)
        if name in ("min", "max") and len(kinds) > 1 and set(kinds) == {NUMBER}:
            return lifted(NUMBER, min if name == "min" else max, *args)
        if name == "opposite" and kinds == [OBJECT] and self._vector(args[0]):
            ways = self.names.directions
            back = {d: next((e for e, w in ways.items() if w == (-v[0], -v[1])), None) for d, v in ways.items()}
            return lifted(OBJECT, back.__getitem__, *args, values=tuple(ways))
        if name == "other" and len(kinds) == 1:
            if len(values) == 1 and (home := self.names.homes.get(str(values[0]))) is not None:
                values = home.values  # of `left` by itself: the type in which it was named
            values = (False, True) if kinds == [TRUTH] else values
            if len(values) == 2 and (kinds != [NUMBER] or abs(int(values[0]) - int(values[1])) == 1):  # type: ignore[arg-type]
                return lifted(kinds[0], dict(zip(values, values[::-1], strict=True)).get, *args, values=values)
        raise not_understood(node)


def _quantified(node: ast.expr, name: str, turns: list[tuple[Term, Term]]) -> Term:
    """`all any count sum min max the first different` over the bodies of the turns of a loop that take place."""
    if name == "different":
        return _different(node, turns)
    if name in ("the", "first") and turns:
        return _first(turns, Term(turns[0][1].kind, values=turns[0][1].values))
    wanted = TRUTH if name in ("all", "any", "count") else NUMBER
    if any(body.kind != wanted for _, body in turns) or name not in ("all", "any", "count", "sum", "min", "max"):
        raise not_understood(node)
    if name == "all":
        return every([choice(when, body, TRUE) for when, body in turns])
    if name == "any":
        return some([choice(when, body, FALSE) for when, body in turns])
    if name == "count":
        return counted([every(list(turn)) for turn in turns])
    fold: Any = {"sum": sum, "min": min, "max": max}[name]

    def of(found: list[Any]) -> int | None:
        here = [value for there, value in zip(found[::2], found[1::2], strict=True) if there is True]
        return None if None in here or (not here and name != "sum") else _small(fold(here))

    return folded(NUMBER, [term for turn in turns for term in turn], of)


def _first(turns: list[tuple[Term, Term]], other: Term) -> Term:
    """The body of the first turn that takes place; the other value if none does."""
    return reduce(lambda others, turn: choice(turn[0], turn[1], others), turns[::-1], other)


def _different(node: ast.expr, turns: list[tuple[Term, Term]]) -> Term:
    """Whether no two bodies of the turns that take place are equal; if none are, but one is missing, no value."""
    kinds = {body.kind for _, body in turns}
    if len(kinds) > 1 or VECTOR in kinds:
        raise not_understood(node)

    def of(found: list[Any]) -> bool | None:
        here = [value for there, value in zip(found[::2], found[1::2], strict=True) if there is True]
        values = [value for value in here if value is not None]
        if len(set(values)) < len(values):
            return False
        return None if len(values) < len(here) else True

    return folded(TRUTH, [term for turn in turns for term in turn], of)


def _closed_loop(node: ast.expr, edges: list[tuple[Term, Term, Term]]) -> Term:
    """Whether the edges that count, each with its condition and its ends, are one closed loop; no value if an end of
    one of them is missing.
    """
    kinds = {end.kind for _, *ends in edges for end in ends}
    if len(kinds) > 1 or kinds & {VECTOR, TRUTH}:
        raise not_understood(node)

    def closed(found: list[Any]) -> bool | None:
        chosen = [(a, b) for there, a, b in zip(found[::3], found[1::3], found[2::3], strict=True) if there is True]
        if any(None in pair for pair in chosen):
            return None
        nodes = [end for pair in chosen for end in pair]
        if not chosen or any(a == b for a, b in chosen) or any(nodes.count(end) != 2 for end in nodes):
            return False
        # Every node has two edges: they are one loop if a walk along them, from the first, comes by all of them.
        (begin, here), *left = chosen
        while here != begin:
            edge = next(pair for pair in left if here in pair)
            left.remove(edge)
            here = edge[1] if edge[0] == here else edge[0]
        return not left

    return folded(TRUTH, [term for edge in edges for term in edge], closed)


def indices(index: ast.expr) -> list[ast.expr]:
    """The arguments in the brackets behind a table."""
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _fit(name: str, args: list[Term], domains: tuple[TypeDomain, ...]) -> None:
    if [arg.kind for arg in args] != [domain.kind for domain in domains]:
        raise Unsupported(f"this checker does not understand the arguments of `{name[:40]}`")


def _small(value: int | None) -> int | None:
    if value is not None and abs(value) > LARGEST:
        raise Unsupported("this checker does not reckon with numbers of more than 18 digits")
    return value
