"""Conditions and loops as instructions.

A condition is met only if it is true: without a value it is neither true nor false. So there are two ways to ask.
`need` goes on where an expression is true, `refute` where it is false; both jump otherwise. `not x` needs that x is
refuted; `x and y` is true if both are, and false if one of them is. Loops are unrolled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import NamedTuple

from .... import program as op
from ....cells import Cell
from ....errors import GroundingError
from ....program import NONE
from ..language import expressions as ex
from ..language.evaluate import ById, Evaluators, asked_by
from ..language.expressions import Expr, Loop, Value, conjuncts, used
from ..language.values import MIRRORED, OPPOSITE, steps_from
from ..puzzle import Custom
from .emitter import Emitter, Numbers, ProgramScope, TooLongError

# Regions and closed loops as instructions. `REACH` finds all cells that are connected with a cell at once.
#
# Whether each step is allowed stands in registers side by side; they are computed at most once in a run of a program,
# for all regions of the same definition. So is a region itself, if its start does not depend on names that are known
# only when the program runs.
#
#     same(r1c1, r1c2)  same(r1c2, r1c1)  same(r1c1, r2c1)  ...        REACH        r1c1  r1c2  r2c1  ...
#            1                 1                 0                                    1     1     0
#
# `LOOP` asks whether edges are one closed loop. Their ends are known; whether each is one of them stands in
# registers.


class ChangingEdgesError(GroundingError):
    """The state decides between which nodes an edge is."""


class Steps(NamedTuple):
    """The steps that a definition may allow: the table of links, and the registers with what the definition says."""

    table: int
    flags: int
    call: Callable[[], None]


class Graphs:
    """Writes the regions and closed loops of a puzzle."""

    def __init__(self, compiler: ConditionWriter) -> None:
        self.compiler = compiler
        self.cells = list(compiler.numbers.cells)
        self._steps: dict[str, Steps] = {}
        self._regions: dict[tuple[Expr, str, tuple[Value, ...]], tuple[int, Callable[[], None]]] = {}

    def value(self, expr: ex.Connected, scope: ProgramScope) -> int:
        """The register with whether two cells are connected."""
        first, out = self.reached(expr, scope), self.compiler.out
        if not self.compiler.known(expr.end, scope):
            return out.computed(op.VARIABLE, self.compiler.value(expr.end, scope), first, len(self.cells))
        end = self.compiler.numbers.of(self.compiler.value_of(expr.end, scope))
        return out.constant(NONE) if end == NONE else first + end

    def reached(self, expr: ex.Connected, scope: ProgramScope) -> int:
        """The first of the registers with whether each cell is reached from the start, in the order of the cells."""
        compiler, names = self.compiler, self.compiler.names_in(expr.start)
        if not names.isdisjoint(scope.registers):
            first = compiler.out.block(2 * len(self.cells))
            self._search(expr, first, scope)
            return first
        key = expr.start, expr.test, tuple(scope.known[name] for name in sorted(names))
        if key not in self._regions:
            first = compiler.out.block(2 * len(self.cells))
            self._regions[key] = first, compiler.routine(lambda: self._search(expr, first, scope))
        first, call = self._regions[key]
        call()
        return first

    def _search(self, expr: ex.Connected, first: int, scope: ProgramScope) -> None:
        if expr.test not in self._steps:
            self._steps[expr.test] = self._steps_of(expr.test, expr.asks)
        steps = self._steps[expr.test]
        start = self.compiler.value(expr.start, scope)
        steps.call()
        self.compiler.out.emit(op.REACH, first, start, steps.table, steps.flags)

    def _steps_of(self, test: str, asks: str) -> Steps:
        compiler, body = self.compiler, self.compiler.puzzle.definitions[test].body
        asked_of: dict[tuple[Value, ...], tuple[int, ProgramScope]] = {}  # the flag of what is asked
        links: list[list[tuple[int, int]]] = []
        for cell in self.cells:
            links.append([])
            for there, asked in steps_from(compiler.puzzle, cell, asks):
                if asked not in asked_of:
                    scope = compiler.scope_of(test, asked)
                    if scope is None or any(self._never(part, scope) for part in conjuncts(body)):
                        continue
                    asked_of[asked] = len(asked_of), scope
                links[-1].append((compiler.numbers.cells[there], asked_of[asked][0]))
        flags = compiler.out.block(len(asked_of))

        def write() -> None:
            for number, scope in asked_of.values():
                compiler.out.emit(op.MOVE, flags + number, self._allowed(body, scope))

        return Steps(compiler.numbers.links(links), flags, compiler.routine(write))

    def closed_loop(self, expr: ex.ClosedLoop, scope: ProgramScope) -> int:
        """The register with whether edges are one closed loop: 1 or 0; no value if an end of one is missing."""
        compiler, out = self.compiler, self.compiler.out
        nodes: dict[Value, int] = {}
        ends: list[tuple[int, int]] = []
        asked: list[tuple[ProgramScope, tuple[Expr, ...]]] = []
        missing: list[tuple[ProgramScope, tuple[Expr, ...]]] = []
        for turn, conditions in self._edges(expr.loops, scope, ()):
            if not (compiler.known(expr.first, turn) and compiler.known(expr.second, turn)):
                raise ChangingEdgesError([])
            first, second = compiler.value_of(expr.first, turn), compiler.value_of(expr.second, turn)
            if first is None or second is None:
                missing.append((turn, conditions))
            else:
                ends.append((nodes.setdefault(first, len(nodes)), nodes.setdefault(second, len(nodes))))
                asked.append((turn, conditions))
        flags = out.block(len(ends))
        for place, (turn, conditions) in enumerate(asked, flags):
            out.emit(op.MOVE, place, self._allowed(ex.And(conditions), turn))
        result, scratch = out.register(), out.block(2 * len(nodes))
        out.emit(op.LOOP, result, flags, compiler.numbers.edges(len(nodes), ends), scratch)
        for turn, conditions in missing:
            with out.ending() as end:
                compiler.need(ex.And(conditions), end, turn)
                out.emit(op.MOVE, result, out.constant(NONE))
        return result

    def _edges(
        self, loops: tuple[Loop, ...], scope: ProgramScope, asked: tuple[Expr, ...]
    ) -> Iterator[tuple[ProgramScope, tuple[Expr, ...]]]:
        """The turns that loops may have, each with the conditions on the state under which it takes place."""
        if not loops:
            yield scope, asked
            return
        loop, compiler = loops[0], self.compiler
        if loop.around is not None and not compiler.known(loop.around, scope):
            raise ChangingEdgesError([])
        around = None if loop.around is None else compiler.value_of(loop.around, scope)
        for value in loop.values if loop.around is None else compiler.evaluators.near(around):
            turn = scope.with_known(loop.name, value)
            if not any(self._never(condition, turn) for condition in loop.conditions):
                undecided = tuple(condition for condition in loop.conditions if not compiler.known(condition, turn))
                yield from self._edges(loops[1:], turn, (*asked, *undecided))

    def _allowed(self, expr: Expr, scope: ProgramScope) -> int:
        """A register that is 1 if a condition is true, and has some other value or none if it is not.

        Without jumps, as far as that is simple: where the state is not known, a jump would mean two runs.
        """
        compiler, out = self.compiler, self.compiler.out
        if compiler.known(expr, scope):
            return out.constant(int(compiler.value_of(expr, scope) is True))
        match expr:
            case ex.And(parts):
                flags = [self._allowed(part, scope) for part in parts] or [out.constant(1)]
                return reduce(lambda a, b: out.computed(op.MIN, a, b), flags)
            case ex.Use(name, args) if all(compiler.known(arg, scope) for arg in args):
                inner = compiler.scope_of(name, tuple(compiler.value_of(arg, scope) for arg in args))
                return (
                    out.constant(0) if inner is None else self._allowed(compiler.puzzle.definitions[name].body, inner)
                )
            case ex.Compare() | ex.Read() | ex.ConstantLookup() | ex.Not():
                return compiler.value(expr, scope)
        result = out.register()
        out.emit(op.MOVE, result, out.constant(0))
        with out.ending() as end:
            compiler.need(expr, end, scope)
            out.emit(op.MOVE, result, out.constant(1))
        return result

    def _never(self, expr: Expr, scope: ProgramScope) -> bool:
        """Whether a condition is true in no state, whatever else is asked."""
        return self.compiler.known(expr, scope) and self.compiler.value_of(expr, scope) is not True


MAX_STEPS = 10_000_000
"""Turns of loops and uses of definitions that are worked out while programs are written; then it is given up."""

COMPARISONS = {"==": (op.EQ, op.SAME), "!=": (op.NE, op.OTHER), "<": (op.LT, op.LESS), "<=": (op.LE, op.MOST)}


class ConditionWriter(ABC):
    """Writes conditions and loops of a puzzle as instructions; `value` writes other expressions."""

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
        self.names_in: ById[Expr, frozenset[str]] = ById(lambda expr: frozenset(used(expr)))
        self._free: ById[Expr, frozenset[str] | None] = ById(
            lambda expr: None if self.evaluators.reads(expr) else self.names_in(expr)
        )
        """The names in each expression; none if it reads the state."""

    def _count(self, amount: int) -> None:
        self.work += amount
        if self.work > MAX_STEPS:
            raise TooLongError([])

    # What is known beforehand

    def known(self, expr: Expr, scope: ProgramScope) -> bool:
        """Whether the value of an expression is known before the program runs."""
        names = self._free(expr)
        return names is not None and names.isdisjoint(scope.registers)

    def value_of(self, expr: Expr, scope: ProgramScope) -> Value | None:
        """The value of an expression that is known."""
        names = self.names_in(expr)  # no others: what is kept of an expression is kept by the values of its names
        return self.evaluators.evaluator(expr)({n: v for n, v in scope.known.items() if n in names}, {})

    @abstractmethod
    def value(self, expr: Expr, scope: ProgramScope) -> int:
        """The register with the value of an expression."""

    def _compared(self, kind: str, left: Expr, right: Expr, scope: ProgramScope) -> tuple[tuple[int, int], int, int]:
        """The instructions of a comparison, as a value and as a condition, and the two registers that they compare."""
        a, b = self.value(left, scope), self.value(right, scope)
        return (COMPARISONS[kind], a, b) if kind in COMPARISONS else (COMPARISONS[MIRRORED[kind]], b, a)

    def _steps(self, vector: Cell) -> int:
        """The table with the cell at a vector from each cell."""
        (rows, columns), cells = vector, self.numbers.cells
        return self.numbers.once(
            vector, lambda: {i: cells.get((row + rows, column + columns), NONE) for (row, column), i in cells.items()}
        )

    def bound(self, name: str, args: tuple[Expr, ...], unbound: int, scope: ProgramScope) -> ProgramScope:
        """The names within a definition; jumps if an argument is no value of its parameter's type."""
        inner = ProgramScope({}, {})
        for arg, (parameter, domain) in zip(args, self.puzzle.definitions[name].parameters, strict=True):
            if self.known(arg, scope):
                value = self.value_of(arg, scope)
                if value is None or value not in domain.members:
                    self.out.emit(op.JUMP, unbound)
                    value = domain.values[0]
                inner = inner.with_known(parameter, value)
            else:
                register = self.out.computed(op.TABLE, self.value(arg, scope), self.numbers.own(domain))
                self.out.emit(op.VALUE, unbound, register)
                inner = inner.with_register(parameter, register)
        return inner

    def scope_of(self, name: str, args: tuple[Value | None, ...]) -> ProgramScope | None:
        """The names within a definition for known arguments; None if one is no value of its parameter's type."""
        bound = None if None in args else self.evaluators.bound(name, args)  # type: ignore[arg-type]
        return None if bound is None else ProgramScope(bound, {})

    def routine(self, write: Callable[[], None]) -> Callable[[], None]:
        """Let `write` write a routine behind all programs; what writes a call of it, which runs it once in a run."""
        entry, run = self.out.label(), self.out.register()
        self._waiting.append((entry, write))
        return partial(self.out.emit, op.CALL, entry, run)

    # Conditions

    def require(self, expr: Expr, fail: int, scope: ProgramScope) -> None:
        """Write a condition of a program: its smallest parts that all must be true, each in a block of its own."""
        for part, turn in self.parts(expr, scope):
            with self.out.ending() as end:
                if not self.known(part, turn):
                    self.out.emit(op.CHECK, end)
                self.need(part, fail, turn)

    def parts(self, expr: Expr, scope: ProgramScope) -> Iterator[tuple[Expr, ProgramScope]]:
        """The smallest parts that all must hold for a condition to hold."""
        match expr:
            case ex.And(parts):
                for part in parts:
                    yield from self.parts(part, scope)
            case ex.Quantifier("all", body, loops) if self._turns_known(loops, scope):
                for turn, _ in self.turns(loops, scope):
                    yield from self.parts(body, turn)
            case _:
                yield expr, scope

    def need(self, expr: Expr, otherwise: int, scope: ProgramScope, wanted: bool = True) -> None:
        """Go on if an expression is true, or if it is false where that is `wanted`; otherwise jump."""
        ask = self.need if wanted else self.refute
        if self.known(expr, scope):
            if self.value_of(expr, scope) is not wanted:
                self.out.emit(op.JUMP, otherwise)
            return
        match expr:
            case ex.And(parts) | ex.Or(parts) if isinstance(expr, ex.And) == wanted:
                for part in parts:
                    ask(part, otherwise, scope)
            case ex.And(parts) | ex.Or(parts):
                self._one(parts, otherwise, scope, ask)
            case ex.Not(inner):
                self.need(inner, otherwise, scope, not wanted)
            case ex.Compare(kind, left, right):
                (_, code), a, b = self._compared(kind if wanted else OPPOSITE[kind], left, right, scope)
                self.out.emit(code, otherwise, a, b)
            case ex.Membership(inner, values) if wanted:
                self.out.emit(op.VALUE, otherwise, self._member(inner, values, scope))
            case ex.Membership(inner, values):
                with self.out.ending() as end:
                    self.out.emit(op.VALUE, end, self._member(inner, values, scope))
                    self.out.emit(op.JUMP, otherwise)
            case ex.Quantifier("all" | "any", body, loops):
                each = self._each if (expr.kind == "all") == wanted else self._some
                each(body, loops, otherwise, scope, ask)
            case ex.Use(name, args) if not all(self.known(arg, scope) for arg in args):
                ask(self.puzzle.definitions[name].body, otherwise, self.bound(name, args, otherwise, scope))
            case ex.Conditional():
                self._branch(expr, otherwise, scope, ask)
            case _:
                self.out.emit(op.TRUE if wanted else op.FALSE, otherwise, self.value(expr, scope))

    def refute(self, expr: Expr, otherwise: int, scope: ProgramScope) -> None:
        """Go on if an expression is false; otherwise jump."""
        self.need(expr, otherwise, scope, wanted=False)

    def _member(self, inner: Expr, values: frozenset[Value], scope: ProgramScope) -> int:
        """The register for `x in [a, b]`: it has a value if the expression is one of `values`, and none otherwise."""
        numbers = {self.numbers.of(value) for value in values}
        return self.out.computed(op.TABLE, self.value(inner, scope), self.numbers.table(dict.fromkeys(numbers, 1)))

    def _one(self, parts: tuple[Expr, ...], otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        """Go on if `ask` goes on for at least one of the expressions, as for `a or b`; otherwise jump."""
        with self.out.ending() as end:
            for part in parts[:-1]:
                following = self.out.label()
                ask(part, following, scope)
                self.out.emit(op.JUMP, end)
                self.out.put(following)
            ask(parts[-1], otherwise, scope)

    def _branch(self, expr: ex.Conditional, otherwise: int, scope: ProgramScope, ask: Ask) -> None:
        if self.known(expr.condition, scope):
            ask(expr.yes if self.value_of(expr.condition, scope) is True else expr.no, otherwise, scope)
            return
        with self.out.two_ways() as (other, turn):
            self.need(expr.condition, other, scope)
            ask(expr.yes, otherwise, scope)
            turn()
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
            values = {n: v for n, v in scope.known.items() if n in needed}
            for names in self.evaluators.turns(loops)(values, {}):
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
            if isinstance(condition, ex.Connected)
            and condition.end == ex.Local(loop.name)
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
        with self.out.ending() as end:
            for turn, following in self.turns(loops, scope):
                ask(body, following, turn)
                self.out.emit(op.JUMP, end)
            self.out.emit(op.JUMP, otherwise)


Turns = Iterator[tuple[ProgramScope, int]]
Begin = Callable[[ProgramScope, int], None]
"""What is written at the beginning of a turn of loops."""

Ask = Callable[[Expr, int, ProgramScope], None]
"""`ExpressionCompiler.need` or `refute`."""
