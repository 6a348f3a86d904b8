"""What --debug and --log-file write of each exchange, with every secret masked."""

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

from ..errors import StateError, UsageError

MASK = "***"
SECRET_HEADERS = ("authorization", "cookie", "set-cookie", "proxy-authorization")
# Tokens that are on their way to us, as fields of a form, a query or JSON.
SECRET_FIELDS = re.compile(
    r'((?:oauth_token|oauth_token_secret|oauth_verifier|access_token)"?\s*[=:]\s*"?)[^&"\s]+'
)
LEAST_BASE64 = 8  # characters that are masked in base64; fewer may stand in any text
MOST_BODY = 2000  # characters of a body that --debug shows


def new_id() -> str:
    """Name a run, so that names sort by time: UTC to the microsecond, and a hex digit at random."""
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{stamp}-{nanoseconds // 1000:05x}{secrets.randbelow(16):x}"


class Trace:
    """Writes exchanges to a `show` function and to a log file; secrets are masked by header and by value."""

    def __init__(self, *, show: Callable[[str], None] | None = None, log_file: str | None = None) -> None:
        self.show = show
        self._secrets: set[str] = set()
        self._log = _opened(log_file) if log_file else None
        self.run_id = new_id()
        self._about: dict[str, str] = {}

    @property
    def is_on(self) -> bool:
        """Tell whether anyone reads along."""
        return self.show is not None or self._log is not None

    def add_secrets(self, *secrets: str) -> None:
        """Mask these values from now on, in every spelling that they may come back in."""
        self._secrets |= {form for secret in secrets if secret for form in _spellings(secret)}

    def bind(self, **fields: str) -> None:
        """Have every further line of the log carry these fields."""
        self._about |= fields

    def mask(self, text: str) -> str:
        """Put *** in the place of every secret."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        return SECRET_FIELDS.sub(rf"\1{MASK}", text)

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Write a request that is about to go."""
        if self.show:
            self._lines(f"> {method} {url}", headers, body, ">")

    def response(
        self, method: str, url: str, status: int, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> None:
        """Write an answer that came."""
        if self.show:
            self._lines(f"< {status} in {seconds * 1000:.0f} ms", headers, body, "<")
        self.log("exchange", method=method, url=url, status=status, ms=round(seconds * 1000))

    def log(self, event: str, **fields: Any) -> None:
        """Append a line of JSON to the log file."""
        if self._log is not None:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            of = {"time": stamp, "pid": os.getpid(), "run": self.run_id} | self._about
            line = json.dumps(of | {"event": event} | fields)
            try:
                os.write(self._log, (self.mask(line) + "\n").encode())
            except OSError as error:
                raise StateError(f"--log-file: cannot be written: {error.strerror}") from error

    def _lines(self, first: str, headers: Mapping[str, str], body: bytes, mark: str) -> None:
        lines = [first]
        lines += [f"{mark} {k}: {MASK if k.lower() in SECRET_HEADERS else v}" for k, v in headers.items()]
        if body:
            text = self.mask(body.decode("utf-8", "replace"))[:MOST_BODY]  # a secret that is cut is a secret
            lines.append(
                f"{mark} {text}" + (f" ... {len(body):,} bytes in all" if len(body) > MOST_BODY else "")
            )
        if self.show:
            self.show(self.mask("\n".join(lines)))


def _spellings(secret: str) -> set[str]:
    """Write a secret as it is, percent-encoded, as JSON may escape it, and as base64 carries it.

    Base64 makes four characters of three bytes, so that it depends on what stands before the secret.
    """
    found = {secret, quote(secret, safe=""), secret.replace("/", r"\/")}
    for before in range(3):
        encoded = base64.b64encode(b" " * before + secret.encode())
        inner = encoded[4 if before else 0 : -4].decode()  # without what its neighbours have a part in
        found |= {inner} if len(inner) >= LEAST_BASE64 else set()
    return found


def _opened(path: str) -> int:
    try:
        return os.open(Path(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"--log-file: {path} cannot be written: {error.strerror}") from error
