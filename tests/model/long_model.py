"""A short form of the model in `make chaos`: whatever happens, the service holds what was reported."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from .run import MACHINES

SHORT = settings(
    max_examples=2,
    stateful_step_count=20,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],  # `make chaos` reduces what fails to the shortest sequence of steps
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("rules", MACHINES)
def test_whatever_happens_the_service_holds_what_was_reported(rules):
    run_state_machine_as_test(rules, settings=SHORT)
