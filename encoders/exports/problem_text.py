"""A task as the text of a problem, which the checker of certificates reads (`proofs/core/problem.py`).

    Rush Hour            var A r1c1 r2c1 r3c1     act A+1@r1c1 1 if A=r1c1 D!=r3c1 then A=r2c1
    Sokoban              var r3c2 box free        act push.U@r4c2 1 if r3c2=free r4c2=box ... then ...
    a walker             var walker r2c2 r2c3     act walk.R@r2c2 0 if r2c3=free walker=r2c2 then walker=r2c3
    compound moves       var mover none A B       act A:R@r1c1 1 if A=r1c1 B!=r1c2 then A=r1c2 mover=A
                                                  act A:R@r1c1.on 0 if A=r1c1 B!=r1c2 mover=A then A=r1c2
    programs             act shift_row:1:back 1 then at:1<at:2 at:2<at:3 ...      (`problem_effects`)

Facts become variables (`problem_variables`). A walker's steps are actions of their own, and so are the parts of a
compound move: the first costs one and says who moves, the others nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...analysis.conditional_effects import effects_in_clauses
from ...analysis.structure import TaskStructure, structure_of
from ...analysis.transformed_tasks import with_explicit_walker
from ...models.program import ProgramTask
from ...models.task import GroupKind, Operator, Task
from ...proofs.core.problem import Action
from .problem_effects import effects_problem
from .problem_plans import Deed, ProblemText, closed
from .problem_writing import NO, YES, Words, named_values, words_of

# The variables that say what the facts of a task say, for the text of a problem.
#
# A group of which exactly one fact is true is a variable: where a vehicle is, what stands on a cell. A fact that
# follows from others (a cell is free if no vehicle covers it) is none: who needs it, says it of the others, as
# `A!=r1c1,r1c2`. Every other fact is a variable with the values no and yes.
#
#     object A   A at r1c1, A at r1c2     var A r1c1 r1c2
#     cell r1c2  A at r1c2, B at r1c2, free r1c2     free r1c2 is A!=r1c2 and B!=r1c2
#     tall at r3c1                        one of four tall pieces: var tall@r3c1 no yes

# The most variables of which a need says something in place of a fact that follows from them, unless so many tell of
# all such facts: then an action may change one variable only, and several can be made in a step (`proofs.parallel`).
# `uva-12x12`: 1.2 million clauses in place of 6.7.
MOST_PARTS = 5

# For some variables the values that they may have, as the bits of a mask. No variable has a mask without a bit.
Values = dict[int, int]


@dataclass(frozen=True, slots=True)
class FactVariables:
    """The variables of a task. `domains`: the words of their values; `value`: for a fact the variable and the value
    that say it; `derived`: for other facts what variables have to be; `always` and `never`: facts that do not change.
    """

    names: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    start: tuple[int, ...]
    value: dict[int, tuple[int, int]]
    derived: dict[int, Values]
    always: frozenset[int]
    never: frozenset[int]

    @staticmethod
    def of(task: Task) -> FactVariables:
        """The variables of a task without walker."""
        structure = structure_of(task)
        names, groups = _groups(task, structure)
        owned = frozenset(fact for group in groups for fact in group)
        several = {fact for clause in task.goal if len(clause) > 1 for fact in clause}
        derived = structure.derived_facts(owned | several)
        if task.compound_moves or structure.changing - owned - derived.keys():
            derived = {fact: rest for fact, rest in derived.items() if _parts(rest, groups) <= MOST_PARTS}
        new, init = Words(), frozenset(task.init)
        words: list[str] = []
        domains: list[tuple[str, ...]] = []
        start: list[int] = []
        value: dict[int, tuple[int, int]] = {}
        for name, group in zip(names, groups, strict=True):
            text, values = named_values(name, [task.facts[fact] for fact in group])
            value |= {fact: (len(words), place) for place, fact in enumerate(group)}
            start.append(next(place for place, fact in enumerate(group) if fact in init))
            words.append(new.new(text))
            domains.append(values)
        for fact in sorted(structure.changing - owned - derived.keys()):
            value[fact] = len(words), 1
            start.append(int(fact in init))
            words.append(new.new(task.facts[fact]))
            domains.append((NO, YES))
        variables = FactVariables(
            names=tuple(words),
            domains=tuple(domains),
            start=tuple(start),
            value=value,
            derived={},
            always=structure.constant,
            never=structure.never_true,
        )
        for fact, rest in derived.items():
            said: Values = {}
            for other in rest:
                x, place = value[other]
                said[x] = said.get(x, variables.full(x)) & ~(1 << place)
            variables.derived[fact] = said
        return variables

    def full(self, x: int) -> int:
        """All values of a variable."""
        return (1 << len(self.domains[x])) - 1

    def all_of(self, facts: Iterable[int]) -> Values | None:
        """What variables have to be if all of some facts are true; None if they never are."""
        values: Values = {}
        for fact in facts:
            said = self._said(fact)
            if said is None:
                return None
            for x, mask in said.items():
                values[x] = values.get(x, self.full(x)) & mask
        return None if 0 in values.values() else values

    def any_of(self, facts: Sequence[int]) -> list[Values]:
        """Clauses that say that one of some facts is true: of each, one variable has to have one of its values. Only
        a single fact may be one that follows from others; a clause without values can never hold.
        """
        if len(facts) == 1 and facts[0] in self.derived:
            return [{x: mask} for x, mask in self.derived[facts[0]].items()]
        if not self.always.isdisjoint(facts):
            return []
        clause: Values = {}
        for x, place in (self.value[fact] for fact in facts if fact not in self.never):
            clause[x] = clause.get(x, 0) | 1 << place
        return [] if any(mask == self.full(x) for x, mask in clause.items()) else [clause]

    def _said(self, fact: int) -> Values | None:
        if fact in self.always:
            return {}
        if fact in self.derived:
            return self.derived[fact]
        if fact in self.never:
            return None
        x, place = self.value[fact]
        return {x: 1 << place}


def _groups(task: Task, structure: TaskStructure) -> tuple[list[str], list[list[int]]]:
    """The groups that are variables, with their names: of objects, and those that share no fact with another."""
    variables = structure.variables
    number: dict[int, int] = {}
    for variable in variables:
        for fact in variable.values:
            number[fact] = number.get(fact, 0) + 1
    taken: set[int] = set()
    names, groups = [], []
    for objects in (True, False):
        for variable in variables:
            group = task.groups[variable.group]
            alone = all(number[fact] == 1 for fact in variable.values)
            if taken.isdisjoint(variable.values) and (group.kind == GroupKind.OBJECT if objects else alone):
                taken |= variable.values
                names.append(group.name)
                groups.append([fact for fact in group.facts if fact in variable.values])
    return names, groups


def _parts(facts: Iterable[int], groups: list[list[int]]) -> int:
    """How many variables say something of some facts."""
    group_of = {fact: number for number, group in enumerate(groups) for fact in group}
    return len({group_of.get(fact, -1 - fact) for fact in facts})


# The value of the variable `mover` before the first move.
NOBODY = "none"


def problem_text(task: Task | ProgramTask) -> ProblemText:
    """The problem of a task, and what is needed to translate its plans. Raises `TooManyCasesError` where a program has
    too many conditional effects, or the goal too many clauses.
    """
    return _TaskProblem(task).made() if isinstance(task, Task) else effects_problem(effects_in_clauses(task))


class _TaskProblem:
    """Makes the problem of a task with operators."""

    def __init__(self, task: Task) -> None:
        self.walks = len(task.operators)  # operators from this number on are steps of the walker
        self.task = with_explicit_walker(task)
        self.facts = FactVariables.of(self.task)
        self.new = Words()
        self.actions: list[Action] = []
        self.deeds: list[Deed] = []

    def made(self) -> ProblemText:
        facts, task = self.facts, self.task
        goal = [tuple(sorted(clause.items())) for several in task.goal for clause in facts.any_of(several)]
        names, domains, start = facts.names, facts.domains, facts.start
        mover = _Mover(task, len(names)) if task.compound_moves else None
        if mover is not None:
            names, domains, start = (*names, "mover"), (*domains, mover.values), (*start, 0)
        for number, op in enumerate(task.operators):
            needs = facts.all_of(op.pre)
            effects = self._effects(op)
            if needs is None or not effects:  # it never applies, or nothing comes of it
                continue
            walks = number >= self.walks
            if mover is None:
                self._add(op.name, op.cost, needs, effects, Deed(op.move, walks))
                continue
            for name, cost, more, then in mover.parts(op):
                self._add(name, cost, {**needs, **more}, {**effects, **then}, Deed(op.move, walks, bool(more)))
        problem = closed(task.metric, words_of(names), domains, start, goal, self.actions)
        return ProblemText(problem, tuple(self.deeds))

    def _effects(self, op: Operator) -> dict[int, int]:
        """The values that variables get: of a group the fact that is added, else a fact's own truth."""
        value = self.facts.value
        gained = dict(value[fact] for fact in op.add if fact in value)
        lost = dict(value[fact] for fact in op.delete if fact in value)
        return gained | {x: 0 for x in lost if x not in gained}

    def _add(self, name: str, cost: Sequence[int], needs: Values, effects: dict[int, int], deed: Deed) -> None:
        self.actions.append(
            Action(
                name=self.new.new(name),
                cost=tuple(cost),
                needs=tuple(((x, mask),) for x, mask in sorted(needs.items())),
                effects={x: (((), value),) for x, value in sorted(effects.items())},
            )
        )
        self.deeds.append(deed)


class _Mover:
    """The variable that says which object moves: its name, or where it is if it is one of several."""

    def __init__(self, task: Task, number: int) -> None:
        self.number = number
        self.value: dict[int, int] = {}
        """For each position the number of the value."""
        texts = [NOBODY]
        for moved in structure_of(task).objects:
            for fact in moved.facts:
                if moved.count > 1 or fact == moved.facts[0]:
                    texts.append(task.facts[fact] if moved.count > 1 else moved.name)
                self.value[fact] = len(texts) - 1
        self.values = words_of(texts)

    def parts(self, op: Operator) -> Iterator[tuple[str, tuple[int, ...], Values, dict[int, int]]]:
        """The operator as the first part of a move, and as a later one: name, cost, further needs and effects."""
        assert op.displacement is not None
        before, after = (self.value[fact] for fact in op.displacement)
        yield op.name, (1, *op.cost[1:]), {}, {self.number: after}
        moves_on = {} if before == after else {self.number: after}
        yield f"{op.name}.on", (0,) * len(op.cost), {self.number: 1 << before}, moves_on
