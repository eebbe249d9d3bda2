"""Problems as those see them who write certificates: their text, and their states. (`proofs/core/` has its own.)"""

from __future__ import annotations

from collections.abc import Iterable

from ...proofs.core.problem import HEAD, Action, Literals, Problem, is_copy

State = tuple[int, ...]
"""The number of its value for each variable."""


def write(problem: Problem) -> str:
    """The text of a problem. Needs are sorted and not repeated, effects are by variable, sets are written the shorter
    way.
    """
    lines = [HEAD, "count " + " ".join(problem.counts)]
    lines += ["var " + " ".join((name, *domain)) for name, domain in zip(problem.names, problem.domains, strict=True)]
    lines += ["start " + " ".join(domain[value] for domain, value in zip(problem.domains, problem.start, strict=True))]
    lines += ["goal " + clause_text(problem, part) for part in sorted(set(problem.goal))]
    for action in problem.actions:
        words = ["act", action.name, ",".join(map(str, action.cost))]
        if action.needs:
            words += ["if", *(clause_text(problem, part) for part in sorted(set(action.needs)))]
        words.append("then")
        for x in sorted(action.effects):
            words += _effect_text(problem, x, action.effects[x])
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def clause_text(problem: Problem, literals: Literals, sign: str = "|") -> str:
    """Literals as the text has them."""
    return sign.join(_literal_text(problem, x, mask) for x, mask in literals)


def _literal_text(problem: Problem, x: int, mask: int) -> str:
    equal, domain = "=", problem.domains[x]
    if 2 * mask.bit_count() > len(domain):
        equal, mask = "!=", problem.full(x) & ~mask
    values = []
    while mask:
        first = mask & -mask
        values.append(domain[first.bit_length() - 1])
        mask ^= first
    return problem.names[x] + equal + ",".join(values)


def _effect_text(problem: Problem, x: int, effects: tuple[tuple[Literals, int], ...]) -> list[str]:
    domains, effects = problem.domains, tuple(sorted(effects))
    if is_copy(domains, x, effects):
        return [f"{problem.names[x]}<{problem.names[effects[0][0][0][0]]}"]
    return [
        f"{problem.names[x]}={domains[x][value]}" + ("?" + clause_text(problem, when, "&") if when else "")
        for when, value in effects
    ]


def holds(state: State, clauses: Iterable[Literals]) -> bool:
    """Whether each clause has a literal that is true in a state."""
    return all(any(mask >> state[x] & 1 for x, mask in clause) for clause in clauses)


def after(state: State, action: Action) -> State:
    """The state after an action: all effects read the state before."""
    result = list(state)
    for x, effects in action.effects.items():
        for when, value in effects:
            if all(mask >> state[y] & 1 for y, mask in when):
                result[x] = value
    return tuple(result)
