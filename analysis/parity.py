"""The parity of permutations: where objects only change places, half of all positions cannot be reached.

A move of a fifteen puzzle exchanges the blank with a tile, an odd permutation, and takes the blank from a black cell
to a white one. So a goal that differs by an odd permutation needs an odd number of moves, and the blank on the other
colour (W. W. Johnson and W. E. Story, *Notes on the "15" puzzle*, American Journal of Mathematics 1879).

It holds of any task whose positions say which object is in which cell, each object and each cell once.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..models.task import GroupKind, OperatorTask, Task


def impossible(task: Task) -> str | None:
    """Why there is no plan, in a sentence, if that is known before a search."""
    return task.unsolvable_because or (task.computed(wrong_parity) if isinstance(task, OperatorTask) else None)


def wrong_parity(task: OperatorTask) -> str | None:
    """Why there is no plan, in a sentence, by parity; None if that is not known. The goal needs an odd permutation, and
    every operator makes an even one; or every operator makes an odd one, and an object that each of them takes from
    black to white or back (the blank) needs an even number of them.
    """
    objects = [group for group in task.groups if group.kind == GroupKind.OBJECT and group.count == 1]
    cells = [group for group in task.groups if group.kind == GroupKind.CELL]
    owner = {fact: number for number, group in enumerate(objects) for fact in group.facts}
    place = {fact: number for number, group in enumerate(cells) for fact in group.facts}
    goal = [clause[0] for clause in task.goal if len(clause) == 1 and clause[0] in owner]
    if owner.keys() != place.keys() or not len(objects) == len(cells) == len({owner[fact] for fact in goal}):
        return None

    def odd(before: Iterable[int], after: Iterable[int]) -> int | None:
        """1 if objects change places by an odd permutation, 0 by an even one; None if it is none."""
        ends = {owner[fact]: place[fact] for fact in after if fact in owner}
        goes = {place[fact]: ends.get(owner[fact], -1) for fact in before if fact in owner}
        swaps = len(goes)
        if goes.keys() != set(goes.values()):
            return None
        while goes:
            here, swaps = next(iter(goes)), swaps - 1
            while here in goes:
                here = goes.pop(here)
        return swaps % 2

    wanted, signs = odd(task.init, goal), {odd(op.delete, op.add) for op in task.operators}
    if signs == {0} and wanted:
        return "permutation parity: start and goal differ by an odd permutation, and every move is an even one"
    after = turns(task) if signs == {1} else None
    for fact in goal if after else ():
        if after and after.get(fact, wanted) != wanted:
            says, words = "permutation parity: start and goal differ by an", ("even", "odd")
            when = f"but `{task.facts[fact]}` can be true after an {words[wanted != 1]} number of moves only"
            return f"{says} {words[wanted == 1]} permutation, {when}"
    return None


def turns(task: OperatorTask) -> dict[int, int] | None:
    """For facts that are true after every second step only: the parity of those steps. None if there are no such facts.

    They are the facts of variables that every operator changes between two colours, such as the blank of an n-puzzle:
    it is on a black cell after every second step.
    """
    after: dict[int, int] = {}
    for number in sorted({n for op in task.operators[:1] for fact in op.delete for n in task.groups_of[fact]}):
        group, facts = task.groups[number], set(task.groups[number].facts)
        pairs = [
            (before, new)
            for op in task.operators
            for before in facts.intersection(op.delete)
            for new in facts.intersection(op.add)
        ]
        always = group.count == 1 and len(pairs) == len(task.operators)
        if always and (colour := two_colours(len(task.facts), pairs)):
            first = next(colour[f] for f in task.init if f in facts)
            after.update({fact: (colour[fact] - first) % 2 for fact in group.facts})
    return after or None


def two_colours(nodes: int, edges: Iterable[tuple[int, int]]) -> list[int] | None:
    """Colours 0 and 1 of nodes such that every edge joins different ones, or None."""
    near: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    colour = [-1] * nodes
    for start in range(nodes):
        if colour[start] >= 0:
            continue
        colour[start] = 0
        queue = [start]
        for node in queue:
            for other in near[node]:
                if colour[other] < 0:
                    colour[other] = 1 - colour[node]
                    queue.append(other)
                elif colour[other] == colour[node]:
                    return None
    return colour
