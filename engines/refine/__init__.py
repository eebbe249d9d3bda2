"""The engine `refine`: means-ends analysis for every family."""

from ...models.late import late
from ..common.kernel_sets import BOUNDS
from ..common.options import SEED
from ..engine import Engine, Kernels, Look, Place, TaskKind

ENGINE = Engine(
    name="refine",
    order=90,
    solve=late(__package__, ".engine:refine"),
    title="Means-ends analysis",
    sentence="a plan at once, backward from what is in the way, as `bird` does, for every family; proves nothing",
    options=(SEED,),
    also_loads=("budge.engines.common.kernels",),
    kernels=(Kernels("refine", late(__package__, ".engine:refine"), seconds=5.0), BOUNDS),
    promises_optimum=False,
    place=Place("quick plan", {kind: 0 for kind in TaskKind if kind is not TaskKind.ONE_OBJECT}, seconds=3.0),
    look=Look("#4f9d8b", "8"),
)
