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
from dataclasses import dataclass

from .formula import CLAUSE_BYTES, LITERAL_BYTES, Clause
from .limits import Invalid, Limits, Unsupported

BLOCK = 1 << 20
"""Bytes that are decompressed at a time."""

LONGEST = 1 << 24
"""Bytes that one line of a proof may have."""

XZ_MEMORY = 256 << 20
"""Bytes that decompressing may take."""

SIGNS = b"0123456789- d"
"""The characters of a proof, beside the ends of lines."""

WORD_BYTES = 40
"""Memory in bytes that reading a line takes for each byte of it: a number may be one digit and a blank."""

LONG = 64
"""Clauses of up to this many literals count as no work, longer ones as one unit for each `LONG` literals."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The size of a proof that was checked."""

    steps: int
    hints: int


def check(clauses: Iterable[Clause], lines: Iterator[bytes], variables: int, limits: Limits, file: str = "") -> Checked:
    """Check that a proof refutes clauses. Raises `Invalid` with the line and the step at fault."""
    known: dict[int, Clause] = {}
    for number, clause in enumerate(clauses, 1):
        limits.hold(CLAUSE_BYTES)
        known[number] = clause
    last, steps, hints_seen = len(known), 0, 0
    for line_number, line in enumerate(lines, 1):
        limits.hold(WORD_BYTES * len(line))
        step, literals, hints = parse(line, file, line_number)
        limits.tick(1 + len(hints))
        limits.hold(-WORD_BYTES * len(line))
        if literals is None:
            for gone in hints:
                if gone in known:
                    limits.hold(-CLAUSE_BYTES - LITERAL_BYTES * len(known.pop(gone)))
            continue
        if step <= last:
            raise Invalid("the identifier is not larger than those before", file, line_number, step)
        last, steps, hints_seen = step, steps + 1, hints_seen + len(hints)
        if literals and (max(literals) > variables or min(literals) < -variables):
            raise Invalid("a variable that the formula does not have", file, line_number, step)
        problem = _follows(literals, hints, known, limits)
        if problem:
            raise Invalid(problem, file, line_number, step)
        if not literals:
            return Checked(steps, hints_seen)
        limits.hold(CLAUSE_BYTES + LITERAL_BYTES * len(literals))
        known[step] = literals
    raise Invalid("the proof ends, and the clause without literals has not been derived", file)


def _follows(literals: Clause, hints: list[int], known: dict[int, Clause], limits: Limits) -> str | None:
    """Whether a clause follows by unit propagation along the hints: None if it does, else a sentence on what is
    wrong.
    """
    false = set(literals)
    for hint in hints:
        clause = known.get(hint)
        if clause is None:
            return f"hint {hint}: there is no such clause"
        if len(clause) > LONG:
            limits.tick(len(clause) // LONG)
        unit = 0
        for x in clause:
            if x not in false:
                if unit:
                    return f"hint {hint}: more than one of its literals may still be true"
                unit = x
        if not unit:
            return None
        if -unit in false:
            return f"hint {hint}: the clause is true already"
        false.add(-unit)
    return "the hints lead to no contradiction"


def parse(line: bytes, file: str, number: int) -> tuple[int, Clause | None, list[int]]:
    """The step, literals and hints of a line; of a deletion None and the clauses. Raises `Invalid`, or `Unsupported`
    for a RAT step."""
    words = line.split()
    deletes = len(words) > 1 and words[1] == b"d"
    if deletes:
        del words[1]
    try:
        if line.translate(None, SIGNS):
            raise ValueError
        step, *numbers = map(int, words)
    except ValueError:
        raise Invalid("no step of a proof: numbers are wanted", file, number) from None
    if not numbers or numbers[-1] != 0 or step < 1:
        raise Invalid("no step of a proof: it does not end with 0, or its identifier is no number", file, number)
    numbers.pop()
    if deletes:
        return step, None, numbers
    if 0 not in numbers:
        raise Invalid("no step of a proof: literals and hints end with 0 each", file, number)
    cut = numbers.index(0)
    literals, hints = tuple(numbers[:cut]), numbers[cut + 1 :]
    if hints and min(hints) <= 0:
        if 0 in hints:
            raise Invalid("no step of a proof: there is a 0 among the hints", file, number)
        raise Unsupported(f"{file}, line {number}: a RAT step; this checker takes steps by unit propagation only")
    return step, literals, hints


def lines_of(data: bytes, limits: Limits, file: str) -> Iterator[bytes]:
    """The lines of an xz file, decompressed as they are read. Raises `Invalid`."""
    rest = b""
    for block in _blocks_of(data, limits, file):
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > LONGEST:
            raise Invalid("a line that is too long", file)
        yield from lines
    if rest:
        yield rest


def _blocks_of(data: bytes, limits: Limits, file: str) -> Iterator[bytes]:
    """The blocks of an xz file, decompressed as they are read."""
    try:
        unpack = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=limits.room(XZ_MEMORY))
        block = unpack.decompress(data, BLOCK)
        while block or not unpack.eof:
            limits.look()
            yield block
            if unpack.eof:
                break
            if unpack.needs_input:
                raise Invalid("the compressed file is cut off", file)
            block = unpack.decompress(b"", BLOCK)
    except lzma.LZMAError as error:
        if "limit" in str(error):
            raise limits.too_large() from None
        raise Invalid(f"no xz file: {error}", file) from None
    if unpack.unused_data:
        raise Invalid("something follows behind the end of the compressed file", file)
