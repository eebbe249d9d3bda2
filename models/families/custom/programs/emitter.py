"""Instructions as they are written one after the other: registers, constants, labels, and routines behind the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....errors import GroundingError
from ....program import DONE, FAIL, JUMPS, Instruction

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
