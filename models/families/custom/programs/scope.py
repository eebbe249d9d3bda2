"""The names that expressions in programs may use, and what writers of one kind of them need of the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..language.evaluate import Evaluators
from ..language.expressions import Expr, Value
from ..puzzle import Custom
from .emitter import Emitter
from .values import Numbers


@dataclass(frozen=True, slots=True)
class ProgramScope:
    """The names that an expression may use: those whose value is known, and the registers of the others."""

    known: Mapping[str, Value]
    registers: Mapping[str, int]

    def with_known(self, name: str, value: Value) -> ProgramScope:
        return ProgramScope({**self.known, name: value}, {n: r for n, r in self.registers.items() if n != name})

    def with_register(self, name: str, register: int) -> ProgramScope:
        return ProgramScope({n: v for n, v in self.known.items() if n != name}, {**self.registers, name: register})


class Writer(Protocol):
    """Writes expressions as instructions: see `ExpressionCompiler`."""

    puzzle: Custom
    numbers: Numbers
    out: Emitter
    evaluators: Evaluators

    def names_in(self, expr: Expr) -> frozenset[str]: ...

    def known(self, expr: Expr, scope: ProgramScope) -> bool: ...

    def value_of(self, expr: Expr, scope: ProgramScope) -> Value | None: ...

    def value(self, expr: Expr, scope: ProgramScope, *, vector: bool = False) -> int: ...

    def need(self, expr: Expr, otherwise: int, scope: ProgramScope) -> None: ...

    def scope_of(self, name: str, args: tuple[Value | None, ...]) -> ProgramScope | None: ...

    def routine(self, write: Callable[[], None]) -> Callable[[], None]: ...
