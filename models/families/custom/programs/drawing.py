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
from ..drawing import layout_of, said
from ..interchangeable import interchangeable
from ..language import expressions as ex
from ..language.expressions import Expr, Loop, Value, text_of
from ..puzzle import Custom, ValueTable
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

Ask = Callable[[int], None]
"""Writes a condition; jumps to a label unless it holds."""


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
        """Write a program of what `write` writes; where it begins."""
        entry = len(self.out.code)
        with self.out.program():
            write()
        return entry

    def board(self) -> None:
        """Write the drawing of a state."""
        if self.puzzle.looks.template:
            self._template()
        elif self.puzzle.grid:
            self._map()
        else:
            for table in self.puzzle.state.values():
                self._table(table)

    # Saying

    def say(self, text: str, width: int = 0) -> None:
        if text or width:
            self.out.emit(SAY, TEXT, self.texts.setdefault(text, len(self.texts)), width)

    def end(self, how: int = 0) -> None:
        self.out.emit(SAY, END, how)

    def tell(self, expr: Expr, scope: ProgramScope, kinds: Kinds, before: Callable[[], None] | None = None) -> None:
        """Say the value of an expression, behind what `before` says; nothing at all where it has no value."""
        compiler, out = self.compiler, self.out
        if compiler.known(expr, scope):
            value = compiler.value_of(expr, scope)
            if before and value is not None:
                before()
            if value is not None or not before:
                self.say(text_of(value))
            return
        match expr:
            case ex.Conditional(condition, yes, no) if compiler.known(condition, scope):
                self.tell(yes if compiler.value_of(condition, scope) is True else no, scope, kinds, before)
            case ex.Conditional(condition, yes, no):
                with out.two_ways() as (other, turn):
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
            case ex.Quantifier("list" | "join" as kind, body, loops):
                self._list(" " if kind == "list" else "", body, loops, scope, kinds)
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
        out, begun = self.out, self.out.register()
        out.emit(op.MOVE, begun, out.constant(0))

        def before() -> None:
            if not text:
                return
            with out.two_ways() as (beginning, turn):
                out.emit(op.TRUE, beginning, begun)
                self.say(text)
                turn()
                self.say(first)
                out.emit(op.MOVE, begun, out.constant(1))

        return before

    def _list(self, between: str, body: Expr, loops: tuple[Loop, ...], scope: ProgramScope, kinds: Kinds) -> None:
        before = self.between(between)
        for turn, _ in self.compiler.turns(loops, scope):
            self.tell(body, turn, {**kinds, **_around(loops)}, before)

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
            case ex.CellStep() | ex.SlideEnd() | ex.Function("cell"):
                return CELL
            case ex.Arith() | ex.Function("row" | "col" | "abs" | "min" | "max"):
                return NUMBER
            case ex.Quantifier("count" | "sum" | "min" | "max"):
                return NUMBER
            case ex.Function(_, _, values):
                return _kind_of(values[0]) if values else OBJECT
        return TRUTH

    # The three ways of drawing

    def _template(self) -> None:
        for line in self.puzzle.looks.template:
            for turn, _ in self.compiler.turns(line.loops, NOWHERE):
                for part in line.parts:
                    if isinstance(part, str):
                        self.say(part)
                    else:
                        self.tell(part, turn, _around(line.loops))
                self.end(TRIMMED)

    def _map(self) -> None:
        words = self._words()
        for r, row in enumerate(self.puzzle.grid):
            still = ""
            for c, char in enumerate(row):
                ways, sign = self._signs((r, c), char, words.get((r, c), {})) if (r, c) in words else ([], char)
                if not ways:
                    still += sign
                    continue
                self.say(still)
                still = ""
                with self.out.ending() as end:
                    for ask, other in ways:
                        with self.out.ending() as following:
                            ask(following)
                            self.say(other)
                            self.out.emit(op.JUMP, end)
                    self.say(sign)
            self.say(still)
            self.end()

    def _signs(
        self, cell: Cell, own: str, words: Mapping[str, tuple[int, int] | None]
    ) -> tuple[list[tuple[Ask, str]], str]:
        """The characters that may be drawn on a cell, each with its condition, and the one if none of these holds."""
        compiler, signs, ways = self.compiler, self.puzzle.signs, list[tuple[Ask, str]]()
        scope = ProgramScope({"here": cell}, {})
        for char, test in self.puzzle.looks.signs:
            if not compiler.known(test, scope):
                ways.append((lambda label, test=test: compiler.need(test, label, scope), char))  # type: ignore[misc]
            elif compiler.value_of(test, scope) is True:
                return ways, char
        for char, says in sorted(signs.items(), key=lambda item: -len(item[1])):
            if not says <= words.keys():
                continue
            sign = own if char != own and not says and not signs.get(own) else char
            asked = [place for place in map(words.__getitem__, sorted(says)) if place]
            if not asked:
                return ways, sign
            ways.append((lambda label, asked=asked: self._on_cell(asked, label), sign))  # type: ignore[misc]
        return ways, "." if signs.get(own) else own

    def _on_cell(self, asked: Iterable[tuple[int, int]], label: int) -> None:
        for register, number in asked:
            self.out.emit(op.SAME, label, register, self.out.constant(number))

    def _words(self) -> dict[Value, dict[str, tuple[int, int] | None]]:
        """What may be on each cell, in the words of the legend: the variable and the value that say so, or None if it
        always is.
        """
        puzzle, compiler = self.puzzle, self.compiler
        words: dict[Value, dict[str, tuple[int, int] | None]] = {cell: {} for cell in puzzle.cells}
        for table in (*puzzle.state.values(), *puzzle.constants.values()):
            for args, first in table.values.items():
                variable = compiler.variable.get((table.name, args))
                values = table.domain.values if variable is not None else (first,)
                for value in values:
                    place = None if variable is None else (variable, compiler.numbers.of(value))
                    if table.of and table.of[0].kind == "cell":
                        if len(args) == 1 and value is not False:
                            words[args[0]][table.name if value is True else f"{table.name}={text_of(value)}"] = place
                    elif table.domain.kind == "cell" and len(args) < 2 and value in words:
                        words[value][f"{table.name}={text_of(args[0])}" if args else table.name] = place
        return words

    def _table(self, table: ValueTable) -> None:
        """A table as lines, as `lines_of` makes them."""
        kind, variable = KINDS[table.domain.kind], self.compiler.variable
        if len(table.of) == 2 and table.domain.kind != "truth":
            self._matrix(table, kind)
            return
        self.say(f"{table.name}: ")
        between = self.between(", ")
        for args in table.values:
            register = variable[table.name, args]
            if not args:
                self._register(register, kind)
            elif table.domain.kind == "truth":
                with self.out.ending() as end:
                    self.out.emit(op.TRUE, end, register)
                    between()
                    self.say(said(args))
            else:
                between()
                self.say(f"{said(args)} ")
                self._register(register, kind)
        self.end()

    def _matrix(self, table: ValueTable, kind: int) -> None:
        label, size, blocks = layout_of(table)
        for seconds in blocks:
            self.say(f"{table.name}:" if seconds is blocks[0] else "", label)
            for second in seconds:
                self.say(text_of(second), size)
            self.end(TRIMMED)
            for first in table.of[0].values:
                self.say(f"  {text_of(first)}", label)
                for second in seconds:
                    self._register(self.compiler.variable[table.name, (first, second)], kind, width=size)
                self.end(TRIMMED)


def _around(loops: Iterable[Loop]) -> dict[str, int]:
    return {loop.name: CELL for loop in loops if loop.around is not None}


def _kind_of(value: Value) -> int:
    if isinstance(value, bool):
        return TRUTH
    return OBJECT if isinstance(value, str) else CELL if isinstance(value, tuple) else NUMBER
