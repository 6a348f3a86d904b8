"""Post events to a receiver, as the service delivers them: with a deadline, and again where that may help."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import NamedTuple

import httpx

from .. import __version__
from ..http.connections import through_proxy, tls_context
from ..http.network import NetworkTransport
from ..http.response_body import network_error
from ..http.retry import CLOCK, RETRIED_STATUSES, Clock
from ..output.text import shortened
from ..signals import NOTICE_SECONDS
from .event import Event

ANSWER_TIMEOUT_SECONDS = 10.0  # that the service gives a receiver
RETRY_SECONDS = (1.0, 5.0, 25.0)  # the service waits longer; events behind this one wait too
MAX_ANSWER_BYTES = 64 * 1024
SHOWN_CHARACTERS = 200  # of an answer


class _Outcome(NamedTuple):
    """What became of an attempt."""

    text: str  # what the receiver answered, for a message
    is_accepted: bool
    may_change: bool = True  # whether another attempt may end otherwise


class Forwarder:
    """Posts events to one address, one after the other; says what each was answered with."""

    def __init__(
        self, url: httpx.URL, say: Callable[[str], None], warn: Callable[[str], None], clock: Clock = CLOCK
    ) -> None:
        self._url, self._say, self._warn, self._clock = url, say, warn, clock
        self._transport = through_proxy(NetworkTransport, url, tls_context(url.scheme == "https"))

    def forward(self, event: Event, headers: Mapping[str, str]) -> bool:
        """Post an event; return whether the receiver has accepted it in the end."""
        for delay in (*RETRY_SECONDS, None):
            outcome = self._post(event, headers)
            if outcome.is_accepted:
                self._say(f"{event.title}: {outcome.text}")
                return True
            if delay is None or not outcome.may_change:
                break
            self._say(f"{event.title}: {outcome.text}; retrying in {delay:g} s")
            pause(self._clock, delay)
        self._warn(f"{event.title} was not forwarded: {outcome.text}")
        return False

    def _post(self, event: Event, headers: Mapping[str, str]) -> _Outcome:
        request = httpx.Request(
            "POST",
            self._url,
            headers={"Content-Type": "application/json", "User-Agent": f"adsctl/{__version__}", **headers},
            content=event.content,
            extensions={
                "timeout": dict.fromkeys(("connect", "read", "write", "pool"), ANSWER_TIMEOUT_SECONDS),
                "deadline": time.monotonic() + ANSWER_TIMEOUT_SECONDS,
            },
        )
        try:
            with closing(self._transport.handle_request(request)) as response:
                return _outcome(response.status_code, _start_of(response))
        except httpx.TimeoutException:
            return _Outcome(
                f"the receiver did not answer within {ANSWER_TIMEOUT_SECONDS:g} s", is_accepted=False
            )
        except httpx.TransportError as error:
            return _Outcome(network_error(error, str(self._url)).message, is_accepted=False)


def _outcome(status: int, start: str) -> _Outcome:
    """Judge an answer; a redirect is not followed, since the service does not follow it either."""
    shown = f"the receiver answered {status}" + (f": {start}" if start and not 200 <= status < 300 else "")
    if 300 <= status < 400:
        shown += ", a redirect, which is not followed"
    return _Outcome(shown, 200 <= status < 300, status in RETRIED_STATUSES)


def _start_of(response: httpx.Response) -> str:
    """Return the beginning of an answer in one line; read it to its end where it is short."""
    read = bytearray()
    for chunk in response.iter_raw():
        read += chunk
        if len(read) > MAX_ANSWER_BYTES:
            break
    return shortened(" ".join(read[:SHOWN_CHARACTERS].decode("utf-8", "replace").split()))


def pause(clock: Clock, seconds: float, is_over: Callable[[], bool] = lambda: False) -> None:
    """Wait, so that a signal or `is_over` ends it."""
    ends_at = clock.monotonic() + seconds
    condition = clock.condition(threading.Lock())
    with condition:
        while (left := ends_at - clock.monotonic()) > 0 and not is_over():
            condition.wait(min(left, NOTICE_SECONDS))
