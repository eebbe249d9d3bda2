"""A chain of links in a square, in PDDL: a joint turns all behind it, link by link, in two passes of bookkeeping."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

Chain = tuple[tuple[int, int], ...]

WAYS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}
NAMES = [*WAYS]

DOMAIN = """(define (domain chain)
(:requirements :adl :action-costs)
(:types node coord way turn)
(:constants up right down left - way clock counter - turn)
(:predicates (next-way ?w - way ?t - turn ?v - way) (after ?a ?b - coord) (last ?n - node) (link ?m ?n - node)
  (at ?n - node ?x ?y - coord) (heading ?n - node ?w - way) (vacant ?x ?y - coord)
  (busy) (turning ?from - node ?t - turn ?n - node) (placing ?n - node))
(:functions (total-cost) - number)
(:action fold :parameters (?n - node ?t - turn ?w ?v - way)
  :precondition (and (not (busy)) (next-way ?w ?t ?v) (heading ?n ?w))
  :effect (and (not (heading ?n ?w)) (heading ?n ?v) (busy) (turning ?n ?t ?n) (increase (total-cost) 1)))
(:action lift :parameters (?from - node ?t - turn ?m ?n - node ?x ?y - coord ?w ?v - way)
  :precondition (and (link ?m ?n) (next-way ?w ?t ?v) (turning ?from ?t ?m) (at ?n ?x ?y) (heading ?n ?w))
  :effect (and (not (turning ?from ?t ?m)) (turning ?from ?t ?n) (not (at ?n ?x ?y)) (vacant ?x ?y)
    (not (heading ?n ?w)) (heading ?n ?v)))
(:action lift-last :parameters (?from - node ?t - turn ?m ?n - node ?x ?y - coord)
  :precondition (and (last ?n) (link ?m ?n) (turning ?from ?t ?m) (at ?n ?x ?y))
  :effect (and (not (at ?n ?x ?y)) (vacant ?x ?y) (not (turning ?from ?t ?m)) (placing ?from)))
(:action place :parameters (?m - node ?x ?y - coord ?w - way ?n - node ?u ?v - coord)
  :precondition (and (link ?m ?n) (placing ?m) (at ?m ?x ?y) (heading ?m ?w) (vacant ?u ?v)
    (or (and (= ?w up) (= ?x ?u) (after ?y ?v)) (and (= ?w down) (= ?x ?u) (after ?v ?y))
      (and (= ?w left) (= ?y ?v) (after ?u ?x)) (and (= ?w right) (= ?y ?v) (after ?x ?u))))
  :effect (and (not (placing ?m)) (placing ?n) (not (vacant ?u ?v)) (at ?n ?u ?v)))
(:action done :parameters (?n - node) :precondition (and (last ?n) (placing ?n))
  :effect (and (not (placing ?n)) (not (busy)))))"""


def problem(chain: Chain, goal: Chain, side: int) -> str:
    """The problem of turning a chain into another one, in a square with coordinates 1 to `side`."""
    nodes, coords = [f"n{n}" for n in range(len(chain))], [f"c{c}" for c in range(1, side + 1)]
    facts = [
        f"(next-way {NAMES[n]} clock {NAMES[n + 1 & 3]}) (next-way {NAMES[n]} counter {NAMES[n - 1]})" for n in range(4)
    ]
    facts += [f"(after c{c} c{c + 1})" for c in range(1, side)]
    facts += [f"(link {m} {n})" for m, n in pairwise(nodes)] + [f"(last {nodes[-1]})"]
    facts += [f"(at {n} c{x} c{y})" for n, (x, y) in zip(nodes, chain, strict=True)]
    facts += [f"(heading n{n} {NAMES[way]})" for n, way in enumerate(headings(chain))]
    facts += [f"(vacant c{x} c{y})" for x in range(1, side + 1) for y in range(1, side + 1) if (x, y) not in chain]
    wanted = " ".join(f"(at {n} c{x} c{y})" for n, (x, y) in zip(nodes, goal, strict=True))
    return (
        f"(define (problem p) (:domain chain) (:objects {' '.join(nodes)} - node {' '.join(coords)} - coord)\n"
        f"(:init (= (total-cost) 0) {' '.join(facts)})\n"
        f"(:goal (and {wanted} (not (busy)))) (:metric minimize (total-cost)))"
    )


def headings(chain: Chain) -> list[int]:
    """The ways of the links."""
    steps = [*WAYS.values()]
    return [steps.index((b[0] - a[0], b[1] - a[1])) for a, b in pairwise(chain)]


def straightened(ways: list[int], start: tuple[int, int]) -> Chain:
    """The chain whose links have these ways."""
    steps, chain = [*WAYS.values()], [start]
    for way in ways:
        chain.append((chain[-1][0] + steps[way][0], chain[-1][1] + steps[way][1]))
    return tuple(chain)


def folds(chain: Chain, side: int) -> dict[Chain, int]:
    """The least number of folds to each chain that is reached."""
    distance, waiting = {chain: 0}, deque([chain])
    while waiting:
        chain = waiting.popleft()
        ways = headings(chain)
        for joint in range(len(ways)):
            for turn in (1, -1):
                turned = [(way + turn) & 3 if n >= joint else way for n, way in enumerate(ways)]
                after = straightened(turned, chain[0])
                inside = all(1 <= x <= side and 1 <= y <= side for x, y in after)
                if inside and len({*after}) == len(after) and after not in distance:
                    distance[after] = distance[chain] + 1
                    waiting.append(after)
    return distance
