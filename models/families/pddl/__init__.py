"""The family `pddl`: planning problems in the Planning Domain Definition Language."""

from pathlib import Path

from ...family import Drawing, Family
from ...late import late
from ...program import DrawnTask
from ..custom.puzzle import Act
from .files import KEYS, own_metrics
from .problem import ACTIONS, NOTATION, Pddl, PddlSimulator

_SAMPLE = (Path(__file__).parent / "sample.yaml").read_text(encoding="utf-8")

FAMILY: Family[Pddl, Act] = Family(
    name="pddl",
    title="PDDL",
    sentence="A planning problem in PDDL: a domain and a problem, as planners read them.",
    metrics=(ACTIONS,),
    own_metrics=own_metrics,
    moves=Act,
    keys=KEYS,
    sample=_SAMPLE,
    read=late(__package__, ".reading:read"),
    ground=late(__package__, ".grounding:ground"),
    form=late(__package__, ".grounding:form_of"),
    complete=late(__package__, ".grounding:complete"),
    simulate=PddlSimulator,
    goal=Pddl.goal_text,
    write=late(__package__, ".reading:write"),
    write_after=late(__package__, ".reading:write_after"),
    counts=Pddl.counts,
    notes=Pddl.notes,
    notation=NOTATION,
    drawing=Drawing("map"),
    views={DrawnTask: late(__package__, ".drawing:drawn_task")},
    other_names=("planning", "strips"),
)
