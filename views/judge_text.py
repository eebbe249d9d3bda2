"""What `budge judge` prints: claims about tasks with their verdicts, as text and as JSON, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..models.errors import BudgeError
from ..models.moves import show_cost
from ..models.plan import Replay, cost_in
from ..models.text import columns, counted
from ..runtime.outcome import StoppedError
from ..workflows.judging import ClaimedCost
from ..workflows.verdict import Verdict, Verification
from .json_lines import head, plain, why
from .terminal import Screen, fill
from .text import wrap_plan
from .verify_text import WRONG
from .verify_text import as_json as verification

PROVEN, VALID, INVALID, REFUTED, OPEN, UNREADABLE, ERROR = WORDS = (
    "proven", "valid", "invalid", "refuted", "open", "unreadable", "not judged"
)  # fmt: skip
"""What can come of a claim, in one word."""


def word(found: Verification) -> str:
    """What has come of a claim, one of `WORDS`: `valid`, `invalid` and `unreadable` are said of its plan."""
    same = {Verdict.OPEN: OPEN, Verdict.VALID: VALID, Verdict.INVALID: INVALID, Verdict.UNREADABLE: UNREADABLE}
    return same.get(found.verdict, REFUTED if found.verdict in WRONG else PROVEN)


def failed(error: BudgeError) -> str:
    """What has come of claims about a task that ended with an error: open if it was stopped by a limit or Ctrl-C."""
    return OPEN if isinstance(error, StoppedError) and not error.died else ERROR


class Table:
    """The claims in columns, which are as wide as the longest entry of the whole table."""

    def __init__(self, claims: Sequence[ClaimedCost], screen: Screen) -> None:
        self._screen = screen
        self._planner = max(columns(claim.planner) for claim in claims)
        self._cost = max(len(_cost(claim)) for claim in claims)

    def judged(self, task: str, claims: Sequence[ClaimedCost], found: Sequence[Verification]) -> str:
        """A task, a line for each claim about it, and each plan that refutes a claim."""
        lines = [task, *(self._line(claim, one.sentence) for claim, one in zip(claims, found, strict=True))]
        cheaper = [(one, one.better) for one in found if one.better is not None]
        plans = dict.fromkeys(f"{_title(one, plan)}\n{wrap_plan(plan.notation, self._screen)}" for one, plan in cheaper)
        return "\n".join([*lines, *plans])

    def failed(self, task: str, claims: Sequence[ClaimedCost], error: BudgeError) -> str:
        """A task of whose claims nothing is known, as it was stopped or cannot be read."""
        why = f"{failed(error)}: {str(error).splitlines()[0]}"
        return "\n".join([task, *(self._line(claim, why) for claim in claims)])

    def _line(self, claim: ClaimedCost, sentence: str) -> str:
        planner = claim.planner + " " * (self._planner - columns(claim.planner))
        before = "  " + (f"{planner}  " if self._planner else "") + f"{_cost(claim):>{self._cost}}  "
        return "\n".join(fill(sentence.split(), self._screen.width, first=before, rest=" " * columns(before)))


def summary(counts: Mapping[str, int]) -> str:
    """How many claims there were, and what has come of them."""
    parts = [f"{counts[one]} {one}" for one in WORDS if counts.get(one)]
    return f"{counted(sum(counts.values()), 'claim')}: {', '.join(parts)}"


def as_object(claim: ClaimedCost, found: Verification | BudgeError) -> dict[str, Any]:
    """The object of a claim: that of `verify` with the line of the table, the task and the planner."""
    cost = claim.cost if isinstance(claim.cost, str) else plain(claim.cost)
    said = {"line": claim.line, "task": claim.task, "planner": claim.planner or None, "claimed": cost}
    begin = {**head("judge"), "type": "claim", **said}
    if isinstance(found, BudgeError):
        rest = {"judged": failed(found), "metric": claim.metric, **why(found)}
    else:
        rest = {"judged": word(found), **verification(found)}
    return begin | rest | begin


def as_json(counts: Counter[str]) -> dict[str, Any]:
    """The `result` object: how many claims there were, and what has come of them."""
    return {**head("judge"), "claims": counts.total(), **{one.replace(" ", "_"): counts[one] for one in WORDS}}


def _title(found: Verification, plan: Replay) -> str:
    return f"  a plan of {found.puzzle.metric(found.metric).counted(cost_in(plan, found.metric))}:"


def _cost(claim: ClaimedCost) -> str:
    return claim.cost if isinstance(claim.cost, str) else show_cost(claim.cost or ())
