"""What `budge verify` prints, as text and as JSON."""

from __future__ import annotations

from typing import Any

from ..models.moves import PlainCost, full_cost, show_cost
from ..models.plan import Replay, cost_in
from ..models.text import counted
from ..runtime.outcome import Status
from ..workflows.verdict import Proof, Verdict, Verification, at_least
from .board import board
from .json_lines import about, head
from .terminal import PLAIN, Screen, labelled
from .text import heading, preparing, wrap_plan

WRONG = (Verdict.INVALID, Verdict.NOT_OPTIMAL, Verdict.REFUTED)
"""Verdicts that refute a claim."""


def as_text(found: Verification, screen: Screen = PLAIN) -> str:
    """The plan and its costs, what each engine proved, and the verdict."""
    parts = [heading(found.puzzle, screen), ""]
    replay = found.replay
    if replay is not None:
        costs = ", ".join(found.puzzle.unit(name).counted(cost) for name, cost in replay.costs.items())
        parts.append(
            labelled("plan", f"{counted(len(replay.steps), 'move')} replayed by the rules: {costs}", screen.width)
        )
    if replay is not None and found.problem:
        position = replay.steps[-1].board if replay.steps else found.puzzle.board()
        where = f"after move {len(replay.steps)}" if replay.steps else "at the start"
        parts += [f"the position {where}:", board(found.puzzle, position, screen)]
    if found.claim is not None and not found.problem:
        parts.append(labelled("claim", f"{_cost(found, found.claim)} is optimal", screen.width))
    elif found.claim is None and not found.problem:
        parts.append("claim        unsolvable")
    parts += [labelled(proof.engine, _proof(found, proof), screen.width) for proof in found.proofs]
    if found.best is not None:
        parts += [_best(found, found.best), wrap_plan(found.best.notation, screen)]
    parts += [labelled("verdict", found.sentence, screen.width), labelled("time", _time(found), screen.width)]
    return "\n".join(parts)


def _proof(found: Verification, proof: Proof) -> str:
    if proof.confirms:
        return f"proves it: {proof.by} ({proof.seconds:.2f} s)"
    if proof.refutes:
        return f"refutes it: {refutation(found, proof)} ({proof.seconds:.2f} s)"
    known = []
    if proof.upper_bound is not None:
        known.append(f"has a plan of {show_cost(full_cost(proof.upper_bound))}")
    if proof.lower_bound is not None:
        known.append(f"proves at least {show_cost(full_cost(proof.lower_bound))}: {proof.by}")
    elif proof.by:
        known.append(proof.by)
    reason = f"; {proof.stopped_by}" if proof.stopped_by else ""
    return f"{', '.join(known) or 'proves nothing'}{reason} ({proof.seconds:.2f} s)"


def refutation(found: Verification, proof: Proof) -> str:
    """Why the claim is wrong, by an engine that proves so."""
    if proof.status is Status.UNSOLVABLE:
        return f"there is no plan: {proof.by}"
    if proof.upper_bound is not None and (found.claim is None or proof.upper_bound < found.claim):
        return f"has a plan of {_cost(found, proof.upper_bound)}"
    assert proof.lower_bound is not None
    said = found.puzzle.metric(found.metric).counted
    return f"{at_least(full_cost(proof.lower_bound), said)}: {proof.by}"


def contribution(found: Verification, proof: Proof) -> tuple[str, str]:
    """The contribution of an engine in words: whether it proves or refutes the claim, and by what."""
    if proof.confirms:
        return "proves it", proof.by
    if proof.refutes:
        return "refutes it", refutation(found, proof)
    return "leaves it open", proof.stopped_by or proof.by


def _best(found: Verification, best: Replay) -> str:
    """The heading of the plan that is shown: the best known, or a cheaper one than claimed."""
    cost = _cost(found, cost_in(best, found.metric))
    if found.claim is None:
        return f"a plan ({cost}):"
    return f"a cheaper plan ({cost}):" if found.better else f"the best plan known ({cost}):"


def _cost(found: Verification, cost: PlainCost) -> str:
    return found.puzzle.metric(found.metric).counted(full_cost(cost))


def _time(found: Verification) -> str:
    """The whole time; where engines were at work, its two parts."""
    if not found.proofs:
        return f"{found.seconds:.2f} s"
    before = preparing(found.prepare)
    rest = round(found.seconds, 2) - round(found.proving, 2)
    parts = f"{found.proving:.2f} s of proving, {rest:.2f} s of grounding and starting the engines"
    return f"{found.seconds:.2f} s ({parts}){before}"


def as_json(found: Verification) -> dict[str, Any]:
    """The `result` object."""
    replay, unread = found.replay, found.verdict is Verdict.UNREADABLE
    return {
        **head("verify"),
        **about(found.puzzle),
        "metric": found.metric,
        "verdict": found.verdict.value,
        "sentence": found.sentence,
        "claim": found.claim,
        "replays": None
        if unread or (replay is None and found.problem is None)
        else found.verdict is not Verdict.INVALID,
        "problem": found.problem,
        "costs": replay.costs if replay else None,
        "lower_bound": found.lower_bound,
        "upper_bound": found.upper_bound,
        "confirmed_by": list(found.confirmed_by),
        "refuted_by": list(found.refuted_by),
        "proofs": [
            {
                "engine": proof.engine,
                "status": proof.status.value,
                "confirms": proof.confirms,
                "refutes": proof.refutes,
                "lower_bound": proof.lower_bound,
                "upper_bound": proof.upper_bound,
                "lower_bound_by": proof.by or None,
                "stopped_by": proof.stopped_by,
                "seconds": round(proof.seconds, 4),
            }
            for proof in found.proofs
        ],
        "better_plan": found.better.notation if found.better else None,
        "best_plan": found.best.notation if found.best else None,
        "interrupted": found.interrupted,
        "seconds": {
            "total": round(found.seconds, 4),
            "proving": round(found.proving, 4),
            "other": round(found.seconds - found.proving, 4),
            "prepare": round(found.prepare, 4),
        },
    }
