"""A service that answers about statistics what a test makes of it."""

import gzip
import json
from collections.abc import Callable
from typing import Any

Data = list[dict[str, Any]]
Change = Callable[[Data], Data | None]  # changes the data in place, or returns other data
RESULTS, AT_ONCE = "/stats-results/", "/12/stats/accounts/"


def lie(service, monkeypatch, change: Change, times: int = 1000) -> None:
    """Let the service change what it answers, at once and in the results of jobs, that many times."""

    def changed(body: bytes) -> bytes:
        whole = json.loads(body)
        data = change(whole["data"])
        return json.dumps(whole | ({} if data is None else {"data": data})).encode()

    lie_in_bytes(service, monkeypatch, changed, times)


def lie_in_bytes(service, monkeypatch, change: Callable[[bytes], bytes], times: int = 1000) -> None:
    """Let the service change the document that it answers."""
    respond, left = service.answer, [times]

    def answer(environ, start_response):
        path = environ["PATH_INFO"]
        if not path.startswith((RESULTS, AT_ONCE)) or path.endswith("active_entities") or not left[0]:
            return respond(environ, start_response)
        stated = []
        body = b"".join(respond(environ, lambda *words: stated.extend(words)))
        status, headers, *_ = stated
        if not status.startswith("200"):
            start_response(status, headers)
            return [body]
        left[0] -= 1
        packed = path.startswith(RESULTS)
        body = change(gzip.decompress(body) if packed else body)
        body = gzip.compress(body) if packed else body
        headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    monkeypatch.setattr(service, "answer", answer)
