"""A refutation of the clauses about where a plan ends (`proofs/endings.py`), with the cuts that it needs.

The list of cuts begins empty. While a solver finds values that satisfy the clauses, the edges that are there make
several loops, each of which gives a cut; and it begins again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...engines.common.refutation import refute
from ...proofs.by_rules import ENDINGS, endings
from ...proofs.core.claim import PUZZLE
from ...proofs.core.formula import Clause
from ...proofs.core.limits import Limits, Stopped, Unsupported
from ...proofs.core.problem import Cost
from ...proofs.endings import Cut, Edge, Endings, one_change_each
from ...proofs.puzzles import Puzzle, puzzle_of
from ...runtime.budget import Budget
from ...runtime.kernels import ensure_kernels
from ..evidence import limits_of
from .choice import Found


@dataclass
class _Make:
    """Makes the clauses, in the process that refutes them."""

    text: str
    claim: Cost
    metric: str
    cuts: list[Cut] = field(default_factory=list)

    def made(self) -> Endings:
        limits = Limits(None, None)
        return endings(puzzle_of(self.text, PUZZLE, limits), self.claim, self.metric, self.cuts, limits)

    def __call__(self) -> tuple[int, list[Clause]]:
        made = self.made()
        return made.variables, made.clauses


@dataclass
class _Refine:
    """Adds the cuts that forbid a solution; None if there are none."""

    make: _Make

    def __call__(self, true: set[int]) -> tuple[int, list[Clause]] | None:
        for edges in self.make.made().loops:
            parts = _parts([edge for edge in edges if edge[0] in true])
            if len(parts) > 1:
                self.make.cuts += [tuple(sorted(part)) for part in parts]
                return self.make()
        return None


def refuted_endings(puzzle: Puzzle, claim: Cost | None, metric: str, text: str, budget: Budget) -> Found:
    """A refutation of the clauses about where plans cheaper than a claim end. `text`: of the puzzle, in the form of
    certificates. Raises `Unsupported` where they cannot be made, or do not show the claim, and `Stopped` at a limit.
    """
    if claim is None or not one_change_each(puzzle, metric):
        raise Unsupported("they are for plans of a cost whose actions set one value each")
    ensure_kernels(budget=budget)
    make = _Make(text, claim, metric)
    ready = refute(make, budget, _Refine(make))
    if ready.satisfiable:
        raise Unsupported("values of a cheaper end satisfy them")
    if ready.proof is None:
        raise Stopped(f"the clauses were not refuted: {ready.stopped_by}")
    cuts = ready.refined.make.cuts if isinstance(ready.refined, _Refine) else []
    made = endings(puzzle, claim, metric, cuts, limits_of(budget))
    return Found(ENDINGS, (made.variables, len(made.clauses)), tuple(map(",".join, cuts)), ready.proof)


def _parts(edges: list[Edge]) -> list[set[str]]:
    """The nodes of edges, in sets that no edge joins."""
    parts: list[set[str]] = []
    for _, a, b in edges:
        joined = [part for part in parts if a in part or b in part]
        parts = [part for part in parts if part not in joined] + [{a, b}.union(*joined)]
    return parts
