"""Heuristics and pruning rules that are switched off by name: `--without conflicts,corrals`."""

from __future__ import annotations

from collections.abc import Iterable

from ...analysis.heuristics import SHARED_RULES, heuristic_names
from ...models.errors import UsageError
from ...models.text import suggest


def names_for(rules: Iterable[str]) -> tuple[str, ...]:
    """The names that a search with these rules of its own knows: heuristics, rules of the estimate, its own rules."""
    return (*heuristic_names(), *SHARED_RULES, *rules)


def switched_off(without: str | None, rules: Iterable[str]) -> frozenset[str]:
    """The names in a list with commas. Raises `UsageError` for one that is not known."""
    names = [name.strip() for name in (without or "").split(",") if name.strip()]
    known = names_for(rules)
    for name in names:
        if name not in known:
            raise UsageError(f"no heuristic or pruning rule `{name}`; {suggest(name, known)}")
    return frozenset(names)
