"""Times and sizes as people write them: `90`, `10s`, `2m`, `1h30m`; `512`, `512M`, `4G`.

The command line and the Python API read their limits by these functions.
"""

from __future__ import annotations

import math
import re

from ..models.moves import MOST_OF_A_PLAN
from ..models.text import clip

DIGITS = 4_000
"""Python converts no more digits than 4,300 to a number."""

_SECONDS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_MEBIBYTES = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}

_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_TIME = re.compile(rf"{_NUMBER}\s*({'|'.join(sorted(_SECONDS, key=len, reverse=True))})(?=[\d.\s]|$)\s*", re.ASCII)
_SIZE = re.compile(rf"{_NUMBER}\s*([kmgt])(?:i?b)?$", re.ASCII)
_PLAIN = re.compile(rf"-?{_NUMBER}(?:e\d+)?", re.ASCII)


def seconds(value: float | str) -> float:
    """Seconds: a number, or a text such as `10`, `10s`, `2m`, `1h30m`.

    Raises `ValueError` unless it is positive and finite, and `TypeError` for what is neither number nor text.
    """
    wanted = "a number of seconds, such as 10, 10s or 2m"
    return _positive(_read(value, wanted, _TIME, _SECONDS), value, wanted)


def mebibytes(value: float | str) -> int:
    """Whole MiB: a number of MiB, or a text such as `512`, `512M`, `4G` (1 G is 1024 MiB).

    Raises `ValueError` for less than one MiB or no number, and `TypeError` for what is neither number nor text.
    """
    wanted = "a number of MiB, such as 512, 512M or 4G"
    size = _read(value, wanted, _SIZE, _MEBIBYTES)
    if 0 < size < 1:
        raise ValueError(f"must be at least 1 MiB (got `{value}`)")
    return int(_positive(size, value, wanted))


def whole(text: str, least: int = 0) -> int:
    """A whole number in decimal digits, at most that of the largest cost of a plan. Raises `ValueError` for others."""
    digits = text.isascii() and text.isdigit()
    if digits and len(text) <= DIGITS and least <= int(text) <= MOST_OF_A_PLAN:
        return int(text)
    wanted = f"up to {MOST_OF_A_PLAN:,}" if digits and text.strip("0") else f"from {least} on, such as 7"
    raise ValueError(f"needs a whole number {wanted} (got `{clip(text)}`)")


def _read(value: float | str, wanted: str, part: re.Pattern[str], units: dict[str, float]) -> float:
    """A number, or the sum of the parts of a text, each a number with a unit; NaN for any other text. Raises
    `TypeError` for what is neither number nor text.
    """
    if not isinstance(value, str):
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"needs {wanted} (got {type(value).__name__})")
        return float(value)
    text = value.strip().lower()
    if _PLAIN.fullmatch(text):
        return float(text)
    total, at = 0.0, 0
    while match := part.match(text, at):
        total += float(match[1]) * units[match[2]]
        at = match.end()
    return total if text and at == len(text) else math.nan


def _positive(number: float, value: float | str, wanted: str) -> float:
    if number <= 0:
        raise ValueError(f"must be more than 0 (got `{value}`)")
    if not 0 < number < math.inf:
        raise ValueError(f"needs {wanted} (got `{value}`)")
    return number
