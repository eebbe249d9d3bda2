"""Certificates without a problem text: the rules of the puzzle's own family take the core's place.

Where the moves of a puzzle cannot be written as actions of a problem in reasonable size (a flood, whose effect depends
on all cells; a chain that folds), its rules visit every position that can be on a cheaper plan, and none is a goal. Or
clauses about the end of such a plan are refuted (`endings`), or a theorem about parity tells of an n-puzzle that it has
no plan. The rules have to be trusted. claim.txt:

    budge claim 1
    optimum 5                the optimum, `8,33` where two things are counted; or `at-least 5`, or `unsolvable`
    by rules 172             how many positions can be on a cheaper plan; or `by distances 62`, how many by the bound of
                             `distances`; or `by endings V C`, how many variables and clauses there are; or `by parity`
    count moves              what is counted; two words with a comma between
    cut 1,2,7                of endings: nodes on one side of a loop; any number of such lines
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from math import inf
from typing import Any

from .boards import PiecePuzzle
from .core.check import text_of
from .core.claim import FILE as CLAIM
from .core.claim import HEAD, OPTIMUM, PLAN, PROOF, UNSOLVABLE, Claim, read_claim
from .core.exhaustion import visit
from .core.limits import Invalid, Limits, Stopped, Unsupported
from .core.lrat import check, lines_of
from .core.problem import Cost, Problem
from .end_state_formula import Cut, Endings
from .games import Puzzle, game_of, puzzle_about, puzzle_of, text_in
from .reading import Cell, StateGraph
from .verdict import VALID, CertificateVerdict, in_words, printable, said

# Tiles on a rectangle with one blank: a permutation that no plan makes (Johnson, Story 1879).
#
# A move exchanges the blank with a tile beside it. Seen as a chessboard, the blank changes its colour with every
# move, and every move is one transposition. So a permutation of tiles and blank is odd if and only if the blank ends
# on the other colour. It needs tiles that all differ.


def parity_shows(board: Puzzle) -> bool:
    """Whether the goal places every tile, and by a permutation of the wrong parity; False if it does not apply."""
    if not isinstance(board, PiecePuzzle):
        return False
    cells = frozenset().union(*(piece.open for piece in board.pieces))
    single = all(len(piece.cells) == 1 for piece in board.pieces)
    placed = {letter: wish.cells for wish in board.wishes for letter in wish.letters if len(wish.letters) == 1}
    letters = {piece.letter for piece in board.pieces}
    apart = len(placed) == len(board.wishes) == len(letters) and set(placed) == letters
    if not single or not apart or len(cells) != len(letters) + 1 or any(len(cells) != 1 for cells in placed.values()):
        return False
    goes: dict[Cell, Cell] = {min(p.cells): min(placed[p.letter]) for p in board.pieces}
    if len(set(goes.values())) != len(goes) or not set(goes.values()) <= cells:
        return False
    (blank,), (blank_ends,) = cells - set(goes), cells - set(goes.values())
    goes[blank] = blank_ends
    odd = (sum(blank) + sum(blank_ends)) % 2
    cycles, left = 0, set(goes)
    while left:
        cycles += 1
        here = left.pop()
        while (here := goes[here]) in left:
            left.remove(here)
    return (len(goes) - cycles) % 2 != odd


RULES, DISTANCES, ENDINGS, PARITY = "rules", "distances", "endings", "parity"
NUMBERS = {RULES: 1, DISTANCES: 1, ENDINGS: 2, PARITY: 0}
"""How many numbers stand behind each kind of evidence."""

COUNT, CUT = "count ", "cut "


def claim_text(
    says: str, cost: Cost | None, kind: str, numbers: Iterable[int], lines: Iterable[str], metric: str = ""
) -> str:
    """The text of claim.txt; without a cost it says `unsolvable`. `lines`: what stands at its end; `metric`: what is
    counted, where no problem text says that.
    """
    claim = UNSOLVABLE if cost is None else f"{says} {','.join(map(str, cost))}"
    evidence = " ".join(["by", kind, *map(str, numbers)])
    count = [f"{COUNT}{metric}"] if metric else []
    return "".join(f"{line}\n" for line in (HEAD, claim, evidence, *count, *lines))


def exhausted(
    game: StateGraph, at_most: Cost | None, limits: Limits, most: int | None = None
) -> tuple[int, Cost | None]:
    """Visit every position that can be on a plan of at most a given cost (None: of any cost), up to the first goal, and
    without those of which the game's bound says more: how many they are, and the cost of a cheapest plan (None: no goal
    was visited). Raises `Unsupported` where the bound says nothing, `Stopped` at a limit and beyond `most` positions.
    """
    bound, start, number = game.bound, game.start, count(1)
    if bound is not None and bound(start) <= 1:
        raise Unsupported("they say nothing of the start")

    def left_out(position: Any, cost: Cost) -> bool:
        rest = 0 if bound is None or position == start else bound(position)
        out = rest == inf or (at_most is not None and (*cost[:-1], cost[-1] + rest) > at_most)
        if most is not None and not out and next(number) > most:
            raise Stopped(f"not decided: there are more than {most:,} positions")
        return out

    return visit(game, left_out, limits)


def less(cost: Cost | None) -> Cost | None:
    """The cost just below another: its last number less 1, as costs are compared from the first number on. None, which
    stands for no plan, stays None.
    """
    return None if cost is None else (*cost[:-1], cost[-1] - 1)


def endings(puzzle: Puzzle, cost: Cost | None, metric: str, cuts: Iterable[Cut], limits: Limits) -> Endings:
    """The clauses about plans cheaper than a cost. Raises `Rejected`."""
    if cost is None or len(cost) > 1:
        raise Unsupported("clauses about the end of a plan exclude plans below a cost of one count")
    return Endings(puzzle, metric, cost[0] - 1, list(cuts), limits)


def is_by_rules(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of such a certificate."""
    head = files.get(CLAIM, b"")[:200]
    return any(f"\nby {kind}".encode() in head for kind in NUMBERS)


def endings_in(files: Mapping[str, bytes], limits: Limits) -> Endings:
    """The clauses that the files of such a certificate are about. Raises `Rejected`."""
    claim, cuts = _read(text_of(files, CLAIM, limits), limits)
    if claim.kind != ENDINGS:
        raise Unsupported("this certificate is not a refutation, so there is no formula")
    metric = ",".join(claim.problem.counts)
    return endings(puzzle_of(text_in(files), limits=limits), claim.below, metric, cuts, limits)


def checked_by_rules(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict. `other`: the text of the puzzle that it has to be about. Raises `Rejected`."""
    claim, cuts = _read(text_of(files, CLAIM, limits), limits)
    yaml = text_in(files)
    puzzle = puzzle_about(yaml, other, limits)
    counts, metric, by = claim.problem.counts, ",".join(claim.problem.counts), []
    if puzzle.counted(metric) is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle by its rules")
    if claim.says == OPTIMUM:
        cost = game_of(puzzle, metric, limits).replayed(text_of(files, PLAN, limits), PLAN)
        if cost != claim.below:
            raise Invalid(f"the plan has {said(cost, counts)}, and the claim is another number", PLAN)
        by.append(f"the plan replays and has {said(cost, counts)}")
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)
    shown, few = in_words(claim.says, claim.below or (), counts)
    how, trust = _lower_bound(puzzle, claim, metric, cuts, files, limits)
    by.append(f"{few}: {how}")
    trusted = f"Python and PyYAML, the rules of the puzzle in `proofs/`, {trust}"
    board = tuple(map(printable, puzzle.rows))
    return CertificateVerdict(VALID, shown, tuple(by), trusted, "", board, yaml, metric)


def _lower_bound(
    puzzle: Puzzle, claim: Claim, metric: str, cuts: Iterable[Cut], files: Mapping[str, bytes], limits: Limits
) -> tuple[str, str]:
    """Check the evidence: what it shows, and what has to be trusted for that, in words. Raises `Rejected`."""
    if claim.kind == PARITY:
        if claim.below is not None or not parity_shows(puzzle):
            raise Invalid("parity does not show that this puzzle has no plan", CLAIM)
        return "start and goal differ by a permutation of the wrong parity", "the theorem about parity"
    if claim.kind == ENDINGS:
        made = endings(puzzle, claim.below, metric, cuts, limits)
        if (found := (made.variables, len(made.clauses))) != claim.numbers:
            raise Invalid(f"other numbers are claimed than this checker finds: {' '.join(map(str, found))}", CLAIM)
        steps = check(made.clauses, lines_of(files.get(PROOF, b""), limits, PROOF), made.variables, limits, PROOF)
        clauses = f"{len(made.clauses):,} clauses, each true of the end of every such plan"
        how = f"{clauses}, are refuted by {steps:,} steps of unit propagation"
        return how, "the sentences behind the clauses, the loop that checks proofs"
    game = game_of(puzzle, metric, limits, claim.kind == DISTANCES)
    states, goal = exhausted(game, less(claim.below), limits)
    if goal is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(goal, claim.problem.counts)}", CLAIM)
    if (states,) != claim.numbers:
        raise Invalid(f"this checker visits {states} positions, and another number is claimed", CLAIM)
    how = f"recomputed here, none of the {states:,} positions that can be on such a plan is a goal"
    return how, "the search" if claim.kind == RULES else "the search, the bound by distances of values"


def _read(text: str, limits: Limits) -> tuple[Claim, tuple[Cut, ...]]:
    """What claim.txt says, of a problem of which only the counts are known; and the cuts. Raises `Rejected`."""
    *lines, last = text.split("\n")
    count, *cuts = lines[3:] or [""]
    if not count.startswith(COUNT) or not all(cut.startswith(CUT) for cut in cuts):
        raise Invalid(f"below the evidence stand `{COUNT}...` and cuts", CLAIM)
    problem = Problem(tuple(count.removeprefix(COUNT).split(",")), (), (), (), (), ())
    claim = read_claim(problem, "\n".join([*lines[:3], last]), limits, NUMBERS)
    if cuts and claim.kind != ENDINGS:
        raise Invalid("cuts are for clauses about the end of a plan", CLAIM)
    return claim, tuple(tuple(cut.removeprefix(CUT).split(",")) for cut in cuts)
