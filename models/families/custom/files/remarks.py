"""What `budge explain` says of a custom puzzle: actions that never apply, and state that never changes.

Both are asked of the delete relaxation (`reaching`), in which what a variable once was it stays: an action that does
not apply there, and a variable that keeps its value there, do so for certain.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....task import Task
from ....text import counted
from ..language.expressions import text_of
from ..puzzle import Custom

NAMED = 4


def remarks(puzzle: Custom, task: Task) -> Iterator[str]:
    """Sentences on what is suspicious. `task`: the puzzle, grounded."""
    relaxed = puzzle.relaxed[task.metric]
    for name in puzzle.actions:
        if name not in relaxed.actions:
            yield f"the action `{name}` can never apply, whatever its parameters"
    still: dict[str, list[str]] = {}
    for (table, args), reached in zip(puzzle.start(), relaxed.reached, strict=True):
        if not reached & (reached - 1):
            still.setdefault(table, []).append(f"{table}[{', '.join(map(text_of, args))}]" if args else table)
    for table, names in still.items():
        if len(names) == len(puzzle.state[table].values):
            yield f"`{table}` never changes: a constant says the same, and makes a smaller task"
        elif not puzzle.cells:  # of a map, many cells keep what stands on them
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            yield f"{counted(len(names), 'variable')} of `{table}` never change: {', '.join(names[:NAMED])}{more}"
