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

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from .bounds import Table
from .limits import Invalid, Limits, Unsupported
from .problem import Action, Literals, Problem

Clause = tuple[int, ...]
"""Variables count from 1; a negative number is a negation."""

CLAUSE_BYTES, LITERAL_BYTES = 100, 36

At = Callable[[int], int]
"""For a variable of the problem, the number before its first variable in the formula."""


def walker(problem: Problem) -> int | None:
    """The variable that actions of cost 0 change; None if there are no such actions. Raises `Unsupported`."""
    walks = [action for action in problem.actions if action.cost[0] == 0]
    changed = {x for action in walks for x in action.effects}
    if len(changed) > 1 or any(when for action in walks for some in action.effects.values() for when, _ in some):
        raise Unsupported("clauses are for problems whose actions of cost 0 change one variable, without a condition")
    return changed.pop() if changed else None


class Formula:
    """The clauses for plans that cost at most `at_most`. `spare`: what each action spends (9); `slack`: what all may
    spend together. `variables`: their number, known at once; `clauses()` gives them in order, always the same."""

    TRUST = "the sentences behind the clauses, the loop that checks proofs"

    def __init__(
        self, problem: Problem, at_most: int, evidence: tuple[list[Literals], list[int], list[Table]],
        spare: list[int], limits: Limits,
    ) -> None:  # fmt: skip
        self.problem, self.limits = problem, limits
        self.invariants, self.areas, tables = evidence
        self.spare = spare
        self.walk = walker(problem)
        self.sizes = [len(domain) for domain in problem.domains]
        self.charged = [a for a, action in enumerate(problem.actions) if action.cost[0]]
        costs = [problem.actions[a].cost[0] for a in self.charged]
        self.steps = max(0, at_most) // min(costs, default=1) if costs else 0
        numbers = [one.at(problem.start) for one in tables]
        known = [number for number in numbers if number is not None]
        self.slack = at_most - sum(known) if len(known) == len(numbers) else -1
        self.counted = self.slack < self.steps or any(self.spare[a] != 1 for a in self.charged)
        self._number()

    def _number(self) -> None:
        """Give out the variables of layer 0 and step 0."""
        last = 0
        self.base: list[int] = []
        for size in self.sizes:
            self.base.append(last)
            last += _width(size)
        self.came = last  # the walker before the walk
        if self.walk is not None:
            last += _width(self.sizes[self.walk])
        self.spent = last  # `spent + k`: at least k has been spent, k from 1 to the slack
        last += max(0, self.slack) if self.counted else 0
        self.facts = last
        self.stride = self._number_step(last)

    def _number_step(self, last: int) -> int:
        """Give out the variables of step 0, behind `last`; gives the last one."""
        self.made = {}  # actions of this step
        for a in self.charged:
            last += 1
            self.made[a] = last
        groups: dict[int, list[int]] = {}  # by the first variable that they change
        for a in self.charged:
            groups.setdefault(min(self.problem.actions[a].effects), []).append(a)
        self.groups = {last + i: members for i, members in enumerate(groups.values(), 1)}
        last += len(groups) + 1
        self.idle = last
        self.fires: dict[tuple[int, int, int], int] = {}  # effects whose condition has several literals
        for a in self.charged:
            self.limits.tick(self.problem.actions[a].size())
            for x, effects in self.problem.actions[a].effects.items():
                for j, (when, _) in enumerate(effects):
                    if len(when) > 1:
                        last += 1
                        self.fires[a, x, j] = last
        return last

    @property
    def variables(self) -> int:
        """The number of variables: of the steps, and of the last layer."""
        return self.steps * self.stride + self.facts

    def clauses(self) -> Iterator[Clause]:
        """All clauses: of the start, of every layer, of every step, of the goal. Raises `Stopped` at a limit."""
        layer, step = kept(self._layer(), self.limits), kept(self._step(), self.limits)
        for part, times in ((layer, self.steps + 1), (step, self.steps)):
            self.limits.hold(times * sum(CLAUSE_BYTES + LITERAL_BYTES * len(clause) for clause in part))
        yield from self._start()
        for t in range(self.steps + 1):
            yield from shifted(layer, t * self.stride, self.limits)
        for t in range(self.steps):
            yield from shifted(step, t * self.stride, self.limits)
            if t + 1 < self.steps:
                yield (-self.idle - t * self.stride, self.idle + (t + 1) * self.stride)  # 5
        yield from shifted(self._goal(), self.steps * self.stride, self.limits)

    # Literals: `within` gives some of which one is true exactly if the value of a variable is in a set.

    def now(self, x: int) -> int:
        """Before the action of this step, and after the walk."""
        return self.base[x]

    def coming(self, x: int) -> int:
        """Before the walk of this layer."""
        return self.came if x == self.walk else self.base[x]

    def later(self, x: int) -> int:
        """After the action of this step, and before the walk of the next layer."""
        return self.coming(x) + self.stride

    def value(self, x: int, i: int, at: At) -> int:
        """The literal that says that a variable has its i-th value."""
        if self.sizes[x] == 2:
            return at(x) + 1 if i else -at(x) - 1
        return at(x) + 1 + i

    def within(self, literals: Literals, at: At) -> list[int]:
        """Literals of which one is true exactly if one of the problem's literals is."""
        result = []
        for x, mask in literals:
            out = self.problem.full(x) & ~mask
            if out.bit_count() == 1:
                result.append(-self.value(x, out.bit_length() - 1, at))
            else:
                result += [self.value(x, i, at) for i in range(self.sizes[x]) if mask >> i & 1]
        return result

    def fails(self, condition: Literals, at: At) -> list[int]:
        """Literals of which one is true exactly if a condition, whose literals all have to hold, does not hold."""
        return self.within(tuple((x, self.problem.full(x) & ~mask) for x, mask in condition), at)

    # Sentences

    def _start(self) -> Iterator[Clause]:
        for x, i in enumerate(self.problem.start):
            yield (self.value(x, i, self.coming),)  # 1
        if self.counted:
            yield from ((-(self.spent + k),) for k in range(1, self.slack + 1))
            if self.slack < 0:
                yield from ((1,), (-1,))  # 9: the bound of the start is more than N. (Some checkers cannot read `0`.)

    def _layer(self) -> Iterator[Clause]:
        for x in range(len(self.sizes)):
            yield from self._one_value(x, self.now)
        if self.walk is not None:
            yield from self._one_value(self.walk, self.coming)
        for part in self.invariants:
            yield tuple(self.within(part, self.now))
            if any(x == self.walk for x, _ in part):
                yield tuple(self.within(part, self.coming))
        for area in self.areas:
            yield from self._area(area)
        for k in range(2, self.slack + 1) if self.counted else ():
            yield (-(self.spent + k), self.spent + k - 1)

    def _one_value(self, x: int, at: At) -> Iterator[Clause]:
        if self.sizes[x] > 2:
            yield tuple(self.value(x, i, at) for i in range(self.sizes[x]))  # 2
            yield from not_both([self.value(x, i, at) for i in range(self.sizes[x])])

    def _area(self, area: int) -> Iterator[Clause]:
        """Sentence 4. `ways`: literals of which one holds if a walk that leads out of the area is possible."""
        assert self.walk is not None
        inside = self.within(((self.walk, area),), self.now)
        ways = []
        for action in self.problem.actions:
            self.limits.tick()
            if action.cost[0] == 0 and _leaves(action, self.walk, area):
                gate = next((part for part in action.needs if all(x != self.walk for x, _ in part)), None)
                if gate is None:
                    raise Invalid(f"an area that {action.name} leaves whatever the state is")
                ways += self.within(gate, self.now)
        for i in range(self.sizes[self.walk]):
            if area >> i & 1:
                yield tuple(dict.fromkeys((-self.value(self.walk, i, self.coming), *inside, *ways)))

    def _step(self) -> Iterator[Clause]:
        yield from self._choice()
        actions, changers = self.problem.actions, dict[int, list[int]]()
        for a in self.charged:
            for part in actions[a].needs:
                yield (-self.made[a], *self.within(part, self.now))  # 6
            for x in actions[a].effects:
                changers.setdefault(x, []).append(a)
                yield from self._effects(a, x)
        for x in range(len(self.sizes)):
            yield from self._frame(x, changers.get(x, []))
        if self.counted:
            for a in self.charged:
                yield from self._spend(a)
            yield from ((-(self.spent + k), self.spent + k + self.stride) for k in range(1, self.slack + 1))

    def _choice(self) -> Iterator[Clause]:
        """Sentence 5. Actions are grouped by the first variable that they change, which needs fewer clauses."""
        for group, members in self.groups.items():
            made = [self.made[a] for a in members]
            yield (-group, *made)
            yield from ((-one, group) for one in made)
            yield from not_both(made)
        yield (self.idle, *self.groups)
        yield from not_both([self.idle, *self.groups])

    def _effects(self, a: int, x: int) -> Iterator[Clause]:
        effects, does = self.problem.actions[a].effects[x], -self.made[a]
        fired: list[tuple[list[int], int]] = []  # for each effect, literals of which one is true if it takes place
        for j, (when, i) in enumerate(effects):
            yield (does, *self.fails(when, self.now), self.value(x, i, self.later))  # 7
            if len(when) > 1:
                fires = self.fires[a, x, j]
                yield from ((-fires, *self.within((part,), self.now)) for part in when)
                fired.append(([fires], i))
            else:
                fired.append((self.within(when, self.now), i))
        if effects[0][0]:
            for i in range(self.sizes[x]):
                ways = [y for literals, value in fired if value != i for y in literals]
                keeps = (does, -self.value(x, i, self.now), self.value(x, i, self.later), *ways)
                if len({abs(y) for y in keeps}) == len(set(keeps)):  # else it is true whatever holds
                    yield tuple(dict.fromkeys(keeps))

    def _frame(self, x: int, changers: list[int]) -> Iterator[Clause]:
        changes = []  # for each action: its variable, the values that it may meet, and those that it gives
        for a in changers:
            action, may = self.problem.actions[a], self.problem.full(x)
            self.limits.tick(action.size())
            for part in action.needs:
                if len(part) == 1 and part[0][0] == x:
                    may &= part[0][1]
            gives = {value for _, value in action.effects[x]}
            changes.append((self.made[a], may, gives))
        for i in range(self.sizes[x]):
            self.limits.tick(len(changes))
            gone = [made for made, may, gives in changes if may >> i & 1 and gives != {i}]
            come = [made for made, _, gives in changes if i in gives]
            yield (-self.value(x, i, self.now), self.value(x, i, self.later), *gone)  # 8
            yield (self.value(x, i, self.now), -self.value(x, i, self.later), *come)

    def _spend(self, a: int) -> Iterator[Clause]:
        cost, does, later = self.spare[a], -self.made[a], self.spent + self.stride
        if cost > self.slack:
            yield (does,)  # 9
        elif cost:
            yield (does, later + cost)
            for k in range(1, self.slack + 1):
                more = (later + k + cost,) if k + cost <= self.slack else ()
                yield (does, -(self.spent + k), *more)

    def _goal(self) -> Iterator[Clause]:
        for part in self.problem.goal:
            yield tuple(self.within(part, self.now))  # 10


def _width(size: int) -> int:
    """The variables of the formula for a variable of so many values: one for two values, else one for each."""
    return 1 if size == 2 else size


def kept(clauses: Iterable[Clause], limits: Limits) -> list[Clause]:
    """Clauses as a list, with their memory counted against the limit."""
    result = []
    for clause in clauses:
        limits.tick(1 + len(clause) // 64)
        limits.hold(CLAUSE_BYTES + LITERAL_BYTES * len(clause))
        result.append(clause)
    return result


def shifted(clauses: Iterable[Clause], shift: int, limits: Limits) -> Iterator[Clause]:
    """The same clauses about variables that are `shift` further on: those of a later layer."""
    for clause in clauses:
        limits.tick()
        yield tuple([x + shift if x > 0 else x - shift for x in clause])


def not_both(literals: Iterable[int]) -> Iterator[Clause]:
    """Clauses that say that at most one of some literals is true."""
    for x, y in combinations(literals, 2):
        yield (-x, -y)


def _leaves(action: Action, walk: int, area: int) -> bool:
    """Whether a walk may lead from inside an area to the outside."""
    if area >> action.effects[walk][0][1] & 1:
        return False
    return all(part[0][0] != walk or part[0][1] & area for part in action.needs if len(part) == 1)
