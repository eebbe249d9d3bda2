"""What a plan needs, by walking."""

from __future__ import annotations

from collections.abc import Hashable

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
