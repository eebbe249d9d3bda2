"""The problem text with other prices: the actions of some owners cost what they cost, and all others nothing.

Whose an action is, is read from the variables that it changes, and in custom puzzles and PDDL from its name:

    var A r1c1 r1c2             a piece: of A are the actions that change it; of tile 5 those that change `tile.5`
    var 2x1@r1c1 no yes         one of several pieces that can stand for each other may be there
    var r4c3 box free           a box may be there
    act carry:wolf.2            of the owner `carry`, and of `carry:wolf`

A piece among others of its kind is followed by a variable more, whose value is the variable that says that it is there.
An action that moves a piece of the kind becomes two: one is possible where the piece is the one that moves, takes it
along and costs what it did; the other is possible where it is not, and is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from .core.limits import Limits, Unsupported
from .core.problem import PAIR_BYTES, Action, Literals, Problem
from .owners import PLAYER, cell_word, is_of
from .pieces import PiecePuzzle
from .puzzles import Puzzle
from .rules_sokoban import Level

TILE = "tile."
BOX, MAYBE = ("box", "free"), ("no", "yes")
"""The values of a variable that says whether a box, or a piece of a kind, is in a place."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Variables each of which says whether one of several things is in a place, by the value `taken`. `followed`: those
    that say it at the start of the things whose moves cost something.
    """

    variables: tuple[int, ...]
    taken: int
    followed: tuple[int, ...] = ()


def priced(problem: Problem, puzzle: Puzzle, owners: Sequence[str], limits: Limits) -> Problem:
    """A problem in which only the actions of some owners cost something. Raises `Unsupported` where the text does not
    say whose an action is.
    """
    if isinstance(puzzle, PiecePuzzle):
        whole, kinds = _pieces(problem, puzzle, owners, limits)
        return _priced(problem, kinds, lambda action: not whole.isdisjoint(action.effects), limits)
    if isinstance(puzzle, Level):
        cells = tuple(x for x, domain in enumerate(problem.domains) if domain == BOX)
        boxes = Kind(cells, 0, tuple(x for x in cells if problem.names[x] in owners))
        walking = PLAYER in owners
        return _priced(problem, [boxes], lambda action: walking and action.effects.keys().isdisjoint(cells), limits)

    def owned(action: Action) -> bool:
        limits.tick(len(owners))
        return any(is_of(action.name, owner) for owner in owners)

    return _priced(problem, [], owned, limits)


def _pieces(
    problem: Problem, puzzle: PiecePuzzle, owners: Sequence[str], limits: Limits
) -> tuple[set[int], list[Kind]]:
    """The variables that some pieces change whenever they move, and the kinds that have other pieces, too. A piece
    without a variable never moves.
    """
    whole, kinds = set[int](), dict[str, list[int]]()
    number = {name: x for x, name in enumerate(problem.names)}
    maybe = {name: x for name, x in number.items() if problem.domains[x] == MAYBE}
    for piece in puzzle.pieces:
        limits.tick(1 + (len(maybe) + len(owners)) // 16)
        word = piece.name or piece.letter
        if word not in owners:
            continue
        if (x := number.get(f"{TILE}{word}" if piece.name else word)) is not None:
            whole.add(x)
            continue
        place = f"@{cell_word(min(piece.cells))}"
        found = [name for name, x in maybe.items() if name.endswith(place) and problem.start[x]]
        if len(found) > 1 or (piece.name and not found):
            raise Unsupported(f"problem.txt has no variable that says where {word} is")
        for name in found:
            kinds.setdefault(name.removesuffix(place), []).append(number[name])
    several = []
    for kind, followed in kinds.items():
        variables = tuple(x for name, x in maybe.items() if name.startswith(f"{kind}@"))
        if len(followed) == sum(problem.start[x] for x in variables):
            whole |= {*variables}
        else:
            several.append(Kind(variables, 1, tuple(followed)))
    return whole, several


def _priced(problem: Problem, kinds: list[Kind], own: Callable[[Action], bool], limits: Limits) -> Problem:
    """The problem in which actions are free but those that are `own`, or move a thing that is followed."""
    names, domains, start = list(problem.names), list(problem.domains), list(problem.start)
    limits.hold(2 * PAIR_BYTES * len(problem.actions))
    actions = [(action, own(action)) for action in problem.actions]
    for kind in kinds:
        if not kind.followed:
            continue
        place = {x: i for i, x in enumerate(kind.variables)}
        new = range(len(names), len(names) + len(kind.followed))
        for x in kind.followed:
            names.append(f"of.{problem.names[x]}")
            domains.append(tuple(problem.names[y] for y in kind.variables))
            start.append(place[x])
        actions = [one for told in actions for one in _followed(problem, kind, place, new, *told, limits)]
    free = (0,) * len(problem.counts)
    return replace(
        problem,
        names=tuple(names),
        domains=tuple(domains),
        start=tuple(start),
        actions=tuple(action if mine else replace(action, cost=free) for action, mine in actions),
    )


def _followed(
    problem: Problem, kind: Kind, place: dict[int, int], new: range, action: Action, mine: bool, limits: Limits
) -> Iterator[tuple[Action, bool]]:
    """An action, or if it moves a thing of a kind, one for each thing that is followed (by the variables `new`), and
    one for the others; whether each costs something. `place`: the value of `new` for each variable of the kind.
    """
    limits.tick(1 + action.size() // 16)
    changed = [x for x in action.effects if x in place]
    if not changed:
        yield action, mine
        return
    left, came = _move(problem, kind, action, changed)
    here, there = place[left], place[came]
    for x in new:
        limits.hold((2 * action.size() + 5) * PAIR_BYTES)
        needs: Literals = ((x, 1 << here),)
        yield replace(action, needs=(*action.needs, needs), effects={**action.effects, x: (((), there),)}), True
    others: tuple[Literals, ...] = tuple(((x, (1 << len(place)) - 1 - (1 << here)),) for x in new)
    yield replace(action, needs=(*action.needs, *others)), mine


def _move(problem: Problem, kind: Kind, action: Action, changed: list[int]) -> tuple[int, int]:
    """The variables of the places that a thing leaves and comes to. Raises `Unsupported` where an action does not move
    one thing of the kind.
    """
    bit = 1 << kind.taken
    left, came = list[int](), list[int]()
    for x in changed:
        before, after = problem.allowed(action.needs, x), action.effects[x]
        if len(after) == 1 and not after[0][0]:
            if before == bit and after[0][1] != kind.taken:
                left.append(x)
            elif before != bit and after[0][1] == kind.taken:
                came.append(x)
    if len(left) != 1 or len(came) != 1 or len(changed) != 2:
        raise Unsupported(f"problem.txt: the action {action.name[:60]} moves not one thing of its kind")
    return left[0], came[0]
