"""The family `n-puzzle`: numbered tiles on a rectangle with one blank."""

from ...family import Drawing, Family
from ...moves import Slide
from .forms import FORMS
from .reading import KEYS, read, write
from .rules import METRICS, NOTATION, NPuzzle, NPuzzleSimulator, ground

FAMILY: Family[NPuzzle, Slide] = Family(
    name="n-puzzle",
    title="N-puzzle",
    sentence="Numbered tiles on a rectangle with one blank (8-puzzle, 15-puzzle, any other).",
    metrics=METRICS,
    moves=Slide,
    keys=KEYS,
    sample="format: 1\nfamily: n-puzzle\nstart: |\n  1 2\n  . 3\n",
    samples=("format: 1\nfamily: n-puzzle\nstart: |\n  4 1 3\n  7 2 5\n  . 8 6\n",),
    read=read,
    ground=ground,
    simulate=NPuzzleSimulator,
    goal=NPuzzle.goal_text,
    write=write,
    notation=NOTATION,
    other_names=("8-puzzle", "15-puzzle", "15puzzle", "fifteen", "sliding-tile"),
    counts=NPuzzle.counts,
    drawing=Drawing("pieces", labels=NPuzzle.labels),
    forms=FORMS,
)
