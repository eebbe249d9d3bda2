"""Costs, one number for each component of the metric, and how they are written."""

from __future__ import annotations

Cost = tuple[int, ...]
"""A cost, one number for each component of the metric; compared lexicographically."""


def show_cost(cost: Cost) -> str:
    return ", ".join(str(part) for part in cost)


def canonical_metric(text: str) -> str:
    """`[pushes, moves]`, `pushes, moves` and `pushes,moves` are one metric."""
    return ",".join(part.strip() for part in text.split(","))
