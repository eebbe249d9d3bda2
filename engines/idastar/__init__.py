"""The engine `idastar`: iterative deepening A*."""

from ...models.forms import Costs
from ...models.late import late
from ..engine import Engine, Look, Place, Programs, TaskKind
from .rules import WITHOUT

ENGINE = Engine(
    name="idastar",
    order=70,
    solve=late(__package__, ".engine:iterative_deepening"),
    title="IDA*",
    sentence="depth-first search below a limit on cost plus lower bound, which rises",
    also_loads=("budge.engines.common.kernels",),
    kernels=late(__package__, ".engine:compile_kernels"),
    programs=Programs(
        late(__package__, ".programs:iterative_deepening"),
        late(__package__, ".fitness:compile_kernels"),
        refuses=late(__package__, ".fitness:refusal"),
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
