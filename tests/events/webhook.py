"""A webhook that `adsctl webhooks serve` serves, and deliveries to it."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from ads_cli.webhooks.signature import LEGACY_HEADER, sign
from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.conftest import SECRETS

CONSUMER_SECRET = SECRETS["ADSCTL_CONSUMER_SECRET"]


def event(id: str = "-4096", kind: str = "post.create", **payload: object) -> bytes:
    data = {"event_type": kind, "filter": {"user_id": "1184672519"}, "payload": payload}
    return json.dumps({"data": {"event_uuid": id, **data} if id else data}).encode()


class Webhook:
    """A served webhook; what it prints is read as it comes."""

    def __init__(self, process: subprocess.Popen, *, reads: bool) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self.messages: list[str] = []
        while "listens on http" not in (line := process.stderr.readline().decode()):
            assert line, self.messages
            self.messages.append(line)
        self.url = next(word.rstrip(";") for word in line.split() if word.startswith("http"))
        self.port = int(self.url.rpartition(":")[2])
        for stream, kept in reads * ((process.stdout, self.lines), (process.stderr, self.messages)):
            threading.Thread(target=self._read, args=(stream, kept), daemon=True).start()

    def _read(self, stream, kept: list) -> None:
        for line in stream:
            kept.append(line if kept is self.lines else line.decode())

    def deliver(self, body: bytes, signature: str | None = None, **headers: str) -> httpx.Response:
        sent = {LEGACY_HEADER: sign(CONSUMER_SECRET, body) if signature is None else signature}
        return httpx.post(f"{self.url}/events", content=body, headers=sent | headers, timeout=TIMEOUT_SECONDS)

    def challenge(self, query: str) -> httpx.Response:
        return httpx.get(f"{self.url}/events?{query}", timeout=TIMEOUT_SECONDS)

    def events(self, number: int) -> list[dict]:
        """The events that were printed, once there are so many."""
        wait_until(lambda: len(self.lines) >= number, f"{self.lines} {self.messages}")
        return [json.loads(line) for line in self.lines]

    def says(self, text: str) -> None:
        """Wait for a message."""
        wait_until(lambda: any(text in line for line in self.messages), f"{text}: {self.messages}")


@contextmanager
def webhook(adsctl, *options: str, reads: bool = True, **env: str) -> Iterator[Webhook]:
    process = adsctl.beside("webhooks", "serve", "--port", "0", *options, **(SECRETS | env))
    try:
        yield Webhook(process, reads=reads)
    finally:
        process.terminate()
        process.wait(TIMEOUT_SECONDS)
        process.stdout.close()
        process.stderr.close()
