"""Write requests and responses for --debug and --log-file, with every secret masked."""

import base64
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..config.output_paths import follow_links
from ..errors import StateError, UsageError

MASK = "***"
SECRET_HEADERS = ("authorization", "cookie", "set-cookie", "proxy-authorization")
# Tokens in responses, as fields of a form, a query or JSON.
SECRET_FIELDS = re.compile(
    r'((?:oauth_token|oauth_token_secret|oauth_verifier|access_token)"?\s*[=:]\s*"?)[^&"\s]+'
)
MIN_MASKED_BASE64 = 8  # characters; shorter fragments occur in ordinary text
MAX_SHOWN_BODY = 2000  # characters


def new_id() -> str:
    """Return an id for a run; ids sort by time: UTC to the microsecond, then a random hex digit."""
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{stamp}-{nanoseconds // 1000:05x}{secrets.randbelow(16):x}"


class Trace:
    """Writes exchanges to a function and to a log file; masks secrets by header and by value."""

    def __init__(self, *, show: Callable[[str], None] | None = None, log_file: str | None = None) -> None:
        self.show = show
        self._secrets: set[str] = set()
        self._log = _open_log(log_file) if log_file else None
        self.run_id = new_id()
        self._bound: dict[str, str] = {}

    def add_secrets(self, *secrets: str) -> None:
        """Mask these values from now on, in every encoding in which they may appear."""
        self._secrets |= {text for secret in secrets if secret for text in _encodings(secret)}

    def bind(self, **fields: str) -> None:
        """Add fields to every further line of the log."""
        self._bound |= fields

    def mask(self, text: str) -> str:
        """Replace every secret by ***."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        return SECRET_FIELDS.sub(rf"\1{MASK}", text)

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Show a request before it is sent."""
        if self.show:
            self._show(f"> {method} {url}", headers, body, ">")

    def response(
        self, method: str, url: str, status: int, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> None:
        """Show and log a response."""
        if self.show:
            self._show(f"< {status} in {seconds * 1000:.0f} ms", headers, body, "<")
        self.log("exchange", method=method, url=url, status=status, ms=round(seconds * 1000))

    def log(self, event: str, **fields: Any) -> None:
        """Append a JSON line to the log file."""
        if self._log is not None:
            timestamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            bound = {"time": timestamp, "pid": os.getpid(), "run": self.run_id} | self._bound
            line = json.dumps(bound | {"event": event} | fields)
            try:
                os.write(self._log, (self.mask(line) + "\n").encode())
            except OSError as error:
                raise StateError(f"--log-file: cannot be written: {error.strerror}") from error

    def _show(self, first: str, headers: Mapping[str, str], body: bytes, mark: str) -> None:
        lines = [first]
        lines += [f"{mark} {k}: {MASK if k.lower() in SECRET_HEADERS else v}" for k, v in headers.items()]
        if body:
            # Masked before it is cut, since part of a secret would not be recognized.
            text = self.mask(body.decode("utf-8", "replace"))[:MAX_SHOWN_BODY]
            rest = f" ... {len(body):,} bytes in total" if len(body) > MAX_SHOWN_BODY else ""
            lines.append(f"{mark} {text}{rest}")
        if self.show:
            self.show(self.mask("\n".join(lines)))


def _encodings(secret: str) -> set[str]:
    """Return a secret as it is, percent-encoded, as escaped in JSON, and as it appears in base64.

    Base64 makes four characters of three bytes, so its text depends on the offset of the secret.
    """
    found = {secret, quote(secret, safe=""), secret.replace("/", r"\/")}
    for offset in range(3):
        encoded = base64.b64encode(b" " * offset + secret.encode())
        inner = encoded[4 if offset else 0 : -4].decode()  # without characters shared with its neighbours
        found |= {inner} if len(inner) >= MIN_MASKED_BASE64 else set()
    return found


def _open_log(path: str) -> int:
    try:
        return os.open(follow_links(Path(path)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"--log-file: {path} cannot be written: {error.strerror}") from error
