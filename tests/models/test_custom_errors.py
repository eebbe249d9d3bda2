"""What is wrong with a definition is said with its place and what to do; mutations of good ones are survived."""

from __future__ import annotations

import pickle
import random

import pytest
from budge import PuzzleError, UsageError, load_text
from budge.models.library import shipped
from budge.models.puzzle import Puzzle

GOOD = """\
format: 1
family: custom
types:
  bank: [left, right]
  item: [wolf, goat]
state:
  at: {of: item, in: bank, start: left}
  boat: {in: bank, start: left}
  n: {start: 0, in: 0..3}
define:
  safe:
    with: {x: item}
    is: at[x] == boat
actions:
  carry:
    with: {x: item}
    when: at[x] == boat
    set:
      at[x]: other(boat)
      boat: other(boat)
    cost: 1
always: safe(wolf) or n < 3
goal: all(at[x] == right for x in item)
"""
MAP = """\
format: 1
family: custom
grid: |
  @.b
  .G#
legend:
  "@": me
  "b": box
  "G": target
state:
  me: {in: cell}
  box: {of: cell}
constants:
  target: {of: cell}
define:
  free:
    with: {c: cell}
    is: not box[c]
actions:
  go:
    with: {d: direction}
    when: not box[me + d]
    set:
      me: me + d
goal: target[me]
"""
CASES: list[tuple[str, str, str, str]] = [
    # (the good file, a text of it, what stands there instead, the place and the message)
    (GOOD, "when: at[x] == boat", "when: at[x] == boot", "17:20: error: `boot` is not known | did you mean `boat`?"),
    (GOOD, "when: at[x] == boat", "when: at[y] == boat", "17:14: error: `y` is not known"),
    (GOOD, "when: at[x] == boat", "when: at[left] == boat", "17:14: error: the argument of `at` is of the type item"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: at[x, x] == boat",
        "17:11: error: `at` has 1 argument, not 2 | write `at[item]`",
    ),
    (GOOD, "when: at[x] == boat", "when: at == boat", "17:11: error: `at` has 1 argument, not none"),
    (GOOD, "when: at[x] == boat", "when: att[x] == boat", "17:11: error: there is no table `att` | did you mean `at`?"),
    (GOOD, "when: at[x] == boat", "when: boat[x] == left", "17:11: error: `boat` has no argument, not 1"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: at[x] = boat",
        "17:17: error: `when` of `carry`: `=` is not a comparison | write `==`",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: at[x] == wolf",
        "17:11: error: `at[x]` is one of left, right, `wolf` is the object",
    ),
    (GOOD, "when: at[x] == boat", "when: at[x] == 3", "17:11: error: one of left, right is compared with a number"),
    (GOOD, "when: at[x] == boat", "when: at[x] in 1..3", "17:11: error: one of left, right is never one of `1..3`"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: x < boat",
        "17:11: error: `<` compares numbers, cells, and objects of one type, not one of wolf, goat and one of left",
    ),
    (GOOD, "when: at[x] == boat", "when: true < false", "17:11: error: `<` compares numbers, cells, and objects"),
    (GOOD, "when: at[x] == boat", "let: {x: boat}", "17:11: error: `x` is a name of this action, and cannot be"),
    (GOOD, "when: at[x] == boat", "let: {boat: left}", "17:11: error: `boat` is a "),
    (GOOD, "when: at[x] == boat", "let: {y: z}", "17:14: error: `z` is not known"),
    (GOOD, "when: at[x] == boat", "let: {y: z, z: boat}", "17:14: error: `z` is not known"),
    (GOOD, "when: at[x] == boat", "let: {y: boat}\n    when: y", "error: `when` of `carry` must be true or false"),
    (GOOD, "when: at[x] == boat", "when: boat", "17:11: error: `when` of `carry` must be true or false"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: n",
        "17:11: error: `when` of `carry` must be true or false, but `n` is a number",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: boat and n < 2",
        "17:11: error: `boat` is one of left, right, where true or false",
    ),
    (GOOD, "when: at[x] == boat", "when: not n", "17:15: error: `n` is a number, where true or false is needed"),
    (GOOD, "when: at[x] == boat", "when: (n < 2", "error: `when` of `carry`: a bracket is missing or one too many"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: n < 2 && n > 0",
        "17:17: error: `when` of `carry`: `&&` is not understood | write `and`",
    ),
    (GOOD, "when: at[x] == boat", "when: n ** 2 > 1", "17:13: error: there is no `**` here"),
    (GOOD, "when: at[x] == boat", "when: n / 2 > 1", "17:11: error: this operator is not known here | write `//`"),
    (GOOD, "when: at[x] == boat", "when: n == 1.5", "17:16: error: numbers are whole"),
    (GOOD, "when: at[x] == boat", "when: n is 1", "17:11: error: `is` compares nothing here | write `==`"),
    (GOOD, "when: at[x] == boat", "when: boat == 'left'", "17:19: error: names stand without quotes | write `left`"),
    (GOOD, "when: at[x] == boat", "when: x.at == left", "17:11: error: nothing has parts that are named with a dot"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: safe == left",
        "17:11: error: `safe` takes 1 argument, not none | write `safe(x)`",
    ),
    (GOOD, "when: at[x] == boat", "when: safe(left)", "17:16: error: `x` of `safe` is of the type item"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: safe[x]",
        "17:11: error: `safe` is no table, and takes its arguments in parentheses",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: at(x) == left",
        "17:11: error: `at` is a table: its arguments stand in brackets",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: saef(x)",
        "17:11: error: there is no definition and no function `saef` | did you mean `safe`?",
    ),
    (GOOD, "when: at[x] == boat", "when: item == x", "17:11: error: `item` is a type, not a value"),
    (GOOD, "when: at[x] == boat", "when: all(n < 2)", "17:11: error: `all` needs a loop"),
    (GOOD, "when: at[x] == boat", "when: count(at) == 2", "17:17: error: `at` is not true or false"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: any(at[y] == left for y in itme)",
        "17:38: error: `itme` is not a type | did you mean `item`?",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: any(i < n for i in 1..n)",
        "17:30: error: a range has two numbers, as `1..8` | write a condition: `for i in 1..8 if i <= n`",
    ),
    (GOOD, "n: {start: 0, in: 0..3}", "n: {start: 2}", "9:14: error: `n` cannot be `2` | write `true` or `false`; if"),
    (GOOD, "when: at[x] == boat", "when: any(at[x] == left for x in item)", "17:33: error: `x` has a meaning already"),
    (GOOD, "when: at[x] == boat", "when: sum(at[y] for y in item) > 1", "17:15: error: `sum` needs numbers"),
    (GOOD, "when: at[x] == boat", "when: different(at)", "17:11: error: `different` needs a loop"),
    (GOOD, "when: at[x] == boat", "when: at[the(x)] == boat", "17:14: error: `the` needs a loop | write `the(... for"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: the(y for y in item if n > 0) == left",
        "is one of wolf, goat, `left` is the object left: they",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: first(x, n) == x",
        "17:11: error: `first` needs a loop | write `first(... for",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: first(y for y in item if n > 0, x) == x",
        "17:17: error: `when` of `carry`: a loop beside another argument stands in brackets | write `first((",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: first((y for y in item if n > 0), n) == x",
        "17:11: error: one is one of wolf, goat, the other a number | both must be of one kind",
    ),
    (MAP, "when: not box[me + d]", "when: connected(me, d, free)", "error: `connected` begins with two cells"),
    (MAP, "when: not box[me + d]", "when: connected(me, me)", "error: `connected` needs two cells and the name"),
    (MAP, "when: not box[me + d]", "when: connected(me, me, fre)", "error: `fre` is not a definition | did you mean"),
    (
        MAP,
        "when: not box[me + d]",
        "when: any(box[c] for c in region(me))",
        "error: `region` needs a cell and the name",
    ),
    (MAP, "when: not box[me + d]", "when: any(box[c] for c in region(d, free))", "error: `region` begins with a cell"),
    (GOOD, "when: at[x] == boat", "when: loop(y for y in item)", "17:11: error: `loop` needs the two ends of edges"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: loop((y, n) for y in item)",
        "error: the ends are one of wolf, goat and a number",
    ),
    (MAP, "when: not box[me + d]", "when: region(me, free)", "error: `region` stands only in a loop"),
    (MAP, "when: not box[me + d]", "when: different(d + e for e in direction)", "error: `different` compares numbers"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: other(x) == wolf or min(1) == 1",
        "17:31: error: `min` is the smallest; these arguments",
    ),
    (
        GOOD,
        "when: at[x] == boat",
        "when: x in [left, wolf]",
        "17:16: error: `x` is one of wolf, goat, `left` is the object left",
    ),
    (GOOD, "when: at[x] == boat", "when: n == (lambda :1)", "17:17: error: there are no functions without a name"),
    (
        GOOD,
        "when: at[x] == boat",
        "when: __import__('os')",
        "17:11: error: there is no definition and no function `__import__`",
    ),
    (
        GOOD,
        "at[x]: other(boat)",
        "at[x]: wolf",
        "19:14: error: the new value of `at` is of the type bank, and cannot be",
    ),
    (GOOD, "at[x]: other(boat)", "at[x]: 3", "19:14: error: the new value of `at` is one of left, right, not a number"),
    (GOOD, "at[x]: other(boat)", "n: 7", "19:10: error: the new value of `n` is a number of 0..3, and cannot be 7"),
    (GOOD, "at[x]: other(boat)", "ad[x]: left", "19:7: error: `ad` is not a table of the state | choose one of `at`"),
    (GOOD, "at[x]: other(boat)", "at[boat]: left", "19:10: error: the argument of `at` is of the type item"),
    (
        GOOD,
        "    set:\n      at[x]: other(boat)\n      boat: other(boat)\n",
        "",
        "16:5: error: the action `carry` needs the key `set`",
    ),
    (GOOD, "    cost: 1", "    cost: boat", "21:11: error: `cost` of `carry` must be a number that is not negative"),
    (
        GOOD,
        "    cost: 1",
        "    costs: 1",
        "21:5: error: unknown key `costs` in the action `carry` | did you mean `cost`?",
    ),
    (
        GOOD,
        "with: {x: item}\n    when",
        "with: {x: items}\n    when",
        "16:15: error: there is no type `items` | did you mean `item`?",
    ),
    (
        GOOD,
        "with: {x: item}\n    when",
        "with: {wolf: item}\n    when",
        "16:12: error: `wolf` is an object, and cannot be a parameter",
    ),
    (GOOD, "is: at[x] == boat", "is: safe(x)", "13:9: error: `safe` is defined by itself: safe -> safe"),
    (GOOD, "in: bank, start: left}\n  boat", "in: bank, start: wolf}\n  boat", "7:35: error: `at` cannot be `wolf`"),
    (
        GOOD,
        "in: bank, start: left}\n  boat",
        "in: bank}\n  boat",
        "7:3: error: `at[wolf]` and 1 more have no value | add `start: ...` to `at`",
    ),
    (
        GOOD,
        "in: bank, start: left}\n  boat",
        "in: bnak, start: left}\n  boat",
        "7:22: error: there is no type `bnak` | did you mean `bank`?",
    ),
    (GOOD, "when: at[x]", "when: at[y]", "`y` is not known | choose one of `x`, `at`, `boat`, `n`, `safe`, `left`"),
    (
        GOOD,
        "when: at[x] ==",
        "when: at[x] !==",
        "17:17: error: `when` of `carry`: `!==` is not understood | write `!=`",
    ),
    (GOOD, "or n < 3", "-> n < 3", "`->` is not understood | write `not a or b`"),
    (GOOD, "at[x]: other(boat)", "at[x] = boat", "19:7: error: a key without its `:` | write `at[x]: boat`"),
    (GOOD, "at[x]: other(boat)", "n += 1", "19:7: error: a key without its `:` | write `n: n + 1`"),
    (GOOD, "item: [wolf, goat]", "item: wolf, goat", "the type `item` cannot be `wolf, goat` | write `[wolf, goat]`"),
    (
        GOOD,
        "item: [wolf, goat]",
        "item: [1, 2, 3]",
        "5:9: error: numbers are given as a range, not as a list | write `1..3`",
    ),
    (
        GOOD,
        "with: {x: item}\n    when",
        "with: {x: item, n: [1, 5]}\n    when",
        "a range, not as a list | write a range, as `1..8`",
    ),
    (GOOD, "item: [wolf, goat]", "item: [1..3]", "5:10: error: a range stands without brackets | write `1..3`"),
    (GOOD, "n: {start: 0, in: 0..3}", "from: {in: 0..3}", "9:3: error: `from` has a meaning of its own"),
    (MAP, "  target: {of: cell}", "  aims: {of: cell}", "stands on a cell | declare it: `target: {of: cell}` in"),
    (MAP, "not box[me + d]", "me + d != wall", "`wall` is not a value: walls are no cells | ask `c in cell`"),
    (GOOD, "n: {start: 0, in: 0..3}", "n: {in: 3..0}", "9:11: error: `3..0` is no range that can be used"),
    (GOOD, "n: {start: 0, in: 0..3}", "n: {in: 0..10000}", "that can be used | at most 10,000 numbers"),
    (GOOD, "item: [wolf, goat]", "item: []", "is of a type without values | give `item` at least one value"),
    (GOOD, "n: {start: 0, in: 0..3}", "n: {in: int}", "9:11: error: numbers need a range | write `0..8`, say"),
    (
        GOOD,
        "n: {start: 0, in: 0..3}",
        "n: {in: 0..3, star: 1}",
        "9:17: error: unknown key `star` in `n` | did you mean `start`?",
    ),
    (GOOD, "n: {start: 0, in: 0..3}", "wolf: {in: 0..3}", "9:3: error: `wolf` is the name of an object already"),
    (GOOD, "n: {start: 0, in: 0..3}", "all: {in: 0..3}", "9:3: error: `all` has a meaning of its own"),
    (GOOD, "n: {start: 0, in: 0..3}", "n-1: {in: 0..3}", "9:3: error: `n-1` cannot be a name"),
    (GOOD, "item: [wolf, goat]", "item: [wolf, wolf]", "5:16: error: `wolf` is twice in `item`"),
    (GOOD, "item: [wolf, goat]", "item: wolf", "5:9: error: the type `item` cannot be `wolf`"),
    (GOOD, "goal: all", "gaol: all", "error: unknown key `gaol` in a puzzle"),
    (
        GOOD,
        "goal: all(at[x] == right for x in item)",
        "goal: [[left]]",
        "23:8: error: `goal` must be an expression, not a list",
    ),
    (
        GOOD,
        "boat: {in: bank, start: left}",
        "boat: {in: cell, start: left}",
        "8:14: error: there is no type `cell` without a `grid`",
    ),
    (MAP, '"b": box', '"b": bix', "8:8: error: `bix` is nothing that stands on a cell | did you mean `box`?"),
    (
        MAP,
        '"b": box',
        '"b": [box, 3]',
        "8:14: error: `3` is nothing that stands on a cell | the table of cells that has this",
    ),
    (
        MAP,
        '"b": box\n  "G": target\nstate:',
        '"b": [box, 3]\n  "G": target\nstate:\n  a: {of: cell, in: 0..3}\n  z: {of: cell, in: 0..3}',
        "8:14: error: `3` alone does not say what it is the value of `a` and `z` | write `{a: 3}`, with the table",
    ),
    (MAP, "@.b", "@.x", "4:5: error: the `legend` does not say what `x` is"),
    (MAP, "@.b", "@@b", "7:8: error: `me` stands on 2 cells: row 1, column 1 and row 1, column 2"),
    (MAP, '  "@": me\n', '  "@": floor\n', "11:3: error: `me` has no value"),
    (MAP, "when: not box[me + d]", "when: not box[me + 1]", "22:19: error: `+` does not join a cell and a number"),
    (
        MAP,
        "when: not box[me + d]",
        "when: not box[d]",
        "22:19: error: the argument of `box` is a cell, not one of up, down",
    ),
    (
        MAP,
        "when: not box[me + d]",
        "when: slide(me, d) == me",
        "22:11: error: `slide` needs a cell, a direction and the name",
    ),
    (
        MAP,
        "when: not box[me + d]",
        "when: slide(me, d, fre) == me",
        "22:24: error: `fre` is not a definition | did you mean `free`?",
    ),
    (
        MAP,
        "when: not box[me + d]",
        "when: me == cell(9, 9)",
        "22:17: error: row 9, column 9 is not a cell of the board",
    ),
    (MAP, "me: me + d", "target[me]: true", "24:7: error: `target` is a constant, and never changes"),
]


@pytest.mark.parametrize(("good", "old", "new", "said"), CASES, ids=[case[2][:50] for case in CASES])
def test_broken_definitions(good: str, old: str, new: str, said: str) -> None:
    assert good.count(old) >= 1
    with pytest.raises(PuzzleError) as caught:
        load_text(good.replace(old, new, 1), "f")
    text = str(caught.value)
    for part in said.split(" | "):
        assert part in text, text


def test_the_good_ones_are_good() -> None:
    for text in (GOOD, MAP):
        load_text(text).task("moves").validate()


def test_all_errors_at_once() -> None:
    text = GOOD.replace("at[x] == boat\n    set", "at[x] == boot\n    set").replace("right for", "rihgt for")
    text = text.replace("in: 0..3}", "in: 0..x}").replace("safe(wolf)", "safe(left)")
    with pytest.raises(PuzzleError) as caught:
        load_text(text)
    assert len(caught.value.problems) >= 4


def test_what_has_errors_hides_no_others_and_makes_none() -> None:
    """Of a type, a table and parameters that are wrong, nothing more is said than that; the rest is read as ever."""
    text = """\
format: 1
family: custom
types:
  bank: [left, right]
  item: [wolf, goat]
state:
  at: {of: itm, in: bank, start: left}
  boat: {in: bank, start: left}
define:
  ok:
    with: {x: itemm}
    is: at[x] == boot
actions:
  carry:
    with: {x: itme, y: item}
    when: at[x] == boot and at[y] == bot
    set:
      at[x]: othr(boat)
      boat: other(boat)
  row:
    when: ok(wolf) and all(at[y] == buoy for y in itm)
    set:
      boat: other(boat)
goal: all(at[x] == right for x in item)
"""
    with pytest.raises(PuzzleError) as raised:
        load_text(text)
    said = [(problem.line, problem.message.split("`")[1]) for problem in raised.value.problems]
    assert said == [
        (7, "itm"),
        (11, "itemm"),
        (12, "boot"),
        (15, "itme"),
        (16, "boot"),
        (16, "bot"),
        (18, "othr"),
        (21, "buoy"),
        (21, "itm"),
    ]


@pytest.mark.parametrize(
    "bomb",
    [
        "(" * 3000 + "n" + ")" * 3000 + " == 1",
        "not " * 900 + "n == 1",
        " + ".join(["n"] * 900) + " == 1",
        "n == " + "9" * 500,
        "all(" * 70 + "true" + ")" * 70,
        "n" + "[n" * 200 + "]" * 200 + " == 1",
        "sum(1 for a in 1..9999 for b in 1..9999 for c in 1..9999) == 1",
    ],
)
def test_bombs_are_answered(bomb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.leaves.MAX_WORK", 100_000)
    with pytest.raises((PuzzleError, UsageError)):
        load_text(GOOD.replace("at[x] == boat\n    set", f"{bomb}\n    set")).task("moves")


def chain_of(first: str, further: str) -> Puzzle:
    """A puzzle whose condition `always` uses a definition that uses another, and so on, twenty times."""
    chain = "".join(f"  d{i}: {further.format(f'd{i - 1}')}\n" for i in range(1, 20))
    return load_text(
        "format: 1\nfamily: custom\nstate:\n  n: {in: 0..1, start: 0}\n  still: {in: 0..1, start: 1}\n"
        f"define:\n  d0: {first}\n{chain}actions:\n  go: {{set: {{n: 1}}}}\nalways: d19\ngoal: n == 1\n"
    )


def test_definitions_that_multiply_are_bounded_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.language.evaluate.MAX_STEPS", 10_000)
    puzzle = chain_of("all(still == 1 for x in 1..50 for y in 1..50)", "all({} for x in 1..50 for y in 1..50)")
    with pytest.raises(UsageError, match="more than 10,000 steps in one state"):
        puzzle.task("moves")


def test_a_definition_is_worked_out_once_in_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.language.evaluate.MAX_STEPS", 100)
    puzzle = chain_of("still == 1 and n < 2", "{0} and {0}")
    replay = puzzle.replay(puzzle.parse_plan("go"))
    assert replay.solved
    assert [*map(str, puzzle.record.simulate(puzzle.value).moves() or ())] == ["go"]


def mutated(text: str, choose: random.Random) -> str:
    """A text with some characters, words or lines changed."""
    signs = "()[]{}:,'\"+-*/%=<>!#|.& \n0189abxAX"
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(text))
        match choose.randrange(5):
            case 0:
                text = text[:at] + choose.choice(signs) + text[at + 1 :]
            case 1:
                text = text[:at] + text[at + choose.randint(1, 12) :]
            case 2:
                text = text[:at] + choose.choice(signs) + text[at:]
            case 3:
                words = text.split(" ")
                words[choose.randrange(len(words))] = choose.choice(words)
                text = " ".join(words)
            case _:
                lines = text.split("\n")
                lines.insert(choose.randrange(len(lines)), choose.choice(lines))
                text = "\n".join(lines)
    return text


def survive(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.leaves.MAX_WORK", 100_000)
    choose = random.Random(seed)
    names = ("wolf-goat-cabbage", "jugs-3-5", "peg-solitaire-4x4", "two-player-sokoban", "atomix-water", "hanoi-8")
    text = shipped()[f"custom/{choose.choice(names)}"].read_text(encoding="utf-8")
    try:
        puzzle = load_text(mutated(text, choose))
        puzzle.task(puzzle.header.metric).validate()
        puzzle.board()
    except (PuzzleError, UsageError):
        pass


def test_mutated_definitions_are_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(40):
        survive(seed, monkeypatch)


@pytest.mark.slow
def test_many_mutated_definitions_are_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20_000):
        survive(seed, monkeypatch)


# What YAML cuts off, and what else is written in good faith

FAITH: list[tuple[str, str, list[str]]] = [
    # (a text of the good file, what stands there instead, all that is said: places, messages, helps)
    (
        "    set:\n      at[x]: other(boat)\n      boat: other(boat)\n    cost: 1",
        "    set: {n: min(n + 1, 3)}\n    cost: max(n, 1)",
        [
            "18:14: error: in brackets and braces YAML ends this text at its comma",
            "help: put it in quotes, `'min(n + 1,",
        ],
    ),
    (
        "always: safe(wolf) or n < 3",
        "always: [at[wolf] == left, n < 4, max(n, 2) >= 2, safe(goat) or at[goat] == left]",
        [
            "22:10: error: in brackets and braces YAML ends this text at its `[`",
            "help: put it in quotes, `'at[wolf] == left'`",
            "22:35: error: in brackets and braces YAML ends this text at its comma",
            "help: put it in quotes, `'max(n, 2) >= 2'`",
            "22:51: error: in brackets and braces YAML ends this text at its `[`",
        ],
    ),
    (
        "boat: other(boat)",
        "boat: left if n == 3",
        ["20:13: error: the value of `boat`: an `if` without its `else`", "help: say the value in the other case too"],
    ),
    (  # a colon that YAML stumbles over hides no other error
        "when: at[x] == boat\n    set:\n      at[x]: other(boat)",
        "when: at[x] == boat: left\n    set:\n      at[x]: otter(boat)",
        ["17:24: error: a second `: ` in this line", "17:24: error: `when` of", "19:14: error: there is"],
    ),
    (
        "at[x]: other(boat)",
        "at[y]: other(at[y]) for y in item",
        [
            "19:14: error: the loop belongs to the place that is set, not to its value",
            "help: write `at[y] for y in item: other(at[y])`",
        ],
    ),
    (
        "goal: all(at[x]",
        "goal: any(at[wolf] == right, boat == left) or all(at[x]",
        ["`any` needs a loop", "join them: `at[wolf]"],
    ),
    (
        "goal: all(at[x] == right for x in item)",
        "goal: at[x] == right for x in item",
        ["help: write `all(at[x] == right for x"],
    ),
    ("cost: 1", "cost: -1", ["21:11: error: `cost` of `carry` must be a number that is not negative, not -1"]),
    ("cost: 1", "cost: n - 9", ["must be a number that is not negative, not one of -9..-6"]),
    (
        "goal: all(at[x] == right for x in item)\n",
        "",
        ["needs the key `goal`", "help: add `goal: all(at[x] == right for x in item)`"],
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), FAITH, ids=[case[1][:30] for case in FAITH])
def test_mistakes_in_good_faith(old: str, new: str, said: list[str]) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(PuzzleError) as caught:
        load_text(GOOD.replace(old, new), "f")
    text = str(caught.value)
    for part in said:
        assert part in text, text
    places = [part for part in said if "error:" in part]
    assert not places or len(caught.value.problems) == len(places), text


def test_others_reaches_down_and_what_is_missing_is_said() -> None:
    text = """\
format: 1
family: custom
types:
  tube: [t1, t2, t3]
  ball: [red, blue, none]
state:
  holds: {of: [tube, 1..2], in: ball, start: {t1: {1: red, 2: blue}, OTHERS}}
actions:
  empty: {set: {"holds[t1, 1]": none}}
goal: holds[t1, 1] == none
"""
    puzzle = load_text(text.replace("OTHERS", "others: none"))
    assert puzzle.board() == ("holds: 1     2", "  t1   red   blue", "  t2   none  none", "  t3   none  none")
    nested = load_text(text.replace("OTHERS", "t2: {1: red, others: none}, others: {others: none}"))
    assert nested.board()[2:] == ("  t2   red   none", "  t3   none  none")
    with pytest.raises(PuzzleError) as caught:
        load_text(text.replace(", OTHERS", ""), "f")
    assert str(caught.value).startswith("f:7:46: error: `holds[t2, 1]` and 3 more have no value\n")
    assert "help: give each a value, or the rest one for all: `others: ...`" in str(caught.value)


@pytest.mark.parametrize(
    ("drawn", "board"),
    [
        ("{x[p] if x[p] != none else '.' for p in 1..3}", "red . blue"),
        ("{'.' if x[p] == none else '!' if p == 3 else x[p] for p in 1..3}", "red . !"),
        ("{p * n if x[p] != none else '.' for p in 1..3}", "7 . 21"),
        ("{p if x[p] != none else '.' for p in 1..3}", "1.3"),
        ("{'R' if x[p] == red else '.' for p in 1..3}", "R.."),
    ],
)
def test_names_and_numbers_in_a_drawing_never_run_together(drawn: str, board: str) -> None:
    text = """\
format: 1
family: custom
types:
  colour: [red, blue, none]
state:
  x: {of: [1..3], in: colour, start: {1: red, 2: none, 3: blue}}
  n: {in: 0..9, start: 7}
draw: |
  DRAWN
actions:
  empty: {set: {"x[1]": none}}
goal: x[1] == none
"""
    assert load_text(text.replace("DRAWN", drawn)).board() == (board,)


# What is found only when a puzzle is grounded has its place, too

LIGHTS = """\
format: 1
family: custom
types: {cell: 1..30, hue: [red, blue]}
state: {lit: {of: cell, in: bool}, big: {of: cell, in: 0..9, start: 0}, n: {in: 0..9, start: 0}}
# Values that something can come to have: only these are looked at.
#
define: {}
actions:
  grow: {with: {c: cell}, set: {"big[c]": "(big[c] + 1) % 10", n: "(n + 1) % 10"}}
  go:
    with: {c: cell, h: hue}
    when: n < 9
    set:
      lit[c]: not lit[c]
    cost: 1
goal: all(lit)
""".replace("cell", "place").replace("define: {}\n", "")
PAIRS = "all(lit[a] != lit[b] or big[a] != big[b] for a in place for b in place if a < b)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "n < 9",
            f"{PAIRS} == (n == 1)",
            "11:11: error: this condition of the action `go` falls into too many",
        ),
        (
            "not lit[c]\n",
            f"not lit[c] and not ({PAIRS})\n",
            "13:15: error: this assignment of the action `go` falls into",
        ),
        ("cost: 1", "cost: sum(big)", "`sum` needs a loop"),
        ("cost: 1", "cost: sum(big[d] for d in place)", "14:11: error: this cost of the action `go` falls into too"),
        ("cost: 1", "cost: 5 - n", "14:11: error: this cost of the action `go` can be negative"),
        ("cost: 1", "cost: 6 // n", "14:11: error: this cost of the action `go` can have no value"),
        ("goal: all(lit)", "goal: count(lit) == 15", "15:7: error: this condition of `goal` falls into"),
        (
            "goal: all(lit)",
            f"always: {PAIRS.replace('!=', '==')} or n > 8\ngoal: all(lit)",
            "15:9: error: this condition of `always`",
        ),
        (
            "goal: all(lit)",
            "metrics: {fuel: {go: 3 - n}}\ngoal: all(lit)",
            "15:22: error: this price of the action `go` in fuel can be",
        ),
        (
            "with: {c: place, h: hue}",
            "with: {c: place, h: hue, p: 0..9999, q: 0..9999}",
            "9:3: error: the action `go` ",
        ),
    ],
)
def test_errors_of_grounding_have_their_place(old: str, new: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.leaves.MAX_WORK", 1_000_000)
    monkeypatch.setattr("budge.models.families.custom.leaves.MAX_CLAUSES", 2_000)
    assert LIGHTS.count(old) == 1
    with pytest.raises(PuzzleError) as caught:
        load_text(LIGHTS.replace(old, new), "f").task("fuel" if "fuel" in new else "moves")
    (problem,) = caught.value.problems
    text = str(caught.value)
    assert said.replace("50,000", "2,000") in text, text
    assert problem.hint
    assert "^" in text
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.problems) == (type(caught.value), text, caught.value.problems)


def test_a_chain_of_definitions_is_bounded_and_ends_with_a_message() -> None:
    for step in (1, -1):
        lines = [f"  d{i}: {f'd{i - 1} + 1' if i else 'n'}" for i in range(3000)][::step]
        text = GOOD.replace("define:\n", "define:\n" + "\n".join(lines) + "\n")
        with pytest.raises(PuzzleError, match="is nested too deeply, with the definitions that it uses"):
            load_text(text)
    circle = "\n".join(f"  d{i}: d{(i + 1) % 3000}" for i in range(3000))
    with pytest.raises(PuzzleError, match="`d0` is defined by itself"):
        load_text(GOOD.replace("define:\n", f"define:\n{circle}\n"))


@pytest.mark.parametrize(
    ("of", "start"), [("item", "{wolf: left, ' wolf': right, goat: left}"), ("0..1", "{0: left, 0x1: left, 1: right}")]
)
def test_an_argument_may_not_be_given_twice_in_other_words(of: str, start: str) -> None:
    text = GOOD.replace(
        "n: {start: 0, in: 0..3}", f"n: {{start: 0, in: 0..3}}\n  extra: {{of: {of}, in: bank, start: {start}}}"
    )
    with pytest.raises(PuzzleError, match=r"`extra` has the argument `\w+` twice"):
        load_text(text)
