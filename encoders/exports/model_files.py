"""A task at a horizon as a model that other solvers read: the formula with names, as CP-SAT's protocol buffer and as
a CPLEX LP file. (`dimacs` has the third form, CNF.)"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...analysis.hm.tables import HmTables, hm_tables, quick_order
from ...analysis.move_pruning import find_move_pruning
from ...analysis.transformed_tasks import with_cost_layers
from ...models.errors import UsageError
from ...models.task import OperatorTask
from .. import cp_sat
from ..formula import FALSE, TRUE, Formula
from ..horizon_model import HorizonEncoder, HorizonModel
from .names import Identifiers, NamedVariable

if TYPE_CHECKING:
    from ortools.sat.python import cp_model_helper as cp


# The most terms on a line: LP readers limit the length of lines.
TERMS_A_LINE = 12


@dataclass(frozen=True, slots=True)
class BoundedModel:
    """The model of all plans of `task` (the form in layers of cost) with exactly or at most `horizon` layers."""

    task: OperatorTask
    horizon: int
    model: HorizonModel

    @property
    def formula(self) -> Formula:
        return self.model.formula

    def variable_names(self) -> list[str]:
        """What each variable of the formula means: `fact ... layer t`, `operator ... step t`, `idle, step t`; empty
        for those that only help."""
        names = [""] * self.formula.variables

        def name(literal: int, text: str) -> None:
            if literal not in (TRUE, FALSE):
                names[literal] = text

        for t, layer in enumerate(self.model.fact):
            for fact, literal in zip(self.task.facts, layer, strict=True):
                name(literal, str(NamedVariable("fact", fact, t)))
        for t, row in enumerate(self.model.chosen):
            for op, literal in zip(self.task.operators, row, strict=True):
                name(literal, str(NamedVariable("operator", op.name, t)))
        for t, literal in enumerate(self.model.idle):
            name(literal, str(NamedVariable("idle", "", t)))
        return names


class PreparedTask:
    """A task made ready for models of any horizon, and the bound that its h^m tables prove."""

    def __init__(self, task: OperatorTask) -> None:
        """Raises `UsageError` where costs cannot be counted in layers: some are zero, or very large."""
        layers = with_cost_layers(task)
        if layers is None or layers.free:
            raise UsageError(
                f"{task.name}: a model with a horizon needs operators that all cost something, and none very much; "
                "choose another --metric, or export the task with --to pddl or --to json"
            )
        self.task, self.unit = layers.task, layers.unit
        self.tables: HmTables = hm_tables(self.task, quick_order(self.task))

    def model(self, horizon: int, *, idle: bool) -> BoundedModel:
        """The model of plans that cost exactly `horizon` or, if `idle`, at most that much, in which the cheapest plan
        wins. A layer costs `unit`.
        """
        horizon //= self.unit
        encoder = HorizonEncoder(self.task, self.tables, find_move_pruning(self.task))
        return BoundedModel(self.task, horizon, encoder.encode(horizon, idle=idle, shortest=idle))


def to_cp_sat(bounded: BoundedModel) -> cp.CpModelProto:
    """The CP-SAT model, its variables named."""
    proto = cp_sat.build(bounded.formula)
    proto.name = f"{bounded.task.name}, horizon {bounded.horizon}"
    for number, name in enumerate(bounded.variable_names()):
        proto.variables[number].name = name or f"auxiliary {number}"
    if bounded.formula.contradiction:
        proto.constraints.add().bool_or.literals.extend([])
    return proto


def cp_sat_bytes(bounded: BoundedModel) -> bytes:
    """A CP-SAT model as a binary protocol buffer."""
    from ortools.sat.python import cp_model_helper as cp

    with tempfile.TemporaryDirectory() as folder:  # the library only writes to files
        path = Path(folder) / "model.pb"
        cp.CpSatHelper.write_model_to_file(to_cp_sat(bounded), str(path))
        return path.read_bytes()


def to_lp(bounded: BoundedModel) -> str:
    """The model as a 0-1 program in CPLEX's LP format.

    A clause is a row `sum >= 1`. A negated literal not x is 1 - x: its -x stays, its 1 goes to the right-hand side, as
    `a or not b` becomes `a - b >= 0`. A constant of the objective is carried by a variable `one` that is fixed at 1.
    """
    formula = bounded.formula
    identifiers = Identifiers("_", "x")
    names = [identifiers.new(name or f"auxiliary {v}") for v, name in enumerate(bounded.variable_names())]
    lines = [f"\\ {bounded.task.name}, horizon {bounded.horizon}: written by Budge", "Minimize", " steps:"]
    weights = [(literal, weight) for literal, weight in formula.minimise if literal not in (TRUE, FALSE)]
    shift = sum(w for x, w in formula.minimise if x == TRUE) + sum(w for x, w in weights if x < 0)
    lines += _terms(names, weights) or ["  0 " + names[0] if names else "  0 none"]
    if shift:
        lines.append(f"  + {shift} one")
    lines.append("Subject To")
    for number, (literals, sense, bound) in enumerate(_rows(formula)):
        bound -= sum(literal < 0 for literal in literals)
        lines.append(f" c{number}:")
        lines += _terms(names, [(literal, 1) for literal in literals])
        lines.append(f"  {sense} {bound}")
    if formula.contradiction:
        lines.append(" contradiction: one >= 2")
    lines += ["Bounds", " one = 1", "Binary", *(f" {name}" for name in names), "End"]
    return "\n".join(lines) + "\n"


def _rows(formula: Formula) -> Iterator[tuple[list[int], str, int]]:
    """The constraints as (literals, sense, n): the number of true literals is `>=`, `=` or `<=` n; implied sums are
    left out.
    """
    for literals in formula.clauses:
        yield literals, ">=", 1
    for cause, effects in formula.implications.items():
        for effect in effects:
            yield [~cause, effect], ">=", 1
    for literals in formula.exactly_ones:
        yield literals, "=", 1
    for literals in formula.at_most_ones:
        yield literals, "<=", 1
    for literals, count in formula.cardinalities:
        yield literals, "=", count


def _terms(names: list[str], weights: list[tuple[int, int]]) -> list[str]:
    """A sum, some terms a line; a negated literal counts as minus its variable (the constant is on the other side)."""
    terms = []
    for literal, weight in weights:
        sign, name = ("+", names[literal]) if literal >= 0 else ("-", names[~literal])
        terms.append(f"{sign} {name}" if weight == 1 else f"{sign} {weight} {name}")
    return ["  " + " ".join(terms[i : i + TERMS_A_LINE]) for i in range(0, len(terms), TERMS_A_LINE)]


# OperatorTask -> JSON: the grounded task as it is, for programs that have no need of YAML or of any family's rules.
#
# docs/exports.md describes the keys. Facts are numbered from 0 in the order of `facts`; everything else names them by
# number.

FORMAT, VERSION = "budge-task", 1


def to_json(task: OperatorTask) -> str:
    """The task, one fact, group or operator a line."""
    value: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(task)}
    del value["units"]  # words for people
    value["operators"] = [asdict(op) | {"move": op.move and op.move.as_json()} for op in task.operators]
    parts = []
    for key, part in value.items():
        if key in ("facts", "groups", "operators") and part:
            rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in part)
            parts.append(f"  {json.dumps(key)}: [\n    {rows}\n  ]")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
