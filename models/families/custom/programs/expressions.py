"""Expressions as instructions.

What does not read the state and no value that is known only when the program runs is computed here, once. Loops are
unrolled; a definition whose arguments are known is a routine that runs at most once in a run of a program (its value is
kept), any other is written out where it is used.
"""

from __future__ import annotations

from math import prod

from .... import program as op
from ....cells import Cell
from ....program import NONE, ROW
from ..language import expressions as ex
from ..language.expressions import Expr, Loop, Value
from ..language.values import asked_of
from ..puzzle import Domain, ValueTable
from .conditions import ConditionWriter
from .emitter import ProgramScope

FARTHEST = 1_000
"""A factor of a vector is cut off here, as in `c + n*d`: a thousand steps lead off every board."""

ARITHMETIC = {"+": op.ADD, "-": op.SUB, "*": op.MUL, "//": op.DIV, "%": op.MOD, "min": op.MIN, "max": op.MAX}


class ExpressionCompiler(ConditionWriter):
    """Writes expressions of a puzzle as instructions."""

    # Values

    def value(self, expr: Expr, scope: ProgramScope) -> int:
        """The register with the value of an expression."""
        if self.known(expr, scope):
            return self.out.constant(self.numbers.of(self.value_of(expr, scope)))
        out = self.out
        match expr:
            case ex.Local(name):
                return scope.registers[name]
            case ex.Read(table, args):
                return self._read(table, args, scope)
            case ex.ConstantLookup(table, args):
                return self._constant(self.puzzle.constants[table], args, scope)
            case ex.Use(name, args):
                return self._use(name, args, scope)
            case ex.VectorOf(direction):
                return self._vector_of(self.value(direction, scope))
            case ex.CellStep(cell, step):
                return self._step(self.value(cell, scope), step, scope)
            case ex.Arith(kind, left, right):
                return self._arithmetic(kind, left, right, scope)
            case ex.Compare(kind, left, right):
                (code, _), a, b = self._compared(kind, left, right, scope)
                return out.computed(code, a, b)
            case ex.Conditional(condition, yes, no):
                return self._either(condition, yes, no, scope)
            case ex.Quantifier(kind, _, _) if kind in ("count", "sum", "min", "max"):
                return self._total(expr, scope)
            case ex.Quantifier("the", body, loops):
                result = out.register()
                with out.ending() as end:
                    for turn, _ in self.turns(loops, scope):
                        out.emit(op.MOVE, result, self.value(body, turn))
                        out.emit(op.JUMP, end)
                    out.emit(op.MOVE, result, out.constant(NONE))
                return result
            case ex.Quantifier("different", body, loops):
                return self._different(body, loops, scope)
            case ex.SlideEnd():
                return self._slide(expr, scope)
            case ex.ClosedLoop():
                return self.graphs.closed_loop(expr, scope)
            case ex.Connected():
                return self.graphs.value(expr, scope)
            case ex.ByValue(arg, pairs):
                held, number = self.value(arg, scope), self.numbers.of
                return out.computed(op.TABLE, held, self.numbers.table({number(a): number(b) for a, b in pairs}))
            case ex.Not(inner):
                return out.computed(op.NOT, self.value(inner, scope))
        return self._truth(expr, scope)

    def _truth(self, expr: Expr, scope: ProgramScope) -> int:
        """A condition as a value: 1, 0, or none where it is neither true nor false."""
        out, result = self.out, self.out.register()
        with out.two_ways() as (untrue, turn):
            self.need(expr, untrue, scope)
            out.emit(op.MOVE, result, out.constant(1))
            turn()
            with out.two_ways() as (unknown, turn_again):
                self.refute(expr, unknown, scope)
                out.emit(op.MOVE, result, out.constant(0))
                turn_again()
                out.emit(op.MOVE, result, out.constant(NONE))
        return result

    def index_of(self, args: tuple[Expr, ...], domains: tuple[Domain, ...], scope: ProgramScope) -> tuple[int, int]:
        """The register with the place of some arguments among all keys of a table, and how many keys there are."""
        out, index, size = self.out, -1, 1
        for arg, domain in zip(args, domains, strict=True):
            place = out.computed(op.TABLE, self.value(arg, scope), self.numbers.order(domain))
            index = place if index < 0 else out.computed(op.SCALED, index, place, len(domain.values))
            size *= len(domain.values)
        return (index, size) if args else (out.constant(0), 1)

    def _constant(self, held: ValueTable, args: tuple[Expr, ...], scope: ProgramScope) -> int:
        """The register with a value of a table of constants; values of a single argument are looked up as they are."""
        number = self.numbers.of

        def entries() -> dict[int, int]:
            keys = held.every_key()
            numbers = [number(key[0]) for key in keys] if len(args) == 1 else range(len(keys))
            return {n: number(held.values.get(key)) for n, key in zip(numbers, keys, strict=True)}

        index = self.value(args[0], scope) if len(args) == 1 else self.index_of(args, held.of, scope)[0]
        return self.out.computed(op.TABLE, index, self.numbers.once(("constant", held.name), entries))

    def _read(self, table: str, args: tuple[Expr, ...], scope: ProgramScope) -> int:
        if all(self.known(arg, scope) for arg in args):
            key = tuple(self.value_of(arg, scope) for arg in args)
            register = self.variable.get((table, key))  # type: ignore[arg-type]
            return self.out.constant(NONE) if register is None else register
        index, size = self.index_of(args, self.puzzle.state[table].of, scope)
        return self.out.computed(op.VARIABLE, index, self.first[table], size)

    def _vector_of(self, direction: int) -> int:
        ways = self.puzzle.directions.items()
        entries = {self.numbers.of(name): self.numbers.of(vector) for name, vector in ways}
        return self.out.computed(op.TABLE, direction, self.numbers.table(entries))

    def _step(self, cell: int, step: Expr, scope: ProgramScope) -> int:
        """The cell at a vector from a cell."""
        if self.known(step, scope):
            vector = self.value_of(step, scope)
            if not isinstance(vector, tuple):
                return self.out.constant(NONE)
            return self.out.computed(op.TABLE, cell, self._steps(vector))
        return self._moved(cell, self.value(step, scope))

    def _moved(self, cell: int, vector: int) -> int:
        place = self.out.computed(op.TABLE, cell, self.numbers.places)
        return self.out.computed(op.CELL, self.out.computed(op.ADD, place, vector), self.numbers.grid)

    def _arithmetic(self, kind: str, left: Expr, right: Expr, scope: ProgramScope) -> int:
        out = self.out
        if kind != "times":
            a, b = self.value(left, scope), self.value(right, scope)
            if kind == "abs":
                return out.computed(op.MAX, b, out.computed(op.SUB, a, b))
            if kind != "cell":
                return out.computed(ARITHMETIC[kind], a, b)
            place = out.computed(op.SCALED, a, b, ROW)  # both count from 1
            columns = dict.fromkeys(range(1, 2 + self.numbers.columns), 0)
            fits = out.computed(op.TABLE, b, self.numbers.table(columns))
            whole = out.computed(op.ADD, out.computed(op.SUB, place, out.constant(ROW + 1)), fits)
            return out.computed(op.CELL, whole, self.numbers.grid)
        times = self.value(left, scope)  # a number of times a vector; many times lead off the board anyway
        if not self.known(left, scope):
            times = out.computed(op.MAX, out.computed(op.MIN, times, out.constant(FARTHEST)), out.constant(-FARTHEST))
        return out.computed(op.MUL, times, self.value(right, scope))

    def _either(self, condition: Expr, yes: Expr, no: Expr, scope: ProgramScope) -> int:
        out = self.out
        if self.known(condition, scope):
            chosen = yes if self.value_of(condition, scope) is True else no
            return self.value(chosen, scope)
        result = out.register()
        with out.two_ways() as (other, turn):
            self.need(condition, other, scope)
            out.emit(op.MOVE, result, self.value(yes, scope))
            turn()
            out.emit(op.MOVE, result, self.value(no, scope))
        return result

    # Definitions

    def _use(self, name: str, args: tuple[Expr, ...], scope: ProgramScope) -> int:
        """The register with the value of a definition."""
        definition = self.puzzle.definitions[name]
        if all(self.known(arg, scope) for arg in args):
            values = tuple(self.value_of(arg, scope) for arg in args)
            inside = self.scope_of(name, values)
            return self.out.constant(NONE) if inside is None else self._routine(name, values, inside)
        result = self.out.register()
        with self.out.two_ways() as (unbound, turn):
            inner = self.bound(name, args, unbound, scope)
            self.out.emit(op.MOVE, result, self.value(definition.body, inner))
            turn()
            self.out.emit(op.MOVE, result, self.out.constant(NONE))
        return result

    def _routine(self, name: str, args: tuple[Value | None, ...], scope: ProgramScope) -> int:
        """The register with the value of a definition for known arguments, computed at most once in a run."""
        if (name, args) not in self._routines:
            result = self.out.register()
            body = self.puzzle.definitions[name].body

            def write() -> None:
                self.out.emit(op.MOVE, result, self.value(body, scope))

            self._routines[name, args] = result, self.routine(write)
        result, call = self._routines[name, args]
        call()
        return result

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

    # Totals

    def _total(self, expr: ex.Quantifier, scope: ProgramScope) -> int:
        out, kind = self.out, expr.kind
        total = out.register()
        if kind in ("count", "sum"):
            out.emit(op.MOVE, total, out.constant(0))
            for turn, following in self.turns(expr.loops, scope):
                if kind == "count":
                    self.need(expr.body, following, turn)
                out.emit(op.ADD, total, total, out.constant(1) if kind == "count" else self.value(expr.body, turn))
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

    def _slide(self, expr: ex.SlideEnd, scope: ProgramScope) -> int:
        """The register with the end of `slide(c, d, free)`: instructions that run in a loop until `free` fails."""
        out = self.out
        here, there = out.register(), out.register()
        out.emit(op.MOVE, here, self.value(expr.start, scope))
        vector: Cell | None = None
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
            args = asked_of(expr.asks, ex.Local("$here"), ex.Local("$there"), ex.Local("$way"))
            self.need(ex.Use(expr.test, args), end, inner)
            out.emit(op.MOVE, here, there)
            out.emit(op.JUMP, again)
        return here
