"""Mutants of certificates: no mutant makes a false claim valid, and none makes the checker fail.

A mutant may stay valid (a word of the puzzle's name, a hint too many): then its claim is held against plain search.
`benchmarks/certificate_mutants.py` makes many more; `MUTANTS` in the environment gives another number of them.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from budge.proofs.check import check_folder
from budge.proofs.verdict import VALID

from ..helpers.made_certificates import KINDS, Kind, files_of, write
from ..helpers.mutated_certificates import MUTATIONS, judged, mutant

MUTANTS = int(os.environ.get("MUTANTS", "11"))
"""Mutants of each certificate."""


@pytest.mark.weekly
@pytest.mark.parametrize("kind", KINDS, ids=", ".join)
def test_no_mutant_makes_a_false_claim_valid(kind: Kind, tmp_path: Path) -> None:
    assert check_folder(write(tmp_path, files_of(kind))).status == VALID
    random_, seen, first = random.Random(f"{kind}"), Counter[str](), KINDS.index(kind) * MUTANTS
    for number in range(first, first + MUTANTS):
        files = mutant(kind, number, random_)
        found = judged(write(tmp_path, files), files, 5, 128)
        seen[found.column] += 1
        assert found.column not in ("FALSE", "fault"), (MUTATIONS[number % len(MUTATIONS)].__name__, found.verdict)
        assert found.seconds < 6
    assert seen["invalid"] > 0
