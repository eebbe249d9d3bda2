"""How a state looks: what `draw` says, and the lines in which the interpreter and programs draw every state.

    draw: |                                       # lines with expressions
      {x for x in item if at[x] == left} ~~~ {x for x in item if at[x] == right}

    draw: |
      for p in peg: {d for d in disc if at[d] == p}      # a line for each peg

    draw:                                         # characters of the map, each where its condition holds
      "@": player == here
      "$": box[here]

Without `draw`, a puzzle with a map is drawn in the characters of its legend, any other as lines `table: values`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ...cells import DIRECTIONS, Cell
from ...documents.compose import Mapping, Node, Scalar, Span, describe
from ...documents.document import Report
from ...documents.fields import Fields, entries, mapping, names
from ...family import COLOURS, LAYOUTS, SHAPES, Appearance, Shape, Sign
from ...text import suggest
from . import KEYS
from .language import expressions as ex
from .language.checking import Checker
from .language.evaluate import broken_start
from .language.expressions import Expr, Loop, chained, parts, text_of
from .language.operators import within
from .language.syntax import RANGE, parse, parse_text, places_of
from .language.values import Kind, Locals, Type, WrongPartError
from .puzzle import Custom, DrawnLine, Looks, ValueTable

REPEATED = re.compile(r"(for [A-Za-z_]\w* in [^:{}]+): ?")
LOOP = "the loop of a line in `draw`"


def read_looks(node: Node | None, report: Report, checker: Checker, has_map: bool) -> Looks | None:
    """Read the key `draw`; None if it has errors."""
    if node is None:
        return Looks()
    if isinstance(node, Mapping):
        if not has_map:
            report.error(
                node, "characters are drawn on a map, and there is no `grid`", "write `draw: |` and lines of text"
            )
            return None
        here = {"here": Type(Kind.CELL, members=tuple(sorted(checker.scope.cells)))}
        signs = []
        for entry in node.entries:
            if len(entry.key.text) != 1:
                report.error(entry.key, f"`{entry.key.text[:20]}` is not a single character")
            if not isinstance(entry.value, Scalar):
                report.error(entry.value, f"a condition is an expression, not {describe(entry.value)}")
                continue
            source = parse(entry.value, report, f"`draw` of `{entry.key.text[:5]}`")
            condition = checker.condition(source, here, "what is drawn") if source else None
            if condition is not None:
                signs.append((entry.key.text, condition))
        return Looks(signs=tuple(signs))
    if not isinstance(node, Scalar):
        report.error(
            node, f"`draw` must be lines of text, not {describe(node)}", "write `draw: |` and the lines below it"
        )
        return None
    return _template(node, report, checker)


def _template(node: Scalar, report: Report, checker: Checker) -> Looks | None:
    """Lines of text with expressions in braces."""
    places = places_of(node, report)
    lines: list[DrawnLine] = []
    start, good = 0, True
    for line in node.text.rstrip("\n").split("\n"):
        parts: list[str | Expr] = []
        loops_of: tuple[Loop, ...] = ()
        names: Locals = {}
        rest = 0
        if repeated := REPEATED.match(line):
            rest = repeated.end()
            spot = places[start]
            loop = parse_text(f"0 {repeated[1]}", (spot, spot, *places[start : start + len(repeated[1])]), report, LOOP)
            if loop is None or not isinstance(loop.tree, ast.GeneratorExp):
                return None
            checker.source = loop
            try:
                loops_of, names = within(checker, loop.tree.generators, {})
            except WrongPartError:
                return None
        while (opening := line.find("{", rest)) >= 0:
            closing = line.find("}", opening)
            if closing < 0:
                row, column = places[start + opening]
                report.error(Span(row, column), "a `{` without a `}` in `draw`", "close it in the same line")
                return None
            parts.append(line[rest:opening])
            spots = places[start + opening : start + closing + 1]
            expr = _part(line[opening : closing + 1], spots, report, checker, names)
            if expr is None:
                good = False
            else:
                parts.append(expr)
            rest = closing + 1
        parts.append(line[rest:])
        lines.append(DrawnLine(tuple(part for part in parts if part != ""), loops_of))
        start += len(line) + 1
    return Looks(template=tuple(lines)) if good else None


def _part(
    text: str, places: tuple[tuple[int, int], ...], report: Report, checker: Checker, names: Locals
) -> Expr | None:
    """The expression in braces, or `{x for x in item if ...}`, which lists values."""
    if not text[1:-1].strip():
        (row, column), width = places[0], len(text)
        report.error(Span(row, column, width), "`{}` in `draw` is empty", "write an expression between the braces")
        return None
    source = parse_text(text[1:-1], places[1:-1], report, "an expression in `draw`")
    if source is None:
        return None
    checker.texts = True
    try:
        if not isinstance(source.tree, ast.GeneratorExp):
            typed = checker.any(source, names)
            return typed[0] if typed else None
        checker.source = source
        loops_of, inner = within(checker, source.tree.generators, names)
        body, kind = checker.visit(source.tree.elt, inner)
        words = kind.kind != Kind.TEXT or any(len(str(value)) > 1 for value in (kind.low, kind.high, *kind.members))
        return ex.Quantifier("list" if words else "join", body, loops_of)
    except WrongPartError:
        return None
    finally:
        checker.texts = False


# What a picture is made of

GOALS = frozenset({"target", "goal", "home", "exit"})
"""Names of constant tables that usually mark goals on the map, and are drawn so."""

FLOOR = " ."


def signs_of(puzzle: Custom) -> dict[str, Sign]:
    """What the characters of the map stand for; none for a puzzle without a map, or drawn as lines of text.

    A character that stands for something of the state is a piece; one that stands for constants only is a goal, if the
    constant is called one, or a mark on the ground. Where `draw` says what is drawn, its characters are pieces.
    """
    if not puzzle.grid or puzzle.looks.template:
        return {}
    signs: dict[str, Sign] = {}
    for r, row in enumerate(puzzle.grid):
        for c, char in enumerate(row):
            if not char.isspace() and (r, c) not in puzzle.cells:
                signs[char] = Sign("wall")
    for char, words in puzzle.signs.items():
        if char not in signs:
            signs[char] = _sign(puzzle, char, words)
    for char, condition in puzzle.looks.signs:
        moves = bool(puzzle.reads(condition))
        if char not in FLOOR and not (char in signs and signs[char].piece):
            signs[char] = Sign("", char) if moves else Sign("mark")
    return {char: signs.get(char, Sign()) for char in dict.fromkeys((*signs, *FLOOR))}


def _sign(puzzle: Custom, char: str, words: frozenset[str]) -> Sign:
    names = {word: word.partition("=")[0] for word in sorted(words)}
    moving = [word for word, name in names.items() if name in puzzle.state]
    still = [name for name in names.values() if name in puzzle.constants and len(puzzle.constants[name].of) < 2]
    ground: Literal["", "goal", "mark"] = ""
    if still:
        ground = "goal" if GOALS & set(still) else "mark"
    if not moving or char in FLOOR:
        return Sign(ground)
    tables = [puzzle.state[names[word]] for word in moving]
    return Sign(
        "goal" if ground == "goal" else "",
        " ".join(moving),
        stays=all(_switched(puzzle, table) for table in tables),
        walks=len(tables) == 1 and not tables[0].of and tables[0].domain.kind == "cell",
    )


def _switched(puzzle: Custom, table: ValueTable) -> bool:
    """Whether actions set these truth values to computed ones (`not lit[c]`), as a switch: then nothing is seen to
    move.
    """
    return table.domain.kind == "truth" and any(
        not isinstance(assignment.value, ex.Const)
        for action in puzzle.actions.values()
        for assignment in action.assignments
        if assignment.table == table.name
    )


def notes(puzzle: Custom) -> Iterator[str]:
    """Sentences on a start that breaks `always`, and on tables that a drawing by the legend cannot show."""
    if broken := broken_start(puzzle):
        yield f"{broken}: as it is there is no plan"
    if not puzzle.grid or puzzle.looks.template or puzzle.looks.signs:
        return
    hidden = [
        f"`{table.name}`"
        for table in puzzle.state.values()
        if table.domain.kind != "cell" and (not table.of or table.of[0].kind != "cell" or len(table.of) > 1)
    ]
    if hidden:
        verb = "is" if len(hidden) == 1 else "are"
        yield f"{' and '.join(hidden)} {verb} not to be seen on the map; `draw` can show what the legend does not"


def sides_of(puzzle: Custom) -> Iterator[tuple[Cell, str]]:
    """Thin walls of a board, (cell, direction): where a constant table of cells and directions is true."""
    letters = {vector: letter for letter, vector in DIRECTIONS.items()}
    for table in puzzle.constants.values():
        if [domain.kind for domain in table.of] == ["cell", "object"] and table.domain.kind == "truth":
            for (cell, way), closed in table.values.items():
                letter = letters.get(puzzle.directions.get(str(way), (0, 0)))
                if closed and letter and isinstance(cell, tuple):
                    yield cell, letter


# The key `look`: what the words of `draw`, or the characters of the map, look like in pictures.
#
# look:
#   layout: tubes
#   shapes:
#     none: nothing                          a word
#     colour: ball                           all values of a type; one that is the name of a colour has it
#     wolf: {shape: token, colour: grey}
#     1..8: bar                              numbers
#     "rgb": square                          on a map: each of these characters

NARROWEST = 0.22
"""The share of the width that the bar of the least number takes."""


def read_look(
    node: Node | None, report: Report, checker: Checker, looks: Looks, chars: set[str], *, inherited: bool = False
) -> Appearance | None:
    """Read the key; None if there is none, or if it has errors. `chars`: those of the map, no one without a map.
    `inherited`: the family's, of a puzzle that draws something else or has other types; what is not drawn is left out.
    """
    drawn = bool(looks.template)
    if node is None or (inherited and not drawn and not chars):
        return None
    block = mapping(node, report, "`look`", "write `shapes:` below it")
    if block is None:
        return None
    fields = Fields(block, report, names(KEYS, "look"), "`look`")
    layout = fields.choice("layout", tuple(LAYOUTS)) or "rows"
    if fields.has("layout") and not drawn and not inherited:
        hint = "write `draw: |` with lines of text, or leave out `layout`"
        report.error(block.get("layout"), "a `layout` is that of lines of text, and `draw` has none", hint)
    if not drawn and not chars:
        hint = "add `draw: |` and lines such as `{x for x in item}`"
        report.error(node, "`look` needs a map, or lines of text in `draw`", hint)
    shapes: dict[str, Shape] = {}
    listed = fields.node("shapes", required=True, example="shapes: {ball: disc}")
    every = entries(listed, report, "`shapes`", "write `ball: disc` below it")
    signs = _words(checker, looks) if drawn else dict.fromkeys(sorted({*chars, *(char for char, _ in looks.signs)}))
    for entry in every:
        shape = _shape(entry.value, report)
        if shape is None:
            continue
        words = _named(entry.key, checker)
        if not drawn and words == [entry.key.text.strip()]:  # neither a type nor a range
            words = list(entry.key.text)
        if not words or not any(word in signs or (drawn and _number(word) is not None) for word in words):
            if inherited:
                continue
            message = f"`{entry.key.text[:40]}` is not drawn: it is no {'word or type' if drawn else 'character'}"
            report.error(
                entry.key, message, suggest(entry.key.text, [*signs, *checker.scope.domains] if drawn else signs)
            )
        if shape.kind == "bar" and (odd := next((word for word in words if _number(word) is None), None)):
            report.error(entry.key, f"a {shape.kind} shows a number, and `{odd}` is none", "choose another shape")
            continue
        shapes |= {word: _of_word(shape, word, words) for word in words}
    return Appearance(layout, shapes)


def _shape(node: Node, report: Report) -> Shape | None:
    """What draws a value, from `look`: `ball`, or `{shape: ball, colour: red, text: 7}`."""
    if isinstance(node, Mapping):
        fields = Fields(node, report, names(KEYS, "look", "shapes"), "a shape")
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
    words: dict[str, None] = dict.fromkeys(checker.scope.objects)
    for domain in checker.scope.domains.values():
        words |= dict.fromkeys(map(text_of, domain.values))
    for text in _texts(looks):
        words |= dict.fromkeys(text.split())
    return words


def _texts(looks: Looks) -> Iterator[str]:
    for line in looks.template:
        for part in line.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from (str(leaf.value) for leaf in parts(part) if isinstance(leaf, ex.Const))


# How a state is drawn: as `draw` says; else the map in the characters of its legend; else a line for each table:
#
# at: wolf left, goat right        boat: right        lit: a, c
#
# A table with two arguments takes several lines, all but the first of which begin with a space:
#
# tube:  1    2
#   t1   red  blue
#   t2   none none

WIDTH = 78
"""Columns of text that a matrix may take."""

HERE = ex.Local("here")
"""The cell that is drawn."""


def drawn_lines(puzzle: Custom) -> tuple[DrawnLine, ...]:
    """The lines in which every state of a puzzle is drawn."""
    if puzzle.looks.template:
        return puzzle.looks.template
    if puzzle.grid:
        return tuple(_map(puzzle))
    return tuple(line for table in puzzle.state.values() for line in _table(table))


def _map(puzzle: Custom) -> Iterator[DrawnLine]:
    """The rows of the map: on each cell the first character of `draw` whose condition holds, else that of the legend
    that says most of what is there, and nothing else; of cells with nothing on them, and of walls, the map's own.
    """
    nothing = next((char for char, says in puzzle.signs.items() if not says), ".")
    still: dict[str, list[Cell]] = {}
    for r, row in enumerate(puzzle.grid):
        for c, own in enumerate(row):
            char = nothing if (r, c) in puzzle.cells and puzzle.signs.get(own) else own
            still.setdefault(char, []).append((r, c))
    empty: Expr = ex.Const("")
    for char, cells in sorted(still.items(), key=lambda item: len(item[1])):
        empty = ex.Conditional(ex.Membership(HERE, frozenset(cells)), ex.Const(char), empty)
    drawn, by_words = empty, sorted(puzzle.signs.items(), key=lambda item: -len(item[1]))
    for char, says in reversed(by_words):
        there = [_on_cell(puzzle, word) for word in sorted(says)]
        asked = tuple(condition for condition in there if condition)
        if asked and len(asked) == len(there):
            drawn = ex.Conditional(ex.And(asked), ex.Const(char), drawn)
    for char, condition in reversed(puzzle.looks.signs):
        drawn = ex.Conditional(condition, ex.Const(char), drawn)
    drawn = ex.Conditional(ex.Membership(HERE, puzzle.cells), drawn, empty)
    for r, row in enumerate(puzzle.grid):
        loop = Loop(HERE.name, tuple((r, c) for c in range(len(row))), ())
        yield DrawnLine((ex.Quantifier("join", drawn, (loop,)),), trimmed=False)


def _on_cell(puzzle: Custom, word: str) -> Expr | None:
    """The condition that a word of the legend (`box`, `height=2`, `at=red`) is true here; None if it never is."""
    name, _, text = word.partition("=")
    table = puzzle.state.get(name) or puzzle.constants.get(name)
    if table is None or len(table.of) > 1:
        return None
    read = ex.Read if name in puzzle.state else ex.ConstantLookup
    if table.of and table.of[0].kind == "cell":
        value = table.domain.by_text.get(text or "true")
        return None if value is None or value is False else ex.Compare("==", read(name, (HERE,)), ex.Const(value))
    things = [table.of[0].by_text.get(text)] if table.of else []
    args = tuple(ex.Const(thing) for thing in things if thing is not None)
    if table.domain.kind != "cell" or len(args) < len(things) or (text and not things):
        return None
    return ex.Compare("==", read(name, args), HERE)


def _table(table: ValueTable) -> Iterator[DrawnLine]:
    """A table as a line: its value, the arguments for which it is true, or each argument with its value; or a matrix, a
    row for each first argument, in several blocks where it is wide.
    """
    if len(table.of) == 2 and table.domain.kind != "truth":
        first, second = table.of
        label = 2 + max(len(table.name), *(len(text_of(value)) + 1 for value in first.values))
        size = 2 + max(len(text_of(value)) for value in (*second.values, *table.domain.values))
        across = max(1, (WIDTH - label) // size)
        for n in range(0, len(second.values), across):
            columns = second.values[n : n + across]
            head = "" if n else f"{table.name}:"
            yield DrawnLine((head.ljust(label) + "".join(text_of(column).ljust(size) for column in columns),))
            for row in first.values:
                reads = [(ex.Read(table.name, (ex.Const(row), ex.Const(column))), size) for column in columns]
                yield DrawnLine((f"  {text_of(row)}".ljust(label), *reads))
        return
    parts: list[str | Expr] = [f"{table.name}: "]
    if table.of and table.domain.kind == "truth":
        args = tuple(ex.Local(f"${n}") for n in range(len(table.of)))
        loops = [Loop(arg.name, domain.values, ()) for arg, domain in zip(args, table.of, strict=True)]
        loops[-1] = replace(loops[-1], conditions=(ex.Read(table.name, args),))
        parts.append(ex.Quantifier("commas", chained("said", *args), tuple(loops)))
    else:
        for key in table.values:
            said = "".join(f"{text_of(arg)} " for arg in key)
            parts += [f", {said}" if len(parts) > 1 else said, ex.Read(table.name, tuple(map(ex.Const, key)))]
    yield DrawnLine(tuple(parts), trimmed=False)
