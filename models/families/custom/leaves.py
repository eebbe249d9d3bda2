"""Operators from rules: a program for each action, its parameters unknown like the state (`models.forking`).

An action is written twice. What reads neither the state nor a parameter that the state decides finds its instances:
values of some parameters. For each of them, the whole program is run over all values that are reached, again when a
value that it looked at is new. A leaf is a *change*: an action in one case.

    carry(x): at[x] == boat, ...     carry(wolf): boat = left, at[wolf] = left    ->    boat := right, at[wolf] := right

Runs begin in plain Python, which is enough for small puzzles; after a while the same functions go on compiled, if
compiled kernels are there.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from operator import itemgetter, or_
from typing import Any

import numpy as np

from ... import forking as fork
from ... import program as op
from ...errors import GroundingError
from ...forking import Enumeration
from ...late import late
from ...moves import MOST_OF_A_STEP, Metric
from ...task import MAX_OPERATORS
from ...watching import progress_callback
from .arrays import Changes, Domains, Ints, Longs, cut, matrix, pairs, ranked, some
from .language.evaluate import ById, asked_by
from .language.expressions import And, Compare, Conditional, Const, Expr, Quantifier, Value, conjuncts, text_of
from .language.values import MIRRORED, OPPOSITE
from .programs.emitter import ProgramScope
from .programs.expressions import ExpressionCompiler
from .programs.task import ProgramWriter
from .puzzle import Act, ActionSchema, Custom, Domain, Part, Place

compiled = late(__package__, "....analysis.program_machine:forked")

Term = dict[int, int]
"""A set of states: for some variables a mask of the values that they may have; all others are free."""


@dataclass(frozen=True, slots=True)
class Effort:
    """At what size enumerating is given up: operators that are found, and instructions that are run."""

    operators: int
    steps: int


MAX_WORK = 60_000_000
"""The most instructions that are run for one puzzle: about a second of compiled code."""

MAX_IN_PYTHON = 5_000_000
"""The most where there is no compiled code: about ten seconds."""

IN_PYTHON = 100_000
"""Instructions that are run before compiled code goes on, if it is there: about a tenth of a second, half of what it
takes to load that.
"""

A_LOOK = 4_000, 400_000
"""Instructions between two looks at the clock, in Python and compiled: about ten milliseconds."""

MAX_INSTANCES = 20_000
"""Beyond, an action is not split into instances: all of its parameters are told apart while its program is run."""

PER_INSTANCE = 3_000
"""Instructions that are run more for each instance of an action: writing it as a program instead takes longer."""

MAX_CLAUSES = 20_000
"""The most cases in which a condition of the goal does not hold."""

MANY_PAIRS = 1_000_000
"""The most pairs of a case in which a condition of the goal is true and one in which it is false that are compared, so
that the latter have no more parts than they need.
"""

MANY = 20_000
"""Operators between two looks at the clock, once they are found: a tenth of a second."""


class Variables:
    """The variables of a puzzle: a variable is a place of a table, `at[wolf]`; its values are the bits of a mask.

    A fact is "variable = value". Facts are numbered in order, all values of the first variable first:

        a: in 0..2, b: in [x, y]      0: a = 0   1: a = 1   2: a = 2   3: b = x   4: b = y
    """

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.places: list[Place] = [(t.name, args) for t in puzzle.state.values() for args in t.values]
        self.values: list[tuple[Value, ...]] = []
        self.siblings: dict[int, list[int]] = {}  # the other variables of a table whose values are all different
        self.start: list[int] = []  # the number of the initial value of each
        for table in puzzle.state.values():
            first, values = len(self.values), table.domain.values
            number_of = {value: number for number, value in enumerate(values)}
            self.values += [values] * len(table.values)
            self.start += [number_of[value] for value in table.values.values()]
            if table.different:
                own = range(first, len(self.values))
                self.siblings.update((v, [w for w in own if w != v]) for v in own)
        # Of each variable its first fact, of each fact its variable and value.
        self.first = [0, *accumulate(map(len, self.values))]
        self.variable = [v for v, values in enumerate(self.values) for _ in values]
        self.value = [*chain.from_iterable(self.values)]
        self._on_progress = progress_callback()

    def blocks(self, count: int) -> Iterator[slice]:
        """All of so many operators, in parts, with a look before each: whoever watches (`models.watching`) may end
        it.
        """
        for first in range(0, max(count, 1), MANY):
            self._on_progress(count, "operators")
            yield slice(first, first + MANY)


class LeafCompiler(ExpressionCompiler):
    """Writes `count(...) >= 2` so that counting ends once the answer is sure: each turn more may double the cases."""

    def need(self, expr: Expr, otherwise: int, scope: ProgramScope, wanted: bool = True) -> None:
        match expr:
            case Compare(kind, Quantifier("count") as count, number) if self._countable(count, number, scope):
                self._need_count(kind if wanted else OPPOSITE[kind], count, number, otherwise, scope)
            case Compare(kind, number, Quantifier("count") as count) if self._countable(count, number, scope):
                self.need(Compare(MIRRORED[kind], count, number), otherwise, scope, wanted)
            case _:
                super().need(expr, otherwise, scope, wanted)

    def _countable(self, count: Quantifier, number: Expr, scope: ProgramScope) -> bool:
        turns_known = not self.known(count, scope) and self._turns_known(count.loops, scope)
        return turns_known and self.known(number, scope) and isinstance(self.value_of(number, scope), int)

    def _need_count(self, kind: str, count: Quantifier, number: Expr, otherwise: int, scope: ProgramScope) -> None:
        """Write `count(...) == 2`: go on where it is true, that is with at least 2 turns and at most 2; else at
        `otherwise`.
        """
        out, value = self.out, int(self.value_of(number, scope))  # type: ignore[arg-type]
        if kind == "!=":
            with out.ending() as end:
                self._need_count("==", count, number, end, scope)
                out.emit(op.JUMP, otherwise)
            return
        needed = frozenset().union(*map(self.names_in, asked_by(count.loops)))
        known = {name: value for name, value in scope.known.items() if name in needed}
        turns = sum(1 for _ in self.evaluators.turns(count.loops)(known, {}))
        least = max(0, value + (kind == ">")) if kind in ("==", ">=", ">") else 0
        most = value - (kind == "<") if kind in ("==", "<=", "<") else turns
        if most < 0 or least > turns:
            out.emit(op.JUMP, otherwise)
            return
        total, done = out.register(), 0
        with out.ending() as end:
            out.emit(op.MOVE, total, out.constant(0))
            for turn, following in self.turns(count.loops, scope):
                self._decide(total, least - (turns - done), most, otherwise, (least, most - (turns - done), end))
                self.need(count.body, following, turn)
                out.emit(op.ADD, total, total, out.constant(1))
                done += 1
            self._decide(total, least, most, otherwise, (turns, 0, end))

    def _decide(self, total: int, least: int, most: int, otherwise: int, good: tuple[int, int, int]) -> None:
        """Write the jumps out of counting: to `otherwise` unless `total`, so far, is from `least` to `most`; and to the
        end if it is between the two numbers of `good`, as whatever follows cannot change the answer then.
        """
        out, (enough, few, end) = self.out, good
        out.emit(op.MOST, otherwise, total, out.constant(most))
        if least > 0:
            out.emit(op.MOST, otherwise, out.constant(least), total)
        if enough <= few:
            following = out.label()
            out.emit(op.MOST, following, out.constant(enough), total)
            out.emit(op.MOST, following, total, out.constant(few))
            out.emit(op.JUMP, end)
            out.put(following)


class LeafWriter(ProgramWriter):
    """Writes two programs for each action `carry(x)`: its conditions that do not read the state, which find the x to
    try, and the whole action; and one for each part of the goal.
    """

    def __init__(self, puzzle: Custom, metric: Metric) -> None:
        super().__init__(puzzle, metric, LeafCompiler(puzzle))
        self.free: list[list[bool]] = []  # of each action, whether each parameter is not decided by the state
        self.registers: list[list[int]] = []
        self.entries: list[tuple[int, int]] = []
        self.writes: list[set[int]] = []
        self.places: list[tuple[int, Part]] = []
        """Where the instructions of a part of the file begin."""
        self.goal: list[tuple[int, int, ProgramScope]] = []
        """Of each part of the goal the number of its condition, from 1, its program, and the names in it."""

    def write(self) -> None:
        """Write all programs."""
        for schema in self.puzzle.actions.values():
            self.part = "actions", schema.name
            self._write_action(schema)
        begin = len(self.out.code)
        self.compiler.write_rules()
        end = len(self.out.code)
        for number, condition in enumerate(self.puzzle.always, 1):
            if (rule := self.compiler._rules.get(id(condition))) is not None:
                self.places.append((self.out._place[rule[1]], ("always", number)))
        self.places.sort()
        for number, condition in enumerate(self.puzzle.goal, 1):
            self.part = "goal", number
            for expr, scope in self._parts(condition):
                self.goal.append((number, len(self.out.code), scope))
                with self.out.program() as fail:
                    self.compiler.need(expr, fail, scope)
        self.compiler.write_routines()
        self.code = [list(instruction) for instruction in self.out.finished()]
        self._note_reads(begin, end)

    def _write_action(self, schema: ActionSchema) -> None:
        out, compiler = self.out, self.compiler
        scope = ProgramScope({}, {})
        for name, _ in schema.parameters:
            scope = scope.with_register(name, out.register())
        numbered = [(n, p) for n, condition in enumerate(schema.conditions, 1) for p in conjuncts(condition)]
        parts = [part for _, part in numbered]
        decided = self._decided(schema, parts)
        static = [p for p in parts if not compiler.evaluators.reads(p) and compiler.names_in(p).isdisjoint(decided)]
        self.registers.append([scope.registers[name] for name, _ in schema.parameters])
        self.free.append([name not in decided for name, _ in schema.parameters])
        entry = len(out.code)
        with out.program() as fail:
            for part in static:
                compiler.require(part, fail, scope)
        self.entries.append((entry, len(out.code)))
        with out.program() as fail:
            for number, part in sorted(numbered, key=lambda part: not any(part[1] is each for each in static)):
                self._begin_part(("actions", schema.name, "when", number))
                compiler.require(part, fail, scope)
            for component, price in enumerate(self.prices(schema)):
                self._begin_part(self.priced(schema, component))
                out.emit(fork.PRICE, component, compiler.value(price, scope))
            writes = set[int]()
            for number, assignment in enumerate(schema.assignments, 1):
                self._begin_part(("actions", schema.name, "set", number))
                writes |= self._assign((assignment,), fail, scope)[0]
            self._begin_part(self.part)
            out.emit(op.APPLY, 1)
            self._check_after(schema, fail)
        self.writes.append(writes)

    def _begin_part(self, part: Part) -> None:
        self.places.append((len(self.out.code), part))

    def priced(self, schema: ActionSchema, component: int) -> Part:
        """The part of the file that says what an action costs in a component of the metric."""
        own: Part = ("metrics", self.metric.components[component], schema.name)
        return own if own in self.puzzle.places else ("actions", schema.name, "cost")

    def _parts(self, condition: Expr) -> Iterator[tuple[Expr, ProgramScope]]:
        """The smallest parts that all must hold for a condition of the goal to hold."""
        for part, scope in self.compiler.parts(condition, ProgramScope({}, {})):
            match part:
                case Quantifier("all", body, (loop, *others)) if loop.around is None:
                    for value in loop.values:
                        whole = Quantifier("all", body, tuple(others)) if others else body
                        held = Conditional(And(loop.conditions), whole, Const(True)) if loop.conditions else whole
                        yield held, scope.with_known(loop.name, value)
                case _:
                    yield part, scope

    def _note_reads(self, begin: int, end: int) -> None:
        """List for each part of a rule the variables that it may read: it is asked only if one of them is assigned."""
        count, tables = len(self.compiler.variable), self.numbers.tables
        for at in range(begin, end):
            instruction = self.code[at]
            if instruction[0] != op.CHECK:
                continue
            read: set[int] = set()
            waiting, seen = list(range(at + 1, instruction[1])), set[int]()
            for place in waiting:  # it grows
                code, d, *_ = self.code[place]
                if code == op.CALL and d not in seen:
                    seen.add(d)
                    waiting += range(d, next(i for i in range(d, len(self.code)) if self.code[i][0] == op.RETURN) + 1)
                read.update(r for r in op.operands(tuple(self.code[place]), tables) if r < count)  # type: ignore[arg-type]
            tables += (len(read), *sorted(read))
            instruction[2] = len(tables) - len(read)


class Enumerator:
    """Enumerates the leaves of a puzzle's actions, in a metric."""

    def __init__(self, puzzle: Custom, metric: Metric, effort: Effort | None = None) -> None:
        self.effort = effort or Effort(MAX_OPERATORS, MAX_WORK)
        self.writer = writer = LeafWriter(puzzle, metric)
        self.puzzle = puzzle = writer.puzzle
        self.variables = Variables(puzzle)
        writer.guarded(writer.write)
        self.actions = list(puzzle.actions.values())
        self._on_progress = progress_callback()
        self._numbers()
        self.run, self.run_all = fork.run, fork.run_all
        self.looks = A_LOOK[0]
        self.m = self._machine()
        if "llvmlite" in sys.modules and (parts := compiled()):
            self.go_on_compiled(*parts)
        self._find_instances()

    def _numbers(self) -> None:
        """The numbers of the values of each variable, then of each parameter, and tables of their positions."""
        numbers = self.writer.numbers
        self.domains = [table.domain for table in self.puzzle.state.values() for _ in table.values]
        self.first_of: list[int] = []
        for schema in self.actions:
            self.first_of.append(len(self.domains))
            self.domains += [domain for _, domain in schema.parameters]
        values = ById[Domain, list[int]](lambda domain: [numbers.of(value) for value in domain.values])
        self.values = [values(domain) for domain in self.domains]
        self.lookup = [numbers.order(domain) for domain in self.domains]

    def _machine(self) -> Enumeration:
        writer, out = self.writer, self.writer.out
        count, of_state = len(self.values), len(self.variables.values)
        sizes = [len(values) for values in self.values]
        first = [0, *accumulate(sizes)]
        domain = [value for values in self.values for value in values]
        words = -(-max(sizes, default=1) // fork.WORD)
        code, tables = writer.code, writer.numbers.tables
        calls = sum(instruction[0] == op.CALL for instruction in code)
        sets = sum(instruction[0] in (op.SET, op.PUT, fork.PRICE) for instruction in code)
        nodes = max(
            (tables[instruction[3]] for instruction in code if instruction[0] in (op.REACH, op.LOOP)), default=0
        )
        masks = out.registers
        singles = masks + count * words
        back = singles + count
        marks = back + calls + 2
        r = [0] * (marks + count + 1)
        for value, register in out.constants.items():
            r[register] = value
        for v in range(of_state):
            r[v] = fork.H + (v << 32) + first[v]
        for registers, u in zip(writer.registers, self.first_of, strict=True):
            for i, register in enumerate(registers):
                r[register] = fork.H + (u + i << 32) + first[u + i]
        siblings = [0] * (2 * count)
        for v, others in self.variables.siblings.items():
            siblings[2 * v], siblings[2 * v + 1] = min(v, *others), len(others) + 1
        margin = 128 + 4 * (count * (words + 2) + sets + nodes) + 4 * max(sizes, default=1)
        k = [0] * 15
        k[fork.VARIABLES], k[fork.WORDS], k[fork.MASKS], k[fork.SINGLES] = count, words, masks, singles
        k[fork.BACK], k[fork.MARKS], k[fork.OF_STATE], k[fork.PHASE] = back, marks, of_state, marks + count
        k[fork.PRICES], k[fork.MARGIN] = len(writer.metric.components), margin
        reached = [0] * first[of_state] + [1] * (len(domain) - first[of_state])
        for v, number in enumerate(self.variables.start):
            reached[first[v] + number] = 1
        schemas = len(self.actions)
        self.first = first
        return Enumeration(
            code=[number for instruction in code for number in instruction],
            table=tables or [0],
            k=k,
            ctr=[0] * 17,
            r=r,
            pool=domain + [0] * (2 * margin),
            trail=[0] * (4 * margin),
            forks=[0] * (64 * fork.FORK),
            classes=[0] * (64 * words),
            merges=[0] * 2 * 256,
            out=[0] * (4 * margin),
            assigned=[0] * (2 * sets + 2),
            first=first[:-1],
            size=sizes,
            domain=domain,
            lookup=self.lookup,
            siblings=siblings,
            reached=reached,
            grown=[0] * count,
            mark=[0] * count,
            used=bytearray((schemas + 1) * count),
            entries=[entry for entry, _ in writer.entries],
            parameters=[n for a, schema in enumerate(self.actions) for n in (self.first_of[a], len(schema.parameters))]
            + [0, 0],
            preset=[0],
            dirty=[0],
            leaves=[0],
        )

    # Running

    def _go_on(self, whole: bool, part: Part) -> int:
        """Run what was begun to its end, or to the limit of leaves."""
        while True:
            run = self.run_all if whole else self.run
            ended = run(self.m, min(self.m.ctr[fork.STEPS] + self.looks, self.effort.steps))
            if ended == fork.FINISHED or ended == fork.TOO_MANY:
                break
            if ended == fork.NO_SPACE:
                self._grow()
                continue
            self._look(part)
        if self.m.ctr[fork.HUGE]:
            raise self.error(part, "works with numbers beyond 100,000,000,000,000,000", "keep them smaller")
        return int(ended)

    def _look(self, part: Part) -> None:
        steps = self.steps
        leaves = int(self.m.ctr[fork.LEAVES])
        count, of = (leaves, "operators" if leaves > 1 else "operator") if leaves else (steps, "cases")
        now = self._now(part)
        self._on_progress(count, f"{of} of the action `{now[1]}`" if now[0] == "actions" else of)
        most = self.effort.steps if self.run_all is not fork.run_all else min(self.effort.steps, MAX_IN_PYTHON)
        if steps >= most:
            # The part of the file in which most of the forks that are open were made.
            forks = self.m.forks[: fork.FORK * int(self.m.ctr[fork.FORKS]) : fork.FORK]
            made = Counter(bisect_right(self.writer.places, int(at), key=itemgetter(0)) for at in forks)
            at = max(made, key=made.__getitem__, default=0)
            place = part or (self.writer.places[at - 1][1] if at else self._now(part))
            raise self.puzzle.error(place, "falls into too many cases", "say less in one action, or use smaller ranges")
        if steps > IN_PYTHON and self.run_all is fork.run_all and (parts := compiled()):
            self.go_on_compiled(*parts)

    def go_on_compiled(self, run: Callable[..., int], run_all: Callable[..., int]) -> None:
        """From here on, run compiled code, over arrays."""
        self.run, self.run_all, self.looks = run, run_all, A_LOOK[1]
        self.m = Enumeration(*map(_array, self.m))

    @property
    def steps(self) -> int:
        """How many instructions were run, with what counts as such."""
        return int(self.m.ctr[fork.STEPS])

    def _now(self, part: Part) -> Part:
        """The part of the file that is enumerated: of all actions, the one that is run."""
        return part or ("actions", self.actions[self.schema_of[int(self.m.ctr[fork.ACTION])]].name)

    def error(self, part: Part, message: str, hint: str) -> GroundingError:
        """An error in the part of the file that is enumerated."""
        return self.puzzle.error(self._now(part), message, hint)

    def _grow(self) -> None:
        """Double the array that is full: the one of the leaves, or else all the others that may be too short."""
        full = self.m.ctr[fork.OUT] + self.m.k[fork.MARGIN] > len(self.m.out)
        longer: dict[str, Any] = {}
        for name in ("out",) if full else ("pool", "trail", "forks", "classes", "merges"):
            array: Any = getattr(self.m, name)
            longer[name] = array + [0] * len(array) if isinstance(array, list) else np.pad(array, (0, len(array)))
        self.m = self.m._replace(**longer)

    # Instances

    def _find_instances(self) -> None:
        for v in range(len(self.values)):
            fork.refresh(self.m, v, -1)
        instances: list[tuple[int, list[int]]] = []
        self.m.k[fork.EMPTY] = 1
        for a, schema in enumerate(self.actions):
            u, free = self.first_of[a], self.writer.free[a]
            for i, own in enumerate(free):
                if not own:
                    self.m.r[self.m.k[fork.SINGLES] + u + i] = 1
            rows = self._leaves(a, int(self.m.entries[a]), MAX_INSTANCES, ("actions", schema.name))
            if rows is None:
                instances.append((a, [-1] * len(free)))
                continue
            prices = int(self.m.k[fork.PRICES])
            for row in rows:
                args = row[fork.HEAD + prices : fork.HEAD + prices + len(free)]
                instances.append((a, [p if own else -1 for p, own in zip(args, free, strict=True)]))
        self.schema_of, n = [a for a, _ in instances], len(instances)
        self.effort = Effort(max(self.effort.operators, n), self.effort.steps + PER_INSTANCE * n)
        widest, k = max((len(row) for _, row in instances), default=0), self.m.k
        k[fork.EMPTY], k[fork.WIDEST], k[fork.MERGE] = 0, widest, 1
        count = len(self.values)
        used = bytearray((len(instances) + 1) * count)
        for i, a in enumerate(self.schema_of):
            for v in self.writer.writes[a]:
                used[i * count + v] = 2
        parameters = [n for a in self.schema_of for n in (self.first_of[a], len(self.actions[a].parameters))]
        self._replace(
            used=used,
            entries=[self.writer.entries[a][1] for a in self.schema_of],
            parameters=[*parameters, 0, 0],
            preset=[p for _, row in instances for p in row + [-1] * (widest - len(row))] or [0],
            dirty=[1] * len(instances),
            leaves=[0] * 3 * max(1, len(instances)),
        )

    def _replace(self, **fields: Any) -> None:
        arrays = not isinstance(self.m.r, list)
        self.m = self.m._replace(**{name: _array(field) if arrays else field for name, field in fields.items()})

    def _leaves(self, a: int, entry: int, most: int, part: Part) -> list[list[int]] | None:
        """The leaves of one program; None if they are more than `most`."""
        m = self.m
        begin, leaves = int(m.ctr[fork.OUT]), int(m.ctr[fork.LEAVES])
        m.ctr[fork.ACTION] = a
        m.k[fork.MOST_LEAVES] = leaves + most
        fork.start(m, entry)
        ended = self._go_on(False, part)
        rows = self._rows(begin, int(self.m.ctr[fork.OUT]))
        self.m.ctr[fork.OUT], self.m.ctr[fork.LEAVES] = begin, leaves
        if ended == fork.TOO_MANY:
            fork.undo(self.m, 0)
            return None
        return rows

    def _rows(self, begin: int, end: int) -> list[list[int]]:
        out: Any = self.m.out[begin:end]
        several = out if isinstance(out, list) else out.tolist()
        rows, at = [], 0
        while at < len(several):
            rows.append(several[at : at + several[at]])
            at += several[at]
        return rows

    # Changes

    def changes(self) -> Changes:
        """All changes that can be made in the relaxation, in the order of the actions and their arguments."""
        self.m.k[fork.MOST_LEAVES] = self.effort.operators
        if self.schema_of:
            self.m.ctr[fork.ACTION] = self.m.ctr[fork.ACTIVE] = 0
            if self._go_on(True, ()) == fork.TOO_MANY:
                hint = "give it fewer parameters, or conditions that exclude more"
                raise self.error((), f"makes more than {self.effort.operators:,} operators", hint)
        reached = list(map(int, self.m.reached))
        self.reached = [
            sum(1 << p for p, there in enumerate(reached[begin:end]) if there)
            for begin, end in pairwise(self.variables.first)
        ]
        return self._read()

    def _read(self) -> Changes:
        """The leaves of all actions as changes, sorted by act. Sets `acts`, `prices` and `known`: what the numbers of
        acts, prices and masks stand for.
        """
        leaves = [int(n) for n in self.m.leaves]
        parts = [np.asarray(self.m.out[at:end], np.int64) for at, end in zip(leaves[::3], leaves[1::3], strict=True)]
        out = np.concatenate(parts)
        begin, end = [], 0
        while end < len(out):
            begin.append(end)
            end += int(out[end])
        at = np.array(begin, np.int64)
        _, instance, conditions, effects = out[at[:, None] + np.arange(fork.HEAD)].T
        schema = np.array([*self.schema_of, 0])[instance]
        parameters = np.array([*(len(schema.parameters) for schema in self.actions), 0])[schema]
        width, parts, at = 1 + int(self.m.k[fork.WORDS]), [], at + fork.HEAD
        for length in (len(self.writer.metric.components) + 0 * at, parameters, conditions * width, effects * 2):
            parts.append(cut(out, at, length))
            at = at + length
        cost, args, conditions, effects = parts
        for row, component in np.argwhere((cost < 0) | (cost > MOST_OF_A_STEP)).tolist():
            raise self._price_error(self.actions[schema[row]], component, cost[row, component])
        # What the numbers of acts, prices and masks stand for.
        first, act = ranked(schema, *args.T)
        self.acts = [self._act(self.actions[schema[n]], args[n].tolist()) for n in first]
        first, price = ranked(*cost.T)
        self.prices = [*map(tuple, cost[first].tolist())]
        self.known, matrices = self._facts(
            conditions.reshape(len(at), conditions.shape[1] // width, width),
            effects.reshape(len(at), effects.shape[1] // 2, 2),
        )
        changes = Changes(act.astype(np.int32), price.astype(np.int32), *matrices)
        return changes.where(np.argsort(act, kind="stable"))

    def _facts(self, conditions: Longs, effects: Longs) -> tuple[Domains, list[Ints]]:
        """Leaves as facts: the fields of `Changes` behind the first two. Of each condition a variable and a mask, of
        each effect a variable and the place of its value. What all reached values meet, and what always is so, is left
        out.
        """
        variables = self.variables
        first, places = np.array(variables.first), np.arange(max(map(len, variables.values), default=1))
        inside = first[:-1, None] + places < first[1:, None]
        reached = inside & np.array(self.m.reached, np.bool_)[np.where(inside, first[:-1, None] + places, 0)]
        varying = np.append(reached.sum(1) > 1, False)
        # Conditions: the place of the only value, or -1.
        variable, words = conditions[:, :, 0], conditions[:, :, 1:]
        one = (variable >= 0) & ((words > 0).sum(2) == 1) & (words & (words - 1) == 0).all(2)
        bit = np.where(words > 0, np.frexp(words)[1] - 1 + fork.WORD * np.arange(words.shape[2]), 0).sum(2)
        only = np.where(one, bit, -1)
        needed = np.where(one & varying[variable], first[variable] + only, -1)
        # Conditions with several values. If at[A] is r1c1 and all of `at` differ, "at[B] is not r1c1" is not said.
        row, column = ((variable >= 0) & ~one).nonzero()
        of, allowed = variable[row, column], words[row, column]
        siblings = np.array(self.m.siblings)
        table = np.where(siblings[1::2] > 0, siblings[::2], -1 - np.arange(len(siblings) // 2))
        for other, place in zip(variable[row].T, only[row].T, strict=True):
            same = (table[other] == table[of]) & (place >= 0)
            allowed[same, place[same] // fork.WORD] |= 1 << place[same] % fork.WORD
        every = np.zeros((len(reached), words.shape[2]), np.int64)
        for value in places:
            every[:, value // fork.WORD] |= reached[:, value].astype(np.int64) << value % fork.WORD
        asked = some(allowed & every[of] != every[of])
        row, of, allowed = row[asked], of[asked], (allowed & every[of])[asked]
        kinds, mask = ranked(of, *allowed.T)
        masks = allowed[kinds][:, places // fork.WORD] >> places % fork.WORD & 1 > 0
        # Effects: the value before, or -1.
        variable_set, place = effects[:, :, 0], effects[:, :, 1]
        same = variable_set[:, :, None] == variable[:, None]
        before = np.where(same, only[:, None], -1).max(2, initial=-1)
        changed = varying[variable_set] & (before != place)
        fact, old = first[variable_set] + place, np.where(changed & (before >= 0), first[variable_set] + before, -1)
        gained, opened = (np.where(changed & which, fact, -1) for which in (True, before < 0))
        small = np.int16 if max(first[-1], len(kinds)) < 1 << 15 else np.int32
        matrices: list[Ints] = [matrix(*pairs(each), len(each)).astype(small) for each in (needed, gained, old, opened)]
        matrices.insert(1, matrix(row, mask, len(conditions)).astype(small))
        mask_of = np.append(of[kinds], -2)
        return Domains(first, np.array([*variables.variable, -1]), reached, mask_of, masks), matrices

    def _act(self, schema: ActionSchema, args: list[int]) -> Act:
        values = zip(schema.parameters, args, strict=False)
        return Act(schema.name, tuple([text_of(domain.values[place]) for (_, domain), place in values]))

    def term(self, row: list[int]) -> Term:
        """The conditions of a leaf."""
        words, term = int(self.m.k[fork.WORDS]), {}
        for at in range(fork.HEAD, fork.HEAD + row[2] * (1 + words), 1 + words):
            term[row[at]] = sum(row[at + 1 + w] << fork.WORD * w for w in range(words))
        return term

    def _price_error(self, schema: ActionSchema, component: int, price: int) -> GroundingError:
        part = self.writer.priced(schema, component)
        if price == op.NONE:
            hint = "divide by nothing that can be 0, as `6 // max(1, a)`; keep values in their ranges"
            return self.puzzle.error(part, "can have no value", hint)
        hint = "keep it from 0 up to there, as `max(0, ...)`"
        return self.puzzle.error(part, f"can be negative or more than {MOST_OF_A_STEP:,}", hint)

    # The goal

    def goal(self) -> Iterator[tuple[int, Mapping[str, Value], list[Term], list[Term]]]:
        """For each part of the goal: the number of its condition, the names in it, the cases in which it holds, and, if
        these are several, cases that cover all states in which it does not. Over the values that are reached.
        """
        for number, entry, scope in self.writer.goal:
            holds = self._cases(number, entry, failing=False)
            if holds is not None and len(holds) < 2:
                yield number, scope.known, holds, []
                continue
            fails = self._cases(number, entry, failing=True)
            if fails is None:
                raise self.too_many_clauses(number)
            if holds is not None and len(holds) * len(fails) < MANY_PAIRS:
                against: dict[tuple[int, int], int] = {}
                fails = [self._widened(term, holds, against) for term in fails]
            yield number, scope.known, holds or [{}, {}], fails

    def too_many_clauses(self, number: int) -> GroundingError:
        """The error that a condition of the goal falls into too many clauses."""
        message = f"falls into more than {MAX_CLAUSES:,} clauses"
        return self.puzzle.error(("goal", number), message, "say it in a simpler way")

    def _cases(self, number: int, entry: int, *, failing: bool) -> list[Term] | None:
        """The cases in which a part of the goal holds, or does not (`failing`); None if they are too many."""
        k = self.m.k
        k[fork.FAILING], k[fork.EMPTY], k[fork.PRICES] = int(failing), 1, 0
        rows = self._leaves(len(self.schema_of), entry, MAX_CLAUSES, ("goal", number))
        return None if rows is None else [self.term(row) for row in rows]

    def _widened(self, term: Term, holds: list[Term], against: dict[tuple[int, int], int]) -> Term:
        """A case in which a condition is false, with no more parts than tell it from all cases in which it is true:
        where that is `a = 1, b = 1` alone, `a = 0, b = 0` becomes `b = 0`.
        `against`: which of these (a mask) a variable with these values contradicts.
        """
        items = list(term.items())
        for v, mask in items:
            if (v, mask) not in against:
                against[v, mask] = sum(1 << i for i, case in enumerate(holds) if mask & case.get(v, mask) == 0)
        behind = [*accumulate([against[item] for item in reversed(items)], or_, initial=0)]
        contradicted, needed = 0, dict[int, int]()
        for item in items:
            behind.pop()
            if contradicted | behind[-1] != (1 << len(holds)) - 1:
                contradicted |= against[item]
                needed[item[0]] = item[1]
        return needed


def _array(numbers: Any) -> Any:
    """Numbers as compiled code has them."""
    return np.frombuffer(numbers, np.uint8) if isinstance(numbers, bytearray) else np.array(numbers, np.int64)
