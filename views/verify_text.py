"""What `budge verify` prints, as text and as JSON: of one claim, and of a table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError
from ..models.moves import PlainCost, at_least, full_cost, show_cost
from ..models.plan import Replay, cost_in
from ..models.text import counted
from ..runtime.outcome import Status, StoppedError
from ..workflows.verdict import Proof, Verdict, Verification
from .json_lines import about, head, picked, plain, why
from .sections import Conclusion, Drawing, Section, Table, Value, Words
from .text import preparing

if TYPE_CHECKING:
    from ..workflows.scoring import Score
    from ..workflows.verification import Claim

RIGHT = (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.VALID)
"""Verdicts that confirm a claim, or all that is claimed."""

WRONG = (Verdict.INVALID, Verdict.NOT_OPTIMAL, Verdict.REFUTED)
"""Verdicts that refute a claim."""


def of_verification(verification: Verification) -> Iterator[Section]:
    """The plan and its costs, what each engine proved, and the verdict."""
    replay = verification.replay
    if replay is not None:
        costs = ", ".join(verification.puzzle.unit(name).counted(cost) for name, cost in replay.costs.items())
        yield Value("plan", f"{counted(len(replay.steps), 'move')} replayed by the rules: {costs}")
    if replay is not None and verification.problem:
        yield f"the position {f'after move {len(replay.steps)}' if replay.steps else 'at the start'}:"
        rows = replay.steps[-1].board if replay.steps else verification.puzzle.board()
        yield Drawing(verification.puzzle, rows)
    if not verification.problem:
        claim = verification.claim
        yield Value("claim", "unsolvable" if claim is None else f"{_cost(verification, claim)} is optimal")
    for proof in verification.proofs:
        yield Value(proof.engine, _proof(verification, proof))
    if verification.best is not None:
        yield Words(_best(verification, verification.best), verification.best.notation)
    right, wrong = (verification.verdict in some for some in (RIGHT, WRONG))
    yield Conclusion(verification.sentence, "good" if right else "bad" if wrong else "", "verdict")
    yield Value("time", _time(verification))


def _proof(verification: Verification, proof: Proof) -> str:
    if proof.confirms:
        return f"proves it: {proof.by} ({proof.seconds:.2f} s)"
    if proof.refutes:
        return f"refutes it: {_refutation(verification, proof)} ({proof.seconds:.2f} s)"
    parts = []
    if proof.upper_bound is not None:
        parts.append(f"has a plan of {show_cost(full_cost(proof.upper_bound))}")
    if proof.lower_bound is not None:
        parts.append(f"proves at least {show_cost(full_cost(proof.lower_bound))}: {proof.by}")
    elif proof.by:
        parts.append(proof.by)
    reason = f"; {proof.stopped_by}" if proof.stopped_by else ""
    return f"{', '.join(parts) or 'proves nothing'}{reason} ({proof.seconds:.2f} s)"


def _refutation(verification: Verification, proof: Proof) -> str:
    """Why the claim is wrong, by an engine that proves so."""
    if proof.status is Status.UNSOLVABLE:
        return f"there is no plan: {proof.by}"
    if proof.upper_bound is not None and (verification.claim is None or proof.upper_bound < verification.claim):
        return f"has a plan of {_cost(verification, proof.upper_bound)}"
    assert proof.lower_bound is not None
    said = verification.puzzle.metric(verification.metric).counted
    return f"{at_least(full_cost(proof.lower_bound), said)}: {proof.by}"


def _best(verification: Verification, best: Replay) -> str:
    """The heading of the plan that is shown: the best known, or a cheaper one than claimed."""
    cost = _cost(verification, cost_in(best, verification.metric))
    if verification.claim is None:
        return f"a plan ({cost}):"
    return f"a cheaper plan ({cost}):" if verification.better else f"the best plan known ({cost}):"


def _cost(verification: Verification, cost: PlainCost) -> str:
    return verification.puzzle.metric(verification.metric).counted(full_cost(cost))


def _time(verification: Verification) -> str:
    """The whole time; where engines were at work, its two parts."""
    if not verification.proofs:
        return f"{verification.seconds:.2f} s"
    before = preparing(verification.prepare)
    rest = round(verification.seconds, 2) - round(verification.proving, 2)
    parts = f"{verification.proving:.2f} s of proving, {rest:.2f} s of grounding and starting the engines"
    return f"{verification.seconds:.2f} s ({parts}){before}"


def as_json(verification: Verification) -> dict[str, Any]:
    """The `result` object."""
    replay, unread = verification.replay, verification.verdict is Verdict.UNREADABLE
    played = not unread and (replay is not None or verification.problem is not None)
    parts = {
        "total": verification.seconds,
        "proving": verification.proving,
        "other": verification.seconds - verification.proving,
        "prepare": verification.prepare,
    }
    proof = "engine status confirms refutes lower_bound upper_bound lower_bound_by?=by stopped_by seconds"
    return {
        **head("verify"),
        **about(verification.puzzle),
        **picked(verification, "metric verdict sentence claim"),
        "replays": verification.verdict is not Verdict.INVALID if played else None,
        **picked(verification, "problem"),
        "costs": replay.costs if replay else None,
        **picked(verification, "lower_bound upper_bound confirmed_by refuted_by"),
        "proofs": [picked(one, proof) for one in verification.proofs],
        **picked(verification, "better_plan=better best_plan=best interrupted"),
        "seconds": {name: round(seconds, 4) for name, seconds in parts.items()},
    }


def score_json(score: Score) -> dict[str, Any]:
    """The object of the score of an answer."""
    fields = "metric legal solved problem step cost optimum optimum_by? lost reward"
    return {**head("score"), **about(score.puzzle), **picked(score, fields)}


# A table of claims: a line for each, below the task that it is about.

PROVEN, VALID, INVALID, REFUTED, OPEN, UNREADABLE, ERROR = WORDS = (
    "proven", "valid", "invalid", "refuted", "open", "unreadable", "not judged"
)  # fmt: skip
"""What can come of a claim, in one word."""


def word(result: Verification | BudgeError) -> str:
    """What has come of a claim, one of `WORDS`: `valid`, `invalid` and `unreadable` are said of its plan; after an
    error it is open if a limit or Ctrl-C has ended the work on its task, else it was not judged.
    """
    if isinstance(result, BudgeError):
        return OPEN if isinstance(result, StoppedError) and not result.died else ERROR
    same = {Verdict.OPEN: OPEN, Verdict.VALID: VALID, Verdict.INVALID: INVALID, Verdict.UNREADABLE: UNREADABLE}
    return same.get(result.verdict, REFUTED if result.verdict in WRONG else PROVEN)


class ClaimsTable:
    """The claims of a table, and how many of each kind there are."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims = len(claims)
        self._counts = Counter[str]()

    def of_task(
        self, task: str, claims: Sequence[Claim], results: Sequence[Verification | BudgeError]
    ) -> Iterator[Section]:
        """A task, a line for each claim about it, and each plan that refutes a claim."""
        self._counts.update(map(word, results))
        yield task
        yield Table((), {"": [*map(_line, claims, results)]}, numbers=(1,), indent="  ")
        judged = [result for result in results if isinstance(result, Verification)]
        yield from dict.fromkeys(_cheaper(one, one.better) for one in judged if one.better is not None)

    def as_objects(self, claims: Sequence[Claim], results: Sequence[Verification | BudgeError]) -> list[dict[str, Any]]:
        """The objects of claims: those of `verify`, with the line of the table, the task and the planner."""
        self._counts.update(map(word, results))
        return [_claim_object(claim, result) for claim, result in zip(claims, results, strict=True)]

    def summary(self) -> str:
        """How many claims there were, and what has come of them."""
        counts = self._all_counts()
        parts = [f"{counts[name]} {name}" for name in WORDS if counts[name]]
        return f"{counted(self._claims, 'claim')}: {', '.join(parts)}"

    def summary_object(self) -> dict[str, Any]:
        """The `result` object of a table: how many claims there were, and what has come of them."""
        counts = self._all_counts()
        return {**head("verify"), "claims": self._claims, **{name.replace(" ", "_"): counts[name] for name in WORDS}}

    def _all_counts(self) -> Counter[str]:
        """The number of claims of each kind; those behind a Ctrl-C are not judged."""
        return self._counts + Counter({ERROR: self._claims - self._counts.total()})


def _line(claim: Claim, result: Verification | BudgeError) -> list[str]:
    if isinstance(result, BudgeError):
        return [claim.planner, _claimed(claim), f"{word(result)}: {str(result).splitlines()[0]}"]
    return [claim.planner, _claimed(claim), result.sentence]


def _claim_object(claim: Claim, result: Verification | BudgeError) -> dict[str, Any]:
    cost = plain(claim.cost) if isinstance(claim.cost, tuple) else claim.cost
    said = {"line": claim.line, "task": claim.task, "planner": claim.planner or None, "claimed": cost}
    begin = {**head("verify"), "type": "claim", **said, "judged": word(result)}
    rest = {"metric": claim.metric, **why(result)} if isinstance(result, BudgeError) else as_json(result)
    return begin | rest | begin


def _cheaper(verification: Verification, plan: Replay) -> Words:
    return Words(f"  a plan of {_cost(verification, cost_in(plan, verification.metric))}:", tuple(plan.notation))


def _claimed(claim: Claim) -> str:
    """The cost that is claimed, as a cell."""
    if claim.cost is None or isinstance(claim.cost, str):
        return claim.cost or ""
    return show_cost(full_cost(claim.cost))
