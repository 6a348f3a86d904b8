"""What adsctl uses of httpcore beside its documentation, so that a version without it fails here."""

import ssl
from importlib.util import find_spec
from time import monotonic

import httpx
import pytest
from httpcore import NetworkStream

from ads_cli.http.network import NetworkTransport, innermost, leftover
from ads_cli.http.timed_streams import OPTIONAL


@pytest.fixture
def transport(httpserver):
    httpserver.expect_request("/").respond_with_data("whole")
    transport = NetworkTransport(httpx.URL(httpserver.url_for("/")), ssl.create_default_context(), None)
    with httpx.Client(transport=transport) as client:
        timeouts = {"deadline": monotonic() + 60, "timeout": {}}
        with client.stream("GET", httpserver.url_for("/"), extensions=timeouts) as response:
            yield transport
            assert response.read() == b"whole"


def test_a_connection_of_the_pool_shows_what_it_has_left_over_and_its_stream(transport):
    (connection,) = transport.pool.connections
    assert innermost(connection) is not connection
    assert isinstance(innermost(connection)._network_stream, NetworkStream)
    assert leftover(connection) is not None


@pytest.mark.parametrize("module", [name for name in OPTIONAL if name.startswith("httpcore.")])
def test_each_part_of_httpcore_that_is_not_imported_exists(module):
    assert find_spec(module)
