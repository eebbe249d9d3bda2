"""Verifying a claim: replay a plan that someone brings, count its cost, and prove or refute that it is optimal.

The plan is replayed by the rules of its family, which know nothing of the engines. Then engines, each by itself in a
process of its own, try to prove that nothing is cheaper. They know what the plan costs, and nothing of each other.

A small puzzle needs no more than one search: of the engine that can certify an answer (`Engine.certify`) it takes the
costs of all states that cost less than the optimum, which another program checks that shares nothing with the search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..engines.engine import MOMENT
from ..engines.preparation import patience, preparations_for, prepare_engines, prepare_within
from ..engines.table import ENGINES, find
from ..models.cost import Cost, plain_cost, show_cost
from ..models.errors import DisagreementError, ReplayError, UsageError
from ..models.plan import Plan, Replay, cost_in
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import Task
from ..models.text import counted
from ..runtime.budget import Budget
from ..runtime.events import Event, Progress, Stage, silent
from ..runtime.outcome import BoundsSoFar, Status
from .grounding import grounding
from .jobs import Job, Run, RunLimits, run_all
from .plan_files import ReadPlan, VariableMap, is_model, read_plan, read_variable_map
from .solving import metric_of, replayed
from .verdict import Proof, Verdict, Verification

CERTIFICATE = 3
"""The time that checking a certificate may take, as a multiple of the time of the search that made it."""

Bounds = tuple[Cost | None, Cost | None]
"""Bounds of the optimum: the proven lower bound, and the cost of the best plan known."""

UNSOLVABLE = "unsolvable"
"""The claim that there is no plan."""


def verifiers(task: Task | ProgramTask | None = None) -> tuple[str, ...]:
    """The engines that try to prove a claim unless the caller says otherwise: a search and a solver, as far as they run
    the `task` in its form.
    """
    able = [engine for engine in ENGINES.values() if engine.verifies and (task is None or engine.runs(task))]
    return tuple(sorted(engine.name for engine in able))


def verify(
    puzzle: Puzzle,
    plan: Plan | str | None = None,
    claim: Cost | int | str | None = None,
    engines: Sequence[str] | None = None,
    metric: str | None = None,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    variables: str | None = None,
) -> Verification:
    """Say what is proven of a plan, of a claimed optimum, or, without either, of what the puzzle's file expects.

    `claim` is a cost, or "unsolvable". `plan` may be text, see `plan_files.read_plan`; if it is a SAT solver's model,
    `variables` is the text of the map that says what it means, and `metric` by default that of the map. With no
    `engines` (an empty sequence) a plan is only replayed. `budget` covers all of it, whatever has been done since it
    was made, but not the compiling of engines, which `progress` hears of as of all
    that engines report. Raises `UsageError` if there is nothing to
    verify, and `DisagreementError` if proofs contradict each other.
    """
    budget = budget or Budget()
    began, prepare = budget.elapsed, 0.0
    named = None
    if variables is not None and isinstance(plan, str) and is_model(plan):
        named = read_variable_map(variables)
    metric = metric_of(puzzle, metric or (named.metric if named else None))
    for name in engines or ():
        find(name)
    # 1. What is claimed: a cost that was named, else that of the plan, else what the puzzle's file expects.
    wanted, said = _claimed(claim, metric), puzzle.metric(metric).counted
    replay, problem = None, None
    if plan is not None:
        replay, problem = played(puzzle, plan, metric, named)
        if problem is None and replay is not None:
            cost = cost_in(replay, metric)
            if wanted is not None and cost != wanted:
                problem = f"the plan costs {said(cost)}, not the claimed {show_cost(wanted)}"
            elif claim is None:
                wanted = cost
    elif claim is None:
        wanted = _expected(puzzle, metric)
    what = _Claim(puzzle, metric, wanted, replay)
    # 2. The verdict, by the cheapest means that decides: the replay, a certificate, engines.
    proving = 0.0
    if problem is not None:
        found = what.verdict(Verdict.INVALID, f"invalid: {problem}", problem=problem)
    elif wanted is None and replay is not None:
        sentence = f"refuted: the plan solves the puzzle in {said(cost_in(replay, metric))}"
        found = what.verdict(Verdict.REFUTED, sentence, (None, cost_in(replay, metric)))
    elif engines or engines is None:
        task, run = None, None
        if not engines:
            with grounding(budget, progress):
                task = puzzle.form(metric)
            run = _certified_run(what, task, budget, progress)
        if run is None:
            names = tuple(engines or verifiers(task))
            asked = [find(name) for name in names]
            if task is None:
                prepare = prepare_engines(asked, budget, progress, [puzzle])
            else:
                prepare = prepare_within(preparations_for(asked, task), budget, progress)
            progress(Stage(seconds=budget.elapsed, text="starting the engines"))
            runs, proving = _runs(what, names, budget, progress)
        else:
            runs, proving = [run], run.seconds
        found = _judge(what, runs)
    elif replay is not None:
        sentence = "valid: the plan replays and reaches the goal; nothing was tried to prove it shortest"
        found = what.verdict(Verdict.VALID, sentence, (None, cost_in(replay, metric)))
    else:
        raise UsageError("a claim without a plan needs engines to prove it")
    seconds, interrupted = budget.elapsed - began, budget.interrupted.is_set()
    return replace(found, interrupted=interrupted, seconds=seconds, proving=proving, prepare=prepare)


def claim_of(text: str) -> Cost | str:
    """An optimum as people write it: `24`, `8,31` or `unsolvable`. Raises `UsageError`."""
    if text.strip().lower() == UNSOLVABLE:
        return UNSOLVABLE
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(
            f"`{text}` is not a cost. Write a number such as `24` (or `8,31` for a metric of two components), or "
            f"`{UNSOLVABLE}`"
        )
    return tuple(map(int, parts))


def _claimed(claim: Cost | int | str | None, metric: str) -> Cost | None:
    """The claimed cost; None if no cost is claimed, or the claim is that no plan exists. Raises `UsageError`."""
    if isinstance(claim, str):
        if claim != UNSOLVABLE:
            raise UsageError(f"`{claim}` is not a claim: give a cost, or {UNSOLVABLE!r}")
        return None
    wanted = (claim,) if isinstance(claim, int) else claim
    parts = metric.count(",") + 1
    if wanted is not None and len(wanted) != parts:
        raise UsageError(f"the metric {metric} needs a claim of {counted(parts, 'number')}")
    return wanted


def _expected(puzzle: Puzzle, metric: str) -> Cost | None:
    """The cost that the file expects; None if it expects that no plan exists. Raises `UsageError` if it expects
    nothing.
    """
    expect = puzzle.header.expect
    wanted = expect.costs.get(metric)
    if wanted is None and not expect.unsolvable:
        raise UsageError(
            f"nothing to verify: give a plan or a claim, or a file that expects a cost in {metric} "
            f"(`expect: {{cost: N}}`) or no plan at all (`expect: {{unsolvable: true}}`)"
        )
    return wanted


@dataclass(frozen=True, slots=True)
class _Claim:
    """The claim to verify: a cost (None: no plan exists), and the replay of the plan given with it, if any."""

    puzzle: Puzzle
    metric: str
    cost: Cost | None
    replay: Replay | None

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
            **more,
        )

    def confirmed_by(self, low: Cost | None, best: Cost | None) -> bool:
        """Whether a proven lower bound makes a known plan, one of the claimed cost, the cheapest."""
        return self.cost is not None and low == self.cost == best

    def refuted_by(self, low: Cost | None, high: Cost | None) -> bool:
        """Whether bounds contradict the claim."""
        if self.cost is None:
            return high is not None
        return (low is not None and low > self.cost) or (high is not None and high < self.cost)


def played(
    puzzle: Puzzle, plan: Plan | str, metric: str, variables: VariableMap | None = None
) -> tuple[Replay | None, str | None]:
    """The replay of a plan up to its first illegal move, and what is wrong with the plan; None if it is legal and
    solves.
    """
    try:
        read = read_plan(puzzle, plan, metric, variables) if isinstance(plan, str) else ReadPlan(plan)
    except ReplayError as error:
        return None, str(error)
    moves = read.plan.moves
    try:
        replay = puzzle.replay(read.plan)
        cost_in(replay, metric)
    except ReplayError as error:
        if error.move_number is None:
            return None, str(error)
        legal = Plan(moves[: error.move_number - 1])
        return puzzle.replay(legal), str(error.named(read.name(error.move_number)))
    if not replay.solved:
        return replay, f"the plan stops after {counted(len(moves), 'move')} and the goal is not reached"
    return replay, None


def _certified_run(what: _Claim, task: Task | ProgramTask, budget: Budget, progress: Progress) -> Run | None:
    """The run of an engine whose certificate was checked by the checker; None if the puzzle is too large for that."""
    engine = next((engine for engine in ENGINES.values() if engine.certify), None)
    if engine is None or engine.certify is None:
        return None
    began = budget.elapsed
    progress(Stage(seconds=budget.elapsed, text="searching before engines are started"))
    others = preparations_for(map(find, verifiers(task)), task)
    seconds = max(MOMENT, patience(others, budget))
    outcome = engine.certify(task, budget.part((1 + CERTIFICATE) * seconds), seconds)
    if outcome is None:
        return None
    replay = replayed(what.puzzle, what.metric, outcome)
    return Run(Job(what.puzzle, engine.name, what.metric), outcome, replay, budget.elapsed - began, 0.0)


def _runs(what: _Claim, names: Sequence[str], budget: Budget, progress: Progress) -> tuple[list[Run], float]:
    """Let the engines work side by side until each has proven enough, or one has refuted the claim.

    Also gives the seconds in which at least one of them was at work. The events have the seconds of the budget's clock.
    """

    def enough(_job: Job, known: BoundsSoFar) -> bool:
        low, high = known.lower_bound, known.upper_bound
        proven = what.replay is not None and what.cost is not None and low is not None and low >= what.cost
        return proven or what.refuted_by(low, high)

    def tell(_job: Job, event: Event) -> None:
        if isinstance(event, Stage):
            event = replace(event, uninterruptible=False)  # other engines may have something to show
        progress(replace(event, seconds=budget.elapsed))

    incumbent = cost_in(what.replay, what.metric) if what.replay else None
    limits = RunLimits(None, budget.memory_mib, whole=budget, incumbent=incumbent, enough=enough)
    jobs = [Job(what.puzzle, name, what.metric) for name in names]
    runs: dict[int, Run] = {}
    spans: list[tuple[float, float]] = []
    for index, run in run_all(jobs, limits, parallel=2, interrupted=budget.interrupted, on_event=tell):
        spans.append((budget.elapsed - run.seconds, budget.elapsed))
        runs[index] = run
        if what.refuted_by(run.outcome.lower_bound, None if run.replay is None else cost_in(run.replay, what.metric)):
            break
    return [runs[index] for index in sorted(runs)], _covered(spans)


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """How many seconds lie in at least one of some spans of time."""
    seconds, until = 0.0, -math.inf
    for start, end in sorted(spans):
        seconds += max(0.0, end - max(until, start))
        until = max(until, end)
    return seconds


def _judge(what: _Claim, runs: Sequence[Run]) -> Verification:
    metric, replay, said = what.metric, what.replay, what.said
    for run in runs:
        if run.error and issubclass(run.error[0], ReplayError):
            raise ReplayError(f"{run.job.engine}: {run.error[1]}")
    found = [(cost_in(run.replay, metric), run.job.engine, run.replay) for run in runs if run.replay]
    best = min(found, key=lambda plan: plan[0], default=None)
    uppers = [cost for cost, _, _ in found] + ([cost_in(replay, metric)] if replay else [])
    upper = min(uppers, default=None)
    proofs = tuple(_proof(what, run, upper) for run in runs)
    bounds = [(run.outcome.lower_bound, proof) for run, proof in zip(runs, proofs, strict=True)]
    lowers = [(low, proof) for low, proof in bounds if low is not None]
    lower, strongest = max(lowers, key=lambda pair: pair[0], default=(None, None))
    none = next((p for p in proofs if p.status is Status.UNSOLVABLE), None)
    if upper is not None and none:
        raise DisagreementError(
            f"a plan of {said(upper)} replays, but {none.engine} proves that there is none: {none.by}"
        )
    if upper is not None and lower is not None and strongest and lower > upper:
        raise DisagreementError(
            f"a plan of {said(upper)} replays, but {strongest.engine} proves that at least "
            f"{show_cost(lower)} are needed: {strongest.by}"
        )
    verdict, sentence = _verdict(what, proofs, (lower, upper), best[1] if best else "", none)
    wrong = verdict in (Verdict.NOT_OPTIMAL, Verdict.REFUTED)
    return what.verdict(
        verdict,
        sentence,
        (lower, upper),
        proofs=proofs,
        best=best[2] if best and wrong else None,
    )


def _proof(what: _Claim, run: Run, best: Cost | None) -> Proof:
    """The contribution of one run to a claim. `best`: the cost of the cheapest plan of all engines."""
    outcome = run.outcome
    none = outcome.status is Status.UNSOLVABLE
    upper = None if run.replay is None else cost_in(run.replay, run.job.metric)
    confirms = none if what.cost is None else what.confirmed_by(outcome.lower_bound, best)
    refutes = what.refuted_by(outcome.lower_bound, upper) or (none and what.cost is not None)
    stopped = run.error[1] if run.error else outcome.stopped_by
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
    what: _Claim,
    proofs: Sequence[Proof],
    bounds: Bounds,
    finder: str,
    none: Proof | None,
) -> tuple[Verdict, str]:
    """The verdict and a sentence. `finder`: the engine with the cheapest plan; `none`: the proof that no plan
    exists, if any.
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
        return Verdict.REFUTED, f"refuted: at least {said(lower)} are needed, not {claimed}"
    if what.confirmed_by(lower, upper):
        return Verdict.OPTIMAL, f"proven: {claimed} is optimal, {_by(proofs)}"
    least = "nothing is proven" if lower is None else f"at least {show_cost(lower)} are needed"
    most = "no plan is known" if upper is None else f"a plan of {show_cost(upper)} is known"
    return Verdict.OPEN, f"open: {claimed} is neither proven nor refuted; {least}, {most}"


def _by(proofs: Sequence[Proof]) -> str:
    """The engines that confirm the claim, in words: `by astar and cp-sat, independently of each other`."""
    *names, last = (proof.engine for proof in proofs if proof.confirms)
    return f"by {', '.join(names)} and {last}, independently of each other" if names else f"by {last}"
