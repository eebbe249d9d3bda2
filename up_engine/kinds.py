"""Which kinds of problems of Unified Planning are read: those that Budge's PDDL can say, and no others."""

from __future__ import annotations

from unified_planning.model import ProblemKind

VERSION = 2
"""The version of the library's kinds in which `FEATURES` are meant: the library translates to its own version."""

FEATURES = (
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EQUALITIES",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    # `x := y and z`: the writer makes it two conditional effects.
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "PLAN_LENGTH",
    "ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    # Numbers that are read from PDDL are real to the library, also whole ones. Others are refused by their values.
    "REAL_NUMBERS_IN_ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    # Of numeric fluents only those in costs remain, as the others have a feature of their own, INT_FLUENTS or
    # REAL_FLUENTS. Those in costs may be bounded, and have no value for objects that no action can take.
    "BOUNDED_TYPES",
    "UNDEFINED_INITIAL_NUMERIC",
)
"""Every feature that a problem may have. A new feature of the library is unknown here, and refused."""


def supported_kind() -> ProblemKind:
    """The kind that has every feature of `FEATURES`."""
    return ProblemKind(FEATURES, version=VERSION)


def unsupported(kind: ProblemKind) -> list[str]:
    """The features of a kind that are not read, in order; none if it is supported."""
    supported = supported_kind()
    if kind <= supported:
        return []
    return sorted(one for one in kind.features if not ProblemKind([one], version=kind.version) <= supported)
