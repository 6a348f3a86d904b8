"""What a webhook answers: challenges, and deliveries by their signatures."""

import json
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from ..webhooks.signature import (
    SIGNATURE_HEADERS,
    WebhookKeys,
    challenge_token,
    check_delivery,
    response_token,
)
from .event import Event, read_event

ChallengeKey = Literal["consumer", "client"]


class Answer(NamedTuple):
    """A response, and why a request was refused."""

    status: int
    body: bytes
    refusal: str = ""


def refused(status: int, reason: str) -> Answer:
    """Refuse a request; who sent it is told why."""
    return Answer(status, json.dumps({"error": reason}).encode(), reason)


class Responder(NamedTuple):
    """Answers requests as the owner of a webhook does. It does no input or output of its own."""

    keys: WebhookKeys
    challenge_key: ChallengeKey  # the secret that challenges are answered with
    hand_on: Callable[[Event], bool]  # takes an event; returns whether there was room for it

    def challenge(self, query: str) -> Answer:
        """Answer a challenge, if its token may be signed."""
        try:
            token = challenge_token(query)
        except ValueError as error:
            return refused(400, f"not a challenge: {error}")
        secret = self.keys.consumer_secret if self.challenge_key == "consumer" else self.keys.client_secret
        return Answer(200, json.dumps({"response_token": response_token(secret, token)}).encode())

    def delivery(self, headers: Iterable[tuple[str, str]], body: bytes) -> Answer:
        """Take a delivery, if it is signed; its JSON is read after that."""
        sent = tuple(headers)
        state = check_delivery(self.keys, body, sent)
        if state != "valid":
            return refused(401 if state == "missing" else 403, f"a delivery whose signature is {state}")
        signatures = tuple(pair for pair in sent if pair[0].lower() in SIGNATURE_HEADERS)
        try:
            event = read_event(body, signatures)
        except ValueError as error:
            return refused(400, f"a signed delivery that cannot be read: {error}")
        if not self.hand_on(event):
            return refused(503, "a delivery, because too many wait to be handed on")
        return Answer(200, b"{}")
