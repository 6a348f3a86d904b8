"""Durations and counts, as options and settings state them."""

import re

from .errors import UsageError

SECONDS_PER_UNIT = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ms|[smh]?)")
MAX_SECONDS = 31 * 24 * 3600
MAX_COUNT = 10**9


def parse_duration(text: str, name: str, *, may_be_zero: bool = True) -> float:
    """Parse `500ms`, `30s`, `15m`, `2h` or plain seconds; raise UsageError, naming `name`, otherwise."""
    match = DURATION.fullmatch(text.strip())
    if not match:
        hint = "write 500ms, 30s, 15m, 2h or plain seconds"
        raise UsageError(f"{name}: {text!r} is not a duration", hint=hint)
    seconds = float(match[1]) * SECONDS_PER_UNIT[match[2]]
    if not (seconds or may_be_zero):
        raise UsageError(f"{name}: {text!r} is not more than 0", hint="for example 30s")
    if seconds > MAX_SECONDS:
        raise UsageError(f"{name}: {text!r} is longer than 31 days")
    return seconds


def parse_count(text: str, name: str) -> int:
    """Parse a whole number of 1 or more; raise UsageError, naming `name`, otherwise."""
    count = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
    if not 1 <= count <= MAX_COUNT:
        raise UsageError(f"{name}: {text!r} is not a whole number from 1 to {MAX_COUNT:,}")
    return count
