"""The hook that is called before a request changes something."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from ads_cli.client.client import Client
from ads_cli.client.prepared_request import PreparedRequest
from ads_cli.errors import StateError

ADDRESS = "http://service.localhost"


class Service:
    """Responds to the first attempt of each request with `first`, then with 200; keeps what happened."""

    def __init__(self, first: int = 200) -> None:
        self.first = first
        self.events: list[str] = []
        self.client = Client(
            lambda base: ADDRESS,
            lambda: None,
            app=self,
            on_mutation=lambda prepared: self.events.append(f"before {prepared.method} {prepared.url}"),
        )

    def __call__(self, environ, start_response):
        event = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        status = 200 if event in self.events else self.first
        self.events.append(event)
        headers = [("Content-Type", "application/json"), ("Retry-After", "0")]
        start_response(f"{status} X", headers)
        return [json.dumps({"data": []}).encode()]

    def send(self, method: str, path: str = "/a", **options) -> None:
        prepared = PreparedRequest(method, ADDRESS + path, b"{}", "application/json", path, retry=True)
        self.client.exchange(prepared, auth=httpx.Auth(), **options)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_the_hook_is_called_once_before_the_first_attempt(method):
    service = Service(first=503)
    service.send(method)
    assert service.events == [f"before {method} {ADDRESS}/a", f"{method} /a", f"{method} /a"]


def test_the_hook_is_not_called_for_a_get():
    service = Service()
    service.send("GET")
    assert service.events == ["GET /a"]


def test_an_upload_sends_without_calling_the_hook():
    service = Service()
    service.send("PUT", notify=False)
    assert service.events == ["PUT /a"]


def test_an_error_of_the_hook_stops_the_request():
    service = Service()

    def fail(prepared: PreparedRequest) -> None:
        raise StateError("the disk is full")

    service.client.on_mutation = fail
    with pytest.raises(StateError, match="the disk is full"):
        service.send("PUT")
    assert service.events == []


def test_the_hook_is_called_for_each_request_of_many_threads():
    service = Service()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: service.send("PUT", f"/{number}"), range(100)))
    calls = [event for event in service.events if event.startswith("before")]
    assert sorted(calls) == sorted(f"before PUT {ADDRESS}/{number}" for number in range(100))
    assert len(service.events) == 200
