"""LRAT proofs as the core of the checker reads them: what is accepted, what is refused, and the limits."""

from __future__ import annotations

import itertools
import lzma
import time

import pytest
from budge.proofs.core.formula import Clause
from budge.proofs.core.limits import Invalid, Limits, Stopped
from budge.proofs.core.lrat import LONGEST, check, lines_of

SQUARE: list[Clause] = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
GOOD = "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"
BAD = {
    "5 1 0 1 2 0\n": "has not been derived",
    "5 1 0 1 0\n6 0 5 3 4 0\n": "line 1: the step does not follow",
    "5 1 0 1 2 0\n6 0 5 3 9 0\n": "line 2: the step does not follow",
    "5 1 0 1 2 0\n5 2 0 1 3 0\n": "line 2: an identifier that is not larger",
    "4 1 0 1 2 0\n": "an identifier that is not larger",
    "5 0 1 2 3 4 0\n": "does not follow",
    "5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n": "line 3: the step does not follow",
    "5 3 0 1 2 0\n": "an unknown variable",
    "5 1 0 1 2\n": "no step",
    "5 1 2 0\n": "no step",
    "x 1 0 1 2 0\n": "no step",
    "5 1 0 1 2 0 0\n": "no step",
    "5 -1 2 0 1 3 0\n": "does not follow",
    "5 1 0 1_0 2 0\n": "no step",
    "5 d1 0\n": "no step",
    "5 d\n": "no step",
    "5\n": "no step",
    "\n": "no step",
    "0\n": "no step",
    "5 1 0 -1 2 0\n": "does not follow",  # RAT
    "5 1 0 0\n": "does not follow",
    "5 1 0 1\0 2 0\n": "no step",
}


def test_a_proof_is_accepted() -> None:
    assert check(SQUARE, iter(GOOD.encode().splitlines()), 2, Limits()) == 2


@pytest.mark.parametrize("proof", BAD)
def test_a_wrong_proof_is_refused(proof: str) -> None:
    with pytest.raises(Invalid, match=BAD[proof]):
        check(SQUARE, lines_of(lzma.compress(proof.encode()), Limits(), "proof"), 2, Limits(), "proof")


def test_no_combination_of_hints_proves_what_is_false() -> None:
    for hints in itertools.product(range(1, 4), repeat=3):
        with pytest.raises(Invalid):
            check(SQUARE[:3], iter([f"4 0 {' '.join(map(str, hints))} 0".encode()]), 2, Limits())


def test_files_that_are_no_xz_files_are_refused() -> None:
    packed = lzma.compress(GOOD.encode())
    for data in (b"", b"no", packed[:-5], packed + b"more", lzma.compress(GOOD.encode(), lzma.FORMAT_ALONE)):
        with pytest.raises(Invalid):
            list(lines_of(data, Limits(), "proof"))
    assert list(lines_of(packed, Limits(), "proof")) == GOOD.encode().splitlines()


def test_a_line_has_a_longest_length() -> None:
    with pytest.raises(Invalid, match="a line of more than"):
        list(lines_of(lzma.compress(b"1 " * LONGEST, preset=0), Limits(), "proof"))


class Clock:
    """How many seconds there are at most between two looks at the limits, in processor time."""

    def __init__(self) -> None:
        self.last, self.most = time.process_time(), 0.0

    def __call__(self) -> None:
        now = time.process_time()
        self.last, self.most = now, max(self.most, now - self.last)


def test_long_lines_and_long_lists_of_hints_are_read_with_looks_at_the_clock() -> None:
    """Lines as long as lines may be: of literals, of hints to long clauses, of deletions."""
    wide: Clause = tuple(range(1, 30))
    clauses = [*SQUARE, wide]
    many = LONGEST // 2 - 10
    lines = [b"6 " + b"1 " * many + b"0 0", b"6 1 0 " + b"1 " * many + b"0", b"6 d " + b"9 " * many + b"0"]
    for line in lines:
        clock = Clock()
        data = lzma.compress(line + b"\n", preset=0)
        limits = Limits(None, None, clock)
        with pytest.raises(Invalid):
            check(clauses, lines_of(data, limits, "proof"), 99, limits, "proof")
        clock()
        assert clock.most < 1


def test_reading_is_stopped_in_time() -> None:
    proof = b"".join(b"%d d 1 0\n" % n for n in range(5, 60_000))
    limits = Limits(0.0)
    with pytest.raises(Stopped):
        check(SQUARE, lines_of(lzma.compress(proof, preset=0), limits, "proof"), 2, limits, "proof")


def test_clauses_that_are_kept_count_against_the_memory_limit() -> None:
    proof = (b"%d 1 0 1 2 0" % n for n in range(5, 60_000))
    with pytest.raises(Stopped, match="memory"):
        check(SQUARE, proof, 2, Limits(None, 2), "proof")
