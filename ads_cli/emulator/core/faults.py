"""Faults on demand: `PUT /12/product_catalogs/* status=503 rate=0.2 retry-after=1`."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from ...durations import parse_duration
from ...errors import UsageError
from .incoming import Incoming
from .responses import HttpResponse, failed

if TYPE_CHECKING:
    from random import Random

# Set on an answer that has to go wrong on the wire: the server breaks the connection, and a client
# in the same process, which has no connection, raises what it would have seen.
HEADER = "X-Emulator-Fault"
WORDS = ("reset", "reset-after", "truncate", "garbage", "partial")
VALUES = ("status", "latency", "rate", "times", "retry-after", "seed")
MAX_LATENCY_SECONDS = 3600.0
EXAMPLE = "a fault reads like: PUT /12/product_catalogs/* status=503 rate=0.2 retry-after=1"
PAGE = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please log in.</body></html>"

Perform = Callable[[bool], HttpResponse]  # handles the request; True refuses some items of a batch


@dataclass
class Fault:
    """What goes wrong, where, and how often."""

    method: str
    path: str
    word: str = ""
    status: int | None = None
    latency: float = 0
    rate: float = 1
    times: int | None = None
    retry_after: int | None = None
    seed: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @cached_property
    def _random(self) -> "Random":
        from random import Random

        return Random(self.seed)

    def strikes(self, incoming: Incoming) -> bool:
        """Draw whether a request is struck."""
        if self.method not in ("*", incoming.method) or not fnmatchcase(incoming.path, self.path):
            return False
        with self._lock:
            if self.times == 0 or (self.rate < 1 and self._random.random() >= self.rate):
                return False
            if self.times is not None:
                self.times -= 1
            return True

    def spoil(self, perform: Perform) -> HttpResponse:
        """Answer a request with what goes wrong."""
        if self.status is not None:
            headers = () if self.retry_after is None else (("Retry-After", str(self.retry_after)),)
            error = {"code": "FAULT_ON_DEMAND", "message": f"fault on demand: status {self.status}"}
            return failed(self.status, [error], {}, headers)
        if self.word == "garbage":
            return HttpResponse(PAGE, content_type="text/html")
        if self.word == "reset":
            return HttpResponse(b"{}", headers=((HEADER, "reset"),))
        answer = perform(self.word == "partial")
        if self.word == "partial":
            return answer
        return answer._replace(headers=(*answer.headers, (HEADER, self.word.removesuffix("-after"))))


def struck(faults: Sequence[Fault], incoming: Incoming, perform: Perform) -> HttpResponse:
    """Handle a request under the faults that strike it: every delay, and the first that spoils it."""
    striking = [fault for fault in faults if fault.strikes(incoming)]
    late = _delayed(sum(fault.latency for fault in striking), incoming.patience)
    spoiling = next((fault for fault in striking if fault.word or fault.status), None)
    answer = spoiling.spoil(perform) if spoiling else perform(False)
    return answer._replace(headers=(*answer.headers, (HEADER, "timeout"))) if late else answer


def _delayed(seconds: float, patience: float | None) -> bool:
    """Wait, but no longer than a client in the same process would; tell whether it has given up."""
    late = patience is not None and seconds > patience
    if seconds:
        time.sleep(patience if late and patience is not None else seconds)
    return late


def parse(text: str) -> Fault:
    """Read one fault as it is written on the command line."""
    parts = text.split()
    if len(parts) < 3 or not parts[1].startswith(("/", "*")):
        _refuse(text, "it has a method (or *), a path (with * for any part), and what goes wrong")
    fault = Fault(parts[0].upper(), parts[1])
    for part in parts[2:]:
        name, equals, value = part.partition("=")
        if part in WORDS and not fault.word:
            fault.word = part
        elif equals and name in VALUES:
            setattr(fault, name.replace("-", "_"), _read(text, name, value))
        else:
            known = ", ".join((*WORDS, *(f"{value}=" for value in VALUES)))
            _refuse(text, f"{part!r} is none of {known}, or one too many")
    if not (fault.word or fault.status or fault.latency):
        _refuse(text, f"it says nothing that goes wrong: status=, latency= or one of {', '.join(WORDS)}")
    if fault.word and fault.status:
        _refuse(text, f"status= and {fault.word} exclude each other")
    return fault


def _read(text: str, name: str, value: str) -> float | int:
    """Read the value of one setting."""
    if name == "latency":
        with suppress(UsageError):
            if 0 < (seconds := parse_duration(value, name)) <= MAX_LATENCY_SECONDS:
                return seconds
        _refuse(text, "latency is a duration up to an hour, as in 200ms or 1s")
    try:
        number = float(value)
    except ValueError:
        _refuse(text, f"{name}={value} is not a number")
    if name == "rate":
        if 0 <= number <= 1:
            return number
        _refuse(text, "rate is a number from 0 to 1")
    if not value.isdecimal():
        _refuse(text, f"{name} is a whole number")
    if name == "status" and not 400 <= number <= 599:
        _refuse(text, "status is a number from 400 to 599")
    return int(value)


def _refuse(text: str, reason: str) -> NoReturn:
    raise UsageError(f"the fault {text!r} cannot be read: {reason}", hint=EXAMPLE)
