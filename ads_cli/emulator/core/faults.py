"""Faults on demand, such as `PUT /12/product_catalogs/* status=503 rate=0.2 retry-after=1`."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from ...errors import UsageError
from ...numbers import parse_duration
from .request import IncomingRequest
from .responses import HttpResponse, Result, envelope, error_response

if TYPE_CHECKING:
    from random import Random

# Marks a response that must fail on the wire. The server breaks the connection. The transport of a client in
# the same process raises the error that the client would have seen.
HEADER = "X-Emulator-Fault"
PARTIAL, HIDE_VARIANTS = "partial", "hide-variants"  # what the handler of a request does
SHORT_LIVED = "short-lived"  # what the token of a sign-in is: expired by the time that it is used
PROCESSING = ("processing=failed", "processing=never")  # how the processing of an upload ends
ANALYST = "analyst"  # the role of the user, who may change nothing
OF_HANDLERS = (PARTIAL, HIDE_VARIANTS, SHORT_LIVED, ANALYST, *PROCESSING)
REFUSALS = {
    "no-app-access": (403, "UNAUTHORIZED_CLIENT_APPLICATION", "this app may not use the interface"),
    "no-early-access": (403, "FEATURE_NOT_AVAILABLE", "this feature is not open to this app"),
}
ACTIONS = ("reset", "reset-after", "truncate", "garbage", "empty", *REFUSALS, *OF_HANDLERS)
SETTINGS = {
    "status": "status",
    "latency": "latency_seconds",
    "rate": "rate",
    "times": "times",
    "retry-after": "retry_after_seconds",
    "seed": "seed",
    "clock": "clock_seconds",
}
REFUSING = ("status", "clock")  # settings that are a response, as an action is
MAX_LATENCY_SECONDS = 3600.0
EXAMPLE = "for example: PUT /12/product_catalogs/* status=503 rate=0.2 retry-after=1"
GARBAGE = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please log in.</body></html>"

# Handles the request without faults, but for those OF_HANDLERS.
HandleRequest = Callable[[str], HttpResponse]


@dataclass
class Fault:
    """What fails, for which requests, and how often."""

    method: str
    path: str
    action: str = ""
    status: int | None = None
    latency_seconds: float = 0
    rate: float = 1
    times: int | None = None
    retry_after_seconds: int | None = None
    seed: int | None = None
    clock_seconds: float = 0  # by which the clock of the service is ahead; signatures are out of their time
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @cached_property
    def _random(self) -> "Random":
        from random import Random

        return Random(self.seed)

    def is_triggered(self, incoming: IncomingRequest) -> bool:
        """Decide whether a request fails, by method, path, `times` and a random draw; count it if it does."""
        if self.method not in ("*", incoming.method) or not fnmatchcase(incoming.path, self.path):
            return False
        with self._lock:
            if self.times == 0 or (self.rate < 1 and self._random.random() >= self.rate):
                return False
            if self.times is not None:
                self.times -= 1
            return True

    def respond(self, handle: HandleRequest) -> HttpResponse:
        """Return the response of a request that fails."""
        if self.status is not None:
            wait = self.retry_after_seconds
            headers = () if wait is None else (("Retry-After", str(wait)),)
            error = {"code": "FAULT_ON_DEMAND", "message": f"fault on demand: status {self.status}"}
            return error_response(self.status, [error], {}, headers)
        if self.clock_seconds:
            from email.utils import formatdate

            date = formatdate(time.time() + self.clock_seconds, usegmt=True)
            refusal = {"code": 135, "message": "Timestamp out of bounds."}
            return error_response(401, [refusal], {}, (("Date", date),))
        if self.action in REFUSALS:
            status, code, message = REFUSALS[self.action]
            return error_response(status, [{"code": code, "message": message}], {})
        if self.action == "empty":
            return envelope(Result([], next_cursor=None), {})
        if self.action == "garbage":
            return HttpResponse(GARBAGE, content_type="text/html")
        if self.action == "reset":
            return HttpResponse(b"{}", headers=((HEADER, "reset"),))
        if self.action in OF_HANDLERS:
            return handle(self.action)
        response = handle("")
        return _marked(response, self.action.removesuffix("-after"))


def handle_with_faults(
    faults: Sequence[Fault], incoming: IncomingRequest, handle: HandleRequest
) -> HttpResponse:
    """Handle a request. Of the triggered faults, all delays apply, and the first of the others."""
    triggered = [fault for fault in faults if fault.is_triggered(incoming)]
    timed_out = _delay(sum(fault.latency_seconds for fault in triggered), incoming.timeout_seconds)
    failures = (fault for fault in triggered if fault.action or fault.status or fault.clock_seconds)
    failure = next(failures, None)
    response = failure.respond(handle) if failure else handle("")
    return _marked(response, "timeout") if timed_out else response


def _marked(response: HttpResponse, fault: str) -> HttpResponse:
    return response._replace(headers=(*response.headers, (HEADER, fault)))


def _delay(seconds: float, timeout: float | None) -> bool:
    """Wait, at most for the time-out of a client in the same process; return whether it timed out."""
    timed_out = timeout is not None and seconds > timeout
    if seconds:
        time.sleep(timeout if timed_out and timeout is not None else seconds)
    return timed_out


def parse_fault(text: str) -> Fault:
    """Parse a fault as written on the command line; raise UsageError."""
    parts = text.split()
    if len(parts) < 3 or not parts[1].startswith(("/", "*")):
        _fail(text, "write METHOD PATH FAULT, with * for any method and for any part of the path")
    fault, outcomes = Fault(parts[0].upper(), parts[1]), list[str]()
    for part in parts[2:]:
        name, equals, value = part.partition("=")
        if part in ACTIONS:
            outcomes.append(part)
            fault.action = part
        elif equals and name in SETTINGS:
            if name in REFUSING:
                outcomes.append(f"{name}=")
            setattr(fault, SETTINGS[name], _parse_setting(text, name, value))
        else:
            expected = ", ".join((*ACTIONS, *(f"{name}=" for name in SETTINGS)))
            _fail(text, f"{part!r} is not one of {expected}")
    if len(outcomes) > 1:
        _fail(text, f"{' and '.join(outcomes)} exclude each other")
    if not (outcomes or fault.latency_seconds):
        _fail(text, f"status=, latency=, clock= or one of {', '.join(ACTIONS)} is missing")
    if fault.retry_after_seconds is not None and fault.status is None:
        _fail(text, "retry-after= goes with status= only")
    return fault


def _parse_setting(text: str, name: str, value: str) -> float | int:
    if name == "clock":
        with suppress(UsageError):
            seconds = parse_duration(value.removeprefix("-"), name)
            return -seconds if value.startswith("-") else seconds
        _fail(text, "clock is a duration, such as 1h or -1h")
    if name == "latency":
        with suppress(UsageError):
            if (seconds := parse_duration(value, name)) <= MAX_LATENCY_SECONDS:
                return seconds
        _fail(text, "latency is a duration up to an hour, such as 200ms or 1s")
    try:
        number = float(value)
    except ValueError:
        _fail(text, f"{name}={value} is not a number")
    if name == "rate":
        if 0 <= number <= 1:
            return number
        _fail(text, "rate is a number from 0 to 1")
    if not value.isdecimal():
        _fail(text, f"{name} is a whole number")
    if name == "status" and not 400 <= number <= 599:
        _fail(text, "status is a number from 400 to 599")
    return int(value)


def _fail(text: str, reason: str) -> NoReturn:
    raise UsageError(f"invalid fault {text!r}: {reason}", hint=EXAMPLE)
