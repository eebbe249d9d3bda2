"""Certificates without a problem text: the rules of the puzzle's own family take the core's place.

Where the moves of a puzzle cannot be written as actions of a problem in reasonable size (a flood, whose effect depends
on all cells; a chain that folds), its rules visit every position that can be on a cheaper plan, and none is a goal. And
a theorem about parity tells of an n-puzzle that it has no plan. The rules have to be trusted. claim.txt:

    budge claim 1
    optimum 5                the optimum, `8,33` where two things are counted; or `at-least 5`, or `unsolvable`
    by rules 172             how many positions can be on a cheaper plan; or `by parity`
    count moves              what is counted; two words with a comma between
"""

from __future__ import annotations

from collections.abc import Mapping

from .core.check import text_of
from .core.claim import AT_LEAST, HEAD, OPTIMUM, PLAN, UNSOLVABLE
from .core.claim import FILE as CLAIM
from .core.limits import Invalid, Limits, Unsupported
from .core.problem import LARGEST, Cost
from .exhaustion import Exhausted, exhaust
from .games import game_of
from .parity import never_solved
from .pieces import PiecePuzzle
from .puzzles import Puzzle, puzzle_about, text_in
from .verdict import VALID, CertificateVerdict, in_words, printable, said

RULES, PARITY = "rules", "parity"
BY, BY_PARITY = f"by {RULES} ", f"by {PARITY}"


def positions_below(puzzle: Puzzle, claim: Cost | None, metric: str, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan cheaper than a claim (None: on any plan). Raises as `exhausted`."""
    return exhausted(puzzle, metric, None if claim is None else less(claim), limits)


def exhausted(puzzle: Puzzle, metric: str, at_most: Cost | None, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan of at most a given cost. Raises `Unsupported` for what the rules do
    not count, and `Stopped` at a limit.
    """
    return exhaust(game_of(puzzle, metric, limits), at_most, limits)


def less(cost: Cost) -> Cost:
    """The cost just below another: its last number less 1, as costs are compared from the first number on."""
    return (*cost[:-1], cost[-1] - 1)


def parity_shows(puzzle: Puzzle) -> bool:
    """Whether parity tells that there is no plan."""
    return isinstance(puzzle, PiecePuzzle) and never_solved(puzzle)


def is_by_rules(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of such a certificate."""
    head = files.get(CLAIM, b"")[:200]
    return any(f"\n{by}".encode() in head for by in (BY, BY_PARITY))


def claim_line(claim: Cost | None, says: str = OPTIMUM) -> str:
    """The second line of claim.txt: `optimum 24`, `at-least 24`; without a cost `unsolvable`."""
    return UNSOLVABLE if claim is None else f"{says} {','.join(map(str, claim))}"


def claim_text(claim: Cost | None, metric: str, positions: int | None = None, says: str = OPTIMUM) -> str:
    """The text of claim.txt. `positions`: those that were visited, None if parity shows the claim; `says`: what a
    claim of a cost says, that it is the optimum or a lower bound.
    """
    by = BY_PARITY if positions is None else f"{BY}{positions}"
    return f"{HEAD}\n{claim_line(claim, says)}\n{by}\ncount {metric}\n"


def checked_by_rules(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict. `other`: the text of the puzzle that it has to be about. Raises `Rejected`."""
    text = text_of(files, CLAIM)
    says, claim, metric, positions = _read(text)
    if claim_text(claim, metric, positions, says) != text:
        raise Invalid("the claim is not written as it has to be", CLAIM)
    yaml = text_in(files)
    puzzle = puzzle_about(yaml, other, limits)
    if puzzle.counted(metric) is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle by its rules")
    counts = metric.split(",")
    by = []
    if claim is not None and len(claim) != len(counts):
        raise Invalid("a number for each count is wanted", CLAIM)
    if says == OPTIMUM:
        cost = puzzle.cost(text_of(files, PLAN), metric, PLAN, limits)
        if cost != claim:
            raise Invalid(f"the plan has {said(cost, counts)}, and the claim is another number", PLAN)
        by.append(f"the plan replays and has {said(cost, counts)}")
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)
    shown, few = in_words(says, claim or (), counts)
    how, trust = _lower_bound(puzzle, claim, metric, positions, limits)
    by.append(f"{few}: {how}")
    trusted = f"Python and PyYAML, the rules of the puzzle in `proofs/`, {trust}"
    return CertificateVerdict(VALID, shown, tuple(by), trusted, "", tuple(map(printable, puzzle.rows)), yaml, metric)


def _lower_bound(
    puzzle: Puzzle, claim: Cost | None, metric: str, positions: int | None, limits: Limits
) -> tuple[str, str]:
    """Check the evidence: what it shows, and what has to be trusted for that, in words. Raises `Rejected`."""
    if positions is None:
        if claim is not None or not parity_shows(puzzle):
            raise Invalid("parity does not show that this puzzle has no plan", CLAIM)
        return "start and goal differ by a permutation of the wrong parity", "the theorem about parity"
    counts = metric.split(",")
    found = positions_below(puzzle, claim, metric, limits)
    if found.goal is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(found.goal, counts)}", CLAIM)
    if found.states != positions:
        raise Invalid(f"this checker visits {found.states} positions, and another number is claimed", CLAIM)
    return f"recomputed here, none of the {positions:,} positions that can be on such a plan is a goal", "the search"


def _read(text: str) -> tuple[str, Cost | None, str, int | None]:
    lines = text.split("\n")
    if len(lines) != 5 or lines[0] != HEAD or lines[4] or not lines[3].startswith("count "):
        raise Invalid("a head, a claim, `by rules` or `by parity`, and `count` are wanted, a line each", CLAIM)
    words = lines[1].split(" ")
    try:
        says = words[0]
        claim = None if words == [UNSOLVABLE] else tuple(int(part[:12]) for part in words[1].split(","))
        positions = None if lines[2] == BY_PARITY else int(lines[2].removeprefix(BY)[:12])
    except (ValueError, IndexError):
        raise Invalid("a number is wanted", CLAIM) from None
    if (positions or 0) < 0 or (claim is not None and not all(0 <= part < LARGEST for part in claim)):
        raise Invalid("numbers are from 0 to 2^30", CLAIM)
    if claim is not None and says not in (OPTIMUM, AT_LEAST):
        raise Invalid("`optimum N`, `at-least N` or `unsolvable` is wanted", CLAIM)
    return says, claim, lines[3].removeprefix("count "), positions
