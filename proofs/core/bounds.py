"""What a certificate tells of a problem, and the checks, action by action, that it is true.

An *invariant* is a clause that holds in every state of every plan: it holds at the start, and an action leads from a
state in which all invariants hold to one in which it holds again. Unit propagation has to see that.

A *table* gives a number for each combination of the values of some variables. The *bound* of a state is the sum of its
numbers, one of each table. It is never more than what the rest of a plan costs (of the first count), because it is at
most 0 where the goal holds, and no action lowers it by more than it costs (a *consistent* heuristic, as Pearl, 1984,
has it). `-` in place of a number says that no plan leads on from there: an action never leads from `-` to a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import prod

from .limits import Invalid, Limits
from .problem import PAIR_BYTES, Action, Literals, Problem, Reader, State, clause_text, holds

FILE = "claim.txt"


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `numbers`: in the order of the values, the last variable's changing first; None where it says `-`."""

    variables: tuple[int, ...]
    strides: tuple[int, ...]
    numbers: tuple[int | None, ...]

    def at(self, state: State) -> int | None:
        """The number of a state."""
        return self.numbers[sum(state[x] * stride for x, stride in zip(self.variables, self.strides, strict=True))]


def table(problem: Problem, variables: tuple[int, ...], words: list[str], reader: Reader) -> Table:
    """A table of the numbers in `words`. Raises `Invalid`."""
    sizes = [len(problem.domains[x]) for x in variables]
    reader.limits.hold(PAIR_BYTES * len(words))
    if len(sizes) > len(words).bit_length() or len(words) != prod(sizes) or len(set(variables)) < len(variables):
        raise Invalid("a table has a number for each combination of values of different variables")
    numbers = tuple(None if word == "-" else reader.number(word) for word in words)
    return Table(variables, tuple(prod(sizes[i + 1 :]) for i in range(len(sizes))), numbers)


def propagate(masks: list[int], clauses: Iterable[Literals], limits: Limits) -> bool:
    """Take values away by unit propagation (`masks`: those left for each variable). False at a contradiction."""
    clauses, changed = list(clauses), True
    while changed:
        changed = False
        for clause in clauses:
            limits.tick(len(clause))
            open_ = None
            for x, mask in clause:
                if masks[x] & mask:
                    if open_ is not None or not masks[x] & ~mask:
                        break  # two literals may hold, or this one does: nothing follows
                    open_ = x, mask
            else:
                if open_ is None:
                    return False
                masks[open_[0]] &= open_[1]
                changed = True
    return True


def check_invariants(problem: Problem, invariants: list[Literals], limits: Limits) -> None:
    """Check that each clause holds at the start and is kept by each action. Raises `Invalid`."""
    near: dict[int, list[Literals]] = {}
    for clause in invariants:
        if not holds(problem.start, (clause,)):
            raise Invalid(f"an invariant does not hold at the start: {clause_text(problem, clause)}", FILE)
        for x, _ in clause:
            near.setdefault(x, []).append(clause)
    changers: dict[int, list[int]] = {}
    for a, action in enumerate(problem.actions):
        for x in action.effects:
            changers.setdefault(x, []).append(a)
    for clause in invariants:
        for a in sorted({a for x, _ in clause for a in changers.get(x, ())}):
            if not kept(problem, clause, problem.actions[a], near, limits):
                text, name = clause_text(problem, clause), problem.actions[a].name
                raise Invalid(f"an invariant may not hold after {name}: {text}", FILE)


def kept(problem: Problem, clause: Literals, action: Action, near: dict[int, list[Literals]], limits: Limits) -> bool:
    """Whether unit propagation refutes that all invariants hold, the action is made, and a clause is false then."""
    limits.tick(len(problem.names) // 16 + action.size())
    masks = [problem.full(x) for x in range(len(problem.names))]
    clauses = list(action.needs)
    for x, mask in clause:
        # After the action x has a bad value. An effect that gives it a good one did not take place. And where each
        # condition is one literal of the same kind: x had a bad value before, or one of the other effects took place.
        stays, simple = {x: problem.full(x) & ~mask}, True
        for when, value in action.effects.get(x, ()):
            if mask >> value & 1:
                clauses.append(tuple((y, problem.full(y) & ~part) for y, part in when))
            elif len(when) == 1:
                stays[when[0][0]] = stays.get(when[0][0], 0) | when[0][1]
            else:
                simple = False
        if simple:
            clauses.append(tuple(stays.items()))
    variables = {x for part in (*clauses, clause) for x, _ in part}
    clauses += {other: None for x in variables for other in near.get(x, ())}
    return not propagate(masks, clauses, limits)


def contradict_goal(problem: Problem, invariants: list[Literals], limits: Limits) -> bool:
    """Whether unit propagation shows that the goal and the invariants never hold together."""
    masks = [problem.full(x) for x in range(len(problem.names))]
    return not propagate(masks, [*invariants, *problem.goal], limits)


def check_tables(problem: Problem, tables: list[Table], limits: Limits) -> list[int]:
    """Check that the sum of tables is a bound: for each action, what it costs beyond the most by which it lowers the
    bound. Raises `Invalid`.
    """
    most = 0
    for one in tables:
        where = {x: i for i, x in enumerate(one.variables)}
        values = []
        for at, number in _entries(problem, one, limits):
            if _may_hold(problem.goal, where, at):
                if number is None:
                    raise Invalid("a table says `-` where the goal may hold", FILE)
                values.append(number)
        most += max(values, default=0)
    if tables and most > 0:
        raise Invalid("the bound may be more than 0 where the goal holds", FILE)
    spare = []
    for action in problem.actions:
        spare.append(action.cost[0] - sum(_drop(problem, one, action, limits) for one in tables))
        if spare[-1] < 0:
            raise Invalid(f"the bound may fall by more than the cost of {action.name}", FILE)
    return spare


def _entries(problem: Problem, one: Table, limits: Limits) -> Iterable[tuple[tuple[int, ...], int | None]]:
    sizes = [range(len(problem.domains[x])) for x in one.variables]
    for at, number in zip(product(*sizes), one.numbers, strict=True):
        limits.tick()
        yield at, number


def _may_hold(clauses: Iterable[Literals], where: dict[int, int], at: tuple[int, ...]) -> bool:
    """Whether all clauses can hold where some variables (`where`: their places in `at`) have given values."""
    return all(any(x not in where or mask >> at[where[x]] & 1 for x, mask in part) for part in clauses)


def _drop(problem: Problem, one: Table, action: Action, limits: Limits) -> int:
    """The most by which an action lowers the number of a table."""
    limits.tick()
    if not any(x in action.effects for x in one.variables):
        return 0
    limits.tick(action.size())
    where, drops = {x: i for i, x in enumerate(one.variables)}, []
    needs = [part for part in action.needs if all(x in where for x, _ in part)]  # others may hold whatever is there
    for at, number in _entries(problem, one, limits):
        limits.tick(len(needs) + sum(len(action.effects.get(x, ())) for x in one.variables))
        if not _may_hold(needs, where, at):
            continue
        for end in product(*(_values_after(action, x, where, at) for x in one.variables)):
            limits.tick()
            later = one.numbers[sum(value * stride for value, stride in zip(end, one.strides, strict=True))]
            if number is None and later is not None:
                raise Invalid(f"a table says `-` where {action.name} leads to a number", FILE)
            if number is not None and later is not None:
                drops.append(number - later)
    return max(drops, default=0)


def _values_after(action: Action, x: int, where: dict[int, int], at: tuple[int, ...]) -> set[int]:
    """The values that a variable of a table may have after an action."""
    may = {at[where[x]]}
    for when, value in action.effects.get(x, ()):
        if all(y not in where or mask >> at[where[y]] & 1 for y, mask in when):
            if all(y in where for y, _ in when):
                return {value}
            may.add(value)
    return may
