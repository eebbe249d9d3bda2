"""The key `look`: what the words of `draw`, or the characters of the map, look like in pictures.

look:
  layout: tubes
  shapes:
    none: nothing                          a word
    colour: ball                           all values of a type; one that is the name of a colour has it
    wolf: {shape: token, colour: grey}
    1..8: bar                              numbers
    "rgb": square                          on a map: each of these characters
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....documents.document import Mapping, Node, Report, Scalar, describe
from ....documents.fields import Fields
from ....looks import COLOURS, LAYOUTS, SHAPES, Look, Shape
from ....text import suggest
from ..language.checking import Checker
from ..language.expressions import Const, parts, text_of
from ..puzzle import Looks

OF_SHAPES = ("shape", "colour", "text")

RANGE = re.compile(r"(-?[0-9]+)\.\.(-?[0-9]+)")

NARROWEST = 0.22
"""The share of the width that the bar of the least number takes."""


def read_look(
    node: Node | None, report: Report, checker: Checker, looks: Looks, chars: set[str], *, inherited: bool = False
) -> Look | None:
    """Read the key; None if there is none, or if it has errors. `chars`: those of the map, no one without a map.
    `inherited`: the family's, of a puzzle that draws something else or has other types; what is not drawn is left out.
    """
    drawn = bool(looks.template)
    if node is None or (inherited and not drawn and not chars):
        return None
    if not isinstance(node, Mapping):
        report.error(node, f"`look` must be a mapping, not {describe(node)}", "write `shapes:` below it")
        return None
    fields = Fields(node, report, ("layout", "shapes"), "`look`")
    layout = fields.choice("layout", tuple(LAYOUTS)) or "rows"
    if fields.has("layout") and not drawn and not inherited:
        hint = "write `draw: |` with lines of text, or leave out `layout`"
        report.error(node.get("layout"), "a `layout` is that of lines of text, and `draw` has none", hint)
    if not drawn and not chars:
        hint = "add `draw: |` and lines such as `{x for x in item}`"
        report.error(node, "`look` needs a map, or lines of text in `draw`", hint)
    shapes: dict[str, Shape] = {}
    entries = fields.node("shapes", required=True, example="shapes: {ball: disc}")
    if entries is not None and not isinstance(entries, Mapping):
        report.error(entries, f"`shapes` must be a mapping, not {describe(entries)}", "write `ball: disc` below it")
    known = _words(checker, looks) if drawn else dict.fromkeys(sorted({*chars, *(char for char, _ in looks.signs)}))
    for entry in entries.entries if isinstance(entries, Mapping) else ():
        found = _shape(entry.value, report)
        if found is None:
            continue
        words = _named(entry.key, checker)
        if not drawn and words == [entry.key.text.strip()]:  # neither a type nor a range
            words = list(entry.key.text)
        if not words or not any(word in known or (drawn and _number(word) is not None) for word in words):
            if inherited:
                continue
            message = f"`{entry.key.text[:40]}` is not drawn: it is no {'word or type' if drawn else 'character'}"
            report.error(
                entry.key, message, suggest(entry.key.text, [*known, *checker.scope.domains] if drawn else known)
            )
        if found.kind in ("bar", "die") and (odd := next((word for word in words if _number(word) is None), None)):
            report.error(entry.key, f"a {found.kind} shows a number, and `{odd}` is none", "choose another shape")
            continue
        shapes |= {word: _of_word(found, word, words) for word in words}
    return Look(layout, shapes)


def _shape(node: Node, report: Report) -> Shape | None:
    """What draws a value, from `look`: `ball`, or `{shape: ball, colour: red, text: 7}`."""
    if isinstance(node, Mapping):
        fields = Fields(node, report, OF_SHAPES, "a shape")
        kind = fields.choice("shape", tuple(SHAPES), required=True, example="shape: disc")
        colour = fields.choice("colour", tuple(COLOURS))
        return None if kind is None else Shape(kind, colour or "", fields.text("text"))
    if not isinstance(node, Scalar) or node.text not in SHAPES:
        text = node.text if isinstance(node, Scalar) else ""
        hint = suggest(text, SHAPES) if text else "write `disc`, or `{shape: disc, colour: red}`"
        report.error(node, f"`{text[:40]}` is not a shape" if text else f"a shape cannot be {describe(node)}", hint)
        return None
    return Shape(node.text)


def _of_word(shape: Shape, word: str, all_words: list[str]) -> Shape:
    """The shape of one of several words: with the colour that the word names, and a bar with its width."""
    colour = shape.colour or (word if word in COLOURS else "")
    most = max((abs(_number(other) or 0) for other in all_words), default=1)
    size = NARROWEST + (1 - NARROWEST) * abs(_number(word) or 0) / max(1, most)
    return Shape(shape.kind, colour, shape.text, round(size, 3) if shape.kind == "bar" else 1.0)


def _number(word: str) -> int | None:
    return int(word) if re.fullmatch(r"-?[0-9]{1,9}", word) else None


def _named(key: Scalar, checker: Checker) -> list[str]:
    """The words that a key means: the values of a type, the numbers of a range, or itself."""
    text = key.text.strip()
    if text in checker.scope.domains and text != "cell":
        return [text_of(value) for value in checker.scope.domains[text].values]
    if (ends := RANGE.fullmatch(text)) and int(ends[2]) - int(ends[1]) < 1000:
        return list(map(str, range(int(ends[1]), int(ends[2]) + 1)))
    return [text]


def _words(checker: Checker, looks: Looks) -> dict[str, None]:
    """The words that may be drawn: names, values of types, and texts of the template."""
    found: dict[str, None] = dict.fromkeys(checker.scope.objects)
    for domain in checker.scope.domains.values():
        found |= dict.fromkeys(map(text_of, domain.values))
    for text in _texts(looks):
        found |= dict.fromkeys(text.split())
    return found


def _texts(looks: Looks) -> Iterator[str]:
    for line in looks.template:
        for part in line.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from (str(one.value) for one in parts(part) if isinstance(one, Const))
