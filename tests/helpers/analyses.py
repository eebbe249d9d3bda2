"""Which analysis and which engine understands what: one list, and the table of it (docs/analyses.md).

The type checker holds all calls to the forms: what takes a `Task` cannot be given a `ProgramTask`.
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

    It is never given a task in another form; of one with other costs it says that it knows nothing. `exports`: it
    writes the task down, and nothing is concluded from it.
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

ANALYSES = (
    Analysis("structure: objects, exclusions", "analysis.structure:structure_of", OPERATORS),
    Analysis("h^m", "analysis.hm.tables:hm_tables", OPERATORS),
    Analysis("symmetries", "analysis.symmetries:symmetries_of", OPERATORS),
    Analysis("move pruning", "analysis.move_pruning:redundant_pairs", OPERATORS),
    Analysis("parallel moves", "analysis.move_pruning:ParallelMoves.of", {Form.OPERATORS: Costs.POSITIVE}),
    Analysis("potentials, parity", "analysis.plan_invariants:find_invariants", {Form.OPERATORS: Costs.ONE}),
    Analysis("no operator can be applied twice", "analysis.once:once", OPERATORS),
    *(
        Analysis(
            f"heuristic `{name}`",
            f"analysis.heuristics.{name.replace('-', '_')}:HEURISTIC.empty",
            {Form.OPERATORS: HEURISTICS.get(name, Costs.ANY)},
        )
        for name in heuristic_names()
    ),
    Analysis("projections", "analysis.program_projections:projections_of", PROGRAMS),
    Analysis("inverses of actions", "analysis.inverse_programs:both_ways_of", FROM_ENDS),
    Analysis("databases from goal states", "analysis.inverse_programs:ends_of", FROM_ENDS),
    Analysis("values reached in layers", "encoders.programs.horizon:reached_values", PROGRAMS),
    Analysis("order that does not matter", "models.unordered:unordered", PROGRAMS),
    Analysis("programs as conditional effects", "analysis.conditional_effects:conditional_effects", PROGRAMS),
    Analysis("PDDL", "encoders.exports.pddl:to_pddl", OPERATORS, exports=True),
    Analysis("PDDL with `when`", "encoders.exports.pddl:effects_to_pddl", EFFECTS, exports=True),
    Analysis("problem text", "encoders.exports.problem_text:problem_text", {**OPERATORS, **PROGRAMS}, exports=True),
    Analysis("problem text of effects", "encoders.exports.problem_text:effects_problem", EFFECTS, exports=True),
)


def table() -> Iterator[str]:
    """The lines of the table of analyses and engines, for a page of the documentation."""
    yield f"| | {' | '.join(form.value for form in Form)} |"
    yield "|---" * (len(Form) + 1) + "|"
    rows = [(f"{'export: ' if analysis.exports else ''}{analysis.name}", analysis.forms) for analysis in ANALYSES]
    rows += [(f"engine `{engine.name}`", engine.forms) for engine in ENGINES.values()]
    for name, forms in rows:
        yield f"| {name} | {' | '.join(forms[form].value if form in forms else '-' for form in Form)} |"
