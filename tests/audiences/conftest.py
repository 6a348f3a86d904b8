"""A service for lists of people that is as strict as the specification lets it be."""

import json
from collections.abc import Callable
from hashlib import sha256

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.api import users
from ads_cli.audiences import operations

USERS = "/12/accounts/acc/custom_audiences/aud/users"
LIST = "/12/batch/accounts/acc/do_not_reach_lists/dnr/users"
OPERATIONS = 25  # of a request, in tests that ask for small ones


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class Audience:
    """An audience; operations that hold somebody in `bad` are refused, and the batch with them."""

    def __init__(self, server: HTTPServer) -> None:
        self.users: set[str] = set()
        self.bodies: list[list] = []
        self.sizes: list[int] = []
        self.bad: set[str] = set()
        self.flat = False
        self.shift = 0  # of the numbers of refused operations, where they come flat
        self.miscount = 0  # answers that count one user too few
        self.fails_after: int | None = None  # requests
        self.on_request: Callable[[], None] = lambda: None
        for path in (USERS, LIST):
            server.expect_request(path, method="POST").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.on_request()
        if len(self.bodies) == self.fails_after:
            return Response("{}", 503)
        operations = json.loads(request.data)
        self.bodies.append(operations)
        self.sizes.append(len(request.data))
        assert request.content_type == "application/json"
        assert len(operations) <= 2500 and len(request.data) <= 5_000_000
        refused = [n for n, operation in enumerate(operations) if self.bad & set(emails([operation]))]
        if refused:
            error = {"code": "INVALID_PARAMETER", "message": "no such person"}
            errors = [[error | {"index": n}] if n in refused else [] for n in range(len(operations))]
            if self.flat:
                errors = [error | {"index": n + self.shift} for n in refused]
            return Response(json.dumps({"errors": [], "operation_errors": errors}), 400)
        count = sum(len(operation["params"]["users"]) for operation in operations)
        for operation in operations:
            change = (
                self.users.update if operation["operation_type"] == "Update" else self.users.difference_update
            )
            change(emails([operation]))
        success = count
        if self.miscount:
            self.miscount, success = self.miscount - 1, count - 1
        data = {"success_count": success, "total_count": count}
        return Response(json.dumps({"data": [data] if request.path == LIST else data}))


def emails(operations: list) -> list[str]:
    return [
        v for operation in operations for user in operation["params"]["users"] for v in user.get("email", [])
    ]


@pytest.fixture
def audience(httpserver: HTTPServer) -> Audience:
    return Audience(httpserver)


@pytest.fixture
def small_requests(monkeypatch) -> None:
    """Let requests take 25 operations, so that a list of a hundred people needs several."""
    for module in (operations, users):
        monkeypatch.setattr(module, "MAX_OPERATIONS", OPERATIONS)


@pytest.fixture
def shop(remote):
    remote.env["ADSCTL_ACCOUNT"] = "acc"
    return remote
