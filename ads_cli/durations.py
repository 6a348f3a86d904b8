"""Durations, as options and settings state them."""

import re

from .errors import UsageError

SECONDS_PER_UNIT = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}


def parse_duration(text: str, name: str, *, may_be_zero: bool = True) -> float:
    """Parse `500ms`, `30s`, `15m`, `2h` or plain seconds; raise UsageError, naming `name`, otherwise."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|[smh]?)", text.strip())
    if not match:
        hint = "write 500ms, 30s, 15m, 2h or plain seconds"
        raise UsageError(f"{name}: {text!r} is not a duration", hint=hint)
    seconds = float(match[1]) * SECONDS_PER_UNIT[match[2]]
    if not (seconds or may_be_zero):
        raise UsageError(f"{name}: {text!r} is not more than 0", hint="for example 30s")
    return seconds
