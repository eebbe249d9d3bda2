"""That work was ended by a limit or by Ctrl-C before it had an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..models.errors import BudgeError
from .events import DIED

if TYPE_CHECKING:
    from .outcome import BoundsSoFar, Outcome


class StoppedError(BudgeError):
    """Work was ended before it had an answer. `reason`: "time limit", "interrupted", ...; `stage`: what it was at;
    `known`: what it had reported.
    """

    def __init__(self, reason: str, stage: str = "", known: BoundsSoFar | None = None) -> None:
        super().__init__(reason, stage, known)  # the arguments, so that it can be pickled
        self.reason, self.stage, self.known = reason, stage, known

    @property
    def died(self) -> bool:
        """Whether the process has died by itself: no limit and no signal ended it."""
        return self.reason.startswith(DIED)

    def __str__(self) -> str:
        because = f"stopped by the {self.reason}" if self.reason.endswith("limit") else self.reason
        return because + (f" while {self.stage}" if self.stage else "")

    def outcome(self) -> Outcome:
        """The outcome of an engine that was stopped, with the bounds and plan known then."""
        from .outcome import BoundsSoFar

        return (self.known or BoundsSoFar()).outcome(self.reason, stage=self.stage)
