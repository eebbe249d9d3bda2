"""Exhaustion with several bounds and with whole walks at once: a fast layer beside the core.

claim.txt says `by search S` in place of `by exhaustion S`, and S is how many states are visited here. Two things differ
from `core/exhaustion.py`:

- A line `sum` begins another sum of tables. The core checks each sum by itself, so each is a lower bound, and the
  largest counts; a `-` in any of them is a dead end. (A single sum is close to the truth only near one state.)
- Actions that cost nothing and change one variable only, always the same and without a condition, are *walks*. All
  states that differ in the walker's value alone are kept as one entry, with the set of the walker's values that were
  reached, and what the bounds say of the other variables is reckoned once for all of them.

    boxes on r2c3 r4c4:  walker on r1c1 r1c2 r2c1 ... reached at a cost of 7     one entry of the queue, not twelve

With one sum the states visited are those of the core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, prod
from operator import add

from .core.check import check_plan, text_of
from .core.claim import EXHAUSTION, FILE, Claim, Table, check_tables, read_claim
from .core.exhaustion import EACH, Bits, Compiled, Successors
from .core.limits import Invalid, Limits
from .core.problem import FILE as PROBLEM
from .core.problem import Cost, Problem, read
from .verdict import said

SEARCH = "search"
BY = f"by {SEARCH} "
SUM = "sum"

SEVERAL = 100
"""Walks are taken together only if at most so many other actions can be done at several values of the walker."""

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

    def __init__(self, bits: Bits, tables: list[tuple[int, Table]], sums: int, limits: Limits) -> None:
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


def chunks(bits: Bits, sums: list[list[Table]], walk: int | None, limits: Limits) -> tuple[list[Chunk], list[Chunk]]:
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


def walker(problem: Problem) -> int | None:
    """The variable that the actions change that cost nothing; None if there is not exactly one, or on a condition."""
    free = [action for action in problem.actions if not any(action.cost)]
    changed = {x for action in free for x in action.effects}
    plain = not any(when for action in free for some in action.effects.values() for when, _ in some)
    return changed.pop() if len(changed) == 1 and plain else None


class Walks:
    """The actions of a problem, sorted by the walker's value: where may it walk, and what can be done from there?

        near[i] = bits j, k          one walk leads from value i to j or k
        doors has ([mask], bit j)    but to j only if the other variables meet the mask: if that cell is free
        others[i] has a push         what can be done at i that is no walk, with its clauses about other variables

    Values are counted from the walker's first bit. `plain`: this says all. Every walk to a value needs the same, no
    clause is about the walker and another variable, and few of the others are possible at several values.
    """

    def __init__(self, bits: Successors, walk: int) -> None:
        self.bits, self.first, whole = bits, bits.first[walk], bits.problem.full(walk)
        self.near = [0 for _ in bits.problem.domains[walk]]
        self.others: list[list[tuple[list[int], Compiled]]] = [[] for _ in self.near]
        actions = {id(one): one for lists in bits.by_value for several in lists for one in several}
        asked: dict[int, list[int]] = {}
        shared, self.plain = 0, True
        for compiled in actions.values():
            cost, masks, effects = compiled
            here, needs = whole, list[int]()
            for mask in masks:
                own = mask >> self.first & whole
                if own:
                    here &= own
                else:
                    needs.append(mask)
                self.plain &= not own or mask == own << self.first
            if any(cost):
                shared += here.bit_count() > 1
            else:
                there = effects[0][2] >> self.first
                self.plain &= asked.setdefault(there, needs) == needs
            self.plain &= shared <= SEVERAL
            for i in range(len(self.near) if self.plain else 0):
                if here >> i & 1 and any(cost):
                    self.others[i].append((needs, compiled))
                elif here >> i & 1:
                    self.near[i] |= there
        self.acting = sum(1 << i for i, some in enumerate(self.others) if some)
        self.doors = [(needs, there) for there, needs in asked.items() if needs]

    def reached(self, rest: int, came: int, old: int) -> int:
        """The values to which walks lead from the values `came`, these among them; `old` ones are not entered."""
        barred = old >> self.first
        for needs, there in self.doors:
            for mask in needs:
                if not rest & mask:
                    barred |= there
        todo = found = came >> self.first
        while todo:
            here = todo & -todo
            more = self.near[here.bit_length() - 1] & ~(found | barred)
            found, todo = found | more, todo ^ here | more
        return found << self.first

    def successors(self, rest: int, values: int) -> Iterator[tuple[Cost, int]]:
        """The states after one action other than a walk, from each of some values of the walker."""
        values = values >> self.first & self.acting
        while values:
            here = values & -values
            values ^= here
            for needs, action in self.others[here.bit_length() - 1]:
                for mask in needs:
                    if not rest & mask:
                        break
                else:
                    yield from self.bits.results([[action]], rest | here << self.first)


class Search:
    """Visits states by their cost. A state is an integer as in `core/exhaustion.py`; it is split into the walker's bit
    and the rest. (Without a walker, a bit that is always set stands for it.)"""

    def __init__(self, problem: Problem, below: Cost | None, sums: list[list[Table]], limits: Limits) -> None:
        self.problem, self.below, self.limits = problem, below, limits
        self.bits = bits = Successors(problem, limits)
        walk = walker(problem)
        self.still, self.walking = chunks(bits, sums, walk, limits)
        self.zero = (0,) * len(problem.counts)
        self.none = (0,) * len(sums)
        if walk is None:
            self.walkers, self.start = 1 << bits.first[-1], bits.start | 1 << bits.first[-1]
        else:
            self.walkers, self.start = problem.full(walk) << bits.first[walk], bits.start
        self.walks = walk is not None
        together = None if walk is None or self.walking else Walks(bits, walk)
        self.together = together if together and together.plain else None

    def run(self, most: int | None = None) -> Searched:
        """Visit states until one is a goal, or none is left, or `most` have been visited. Raises `Stopped`."""
        limits, walkers = self.limits, self.walkers
        rest, came = self.start & ~walkers, self.start & walkers
        # For each rest the values of the walker with which it has been visited; entries of the queue have one value.
        seen: dict[int, int] = {}
        known: dict[int, list[int] | None] = {}
        queue: list[tuple[Cost, int, int]] = []
        states, each = 0, EACH + 3 * sys.getsizeof(1 << self.bits.first[-1])
        if not self._left_out(self._numbers(rest, known, each), self.start, self.zero):
            queue.append((self.zero, rest, came))
        while queue:
            if most is not None and states >= most:
                return Searched(states, open=tuple((cost, rest | came) for cost, rest, came in queue))
            cost, rest, came = heappop(queue)
            old = seen.get(rest, 0)
            if came & old:
                continue
            limits.hold(each if not old else 0)
            if self.together:
                reached = self.together.reached(rest, came, old)
                after: Iterable[tuple[Cost, int]] = self.together.successors(rest, reached)
                at_goal = self._goal_within(rest, reached)
            else:
                reached, after, at_goal = self._visited(known[rest], cost, rest, came, old)
            states += reached.bit_count()
            limits.tick(2 * reached.bit_count())
            if at_goal:
                return Searched(states, cost)
            for more, then in after:
                there = then & walkers
                other = then ^ there
                if seen.get(other, 0) & there:
                    continue
                total = tuple([a + b for a, b in zip(cost, more, strict=True)])
                if not self._left_out(self._numbers(other, known, each), then, total):
                    limits.hold(each)
                    heappush(queue, (total, other, there))
            seen[rest] = old | reached
        return Searched(states)

    def _goal_within(self, rest: int, reached: int) -> bool:
        """Whether a state with one of some values of the walker is a goal."""
        for mask in self.bits.goal:
            if not rest & mask:
                reached &= mask
        return bool(reached)

    def _visited(
        self, numbers: list[int] | None, cost: Cost, rest: int, came: int, old: int
    ) -> tuple[int, list[tuple[Cost, int]], bool]:
        """Visit states one by one, from some values of the walker: the values that are reached, the states after one
        action other than a walk, and whether a goal is among those visited.
        """
        todo, reached, after = came, came, list[tuple[Cost, int]]()
        while todo:
            here = todo & -todo
            todo ^= here
            state = rest | here
            self.limits.tick(len(self.walking))
            if self._left_out(numbers, state, cost):
                reached ^= here
                continue
            if all(state & mask for mask in self.bits.goal):
                return reached, after, True
            for more, then in self.bits.successors(state):
                if self.walks and more == self.zero:
                    there = then & self.walkers
                    if not there & (reached | old):
                        reached, todo = reached | there, todo | there
                else:
                    after.append((more, then))
        return reached, after, False

    def _numbers(self, rest: int, known: dict[int, list[int] | None], each: int) -> list[int] | None:
        """The number of each sum, without what the walker's tables add; None at a dead end."""
        if rest not in known:
            self.limits.hold(each)
            self.limits.tick(1 + len(self.still))
            known[rest] = self._summed(self.still, rest)
        return known[rest]

    def _summed(self, some: list[Chunk], state: int) -> list[int] | None:
        parts = [self.none]
        for chunk in some:
            part = chunk.numbers(state)
            if part is None:
                return None
            parts.append(part)
        return list(map(sum, zip(*parts, strict=True)))

    def _left_out(self, numbers: list[int] | None, state: int, cost: Cost) -> bool:
        """Whether a state cannot be on a plan below the claim; `numbers` as `_numbers` has them."""
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
    return f"\n{BY}".encode() in files.get(FILE, b"")[:200]


def checked_by_search(files: Mapping[str, bytes], limits: Limits) -> Claim:
    """The claim of such a certificate, without its tables' further sums, if it is shown. Raises `Rejected`."""
    problem = read(text_of(files, PROBLEM, limits), limits)
    claims = _claims(problem, text_of(files, FILE, limits), limits)
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


def _claims(problem: Problem, text: str, limits: Limits) -> list[Claim]:
    """What claim.txt says, once for each sum, each as the core reads it. Raises `Invalid`."""
    *lines, last = text.split("\n")
    if last or len(lines) < 3 or not lines[2].startswith(BY):
        raise Invalid(f"the third line is `{BY}S`, and the last one has an end", FILE)
    head = [*lines[:2], f"by {EXHAUSTION} {lines[2].removeprefix(BY)}"]
    parts: list[list[str]] = [[]]
    for line in lines[3:]:
        limits.tick(1 + len(line) // 8)
        if line == SUM:
            parts.append([])
        elif line.startswith("table "):
            parts[-1].append(line)
        else:
            raise Invalid("here stand only tables, and `sum` before each further sum of them", FILE)
    return [read_claim(problem, "\n".join([*head, *part, ""]), limits) for part in parts]
