"""Evidence that a proof does not use goes, and the proof's identifiers of clauses follow.

A proof that has been trimmed names the clauses that it uses, and with them the invariants and areas. An invariant that
stays may need others to be kept by each action: these stay as well.
"""

from __future__ import annotations

import lzma
from itertools import cycle

from ...engines.common.refutation import packed
from ...proofs.core.formula import Clause, Formula
from ...proofs.core.limits import Limits
from ...proofs.core.problem import Literals
from .keeping import with_what_keeps_them
from .refuting import Search, area_lines, invariant_lines


def pruned(search: Search, proof: bytes, limits: Limits) -> tuple[Search, bytes]:
    """The same refutation with the evidence that is needed, and its proof (both compressed with xz)."""
    problem = search.problem(limits)
    formula, claim = search.formula(problem, limits)
    others = [line for line in search.lines if not line.startswith(("invariant", "area"))]
    bare = list(Search(search.packed, search.claim, others).formula(problem, limits)[0].clauses())
    clauses = list(formula.clauses())
    steps = lzma.decompress(proof).split(b"\n")
    used = {hint for line in steps for hint in _hints(line) if hint <= len(clauses)}
    invariants, areas = set[Literals](), set[int]()
    labels = _labels(formula)
    beside = _beside(clauses, bare)
    for number, (kind, index) in zip(beside, cycle(labels), strict=False):
        if number in used and kind == "area":
            areas.add(claim.areas[index])
        elif number in used:
            invariants.add(claim.invariants[index])
    every = list(dict.fromkeys([*claim.invariants, *search.keepers]))
    invariants = with_what_keeps_them(problem, invariants, every, limits)
    lines = others + invariant_lines(problem, sorted(invariants))
    if formula.walk is not None:
        lines += area_lines(problem, formula.walk, [one for one in claim.areas if one in areas])
    smaller = Search(search.packed, search.claim, lines)
    fewer = list(smaller.formula(problem, limits)[0].clauses())
    names = _names(clauses, beside, fewer, _beside(fewer, bare))
    shift = len(clauses) - len(fewer)
    text = b"\n".join(_renamed(line, names, shift) for line in steps)
    return smaller, packed(text)


def _labels(formula: Formula) -> list[tuple[str, int]]:
    """For each clause of a layer that is there because of an invariant or an area, which of them."""
    labels = []
    for index, part in enumerate(formula.claim.invariants):
        labels += [("invariant", index)] * (2 if any(x == formula.walk for x, _ in part) else 1)
    for index, area in enumerate(formula.claim.areas):
        labels += [("area", index)] * area.bit_count()
    return labels


def _beside(clauses: list[Clause], bare: list[Clause]) -> list[int]:
    """The numbers (from 1) of the clauses that are not among the bare ones, which are in the same order."""
    beside, at = [], 0
    for number, clause in enumerate(clauses, 1):
        if at < len(bare) and clause == bare[at]:
            at += 1
        else:
            beside.append(number)
    return beside


def _names(old: list[Clause], old_beside: list[int], new: list[Clause], new_beside: list[int]) -> list[int]:
    """For the number of each clause the number of the same one in another formula, or 0. Those that are not beside the
    bare ones are the same in both, in order."""
    names, here, there = [0] * (len(old) + 1), set(old_beside), set(new_beside)
    bare = (number for number in range(1, len(new) + 1) if number not in there)
    same = {new[number - 1]: number for number in new_beside}
    for number, clause in enumerate(old, 1):
        names[number] = same.get(clause, 0) if number in here else next(bare)
    return names


def _hints(line: bytes) -> list[int]:
    if not line or b" d " in line:
        return []
    return list(map(int, line.split(b" 0 ", 1)[1].split()[:-1]))


def _renamed(line: bytes, names: list[int], shift: int) -> bytes:
    """A step of a proof with new identifiers: `names` for the clauses of the formula, others less by `shift`."""
    if not line:
        return line
    words = line.split(b" ")
    ends = 1 if words[1] == b"d" else words.index(b"0")

    def name(word: bytes) -> bytes:
        number = int(word)
        return b"%d" % (names[number] if number < len(names) else number - shift)

    return b" ".join([name(words[0]), *words[1 : ends + 1], *map(name, words[ends + 1 : -1]), b"0"])
