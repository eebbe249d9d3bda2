"""What is known of a claim that was verified: the verdict, and what each engine contributed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..models.display import Displayed
from ..models.moves import Cost, PlainCost, full_cost, show_cost
from ..models.plan import Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.text import being, cut
from ..runtime.outcome import Status


class Verdict(StrEnum):
    """What is known of a claim. The value is the word in JSON."""

    OPTIMAL = "optimal"
    UNSOLVABLE = "unsolvable"
    VALID = "valid"
    OPEN = "open"
    INVALID = "invalid"
    UNREADABLE = "unreadable"
    NOT_OPTIMAL = "not optimal"
    REFUTED = "refuted"


def at_least(low: Cost, said: Callable[[Cost], str] = show_cost) -> str:
    """A lower bound as a clause: `at least 25 slides are needed`. `said`: writes the cost."""
    return f"at least {being(said(low))} needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What an engine contributed.

    `confirms`: it alone proves that nothing is cheaper than claimed, and a plan that costs what is claimed is known; or
    that there is no plan, where that is the claim. `refutes`: it alone proves the claim wrong. Never both.
    """

    engine: str
    status: Status
    lower_bound: PlainCost
    upper_bound: PlainCost
    by: str
    seconds: float
    stopped_by: str | None
    confirms: bool
    refutes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Displayed):
    """The verdict on a claim, `sentence` for people.

    `claim` is the cost that is said to be the optimum; None where the puzzle is claimed to be unsolvable, or a plan was
    only replayed. `replay` is that of the plan, as far as it could be played where `problem` says why it is no plan;
    `best` is the cheapest plan that the engines found, where the claim is wrong. The bounds are the best ones of all.
    `seconds` is the whole time, `proving` that part of it in which engines were at work: they work side by side, so it
    is no sum. The rest is grounding, a moment without engines, and the start of their processes. `prepare`: the seconds
    that compiling took, before any clock. Costs are ints where the metric has one component, else tuples.
    """

    puzzle: Puzzle
    metric: str
    verdict: Verdict
    sentence: str
    claim: PlainCost
    replay: Replay | None = None
    problem: str | None = None
    proofs: tuple[Proof, ...] = ()
    lower_bound: PlainCost = None
    upper_bound: PlainCost = None
    best: Replay | None = None
    interrupted: bool = False
    seconds: float = 0.0
    proving: float = 0.0
    prepare: float = 0.0

    def __repr__(self) -> str:
        """As `Verification("Bird's second grid", 'proven: 10 slides is optimal, by astar')`."""
        return f"Verification({cut(self.puzzle.header.name, 60)!r}, {cut(self.sentence, 100)!r})"

    @property
    def confirmed_by(self) -> tuple[str, ...]:
        """The engines that prove the claim, each by itself."""
        return tuple(proof.engine for proof in self.proofs if proof.confirms)

    @property
    def refuted_by(self) -> tuple[str, ...]:
        """The engines that prove the claim wrong, each by itself."""
        return tuple(proof.engine for proof in self.proofs if proof.refutes)

    @property
    def better(self) -> Replay | None:
        """A plan that is cheaper than what is claimed, if one was found."""
        cheaper = self.best is not None and (
            self.claim is None or cost_in(self.best, self.metric) < full_cost(self.claim)
        )
        return self.best if cheaper else None
