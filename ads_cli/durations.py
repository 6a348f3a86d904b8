"""Spans of time, as they are typed."""

import re

from .errors import UsageError

UNITS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}


def parse_duration(text: str, name: str, *, may_be_zero: bool = True) -> float:
    """Read `500ms`, `30s`, `15m`, `2h` or plain seconds; raise UsageError on anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|[smh]?)", text.strip())
    if not found:
        hint = "write 500ms, 30s, 15m, 2h or plain seconds"
        raise UsageError(f"{name}: {text!r} is not a duration", hint=hint)
    seconds = float(found[1]) * UNITS[found[2]]
    if not (seconds or may_be_zero):
        raise UsageError(f"{name}: {text!r} is not more than 0", hint="as in 30s")
    return seconds
