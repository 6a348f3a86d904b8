"""Choose where the tasks of a fleet run."""

from collections.abc import Callable

from ..console.invocation import Invocation
from ..errors import UsageError
from ..fleet.engine import Engine
from ..fleet.processes import LocalEngine
from ..fleet.queue import Limits
from ..fleet.records import Run
from ..installation import missing_extra


def choose_engine(
    call: Invocation, engine: str, scheduler: str | None, limits: Limits
) -> Callable[[Run], Engine]:
    """Return what makes the engine of a run; raise UsageError where it cannot be used."""
    state_dir = call.settings.state_dir
    if engine == "local":
        if scheduler:
            raise UsageError("--scheduler is that of --engine dask", hint="add --engine dask")
        return lambda run: LocalEngine(run, state_dir, limits)
    if not scheduler:
        raise UsageError("--engine dask needs --scheduler ADDRESS", hint="such as tcp://10.0.0.5:8786")
    try:
        from ..fleet.cluster import ClusterEngine
    except ModuleNotFoundError:
        raise missing_extra("--engine dask", "fleet") from None
    max_wait = call.settings.seconds("max_wait")
    return lambda run: ClusterEngine(scheduler, run, state_dir, limits, max_wait)
