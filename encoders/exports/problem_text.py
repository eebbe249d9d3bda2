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

from collections.abc import Iterator, Sequence

from ...analysis.effects.conditional import effects_in_clauses
from ...analysis.structure import structure_of
from ...analysis.transforms.strips import with_explicit_walker
from ...models.program import ProgramTask
from ...models.task import Operator, Task
from ...proofs.core.problem import Action, Literals
from .problem_effects import effects_problem
from .problem_plans import Deed, ProblemText, closed
from .problem_variables import FactVariables, Values
from .problem_words import Words, words_of

NOBODY = "none"
"""The value of the variable `mover` before the first move."""


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
        goal = [_literals(clause) for several in task.goal for clause in facts.any_of(several)]
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


def _literals(clause: Values) -> Literals:
    return tuple(sorted(clause.items()))
