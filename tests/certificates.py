"""Certificates for the tests: of small puzzles, all kinds of evidence; signed anew after a mutation."""

from __future__ import annotations

import random
from dataclasses import replace

import budge
from budge.engines.refutation import refute
from budge.proofs.check import dimacs, formula_of, game_of, puzzle_of
from budge.proofs.exhaustion import exhaust
from budge.proofs.formula import digest
from budge.proofs.limits import Limits
from budge.proofs.manifest import EXHAUSTION, PARITY, PLAN, PROOF, PUZZLE, REFUTATION, Certificate, plan_text
from budge.runtime.budget import Budget
from budge.workflows.solving import solve

HEAD = "format: 1\n"
RUSH = HEAD + "family: rush-hour\nboard: |2\n  AA.BC\n  ...BC\n  DD...\n"
BLOCKS = HEAD + "family: sliding-block\nboard: |2\n  aXXb\n  aXXb\n  cd..\ngoal: |2\n  ....\n  .XX.\n  .XX.\n"
TILES = HEAD + "family: n-puzzle\nstart: |2\n  1 2 3\n  . 4 6\n  7 5 8\n"
SWAPPED = HEAD + "family: n-puzzle\nstart: |2\n  1 2 3\n  4 5 6\n  8 7 .\n"
BOXES = HEAD + "family: sokoban\nmap: |2\n  ######\n  #@ $.#\n  # $ .#\n  #    #\n  ######\n"
STUCK = HEAD + "family: rush-hour\nboard: |2\n  AA.BB\n  .....\n"


def certificate(text: str, metric: str, kind: str) -> Certificate:
    """The certificate of a puzzle, with evidence of a kind."""
    solution = solve(budge.load_text(text), "plain", metric)
    moves = [(move.cell, move.path) for move in solution.plan.moves] if solution.plan else []  # type: ignore[attr-defined]
    claim = solution.cost
    assert claim is None or isinstance(claim, int)
    files = {PUZZLE: text.encode()}
    if claim is not None:
        files[PLAN] = plan_text(moves).encode()
    lower: dict[str, object] = {"kind": kind}
    if kind != PARITY:
        lower["at_most"] = None if claim is None else claim - 1
    made = signed(Certificate(metric, claim, lower, files))
    if kind == REFUTATION:
        assert claim is not None
        formula = formula_of(puzzle_of(text), metric, claim - 1, Limits())
        proof = refute(formula.variables, list(formula.clauses()), Budget(60)).proof
        assert proof is not None
        made.files[PROOF] = proof
    return made


def signed(certificate: Certificate) -> Certificate:
    """The certificate with the digest and the numbers of variables, clauses and states that its puzzle and claim have.

    Raises what the checker raises for a puzzle or a claim that has none.
    """
    lower, limits = dict(certificate.lower), Limits(20, 512)
    read = puzzle_of(certificate.text(PUZZLE))
    if lower["kind"] == REFUTATION:
        formula = formula_of(read, certificate.metric, lower["at_most"], limits)
        clauses = list(formula.clauses())
        lower |= {"variables": formula.variables, "clauses": len(clauses)}
        lower["dimacs_sha256"] = digest(dimacs(formula.variables, clauses))
    if lower["kind"] == EXHAUSTION:
        found = exhaust(game_of(read, certificate.metric, limits), lower["at_most"], limits)
        lower |= {"states": found.states, "layers": list(found.layers)}
    return replace(certificate, lower=lower)


def pick(random_: random.Random, text: bytes) -> tuple[int, int]:
    """A piece of a text: from where to where."""
    start = random_.randrange(len(text) + 1)
    return start, min(len(text), start + random_.choice((0, 1, 1, 1, 2, 5)))
