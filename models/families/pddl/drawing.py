"""A problem as programs that a page plays and draws: the lines of `PddlSimulator.board`, said by a program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from ... import program as op
from ...moves import Metric
from ...program import DrawnTask, ProgramTask
from ..custom.programs.drawing import WRAPPED, Artist
from ..custom.programs.expressions import ExpressionCompiler
from ..custom.programs.task import ProgramWriter
from ..custom.puzzle import Custom
from .ground_actions import ground_actions_of
from .problem import MANY, GroundAtom, Pddl
from .programs import Translation

Known = dict[GroundAtom, tuple[int, int] | None]
"""Atoms that may be true: the variable and the value that say so, or None for one that always is."""


def drawn_task(puzzle: Pddl, metric: Metric) -> DrawnTask:
    """The task with every action that is ever possible, and its drawing. Raises as `programs` does."""
    translation = Translation(ground_actions_of(puzzle, complete=True))
    drawn: list[tuple[int, Artist]] = []

    def write(rules: Custom, metric: Metric) -> ProgramTask:
        compiler = ExpressionCompiler(rules)
        artist, writer = Artist(compiler), ProgramWriter(rules, metric, compiler)
        drawn.append((writer.guarded(lambda: artist.program(lambda: _lines(artist, puzzle, translation))), artist))
        return writer.task()

    task = translation.task(metric, "", write)
    entry, artist = drawn[0]
    return DrawnTask(task, entry, artist.all_texts(), written=("(", " ", " ", ")"))


def _lines(artist: Artist, puzzle: Pddl, translation: Translation) -> None:
    """A line for each predicate that actions change, if it is true of anything."""
    out, compiler = artist.out, artist.compiler
    atoms = translation.grounded.atoms
    changing: Known = {atoms[atom]: (compiler.variable[str(x), ()], n) for atom, (x, n) in translation.place.items()}
    known = {atom: None for atom in puzzle.init if atom not in changing} | changing
    order = {name: i for i, name in enumerate(puzzle.objects)}
    begun = out.register()
    out.emit(op.MOVE, begun, out.constant(0))
    for predicate in puzzle.predicates:
        own = sorted((a for a in known if a[0] == predicate), key=lambda atom: [order[name] for name in atom[1:]])
        if own and predicate not in puzzle.static:
            _line(artist, predicate, {atom: known[atom] for atom in own}, puzzle.predicates[predicate], order, begun)
    with out.ending() as end:
        out.emit(op.FALSE, end, begun)
        fixed = any(atom[0] in puzzle.static for atom in puzzle.init)
        artist.say(f"nothing {'that can change ' if fixed else ''}is true")
        artist.end()


def _line(
    artist: Artist, predicate: str, known: Known, objects: Sequence[Sequence[str]], order: dict[str, int], begun: int
) -> None:
    """A line as `free: c1, c2`, of the objects of which a predicate is true; of many, `free: all but c1, c2`."""
    out = artist.out
    number = out.register()
    out.emit(op.MOVE, number, out.constant(0))
    for place in known.values():
        with out.ending() as end:
            if place:
                out.emit(op.SAME, end, place[0], out.constant(place[1]))
            out.emit(op.ADD, number, number, out.constant(1))
    with out.ending() as end:
        out.emit(op.LESS, end, out.constant(0), number)
        out.emit(op.MOVE, begun, out.constant(1))
        every = prod(map(len, objects))
        if len(known) > MANY and every < 2 * len(known):
            with out.two_ways() as (few, turn):
                out.emit(op.LESS, few, out.constant(max(MANY, every // 2)), number)
                artist.say(f"{predicate}: all")
                with out.ending() as whole:
                    out.emit(op.LESS, whole, number, out.constant(every))
                    artist.say(" but")
                out.emit(op.SUB, number, out.constant(every), number)
                others = [(predicate, *args) for args in product(*objects)]
                others.sort(key=lambda atom: [order[name] for name in atom[1:]])
                _listed(artist, {atom: known.get(atom) for atom in others}, known, number, true=False)
                turn()
                artist.say(f"{predicate}:")
                _listed(artist, known, known, number, true=True)
        else:
            artist.say(f"{predicate}:" if objects else predicate)
            if objects:
                _listed(artist, known, known, number, true=True)
        artist.end(WRAPPED)


def _listed(artist: Artist, atoms: Known, known: Known, number: int, *, true: bool) -> None:
    """The first atoms that are true, or false, and how many more there are. `number`: the register of how many."""
    out = artist.out
    listed = out.register()
    out.emit(op.MOVE, listed, out.constant(0))
    between = artist.between(", ", " ")
    with out.ending() as enough:
        for atom, place in atoms.items():
            with out.ending() as end:
                if place:
                    out.emit(op.SAME if true else op.OTHER, end, place[0], out.constant(place[1]))
                elif (atom in known) != true:
                    continue
                between()
                artist.say(" ".join(atom[1:]))
                out.emit(op.ADD, listed, listed, out.constant(1))
                if len(atoms) > MANY:
                    out.emit(op.LESS, enough, listed, out.constant(MANY))
    if len(atoms) > MANY:
        with out.ending() as end:
            out.emit(op.LESS, end, out.constant(MANY), number)
            artist.say(", and ")
            out.emit(op.SUB, listed, number, out.constant(MANY))
            artist.number(listed)
            artist.say(" more")
