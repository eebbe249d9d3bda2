"""What is known of a claim that was verified: the verdict by what engines have proven and found, and what each did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..models.display import Displayed
from ..models.errors import DisagreementError, ReplayError
from ..models.moves import Cost, PlainCost, at_least, full_cost, plain_cost, show_cost
from ..models.plan import Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.text import cut
from ..runtime.outcome import Status
from .jobs import Run


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


# The verdict, by what runs of engines have proven and found.

Bounds = tuple[Cost | None, Cost | None]
"""Bounds of the optimum: the proven lower bound, and the cost of the best plan known."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim about a puzzle: what its optimum costs (None: no plan exists).

    `replay`: of the plan given with it, as far as it is legal; `problem`: what is wrong with that plan, or its text
    if that is `unreadable`. `known`: the cheapest plan that others give, and who does.
    """

    puzzle: Puzzle
    metric: str
    cost: Cost | None
    replay: Replay | None = None
    problem: str | None = None
    unreadable: bool = False
    known: tuple[str, Replay] | None = None

    @property
    def upper(self) -> Cost | None:
        """The cost of the cheapest plan that was given, for this claim or by others; None without one."""
        plans = [self.replay, self.known[1] if self.known else None]
        return min((cost_in(plan, self.metric) for plan in plans if plan is not None), default=None)

    @property
    def said(self) -> Callable[[Cost], str]:
        """Writes a cost with its unit: `24 slides`."""
        return self.puzzle.metric(self.metric).counted

    def verdict(self, verdict: Verdict, sentence: str, bounds: Bounds = (None, None), **more: Any) -> Verification:
        low, high = bounds
        return Verification(
            puzzle=self.puzzle,
            metric=self.metric,
            verdict=verdict,
            sentence=sentence,
            claim=plain_cost(self.cost),
            lower_bound=plain_cost(low),
            upper_bound=plain_cost(high),
            replay=self.replay,
            problem=self.problem,
            **more,
        )

    def confirmed_by(self, low: Cost | None, best: Cost | None) -> bool:
        """Whether a proven lower bound makes a known plan, one of the claimed cost, the cheapest."""
        return self.cost is not None and low == self.cost == best

    def settled_by(self, low: Cost | None, high: Cost | None) -> bool:
        """Whether bounds that an engine has reported are enough for it to work no longer on the claim."""
        best = min((cost for cost in (high, self.upper) if cost is not None), default=None)
        return self.refuted_by(low, best) or self.confirmed_by(low, best)

    def refuted_by(self, low: Cost | None, high: Cost | None) -> bool:
        """Whether bounds contradict the claim."""
        if self.cost is None:
            return high is not None
        return (low is not None and low > self.cost) or (high is not None and high < self.cost)


def judge(what: Claimed, runs: Sequence[Run]) -> Verification:
    """The verdict on a claim by what some runs of engines have proven and found. Raises `DisagreementError`, and
    `ReplayError` if the plan of an engine does not replay.
    """
    metric, said = what.metric, what.said
    for run in runs:
        if isinstance(run.error, ReplayError):
            raise ReplayError(f"{run.job.engine}: {run.error}")
    plans = [(run.job.engine, run.replay) for run in runs if run.replay] + ([what.known] if what.known else [])
    best = min(plans, key=lambda plan: cost_in(plan[1], metric), default=None)
    uppers = [what.upper, cost_in(best[1], metric) if best else None]
    upper = min((cost for cost in uppers if cost is not None), default=None)
    proofs = tuple(_proof(what, run, upper) for run in runs)
    bounds = [(run.outcome.lower_bound, proof) for run, proof in zip(runs, proofs, strict=True)]
    lowers = [(low, proof) for low, proof in bounds if low is not None]
    lower, strongest = max(lowers, key=lambda pair: pair[0], default=(None, None))
    none = next((p for p in proofs if p.status is Status.UNSOLVABLE), None)
    against, proven = none, "there is none"
    if none is None and lower and upper and lower > upper:
        against, proven = strongest, at_least(lower)
    if upper and against:
        told = f"{against.engine} proves that {proven}: {against.by}"
        raise DisagreementError(f"a plan of {said(upper)} replays, but {told}")
    verdict, sentence = _verdict(what, proofs, (lower, upper), best[0] if best else "", none)
    wrong = verdict in (Verdict.NOT_OPTIMAL, Verdict.REFUTED)
    best_plan = best[1] if best and wrong else None
    return what.verdict(verdict, sentence, (lower, upper), proofs=proofs, best=best_plan)


def _proof(what: Claimed, run: Run, best: Cost | None) -> Proof:
    """The contribution of one run to a claim. `best`: the cost of the cheapest plan of all engines."""
    outcome = run.outcome
    none = outcome.status is Status.UNSOLVABLE
    upper = None if run.replay is None else cost_in(run.replay, run.job.metric)
    confirms = none if what.cost is None else what.confirmed_by(outcome.lower_bound, best)
    refutes = what.refuted_by(outcome.lower_bound, upper) or (none and what.cost is not None)
    stopped = str(run.error) if run.error else outcome.stopped_by
    return Proof(
        engine=run.job.engine,
        status=Status.ERROR if run.error else outcome.status,
        lower_bound=plain_cost(outcome.lower_bound),
        upper_bound=plain_cost(upper),
        by=outcome.lower_bound_by,
        seconds=run.seconds,
        stopped_by=None if confirms or refutes else stopped,
        confirms=confirms,
        refutes=refutes,
    )


def _verdict(
    what: Claimed, proofs: Sequence[Proof], bounds: Bounds, finder: str, none: Proof | None
) -> tuple[Verdict, str]:
    """The verdict and a sentence. `finder`: who has the cheapest plan, an engine or who claims something else;
    `none`: the proof that no plan exists, if any.
    """
    claim, (lower, upper), said = what.cost, bounds, what.said
    if claim is None:
        if upper is not None:
            return Verdict.REFUTED, f"refuted: {finder} found a plan of {said(upper)}"
        if none is None:
            return Verdict.OPEN, "open: no plan is known"
        return Verdict.UNSOLVABLE, f"proven unsolvable, {_by(proofs)}"
    claimed = said(claim)
    if none:
        return Verdict.REFUTED, f"refuted: {none.engine} proves that there is no plan at all"
    if upper is not None and upper < claim:
        return Verdict.NOT_OPTIMAL, f"not optimal: {finder} found a plan of {said(upper)}, not {claimed}"
    if lower is not None and lower > claim:
        return Verdict.REFUTED, f"refuted: {at_least(lower, said)}, not {claimed}"
    if what.confirmed_by(lower, upper):
        return Verdict.OPTIMAL, f"proven: {claimed} is optimal, {_by(proofs)}"
    least = "nothing is proven" if lower is None else at_least(lower)
    most = "no plan is known" if upper is None else f"a plan of {show_cost(upper)} is known"
    return Verdict.OPEN, f"open: {claimed} is neither proven nor refuted; {least}, {most}"


def _by(proofs: Sequence[Proof]) -> str:
    """The engines that confirm the claim, in words: `by astar and cp-sat, independently of each other`."""
    *names, last = (proof.engine for proof in proofs if proof.confirms)
    return f"by {', '.join(names)} and {last}, independently of each other" if names else f"by {last}"
