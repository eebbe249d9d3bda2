"""LRAT proofs (Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp 2017), checked by unit propagation along hints.

A proof is text, one step a line:

    ID literal... 0 hint... 0     a clause that follows, and why
    ID d id... 0                  clauses that are not needed any longer

A clause follows if its negation, propagated, ends in a contradiction. The hints say along which clauses: each of them,
in order, has all its literals false but one, which then has to be true; the last has all of them false. The clauses of
the formula have the identifiers 1, 2, ...; each new clause has a larger one than all before. The proof is done when the
clause without literals follows. Steps that do not follow, but keep the rest satisfiable (RAT: negative hints), are
refused.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator

from .formula import CLAUSE_BYTES, Clause, clause_bytes
from .limits import Invalid, Limits

LONGEST = 1 << 20
"""Bytes that a line may have, and that are decompressed at a time (within 64 times as much memory)."""

SIGNS = b"0123456789- d"
"""The characters of a proof, beside the ends of lines."""

LONG = 32
"""Clauses of up to this many literals count as no work, longer ones as one unit for each `LONG` literals."""


def check(clauses: Iterable[Clause], lines: Iterable[bytes], variables: int, limits: Limits, file: str = "") -> int:
    """Check that a proof refutes clauses, and give the number of its steps. Raises `Invalid` with the line at fault."""
    known: dict[int, Clause] = {}
    for number, clause in enumerate(clauses, 1):
        limits.hold(CLAUSE_BYTES)
        known[number] = clause
    last, steps = len(known), 0
    for number, line in enumerate(lines, 1):
        limits.tick(1 + len(line) // 4)
        try:
            step, literals, hints = parse(line)
        except (ValueError, IndexError):
            raise Invalid("no step: `ID literal... 0 hint... 0` or `ID d id... 0` is wanted", file, number) from None
        if literals is None:
            for gone in hints:
                if gone in known:
                    limits.hold(-clause_bytes(known.pop(gone)))
            continue
        if step <= last or max(map(abs, literals), default=0) > variables:
            raise Invalid("an identifier that is not larger than all before, or an unknown variable", file, number)
        if not follows(literals, hints, known, limits):
            raise Invalid("the step does not follow by unit propagation along its hints", file, number)
        last, steps = step, steps + 1
        if not literals:
            return steps
        limits.hold(clause_bytes(literals))
        known[step] = literals
    raise Invalid("the proof ends, and the clause without literals has not been derived", file)


def follows(literals: Clause, hints: list[int], known: dict[int, Clause], limits: Limits) -> bool:
    """Whether a clause follows by unit propagation along the hints."""
    false = set(literals)
    for hint in hints:
        clause = known.get(hint)
        if clause is None:
            return False
        if len(clause) > LONG:
            limits.tick(len(clause) // LONG)
        open_ = [x for x in clause if x not in false]
        if not open_:
            return True
        if len(open_) > 1 or -open_[0] in false:
            return False
        false.add(-open_[0])
    return False


def parse(line: bytes) -> tuple[int, Clause | None, list[int]]:
    """The identifier, literals and hints of a step; of a deletion None and the clauses. Raises `ValueError`
    and `IndexError`.
    """
    step, *words = line.split()
    deletes = words[:1] == [b"d"]
    numbers = [int(word) for word in words[deletes:]]
    if line.translate(None, SIGNS) or numbers.pop() != 0 or numbers.count(0) != (not deletes):
        raise ValueError
    if deletes:
        return int(step), None, numbers
    cut = numbers.index(0)
    return int(step), tuple(numbers[:cut]), numbers[cut + 1 :]


def unpacked(data: bytes, limits: Limits, file: str) -> Iterator[bytes]:
    """An xz file, block by block, each held against the memory limit. Raises `Invalid`, and `Stopped` at a limit."""
    unpack = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=64 * LONGEST)
    while not unpack.eof:
        limits.tick(LONGEST)
        try:
            block = unpack.decompress(data, LONGEST)
        except lzma.LZMAError as error:
            raise Invalid(f"no xz file: {error}", file) from None
        if unpack.needs_input and not block:
            raise Invalid("the compressed file is cut off", file)
        data = b""
        limits.hold(len(block))
        yield block
    if unpack.unused_data:
        raise Invalid("something follows behind the end of the compressed file", file)


def lines_of(data: bytes, limits: Limits, file: str) -> Iterator[bytes]:
    """The lines of an xz file, decompressed as they are read; the last one has to end. Raises `Invalid`."""
    rest = b""
    for block in unpacked(data, limits, file):
        limits.hold(-len(block))
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > LONGEST:
            raise Invalid(f"a line of more than {LONGEST} bytes", file)
        yield from lines
