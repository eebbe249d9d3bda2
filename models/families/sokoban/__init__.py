"""The family `sokoban`: a player pushes boxes onto goals, one at a time, and never pulls."""

from ...family import Drawing, Family, Sign
from ...moves import Slide
from .forms import FORMS
from .reading import KEYS, read, write
from .rules import METRICS, NAME, NOTATION, Sokoban, SokobanSimulator, complete, ground

SIGNS = {
    "#": Sign("wall"),
    "@": Sign("", "player", walks=True),
    "+": Sign("goal", "player", walks=True),
    "$": Sign("", "box"),
    "*": Sign("goal", "box"),
    ".": Sign("goal"),
}
"""The characters of XSB."""


def _signs(_puzzle: Sokoban) -> dict[str, Sign]:
    """The signs of every level. (A function with a name: puzzles are sent to child processes.)"""
    return SIGNS


FAMILY: Family[Sokoban, Slide] = Family(
    name=NAME,
    title="Sokoban",
    sentence="A player pushes boxes onto goals, one box at a time, and never pulls.",
    metrics=METRICS,
    moves=Slide,
    keys=KEYS,
    sample="format: 1\nfamily: sokoban\nmap: |2\n  ######\n  #@$ .#\n  ######\n",
    samples=(
        # Several goals; boxes that can freeze, get lost in a corner or close off a corral.
        "format: 1\nfamily: sokoban\nmap: |2\n  #######\n  #.   .#\n  # $$  #\n  #@ $ .#\n  #  #  #\n  #######\n",
    ),
    read=read,
    ground=ground,
    complete=complete,
    simulate=SokobanSimulator,
    goal=Sokoban.goal_text,
    write=write,
    notation=NOTATION,
    counts=Sokoban.counts,
    drawing=Drawing(
        "map",
        colours={
            "#": "grey",
            "@": "bold cyan",
            "+": "bold cyan",
            "$": "bold yellow",
            "*": "bold green",
            ".": "magenta",
        },
        signs=_signs,
    ),
    other_names=("boxxle",),
    forms=FORMS,
)
