"""Certificates for the tests: of small puzzles, all kinds of evidence; signed anew after a mutation."""

from __future__ import annotations

import random
from dataclasses import replace

import budge
from budge.models.plan import cost_in
from budge.proofs.check import dimacs, exhausted, formula_of
from budge.proofs.core.claim import EXHAUSTION, PLAN, PUZZLE, REFUTATION
from budge.proofs.core.limits import Limits
from budge.proofs.layers import digest
from budge.proofs.manifest import PARITY, Certificate, less, plain
from budge.proofs.puzzles import puzzle_of
from budge.proofs.reading import Cost
from budge.runtime.budget import Budget
from budge.workflows.certificate_plans import plan_of
from budge.workflows.evidence import lower_bound
from budge.workflows.same_puzzle import canonical
from budge.workflows.solving import solve


def written(text: str) -> str:
    """A puzzle as certificates write it."""
    return canonical(budge.load_text(text))


HEAD = "format: 1\n"
RUSH = written(HEAD + "family: rush-hour\nboard: |2\n  AA.BC\n  ...BC\n  DD...\n")
CROWD = HEAD + "family: rush-hour\nboard: |2\n  AA.B.C\n  ...B.C\n  DEFGHI\n  DEFGHI\n  ......\n"
CROWD = written(CROWD + "  JKLMNO\n  JKLMNO\n  PQRSTU\n  PQRSTU\n")
"""21 vehicles. G and I have to go down before B and C can."""
BLOCKS = written(HEAD + "family: sliding-block\nboard: |2\n  aXXb\n  aXXb\n  cd..\ngoal: |2\n  ....\n  .XX.\n  .XX.\n")
TILES = written(HEAD + "family: n-puzzle\nstart: |2\n  1 2 3\n  . 4 6\n  7 5 8\n")
SWAPPED = written(HEAD + "family: n-puzzle\nstart: |2\n  1 2 3\n  4 5 6\n  8 7 .\n")
BOXES = written(HEAD + "family: sokoban\nmap: |2\n  ######\n  #@ $.#\n  # $ .#\n  #    #\n  ######\n")
ROOMS = written(HEAD + "family: sokoban\nmap: |2\n  #######\n  # # ###\n  #  # .#\n  #  $ $#\n  #   @.#\n  #######\n")
"""Six pushes. Without areas the clauses allow less."""
STUCK = written(HEAD + "family: rush-hour\nboard: |2\n  AA.BB\n  .....\n")
SHUT = written(HEAD + "family: sokoban\nmap: |2\n  #####\n  #$  #\n  # @.#\n  #####\n")
"""The box stands in a corner."""
DOORS = HEAD + "family: sliding-block\nboard: |2\n  aab.\n  c.b.\n  d..#\ngoal: |2\n  ..c.\n  ...b\n  ...#\n"
DOORS = written(DOORS + "directions: {d: none}\ndoors: [{row: 1, col: 4, pieces: bc}]\n")
BRIDGE = """\
format: 1
family: custom
types:
  side: [near, far]
  person: [Ann, Bob, Cat]
constants:
  pace: {of: person, in: 1..5, value: [1, 2, 5]}
state:
  at: {of: person, in: side, start: near}
  torch: {in: side, start: near}
actions:
  cross:
    with: {x: person, y: person}
    when: at[x] == torch and at[y] == torch and pace[x] <= pace[y]
    set:
      at[x]: other(torch)
      at[y]: other(torch)
      torch: other(torch)
    cost: pace[y]
always: at[Cat] == torch or at[Ann] == torch or at[Bob] == torch
goal: all(at[x] == far for x in person)
metrics:
  minutes: cost
  crossings: [cross]
"""
NO_TORCH = BRIDGE.replace("for x in person)\n", "for x in person) and torch == near\n")
"""All are on the far side, and the torch is not: there is no plan."""
ICE = """\
format: 1
family: custom
grid: |
  #...
  .@b.
  ..bG
legend:
  "@": player
  "b": box
  "G": target
state:
  player: {in: cell}
  box: {of: cell}
  warm: {of: cell}
constants:
  target: {of: cell}
define:
  free:
    with: {c: cell}
    is: not box[c]
actions:
  walk:
    with: {d: direction}
    when: free(player + d)
    set:
      player: player + d
      warm[n] for n in neighbours(player) if count(box) > 1 and box[n]: not warm[n]
  push:
    with: {d: direction}
    when: box[player + d] and free(player + 2*d)
    set:
      player: player + d
      box[player + d]: false
      box[slide(player + d, d, free)]: true
metrics:
  pushes: [push]
  moves: [push, walk]
goal: all(box[c] for c in cell if target[c]) and sum(col(c) for c in cell if box[c]) <= 6
"""


def certificate(text: str, metric: str, kind: str) -> Certificate:
    """The certificate of a puzzle, with evidence of a kind."""
    solution = solve(budge.load_text(text), "plain", metric)
    claim = None if solution.replay is None else cost_in(solution.replay, metric)
    files = {PUZZLE: text.encode()}
    if claim is not None:
        files[PLAN] = plan_of(solution, puzzle_of(text), Limits()).encode()
    lower: dict[str, object] = {"kind": kind}
    if kind != PARITY:
        lower["at_most"] = None if claim is None else plain(less(claim))
    made = signed(Certificate(metric, claim, lower, files))
    if kind == REFUTATION:
        assert claim is not None
        lower, files = lower_bound(puzzle_of(text), metric, claim, Budget(), REFUTATION)
        made = replace(made, lower=lower, files={**made.files, **files})
    return made


def signed(certificate: Certificate) -> Certificate:
    """The certificate with the digest and the numbers of variables, clauses and states that its puzzle and claim have.

    Raises what the checker raises for a puzzle or a claim that has none.
    """
    lower, limits = dict(certificate.lower), Limits(mebibytes=512)
    read = puzzle_of(certificate.text(PUZZLE))
    if lower["kind"] == REFUTATION:
        formula = formula_of(read, certificate.metric, lower["at_most"], limits, lower)
        clauses = list(formula.clauses())
        lower |= {"variables": formula.variables, "clauses": len(clauses)}
        lower["dimacs_sha256"] = digest(dimacs(formula.variables, clauses, limits))
    if lower["kind"] == EXHAUSTION:
        at_most = None if certificate.claim is None else less(certificate.claim)
        found = exhausted(read, certificate.metric, at_most, limits)
        lower |= {"states": found.states, "layers": list(found.layers)}
    return replace(certificate, lower=lower)


def claiming(one: Certificate, claim: Cost | None) -> Certificate:
    """The same with another claim."""
    lower = dict(one.lower)
    if "at_most" in lower:
        lower["at_most"] = None if claim is None else plain(less(claim))
    return replace(one, claim=claim, lower=lower)


def pick(random_: random.Random, text: bytes) -> tuple[int, int]:
    """A piece of a text: from where to where."""
    start = random_.randrange(len(text) + 1)
    return start, min(len(text), start + random_.choice((0, 1, 1, 1, 2, 5)))
