"""The family `custom`: puzzles whose rules stand in the file, in a small language (docs/custom-families.md)."""

from __future__ import annotations

from pathlib import Path

from ...documents.fields import read_keys
from ...family import COLOURS, LAYOUTS, SHAPES, Drawing, Family
from ...late import late
from ...moves import Metric, Unit
from ...program import DrawnTask
from .puzzle import NAME, NOTATION, Act, Custom

_HERE = Path(__file__).parent
KEYS = read_keys(_HERE, shapes=SHAPES, colours=COLOURS, layouts=LAYOUTS)
_SAMPLE = (_HERE / "sample.yaml").read_text(encoding="utf-8")
_SAMPLE_WITH_A_WALKER = (_HERE / "sample-walker.yaml").read_text(encoding="utf-8")
"""A walker that walks for nothing, counted pieces, places that exclude each other."""

FAMILY: Family[Custom, Act] = Family(
    name=NAME,
    title="Own rules",
    sentence="Types, state, actions and goal stand in the file: docs/custom-families.md.",
    metrics=(Metric((Unit("move", "moves"),)),),
    own_metrics=late(__package__, ".reading:own_metrics"),
    moves=Act,
    keys=KEYS,
    sample=_SAMPLE,
    samples=(_SAMPLE_WITH_A_WALKER,),
    read=late(__package__, ".reading:read"),
    ground=late(__package__, ".grounding:ground"),
    form=late(__package__, ".grounding:form_of"),
    complete=late(__package__, ".grounding:complete"),
    simulate=late(__package__, ".rules:CustomSimulator"),
    goal=Custom.goal_text,
    write=late(__package__, ".reading:write"),
    write_after=late(__package__, ".reading:write_after"),
    counts=Custom.counts,
    notation=NOTATION,
    drawing=Drawing(
        "map",
        signs=late(__package__, ".drawing:signs_of"),
        sides=late(__package__, ".drawing:sides_of"),
        look=Custom.look,
        goal_cells=late(__package__, ".rules:goal_cells"),
    ),
    remarks=late(__package__, ".reading:remarks"),
    notes=late(__package__, ".drawing:notes"),
    views={DrawnTask: late(__package__, ".programs.drawing:drawn_task")},
    other_names=("own", "puzzlescript"),
)
