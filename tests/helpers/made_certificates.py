"""Certificates of small puzzles, as `certify` makes them: every family, and every kind of evidence."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from budge.models.families import load_text
from budge.models.library import load
from budge.proofs.by_rules import DISTANCES, ENDINGS, RULES
from budge.proofs.core.claim import EXHAUSTION, PAIRS, REFUTATION
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.folder import write_files
from budge.proofs.searching import SEARCH
from budge.runtime.budget import Budget
from budge.workflows.certifying import canonical, proven
from budge.workflows.evidence_finder import choose_evidence
from budge.workflows.problem_certificate import problem_files
from budge.workflows.solving import solve

from .certificates import BLOCKS, BOXES, COLD_ICE, DOORS, FREE_BRIDGE, ROOMS, RUSH, SHUT, STUCK, certificate

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
    "rush": RUSH,
    "stuck": STUCK,
    "lanes": HEAD + "rush-hour\nboard: |2\n  AA.B.C\n  ...B.C\n  DE...F\n  DE.GGF\n  ...HH.\n",
    "blocks": BLOCKS,
    "doors": DOORS,
    "tiles": HEAD + "n-puzzle\nstart: |2\n  1 2 3\n  . 4 5\n",
    "turned": HEAD + "n-puzzle\nstart: |2\n  1 5 3\n  2 4 .\n",
    "swapped": HEAD + "n-puzzle\nstart: |2\n  2 1 3\n  4 5 .\n",
    "boxes": BOXES,
    "rooms": ROOMS,
    "shut": SHUT,
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
    "bridge": FREE_BRIDGE,
    "ice": COLD_ICE,
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
}
"""Rows: shifts are copies, and the switch has effects under a condition."""
PUZZLES["shore"] = PUZZLES["bridge"].replace("for x in person)\n", "for x in person) and torch == near\n")
"""All are on the far side, and the torch is not: there is no plan."""

KINDS = [
    Kind("rush", "slides", REFUTATION),
    Kind("rush", "steps", EXHAUSTION),
    Kind("stuck", "slides", PAIRS),
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
    Kind("rooms", "moves", EXHAUSTION),
    Kind("boxes", "pushes,moves", EXHAUSTION),
    Kind("shut", "pushes", PAIRS),
    Kind("bridge", "minutes", REFUTATION),
    Kind("bridge", "crossings,minutes", EXHAUSTION),
    Kind("shore", "minutes", EXHAUSTION),
    Kind("ice", "moves", REFUTATION),
    Kind("ice", "pushes,moves", EXHAUSTION),
    Kind("rows", "cost", REFUTATION),
    Kind("wolf-goat-cabbage", "moves", REFUTATION),
    Kind("bridge-and-torch", "minutes", REFUTATION),
    Kind("rows", "cost", EXHAUSTION),
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
    text = canonical(puzzle)
    if evidence in (RULES, DISTANCES):
        return certificate(text, metric, evidence)
    says = proven(solve(puzzle, "plain", metric))
    asked = {PAIRS: REFUTATION, PARALLEL: REFUTATION, ENDINGS: REFUTATION, SEARCH: EXHAUSTION}
    with patch.object(choose_evidence, "MANY", 1 if evidence == PARALLEL else choose_evidence.MANY):
        files = problem_files(says, text, Budget(60), asked.get(evidence, evidence))[0]
    # With one sum of tables both visit the same states.
    claim = files[CLAIM].replace(b"by exhaustion", b"by search") if evidence == SEARCH else files[CLAIM]
    return files | {CLAIM: claim}


def write(folder: Path, files: Files) -> Path:
    """Write files to a folder in place of what is there."""
    if folder.exists():
        shutil.rmtree(folder)
    write_files(folder, files)
    return folder
