"""Kinds of actions: those that are the same but for variables that are counted only.

A variable is *counted* if all actions on it lead from a value to the next one, from the start on, as in 3 -> 2 -> 1 ->
0, and if most of what these do beside it is done at each of the values but the last: so it forbids little but to go on
at its end. (Nobody has to believe the second part. The clauses of `whole` are true without it; it makes few kinds.)
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .core.limits import Limits
from .core.problem import PAIR_BYTES, Action, Effects, Literals, Problem

Ladder = list[int]
"""The values through which a counted variable goes, from that of the start: 3, 2, 1, 0 of a cell with room for 3."""


Beside = tuple[tuple[Literals, ...], tuple[tuple[int, Effects], ...]]
"""What an action needs and does, without some variables."""

MOST = 0.75
"""The least share of the actions on a counted variable that are there for each of its values but the last. Cells of
slitherlinks in PDDL, where the first edge is drawn by other actions: 0.78 and more; nodes: 0.65 and less."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Actions that share `needs` and `effects`, those of counted variables left out. `allows`: the values that a need
    of one variable leaves it; `counts`: the variables that each of the actions moves on; `spare`: the least that one
    spends; `members`: the actions, by number.
    """

    needs: tuple[Literals, ...]
    effects: dict[int, Effects]
    allows: dict[int, int]
    counts: Collection[int]
    spare: int
    members: list[int]

    def gives(self, x: int) -> int:
        """The value that it gives a variable that it changes, whatever the state is; -1 if that depends on it."""
        when, value = self.effects[x][0]
        return -1 if when else value


def kinds_of(problem: Problem, spare: list[int], limits: Limits) -> tuple[dict[int, Ladder], list[Kind]]:
    """The counted variables of a problem and the kinds of its actions. `spare`: what each action spends."""
    counted, groups = _counted(problem, limits), dict[tuple[frozenset[int], Beside], list[int]]()
    for number, action in enumerate(problem.actions):
        limits.tick(action.size())
        counts = frozenset(action.effects).intersection(counted)
        groups.setdefault((counts, _without(action, counted)), []).append(number)
    kinds = []
    for (counts, (needs, effects)), members in groups.items():
        limits.hold((5 + 3 * len(effects) + 2 * len(needs)) * PAIR_BYTES)
        allows = {x: problem.allowed(needs, x) for part in needs if len(part) == 1 for x, _ in part}
        kinds.append(Kind(needs, dict(effects), allows, counts, min(spare[number] for number in members), members))
    return counted, kinds


def _without(action: Action, left_out: Collection[int]) -> Beside:
    needs = tuple(part for part in action.needs if all(x not in left_out for x, _ in part))
    return needs, tuple((x, some) for x, some in action.effects.items() if x not in left_out)


def _counted(problem: Problem, limits: Limits) -> dict[int, Ladder]:
    ladders = _ladders(problem, limits)
    done: dict[int, dict[Beside, int]] = {x: {} for x in ladders}
    for action in problem.actions:
        for x in ladders.keys() & action.effects.keys():
            limits.tick(action.size())
            beside = _without(action, (x,))
            done[x][beside] = done[x].get(beside, 0) | problem.allowed(action.needs, x)
    counted = {}
    for x, values in ladders.items():
        steps = [masks.bit_count() for masks in done[x].values()]
        if sum(many for many in steps if many == len(values) - 1) >= MOST * sum(steps):
            counted[x] = values
    return counted


def _ladders(problem: Problem, limits: Limits) -> dict[int, Ladder]:
    """The variables of which all actions lead from a value to one that is always the next, through three or more."""
    follows = {x: dict[int, int]() for x, domain in enumerate(problem.domains) if len(domain) > 2}
    for action in problem.actions:
        limits.tick(action.size())
        for x in follows.keys() & action.effects.keys():
            ((when, to), *others), mask = action.effects[x], problem.allowed(action.needs, x)
            if when or others or mask.bit_count() != 1 or follows[x].setdefault(mask.bit_length() - 1, to) != to:
                del follows[x]
    ladders = {}
    for x, after in follows.items():
        values = [problem.start[x]]
        while (to := after.get(values[-1], values[0])) not in values:
            values.append(to)
        if len(values) > 2 and values[-1] not in after:
            ladders[x] = values
    return ladders
