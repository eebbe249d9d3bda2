"""The engine `csp`: bounded-horizon models, solved by python-constraint."""

from ...models.late import late
from ...models.task import Costs
from ..common.switches import HORIZON_LIMIT
from ..engine import Engine, Look

ENGINE = Engine(
    name="csp",
    order=20,
    solve=late(__package__, ".engine:solve_by_csp"),
    title="python-constraint",
    sentence="bounded-horizon models, solved by python-constraint",
    options=(HORIZON_LIMIT,),
    kernels=late(__package__, "..common.shared_kernels:call_shared"),
    costs=Costs.POSITIVE,
    prompt=False,
    look=Look("#9467bd", "D"),
)
