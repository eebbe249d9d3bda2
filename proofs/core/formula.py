"""The clauses that say "there is a plan that costs at most N", of any problem (of its first count).

Layers 0 to H of states, and H steps between them, with one action each; H is N divided by the least cost of an action.
A plan of fewer actions is filled up with idle steps at its end. **Every such plan satisfies every sentence below; so if
they contradict each other, there is none.** That is the only direction that is needed: a sentence that is missing makes
the refutation harder, not wrong.

Actions of cost 0 have no steps. They have to be *walks*: they change one variable only, the same for all of them, and
without a condition. This variable, the walker's, has two values in a layer: before the walk (the walker *comes* there)
and after it. How it walks is told by *areas*: from values of an area the walker leaves it only by a walk that leads
out, and what such a walk needs of the other variables holds.

    1   Layer 0 is the start.
    2   In each layer each variable has one value: at least one, and not two.
    3   In each layer the invariants hold, before the walk and after it.
    4   The walker, coming to a value of an area, is in the area after the walk, or a walk out of it was possible.
    5   In each step one action is made or none (the step is idle), and after an idle step all steps are idle.
    6   What an action needs holds before it.
    7   Where the condition of an effect holds before, the effect takes place. Where no condition holds, the variable
        keeps its value.
    8   A value comes by an action that has it as an effect, and goes by one that has another as an effect.
    9   Each action spends what it costs beyond the most by which it lowers the bound (`bounds`), and all together
        spend at most N less the bound of the start. (Without tables the bound is 0, and they spend what they cost.)
    10  In the last layer the goal holds.

Variables of layer and step t are those of layer and step 0, t times `stride` further on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from .claim import FILE, Claim, bound, check_tables
from .limits import Invalid, Limits, Unsupported
from .problem import LARGEST, Effects, Literals, walker

Clause = tuple[int, ...]
"""Variables count from 1; a negative number is a negation."""

CLAUSE_BYTES = 100
"""Memory in bytes of a clause without literals, and of its entry in a dictionary."""


class Formula:
    """The clauses for plans that cost less than is claimed. `spare`: what each action spends (9); `slack`: what all may
    spend together. `variables`: their number, known at once; `clauses()` gives them in order, always the same."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        if claim.below is None or len(claim.below) > 1:
            raise Unsupported(f"{FILE}: clauses exclude plans below a cost of one count")
        self.problem, self.claim, self.limits = claim.problem, claim, limits
        self.spare = check_tables(self.problem, claim.tables, limits)
        self.walk = walker(self.problem)
        self.sizes = [len(domain) for domain in self.problem.domains]
        self.charged = {a: action for a, action in enumerate(self.problem.actions) if action.cost[0]}
        self.at_most = claim.below[0] - 1
        self.steps = max(0, self.at_most) // min((one.cost[0] for one in self.charged.values()), default=LARGEST)
        self.slack = int(max(-1, self.at_most - bound(claim.tables, self.problem.start.__getitem__)))
        self.counted = self.slack < self.steps or any(self.spare[a] != 1 for a in self.charged)
        self.last = 0
        # The number before the first variable for the values of each variable: before the action of a step; before the
        # walk that comes before it; after the action, which is before the walk of the next layer.
        self.now = [self._new(size if size > 2 else 1) for size in self.sizes]
        self.coming = [self._new(self.sizes[x]) if x == self.walk else now for x, now in enumerate(self.now)]
        self.levels = max(0, self.slack) if self.counted else 0
        if self.steps + self.levels * (1 + len(self.charged)) >> 25:  # more clauses fit into no memory
            raise Unsupported("clauses for so many steps, or about such costs, are too many")
        self.spent = self._new(self.levels)  # `spent + k`: at least k has been spent, for k from 1 to `levels`
        self.facts = self.last
        self._number_step()
        self.stride = self.last
        self.later = [coming + self.stride for coming in self.coming]
        self.variables = self.steps * self.stride + self.facts

    def _new(self, many: int = 1) -> int:
        """Give out variables of layer 0 or step 0: the number before the first of them."""
        self.last += many
        return self.last - many

    def _number_step(self) -> None:
        """Give out the variables of step 0."""
        self.made = {a: self._new() + 1 for a in self.charged}
        groups: dict[int, list[int]] = {}  # actions by the first variable that they change
        for a, action in self.charged.items():
            groups.setdefault(min(action.effects), []).append(a)
        self.groups = {self._new() + 1: members for members in groups.values()}
        self.idle = self._new() + 1
        self.fires: dict[tuple[int, int, int], int] = {}  # effects whose condition has several literals
        for a, action in self.charged.items():
            self.limits.tick(action.size())
            for x, effects in action.effects.items():
                self.fires |= {(a, x, j): self._new() + 1 for j, (when, _) in enumerate(effects) if len(when) > 1}

    def clauses(self) -> Iterator[Clause]:
        """All clauses: of the start, of every layer, of every step, of the goal. Raises `Stopped` at a limit."""
        layer, step = kept(self._layer(), self.limits), kept(self._step(), self.limits)
        self.limits.hold((self.steps + 1) * sum(map(clause_bytes, layer)) + self.steps * sum(map(clause_bytes, step)))
        for x, i in enumerate(self.problem.start):
            yield (self.value(x, i, self.coming),)  # 1
        yield from ((-(self.spent + k),) for k in range(1, self.levels + 1))
        if self.slack < 0:
            yield from ((1,), (-1,))  # 9: the bound of the start is more than N. (Some checkers cannot read `0`.)
        for t in range(self.steps + 1):
            yield from shifted(layer, t * self.stride, self.limits)
        for t in range(self.steps):
            yield from shifted(step, t * self.stride, self.limits)
        ends = range(self.idle, self.idle + self.steps * self.stride, self.stride)
        yield from ((-idle, later) for idle, later in pairwise(ends))  # 5
        goal = [tuple(self.within(part, self.now)) for part in self.problem.goal]
        yield from shifted(goal, self.steps * self.stride, self.limits)  # 10

    # Literals: `within` gives some of which one is true exactly if the value of a variable is in a set.

    def value(self, x: int, i: int, at: list[int]) -> int:
        """The literal that says that a variable has its i-th value."""
        if self.sizes[x] == 2:
            return at[x] + 1 if i else -at[x] - 1
        return at[x] + 1 + i

    def within(self, literals: Literals, at: list[int]) -> list[int]:
        """Literals of which one is true exactly if one of the problem's literals is."""
        result = []
        for x, mask in literals:
            out = self.problem.full(x) & ~mask
            if out.bit_count() == 1:
                result.append(-self.value(x, out.bit_length() - 1, at))
            else:
                result += [self.value(x, i, at) for i in range(self.sizes[x]) if mask >> i & 1]
        return result

    def fails(self, condition: Literals, at: list[int]) -> list[int]:
        """Literals of which one is true exactly if a condition, whose literals all have to hold, does not hold."""
        return self.within(tuple((x, self.problem.full(x) & ~mask) for x, mask in condition), at)

    # Sentences

    def _layer(self) -> Iterator[Clause]:
        for x in range(len(self.sizes)):
            yield from self._one_value(x, self.now)
        for part in self.claim.invariants:
            yield tuple(self.within(part, self.now))
            if any(x == self.walk for x, _ in part):
                yield tuple(self.within(part, self.coming))
        if self.walk is not None:
            yield from self._one_value(self.walk, self.coming)
            for area in self.claim.areas:
                yield from self._area(self.walk, area)
        for k in range(2, self.levels + 1):
            yield (-(self.spent + k), self.spent + k - 1)

    def _one_value(self, x: int, at: list[int]) -> Iterator[Clause]:
        if self.sizes[x] > 2:
            yield tuple(self.value(x, i, at) for i in range(self.sizes[x]))  # 2
            yield from not_both([self.value(x, i, at) for i in range(self.sizes[x])])

    def _area(self, walk: int, area: int) -> Iterator[Clause]:
        """Sentence 4. `ways`: literals of which one holds if a walk that leads out of the area is possible."""
        ways = self.within(((walk, area),), self.now)
        for action in self.problem.actions:
            self.limits.tick()
            outside = action.cost[0] == 0 and not area >> action.effects[walk][0][1] & 1
            if outside and self.problem.allowed(action.needs, walk) & area:  # it may lead from inside to there
                gate = [part for part in action.needs if all(x != walk for x, _ in part)]
                if not gate:
                    raise Invalid(f"an area that {action.name} leaves whatever the state is", FILE)
                ways += self.within(gate[0], self.now)
        for i in range(self.sizes[walk]):
            if area >> i & 1:
                yield tuple(dict.fromkeys((-self.value(walk, i, self.coming), *ways)))

    def _step(self) -> Iterator[Clause]:
        yield from self._choice()
        changers: dict[int, list[int]] = {}
        for a, action in self.charged.items():
            for part in action.needs:
                yield (-self.made[a], *self.within(part, self.now))  # 6
            for x, effects in action.effects.items():
                changers.setdefault(x, []).append(a)
                yield from self._effects(a, x, effects)
        for x in range(len(self.sizes)):
            yield from self._frame(x, changers.get(x, []))
        if self.counted:
            for a in self.charged:
                yield from self._spend(-self.made[a], self.spare[a])
            yield from ((-(self.spent + k), self.spent + k + self.stride) for k in range(1, self.levels + 1))

    def _choice(self) -> Iterator[Clause]:
        """Sentence 5. Actions are grouped by the first variable that they change, which needs fewer clauses."""
        for group, members in self.groups.items():
            made = [self.made[a] for a in members]
            yield (-group, *made)
            yield from ((-one, group) for one in made)
            yield from not_both(made)
        yield (self.idle, *self.groups)
        yield from not_both([self.idle, *self.groups])

    def _effects(self, a: int, x: int, effects: Effects) -> Iterator[Clause]:
        does = -self.made[a]
        ways: list[tuple[int, int]] = []  # a literal and a value: if the literal is true, this value comes
        for j, (when, i) in enumerate(effects):
            yield (does, *self.fails(when, self.now), self.value(x, i, self.later))  # 7
            fires = self.within(when, self.now)
            if len(when) > 1:
                fires = [self.fires[a, x, j]]
                yield from ((-fires[0], *self.within((part,), self.now)) for part in when)
            ways += [(y, i) for y in fires]
        for i in range(self.sizes[x]) if effects[0][0] else ():
            keeps = (does, -self.value(x, i, self.now), self.value(x, i, self.later), *(y for y, k in ways if k != i))
            if len({abs(y) for y in keeps}) == len(set(keeps)):  # else it is true whatever holds
                yield tuple(dict.fromkeys(keeps))

    def _frame(self, x: int, changers: list[int]) -> Iterator[Clause]:
        changes = []  # for each action: its variable, the values that it may meet, and those that it gives
        for a in changers:
            self.limits.tick(self.charged[a].size())
            gives = {value for _, value in self.charged[a].effects[x]}
            changes.append((self.made[a], self.problem.allowed(self.charged[a].needs, x), gives))
        for i in range(self.sizes[x]):
            self.limits.tick(len(changes))
            gone = [made for made, may, gives in changes if may >> i & 1 and gives != {i}]
            come = [made for made, _, gives in changes if i in gives]
            yield (-self.value(x, i, self.now), self.value(x, i, self.later), *gone)  # 8
            yield (self.value(x, i, self.now), -self.value(x, i, self.later), *come)

    def _spend(self, does: int, cost: int) -> Iterator[Clause]:
        later = self.spent + self.stride
        if cost > self.slack:
            yield (does,)  # 9
        elif cost:
            yield (does, later + cost)
            for k in range(1, self.slack + 1):
                more = (later + k + cost,) if k + cost <= self.slack else ()
                yield (does, -(self.spent + k), *more)


def clause_bytes(clause: Clause) -> int:
    """Memory in bytes of a clause."""
    return CLAUSE_BYTES + 36 * len(clause)


def kept(clauses: Iterable[Clause], limits: Limits) -> list[Clause]:
    """Clauses as a list, with their memory counted against the limit."""
    result = []
    for clause in clauses:
        limits.tick(1 + len(clause) // 64)
        limits.hold(clause_bytes(clause))
        result.append(clause)
    return result


def shifted(clauses: Iterable[Clause], shift: int, limits: Limits) -> Iterator[Clause]:
    """Clauses about one layer as clauses about a later one, whose variables are `shift` further on."""
    for clause in clauses:
        limits.tick()
        yield tuple([x + shift if x > 0 else x - shift for x in clause])


def not_both(literals: Iterable[int]) -> Iterator[Clause]:
    """Clauses that say that at most one of some literals is true."""
    yield from ((-x, -y) for x, y in combinations(literals, 2))
