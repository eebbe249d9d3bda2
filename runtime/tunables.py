"""Constants that could be other ones: each with its range, a sentence, and what was measured.

An engine has them in one table, a dataclass whose fields are made by `tunable`:

    @dataclass(slots=True)
    class Tunables:
        patience: float = tunable(1.0, 0.0, 60.0, "seconds to wait for h³", "Klotski: h³ takes 0.1 s")

    TUNABLES = Tunables()

Code reads `TUNABLES.patience`, tests may set it, and `rows(TUNABLES)` is the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class TunableRow:
    """A line of the table. Values from `least` to `most` make sense."""

    name: str
    default: int | float
    least: int | float
    most: int | float
    sentence: str
    measured: str


def tunable(default: Number, least: Number, most: Number, sentence: str, measured: str = "") -> Number:
    """A field of a table of tunables. `measured`: what speaks for the default, or "" if nothing was measured."""
    value: Any = field(default=default, metadata={"row": (least, most, sentence, measured)})
    number: Number = value
    return number


def rows(tunables: Any) -> list[TunableRow]:
    """The table of an engine, in its order."""
    found = []
    for one in fields(tunables):
        default: Any = one.default
        found.append(TunableRow(one.name, default, *one.metadata["row"]))
    return found
