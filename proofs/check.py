"""Checking a certificate: whichever its form is, what was shown, by what, trusting what; and its formula for others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from .acting import ActingGame
from .boards import Level, PiecePuzzle
from .by_rules import checked_by_rules, endings_in, exhausted, is_by_rules, less
from .core.check import checked, formula_of, text_of
from .core.claim import AT_LEAST, EXHAUSTION, OPTIMUM, PAIRS, PUZZLE, Claim, read_claim
from .core.claim import FILE as CLAIM
from .core.formula import Formula
from .core.limits import Invalid, Limits, Stopped, Unsupported
from .core.problem import FILE as PROBLEM
from .core.problem import Problem, read
from .derivation import NotDerivedError, derive
from .folder import files_of
from .games import Puzzle, game_of, puzzle_about, puzzle_of, text_in
from .one_variable_formula import LAYERS
from .pages import board_game, page_of
from .searching import SEARCH, checked_by_search, is_by_search
from .verdict import FOR_PROBLEM, VALID, CertificateVerdict, guarded, in_words, printable, said

# Whether what a problem text shows is so of its puzzle.
#
# The text is *derived* from the rules, read as actions, for all states (`derivation`). Where that does not succeed, as
# for rows of actions that are one move, the claim is looked at by the rules alone: they visit all positions that can be
# on a plan of at most the claimed cost (`by_rules`), up to `MOST`; of PDDL with states at rest, these alone. Of more
# nothing is known: the claim is then one about problem.txt, and not about the puzzle.

MOST = 200_000
"""Positions that are visited by the rules, at most."""

CHECKED = "that problem.txt is puzzle.yaml"
DERIVED = (
    f"{CHECKED} was derived from the rules, for all positions: start, goal, and of each action its conditions, effects "
    "and price, over {:,} classes of positions"
)
"""What is said where a text was derived (`derivation`)."""

UNKNOWN = "not known to be puzzle.yaml"

PAIRS_REACHED = "the search for pairs of values that are reached together"

DERIVING, VISITING = 0.5, 0.9
"""The parts of the time left that deriving the text and visiting positions may take: what was shown of the text can be
said in the rest.
"""


Rows = tuple[str, ...]


def compared(text: str, claim: Claim, limits: Limits, other: str | None = None) -> tuple[str, str, Rows]:
    """Whether `24 is the optimum` of a problem is also so of the puzzle in `text`: what is known, in words; what is not
    known, empty if nothing; and the rows of the puzzle. Raises `Invalid` if it is wrong there, or if the puzzle is not
    the one of the text `other`; and `Unsupported` if the checker cannot read the puzzle, or does not count that.
    """
    problem, puzzle = claim.problem, puzzle_about(text, other, limits)
    metric = ",".join(problem.counts)
    try:
        rules = _rules(puzzle, metric, problem, _part(limits, VISITING))
    except Stopped as reason:
        return (f"{CHECKED} was {reason}", UNKNOWN, puzzle.rows)
    try:
        classes = derive(rules, problem, _part(limits, DERIVING))
        return (DERIVED.format(classes), "", puzzle.rows)
    except (NotDerivedError, Stopped) as reason:
        why = f"{CHECKED} was not derived from the rules: {reason}"
    try:
        at_most = less(claim.below) if claim.says == AT_LEAST else claim.below
        states, goal = exhausted(rules, at_most, _part(limits, VISITING), MOST)
    except Stopped as reason:
        return (f"{why}; and by them alone it is {reason}", UNKNOWN, puzzle.rows)
    if goal != (claim.below if claim.says == OPTIMUM else None):
        known = f"a plan of {said(goal, problem.counts)}" if goal else "no plan of the claimed cost"
        raise Invalid(f"it is another problem than that of puzzle.yaml, which has {known}", PROBLEM)
    visited = f"{states:,} position{'s' * (states != 1)}"
    how = f"the same of puzzle.yaml was recomputed by the rules in `proofs/`, from {visited}"
    return (f"{how}; {why}", "", puzzle.rows)


def _rules(puzzle: Puzzle, metric: str, problem: Problem, limits: Limits) -> ActingGame:
    """The rules of a puzzle as actions. Raises `Unsupported` if they do not count the metric."""
    count = puzzle.counted(metric)
    if count is not None and isinstance(puzzle, PiecePuzzle | Level):
        return board_game(puzzle, count, problem.names, limits)
    return game_of(puzzle, metric, limits)


def _named_rules(text: str, metric: str, limits: Limits) -> str:
    """What has to be trusted of the rules of a puzzle: of a board also its page, with a digest of it."""
    puzzle, rules = puzzle_of(text, limits=limits), "the rules of the puzzle in `proofs/`"
    count = puzzle.counted(metric)
    if count is None or not isinstance(puzzle, PiecePuzzle | Level):
        return rules
    return f"{rules}: {page_of(puzzle, count)}"


def _part(limits: Limits, part: float) -> Limits:
    """The limits, with a part of the time that is left."""
    gone = time.monotonic() - limits.began
    return replace(limits, seconds=limits.seconds and gone + part * max(0.0, limits.seconds - gone))


# Checking a certificate that has a problem text: by the core and its layers, and whether the text is the puzzle.


def checked_problem(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict about the files, by name, of a certificate with a problem.txt. `other`: the text of the puzzle,
    in the form of certificates, that it has to be about. Raises `Rejected`.
    """
    claim = checked_by_search(files, limits) if is_by_search(files) else checked(files, limits, LAYERS)
    metric = ",".join(claim.problem.counts)
    if PUZZLE not in files:
        if other is not None:
            raise Unsupported("the certificate has no puzzle.yaml: it is about problem.txt alone")
        text, rows = "", Rows()
        how, open_ = "there is no puzzle.yaml with which problem.txt could be compared", "of no puzzle"
    else:
        text = text_in(files)
        how, open_, rows = compared(text, claim, limits, other)
    what, by, trust = _shown(claim)
    trust = f"Python, what the lines of problem.txt mean, {trust}"
    trust += "" if open_ else f", {_named_rules(text, metric, limits)}"
    board, status = tuple(map(printable, rows)), FOR_PROBLEM if open_ else VALID
    return CertificateVerdict(status, what, (*by, how), trust, "", board, text, metric, open_)


def _shown(claim: Claim) -> tuple[str, tuple[str, ...], str]:
    """What a claim that was checked says, what has shown each part of it, and what has to be trusted for that."""
    counts, by, cost = claim.problem.counts, [], ""
    what, few = in_words(claim.says, claim.below or (), counts)
    if claim.says == OPTIMUM and claim.below is not None:
        cost = said(claim.below, counts)
        by.append(f"the plan replays and has {cost}")
    if claim.kind == PAIRS:
        by.append(f"{few}: recomputed here, values of the goal are never reached together (h^2)")
        trust = PAIRS_REACHED
    elif claim.kind in (EXHAUSTION, SEARCH):
        states = claim.numbers[0]
        none = f"none of the {states:,} states that can be on such a plan is a goal"
        by.append(f"{few}: recomputed here, {none if states else 'the tables give this bound at the start already'}")
        trust = "the search of `proofs/searching.py` and `grouped_states.py`" if claim.kind == SEARCH else "the search"
        trust += ", the check of tables" if claim.kind == SEARCH or claim.tables else ""
    else:
        clauses = f"{claim.numbers[1]:,} clauses, each true of every such plan"
        by.append(f"{few}: {clauses}, are refuted by {claim.steps:,} steps of unit propagation")
        form = {"changes": ", those of changes", "parallel": ", those of changes and parallel steps"}.get(claim.form)
        trust = f"the sentences behind the clauses{f'{form} among them' if form else ''}, the loop that checks proofs"
        trust += f", {PAIRS_REACHED}" if claim.pairs else ""
    return what, tuple(by), trust


def formula_in(files: Mapping[str, bytes], limits: Limits) -> Formula:
    """The formula that the refutation among the files is about. Raises `Rejected`."""
    problem = read(text_of(files, PROBLEM, limits), limits)
    return formula_of(read_claim(problem, text_of(files, CLAIM, limits), limits), limits, LAYERS)


def check_folder(folder: Path, limits: Limits | None = None, *, puzzle: str | None = None) -> CertificateVerdict:
    """Check the certificate in a folder. Never raises, whatever the files hold, but `KeyboardInterrupt`.

    `puzzle`: the text of a puzzle file, in the form that certificates have, that the certificate has to be about.
    """
    limits = limits or Limits()
    return guarded(lambda: _checked(folder, limits, puzzle))


def _checked(folder: Path, limits: Limits, puzzle: str | None) -> CertificateVerdict:
    files = files_of(folder, limits)
    return (checked_by_rules if is_by_rules(files) else checked_problem)(files, limits, puzzle)


def dimacs_of(folder: Path, limits: Limits) -> Iterator[str]:
    """The lines of the formula that a refutation in a folder is about, as a CNF file. Raises `Rejected`."""
    files = files_of(folder, limits)
    if is_by_rules(files):
        made = endings_in(files, limits)
        variables, clauses = made.variables, made.clauses
    else:
        formula = formula_in(files, limits)
        variables, clauses = formula.variables, list(formula.clauses())
    yield f"p cnf {variables} {len(clauses)}\n"
    for clause in clauses:
        limits.tick()
        yield " ".join(map(str, clause)) + " 0\n"
