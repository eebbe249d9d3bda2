"""What `budge verify` prints, as text and as JSON."""

from __future__ import annotations

from typing import Any

from ..models.cost import show_cost
from ..workflows.verification import Proof, Verdict, Verification
from .json_lines import plain
from .text import board, heading, wrap_plan


def as_text(found: Verification, *, colour: bool = False) -> str:
    """The plan and its costs, what each engine proved, and the verdict."""
    parts = [heading(found.puzzle), ""]
    replay = found.replay
    if replay is not None:
        costs = ", ".join(found.puzzle.unit(name).counted(cost) for name, cost in replay.costs.items())
        parts.append(f"plan         {len(replay.steps)} moves replayed by the rules: {costs}")
    if replay is not None and found.problem:
        position = replay.steps[-1].board if replay.steps else found.puzzle.board()
        parts += ["the position there:", board(found.puzzle, position, colour=colour)]
    if found.claim is not None and not found.problem:
        parts.append(f"claim        {show_cost(found.claim)} {found.metric} is optimal")
    elif found.claim is None and not found.problem:
        parts.append("claim        unsolvable")
    parts += [f"{proof.engine:<12} {_proof(proof)}" for proof in found.proofs]
    if found.better is not None:
        parts += ["a cheaper plan:", wrap_plan(found.better.notation)]
    parts += [f"verdict      {found.sentence}", f"time         {found.seconds:.2f} s"]
    return "\n".join(parts)


def _proof(proof: Proof) -> str:
    if proof.confirms:
        return f"proves it: {proof.by} ({proof.seconds:.2f} s)"
    known = []
    if proof.upper_bound is not None:
        known.append(f"has a plan of {show_cost(proof.upper_bound)}")
    if proof.lower_bound is not None:
        known.append(f"proves at least {show_cost(proof.lower_bound)}: {proof.by}")
    elif proof.by:
        known.append(proof.by)
    reason = f"; {proof.stopped_by}" if proof.stopped_by else ""
    return f"{', '.join(known) or 'proves nothing'}{reason} ({proof.seconds:.2f} s)"


def as_json(found: Verification) -> dict[str, Any]:
    """The `result` object."""
    header, replay = found.puzzle.header, found.replay
    return {
        "type": "result",
        "command": "verify",
        "puzzle": header.name,
        "file": header.file,
        "family": found.puzzle.family,
        "metric": found.metric,
        "verdict": found.verdict.value,
        "sentence": found.sentence,
        "claim": plain(found.claim),
        "replays": None if replay is None and found.problem is None else found.verdict is not Verdict.INVALID,
        "problem": found.problem,
        "costs": replay.costs if replay else None,
        "lower_bound": plain(found.lower_bound),
        "upper_bound": plain(found.upper_bound),
        "confirmed_by": list(found.confirmed_by),
        "proofs": [
            {
                "engine": proof.engine,
                "status": proof.status.value,
                "confirms": proof.confirms,
                "lower_bound": plain(proof.lower_bound),
                "upper_bound": plain(proof.upper_bound),
                "lower_bound_by": proof.by or None,
                "stopped_by": proof.stopped_by,
                "seconds": round(proof.seconds, 4),
            }
            for proof in found.proofs
        ],
        "better_plan": found.better.notation if found.better else None,
        "interrupted": found.interrupted,
        "seconds": {"total": round(found.seconds, 4)},
    }
