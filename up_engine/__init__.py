"""Budge as an engine of Unified Planning, the Python library `unified-planning`.

    import unified_planning.shortcuts as up

    up.get_environment().factory.add_engine("budge", "budge.up_engine", "BudgePlanner")
    with up.OneshotPlanner(name="budge") as planner:
        print(planner.solve(problem).plan)

Nothing else of Budge imports this package. A problem goes through the library's own writer to PDDL, and from there the
way of every PDDL problem; its plan comes back as a plan of the library. docs/unified-planning.md.
"""

from __future__ import annotations

try:
    import unified_planning as _library  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"budge.up_engine needs Unified Planning ({error}): `pip install 'budge[unified-planning]'`"
    ) from None

from .planner import BudgePlanner as BudgePlanner

__all__ = ["BudgePlanner"]
