"""Clauses about a row of positions: what every formula of this checker is made of, whatever the puzzle.

Layer t, from 0 to H, is the position after t steps; step t leads from layer t to layer t + 1. A plan of fewer steps is
filled up with idle ones at its end. The variables of layer and step t are those of layer 0 plus t * `stride`, so all
clauses are made once and shifted.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from .core.formula import Clause, clause_bytes, kept, shifted
from .core.limits import Limits


class Layers(ABC):
    """The clauses for plans of at most `at_most` steps. `clauses()` gives them in order, always the same.

    `facts`: the variables of a layer are 1 to `facts`; those of a step follow, `stride` is the last of them.
    """

    at_most: int
    limits: Limits
    facts: int
    idle: int
    stride: int
    extra = 0

    @property
    def variables(self) -> int:
        """The number of variables: `at_most` steps, the last layer, and `extra` variables for all steps together."""
        return self.at_most * self.stride + self.facts + self.extra

    @abstractmethod
    def _start(self) -> Iterator[Clause]:
        """Clauses about the start, layer 0."""

    @abstractmethod
    def _layer(self) -> Iterator[Clause]:
        """Clauses about each single position, in the variables of layer 0."""

    @abstractmethod
    def _step(self) -> Iterator[Clause]:
        """Clauses about two successive positions and the move between them, in the variables of step 0."""

    @abstractmethod
    def goal(self) -> Iterator[Clause]:
        """Clauses about the last layer, in the variables of layer 0."""

    def _overall(self) -> Iterator[Clause]:
        """Clauses about all steps together."""
        yield from ()

    def clauses(self) -> Iterator[Clause]:
        """All clauses: of the start, of every layer, of every step, of all steps together, of the goal. Raises
        `Unsupported` at a limit."""
        layer, step = kept(self._layer(), self.limits), kept(self._step(), self.limits)
        for part, times in ((layer, self.at_most + 1), (step, self.at_most)):
            self.limits.hold(times * sum(map(clause_bytes, part)))
        yield from self._start()
        for t in range(self.at_most + 1):
            yield from shifted(layer, t * self.stride, self.limits)
        for t in range(self.at_most):
            yield from shifted(step, t * self.stride, self.limits)
            if t + 1 < self.at_most:
                yield (-self.idle - t * self.stride, self.idle + (t + 1) * self.stride)  # 14
        yield from kept(self._overall(), self.limits)
        yield from shifted(self.goal(), self.at_most * self.stride, self.limits)


def digest(lines: Iterable[str]) -> str:
    """The SHA-256 of a text."""
    sha = hashlib.sha256()
    for line in lines:
        sha.update(line.encode())
    return sha.hexdigest()
