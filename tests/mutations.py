"""Mutants of certificates of all kinds of evidence: in every file and every field, by bytes and by what they mean.

The digests, and the numbers of clauses and states, are those that the mutant has; so only the logic protects.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import budge
from budge.models.plan import cost_in
from budge.proofs.check import said
from budge.proofs.core.claim import EXHAUSTION, PLAN, PROOF, PUZZLE, REFUTATION
from budge.proofs.core.limits import Limits, Rejected
from budge.proofs.folder import MANIFEST
from budge.proofs.manifest import AREAS, PARALLEL, PARITY, Certificate, sha256, write
from budge.proofs.puzzles import puzzle_of
from budge.proofs.verdict import CertificateVerdict
from budge.runtime.outcome import Status
from budge.workflows.solving import solve

from .certificates import (
    BLOCKS,
    BOXES,
    BRIDGE,
    CROWD,
    DOORS,
    ICE,
    NO_TORCH,
    ROOMS,
    RUSH,
    SHUT,
    STUCK,
    SWAPPED,
    TILES,
    certificate,
    claiming,
    pick,
    signed,
)

KINDS: list[tuple[str, str, str]] = [
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
    (BOXES, "pushes,moves", EXHAUSTION),
    (ROOMS, "moves", EXHAUSTION),
    (SHUT, "pushes", EXHAUSTION),
    (DOORS, "slides", REFUTATION),
    (DOORS, "moves", EXHAUSTION),
]
made = cache(certificate)
Kind = tuple[str, str, str]
"""A puzzle, a metric, and a kind of evidence."""
Mutate = Callable[[Certificate, random.Random], Certificate]


def other_claim(one: Certificate, random_: random.Random) -> Certificate:
    """Another optimum, or none, or one where there is none."""
    if one.claim is None:
        return claiming(one, random_.choice([None, *((number,) for number in range(8))]))
    part = random_.randrange(len(one.claim))
    more = max(0, one.claim[part] + random_.choice((-2, -1, 1, 2)))
    return claiming(one, (*one.claim[:part], more, *one.claim[part + 1 :]))


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


def puzzle_lines(one: Certificate, random_: random.Random) -> Certificate:
    """A line of the puzzle is left out, stands twice, changes places with another, or has another number or word."""
    lines = one.files[PUZZLE].decode().splitlines()
    at, other = random_.randrange(len(lines)), random_.randrange(len(lines))
    how = random_.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[at])
    elif how == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = re.findall(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+", lines[at]) or [""]
        words[random_.randrange(len(words))] = random_.choice(
            ["0", "1", "2", "9", "true", "none", "not", "or", "==", "<", "UD", "any", *re.findall(r"\w+", lines[other])]
        )
        lines[at] = "".join(words)
    return replace(one, files={**one.files, PUZZLE: ("\n".join(lines) + "\n").encode()})


def plan_lines(one: Certificate, random_: random.Random) -> Certificate:
    """A line of the plan is left out, stands twice, or changes places with another; the claim may follow it."""
    if PLAN not in one.files:
        return other_claim(one, random_)
    lines = one.files[PLAN].decode().splitlines() or [""]
    at, other, how = random_.randrange(len(lines)), random_.randrange(len(lines)), random_.randrange(3)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[other])
    else:
        lines[at], lines[other] = lines[other], lines[at]
    text = "".join(f"{line}\n" for line in lines)
    changed = replace(one, files={**one.files, PLAN: text.encode()})
    with suppress(Rejected):
        if random_.random() < 0.7:
            return claiming(changed, puzzle_of(one.text(PUZZLE)).cost(text, one.metric, PLAN, Limits(20)))
    return changed


ODD: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2.0,
    1e300,
    10**30,
    "",
    "x",
    "\ud800",
    "\x1b[2J",
    [],
    [1],
    [[]],
    {},
    {"a": {}},
]
"""Values that stand where others are wanted."""


def odd_value(value: Any, random_: random.Random) -> Any:
    """A JSON value in which one part is another, is missing, or is one too many."""
    if isinstance(value, dict) and value and random_.random() < 0.9:
        key = random_.choice(sorted(value))
        how = random_.random()
        if how < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if how < 0.2:
            return {**value, random_.choice(["x", "\ud800", "at_most", "areas", "parallel", "kind"]): 1}
        return {**value, key: odd_value(value[key], random_)}
    if isinstance(value, list) and value and random_.random() < 0.7:
        at = random_.randrange(len(value))
        return [*value[:at], odd_value(value[at], random_), *value[at + 1 :]]
    if type(value) is int and random_.random() < 0.6:
        return random_.choice(
            [float(value), value + 1, value - 1, -value, str(value), [value], bool(value), value * 2**31]
        )
    return random_.choice(ODD)


def odd_manifest(folder: Path, random_: random.Random) -> None:
    """The manifest of a folder has another value somewhere, or other bytes."""
    text = (folder / MANIFEST).read_bytes()
    if random_.random() < 0.6:
        text = json.dumps(odd_value(json.loads(text), random_)).encode()
    else:
        start, end = pick(random_, text)
        text = text[:start] + bytes(random_.randrange(256) for _ in range(random_.randrange(4))) + text[end:]
    (folder / MANIFEST).write_bytes(text)


def odd_bytes(folder: Path, random_: random.Random) -> None:
    """A file has other bytes, and its digest is right."""
    value = json.loads((folder / MANIFEST).read_text())
    name = random_.choice(sorted(value["files"]))
    data = (folder / name).read_bytes()
    for _ in range(random_.choice((1, 1, 2, 5))):
        start, end = pick(random_, data)
        data = data[:start] + bytes(random_.randrange(256) for _ in range(random_.randrange(4))) + data[end:]
    (folder / name).write_bytes(data)
    value["files"][name] = sha256(data)
    (folder / MANIFEST).write_text(json.dumps(value))


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
    puzzle_lines,
    plan_lines,
]
IN_FOLDERS = [odd_manifest, odd_bytes]
"""Mutations of what has been written."""


def write_mutant(folder: Path, kind: Kind, number: int, random_: random.Random) -> Certificate:
    """Write a mutant of a certificate to a folder; most are signed again. Gives what it was before it was written."""
    write(folder, made(*kind), "a test")
    at = number % (len(MUTATIONS) + len(IN_FOLDERS))
    if at >= len(MUTATIONS):
        IN_FOLDERS[at - len(MUTATIONS)](folder, random_)
        return made(*kind)
    mutant = MUTATIONS[at](made(*kind), random_)
    if random_.random() < 0.9:
        with suppress(Rejected, KeyError, TypeError):  # where there is nothing to sign, it keeps the numbers it has
            mutant = signed(mutant)
    write(folder, mutant, "a test")
    return mutant


def is_true(verdict: CertificateVerdict) -> bool:
    """Whether a claim that was accepted is so, by an engine that shares nothing with the checker."""
    return verdict.shown == solved(verdict.puzzle, verdict.metric)


@cache
def solved(text: str, metric: str) -> str:
    """What is so of a puzzle, by plain search, in the words of the checker."""
    solution = solve(budge.load_text(text), "plain", metric)
    assert solution.status in (Status.OPTIMAL, Status.UNSOLVABLE)
    if solution.replay is None:
        return "the puzzle has no plan"
    return f"{said(cost_in(solution.replay, metric), metric)} is the optimum"
