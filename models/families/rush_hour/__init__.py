"""The family `rush-hour`: vehicles that move along their own axis, one of which must get out."""

from ...boards import LaneBoard
from ...family import Drawing, Family
from ...moves import Slide
from .forms import FORMS
from .reading import KEYS, read, write
from .rules import METRICS, NOTATION, RushHour, RushHourSimulator, ground, to_lane_board

FAMILY: Family[RushHour, Slide] = Family(
    name="rush-hour",
    title="Rush Hour",
    sentence="Vehicles move along their own length; one of them must get out.",
    metrics=METRICS,
    moves=Slide,
    keys=KEYS,
    sample="format: 1\nfamily: rush-hour\nboard: |\n  ..B...\n  ..B...\n  ..AAC.\n  D...C.\n  D.EE..\n  ......\n",
    read=read,
    ground=ground,
    simulate=RushHourSimulator,
    goal=RushHour.goal_text,
    write=write,
    notation=NOTATION,
    other_names=("unblock-me",),
    counts=RushHour.counts,
    drawing=Drawing("pieces", goal_cells=RushHour.goal_cells, exit=RushHour.exit),
    views={LaneBoard: to_lane_board},
    forms=FORMS,
)
