"""Expressions as instructions.

What does not read the state and no value that is known only when the program runs is computed here, once. Loops are
unrolled; a definition whose arguments are known is a routine that runs at most once in a run of a program (its value is
kept), any other is written out where it is used.

A condition is met only if it is true: without a value it is neither true nor false. So there are two ways to ask.
`need` goes on where an expression is true, `refute` where it is false; both jump otherwise. `not x` needs that x is
refuted; `x and y` is true if both are, and false if one of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import prod

from .... import program as op
from ....program import NONE, ROW
from ..language.evaluate import Evaluators
from ..language.expressions import (
    And,
    Arith,
    CellStep,
    ClosedLoop,
    Compare,
    Conditional,
    Connected,
    ConstantLookup,
    Expr,
    Function,
    Local,
    Loop,
    Membership,
    Not,
    Or,
    Quantifier,
    Read,
    SlideEnd,
    Use,
    Value,
    VectorOf,
    used,
)
from ..language.loop_turns import asked_by
from ..puzzle import Custom, Domain
from .emitter import Emitter, TooLongError
from .graphs import Graphs
from .scope import ProgramScope
from .values import Numbers

MAX_STEPS = 10_000_000
"""Turns of loops and uses of definitions that are worked out while programs are written; then it is given up."""

FARTHEST = 1_000
"""A factor of a vector is cut off here, as in `c + n*d`: a thousand steps lead off every board."""

ARITHMETIC = {"+": op.ADD, "-": op.SUB, "*": op.MUL, "//": op.DIV, "%": op.MOD}
COMPARISONS = {"==": (op.EQ, op.SAME), "!=": (op.NE, op.OTHER), "<": (op.LT, op.LESS), "<=": (op.LE, op.MOST)}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
SWAPPED = {">": "<", ">=": "<="}


class ExpressionCompiler:
    """Writes expressions of a puzzle as instructions."""

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.numbers = Numbers(puzzle)
        self.evaluators = Evaluators(puzzle, self._count)
        self.work = 0
        self.first: dict[str, int] = {}
        """The first variable of each table; the others follow in the order of its keys."""
        self.variable: dict[tuple[str, tuple[Value, ...]], int] = {}
        for table in puzzle.state.values():
            self.first[table.name] = len(self.variable)
            for key in table.every_key():
                self.variable[table.name, key] = len(self.variable)
        self.out = Emitter(len(self.variable))
        self._routines: dict[tuple[str, tuple[Value | None, ...]], tuple[int, Callable[[], None]]] = {}
        self.graphs = Graphs(self)
        self._waiting: list[tuple[int, Callable[[], None]]] = []
        self._rules: dict[int, tuple[Expr, int, int]] = {}
        self._used: dict[int, tuple[Expr, frozenset[str]]] = {}

    def _count(self, amount: int) -> None:
        self.work += amount
        if self.work > MAX_STEPS:
            raise TooLongError([])

    # What is known beforehand

    def names_in(self, expr: Expr) -> frozenset[str]:
        kept = self._used.get(id(expr))
        if kept is None:
            kept = self._used[id(expr)] = (expr, frozenset(used(expr)))
        return kept[1]

    def known(self, expr: Expr, scope: ProgramScope) -> bool:
        """Whether the value of an expression is known before the program runs."""
        return not self.evaluators.reads(expr) and self.names_in(expr).isdisjoint(scope.registers)

    def value_of(self, expr: Expr, scope: ProgramScope) -> Value | None:
        """The value of an expression that is known."""
        names = self.names_in(expr)  # no others: what is kept of an expression is kept by the values of its names
        return self.evaluators.evaluator(expr)({n: v for n, v in scope.known.items() if n in names}, {})

    # Values

    def value(self, expr: Expr, scope: ProgramScope, *, vector: bool = False) -> int:
        """The register with the value of an expression."""
        if self.known(expr, scope):
            return self.out.constant(self.numbers.of(self.value_of(expr, scope), vector=vector))
        out = self.out
        match expr:
            case Local(name):
                return scope.registers[name]
            case Read(table, args):
                return self._read(table, args, scope)
            case ConstantLookup(table, args):
                held = self.puzzle.constants[table]
                index, _ = self.index_of(args, held.of, scope)
                entries = {i: self.numbers.of(held.values.get(key)) for i, key in enumerate(held.every_key())}
                return out.computed(op.TABLE, index, self.numbers.table(entries))
            case Use(name, args):
                return self._use(name, args, scope, vector=vector)
            case VectorOf(direction):
                return self._vector_of(self.value(direction, scope))
            case CellStep(cell, step):
                return self._step(self.value(cell, scope), step, scope)
            case Arith(kind, left, right):
                return self._arithmetic(kind, left, right, scope, vector=vector)
            case Compare(kind, left, right):
                a, b = self._operands(left, right, scope)
                if kind in SWAPPED:
                    kind, a, b = SWAPPED[kind], b, a
                return out.computed(COMPARISONS[kind][0], a, b)
            case Conditional(condition, yes, no):
                return self._either(condition, yes, no, scope, vector=vector)
            case Quantifier(kind, _, _) if kind in ("count", "sum", "min", "max"):
                return self._total(expr, scope)
            case Quantifier("different", body, loops):
                return self._different(body, loops, scope)
            case SlideEnd():
                return self._slide(expr, scope)
            case ClosedLoop():
                return self.graphs.closed_loop(expr, scope)
            case Connected():
                return self.graphs.value(expr, scope)
            case Function(name, args, options):
                return self._function(name, args, options, scope)
            case Not(inner):
                return out.computed(op.NOT, self.value(inner, scope))
        return self._truth(expr, scope)

    def _truth(self, expr: Expr, scope: ProgramScope) -> int:
        """A condition as a value: 1, 0, or none where it is neither true nor false."""
        out, result = self.out, self.out.register()
        with out.ending() as end:
            untrue, unknown = out.label(), out.label()
            self.need(expr, untrue, scope)
            out.emit(op.MOVE, result, out.constant(1))
            out.emit(op.JUMP, end)
            out.put(untrue)
            self.refute(expr, unknown, scope)
            out.emit(op.MOVE, result, out.constant(0))
            out.emit(op.JUMP, end)
            out.put(unknown)
            out.emit(op.MOVE, result, out.constant(NONE))
        return result

    def _operands(self, left: Expr, right: Expr, scope: ProgramScope) -> tuple[int, int]:
        vector = self.is_vector(left) or self.is_vector(right)
        return self.value(left, scope, vector=vector), self.value(right, scope, vector=vector)

    def is_vector(self, expr: Expr) -> bool:
        """Whether the value is a vector, as far as the expression itself shows it."""
        match expr:
            case VectorOf():
                return True
            case Arith(_, left, right):
                return self.is_vector(left) or self.is_vector(right)
            case Conditional(_, yes, no):
                return self.is_vector(yes) or self.is_vector(no)
            case Use(name, _):
                return self.is_vector(self.puzzle.definitions[name].body)
        return False

    def index_of(self, args: tuple[Expr, ...], domains: tuple[Domain, ...], scope: ProgramScope) -> tuple[int, int]:
        """The register with the place of some arguments among all keys of a table, and how many keys there are."""
        out, index, size = self.out, -1, 1
        for arg, domain in zip(args, domains, strict=True):
            places = {self.numbers.of(value): i for i, value in enumerate(domain.values)}
            place = self._looked_up(self.value(arg, scope), places)
            index = place if index < 0 else out.computed(op.SCALED, index, place, len(domain.values))
            size *= len(domain.values)
        return (index, size) if args else (out.constant(0), 1)

    def _looked_up(self, register: int, entries: Mapping[int, int]) -> int:
        return self.out.computed(op.TABLE, register, self.numbers.table(entries))

    def _read(self, table: str, args: tuple[Expr, ...], scope: ProgramScope) -> int:
        if all(self.known(arg, scope) for arg in args):
            key = tuple(self.value_of(arg, scope) for arg in args)
            found = self.variable.get((table, key))  # type: ignore[arg-type]
            return self.out.constant(NONE) if found is None else found
        index, size = self.index_of(args, self.puzzle.state[table].of, scope)
        return self.out.computed(op.VARIABLE, index, self.first[table], size)

    def _vector_of(self, direction: int) -> int:
        ways = self.puzzle.directions.items()
        entries = {self.numbers.of(name): self.numbers.of(vector, vector=True) for name, vector in ways}
        return self.out.computed(op.TABLE, direction, self.numbers.table(entries))

    def _step(self, cell: int, step: Expr, scope: ProgramScope) -> int:
        """The cell at a vector from a cell."""
        if self.known(step, scope):
            vector = self.value_of(step, scope)
            if not isinstance(vector, tuple):
                return self.out.constant(NONE)
            return self.out.computed(op.TABLE, cell, self._steps(vector))
        return self._moved(cell, self.value(step, scope, vector=True))

    def _steps(self, vector: tuple[int, int]) -> int:
        """The table with the cell at a vector from each cell."""
        rows, columns = vector
        cells = self.numbers.cells
        found = {i: cells.get((row + rows, column + columns), NONE) for (row, column), i in cells.items()}
        return self.numbers.table(found)

    def _moved(self, cell: int, vector: int) -> int:
        place = self.out.computed(op.TABLE, cell, self.numbers.places())
        return self.out.computed(op.CELL, self.out.computed(op.ADD, place, vector), self.numbers.grid())

    def _arithmetic(self, kind: str, left: Expr, right: Expr, scope: ProgramScope, *, vector: bool) -> int:
        out = self.out
        vector = vector or self.is_vector(left) or self.is_vector(right)
        if not (vector and kind == "*"):
            a, b = self.value(left, scope, vector=vector), self.value(right, scope, vector=vector)
            return out.computed(ARITHMETIC[kind], a, b)
        times = self.value(left, scope)  # a number of times a vector; many times lead off the board anyway
        if not self.known(left, scope):
            times = out.computed(op.MAX, out.computed(op.MIN, times, out.constant(FARTHEST)), out.constant(-FARTHEST))
        return out.computed(op.MUL, times, self.value(right, scope, vector=True))

    def _either(self, condition: Expr, yes: Expr, no: Expr, scope: ProgramScope, *, vector: bool) -> int:
        out = self.out
        vector = vector or self.is_vector(yes) or self.is_vector(no)
        if self.known(condition, scope):
            chosen = yes if self.value_of(condition, scope) is True else no
            return self.value(chosen, scope, vector=vector)
        result = out.register()
        with out.ending() as end:
            other = out.label()
            self.need(condition, other, scope)
            out.emit(op.MOVE, result, self.value(yes, scope, vector=vector))
            out.emit(op.JUMP, end)
            out.put(other)
            out.emit(op.MOVE, result, self.value(no, scope, vector=vector))
        return result

    def _function(self, name: str, args: tuple[Expr, ...], options: tuple[Value, ...], scope: ProgramScope) -> int:
        out, numbers = self.out, self.numbers
        values = [self.value(arg, scope) for arg in args]
        match name:
            case "row" | "col":
                return out.computed(
                    op.TABLE,
                    values[0],
                    numbers.table({i: cell[name == "col"] + 1 for cell, i in numbers.cells.items()}),
                )
            case "abs":
                return out.computed(op.MAX, values[0], out.computed(op.SUB, out.constant(0), values[0]))
            case "min" | "max":
                result = values[0]
                for value in values[1:]:
                    result = out.computed(op.MIN if name == "min" else op.MAX, result, value)
                return result
            case "cell":
                place = out.computed(op.SCALED, values[0], values[1], ROW)  # both count from 1
                fits = out.computed(op.TABLE, values[1], numbers.table(dict.fromkeys(range(1, 2 + numbers.columns), 0)))
                whole = out.computed(op.ADD, out.computed(op.SUB, place, out.constant(ROW + 1)), fits)
                return out.computed(op.CELL, whole, numbers.grid())
        choices = options or tuple(self.puzzle.directions)
        entries = {numbers.of(v): numbers.of(self.evaluators.function(name, (v,), options)) for v in choices}
        return out.computed(op.TABLE, values[0], numbers.table(entries))

    # Definitions

    def _use(self, name: str, args: tuple[Expr, ...], scope: ProgramScope, *, vector: bool = False) -> int:
        """The register with the value of a definition."""
        definition = self.puzzle.definitions[name]
        if all(self.known(arg, scope) for arg in args):
            values = tuple(self.value_of(arg, scope) for arg in args)
            if self.scope_of(name, values) is None:
                return self.out.constant(NONE)
            return self._routine(name, values)
        result = self.out.register()
        with self.out.ending() as end:
            unbound = self.out.label()
            inner = self._bound(name, args, unbound, scope)
            vector = vector or self.is_vector(definition.body)
            self.out.emit(op.MOVE, result, self.value(definition.body, inner, vector=vector))
            self.out.emit(op.JUMP, end)
            self.out.put(unbound)
            self.out.emit(op.MOVE, result, self.out.constant(NONE))
        return result

    def _bound(self, name: str, args: tuple[Expr, ...], unbound: int, scope: ProgramScope) -> ProgramScope:
        """The names within a definition; jumps if an argument is no value of its parameter's type."""
        inner = ProgramScope({}, {})
        for arg, (parameter, domain) in zip(args, self.puzzle.definitions[name].parameters, strict=True):
            if self.known(arg, scope):
                value = self.value_of(arg, scope)
                if value is None or value not in domain.values:
                    self.out.emit(op.JUMP, unbound)
                    value = domain.values[0]
                inner = inner.with_known(parameter, value)
            else:
                register = self._looked_up(
                    self.value(arg, scope), {self.numbers.of(v): self.numbers.of(v) for v in domain.values}
                )
                self.out.emit(op.VALUE, unbound, register)
                inner = inner.with_register(parameter, register)
        return inner

    def _routine(self, name: str, args: tuple[Value | None, ...]) -> int:
        """The register with the value of a definition for known arguments, computed at most once in a run."""
        if (name, args) not in self._routines:
            result = self.out.register()
            body, scope = self.puzzle.definitions[name].body, self.scope_of(name, args) or ProgramScope({}, {})

            def write() -> None:
                self.out.emit(op.MOVE, result, self.value(body, scope, vector=self.is_vector(body)))

            self._routines[name, args] = result, self.routine(write)
        result, call = self._routines[name, args]
        call()
        return result

    def scope_of(self, name: str, args: tuple[Value | None, ...]) -> ProgramScope | None:
        """The names within a definition for known arguments; None if one is no value of its parameter's type."""
        bound = None if None in args else self.evaluators.bound(name, args)  # type: ignore[arg-type]
        return None if bound is None else ProgramScope(bound, {})

    def routine(self, write: Callable[[], None]) -> Callable[[], None]:
        """Let `write` write a routine behind all programs; what writes a call of it, which runs it once in a run."""
        entry, run = self.out.label(), self.out.register()
        self._waiting.append((entry, write))
        return partial(self.out.emit, op.CALL, entry, run)

    def write_routines(self) -> None:
        """Write the routines that programs call."""
        while self._waiting:
            entry, write = self._waiting.pop()
            self.out.put(entry)
            write()
            self.out.emit(op.RETURN)

    def call_rule(self, condition: Expr) -> None:
        """Go on if a condition of the whole puzzle is true, otherwise fail. It is written once for all programs."""
        kept = self._rules.get(id(condition))
        if kept is None:
            kept = self._rules[id(condition)] = (condition, self.out.label(), self.out.register())
        self.out.emit(op.CALL, kept[1], kept[2])

    def write_rules(self) -> None:
        """Write the conditions that programs call."""
        for condition, entry, _ in self._rules.values():
            self.out.put(entry)
            with self.out.program(op.RETURN) as fail:
                self.require(condition, fail, ProgramScope({}, {}))

    # Conditions

    def require(self, expr: Expr, fail: int, scope: ProgramScope) -> None:
        """Write a condition of a program: its smallest parts that all must be true, each in a block of its own."""
        match expr:
            case And(parts):
                for part in parts:
                    self.require(part, fail, scope)
            case Quantifier("all", body, loops) if self._turns_known(loops, scope):
                for turn, _ in self.turns(loops, scope):
                    self.require(body, fail, turn)
            case _ if self.known(expr, scope):
                self.need(expr, fail, scope)
            case _:
                with self.out.ending() as end:
                    self.out.emit(op.CHECK, end)
                    self.need(expr, fail, scope)

    def need(self, expr: Expr, otherwise: int, scope: ProgramScope) -> None:
        """Go on if an expression is true; otherwise jump."""
        if self.known(expr, scope):
            if self.value_of(expr, scope) is not True:
                self.out.emit(op.JUMP, otherwise)
            return
        match expr:
            case And(parts):
                for part in parts:
                    self.need(part, otherwise, scope)
            case Or(parts):
                self._one(parts, otherwise, scope, self.need)
            case Not(inner):
                self.refute(inner, otherwise, scope)
            case Compare(kind, left, right):
                self._compare(kind, left, right, otherwise, scope)
            case Membership(inner, values):
                self.out.emit(op.VALUE, otherwise, self._member(inner, values, scope))
            case Quantifier("all", body, loops):
                self._each(body, loops, otherwise, scope, self.need)
            case Quantifier("any", body, loops):
                self._some(body, loops, otherwise, scope, self.need)
            case Use(name, args) if not all(self.known(arg, scope) for arg in args):
                self.need(self.puzzle.definitions[name].body, otherwise, self._bound(name, args, otherwise, scope))
            case Conditional():
                self._branch(expr, otherwise, scope, self.need)
            case _:
                self.out.emit(op.TRUE, otherwise, self.value(expr, scope))

    def refute(self, expr: Expr, otherwise: int, scope: ProgramScope) -> None:
        """Go on if an expression is false; otherwise jump."""
        if self.known(expr, scope):
            if self.value_of(expr, scope) is not False:
                self.out.emit(op.JUMP, otherwise)
            return
        match expr:
            case And(parts):
                self._one(parts, otherwise, scope, self.refute)
            case Or(parts):
                for part in parts:
                    self.refute(part, otherwise, scope)
            case Not(inner):
                self.need(inner, otherwise, scope)
            case Compare(kind, left, right):
                self._compare(NEGATED[kind], left, right, otherwise, scope)
            case Membership(inner, values):
                with self.out.ending() as end:
                    self.out.emit(op.VALUE, end, self._member(inner, values, scope))
                    self.out.emit(op.JUMP, otherwise)
            case Quantifier("all", body, loops):
                self._some(body, loops, otherwise, scope, self.refute)
            case Quantifier("any", body, loops):
                self._each(body, loops, otherwise, scope, self.refute)
            case Use(name, args) if not all(self.known(arg, scope) for arg in args):
                self.refute(self.puzzle.definitions[name].body, otherwise, self._bound(name, args, otherwise, scope))
            case Conditional():
                self._branch(expr, otherwise, scope, self.refute)
            case _:
                self.out.emit(op.FALSE, otherwise, self.value(expr, scope))

    def _compare(self, kind: str, left: Expr, right: Expr, otherwise: int, scope: ProgramScope) -> None:
        a, b = self._operands(left, right, scope)
        if kind in SWAPPED:
            kind, a, b = SWAPPED[kind], b, a
        self.out.emit(COMPARISONS[kind][1], otherwise, a, b)

    def _member(self, inner: Expr, values: frozenset[Value], scope: ProgramScope) -> int:
        """The register for `x in [a, b]`: it has a value if the expression is one of `values`, and none otherwise."""
        numbers = {self.numbers.of(value) for value in values}
        return self.out.computed(op.TABLE, self.value(inner, scope), self.numbers.table(dict.fromkeys(numbers, 1)))

    def _one(self, parts: tuple[Expr, ...], otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        """Go on if `ask` goes on for at least one of the expressions, as for `a or b`; otherwise jump."""
        with self.out.ending() as found:
            for part in parts[:-1]:
                following = self.out.label()
                ask(part, following, scope)
                self.out.emit(op.JUMP, found)
                self.out.put(following)
            ask(parts[-1], otherwise, scope)

    def _branch(self, expr: Conditional, otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        if self.known(expr.condition, scope):
            ask(expr.yes if self.value_of(expr.condition, scope) is True else expr.no, otherwise, scope)
            return
        with self.out.ending() as end:
            other = self.out.label()
            self.need(expr.condition, other, scope)
            ask(expr.yes, otherwise, scope)
            self.out.emit(op.JUMP, end)
            self.out.put(other)
            ask(expr.no, otherwise, scope)

    # Loops

    def turns(self, loops: tuple[Loop, ...], scope: ProgramScope, begin: Begin | None = None) -> Turns:
        """The turns of nested loops, unrolled: the names in each turn, and the label behind its code.

        Where the state decides whether there is a turn (`for x in T if lit[x]`), a jump over it is written first.
        `begin` is called before that, with the same as what is yielded.
        """
        if not loops:
            with self.out.ending() as behind:
                if begin is not None:
                    begin(scope, behind)
                yield scope, behind
            return
        asked = asked_by(loops)
        own = {loop.name for loop in loops}
        if self._turns_known(loops, scope):
            needed = frozenset().union(*map(self.names_in, asked))
            known = {n: v for n, v in scope.known.items() if n in needed}
            for names in self.evaluators.turns(loops)(known, {}):
                turn = ProgramScope(
                    {**scope.known, **{name: names[name] for name in own}},
                    {n: r for n, r in scope.registers.items() if n not in own},
                )
                with self.out.ending() as behind:
                    if begin is not None:
                        begin(turn, behind)
                    yield turn, behind
            return
        loop = loops[0]
        regions = self._regions_before(loop, scope)
        for inner in self._values(loop, scope):
            behind = self.out.label()
            if isinstance(inner, int):
                self.out.emit(op.VALUE, behind, inner)
                turn = scope.with_register(loop.name, inner)
            else:
                turn = inner
            if not any(self.known(c, turn) and self.value_of(c, turn) is not True for c in loop.conditions):
                last = len(loops) == 1
                if last and begin is not None:
                    begin(turn, behind)
                for number, condition in enumerate(loop.conditions):
                    if number in regions:
                        cell = self.numbers.of(turn.known[loop.name])
                        self.out.emit(op.TRUE, behind, regions[number] + cell)
                    else:
                        self.need(condition, behind, turn)
                if last:
                    yield turn, behind
                else:
                    yield from self.turns(loops[1:], turn, begin)
            self.out.put(behind)

    def _regions_before(self, loop: Loop, scope: ProgramScope) -> dict[int, int]:
        """The regions that a loop goes over, each found before the loop: by the numbers of the conditions."""
        return {
            number: self.graphs.reached(condition, scope)
            for number, condition in enumerate(loop.conditions)
            if isinstance(condition, Connected)
            and condition.end == Local(loop.name)
            and loop.name not in self.names_in(condition.start)
            and loop.around is None
        }

    def _turns_known(self, loops: tuple[Loop, ...], scope: ProgramScope) -> bool:
        """Whether it is known before the program runs which turns some loops have."""
        own = {loop.name for loop in loops}
        return not self.evaluators.reads_in(loops) and all(
            (self.names_in(part) - own).isdisjoint(scope.registers) for part in asked_by(loops)
        )

    def _values(self, loop: Loop, scope: ProgramScope) -> Iterator[ProgramScope | int]:
        """For each value of a loop the scope with it; or the register that holds it."""
        if loop.around is None:
            yield from (scope.with_known(loop.name, value) for value in loop.values)
        elif self.known(loop.around, scope):
            for value in self.evaluators.near(self.value_of(loop.around, scope)):
                yield scope.with_known(loop.name, value)
        else:
            cell = self.value(loop.around, scope)
            for vector in self.puzzle.directions.values():
                yield self.out.computed(op.TABLE, cell, self._steps(vector))

    def _each(self, body: Expr, loops: tuple[Loop, ...], otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        """Go on if `ask` goes on in every turn of the loops, as for `all(... for x in T)`; otherwise jump."""
        for turn, _ in self.turns(loops, scope):
            ask(body, otherwise, turn)

    def _some(self, body: Expr, loops: tuple[Loop, ...], otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        """Go on if `ask` goes on in at least one turn of the loops, as for `any(... for x in T)`; otherwise jump."""
        with self.out.ending() as found:
            for turn, following in self.turns(loops, scope):
                ask(body, following, turn)
                self.out.emit(op.JUMP, found)
            self.out.emit(op.JUMP, otherwise)

    def _total(self, expr: Quantifier, scope: ProgramScope) -> int:
        out, kind = self.out, expr.kind
        total = out.register()
        if kind == "count":
            out.emit(op.MOVE, total, out.constant(0))
            for turn, following in self.turns(expr.loops, scope):
                self.need(expr.body, following, turn)
                out.emit(op.ADD, total, total, out.constant(1))
            return total
        if kind == "sum":
            out.emit(op.MOVE, total, out.constant(0))
            for turn, _ in self.turns(expr.loops, scope):
                out.emit(op.ADD, total, total, self.value(expr.body, turn))
            return total
        begun = out.register()
        out.emit(op.MOVE, begun, out.constant(0))
        out.emit(op.MOVE, total, out.constant(NONE))
        for turn, following in self.turns(expr.loops, scope):
            value, first = self.value(expr.body, turn), out.label()
            out.emit(op.TRUE, first, begun)
            out.emit(op.MIN if kind == "min" else op.MAX, total, total, value)
            out.emit(op.JUMP, following)
            out.put(first)
            out.emit(op.MOVE, total, value)
            out.emit(op.MOVE, begun, out.constant(1))
        return total

    def _different(self, body: Expr, loops: tuple[Loop, ...], scope: ProgramScope) -> int:
        """The register with whether all values differ: `DISTINCT` of registers side by side, one for each turn.

        Where the state decides which turns there are, each register first gets a number that no expression has and no
        other register: a turn that does not take place leaves it there.
        """
        out = self.out
        if self._turns_known(loops, scope):
            values = [self.value(body, turn) for turn, _ in self.turns(loops, scope)]
            first = out.block(len(values))
            for place, value in enumerate(values, first):
                out.emit(op.MOVE, place, value)
            return out.computed(op.DISTINCT, first, len(values))
        most = prod(len(self.puzzle.directions) if loop.around else len(loop.values) for loop in loops)
        first = out.block(most)
        for place in range(most):
            out.emit(op.MOVE, first + place, out.constant(NONE - 1 - place))
        for place, (turn, _) in enumerate(self.turns(loops, scope), first):
            out.emit(op.MOVE, place, self.value(body, turn))
        return out.computed(op.DISTINCT, first, most)

    def _slide(self, expr: SlideEnd, scope: ProgramScope) -> int:
        """The register with the end of `slide(c, d, free)`: instructions that run in a loop until `free` fails."""
        out = self.out
        here, there = out.register(), out.register()
        out.emit(op.MOVE, here, self.value(expr.start, scope))
        vector: tuple[int, int] | None = None
        way = -1
        if self.known(expr.direction, scope):
            vector = self.puzzle.directions.get(str(self.value_of(expr.direction, scope)))
            if vector is None:
                return out.constant(NONE)
            inner = scope.with_known("$way", self.value_of(expr.direction, scope) or "")
        else:
            way = self.value(expr.direction, scope)
            inner = scope.with_register("$way", way)
        if way >= 0:
            way = self._vector_of(way)
            out.emit(op.SCALED, here, way, here, 0)  # 0 times the vector, and the cell: no value if there is no vector
        with out.ending() as end:
            again = out.label()
            out.put(again)
            if vector is not None:
                out.emit(op.TABLE, there, here, self._steps(vector))
            else:
                out.emit(op.MOVE, there, self._moved(here, way))
            out.emit(op.VALUE, end, there)
            if (0, 0) in self.puzzle.directions.values():
                out.emit(op.OTHER, end, here, there)
            inner = inner.with_register("$here", here).with_register("$there", there)
            args: tuple[Expr, ...] = (Local("$there"),)
            if expr.arguments == 2:
                args = (Local("$here"), Local("$way"))
            self.need(Use(expr.test, args), end, inner)
            out.emit(op.MOVE, here, there)
            out.emit(op.JUMP, again)
        return here


Turns = Iterator[tuple[ProgramScope, int]]
Begin = Callable[[ProgramScope, int], None]
"""What is written at the beginning of a turn of loops."""

Ask = Callable[[Expr, int, ProgramScope], None]
"""`ExpressionCompiler.need` or `refute`."""
