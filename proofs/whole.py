"""The clauses that say which actions a plan has, and not when: a fast layer beside the core, without a horizon.

Where edges are drawn, 34 of them can be drawn in any order, and a formula with steps has to refute each order. Here
the variables of a formula speak of the whole plan: that an action of a kind is *made* in it (`kinds` says what a kind
is), that a variable has *been* at a value at some time, and what the values are at the end. **Every plan of at most N,
of any problem, satisfies every sentence**, so what is refuted is no plan. Sentences 2, 3 and 10 of the core are said of
the end; in place of the others:

    16  A variable has been at its value of the start; at another one only if an action that may give it is made. What
        a made action needs, and what it gives whatever the state is, has been. A variable ends where it has been. From
        a value where it has been and does not end, a made action may lead away.
    17  Where no way along the changes that actions may make leads a variable from a value back to it, each value comes
        once at most, and goes once at most. A kind *enters* q if it needs values without q and always gives q; it
        *leaves* p if p is all that it needs, and it always gives another value. So of all actions of kinds that enter
        the same value one is made at most, and once; and of those that leave the same. None enters the value of the
        start, and none leaves that of the end.
    18  Each action on a counted variable moves it on by one. So it ends at least as many values behind its start as
        kinds on it are made; and just as many if each of these is made once at most, by 17.
    19  A variable of two values that each action on it always changes does not end at its start exactly if such
        actions were made an odd number of times. (*odd*: a kind was made an odd number of times. Then it is made.)
    20  The made kinds together spend at most what all actions may by the core's sentence 9.
    21  A *cut* is a clause that is false at the start. If it has ever been true, a made action can make it true first:
        it may give one of its values, and does not need any of them.

(Two actions of a kind differ in values of counted variables only, so what is said of one is true of each.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from math import gcd

from .changing import ChangeFormula
from .core.claim import FILE, Claim
from .core.formula import Clause, Formula, clause_bytes, not_both
from .core.limits import Invalid, Limits
from .core.problem import Literals
from .counting import Totals
from .kinds import Kind, Ladder, kinds_of
from .parallel import ParallelFormula

WHOLE = "whole"
"""The word of this formula in claim.txt."""

FEW = 6
"""Up to so many literals of which one at most is true are excluded pair by pair; more are counted."""


class WholeFormula(Formula):
    """As `Formula`, without layers: `now` is the end. `kinds`: by the literal that says that one is made; `been`: the
    number before those for the values where a variable has been, of each that is not counted."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        super().__init__(claim, limits)
        self.all: list[Clause] = []
        counted, kinds = kinds_of(self.problem, self.spare, limits)
        self.kinds = {self._new() + 1: kind for kind in kinds}
        self.been = {x: self._new(size) for x, size in enumerate(self.sizes) if x not in counted}
        self.on: dict[int, list[int]] = {x: [] for x in range(len(self.sizes))}  # made kinds that change a variable
        for made, kind in self.kinds.items():
            for x in (*kind.effects, *kind.counts):
                self.on[x].append(made)
        self.sure: dict[int, tuple[int, ...]] = {}  # `been` of a value: the kinds that give it, if all do so always
        self.single: dict[int, list[frozenset[int]]] = {}  # for a kind: sets with it of which one is made, once
        self.odd: dict[int, int] = {}
        self._add(self._layer())
        self._add(tuple(self.within(part, self.now)) for part in self.problem.goal)
        cyclic = [x for x in self.been if self._values(x)]
        self.group = self._groups()
        for made, kind in self.kinds.items():
            self._add((-made, *self._has_been(part)) for part in kind.needs)
        for x, values in counted.items():
            self._count(x, values)
        for x in cyclic:
            self._parity(x)
        self._spend_at_most()
        for part in claim.cuts:
            self.cut(part)
        self.variables = self.last

    def clauses(self) -> Iterator[Clause]:
        """All clauses, which were made at once."""
        yield from self.all

    def bounds_all(self) -> bool:
        """Whether of each kind it is known that it is made once at most, or what follows if it is made twice."""
        return all(made in self.single or made in self.odd for made in self.kinds)

    def _number_step(self) -> None:
        """Number no variables of a step: a formula about whole plans has none."""

    def _add(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self.limits.tick(1 + len(clause) // 64)
            self.limits.hold(clause_bytes(clause))
            self.all.append(clause)

    def _has_been(self, literals: Literals) -> list[int]:
        """Literals of which one holds if one of some literals of variables that are not counted has ever been true."""
        return [self.been[x] + 1 + i for x, mask in literals for i in range(self.sizes[x]) if mask >> i & 1]

    def _values(self, x: int) -> bool:
        """Add sentences 16 and 17 about a variable; whether actions may lead it back to a value: on, off, on."""
        start, full = self.problem.start[x], self.problem.full(x)
        come: dict[int, list[int]] = {i: [] for i in range(self.sizes[x])}
        sure: dict[int, list[int]] = {i: [] for i in range(self.sizes[x])}
        away: dict[int, list[int]] = {i: [] for i in range(self.sizes[x])}
        after: dict[int, set[int]] = {i: set() for i in range(self.sizes[x])}
        for made in self.on[x]:
            kind = self.kinds[made]
            left = set[int]()
            for when, to in kind.effects[x]:
                self.limits.tick(1 + self.sizes[x] // 8)
                come[to].append(made)
                mask = kind.allows.get(x, full) & dict(when).get(x, full) & ~(1 << to)
                for i in range(self.sizes[x]):
                    if mask >> i & 1:
                        after[i].add(to)
                        left.add(i)
            for i in left:
                away[i].append(made)
            if kind.gives(x) >= 0:
                sure[kind.gives(x)].append(made)
        for i in range(self.sizes[x]):
            been, ends = self.been[x] + 1 + i, self.value(x, i, self.now)
            self._add([(been,) if i == start else (-been, *dict.fromkeys(come[i]))])
            self._add((-made, been) for made in sure[i])
            self._add([(-ends, been), (-been, ends, *away[i])])
            if i != start and sure[i] == come[i]:
                self.sure[been] = tuple(sure[i])
        try:
            TopologicalSorter(after).prepare()
        except CycleError:
            return True
        for i in range(self.sizes[x]):
            enter = [made for made in sure[i] if not self.kinds[made].allows.get(x, full) >> i & 1]
            always = (made for made in away[i] if self.kinds[made].gives(x) >= 0)
            leave = [made for made in always if self.kinds[made].allows.get(x) == 1 << i]
            self._add((-made,) for made in enter if i == start)
            self._add((-made, -self.value(x, i, self.now)) for made in leave)
            for several in (enter, leave):
                self._at_most_one(several)
                for made in several:
                    self.single.setdefault(made, []).append(frozenset(several))
        return False

    def _at_most_one(self, literals: list[int]) -> None:
        if len(literals) > FEW:
            self._totals([literals], 1, exact=False)
        else:
            self._add(not_both(literals))

    def _totals(self, groups: list[list[int]], most: int, exact: bool) -> list[int]:
        """Say that at most `most` of some literals are true: the variables that say that 1, 2, ... of them are."""
        many = sum(map(len, groups))
        totals = Totals(groups, many, most, self.last + 1, self.limits)
        self.last = totals.last
        self._add(totals.clauses(exact))
        return totals.total

    def _groups(self) -> dict[int, int]:
        """For each kind that is made once at most the value where something has been exactly if it, or another one of a
        set of which one is made at most, is made; of the smallest such set."""
        group: dict[int, int] = {}
        for been, several in sorted(self.sure.items(), key=lambda item: len(item[1])):
            if several and any(one.issuperset(several) for one in self.single.get(several[0], ())):
                for made in several:
                    group.setdefault(made, been)
        return group

    def _parts(self, several: Iterable[int]) -> list[int]:
        """Literals of which as many are true as kinds of some are made: one for each group."""
        by_group: dict[int, list[int]] = {}
        for made in several:
            by_group.setdefault(self.group.get(made, made), []).append(made)
        parts = []
        for name, members in by_group.items():
            if len(members) > 1 and len(members) < len(self.sure[name]):
                name = self._new() + 1
                self._add([(-name, *members), *((-made, name) for made in members)])
            parts.append(name if len(members) > 1 else members[0])
        return parts

    def _count(self, x: int, values: Ladder) -> None:
        """Add sentence 18 about a counted variable: room for 3 edges at the start and 1 at the end are 2 drawn."""
        several = self.on[x]
        once = all(made in self.single for made in several)
        moved = self._totals([self._parts(several)], len(values) - 1, exact=True)
        for i in range(self.sizes[x]):
            ends, place = self.value(x, i, self.now), values.index(i) if i in values else -1
            if place < 0 or (once and place > len(moved)):
                self._add([(-ends,)])
                continue
            self._add((-ends, -more) for more in moved[place : place + 1])
            self._add((-ends, so_many) for so_many in moved[place - 1 : place] if once)

    def _parity(self, x: int) -> None:
        """Add sentence 19 about a variable of two values: a lamp that ends switched was so an odd number of times."""
        if self.sizes[x] > 2 or not self.on[x] or not all(_flips(self.kinds[made], x) for made in self.on[x]):
            return
        # `total`: the kinds so far were made an odd number of times together.
        total, *others = map(self._odd, self.on[x])
        for odd in others:
            one, total = total, self._new() + 1
            self._add([(-total, one, odd), (-total, -one, -odd), (total, -one, odd), (total, one, -odd)])
        other = self.value(x, 1 - self.problem.start[x], self.now)
        self._add([(-total, other), (total, -other)])

    def _odd(self, made: int) -> int:
        """The literal that says that actions of a kind are made an odd number of times in all."""
        if made not in self.single and made not in self.odd:
            self.odd[made] = self._new() + 1
            self._add([(-self.odd[made], made)])
        return self.odd.get(made, made)

    def _spend_at_most(self) -> None:
        """Add sentence 20: together the made kinds spend no more than a plan below the claim may."""
        by_spare: dict[int, list[int]] = {}
        for made, kind in self.kinds.items():
            by_spare.setdefault(kind.spare, []).append(made)
        unit = gcd(*by_spare) or 1
        groups = [[part] * (spare // unit) for spare, several in by_spare.items() for part in self._parts(several)]
        if self.slack < 0:
            self._add([(1,), (-1,)])
        else:
            self._totals(groups, self.slack // unit, exact=False)

    def cut(self, part: Literals) -> None:
        """Add the clauses of a cut: sentence 21. Raises `Invalid` if it is none."""
        masks = dict(part)
        if not self.been.keys() >= masks.keys() or any(mask >> self.problem.start[x] & 1 for x, mask in part):
            raise Invalid("a cut is of variables that are not counted, and is false at the start", FILE)
        first = []
        for made in dict.fromkeys(made for x in masks for made in self.on[x]):
            kind = self.kinds[made]
            self.limits.tick(1 + len(kind.needs) + len(kind.effects))
            gives = any(masks.get(x, 0) >> to & 1 for x, some in kind.effects.items() for _, to in some)
            if gives and all(any(mask & ~masks.get(x, 0) for x, mask in need) for need in kind.needs):
                first.append(made)
        held = self._new() + 1
        self._add((-been, held) for been in self._has_been(part))
        self._add([(-held, *first)])
        self.variables = self.last


def _flips(kind: Kind, x: int) -> bool:
    """Whether a kind always gives a variable of two values, which it may change, the other one."""
    ways = {(when, to) for when, to in kind.effects[x]}
    always = len(ways) == 1 and kind.gives(x) >= 0 and kind.allows.get(x) == 1 << 1 - kind.gives(x)
    return always or ways == {(((x, 1 << 1 - to),), to) for to in (0, 1)}


LAYERS: dict[str, type[Formula]] = {"changes": ChangeFormula, "parallel": ParallelFormula, WHOLE: WholeFormula}
"""The formulas that are not in the core, by their word in claim.txt."""
