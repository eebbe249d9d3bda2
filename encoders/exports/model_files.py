"""A task for other programs: at a horizon, as a formula with names (which `dimacs` writes), and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from ...analysis.hm.tables import HmTables, hm_tables, quick_order
from ...analysis.move_pruning import find_move_pruning
from ...analysis.transformed_tasks import with_cost_layers
from ...models.errors import UsageError
from ...models.task import OperatorTask
from ..formula import FALSE, TRUE, Formula
from ..horizon_model import HorizonEncoder, HorizonModel
from .names import NamedVariable


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
        """The model of plans that cost exactly `horizon` or, if `idle`, at most that much. A layer costs `unit`."""
        horizon //= self.unit
        encoder = HorizonEncoder(self.task, self.tables, find_move_pruning(self.task))
        return BoundedModel(self.task, horizon, encoder.encode(horizon, idle=idle))


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
