"""Words of PDDL that are refused: what each is, and what its author can do; and the words of `:requirements`."""

from __future__ import annotations

from .syntax import PddlFile, Word

_DERIVED = (
    "derived predicates",
    "make the predicate an ordinary one that actions change, or state its condition in place",
)
_TIME = ("actions that take time", "write `:action`, and give what counts as an action cost")
_TRAJECTORY = (
    "constraints on whole plans",
    "add a predicate that actions keep, and ask for it in preconditions and `:goal`",
)
_PREFERENCE = ("preferences", "make it a part of `:goal`, or an action with a cost that forgoes it")
_TASKS = ("hierarchical tasks", "state a `:goal` that actions reach")
_CHANCE = ("effects by chance or by choice", "write an action for each outcome, if the plan may choose")
_NUMBERS = ("numbers other than action costs", "use objects for the values, as `(next n1 n2)`")
_HIDDEN = ("sensing", "state all that is true in `:init`")

REFUSED_SECTIONS = {
    ":derived": _DERIVED,
    ":axiom": _DERIVED,
    ":durative-action": _TIME,
    ":process": _TIME,
    ":event": _TIME,
    ":constraints": _TRAJECTORY,
    ":task": _TASKS,
    ":tasks": _TASKS,
    ":method": _TASKS,
    ":htn": _TASKS,
    ":observe": _HIDDEN,
}
"""Sections, and keys of actions, that are refused."""

REFUSED_KEYS = {
    ":duration": _TIME,
    ":condition": _TIME,
    ":observe": _HIDDEN,
    ":expansion": _TASKS,
    ":vars": ("variables of an action beside its parameters", "move them to `:parameters`"),
}

REFUSED_CONDITIONS = {
    **dict.fromkeys(("<", "<=", ">", ">=", "+", "-", "*", "/"), _NUMBERS),
    **dict.fromkeys(
        [
            "always",
            "sometime",
            "at-most-once",
            "sometime-after",
            "sometime-before",
            "always-within",
            "hold-during",
            "hold-after",
        ],
        _TRAJECTORY,
    ),
    "preference": _PREFERENCE,
    "within": _TRAJECTORY,
    "at": _TIME,
    "over": _TIME,
}
"""First words of conditions that are refused, unless the domain has a predicate of that name."""

REFUSED_EFFECTS = {
    **dict.fromkeys(("assign", "decrease", "scale-up", "scale-down", "change"), _NUMBERS),
    **dict.fromkeys(("probabilistic", "oneof"), _CHANCE),
    "at": _TIME,
}

OBJECT_FUNCTIONS = ("functions whose values are objects", "use a predicate with one more argument")
NUMBERS = _NUMBERS
OTHER_COST = (_NUMBERS[0], f"if it is what the plan costs, name it in `:metric`; else {_NUMBERS[1]}")
TIMED = ("facts that become true at a time", "state what is true at the start, and let actions change it")

REQUIREMENTS = frozenset(
    (
        ":strips",
        ":typing",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":equality",
        ":existential-preconditions",
        ":universal-preconditions",
        ":quantified-preconditions",
        ":conditional-effects",
        ":fluents",
        ":numeric-fluents",
        ":object-fluents",
        ":adl",
        ":durative-actions",
        ":duration-inequalities",
        ":continuous-effects",
        ":derived-predicates",
        ":timed-initial-literals",
        ":timed-initial-fluents",
        ":preferences",
        ":constraints",
        ":action-costs",
        ":goal-utilities",
        ":time",
        ":domain-axioms",
        ":subgoal-through-axioms",
        ":safety-constraints",
        ":expression-evaluation",
        ":dag-expressions",
        ":foreach-expressions",
        ":action-expansions",
        ":open-world",
        ":true-negation",
        ":ucpop",
        ":hierarchy",
        ":htn",
        ":method-preconditions",
        ":rewards",
        ":probabilistic-effects",
        ":non-deterministic",
        ":partial-observability",
        ":multi-agent",
        ":factored-privacy",
        ":unfactored-privacy",
        ":universal-effects",
    )
)
"""Words that files in use have. None is asked for: what a file uses is read, or refused where it stands."""


def refuse(file: PddlFile, word: Word, table: dict[str, tuple[str, str]]) -> None:
    """Report a word that is refused."""
    refuse_as(file, word, table[word.text])


def refuse_as(file: PddlFile, word: Word, what: tuple[str, str]) -> None:
    """Report a word, or what begins with it, as something that is refused: what that is, and what to do."""
    file.error(word, f"{what[0]} (`{file.quote(word, 30)}`) are not read", what[1])
