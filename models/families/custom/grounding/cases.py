"""The compiler of expressions: in which states an expression has which value.

A *term* restricts some variables of the state to some of their values (a mask of bits for each variable): the states
that agree with it are those where it holds. `cases(e, term)` splits the states of a term: in the states of each part,
`e` has the value that stands beside it (`None`: no value). `terms(e, term, want)` are the parts where a condition is

    TRUE, FALSE, UNTRUE (false, or without a value), UNFALSE (true, or without a value)

Every state of the term is in a part; a state that is in several has the same value in all of them, or is wanted in all
of them. Only values that the term allows are enumerated: where it says that x is left, reading `at[x]` is one case.

    term {boat: left};  condition  at[x] == boat   ->  [{boat: left, at[x]: left}]
                        condition  at[x] != boat   ->  [{boat: left, at[x]: right}]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ....program import is_closed_loop
from ..language import expressions as ex
from ..language.evaluate import NO_STATE, Names
from ..language.expressions import Expr, Loop, Value, parts
from ..language.values import ARITHMETIC, NOTHING_YET, collect, steps_from
from .conditions import Case, ConditionSplitter, OpenVariablesError
from .variables import FALSE, TRUE, UNFALSE, UNTRUE, Term

S = TypeVar("S")

Turn = Callable[[Names, Term, S], list[tuple[Term, S]]]
"""What is made in one turn of loops, in a part of a term, of what the turns before it have made."""

Seen = frozenset[Value | None]

Edges = tuple[tuple[Value, ...] | None, ...]

WORK_OF_A_STEP = 20
"""The work that one step of a region is counted as, in steps of the compiler."""


class Compiler(ConditionSplitter):
    """Splits a set of states (a term) into parts in each of which an expression has one value."""

    def support(self, expr: Expr, names: Names) -> set[int]:
        """The variables that an expression may read. Raises `OpenVariablesError` if these depend on the state, or it
        has loops.
        """
        variables: set[int] = set()
        for part in parts(expr):
            if isinstance(part, ex.SlideEnd | ex.Connected | ex.ClosedLoop | ex.Quantifier):
                raise OpenVariablesError
            if isinstance(part, ex.Use | ex.Read) and any(self.fixed.reads(arg) for arg in part.args):
                raise OpenVariablesError
            if isinstance(part, ex.Use):
                for _, key in self.tuples(part.args, names, {}):
                    if (inner := self.fixed.bound(part.name, key)) is not None:
                        variables |= self.support(self.puzzle.definitions[part.name].body, inner)
            elif isinstance(part, ex.Read):
                variables.update(v for _, v in self.variables_of(part.table, part.args, names, {}) if v is not None)
        return variables

    # Values

    def cases(self, expr: Expr, names: Names, term: Term) -> list[Case]:
        """The parts of a term in each of which an expression has one value, paired with that value."""
        self.work += 1
        fixed = self.fixed.of(expr)
        if fixed is not None:
            return [(term, fixed(names, NO_STATE))]
        cases = self._open_cases(expr, names, term)
        self.count(len(cases))
        self.limited(len(cases))
        return cases

    def _open_cases(self, expr: Expr, names: Names, term: Term) -> list[Case]:
        """`cases` for an expression that reads the state."""
        # A term is a set of states given by what variables are; a case is a term and the value there. Each kind of
        # expression splits the term until it has one value in each part.
        match expr:
            case ex.Read():
                return [
                    case for t, v in self.variables_of(expr.table, expr.args, names, term) for case in self._read(v, t)
                ]
            case ex.ConstantLookup(table, args):
                values = self.puzzle.constants[table].values
                return [(t, None if key is None else values.get(key)) for t, key in self.tuples(args, names, term)]
            case ex.Use(name, args):
                cases: list[Case] = []
                for t, key in self.tuples(args, names, term):
                    inner = self.fixed.bound(name, key)
                    cases += [(t, None)] if inner is None else self.cases(self.puzzle.definitions[name].body, inner, t)
                return cases
            case ex.Conditional(condition, yes, no):
                chosen = [case for t in self.terms(condition, names, term, TRUE) for case in self.cases(yes, names, t)]
                return chosen + [
                    c for t in self.terms(condition, names, term, UNTRUE) for c in self.cases(no, names, t)
                ]
            case ex.VectorOf(direction):
                ways = self.puzzle.directions
                return [(t, None if d is None else ways.get(str(d))) for t, d in self.cases(direction, names, term)]
            case ex.CellStep(cell, vector):
                return self._joined(self.fixed.step, cell, vector, names, term)
            case ex.Arith(op, left, right):
                return self._joined(ARITHMETIC[op], left, right, names, term)
            case ex.Function(name, args, values):
                return [
                    (t, None if key is None else self.fixed.function(name, key, values))
                    for t, key in self.tuples(args, names, term)
                ]
            case ex.SlideEnd():
                return self._slide(expr, names, term)
            case ex.ClosedLoop():
                return self._closed_loop(expr, names, term)
            case ex.Connected():
                return self._connected(expr, names, term)
            case ex.Quantifier(kind, body, loops) if kind not in ("all", "any", "different"):
                return self._aggregate(kind, body, loops, names, term)
            case ex.Quantifier("different", body, loops):
                return self._different(body, loops, names, term)
        # A condition as a value
        # Truth has three values here: true, false, and neither (None) where something read is undefined.
        yes_terms = [(t, True) for t in self.terms(expr, names, term, TRUE)]
        no_terms = [(t, False) for t in self.terms(expr, names, term, FALSE)]
        neither = [
            (t, None) for u in self.terms(expr, names, term, UNTRUE) for t in self.terms(expr, names, u, UNFALSE)
        ]
        return [*yes_terms, *no_terms, *neither]

    def _joined(
        self, join: Callable[[Value, Value], Value | None], a: Expr, b: Expr, names: Names, term: Term
    ) -> list[Case]:
        return [
            (u, None if x is None or y is None else join(x, y))
            for t, x in self.cases(a, names, term)
            for u, y in self.cases(b, names, t)
        ]

    def _read(self, variable: int | None, term: Term) -> list[Case]:
        if variable is None:
            return [(term, None)]
        if variable in self.overlay:
            return [(term, self.overlay[variable])]
        mask, values = self.mask(variable, term), self.values[variable]
        if mask and mask & (mask - 1) == 0 and variable in term:
            return [(term, values[mask.bit_length() - 1])]
        return [({**term, variable: 1 << i}, value) for i, value in enumerate(values) if mask >> i & 1]

    def _slide(self, slide: ex.SlideEnd, names: Names, term: Term) -> list[Case]:
        cases: list[Case] = []
        for t, key in self.tuples((slide.start, slide.direction), names, term):
            if key is None or str(key[1]) not in self.puzzle.directions:
                cases.append((t, None))
                continue
            here, way = key
            moving = [t]
            for _ in self.puzzle.cells:
                there = self.fixed.step(here, self.puzzle.directions[str(way)])
                if there is None:
                    break
                asked: tuple[Value, ...] = (there,) if slide.arguments == 1 else (here, way)
                further: list[Term] = []
                for m in moving:
                    on = self.defined(slide.test, asked, m, TRUE)
                    further += on
                    if not on:
                        cases.append((m, here))
                    elif on != [m]:
                        cases += [(u, here) for u in self.defined(slide.test, asked, m, UNTRUE)]
                moving = self.bounded(further)
                here = there
            cases += [(m, here) for m in moving]
        return cases

    def _folded(
        self, loops: tuple[Loop, ...], names: Names, term: Term, first: S, turn: Turn[S]
    ) -> list[tuple[Term, S]]:
        """What comes of `first` turn by turn: the parts of a term with what `turn` has made of it in those turns that
        take place there.
        """
        result: list[tuple[Term, S]] = []
        for t, items in self.items(loops, names, term):
            parts_so_far = [(t, first)]
            for inner, conditions in items:
                after: list[tuple[Term, S]] = []
                for u, so_far in parts_so_far:
                    if conditions:
                        after += [(w, so_far) for w in self.all_of(conditions, inner, u, UNTRUE)]
                    for w in self.all_of(conditions, inner, u, TRUE) if conditions else (u,):
                        after += turn(inner, w, so_far)
                self.count(len(after))
                self.limited(len(after))
                parts_so_far = after
            result += parts_so_far
        return result

    def _closed_loop(self, loop: ex.ClosedLoop, names: Names, term: Term) -> list[Case]:
        """The cases of `loop`, edge by edge: each part of the term with the edges that count in it."""

        def with_edge(inner: Names, t: Term, edges: Edges) -> list[tuple[Term, Edges]]:
            return [(u, (*edges, edge)) for u, edge in self.tuples((loop.first, loop.second), inner, t)]

        result: list[Case] = []
        start: Edges = ()
        for t, edges in self._folded(loop.loops, names, term, start, with_edge):
            there = [(edge[0], edge[1]) for edge in edges if edge is not None]
            result.append((t, None if len(there) < len(edges) else is_closed_loop(there)))
        return result

    def _connected(self, connected: ex.Connected, names: Names, term: Term) -> list[Case]:
        """Whether a cell is reached: step after step is allowed or not, until it is or no step is left."""
        cases: list[Case] = []
        for t, key in self.tuples((connected.start, connected.end), names, term):
            if key is None:
                cases.append((t, None))
                continue
            start, end = key
            assert isinstance(start, tuple)
            # A part of the term, the cells that are reached in it, and the steps from those that were not tried yet.
            open_parts = [(t, frozenset((start,)), tuple(steps_from(self.puzzle, start, connected.asks)))]
            while open_parts:
                u, reached, steps = open_parts.pop()
                while steps and steps[-1][0] in reached:
                    steps = steps[:-1]
                if end in reached or not steps:
                    cases.append((u, end in reached))
                    self.limited(len(cases))
                    continue
                there, asked = steps[-1]
                self.count(WORK_OF_A_STEP)
                open_parts += [(w, reached, steps[:-1]) for w in self.defined(connected.test, asked, u, UNTRUE)]
                more = (*steps[:-1], *steps_from(self.puzzle, there, connected.asks))
                open_parts += [(w, reached | {there}, more) for w in self.defined(connected.test, asked, u, TRUE)]
        return cases

    def _aggregate(self, kind: str, body: Expr, loops: tuple[Loop, ...], names: Names, term: Term) -> list[Case]:
        """The cases of `count`, `sum`, `min` or `max`, item by item. `min` and `max` of no items have no value."""

        def with_item(inner: Names, t: Term, total: Value | None) -> list[Case]:
            if kind != "count":
                return [(u, collect(kind, total, value)) for u, value in self.cases(body, inner, t)]
            assert isinstance(total, int)
            counted: list[Case] = [(u, total + 1) for u in self.terms(body, inner, t, TRUE)]
            return counted + [(u, total) for u in self.terms(body, inner, t, UNTRUE)]

        start: Value | None = 0 if kind in ("count", "sum") else NOTHING_YET
        totals = self._folded(loops, names, term, start, with_item)
        return [(t, None if total == NOTHING_YET else total) for t, total in totals]

    def _different(self, body: Expr, loops: tuple[Loop, ...], names: Names, term: Term) -> list[Case]:
        """The cases of `different`, item by item: each part of the term with the values that were seen in it so far."""
        equal: list[Case] = []

        def with_value(inner: Names, t: Term, seen: Seen) -> list[tuple[Term, Seen]]:
            after = []
            for u, value in self.cases(body, inner, t):
                if value is not None and value in seen:
                    equal.append((u, False))
                    self.limited(len(equal))
                else:
                    after.append((u, seen | {value}))
            return after

        nothing: Seen = frozenset()
        different = self._folded(loops, names, term, nothing, with_value)
        return equal + [(t, None if None in seen else True) for t, seen in different]
