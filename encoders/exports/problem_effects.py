"""A task whose actions are programs as a problem, through their conditional effects.

A case of an action is an action of the problem: `crawl:up`, and where there are several `crawl:up*2`. A variable that
gets the value of another one in every case is a copy, `at:2<at:1`. Values that no action gives are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...analysis.conditional_effects import Case, Condition, ConditionalEffects, TooManyCasesError
from ...models.moves import Move
from ...models.program import Machine, ProgramTask
from ...proofs.core.problem import Action, Literals, copied
from .problem_plans import Deed, ProblemText, closed
from .problem_writing import State, Words, words_of

# Clauses of a goal.
MOST_CLAUSES = 20_000

# For each variable that changes the conditions and what it becomes, as in `Action.effects`.
Effects = dict[int, tuple[tuple[Literals, int], ...]]


def effects_problem(view: ConditionalEffects) -> ProblemText:
    """The problem of a task with conditional effects."""
    return _EffectsProblem(view).made()


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
            wide = mask | self._full(x) & ~needs.get(x, -1)
            if wide == self._full(x):
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
                rest if mask == self._full(x) else tuple(sorted((*rest, (x, mask)))) for rest, mask in together.items()
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
        become = {place: value for (((_, mask),), value) in effects for place in _bits(mask)}
        for place in _bits(needs.get(y, self._full(y))):
            value = self.domains[x].index(self.domains[y][place])
            if become.get(place, value) != value or (place not in become and needs.get(x) != 1 << value):
                return effects
        return copied(self.domains, x, y)

    def _full(self, x: int) -> int:
        return (1 << len(self.domains[x])) - 1

    def goal(self) -> list[Literals]:
        """The goal as clauses: of each box of values in which it fails, one has to be left."""
        clauses: list[Literals] = []
        for clause in self.view.goal:
            ways = [dict(way) for condition in clause if (way := self.literals(condition)) is not None]
            # not (w1 or w2 ...) is a union of boxes; the goal is that the state lies outside of each: a clause.
            for box in self._failing(ways, {}):
                clauses.append(tuple(sorted((x, self._full(x) & ~mask) for x, mask in box.items())))
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
            yield from self._failing(rest, {**box, x: mask} if mask != self._full(x) else box)


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


def _bits(mask: int) -> list[int]:
    return [value for value in range(mask.bit_length()) if mask >> value & 1]
