"""Lower bounds that add up: what the moves of single pieces cost at least, in any plan; a layer beside the core.

The *share* of a piece is the least total cost of its own moves in a plan, however many moves the others make. Every
move has one owner, so the shares of different pieces together are a lower bound of the whole (a cost partitioning that
gives the cost of each action to its owner: Katz and Domshlak, *Optimal admissible composition of abstraction
heuristics*, Artificial Intelligence 2010). claim.txt:

    budge claim 1
    at-least 6               the sum of the shares; or `optimum 6`, if a plan costs as much
    by shares 2              how many there are
    share A,F 4              the moves of A and F together cost at least 4 (`owners` says who owns moves)
    by exhaustion 178        how many states can be on a plan in which they cost less; none is a goal
    share B 2
    by exhaustion 40
    table B 1 0 0            as for exhaustion, and invariants, of the share above

problem.txt is that of the puzzle. For each share this checker changes its prices (`pricing`), and the core does the
rest. Whether each price is that of the puzzle is compared as the text itself is (`same_problem`), with the prices that
the rules of the puzzle give (`owners`). Actions of custom puzzles and PDDL are known by their names, which only a
comparison of all positions can confirm; so there is no share where there are more than can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .acting import ActionPuzzle
from .core.check import check_plan, text_of
from .core.claim import AT_LEAST, EXHAUSTION, FILE, HEAD, OPTIMUM, Claim, check_evidence, read_claim
from .core.exhaustion import Successors, exhaust
from .core.limits import Invalid, Limits, Unsupported
from .core.problem import FILE as PROBLEM
from .core.problem import WORD, Problem, read
from .games import problem_game
from .owners import Owners, owners_of
from .pricing import priced
from .puzzles import Puzzle, puzzle_about, text_in
from .rules_pddl import PddlPuzzle
from .same_problem import compare, compared
from .verdict import FOR_PROBLEM, VALID, CertificateVerdict, in_words, printable, said

SHARES, SHARE = "shares", "share"
BY = f"by {SHARES} "


@dataclass(frozen=True, slots=True)
class Share:
    """A share as claim.txt has it: whose it is, what it is, and its evidence, `by exhaustion S` and what follows."""

    owners: tuple[str, ...]
    cost: str
    evidence: tuple[str, ...]

    def lines(self) -> list[str]:
        """Its lines in claim.txt."""
        return [f"{SHARE} {','.join(self.owners)} {self.cost}", *self.evidence]


def is_by_shares(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of such a certificate."""
    return f"\n{BY}".encode() in files.get(FILE, b"")[:200]


def checked_shares(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict about such a certificate. `other`: the text of the puzzle that it has to be about. Raises
    `Rejected`.
    """
    problem = read(text_of(files, PROBLEM, limits), limits)
    claim, shares = _read(problem, text_of(files, FILE, limits), limits)
    text, counts = text_in(files), problem.counts
    metric = ",".join(counts)
    puzzle = puzzle_about(text, other, limits)
    owners = owners_of(puzzle, metric, limits)
    owners.check([word for share in shares for word in share.owners])
    same = compared(text, metric, problem, limits)
    found = [_checked(problem, puzzle, owners, share, limits) for share in shares]
    total = tuple(map(sum, zip(*(one.below or () for one, _ in found), strict=True)))
    if total != claim.below:
        raise Invalid(f"the shares are together {said(total, counts)}, and another number is claimed", FILE, 2)
    check_plan(claim, files, limits)
    depths = [depth for _, depth in found if depth is not None]
    trust = "Python, what the lines of problem.txt mean, the search, the owners of moves"
    names = [_together(owners, share) for share in shares]
    by = [] if claim.says == AT_LEAST else [f"the plan replays and has {said(total, counts)}"]
    for (one, _), name in zip(found, names, strict=True):
        least = f"{' and '.join(counts)} of {name}: at least {' and '.join(map(str, one.below or ()))}"
        by.append(f"{least}; recomputed here, none of the {one.numbers[0]:,} states of plans with less is a goal")
    if len(shares) > 1:
        by.append(f"every move has one owner, so the numbers add up: {in_words(AT_LEAST, total, counts)[1]}")
    played = f"every play of up to {min(depths)} moves costs" if depths else "all moves of all positions cost"
    whose = f"whose move is whose was checked by the same rules: with the moves of others free {played} the same"
    shown = in_words(claim.says, total, counts)[0]
    shown += f" of {names[0]}" if len(shares) == 1 and claim.says == AT_LEAST else ""
    rows = tuple(map(printable, puzzle.rows))
    status = FOR_PROBLEM if same.open else VALID
    return CertificateVerdict(status, shown, (*by, same.how, whose), trust, "", rows, text, metric, same.open)


def _checked(
    problem: Problem, puzzle: Puzzle, owners: Owners, share: Share, limits: Limits
) -> tuple[Claim, int | None]:
    """A share as a claim of the text with other prices, if it is shown; and for how many moves these prices are those
    of the puzzle, None for any number. Raises `Rejected`.
    """
    held, whose = limits.held, ",".join(share.owners)
    text = priced(problem, puzzle, share.owners, limits)
    try:
        claim = read_claim(text, "\n".join([HEAD, f"{AT_LEAST} {share.cost}", *share.evidence, ""]), limits)
    except Invalid as reason:
        raise Invalid(f"in the share of {whose}, whose first line counts as the second: {reason}") from None
    if claim.kind != EXHAUSTION:
        raise Unsupported(f"{FILE}: a share is shown by exhaustion")
    depth = alike(text, puzzle, owners, share.owners, limits)
    check_evidence(claim, limits)
    states, plan = exhaust(text, claim.below, claim.tables, limits)
    limits.hold(held - limits.held)  # what the search held is free again
    if plan is not None:
        less = said(plan, problem.counts)
        raise Invalid(f"the share of {whose} is wrong: there is a plan with only {less} of it", FILE)
    if (states,) != claim.numbers:
        raise Invalid(f"this checker visits {states} states for {whose}, and another number is claimed", FILE)
    return claim, depth


def alike(priced_text: Problem, puzzle: Puzzle, owners: Owners, words: Sequence[str], limits: Limits) -> int | None:
    """For how many moves the prices of a problem are those that the rules of the puzzle give to some owners; None for
    any number. Raises `Rejected`.
    """
    depth = compare(owners.priced(words), problem_game(Successors(priced_text, limits)), limits).depth
    if depth is not None and isinstance(puzzle, ActionPuzzle | PddlPuzzle):
        raise Unsupported("there are more positions than can be compared, to see whose actions are whose")
    return depth


def _together(owners: Owners, share: Share) -> str:
    *others, last = map(owners.label, share.owners)
    return f"{', '.join(others)} and {last} together" if others else last


def _read(problem: Problem, text: str, limits: Limits) -> tuple[Claim, list[Share]]:
    """What claim.txt says of the whole, as the core reads it, and the shares. Raises `Invalid`."""
    *lines, last = text.split("\n")
    if last or len(lines) < 4 or not lines[2].startswith(BY):
        raise Invalid(f"the third line is `{BY}N`, and the last one has an end", FILE)
    claim = read_claim(problem, "\n".join([*lines[:2], f"by {EXHAUSTION} {lines[2].removeprefix(BY)}", ""]), limits)
    if claim.says not in (AT_LEAST, OPTIMUM):
        raise Invalid("the sum of shares is a lower bound: `at-least N` or `optimum N` is wanted", FILE, 2)
    shares = list[Share]()
    starts = [number for number, line in enumerate(lines) if line.startswith(f"{SHARE} ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        limits.tick(1 + end - start)
        words = lines[start].split(" ")
        owners = tuple(words[1].split(","))
        if len(words) != 3 or not all(map(WORD.fullmatch, owners)):
            raise Invalid("`share`, names with commas between them and a cost are wanted", FILE, start + 1)
        shares.append(Share(owners, words[2], tuple(lines[start + 1 : end])))
    if starts[:1] != [3] or (len(shares),) != claim.numbers:
        raise Invalid(f"from the fourth line on stand as many shares as `{BY}N` says", FILE, 3)
    return claim, shares
