"""Post a message to a webhook: signed, and again where it is not acknowledged."""

from collections.abc import Callable, Sequence
from time import sleep
from typing import NamedTuple

from ...webhooks.signature import WebhookKeys, delivery_headers
from . import receivers
from .faults import Fault
from .receivers import Answer

# Seconds after an attempt: of an older page; the current ones give no times.
RETRY_DELAYS_SECONDS = (3.0, 27.0, 242.0)
PRETENDED = {
    "slow": Answer(problem=f"no answer within {receivers.TIMEOUT_SECONDS:g} seconds (fault on demand)"),
    "error": Answer(500, problem="status 500 (fault on demand)"),
}


class Attempt(NamedTuple):
    """One attempt to deliver a message."""

    number: int
    answer: Answer


def post(
    url: str,
    body: bytes,
    keys: WebhookKeys,
    service: str,
    *,
    delays: Sequence[float] = RETRY_DELAYS_SECONDS,
    fault: Fault | None = None,
    on_attempt: Callable[[Attempt], None] = lambda attempt: None,
) -> Answer:
    """Deliver a message until it is acknowledged with 200; return the last answer.

    A fault concerns the first attempt only, so that a receiver gets the message again.
    """
    for number in range(1, len(delays) + 2):
        if number > 1:
            sleep(delays[number - 2])
        answer = _posted(url, body, keys, service, fault if number == 1 else None)
        on_attempt(Attempt(number, answer))
        if answer.is_success:
            break
    return answer


def _posted(url: str, body: bytes, keys: WebhookKeys, service: str, fault: Fault | None) -> Answer:
    imagined = receivers.imagined_answer(url)
    if imagined is not None:
        return Answer(200) if imagined else Answer(problem="no answer: the host does not exist")
    if fault == "bad-signature":
        keys = WebhookKeys(*(f"not {key}" if key else "" for key in keys))
    headers = {"Content-Type": "application/json", **delivery_headers(keys, body, service)}
    answer = receivers.send("POST", url, body, headers)
    return PRETENDED.get(fault or "", answer)
