"""Where the things of an explanation are on the board, for pictures of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...models.cells import Cell, Rows
from ...models.moves import Slide
from ...models.puzzle import Puzzle
from ...models.task import Operator
from .milestones import Milestones
from .shares import Shares

_CELL = re.compile(r"r(\d+)c(\d+)$")


@dataclass(frozen=True)
class Pictured:
    """`stops`: for each owner whose only route is on a board, where its first cell is at first and after each move.

    `strip`: for each milestone of the chain, the board of one shortest plan when it is first true; empty where some
    step is free.
    """

    stops: dict[str, tuple[Cell, ...]]
    strip: tuple[Rows, ...]


def cell_in(text: str) -> Cell | None:
    """The cell that the text of a fact or an owner ends with: `A at r2c3`; None without one."""
    found = _CELL.search(text)
    return (int(found[1]) - 1, int(found[2]) - 1) if found else None


def pictured(puzzle: Puzzle, graph: StateGraph, shares: Shares, milestones: Milestones) -> Pictured:
    """Find the stops of routes and the boards of milestones."""
    stops = {
        share.owners[0]: cells
        for share in shares.single
        if share.route and (cells := _stops(graph, share.route)) is not None
    }
    return Pictured(stops, _strip(puzzle, graph, milestones))


def _stops(graph: StateGraph, route: tuple[int, ...]) -> tuple[Cell, ...] | None:
    """The first cell of a piece along its route; None if its steps are not from cell to cell."""
    found: list[Cell] = []
    for number in route:
        step = graph.steps[number]
        if not isinstance(step, Operator):
            return None
        if step.displacement:
            ends = [cell_in(graph.facts[fact]) for fact in step.displacement]
        else:
            ends = [step.move.cell, step.move.end] if isinstance(step.move, Slide) else [None]
        if found and ends[0] != found[-1]:
            return None  # another one of its kind
        found += [cell for cell in ends[bool(found) :] if cell is not None]
    return tuple(found) if len(found) == len(route) + 1 else None


def _strip(puzzle: Puzzle, graph: StateGraph, milestones: Milestones) -> tuple[Rows, ...]:
    if not graph.weight.all():
        return ()
    way = graph.shortest()
    boards = [puzzle.board(), *(step.board for step in puzzle.replay(graph.plan(way)).steps)]
    states = np.array([0, *graph.edges[1][way]])
    if len(boards) != len(states):
        return ()
    return tuple(boards[int(np.argmax(graph.holds(one.fact)[states]))] for one in milestones.chain)
