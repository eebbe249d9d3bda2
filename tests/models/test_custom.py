"""Custom families: each concept of the language, what the compiler finds, the replay, rules in a file of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import Plan, PuzzleError, ReplayError, Status, UsageError, load, load_text, solve, verify
from budge.models.families.custom.leaves import Enumerator
from budge.models.families.custom.programs.task import programs
from budge.models.families.custom.puzzle import Act, Custom
from budge.models.families.custom.reading import remarks
from budge.models.families.custom.rules import CustomSimulator
from budge.models.library import shipped
from budge.models.plan import cost_in, end_of
from budge.models.task import GroupKind
from budge.proofs import games
from budge.proofs.core.limits import Limits
from budge.workflows.exploration import explore

from ..helpers.visited import exhausted

HEAD = "format: 1\nfamily: custom\n"
LIGHTS = """\
types:
  lamp: [a, b, c]
state:
  lit: {of: lamp, start: [b]}
  n: {in: 0..3}
"""


def puzzle_of(body: str) -> Custom:
    value = load_text(HEAD + body).value
    assert isinstance(value, Custom)
    return value


def optimum(body: str, metric: str | None = None) -> object:
    """The optimum by search; None if there is no plan."""
    solution = solve(load_text(HEAD + body), "plain", metric)
    assert solution.status in (Status.OPTIMAL, Status.UNSOLVABLE)
    return solution.cost


def lamps(condition: str, more: str = "", start: str = "[b]") -> object:
    """The least number of lamps to switch until a condition holds."""
    return optimum(
        f"types:\n  lamp: [a, b, c]\nstate:\n  lit: {{of: lamp, start: {start}}}\n{more}"
        "actions:\n  switch:\n    with: {x: lamp}\n    set:\n      lit[x]: not lit[x]\n"
        f"goal: {condition}\n"
    )


@pytest.mark.parametrize(
    ("condition", "cost"),
    [
        ("lit[a]", 1),
        ("not lit[b]", 1),
        ("all(lit)", 2),
        ("not any(lit)", 1),
        ("count(lit) == 3", 2),
        ("count(lit) != 1", 1),
        ("count(lit) >= 2 and not lit[b]", 3),
        ("all(lit[x] for x in lamp if x != b)", 2),
        ("any(lit[x] and lit[y] for x in lamp for y in lamp if x != y)", 1),
        ("sum(2 if lit[x] else 1 for x in lamp) == 5", 1),
        ("lit[a] == lit[b] and lit[b] == lit[c]", 1),
        ("lit[a] != lit[b] and lit[b] != lit[c]", 0),
        ("lit[c] if lit[a] else not lit[b]", 1),
        ("max(1 if lit[x] else 0 for x in lamp) == 0", 1),
        ("count(lit[x] for x in lamp if x in [a, c]) == 2", 2),
        ("any(lit[x] for x in [a, c])", 1),
        ("0 < count(lit) < 3 and lit[c]", 1),
        ("count(lit) % 2 == 0 and lit[a]", 1),
        ("different(lit[x] for x in [a, b])", 0),
        ("different(lit[x] for x in lamp)", None),
        ("not different(lit[x] for x in [b, c])", 1),
        ("different(lit[x] for x in lamp if lit[x])", 0),
        ("different(1 for x in lamp if not lit[x]) and lit[b]", 1),
        ("different(3 // (1 if lit[x] else 0) for x in lamp)", None),
        ("different(3 // (1 if lit[x] else 0) for x in lamp if lit[x])", 0),
        ("not different(3 // (1 if lit[x] else 0) for x in lamp)", 1),
        ("the(x for x in lamp if lit[x]) == c", 2),
        ("the(x for x in lamp if not lit[x]) == c", 1),
        ("lit[the(x for x in lamp if x > b)]", 1),
        ("the(x for x in lamp if not lit[x]) == c and not lit[the(x for x in lamp if x > a and lit[x])]", None),
        ("the(1 if lit[x] else 2 for x in [c, a] if x != a) == 1", 1),
        ("not the(lit[x] for x in lamp if lit[x])", None),  # it is true, or there is none: then it has no value
        ("the(3 // (1 if lit[y] else 0) for x in lamp if lit[x] for y in [a]) == 3", 1),
        ("first(x for x in lamp if lit[x]) == c", 2),
        ("first((x for x in lamp if lit[x]), c) == c", 1),
        ("the((1 for x in lamp if x > c), 2) == 2", 0),
        ("not first((lit[x] for x in lamp if lit[x]), false)", 1),
        ("not first((lit[x] for x in lamp if lit[x]), 1 // 0 == 1)", None),
        ("first((3 // (1 if lit[a] else 0) for x in lamp if lit[x]), 4) == 4", 1),  # a first one without a value is it
        ("first((3 // (1 if lit[a] else 0) for x in lamp if lit[x]), 4) == 3", 1),
    ],
)
def test_conditions(condition: str, cost: int | None) -> None:
    assert lamps(condition) == cost


@pytest.mark.parametrize(
    "loop", ["n in neighbours(there)", "n in neighbours(there + right)", "n in region(there, dark)"]
)
def test_a_loop_around_a_name_of_let_goes_to_other_cells(loop: str) -> None:
    """Its variable was once another name for the cell of `let` itself."""
    text = (
        "grid: |\n  @..\n  ...\nlegend: {'@': me}\nstate:\n  me: {in: cell}\n  lit: {of: cell}\n"
        "define:\n  dark:\n    with: {c: cell}\n    is: not lit[c]\n"
        f"actions:\n  light:\n    let: {{there: me}}\n    set:\n      lit[n] for {loop}: true\n"
        "goal: count(lit) >= 2\n"
    )
    assert optimum(text) == 1


def test_first_may_still_be_a_name() -> None:
    """A peg, a cell, a parameter or a definition may be called `first`, as `folding.family.yaml` has it."""
    more = "define:\n  last:\n    with: {first: lamp}\n    is: first(x for x in lamp if x > first) == c\n"
    assert lamps("last(b) and lit[c]", more) == 1
    assert lamps("first(c)", "define:\n  first:\n    with: {x: lamp}\n    is: lit[x]\n") == 1


def test_definitions_with_and_without_parameters() -> None:
    more = (
        "define:\n  off: {with: {x: lamp}, is: not on(x)}\n  on:\n    with: {y: lamp}\n    is: lit[y]\n"
        "  dark: all(off(x) for x in lamp)\n"
    )
    assert lamps("dark", more) == 1


@pytest.mark.parametrize(
    ("target", "value", "cost"),
    [
        ("n", "n + 2", 7),  # 1, 3, then down to 2, and 4: 5 is out of range
        ("n", "(n + 2) % 5", 4),
        ("n", "max(n, 4)", 1),
        ("n", "n * 2 + 1 if n < 2 else n + 1", 2),
        ("n", "4 // n", 1),
    ],
)
def test_numbers_stay_in_their_range(target: str, value: str, cost: int) -> None:
    found = optimum(
        "state:\n  n: {in: 0..4, start: 1}\n"
        f"actions:\n  go:\n    set:\n      {target}: {value}\n"
        "  down:\n    when: n > 2\n    set:\n      n: n - 1\n    cost: 5\n"
        "goal: n == 4\n"
    )
    assert found == cost


def test_assignments_read_the_state_before() -> None:
    body = (
        "types:\n  place: 1..3\nstate:\n  at: {of: place, in: 1..3, different: true, start: [3, 1, 2]}\n"
        "actions:\n  swap:\n    with: {p: 1..2}\n    set:\n      at[p]: at[p + 1]\n      at[p + 1]: at[p]\n"
        "goal: all(at[p] == p for p in place)\n"
    )
    assert optimum(body) == 2


def test_two_values_for_one_place_are_not_possible() -> None:
    body = (
        "types:\n  t: [a, b]\nstate:\n  lit: {of: t}\n"
        "actions:\n  both:\n    with: {x: t, y: t}\n    set:\n      lit[x]: true\n      lit[y]: x == y\n"
        "goal: lit[a]\n"
    )
    assert optimum(body) == 1
    assert CustomSimulator(puzzle_of(body)).play(Act("both", ("a", "a"))) == "both(a,a)"
    twice = CustomSimulator(puzzle_of(body.replace("lit[y]: x == y", "lit[x] for z in t: z == y")))
    with pytest.raises(ReplayError, match=r"gives `lit\[a\]` two values"):
        twice.play(Act("both", ("a", "a")))


@pytest.mark.parametrize("total", ["sum(w[y] for y in t)", "max(w[y] + 2 for y in t if y != x)", "min(5 for y in t)"])
def test_a_value_is_compared_with_a_total_of_constants(total: str) -> None:
    """Such a condition has a name of its own, y, that nothing outside binds: it counts all the same."""
    body = (
        "types:\n  t: [a, b]\nstate:\n  n: {in: 0..9, start: 0}\n  lit: {of: t}\n"
        "constants:\n  w: {of: t, in: 0..9, value: [2, 3]}\n"
        f"actions:\n  light:\n    with: {{x: t}}\n    when: n == {total}\n    set:\n      lit[x]: true\n"
        "  up:\n    set:\n      n: n + 1\ngoal: lit[a]\n"
    )
    assert optimum(body) == 6


def test_values_that_must_differ_are_those_of_their_own_table() -> None:
    """`n` leaves 1 while `at[1]` comes to be 1: that does not make the 1 of `at[2]` go away."""
    body = (
        "types:\n  place: 1..3\nstate:\n  at: {of: place, in: 1..3, different: true, start: [3, 1, 2]}\n"
        "  n: {in: 1..3, start: 1}\n"
        "actions:\n  wrong:\n    when: at[1] != 1\n    set:\n      at[1]: 1\n      n: 2\n"
        "  turn:\n    set:\n      at[p % 3 + 1] for p in place: at[p]\n"
        "goal: n == 2\n"
    )
    assert optimum(body) is None
    assert optimum(body.replace("when: at[1] != 1", "when: at[1] == 1")) == 3


def test_no_operator_needs_two_equal_values_or_none_where_there_is_one() -> None:
    at = "  at: {of: place, in: 1..MOST, different: true, start: [2, 1]}\n"
    for most, action in ((2, "when: n == 1"), (3, "when: at[x] == 2")):
        body = (
            f"types:\n  place: 1..2\nstate:\n{at.replace('MOST', str(most))}  n: {{in: 1..2, start: 1}}\n"
            f"actions:\n  first:\n    with: {{x: place}}\n    {action}\n    set:\n      at[x]: at[x] - 1\n"
            "  swap:\n    set:\n      at[1]: at[2]\n      at[2]: at[1]\n      n: 3 - n\ngoal: at[1] == 1 and n == 1\n"
        )
        puzzle = load_text(HEAD + body)
        task = puzzle.task("moves")
        task.validate()
        assert {op.name for op in task.operators} <= {"swap", "swap 2", "swap 3", "swap 4"}
        assert solve(puzzle, "plain").status is Status.UNSOLVABLE


def test_a_puzzle_in_which_nothing_can_be_done() -> None:
    body = (
        "types:\n  t: [a, b]\nconstants:\n  w: {of: t, in: 0..9, value: 1}\nstate:\n  lit: {of: t}\n"
        "actions:\n  light:\n    with: {x: t}\n    when: w[x] == 2\n    set:\n      lit[x]: true\ngoal: GOAL\n"
    )
    for goal, status in (("lit[a]", Status.UNSOLVABLE), ("not lit[a]", Status.OPTIMAL)):
        puzzle = load_text(HEAD + body.replace("GOAL", goal))
        assert {solve(puzzle, engine).status for engine in ("plain", "cp-sat", "bfs")} == {status}
        space = explore(puzzle).space
        assert space is not None
        assert space.states == 1


ROOM = """\
grid: |
  {}
legend:
  "@": me
  "G": goal
  "o": box
state:
  me: {{in: cell}}
  box: {{of: cell}}
constants:
  goal: {{of: cell}}
"""


def test_what_is_off_the_board_is_neither_true_nor_false() -> None:
    room = ROOM.format("@.G")
    step = "actions:\n  go:\n    with: {d: direction}\n    when: WHEN\n    set:\n      me: me + d\ngoal: goal[me]\n"
    assert optimum(room + step.replace("WHEN", "true")) == 2
    assert optimum(room + step.replace("WHEN", "not box[me + 2*d]")) is None
    assert optimum(room + step.replace("WHEN", "not box[me + 2*d] or me + 2*d not in cell")) == 2
    assert optimum(room + step.replace("WHEN", "me + d - d == me")) == 2


def test_slides_stop_before_what_is_in_the_way() -> None:
    room = ROOM.format("@..o\n  ....\n  ...G")
    rules = (
        "define:\n  free:\n    with: {c: cell}\n    is: not box[c]\n"
        "actions:\n  slide:\n    with: {d: direction}\n    when: slide(me, d, free) != me\n    set:\n"
        "      me: slide(me, d, free)\ngoal: goal[me]\n"
    )
    assert optimum(room + rules) == 2
    assert optimum(room + rules.replace("goal: goal[me]", "goal: me == cell(1, 3)")) == 1
    stop = rules.replace("when: slide(me, d, free) != me", "when: not free(slide(me, d, free) + d)")
    assert optimum(room + stop) is None


PUSHING = (
    ROOM.format("@.oG")
    + """\
actions:
  go:
    with: {d: direction}
    let:
      next: me + d
      behind: next + d
      pushes: box[next]
    when: not pushes or behind in cell and not box[behind]
    set:
      me: next
      box[next]: false
      box[behind]: true if pushes else box[behind]
    cost: 3 if pushes else 1
goal: goal[me]
"""
)


def test_names_in_actions() -> None:
    assert optimum(PUSHING.replace("goal: goal[me]", "goal: box[cell(1, 4)]")) == 4
    assert optimum(PUSHING) is None  # behind the box there is no room


def test_a_name_off_the_board_has_no_value() -> None:
    """`me + d - d` is where it ends; of a name, that is not asked."""
    room = ROOM.format("@.G")
    step = "actions:\n  go:\n    with: {d: direction}\n    LET\n    set:\n      me: me + d\ngoal: goal[me]\n"
    assert optimum(room + step.replace("LET", "when: me - d + d == me")) == 2
    assert optimum(room + step.replace("LET", "let: {before: me - d}\n    when: before + d == me")) is None


@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("all(not (lit[x] and lit[y]) for x in lamp for y in lamp if x < y)", 0),
        ("count(lit[x] or lit[y] for x in lamp for y in lamp if x < y) == 3", 1),
        ("count(true for x in lamp for y in lamp if x <= y) == 6", 0),
        ("any(lit[x] and x > b for x in lamp)", 1),
        ("c > b and b > a and not a >= b", 0),
        ("b < a", None),
    ],
)
def test_objects_are_in_the_order_of_their_type(goal: str, cost: int | None) -> None:
    assert lamps(goal) == cost


TRIANGLES = """\
types:
  place: [a, b, c, d]
  road: 1..7
state:
  taken: {of: road}
constants:
  one: {of: road, in: place, value: [a, b, c, a, c, d, d]}
  other_end: {of: road, in: place, value: [b, c, a, d, d, a, d]}
actions:
  take:
    with: {r: road}
    when: not taken[r]
    set:
      taken[r]: true
goal: GOAL
"""


@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("closed", 2),  # the two roads between a and d
        ("closed and taken[2]", 3),
        ("closed and taken[1] and not taken[3]", 4),
        ("closed and taken[3] and taken[4]", 3),
        ("closed and count(taken) == 5", None),
        ("closed and taken[7]", None),  # from d to d
        ("not closed", 0),
        ("not closed and count(taken) == 3", 3),
        ("loop((one[r], other_end[r]) for r in 1..3)", 0),
        ("loop((one[r], other_end[r]) for r in 1..3 if r != 2)", None),
        ("loop((r, (r + 1) % 3) for r in 0..2 if taken[r + 1])", 3),
        ("loop((r, 6 // (r % 3)) for r in 1..4 if taken[r])", None),
    ],
)
def test_closed_loops(goal: str, cost: int | None) -> None:
    closed = "loop((one[r], other_end[r]) for r in road if taken[r])"
    assert optimum(TRIANGLES.replace("GOAL", goal.replace("closed", closed))) == cost


WALLED = """\
grid: |
  @.#.
  .o.G
  ..##
legend:
  "@": me
  "G": goal
  "o": box
state:
  me: {in: cell}
  box: {of: cell}
  n: {in: 0..12, start: 0}
constants:
  goal: {of: cell}
  wall: {of: [cell, direction], value: {r1c1: [right], r2c1: [right, down]}}
define:
  free: {with: {c: cell}, is: "not box[c]"}
  alike: {with: {c: cell, e: cell}, is: "box[c] == box[e]"}
  open: {with: {c: cell, d: direction}, is: "not wall[c, d]"}
actions:
  take:
    with: {c: cell}
    when: box[c]
    set:
      box[c]: false
  look:
    set:
      n: count(true for c in region(me, TEST))
goal: GOAL
"""


@pytest.mark.parametrize(
    ("test", "goal", "cost"),
    [
        ("free", "n == 5", 1),
        ("alike", "n == 5", 1),
        ("free", "n == 9", 2),
        ("open", "n == 2", 1),
        ("free", "connected(me, cell(2, 4), free)", 1),
        ("free", "connected(me, cell(1, 4), alike) and n == 0", 1),
        ("free", "connected(cell(2, 2), cell(1, 2), free)", 0),
        ("free", "not connected(me, cell(2, 2), free)", 0),
        ("free", "not connected(me + up, me, free)", None),
        ("free", "any(goal[c] for c in region(me + right + down, open))", 0),
        ("free", "any(goal[c] for c in region(me + up, open))", None),
        ("free", "all(not box[c] for c in region(cell(1, 4), alike) if c != cell(1, 4))", 0),
    ],
)
def test_regions(test: str, goal: str, cost: int | None) -> None:
    assert optimum(WALLED.replace("TEST", test).replace("GOAL", goal)) == cost


def test_directions_of_ones_own() -> None:
    body = (
        "grid: |\n  @..\n  ...\n  ...\nlegend:\n  '@': knight\ndirections:\n  a: [1, 2]\n  b: [2, 1]\n"
        "  c: [-1, -2]\n  d: [-1, 2]\n"
        "state:\n  knight: {in: cell}\nactions:\n  jump:\n    with: {w: direction}\n    set:\n"
        "      knight: knight + w\n"
        "goal: knight == cell(1, 3)\n"
    )
    assert optimum(body) is None
    assert optimum(body.replace("d: [-1, 2]", "d: [-2, 1]")) == 2


SLIDING = """\
format: 1
family: custom
types: {distance: 1..3}
grid: |
  A...
  #.#.
legend: {"A": token}
state: {token: {in: cell}}
actions:
  slide:
    with: {d: direction, n: distance}
    when: all(token + i*d in cell for i in distance if i <= n)
    set: {token: token + n*d}
  home: {set: {token: r1c1}}
metrics:
  slides: [slide]
  steps: {slide: 1 if n == 1 else never, home: never}
goal: token == r2c4
"""
"""In `steps` the token moves by one cell, in `slides` as far as it can; home it jumps in slides only."""


def test_a_metric_chooses_among_actions() -> None:
    puzzle = load_text(SLIDING)
    for engine in ("plain", "bfs", "astar", "cp-sat"):
        assert [solve(puzzle, engine, metric).cost for metric in puzzle.metrics] == [2, 4, (4, 4), (4, 4)]
    assert {len(op.move.args) for op in puzzle.task("steps").operators if isinstance(op.move, Act)} == {2}
    assert len(programs(puzzle.value, puzzle.metric("steps")).actions) == 4
    plan = puzzle.parse_plan("slide(right,3) slide(down,1)")
    assert puzzle.replay(plan).costs == {"slides": 2}
    assert verify(puzzle, plan=plan, metric="slides", claim=2).problem is None
    assert "no cost in steps" in str(verify(puzzle, plan=plan, metric="steps").problem)
    assert not [line for line in remarks(puzzle.value, puzzle.task("steps")) if "never" in line and "home" in line]
    for metric, cost in (("slides", 2), ("steps", 4), ("steps,slides", 4)):
        goal = exhausted(games.puzzle_of(puzzle.to_yaml()), metric, None, Limits()).goal
        assert goal is not None
        assert goal[0] == cost


@pytest.mark.parametrize(
    "price", ["never if n == 1 else 2", "1 + never", "1 if n else never", "d if n == 1 else never"]
)
def test_never_is_a_price_of_its_own(price: str) -> None:
    with pytest.raises(PuzzleError):
        load_text(SLIDING.replace("1 if n == 1 else never", f"'{price}'"))


def test_costs_and_metrics() -> None:
    body = (
        "types:\n  who: [a, b]\nconstants:\n  pace: {of: who, in: 1..9, value: [2, 7]}\nstate:\n  over: {of: who}\n"
        "actions:\n  cross:\n    with: {x: who}\n    when: not over[x]\n    set:\n      over[x]: true\n"
        "    cost: pace[x]\n"
        "  rest:\n    set:\n      over[a]: false\n"
        'metrics:\n  minutes: cost\n  crossings: [cross]\n  fuel: {cross: "3 * pace[x]"}\n'
        "goal: all(over)\n"
    )
    puzzle = load_text(HEAD + body)
    assert puzzle.metrics == ("minutes", "crossings", "fuel")
    assert [optimum(body, metric) for metric in puzzle.metrics] == [9, 2, 27]
    assert puzzle.unit("crossings").one == "crossing"
    with pytest.raises(UsageError, match="has no metric `pushes`"):
        solve(puzzle, "plain", "pushes")


def test_a_walker_is_found_and_its_walks_are_replayed() -> None:
    puzzle = load("custom/sokoban-microban-1")
    task = puzzle.task("pushes")
    assert task.walker is not None
    assert task.walker.silent
    walker = puzzle.task("pushes,moves").walker
    assert walker is not None
    assert walker.cost == (0, 1)
    solution = solve(puzzle, "plain", "pushes")
    assert solution.cost == 8
    assert solution.replay is not None
    assert solution.replay.costs["moves"] >= 33
    assert puzzle.parse_plan(puzzle.plan_text(solution.replay)) == solution.plan
    assert [group.name for group in task.groups if group.kind == GroupKind.OBJECT] == ["box"]


@pytest.mark.parametrize(
    ("test", "cost"),
    [
        ("free: {with: {c: cell}, is: 'hue[c] == 0 or c == r1c4'}", 1),
        ("free: {with: {c: cell, d: direction}, is: 'hue[c] <= 1'}", 1),
        ("free: {with: {c: cell, n: cell}, is: 'hue[c] <= hue[n]'}", 1),
        ("free: {with: {c: cell, n: cell}, is: 'hue[c] == hue[n]'}", None),
    ],
)
def test_a_slide_asks_for_a_cell_or_a_step(test: str, cost: int | None) -> None:
    text = (
        f"{HEAD}grid: |\n  A..B\nlegend:\n  A: me\n  B: {{hue: 1}}\n"
        "constants:\n  hue: {of: cell, in: 0..1, value: 0}\n"
        f"state:\n  me: {{in: cell}}\ndefine:\n  {test}\nactions:\n  go:\n    with: {{d: direction}}\n"
        "    set:\n      me: slide(me, d, free)\ngoal: me == r1c4\n"
    )
    puzzle = load_text(text)
    for engine in ("plain", "astar", "cp-sat"):
        assert solve(puzzle, engine).cost == cost
    assert len(programs(puzzle.value, puzzle.metric("moves")).actions) == 4
    goal = exhausted(games.puzzle_of(puzzle.to_yaml()), "moves", None, Limits()).goal
    assert goal == (None if cost is None else (cost,))


def test_the_steps_of_a_walker_may_cost() -> None:
    """In moves each step of the player counts: the task is that of the built-in family, plans name the pushes."""
    puzzle = load("custom/sokoban-microban-1")
    task = puzzle.task("moves")
    assert task.walker is not None
    assert task.walker.cost == (1,)
    assert len(task.operators) == len(load("microban-001").task("moves").operators)
    for engine in ("plain", "bfs", "astar", "cp-sat"):
        solution = solve(puzzle, engine, "moves")
        assert (solution.cost, solution.replay and solution.replay.costs["moves"]) == (33, 33)
        assert solution.plan is not None
        assert len(solution.plan) == 8
        made = end_of(solution.plan, lambda: CustomSimulator(puzzle.value), Act).made
        assert len(made) == 33
        assert puzzle.replay(Plan(tuple(made))).costs["moves"] == 33


@pytest.mark.parametrize(
    ("custom", "built_in", "metric"),
    [("custom/rush-hour", "bird-2", "steps"), ("custom/klotski", "heng-dao-li-ma", "steps")],
)
def test_the_task_is_that_of_the_built_in_family(custom: str, built_in: str, metric: str) -> None:
    own, other = load(custom).task(metric), load(built_in).task(metric)
    assert (len(own.facts), len(own.operators)) == (len(other.facts), len(other.operators))


def test_a_piece_that_goes_on_makes_one_move() -> None:
    text = load("custom/klotski").to_yaml()
    for old, new in (
        ("  free: {of: cell}\n", "  free: {of: cell}\n  last: {in: cell, start: r5c2}\n"),
        ("      piece[c, s]: false\n", "      piece[c, s]: false\n      last: c + d\n"),
        ("  steps: [move]\n", "  steps: [move]\n  moves: {move: 0 if last == c else 1}\n"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    puzzle = load_text(text)
    assert [solve(puzzle, "bfs", metric).cost for metric in ("steps", "moves")] == [116, 81]


def test_rules_in_a_file_of_their_own(tmp_path: Path) -> None:
    rules = tmp_path / "lamps.family.yaml"
    rules.write_text(
        HEAD + "types:\n  lamp: []\nstate:\n  lit: {of: lamp}\n"
        "actions:\n  switch:\n    with: {x: lamp}\n    set:\n      lit[x]: not lit[x]\ngoal: all(lit)\n"
    )
    file = tmp_path / "three.yaml"
    file.write_text(
        "format: 1\nfamily: lamps.family.yaml\ntypes:\n  lamp: [a, b, c]\nstart:\n  lit: [b]\nexpect: {cost: 2}\n"
    )
    assert solve(load(file), "plain").cost == 2
    rules.write_text(rules.read_text().replace("lit[x]: not", "lit[y]: not"))
    with pytest.raises(PuzzleError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.column) == (str(rules), 11, 11)
    rules.write_text(f"{HEAD}types:\n  lit: [c]\n{rules.read_text().partition('types:')[2]}")
    with pytest.raises(PuzzleError, match=rf"`lit` is the name of a type already \(line {HEAD.count(chr(10)) + 2}\)"):
        load(file)
    file.write_text("format: 1\nfamily: lampz.family.yaml\n")
    with pytest.raises(PuzzleError, match=r"there is no file `lampz.family.yaml`"):
        load(file)


def test_plans_as_text() -> None:
    puzzle = load("custom/wolf-goat-cabbage")
    plan = puzzle.parse_plan("carry(goat) row; carry( cabbage ),carry(goat)\ncarry(wolf) row carry(goat)")
    assert puzzle.replay(plan).solved
    for text, message in {
        "carry": "`carry` takes x: item",
        "carry(goaf)": "`x` is of the type item, and cannot be `goaf`",
        "carri(goat)": "there is no action `carri`; did you mean `carry`?",
        "carry(goat) 7": "step 2: `7` is no action",
    }.items():
        with pytest.raises(ReplayError) as caught:
            puzzle.parse_plan(text)
        assert message in str(caught.value)
    with pytest.raises(ReplayError, match=r"condition 1 of `always`"):
        puzzle.replay(Plan((Act("carry", ("cabbage",)),)))
    with pytest.raises(ReplayError, match=r"the condition of `carry` does not hold"):
        puzzle.replay(Plan((Act("carry", ("goat",)), Act("carry", ("wolf",)))))


def test_an_initial_state_that_breaks_always_is_said() -> None:
    body = LIGHTS.replace("n: {in: 0..3}", "n: {in: 0..3, start: 2}") + (
        "actions:\n  go:\n    set:\n      n: n - 1\nalways: n < 2\ngoal: n == 0\n"
    )
    solution = solve(load_text(HEAD + body), "plain")
    assert solution.status is Status.UNSOLVABLE
    assert "condition 1 of `always`" in solution.proof


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "types:\n  n: 1..400\nstate:\n  at: {of: n}\nactions:\n  go:\n    with: {a: n, b: n, c: n}\n"
            "    set:\n      at[a]: not at[b] and at[c]\ngoal: all(at)\n",
            "the action `go`",
        ),
        (
            "types:\n  n: 1..9\nstate:\n  at: {of: n, in: 1..9, start: 1}\nactions:\n  mix:\n"
            "    set:\n      at[i] for i in n: (at[i] + at[10 - i]) % 9 + 1\ngoal: at[1] == 9\n",
            "the action `mix`",
        ),
        (
            "types:\n  n: 1..60\nstate:\n  at: {of: n}\nactions:\n  go:\n    with: {a: n}\n    when: count(at) == 30\n"
            "    set:\n      at[a]: true\n  flip:\n    with: {a: n}\n    set:\n      at[a]: not at[a]\ngoal: at[1]\n",
            "the action `go`",
        ),
    ],
)
def test_what_would_explode_is_answered(body: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.models.families.custom.leaves.MAX_WORK", 200_000)
    with pytest.raises(UsageError, match=message):
        load_text(HEAD + body).task("moves")


@pytest.mark.slow
def test_the_english_board_of_peg_solitaire() -> None:
    """Greedy search finds 31 jumps, and there is no other number: each takes a peg, and 31 of 32 have to go."""
    puzzle = load("custom/peg-solitaire")
    task = puzzle.task("moves")
    pegs = {fact for fact, name in enumerate(task.facts) if name.startswith("peg ")}
    assert len(pegs & set(task.init)) == 32
    assert all(len(pegs & set(op.delete)) - len(pegs & set(op.add)) == 1 for op in task.operators)
    found = solve(puzzle, "greedy")
    assert (found.cost, found.contradicts) == (31, None)


BOARD = """\
grid: |
  A.g
  ..#
legend:
  "#": wall
  ".": floor
  "A": A
  "g": {home: A}
types:
  piece: [A]
  way: [direction, none]
state:
  at: {of: piece, in: cell}
  rolling: {in: way, start: none}
  seen: {of: cell}
constants:
  home: {of: piece, in: cell}
"""


def test_an_object_alone_on_the_map_is_where_it_moves_from() -> None:
    """Of a table that changes and a constant, both with cells for an object, its name alone means the first."""
    puzzle = load_text(
        HEAD + BOARD + "actions:\n  go:\n    with: {d: direction}\n    set: {'at[A]': 'at[A] + d'}\n"
        "goal: at[A] == home[A]\n"
    )
    solution = solve(puzzle, "plain")
    assert solution.cost == 2
    assert solution.replay is not None
    assert puzzle.board() == ("A.g", "..#")
    assert solution.replay.steps[-1].board == ("..A", "..#")


@pytest.mark.parametrize(
    ("action", "goal", "cost"),
    [
        # A loop over the cells of a set, constant or not; a cell by its name.
        ("    with: {c: cell}\n    set: {'seen[c]': true}\n", "count(row(c) == 1 for c in seen) == 2", 2),
        ("    with: {c: cell}\n    when: all(c != s for s in seen)\n    set: {'seen[c]': true}\n", "all(seen)", 5),
        ("    with: {c: cell}\n    set: {'seen[c]': true}\n", "seen[r2c1] and r1c2 in seen", 2),
        # What can be a direction or something else is no direction then: nothing is seen before `rolling` is set.
        (
            "    with: {d: direction}\n    set: {rolling: d}\n"
            "  see:\n    set: {'seen[at[A] + rolling]': true}\n"
            "  slip:\n    set: {'seen[slide(at[A], rolling, open)]': true}\n"
            "define: {open: {with: {c: cell}, is: c in cell}}\n",
            "seen[r1c2] and seen[r1c3]",
            3,
        ),
    ],
)
def test_sets_cells_and_directions_as_values(action: str, goal: str, cost: int) -> None:
    assert optimum(f"{BOARD}actions:\n  go:\n{action}goal: {goal}\n") == cost


def test_every_box_on_a_target_is_on_every_target_a_box() -> None:
    """With as many boxes as targets, both goals give the same task, dead squares included."""
    text = shipped()["custom/sokoban-microban-1"].read_text(encoding="utf-8")
    said = text.replace("all(box[c] for c in cell if goal[c])", "all(goal[c] for c in box)")
    assert said != text
    one, other = (load_text(each).task("pushes") for each in (text, said))
    assert (one.facts, one.operators, one.goal) == (other.facts, other.operators, other.goal)


def test_arguments_and_values_counted_over_constants() -> None:
    """The variable of a loop within an argument or a value is not one that an action has to bind."""
    task = load_text(
        HEAD + "types:\n  t: [a, b, c]\n  k: 0..3\nconstants:\n  big: {of: t, value: [a, b]}\n"
        "state:\n  n: {in: k, start: 0}\n  lit: {of: k, start: [2]}\n"
        "actions:\n  next:\n    when: n == count(big[x] for x in t)\n    set:\n      n: n + 1\n"
        "  jump:\n    when: lit[count(big[x] for x in t)]\n    set:\n      n: 2\ngoal: n == 3\n"
    ).task("moves")
    changes = [(task.facts[op.delete[0]], task.facts[op.add[0]]) for op in task.operators]
    assert changes == [("n 2", "n 3"), ("n 0", "n 2"), ("n 3", "n 2")]


def test_a_goal_out_of_reach_is_named() -> None:
    task = load_text(
        HEAD + BOARD + "actions:\n  go:\n    set: {'seen[r1c1]': true}\ngoal: all(seen[c] for c in cell)\n"
    ).task("moves")
    assert task.unsolvable_because == "the goal needs a value that nothing can come to have, for c = r1c2"


@pytest.mark.parametrize(
    ("name", "metric", "changes", "work"),
    [("custom/rush-hour", "steps", 74, 25_000), ("custom/klotski", "steps", 188, 500_000)],
)
def test_only_what_can_be_reached_is_enumerated(name: str, metric: str, changes: int, work: int) -> None:
    """Of 10 vehicles on 36 cells, those of their lanes; of the cells of a board, those that a piece covers."""
    puzzle = load(name).value
    assert isinstance(puzzle, Custom)
    enumerator = Enumerator(puzzle, load(name).metric(metric))
    assert len(enumerator.changes()) == changes
    assert enumerator.steps < work


PRICED = """\
format: 1
family: custom
state:
  n: {in: 0..3, start: 0}
actions:
  go:
    when: n < 3
    set: {n: n + 1}
    cost: 6 // n
  jump:
    when: n < 2
    set: {n: n + 2}
    cost: 1 - n
metrics:
  effort: cost
  jumps: [jump]
goal: n == 3
"""
"""A step from 0 has no cost in `effort`, for 6 is divided by 0; a jump from 1 has one in both."""


def test_a_cost_without_a_value_matters_in_its_own_metric_alone() -> None:
    puzzle = load_text(PRICED)
    with pytest.raises(PuzzleError, match="9:11: error: this cost of the action `go` can have no value"):
        puzzle.task("effort")
    for engine in ("plain", "bfs", "astar", "cp-sat"):
        found = solve(puzzle, engine, "jumps")
        assert (found.outcome.status, found.cost) == (Status.OPTIMAL, 0)
        assert found.replay is not None
        assert found.replay.costs == {"jumps": 0}
    plan = Plan((Act("go", ()), Act("jump", ())))
    assert puzzle.replay(plan).costs == {"jumps": 1}
    assert verify(puzzle, plan=plan, metric="jumps", claim=1).problem is None
    assert "no cost in effort" in str(verify(puzzle, plan=plan, metric="effort").problem)
    with pytest.raises(ReplayError, match="no cost in effort"):
        cost_in(puzzle.replay(plan), "effort")
    paid = Plan((Act("jump", ()), Act("go", ())))
    assert puzzle.replay(paid).costs == {"effort": 4, "jumps": 1}
