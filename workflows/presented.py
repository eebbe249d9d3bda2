"""What was found out about a puzzle for a page about it (`presenting`)."""

from __future__ import annotations

from dataclasses import dataclass

from ..engines.common.difficulty import Space
from .solving import Solution
from .why.found import Reasons


@dataclass(frozen=True, slots=True)
class Presented:
    """A solution with what could be found out within the time. `certificate`: a folder as a zip file, and `verdict` the
    first line of what its checker says. `doubts`: what contradicts the solution, above all a certificate that its
    checker refuses.
    """

    solution: Solution
    space: Space | None = None
    reasons: Reasons | None = None
    certificate: bytes | None = None
    verdict: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether the answer is proven, and nothing speaks against it."""
        return self.solution.status.proven and not self.doubts
