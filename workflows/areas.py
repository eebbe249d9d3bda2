"""Which areas of a level of Sokoban a refutation needs: found by what the clauses without them allow.

The checker's clauses (`proofs.formula_pushes`) say of walks only that a player who is shut in an area by boxes pushes
from within it, for the areas of a list. So the list begins empty, a solver looks for a plan of less than the claim, and
where its player would have to walk through boxes, the areas that forbid it are added; and again, until the clauses are
refuted. XSokoban 78 (136 pushes) takes 24 areas, Microban 132 (37) takes 56.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..proofs.boxes import bits, moved
from ..proofs.core.formula import Clause
from ..proofs.core.limits import Limits
from ..proofs.formula_pushes import PushFormula
from ..proofs.rules_sokoban import Level


@dataclass
class AreasNeeded:
    """The areas of a level that have been needed so far, for plans of at most `at_most` pushes."""

    level: Level
    at_most: int
    areas: list[str] = field(default_factory=list)

    def __call__(self, true: set[int]) -> tuple[int, list[Clause]] | None:
        """Judge a solution of the formula, given by its `true` variables. None if the player can walk to every push;
        else the areas that the player left although they were shut are added, and the number of variables and the
        clauses of the formula with them are returned."""
        formula = PushFormula(self.level, self.at_most, self.areas, Limits(None, None))
        found = [area for area in _left(formula, true) if area not in self.areas]
        if not found:
            return None
        self.areas += dict.fromkeys(found)
        formula = PushFormula(self.level, self.at_most, self.areas, Limits(None, None))
        return formula.variables, list(formula.clauses())


def _left(formula: PushFormula, true: set[int]) -> list[str]:
    """Areas in this solution of the formula that the player leaves for a push although the boxes shut them in."""
    game, found = formula.game, []
    for t in range(formula.at_most):
        shift = t * formula.stride
        push = next((push for push, x in formula.push.items() if x + shift in true), None)
        if push is None:
            break
        boxes = sum(cell for cell, x in formula.box.items() if x + shift in true)
        player = next(cell for cell, x in formula.stands.items() if x + shift in true)
        behind = moved(push[0], -push[1])
        if not game.region(boxes, player) & behind:
            # Of the boxes that shut the player in, some are enough: the fewer, the more plans the area forbids.
            for box in bits(boxes):
                if not game.region(boxes ^ box, player) & behind:
                    boxes ^= box
            found.append(" ".join(_place(cell, game.width) for cell in (player, *bits(boxes))))
    return found


def _place(cell: int, width: int) -> str:
    """Row and column, from 1, of a cell that is a bit."""
    row, column = divmod(cell.bit_length() - 1, width)
    return f"{row} {column}"
