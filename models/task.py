"""The grounded planning task: the narrow waist between families and engines.

A family ends where the task begins; an engine reads nothing else. The formalism is STRIPS with positive
preconditions, action costs and a goal in conjunctive form (Ghallab, Nau, Traverso, *Automated Planning*,
2004, ch. 2), plus three things that moving-piece puzzles need: groups that count (interchangeable pieces share
their facts), a walker (Sokoban's player) that moves between operators, and compound moves (one piece along any path
of operators costs one). What follows from a task (what moves, what excludes what) is `analysis.structure`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum, StrEnum
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from .cells import Cell
from .interchangeable import Interchangeable
from .moves import Cost, Move, Unit
from .text import being, counted

# The forms that a task can have, and what is declared of those that an analysis or an engine understands.


class Form(Enum):
    """How the actions of a task are given. The value says it in words."""

    OPERATORS = "enumerated operators"
    PROGRAMS = "programs"
    EFFECTS = "conditional effects"


class Costs(Enum):
    """Which costs of steps are understood, in the component that is counted first. The value says it in words."""

    ANY = "any"
    POSITIVE = "above zero"
    ALIKE = "all alike"
    ONE = "one each"


# What tasks with operators and tasks whose actions are programs have in common.

T = TypeVar("T")


class Choice(Protocol):
    """What can be done, an operator or an action, as far as both are alike: it has a cost."""

    @property
    def cost(self) -> Cost: ...


class Task:
    """What an engine knows of a puzzle, in one of two forms: `OperatorTask` lists enumerated operators over facts, the
    `models.program.ProgramTask` has actions that are programs over variables. `models.program.by_form` tells them
    apart.

    `metric` names the components of the costs; `units`, where they are known, are these in words. `unsolvable_because`,
    where a family knows an invariant that proves that no plan exists (a wall before the exit), is a sentence that says
    so. `walker`, `compound_moves`: see `OperatorTask`; `interchangeable`: see `ProgramTask`; the other form has none.
    """

    name: str
    init: tuple[int, ...]
    metric: tuple[str, ...]
    units: tuple[Unit, ...]
    unsolvable_because: str | None
    walker: Walker | None = None
    compound_moves: bool = False
    interchangeable: tuple[Interchangeable, ...] = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @cached_property
    def uniform(self) -> bool:
        """Whether every step costs exactly one and walking costs nothing, so that cost = number of steps."""
        free_walk = self.walker is None or not any(self.walker.cost)
        return free_walk and all(choice.cost == (1,) for choice in self.choices)

    @abstractmethod
    def holds(self, state: Any) -> bool:
        """Whether the goal holds in a state, given by its true facts or by the values of the variables."""

    def validate(self) -> None:
        """Check the invariants that engines rely on. Raises `ValueError` naming the first one broken."""

    @property
    @abstractmethod
    def size(self) -> str:
        """How large the task is, in words: `188 operators`, `16 actions as programs`."""

    @property
    @abstractmethod
    def counts(self) -> dict[str, int]:
        """How many facts and operators, or variables, actions and instructions there are."""

    @property
    def told_apart(self) -> Self:
        """The task with no interchangeable objects, for searches that count all its states or plans."""
        return replace(self, interchangeable=()) if self.interchangeable else self

    @property
    def up_to(self) -> str:
        """Words behind a number of states: ` up to interchangeable objects` if states that differ only in which of such
        objects is which count as one; else nothing.
        """
        return " up to interchangeable objects" * bool(self.interchangeable)

    @property
    @abstractmethod
    def choices(self) -> Sequence[Choice]:
        """What can be done: operators, or actions."""

    @property
    def layer_cost(self) -> int:
        """The greatest number that divides all costs, in the first component: 2 for costs of 4 and 6; 1 if all are
        free.
        """
        return math.gcd(*(choice.cost[0] for choice in self.choices)) or 1

    def counted(self, steps: int) -> str:
        """A number of steps in the unit that is counted first: `1 slide`, `9 slides`."""
        return self.units[0].counted(steps) if self.units else f"{steps:,} {self.metric[0]}"

    def not_enough(self, steps: int) -> str:
        """The sentence that a number of moves is refuted: `1 slide is not enough`, `9 slides are not enough`."""
        return f"{being(self.counted(steps))} not enough"

    def no_goal_within(self, steps: int, search: str = "breadth-first search") -> str:
        """What a search has shown that met all states of so many steps: `plain search: no goal within 9 slides`."""
        return f"{search}: no goal within {self.counted(steps)}" if steps else f"{search}: the start is no goal"

    def computed(self, make: Callable[[Self], T]) -> T:
        """`make(self)`, made when it is first asked for and kept with the task as long as that lives.

        So what is expensive to know of a task is found once for all who ask. Tasks are compared and pickled without it.
        """
        kept: dict[Callable[[Self], Any], Any] = self.__dict__.setdefault("_computed", {})
        if make not in kept:
            kept[make] = make(self)
        result: T = kept[make]
        return result

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: a process that is sent a task computes again what it needs of the rest."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


# Where a walker can go in a state, by plain sets.


def walks(walker: Walker, start: int, true: Container[int]) -> dict[int, int]:
    """How far each cell is from the cell `start` for the walker, in a state given by its true facts."""
    steps = {start: 0}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for other in walker.neighbours[cell]:
            if other not in steps and walker.free[other] in true:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


MAX_OPERATORS = 400_000
"""Families refuse to ground a puzzle with more operators: no engine could make use of them in any budget."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One grounded operator over fact numbers. All sets are sorted tuples without repeats.

    `move` is what the operator does in terms of the puzzle: all that a replay gets to see of a plan. None marks an
    operator that does nothing visible (picking up a piece, before the move along a path); plans leave it out.
    `delete` is a part of `pre`, and `add` has nothing in common with `pre`. `walk`, if the task has a walker,
    is (where the walker must stand before, where it stands after), as indices of `Walker.cells`. `displacement`, if the
    task has compound moves, is (the fact that says where the moved object is before, the one that says where it is
    after).
    """

    name: str
    pre: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]
    move: Move | None
    cost: Cost = (1,)
    walk: tuple[int, int] | None = None
    displacement: tuple[int, int] | None = None

    @property
    def after(self) -> set[int]:
        """The facts that are certainly true after the operator: those it requires and keeps, and those it adds."""
        return {*self.pre, *self.add} - {*self.delete}


class LazyOperators(Sequence[Operator]):
    """So many operators, all of which are made when one is asked for."""

    def __init__(self, count: int, make: Callable[[], Iterable[Operator]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def made(self) -> tuple[Operator, ...]:
        """The operators; what they are made of is let go."""
        make, self._make = self._make, tuple
        return tuple(make())

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        return self.made[place]

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.made)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.made == tuple(other)

    def __hash__(self) -> int:
        return hash(self.made)

    def __reduce__(self) -> tuple[type, tuple[tuple[Operator, ...]]]:
        return tuple, (self.made,)


class GroupKind(StrEnum):
    """What the facts of a group say. Engines ask for objects; the other two tell people (and exports) what they see."""

    OBJECT = "object"
    """Where `count` interchangeable objects are: its facts are their positions. A vehicle, all boxes, the blank."""

    CELL = "cell"
    """What stands on a cell, or that it is free."""

    RESOURCE = "resource"
    """How much there is of something: the number of free cells never changes."""


@dataclass(frozen=True, slots=True)
class ExactlyInvariant:
    """A group: facts of which exactly `count` are true in every reachable state; a *mutex group* if that is one.

    Example: a vehicle in a lane of five cells has the facts `A at r1c1` to `A at r1c4`, of which one is true.
    """

    name: str
    kind: GroupKind
    facts: tuple[int, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Walker:
    """An object that walks between operators, from cell to neighbouring cell, wherever it is free.

    `free[i]` is the fact that cell i can be walked on; `neighbours[i]` are the indices next to it; each cell
    walked costs `cost` (all zero where walking is for nothing). `silent`: its steps are no moves of the puzzle, and
    plans leave them out.
    """

    cells: tuple[Cell, ...]
    free: tuple[int, ...]
    neighbours: tuple[tuple[int, ...], ...]
    start: int
    cost: Cost
    silent: bool = False


@dataclass(frozen=True)
class OperatorTask(Task):
    """A grounded planning task.

    `goal` is a conjunction of clauses; a clause is a tuple of facts of which at least one must hold. `twins`: operators
    that do the same as some of the others under another name, for who counts plans; no engine needs them. `objects`:
    names in those of facts, as `at ball1 room2`, of each type; two of them may be interchangeable.

    `groups` say what moves: a group of kind `object` holds the positions of an object, or of several that are
    interchangeable, and no fact is a position in two such groups. An operator *moves* an object if it replaces one of
    its facts by another. If it moves several (a tile and the blank), it counts as a move of the one whose group
    comes first. Operators may change facts without moving anything.

    In a task with compound moves, a step of a plan is a *compound move*: one or more operators that move the same
    object, each from where the one before put it, to another place than it started from. It costs one, however long.
    """

    name: str
    facts: tuple[str, ...]
    groups: tuple[ExactlyInvariant, ...]
    operators: Sequence[Operator]
    init: tuple[int, ...]
    goal: tuple[tuple[int, ...], ...]
    metric: tuple[str, ...]
    walker: Walker | None = None
    unsolvable_because: str | None = None
    units: tuple[Unit, ...] = field(default=(), compare=False)
    twins: Sequence[Operator] = field(default=(), compare=False, repr=False)
    objects: tuple[tuple[str, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def choices(self) -> Sequence[Operator]:
        """What can be done: the operators."""
        return self.operators

    @property
    def size(self) -> str:
        return counted(len(self.operators), "operator")

    @property
    def counts(self) -> dict[str, int]:
        return {"facts": len(self.facts), "operators": len(self.operators)}

    @cached_property
    def compound_moves(self) -> bool:  # type: ignore[override]
        """Whether a step is a compound move (then every operator has a displacement) and not a single operator."""
        return any(op.displacement for op in self.operators)

    @cached_property
    def groups_of(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the groups of each fact, in order."""
        groups: list[list[int]] = [[] for _ in self.facts]
        for number, group in enumerate(self.groups):
            for fact in group.facts:
                groups[fact].append(number)
        return tuple(map(tuple, groups))

    def holds(self, state: Iterable[int]) -> bool:
        true = set(state)
        return all(not true.isdisjoint(clause) for clause in self.goal)

    def validate(self) -> None:
        self._check(len(set(self.facts)) == len(self.facts), "two facts have the same name")
        self._check_facts(self.init, "init")
        for clause in self.goal:
            self._check_facts(clause, "goal clause")
        position_in = self._check_groups()
        for op in self.operators:
            self._check_operator(op, position_in)
        moved = any(self.groups_of[f] for op in self.operators for f in op.delete)
        self._check(bool(position_in) or not moved, "operators change groups, but none of these is of kind `object`")
        if self.walker:
            cells = len(self.walker.cells)
            self._check(len(self.walker.free) == cells == len(self.walker.neighbours), "walker arrays differ in length")
            self._check(len(set(self.walker.free)) == cells, "two cells of the walker share a fact")
            self._check(0 <= self.walker.start < cells, "the walker starts nowhere")

    def _check(self, ok: bool, what: str) -> None:
        if not ok:
            raise ValueError(f"task {self.name}: {what}")

    def _check_facts(self, facts: tuple[int, ...], what: str) -> None:
        self._check(list(facts) == sorted(set(facts)), f"{what} is not sorted or repeats a fact")
        self._check(all(0 <= f < len(self.facts) for f in facts), f"{what} names a fact that does not exist")

    def _check_groups(self) -> dict[int, int]:
        """Check all groups; the number of the group of kind `object` in which a fact is a position, for each such."""
        init = set(self.init)
        position_in: dict[int, int] = {}
        for number, group in enumerate(self.groups):
            self._check_facts(group.facts, f"group {group.name}")
            self._check(len(init.intersection(group.facts)) == group.count, f"group {group.name} is broken in init")
            self._check(
                group.count == 1 or group.kind != GroupKind.CELL,
                f"group {group.name} is a cell, and {group.count} of its facts are true",
            )
            for fact in group.facts if group.kind == GroupKind.OBJECT else ():
                first = position_in.setdefault(fact, number)
                self._check(
                    first == number,
                    f"fact {self.facts[fact]} is a position of two objects, {self.groups[first].name} and {group.name}",
                )
        return position_in

    def _check_operator(self, op: Operator, position_in: dict[int, int]) -> None:
        for facts, what in ((op.pre, "pre"), (op.add, "add"), (op.delete, "delete")):
            self._check_facts(facts, f"{what} of {op.name}")
        self._check(set(op.delete) <= set(op.pre), f"{op.name} deletes a fact that it does not require")
        self._check(not set(op.add) & set(op.pre), f"{op.name} adds a fact that it requires")
        self._check(len(op.cost) == len(self.metric), f"{op.name} has a cost of the wrong length")
        self._check((op.walk is None) == (self.walker is None), f"{op.name}: walk and walker do not fit")
        self._check(
            (op.displacement is None) != self.compound_moves,
            f"{op.name}: some operators have a displacement and some do not",
        )
        if op.displacement:
            before, after = op.displacement
            self._check(before in op.delete and after in op.add, f"{op.name} has a displacement that it does not make")
            self._check(
                position_in.get(before, -1) == position_in.get(after, -2),
                f"{op.name} has a displacement that is not from position to position of one object",
            )
        balance = Counter(g for f in op.add for g in self.groups_of[f])
        balance.subtract(g for f in op.delete for g in self.groups_of[f])
        for g, difference in balance.items():
            self._check(difference == 0, f"{op.name} breaks group {self.groups[g].name}")


# A task that is being made.


class OperatorRows(Protocol):
    """Operators over the first numbers of facts, and *twins*: others that do the same as one of them."""

    def __len__(self) -> int: ...

    def named(self) -> set[int]:
        """The facts that some operator requires or adds."""

    def made(self, new: Sequence[int], twins: bool = False) -> Iterator[Operator]:
        """The operators, or their twins, over the facts' new numbers."""


Rows = TypeVar("Rows", bound=OperatorRows)


@dataclass(frozen=True)
class Draft(Generic[Rows]):
    """An `OperatorTask` that is being made: facts have their first numbers. `name`: the name of a fact."""

    name: Callable[[int], str]
    groups: tuple[ExactlyInvariant, ...]
    operators: Rows
    init: frozenset[int]
    goal: tuple[tuple[int, ...], ...]
    unsolvable_because: str | None = None
    walker: Walker | None = None

    def task(self, metric: tuple[str, ...]) -> OperatorTask:
        """The task, with only the facts that something mentions, numbered in the same order."""
        named = self.operators.named().union(self.init, *self.goal, self.walker.free if self.walker else ())
        kept = sorted(named)
        new = [-1] * (kept[-1] + 1 if kept else 0)
        for place, fact in enumerate(kept):
            new[fact] = place
        groups = []
        for group in self.groups:
            members = tuple([new[fact] for fact in group.facts if fact in named])
            if len(members) > group.count:
                groups.append(ExactlyInvariant(group.name, group.kind, members, group.count))
        if groups and not any(group.kind == GroupKind.OBJECT for group in groups):
            groups[0] = replace(groups[0], kind=GroupKind.OBJECT)  # engines need something that moves
        number = new.__getitem__
        return OperatorTask(
            name="",
            facts=tuple(map(self.name, kept)),
            groups=tuple(groups),
            operators=LazyOperators(len(self.operators), partial(self.operators.made, new)),
            twins=tuple(self.operators.made(new, twins=True)),
            init=tuple(sorted(map(number, self.init))),
            goal=tuple([tuple(map(number, clause)) for clause in self.goal]),
            metric=metric,
            walker=replace(self.walker, free=tuple(map(number, self.walker.free))) if self.walker else None,
            unsolvable_because=self.unsolvable_because,
        )


class TaskBuilder:
    """Numbers facts by name as a family mentions them."""

    def __init__(self) -> None:
        self.facts: dict[str, int] = {}

    def fact(self, name: str) -> int:
        return self.facts.setdefault(name, len(self.facts))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.facts)


def operator(
    name: str,
    pre: Iterable[int],
    add: Iterable[int],
    delete: Iterable[int],
    move: Move | None,
    cost: Cost = (1,),
    walk: tuple[int, int] | None = None,
) -> Operator:
    """An operator in normal form: sorted, facts that are both deleted and added left out of both."""
    added, deleted = set(add), set(delete)
    kept = added & deleted
    required = set(pre) | deleted
    return Operator(
        name,
        tuple(sorted(required)),
        tuple(sorted(added - kept - required)),
        tuple(sorted(deleted - kept)),
        move,
        cost,
        walk,
    )
