"""Plans that other programs found for what was exported, back as moves: planners' actions, SAT solvers' models.

A plan is read by the names that the exports give (`names`), so that nothing but the names is trusted: whether the moves
are allowed and reach the goal, the rules of the family decide.

    ; cost = 2 (unit cost)            a planner's plan: an action a line, comments          `plan_of_actions`
    (a-plus-1-from-r1c1 )
    (b-minus-1-from-r2c4 )

    s SATISFIABLE                     a SAT solver's answer: the literals that are true     `plan_of_model`
    v -1 2 -3 4 0
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...analysis.conditional_effects import ConditionalEffects
from ...analysis.transformed_tasks import with_cost_layers
from ...models.errors import ReplayError, UnreadableError, UsageError
from ...models.moves import Move
from ...models.plan import Plan, apply, by_time
from ...models.program import Machine, ProgramAction
from ...models.task import Operator, OperatorTask
from ...models.text import closest, counted
from ..step import operators_of_move
from .dimacs import VariableMap
from .pddl import Source, exported

# A line of a planner's plan: `(name)`, maybe with its time before it and its duration behind.
ACTION = re.compile(r"(?:(\d+(?:\.\d+)?)\s*:)?\s*\(\s*([^\s();]+)\s*\)\s*(?:\[[0-9.]+\])?\s*(?:;.*)?")

# A word that is Sokoban's notation of a walk or push, in case it stands in parentheses: it is not an action.
LURD = re.compile(r"[lurd0-9]+", re.IGNORECASE)

# A line of a SAT solver's answer by which it is recognised.
ANSWER = re.compile(r"s\s+(?:UN)?SATISFIABLE|v(?:\s+-?[0-9]+)+|SAT|UNSAT(?:ISFIABLE)?")


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """A plan and its author's names of the moves; no names if there is not one for each move."""

    plan: Plan
    names: tuple[str, ...] = ()

    def name(self, number: int) -> str | None:
        """The author's name of a move, counted from 1; None if it has no name."""
        return self.names[number - 1] if len(self.names) == len(self.plan.moves) else None

    @staticmethod
    def of(task: OperatorTask, operators: Iterable[tuple[str, Operator | None]]) -> NamedPlan:
        """The moves of named operators of the plain form of a task.

        In a task with compound moves, the operators between one picking up and the next putting down are one move.
        """
        chains: list[list[tuple[str, Operator]]] = []
        going_on = False
        for name, op in operators:
            if op is None or op.move is None:
                going_on = False
                continue
            if going_on and task.compound_moves:
                chains[-1].append((name, op))
            else:
                chains.append([(name, op)])
            going_on = True
        plan = Plan.of_compound_moves([op for _, op in chain] for chain in chains)
        return NamedPlan(plan, tuple(" ".join(name for name, _ in chain) for chain in chains))


# Planners


def is_of_actions(text: str) -> bool:
    """Whether a text is a planner's plan: each line is an action or a comment, and there is one of them."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    actions = [ACTION.fullmatch(line) for line in lines if not line.startswith(";")]
    names = [match[2] for match in actions if match]
    return bool(lines) and len(names) == len(actions) and (not names or not all(map(LURD.fullmatch, names)))


def plan_of_actions(read: OperatorTask | ConditionalEffects, text: str) -> NamedPlan:
    """The plan that actions of the exported domain of a task make.

    Raises `ReplayError`, with the line and the closest action, for an action that the domain does not have. What the
    state decides of a move of a program is known when it is applied: so for the first that does not apply, too.
    """
    named = {action.name: action.source for action in exported(read).actions}
    actions = [(name, _action(named, name, line), line) for line, name in _actions(text)]
    if isinstance(read, OperatorTask):
        return NamedPlan.of(read, ((name, op) for name, op, _ in actions if not isinstance(op, ProgramAction)))
    machine, state = Machine(read.task), read.task.init
    moves, names = list[Move](), list[str]()
    for name, action, line in actions:
        if not isinstance(action, ProgramAction):
            continue
        after = machine.after(state, action)
        if after is None:
            raise ReplayError(f"line {line}: `{name}` is not possible there")
        moves += action.move(machine.registers).singles
        names.append(name)
        state = after
    return NamedPlan(Plan(tuple(moves)), tuple(names))


def _actions(text: str) -> list[tuple[int, str]]:
    """The actions with their lines, in the order of their times if they have any. PDDL knows no case."""
    matches = [ACTION.fullmatch(line.strip()) for line in text.splitlines()]
    return by_time((match[1], (number, match[2].lower())) for number, match in enumerate(matches, 1) if match)


def _action(named: Mapping[str, Source], name: str, line: int) -> Source:
    if name not in named:
        raise ReplayError(f"line {line}: the export has no action `{name}`{_meant(name, named)}")
    return named[name]


def _meant(name: str, names: Iterable[str]) -> str:
    """`; did you mean ...?` with the closest name, if one is close."""
    meant = closest(name, names)
    return f"; did you mean `{meant}`?" if meant else ""


# SAT solvers


def is_model(text: str) -> bool:
    """Whether a text is the answer of a SAT solver."""
    return any(ANSWER.fullmatch(line.strip()) for line in text.splitlines())


def plan_of_model(task: OperatorTask, text: str, named: VariableMap) -> NamedPlan:
    """The plan of a model of the formula that was exported for a task, by the map of its variables.

    Raises `ReplayError` where the model is none, and `UsageError` for a map of something else.
    """
    layers = with_cost_layers(task)
    if layers is None or layers.free:
        raise UsageError(f"{task.name}: no model is exported in this metric, so this map is of something else")
    stepwise = layers.task
    operators, facts = _known(stepwise, named)
    true = [named.variables[number] for number in _true(text) if number in named.variables]
    chosen: list[list[str]] = [[] for _ in range(named.horizon)]
    held: list[set[int]] = [set() for _ in range(named.horizon + 1)]
    for variable in true:
        if variable.kind == "operator":
            chosen[variable.time].append(variable.name)
        elif variable.kind == "fact":
            held[variable.time].add(facts[variable.name])
    last = max((t for t, names in enumerate(chosen) if names), default=-1)
    needed = named.horizon if named.steps == "exactly" else last + 1
    chains: list[list[Operator]] = []
    state = frozenset(stepwise.init)
    for t, names in enumerate(chosen[:needed]):
        if not names:
            raise ReplayError(f"no operator is true in step {t} of {needed}: is the model complete?")
        if stepwise.compound_moves:
            chains.append(_path([operators[name][0] for name in names], state, held[t + 1], t))
            state = frozenset(held[t + 1])
            continue
        if len(names) > 1:
            raise ReplayError(f"{counted(len(names), 'operator')} are true in step {t}: {', '.join(sorted(names))}")
        chains.append([_applicable(operators[names[0]], state)])
        if state.issuperset(chains[-1][0].pre):
            state = apply(state, chains[-1][0])
    chains = [chain for chain in chains if any(op.move for op in chain)]
    return NamedPlan(Plan.of_compound_moves(chains), tuple(" ".join(op.name for op in chain) for chain in chains))


def _known(task: OperatorTask, named: VariableMap) -> tuple[dict[str, list[Operator]], dict[str, int]]:
    """Operators (several may share a name) and facts by name. Raises `UsageError` if the map has other names."""
    operators: dict[str, list[Operator]] = {}
    for op in task.operators:
        operators.setdefault(op.name, []).append(op)
    facts = {fact: number for number, fact in enumerate(task.facts)}
    names = {"operator": operators.keys(), "fact": facts.keys()}
    for number, variable in named.variables.items():
        if variable.name and variable.name not in names[variable.kind]:
            meant = _meant(variable.name, names[variable.kind])
            raise UsageError(
                f"the map is of another puzzle or metric: variable {number} is the {variable.kind} "
                f"`{variable.name}`, which {task.name} does not have{meant}"
            )
        if variable.time > named.horizon - (variable.kind != "fact"):  # there is one step less than layers
            raise UsageError(f"the map is broken: variable {number} is in {variable}, beyond horizon {named.horizon}")
    return operators, facts


def _true(text: str) -> Iterator[int]:
    """The variables that an answer says are true. Raises `UnreadableError` if it has none, or is no answer."""
    some = False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0] == "c" or words == ["SAT"] or words == ["s", "SATISFIABLE"]:
            continue
        if "UNSAT" in words[-1]:
            raise UnreadableError(
                f"line {number}: the solver found no model (`{line.strip()}`), so there is no plan in it"
            )
        for word in words[1:] if words[0] == "v" else words:
            if not re.fullmatch(r"-?[0-9]{1,18}", word):
                raise UnreadableError(f"line {number}: `{word}` is no literal; a model is lines such as `v 1 -2 3 0`")
            some = True
            if int(word) > 0:
                yield int(word)
    if not some:
        raise UnreadableError("this answer has no model: a model is lines such as `v 1 -2 3 0`")


def _applicable(candidates: Sequence[Operator], state: frozenset[int]) -> Operator:
    """The first of some operators that is applicable; if none is, the first one, and replaying will say what is
    wrong.
    """
    return next((op for op in candidates if state.issuperset(op.pre)), candidates[0])


def _path(arcs: Sequence[Operator], before: frozenset[int], after: set[int], step: int) -> list[Operator]:
    """The compound move of a step. Raises `ReplayError` if the true arcs make none."""
    try:
        return operators_of_move(arcs, before, after)
    except (StopIteration, KeyError):
        raise ReplayError(f"the operators that are true in step {step} make no path from place to place") from None
