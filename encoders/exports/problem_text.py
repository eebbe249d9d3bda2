"""A task as the text of a problem, which the checker of certificates reads (`proofs/core/problem.py`).

    Rush Hour            var A r1c1 r2c1 r3c1     act A+1@r1c1 1 if A=r1c1 D!=r3c1 then A=r2c1
    Sokoban              var r3c2 box free        act push.U@r4c2 1 if r3c2=free r4c2=box ... then ...
    a walker             var walker r2c2 r2c3     act walk.R@r2c2 0 if r2c3=free walker=r2c2 then walker=r2c3
    compound moves       var mover none A B       act A:R@r1c1 1 if A=r1c1 B!=r1c2 then A=r1c2 mover=A
                                                  act A:R@r1c1.on 0 if A=r1c1 B!=r1c2 mover=A then A=r1c2
    programs             act shift_row:1:back 1 then at:1<at:2 at:2<at:3 ...      (`effects_problem`)

Facts become variables (`FactVariables`). A walker's steps are actions of their own, and so are the parts of a
compound move: the first costs one and says who moves, the others nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...analysis.conditional_effects import Case, Condition, ConditionalEffects, TooManyCasesError, effects_in_clauses
from ...analysis.structure import TaskStructure, structure_of
from ...analysis.transformed_tasks import with_explicit_walker
from ...models.moves import Move
from ...models.program import Machine, ProgramTask, by_form
from ...models.task import GroupKind, Operator, OperatorTask, Task
from ...proofs.core.problem import Action, Literals, copied
from .problem_writing import NO, YES, Deed, ProblemText, State, Words, closed, named_values, values_in, words_of

# A task whose actions are programs as a problem, through their conditional effects.
#
# A case of an action is an action of the problem: `crawl:up`, and where there are several `crawl:up*2`. A variable
# that gets the value of another one in every case is a copy, `at:2<at:1`. Values that no action gives are left out.

# Clauses of a goal.
MOST_CLAUSES = 20_000

# For each variable that changes the conditions and what it becomes, as in `Action.effects`.
Effects = dict[int, tuple[tuple[Literals, int], ...]]


def effects_problem(view: ConditionalEffects) -> ProblemText:
    """The problem of a task with conditional effects."""
    return _EffectsProblem(view).made()


def all_values(domain: Sequence[object]) -> int:
    """The set of all values of a domain as bits: 0b111 of three values."""
    return (1 << len(domain)) - 1


class _EffectsProblem:
    """Makes the problem. Variables that never change are known, and have no number."""

    def __init__(self, view: ConditionalEffects) -> None:
        self.view, self.task = view, view.task
        places = [
            variable.values.index(value) for variable, value in zip(self.task.variables, self.task.init, strict=True)
        ]
        # Values that no effect gives, and that are not there at first, never occur: they are left out of the text.
        values: list[set[int]] = [{place} for place in places]
        for deed in view.actions:
            for case in deed.cases:
                for effect in case.effects:
                    for variable, place in effect.gains:
                        values[variable].add(place)
        self.values = [sorted(several) for several in values]
        """For each variable of the task the values that it may have, in order."""
        self.known = {variable: several[0] for variable, several in enumerate(self.values) if len(several) == 1}
        self.kept = [variable for variable in range(len(values)) if variable not in self.known]
        self.number = {variable: x for x, variable in enumerate(self.kept)}
        self.start = tuple(self.values[variable].index(places[variable]) for variable in self.kept)
        texts = [variable.texts or tuple(map(str, variable.values)) for variable in self.task.variables]
        self.names = words_of([self.task.variables[variable].name for variable in self.kept])
        self.domains = tuple(words_of([texts[v][place] for place in self.values[v]]) for v in self.kept)

    def made(self) -> ProblemText:
        new = Words()
        actions, deeds = [], []
        for number, deed in enumerate(self.view.actions):
            walks = not deed.action.cost[0]
            for case in deed.cases:
                needs = self.literals(case.condition)
                effects = None if needs is None else self.effects(case, dict(needs))
                # A case that cannot hold, or changes nothing, is no action.
                if needs is None or not effects:
                    continue
                met = dict(needs)
                clauses = {clause for part in case.clauses if (clause := self.clause(part, met)) is not None}
                if () in clauses:
                    continue
                clauses |= {(literal,) for literal in needs}
                actions.append(Action(new.new(deed.action.name), deed.action.cost, tuple(sorted(clauses)), effects))
                deeds.append(Deed(None, walks, case_of=number))
        return ProblemText(
            closed(self.task.metric, self.names, self.domains, self.start, self.goal(), actions),
            tuple(deeds),
            _Moves(self.task, self.kept, self.values),
        )

    def literals(self, condition: Condition) -> Literals | None:
        """A condition that is a conjunction, as far as it is not known to hold; None if it cannot hold."""
        masks = []
        for variable, places in condition:
            mask = sum(1 << value for value, place in enumerate(self.values[variable]) if place in places)
            if not mask:
                return None
            if mask != (1 << len(self.values[variable])) - 1:
                masks.append((self.number[variable], mask))
        return tuple(sorted(masks))

    def clause(self, parts: Condition, needs: dict[int, int]) -> Literals | None:
        """A condition of which one part must hold, without those that cannot; None if one always does. What `needs`
        rule out is added to a set of values where it makes the text shorter: `head!=r2c3`.
        """
        masks = []
        for variable, places in parts:
            mask = sum(1 << value for value, place in enumerate(self.values[variable]) if place in places)
            if variable in self.known:
                if mask:
                    return None
                continue
            x = self.number[variable]
            # Values that `needs` rules out may be in the set or not: nothing changes, so the shorter text is taken.
            wide = mask | all_values(self.domains[x]) & ~needs.get(x, -1)
            if wide == all_values(self.domains[x]):
                return None
            if mask & needs.get(x, -1):
                masks.append((x, min(mask, wide, key=lambda some: self._shorter(x, some))))
        return tuple(sorted(masks))

    def _shorter(self, x: int, mask: int) -> int:
        """How many values the text of a set names."""
        return min(mask.bit_count(), len(self.domains[x]) - mask.bit_count())

    def effects(self, case: Case, needs: dict[int, int]) -> Effects:
        """The effects of a case."""
        assignments: dict[int, dict[int, list[Literals]]] = {}
        for effect in case.effects:
            when = self.literals(effect.condition)
            if when is None:
                continue
            for variable, place in effect.gains:
                if variable in self.known:
                    continue
                value, x = self.values[variable].index(place), self.number[variable]
                # An effect that gives the value that the variable has there anyway is none.
                if dict(when).get(x, needs.get(x)) != 1 << value:
                    assignments.setdefault(x, {}).setdefault(value, []).append(when)
        return {
            x: tuple(sorted(self._as_copy(x, needs, [(w, v) for v, some in ways.items() for w in self._merged(some)])))
            for x, ways in sorted(assignments.items())
        }

    def _merged(self, several: list[Literals]) -> list[Literals]:
        """Conditions of which one has to hold, those that differ in the values of one variable as one."""
        # Conditions that agree but for x become one, with the values of both: the cases of a table become one text.
        for x in sorted({x for when in several for x, _ in when}):
            together: dict[Literals, int] = {}
            others = [when for when in several if all(y != x for y, _ in when)]
            for when in several:
                mask = dict(when).get(x, 0)
                if mask:
                    rest = tuple(part for part in when if part[0] != x)
                    together[rest] = together.get(rest, 0) | mask
            several = others + [
                rest if mask == all_values(self.domains[x]) else tuple(sorted((*rest, (x, mask))))
                for rest, mask in together.items()
            ]
        return several

    def _as_copy(
        self, x: int, needs: dict[int, int], effects: list[tuple[Literals, int]]
    ) -> list[tuple[Literals, int]]:
        """The effects on a variable; those of a copy of another variable, if they are that where the needs hold."""
        sources = {when[0][0] if len(when) == 1 else -1 for when, _ in effects}
        y = sources.pop()
        if sources or y in (-1, x) or len(effects) < 2 or not set(self.domains[y]) <= set(self.domains[x]):
            return effects
        # x := y is right if each value of y that the needs allow gives x the same value, by an effect or as it has it.
        become = {place: value for (((_, mask),), value) in effects for place in values_in(mask)}
        for place in values_in(needs.get(y, all_values(self.domains[y]))):
            value = self.domains[x].index(self.domains[y][place])
            if become.get(place, value) != value or (place not in become and needs.get(x) != 1 << value):
                return effects
        return copied(self.domains, x, y)

    def goal(self) -> list[Literals]:
        """The goal as clauses: of each box of values in which it fails, one has to be left."""
        clauses: list[Literals] = []
        for clause in self.view.goal:
            ways = [dict(way) for condition in clause if (way := self.literals(condition)) is not None]
            # not (w1 or w2 ...) is a union of boxes; the goal is that the state lies outside of each: a clause.
            for box in self._failing(ways, {}):
                clauses.append(tuple(sorted((x, all_values(self.domains[x]) & ~mask) for x, mask in box.items())))
                if len(clauses) > MOST_CLAUSES:
                    raise TooManyCasesError(f"the goal has more than {MOST_CLAUSES:,} clauses")
        return clauses

    def _failing(self, ways: list[dict[int, int]], box: dict[int, int]) -> Iterator[dict[int, int]]:
        """The boxes of values in which none of some conjunctions holds, by a case distinction (Shannon's expansion) on
        the variable that most of them ask for.
        """
        if not ways:
            yield box
            return
        if not all(ways):
            return
        asked = Counter(x for way in ways for x in way)
        x = max(asked, key=lambda x: (asked[x], -x))
        # Values that leave the same ways open are one branch, not one each.
        classes: dict[tuple[int, ...], int] = {}
        for value in range(len(self.domains[x])):
            possible = tuple(number for number, way in enumerate(ways) if way.get(x, -1) >> value & 1)
            classes[possible] = classes.get(possible, 0) | 1 << value
        for possible, mask in classes.items():
            rest = [{y: other for y, other in ways[number].items() if y != x} for number in possible]
            yield from self._failing(rest, {**box, x: mask} if mask != all_values(self.domains[x]) else box)


class _Moves:
    """The move that each program is in a state of the problem, by its number."""

    def __init__(self, task: ProgramTask, kept: Sequence[int], values: Sequence[Sequence[int]]) -> None:
        self.task, self.kept, self.values = task, kept, values
        self.machine = Machine(task)

    def __call__(self, state: State) -> dict[int, Move]:
        here = list(self.task.init)
        for variable, value in zip(self.kept, state, strict=True):
            here[variable] = self.task.variables[variable].values[self.values[variable][value]]
        return {
            number: action.move(self.machine.registers)
            for number, action in enumerate(self.task.actions)
            if self.machine.after(here, action) is not None
        }


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
# all such facts: then an action may change one variable only, and several can be made in a step (`ParallelFormula`).
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
    def of(task: OperatorTask) -> FactVariables:
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
                said[x] = said.get(x, all_values(variables.domains[x])) & ~(1 << place)
            variables.derived[fact] = said
        return variables

    def all_of(self, facts: Iterable[int]) -> Values | None:
        """What variables have to be if all of some facts are true; None if they never are."""
        values: Values = {}
        for fact in facts:
            said = self._said(fact)
            if said is None:
                return None
            for x, mask in said.items():
                values[x] = values.get(x, all_values(self.domains[x])) & mask
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
        return [] if any(mask == all_values(self.domains[x]) for x, mask in clause.items()) else [clause]

    def _said(self, fact: int) -> Values | None:
        if fact in self.always:
            return {}
        if fact in self.derived:
            return self.derived[fact]
        if fact in self.never:
            return None
        x, place = self.value[fact]
        return {x: 1 << place}


def _groups(task: OperatorTask, structure: TaskStructure) -> tuple[list[str], list[list[int]]]:
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


def problem_text(task: Task) -> ProblemText:
    """The problem of a task, and what is needed to translate its plans. Raises `TooManyCasesError` where a program has
    too many conditional effects, or the goal too many clauses.
    """
    return by_form(task, lambda task: _TaskProblem(task).made(), lambda task: effects_problem(effects_in_clauses(task)))


class _TaskProblem:
    """Makes the problem of a task with operators."""

    def __init__(self, task: OperatorTask) -> None:
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

    def __init__(self, task: OperatorTask, number: int) -> None:
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
