"""A task -> PDDL: a domain and a problem that any classical planner reads.

Grounded: actions have no parameters. Facts are `(is VARIABLE VALUE)` where a group of one true fact has them to itself
(where an object is), and `(holds FACT)` elsewhere. So planners find those groups at once as invariants (Helmert,
*Concise finite-domain representations for PDDL planning tasks*, AIJ 2009); with a predicate for each fact Fast Downward
looked for them for 15 seconds on a Rush Hour board.

Walking, picking up and putting down are actions of their own (`analysis.transformed_tasks`). Costs are `:action-costs`
where they differ (International Planning Competition 2008). Of a cost with two components the first counts
`FIRST_WEIGHT` times as much.

A goal clause of several facts becomes one fact, `(reached goal-1)`, which actions of cost 0 add, one for each fact of
the clause; they end the play, so that all clauses hold at once. (Planners turn disjunctive goals into axioms, which
many of their heuristics do not allow.)

Actions that are programs have conditional effects (ADL). A case of one is an action:

    (:action right-1                                        row 1 of Loopover shifts to the right
      :precondition (and )
      :effect (and (when (and (is at-t5 r1c1)) (and (is at-t5 r1c2) (not (is at-t5 r1c1)))) ...

"One of these values" is `or` where these are few, and "none of the others" where those are fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from ...analysis.conditional_effects import Condition, ConditionalEffects, Effect
from ...analysis.transformed_tasks import to_strips
from ...models.moves import Cost
from ...models.program import ProgramAction
from ...models.task import Operator, OperatorTask, Task
from .names import Identifiers

# Weight of the first cost component: plans are ordered lexicographically while the second one is below this number.
FIRST_WEIGHT = 100_000

# Words of PDDL that are no names.
KEYWORDS = ("and", "or", "not", "when", "forall", "exists", "imply", "define", "increase", "minimize", "total-cost")


def weight(cost: Cost) -> int:
    """A cost as one number that orders as its components do, the first before the second."""
    total = 0
    for part in cost:
        total = total * FIRST_WEIGHT + part
    return total


def conjunction(parts: Iterable[str]) -> str:
    return f"(and {' '.join(parts)})"


Source = Operator | ProgramAction | None
"""Of what an exported action is: an operator, a program, or None, as it only says that a goal clause holds."""


@dataclass(frozen=True, slots=True)
class PddlAction:
    """An action, and what it comes from."""

    name: str
    conditions: Sequence[str]
    effects: Sequence[str]
    cost: int
    source: Source = None


class PddlExport:
    """A domain and its problem, as they are made action by action. `new` gives constants their names."""

    def __init__(self, task: Task, new: Callable[[str], str], constants: Iterable[str], predicates: str) -> None:
        self.name = Identifiers("-", "puzzle", KEYWORDS).new(task.name)
        self.task, self.new, self.constants, self.predicates = task, new, [*constants], predicates
        self.requirements = {":strips": None}
        self.actions: list[PddlAction] = []
        self.goals: list[str] = []
        self.init: list[str] = []
        self.wanted: list[str] = []
        self._action = Identifiers("-", "do", KEYWORDS).new

    def act(self, text: str, conditions: Sequence[str], effects: Sequence[str], of: Operator | ProgramAction) -> None:
        """Add an action of the puzzle."""
        self.actions.append(PddlAction(self._action(text), conditions, effects, weight(of.cost), of))

    def clause(self, ways: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Add a goal clause that one of several conjunctions, each with a text, meets."""
        goal = self.new(f"goal {len(self.goals) + 1}")
        self.goals.append(goal)
        for text, conditions in ways:
            effects = [f"(reached {goal})", "(not (playing))"]
            self.actions.append(PddlAction(self._action(f"reached {goal} {text}"), conditions, effects, 0))

    @property
    def with_costs(self) -> bool:
        """Whether costs are written: they differ from 1, or clauses are met for 0."""
        return any(action.cost != 1 for action in self.actions)

    def domain(self) -> str:
        lines = [
            f"; {self.task.name}: domain written by Budge. Metric: {', then '.join(self.task.metric)}.",
            f"(define (domain {self.name})",
            f"  (:requirements {' '.join([*self.requirements, *([':action-costs'] if self.with_costs else [])])})",
            "  (:constants",
            *(f"    {constant}" for constant in (*self.constants, *self.goals)),
            "  )",
            f"  (:predicates {self.predicates}" + (" (playing) (reached ?goal))" if self.goals else ")"),
        ]
        if self.with_costs:
            lines.append("  (:functions (total-cost) - number)")
        for action in self.actions:
            playing = ["(playing)"] if self.goals and action.source else []
            paid = [f"(increase (total-cost) {action.cost})"] if self.with_costs else []
            lines += [
                f"  (:action {action.name}",
                "    :parameters ()",
                f"    :precondition {conjunction([*action.conditions, *playing])}",
                f"    :effect {conjunction([*action.effects, *paid])}",
                "  )",
            ]
        return "\n".join([*lines, ")\n"])

    def problem(self) -> str:
        playing, reached = ["(playing)"] if self.goals else [], [f"(reached {goal})" for goal in self.goals]
        lines = [
            f"; {self.task.name}: problem written by Budge.",
            f"(define (problem {self.name}-problem)",
            f"  (:domain {self.name})",
            "  (:init",
            *(f"    {atom}" for atom in [*self.init, *playing]),
            *(["    (= (total-cost) 0)"] if self.with_costs else []),
            "  )",
            f"  (:goal {conjunction([*self.wanted, *reached])})",
            *(["  (:metric minimize (total-cost))"] if self.with_costs else []),
            ")\n",
        ]
        return "\n".join(lines)


def to_pddl(read: OperatorTask | ConditionalEffects) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of facts and operators, or of variables and values."""
    export = exported(read)
    return export.domain(), export.problem()


def exported(read: OperatorTask | ConditionalEffects) -> PddlExport:
    """A task with operators, or with conditional effects, in PDDL."""
    return _of_operators(to_strips(read)) if isinstance(read, OperatorTask) else _EffectsWriter(read).written()


def _of_operators(task: OperatorTask) -> PddlExport:
    new = Identifiers("-", "x", KEYWORDS).new
    owner: dict[int, str] = {}
    for group in task.groups:
        # Greedy, in the order of groups: a fact can be a value of one variable only.
        if group.count == 1 and not owner.keys() & set(group.facts):
            owner.update(dict.fromkeys(group.facts, new(group.name)))
    names = [new(fact) for fact in task.facts]
    atoms = [f"(is {owner[f]} {name})" if f in owner else f"(holds {name})" for f, name in enumerate(names)]
    constants = (*dict.fromkeys(owner.values()), *names)
    export = PddlExport(task, new, constants, "(is ?group ?fact) (holds ?fact)")
    export.init = [atoms[f] for f in task.init]
    export.wanted = [atoms[clause[0]] for clause in task.goal if len(clause) == 1]
    for op in task.operators:
        effects = [atoms[f] for f in op.add] + [f"(not {atoms[f]})" for f in op.delete]
        export.act(op.name, [atoms[f] for f in op.pre], effects, op)
    for clause in task.goal:
        if len(clause) != 1:
            export.clause([(f"by {task.facts[f]}", [atoms[f]]) for f in clause])
    return export


class _EffectsWriter:
    """Writes a task with conditional effects: a fact `(is VARIABLE VALUE)` for each value of each variable, of which
    exactly one is true. The same value of several variables has one name.
    """

    def __init__(self, view: ConditionalEffects) -> None:
        self.view, self.task = view, view.task
        new = Identifiers("-", "n", KEYWORDS).new
        variables = [new(variable.name) for variable in self.task.variables]
        texts = [variable.texts or tuple(map(str, variable.values)) for variable in self.task.variables]
        named = {text: new(text) for text in dict.fromkeys(chain.from_iterable(texts))}
        rows = zip(variables, texts, strict=True)
        self.atoms = [[f"(is {variable} {named[text]})" for text in row] for variable, row in rows]
        self.export = PddlExport(self.task, new, (*variables, *named.values()), "(is ?variable ?value)")

    def written(self) -> PddlExport:
        export = self.export
        values = zip(self.atoms, self.task.variables, self.task.init, strict=True)
        export.init = [atoms[variable.values.index(value)] for atoms, variable, value in values]
        for deed in self.view.actions:
            for number, case in enumerate(deed.cases, 1):
                text = f"{deed.action.name} case {number}" if len(deed.cases) > 1 else deed.action.name
                effects = [part for effect in case.effects for part in self._effects(effect)]
                export.act(text, self._literals(case.condition), effects, deed.action)
        for clause in self.view.goal:
            if len(clause) == 1 and all(len(places) == 1 for _, places in clause[0]):
                export.wanted += self._literals(clause[0])
            else:
                ways = enumerate(clause, 1)
                export.clause([(f"way {number}", self._literals(condition)) for number, condition in ways])
        return export

    def _effects(self, effect: Effect) -> list[str]:
        what = [self.atoms[variable][place] for variable, place in effect.gains]
        what += [f"(not {self.atoms[variable][place]})" for variable, place in effect.losses]
        if not effect.condition:
            return what
        self.export.requirements[":conditional-effects"] = None
        return [f"(when {conjunction(self._literals(effect.condition))} {conjunction(what)})"]

    def _literals(self, condition: Condition) -> list[str]:
        """A condition as a conjunction."""
        literals: list[str] = []
        for variable, places in condition:
            atoms = self.atoms[variable]
            others = [place for place in range(len(atoms)) if place not in places]
            if len(places) == 1:
                literals += [atoms[place] for place in places]
            elif len(places) <= len(others):
                self.export.requirements[":disjunctive-preconditions"] = None
                literals.append(f"(or {' '.join(atoms[place] for place in sorted(places))})")
            else:
                self.export.requirements[":negative-preconditions"] = None
                literals += [f"(not {atoms[place]})" for place in others]
        return literals
