"""Regions and closed loops as instructions. `REACH` finds all cells that are connected with a cell at once.

Whether each step is allowed stands in registers side by side; they are computed at most once in a run of a program,
for all regions of the same definition. So is a region itself, if its start does not depend on names that are known only
when the program runs.

    same(r1c1, r1c2)  same(r1c2, r1c1)  same(r1c1, r2c1)  ...        REACH        r1c1  r1c2  r2c1  ...
           1                 1                 0                                    1     1     0

`LOOP` asks whether edges are one closed loop. Their ends are known; whether each is one of them stands in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import NamedTuple

from .... import program as op
from ....errors import GroundingError
from ....program import NONE
from ..language.expressions import (
    And,
    ClosedLoop,
    Compare,
    Connected,
    ConstantLookup,
    Expr,
    Loop,
    Not,
    Read,
    Use,
    Value,
    conjuncts,
)
from ..language.values import steps_from
from .emitter import ProgramScope, Writer


class ChangingEdgesError(GroundingError):
    """The state decides between which nodes an edge is."""


class Steps(NamedTuple):
    """The steps that a definition may allow: the table of links, and the registers with what the definition says."""

    table: int
    flags: int
    call: Callable[[], None]


class Graphs:
    """Writes the regions and closed loops of a puzzle."""

    def __init__(self, compiler: Writer) -> None:
        self.compiler = compiler
        self.cells = list(compiler.numbers.cells)
        self._steps: dict[str, Steps] = {}
        self._regions: dict[tuple[Expr, str, tuple[Value, ...]], tuple[int, Callable[[], None]]] = {}

    def value(self, expr: Connected, scope: ProgramScope) -> int:
        """The register with whether two cells are connected."""
        first, out = self.reached(expr, scope), self.compiler.out
        if not self.compiler.known(expr.end, scope):
            return out.computed(op.VARIABLE, self.compiler.value(expr.end, scope), first, len(self.cells))
        end = self.compiler.numbers.of(self.compiler.value_of(expr.end, scope))
        return out.constant(NONE) if end == NONE else first + end

    def reached(self, expr: Connected, scope: ProgramScope) -> int:
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

    def _search(self, expr: Connected, first: int, scope: ProgramScope) -> None:
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

    def closed_loop(self, expr: ClosedLoop, scope: ProgramScope) -> int:
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
            out.emit(op.MOVE, place, self._allowed(And(conditions), turn))
        result, scratch = out.register(), out.block(2 * len(nodes))
        out.emit(op.LOOP, result, flags, compiler.numbers.edges(len(nodes), ends), scratch)
        for turn, conditions in missing:
            with out.ending() as end:
                compiler.need(And(conditions), end, turn)
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
                left = tuple(condition for condition in loop.conditions if not compiler.known(condition, turn))
                yield from self._edges(loops[1:], turn, (*asked, *left))

    def _allowed(self, expr: Expr, scope: ProgramScope) -> int:
        """A register that is 1 if a condition is true, and has some other value or none if it is not.

        Without jumps, as far as that is simple: where the state is not known, a jump would mean two runs.
        """
        compiler, out = self.compiler, self.compiler.out
        if compiler.known(expr, scope):
            return out.constant(int(compiler.value_of(expr, scope) is True))
        match expr:
            case And(parts):
                flags = [self._allowed(part, scope) for part in parts] or [out.constant(1)]
                return reduce(lambda a, b: out.computed(op.MIN, a, b), flags)
            case Use(name, args) if all(compiler.known(arg, scope) for arg in args):
                inner = compiler.scope_of(name, tuple(compiler.value_of(arg, scope) for arg in args))
                return (
                    out.constant(0) if inner is None else self._allowed(compiler.puzzle.definitions[name].body, inner)
                )
            case Compare() | Read() | ConstantLookup() | Not():
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
