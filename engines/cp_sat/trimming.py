"""Trimming an LRAT proof: keep the steps that the last one needs, renumber them, delete each after its last use (where
there are many).

Marking goes backwards: the clause without literals is needed; a step that is needed needs its hints. On Rush Hour
boards a fifth of the steps stays. The same as `lrat-trim` (Biere) does. Before that, hints are left out that say
nothing (their clause is true already, or the contradiction has been found): CP-SAT gives some, checkers refuse them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...runtime.kernel_cache import njit

Numbers = NDArray[np.int64]


FEW = 20_000
"""Steps up to which nothing is deleted: a checker can hold them all, and the file is a tenth smaller."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A trimmed proof, and the clauses of the formula that it uses, by their numbers from 1, in order."""

    text: bytes
    used: list[int]


def trimmed(
    text: bytes, clauses: Sequence[tuple[int, ...]], names: Sequence[int] | None = None, count: int = 0
) -> Trimmed | None:
    """The trimmed proof that refutes clauses; None if the text does not derive the clause without literals.

    `text` has lines `ID literal... 0 hint... 0` and no deletions, with identifiers that rise. `names`: the numbers of
    the clauses in a larger formula of `count` clauses, which the proof is then about; else it is about these.
    """
    # Zeros come in pairs, one after the literals and one after the hints, so a step begins behind every second zero.
    # The first step whose literals end where they begin is the clause without literals: nothing after it matters.
    numbers: Numbers = np.fromstring(text, dtype=np.int64, sep=" ")
    zeros = np.flatnonzero(numbers == 0)
    middles, ends = zeros[0::2], zeros[1::2]  # after the literals, after the hints
    starts = np.concatenate(([0], ends[:-1] + 1))
    empty = np.flatnonzero(middles == starts + 1)
    if not len(empty):
        return None
    last = int(empty[0])
    step_of = np.full(int(numbers[starts].max()) + 1, -1, dtype=np.int64)
    step_of[numbers[starts]] = np.arange(len(starts))
    literals = np.fromiter(chain.from_iterable(clauses), dtype=np.int64)
    bounds = np.concatenate(([0], np.cumsum([len(clause) for clause in clauses], dtype=np.int64)))
    useful = np.zeros(numbers.size, dtype=np.bool_)
    mark_hints(numbers, starts, middles, ends, step_of, literals, bounds, useful)

    def hints_of(step: int) -> Numbers:
        part = slice(middles[step] + 1, ends[step])
        hints: Numbers = numbers[part][useful[part]]
        return hints

    # 1. Backwards: mark what is needed; the first to ask for a step is the last to use it.
    needed = bytearray(len(starts))
    needed[last] = 1
    done_after: dict[int, list[int]] = {}
    marks = np.frombuffer(needed, dtype=np.uint8)
    for step in range(last, -1, -1):
        if not needed[step]:
            continue
        asked = step_of[hints_of(step)]
        fresh = np.unique(asked[(asked >= 0) & (marks[asked] == 0)])
        if len(fresh):
            marks[fresh] = 1
            done_after[step] = fresh.tolist()
    # 2. Forwards: new identifiers, from the number of clauses on, without gaps.
    kept = np.flatnonzero(marks)
    named = np.arange(len(step_of), dtype=np.int64)  # the clauses of the formula keep theirs
    if names is not None:
        named[1 : len(clauses) + 1] = names
    named[numbers[starts[kept]]] = (count or len(clauses)) + 1 + np.arange(len(kept))
    lines = []
    used = np.zeros(len(clauses) + 1, np.bool_)
    for step in kept.tolist():
        identifier = int(named[numbers[starts[step]]])
        derived = numbers[starts[step] + 1 : middles[step]].tolist()
        hints = hints_of(step)
        used[hints[hints <= len(clauses)]] = True
        lines.append(" ".join(map(str, [identifier, *derived, 0, *named[hints].tolist(), 0])))
        if len(kept) > FEW and step in done_after and step != last:
            gone = named[numbers[starts[done_after[step]]]].tolist()
            lines.append(" ".join(map(str, [identifier, "d", *gone, 0])))
    return Trimmed(("\n".join(lines) + "\n").encode(), named[: len(used)][used].tolist())


@njit(cache=True)
def mark_hints(
    numbers: Numbers,
    starts: Numbers,
    middles: Numbers,
    ends: Numbers,
    step_of: Numbers,
    literals: Numbers,
    bounds: Numbers,
    useful: NDArray[np.bool_],
) -> None:
    """Mark the entries of `numbers` that are hints that make a literal true, or the contradiction (the first one).

    `literals[bounds[i - 1]:bounds[i]]` is clause i; `step_of` has the step of an identifier, -1 for those of clauses.
    A literal x is false in step s if `false[x + width]` is s + 1.
    """
    width = 1
    for x in literals:
        width = max(width, abs(x))
    false = np.zeros(2 * width + 1, dtype=np.int64)
    for step in range(starts.size):
        mark = step + 1
        for k in range(starts[step] + 1, middles[step]):
            false[numbers[k] + width] = mark
        for at in range(middles[step] + 1, ends[step]):
            other = step_of[numbers[at]]
            low, high = starts[other] + 1, middles[other]
            if other < 0:
                low, high = bounds[numbers[at] - 1], bounds[numbers[at]]
            unit, true = 0, False
            for k in range(low, high):
                x = literals[k] if other < 0 else numbers[k]
                if false[x + width] != mark:
                    true = true or false[width - x] == mark
                    unit = x
            if true:
                continue
            useful[at] = True
            if unit == 0:
                break
            false[width - unit] = mark
