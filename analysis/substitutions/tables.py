"""Actions that only rename values, as tables: successors and predecessors of a state without running a program.

An action is a *substitution* if the new value of each variable is a function of the old value of one variable, no two
of the same, and the function is one to one: a turn of a cube (`piece := turned[piece]`), a shifted row (`card 2 := card
1`), a joint that turns (`turn := (turn + 1) % 4`). Then at most one state lies before a given one, and the inverse is a
substitution too.

    a row shifts to the right           card 1 := card 3    card 2 := card 1    card 3 := card 2
    before it                           card 3 := card 1    card 1 := card 2    card 2 := card 3

A function may have no value for some arguments (a step off the board): then the action does not apply. What else the
program asks for is not in the tables: `total` says where there is nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..programs.tables import ProgramTables

GONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The entry of a value to which the action does not apply."""


class Substitutions(NamedTuple):
    """One substitution for each action (A), over rows as in `programs.tables`.

    `first` (A + 1): where its assignments begin in `word`, `source`, `address`. An assignment gives the variable in
    word `word` the value `entries[address + digit]`, shifted to its place, where `digit` is the value of the variable
    `source` minus its lowest. `kept` (A, W): the bits of a row that no assignment gives. `total` (A): 1 if the action
    applies in every state.
    """

    first: Longs
    word: Longs
    source: Longs
    address: Longs
    entries: Words
    kept: Words
    total: Bytes


@njit(inner=True)
def digits_of(tables: ProgramTables, row: Words, digits: Longs) -> None:
    """Write the values of a row's variables, each minus its lowest, into `digits`."""
    for v in range(tables.variables):
        digits[v] = long((row[tables.word[v]] >> tables.shift[v]) & tables.mask[v])


@njit(inner=True)
def substitute(substitutions: Substitutions, action: int, row: Words, digits: Longs, after: Words) -> bool:
    """Write the row that a substitution makes of `row`, whose values are `digits`; False if a function has no value."""
    first, word, source = substitutions.first, substitutions.word, substitutions.source
    address, entries, kept = substitutions.address, substitutions.entries, substitutions.kept
    for w in range(len(row)):
        after[w] = row[w] & kept[action, w]
    for k in range(first[action], first[action + 1]):
        entry = entries[address[k] + digits[source[k]]]
        if entry == GONE:
            return False
        after[word[k]] |= entry
    return True
