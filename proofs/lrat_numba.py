"""`lrat.check`, compiled. A proof is first read into one array of numbers, in which a line's end and the letter d have
numbers of their own; a derived clause is kept as the place where it stands in that array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Numbers = Any
"""An array of 64-bit integers."""


@njit(cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def read(text: Any, end: int, delete: int) -> Numbers:
    """The numbers of a text; the single number -1 if it has anything but numbers, blanks and a d by itself."""
    found = np.empty(text.size // 2 + 2, dtype=np.int64)
    count, at = 0, 0
    while at < text.size:
        char = text[at]
        if char == 10:
            found[count] = end
            count += 1
            at += 1
        elif char == 32:
            at += 1
        elif char == 100 and at > 0 and text[at - 1] == 32 and text[at + 1] == 32:  # the text ends with a line's end
            found[count] = delete
            count += 1
            at += 1
        else:
            sign, value, digits = 1, np.int64(0), 0
            if char == 45:
                sign = -1
                at += 1
            while at < text.size and 48 <= text[at] <= 57 and digits < 11:
                value = 10 * value + np.int64(text[at]) - 48
                digits += 1
                at += 1
            if digits == 0 or digits == 11 or value >= end - 1 or (at < text.size and text[at] not in (32, 10)):
                return np.full(1, -1, dtype=np.int64)
            found[count] = sign * value
            count += 1
    return found[:count]


@njit(cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def refutes(
    literals: Numbers, ends: Numbers, numbers: Numbers, variables: int, end: int, delete: int
) -> tuple[int, int]:
    """How many steps and hints refute the clauses: (-1, 0) if they do not.

    `literals[ends[i - 1]:ends[i]]` is clause i + 1. A derived clause stands in `numbers[first[j]:past[j]]`, j counted
    from the first identifier behind the clauses; `past` is 0 where there is none (any longer).

    One loop over one array, and longer than functions here are: it is `lrat.check` line by line, to be held against it.
    """
    # 1. Room for the clauses that are derived: up to the largest identifier at the beginning of a line.
    clauses, size = ends.size, numbers.size
    largest = 0
    for at in range(size):
        if (at == 0 or numbers[at - 1] == end) and numbers[at] < end and numbers[at] > largest:
            largest = numbers[at]
    room = min(largest - clauses, 20 * size) + 1
    if room < 1:
        return -1, 0
    first, past = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    gone = np.zeros(clauses + 1, dtype=np.bool_)
    false = np.zeros(2 * variables + 1, dtype=np.int64)  # the last step for which a literal was false, plus variables
    last, steps, hints, at = clauses, 0, 0, 0
    while at < size:
        step = numbers[at]
        if step < 1 or step >= end or at + 1 >= size:
            return -1, 0
        at += 1
        # 2. `ID d id... 0`: clauses that are not needed any longer.
        if numbers[at] == delete:
            at += 1
            while at < size and 0 < numbers[at] < end:
                if numbers[at] <= clauses:
                    gone[numbers[at]] = True
                elif numbers[at] - clauses < room:
                    past[numbers[at] - clauses] = 0
                at += 1
            if at + 1 >= size or numbers[at] != 0 or numbers[at + 1] != end:
                return -1, 0
            at += 2
            continue
        # 3. `ID literal... 0`: the clause that is said to follow; its negation makes all of its literals false.
        if step <= last or step - clauses >= room:
            return -1, 0
        last, steps = step, steps + 1
        begin = at
        while at < size and numbers[at] != 0:
            if abs(numbers[at]) > variables:
                return -1, 0
            false[numbers[at] + variables] = steps
            at += 1
        # 4. `hint... 0`: each clause has one literal left, which is true then, until one has none left.
        stop = at
        at += 1
        done = False
        while at < size and numbers[at] != 0:
            hint = numbers[at]
            at += 1
            hints += 1
            if hint < 1 or hint >= end:
                return -1, 0
            if done:
                continue
            unit = 0
            if hint <= clauses:
                if gone[hint]:
                    return -1, 0
                low, high = (ends[hint - 2] if hint > 1 else 0), ends[hint - 1]
            else:
                if hint - clauses >= room or past[hint - clauses] == 0:
                    return -1, 0
                low, high = first[hint - clauses], past[hint - clauses]
            for k in range(low, high):
                x = literals[k] if hint <= clauses else numbers[k]
                if false[x + variables] != steps:
                    if unit:
                        return -1, 0
                    unit = x
            if unit == 0:
                done = True
            elif false[variables - unit] == steps:
                return -1, 0
            else:
                false[variables - unit] = steps
        # 5. It follows, and is kept; the clause without literals is the end.
        if not done or at + 1 >= size or numbers[at + 1] != end:
            return -1, 0
        at += 2
        if begin == stop:
            return steps, hints
        first[step - clauses], past[step - clauses] = begin, stop
    return -1, 0
