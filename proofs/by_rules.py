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

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from .core.bounds import FILE as CLAIM
from .core.check import text_of
from .core.claim import HEAD, OPTIMUM, PLAN, UNSOLVABLE
from .core.claim import PUZZLE as PUZZLE_FILE
from .core.limits import Invalid, Limits, printable
from .core.problem import LARGEST, Cost
from .games import Game, game_of
from .puzzles import puzzle_of
from .verdict import VALID, CertificateVerdict

BY = "by rules "
EACH = 300
"""Memory in bytes of a position."""


@dataclass(frozen=True, slots=True)
class Visited:
    """How many positions were visited, and the cost of the cheapest plan if one is below the claim."""

    positions: int
    plan: Cost | None


def visit(game: Game, below: Cost | None, counts: int, limits: Limits) -> Visited:
    """Visit every position that can be on a plan cheaper than `below` (None: on any plan), the least cost first
    (Dijkstra 1959), until one is a goal. Raises `Stopped` at a limit.
    """
    zero = (0,) * counts
    best: dict[Hashable, Cost] = {game.start: zero}
    queue, tie, positions = [(zero, 0, game.start)] if below is None or zero < below else [], 0, 0
    while queue:
        cost, _, position = heappop(queue)
        if cost > best[position]:
            continue
        positions += 1
        limits.tick()
        if game.solved(position):
            return Visited(positions, cost)
        for price, then in game.moves(position):
            total = tuple(map(int.__add__, cost, price))
            if (below is None or total < below) and (then not in best or total < best[then]):
                limits.hold(EACH)
                best[then] = total
                tie += 1
                heappush(queue, (total, tie, then))
    return Visited(positions, None)


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
    if PUZZLE_FILE not in files:
        raise Invalid("the file is missing", PUZZLE_FILE)
    try:
        yaml = files[PUZZLE_FILE].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("the file is not text in UTF-8", PUZZLE_FILE) from None
    puzzle = puzzle_of(yaml, PUZZLE_FILE, limits)
    if other is not None and puzzle_of(other, "the puzzle file", limits) != puzzle:
        raise Invalid("the certificate is about another puzzle than the file", PUZZLE_FILE)
    game = game_of(puzzle, metric, limits)
    counts = metric.count(",") + 1
    by = []
    if claim is not None:
        if len(claim) != counts:
            raise Invalid("a number for each count is wanted", CLAIM)
        cost = puzzle.cost(text_of(files, PLAN), metric, PLAN, limits)
        if cost != claim:
            raise Invalid(f"the plan has {said(cost, metric)}, and the claim is another number", PLAN)
        by.append(f"the plan replays and has {said(cost, metric)}")
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)
    found = visit(game, claim, counts, limits)
    if found.plan is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(found.plan, metric)}", CLAIM)
    if found.positions != positions:
        raise Invalid(f"this checker visits {found.positions} positions, and another number is claimed", CLAIM)
    few = "there is no plan" if claim is None else f"no plan has less than {said(claim, metric)}"
    by.append(f"{few}: recomputed here, none of the {positions:,} positions that can be on such a plan is a goal")
    shown = "there is no plan" if claim is None else f"{said(claim, metric)} is the optimum"
    trust = "Python and PyYAML, the rules of the puzzle in `proofs/`, the search"
    return CertificateVerdict(VALID, shown, tuple(by), trust, "", tuple(map(printable, puzzle.rows)), yaml, metric)


def said(cost: Cost, metric: str) -> str:
    """A cost in words: `24 slides`, `8 pushes and 33 moves`."""
    return " and ".join(f"{number} {unit}" for number, unit in zip(cost, metric.split(","), strict=True))


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
