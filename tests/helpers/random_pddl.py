"""Random small PDDL problems, as two texts: every part that is read, in any combination."""

from __future__ import annotations

import random

PREDICATES = {"lit": ("thing",), "at": ("thing", "place"), "open": ("place",), "near": ("place", "place"), "ready": ()}
TYPES = {"thing": ("a", "b"), "place": ("p", "q", "r"), "heavy": ("b",)}


class Problems:
    """Makes one domain with one problem. `inner_costs`: with costs under `when` and `forall`, too."""

    def __init__(self, seed: int, *, inner_costs: bool = False) -> None:
        self.random, self.inner_costs = random.Random(seed), inner_costs
        self.fresh = 0

    def texts(self) -> tuple[str, str]:
        """The domain and the problem."""
        priced = self.random.random() < 0.6
        actions = [self.action(f"go{n}", priced) for n in range(self.random.randint(2, 6))]
        atoms = [atom for atom in self.every_atom() if self.random.random() < 0.35]
        prices = [f"(= (price {one}) {self.random.randint(0, 3)})" for one in TYPES["place"]] if priced else []
        goal = self.goal(atoms)
        return (
            f"""(define (domain toy)
  (:requirements :adl :action-costs)
  (:types thing place - object heavy - thing)
  (:constants a - thing p - place)
  (:predicates (lit ?x - thing) (at ?x - thing ?p - place) (open ?p - place) (near ?p ?q - place) (ready))
  (:functions (total-cost) - number (price ?p - place) - number)
  {" ".join(actions)})
""",
            f"""(define (problem small)
  (:domain toy)
  (:objects b - heavy q r - place)
  (:init {" ".join(atoms)} {" ".join(prices)})
  (:goal {goal})
  {"(:metric minimize (total-cost))" if priced else ""})
""",
        )

    def every_atom(self) -> list[str]:
        found = ["(ready)", *[f"(lit {x})" for x in TYPES["thing"]], *[f"(open {p})" for p in TYPES["place"]]]
        found += [f"(at {x} {p})" for x in TYPES["thing"] for p in TYPES["place"]]
        return found + [f"(near {p} {q})" for p in TYPES["place"] for q in TYPES["place"]]

    def goal(self, atoms: list[str]) -> str:
        """A condition, most often one that a few changes make true."""
        if self.random.random() < 0.2:
            return self.condition({"thing": [], "place": []}, 2)
        wanted = self.random.sample([one for one in self.every_atom() if "near" not in one], self.random.randint(1, 2))
        literals = [f"(not {one})" if one in atoms else one for one in wanted]
        return f"(and {' '.join(literals)})"

    def term(self, kind: str, names: dict[str, list[str]]) -> str:
        return self.random.choice([*TYPES[kind], *names[kind] * 4])

    def atom(self, names: dict[str, list[str]], changes: bool = False) -> str:
        """An atom with objects and variables; one that may change has no `near`."""
        predicate = self.random.choice([name for name in PREDICATES if not changes or name != "near"])
        return f"({' '.join([predicate, *[self.term(kind, names) for kind in PREDICATES[predicate]]])})"

    def inner(self, names: dict[str, list[str]]) -> tuple[str, dict[str, list[str]]]:
        """A variable of a quantifier, and the names with it."""
        self.fresh += 1
        kind, name = self.random.choice(list(TYPES)), f"?v{self.fresh}"
        of = "thing" if kind == "heavy" else kind
        return f"({name} - {kind})", {**names, of: [*names[of], name]}

    def condition(self, names: dict[str, list[str]], depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.35:
            atom = self.atom(names)
            return atom if self.random.random() < 0.7 else f"(not {atom})"
        if kind < 0.6:
            parts = [self.condition(names, depth - 1) for _ in range(self.random.randint(0, 3))]
            return f"({self.random.choice(['and', 'and', 'or'])} {' '.join(parts)})"
        if kind < 0.7:
            return f"(imply {self.condition(names, depth - 1)} {self.condition(names, depth - 1)})"
        if kind < 0.8:
            return f"(not {self.condition(names, depth - 1)})"
        if kind < 0.87:
            of = self.random.choice(["thing", "place"])
            return f"(= {self.term(of, names)} {self.term(of, names)})"
        variable, wider = self.inner(names)
        return f"({self.random.choice(['forall', 'exists'])} {variable} {self.condition(wider, depth - 1)})"

    def effect(self, names: dict[str, list[str]], depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.55:
            atom = self.atom(names, changes=True)
            return atom if self.random.random() < 0.5 else f"(not {atom})"
        if kind < 0.8:
            return f"(when {self.condition(names, 1)} {self.effect(names, 0)})"
        variable, wider = self.inner(names)
        return f"(forall {variable} {self.effect(wider, depth - 1)})"

    def inner_cost(self, names: dict[str, list[str]]) -> str:
        if self.random.random() < 0.5:
            return f"(when {self.condition(names, 1)} (increase (total-cost) {self.random.randint(1, 3)}))"
        variable, wider = self.inner(names)
        paid = f"(increase (total-cost) (price {self.term('place', wider)}))"
        return f"(forall {variable} (when {self.condition(wider, 1)} {paid}))"

    def action(self, name: str, priced: bool) -> str:
        kinds = [self.random.choice(list(TYPES)) for _ in range(self.random.randint(0, 3))]
        names: dict[str, list[str]] = {"thing": [], "place": []}
        for number, kind in enumerate(kinds):
            names["thing" if kind == "heavy" else kind].append(f"?x{number}")
        effects = [self.effect(names, 2) for _ in range(self.random.randint(1, 4))]
        if priced and self.random.random() < 0.8:
            amount = f"(price {self.term('place', names)})" if self.random.random() < 0.5 else self.random.randint(0, 3)
            effects.append(f"(increase (total-cost) {amount})")
        if priced and self.inner_costs:
            effects += [self.inner_cost(names) for _ in range(self.random.randint(0, 2))]
        parameters = " ".join(f"?x{number} - {kind}" for number, kind in enumerate(kinds))
        return f"""(:action {name}
    :parameters ({parameters})
    :precondition {self.condition(names, self.random.choice([0, 0, 1, 2]))}
    :effect (and {" ".join(effects)}))"""
