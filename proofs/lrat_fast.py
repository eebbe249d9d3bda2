"""The checker of LRAT proofs twice: in plain Python (`lrat`), and compiled by numba where that is installed.

The compiled twin reads the same text by the same rules and only says yes or no. Its "no" is not believed: then the
plain one checks again, and says what is wrong and where. `tests/test_certificates.py` holds the two against each other.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from .layers import Clause
from .limits import Limits, Unsupported
from .lrat import NUMBER, Checked, blocks_of, check, lines_of

SMALL = 1_000_000
"""Bytes of a compressed proof from which on the compiled twin is worth loading."""

END, DELETE = NUMBER + 1, NUMBER + 2
"""What stands for a line's end, and for the letter d, in the list of a proof's numbers."""


def check_proof(
    clauses: list[Clause], proof: bytes, variables: int, limits: Limits, file: str, *, fast: bool | None = None
) -> tuple[Checked, str]:
    """Check a compressed proof; gives how much was checked, and by which of the two. `fast`: by which it has to be."""
    if fast or (fast is None and len(proof) > SMALL):
        checked = _compiled(clauses, proof, variables, limits, file)
        if checked:
            return checked, "by a compiled loop"
    return check(clauses, lines_of(proof, limits, file), variables, limits, file), "in plain Python"


def _compiled(clauses: list[Clause], proof: bytes, variables: int, limits: Limits, file: str) -> Checked | None:
    """What the compiled twin accepts; None if it does not, or is not to be had."""
    try:
        import numpy as np

        from .lrat_numba import read, refutes
    except ImportError:
        return None
    held = 0
    blocks = []
    try:
        for block in blocks_of(proof, limits, file):
            held += 6 * len(block)  # the text, and up to eight bytes for each of its numbers
            limits.hold(6 * len(block))
            blocks.append(block)
    except Unsupported:
        limits.hold(-held)
        return None  # the plain one reads it piece by piece
    text: Any = np.frombuffer(b"".join(blocks) + b"\n", dtype=np.uint8)
    literals = np.fromiter(chain.from_iterable(clauses), dtype=np.int64)
    ends = np.cumsum(np.fromiter(map(len, clauses), dtype=np.int64, count=len(clauses)))
    try:
        numbers = read(text, END, DELETE)
        steps, hints = refutes(literals, ends, numbers, variables, END, DELETE)
    except Exception:  # numba could not compile, or not read what it had compiled; the plain one needs none of it
        steps, hints = -1, 0
    limits.hold(-held)
    return Checked(int(steps), int(hints)) if steps >= 0 else None
