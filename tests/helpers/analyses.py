"""Which analysis and which engine understands what: one list, and the table of it (docs/analyses.md).

The type checker holds all calls to the forms: what takes a `OperatorTask` cannot be given a `ProgramTask`.
`tests/engines/test_forms.py` compares this list with the types of the entries, and with what runs on tasks of either
form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from budge.analysis.heuristics import heuristic_names
from budge.engines.table import ENGINES
from budge.models.task import Costs, Form


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is computed of a task by the function at `entry` (`module:name`), whose first argument has one of the
    `forms`; with each form the costs that it understands there.

    It is never given a task in another form; of one with other costs it says that it knows nothing. Two of one name are
    one idea, with a maker for each form. `exports`: it writes the task down, and nothing is concluded from it.
    """

    name: str
    entry: str
    forms: Mapping[Form, Costs]
    exports: bool = False


OPERATORS: Mapping[Form, Costs] = {Form.OPERATORS: Costs.ANY}
PROGRAMS: Mapping[Form, Costs] = {Form.PROGRAMS: Costs.ANY}
EFFECTS: Mapping[Form, Costs] = {Form.EFFECTS: Costs.ANY}
FROM_ENDS: Mapping[Form, Costs] = {Form.PROGRAMS: Costs.ONE}

HEURISTICS: Mapping[str, Costs] = {"conflicts": Costs.ALIKE}
"""Heuristics (`analysis.heuristics`) that do not understand all costs. All of them read operators."""

SUMS, DATABASES = "sums of abstractions (heuristic `saturated-costs`, projections)", "pattern databases"
UNDONE, REACHED = "what undoes an action", "what can be reached"
PRUNING, AS_SETS = "move pruning", "plans as sets of actions"
NAMES = {"saturated-costs": SUMS, "patterns": DATABASES}
"""The ideas that have a maker for each form; those that are a heuristic for operators."""

ANALYSES = (
    Analysis("structure: objects, exclusions", "analysis.structure:structure_of", OPERATORS),
    Analysis("h^m", "analysis.hm.tables:hm_tables", OPERATORS),
    Analysis("symmetries", "analysis.symmetries:symmetries_of", OPERATORS),
    Analysis(PRUNING, "analysis.move_pruning:redundant_pairs", OPERATORS),
    Analysis(PRUNING, "analysis.inverse_programs:both_ways_of", FROM_ENDS),
    Analysis("parallel moves", "analysis.move_pruning:ParallelMoves.of", {Form.OPERATORS: Costs.POSITIVE}),
    Analysis("potentials, parity", "analysis.plan_invariants:find_invariants", {Form.OPERATORS: Costs.ONE}),
    Analysis(AS_SETS, "analysis.once:once", OPERATORS),
    *(
        Analysis(
            NAMES.get(name, f"heuristic `{name}`"),
            f"analysis.heuristics.{name.replace('-', '_')}:HEURISTIC.empty",
            {Form.OPERATORS: HEURISTICS.get(name, Costs.ANY)},
        )
        for name in heuristic_names()
    ),
    Analysis(SUMS, "analysis.program_projections:projections_of", PROGRAMS),
    Analysis(DATABASES, "analysis.inverse_programs:ends_of", FROM_ENDS),
    Analysis(UNDONE, "analysis.transformed_tasks:backward", OPERATORS),
    Analysis(UNDONE, "analysis.inverse_programs:both_ways_of", FROM_ENDS),
    Analysis(REACHED, "analysis.transition_graphs:relaxation", OPERATORS),
    Analysis(REACHED, "encoders.programs.horizon:reached_values", PROGRAMS),
    Analysis(AS_SETS, "models.unordered:unordered", PROGRAMS),
    Analysis("programs as conditional effects", "analysis.conditional_effects:conditional_effects", PROGRAMS),
    Analysis("PDDL", "encoders.exports.pddl:to_pddl", {**OPERATORS, **EFFECTS}, exports=True),
    Analysis("problem text", "encoders.exports.problem_text:problem_text", {**OPERATORS, **PROGRAMS}, exports=True),
    Analysis("problem text of effects", "encoders.exports.problem_text:effects_problem", EFFECTS, exports=True),
)


def table() -> Iterator[str]:
    """The lines of the table of analyses and engines, for a page of the documentation."""
    yield f"| | {' | '.join(form.value for form in Form)} |"
    yield "|---" * (len(Form) + 1) + "|"
    rows: dict[str, dict[Form, Costs]] = {}
    for analysis in ANALYSES:
        rows.setdefault(f"{'export: ' if analysis.exports else ''}{analysis.name}", {}).update(analysis.forms)
    rows |= {f"engine `{engine.name}`": {**engine.forms} for engine in ENGINES.values()}
    for name, forms in rows.items():
        yield f"| {name} | {' | '.join(forms[form].value if form in forms else '-' for form in Form)} |"
