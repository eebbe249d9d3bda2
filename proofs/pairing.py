"""Which variable of a problem text stands for which place of the rules, and which values its words are: by their names.

    var at.H r1c1 r1c2                                    the place at[H], and its values
    var at/in.pkg1 at.pkg1.a at.pkg1.b in.pkg1.truck      three atoms, one of which is true: the value says which

That is a guess, which needs no trust: with a wrong one nothing is derived (`derivation`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

from .acting import ActingGame, written
from .core.problem import Problem
from .reading import CELL_NAME
from .terms import Value

NUMBERED = re.compile(r"[.*]\d+$")
"""The ending of names that several actions of the text have in common: `slide:H:up.2`."""


class NotDerivedError(Exception):
    """The text was not shown to have every plan of the puzzle, which says nothing against it."""


def word_of(text: str) -> str:
    """An action or an entry of a table as one word, as problem texts have them: `move:2:last` for `move(2,last)`."""
    return text.translate({ord("("): ":", ord("["): ":", ord(","): ":", ord(")"): None, ord("]"): None})


def paired(rules: ActingGame, problem: Problem) -> tuple[list[int], list[tuple[Value, ...]]]:
    """For each variable of the text a place, and the values that its values are: of one that says which of some atoms
    is true a new place, and the places of the atoms. Raises `NotDerivedError`.
    """
    places: list[int] = []
    values: list[tuple[Value, ...]] = []
    taken = {rules.names[name] for name in problem.names if name in rules.names}
    free = [place for place in range(len(rules.start)) if place not in taken]
    for name, words, start in zip(problem.names, problem.domains, problem.start, strict=True):
        if name not in rules.names and (some := _atoms_of(rules, name, words, start)):
            place = len(rules.start) + len(places)
        else:
            for place in [rules.names[name]] if name in rules.names else free:
                some = which_values(words, rules.domains[place], rules.start[place], start, rules.words)
                if some is not None:
                    break
            else:
                raise NotDerivedError(f"it is not known what the variable `{name}` of the text says of the puzzle")
        places.append(place)
        values.append(some)
    if len(set(places)) < len(places):
        raise NotDerivedError("two variables stand for one place")
    return places, values


def _atoms_of(rules: ActingGame, name: str, words: Sequence[str], first: int) -> tuple[Value, ...] | None:
    """For each value of a variable the place of the atom that it stands for: `A=r1c1` for piece[r1c1, A]."""
    if (atoms := rules.owners.get(name)) is None:
        return which_atom(rules, name, words)
    start = next((value for value, place in atoms.items() if rules.start[place]), None)
    some = None if start is None else which_values(words, list(atoms), start, first, rules.words)
    return some and tuple([atoms[value] for value in some])


def which_atom(rules: ActingGame, name: str, words: Sequence[str]) -> tuple[Value, ...] | None:
    """For each value of a variable the place of the atom that it stands for (-1: of none); None if it is not known.

    The name has predicates and the objects that the atoms share; the words are atoms, without the words at the
    beginning and the end in which all are alike.
    """
    head, *shared = re.sub(r"\*\d+$", "", name).split(".")
    if "/" not in head and all(head != atom[0] for atom in rules.atoms.values()):
        shared.append(head)
    met = {place: atom for place, atom in rules.atoms.items() if True in rules.reached[place]}
    able = {place: atom for place, atom in met.items() if head in (atom[0], *shared) or "/" in head}
    able = {place: atom for place, atom in able.items() if {*shared} <= {*atom[1:]}}
    longest = max(map(len, able.values()), default=0)
    for first, last in product(range(longest), repeat=2):
        said = defaultdict[str, list[int]](list, nothing=[-1])
        for place, atom in able.items():
            if first + last < len(atom):
                said[".".join(atom[first : len(atom) - last])].append(place)
        if all(len(said.get(word, ())) == 1 for word in words):
            return tuple(said[word][0] for word in words)
    return None


def which_values(
    words: Sequence[str], domain: Sequence[Value], start: Value, first: int, called: Mapping[str, Value]
) -> tuple[Value, ...] | None:
    """The values of a place that words stand for: `r2c3`; `c3` where all are in one row; or what is left."""
    known = {word: value for word, value in called.items() if value in domain}
    for value in domain:
        known[written(value)] = value
        if isinstance(value, tuple) and isinstance(start, tuple):
            row, column = CELL_NAME.fullmatch(written(value)).groups()  # type: ignore[union-attr]
            if value[0] == start[0]:
                known[f"c{column}"] = value
            if value[1] == start[1]:
                known[f"r{row}"] = value
    if len(words) == len(domain) == 2 and not known.keys() >= set(words):
        # `yes` and `no`, or `box` and `free`: the start says which is which.
        known |= {words[first]: start, words[1 - first]: next(value for value in domain if value != start)}
    unknown = [word for word in words if word not in known]
    left = [value for value in domain if value not in {known.get(word) for word in words}]
    if len(unknown) == len(left) == 1:
        known[unknown[0]] = left[0]
    some = tuple([known[word] for word in words if word in known])
    return some if len(some) == len(words) and len(set(some)) == len(words) and some[first] == start else None
