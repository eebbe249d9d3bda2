"""What was found out about a puzzle for a page about it (`presenting`)."""

from __future__ import annotations

from dataclasses import dataclass

from ..engines.common.space import Space
from .solving import Solution
from .why.found import Reasons


@dataclass(frozen=True, slots=True)
class Presented:
    """A solution with what could be found out within the time. `certificate`: a folder as a zip file."""

    solution: Solution
    space: Space | None = None
    reasons: Reasons | None = None
    certificate: bytes | None = None
