"""The engine `idastar`: iterative deepening A*."""

from ...models.forms import Costs
from ...models.late import late
from ..common.kernel_sets import ESTIMATES
from ..engine import BOTH, Engine, Kernels, Look, Place, Programs, TaskKind
from .rules import WITHOUT

ENGINE = Engine(
    name="idastar",
    order=70,
    solve=late(__package__, ".engine:iterative_deepening"),
    title="IDA*",
    sentence="depth-first search below a limit on cost plus lower bound, which rises",
    also_loads=("budge.engines.common.kernels",),
    kernels=(Kernels("idastar", late(__package__, ".engine:compile_kernels"), kinds=BOTH, seconds=4.0), ESTIMATES),
    programs=Programs(
        late(__package__, ".programs:iterative_deepening"),
        late(__package__, ".fitness:preparation"),
        refuses=late(__package__, ".fitness:refusal"),
        compiles=late(__package__, "...analysis.inverse_programs:may_be_undone"),
        costs=Costs.ONE,
    ),
    options=(WITHOUT,),
    place=Place(
        "search",
        {
            TaskKind.PROGRAMS: 2,
            TaskKind.ONE_OBJECT: 1,
            TaskKind.SEVERAL_GOALS: 2,
            TaskKind.ONE_GOAL: 2,
        },
        memory=0.5,
    ),
    look=Look("#c45fa0", "v", duel="search"),
)
