"""The clauses that say "there is a plan that costs at most N", of any problem (of its first count).

Layers 0 to H of states, and H steps between them, with one action each; H is N divided by the least cost of an action.
Every action has to cost something: nothing would bound how many free ones a plan has.
A plan of fewer actions is filled up with idle steps at its end. **Every such plan satisfies every sentence below; so if
they contradict each other, there is none.** That is the only direction that is needed: a sentence that is missing makes
the refutation harder, not wrong.

    1   Layer 0 is the start.
    2   In each layer each variable has one value: at least one, and not two.
    3   In each layer no two values hold that are never reached together, where the claim says `pairs` (`ReachedPairs`).
    4   In each step one action is made or none (the step is idle), and after an idle step all steps are idle.
    5   What an action needs holds before it.
    6   Where the condition of an effect holds before, the effect takes place. Where no condition holds, the variable
        keeps its value.
    7   A value comes by an action that has it as an effect, and goes by one that has another as an effect.
    8   Each action spends what it costs beyond the most by which it lowers the bound (`bounds`), and all together
        spend at most N less the bound of the start. (Without tables the bound is 0, and they spend what they cost.)
    9   In the last layer the goal holds.

Variables of layer and step t are those of layer and step 0, t times `stride` further on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from .claim import FILE, Claim, bound, check_tables
from .limits import Limits, Unsupported
from .pairs import ReachedPairs
from .problem import LARGEST, Effects, Literals

Clause = tuple[int, ...]
"""Variables count from 1; a negative number is a negation."""

CLAUSE_BYTES = 100
"""Memory in bytes of a clause without literals, and of its entry in a dictionary."""


class Formula:
    """The clauses for plans that cost less than is claimed. `spare`: what each action spends (8); `slack`: what all may
    spend together. `variables`: their number, known at once; `clauses()` gives them in order, always the same."""

    def __init__(self, claim: Claim, limits: Limits) -> None:
        if claim.below is None or len(claim.below) > 1:
            raise Unsupported(f"{FILE}: clauses exclude plans below a cost of one count")
        if not all(action.cost[0] for action in claim.problem.actions):
            raise Unsupported("clauses are for problems all of whose actions cost something")
        self.problem, self.claim, self.limits = claim.problem, claim, limits
        self.spare = check_tables(self.problem, claim.tables, limits)
        self.sizes = [len(domain) for domain in self.problem.domains]
        self.at_most = claim.below[0] - 1
        self.steps = max(0, self.at_most) // min((one.cost[0] for one in self.problem.actions), default=LARGEST)
        self.slack = int(max(-1, self.at_most - bound(claim.tables, self.problem.start.__getitem__)))
        self.counted = self.slack < self.steps or any(spare != 1 for spare in self.spare)
        self.last = 0
        # The number before the first variable for the values of each variable: before the action of a step, and after.
        self.now = [self._new(size if size > 2 else 1) for size in self.sizes]
        self.levels = max(0, self.slack) if self.counted else 0
        if self.steps + self.levels * (1 + len(self.problem.actions)) >> 25:  # more clauses fit into no memory
            raise Unsupported("clauses for so many steps, or about such costs, are too many")
        self.spent = self._new(self.levels)  # `spent + k`: at least k has been spent, for k from 1 to `levels`
        self.facts = self.last
        self._number_step()
        self.stride = self.last
        self.later = [now + self.stride for now in self.now]
        self.variables = self.steps * self.stride + self.facts

    def _new(self, many: int = 1) -> int:
        """Give out variables of layer 0 or step 0: the number before the first of them."""
        self.last += many
        return self.last - many

    def _number_step(self) -> None:
        """Give out the variables of step 0."""
        self.made = [self._new() + 1 for _ in self.problem.actions]
        groups: dict[int, list[int]] = {}  # actions by the first variable that they change
        for a, action in enumerate(self.problem.actions):
            groups.setdefault(min(action.effects), []).append(a)
        self.groups = {self._new() + 1: members for members in groups.values()}
        self.idle = self._new() + 1
        self.fires: dict[tuple[int, int, int], int] = {}  # effects whose condition has several literals
        for a, action in enumerate(self.problem.actions):
            self.limits.tick(action.size())
            for x, effects in action.effects.items():
                self.fires |= {(a, x, j): self._new() + 1 for j, (when, _) in enumerate(effects) if len(when) > 1}

    def clauses(self) -> Iterator[Clause]:
        """All clauses: of the start, of every layer, of every step, of the goal. Raises `Stopped` at a limit."""
        layer, step = kept(self._layer(), self.limits), kept(self._step(), self.limits)
        self.limits.hold((self.steps + 1) * sum(map(clause_bytes, layer)) + self.steps * sum(map(clause_bytes, step)))
        for x, i in enumerate(self.problem.start):
            yield (self.value(x, i, self.now),)  # 1
        yield from ((-(self.spent + k),) for k in range(1, self.levels + 1))
        if self.slack < 0:
            yield from ((1,), (-1,))  # 8: the bound of the start is more than N. (Some checkers cannot read `0`.)
        for t in range(self.steps + 1):
            yield from shifted(layer, t * self.stride, self.limits)
        for t in range(self.steps):
            yield from shifted(step, t * self.stride, self.limits)
        ends = range(self.idle, self.idle + self.steps * self.stride, self.stride)
        yield from ((-idle, later) for idle, later in pairwise(ends))  # 4
        goal = [tuple(self.within(part, self.now)) for part in self.problem.goal]
        yield from shifted(goal, self.steps * self.stride, self.limits)  # 9

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
        for x, size in enumerate(self.sizes):
            if size > 2:
                yield tuple(self.value(x, i, self.now) for i in range(size))  # 2
                yield from not_both([self.value(x, i, self.now) for i in range(size)])
        for part in ReachedPairs(self.problem, self.limits).clauses() if self.claim.pairs else ():
            yield tuple(self.within(part, self.now))  # 3
        for k in range(2, self.levels + 1):
            yield (-(self.spent + k), self.spent + k - 1)

    def _step(self) -> Iterator[Clause]:
        yield from self._choice()
        changers: dict[int, list[int]] = {}
        for a, action in enumerate(self.problem.actions):
            for part in action.needs:
                yield (-self.made[a], *self.within(part, self.now))  # 5
            for x, effects in action.effects.items():
                changers.setdefault(x, []).append(a)
                yield from self._effects(a, x, effects)
        for x in range(len(self.sizes)):
            yield from self._frame(x, changers.get(x, []))
        if self.counted:
            for made, spare in zip(self.made, self.spare, strict=True):
                yield from self._spend(-made, spare)
            yield from ((-(self.spent + k), self.spent + k + self.stride) for k in range(1, self.levels + 1))

    def _choice(self) -> Iterator[Clause]:
        """Sentence 4. Actions are grouped by the first variable that they change, which needs fewer clauses."""
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
            yield (does, *self.fails(when, self.now), self.value(x, i, self.later))  # 6
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
            action = self.problem.actions[a]
            self.limits.tick(action.size())
            gives = {value for _, value in action.effects[x]}
            changes.append((self.made[a], self.problem.allowed(action.needs, x), gives))
        for i in range(self.sizes[x]):
            self.limits.tick(len(changes))
            gone = [made for made, may, gives in changes if may >> i & 1 and gives != {i}]
            come = [made for made, _, gives in changes if i in gives]
            yield (-self.value(x, i, self.now), self.value(x, i, self.later), *gone)  # 7
            yield (self.value(x, i, self.now), -self.value(x, i, self.later), *come)

    def _spend(self, does: int, cost: int) -> Iterator[Clause]:
        later = self.spent + self.stride
        if cost > self.slack:
            yield (does,)  # 8
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
