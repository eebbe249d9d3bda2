"""The compiler of expressions: in which states an expression has which value.

A *term* restricts some variables of the state to some of their values (a mask of bits for each variable): the states
that agree with it are those where it holds. `cases(e, term)` splits the states of a term: in the states of each part,
`e` has the value that stands beside it (`None`: no value). `terms(e, term, want)` are the parts where a condition is

    TRUE, FALSE, UNTRUE (false, or without a value), UNFALSE (true, or without a value)

Parts may overlap, and together they cover what they are meant to cover. Nothing is enumerated that a term excludes:
reading `at[x]` where `at[x]` is known is one case.

    term {boat: left};  condition  at[x] == boat   ->  [{boat: left, at[x]: left}]
                        condition  at[x] != boat   ->  [{boat: left, at[x]: right}]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial

from ...errors import UsageError
from .expressions import (
    And,
    Arith,
    Choice,
    Compare,
    Const,
    Expr,
    Function,
    Local,
    Look,
    Loop,
    Member,
    Not,
    Or,
    Quantifier,
    Read,
    Slide,
    Step,
    Use,
    Value,
    VectorOf,
)
from .puzzle import Custom, Place
from .terms import (
    FALSE,
    MIRRORED,
    NEGATED,
    NOTHING_YET,
    OPPOSITE,
    TRUE,
    UNFALSE,
    UNTRUE,
    Term,
    arith,
    collect,
    compare,
    is_so,
    is_wanted,
    merged,
    parts,
)

Names = Mapping[str, Value]
Case = tuple[Term, Value | None]
Item = tuple[Names, tuple[Expr, ...]]
"""A turn of a loop: the names in it, and the conditions on the state under which it counts."""

Part = tuple[Names, tuple[Expr, ...], Expr]
"""A condition with its names, and the conditions under which it counts."""

Several = Sequence[Part]

MAX_WORK = 12_000_000
"""Steps of the compiler for a puzzle: about half a minute."""

MAX_TERMS = 50_000
"""Parts into which one condition may fall."""


class TooLargeError(UsageError):
    """A definition falls into too many cases."""


class Compiler:
    """Splits states by the expressions of a puzzle.

    `overlay`: values of variables that are read in place of the state.
    """

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.places: list[Place] = [(t.name, args) for t in puzzle.state.values() for args in t.values]
        self.number = {place: number for number, place in enumerate(self.places)}
        self.values = [puzzle.state[name].domain.values for name, _ in self.places]
        self.full = [(1 << len(values)) - 1 for values in self.values]
        self.bit = [{value: 1 << i for i, value in enumerate(values)} for values in self.values]
        self.siblings: dict[int, list[int]] = {}  # the other variables of a table whose values are all different
        for table in puzzle.state.values():
            if table.different:
                own = [self.number[table.name, args] for args in table.values]
                self.siblings.update((v, [w for w in own if w != v]) for v in own)
        # Conditions and values that do not read the state, by `id`, for each choice of names; None for others. (An
        # expression stands in one place, where the names are always the same ones, so their values are enough.)
        self.settled: dict[int, tuple[Expr, dict[tuple[Value, ...], bool | None] | None]] = {}
        self.fixed: dict[int, tuple[Expr, dict[tuple[Value, ...], Value | None] | None]] = {}
        self.placed: dict[int, tuple[Read, dict[tuple[Value, ...], int | None] | None]] = {}
        self.overlay: dict[int, Value] = {}
        self.places_varying: set[int] = set()
        self.work = 0
        self.doing = "the puzzle"
        self.reads = cache(self._reads)

    # What an expression reads

    def _reads(self, expr: Expr) -> frozenset[str]:
        """The tables of the state that an expression may read."""
        found: set[str] = set()
        for part in parts(expr):
            if isinstance(part, Read):
                found.add(part.table)
            elif isinstance(part, Use):
                found |= self.reads(self.puzzle.definitions[part.name].body)
            elif isinstance(part, Slide):
                found |= self.reads(self.puzzle.definitions[part.test].body)
        return frozenset(found)

    def support(self, expr: Expr, names: Names) -> frozenset[int] | None:
        """The variables that an expression may read; None if that depends on the state, or on loops."""
        found: set[int] = set()
        for part in parts(expr):
            if isinstance(part, Slide | Quantifier):
                return None
            if isinstance(part, Use):
                if any(self.reads(arg) for arg in part.args):
                    return None
                for _, key in self._tuples(part.args, names, {}):
                    inner = self._bound(part.name, key)
                    more = (
                        frozenset[int]()
                        if inner is None
                        else self.support(self.puzzle.definitions[part.name].body, inner)
                    )
                    if more is None:
                        return None
                    found |= more
            elif isinstance(part, Read):
                if any(self.reads(arg) for arg in part.args):
                    return None
                found.update(v for _, v in self._variables(part.table, part.args, names, {}) if v is not None)
        return frozenset(found)

    def at_value(self, value: Value, tables: set[str], reached: list[int]) -> list[tuple[int, int]]:
        """All variables of some tables that can have a value, each with the number of the value."""
        found = []
        for variable, (table, _) in enumerate(self.places):
            if table in tables and value in self.bit[variable]:
                bit = self.bit[variable][value]
                if reached[variable] & bit and variable in self.places_varying:
                    found.append((variable, bit.bit_length() - 1))
        return found

    def _count(self, amount: int = 1) -> None:
        self.work += amount
        if self.work > MAX_WORK:
            raise TooLargeError(
                f"{self.doing} falls into too many cases; say less in one action, or use smaller ranges"
            )

    def _bounded(self, found: list[Term]) -> list[Term]:
        """The same terms, each once."""
        if len(found) < 2:
            return found
        self._count(len(found))
        if len(found) > MAX_TERMS:
            raise TooLargeError(f"a condition of {self.doing} falls into more than {MAX_TERMS:,} cases")
        return merged(list({frozenset(term.items()): term for term in found}.values()))

    # Values

    def cases(self, expr: Expr, names: Names, term: Term) -> list[Case]:
        """The parts of a term in which an expression has one value, with that value."""
        if type(expr) is Local:
            return [(term, names[expr.name])]
        if type(expr) is Const:
            return [(term, expr.value)]
        self.work += 1
        kept = self.fixed.get(id(expr))
        if kept is None:
            kept = self.fixed[id(expr)] = (expr, None if self.reads(expr) else {})
        known = kept[1]
        if known is None:
            found = self._open_cases(expr, names, term)
            self._count(len(found))
            if len(found) > MAX_TERMS:
                raise TooLargeError(f"an expression of {self.doing} falls into more than {MAX_TERMS:,} cases")
            return found
        key = tuple(names.values())
        if key not in known:
            ((_, known[key]),) = self._open_cases(expr, names, {})
        return [(term, known[key])]

    def _open_cases(self, expr: Expr, names: Names, term: Term) -> list[Case]:
        """The same, worked out anew."""
        match expr:
            case Read():
                return [case for t, v in self._place(expr, names, term) for case in self._read(v, t)]
            case Look(table, args):
                values = self.puzzle.constants[table].values
                return [(t, None if key is None else values.get(key)) for t, key in self._tuples(args, names, term)]
            case Use(name, args):
                found: list[Case] = []
                for t, key in self._tuples(args, names, term):
                    inner = self._bound(name, key)
                    found += [(t, None)] if inner is None else self.cases(self.puzzle.definitions[name].body, inner, t)
                return found
            case Choice(condition, yes, no):
                chosen = [case for t in self.terms(condition, names, term, TRUE) for case in self.cases(yes, names, t)]
                return chosen + [
                    c for t in self.terms(condition, names, term, UNTRUE) for c in self.cases(no, names, t)
                ]
            case VectorOf(direction):
                ways = self.puzzle.directions
                return [(t, None if d is None else ways[str(d)]) for t, d in self.cases(direction, names, term)]
            case Step(cell, vector):
                return self._joined(self.step, cell, vector, names, term)
            case Arith(op, left, right):
                return self._joined(lambda a, b: arith(op, a, b), left, right, names, term)
            case Function(name, args, values):
                return [
                    (t, None if key is None else self._function(name, key, values))
                    for t, key in self._tuples(args, names, term)
                ]
            case Slide():
                return self._slide(expr, names, term)
            case Quantifier(kind, body, loops) if kind not in ("all", "any"):
                return self._aggregate(kind, body, loops, names, term)
        # A condition as a value
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

    def _tuples(self, args: Iterable[Expr], names: Names, term: Term) -> list[tuple[Term, tuple[Value, ...] | None]]:
        """The values of several expressions; None if one has none."""
        found: list[tuple[Term, tuple[Value, ...] | None]] = [(term, ())]
        for arg in args:
            self._count(len(found))
            found = [
                (u, None if key is None or value is None else (*key, value))
                for t, key in found
                for u, value in self.cases(arg, names, t)
            ]
        return found

    def _variables(self, table: str, args: tuple[Expr, ...], names: Names, term: Term) -> list[tuple[Term, int | None]]:
        """The variable that a place of the state is; None for none."""
        number = self.number
        return [(t, None if key is None else number.get((table, key))) for t, key in self._tuples(args, names, term)]

    def _mask(self, variable: int, term: Term) -> int:
        """The values that a variable may have in a term; not those that another one has, if they are all different."""
        mask = term.get(variable, self.full[variable])
        for other in self.siblings.get(variable, ()) if mask & (mask - 1) else ():
            taken = term.get(other, 0)
            if taken & (taken - 1) == 0:
                mask &= ~taken
        return mask

    def _place(self, read: Read, names: Names, term: Term) -> list[tuple[Term, int | None]]:
        """The variable that is read; found once for each choice of names, where it does not depend on the state."""
        kept = self.placed.get(id(read))
        if kept is None:
            kept = self.placed[id(read)] = (read, None if any(map(self.reads, read.args)) else {})
        known = kept[1]
        if known is None:
            return self._variables(read.table, read.args, names, term)
        key = tuple(names.values())
        if key not in known:
            ((_, known[key]),) = self._variables(read.table, read.args, names, {})
        return [(term, known[key])]

    def _read(self, variable: int | None, term: Term) -> list[Case]:
        if variable is None:
            return [(term, None)]
        if variable in self.overlay:
            return [(term, self.overlay[variable])]
        mask, values = self._mask(variable, term), self.values[variable]
        if mask and mask & (mask - 1) == 0 and variable in term:
            return [(term, values[mask.bit_length() - 1])]
        return [({**term, variable: 1 << i}, value) for i, value in enumerate(values) if mask >> i & 1]

    def _bound(self, name: str, args: tuple[Value, ...] | None) -> dict[str, Value] | None:
        """The names within a definition; None if an argument is not of its parameter's type."""
        parameters = self.puzzle.definitions[name].parameters
        if args is None or not all(a in domain.values for a, (_, domain) in zip(args, parameters, strict=True)):
            return None
        return {parameter: arg for arg, (parameter, _) in zip(args, parameters, strict=True)}

    def step(self, cell: Value, vector: Value) -> Value | None:
        assert isinstance(cell, tuple)
        assert isinstance(vector, tuple)
        there = (cell[0] + vector[0], cell[1] + vector[1])
        return there if there in self.puzzle.cells else None

    def _slide(self, slide: Slide, names: Names, term: Term) -> list[Case]:
        found: list[Case] = []
        body = self.puzzle.definitions[slide.test].body
        for t, key in self._tuples((slide.start, slide.direction), names, term):
            if key is None:
                found.append((t, None))
                continue
            here, way = key
            moving = [t]
            for _ in self.puzzle.cells:
                there = self.step(here, self.puzzle.directions[str(way)])
                inner = (
                    None
                    if there is None
                    else self._bound(slide.test, (there,) if slide.arguments == 1 else (here, way))
                )
                if there is None or inner is None:
                    break
                further: list[Term] = []
                for m in moving:
                    on = self.terms(body, inner, m, TRUE)
                    further += on
                    if not on:
                        found.append((m, here))
                    elif on != [m]:
                        found += [(u, here) for u in self.terms(body, inner, m, UNTRUE)]
                moving = self._bounded(further)
                here = there
            found += [(m, here) for m in moving]
        return found

    def _aggregate(self, kind: str, body: Expr, loops: tuple[Loop, ...], names: Names, term: Term) -> list[Case]:
        """`count`, `sum`, `min`, `max`, item by item. The least and the greatest of nothing have no value."""
        result: list[Case] = []
        for t, items in self.items(loops, names, term):
            found: list[Case] = [(t, 0 if kind in ("count", "sum") else NOTHING_YET)]
            for inner, conditions in items:
                found = self._with_item(kind, body, inner, conditions, found)
            result += [(u, None if value == NOTHING_YET else value) for u, value in found]
        return result

    def _with_item(
        self, kind: str, body: Expr, inner: Names, conditions: tuple[Expr, ...], found: list[Case]
    ) -> list[Case]:
        after: list[Case] = []
        for t, total in found:
            for u in self._and(conditions, inner, t, UNTRUE) if conditions else ():
                after.append((u, total))
            for u in self._and(conditions, inner, t, TRUE) if conditions else (t,):
                if kind == "count":
                    assert isinstance(total, int)
                    after += [(w, total + 1) for w in self.terms(body, inner, u, TRUE)]
                    after += [(w, total) for w in self.terms(body, inner, u, UNTRUE)]
                else:
                    after += [(w, collect(kind, total, value)) for w, value in self.cases(body, inner, u)]
        self._count(len(after))
        if len(after) > MAX_TERMS:
            raise TooLargeError(f"`{kind}` in {self.doing} falls into more than {MAX_TERMS:,} cases")
        return after

    def _function(self, name: str, args: tuple[Value, ...], values: tuple[Value, ...]) -> Value | None:
        first = args[0]
        if name == "other":
            return values[1 - values.index(first)] if first in values else None
        if name == "opposite":
            row, column = self.puzzle.directions[str(first)]
            return next((d for d, v in self.puzzle.directions.items() if v == (-row, -column)), None)
        if name in ("row", "col"):
            assert isinstance(first, tuple)
            return first[0 if name == "row" else 1] + 1
        numbers = [arg for arg in args if isinstance(arg, int)]
        if name == "cell":
            there = (numbers[0] - 1, numbers[1] - 1)
            return there if there in self.puzzle.cells else None
        return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)

    # Loops

    def items(self, loops: tuple[Loop, ...], names: Names, term: Term) -> list[tuple[Term, list[Item]]]:
        """The turns of loops. Conditions that do not read the state are decided here."""
        if not loops:
            return [(term, [(names, ())])]
        loop = loops[0]
        if len(loops) == 1 and not loop.conditions and loop.around is None:  # the usual case, quickly
            return [(term, [({**names, loop.name: value}, ()) for value in loop.values])]
        found: list[tuple[Term, list[Item]]] = []
        for t, values in self._loop_values(loop, names, term):
            several: list[tuple[Term, list[Item]]] = [(t, [])]
            for value in values:
                inner = {**names, loop.name: value}
                fixed = [c for c in loop.conditions if not self.reads(c)]
                if not all(self.terms(condition, inner, {}, TRUE) for condition in fixed):
                    continue
                rest = tuple(c for c in loop.conditions if self.reads(c))
                several = [
                    (w, [*before, *((n, (*rest, *more)) for n, more in items)])
                    for u, before in several
                    for w, items in self.items(loops[1:], inner, u)
                ]
            found += several
        return found

    def _loop_values(self, loop: Loop, names: Names, term: Term) -> list[tuple[Term, tuple[Value, ...]]]:
        if loop.around is None:
            return [(term, loop.values)]
        found: list[tuple[Term, tuple[Value, ...]]] = []
        for t, cell in self.cases(loop.around, names, term):
            near = () if cell is None else [self.step(cell, vector) for vector in self.puzzle.directions.values()]
            found.append((t, tuple(value for value in near if value is not None)))
        return found

    # Conditions

    def terms(self, expr: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """The parts of a term in which a condition is what is wanted."""
        self.work += 1
        kept = self.settled.get(id(expr))
        if kept is None:
            kept = self.settled[id(expr)] = (expr, None if self.reads(expr) else {})
        known = kept[1]
        if known is None:
            return self._open_terms(expr, names, term, want)
        key = tuple(names.values())
        if key not in known:
            true = bool(self._open_terms(expr, names, {}, TRUE))
            known[key] = True if true else False if self._open_terms(expr, names, {}, FALSE) else None
        return [term] if is_wanted(known[key], want) else []

    def _open_terms(self, expr: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """The same, worked out anew."""
        match expr:
            case Compare(op, left, right):
                return self._compared(op, left, right, names, term, want)
            case Const(value):
                return [term] if bool(value) == (want in (TRUE, UNFALSE)) else []
            case Not(inner):
                return self.terms(inner, names, term, NEGATED[want])
            case And(conditions):
                return self._and(conditions, names, term, want)
            case Or(conditions):
                several: list[Part] = [(names, (), part) for part in conditions]
                return self._some(several, term, want) if want in (TRUE, UNFALSE) else self._every(several, term, want)
            case Quantifier(kind, body, loops):
                found: list[Term] = []
                for t, items in self.items(loops, names, term):
                    turns: list[Part] = [(inner, conditions, body) for inner, conditions in items]
                    each = (kind == "all") == (want in (TRUE, UNFALSE))
                    found += self._every(turns, t, want) if each else self._some(turns, t, want)
                return self._bounded(found)
            case Read():
                found = []
                for t, v in self._place(expr, names, term):
                    found += self._restrict(v, t, want, lambda value: value is True)
                return found
            case Member(Read(table, args), values):
                found = []
                for t, v in self._variables(table, args, names, term):
                    found += self._restrict(v, t, want, lambda value: value in values, outside=False)
                return found
            case Member(inner, values):
                yes = want in (TRUE, UNFALSE)
                return [t for t, value in self.cases(inner, names, term) if (value in values) == yes]
            case Choice(condition, one, two):
                found = [u for t in self.terms(condition, names, term, TRUE) for u in self.terms(one, names, t, want)]
                found += [
                    u for t in self.terms(condition, names, term, UNTRUE) for u in self.terms(two, names, t, want)
                ]
                return found
            case Use(name, args):
                found = []
                for t, key in self._tuples(args, names, term):
                    bound = self._bound(name, key)
                    if bound is not None:
                        found += self.terms(self.puzzle.definitions[name].body, bound, t, want)
                    elif want in (UNTRUE, UNFALSE):
                        found.append(t)
                return found
        return [t for t, value in self.cases(expr, names, term) if is_wanted(value, want)]

    def _and(self, conditions: tuple[Expr, ...], names: Names, term: Term, want: str) -> list[Term]:
        """Where all of some conditions together are what is wanted."""
        several: list[Part] = [(names, (), part) for part in conditions]
        return self._every(several, term, want) if want in (TRUE, UNFALSE) else self._some(several, term, want)

    def _every(self, several: Several, term: Term, want: str) -> list[Term]:
        """Where each of several conditions is what is wanted, or does not count."""
        found = [term]
        for names, conditions, expr in several:
            after: list[Term] = []
            for t in found:
                if not conditions:
                    after += self.terms(expr, names, t, want)
                    continue
                after += self._and(conditions, names, t, UNTRUE)
                for u in self._and(conditions, names, t, TRUE):
                    after += self.terms(expr, names, u, want)
            found = self._bounded(after)
            if not found:
                break
        return found

    def _some(self, several: Several, term: Term, want: str) -> list[Term]:
        """Where one of several conditions counts and is what is wanted."""
        found: list[Term] = []
        for names, conditions, expr in several:
            for t in self._and(conditions, names, term, TRUE) if conditions else (term,):
                for u in self.terms(expr, names, t, want):
                    if u == term:
                        return [term]
                    found.append(u)
        return self._bounded(found)

    def _restrict(
        self,
        variable: int | None,
        term: Term,
        want: str,
        test: Callable[[Value], bool],
        outside: bool | None = None,
    ) -> list[Term]:
        """A term restricted to the values of a variable that pass a test (or, if FALSE is wanted, do not).

        `outside`: what the condition is where there is no such variable.
        """
        if variable is None:
            return [term] if is_wanted(outside, want) else []
        yes = want in (TRUE, UNFALSE)
        if variable in self.overlay:
            return [term] if test(self.overlay[variable]) == yes else []
        mask = self._mask(variable, term)
        return self._kept(
            variable, term, mask, sum(b for value, b in self.bit[variable].items() if mask & b and test(value) == yes)
        )

    @staticmethod
    def _kept(variable: int, term: Term, mask: int, kept: int) -> list[Term]:
        """A term with some of the values of a variable."""
        if kept == mask:
            return [term]
        return [{**term, variable: kept}] if kept else []

    def _compared(self, op: str, left: Expr, right: Expr, names: Names, term: Term, want: str) -> list[Term]:
        if isinstance(right, Quantifier) and right.kind == "count" and not self.reads(left):
            left, right, op = right, left, MIRRORED[op]
        if isinstance(left, Quantifier) and left.kind == "count" and not self.reads(right):
            return self._counted(op, left, right, names, term, want)
        if isinstance(right, Read) and not isinstance(left, Read):
            left, right, op = right, left, MIRRORED[op]
        if not isinstance(left, Read):
            pairs = ((u, a, b) for t, a in self.cases(left, names, term) for u, b in self.cases(right, names, t))
            return self._bounded([t for t, a, b in pairs if is_wanted(compare(op, a, b), want)])
        found: list[Term] = []
        for t, v in self._place(left, names, term):
            for u, b in self.cases(right, names, t):
                if b is None:
                    found += [u] if want in (UNTRUE, UNFALSE) else []
                elif op in ("==", "!=") and v is not None and v not in self.overlay:
                    mask, bit = self._mask(v, u), self.bit[v].get(b, 0)
                    equal = (op == "==") == (want in (TRUE, UNFALSE))
                    found += self._kept(v, u, mask, mask & bit if equal else mask & ~bit)
                else:
                    found += self._restrict(v, u, want, partial(is_so, op, b))
        return self._bounded(found)

    # Counting

    def _counted(self, op: str, count: Quantifier, number: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """`count(...) == 1`: so many are true, and so many are not."""
        found: list[Term] = []
        yes = want in (TRUE, UNFALSE)
        for t, k in self.cases(number, names, term):
            if not isinstance(k, int):
                found += [t] if want in (UNTRUE, UNFALSE) else []
                continue
            wanted = op if yes else OPPOSITE[op]
            for u, items in self.items(count.loops, names, t):
                several = [(inner, conditions, count.body) for inner, conditions in items]
                if wanted in ("==", ">=", ">"):
                    least = k + 1 if wanted == ">" else k
                    some = self._at_least(several, least, u, TRUE)
                    found += [w for s in some for w in self._at_most(several, k, s)] if wanted == "==" else some
                elif wanted in ("<=", "<"):
                    found += self._at_most(several, k - 1 if wanted == "<" else k, u)
                else:
                    found += self._at_least(several, k + 1, u, TRUE) + self._at_most(several, k - 1, u)
        return self._bounded(found)

    def _at_most(self, several: Several, k: int, term: Term) -> list[Term]:
        return self._at_least(several, len(several) - k, term, UNTRUE)

    def _at_least(self, several: Several, k: int, term: Term, want: str) -> list[Term]:
        """Where at least k of several are what is wanted: each choice of k of those that are not settled."""
        open_items = []
        for item in several:
            there = self._item(item, term, want)
            if term in there:
                k -= 1
            elif there:
                open_items.append(item)
        if k <= 0:
            return [term]
        found: list[Term] = []
        stack: list[tuple[int, int, Term]] = [(0, k, term)]
        while stack:
            place, left, t = stack.pop()
            if left == 0:
                found.append(t)
                if len(found) > MAX_TERMS:
                    raise TooLargeError(f"`count` in {self.doing} falls into more than {MAX_TERMS:,} cases")
            elif len(open_items) - place >= left:
                stack.append((place + 1, left, t))
                stack += [(place + 1, left - 1, u) for u in self._item(open_items[place], t, want)]
        return self._bounded(found)

    def _item(self, item: Part, term: Term, want: str) -> list[Term]:
        names, conditions, body = item
        return self._and((*conditions, body), names, term, want)
