"""The header of a puzzle file: the keys that do not depend on the family."""

from __future__ import annotations

from dataclasses import dataclass, field

from .moves import Cost


@dataclass(frozen=True, slots=True)
class Expect:
    """What the author says is true of the puzzle: optimal costs by metric, or that no plan exists. `plans`: how many
    shortest plans there are in its own metric, up to swapping moves that do not touch each other; None if not said.
    """

    costs: dict[str, Cost] = field(default_factory=dict)
    unsolvable: bool = False
    plans: int | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """Name, credits and expectations. `metric` is the one to solve in if no other is asked for."""

    file: str
    name: str
    metric: str
    author: str = ""
    credit: str = ""
    notes: str = ""
    expect: Expect = field(default_factory=Expect)
