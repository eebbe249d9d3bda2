"""A family from outside the package: jugs of water, poured into each other until one holds the right amount.

This is all that it takes to add a family, in the order in which to write it: a value, its moves, its rules, its task,
its file, its notation, and the record that ties them together. Nothing here is about boards and cells.

    format: 1
    family: jugs
    capacity: [8, 5, 3]     # litres; the first jug is A
    start: [8, 0, 0]        # what is in them
    goal: 4                 # litres that one of them must hold in the end
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from budge.models.cells import Cell
from budge.models.documents.compose import Sequence
from budge.models.documents.fields import LIST, NUMBER, Fields, Header, Key, integer
from budge.models.errors import ReplayError
from budge.models.family import Drawing, Family, Form, Notation
from budge.models.moves import Metric, Move, Unit
from budge.models.plan import Plan, Simulator
from budge.models.task import ExactlyInvariant, GroupKind, OperatorTask, TaskBuilder, operator

Amounts = tuple[int, ...]


# 1. The value: a puzzle, frozen, without its name and credits (those are in the header).


@dataclass(frozen=True)
class Jugs:
    """Jugs A, B, ... with what they can hold and what they hold; one of them must come to hold `goal`."""

    capacity: Amounts
    start: Amounts
    goal: int

    def goal_text(self) -> tuple[str, ...]:
        return (f"a jug holds {self.goal}",)


def letter(jug: int) -> str:
    return "ABCDEFGH"[jug]


# 2. The moves: what passes from an engine's plan to the rules. `kind` is their name in JSON.


@dataclass(frozen=True, slots=True)
class Pour(Move):
    """Pour one jug into another, until the one is empty or the other is full."""

    kind: ClassVar[str] = "pour"
    source: int
    target: int


# 3. The rules: written from the definition of the puzzle, without a look at the task. They judge every plan.


class JugsSimulator(Simulator[Pour]):
    """Jugs in play."""

    def __init__(self, puzzle: Jugs) -> None:
        self.puzzle = puzzle
        self.amounts = list(puzzle.start)
        self.costs = {"pours": 0}

    def play(self, move: Pour) -> str:
        room = self.puzzle.capacity[move.target] - self.amounts[move.target]
        poured = min(room, self.amounts[move.source])
        if move.source == move.target or poured == 0:
            raise ReplayError(f"nothing can be poured from {letter(move.source)} to {letter(move.target)}")
        self.amounts[move.source] -= poured
        self.amounts[move.target] += poured
        self.costs["pours"] += 1
        return f"{letter(move.source)}>{letter(move.target)}"

    def moves(self, of: Cell | None = None) -> list[Pour]:
        jugs = range(len(self.amounts))
        room = [size - held for size, held in zip(self.puzzle.capacity, self.amounts, strict=True)]
        return [Pour(a, b) for a in jugs for b in jugs if a != b and self.amounts[a] and room[b]]

    def board(self) -> tuple[str, ...]:
        """A row for each jug: `B ##...` is jug B with 2 of 5."""
        rows = zip(self.amounts, self.puzzle.capacity, strict=True)
        return tuple(f"{letter(i)} {'#' * held}{'.' * (size - held)}" for i, (held, size) in enumerate(rows))

    @property
    def solved(self) -> bool:
        return self.puzzle.goal in self.amounts


# 4. The task: facts, groups of facts of which exactly one is true, operators. Engines read nothing else.


def ground(puzzle: Jugs, metric: Metric) -> OperatorTask:
    """Facts: each jug holds each amount. Operators: a pour for each two jugs and what they may hold before it."""
    builder = TaskBuilder()
    holds = [[builder.fact(f"{letter(i)} holds {n}") for n in range(c + 1)] for i, c in enumerate(puzzle.capacity)]
    operators = []
    for a, facts in enumerate(holds):
        for b, others in enumerate(holds):
            for here in range(1, len(facts)):
                for there in range(len(others) - 1):
                    poured = min(here, len(others) - 1 - there)
                    if a == b:
                        continue
                    operators.append(
                        operator(
                            f"pour {letter(a)} ({here}) into {letter(b)} ({there})",
                            pre=(facts[here], others[there]),
                            add=(facts[here - poured], others[there + poured]),
                            delete=(facts[here], others[there]),
                            move=Pour(a, b),
                        )
                    )
    return OperatorTask(
        name="",
        facts=builder.names,
        groups=tuple(ExactlyInvariant(letter(i), GroupKind.OBJECT, tuple(facts)) for i, facts in enumerate(holds)),
        operators=tuple(operators),
        init=tuple(facts[n] for facts, n in zip(holds, puzzle.start, strict=True)),
        goal=(tuple(facts[puzzle.goal] for facts in holds if puzzle.goal < len(facts)),),
        metric=metric.components,
    )


# 5. The file: its keys, reading it with everything that can be wrong, writing it.

KEYS = (
    Key("capacity", LIST, "what each jug can hold, in litres", required=True),
    Key("start", LIST, "what each jug holds at first", required=True),
    Key("goal", NUMBER, "litres that one of the jugs must hold in the end", required=True),
)


def read(fields: Fields, header: Header) -> tuple[Header, Jugs]:
    report = fields.report
    capacity, start = _amounts(fields, "capacity"), _amounts(fields, "start")
    goal = fields.integer("goal", required=True, example="goal: 4")
    node = fields.mapping.get("start")
    if capacity and start and len(start) != len(capacity):
        report.error(node, f"`start` has {len(start)} jugs, `capacity` has {len(capacity)}", "name each jug in both")
    elif any(n > most for n, most in zip(start, capacity, strict=False)):
        report.error(node, "a jug holds more than it can", "make `start` at most `capacity`, jug by jug")
    report.raise_if_any()
    assert goal is not None
    return header, Jugs(capacity, start, goal)


def _amounts(fields: Fields, key: str) -> Amounts:
    node = fields.node(key, required=True, example=f"{key}: [8, 5, 3]")
    items = node.items if isinstance(node, Sequence) else [node] if node else []
    numbers = (integer(item, fields.report, f"`{key}`", maximum=100) for item in items)
    return tuple(n for n in numbers if n is not None)


def write(puzzle: Jugs, board: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    start = [row.count("#") for row in board]
    return {"capacity": str(list(puzzle.capacity)), "start": str(start), "goal": str(puzzle.goal)}


# 6. The notation: plans as people write them.


def parse(puzzle: Jugs, text: str) -> Plan:
    letters = [letter(jug) for jug in range(len(puzzle.capacity))]
    moves = []
    for number, word in enumerate(text.split(), 1):
        source, _, target = word.partition(">")
        if source not in letters or target not in letters:
            raise ReplayError(f"step {number} (`{word}`) is no pour; write two of {' '.join(letters)}, as `A>B`")
        moves.append(Pour(letters.index(source), letters.index(target)))
    return Plan(tuple(moves))


# 7. The record.


def to_text(header: Header, puzzle: Jugs) -> str:
    """A format of another program, for `budge export --to litres`."""
    return f"{header.name}: {' '.join(map(str, puzzle.capacity))}\n"


FAMILY: Family[Jugs, Pour] = Family(
    name="jugs",
    title="Jugs",
    sentence="Water is poured from jug to jug until one of them holds the right amount.",
    metrics=(Metric((Unit("pour", "pours"),)),),
    moves=Pour,
    keys=KEYS,
    sample="format: 1\nfamily: jugs\ncapacity: [2, 1]\nstart: [2, 0]\ngoal: 1\n",
    read=read,
    ground=ground,
    simulate=JugsSimulator,
    goal=Jugs.goal_text,
    write=write,
    notation=Notation("two jugs, from which and into which: `A>B B>C`", parse),
    drawing=Drawing("map", colours={"#": "blue", ".": "grey"}),
    forms=(Form("litres", (".txt",), "jugs as a text", write=to_text),),
)
