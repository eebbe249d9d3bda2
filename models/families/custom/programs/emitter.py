"""Instructions as they are written one after the other: registers, constants, labels, and routines behind the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from ....errors import GroundingError
from ....program import DONE, FAIL, JUMP, JUMPS, NONE, ROW, Instruction
from ..language.expressions import Value, Vector, text_of
from ..puzzle import Custom, Domain

MAX_CODE = 400_000
"""Instructions of all programs of a task."""


class TooLongError(GroundingError):
    """The programs of a task would have too many instructions."""


class Emitter:
    """Registers and code. A label is a number below zero until its place is known."""

    def __init__(self, variables: int) -> None:
        self.code: list[Instruction] = []
        self.registers = variables
        self.constants: dict[int, int] = {}
        self._place: dict[int, int] = {}
        self._labels = 0

    def register(self) -> int:
        """A register that nothing else uses."""
        self.registers += 1
        return self.registers - 1

    def block(self, count: int) -> int:
        """The first of some registers side by side that nothing else uses."""
        self.registers += count
        return self.registers - count

    def constant(self, value: int) -> int:
        """The register of a constant."""
        if value not in self.constants:
            self.constants[value] = self.register()
        return self.constants[value]

    def emit(self, op: int, d: int = 0, a: int = 0, b: int = 0, c: int = 0) -> None:
        if len(self.code) >= MAX_CODE:
            raise TooLongError([])
        self.code.append((op, d, a, b, c))

    def computed(self, op: int, a: int, b: int = 0, c: int = 0) -> int:
        """A new register with what an instruction computes."""
        result = self.register()
        self.emit(op, result, a, b, c)
        return result

    def label(self) -> int:
        self._labels -= 1
        return self._labels

    def put(self, label: int) -> None:
        """Let a label stand for the next instruction."""
        self._place[label] = len(self.code)

    @contextmanager
    def ending(self) -> Iterator[int]:
        """A label for the instruction that follows the `with` block."""
        label = self.label()
        yield label
        self.put(label)

    @contextmanager
    def two_ways(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Two pieces of code of which one runs: the label to jump to for the second, and what to call between them."""
        other = self.label()
        with self.ending() as end:

            def turn() -> None:
                self.emit(JUMP, end)
                self.put(other)

            yield other, turn

    @contextmanager
    def program(self, end: int = DONE) -> Iterator[int]:
        """A program or a routine, with the instruction that ends it; the label to jump to where it fails."""
        fail = self.label()
        yield fail
        self.emit(end)
        self.put(fail)
        self.emit(FAIL)

    def finished(self) -> tuple[Instruction, ...]:
        """The code, with places in place of labels."""
        return tuple((op, self._place[d] if d < 0 and op in JUMPS else d, a, b, c) for op, d, a, b, c in self.code)


# Values of the language as numbers, and the tables that programs look things up in.
#
# true, false     1, 0                      12              12
# objects         0, 1, ... by type         cells           0, 1, ... row by row
# vectors         row * 4096 + column, so that they can be added to each other and to a cell's row and column
#
# Objects of the types of the state come first, type by type, so that the numbers of a variable's values lie close.


class Numbers:
    """The numbers of a puzzle's values, and the tables of its programs, each of them once."""

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.cells = {cell: number for number, cell in enumerate(sorted(puzzle.cells))}
        names: dict[str, None] = {}
        for domain in self._domains():
            names |= dict.fromkeys(sorted(map(str, domain.values)) if domain.kind == "object" else ())
        names |= dict.fromkeys(sorted(puzzle.directions))
        self.objects = {name: number for number, name in enumerate(names)}
        self.rows = 1 + max((row for row, _ in self.cells), default=-1)
        self.columns = 1 + max((column for _, column in self.cells), default=-1)
        self.tables: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._made: dict[Hashable, int] = {}

    def _domains(self) -> Iterable[Domain]:
        puzzle = self.puzzle
        for table in (*puzzle.state.values(), *puzzle.constants.values()):
            yield from (*table.of, table.domain)
        for definition in puzzle.definitions.values():
            yield from (domain for _, domain in definition.parameters)
        for action in puzzle.actions.values():
            yield from (domain for _, domain in action.parameters)

    def of(self, value: Value | None) -> int:
        """The number of a value; `NONE` where there is none."""
        if value is None:
            return NONE
        if isinstance(value, tuple):
            return value[0] * ROW + value[1] if isinstance(value, Vector) else self.cells.get(value, NONE)
        if isinstance(value, str):
            if value not in self.objects:
                self.objects[value] = len(self.objects)
            return self.objects[value]
        return int(value)

    def texts(self, domain: Domain) -> dict[int, str]:
        """How the values of a domain are written, by their numbers."""
        return {self.of(value): text_of(value) for value in domain.values}

    # Tables

    def table(self, entries: Mapping[int, int]) -> int:
        """The address of a table with an entry for each key: first key, number of keys, entries."""
        if not entries:
            return self._kept((0, 0))
        low, high = min(entries), max(entries)
        return self._kept((low, high - low + 1, *(entries.get(key, NONE) for key in range(low, high + 1))))

    def once(self, key: Hashable, entries: Callable[[], Mapping[int, int]]) -> int:
        """The address of a table that is made only when its key is asked for the first time."""
        if key not in self._made:
            self._made[key] = self.table(entries())
        return self._made[key]

    def own(self, domain: Domain) -> int:
        """The address of the table in which each value of a type has its own number, and anything else has none."""
        return self.once(("own", id(domain)), lambda: {self.of(value): self.of(value) for value in domain.values})

    def order(self, domain: Domain) -> int:
        """The address of the table with the place of each value among those of its type, from 0."""
        return self.once(("order", id(domain)), lambda: {self.of(value): i for i, value in enumerate(domain.values)})

    @cached_property
    def grid(self) -> int:
        """The address of the table that gives the cell in a row and a column."""
        places = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        return self._kept((self.rows, self.columns, *(self.cells.get(place, NONE) for place in places)))

    @cached_property
    def places(self) -> int:
        """The address of the table with row and column of each cell, as one number."""
        return self.table({number: row * ROW + column for (row, column), number in self.cells.items()})

    def links(self, links: Sequence[Sequence[tuple[int, int]]]) -> int:
        """The address of the links that lead from each node: to which node, and with which flag (see `REACH`)."""
        firsts = accumulate((len(several) for several in links), initial=0)
        return self._kept((len(links), *firsts, *(number for several in links for link in several for number in link)))

    def edges(self, nodes: int, ends: Sequence[tuple[int, int]]) -> int:
        """The address of edges between nodes (see `LOOP`)."""
        return self._kept((nodes, len(ends), *(end for edge in ends for end in edge)))

    def _kept(self, table: tuple[int, ...]) -> int:
        if table not in self._known:
            self._known[table] = len(self.tables)
            self.tables += table
        return self._known[table]


# The names that expressions in programs may use.


@dataclass(frozen=True, slots=True)
class ProgramScope:
    """The names that an expression may use: those whose value is known, and the registers of the others."""

    known: Mapping[str, Value]
    registers: Mapping[str, int]

    def with_known(self, name: str, value: Value) -> ProgramScope:
        return ProgramScope({**self.known, name: value}, {n: r for n, r in self.registers.items() if n != name})

    def with_register(self, name: str, register: int) -> ProgramScope:
        return ProgramScope({n: v for n, v in self.known.items() if n != name}, {**self.registers, name: register})
