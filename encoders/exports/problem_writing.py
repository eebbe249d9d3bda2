"""Problems as those see them who write certificates: their text, and their states. (`proofs/core/` has its own.)"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from ...models.cells import shift
from ...models.errors import ReplayError
from ...models.families.custom.puzzle import Act
from ...models.moves import Chain, Move, Slide
from ...models.plan import Plan
from ...proofs.core.problem import HEAD, Action, Literals, Problem, is_copy

# Names of variables, values and actions in the text of a problem: words of `A-Z a-z 0-9 _ . : + * # @ $ / -`.
#
# A+1 from r1c1        A+1@r1c1             an operator of Rush Hour
# move(2,last)         move:2:last          an action with its parameters
# at[1]                at:1                 a variable of a program
# tile 7               tile.7               a group of facts
# A at r1c1, A at r1c2 r1c1, r1c2           the values of a variable: what its facts do not have in common

# The values of a fact that is a variable of its own.
NO, YES = "no", "yes"


CELL = re.compile(r"(r\d+)(c\d+)")


class Words:
    """Gives texts words, no two of them equal: `A`, and where that is taken `A*2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """A new word for a text, unlike all words given before."""
        word = unique = word_of(text)
        number = 1
        while unique in self._taken:
            number += 1
            unique = f"{word}*{number}"
        self._taken.add(unique)
        return unique


def words_of(texts: Sequence[str]) -> tuple[str, ...]:
    """A word for each of some texts, no two of them equal."""
    new = Words().new
    return tuple(new(text) for text in texts)


def word_of(text: str) -> str:
    """A text as one word; different texts may have the same word."""
    text = re.sub(r" (?:from|at) ", "@", text)
    text = re.sub(r"[)\]]", "", re.sub(r"[\[(]|, ?", ":", text))
    text = "".join(c if c.isascii() else f"u{ord(c):x}" for c in text)
    return re.sub(r"[^A-Za-z0-9_.:+*#@$/-]", "_", ".".join(text.split())) or "_"


def named_values(name: str, facts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The text of a variable and the words of its values, from the name of its group and the names of its facts."""
    negated = next((fact for fact in facts if f"not {fact}" in facts), None)
    if negated is not None and len(facts) == 2:
        return negated, tuple(YES if fact == negated else NO for fact in facts)
    name = name.removeprefix("cell ")
    split = [fact.split() for fact in facts]
    first = _alike(split)
    last = _alike([words[first:][::-1] for words in split])
    if any(len(words) <= first + last for words in split):
        return name, words_of(facts)
    own = [words[first : len(words) - last] for words in split]
    texts = [" ".join(words[:-1] if words[-1] == "at" and words[1:] else words) for words in own]
    cells = [CELL.fullmatch(text) for text in texts]
    for part in (1, 2):
        if len(texts) > 1 and all(cells) and len({cell[part] for cell in cells if cell}) == 1:
            texts = [cell[3 - part] for cell in cells if cell]
            break
    return name, words_of(texts)


def _alike(several: list[list[str]]) -> int:
    """With how many words in common some lists begin."""
    columns = zip(*several, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


# The number of its value for each variable.
State = tuple[int, ...]


def write(problem: Problem) -> str:
    """The text of a problem. Needs are sorted and not repeated, effects are by variable, sets are written the shorter
    way.
    """
    lines = [HEAD, "count " + " ".join(problem.counts)]
    lines += ["var " + " ".join((name, *domain)) for name, domain in zip(problem.names, problem.domains, strict=True)]
    lines += ["start " + " ".join(domain[value] for domain, value in zip(problem.domains, problem.start, strict=True))]
    lines += ["goal " + clause_text(problem, part) for part in sorted(set(problem.goal))]
    for action in problem.actions:
        words = ["act", action.name, ",".join(map(str, action.cost))]
        if action.needs:
            words += ["if", *(clause_text(problem, part) for part in sorted(set(action.needs)))]
        words.append("then")
        for x in sorted(action.effects):
            words += _effect_text(problem, x, action.effects[x])
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def clause_text(problem: Problem, literals: Literals, sign: str = "|") -> str:
    """Literals as the text has them."""
    return sign.join(_literal_text(problem, x, mask) for x, mask in literals)


def _literal_text(problem: Problem, x: int, mask: int) -> str:
    equal, domain = "=", problem.domains[x]
    if 2 * mask.bit_count() > len(domain):
        equal, mask = "!=", problem.full(x) & ~mask
    return problem.names[x] + equal + ",".join(domain[value] for value in values_in(mask))


def values_in(mask: int) -> list[int]:
    """The numbers of the values in a set: 0b101 has 0 and 2."""
    return [value for value in range(mask.bit_length()) if mask >> value & 1]


def _effect_text(problem: Problem, x: int, effects: tuple[tuple[Literals, int], ...]) -> list[str]:
    domains, effects = problem.domains, tuple(sorted(effects))
    if is_copy(domains, x, effects):
        return [f"{problem.names[x]}<{problem.names[effects[0][0][0][0]]}"]
    return [
        f"{problem.names[x]}={domains[x][value]}" + ("?" + clause_text(problem, when, "&") if when else "")
        for when, value in effects
    ]


def holds(state: State, clauses: Iterable[Literals]) -> bool:
    """Whether each clause has a literal that is true in a state."""
    return all(any(mask >> state[x] & 1 for x, mask in clause) for clause in clauses)


def after(state: State, action: Action) -> State:
    """The state after an action: all effects read the state before."""
    result = list(state)
    for x, effects in action.effects.items():
        for when, value in effects:
            if all(mask >> state[y] & 1 for y, mask in when):
                result[x] = value
    return tuple(result)


# The problem of a task, and plans as the names of its actions, a line each, with each step of a walk.


@dataclass(frozen=True, slots=True)
class Deed:
    """What an action is in terms of the puzzle. `walks`: plans may leave it out; `onward`: it goes on with a compound
    move; `case_of`: the number of the program of which it is a case.
    """

    move: Move | None
    walks: bool = False
    onward: bool = False
    case_of: int = -1


@dataclass(frozen=True)
class ProblemText:
    """A problem, and what its actions are. `moves_in`: for tasks with programs, the move that each program is in a
    state, by its number; what the state decides of a move is known only then.
    """

    problem: Problem
    deeds: tuple[Deed, ...]
    moves_in: Callable[[State], dict[int, Move]] | None = None

    @cached_property
    def text(self) -> str:
        """The canonical text."""
        return write(self.problem)

    def steps_of(self, plan: Plan) -> list[str]:
        """The names of the actions of a plan. Walks that it leaves out are made, the shortest ones; a compound move is
        as many actions as it has parts. Raises `ReplayError` for a plan that is not possible.
        """
        state, names, remaining = self.problem.start, list[str](), list(plan.moves)
        # Each move is looked for from the state that the ones before it have led to: actions depend on it.
        while remaining:
            number, move = 1 + len(plan.moves) - len(remaining), self._chain(state, remaining)
            del remaining[: len(move.singles)]
            for part, onward in self._parts(move):
                walk = self._way(state, part, onward)
                if walk is None:
                    raise ReplayError("it is no action of the problem there", number, str(move))
                state, more = walk
                names += more
        return names

    def _chain(self, state: State, moves: list[Move]) -> Move:
        """The move that a plan begins with: several of its moves if they are one action in a state."""
        for move in self.moves_in(state).values() if self.moves_in is not None else ():
            if isinstance(move, Chain) and list(move.singles) == moves[: len(move.singles)]:
                return move
        return moves[0]

    def _parts(self, move: Move) -> Iterator[tuple[Move, bool]]:
        """A move as moves that actions have, a path cell by cell; and whether each goes on with the one before."""
        if not isinstance(move, Slide) or len(move.path) < 2 or move in self._actions_of:
            yield move, False
            return
        cell, compound = move.cell, any(deed.onward for deed in self.deeds)
        for number, letter in enumerate(move.path):
            yield Slide(cell, letter), compound and number > 0
            cell = shift(cell, letter)

    @cached_property
    def _actions_of(self) -> dict[Move | None, list[int]]:
        """The actions of each move; of programs under None."""
        actions: dict[Move | None, list[int]] = {}
        for number, deed in enumerate(self.deeds):
            actions.setdefault(deed.move, []).append(number)
        return actions

    @cached_property
    def _walks(self) -> tuple[int, list[list[int]]]:
        """The actions that plans may leave out, by the value of a variable that all of them need (-1: all in one)."""
        actions = self.problem.actions
        walks = [number for number, deed in enumerate(self.deeds) if deed.walks]
        needed = [{clause[0][0]: clause[0][1] for clause in actions[n].needs if len(clause) == 1} for n in walks]
        # Such as where the player is: then only the walks from there are tried in a state, not all of them.
        common = set(needed[0]).intersection(*needed) if needed else set()
        if not common:
            return -1, [walks]
        x = max(common, key=lambda x: len({masks[x] for masks in needed}))
        values = range(len(self.problem.domains[x]))
        return x, [[n for n, masks in zip(walks, needed, strict=True) if masks[x] >> v & 1] for v in values]

    def _way(self, state: State, move: Move, onward: bool) -> tuple[State, list[str]] | None:
        """The state after a move and the names of its actions: a walk, and the move itself."""
        actions, (x, walks) = self.problem.actions, self._walks
        # Breadth-first over walks alone, so the first state that allows the move is reached by a shortest walk.
        came: dict[State, tuple[State, str] | None] = {state: None}
        waiting = deque([state])
        while waiting:
            here = waiting.popleft()
            for number in self._candidates(here, move, onward):
                if holds(here, actions[number].needs):
                    names, step = [actions[number].name], came[here]
                    while step is not None:
                        names.append(step[1])
                        step = came[step[0]]
                    return after(here, actions[number]), names[::-1]
            for number in walks[here[x] if x >= 0 else 0]:
                if holds(here, actions[number].needs):
                    there = after(here, actions[number])
                    if there not in came:
                        came[there] = here, actions[number].name
                        waiting.append(there)
        return None

    def _candidates(self, state: State, move: Move, onward: bool) -> list[int]:
        """The actions that may be a move in a state."""
        if self.moves_in is None:
            return [number for number in self._actions_of.get(move, ()) if self.deeds[number].onward == onward]
        if isinstance(move, Act) and move.at:
            if not any(domain[value] == move.at for domain, value in zip(self.problem.domains, state, strict=True)):
                return []
            move = Act(move.action, move.args)
        programs = {number for number, made in self.moves_in(state).items() if made == move}
        return [number for number in self._actions_of.get(None, ()) if self.deeds[number].case_of in programs]


def closed(
    metric: Sequence[str],
    names: Sequence[str],
    domains: Sequence[tuple[str, ...]],
    start: Sequence[int],
    goal: Iterable[Literals],
    actions: Sequence[Action],
) -> Problem:
    """A problem in the order of its text. A goal that can never hold, a clause without literals, is said by a variable
    that nothing changes; so is a problem that has no other one.
    """
    # A clause without literals would be no text; NO is value 0 of the new variable, and the clause asks for the other
    # one, whose mask is 2.
    clauses = set(goal)
    if () in clauses or not names:
        names, domains, start = words_of([*names, "possible"]), [*domains, (NO, YES)], [*start, 0]
        clauses = {((len(names) - 1, 2),)} if clauses else set()
    return Problem(words_of(metric), tuple(names), tuple(domains), tuple(start), tuple(sorted(clauses)), tuple(actions))
