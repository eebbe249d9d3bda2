"""Mutants of certificates, signed again: no mutant makes a false claim valid, and none makes a traceback.

The digests, and the numbers of clauses and states, are those that the mutant has; so only the logic protects. A mutant
may stay valid (a word of the puzzle's name, a hint too many): then its claim is held against an engine.
"""

from __future__ import annotations

import lzma
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import budge
import pytest
from budge.models.plan import cost_in
from budge.proofs.check import INVALID, UNSUPPORTED, VALID, check_folder
from budge.proofs.limits import Limits, Rejected
from budge.proofs.manifest import (
    AREAS,
    EXHAUSTION,
    PARALLEL,
    PARITY,
    PLAN,
    PROOF,
    PUZZLE,
    REFUTATION,
    Certificate,
    less,
    plain,
    write,
)
from budge.proofs.reading import Cost
from budge.runtime.outcome import Status
from budge.workflows.solving import solve

from .certificates import (
    BLOCKS,
    BOXES,
    BRIDGE,
    CROWD,
    ICE,
    NO_TORCH,
    ROOMS,
    RUSH,
    STUCK,
    SWAPPED,
    TILES,
    certificate,
    pick,
    signed,
)

KINDS = [
    (RUSH, "slides", REFUTATION),
    (RUSH, "steps", REFUTATION),
    (BLOCKS, "slides", REFUTATION),
    (CROWD, "slides", REFUTATION),
    (BLOCKS, "moves", REFUTATION),
    (TILES, "moves", REFUTATION),
    (ROOMS, "pushes", REFUTATION),
    (RUSH, "steps", EXHAUSTION),
    (BLOCKS, "moves", EXHAUSTION),
    (TILES, "moves", EXHAUSTION),
    (BOXES, "pushes", EXHAUSTION),
    (BOXES, "moves", EXHAUSTION),
    (STUCK, "slides", EXHAUSTION),
    (SWAPPED, "moves", PARITY),
    (BOXES, "moves,pushes", EXHAUSTION),
    (BRIDGE, "minutes", EXHAUSTION),
    (BRIDGE, "crossings,minutes", EXHAUSTION),
    (NO_TORCH, "minutes", EXHAUSTION),
    (ICE, "pushes,moves", EXHAUSTION),
    (ICE, "moves", EXHAUSTION),
]
SAMPLE, ALL = 12, 80
"""Mutants of each certificate in the quick run, and in the full one (1,600)."""

made = cache(certificate)
Mutate = Callable[[Certificate, random.Random], Certificate]


def other_claim(one: Certificate, random_: random.Random) -> Certificate:
    """Another optimum, or none, or one where there is none."""
    if one.claim is None:
        return claiming(one, random_.choice([None, *((number,) for number in range(8))]))
    part = random_.randrange(len(one.claim))
    more = max(0, one.claim[part] + random_.choice((-2, -1, 1, 2)))
    return claiming(one, (*one.claim[:part], more, *one.claim[part + 1 :]))


def claiming(one: Certificate, claim: Cost | None) -> Certificate:
    """The same with another claim."""
    lower = dict(one.lower)
    if "at_most" in lower:
        lower["at_most"] = None if claim is None else plain(less(claim))
    return replace(one, claim=claim, lower=lower)


def longer_plan(one: Certificate, random_: random.Random) -> Certificate:
    """A plan that goes to and fro first, and the claim that it is the shortest."""
    if one.claim is None:
        return other_claim(one, random_)
    if "custom" in one.text(PUZZLE):  # some action twice
        lines = one.files[PLAN].decode().splitlines(keepends=True)
        at = random_.randrange(len(lines))
        plan = "".join([*lines[:at], lines[at], lines[at], *lines[at + 1 :]]).encode()
        return claiming(replace(one, files={**one.files, PLAN: plan}), (*one.claim[:-1], one.claim[-1] + 1))
    row, column, path = one.files[PLAN].decode().split("\n")[0].split(" ")
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[path[0]]
    r, c = int(row) + (path[0] == "D") - (path[0] == "U"), int(column) + (path[0] == "R") - (path[0] == "L")
    plan = f"{row} {column} {path[0]}\n{r} {c} {back}\n".encode() + one.files[PLAN]
    return claiming(replace(one, files={**one.files, PLAN: plan}), tuple(part + 2 for part in one.claim))


def bytes_of(name: str) -> Mutate:
    """Some characters of a file are others."""

    def mutate(one: Certificate, random_: random.Random) -> Certificate:
        if name not in one.files:
            return other_claim(one, random_)
        data = lzma.decompress(one.files[name]) if name == PROOF else one.files[name]
        start, end = pick(random_, data)
        new = bytes(random_.choice(b"ABCX.#$@ 0123456789-ULRD\nd") for _ in range(random_.randrange(3)))
        data = data[:start] + new + data[end:]
        return replace(one, files={**one.files, name: lzma.compress(data, preset=0) if name == PROOF else data})

    return mutate


def board_cell(one: Certificate, random_: random.Random) -> Certificate:
    """One character of the map is another that maps have."""
    text = one.files[PUZZLE].decode()
    cells = [m.start() for m in re.finditer(r"(?<=[.#$@A-Za-z0-9 ])[.#$@A-Za-z0-9 ](?=.*\n)", text) if m.start() > 40]
    at = random_.choice(cells)
    text = text[:at] + random_.choice(".#$@ABCX123") + text[at + 1 :]
    return replace(one, files={**one.files, PUZZLE: text.encode()})


def proof_lines(one: Certificate, random_: random.Random) -> Certificate:
    """A line of the proof is left out, stands twice, or has a literal turned or a hint changed."""
    if PROOF not in one.files:
        return other_claim(one, random_)
    lines = lzma.decompress(one.files[PROOF]).decode().splitlines()
    at = random_.randrange(len(lines))
    words = lines[at].split()
    how = random_.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[at])
    elif how == 2 and len(words) > 3:
        w = random_.randrange(1, len(words))
        words[w] = str(-int(words[w])) if words[w].lstrip("-").isdigit() else "0"
        lines[at] = " ".join(words)
    elif how == 3 and len(words) > 3:
        words[random_.randrange(len(words))] = str(random_.randrange(1, 2000))
        lines[at] = " ".join(words)
    else:
        lines = [*lines[:at], f"{10**6} 0 {' '.join(map(str, range(1, 40)))} 0"]
    return replace(one, files={**one.files, PROOF: lzma.compress("\n".join(lines).encode(), preset=0)})


def truncated(one: Certificate, random_: random.Random) -> Certificate:
    """A file is cut off."""
    name = random_.choice(sorted(one.files))
    data = one.files[name]
    return replace(one, files={**one.files, name: data[: random_.randrange(len(data))]})


def other_kind(one: Certificate, random_: random.Random) -> Certificate:
    """Evidence of another kind, or for another metric."""
    if random_.random() < 0.5:
        return replace(one, metric=random_.choice(("steps", "slides", "moves", "pushes", "hops", "moves,pushes")))
    kind = random_.choice((EXHAUSTION, PARITY, REFUTATION))
    return claiming(replace(one, lower={"kind": kind} if kind == PARITY else {"kind": kind, "at_most": 0}), one.claim)


def other_form(one: Certificate, random_: random.Random) -> Certificate:
    """Steps are parallel where they were not, or the other way round; or areas are others."""
    if AREAS in one.lower or random_.random() < 0.3:
        return other_areas(one, random_)
    lower = dict(one.lower)
    if lower.pop(PARALLEL, None) is None:
        lower[PARALLEL] = random_.choice((True, True, 1, False))
    return replace(one, lower=lower)


def other_areas(one: Certificate, random_: random.Random) -> Certificate:
    """An area is left out, or has another cell; or there is one more."""
    areas = [area.split() for area in one.lower.get(AREAS, ())]
    if not areas or random_.random() < 0.1:
        areas.append([str(random_.randrange(1, 8)) for _ in range(random_.choice((2, 4, 6)))])
    area = random_.choice(areas)
    if random_.random() < 0.3:
        areas.remove(area)
    else:
        area[random_.randrange(len(area))] = str(random_.randrange(1, 8))
    return replace(one, lower={**one.lower, AREAS: [" ".join(area) for area in areas]})


MUTATIONS: list[Mutate] = [
    other_claim,
    longer_plan,
    bytes_of(PUZZLE),
    bytes_of(PLAN),
    bytes_of(PROOF),
    board_cell,
    proof_lines,
    proof_lines,
    truncated,
    other_kind,
    other_form,
]


def check_mutants(text: str, metric: str, kind: str, count: int, folder: Path) -> dict[str, int]:
    """Check mutants; how many came to which verdict."""
    original, random_ = made(text, metric, kind), random.Random(f"{text}{metric}{kind}")
    seen = dict.fromkeys((VALID, INVALID, UNSUPPORTED), 0)
    for number in range(count):
        mutant = MUTATIONS[number % len(MUTATIONS)](original, random_)
        with suppress(Rejected, KeyError, TypeError):  # where there is nothing to sign, it keeps the numbers it has
            mutant = signed(mutant)
        write(folder, mutant, "a test")
        verdict = check_folder(folder, Limits(mebibytes=512))
        seen[verdict.status] += 1
        if verdict.status == VALID:
            true = solve(budge.load_text(mutant.text(PUZZLE)), "auto", mutant.metric)
            assert true.status in (Status.OPTIMAL, Status.UNSOLVABLE)
            assert mutant.claim == (None if true.replay is None else cost_in(true.replay, mutant.metric)), verdict
    return seen


@pytest.mark.parametrize(("text", "metric", "kind"), KINDS)
def test_no_mutant_makes_a_false_claim_valid(text: str, metric: str, kind: str, tmp_path: Path) -> None:
    write(tmp_path, made(text, metric, kind), "a test")
    assert check_folder(tmp_path).status == VALID
    seen = check_mutants(text, metric, kind, SAMPLE, tmp_path)
    assert seen[INVALID] > SAMPLE // 3


@pytest.mark.slow
@pytest.mark.parametrize(("text", "metric", "kind"), KINDS)
def test_none_of_many_mutants_makes_a_false_claim_valid(text: str, metric: str, kind: str, tmp_path: Path) -> None:
    seen = check_mutants(text, metric, kind, ALL, tmp_path)
    assert seen[INVALID] > ALL // 3
