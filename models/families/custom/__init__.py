"""The family `custom`: puzzles whose rules stand in the file, in a small language (docs/custom-families.md)."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ...cost import Metric, Unit
from ...family import Drawing, Family
from .keys import KEYS
from .notation import NOTATION, Act
from .puzzle import NAME, Custom


@dataclass(frozen=True, slots=True)
class _Late:
    """A function of a module that is imported when it is called: most puzzles are of other families, and the compiler
    of the language is more to load than all of these. (A value, and no closure: puzzles go to child processes.)
    """

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        return getattr(import_module(f".{self.module}", __name__), self.name)(*arguments)


FAMILY: Family[Custom, Act] = Family(
    name=NAME,
    title="A family of one's own",
    sentence="Types, state, actions and goal stand in the file: docs/custom-families.md.",
    metrics=(Metric((Unit("move", "moves"),)),),
    own_metrics=_Late("metrics", "own_metrics"),
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
    read=_Late("reading", "read"),
    ground=_Late("grounding", "ground"),
    simulate=_Late("rules", "CustomSimulator"),
    goal=Custom.goal_text,
    write=_Late("reading", "write"),
    write_after=_Late("writing", "write_after"),
    counts=Custom.counts,
    notation=NOTATION,
    drawing=Drawing(
        "map",
        signs=_Late("drawing", "signs_of"),
        sides=_Late("drawing", "sides_of"),
        chart=_Late("charts", "chart_of"),
    ),
    remarks=_Late("remarks", "remarks"),
    notes=_Late("drawing", "notes"),
    other_names=("own", "puzzlescript", "pddl"),
)
