"""Certificates for the tests: of small puzzles, with all kinds of evidence."""

from __future__ import annotations

import budge
from budge.proofs.by_rules import DISTANCES, RULES, claim_text
from budge.proofs.core.claim import EXHAUSTION, OPTIMUM, PLAN, PUZZLE
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.limits import Limits
from budge.proofs.core.problem import Cost
from budge.runtime.budget import Budget
from budge.workflows.certifying import canonical, proven
from budge.workflows.problem_certificate import _ByRules, problem_files
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
"""Six pushes."""
STUCK = written(HEAD + "family: rush-hour\nboard: |2\n  AA.BB\n  .....\n")
SHUT = written(HEAD + "family: sokoban\nmap: |2\n  #####\n  #$  #\n  # @.#\n  #####\n")
"""The box stands in a corner."""
DOORS = HEAD + "family: sliding-block\nboard: |2\n  aab.\n  c.b.\n  d..#\ngoal: |2\n  ..c.\n  ...b\n  ...#\n"
DOORS = written(DOORS + "directions: {d: none}\ndoors: [{row: 1, col: 4, pieces: bc}]\n")
FREE_BRIDGE = """\
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
goal: all(at[x] == far for x in person)
metrics:
  minutes: cost
  crossings: [cross]
"""
BRIDGE = FREE_BRIDGE.replace("goal:", "always: at[Cat] == torch or at[Ann] == torch or at[Bob] == torch\ngoal:")
NO_TORCH = BRIDGE.replace("for x in person)\n", "for x in person) and torch == near\n")
"""All are on the far side, and the torch is not: there is no plan."""
COLD_ICE = """\
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
ICE = COLD_ICE.replace("  box: {of: cell}\n", "  box: {of: cell}\n  warm: {of: cell}\n").replace(
    "      player: player + d\n",
    "      player: player + d\n      warm[n] for n in neighbours(player) if count(box) > 1 and box[n]: not warm[n]\n",
    1,
)


def certificate(text: str, metric: str, kind: str = EXHAUSTION) -> dict[str, bytes]:
    """The files of the certificate of a puzzle, with evidence of a kind: those that `certify` knows, and `rules` and
    `distances`, by which the puzzle's own rules visit its positions.
    """
    says = proven(solve(budge.load_text(text), "plain", metric))
    if kind not in (RULES, DISTANCES):
        return problem_files(says, text, Budget(), kind)[0]
    return _ByRules(says, text, Limits()).visit(Budget(), by_distances=kind == DISTANCES)[0]


def by_rules(
    text: str, metric: str, claim: Cost | None, plan: str, positions: int = 5, kind: str = RULES
) -> dict[str, bytes]:
    """The files of a certificate that claims that the rules of the puzzle visit so many positions."""
    told = claim_text(OPTIMUM, claim, kind, (positions,), (), metric).encode()
    files = {CLAIM: told, PUZZLE: text.encode("utf-8", "surrogatepass")}
    return files if claim is None else {**files, PLAN: plan.encode()}


def claiming(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """The same, with a text in claim.txt replaced."""
    text = files[CLAIM].decode()
    assert old in text
    return {**files, CLAIM: text.replace(old, new, 1).encode()}
