"""Verifying a claim: replay a plan that someone brings, count its cost, and prove or refute that it is optimal.

The plan is replayed by the rules of its family, which know nothing of the engines. Then engines, each by itself in a
process of its own, try to prove that nothing is cheaper. They are told what the plan costs, and nothing of each other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ..engines.table import ENGINES, find
from ..models.cost import Cost, show_cost
from ..models.errors import DisagreementError, ReplayError, UsageError
from ..models.plan import Plan, Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.text import cut
from ..runtime.budget import Budget
from ..runtime.events import Event
from ..runtime.outcome import BoundsSoFar, Status
from .jobs import Job, Limits, Run, run_all
from .solving import metric_of


def verifiers() -> tuple[str, ...]:
    """The engines that try to prove a claim unless the caller says otherwise: a search and a solver."""
    return tuple(sorted(engine.name for engine in ENGINES.values() if engine.verifies))


class Verdict(Enum):
    """What is known of a claim. The value is the word in JSON."""

    OPTIMAL = "optimal"
    UNSOLVABLE = "unsolvable"
    VALID = "valid"
    OPEN = "open"
    INVALID = "invalid"
    NOT_OPTIMAL = "not optimal"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What an engine contributed. `confirms`: it alone proves that nothing is cheaper than claimed."""

    engine: str
    status: Status
    lower_bound: Cost | None
    upper_bound: Cost | None
    by: str
    seconds: float
    stopped_by: str | None
    confirms: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The verdict on a claim, `sentence` for people.

    `claim` is the cost that is said to be the optimum; None where the puzzle is claimed to be unsolvable, or a plan was
    only replayed. `replay` is that of the plan, as far as it could be played where `problem` says why it is no plan;
    `better` is a cheaper plan, if one was found. The bounds are the best ones of all.
    """

    puzzle: Puzzle
    metric: str
    verdict: Verdict
    sentence: str
    claim: Cost | None
    replay: Replay | None = None
    problem: str | None = None
    proofs: tuple[Proof, ...] = ()
    lower_bound: Cost | None = None
    upper_bound: Cost | None = None
    better: Replay | None = None
    interrupted: bool = False
    seconds: float = 0.0

    def __repr__(self) -> str:
        """As `Verification("Bird's second grid", 'proven: 10 slides is optimal, by astar')`."""
        return f"Verification({cut(self.puzzle.header.name, 60)!r}, {cut(self.sentence, 100)!r})"

    @property
    def confirmed_by(self) -> tuple[str, ...]:
        """The engines that prove the claim, each by itself."""
        return tuple(proof.engine for proof in self.proofs if proof.confirms)


def plan_text(text: str) -> str:
    """The family's notation in a text: the `plan` of Budge's JSON (of JSON lines the last), a JSON list, or the text.

    Raises `UsageError` for JSON that holds no plan.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        values = [json.loads(text)]
    except ValueError:
        try:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise UsageError(f"the plan looks like JSON, but is none: {error}") from None
    plans = [value.get("plan") if isinstance(value, dict) else value for value in values]
    plan = next((plan for plan in reversed(plans) if plan is not None), None)
    if isinstance(plan, str):
        return plan
    if not isinstance(plan, list) or not all(isinstance(word, str) for word in plan):
        raise UsageError("this JSON holds no plan; it needs a list of steps under `plan`, as in `budge solve --json`")
    return " ".join(plan)


def verify(
    puzzle: Puzzle,
    plan: Plan | str | None = None,
    claim: Cost | int | None = None,
    engines: Sequence[str] | None = None,
    metric: str | None = None,
    *,
    budget: Budget | None = None,
    on_event: Callable[[Job, Event], None] | None = None,
) -> Verification:
    """Say what is proven of a plan, of a claimed optimum, or, without either, of what the puzzle's file expects.

    `plan` may be text, see `plan_text`. With no `engines` (an empty sequence) a plan is only replayed. `budget` covers
    all of it, whatever has been done since it was made. Raises `UsageError` if there is nothing to verify, and
    `DisagreementError` if proofs contradict each other.
    """
    began = time.monotonic()
    budget = budget or Budget()
    metric = metric_of(puzzle, metric)
    names = verifiers() if engines is None else tuple(engines)
    for name in names:
        find(name)
    parts = metric.count(",") + 1
    wanted = (claim,) if isinstance(claim, int) else claim
    if wanted is not None and len(wanted) != parts:
        raise UsageError(f"the metric {metric} needs a claim of {parts} number{'s' if parts > 1 else ''}")
    replay, problem = None, None
    if plan is not None:
        replay, problem = _replay(puzzle, plan)
        if problem is None and replay is not None:
            cost = cost_in(replay, metric)
            if wanted is not None and cost != wanted:
                problem = f"the plan costs {show_cost(cost)} {metric}, not the claimed {show_cost(wanted)}"
            wanted = cost if wanted is None else wanted
    elif wanted is None:
        expect = puzzle.header.expect
        wanted = expect.costs.get(metric)
        if wanted is None and not expect.unsolvable:
            raise UsageError(f"nothing to verify: give a plan or a claim, or a file that expects a cost in {metric}")
    what = _Claim(puzzle, metric, wanted, replay)
    if problem is not None:
        found = what.verdict(Verdict.INVALID, f"invalid: {problem}", problem=problem)
    elif names:
        found = _judge(what, _runs(what, names, budget, on_event))
    elif replay is not None:
        sentence = "valid: the plan replays and reaches the goal; nothing was tried to prove it shortest"
        found = what.verdict(Verdict.VALID, sentence, upper_bound=cost_in(replay, metric))
    else:
        raise UsageError("a claim without a plan needs engines to prove it")
    return replace(found, interrupted=budget.interrupted.is_set(), seconds=time.monotonic() - began)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What is to be verified: a cost (None: that there is no plan), and the replay of the plan that was brought."""

    puzzle: Puzzle
    metric: str
    cost: Cost | None
    replay: Replay | None

    def verdict(self, verdict: Verdict, sentence: str, **more: Any) -> Verification:
        return Verification(
            puzzle=self.puzzle,
            metric=self.metric,
            verdict=verdict,
            sentence=sentence,
            claim=self.cost,
            replay=self.replay,
            **more,
        )

    def refuted_by(self, low: Cost | None, high: Cost | None) -> bool:
        """Whether bounds contradict the claim."""
        if self.cost is None:
            return high is not None
        return (low is not None and low > self.cost) or (high is not None and high < self.cost)


def _replay(puzzle: Puzzle, plan: Plan | str) -> tuple[Replay | None, str | None]:
    """The replay of a plan, as far as it goes, and what is wrong with it."""
    words: list[str] = []
    try:
        if isinstance(plan, str):
            text = plan_text(plan)
            words, plan = text.replace(",", " ").split(), puzzle.parse_plan(text)
    except ReplayError as error:
        return None, str(error)
    moves = plan.moves
    try:
        replay = puzzle.replay(plan)
    except ReplayError as error:
        if error.move_number is None:
            return None, str(error)
        legal = error.move_number - 1
        if len(words) == len(moves):
            error = error.named(words[legal])
        return puzzle.replay(Plan(moves[:legal])), str(error)
    if not replay.solved:
        return replay, f"the plan ends after {len(moves)} moves before the goal is reached"
    return replay, None


def _runs(
    what: _Claim, names: Sequence[str], budget: Budget, on_event: Callable[[Job, Event], None] | None
) -> list[Run]:
    """Let the engines work side by side until each has proven enough, or one has refuted the claim."""

    def enough(job: Job, known: BoundsSoFar) -> bool:
        low, high = known.lower_bound, known.upper_bound
        proven = what.replay is not None and what.cost is not None and low is not None and low >= what.cost
        return proven or what.refuted_by(low, high)

    incumbent = cost_in(what.replay, what.metric) if what.replay else None
    limits = Limits(None, budget.memory_mib, whole=budget, incumbent=incumbent, enough=enough)
    jobs = [Job(what.puzzle, name, what.metric) for name in names]
    runs: dict[int, Run] = {}
    for index, run in run_all(jobs, limits, parallel=2, interrupted=budget.interrupted, on_event=on_event):
        runs[index] = run
        if what.refuted_by(run.outcome.lower_bound, None if run.replay is None else cost_in(run.replay, what.metric)):
            break
    return [runs[index] for index in sorted(runs)]


def _judge(what: _Claim, runs: Sequence[Run]) -> Verification:
    metric, replay = what.metric, what.replay
    for run in runs:
        if run.error and issubclass(run.error[0], ReplayError):
            raise ReplayError(f"{run.job.engine}: {run.error[1]}")
    proofs = tuple(_proof(run, what.cost) for run in runs)
    found = [(cost_in(run.replay, metric), run.job.engine, run.replay) for run in runs if run.replay]
    better = min(found, key=lambda plan: plan[0], default=None)
    uppers = [cost for cost, _, _ in found] + ([cost_in(replay, metric)] if replay else [])
    upper = min(uppers, default=None)
    lowers = [(p.lower_bound, p) for p in proofs if p.lower_bound is not None]
    lower, strongest = max(lowers, key=lambda pair: pair[0], default=(None, None))
    none = next((p for p in proofs if p.status is Status.UNSOLVABLE), None)
    if upper is not None and none:
        raise DisagreementError(
            f"a plan of {show_cost(upper)} {metric} replays, but {none.engine} proves that there is none: {none.by}"
        )
    if upper is not None and lower is not None and strongest and lower > upper:
        raise DisagreementError(
            f"a plan of {show_cost(upper)} {metric} replays, but {strongest.engine} proves that at least "
            f"{show_cost(lower)} are needed: {strongest.by}"
        )
    verdict, sentence = _verdict(what, proofs, (lower, upper), better[1] if better else "", none)
    cheaper = better is not None and verdict in (Verdict.NOT_OPTIMAL, Verdict.REFUTED)
    return what.verdict(
        verdict,
        sentence,
        proofs=proofs,
        lower_bound=lower,
        upper_bound=upper,
        better=better[2] if better and cheaper else None,
    )


def _proof(run: Run, claim: Cost | None) -> Proof:
    outcome = run.outcome
    if claim is None:
        confirms = outcome.status is Status.UNSOLVABLE
    else:
        confirms = outcome.lower_bound is not None and outcome.lower_bound >= claim
    stopped = run.error[1] if run.error else outcome.stopped_by
    return Proof(
        engine=run.job.engine,
        status=Status.ERROR if run.error else outcome.status,
        lower_bound=outcome.lower_bound,
        upper_bound=None if run.replay is None else cost_in(run.replay, run.job.metric),
        by=outcome.lower_bound_by,
        seconds=run.seconds,
        stopped_by=None if confirms else stopped,
        confirms=confirms,
    )


def _verdict(
    what: _Claim,
    proofs: Sequence[Proof],
    bounds: tuple[Cost | None, Cost | None],
    finder: str,
    none: Proof | None,
) -> tuple[Verdict, str]:
    """The verdict and its sentence. `finder` has an engine's cheapest plan, `none` proves that there is none."""
    claim, metric, (lower, upper) = what.cost, what.metric, bounds
    by = _by([proof.engine for proof in proofs if proof.confirms])
    if claim is None:
        if upper is not None:
            return Verdict.REFUTED, f"refuted: {finder} found a plan of {show_cost(upper)} {metric}"
        return (Verdict.UNSOLVABLE, f"proven unsolvable, {by}") if none else (Verdict.OPEN, "open: no plan is known")
    said = f"{show_cost(claim)} {metric}"
    if none:
        return Verdict.REFUTED, f"refuted: {none.engine} proves that there is no plan at all"
    if upper is not None and upper < claim:
        return Verdict.NOT_OPTIMAL, f"not optimal: {finder} found a plan of {show_cost(upper)} {metric}, not {said}"
    if lower is not None and lower > claim:
        return Verdict.REFUTED, f"refuted: at least {show_cost(lower)} {metric} are needed, not {said}"
    if lower is not None and lower == claim == upper:
        return Verdict.OPTIMAL, f"proven: {said} is optimal, {by}"
    least = "nothing is proven" if lower is None else f"at least {show_cost(lower)} are needed"
    most = "no plan is known" if upper is None else f"a plan of {show_cost(upper)} is known"
    return Verdict.OPEN, f"open: {said} is neither proven nor refuted; {least}, {most}"


def _by(names: Sequence[str]) -> str:
    if len(names) < 2:
        return f"by {names[0]}" if names else "by the bounds of several engines together"
    return f"by {' and '.join([', '.join(names[:-1]), names[-1]])}, independently of each other"
