"""The family `sliding-block`: pieces of any shape that slide on a board of any shape."""

from ...family import Drawing, Family
from ...moves import Slide
from .forms import FORMS
from .reading import KEYS, read, write
from .rules import METRICS, NOTATION, SlidingBlock, SlidingBlockSimulator, ground

FAMILY: Family[SlidingBlock, Slide] = Family(
    name="sliding-block",
    title="Sliding blocks",
    sentence="Pieces of any shape slide from cell to neighbouring cell and never turn (Klotski and its kin).",
    metrics=METRICS,
    moves=Slide,
    keys=KEYS,
    sample="format: 1\nfamily: sliding-block\nboard: |\n  aXX\n  b..\ngoal: |\n  ...\n  .XX\n",
    samples=(
        # Interchangeable pieces, and a goal of several clauses.
        "format: 1\nfamily: sliding-block\nboard: |\n  aXXb\n  aXXb\n  cde.\n  ....\n"
        "goal: |\n  ....\n  ....\n  XX..\n  XX..\n",
        "format: 1\nfamily: sliding-block\nboard: |\n  ab.\n  .cd\ngoal: |\n  b.d\n  ..a\nalike: [ab, cd]\n",
    ),
    read=read,
    ground=ground,
    simulate=SlidingBlockSimulator,
    goal=SlidingBlock.goal_text,
    write=write,
    notation=NOTATION,
    counts=SlidingBlock.counts,
    drawing=Drawing("pieces", goal_cells=SlidingBlock.goal_cells),
    forms=FORMS,
    other_names=("klotski", "sliding", "blocks", "huarong-dao"),
)
