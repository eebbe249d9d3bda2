"""The family `custom`: puzzles whose rules stand in the file, in a small language (docs/custom-families.md)."""

from __future__ import annotations

from pathlib import Path

from ...documents.fields import LIST, MAP, MAPPING, WORD, Key
from ...family import COLOURS, LAYOUTS, SHAPES, Drawing, Family
from ...late import late
from ...moves import Metric, Unit
from ...program import DrawnTask
from .puzzle import NAME, NOTATION, Act, Custom

# The keys of a file with a custom family.

EXPRESSION = Key("", (*WORD, *LIST), "a condition, or a list of them that all must hold")
TABLE = (
    Key("of", (*WORD, *LIST), "the types of its arguments; left out: a single value"),
    Key(
        "in",
        (*WORD, *LIST),
        "the type of its values: `bool` if left out, a range as `0..8`, a type, or a list of names",
    ),
)
DIFFERENT = Key("different", WORD, "`true`: no two of its values are ever equal")
SHAPE = (
    Key("shape", WORD, "what is drawn", required=True, choices=tuple(SHAPES)),
    Key("colour", WORD, "its colour", choices=tuple(COLOURS)),
    Key("text", WORD, "what is written on it instead of the word"),
)
KEYS = (
    Key(
        "types",
        MAPPING,
        "lists of objects, or ranges of numbers as `1..8`; a list may name other types, which it then includes",
        examples=("{bank: [left, right], item: [wolf, goat, cabbage]}",),
    ),
    Key(
        "directions",
        MAPPING,
        "directions besides the usual four: rows down and columns right",
        examples=("{nne: [-2, 1]}",),
    ),
    Key("grid", MAP, "the map: one character for each cell", examples=('["..#", "..."]',)),
    Key("legend", MAPPING, "what each character of the map is: `wall`, `floor`, tables that are true there, objects"),
    Key(
        "state",
        MAPPING,
        "what changes: tables of values",
        required=True,
        values=Key(
            "",
            MAPPING,
            "a table",
            keys=(*TABLE, Key("start", (*WORD, *LIST, *MAPPING), "its values at the start"), DIFFERENT),
        ),
    ),
    Key(
        "constants",
        MAPPING,
        "what does not change: tables of values",
        values=Key("", MAPPING, "a table", keys=(*TABLE, Key("value", (*WORD, *LIST, *MAPPING), "its values"))),
    ),
    Key("start", MAPPING, "values of tables at the start, in place of those in `state`"),
    Key("define", MAPPING, "expressions with a name, and with parameters if they have `with`"),
    Key(
        "actions",
        MAPPING,
        "what can be done",
        required=True,
        values=Key(
            "",
            MAPPING,
            "an action",
            keys=(
                Key("with", MAPPING, "parameters, each with its type"),
                Key("let", MAPPING, "names for expressions of the state before: `next: at[x] + d`"),
                Key("when", EXPRESSION.types, "conditions that must hold"),
                Key("set", MAPPING, "what changes, all at once: `at[x]: other(boat)`", required=True),
                Key("cost", WORD, "what it costs; 1 if left out, 0 for what is free"),
            ),
        ),
    ),
    Key("always", EXPRESSION.types, "conditions that must hold in every state"),
    Key("goal", EXPRESSION.types, "conditions that must hold in the end", required=True),
    Key("aim", WORD, "the goal in words, for people", examples=("all discs on the last peg",)),
    Key("metrics", MAPPING, "what is counted: `minutes: cost`, `pushes: [push]`, `fuel: {fly: 2, walk: never}`"),
    Key("draw", (*WORD, *MAPPING), "how a state is drawn: lines with `{expressions}`, or characters with conditions"),
    Key(
        "look",
        MAPPING,
        "what the words of `draw`, or the characters of the map, look like in pictures",
        keys=(
            Key("layout", WORD, "how lines stand: `rows` if left out", choices=tuple(LAYOUTS)),
            Key(
                "shapes",
                MAPPING,
                "a shape for each word, type or range of numbers",
                required=True,
                values=Key("", (*WORD, *MAPPING), "a shape, or `{shape: disc, colour: red, text: 7}`", keys=SHAPE),
            ),
        ),
        examples=("{layout: tubes, shapes: {none: nothing, colour: ball}}",),
    ),
)


_HERE = Path(__file__).parent
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
    ),
    remarks=late(__package__, ".reading:remarks"),
    notes=late(__package__, ".drawing:notes"),
    views={DrawnTask: late(__package__, ".programs.drawing:drawn_task")},
    other_names=("own", "puzzlescript"),
)
