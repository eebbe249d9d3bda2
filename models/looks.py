"""How the words of a drawing look in a picture: shapes and colours, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

COLOURS = {
    "red": "#d9483b",
    "orange": "#f08a24",
    "yellow": "#f2c832",
    "green": "#3f9b57",
    "blue": "#3b73c8",
    "purple": "#8a55b5",
    "pink": "#e58bb0",
    "brown": "#96623a",
    "teal": "#2f9c9a",
    "grey": "#9a9da3",
    "white": "#fbfbf7",
    "black": "#33343a",
}
"""The colours that a file may name."""

SHAPES = {
    "ball": "a ball",
    "disc": "a disc with the word on it",
    "square": "a square that fills its place",
    "token": "a rounded square with the word on it",
    "bar": "a bar, as wide as its number is large",
    "card": "a white card with the word on it",
    "die": "a die that shows its number, 1 to 6",
    "lamp": "a lamp that is on",
    "unlit": "a lamp that is off",
    "hole": "a hole",
    "boat": "a boat",
    "path": "ways to the sides to which the lines of a character such as `┌` lead",
    "water": "water, or what fills a glass",
    "person": "a person",
    "crate": "a crate",
    "text": "the word without a shape",
    "nothing": "nothing",
}
"""The shapes that a file may name, each with what it draws."""

LAYOUTS = {
    "rows": "each line is a row, each word a place in it",
    "stacks": "each line is a stack, its first word on top",
    "pegs": "the same, around a rod",
    "tubes": "each line is a glass, its first word at the bottom",
}
"""How the lines of a drawing stand in the picture, each with what it means."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a word looks. `colour`: its name, or none for one of the usual hues; `text`: what is written on it instead of
    the word; `size`: of a bar, the share of the width that it takes.
    """

    kind: str
    colour: str = ""
    text: str | None = None
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Look:
    """The shapes of words, or of the characters of a map, and how lines of words stand (`LAYOUTS`)."""

    layout: str = "rows"
    shapes: Mapping[str, Shape] = field(default_factory=dict)
