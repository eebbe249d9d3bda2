"""Two readers of one puzzle: what Budge reads, and what the checker of certificates reads, held against each other.

Certificates write a puzzle in one form, which is all that the checker reads. Budge reads that form, too, and a mistake
in writing it, or in one of the readers, shows as two puzzles that differ.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any

from budge.models.families import load_text
from budge.models.puzzle import Puzzle
from budge.proofs.acting import ActingGame, ActionPuzzle
from budge.proofs.boards import Level, PiecePuzzle
from budge.proofs.games import Puzzle as Checkable
from budge.proofs.games import puzzle_of
from budge.proofs.terms import TRUTH
from budge.workflows.certifying import canonical


def true_at_first(puzzle: ActionPuzzle) -> set[tuple[Any, ...]]:
    """The atoms of a problem in PDDL that the checker reads as true."""
    return {(name, *key) for name, table in puzzle.names.tables.items() for key, v in table.values.items() if v is True}


def true_in(game: ActingGame, puzzle: ActionPuzzle, state: Any) -> frozenset[tuple[Any, ...]]:
    """The atoms that are true in a state of the checker; those without a place are as at first."""
    placed = list(game.atoms.values())
    return frozenset(true_at_first(puzzle).difference(placed).union(compress(placed, state)))


def differ(text: str, puzzle: Puzzle | None = None) -> bool:
    """Whether Budge and the checker read two puzzles in a canonical text, or another one than `puzzle`."""
    read, ours = puzzle_of(text), load_text(text)
    same = _READ[ours.family](ours.value) == _checked(read)
    return not same or (puzzle is not None and puzzle_of(canonical(puzzle)) != read)


# What a puzzle is, as both can say it: of boards of pieces, each piece's cells, directions and open cells, and the goal


def _rush_hour(value: Any) -> object:
    cells = {(r, c) for r in range(value.height) for c in range(value.width)} - value.walls
    pieces = {p.letter: (set(p.cells), {"RL": "LR", "DU": "UD"}[p.directions], cells) for p in value.pieces}
    return pieces, {(frozenset(value.target), frozenset((value.exit_cell,)))}


def _sliding_block(value: Any) -> object:
    cells = {(r, c) for r in range(value.height) for c in range(value.width)}
    pieces = {p.letter: (set(p.cells), p.directions, cells - value.closed_to(p)) for p in value.pieces}
    return pieces, {(value.stand_ins(letter), frozenset(wanted)) for letter, wanted in value.goal}


def _n_puzzle(value: Any) -> object:
    start, goal = (
        {(r, c): tile for r, row in enumerate(tiles) for c, tile in enumerate(row)}
        for tiles in (value.start, value.goal)
    )
    letters = {cell: chr(0xE000 + i) for i, cell in enumerate(cell for cell, tile in sorted(start.items()) if tile)}
    pieces = {letter: ({cell}, "UDLR", set(start)) for cell, letter in letters.items()}
    wishes = {
        (frozenset(letters[cell] for cell, other in start.items() if other == tile), frozenset((place,)))
        for place, tile in goal.items()
        if tile
    }
    return pieces, wishes


def _sokoban(value: Any) -> object:
    return value.open_cells, value.goals, value.boxes, value.player


def _custom(value: Any) -> object:
    tables = {**value.state, **value.constants}
    return (
        {n: ([d.values for d in t.of], t.domain.values, dict(t.values), t.different) for n, t in tables.items()},
        value.cells,
        # A name in `let` is a definition with the name of its action before its own, `push.next`.
        {name: [(n, d.values) for n, d in found.parameters] for name, found in value.definitions.items()},
        {name: [(n, d.values) for n, d in action.parameters] for name, action in value.actions.items()},
        {counting.many: set(counting.costs) for counting in value.countings},
    )


def _pddl(value: Any) -> object:
    changed = frozenset(value.predicates) - value.static
    return (
        {name: len(arguments) for name, arguments in value.predicates.items()},
        {action.name: [(one.name, one.values) for one in action.parameters] for action in value.actions},
        frozenset(atom for atom in value.init if atom[0] in changed),
        frozenset(atom for atom in value.init if atom[0] not in changed),
        value.priced,
    )


_READ: dict[str, Callable[[Any], object]] = {
    "rush-hour": _rush_hour,
    "sliding-block": _sliding_block,
    "n-puzzle": _n_puzzle,
    "sokoban": _sokoban,
    "custom": _custom,
    "pddl": _pddl,
}


def _checked(read: Checkable) -> object:
    """The checker's puzzle in the form in which both sides are compared."""
    if isinstance(read, PiecePuzzle):
        pieces = {piece.letter: (piece.cells, piece.ways, piece.open) for piece in read.pieces}
        return pieces, {(wish.letters, wish.cells) for wish in read.wishes}
    if isinstance(read, Level):
        return read.open, read.goals, read.boxes, read.player
    assert isinstance(read, ActionPuzzle)
    if any(table.sparse for table in read.names.tables.values()):
        tables = {name: table for name, table in read.names.tables.items() if table.domain.kind == TRUTH}
        actions = {
            name: [(parameter.split(" ")[0], domain.values) for parameter, domain in action.parameters]
            for name, action in read.actions.items()
        }
        start, static = (
            frozenset((n, *key) for n, t in tables.items() for key in t.values if (t.places is None) is fixed)
            for fixed in (False, True)
        )
        return {name: len(table.of) for name, table in tables.items()}, actions, start, static, "cost" in read.prices
    names = read.names
    lets = {f"{title}.{name}": act.parameters for title, act in read.actions.items() for name, _ in act.let}
    definitions = {name: found[0] for name, found in names.definitions.items()} | lets
    return (
        {n: ([d.values for d in t.of], t.domain.values, t.values, t.different) for n, t in names.tables.items()},
        names.cells,
        {name: [(n, d.values) for n, d in parameters] for name, parameters in definitions.items()},
        {name: [(n, d.values) for n, d in action.parameters] for name, action in read.actions.items()},
        {
            name: {action for action, price in prices.items() if price is not False}
            for name, prices in read.prices.items()
        },
    )
