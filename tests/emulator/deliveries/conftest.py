"""A receiver of webhooks on this machine, and commands that use the emulator in their own process."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.deliveries.challenge import keys_of
from ads_cli.webhooks.signature import WebhookKeys, challenge_token, check_delivery, response_token


class Receiver:
    """Answers challenges, and keeps the deliveries; what it answers may be changed."""

    def __init__(self, server: HTTPServer, keys: WebhookKeys) -> None:
        self.keys = keys
        self.url = server.url_for("/hook")
        self.challenges: list[str] = []
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.statuses: list[int] = []  # of the next deliveries; then 200
        self.answer: Response | None = None  # to challenges, in place of the right one
        server.expect_request("/hook", method="GET").respond_with_handler(self._challenged)
        server.expect_request("/hook", method="POST").respond_with_handler(self._delivered)

    def _challenged(self, request: Request) -> Response:
        self.challenges.append(request.query_string.decode())
        return self.response(self.challenges[-1]) if self.answer is None else self.answer

    def response(self, query: str) -> Response:
        """Return the right answer to a challenge."""
        token = response_token(self.keys.consumer_secret, challenge_token(query))
        return Response(json.dumps({"response_token": token}))

    def _delivered(self, request: Request) -> Response:
        self.bodies.append(request.get_data())
        self.headers.append(dict(request.headers))
        return Response(status=self.statuses.pop(0) if self.statuses else 200)

    @property
    def messages(self) -> list[dict]:
        return [json.loads(body) for body in self.bodies]

    @property
    def signatures(self) -> list[str]:
        """Whether each delivery was signed by the app."""
        pairs = zip(self.bodies, self.headers, strict=True)
        return [check_delivery(self.keys, body, headers.items()) for body, headers in pairs]


@pytest.fixture
def emulator(adsctl) -> Iterator[Emulator]:
    """The emulator of the profile `local`, as its commands find it."""
    with closing(Emulator(adsctl.copy_emulator())) as emulator:
        yield emulator


@pytest.fixture
def receiver(emulator: Emulator, httpserver: HTTPServer) -> Receiver:
    return Receiver(httpserver, keys_of(emulator.store, emulator.credentials.consumer_key))


@pytest.fixture
def webhook(adsctl, receiver: Receiver) -> str:
    """The id of the webhook of the receiver."""
    return adsctl.local("webhooks", "create", receiver.url, "-o", "ids").stdout.strip()
