"""One run of the model: some examples from a seed."""

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import run_state_machine_as_test

from .creation_rules import CreationRules
from .lying_rules import LyingRules
from .people_rules import PeopleRules
from .sync_rules import SyncRules
from .trial import Trial


class Model(SyncRules, PeopleRules):
    """Everything at once."""


MACHINES = (SyncRules, PeopleRules, Model, CreationRules, LyingRules)
EXAMPLES = 10  # of one run
SHRINKING_SECONDS = 60  # to look for a shorter sequence of steps that fails
LONG = settings(
    max_examples=EXAMPLES,
    stateful_step_count=50,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def run(number: int) -> tuple[int, str]:
    """Run some examples from a seed; return the number of steps, and what failed."""
    machine = MACHINES[number % len(MACHINES)]
    before = Trial.steps
    engine.MAX_SHRINKING_SECONDS = SHRINKING_SECONDS
    try:
        run_state_machine_as_test(seed(number)(machine), settings=LONG)
    except Exception as error:
        return Trial.steps - before, f"seed {number}, {machine.__name__}\n{_described(error)}"
    return Trial.steps - before, ""


def _described(error: BaseException) -> str:
    """Return the messages of an error and of those that it groups, with the steps that led to it."""
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return "\n".join([str(error), *getattr(error, "__notes__", []), *map(_described, inner)])
