"""Tasks of programs."""

from __future__ import annotations

import random
from dataclasses import replace

from budge import load_text
from budge.models.families.custom.programs.task import programs
from budge.models.program import Machine, ProgramTask
from budge.models.puzzle import Puzzle


def task_of(puzzle: Puzzle) -> ProgramTask:
    return replace(programs(puzzle.value, puzzle.metric(puzzle.header.metric)), name="test")


def undoable(seed: int) -> str:
    """A definition of dials, cards and a walker, whose actions can be undone, with a goal that decides everything."""
    rng = random.Random(seed)
    marks = rng.randint(2, 4)
    free = rng.choice(["true", "dial[1] != 0", "card[1] != 2", "walker != r2c2", "dial[2] < dial[3] or walker == r1c1"])
    always = rng.choice(["", "always: dial[1] + dial[2] != 1\n", "always: card[2] != 3 or dial[3] == 0\n"])
    actions = {
        "turn": f"with: {{i: 1..3, s: 1..{marks - 1}}}, when: {free}|dial[i]: (dial[i] + s) % {marks}",
        "mirror": f"when: {free}|dial[1]: {marks - 1} - dial[1]",
        "cross": "|dial[1]: dial[2];dial[2]: dial[1];walker: other_end[walker]",
        "rotate": "|card[p] for p in 1..3: card[p % 3 + 1]",
        "swap": f"with: {{p: 1..2}}, when: {free}|card[p]: card[p + 1];card[p + 1]: card[p]",
        "step": "with: {d: direction}|walker: walker + d",
        "both": f"with: {{d: [up, down]}}|walker: walker + d;dial[3]: (dial[3] + 1) % {marks}",
    }
    chosen = rng.sample(list(actions), rng.randint(2, 4))
    text = f"""\
format: 1
family: custom
types:
  suit: 1..3
grid: |
  {rng.choice(["..", ".#"])}.
  ...
constants:
  other_end: {{of: cell, in: cell, value: {{r1c1: r2c3, r2c3: r1c1, others: r1c3}}}}
state:
  dial: {{of: 1..3, in: 0..{marks - 1}, start: {[rng.randrange(marks) for _ in range(3)]}}}
  card: {{of: 1..3, in: suit, different: {rng.choice(["true", "false"])}, start: {rng.sample([1, 2, 3], 3)}}}
  walker: {{in: cell, start: r1c1}}
{always}actions:
"""
    for name in chosen:
        head, _, body = actions[name].partition("|")
        text += f"  {name}:\n"
        for part in ("with", "when"):
            if f"{part}: " in head:
                text += f"    {part}: " + head.split(f"{part}: ")[1].split(", when")[0] + "\n"
        text += "    set:\n" + "".join(f"      {line}\n" for line in body.split(";"))
    dials, cards = [rng.randrange(marks) for _ in range(3)], rng.sample([1, 2, 3], 3)
    if rng.random() < 0.8:  # one that can be reached, where the walker allows it
        dials, cards = after_some_steps(load_text(text + "goal: walker == r1c1\n"), rng)
    goal = [f"dial[{i + 1}] == {value}" for i, value in enumerate(dials)]
    goal += [f"card[{i + 1}] == {value}" for i, value in enumerate(cards)]
    if rng.random() < 0.8:
        goal.append(f"walker == {rng.choice(['r1c1', 'r2c1', 'r2c3', 'r1c3'])}")
    return text + "goal:\n" + "".join(f"  - {condition}\n" for condition in goal)


def after_some_steps(puzzle: Puzzle, rng: random.Random) -> tuple[list[int], list[int]]:
    """The dials and cards of a definition after a random walk."""
    task = task_of(puzzle)
    machine, state = Machine(task), task.init
    for _ in range(8):
        after = machine.after(state, rng.choice(task.actions))
        state = after or state
    return list(state[:3]), list(state[3:6])
