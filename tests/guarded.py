"""A guard before the commands of a test."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from tests.adsctl import Adsctl
from tests.emulator.seeded import ADVENT, APP

LOCAL = ("--profile", "local")
Guarded = Callable[..., str]
Lie = Callable[
    [dict[str, Any], dict[str, list[str]]], Any
]  # of a body and a query: a body, or status and body


def guarded_by(adsctl: Adsctl, *profile: str) -> Guarded:
    """Return what runs a command of a profile under limits, and what it prints, or its error."""

    def run(limits: str, *words: object, code: int = 12, input: str | None = None) -> str:
        file = adsctl.file("guard.yaml", limits + "\n")
        options = ("--yes", "-o", "json", "--max-attempts", "1")
        words = (*(profile or LOCAL), *words, *options)
        done = adsctl(*words, code=code, input=input, ADSCTL_GUARD=str(file))
        return json.loads(done.stderr.splitlines()[-1])["error"]["message"] if code else done.stdout

    return run


def pause_unbounded(adsctl: Adsctl, *profile: str) -> None:
    """Pause what the seeded account runs without a daily budget, beside which nothing may rise."""
    words = ("campaigns", "update", APP, ADVENT, "--entity-status", "PAUSED", "-o", "none")
    adsctl(*(profile or LOCAL), *words)


class LyingService:
    """A served emulator, some of whose answers are changed; `writes` are the requests that reach it."""

    def __init__(self, emulator: Any) -> None:
        self._emulator = emulator
        self._lies: dict[str, Lie] = {}
        self.writes: list[str] = []
        self.reads: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._emulator, name)

    def lies_of(self, ending: str, lie: "Lie") -> None:
        """Change the answers to GET requests whose path ends so."""
        self._lies[ending] = lie

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        (self.reads if method == "GET" else self.writes).append(f"{method} {path}")
        lie = next((lie for ending, lie in self._lies.items() if path.endswith(ending)), None)
        if method != "GET" or lie is None:
            return self._emulator(environ, start_response)
        status, headers = "", []

        def note(sent_status: str, sent_headers: list[tuple[str, str]], *_: Any) -> None:
            nonlocal status, headers
            status, headers = sent_status, sent_headers

        answer = b"".join(self._emulator(environ, note))
        changed = lie(json.loads(answer), parse_qs(environ["QUERY_STRING"]))
        status, body = changed if isinstance(changed, tuple) else (status, changed)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        start_response(status, [each for each in headers if each[0].lower() != "content-length"])
        return [content]


def changing(change: Callable[[dict[str, Any]], None]) -> Lie:
    """Return the lie that changes each record of a list, or the only one."""

    def lie(body: dict[str, Any], query: Any) -> dict[str, Any]:
        records = body["data"]
        for record in records if isinstance(records, list) else [records]:
            change(record)
        return body

    return lie
