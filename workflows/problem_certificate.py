"""The files of a certificate that has a problem text: the text, the plan in its actions, and evidence for the bound."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf

from ..models.errors import DisagreementError, UsageError
from ..models.families.custom.puzzle import Act
from ..models.families.custom.rules import CustomSimulator
from ..models.plan import Plan, end_of
from ..models.puzzle import Puzzle
from ..proofs.boards import Level, PiecePuzzle
from ..proofs.by_rules import DISTANCES, ENDINGS, PARITY, RULES, claim_text, exhausted, less, parity_shows
from ..proofs.core.claim import AT_LEAST, EXHAUSTION, OPTIMUM, PLAN, PROOF, PUZZLE, REFUTATION
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.exhaustion import exhaust, replay
from ..proofs.core.limits import Limits, Rejected, Stopped, Unsupported
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.core.problem import Cost, read
from ..proofs.end_state_formula import only_truths
from ..proofs.folder import PACKED
from ..proofs.games import game_of, puzzle_of
from ..proofs.verdict import said
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage, silent
from .evidence_finder import Found, find_evidence, refuted_endings
from .evidence_finder.choose_evidence import AUTO, CheaperPlanError, limits_of
from .exporting import problem_of

FEW = 20.0
"""Seconds, at most, for which positions are visited by the rules before a text is made: 400 to 60,000 a second. (The
verdict about a text is weaker, and checked sooner.)"""

LONG = 1 << 15
"""A problem text of more bytes is written compressed (`problem.txt.xz`): nobody reads that without a program."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a certificate says of a puzzle: with a `plan` of it, `cost` is the optimum; without one it is a lower bound,
    and None says that there is no plan.
    """

    puzzle: Puzzle
    metric: str
    cost: Cost | None
    plan: Plan | None = None

    @property
    def kind(self) -> str:
        """The word of claim.txt for what it says of the cost."""
        return AT_LEAST if self.plan is None else OPTIMUM


Made = tuple[dict[str, bytes], str]
"""The files of a certificate by their names, and the kind of evidence among them."""

_Try = tuple[str, Callable[[Budget], Made], float, float]
"""A way to evidence: its name, what finds it, for how many seconds at most, and for which share of what is left."""


def problem_files(
    statement: Statement, puzzle_text: str, budget: Budget, kind: str, progress: Progress = silent
) -> Made:
    """Make the files of a certificate, with the first evidence that is found of those that make a `kind`, or `auto`.
    `puzzle_text`: of the puzzle, in the form of certificates. Raises `Unsupported`, or `Stopped` at a limit, which say
    all that was tried, `CheaperPlanError` and `DisagreementError`.
    """
    own = _ByRules(statement, puzzle_text, limits_of(budget))
    if statement.cost is None and kind == AUTO and parity_shows(own.puzzle):
        return own.made(Found(PARITY))
    few: _Try = "the rules of the puzzle", own.visit, FEW, 0.25
    far: _Try = "distances of values", partial(own.visit, by_distances=True), FEW, 0.25
    ends: _Try = "clauses about the end of a plan", own.ends, inf, 0.5
    text: _Try = "the text of a problem", partial(_by_text, statement, puzzle_text, kind), inf, 1.0
    every: list[_Try] = [(*far[:2], inf, 0.5), (*few[:2], inf, 1.0)]
    early = only_truths(own.puzzle)  # edges drawn: their text would be made first, and in vain
    tries = {
        AUTO: [few, *[ends] * early, far, text, *[ends] * (not early), *every],
        RULES: [few, *every],
        EXHAUSTION: [text, *every],
        REFUTATION: [*[ends] * early, text, *[ends] * (not early)],
    }[kind]
    if isinstance(own.puzzle, PiecePuzzle | Level):  # their texts are derived, and need no rules beside them
        tries = tries[:1] if kind == RULES else [text]
    failed, stopped = list[str](), False
    for name, find, most, share in tries:
        if ended := budget.stopped():
            failed, stopped = [*failed, ended], True
            break
        progress(Stage(seconds=budget.elapsed, text=f"looking for evidence by {name}"))
        part = min(most, share * budget.remaining)
        try:
            return find(budget.part(part) if part < budget.remaining else budget)
        except (Unsupported, UsageError) as reason:
            failed.append(f"by {name}: {reason}")
            stopped |= isinstance(reason, Stopped)
            if name == text[0] and not isinstance(reason, UsageError):
                break  # what is left helps where there is no text
    raise (Stopped if stopped else Unsupported)("; ".join(failed))


def visited(statement: Statement, budget: Budget) -> int | None:
    """How many positions the checker visits to see that no plan costs less than is said: by the rules of the file if
    these stand in it, else by the text of a problem. None at a limit, or where it cannot tell. Raises
    `DisagreementError` if there is one.
    """
    limits = limits_of(budget)
    try:
        puzzle = puzzle_of(statement.puzzle.to_yaml(), limits=limits)
        if isinstance(puzzle, PiecePuzzle | Level):
            text = problem_of(statement.puzzle, statement.metric).text
            states, goal = exhaust(read(text, limits), statement.cost, [], limits)
        else:
            states, goal = exhausted(game_of(puzzle, statement.metric, limits), less(statement.cost), limits)
    except (Rejected, UsageError):
        return None
    if goal is not None:
        told = said(goal, statement.metric.split(","))
        raise DisagreementError(f"the checker of certificates finds a plan of {told}, which plain search did not")
    return states


def _by_text(statement: Statement, puzzle_text: str, kind: str, budget: Budget) -> Made:
    """The files of a certificate with the text of a problem. Raises `UsageError` where that has too many actions, and
    `DisagreementError` for a plan that costs something else in the problem.
    """
    claim, steps = statement.cost, list[str]()
    made = problem_of(statement.puzzle, statement.metric)
    problem = read(made.text, limits_of(budget))
    evidence = find_evidence(made.text, claim, budget, kind)
    if statement.plan is not None:
        steps = made.steps_of(statement.plan)
        cost = replay(problem, steps, PLAN, limits_of(budget))
        if cost != claim:
            told = f"the plan of {statement.puzzle.header.name} costs {claim}, and in problem.txt {cost}"
            raise DisagreementError(told)
    text = made.text.encode()
    files = {PROBLEM: text} if len(text) <= LONG else {PACKED: lzma.compress(text)}
    return files | _files(statement, puzzle_text, evidence, steps), evidence.kind


def _files(says: Statement, text: str, evidence: Found, steps: Iterable[object], metric: str = "") -> dict[str, bytes]:
    """The puzzle, what is said of it, the steps of the plan if there is one, and the proof of a refutation. `metric`:
    what is counted, where no text of a problem says that.
    """
    told = claim_text(says.kind, says.cost, evidence.kind, evidence.numbers, evidence.lines, metric)
    files = {PUZZLE: text.encode(), CLAIM: told.encode()}
    if says.plan is not None:
        files[PLAN] = "".join(f"{step}\n" for step in steps).encode()
    if evidence.proof is not None:
        files[PROOF] = evidence.proof
    return files


class _ByRules:
    """Evidence by the rules of the puzzle's own family in `proofs/`, without a problem text."""

    def __init__(self, statement: Statement, text: str, limits: Limits) -> None:
        self.statement, self.text = statement, text
        self.puzzle = puzzle_of(text, limits=limits)

    def visit(self, budget: Budget, by_distances: bool = False) -> Made:
        """Visit every position that can be on a cheaper plan, all of them or by distances of values. Raises `Rejected`,
        and `CheaperPlanError` if one is a goal.
        """
        says, kind = self.statement, DISTANCES if by_distances else RULES
        game = game_of(self.puzzle, says.metric, limits_of(budget), by_distances)
        states, goal = exhausted(game, less(says.cost), limits_of(budget))
        if goal is not None:
            counts = says.metric.split(",")
            raise CheaperPlanError(f"the checker of certificates finds a plan of {said(goal, counts)}")
        return self.made(Found(kind, (states,)))

    def ends(self, budget: Budget) -> Made:
        """A refutation of the end of a cheaper plan. Raises `Unsupported` where there is none, and `Stopped`."""
        says = self.statement
        return self.made(refuted_endings(self.puzzle, says.cost, says.metric, self.text, budget))

    def made(self, basis: Found) -> Made:
        """The files, for evidence of the kind `rules`, `endings` or `parity`."""
        says = self.statement
        acts = () if says.plan is None else says.plan.moves
        if says.plan is not None and says.puzzle.family == "custom":  # with every step of the walks that are left out
            acts = tuple(end_of(says.plan, partial(CustomSimulator, says.puzzle.value), Act).made)
        kind = {DISTANCES: RULES, ENDINGS: REFUTATION}.get(basis.kind, basis.kind)
        return _files(says, self.text, basis, acts, says.metric), kind
