"""What `budge explain --why` and `budge plans` find, as a value: loading it does not load what finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...models.display import Displayed
from ...models.puzzle import Puzzle
from ...models.text import counted
from ...runtime.outcome import Outcome, Status
from ..solving import contradiction

if TYPE_CHECKING:
    from .laws import Law
    from .milestones import Milestones, Pictured
    from .plans import Counted, Intended
    from .removals import Removals
    from .shares import Shares


@dataclass(frozen=True, slots=True)
class Reasons(Displayed):
    """What all plans of a puzzle have in common. `optimum`: the cost of a shortest one; None if there is no plan, and
    then all but `states` is None or empty. Where a limit stopped the visit of all states (`stopped_by`), `states` is
    None, and only `laws` and `removals` are known, with the optimum if they prove one, and the shares of `removals`.

    `shares`, `milestones`, `pictured`: after `why`; `routes`: for each owner with one route only, its steps in words;
    `laws`: reasons that need no graph. `without`: the optimum without one piece, for
    pieces that may be left out.

    `plans`: None where shortest plans have free steps, as these may be repeated; `first`: their first moves, in
    notation. `command`: which of the two it answers. `intended`: the author's plan, if one was given.

    `avoid`, `through`: conditions on plans, in words; then `optimum` is that of the plans that keep them, `example` the
    moves of a shortest one, and `optimum_of_all` the optimum of all plans.
    """

    puzzle: Puzzle
    metric: str
    command: str
    states: int | None
    optimum: int | None
    shares: Shares | None = None
    laws: tuple[Law, ...] = ()
    removals: Removals | None = None
    stopped_by: str = ""
    routes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    milestones: Milestones | None = None
    pictured: Pictured | None = None
    without: dict[str, int] = field(default_factory=dict)
    plans: Counted | None = None
    first: tuple[str, ...] = ()
    intended: Intended | None = None
    avoid: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    optimum_of_all: int | None = None
    example: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def explained(self) -> int:
        """What shares and laws together prove that every plan costs at least."""
        from .laws import explained

        return explained(self.shares.bound if self.shares else 0, self.laws)

    @property
    def must_move(self) -> int:
        """How many owners have to move in every plan, short or long."""
        return sum(share.least > 0 for share in self.shares.single) if self.shares else 0

    @property
    def moves_back(self) -> int:
        """Moves of only routes that end where the piece has been before: every plan with single shares has them."""
        stops = self.pictured.stops.values() if self.pictured else ()
        return sum(len(route) - len(set(route)) for route in stops)

    @property
    def _outcome(self) -> Outcome:
        """The optimum as the outcome of an engine that visits all states."""
        if self.optimum is None:
            return Outcome(status=Status.UNKNOWN if self.stopped_by else Status.UNSOLVABLE)
        return Outcome(status=Status.OPTIMAL, lower_bound=(self.optimum,), upper_bound=(self.optimum,))

    @property
    def contradicts(self) -> str | None:
        """What is wrong with the file's `expect`, if something found contradicts it."""
        if self.avoid or self.through:
            return None
        expect = self.puzzle.header.expect
        if wrong := contradiction(self.puzzle, self.metric, self._outcome):
            return wrong
        if expect.plans is not None and self.metric == self.puzzle.header.metric and self.plans:
            many = self.plans.number if self.plans.up_to_order is None else self.plans.up_to_order
            if many != expect.plans:
                return f"the file expects {counted(expect.plans, 'shortest plan')} up to order, and there are {many:,}"
        return None
