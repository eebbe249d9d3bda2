"""Actions of a program task as conditions and conditional effects: what planners read, found by running the programs on
the graph of values (`value_graph`).

An action is a list of *cases*, of which at most one holds in a state; if none does, the action does not apply. A case
has a condition and effects, each with a condition of its own. Conditions are conjunctions; each part says which values
a variable may have:

    turn row 1      case: true            effects: tile 3 on r1c1 -> tile 3 := r1c2  ...
    crawl up        case: head on r5c2    effects: head := r4c2    link 2 on r5c3 -> link 3 := r5c3  ...

An effect also says which value a variable loses, for forms in which each value is a fact. Cases are told apart only
where the conditions of an action are no conjunction: by the variable that most of them read, whose values are divided
into classes that the conditions treat alike.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..models.errors import UsageError
from ..models.program import ProgramAction, ProgramTask
from .value_graph import (
    Box,
    Branching,
    GraphRun,
    Node,
    Places,
    TooManyStepsError,
    Tree,
    ValueGraph,
    mapped,
    paths,
    reads,
    restricted,
    run_of,
)

# Steps of finding the effects of an action (instructions run, functions and boxes looked at): some seconds.
MOST_STEPS = 300_000

# Cases and effects of a task: some ten megabytes of text.
MOST_EFFECTS = 200_000

# A conjunction: for each variable of which it says something the positions of the values that it may have.
Condition = tuple[tuple[int, Places], ...]

# A variable and the position of a value.
Assignment = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Effect:
    """If `condition` holds, variables get the values of `gains`, and lose those of `losses` if they have them."""

    condition: Condition
    gains: tuple[Assignment, ...]
    losses: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """In states where `condition` holds, and a part of each of `clauses`, an action applies, with these effects."""

    condition: Condition
    effects: tuple[Effect, ...]
    clauses: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class ConditionalAction:
    """An action of a program task, and its cases."""

    action: ProgramAction
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class ConditionalEffects:
    """A program task with its actions as cases. `goal`: of each clause one condition must hold."""

    task: ProgramTask
    actions: tuple[ConditionalAction, ...]
    goal: tuple[tuple[Condition, ...], ...]


class TooManyCasesError(UsageError):
    """A program tells so many cases apart that they cannot be listed."""


def conditional_effects(task: ProgramTask) -> ConditionalEffects:
    """A task with its actions as cases. Raises `TooManyCasesError` where an action, or the task, has too many."""
    return EffectReader(task).read()


def effects_in_clauses(task: ProgramTask) -> ConditionalEffects:
    """The same with cases that have clauses, for readers of these: nearly every action is one case, and effects may
    have conditions that the clauses rule out. Effects do not say what is lost.
    """
    return EffectReader(task, divide=False).read()


class EffectReader:
    """Reads the programs of a task. `divide`: whether conditions that are no conjunction become cases, else clauses."""

    def __init__(self, task: ProgramTask, *, divide: bool = True) -> None:
        self.task, self.divide = task, divide
        self.graph = ValueGraph(task, MOST_STEPS)
        self.reading = ""
        self.effects = 0
        self._trees: dict[Node, Tree] = {}

    def _begin(self, what: str) -> None:
        self.reading, self.graph.steps = what, 0

    def read(self) -> ConditionalEffects:
        """The task with its actions as cases."""
        try:
            return self._read()
        except (TooManyStepsError, RecursionError):
            message = f"{self.reading} tells too many cases apart for conditional effects"
            raise TooManyCasesError(message) from None

    def _read(self) -> ConditionalEffects:
        # 1. The goal, and what each action demands and what variables become.
        goal = self._goal()
        runs: list[GraphRun] = []
        for action in self.task.actions:
            self._begin(f"the action {action.name}")
            runs.append(run_of(self.graph, action.entry))
        # 2. What holds in every reachable state is not asked again.
        rules = self._rules(runs)
        actions = []
        for action, run in zip(self.task.actions, runs, strict=True):
            self._begin(f"the action {action.name}")
            # 3. The states in which no demand fails, as cases.
            demands = [*run.demands, *(demand for demand in run.later(self.graph) if demand not in rules)]
            actions.append(ConditionalAction(action, tuple(self._cases(run, list(map(self._tree, demands))))))
        return ConditionalEffects(self.task, tuple(actions), goal)

    def _goal(self) -> tuple[tuple[Condition, ...], ...]:
        if self.task.unsolvable_because is not None:
            return ((),)
        self._begin("the goal")
        narrowed = _narrowed({}, list(map(self._tree, run_of(self.graph, self.task.goal).demands)))
        if narrowed is None:
            return ((),)
        certain, others = narrowed
        return (
            *((condition_of({variable: places}),) for variable, places in sorted(certain.items())),
            *(tuple(_beyond(box, certain) for box, met in paths(demand, certain) if met) for demand in others),
        )

    def _tree(self, condition: Node) -> Tree:
        """Where a condition holds, as a tree of 1 and 0."""
        if condition not in self._trees:
            self._trees[condition] = self.graph.tree(condition, {})
        return self._trees[condition]

    # What always holds

    def _rules(self, runs: Sequence[GraphRun]) -> set[Node]:
        """Demands that hold in every reachable state: all actions ask them of the state after that may change what they
        read. They hold in the initial state (see `ProgramTask`).
        """
        if self.task.unsolvable_because is not None:
            return set()
        return {
            rule
            for rule in set[Node]().union(*(run.rules for run in runs))
            if all(
                rule in run.rules or 0 in run.demands or action.writes.isdisjoint(reads(self._tree(rule)))
                for action, run in zip(self.task.actions, runs, strict=True)
            )
        }

    # Cases

    def _cases(self, run: GraphRun, demands: Sequence[Tree]) -> Iterator[Case]:
        for case in self._by_division(run, demands) if self.divide else self._in_clauses(run, demands):
            self.effects += 1 + len(case.effects) + len(case.clauses)
            if self.effects > MOST_EFFECTS:
                raise TooManyCasesError(f"the actions have more than {MOST_EFFECTS:,} conditional effects")
            yield case

    def _by_division(self, run: GraphRun, demands: Sequence[Tree]) -> Iterator[Case]:
        for inside in self._divided({}, demands):
            yield Case(condition_of(inside), tuple(self._effects(inside, run)))

    def _in_clauses(self, run: GraphRun, demands: Sequence[Tree]) -> Iterator[Case]:
        """One case: of each box in which a demand fails, something must not be so."""
        narrowed = _narrowed({}, demands)
        if narrowed is not None:
            box, others = narrowed
            clauses = dict.fromkeys(
                tuple((v, box.get(v, self.graph.all[v]) - places) for v, places in _beyond(inside, box))
                for demand in others
                for inside, met in paths(demand, box)
                if not met
            )
            yield Case(condition_of(box), tuple(self._effects(box, run)), tuple(clauses))

    def _divided(self, box: dict[int, Places], demands: Sequence[Tree]) -> Iterator[Box]:
        """The parts of a box in which all demands hold."""
        self.graph.count()
        narrowed = _narrowed(box, demands)
        if narrowed is None:
            return
        box, unmet = narrowed
        if not unmet:
            yield box
            return
        # The variable that most demands read; of these, the one that most of them ask for first.
        by_reads = Counter(variable for demand in unmet for variable in reads(demand))
        first = Counter(demand.variable for demand in unmet if isinstance(demand, Branching))
        variable = max(by_reads, key=lambda v: (by_reads[v], first[v], -v))
        # Values that leave the same demands are one branch: cases grow with the classes, not with the values.
        classes: dict[tuple[Tree, ...], set[int]] = {}
        for place in box.get(variable, self.graph.all[variable]):
            narrower = {variable: frozenset((place,))}
            classes.setdefault(tuple(restricted(demand, narrower) for demand in unmet), set()).add(place)
        for rest, places in classes.items():
            yield from self._divided({**box, variable: frozenset(places)}, rest)

    # Effects

    def _effects(self, box: Box, run: GraphRun) -> list[Effect]:
        """The effects in a case, those with the same condition as one."""
        gains: dict[Condition, list[Assignment]] = {}
        losses: dict[Condition, list[Assignment]] = {}
        for variable, node in run.become.items():
            new = self.graph.within(node, box)
            # It becomes what it is: no effect.
            if new == self.graph.variables[variable]:
                continue
            values = self.task.variables[variable].values
            number = {value: place for place, value in enumerate(values)}
            # Where a demand fails, it may be no value of the variable, and `get` gives None.
            tree = mapped(self.graph.tree(new, box), number.get)
            for inside, place in paths(tree, box):
                # Nor is it an effect to get the value that the condition says it has.
                if place is not None and inside.get(variable) != frozenset((place,)):
                    gains.setdefault(_beyond(inside, box), []).append((variable, place))  # type: ignore[arg-type]
            if not self.divide:
                continue
            depends = variable in reads(tree)
            for place in sorted(box.get(variable, self.graph.all[variable])):
                held = {**box, variable: frozenset((place,))} if depends else box
                lost = mapped(restricted(tree, held), partial(operator.ne, place))
                for inside, met in paths(lost, held):
                    if met:
                        losses.setdefault(_beyond(inside, box), []).append((variable, place))
        conditions = dict.fromkeys([*gains, *losses])
        return [Effect(c, tuple(gains.get(c, ())), tuple(losses.get(c, ()))) for c in conditions]


def _narrowed(box: Box, demands: Sequence[Tree]) -> tuple[dict[int, Places], list[Tree]] | None:
    """The part of a box to which those demands narrow it down that are conjunctions, and the other demands there; None
    if they contradict each other.
    """
    box, others = dict(box), list[Tree]()
    waiting = [restricted(demand, box) for demand in demands]
    while waiting:
        demand = waiting.pop()
        if demand == 1:
            continue
        # A demand with one box that meets it is a conjunction, and narrows the box; all others are looked at again in
        # it.
        met = [inside for inside, met in paths(demand, box) if met]
        if not met:
            return None
        if len(met) > 1:
            others.append(demand)
        elif met[0] != box:
            box = met[0]
            waiting = [restricted(other, box) for other in (*waiting, *others)]
            others = []
    return box, others


def condition_of(box: Box) -> Condition:
    """A box as a condition."""
    return tuple(sorted(box.items()))


def _beyond(inside: Box, box: Box) -> Condition:
    """What a part of a box says beyond the box."""
    return tuple(sorted((variable, places) for variable, places in inside.items() if box.get(variable) != places))
