"""The files of a certificate: a folder with the puzzle, the plan, the proof, and what is claimed of them.

certificate.json    the claim, the evidence, and the SHA-256 of every other file
puzzle.yaml         the puzzle
plan.txt            a plan, a move on each line; none if the puzzle is unsolvable
proof.lrat.xz       for a refutation, the proof
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .limits import Invalid, Unsupported
from .reading import Cost

FORMAT = 1
MANIFEST, PUZZLE, PLAN, PROOF = "certificate.json", "puzzle.yaml", "plan.txt", "proof.lrat.xz"
LARGEST = {MANIFEST: 1 << 20, PUZZLE: 1 << 16, PLAN: 1 << 22, PROOF: 1 << 30}
"""Bytes that each file may have."""

REFUTATION, EXHAUSTION, PARITY = "refutation", "exhaustion", "parity"
KEYS: dict[str, tuple[str, ...]] = {
    REFUTATION: ("kind", "at_most", "variables", "clauses", "dimacs_sha256"),
    EXHAUSTION: ("kind", "at_most", "states", "layers"),
    PARITY: ("kind",),
}
AREAS = "areas"
"""A further key of refutations of Sokoban: a list of texts, each the rows and columns of some cells."""
PARALLEL = "parallel"
"""A further key of refutations of boards of pieces: true, if several pieces may move in a step of the formula."""
AREA = re.compile(r"[1-9][0-9]{0,3} [1-9][0-9]{0,3}( [1-9][0-9]{0,3} [1-9][0-9]{0,3})*")
UNSOLVABLE = "unsolvable"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a folder claims. `claim` is the optimum, or None: there is no plan. `lower` is as KEYS has it."""

    metric: str
    claim: Cost | None
    lower: dict[str, Any]
    files: dict[str, bytes]

    def text(self, name: str) -> str:
        """A file as text. Raises `Invalid`."""
        try:
            return self.files[name].decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Invalid("the file is not text in UTF-8", name) from None


def write(folder: Path, certificate: Certificate, made_by: str) -> None:
    """Write a certificate; the manifest last, so that a folder with a manifest is whole. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (MANIFEST, PUZZLE, PLAN, PROOF):
        (folder / name).unlink(missing_ok=True)
    for name, data in certificate.files.items():
        (folder / name).write_bytes(data)
    claim = UNSOLVABLE if certificate.claim is None else plain(certificate.claim)
    manifest = {
        "format": FORMAT,
        "metric": certificate.metric,
        "claim": claim,
        "lower_bound": certificate.lower,
        "files": {name: sha256(data) for name, data in certificate.files.items()},
        "made_by": made_by,
    }
    text = re.sub(r",\n\s+(?=[0-9])", ", ", json.dumps(manifest, indent=2))  # lists of numbers on one line
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def sha256(data: bytes) -> str:
    """The digest of a file."""
    return hashlib.sha256(data).hexdigest()


def read(folder: Path) -> Certificate:
    """The certificate in a folder, every file held against its digest. Raises `Invalid` or `Unsupported`."""
    try:
        value = json.loads(_file(folder, MANIFEST).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Invalid(f"no JSON: {type(error).__name__}", MANIFEST, getattr(error, "lineno", None)) from None
    if not isinstance(value, dict) or type(value.get("format")) is not int:
        raise Invalid("no certificate: `format` is missing", MANIFEST)
    if value["format"] != FORMAT:
        raise Unsupported(f"{MANIFEST}: format {value['format']}; this checker knows format {FORMAT}")
    _keys(value, ("format", "metric", "claim", "lower_bound", "files", "made_by"), "the certificate")
    claim, metric, lower, digests = value["claim"], value["metric"], value["lower_bound"], value["files"]
    parts = claim if isinstance(claim, list) and len(claim) == 2 else [claim]
    if claim != UNSOLVABLE and not all(map(_counts, parts)):
        raise Invalid(f"`claim` is a number from 0, or a list of two, or `{UNSOLVABLE}`", MANIFEST)
    optimum = None if claim == UNSOLVABLE else tuple(parts)
    if not isinstance(metric, str) or not isinstance(lower, dict) or not isinstance(digests, dict):
        raise Invalid("`metric` is text, `lower_bound` and `files` are objects", MANIFEST)
    kind = lower.get("kind")
    if not isinstance(kind, str):
        raise Invalid("the evidence has no `kind`", MANIFEST)
    if kind not in KEYS:
        raise Unsupported(f"{MANIFEST}: evidence of a kind that this checker does not know")
    areas = lower.get(AREAS) if kind == REFUTATION else None
    further = [key for key in (AREAS, PARALLEL) if kind == REFUTATION and key in lower]
    _keys(lower, (*KEYS[kind], *further), "`lower_bound`")
    if PARALLEL in further and lower[PARALLEL] is not True:
        raise Invalid("`parallel` is true, or missing", MANIFEST)
    if AREAS in further and not (
        isinstance(areas, list) and all(isinstance(area, str) and AREA.fullmatch(area) for area in areas)
    ):
        raise Invalid("`areas` is a list of texts, each the row and column of one or more cells", MANIFEST)
    _check_numbers(lower, optimum)
    wanted = {PUZZLE} | ({PLAN} if optimum is not None else set()) | ({PROOF} if kind == REFUTATION else set())
    if set(digests) != wanted:
        raise Invalid(f"`files` names {', '.join(sorted(wanted))} and no others", MANIFEST)
    files = {}
    for name in sorted(wanted):
        files[name] = _file(folder, name)
        if sha256(files[name]) != digests[name]:
            raise Invalid("the file is not the one that the certificate was made with: its digest differs", name)
    return Certificate(metric, optimum, lower, files)


def plain(cost: Cost) -> int | list[int]:
    """A cost as the manifest has it: one number, or a list of two."""
    return cost[0] if len(cost) == 1 else list(cost)


def less(cost: Cost) -> Cost:
    """The largest cost below one: of pairs, which are compared from the first number on, too."""
    return (*cost[:-1], cost[-1] - 1)


def _counts(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 30


def _keys(value: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    if set(value) != set(keys):
        odd = sorted(set(value) ^ set(keys))[0]
        raise Invalid(f"{where} has the keys {', '.join(keys)}; `{odd[:40]}` is missing or too many", MANIFEST)


def _check_numbers(lower: dict[str, Any], claim: Cost | None) -> None:
    """The evidence is about the claim: it excludes plans of at most one less, or all plans."""
    kind = lower["kind"]
    if kind != PARITY and lower["at_most"] != (None if claim is None else plain(less(claim))):
        raise Invalid("the evidence is about another claim: `at_most` is not one less", MANIFEST)
    refutable = claim is not None and len(claim) == 1 and claim[0] > 0
    if (kind == PARITY and claim is not None) or (kind == REFUTATION and not refutable):
        raise Invalid(f"evidence of the kind {kind} cannot show this claim", MANIFEST)
    numbers = [lower[key] for key in KEYS[kind] if key in ("variables", "clauses", "states")]
    layers = lower.get("layers", [])
    if not all(map(_counts, numbers)) or not isinstance(layers, list) or not all(map(_counts, layers)):
        raise Invalid("a count is no number", MANIFEST)


def _file(folder: Path, name: str) -> bytes:
    """A file of the folder: a regular one, not too large. A link, a device or a pipe is not opened."""
    try:
        opened = os.open(folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(opened, "rb") as stream:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Invalid("no regular file", name)
            data = stream.read(LARGEST[name] + 1)
    except OSError as error:
        raise Invalid(f"cannot be read: {error.strerror or type(error).__name__}", name) from None
    if len(data) > LARGEST[name]:
        raise Invalid(f"more than {LARGEST[name] >> 10:,} KiB", name)
    return data
