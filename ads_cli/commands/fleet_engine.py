"""Choose where the tasks of a fleet run."""

from collections.abc import Callable
from urllib.parse import urlsplit

from ..console.invocation import Invocation
from ..errors import UsageError
from ..fleet.engine import Engine
from ..fleet.processes import LocalEngine
from ..fleet.queue import Limits
from ..fleet.records import Run
from ..installation import missing_extra
from ..loopback import is_loopback

EXAMPLE = "tls://10.0.0.5:8786"


def choose_engine(
    call: Invocation, engine: str, scheduler: str | None, limits: Limits, *, allows_insecure: bool
) -> Callable[[Run], Engine]:
    """Return what makes the engine of a run; raise UsageError where it cannot be used."""
    state_dir = call.settings.state_dir
    if engine == "local":
        if scheduler:
            raise UsageError("--scheduler is that of --engine dask", hint="add --engine dask")
        return lambda run: LocalEngine(run, state_dir, limits)
    if not scheduler:
        raise UsageError("--engine dask needs --scheduler ADDRESS", hint=f"such as {EXAMPLE}")
    if not allows_insecure:
        _require_tls(scheduler)
    try:
        from ..fleet.cluster import ClusterEngine
    except ModuleNotFoundError:
        raise missing_extra("--engine dask", "fleet") from None
    max_wait = call.settings.seconds("max_wait")
    return lambda run: ClusterEngine(scheduler, run, state_dir, limits, max_wait)


def _require_tls(scheduler: str) -> None:
    """Raise UsageError for a scheduler of another machine that is not reached by TLS."""
    try:
        parts = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        is_here = is_loopback(parts.hostname or "")
    except ValueError:
        raise UsageError(f"--scheduler: not an address: {scheduler}", hint=f"such as {EXAMPLE}") from None
    if parts.scheme != "tls" and not is_here:
        raise UsageError(
            f"--scheduler {scheduler} is on another machine, and is not reached by TLS: whoever is on "
            "the way can run programs here and on all workers",
            hint=f"use certificates and {EXAMPLE} (docs/cluster.md); "
            "in a network of your own alone: --insecure-scheduler",
        )
