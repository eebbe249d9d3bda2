"""Certificates of small puzzles, as `certify` makes them: every family, and every kind of evidence."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from budge.models.library import load, load_text
from budge.proofs.by_rules import DISTANCES, ENDINGS, RULES, RulesClaim, positions_below
from budge.proofs.core.claim import EXHAUSTION, INVARIANTS, OPTIMUM, PLAN, PUZZLE, REFUTATION
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.limits import Limits
from budge.proofs.folder import write_files
from budge.proofs.plan_counting import COUNTING
from budge.proofs.puzzles import puzzle_of
from budge.proofs.searching import SEARCH
from budge.runtime.budget import Budget
from budge.workflows.certificate_plans import plan_of
from budge.workflows.certifying import proven
from budge.workflows.evidence_finder import choice
from budge.workflows.problem_certificate import problem_files
from budge.workflows.same_puzzle import canonical
from budge.workflows.solving import solve

Files = dict[str, bytes]

PARALLEL = "parallel"
"""A refutation of clauses with parallel steps, which otherwise only large boards have. Small ones have clauses about
changes."""


class Kind(NamedTuple):
    """A puzzle (of the library, or of `PUZZLES`), what is counted, and the kind of evidence that is asked for."""

    puzzle: str
    metric: str
    evidence: str


HEAD = "format: 1\nfamily: "
PUZZLES = {
    "rush": HEAD + "rush-hour\nboard: |2\n  AA.BC\n  ...BC\n  DD...\n",
    "stuck": HEAD + "rush-hour\nboard: |2\n  AA.BB\n  .....\n",
    "lanes": HEAD + "rush-hour\nboard: |2\n  AA.B.C\n  ...B.C\n  DE...F\n  DE.GGF\n  ...HH.\n",
    "blocks": HEAD + "sliding-block\nboard: |2\n  aXXb\n  aXXb\n  cd..\ngoal: |2\n  ....\n  .XX.\n  .XX.\n",
    "doors": HEAD + "sliding-block\nboard: |2\n  aab.\n  c.b.\n  d..#\ngoal: |2\n  ..c.\n  ...b\n  ...#\n"
    "directions: {d: none}\ndoors: [{row: 1, col: 4, pieces: bc}]\n",
    "tiles": HEAD + "n-puzzle\nstart: |2\n  1 2 3\n  . 4 5\n",
    "turned": HEAD + "n-puzzle\nstart: |2\n  1 5 3\n  2 4 .\n",
    "swapped": HEAD + "n-puzzle\nstart: |2\n  2 1 3\n  4 5 .\n",
    "boxes": HEAD + "sokoban\nmap: |2\n  ######\n  #@ $.#\n  # $ .#\n  #    #\n  ######\n",
    "rooms": HEAD + "sokoban\nmap: |2\n  #######\n  # # ###\n  #  # .#\n  #  $ $#\n  #   @.#\n  #######\n",
    "shut": HEAD + "sokoban\nmap: |2\n  #####\n  #$  #\n  # @.#\n  #####\n",
    "loop": """\
format: 1
family: custom
grid: |
  31.
  ...
  ...
legend:
  ".": {clue: 4}
  "1": {clue: 1}
  "3": {clue: 3}
types:
  way: [right, down]
state:
  drawn: {of: [cell, way]}
constants:
  clue: {of: cell, in: 0..4}
define:
  sides:
    with: {c: cell}
    is: count(drawn[c + k*down, right] for k in 0..1) + count(drawn[c + k*right, down] for k in 0..1)
actions:
  draw:
    with: {c: cell, d: way}
    when: c + d in cell and not drawn[c, d]
    set:
      drawn[c, d]: true
goal:
  - all(sides(c) == clue[c] for c in cell if clue[c] < 4)
  - loop((c, c + d) for c in cell for d in way if c + d in cell and drawn[c, d])
""",
    "bridge": """\
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
""",
    "ice": """\
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
""",
    "rows": """\
format: 1
family: custom
types:
  place: 0..2
  sign: [a, b, c]
state:
  top: {of: place, in: sign, start: {0: a, 1: b, 2: c}}
  low: {of: place, in: sign, start: {0: b, 1: c, 2: a}}
  lamp: {start: false}
actions:
  shift: {set: {"top[0]": "top[1]", "top[1]": "top[2]", "top[2]": "top[0]"}}
  drop: {with: {p: place}, when: "top[p] != low[p]", set: {"top[p]": "low[p]", "low[p]": "top[p]"}, cost: 2}
  switch: {set: {lamp: "not lamp", "low[p] for p in place if lamp and p < 2": "low[1 - p]"}}
goal: top[0] == c and top[1] == a and low[0] == a and lamp
metrics:
  cost: cost
""",
    "lamps": HEAD
    + """custom
grid: |
  ***
  ***
legend:
  "*": lit
  ".": floor
state:
  lit: {of: cell}
actions:
  press:
    with: {c: cell}
    set:
      lit[c]: not lit[c]
      lit[n] for n in neighbours(c): not lit[n]
goal: not any(lit)
""",
    "pipes": HEAD
    + """custom
grid: |
  *..
  .#.
  o.o
legend:
  "*": wet
  "o": tap
  ".": floor
state:
  wet: {of: cell}
constants:
  tap: {of: cell}
actions:
  lay:
    with: {c: cell, d: direction}
    when: wet[c] and c + d in cell and not wet[c + d]
    set:
      wet[c + d]: true
goal: all(wet[c] for c in cell if tap[c])
""",
}
"""Rows: shifts are copies, and the switch has effects under a condition."""
PUZZLES["shore"] = PUZZLES["bridge"].replace("for x in person)\n", "for x in person) and torch == near\n")
"""All are on the far side, and the torch is not: there is no plan."""

KINDS = [
    Kind("rush", "slides", REFUTATION),
    Kind("rush", "steps", EXHAUSTION),
    Kind("stuck", "slides", INVARIANTS),
    Kind("rush", "slides", PARALLEL),
    Kind("lanes", "slides", PARALLEL),
    Kind("blocks", "steps", REFUTATION),
    Kind("blocks", "moves", EXHAUSTION),
    Kind("blocks", "moves", SEARCH),
    Kind("rooms", "pushes", SEARCH),
    Kind("doors", "slides", REFUTATION),
    Kind("tiles", "moves", REFUTATION),
    Kind("turned", "moves", REFUTATION),
    Kind("turned", "moves", EXHAUSTION),
    Kind("swapped", "moves", EXHAUSTION),
    Kind("boxes", "pushes", REFUTATION),
    Kind("rooms", "pushes", REFUTATION),
    Kind("rooms", "moves", EXHAUSTION),
    Kind("boxes", "pushes,moves", EXHAUSTION),
    Kind("shut", "pushes", INVARIANTS),
    Kind("bridge", "minutes", REFUTATION),
    Kind("bridge", "crossings,minutes", EXHAUSTION),
    Kind("shore", "minutes", EXHAUSTION),
    Kind("ice", "moves", REFUTATION),
    Kind("ice", "pushes,moves", EXHAUSTION),
    Kind("rows", "cost", REFUTATION),
    Kind("lamps", "moves", REFUTATION),
    Kind("pipes", "moves", REFUTATION),
    Kind("wolf-goat-cabbage", "moves", REFUTATION),
    Kind("bridge-and-torch", "minutes", REFUTATION),
    Kind("rows", "cost", EXHAUSTION),
    Kind("turned", "moves", COUNTING),
    Kind("rows", "cost", COUNTING),
    Kind("bridge", "crossings,minutes", COUNTING),
    Kind("ice", "moves", RULES),
    Kind("shore", "crossings,minutes", RULES),
    Kind("loop", "moves", ENDINGS),
    Kind("folding-5", "moves", DISTANCES),
]


@cache
def files_of(kind: Kind) -> Files:
    """The files of a certificate."""
    name, metric, evidence = kind
    puzzle = load_text(PUZZLES[name]) if name in PUZZLES else load(name)
    says = replace(proven(solve(puzzle, "plain", metric)), counted=evidence == COUNTING)
    text = canonical(puzzle)
    if evidence not in (RULES, DISTANCES):
        asked = {INVARIANTS: "auto", COUNTING: "auto", PARALLEL: REFUTATION, ENDINGS: "auto", SEARCH: EXHAUSTION}.get(
            evidence, evidence
        )
        few = 1 if evidence == PARALLEL else choice.MANY
        with patch.object(choice, "MANY", few):
            files = problem_files(says, text, Budget(60), asked).files
        # With one sum of tables both visit the same states.
        claim = files[CLAIM].replace(b"by exhaustion", b"by search") if evidence == SEARCH else files[CLAIM]
        return files | {CLAIM: claim}
    read = puzzle_of(text)
    states = positions_below(read, says.cost, metric, Limits(), evidence).states
    files = {PUZZLE: text.encode(), CLAIM: RulesClaim(OPTIMUM, says.cost, metric, evidence, (states,)).text().encode()}
    return files if says.plan is None else files | {PLAN: plan_of(says.plan, metric, read, Limits()).encode()}


def write(folder: Path, files: Files) -> Path:
    """Write files to a folder in place of what is there."""
    if folder.exists():
        shutil.rmtree(folder)
    write_files(folder, files)
    return folder
