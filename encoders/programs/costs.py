"""Programs whose actions differ in cost, or cost nothing: layers of cost, with free steps between them.

As for operators (`analysis.transforms.cost_layers`, `encoders.free_steps`): an action of cost c is waited for c - 1
steps, in which nothing happens, and is applied in its last layer. Before the first paid step and behind each there is
room for K actions that cost nothing, idle last.

    waited     one of w[t][0], w[t][1], ...: how many layers were waited for the next action
    paid step  idle[t] and w[t][k] -> w[t+1][k+1];   a[t] -> w[t][c-1] and w[t+1][0]      for a of cost c > 0, no other
    free step  idle[t] and w[t][k] -> w[t+1][k];     a[t] -> w[t][0] and w[t+1][0]        for a of cost 0, no other
    distance   x[t][v] = k only if the projection to v asks for no more than is left to be paid, and was waited
"""

from __future__ import annotations

from ...models.collector import collector_paused
from ...models.program import ProgramAction
from ..formula import Formula
from ..free_steps import all_different, paid_before
from .horizon import ProgramEncoder, shifted
from .model import ProgramModel
from .symbols import ProgramRun


class CostEncoder(ProgramEncoder):
    """Encodes a task for horizons in layers of cost, each of which costs `unit`."""

    @property
    def unit(self) -> int:
        return self.task.layer_cost

    def _step(self, runs: list[tuple[ProgramAction, ProgramRun]]) -> tuple[Formula, Formula]:
        """The constraints of a step with any action, or none. Which of them may be applied in step t: `_paid`."""
        most = max(action.cost[0] for action in self.task.actions) // self.unit
        self.waited = [self.layer.literal() for _ in range(max(1, most))]
        return super()._step(runs)

    def _idle_last(self, part: Formula) -> None:
        """Nothing here: between paid steps are idle ones, too, and `encode_layers` says which come last."""

    @collector_paused()
    def encode_layers(self, layers: int, free: int) -> ProgramModel:
        """The model of the plans that cost exactly this many layers, with at most `free` free actions in a row."""
        paid = paid_before(layers, free)
        steps = len(paid) - 1
        model = self._begun(steps)
        for t in range(steps):
            self._paid(model.formula, t, paid[t + 1] - paid[t])
            if t and paid[t - 1] == paid[t + 1]:
                model.formula.implies(self._at(self.idle, t - 1), [self._at(self.idle, t)])
        self._starts(model.formula)
        model.formula.clause([self.waited[0]])
        model.formula.clause([self._at(self.waited[0], steps)])
        self._goal(model.formula, steps)
        for t, before in enumerate(paid):
            waited = [(self._at(literal, t), k * self.unit) for k, literal in enumerate(self.waited)]
            self._far(model.formula, t, (layers - before) * self.unit, waited)
        return model

    @collector_paused()
    def chain(self, steps: int) -> Formula:
        """The formula of all chains of free actions, from any state at all, whose states are all different."""
        formula = self._begun(steps).formula
        for t in range(steps):
            self._paid(formula, t, 0)
            formula.clause([~self._at(self.idle, t)])
        literals = [x for image in self.state for x in self.layer.literals(image).values()]
        all_different(formula, [[self._at(literal, t) for literal in literals] for t in range(steps + 1)])
        return formula

    def _at(self, literal: int, t: int) -> int:
        return shifted(literal, t * self.size)

    def _paid(self, formula: Formula, t: int, layers: int) -> None:
        """What may happen in step t, which takes one layer or none."""
        here, there = ([self._at(w, s) for w in self.waited] for s in (t, t + 1))
        formula.exactly_one(here)
        idle = self._at(self.idle, t)
        for k, waited in enumerate(here):
            then = k + layers
            formula.clause([~idle, ~waited, *there[then : then + 1]])
        for literal, action in self.applied:
            applied, cost = self._at(literal, t), action.cost[0] // self.unit
            if min(cost, 1) == layers:
                formula.implies(applied, [here[max(0, cost - 1)], there[0]])
            else:
                formula.clause([~applied])
