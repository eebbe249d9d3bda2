"""Exhaustion with several bounds, and with whole walks and compound moves at once: a fast layer beside the core.

claim.txt says `by search S` in place of `by exhaustion S`, and S is how many states are visited here. What differs from
`core/exhaustion.py`:

- A line `sum` begins another sum of tables. The core checks each sum by itself, so each is a lower bound, and the
  largest counts; a `-` in any of them is a dead end. (A single sum is close to the truth only near one state.)
- All states that differ only in who moves, or in where the walker is, are one entry with the set of these values, and
  what the bounds say of the other variables is reckoned once for all of them (`proofs/grouped_states.py`).
- Without a walker and such moves, free actions that are the only ones possible are followed at once (there, too).

With one sum the states visited are those of the core, without those that are passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, prod
from operator import add

from .core.check import check_plan, text_of
from .core.claim import FILE, Claim, Table, check_tables, read_claim
from .core.exhaustion import EACH, VALUES, PackedProblem
from .core.limits import Invalid, Limits, Unsupported
from .core.problem import FILE as PROBLEM
from .core.problem import Cost, Problem, read
from .grouped_states import kept_apart, moves_of
from .verdict import said

SEARCH = "search"
SUM = "sum"

COMBINATIONS = 4096
"""Combinations of values for which numbers of tables are kept together."""


@dataclass(frozen=True, slots=True)
class Searched:
    """How many states were visited, and the cost of a goal below the claim, or None. `open`: if the search was broken
    off, states that were still to be visited, each with its cost."""

    states: int
    plan: Cost | None = None
    open: tuple[tuple[Cost, int], ...] = ()


class Chunk:
    """Some tables, and what they say of all values of their variables that have been met: a number for each sum."""

    def __init__(self, bits: PackedProblem, tables: list[tuple[int, Table]], sums: int, limits: Limits) -> None:
        self.bits, self.tables, self.sums, self.limits = bits, tables, sums, limits
        variables = {x for _, one in tables for x in one[0]}
        self.mask = sum(bits.problem.full(x) << bits.first[x] for x in variables)
        self.known: dict[int, tuple[int, ...] | None] = {}

    def numbers(self, state: int) -> tuple[int, ...] | None:
        """The number of each sum; None at a dead end."""
        part = state & self.mask
        if part not in self.known:
            self.limits.hold(EACH)
            self.limits.tick(4 * len(self.tables))
            self.known[part] = self._numbers(part)
        return self.known[part]

    def _numbers(self, part: int) -> tuple[int, ...] | None:
        total = [0] * self.sums
        for number, (variables, numbers) in self.tables:
            found = numbers[tuple([self.bits.value(part, x) for x in variables])]
            if found == inf:
                return None
            total[number] += int(found)
        return tuple(total)


def chunks(
    bits: PackedProblem, sums: list[list[Table]], walk: int | None, limits: Limits
) -> tuple[list[Chunk], list[Chunk]]:
    """The tables in chunks of few combinations: those without the walker, and those with it."""
    found: tuple[list[Chunk], list[Chunk]] = ([], [])
    tables = [(number, one) for number, several in enumerate(sums) for one in several]
    for chosen, walking in zip(found, (False, True), strict=True):
        some: list[tuple[int, Table]] = []
        variables: set[int] = set()
        for number, one in sorted(tables, key=lambda pair: pair[1][0]):
            if (walk in one[0]) != walking:
                continue
            more = variables.union(one[0])
            if some and prod(len(bits.problem.domains[x]) for x in more) > COMBINATIONS:
                chosen.append(Chunk(bits, some, len(sums), limits))
                some, more = [], set(one[0])
            some.append((number, one))
            variables = more
        if some:
            chosen.append(Chunk(bits, some, len(sums), limits))
    return found


class Search:
    """Visits states by their cost. A state is an integer as in `core/exhaustion.py`; it is split into the bit of the
    walker or the hand, and the rest. (Without either, a bit that is always set stands for it.)

    For each rest there are the values with which it has been visited, and for each cost the entries that wait: a rest
    with the values with which it is still to be visited.
    """

    def __init__(self, problem: Problem, below: Cost | None, sums: list[list[Table]], limits: Limits) -> None:
        self.problem, self.below, self.limits = problem, below, limits
        self.bits = bits = PackedProblem(problem, limits)
        if bits.first[-1] > VALUES:
            raise Unsupported(f"states are visited where all variables together have at most {VALUES} values")
        apart, walks = kept_apart(problem, sums)
        self.still, self.walking = chunks(bits, sums, apart, limits)
        self.none = (0,) * len(sums)
        self.moves = moves_of(bits, apart, walks, bool(self.walking))
        # A bit that is always set stands for the walker or the hand if there is neither.
        self.values = 1 << bits.first[-1] if apart is None else problem.full(apart) << bits.first[apart]
        self.states, self.each = 0, EACH + 3 * sys.getsizeof(1 << bits.first[-1])
        self.seen: dict[int, int] = {}
        self.known: dict[int, list[int] | None] = {}
        self.waiting: dict[Cost, dict[int, int]] = {}
        self.costs: list[Cost] = []
        zero = (0,) * len(problem.counts)
        self._wait(zero, [(zero, bits.start | (self.values if apart is None else 0))], {})

    def run(self, most: int | None = None) -> Searched:
        """Visit states until one is a goal, or none is left, or `most` have been visited; then it can be called again,
        to go on. Raises `Stopped`.
        """
        moves, limits, seen = self.moves, self.limits, self.seen
        while self.costs:
            cost = self.costs[0]
            entries, layers = self.waiting[cost], dict[Cost, tuple[Cost, dict[int, int]]]()
            while entries:
                if most is not None and self.states >= most:
                    return Searched(self.states, open=self._open())
                rest, came = entries.popitem()
                old = seen.get(rest, 0)
                if old:
                    limits.hold(-self.each)
                came &= ~old
                if not came:
                    continue
                reached = moves.reached(rest, came, old)
                seen[rest] = old | reached
                self.states += reached.bit_count()
                limits.tick(moves.work * reached.bit_count())
                if self._goal_within(rest, reached):
                    return Searched(self.states, cost)
                self._wait(cost, moves.after(rest, reached, not old), layers)
            heappop(self.costs)
            del self.waiting[cost]
        return Searched(self.states)

    def _wait(
        self, cost: Cost, after: Iterable[tuple[Cost, int]], layers: dict[Cost, tuple[Cost, dict[int, int]]]
    ) -> None:
        """Let states wait that come after one of some cost, each with what it costs more. `layers`: for each such cost
        the sum of both, and the entries that wait for it.
        """
        for more, then in after:
            there = then & self.values
            rest = then ^ there
            if self.seen.get(rest, 0) & there:
                continue
            if more not in layers:
                total = tuple([a + b for a, b in zip(cost, more, strict=True)])
                if total not in self.waiting:
                    heappush(self.costs, total)
                layers[more] = total, self.waiting.setdefault(total, {})
            total, entries = layers[more]
            waits = entries.get(rest, 0)
            if (self.walking or not waits) and self._left_out(rest, then, total):
                continue
            if not waits:
                self.limits.hold(self.each)
            entries[rest] = waits | there

    def _open(self) -> tuple[tuple[Cost, int], ...]:
        """A state of each entry that waits to be visited, with what it costs to reach it."""
        return tuple((cost, rest | came & -came) for cost, some in self.waiting.items() for rest, came in some.items())

    def _goal_within(self, rest: int, reached: int) -> bool:
        """Whether a state with one of some values of the walker is a goal."""
        for mask in self.bits.goal:
            if not rest & mask:
                reached &= mask
        return bool(reached)

    def _numbers(self, rest: int) -> list[int] | None:
        """What each sum of tables says of a state, without the tables about the walker; None at a dead end."""
        if rest not in self.known:
            self.limits.hold(self.each)
            self.limits.tick(1 + len(self.still))
            parts = [part for chunk in self.still if (part := chunk.numbers(rest)) is not None]
            dead = len(parts) < len(self.still)
            self.known[rest] = None if dead else list(map(sum, zip(self.none, *parts, strict=True)))
        return self.known[rest]

    def _left_out(self, rest: int, state: int, cost: Cost) -> bool:
        """Whether a state cannot be on a plan below the claim."""
        if not self.still and not self.walking:
            return self.below is not None and cost >= self.below
        numbers = self._numbers(rest)
        for chunk in self.walking:
            here = chunk.numbers(state)
            if numbers is None or here is None:
                return True
            numbers = list(map(add, numbers, here))
        if numbers is None:
            return True
        return self.below is not None and (cost[0] + max(0, *numbers), *cost[1:]) >= self.below


def is_by_search(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of such a certificate."""
    return f"\nby {SEARCH} ".encode() in files.get(FILE, b"")[:200]


def checked_by_search(files: Mapping[str, bytes], limits: Limits) -> Claim:
    """The claim of such a certificate, without its tables' further sums, if it is shown. Raises `Rejected`."""
    problem = read(text_of(files, PROBLEM, limits), limits)
    claims = claims_in(problem, text_of(files, FILE, limits), limits)
    claim = claims[0]
    for one in claims:
        check_tables(problem, one.tables, limits)
    check_plan(claim, files, limits)
    found = Search(problem, claim.below, [one.tables for one in claims], limits).run()
    if found.plan is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(found.plan, problem.counts)}", FILE)
    if (found.states,) != claim.numbers:
        raise Invalid(f"this checker visits {found.states} states, and another number is claimed", FILE)
    return claim


def claims_in(problem: Problem, text: str, limits: Limits) -> list[Claim]:
    """What claim.txt says, once for each sum, each as the core reads it. Raises `Invalid`."""
    *lines, last = text.split("\n")
    parts: list[list[str]] = [[]]
    for line in lines[3:]:
        limits.tick(1 + len(line) // 8)
        if line == SUM:
            parts.append([])
        elif line.startswith("table "):
            parts[-1].append(line)
        else:
            raise Invalid("here stand only tables, and `sum` before each further sum of them", FILE)
    return [read_claim(problem, "\n".join([*lines[:3], *part, last]), limits, {SEARCH: 1}) for part in parts]
