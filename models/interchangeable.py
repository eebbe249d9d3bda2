"""Objects that nothing tells apart, and one state of all that differ only in which of them is which.

Two glasses that hold the same may as well have changed places. So of all states that differ by such exchanges, a
search keeps one, the *canonical* one: 13 glasses, 6,227,020,800 orders of them, one state. An exchange of two objects
is a *swap*: a list of pairs of variables that change their values.

    ball[3, 1] = red   ball[3, 2] = none        swap of the glasses 3 and 4: (ball[3, 1], ball[4, 1]),
    ball[4, 1] = blue  ball[4, 2] = blue                                     (ball[3, 2], ball[4, 2])

Where values name objects too (`on[disc] = peg`), they are exchanged in the values. The canonical state is found by
swaps that make the row of values less, as in insertion sort, until none does. Objects that are only arguments of tables
come into a unique order that way; in other cases it may be one of several, which costs time and no more. (Orbit space
search: Pochter, Zohar and Rosenschein, AAAI 2011; scalarsets: Ip and Dill, 1996.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]


class Pair(NamedTuple):
    """Two variables that change their values in a swap, `left` <= `right`. `value_of`: if values name the objects, what
    each becomes, from the least on; empty, if they stay as they are.
    """

    left: int
    right: int
    value_of: tuple[int, ...] = ()


Swap = tuple[Pair, ...]
"""An exchange of two objects."""


@dataclass(frozen=True, slots=True)
class Interchangeable:
    """Interchangeable objects of a type, as they are called, and swaps of two of them, which together make every
    order.
    """

    kind: str
    objects: tuple[str, ...]
    swaps: tuple[Swap, ...]

    @property
    def words(self) -> str:
        """The objects for people: `tube 1, 2, ..., 13`."""
        names = self.objects
        return f"{self.kind} {', '.join(names if len(names) < 5 else (*names[:2], '...', names[-1]))}"


class SwapTables(NamedTuple):
    """Swaps as arrays. `first` (S + 1): where the pairs of each begin in `left`, `right`, `low` and `at`. `at`: where
    in `value_of` it stands what the value `low` becomes, and behind it what each next one becomes; -1 if they stay.
    """

    first: Longs
    left: Longs
    right: Longs
    low: Longs
    at: Longs
    value_of: Longs


def swap_tables(classes: Iterable[Interchangeable], lows: Sequence[int]) -> SwapTables:
    """The swaps of some classes. `lows`: the least value of each variable."""
    import numpy as np

    swaps = [swap for each in classes for swap in each.swaps]
    at, value_of = list[int](), list[int]()
    for pair in (pair for swap in swaps for pair in swap):
        at.append(len(value_of) if pair.value_of else -1)
        value_of += pair.value_of
    return SwapTables(
        first=np.cumsum([0, *map(len, swaps)]).astype(np.int64),
        left=np.array([pair.left for swap in swaps for pair in swap], np.int64),
        right=np.array([pair.right for swap in swaps for pair in swap], np.int64),
        low=np.array([lows[pair.left] for swap in swaps for pair in swap], np.int64),
        at=np.array(at, np.int64),
        value_of=np.array(value_of, np.int64),
    )


# Plain Python, and kernels, too: `analysis.program_machine` compiles both.
#
# A state becomes canonical by insertion sort: as long as there is a swap that makes its values less, from the one
# before the last on (`useful_swap`), it is applied (`exchange`).


def useful_swap(swaps: SwapTables, values: Longs, start: int) -> int:
    """The first swap that makes the values less, from the swap `start` on and then from the first; -1 if none does."""
    first, left, right, low, at, value_of = swaps.first, swaps.left, swaps.right, swaps.low, swaps.at, swaps.value_of
    count = len(first) - 1
    for n in range(start, start + count):
        swap = n if n < count else n - count
        for e in range(first[swap], first[swap + 1]):
            now, then = values[left[e]], values[right[e]]
            if at[e] >= 0:
                then = value_of[at[e] + then - low[e]]
            if now != then:  # the variable that decides
                if then < now:
                    return swap
                break
    return -1


def exchange(swaps: SwapTables, values: Longs, swap: int) -> None:
    """Apply a swap to the values of all variables."""
    for e in range(swaps.first[swap], swaps.first[swap + 1]):
        i, j, at, low = swaps.left[e], swaps.right[e], swaps.at[e], swaps.low[e]
        one, other = values[i], values[j]
        if at >= 0:
            one, other = swaps.value_of[at + one - low], swaps.value_of[at + other - low]
        values[i], values[j] = other, one


def canonical(swaps: SwapTables, state: Sequence[int]) -> tuple[tuple[int, ...], list[int]]:
    """The canonical state of a state, and the swaps that lead there, in order."""
    import numpy as np

    values, applied = np.array(state, np.int64), list[int]()
    swap = useful_swap(swaps, values, 0)
    while swap >= 0:
        exchange(swaps, values, swap)
        applied.append(swap)
        swap = useful_swap(swaps, values, max(0, swap - 1))
    return tuple(values.tolist()), applied


def exchanged(swaps: SwapTables, state: Sequence[int], applied: Iterable[int]) -> tuple[int, ...]:
    """The state that some swaps, one after the other, make of a state."""
    import numpy as np

    values = np.array(state, np.int64)
    for swap in applied:
        exchange(swaps, values, swap)
    return tuple(values.tolist())
