"""Positions of a puzzle as its family draws them, with the way out and the goal."""

from __future__ import annotations

from ..models.puzzle import Puzzle
from .board import NO_MARKS, Marks, draw_map, draw_pieces
from .layout import beside, paragraph
from .screen import PLAIN, Screen


def board(puzzle: Puzzle, rows: tuple[str, ...], screen: Screen = PLAIN, marks: Marks = NO_MARKS) -> str:
    """A position of a puzzle as its family draws it."""
    drawing = puzzle.record.drawing
    if drawing.style == "map":
        return draw_map(rows, screen, colours=drawing.colours, marks=marks)
    return draw_pieces(rows, screen, labels=puzzle.labels(), marks=marks)


def exit_of(puzzle: Puzzle) -> Marks:
    """The mark of the way out, where there is one."""
    find_exit = puzzle.record.drawing.exit
    return Marks(exit=find_exit(puzzle.value)) if find_exit else NO_MARKS


def position(puzzle: Puzzle, screen: Screen = PLAIN) -> str:
    """The start of a puzzle with its goal: as a second board beside or below it, or in words."""
    start = board(puzzle, puzzle.board(), screen, exit_of(puzzle))
    goal = puzzle.goal_text()
    if len(goal) == 1:
        return f"{start}\n\n{paragraph(f'goal: {goal[0]}', screen.width)}"
    if not goal:
        return start
    return beside([f"start:\n{start}", f"goal:\n{board(puzzle, goal, screen)}"], screen.width)
