"""What goes wrong in one command: an answer is lost or wrong, or the process is killed."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import GARBAGE, HEADER, parse_fault
from ads_cli.emulator.core.responses import HttpResponse
from tests.crash.commits import around_commits

RETRY_AT_ONCE = (("Retry-After", "0"),)
# Answers instead of the service's own, and whether the request was applied before.
ANSWERS = {
    "429": (HttpResponse(b"{}", 429, headers=RETRY_AT_ONCE), False),
    "503": (HttpResponse(b"{}", 503, headers=RETRY_AT_ONCE), False),
    "504 and applied": (HttpResponse(b"{}", 504, headers=RETRY_AT_ONCE), True),
    "reset": (HttpResponse(b"{}", headers=((HEADER, "reset"),)), False),
    "reset and applied": (HttpResponse(b"{}", headers=((HEADER, "reset"),)), True),
    "garbage and applied": (HttpResponse(GARBAGE, content_type="text/html"), True),
    "no data and applied": (HttpResponse(b'{"request":{},"data":[]}'), True),
}
KILLS = ("kill before it is applied", "kill after it is applied", "kill on the disk")
DISK = ("write", "fsync", "fdatasync", "replace", "rename", "unlink", "ftruncate", "open")


@dataclass(frozen=True)
class Mishap:
    """One mishap, at the n-th request that changes data, or at the n-th step on the disk."""

    kind: str = ""  # nothing goes wrong
    step: int = 1
    lasts: bool = False  # every later request has the same answer

    @property
    def kills(self) -> bool:
        return self.kind in KILLS


NOTHING = Mishap()


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


class Service:
    """The emulator in the process of the command, with one mishap; counts what changes data in a file.

    A request cannot arrive late: what a killed process has sent is applied, or never will be.
    """

    def __init__(self, emulator: Emulator, mishap: Mishap, counter: int) -> None:
        self.answer: Callable[..., list[bytes]] = emulator  # what may stand between replaces it
        self._mishap, self._counter = mishap, counter
        self.before: Callable[[], None] = _ignore  # called before a request that changes data is handled,
        self.after: Callable[[], None] = _ignore  # and before its answer is returned
        self._requests = count(1)
        self._lock = threading.Lock()
        if mishap.kind == "partial":
            emulator.faults = [parse_fault("PUT * partial times=1")]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["REQUEST_METHOD"] == "GET":
            return self.answer(environ, start_response)
        with self._lock:
            number = next(self._requests)
            os.write(self._counter, b".")
        self.before()
        try:
            return self._respond(number, environ, start_response)
        finally:
            self.after()

    def _respond(
        self, number: int, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> list[bytes]:
        happens = number == self._mishap.step or (self._mishap.lasts and number > self._mishap.step)
        if not happens:
            return self.answer(environ, start_response)
        if self._mishap.kind == "kill before it is applied":
            kill_self()
        if self._mishap.kind == "kill after it is applied":
            self.answer(environ, _ignore)
            kill_self()
        if self._mishap.kind not in ANSWERS:
            return self.answer(environ, start_response)
        response, is_applied = ANSWERS[self._mishap.kind]
        if is_applied:
            self.answer(environ, _ignore)
        return response.send(start_response)


def _ignore(*_: object) -> None:
    pass


def kill_on_disk(step: int) -> None:
    """Kill this process right before its n-th step on the disk."""
    steps = count(1)

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if next(steps) == step:
                kill_self()
            return real(*args, **options)

        return call

    for name in DISK:
        setattr(os, name, counted(getattr(os, name)))
    around_commits(counted(lambda carry_out: carry_out()))
