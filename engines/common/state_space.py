"""The state space of a task by definition, in a page of Python: the reference for all searches.

A state is the set of true facts, and the cell on which the walker stands. Three kinds of task, three kinds of step:

    plain               one operator whose preconditions hold
    with a walker       a walk through free cells to where an operator starts, and the operator; each cell walked costs
                        `walker.cost`
    compound moves      one or more operators that move the same object, each from where the one before put it, to
                        another place than it started from; the step costs one

A set of facts is written as a whole number, whose bit f is 1 if fact f is in the set. So `state & pre == pre` says that
the preconditions hold, and `state & keep | add` is the state after an operator.

The tests hold the compiled searches against this one. It makes about 100,000 steps a second: enough for a small puzzle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, cast

from ...models.moves import Cost
from ...models.plan import Plan
from ...models.program import Machine, ProgramAction, ProgramTask, by_form
from ...models.task import Operator, OperatorTask, Task, walks

# Bytes that a state of plain search takes, with the way to it.
STATE_BYTES = 600

# Facts of the states of plain search between two looks at the budget: a hundred states of a small puzzle, or one of a
# large one, which can take a hundredth of a second.
FACTS_A_LOOK = 10_000


def look_every(task: OperatorTask) -> int:
    """States between two looks at the budget: fewer where a task has many facts."""
    return max(1, FACTS_A_LOOK // max(1, len(task.facts)))


class State(NamedTuple):
    """The true facts, as a number, and the walker's cell (0 without a walker).

    Where walking costs nothing, states that differ only in where the walker stands within its region are one:
    the cell is then the smallest of the region.
    """

    facts: int
    cell: int


class StateStep(NamedTuple):
    """One step of a plan: its operators (several in a compound move), what it costs, and the state after it."""

    operators: tuple[Operator, ...]
    cost: Cost
    state: State


class _Rule(NamedTuple):
    """An operator as numbers: it applies if all of `pre` is true; then `keep` stays and `add` becomes true."""

    operator: Operator
    pre: int
    keep: int
    add: int


class StateSpace:
    """The state space of a task: `start`, `is_goal`, `steps`. States are values that can be compared and hashed.

    `cheapest_step`: what every step costs at least; `look_every`: states between two looks at the budget. `regions`:
    states that differ only in where the walker stands within its region are one, by default if walking costs nothing;
    what a walk costs counts from that cell.
    """

    def __init__(self, task: OperatorTask, regions: bool | None = None) -> None:
        self.task = task
        zero = (0,) * len(task.metric)
        self.cheapest_step: Cost = (
            (1,) if task.compound_moves else min((op.cost for op in task.operators), default=zero)
        )
        self.look_every = look_every(task)
        self.regions = task.walker is not None and (not any(task.walker.cost) if regions is None else regions)
        self._goal = [_number(clause) for clause in task.goal]
        # An operator is looked for only in states that have one of the facts that it requires. For a part of a compound
        # move this is where it finds its object, else the fact that the fewest operators require (few require a place
        # of an object, many a free cell). `_rules` has the operators by that fact; those that require nothing are in
        # `_always`.
        demand = [0] * len(task.facts)
        for op in task.operators:
            for fact in op.pre:
                demand[fact] += 1
        self._rules: dict[int, list[_Rule]] = {}
        self._always: list[_Rule] = []
        for op in task.operators:
            rule = _Rule(op, _number(op.pre), ~_number(op.delete), _number(op.add))
            if op.displacement:
                self._rules.setdefault(1 << op.displacement[0], []).append(rule)
            elif op.pre:
                self._rules.setdefault(1 << min(op.pre, key=lambda fact: demand[fact]), []).append(rule)
            else:
                self._always.append(rule)
        self._looked_at = sum(self._rules)

    @property
    def start(self) -> State:
        return self._state(_number(self.task.init), self.task.walker.start if self.task.walker else 0)

    def is_goal(self, state: State) -> bool:
        """Whether each clause of the goal has a true fact."""
        return all(state.facts & clause for clause in self._goal)

    def steps(self, state: State) -> Iterator[StateStep]:
        """Every step from a state; several may lead to the same one."""
        if self.task.compound_moves:
            yield from self._compound_moves(state.facts)
        elif self.task.walker:
            yield from self._walks_and_operators(state)
        else:
            for op, facts in self._applicable(state.facts):
                yield StateStep((op,), op.cost, State(facts, 0))

    def _applicable(self, facts: int) -> Iterator[tuple[Operator, int]]:
        """The operators that apply, each with the facts after it."""
        for op, _, keep, add in self._always:
            yield op, facts & keep | add
        for fact in _each_bit(facts & self._looked_at):
            for op, pre, keep, add in self._rules[fact]:
                if facts & pre == pre:
                    yield op, facts & keep | add

    def _walks_and_operators(self, state: State) -> Iterator[StateStep]:
        walker = self.task.walker
        assert walker is not None
        ways = self._ways(state.facts, state.cell)
        for op, facts in self._applicable(state.facts):
            assert op.walk is not None
            before, after = op.walk
            if before in ways:
                cost = tuple(own + ways[before] * cell for own, cell in zip(op.cost, walker.cost, strict=True))
                yield StateStep((op,), cost, self._state(facts, after))

    def _state(self, facts: int, cell: int) -> State:
        return State(facts, min(self._ways(facts, cell)) if self.regions else cell)

    def _ways(self, facts: int, cell: int) -> dict[int, int]:
        """For each cell that the walker can reach, its distance in steps."""
        walker = self.task.walker
        assert walker is not None
        return walks(walker, cell, {fact for fact in walker.free if facts >> fact & 1})

    def _compound_moves(self, facts: int) -> Iterator[StateStep]:
        """From each place, breadth-first along the paths of the object that stands there, while nothing else moves."""
        for start in _each_bit(facts & self._looked_at):
            reached = {start}
            queue: deque[tuple[int, int, tuple[Operator, ...]]] = deque([(start, facts, ())])
            while queue:
                place, here, path = queue.popleft()
                for op, pre, keep, add in self._rules.get(place, ()):
                    assert op.displacement is not None
                    after = 1 << op.displacement[1]
                    if here & pre == pre and after not in reached:
                        reached.add(after)
                        there = here & keep | add
                        yield StateStep((*path, op), (1,), State(there, 0))
                        queue.append((after, there, (*path, op)))

    def plan(self, steps: Iterable[tuple[Operator, ...]]) -> Plan:
        """The plan made of consecutive steps, each given as its operators."""
        if self.task.compound_moves:
            return Plan.of_compound_moves(steps)
        return Plan.of(op for operators in steps for op in operators)


class ProgramSpace:
    """The state space of a task whose actions are programs, as `StateSpace`: a state is the values of the variables."""

    look_every = 20

    def __init__(self, task: ProgramTask) -> None:
        self.task, self.machine, self.start = task, Machine(task), task.init
        self.cheapest_step: Cost = min(action.cost for action in task.actions)
        self.is_goal, self.plan = self.machine.is_goal, task.plan

    def steps(self, state: tuple[int, ...]) -> Iterator[tuple[ProgramAction, Cost, tuple[int, ...]]]:
        """Every action that applies and changes something, its cost and the state after it."""
        for action in self.task.actions:
            after = self.machine.after(state, action)
            if after is not None and after != state:
                yield action, action.cost, after


class Space(Protocol):
    """What a search in plain Python asks of a task, of operators or programs. States can be compared and hashed."""

    look_every: int
    cheapest_step: Cost

    @property
    def start(self) -> Any:
        """The initial state."""

    def is_goal(self, state: Any, /) -> bool:
        """Whether a state is a goal."""

    def steps(self, state: Any, /) -> Iterator[tuple[Any, Cost, Any]]:
        """Each step from a state, what it costs, and the state after it."""

    def plan(self, steps: Iterable[Any], /) -> Plan:
        """The plan made of consecutive steps."""


def state_space_of(task: Task) -> Space:
    """The state space of a task, of operators or programs."""
    return by_form(task, lambda task: cast(Space, StateSpace(task)), ProgramSpace)


def _number(facts: Iterable[int]) -> int:
    """A set of facts as a number: {0, 3} is 0b1001."""
    return sum(1 << fact for fact in facts)


def facts_in(number: int) -> frozenset[int]:
    """The set of facts that a number stands for: 0b1001 is {0, 3}."""
    return frozenset(fact for fact in range(number.bit_length()) if number >> fact & 1)


def _each_bit(facts: int) -> Iterator[int]:
    """The single bits of a number: 0b1001 gives 0b0001 and 0b1000."""
    while facts:
        bit = facts & -facts
        yield bit
        facts ^= bit
