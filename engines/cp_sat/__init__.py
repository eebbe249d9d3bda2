"""The engine `cp-sat`: bounded-horizon models of rising horizon, solved by CP-SAT.

engine         what is known before the first model, then a strategy, then the second component of the metric
strategies     how the horizon rises; what `--strategy` chooses
run            what is known so far; encoding and solving one model
companion      exact-horizon solvers that run in parallel
horizons       how they divide the horizons among them
parallel       parallel steps
lexicographic  metrics of two components
free_steps     operators that cost nothing: how many in a row
priced         steps of any cost, the cost as the objective
whole_plans    one model of whole plans, where no operator can be applied twice
programs       models of tasks whose actions are programs
program_costs  the same where actions differ in cost
fitness        which of these can be stated
solver         one solve by CP-SAT, under a budget
lrat           a proof of CP-SAT's that can be checked
trimming       a proof without what it does not need
"""

from ...models.late import late
from ..common.options import HORIZON_LIMIT, SEED
from ..engine import Engine, Look, Option, Place, Programs
from .rules import WITHOUT

ENGINE = Engine(
    name="cp-sat",
    order=10,
    solve=late(__package__, ".engine:solve_by_horizons"),
    programs=Programs(
        late(__package__, ".programs:solve_programs"),
        late(__package__, "..common.programs.sample:compile_kernels"),
        late(__package__, ".fitness:refusal"),
        sees_to_kernels=True,
    ),
    title="CP-SAT",
    sentence="bounded-horizon models, solved by CP-SAT; the horizon rises until a plan exists",
    options=(
        Option(
            "strategy",
            str,
            "auto",
            "how the horizon rises",
            choices=("auto", "one-model", "linear", "from-above", "priced"),
        ),
        HORIZON_LIMIT,
        Option("workers", int, None, "solvers that may work at once, 1 or 2; by default as there are cores", least=1),
        SEED,
        WITHOUT,
    ),
    also_loads=("ortools.sat.python.cp_model_helper", "budge.engines.common.kernels"),
    kernels=late(__package__, "..common.shared_kernels:call_shared"),
    prompt=False,
    verifies=True,
    place=Place("solver"),
    look=Look("#1f8fd6", "s", duel="solver"),
)
