"""The family `custom`: puzzles whose rules stand in the file, in a small language (docs/custom-families.md)."""

from ...cost import Metric, Unit
from ...family import Drawing, Family
from ...late import late
from .files.keys import KEYS
from .files.notation import NOTATION, Act
from .puzzle import NAME, Custom

FAMILY: Family[Custom, Act] = Family(
    name=NAME,
    title="Own rules",
    sentence="Types, state, actions and goal stand in the file: docs/custom-families.md.",
    metrics=(Metric((Unit("move", "moves"),)),),
    own_metrics=late(__package__, ".files.metrics:own_metrics"),
    moves=Act,
    keys=KEYS,
    sample="""\
format: 1
family: custom
types:
  bank: [left, right]
  item: [wolf, goat]
state:
  at: {of: item, in: bank, start: left}
  boat: {in: bank, start: left}
actions:
  carry:
    with: {x: item}
    when: at[x] == boat
    set:
      at[x]: other(boat)
      boat: other(boat)
  row:
    set:
      boat: other(boat)
always: at[wolf] != at[goat] or at[goat] == boat
goal: all(at[x] == right for x in item)
""",
    samples=(
        # A walker that walks for nothing, counted pieces, places that exclude each other.
        """\
format: 1
family: custom
grid: |
  ######
  #.  .#
  # bb #
  #@   #
  ######
legend:
  "@": player
  "b": box
  ".": target
constants:
  target: {of: cell}
state:
  player: {in: cell}
  box: {of: cell}
actions:
  walk:
    with: {d: direction}
    when: not box[player + d]
    set:
      player: player + d
    cost: 0
  push:
    with: {d: direction}
    when: box[player + d] and not box[player + 2*d]
    set:
      player: player + d
      box[player + d]: false
      box[player + 2*d]: true
goal: all(box[c] for c in cell if target[c])
""",
    ),
    read=late(__package__, ".files.reading:read"),
    ground=late(__package__, ".grounding.task:ground"),
    form=late(__package__, ".programs.choice:form_of"),
    complete=late(__package__, ".grounding.task:complete"),
    simulate=late(__package__, ".rules:CustomSimulator"),
    goal=Custom.goal_text,
    write=late(__package__, ".files.reading:write"),
    write_after=late(__package__, ".files.writing:write_after"),
    counts=Custom.counts,
    notation=NOTATION,
    drawing=Drawing(
        "map",
        signs=late(__package__, ".files.drawing:signs_of"),
        sides=late(__package__, ".files.drawing:sides_of"),
        look=Custom.look,
        chart=late(__package__, ".files.charts:chart_of"),
    ),
    remarks=late(__package__, ".files.remarks:remarks"),
    notes=late(__package__, ".files.drawing:notes"),
    other_names=("own", "puzzlescript"),
)
