"""What actions lead to from many states at once: from all where a walker may be, or where different things may move on.

Of one variable a search keeps the set of the values that it has in the states with the same *rest*, the values of all
other variables. That is one of two:

- The *walker* is the only variable that actions change that cost nothing, each to one value without a condition. Where
  it may walk is found by bits, for all states of the rest at once.

    boxes on r2c3 r4c4:  walker on r1c1 r1c2 r2c1 ... reached at a cost of 7     one entry of the search, not twelve

- The *hand* says how free actions may go on with a move, and nothing else:

    act A:R@r1c1 1 if A=r1c1 B!=r1c2 then A=r1c2 mover=A          the hand is `mover`
    act A:R@r1c2.on 0 if A=r1c2 B!=r1c3 mover=A then A=r1c3

  All actions with a cost set it, and neither they nor the goal nor the tables ask for it. So these actions lead to the
  same states from all states of a rest, and what they lead to costs least from the one that costs least. A search that
  visits states by their cost tries them there, and then never again with this rest. With another value of the hand it
  tries the free actions only.

Where there is neither, a state may still leave no choice, as those between the two ends of a slide:

    go, step, step, step, stop        each state has one action only, all but the first are free

A *forced* state is none of the goal, and in it one action only is possible, which is free. Each plan from there begins
with that action, so the state after it is taken in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .core.claim import Table
from .core.exhaustion import EACH, PackedProblem
from .core.problem import Action, Cost, Problem

LONGEST_CHAIN = 1000
"""Forced actions that are followed from one state: they may lead in a circle."""

FEW = 8
"""Where more actions than this are filed under one value, they are filed under a second one as well."""

SEVERAL = 100
"""Walks are taken together only if at most so many other actions can be done at several values of the walker."""


def hand(problem: Problem, sums: list[list[Table]]) -> int | None:
    """The variable that all actions with a cost set and all free ones ask for, while nothing else asks for it: neither
    actions with a cost nor the goal nor the tables. None if there is none.
    """
    paid = [action for action in problem.actions if any(action.cost)]
    free = [action for action in problem.actions if not any(action.cost)]
    asked = [*problem.goal, *(part for action in paid for part in action.needs)]
    asked += [when for action in paid for some in action.effects.values() for when, _ in some]
    found = set(range(len(problem.names)) if free else ()) - {x for part in asked for x, _ in part}
    found -= {x for tables in sums for variables, _ in tables for x in variables}
    for action in paid:
        found &= {x for x, some in action.effects.items() if not some[0][0]}
    for action in free:
        found &= {part[0][0] for part in action.needs if len(part) == 1 and part[0][1].bit_count() == 1}
    return min(found, default=None)


def walker(problem: Problem) -> int | None:
    """The variable that actions of cost 0 (of both counts) change; None if there are no such actions, or if they change
    several, or one on a condition.
    """
    walks = [action for action in problem.actions if not any(action.cost)]
    changed = {x for action in walks for x in action.effects}
    plain = not any(when for action in walks for some in action.effects.values() for when, _ in some)
    return changed.pop() if len(changed) == 1 and plain else None


def kept_apart(problem: Problem, sums: list[list[Table]]) -> tuple[int | None, bool]:
    """The variable of which a search keeps sets of values: the walker, else the hand, None if there is neither; and
    whether it is the walker."""
    walk = walker(problem)
    return (hand(problem, sums), False) if walk is None else (walk, True)


Effects = dict[int, list[tuple[list[int], int, int]]]
"""Effects on a condition, each under the bit of a value that it asks for (without one: a bit that is always set): masks
for what else it asks for, the bits that stay, and those to set. `x=1&y=2?z=3` stands under the bit of x=1."""

Step = tuple[Cost, int, list[int], int, int, int, Effects]
"""An action: cost, bits of which none may be set, masks that all have to meet the state, bits that stay, bits to set,
the bits under which effects on a condition are filed, and these."""


class Steps:
    """Some actions, filed under values that they need, so that in a state only those of its values are tried. Each is
    filed under one of a variable that all actions ask for, or else under that which fewest actions need; where these
    are many, each also under another one, of the variable that has most values."""

    def __init__(self, bits: PackedProblem, actions: Iterable[Action], apart: int | None = None) -> None:
        """`apart`: a variable that is not looked at, because it has the value that they need."""
        steps = [_step(bits, action, apart) for action in actions]
        times = Counter(bit for needed, _ in steps for bit in needed)
        common = set.intersection(*({*needed.values()} for needed, _ in steps)) if steps else ()
        self.always = 1 << bits.first[-1]
        filed: dict[int, dict[int, list[Step]]] = {}
        for needed, step in steps:
            bits.limits.hold(EACH)
            rare = {bit: (x not in common, times[bit], bit & bits.start) for bit, x in needed.items()}
            one = min(needed, key=rare.__getitem__, default=self.always)
            sizes = {bit: (len(bits.problem.domains[x]), bit) for bit, x in needed.items() if bit != one}
            other = max(sizes, key=sizes.__getitem__, default=self.always)
            filed.setdefault(one, {}).setdefault(other, []).append(step)
        # For each first value all its actions; of many also the second values, and the actions of each.
        self.filed: dict[int, tuple[list[Step], int, dict[int, list[Step]]]] = {}
        for one, some in filed.items():
            every = [step for several in some.values() for step in several]
            self.filed[one] = every, sum(some) if len(every) > FEW else 0, some
        self.acting = sum(self.filed)
        self.work = 1 + len(steps) // 64

    def results(self, state: int, few: int = 1 << 30) -> list[tuple[Cost, int]]:
        """Of those actions that are possible in a state, the costs, and the states after them; no more once there are
        `few`.
        """
        found = list[tuple[Cost, int]]()
        here = state | self.always
        todo = here & self.acting
        while todo:
            one = todo & -todo
            todo ^= one
            steps, second, some = self.filed[one]
            if second:
                steps, others = [], here & second
                while others:
                    other = others & -others
                    others ^= other
                    steps += some[other]
            for cost, barred, clauses, stay, come, asked, effects in steps:
                if state & barred:
                    continue
                for mask in clauses:
                    if not state & mask:
                        break
                else:
                    then = state & stay | come
                    picked = here & asked
                    while picked:
                        bit = picked & -picked
                        picked ^= bit
                        for when, stays, comes in effects[bit]:
                            if not when or all(state & mask for mask in when):
                                then = then & stays | comes
                    found.append((cost, then))
                    if len(found) == few:
                        return found
        return found


def _step(bits: PackedProblem, action: Action, apart: int | None) -> tuple[dict[int, int], Step]:
    """An action with the single bits that it needs, each with its variable."""
    cost, masks, [(_, gone, come), *others] = bits.action(action)
    barred, needed, clauses = 0, dict[int, int](), list[int]()
    for part, mask in zip(action.needs, masks, strict=True):
        x, values = part[0]
        if len(part) > 1:
            clauses.append(mask)
        elif x != apart:
            barred |= bits.problem.full(x) << bits.first[x] ^ mask
            needed |= {mask: x} if values.bit_count() == 1 else {}
    every, effects = (2 << bits.first[-1]) - 1, Effects()
    for when, lost, won in others:
        bit = next((mask for mask in when if mask.bit_count() == 1), 1 << bits.first[-1])
        some, rest = effects.setdefault(bit, []), [mask for mask in when if mask != bit]
        if some and some[-1][0] == rest:
            _, stay, more = some.pop()
            lost, won = every ^ stay | lost, more | won
        some.append((rest, every ^ lost, won))
    return needed, (cost, barred, clauses, every ^ gone, come, sum(effects), effects)


class Moves:
    """What is done in an entry: the values that are reached, and the actions that are then tried.

    `once`: those that are tried for the first values of an entry only, without any value; `own`: for each value (its
    bit) those that are tried in the state with it. Here, an entry reaches the values with which it came.
    """

    def __init__(self, once: Steps, own: dict[int, Steps]) -> None:
        self.once, self.own = once, own
        self.work = 2 + max((steps.work for steps in (once, *own.values())), default=0)

    def reached(self, _rest: int, came: int, _old: int) -> int:
        """The values that are reached from the values `came`, these among them; `old` ones are not entered."""
        return came

    def after(self, rest: int, values: int, first: bool) -> list[tuple[Cost, int]]:
        """The states after an action with some values, each with what it costs. `first`: the entry had no value."""
        found = self.once.results(rest) if first else []
        while values:
            here = values & -values
            values ^= here
            if here in self.own:
                found += self.own[here].results(rest | here)
        return found


class Walks(Moves):
    """The actions of a problem, sorted by the walker's value: where may it walk, and what can be done from there?

        near[i] = bits j, k          one walk leads from value i to j or k
        doors has ([mask], bit j)    but to j only if the other variables meet the mask: if that cell is free
        own[bit i] has a push        what can be done at i that is no walk

    Values are counted from the walker's first bit. `plain`: this says all. Every walk to a value needs the same, no
    clause is about the walker and another variable, and few of the others are possible at several values.
    """

    def __init__(self, bits: PackedProblem, walk: int) -> None:
        problem, self.first = bits.problem, bits.first[walk]
        self.near = [0 for _ in problem.domains[walk]]
        others: list[list[Action]] = [[] for _ in self.near]
        asked: dict[int, list[int]] = {}
        shared, self.plain = 0, True
        for action in problem.actions:
            here = problem.allowed(action.needs, walk)
            self.plain &= not any(x == walk for part in action.needs if len(part) > 1 for x, _ in part)
            if any(action.cost):
                shared += here.bit_count() > 1
            else:
                needs = [bits.mask(part) for part in action.needs if part[0][0] != walk]
                ((_, value),) = action.effects[walk]
                self.plain &= asked.setdefault(1 << value, needs) == needs
            self.plain &= shared <= SEVERAL
            for i in range(len(self.near) if self.plain else 0):
                if here >> i & 1 and any(action.cost):
                    others[i].append(action)
                elif here >> i & 1:
                    self.near[i] |= 1 << value
        self.doors = [(needs, there) for there, needs in asked.items() if needs]
        own = {1 << self.first + i: Steps(bits, some, walk) for i, some in enumerate(others) if some and self.plain}
        super().__init__(Steps(bits, []), own)

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


class Forced(Moves):
    """Actions of problems with neither walker nor hand: forced states are passed over."""

    def __init__(self, bits: PackedProblem, every: Steps) -> None:
        super().__init__(Steps(bits, []), {1 << bits.first[-1]: every})
        self.every, self.goal, self.limits = every, bits.goal, bits.limits

    def after(self, rest: int, values: int, first: bool) -> list[tuple[Cost, int]]:
        """The states after an action, each with what it costs, and with all forced actions behind it."""
        return [(cost, self._followed(then)) for cost, then in super().after(rest, values, first)]

    def _followed(self, state: int) -> int:
        for _ in range(LONGEST_CHAIN):
            if all(state & mask for mask in self.goal):
                break
            found = self.every.results(state, 2)
            if len(found) != 1 or any(found[0][0]):
                break
            self.limits.tick(self.every.work)
            state = found[0][1]
        return state


def moves_of(bits: PackedProblem, apart: int | None, walks: bool, asked: bool) -> Moves:
    """The actions of a problem; `apart`: its walker (with `walks`), hand, or neither; `asked`: tables ask for it."""
    actions, first = bits.problem.actions, bits.first[-1 if apart is None else apart]
    if apart is not None and not walks:
        free: dict[int, list[Action]] = {}
        for action in actions:
            if not any(action.cost):
                free.setdefault(bits.problem.allowed(action.needs, apart) << first, []).append(action)
        once = Steps(bits, [action for action in actions if any(action.cost)])
        return Moves(once, {bit: Steps(bits, some, apart) for bit, some in free.items()})
    if apart is not None and not asked and (made := Walks(bits, apart)).plain:
        return made
    every = Steps(bits, actions)
    if apart is None and not all(any(action.cost) for action in actions):
        return Forced(bits, every)
    values = 1 if apart is None else len(bits.problem.domains[apart])
    return Moves(Steps(bits, []), {1 << first + i: every for i in range(values)})
