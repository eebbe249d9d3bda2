"""Verifying claims: replay plans that someone brings, count their cost, and prove or refute that they are optimal.

Claims about one puzzle are settled together: a plan of one refutes dearer ones, and engines run once for all.

The plan is replayed by the rules of its family, which know nothing of the engines. Then engines, each by itself in a
process of its own, try to prove that nothing is cheaper. They know what the plan costs, and nothing of each other.

A small puzzle needs no more than one search, of the engine that is quick to start (`Engine.certifies`): the checker of
certificates, which shares nothing with it, visits the same positions again.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..analysis.conditional_effects import ConditionalEffects, conditional_effects
from ..encoders.exports.dimacs import VariableMap, read_variable_map
from ..encoders.exports.outside_plans import (
    NamedPlan,
    is_model,
    is_of_actions,
    plan_of_actions,
    plan_of_model,
)
from ..engines.engine import MOMENT
from ..engines.table import ENGINES, find
from ..models.errors import GroundingError, ReplayError, UnreadableError, UsageError
from ..models.moves import MOST_OF_A_PLAN, Cost, show_cost
from ..models.plan import Plan, Replay, cost_in
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask, Task
from ..models.text import clip, counted
from ..runtime.budget import Budget, whole
from ..runtime.events import Event, Progress, Stage, silent
from ..runtime.kernels import ensure_kernels, patience
from ..runtime.outcome import BoundsSoFar, Status
from .jobs import Job, Run, RunLimits, run_all
from .problem_certificate import Statement, visited
from .solving import for_planners, grounding, metric_of, operators_of, replayed
from .verdict import Claimed, Verdict, Verification, judge

CHECK = 1.0
"""Seconds that the checker of certificates may take, before engines are started: these take longer to start."""

_EMPTY = re.compile(r"^\s*[\[{]|;\s*cost\s*=\s*0\b")
"""What a text has that says of itself that its plan has no step: JSON, or the cost at the end of a planner's plan."""

UNSOLVABLE = "unsolvable"
"""The claim that there is no plan."""


def verifiers(task: Task | None = None) -> tuple[str, ...]:
    """The engines that try to prove a claim unless the caller says otherwise: a search and a solver, as far as they run
    the `task` in its form.
    """
    able = [engine for engine in ENGINES.values() if engine.verifies and (task is None or engine.runs(task))]
    return tuple(sorted(engine.name for engine in able))


@dataclass(frozen=True, slots=True)
class Claim:
    """What someone says of a task: that its optimum is `cost` (or "unsolvable"), that `plan` solves it, or both; with
    neither, what its file expects.

    `metric`: in what the cost is counted; `variables`: the text of the map, if the plan is a SAT solver's model;
    `planner` and `line`: who says so, and where in a table (0: in none).
    """

    task: str = ""
    cost: Cost | int | str | None = None
    plan: Plan | str | None = None
    metric: str | None = None
    variables: str | None = None
    planner: str = ""
    line: int = 0


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

    `claim` is a cost, or "unsolvable". `plan` may be text, see `read_plan`; if it is a SAT solver's model,
    `variables` is the text of the map that says what it means, and `metric` by default that of the map. The rest is as
    for `verify_claims`.
    """
    claims = [Claim(cost=claim, plan=plan, variables=variables)]
    (verification,) = verify_claims(puzzle, claims, engines, metric, budget or Budget(), progress)
    return verification


def verify_claims(
    puzzle: Puzzle,
    claims: Sequence[Claim],
    engines: Sequence[str] | None,
    metric: str | None,
    budget: Budget,
    progress: Progress,
) -> list[Verification]:
    """The verdicts on claims about one puzzle, in their order. Those in different metrics share the budget evenly.

    `metric`: of claims that name none, by default the puzzle's own. With no `engines` (an empty sequence) plans are
    only replayed. `budget` covers all of it, whatever has been done since it was made, but not the compiling of
    engines, which `progress` hears of as of all that engines report. Raises `UsageError` if there is nothing to verify,
    or for an unknown metric or engine, and `DisagreementError` if proofs contradict each other.
    """
    began = budget.elapsed
    for name in engines or ():
        find(name)
    stated = [_stated(puzzle, claim, metric) for claim in claims]
    if engines is not None and not engines and all(claim.plan is None for claim in claims):
        raise UsageError("a claim without a plan needs engines to prove it")
    verdicts: dict[int, Verification] = {}
    waiting = list(dict.fromkeys(claim.metric for claim in stated))
    while waiting:
        share = budget.part(budget.remaining / len(waiting)) if len(waiting) > 1 else budget
        unit = waiting.pop(0)
        numbers = [number for number, claim in enumerate(stated) if claim.metric == unit]
        planners = [claims[number].planner for number in numbers]
        group = _with_cheapest_plan([stated[number] for number in numbers], planners)
        settled = _verdicts(group, engines, share, progress)
        interrupted, seconds = budget.interrupted.is_set(), budget.elapsed - began
        for number, verdict in zip(numbers, settled, strict=True):
            verdicts[number] = replace(verdict, interrupted=interrupted, seconds=seconds)
        began = budget.elapsed
    return [verdicts[number] for number in range(len(claims))]


def _stated(puzzle: Puzzle, claim: Claim, metric: str | None) -> Claimed:
    """A claim with its plan replayed: the cost that is named, or "unsolvable"; with neither, the cost of the plan, or
    without one what the file expects. Raises `UsageError`.
    """
    plan, variables = claim.plan, None
    if claim.variables is not None and isinstance(plan, str) and is_model(plan):
        variables = read_variable_map(claim.variables)
    metric = metric_of(puzzle, claim.metric or metric or (variables.metric if variables else None))
    if plan is None:
        cost = _expected(puzzle, metric) if claim.cost is None else _cost(claim.cost, metric)
        return Claimed(puzzle, metric, cost)
    wanted, said = _cost(claim.cost, metric), puzzle.metric(metric).counted
    try:
        replay, wrong = played(puzzle, plan, metric, variables)
    except UnreadableError as error:
        return Claimed(puzzle, metric, wanted, problem=str(error), unreadable=True)
    problem = str(wrong) if wrong else None
    if wrong is None and replay is not None:
        cost = cost_in(replay, metric)
        if wanted is not None and cost != wanted:
            problem = f"the plan costs {said(cost)}, not the claimed {show_cost(wanted)}"
        elif claim.cost is None:
            wanted = cost
    return Claimed(puzzle, metric, wanted, replay, problem)


def _with_cheapest_plan(claims: Sequence[Claimed], planners: Sequence[str]) -> list[Claimed]:
    """The same claims, each with the cheapest valid plan that any of them came with: it refutes dearer ones at once."""
    plans = [
        (cost_in(claim.replay, claim.metric), planner or "another line", claim.replay)
        for claim, planner in zip(claims, planners, strict=True)
        if claim.replay is not None and claim.problem is None
    ]
    best = min(plans, key=lambda plan: plan[0], default=None)
    return [replace(claim, known=best[1:]) if best and best[2] is not claim.replay else claim for claim in claims]


def _verdicts(
    claims: Sequence[Claimed], engines: Sequence[str] | None, budget: Budget, progress: Progress
) -> list[Verification]:
    """The verdicts on claims about one puzzle in one metric: by the plans given with them, and by engines that run once
    for all that are open after that.
    """
    proving = engines is None or bool(engines)
    verdicts = [_by_replay(claim, proving) for claim in claims]
    for number, claim in enumerate(claims):
        if verdicts[number] is None and (not proving or claim.settled_by(None, None)):
            verdicts[number] = judge(claim, [])
    undecided = [claim for claim, verdict in zip(claims, verdicts, strict=True) if verdict is None]
    proofs = iter(_proven(undecided, engines, budget, progress) if undecided else ())
    return [verdict or next(proofs) for verdict in verdicts]


def _by_replay(what: Claimed, proving: bool) -> Verification | None:
    """The verdict by the plan of a claim alone: it cannot be read, is no plan, or it shows that the puzzle is
    solvable; or, if nothing is to be proven, it is one. None if that decides nothing.
    """
    if what.unreadable:
        return what.verdict(Verdict.UNREADABLE, what.problem or "")
    if what.problem is not None:
        return what.verdict(Verdict.INVALID, f"invalid: {what.problem}")
    if what.replay is None:
        return None
    cost = cost_in(what.replay, what.metric)
    if what.cost is None:
        sentence = f"refuted: the plan solves the puzzle in {what.said(cost)}"
        return what.verdict(Verdict.REFUTED, sentence, (None, cost))
    if proving:
        return None
    sentence = "valid: the plan replays and reaches the goal; nothing was tried to prove it shortest"
    return what.verdict(Verdict.VALID, sentence, (None, cost))


def _proven(
    claims: Sequence[Claimed], engines: Sequence[str] | None, budget: Budget, progress: Progress
) -> list[Verification]:
    """The verdicts on claims about one puzzle in one metric, by a certificate or by engines."""
    what, prepare = claims[0], 0.0
    task, run = None, None
    if not engines:
        with grounding(budget, progress):
            task = what.puzzle.form(what.metric)
        run = _certified_run(what, task, budget, progress)
    if run is None:
        names = tuple(engines or verifiers(task))
        asked = [find(name) for name in names]
        if any(engine.runs_compiled(task) for engine in asked):
            prepare = ensure_kernels(progress, budget)
        progress(Stage(seconds=budget.elapsed, text="starting the engines"))
        runs, proving = _runs(claims, names, budget, progress)
    else:
        runs, proving = [run], run.seconds
    return [replace(judge(claim, runs), proving=proving, prepare=prepare) for claim in claims]


def claim_of(text: str) -> Cost | str:
    """An optimum as people write it: `24`, `8,31` or `unsolvable`. Raises `UsageError`."""
    if text.strip().lower() == UNSOLVABLE:
        return UNSOLVABLE
    parts = [part.strip() for part in text.split(",")]
    try:
        return tuple(map(whole, parts))
    except ValueError:
        raise UsageError(
            f"`{clip(text)}` is not a cost. Write a number such as `24` (or `8,31` for a metric of two components), up "
            f"to {MOST_OF_A_PLAN:,}, or `{UNSOLVABLE}`"
        ) from None


def _cost(claim: Cost | int | str | None, metric: str) -> Cost | None:
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


def played(
    puzzle: Puzzle, plan: Plan | NamedPlan | str, metric: str, variables: VariableMap | None = None
) -> tuple[Replay | None, ReplayError | None]:
    """The replay of a plan up to its first illegal move, and what is wrong with the plan; None if it is legal and
    solves. Raises `UnreadableError` for a text that is not written as plans are.
    """
    try:
        read = read_plan(puzzle, plan, metric, variables) if isinstance(plan, str) else notated(puzzle, plan)
    except UnreadableError:
        raise
    except ReplayError as error:
        return None, error
    moves = read.plan.moves
    try:
        replay = puzzle.replay(read.plan)
        cost_in(replay, metric)
    except ReplayError as error:
        if error.move_number is None:
            return None, error
        legal = Plan(moves[: error.move_number - 1])
        return puzzle.replay(legal), error.named(read.name(error.move_number))
    if not replay.solved:
        if isinstance(plan, str) and not moves and not _EMPTY.search(plan):
            write = puzzle.record.notation.help if puzzle.record.notation else "a JSON list of steps"
            raise UnreadableError(f"the text has no step, and the puzzle is not solved at its start; write {write}")
        return replay, ReplayError(f"the plan stops after {counted(len(moves), 'move')} and the goal is not reached")
    return replay, None


def _certified_run(what: Claimed, task: Task, budget: Budget, progress: Progress) -> Run | None:
    """The run of an engine on a puzzle so small that the checker of certificates finds its answer again; else None."""
    engine = next((engine for engine in ENGINES.values() if engine.certifies), None)
    if engine is None:
        return None
    began = budget.elapsed
    progress(Stage(seconds=budget.elapsed, text="searching before engines are started"))
    outcome = engine.imported().solve(task, budget.part(max(MOMENT, patience(budget))))
    if not outcome.status.proven:
        return None
    least = None if outcome.status is Status.UNSOLVABLE else outcome.upper_bound
    states = visited(Statement(what.puzzle, what.metric, least), budget.part(CHECK))
    if states is None:
        return None
    by = f"{outcome.lower_bound_by}; the checker of certificates visits {states:,} positions, and finds no cheaper goal"
    replay = replayed(what.puzzle, what.metric, outcome)
    job = Job(what.puzzle, engine.name, what.metric)
    return Run(job, replace(outcome, lower_bound_by=by), replay, budget.elapsed - began, 0.0)


def _runs(
    claims: Sequence[Claimed], names: Sequence[str], budget: Budget, progress: Progress
) -> tuple[list[Run], float]:
    """Let the engines work side by side until each has proven enough, or one has refuted all claims.

    Also gives the seconds in which at least one of them was at work. The events have the seconds of the budget's clock.
    """
    what = claims[0]

    def enough(_job: Job, bounds: BoundsSoFar) -> bool:
        return all(claim.settled_by(bounds.lower_bound, bounds.upper_bound) for claim in claims)

    def tell(_job: Job, event: Event) -> None:
        if isinstance(event, Stage):
            event = replace(event, uninterruptible=False)  # other engines may have something to show
        progress(replace(event, seconds=budget.elapsed))

    uppers = [claim.upper for claim in claims if claim.upper is not None]
    incumbent = min(uppers, default=None)
    limits = RunLimits(None, budget.memory_mib, whole=budget, incumbent=incumbent, enough=enough)
    jobs = [Job(what.puzzle, name, what.metric) for name in names]
    runs: dict[int, Run] = {}
    spans: list[tuple[float, float]] = []
    for index, run in run_all(jobs, limits, parallel=2, interrupted=budget.interrupted, on_event=tell):
        spans.append((budget.elapsed - run.seconds, budget.elapsed))
        runs[index] = run
        low, high = run.outcome.lower_bound, None if run.replay is None else cost_in(run.replay, what.metric)
        if all(claim.refuted_by(low, high) for claim in claims):
            break
    return [runs[index] for index in sorted(runs)], _covered(spans)


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """How many seconds lie in at least one of some spans of time."""
    seconds, until = 0.0, -math.inf
    for start, end in sorted(spans):
        seconds += max(0.0, end - max(until, start))
        until = max(until, end)
    return seconds


# Plans from text, whoever wrote it: in the family's notation, as JSON of Budge, or by an outside planner or solver.


def plan_text(text: str) -> str:
    """The family's notation in a text: the `plan` of Budge's JSON (of JSON lines the last), a JSON list, or the text.

    Raises `UnreadableError` for JSON that holds no plan.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"the plan looks like JSON, but is not: {error}") from None
    plans = [value.get("plan") if isinstance(value, dict) else value for value in values]
    plan = next((plan for plan in reversed(plans) if plan is not None), None)
    if isinstance(plan, str):
        return plan
    if not isinstance(plan, list) or not all(isinstance(word, str) for word in plan):
        raise UnreadableError(
            "this JSON holds no plan; it needs a list of steps under `plan`, as in `budge solve --json`"
        )
    return " ".join(plan)


def read_plan(puzzle: Puzzle, text: str, metric: str, variables: VariableMap | None = None) -> NamedPlan:
    """The plan that a text holds, in the form that it shows.

    Actions of a planner are looked up in the export of `metric`, else in those of the other metrics; `variables` say
    what a SAT solver's model means. Raises `ReplayError` for a text that is no plan of the puzzle, and
    `UnreadableError` where it cannot be read, or not without more.
    """
    if is_model(text):
        if variables is None:
            raise UnreadableError(
                "the model of a SAT solver needs the map of its variables, FILE.cnf.map.json, which "
                "`budge export --to dimacs --out FILE.cnf` writes: name it with --map"
            )
        task = operators_of(puzzle, metric_of(puzzle, variables.metric), "the model of a SAT solver")
        return plan_of_model(task, text, variables)
    if is_of_actions(text):
        return _actions(puzzle, text, metric)
    return notated(puzzle, text)


def notated(puzzle: Puzzle, plan: Plan | NamedPlan | str) -> NamedPlan:
    """A plan with the names of its moves; of a text, which is in the family's notation or JSON with a plan in it.

    Raises `ReplayError` for a text that is no plan of the puzzle, and `UnreadableError` where it cannot be read.
    """
    if isinstance(plan, str):
        text = plan_text(plan)
        return NamedPlan(puzzle.parse_plan(text), tuple(text.replace(",", " ").split()))
    return NamedPlan(plan) if isinstance(plan, Plan) else plan


def _actions(puzzle: Puzzle, text: str, metric: str) -> NamedPlan:
    """A planner's plan as moves: in the first metric whose exported task has all its actions, beginning with
    `metric`; as conditional effects where the export has these, else as operators.
    """
    wrong: ReplayError | None = None
    for name in dict.fromkeys((metric, *puzzle.metrics)):
        for read in _exported(puzzle, name):
            try:
                return plan_of_actions(read, text)
            except ReplayError as error:
                wrong = wrong or error
    assert wrong is not None
    raise wrong


def _exported(puzzle: Puzzle, metric: str) -> Iterator[OperatorTask | ConditionalEffects]:
    """The forms in which a task is exported: as `budge export` has it, and as operators where they can be
    enumerated.
    """
    first = for_planners(puzzle, metric, "the plan of a planner", conditional_effects)
    yield first
    if not isinstance(first, OperatorTask):
        with contextlib.suppress(GroundingError):
            yield puzzle.task(metric)
