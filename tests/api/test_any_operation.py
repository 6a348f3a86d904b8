"""Any valid record of a batch arrives as it was declared, under the names of the service."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings

from ads_cli.api.audiences import CombineAudience
from ads_cli.api.names import SERVICES
from ads_cli.api.parts import encode_operation, operation, operation_of
from ads_cli.api.registry import requests_for
from ads_cli.api.validation import convert
from ads_cli.emulator.core.routing import read_operation
from tests.effort import tries

from .strategies import values_of

IN_BATCHES = [kind for kind in requests_for("x") if kind.endpoint.batch and not kind.endpoint.is_batch]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("kind", [*IN_BATCHES, CombineAudience], ids=lambda kind: kind.__name__)
def test_an_operation_is_read_as_it_was_declared(kind, service):
    @settings(max_examples=tries(5, 30), suppress_health_check=list(HealthCheck), database=None)
    @given(values_of(kind))
    def holds(values):
        request = convert(kind, values)
        sent = json.loads(encode_operation(operation(request, SERVICES[service])))
        assert sent["operation_type"] == operation_of(kind)
        path_params = {"account_id": request.account_id}
        context = SimpleNamespace(
            service=service, names=SERVICES[service], path_params=path_params, unknown=None
        )
        assert read_operation(context, kind, sent["params"]) == request

    holds()
