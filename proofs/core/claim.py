"""The folder of a certificate, and what it claims of its problem.

    problem.txt       the problem
    claim.txt         what is claimed, and the evidence for the lower bound
    plan.txt          the name of an action on each line; missing where no plan is claimed
    proof.lrat.xz     for a refutation, the proof
    puzzle.yaml, board.txt, formula.cnf, proof.lrat    for people and for other checkers; not read here

claim.txt:

    budge claim 1
    optimum 24                           or `optimum 8,33`, `at-least 24`, `unsolvable`
    by refutation 20544 61174            the numbers of variables and clauses; or `by exhaustion 54`, the number of
                                         states; or `by invariants`, which contradict the goal
    parallel                             the formula has parallel steps (`proofs/parallel.py`, which is not in the core)
    invariant A!=1|E!=1                  a clause
    table X 4 3 2 1 0                    variables with commas between them, and a number for each combination
    area r2c2,r2c3                       values of the walker
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .bounds import FILE, Table, table
from .formula import walker
from .limits import Invalid, Limits, Unsupported
from .problem import FILE as PROBLEM
from .problem import Cost, Literals, Problem, Reader, lines_of

HEAD = "budge claim 1"
PLAN, PROOF = "plan.txt", "proof.lrat.xz"
PUZZLE, BOARD = "puzzle.yaml", "board.txt"
LARGEST = {PROBLEM: 1 << 26, FILE: 1 << 26, PLAN: 1 << 24, PROOF: 1 << 30, PUZZLE: 1 << 16, BOARD: 1 << 20}
"""Bytes that each file may have."""

FOR_OTHERS = ("formula.cnf", "proof.lrat")
"""Files that are meant for other checkers."""

OPTIMUM, AT_LEAST, UNSOLVABLE = "optimum", "at-least", "unsolvable"
REFUTATION, EXHAUSTION, INVARIANTS = "refutation", "exhaustion", "invariants"
NUMBERS = {REFUTATION: 2, EXHAUSTION: 1, INVARIANTS: 0}
"""How many numbers stand behind each kind of evidence."""


@dataclass(slots=True)
class Claim:
    """What claim.txt says. `below`: plans that cost less than this are excluded; None, where all are."""

    says: str
    below: Cost | None
    kind: str
    numbers: tuple[int, ...]
    parallel: bool = False
    invariants: list[Literals] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    areas: list[int] = field(default_factory=list)

    @property
    def evidence(self) -> tuple[list[Literals], list[int], list[Table]]:
        """Invariants, areas and tables, as `Formula` takes them."""
        return self.invariants, self.areas, self.tables


def read_claim(problem: Problem, text: str, limits: Limits) -> Claim:
    """Read claim.txt. Raises `Invalid`, and `Unsupported` for evidence of an unknown kind."""
    lines = lines_of(text, HEAD, FILE, limits)
    if len(lines) < 3:
        raise Invalid("a claim is wanted, and what shows it", FILE)
    reader = Reader({name: x for x, name in enumerate(problem.names)}, problem.domains, limits, FILE)
    claim = reader.located(3, _head, reader, lines[1].split(" "), lines[2].split(" "), len(problem.counts))
    for number, line in enumerate(lines[3:], 4):
        word, *words = line.split(" ")
        limits.tick(1 + len(line) // 8 + (len(problem.actions) if word == "area" else 0))
        reader.located(number, _evidence, problem, reader, claim, word, words)
    return claim


def _head(reader: Reader, first: list[str], second: list[str], counts: int) -> Claim:
    says = first[0]
    if says not in (OPTIMUM, AT_LEAST, UNSOLVABLE) or len(first) != 1 + (says != UNSOLVABLE):
        raise Invalid("line 2 is `optimum N`, `at-least N` or `unsolvable`")
    below = None if says == UNSOLVABLE else reader.cost(first[1], counts)
    if second[0] != "by" or len(second) < 2:
        raise Invalid("line 3 is `by` and the kind of evidence")
    if second[1] not in NUMBERS:
        raise Unsupported(f"{FILE}: evidence of a kind that this checker does not know")
    numbers = tuple(reader.cost(word, 1)[0] for word in second[2:])
    if len(numbers) != NUMBERS[second[1]]:
        raise Invalid(f"`by {second[1]}` has {NUMBERS[second[1]]} number(s)")
    return Claim(says, below, second[1], numbers)


def _evidence(problem: Problem, reader: Reader, claim: Claim, word: str, words: list[str]) -> None:
    if word == "parallel" and not words:
        claim.parallel = True
    elif word == "invariant" and len(words) == 1:
        claim.invariants.append(reader.clause(words[0]))
    elif word == "table":
        variables = tuple(reader.names[name] for name in words[0].split(","))
        claim.tables.append(table(problem, variables, words[1:], reader))
    elif word == "area" and len(words) == 1 and (walk := walker(problem)) is not None:
        area = 0
        for value in words[0].split(","):
            area |= 1 << reader.value(walk, value)
        claim.areas.append(area)
    else:
        raise Invalid("a line says `invariant`, `table`, `area` (where something walks) or `parallel`")
