"""How a state looks as a program, so that a page draws it without knowing a rule (`views/rules.py`).

The program says texts one after the other, which are the rows of the board: what `CustomSimulator.board` makes.

    SAY d a b       say a text: of d = `TEXT` the text a, else how the value of register a is written, as a truth value,
                    an object, a cell or a number; at least b columns wide. Of d = `END`, the line ends: as it is, or
                    without the blanks at its end (a = `TRIMMED`), or broken into lines of 100 columns (a = `WRAPPED`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from .... import program as op
from ....cells import Cell
from ....moves import Metric
from ....program import RETURN, DrawnTask, ProgramTask
from ..drawing import drawn_lines
from ..interchangeable import interchangeable
from ..language import expressions as ex
from ..language.evaluate import BETWEEN
from ..language.expressions import Expr, Loop, Value, conjuncts, text_of
from ..puzzle import Custom
from ..rules import walking
from .emitter import ProgramScope
from .expressions import ExpressionCompiler
from .task import ProgramWriter

SAY = RETURN + 1
TEXT, TRUTH, OBJECT, CELL, NUMBER, END = range(6)
TRIMMED, WRAPPED = 1, 2
KINDS = {"truth": TRUTH, "object": OBJECT, "cell": CELL, "number": NUMBER}

NOWHERE = ProgramScope({}, {})

Kinds = Mapping[str, int]
"""For each name that a loop binds, how its values are written: {"t": OBJECT, "n": NUMBER}."""


def drawn_task(puzzle: Custom, metric: Metric) -> DrawnTask:
    """The task with every action that the rules allow, and its drawing. Raises as `programs` does."""
    compiler = ExpressionCompiler(puzzle)
    artist = Artist(compiler)
    writer = ProgramWriter(puzzle, metric, compiler)
    drawing = writer.guarded(partial(artist.program, artist.board))
    task = writer.task()
    if puzzle.countings:
        task = replace(task, interchangeable=interchangeable(puzzle, task))
    walks, ways, edges = _walks(puzzle, task, compiler), puzzle.directions, [*_edges(puzzle)]
    return DrawnTask(task, drawing, artist.all_texts(), walks, ways=ways, edges=edges)


def _edges(puzzle: Custom) -> Iterator[str]:
    """The actions that only change tables of cells and directions."""
    for name, action in puzzle.actions.items():
        tables = [puzzle.state[assignment.table].of for assignment in action.assignments]
        pairs = all([domain.kind for domain in of] == ["cell", "object"] for of in tables)
        if pairs and all(of[1].members <= puzzle.directions.keys() for of in tables):
            yield name


def _walks(
    puzzle: Custom, task: ProgramTask, compiler: ExpressionCompiler
) -> tuple[Sequence[int], int, Sequence[Cell]] | None:
    home = walking(puzzle)
    names = {action.name for action in home[1]} if home else set()
    walks = [n for n, action in enumerate(task.actions) if action.name.partition("(")[0] in names]
    if home is None or not walks or any(any(task.actions[n].cost) for n in walks):
        return None
    return walks, compiler.first[home[0]], list(compiler.numbers.cells)


class Artist:
    """Writes what is drawn of a puzzle."""

    def __init__(self, compiler: ExpressionCompiler) -> None:
        self.compiler, self.puzzle, self.out = compiler, compiler.puzzle, compiler.out
        self.texts: dict[str, int] = {}

    def all_texts(self) -> list[list[str]]:
        numbers = self.compiler.numbers
        return [[*self.texts], ["false", "true"], [*numbers.objects], [*map(text_of, numbers.cells)]]

    def program(self, write: Callable[[], None]) -> int:
        """Compile the instructions that `write` emits as a program; gives the number of its first instruction."""
        entry = len(self.out.code)
        with self.out.program():
            write()
        return entry

    def board(self) -> None:
        """Write the drawing of a state."""
        for line in drawn_lines(self.puzzle):
            for turn, _ in self.compiler.turns(line.loops, NOWHERE):
                for part in line.parts:
                    if isinstance(part, str):
                        self.say(part)
                    elif isinstance(part, tuple):
                        self._register(self.compiler.value(part[0], turn), self._kind(part[0], {}), width=part[1])
                    else:
                        self.tell(part, turn, _around(line.loops))
                self.end(TRIMMED if line.trimmed else 0)

    # Saying

    def say(self, text: str, width: int = 0) -> None:
        if text or width:
            self.out.emit(SAY, TEXT, self.texts.setdefault(text, len(self.texts)), width)

    def end(self, how: int = 0) -> None:
        self.out.emit(SAY, END, how)

    def tell(self, expr: Expr, scope: ProgramScope, kinds: Kinds, before: Callable[[], None] | None = None) -> None:
        """Emit instructions that print an expression's value, `before` ahead of it; neither if it has no value."""
        compiler, out = self.compiler, self.out
        expr, asked = self._left(expr, scope)
        if compiler.known(expr, scope):
            value = compiler.value_of(expr, scope)
            if before and value is not None:
                before()
            if value is not None or not before:
                self.say(text_of(value))
            return
        match expr:
            case ex.Conditional(_, yes, no):
                with out.two_ways() as (other, turn):
                    for condition in asked:
                        compiler.need(condition, other, scope)
                    self.tell(yes, scope, kinds, before)
                    turn()
                    self.tell(no, scope, kinds, before)
            case ex.Use(name, args):
                with out.two_ways() as (unbound, turn):
                    definition = self.puzzle.definitions[name]
                    inner = compiler.bound(name, args, unbound, scope)
                    own = {parameter: KINDS[domain.kind] for parameter, domain in definition.parameters}
                    self.tell(definition.body, inner, own, before)
                    turn()
                    if not before:
                        self.say(text_of(None))
            case ex.Quantifier(kind, body, loops) if kind in BETWEEN:
                self._list(BETWEEN[kind], body, loops, scope, {**kinds, **_around(loops)})
            case _:
                self._register(compiler.value(expr, scope), self._kind(expr, kinds), before)

    def _register(self, register: int, kind: int, before: Callable[[], None] | None = None, width: int = 0) -> None:
        if not before:
            self.out.emit(SAY, kind, register, width)
            return
        with self.out.ending() as end:
            self.out.emit(op.VALUE, end, register)
            before()
            self.out.emit(SAY, kind, register, width)

    def number(self, register: int) -> None:
        self.out.emit(SAY, NUMBER, register)

    def between(self, text: str, first: str = "") -> Callable[[], None]:
        """A separator: written before each item, it says `first` before the first of them and `text` before others."""
        out = self.out
        if not text:
            return lambda: None
        begun = out.register()
        out.emit(op.MOVE, begun, out.constant(0))

        def before() -> None:
            with out.two_ways() as (beginning, turn):
                out.emit(op.TRUE, beginning, begun)
                self.say(text)
                turn()
                self.say(first)
                out.emit(op.MOVE, begun, out.constant(1))

        return before

    def _list(self, between: str, body: Expr, loops: tuple[Loop, ...], scope: ProgramScope, kinds: Kinds) -> None:
        compiler, before, still = self.compiler, self.between(between), ""
        merged = not between and compiler._turns_known(loops, scope)
        for turn, _ in compiler.turns(loops, scope):
            expr, _ = self._left(body, turn)
            if merged and compiler.known(expr, turn):  # texts that are the same in all states are said as one
                value = compiler.value_of(expr, turn)
                still += "" if value is None else text_of(value)
                continue
            self.say(still)
            still = ""
            self.tell(expr, turn, kinds, before)
        self.say(still)

    def _left(self, expr: Expr, scope: ProgramScope) -> tuple[Expr, list[Expr]]:
        """`a if c else b`: `a` or `b` where constants decide `c`, else itself with what is left of `c`."""
        while isinstance(expr, ex.Conditional):
            known = [(part, self.compiler.known(part, scope)) for part in conjuncts(expr.condition)]
            if any(self.compiler.value_of(part, scope) is not True for part, there in known if there):
                expr = expr.no
            elif asked := [part for part, there in known if not there]:
                return expr, asked
            else:
                expr = expr.yes
        return expr, []

    def _kind(self, expr: Expr, kinds: Kinds) -> int:
        """How the values of an expression are written: `OBJECT` for `tube[t]`, `NUMBER` for `n + 1`."""
        puzzle = self.puzzle
        match expr:
            case ex.Const(value):
                return _kind_of(value)
            case ex.Local(name):
                return kinds[name]
            case ex.Read(table):
                return KINDS[puzzle.state[table].domain.kind]
            case ex.ConstantLookup(table):
                return KINDS[puzzle.constants[table].domain.kind]
            case ex.Use(name):
                definition = puzzle.definitions[name]
                own = {parameter: KINDS[domain.kind] for parameter, domain in definition.parameters}
                return self._kind(definition.body, own)
            case ex.Conditional(_, yes):
                return self._kind(yes, kinds)
            case ex.Quantifier("the", body, loops):
                names = {loop.name: _kind_of(loop.values[0]) for loop in loops if loop.values}
                return self._kind(body, {**kinds, **names, **_around(loops)})
            case ex.CellStep() | ex.SlideEnd() | ex.Arith("cell"):
                return CELL
            case ex.Arith():
                return NUMBER
            case ex.Quantifier("count" | "sum" | "min" | "max"):
                return NUMBER
            case ex.ByValue(_, pairs):
                return _kind_of(pairs[0][1]) if pairs else OBJECT
        return TRUTH


def _around(loops: Iterable[Loop]) -> dict[str, int]:
    return {loop.name: CELL for loop in loops if loop.around is not None}


def _kind_of(value: Value) -> int:
    if isinstance(value, bool):
        return TRUTH
    return OBJECT if isinstance(value, str) else CELL if isinstance(value, tuple) else NUMBER
