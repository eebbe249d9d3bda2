"""Mutants of certificates, signed again: no mutant makes a false claim valid, and none makes a traceback.

A mutant may stay valid (a word of the puzzle's name, a hint too many): then its claim is held against an engine.
`benchmarks/certificate_mutants.py` makes many more.
"""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from budge.models.errors import PuzzleError
from budge.proofs.check import check_folder
from budge.proofs.core.limits import Limits
from budge.proofs.manifest import write
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID

from .mutations import IN_FOLDERS, KINDS, MUTATIONS, Kind, is_true, made, write_mutant

SAMPLE = len(MUTATIONS) + len(IN_FOLDERS)
"""Mutants of each certificate in the quick run: one of each kind. The full one has more."""


def check_mutants(kind: Kind, count: int, folder: Path) -> dict[str, int]:
    """Check mutants; how many came to which verdict."""
    random_, seen = random.Random("".join(kind)), dict.fromkeys((VALID, INVALID, UNSUPPORTED), 0)
    for number in range(count):
        write_mutant(folder, kind, number, random_)
        verdict = check_folder(folder, Limits(mebibytes=512))
        seen[verdict.status] += 1
        assert "failed" not in verdict.problem
        with suppress(PuzzleError):  # `budge verify` refuses what Budge does not read
            assert verdict.status != VALID or is_true(verdict), verdict
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_makes_a_false_claim_valid(kind: Kind, tmp_path: Path) -> None:
    write(tmp_path, made(*kind), "a test")
    assert check_folder(tmp_path).status == VALID
    seen = check_mutants(kind, SAMPLE, tmp_path)
    assert seen[INVALID] > SAMPLE // 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_none_of_many_mutants_makes_a_false_claim_valid(kind: Kind, tmp_path: Path) -> None:
    seen = check_mutants(kind, 5 * SAMPLE, tmp_path)
    assert seen[INVALID] > SAMPLE
