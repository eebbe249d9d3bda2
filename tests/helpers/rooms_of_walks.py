"""What a plan needs, by walking."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from budge.workflows.why.needs import Stay

from .vehicle_positions import Positions


def routes(positions: Positions, letter: str, least: int) -> set[tuple[Hashable, ...]]:
    """The sequences of so many moves of a piece that a plan can have, the others moving as they like."""

    def spread(some: set[Hashable]) -> set[Hashable]:
        waiting = list(some)
        for here in waiting:
            for owner, _, _, after in positions.steps[here]:
                if owner != letter and after not in some:
                    some.add(after)
                    waiting.append(after)
        return some

    found: dict[tuple[Hashable, ...], set[Hashable]] = {(): spread({positions.start})}
    for made in range(least):
        longer: dict[tuple[Hashable, ...], set[Hashable]] = {}
        for moves, some in found.items():
            for owner, move, _, after in (step for here in some for step in positions.steps[here]):
                if owner == letter and positions.least(after, {letter}) == least - made - 1:
                    longer.setdefault((*moves, move[:2]), set()).add(after)  # type: ignore[index]
        found = {moves: spread(some) for moves, some in longer.items()}
    return {moves for moves, some in found.items() if some & positions.goals}


def fact(positions: Positions, text: str) -> set[Hashable]:
    """The positions in which `A at r2c3` is true."""
    letter, _, cell = text.split()
    first = tuple(int(part) - 1 for part in cell[1:].split("c"))
    return {here for here in positions.steps for name, own in here if name == letter and own[0] == first}  # type: ignore[attr-defined]


def place_of(letter: str, here: Hashable) -> str:
    """Where a vehicle is, by its first cell."""
    own = next(own for name, own in here if name == letter)  # type: ignore[attr-defined]
    return f"r{own[0][0] + 1}c{own[0][1] + 1}"


def needed(
    positions: Positions,
    letter: str,
    stays: Sequence[Stay],
    share: int,
    fact: Callable[[Positions, str], set[Hashable]] = fact,
    place_of: Callable[[str, Hashable], str] = place_of,
) -> None:
    """A piece's stays are where it has to be at those first times, these come in this order, and moves of it through
    such places, one after the other, are as many as its share. `fact`: the positions in which a text is true.
    """
    solvable = set(positions.away())
    place = partial(place_of, letter)
    earlier: set[Hashable] = {positions.start}  # of the stay before
    for stay in stays:
        there = fact(positions, stay.when) if stay.when else positions.goals
        before, waiting, firsts = {positions.start}, [positions.start], set[Hashable]()
        for here in waiting:
            for *_, after in positions.steps[here]:
                if after in there:
                    firsts.add(after)
                elif after not in before:
                    before.add(after)
                    waiting.append(after)
        if stay.when:
            assert positions.without(earlier).isdisjoint(firsts & solvable)
            earlier = there
        assert {place(here) for here in firsts & solvable} == set(stay.places) or stay.when is None
    assert {place(here) for here in positions.goals} >= set(stays[-1].places) or stays[-1].when
    jumps = {
        (place(here), place(after))
        for here, steps in positions.steps.items()
        for owner, *_, after in steps
        if owner == letter
    }
    ways = {(place(positions.start), 0)}  # places of the piece, with how many stays it has made
    for moves in range(share + 1):
        while more := {(at, k + 1) for at, k in ways if k < len(stays) and at in stays[k].places} - ways:
            ways |= more
        assert any(k == len(stays) for _, k in ways) == (moves == share)
        ways = {(b, k) for at, k in ways for a, b in jumps if a == at}


def walks(positions: Positions, most: int) -> list[int]:
    """The number of ways to a goal that cost 0, 1, ..., `most`, a way ending at its first goal."""
    here, found = {positions.start: 1}, list[int]()
    for _ in range(most + 1):
        found.append(sum(many for state, many in here.items() if state in positions.goals))
        after: dict[Hashable, int] = {}
        for state, many in here.items():
            if state not in positions.goals:
                for _, _, _, there in positions.steps[state]:
                    after[there] = after.get(there, 0) + many
        here = after
    return found
