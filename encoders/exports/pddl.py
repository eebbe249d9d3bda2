"""Task -> PDDL: a domain and a problem that any classical planner reads.

Grounded STRIPS: actions have no parameters, facts are `(is GROUP FACT)` where a group of one true fact has them to
itself (where an object is), and `(holds FACT)` elsewhere. So planners find those groups at once as invariants
(Helmert, *Concise finite-domain representations for PDDL planning tasks*, AIJ 2009); with a predicate for each fact
Fast Downward looked for them for 15 seconds on a Rush Hour board.

Walking, picking up and putting down are actions of their own (`analysis.transforms.strips`). Costs are `:action-costs`
where they differ (International Planning Competition 2008).

A goal clause of several facts becomes one fact, which actions of cost 0 add, one for each fact of the clause; they
end the play, so that all clauses hold at once. (Planners turn disjunctive goals into axioms, which many of
their heuristics do not allow.) Of a cost with two components the first counts `FIRST_WEIGHT` times as much.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...analysis.transforms.strips import to_strips
from ...models.cost import Cost
from ...models.task import Task
from .names import PddlNames

FIRST_WEIGHT = 100_000
"""Weight of the first cost component: plans are ordered lexicographically while the second one is below this number."""


def to_pddl(task: Task) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of facts and operators."""
    task = to_strips(task)
    names = PddlNames.of(task)
    atoms, name = names.atoms, names.domain
    reached = [f"reached {goal}" for goal in names.goals]
    playing = ["playing"] if names.goals else []
    costs = [_weight(op.cost) for op in task.operators]
    with_costs = bool(names.goals) or any(cost != 1 for cost in costs)

    # The domain: an action for each operator and, for each clause of several facts, for each way to meet it.
    lines = [
        f"; {task.name}: domain written by Budge. Metric: {', then '.join(task.metric)}.",
        f"(define (domain {name})",
        f"  (:requirements :strips{' :action-costs' if with_costs else ''})",
        "  (:constants",
        *(f"    {constant}" for constant in (*names.constants, *names.goals)),
        "  )",
        "  (:predicates (is ?group ?fact) (holds ?fact)" + (" (playing) (reached ?goal))" if names.goals else ")"),
    ]
    if with_costs:
        lines.append("  (:functions (total-cost) - number)")
    for action, op, cost in zip(names.operators, task.operators, costs, strict=True):
        pre, add, delete = ([atoms[f] for f in facts] for facts in (op.pre, op.add, op.delete))
        lines += _action(action, pre + playing, add, delete, cost if with_costs else None)
    for clause, ways, goal in zip(names.clauses, names.ways, reached, strict=True):
        for f, action in zip(clause, ways, strict=True):
            lines += _action(action, [atoms[f]], [goal], playing, 0)
    domain = "\n".join([*lines, ")\n"])

    # A clause of several facts is a disjunction, which STRIPS lacks: it is met by an action of cost 0 for each fact,
    # after which nothing can be played.
    wanted = [atoms[clause[0]] for clause in task.goal if len(clause) == 1] + reached
    lines = [
        f"; {task.name}: problem written by Budge.",
        f"(define (problem {name}-problem)",
        f"  (:domain {name})",
        "  (:init",
        *(f"    ({atom})" for atom in [*(atoms[f] for f in task.init), *playing]),
        *(["    (= (total-cost) 0)"] if with_costs else []),
        "  )",
        f"  (:goal {_conjunction(wanted)})",
        *(["  (:metric minimize (total-cost))"] if with_costs else []),
        ")\n",
    ]
    return domain, "\n".join(lines)


def _weight(cost: Cost) -> int:
    """A cost as one number that orders as its components do, the first before the second."""
    total = 0
    for part in cost:
        total = total * FIRST_WEIGHT + part
    return total


def _action(name: str, pre: list[str], add: list[str], delete: list[str], cost: int | None) -> list[str]:
    effects = [f"({f})" for f in add] + [f"(not ({f}))" for f in delete]
    if cost is not None:
        effects.append(f"(increase (total-cost) {cost})")
    return [
        f"  (:action {name}",
        "    :parameters ()",
        f"    :precondition {_conjunction(pre)}",
        f"    :effect (and {' '.join(effects)})",
        "  )",
    ]


def _conjunction(facts: Iterable[str]) -> str:
    return f"(and {' '.join(f'({fact})' for fact in facts)})"
