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

from ...analysis.transforms.strips import to_strips
from ...models.task import Task
from .names import PddlNames
from .pddl_text import PddlText, weight


def to_pddl(task: Task) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of facts and operators."""
    task = to_strips(task)
    names = PddlNames.of(task)
    atoms = [f"({atom})" for atom in names.atoms]
    costs = [weight(op.cost) for op in task.operators]
    text = PddlText(
        name=names.domain,
        task=task.name,
        metric=task.metric,
        requirements=[":strips"],
        constants=names.constants,
        predicates="(is ?group ?fact) (holds ?fact)",
        goals=names.goals,
        with_costs=bool(names.goals) or any(cost != 1 for cost in costs),
    )
    for action, op, cost in zip(names.operators, task.operators, costs, strict=True):
        effects = [atoms[f] for f in op.add] + [f"(not {atoms[f]})" for f in op.delete]
        text.action(action, [atoms[f] for f in op.pre], effects, cost)
    for clause, ways, goal in zip(names.clauses, names.ways, names.goals, strict=True):
        for f, action in zip(clause, ways, strict=True):
            text.meet(action, [atoms[f]], goal)
    wanted = [atoms[clause[0]] for clause in task.goal if len(clause) == 1]
    return text.domain(), text.problem([atoms[f] for f in task.init], wanted)
