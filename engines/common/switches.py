"""The option `--without`, which switches off heuristics and pruning rules by name: `--without conflicts,corrals`."""

from __future__ import annotations

from collections.abc import Iterable

from ...analysis.heuristics import SHARED_RULES, heuristic_names
from ..engine import Option

# Options that several engines have.

HORIZON_LIMIT = Option(
    "horizon_limit", int, None, "give up when it is proven that no plan has at most N steps", least=1
)

SEED = Option(
    "seed", int, None, "what its random choices begin with: the same seed, the same choices", least=0, most=2**31 - 1
)
"""For engines that make random choices. None, the default, is a seed too, always the same."""


SPARE_OBJECTS = "spare-objects"
"""With this word in `--without`, objects that no plan needs stay in the task (`analysis.spare_objects`)."""


def without_option(rules: Iterable[str], shared: Iterable[str] = SHARED_RULES) -> Option:
    """The option `--without` of an engine: every heuristic, the `shared` rules of estimates, `rules` of its own, and
    what a task is made simpler by.
    """
    return Option(
        "without",
        str,
        None,
        "heuristics and pruning rules that are not used, with commas between their names",
        choices=(*heuristic_names(), *shared, *rules, SPARE_OBJECTS),
        several=True,
    )


def switched_off(option: Option, without: str | None) -> frozenset[str]:
    """The names that an option's value switches off. Raises `UsageError` for one that is not known."""
    return frozenset(str(option.checked(without)).split(",")) if without else frozenset()
