"""The files of a certificate: a folder with the puzzle, the plan, the proof, and what is claimed of them.

certificate.json    the claim, the evidence, and the SHA-256 of every other file
puzzle.yaml         the puzzle
plan.txt            a plan, a move on each line; none if the puzzle is unsolvable
proof.lrat.xz       for a refutation, the proof
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .core.claim import EXHAUSTION, PLAN, PROOF, PUZZLE, REFUTATION, UNSOLVABLE
from .core.limits import Invalid, Limits, Unsupported
from .folder import MANIFEST, file_of, refuse_others, write_files
from .reading import Cost

FORMAT = 1
LARGEST = {MANIFEST: 1 << 20, PUZZLE: 1 << 16, PLAN: 1 << 22, PROOF: 1 << 30}
"""Bytes that each file may have."""

PARITY = "parity"
KEYS: dict[str, tuple[str, ...]] = {
    REFUTATION: ("kind", "at_most", "variables", "clauses", "dimacs_sha256"),
    EXHAUSTION: ("kind", "at_most", "states", "layers"),
    PARITY: ("kind",),
}
AREAS = "areas"
"""A further key of refutations of Sokoban: a list of texts, each the rows and columns of some cells."""
METRIC = re.compile("[A-Za-z_][A-Za-z0-9_]{0,59}(,[A-Za-z_][A-Za-z0-9_]{0,59})?")
PARALLEL = "parallel"
"""A further key of refutations of boards of pieces: true, if several pieces may move in a step of the formula."""
AREA = re.compile(r"[1-9][0-9]{0,3} [1-9][0-9]{0,3}( [1-9][0-9]{0,3} [1-9][0-9]{0,3})*")


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
    """Write a certificate in place of what is in the folder. Raises `OSError`."""
    write_files(folder, files_with_manifest(certificate, made_by))


def files_with_manifest(certificate: Certificate, made_by: str) -> dict[str, bytes]:
    """The files of a certificate, `certificate.json` among them."""
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
    return {**certificate.files, MANIFEST: f"{text}\n".encode()}


def sha256(data: bytes) -> str:
    """The digest of a file."""
    return hashlib.sha256(data).hexdigest()


def read(folder: Path) -> Certificate:
    """The certificate in a folder, every file held against its digest. Raises `Invalid` or `Unsupported`."""
    refuse_others(folder, LARGEST)
    value = _json(file_of(folder, MANIFEST, LARGEST[MANIFEST], Limits(None, None)))
    if not isinstance(value, dict) or type(value.get("format")) is not int:
        raise Invalid("no certificate: `format` is missing", MANIFEST)
    if value["format"] != FORMAT:
        raise Unsupported(f"{MANIFEST}: another format; this checker knows format {FORMAT}")
    _keys(value, ("format", "metric", "claim", "lower_bound", "files", "made_by"), "the certificate")
    metric, lower, digests = value["metric"], value["lower_bound"], value["files"]
    if not (isinstance(metric, str) and METRIC.fullmatch(metric)) or not isinstance(value["made_by"], str):
        raise Invalid("`metric` is a name, or two with a comma between; `made_by` is text", MANIFEST)
    if not isinstance(lower, dict) or not isinstance(digests, dict):
        raise Invalid("`lower_bound` and `files` are objects", MANIFEST)
    claim = None if value["claim"] == UNSOLVABLE else _cost(value["claim"])
    if claim is None and value["claim"] != UNSOLVABLE:
        raise Invalid(f"`claim` is a number from 0, or a list of two, or `{UNSOLVABLE}`", MANIFEST)
    _check_evidence(lower, claim)
    wanted = {PUZZLE} | ({PLAN} if claim is not None else set()) | ({PROOF} if lower["kind"] == REFUTATION else set())
    if set(digests) != wanted:
        raise Invalid(f"`files` names {', '.join(sorted(wanted))} and no others", MANIFEST)
    files = {}
    for name in sorted(wanted):
        files[name] = file_of(folder, name, LARGEST[name], Limits(None, None))
        if sha256(files[name]) != digests[name]:
            raise Invalid("the file is not the one that the certificate was made with: its digest differs", name)
    return Certificate(metric, claim, lower, files)


def _json(data: bytes) -> Any:
    """A JSON text. No key stands twice, and there is no number that JSON does not have."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number)
    except Invalid:
        raise
    except (ValueError, RecursionError) as error:
        raise Invalid(f"no JSON: {type(error).__name__}", MANIFEST, getattr(error, "lineno", None)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Invalid("a key stands twice", MANIFEST)
    return value


def _no_number(name: str) -> None:
    raise Invalid(f"`{name}` is no number of JSON", MANIFEST)


def plain(cost: Cost) -> int | list[int]:
    """A cost as the manifest has it: one number, or a list of two."""
    return cost[0] if len(cost) == 1 else list(cost)


def less(cost: Cost) -> Cost:
    """The cost just below another: its last number less 1, as costs are compared from the first number on."""
    return (*cost[:-1], cost[-1] - 1)


def _counts(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 30


def _cost(value: Any) -> Cost | None:
    """One number from 0, or a list of two; None for anything else."""
    parts = value if isinstance(value, list) else [value]
    good = len(parts) in (1, 2) and isinstance(value, list) == (len(parts) == 2) and all(map(_counts, parts))
    return tuple(parts) if good else None


def _keys(value: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    if set(value) != set(keys):
        odd = sorted(set(value) ^ set(keys))[0]
        raise Invalid(f"{where} has the keys {', '.join(keys)}; `{odd[:40]}` is missing or too many", MANIFEST)


def _check_evidence(lower: dict[str, Any], claim: Cost | None) -> None:
    """What is said of the evidence: its own keys, each of its type. And it is about the claim: it excludes plans of at
    most one less, or all plans."""
    kind = lower.get("kind")
    if not isinstance(kind, str):
        raise Invalid("the evidence has no `kind`", MANIFEST)
    if kind not in KEYS:
        raise Unsupported(f"{MANIFEST}: evidence of a kind that this checker does not know")
    further = [key for key in (AREAS, PARALLEL) if kind == REFUTATION and key in lower]
    _keys(lower, (*KEYS[kind], *further), "`lower_bound`")
    if lower.get(PARALLEL, True) is not True:
        raise Invalid("`parallel` is true, or missing", MANIFEST)
    areas = lower.get(AREAS, [])
    if not isinstance(areas, list) or not all(isinstance(area, str) and AREA.fullmatch(area) for area in areas):
        raise Invalid("`areas` is a list of texts, each the row and column of one or more cells", MANIFEST)
    if kind != PARITY and not _is_one_less(lower["at_most"], claim):
        raise Invalid("the evidence is about another claim: `at_most` is not one less", MANIFEST)
    refutable = claim is not None and len(claim) == 1 and claim[0] > 0
    if (kind == PARITY and claim is not None) or (kind == REFUTATION and not refutable):
        raise Invalid(f"evidence of the kind {kind} cannot show this claim", MANIFEST)
    numbers = [lower[key] for key in KEYS[kind] if key in ("variables", "clauses", "states")]
    layers = lower.get("layers", [])
    if not all(map(_counts, numbers)) or not isinstance(layers, list) or not all(map(_counts, layers)):
        raise Invalid("a count is no number", MANIFEST)


def _is_one_less(at_most: Any, claim: Cost | None) -> bool:
    """Whether `at_most` is one less than the claim: the same numbers, and of the same type (20.0 is not 20)."""
    if claim is None:
        return at_most is None
    parts = at_most if len(claim) == 2 and isinstance(at_most, list) else [at_most]
    return all(type(part) is int for part in parts) and tuple(parts) == less(claim)
