"""The heuristics, one in each file or folder, found by looking; see `analysis.heuristic`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..heuristic import Heuristic

# Pruning rules that are part of an estimate and are switched off by name, too.
SHARED_RULES = {
    "freeze": "freeze deadlocks, and distances around frozen objects",
    "learned": "sets of objects that deadlock searches have found dead, looked up in every later state",
}


def heuristic_names() -> tuple[str, ...]:
    """The names of the heuristics, without importing any of them: `landmark-cut` is in `landmark_cut.py`."""
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(__path__)))


@cache
def heuristics() -> dict[str, Heuristic]:
    """The heuristics by name, in the order in which they are prepared: by role, then by rank."""
    by_name = {name: import_module(f"{__name__}.{name.replace('-', '_')}").HEURISTIC for name in heuristic_names()}
    return dict(sorted(by_name.items(), key=lambda item: (item[1].role.order, item[1].rank, item[0])))
