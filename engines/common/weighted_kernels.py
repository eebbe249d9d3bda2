"""Compiled kernels over a graph whose edges have costs: least costs from some states, and what can be reached."""

from __future__ import annotations

from ...analysis.index_heap import lower, take_least
from ...runtime.arrays import Flags, Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit

FAR = 1 << 60
"""The cost of a node that cannot be reached: more than any cost."""


@njit(cache=True)
def least_costs(
    edges: tuple[Longs, Ints, Ints],
    weight: Longs,
    spots: tuple[Ints, Ints, int],
    scratch: tuple[Ints, Ints, Ints],
    height: int,
    key: Longs,
) -> None:
    """Write the least cost of each node to `key`, from the `height` nodes on the stack (Dijkstra; free edges at once).

    `edges` is (first, targets, steps): those of state s are first[s]:first[s + 1]. A node is a state with the spot of
    one object that is followed: that of state s with spot p is s * count + p, where `spots` is (left, came, count).
    Step i costs weight[i] if the object stands at left[i], and then takes it to came[i]; else it costs nothing. With
    one spot, left[i] is 0 for a step that costs something, and -1 for another. `scratch`: the heap, places in it (-1),
    and a stack, each with an entry for each node. `key`: FAR everywhere but on the stack.
    """
    first, targets, steps = edges
    left, came, count = spots
    heap, place, stack = scratch
    size = long(0)
    while height > 0 or size > 0:
        if height > 0:
            height -= 1
            node = long(stack[height])
        else:
            node = take_least(key, heap, place, size)
            size -= 1
        value = key[node]
        state = node // count
        spot = node - state * count
        for edge in range(first[state], first[state + 1]):
            step = steps[edge]
            then, other = value, long(targets[edge]) * count + spot
            if left[step] == spot:
                then = value + weight[step]
                other += came[step] - spot
            if key[other] <= then:
                continue
            if then == value and place[other] < 0:
                key[other] = then
                stack[height] = other
                height += 1
            else:
                size = lower(key, heap, place, size, other, then)


@njit(cache=True)
def spread(edges: tuple[Longs, Ints, Ints], passes: Flags, allowed: Flags, queue: Ints, tail: int, seen: Flags) -> int:
    """Mark in `seen` all states that are reached from queue[:tail], which are marked, by steps that `passes` marks
    through states that are `allowed`; they stand in the queue. Gives their number.
    """
    first, targets, steps = edges
    head = long(0)
    while head < tail:
        state = queue[head]
        head += 1
        for edge in range(first[state], first[state + 1]):
            target = targets[edge]
            if passes[steps[edge]] and allowed[target] and not seen[target]:
                seen[target] = True
                queue[tail] = target
                tail += 1
    return tail
