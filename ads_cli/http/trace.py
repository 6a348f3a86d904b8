"""Write requests and responses for --debug and --log-file, with every secret masked."""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import StateError, UsageError
from ..masking import MASK, Mask, is_private_name, mask_header
from ..output.text import Lines
from ..own_ids import new_job_id
from ..stored_times import utc_text

SECRET_HEADERS = ("authorization", "cookie", "set-cookie", "proxy-authorization")
MAX_SHOWN_BODY = 2000  # characters


class Trace:
    """Writes exchanges to a function and to a log file; masks secrets by header and by value."""

    def __init__(
        self,
        *,
        show: Callable[[str], None] | None = None,
        log_file: str | None = None,
        mask: Mask | None = None,
    ) -> None:
        self.show = show
        self.mask = mask or Mask()
        self._log = _open_log(log_file) if log_file else None
        self.run_id = new_job_id(datetime.now(UTC))
        self._bound: dict[str, str] = {}
        self._unwritten: StateError | None = None  # why the line of a response is missing from the log

    def add_secrets(self, *secrets: str) -> None:
        """Mask these values from now on."""
        self.mask.add(*secrets)

    @property
    def job(self) -> str | None:
        """The id of the run that requests belong to."""
        return self._bound.get("job")

    def bind(self, **fields: str) -> None:
        """Add fields to every further line of the log."""
        self._bound |= fields

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Show a request before it is sent; raise StateError where the log lacks an earlier one."""
        if self._unwritten:
            raise self._unwritten
        if self.show:
            self._show(f"> {method} {url}", headers, body, ">")

    def response(
        self, method: str, url: str, status: int, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> None:
        """Show and log a response, which counts more than its line in the log."""
        if self.show:
            self._show(f"< {status} in {seconds * 1000:.0f} ms", headers, body, "<")
        try:
            self.log("exchange", method=method, url=url, status=status, ms=round(seconds * 1000))
        except StateError as error:
            self._unwritten = error

    def require_written(self) -> None:
        """Raise StateError where the log lacks a response, though the command has ended well."""
        if self._unwritten:
            message = f"{self._unwritten.message}; all else was done"
            raise StateError(message, hint="running the command again would do it a second time")

    def log(self, event: str, **fields: Any) -> None:
        """Append a JSON line to the log file."""
        if self._log is not None:
            timestamp = utc_text()
            bound = {"time": timestamp, "pid": os.getpid(), "run": self.run_id} | self._bound
            line = json.dumps(bound | {"event": event} | fields)
            try:
                os.write(self._log, (self.mask(line) + "\n").encode())
            except OSError as error:
                raise StateError(f"--log-file: cannot be written: {error.strerror}") from error

    def _show(self, first: str, headers: Mapping[str, str], body: bytes, mark: str) -> None:
        lines = [first]
        shown = mask_header if mark == ">" else _shown_answer
        lines += [f"{mark} {name}: {shown(name, value)}" for name, value in headers.items()]
        if body:
            # Masked before it is cut, since part of a secret would not be recognized.
            text = self.mask(body.decode("utf-8", "replace"))[:MAX_SHOWN_BODY]
            rest = f" ... {len(body):,} bytes in total" if len(body) > MAX_SHOWN_BODY else ""
            lines.append(f"{mark} {text}{rest}")
        if self.show:
            self.show(Lines(map(self.mask, lines)))


def _shown_answer(name: str, value: str) -> str:
    """Return the value of a header of a response, of which the names that are known hold no secret."""
    return MASK if name.lower() in SECRET_HEADERS or is_private_name(name) else value


def _open_log(path: str) -> int:
    from ..config.atomic_files import OUTPUT_MODE, follow_links

    try:
        return os.open(follow_links(Path(path)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, OUTPUT_MODE)
    except OSError as error:
        raise UsageError(f"--log-file: {path} cannot be written: {error.strerror}") from error
