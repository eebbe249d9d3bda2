"""What `budge explain --why` and `budge plans` print with `--json`, and the graph of shortest plans."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ..workflows.why.found import Reasons
from ..workflows.why.milestones import Milestone
from ..workflows.why.plans import Intended
from ..workflows.why.shares import Share
from .json_lines import about, head
from .reasons import as_text as as_text


def as_json(found: Reasons) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    plans = found.plans
    value: dict[str, Any] = {
        **head(found.command),
        **about(found.puzzle),
        "metric": found.metric,
        "cost": found.optimum,
        "states": found.states,
        "plans": plans and plans.number,
        "plans_up_to_order": plans and plans.up_to_order,
        "moves_in_all_plans": plans and plans.forced,
        "plan_length": plans and plans.length,
        "first_moves": list(found.first),
        "first_moves_possible": plans and plans.first_possible,
        "plans_part_after": plans and plans.part_after,
        "graph": plans and plans.ways and [list(way) for way in plans.ways],
        "longer_plans": plans and plans.longer and list(plans.longer),
        "intended": found.intended and _plan(found.intended),
        "contradicts": found.contradicts,
    }
    if found.avoid or found.through:
        value |= {
            "avoid": list(found.avoid),
            "through": list(found.through),
            "cost_without_conditions": found.optimum_of_all,
            "example": list(found.example),
        }
    if found.shares:
        shares = found.shares
        value |= {
            "shares": [_share(share, found) for share in shares.single],
            "joint_shares": [_share(share, found) for share in shares.joint],
            "explained": found.explained,
            "pieces_that_must_move": found.must_move,
            "moves_back": found.moves_back,
        }
    if found.laws:
        value["laws"] = [asdict(law) for law in found.laws]
        value["explained"] = found.explained
    if found.stopped_by:
        value["stopped_by"] = found.stopped_by
    if found.removals:
        value |= {
            "least": found.removals.least,
            "proof": found.removals.proof,
            "left_out": list(found.removals.left_out),
            "without": dict(found.removals.without),
            "undecided": list(found.removals.undecided),
        }
    if found.without:
        value["without"] = found.without
    if found.milestones:
        value["milestones"] = {
            "in_order": [_milestone(one) for one in found.milestones.chain],
            "besides": [_milestone(one) for one in found.milestones.others],
        }
    return {**value, "seconds": round(found.seconds, 4)}


def as_dot(found: Reasons) -> str | None:
    """The graph of shortest plans for Graphviz; None if there is none, or it is too large."""
    plans = found.plans
    if plans is None or plans.ways is None:
        return None
    into = {target for _, _, target in plans.ways}
    out = {source for source, _, _ in plans.ways}
    lines = [
        "digraph plans {",
        "  rankdir=LR; node [shape=point]; edge [fontsize=10]",
        '  0 [shape=circle, label="start"]',
    ]
    lines += [f'  {state} [shape=doublecircle, label="goal"]' for state in sorted(into - out)]
    lines += [f"  {source} -> {target} [label={json.dumps(text)}]" for source, text, target in plans.ways]
    return "\n".join([*lines, "}"]) + "\n"


def _plan(intended: Intended) -> dict[str, Any]:
    detours = None
    if intended.detours is not None:
        detours = [{"move": number, "notation": move, "loses": loses} for number, move, loses in intended.detours]
    return {"cost": intended.cost, "detours": detours}


def _share(share: Share, found: Reasons) -> dict[str, Any]:
    route = found.routes.get(share.owners[0]) if len(share.owners) == 1 else None
    return {"owners": list(share.owners), "least": share.least, "only_route": route and list(route)}


def _milestone(one: Milestone) -> dict[str, Any]:
    return {"fact": one.text, "earliest": one.earliest}
