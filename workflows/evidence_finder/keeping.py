"""Which invariants are kept by all actions, and which of them one needs for that: both as the checker sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...proofs.core.claim import kept as is_kept
from ...proofs.core.claim import refuted
from ...proofs.core.limits import Limits
from ...proofs.core.problem import Action, Literals, Problem


class Changers:
    """The actions of a problem that may end an invariant: those that change one of its variables."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.of: dict[int, list[int]] = {}
        for a, action in enumerate(problem.actions):
            for x in action.effects:
                self.of.setdefault(x, []).append(a)

    def __call__(self, clause: Literals) -> Iterator[Action]:
        for a in sorted({a for x, _ in clause for a in self.of.get(x, ())}):
            yield self.problem.actions[a]


def kept_by_all(problem: Problem, invariants: list[Literals], limits: Limits) -> list[Literals]:
    """Those of some clauses that the checker sees to be invariants, together.

    Where actions have neither conditional effects nor needs that are clauses, h^2 and the checker conclude the same; so
    at first only the others are looked at, and all of them once something is gone.
    """
    changers, simple = Changers(problem), {id(action): _is_simple(action) for action in problem.actions}
    every = False
    while True:
        near, gone = _near(invariants), set[Literals]()
        for clause in invariants:
            for action in changers(clause):
                if (every or not simple[id(action)]) and not is_kept(problem, clause, action, near, limits):
                    gone.add(clause)
                    break
        if not gone:
            return invariants
        invariants, every = [clause for clause in invariants if clause not in gone], True


def _is_simple(action: Action) -> bool:
    return all(len(part) == 1 for part in action.needs) and not any(some[0][0] for some in action.effects.values())


def with_what_keeps_them(
    problem: Problem, wanted: set[Literals], invariants: list[Literals], limits: Limits
) -> set[Literals]:
    """Some of the invariants with those others without which an action might end them."""
    changers = Changers(problem)
    kept, todo = set(wanted), sorted(wanted)
    near = _near(invariants)
    while todo:
        clause = todo.pop()
        for action in changers(clause):
            here = [one for one in _near_all(clause, action, near) if one in kept]
            if is_kept(problem, clause, action, _near(here), limits):
                continue
            more = [one for one in _near_all(clause, action, near) if one not in kept]

            def enough(some: list[Literals], of=(clause, action, here)) -> bool:  # type: ignore[no-untyped-def]
                return is_kept(problem, of[0], of[1], _near(of[2] + some), limits)

            for one in _fewest(more, enough):
                kept.add(one)
                todo.append(one)
    return kept


def _near(invariants: list[Literals]) -> dict[int, list[Literals]]:
    near: dict[int, list[Literals]] = {}
    for clause in invariants:
        for x, _ in clause:
            near.setdefault(x, []).append(clause)
    return near


def _near_all(clause: Literals, action: Action, near: dict[int, list[Literals]]) -> list[Literals]:
    """The invariants that the checker looks at: those with a variable that the clause, or the action in what concerns
    it, speaks of."""
    variables = {x for part in (*action.needs, clause) for x, _ in part}
    variables |= {y for x, _ in clause for when, _ in action.effects.get(x, ()) for y, _ in when}
    return list({other: None for x in sorted(variables) for other in near.get(x, ())})


def with_what_contradicts_the_goal(problem: Problem, invariants: list[Literals], limits: Limits) -> list[Literals]:
    """Few of the invariants that contradict the goal, with what keeps them."""
    wanted = _fewest(invariants, lambda some: refuted(problem, [*some, *problem.goal], limits))
    kept = with_what_keeps_them(problem, set(wanted), invariants, limits)
    return [one for one in invariants if one in kept]


def _fewest(more: list[Literals], enough: Callable[[list[Literals]], bool]) -> list[Literals]:
    """A smallest part of `more` that is enough: halves, quarters, ... of it are left out in turn."""
    size = max(1, len(more) // 2)
    while True:
        at = 0
        while at < len(more):
            fewer = more[:at] + more[at + size :]
            if enough(fewer):
                more = fewer
            else:
                at += size
        if size == 1:
            return more
        size //= 2
