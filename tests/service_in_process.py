"""The fixture `service` without its socket: tests whose conftest imports it take a quarter less CPU time."""

import httpx
import pytest

from ads_cli.client.transport import EmulatorTransport, ThreadConnections
from tests.conftest import Service


def without_socket(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands in the process of the tests call a served emulator without its socket."""
    connect = ThreadConnections._connect

    def connected(self: ThreadConnections, url: httpx.URL, *, is_stranger: bool) -> httpx.BaseTransport:
        if not is_stranger and str(url).startswith(f"{service.address}/"):
            return EmulatorTransport(service)
        return connect(self, url, is_stranger=is_stranger)

    monkeypatch.setattr(ThreadConnections, "_connect", connected)


@pytest.fixture
def service(service: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A served emulator, which commands in the process of the tests call without its socket."""
    without_socket(service, monkeypatch)
    return service
