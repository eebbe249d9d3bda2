"""Certificates without a problem text: the puzzle's own rules visit every position, and none is a goal.

For puzzles whose moves cannot be written as actions of a problem in reasonable size (a flood, whose effect depends on
all cells; a chain that folds). The rules of the family in `proofs/` take the core's place, and have to be trusted.
claim.txt:

    budge claim 1
    optimum 5                the optimum, `8,33` where two things are counted, or `unsolvable`
    by rules 172             how many positions can be on a cheaper plan
    count moves              what is counted; two words with a comma between
"""

from __future__ import annotations

from collections.abc import Mapping

from .acting import ActingGame, ActionPuzzle
from .core.check import text_of
from .core.claim import FILE as CLAIM
from .core.claim import HEAD, OPTIMUM, PLAN, UNSOLVABLE
from .core.limits import Invalid, Limits, Unsupported
from .core.problem import LARGEST, Cost
from .exhaustion import Exhausted, exhaust_by_cost
from .manifest import less
from .puzzles import Puzzle, puzzle_about, text_in
from .verdict import VALID, CertificateVerdict, printable, said

BY = "by rules "


def positions_below(puzzle: Puzzle, claim: Cost | None, metric: str, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan cheaper than a claim (None: on any plan). Raises `Unsupported` for a
    puzzle that is not of rules of its own, and for what it does not count, and `Stopped` at a limit.
    """
    acting = ActingGame(_counted(puzzle, metric), metric, limits)
    return exhaust_by_cost(acting, None if claim is None else less(claim), limits)


def _counted(puzzle: Puzzle, metric: str) -> ActionPuzzle:
    """The puzzle, if it is of rules of its own and counts a metric. Raises `Unsupported`."""
    if not isinstance(puzzle, ActionPuzzle) or puzzle.counted(metric) is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle by its rules")
    return puzzle


def is_by_rules(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of such a certificate."""
    return f"\n{BY}".encode() in files.get(CLAIM, b"")[:200]


def claim_text(claim: Cost | None, metric: str, positions: int) -> str:
    """The text of claim.txt."""
    says = UNSOLVABLE if claim is None else f"{OPTIMUM} {','.join(map(str, claim))}"
    return f"{HEAD}\n{says}\n{BY}{positions}\ncount {metric}\n"


def checked_by_rules(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict. `other`: the text of the puzzle that it has to be about. Raises `Rejected`."""
    text = text_of(files, CLAIM)
    claim, metric, positions = _read(text)
    if claim_text(claim, metric, positions) != text:
        raise Invalid("the claim is not written as it has to be", CLAIM)
    yaml = text_in(files)
    puzzle = _counted(puzzle_about(yaml, other, limits), metric)
    counts = metric.split(",")
    by = []
    if claim is not None:
        if len(claim) != len(counts):
            raise Invalid("a number for each count is wanted", CLAIM)
        cost = puzzle.cost(text_of(files, PLAN), metric, PLAN, limits)
        if cost != claim:
            raise Invalid(f"the plan has {said(cost, counts)}, and the claim is another number", PLAN)
        by.append(f"the plan replays and has {said(cost, counts)}")
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)
    found = positions_below(puzzle, claim, metric, limits)
    if found.goal is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(found.goal, counts)}", CLAIM)
    if found.states != positions:
        raise Invalid(f"this checker visits {found.states} positions, and another number is claimed", CLAIM)
    few = "there is no plan" if claim is None else f"no plan has less than {said(claim, counts)}"
    by.append(f"{few}: recomputed here, none of the {positions:,} positions that can be on such a plan is a goal")
    shown = "there is no plan" if claim is None else f"{said(claim, counts)} is the optimum"
    trust = "Python and PyYAML, the rules of the puzzle in `proofs/`, the search"
    return CertificateVerdict(VALID, shown, tuple(by), trust, "", tuple(map(printable, puzzle.rows)), yaml, metric)


def _read(text: str) -> tuple[Cost | None, str, int]:
    lines = text.split("\n")
    if len(lines) != 5 or lines[0] != HEAD or lines[4] or not lines[3].startswith("count "):
        raise Invalid("a head, a claim, `by rules` and `count` are wanted, a line each", CLAIM)
    words = lines[1].split(" ")
    try:
        claim = None if words == [UNSOLVABLE] else tuple(int(part[:12]) for part in words[1].split(","))
        positions = int(lines[2].removeprefix(BY)[:12])
    except (ValueError, IndexError):
        raise Invalid("a number is wanted", CLAIM) from None
    if positions < 0 or (claim is not None and not all(0 <= part < LARGEST for part in claim)):
        raise Invalid("numbers are from 0 to 2^30", CLAIM)
    return claim, lines[3].removeprefix("count "), positions
