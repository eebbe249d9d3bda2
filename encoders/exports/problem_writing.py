"""Problems as those see them who write certificates: their text, and their states. (`proofs/core/` has its own.)"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

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
    values = []
    while mask:
        first = mask & -mask
        values.append(domain[first.bit_length() - 1])
        mask ^= first
    return problem.names[x] + equal + ",".join(values)


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
