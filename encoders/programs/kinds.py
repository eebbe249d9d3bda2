"""What a register holds in a layer of a model where the state is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class LiteralChoice:
    """Values, in rising order, and the literal of each."""

    literals: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Image:
    """A function of a choice: its value for each value of the choice, in order."""

    choice: LiteralChoice
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer variable from `low` to `high`."""

    variable: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Distinct:
    """Whether some values differ from each other: stated as one constraint where it must hold. (Without a value where
    one of them has none, and no two are the same.)
    """

    values: tuple[Image | Whole, ...]


@dataclass(frozen=True, slots=True)
class EdgeLoop:
    """Whether the edges whose literal is true are one closed loop: stated as a circuit, where it must hold."""

    edges: tuple[tuple[int, int], ...]
    literals: tuple[int, ...]


Value = Image | Whole | Distinct | EdgeLoop
