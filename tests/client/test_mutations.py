"""The context that a request is sent in that changes something."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

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
            write_guard=self.write_guard,
        )

    @contextmanager
    def write_guard(self, prepared: PreparedRequest):
        self.events.append(f"before {prepared.method} {prepared.url}")
        yield
        self.events.append(f"after {prepared.method} {prepared.url}")

    def __call__(self, environ, start_response):
        event = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        status = 200 if event in self.events else self.first
        self.events.append(event)
        headers = [("Content-Type", "application/json"), ("Retry-After", "0")]
        start_response(f"{status} X", headers)
        return [json.dumps({"data": []}).encode()]

    def send(self, method: str, path: str = "/a") -> None:
        self.client.exchange(self.prepared(method, path), auth=httpx.Auth())

    def prepared(self, method: str, path: str = "/a") -> PreparedRequest:
        return PreparedRequest(method, ADDRESS + path, b"{}", "application/json", path, retry=True)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_all_attempts_are_sent_in_one_context(method):
    service = Service(first=503)
    service.send(method)
    assert service.events == [
        f"before {method} {ADDRESS}/a",
        f"{method} /a",
        f"{method} /a",
        f"after {method} {ADDRESS}/a",
    ]


def test_a_get_is_sent_without_the_context():
    service = Service()
    service.send("GET")
    assert service.events == ["GET /a"]


def test_an_upload_is_sent_without_the_context():
    service = Service()
    service.client.send_untracked(service.prepared("PUT"), auth=httpx.Auth())
    assert service.events == ["PUT /a"]


def test_an_error_of_the_context_stops_the_request():
    service = Service()

    def fail(prepared: PreparedRequest) -> None:
        raise StateError("the disk is full")

    service.client.write_guard = fail
    with pytest.raises(StateError, match="the disk is full"):
        service.send("PUT")
    assert service.events == []


def test_each_request_of_many_threads_has_a_context_of_its_own():
    service = Service()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: service.send("PUT", f"/{number}"), range(100)))
    calls = [event for event in service.events if event.startswith("before")]
    assert sorted(calls) == sorted(f"before PUT {ADDRESS}/{number}" for number in range(100))
    assert len(service.events) == 300
