"""Small domains of PDDL with a problem each, which use all that is read, and mutants of them."""

from __future__ import annotations

import random
import re
from typing import NamedTuple


class Pair(NamedTuple):
    """The texts of a domain and a problem."""

    domain: str
    problem: str


FERRY = Pair(
    """\
(define (domain ferry)
  (:requirements :typing :adl :action-costs)
  (:types car place - object  van - car)
  (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) (empty))
  (:functions (total-cost) - number (far ?a ?b - place) - number)
  (:action sail
    :parameters (?a ?b - place)
    :precondition (and (boat ?a) (not (= ?a ?b)))
    :effect (and (boat ?b) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
  (:action board
    :parameters (?c - car ?p - place)
    :precondition (and (at ?c ?p) (boat ?p) (empty))
    :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)))
  (:action leave
    :parameters (?p - place)
    :precondition (imply (empty) (exists (?c - van) (on ?c)))
    :effect (and (empty) (forall (?c - car) (when (on ?c) (and (at ?c ?p) (not (on ?c))))))))
""",
    """\
(define (problem one)
  (:domain ferry)
  (:objects red - car blue - van left right - place)
  (:init (at red left) (at blue left) (boat left) (empty)
         (= (total-cost) 0) (= (far left right) 3) (= (far right left) 2))
  (:goal (and (at red right) (forall (?v - van) (at ?v right))))
  (:metric minimize (total-cost)))
""",
)

CUPS = Pair(
    """\
; Cups are filled, poured and emptied.
(define (domain cups)
  (:requirements :strips)
  (:predicates (level ?cup ?n) (next ?n ?m) (cup ?c) (dry ?c))
  (:action fill
    :parameters (?c ?n ?m)
    :precondition (and (cup ?c) (level ?c ?n) (next ?n ?m))
    :effect (and (level ?c ?m) (not (level ?c ?n))))
  (:action pour ; one measure
    :parameters (?c ?d ?n ?m ?k ?l)
    :precondition (and (level ?c ?m) (level ?d ?k) (next ?n ?m) (next ?k ?l))
    :effect (and (level ?c ?n) (level ?d ?l) (not (level ?c ?m)) (not (level ?d ?k))))
  (:action rest :precondition () :effect (and)))
""",
    """\
(define (problem two-cups) (:domain cups)
  (:objects a b n0 n1 n2)
  (:init (cup a) (level a n0) (level b n0) (next n0 n1) (next n1 n2))
  (:goal (level b n2)))
""",
)

LAMPS = Pair(
    """\
(DEFINE (DOMAIN lamps)
  (:REQUIREMENTS :adl :negative-preconditions)
  (:types tool lamp - object switch - tool)
  (:constants Main - switch)
  (:predicates (lit ?l - lamp) (wired ?s - switch ?x) (used ?t - tool))
  (:action press
    :parameters (?s - switch)
    :precondition (or (not (used Main)) (forall (?l - lamp) (imply (lit ?l) (wired ?s ?l))))
    :effect (and (used ?s)
      (forall (?l - lamp)
        (and (when (and (wired ?s ?l) (lit ?l)) (not (lit ?l)))
             (when (and (wired ?s ?l) (not (lit ?l))) (lit ?l))))))
  (:action reset
    :parameters ()
    :precondition (and (used Main) (not (exists (?s - switch) (and (not (used ?s)) (wired ?s Main)))))
    :effect (forall (?t - tool) (not (used ?t)))))
""",
    """\
(define (problem three)
  (:domain LAMPS)
  (:objects side - switch red green - lamp)
  (:init (wired main red) (wired side red) (wired side green) (wired side main) (lit green))
  (:goal (and (lit red) (not (lit green)) (used main))))
""",
)

PAIRS = (FERRY, CUPS, LAMPS)

BLOCKS = Pair(
    """(define (domain blocks) (:predicates (on ?x ?y) (table ?x) (held ?x) (clear ?x) (free) (above ?x ?y))
  (:derived (clear ?x) (not (or (held ?x) (exists (?y) (on ?y ?x)))))
  (:derived (free) (not (exists (?x) (held ?x))))
  (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (on ?z ?y)))))
  (:action take :parameters (?x) :precondition (and (clear ?x) (free))
    :effect (and (held ?x) (not (table ?x)) (forall (?y) (when (on ?x ?y) (not (on ?x ?y))))))
  (:action stack :parameters (?x ?y) :precondition (and (held ?x) (clear ?y)) :effect (and (on ?x ?y) (not (held ?x))))
  (:action drop :parameters (?x) :precondition (held ?x) :effect (and (table ?x) (not (held ?x)))))""",
    """(define (problem three) (:domain blocks) (:objects a b c) (:init (on a b) (on b c) (table c))
  (:goal (and (above c a) (above c b) (not (clear a)) (free))))""",
)
"""With derived predicates, which not every reader knows."""

_PIECES = re.compile(r";[^\n]*|\s+|[()]|[^\s()]+")
_ODD = ("(", ")", "()", "(and", "?x", "?", "-", "either", "when", "(not", "3.5", "-1", "(=", ":effect", ":", ";", "\0")
_SIGNS = "()?-:=;a1\0\u00e9\t\n."


def mutant(pair: Pair, chance: random.Random) -> Pair:
    """A pair in whose texts one or two signs, words, brackets or lines are gone, doubled, swapped or odd ones."""
    texts = list(pair)
    which = chance.randrange(len(texts))
    for _ in range(chance.randint(1, 2)):
        cut = chance.choice([_signs, _words, _words, _lines])
        texts[which] = cut(texts[which], chance)
    return Pair(*texts)


def _changed(parts: list[str], chance: random.Random, odd: str) -> str:
    """Parts of which one is gone, doubled, swapped with another, replaced by an odd one, or has one beside it."""
    if not parts:
        return odd
    first, second = chance.randrange(len(parts)), chance.randrange(len(parts))
    match chance.randrange(5):
        case 0:
            del parts[first]
        case 1:
            parts.insert(first, parts[first])
        case 2:
            parts[first], parts[second] = parts[second], parts[first]
        case 3:
            parts[first] = odd
        case _:
            parts.insert(first, odd)
    return "".join(parts)


def _signs(text: str, chance: random.Random) -> str:
    return _changed(list(text), chance, chance.choice(_SIGNS))


def _words(text: str, chance: random.Random) -> str:
    return _changed(_PIECES.findall(text), chance, chance.choice(_ODD))


def _lines(text: str, chance: random.Random) -> str:
    return _changed(text.splitlines(keepends=True), chance, chance.choice(_ODD) + "\n")
