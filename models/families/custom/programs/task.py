"""A custom puzzle as a task whose actions are programs (`models.program`).

A parameter that a condition decides, `c` in `when: at[x] == c`, is a value of the program; for every choice of the
others there is an action of its own, if the conditions that do not read the state allow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from .... import program as op
from ....errors import GroundingError
from ....moves import MOST_OF_A_STEP, Cost, Metric
from ....plan import fitting
from ....program import ProgramAction, ProgramTask, ProgramVariable
from ....watching import progress_callback
from ..language.evaluate import broken_start
from ..language.expressions import Compare, Const, Expr, Local, Value, conjuncts, text_of
from ..puzzle import Act, ActionSchema, Custom, Part, TableAssignment, shown
from .conditions import ChangingEdgesError
from .emitter import MAX_CODE, ProgramScope, TooLongError
from .expressions import ExpressionCompiler

T = TypeVar("T")

MAX_ACTIONS = 20_000
"""Actions of a task: each is run on each state."""

MAX_BINDINGS = 2_000_000
"""Choices of parameters that are tried."""

TRIED_PER_LOOK = 200
"""Choices of parameters between two looks at the clock."""


def programs(puzzle: Custom, metric: Metric, most: int | None = None) -> ProgramTask:
    """The task; with `most`, of its first actions only. Raises `GroundingError`, with the place, if its programs would
    be too long, or if what an action costs depends on the state.
    """
    return ProgramWriter(puzzle, metric).task(most)


def act_of(name: str, args: Sequence[str | tuple[int, Mapping[int, str]]], registers: Sequence[int]) -> Act:
    """The move of an action whose program has run; an argument is a text, or a register and the texts of its values."""
    return Act(name, tuple(arg if isinstance(arg, str) else arg[1][registers[arg[0]]] for arg in args))


class ProgramWriter:
    """Writes the programs of a puzzle in a metric."""

    def __init__(self, puzzle: Custom, metric: Metric, compiler: ExpressionCompiler | None = None) -> None:
        self.puzzle, self.metric = puzzle.within(metric.components), metric
        self.tried = self.written = 0
        self._on_progress = progress_callback()
        self.part: Part = ("goal", 1)
        self.compiler = compiler or ExpressionCompiler(puzzle)
        self.out, self.numbers = self.compiler.out, self.compiler.numbers

    def task(self, most: int | None = None) -> ProgramTask:
        puzzle, out = self.puzzle, self.out
        goal, actions = self.guarded(partial(self._write, most))
        return ProgramTask(
            name="",
            variables=tuple(self._variables()),
            init=tuple(self.numbers.of(value) for value in puzzle.start().values()),
            actions=actions,
            goal=goal,
            code=out.finished(),
            tables=tuple(self.numbers.tables),
            constants={register: value for value, register in out.constants.items()},
            registers=out.registers,
            metric=self.metric.components,
            unsolvable_because=broken_start(puzzle),
        )

    def _write(self, most: int | None) -> tuple[int, tuple[ProgramAction, ...]]:
        out = self.out
        goal = len(out.code)
        with out.program() as fail:
            for condition in self.puzzle.goal:
                self.compiler.require(condition, fail, ProgramScope({}, {}))
        actions = tuple(islice(self._actions(), most))
        self.compiler.write_rules()
        self.compiler.write_routines()
        return goal, actions

    def guarded(self, write: Callable[[], T]) -> T:
        """What `write` writes. Raises `GroundingError`, with the place, if it cannot be written."""
        try:
            return write()
        except ChangingEdgesError:
            raise self._error(self.part, "asks for a closed loop of edges whose ends change") from None
        except TooLongError:
            raise self._error(self.part, f"makes programs of more than {MAX_CODE:,} instructions") from None

    def _error(self, part: Part, message: str) -> GroundingError:
        return self.puzzle.error(part, message, "give it fewer parameters, or say less in it")

    def _variables(self) -> Iterator[ProgramVariable]:
        for table in self.puzzle.state.values():
            texts = sorted(self.numbers.texts(table.domain).items())
            values = tuple(number for number, _ in texts)
            written = tuple(text for _, text in texts)
            yield from (ProgramVariable(shown((table.name, key)), values, written) for key in table.every_key())

    # Parameters

    def _bindings(self, schema: ActionSchema) -> Iterator[tuple[ProgramScope, dict[str, Expr]]]:
        """The known parameters of each action of a schema, and the expressions that decide the others, in order."""
        parts = [part for condition in schema.conditions for part in conjuncts(condition)]
        decided = self._decided(schema, parts)
        free = [(name, domain.values) for name, domain in schema.parameters if name not in decided]
        named, reads = self.compiler.names_in, self.compiler.evaluators.reads
        static = [part for part in parts if not reads(part) and named(part).isdisjoint(decided)]

        def holds(part: Expr, names: dict[str, Value]) -> bool:
            self._try(schema)
            return self.compiler.value_of(part, ProgramScope(names, {})) is True

        for names in fitting(free, static, {}, named, holds):
            self._try(schema)
            yield ProgramScope(names, {}), decided

    def _decided(self, schema: ActionSchema, parts: Sequence[Expr]) -> dict[str, Expr]:
        """The parameters that a condition says to equal an expression over the state and other parameters."""
        compiler, decided = self.compiler, dict[str, Expr]()
        for part in parts:
            if not isinstance(part, Compare) or part.op != "==":
                continue
            for side, other in ((part.left, part.right), (part.right, part.left)):
                if (
                    isinstance(side, Local)
                    and side.name in schema.names - decided.keys()
                    and (compiler.evaluators.reads(other) or not compiler.names_in(other).isdisjoint(decided))
                    and compiler.names_in(other).isdisjoint({side.name, *self._later(side.name, decided)})
                ):
                    decided[side.name] = other
                    break
        return decided

    def _later(self, name: str, decided: Mapping[str, Expr]) -> set[str]:
        """The decided parameters that depend on one: after `y == at[x]` decided y, `x == at[y]` cannot decide x."""
        depending = {name}
        while more := {n for n, e in decided.items() if n not in depending and self.compiler.names_in(e) & depending}:
            depending |= more
        return depending - {name}

    def _try(self, schema: ActionSchema) -> None:
        """Count a choice of some parameters."""
        self.tried += 1
        if not self.tried % TRIED_PER_LOOK:
            self._on_progress(self.written, "actions as programs")
        if self.tried > MAX_BINDINGS:
            raise self._error(("actions", schema.name), f"has more than {MAX_BINDINGS:,} choices of parameters")

    # Actions

    def _actions(self) -> Iterator[ProgramAction]:
        """Write one action after the other."""
        for schema in self.puzzle.actions.values():
            self.part = "actions", schema.name
            for scope, decided in self._bindings(schema):
                yield self._action(schema, scope, decided)
                self.written += 1
                if self.written > MAX_ACTIONS:
                    raise self._error(self.part, f"makes more than {MAX_ACTIONS:,} actions")

    def _action(self, schema: ActionSchema, scope: ProgramScope, decided: Mapping[str, Expr]) -> ProgramAction:
        out, compiler, entry = self.out, self.compiler, len(self.out.code)
        with out.program() as fail:
            waiting = dict(decided)
            domains = dict(schema.parameters)
            while waiting:
                name = next(n for n, e in waiting.items() if compiler.names_in(e).isdisjoint(waiting))
                table = self.numbers.own(domains[name])
                register = out.computed(op.TABLE, compiler.value(waiting.pop(name), scope), table)
                out.emit(op.VALUE, fail, register)
                scope = scope.with_register(name, register)
            for condition in schema.conditions:
                compiler.require(condition, fail, scope)
            writes, twice = self._assign(schema.assignments, fail, scope)
            out.emit(op.APPLY, int(twice))
            self._check_after(schema, fail)
        args = [
            text_of(scope.known[name]) if name in scope.known else (scope.registers[name], self.numbers.texts(domain))
            for name, domain in schema.parameters
        ]
        arguments = ",".join(arg if isinstance(arg, str) else "?" for arg in args)
        title = f"{schema.name}({arguments})" if args else schema.name
        move = partial(act_of, schema.name, tuple(args))
        return ProgramAction(title, entry, self._cost(schema, scope), move, frozenset(writes))

    def _assign(self, assignments: Sequence[TableAssignment], fail: int, scope: ProgramScope) -> tuple[set[int], bool]:
        """Write assignments: the variables that may change, and whether one may be assigned twice."""
        out, compiler = self.out, self.compiler
        writes: set[int] = set()
        twice = False
        for assignment in assignments:
            table = self.puzzle.state[assignment.table]
            for turn, _ in compiler.turns(assignment.loops, scope, partial(self._begin, assignment)):
                targets = self._targets(assignment, turn)
                if not targets:
                    out.emit(op.TRUE, fail, out.constant(0))
                elif all(compiler.known(arg, turn) for arg in assignment.args):
                    out.emit(op.SET, targets[0], compiler.value(assignment.value, turn))
                else:
                    index, _ = compiler.index_of(assignment.args, table.of, turn)
                    out.emit(op.PUT, targets[0], compiler.value(assignment.value, turn), index, len(targets))
                twice = twice or not writes.isdisjoint(targets)
                writes.update(targets)
        return writes, twice

    def _begin(self, assignment: TableAssignment, scope: ProgramScope, end: int) -> None:
        """Say which variables a turn of an assignment serves: also what is asked in it is asked for their sake only."""
        targets = self._targets(assignment, scope)
        if targets:
            self.out.emit(op.PART, end, targets[0], len(targets))

    def _targets(self, assignment: TableAssignment, scope: ProgramScope) -> range:
        """The variables that an assignment may set: one, if its place is known, or none, if there is no such place;
        else all of its table.
        """
        compiler, name = self.compiler, assignment.table
        if not all(compiler.known(arg, scope) for arg in assignment.args):
            first = compiler.first[name]
            return range(first, first + len(self.puzzle.state[name].every_key()))
        key = tuple(compiler.value_of(arg, scope) for arg in assignment.args)
        variable = compiler.variable.get((name, key))  # type: ignore[arg-type]
        return range(0) if variable is None else range(variable, variable + 1)

    def _check_after(self, schema: ActionSchema, fail: int) -> None:
        """Write what must hold afterwards: `different` tables and `always`, if the action assigns what they read."""
        assigned = {assignment.table for assignment in schema.assignments}
        for name in sorted(assigned):
            table = self.puzzle.state[name]
            if table.different:
                first, count = self.compiler.first[name], len(table.every_key())
                self.out.emit(op.TRUE, fail, self.out.computed(op.DISTINCT, first, count))
        for condition in self.puzzle.always:
            if self.puzzle.reads(condition) & assigned:
                self.compiler.call_rule(condition)

    def prices(self, schema: ActionSchema) -> list[Expr]:
        """What an action costs, in each component of the metric."""
        costs = {counting.many: counting.costs for counting in self.puzzle.countings}
        return [costs[name].get(schema.name, Const(0)) for name in self.metric.components]

    def _cost(self, schema: ActionSchema, scope: ProgramScope) -> Cost:
        """What an action costs, in the components of the metric."""
        part: Part = ("actions", schema.name, "cost")
        cost = []
        for price in self.prices(schema):
            if not self.compiler.known(price, scope):
                message = "depends on the state, and the action has too many operators to take them one by one"
                raise self.puzzle.error(part, message, "make an action of its own for each cost")
            value = self.compiler.value_of(price, scope)
            if not isinstance(value, int) or not 0 <= value <= MOST_OF_A_STEP:
                message = f"is {text_of(value) if value is not None else 'missing'}"
                raise self.puzzle.error(part, message, f"a cost is a number from 0 to {MOST_OF_A_STEP:,}")
            cost.append(int(value))
        return tuple(cost)
