"""Check stored times against the clock: one that was wrong once must not decide for years what is done.

A time in the future is not believed: the clock was wrong when it was stored, or is wrong now. What it would
spare is done again.
"""

import time
from datetime import UTC, datetime, timedelta

TOLERANCE_SECONDS = 300.0  # by which the clocks of machines that share a state folder may differ


def utc_text(ago: float = 0.0) -> str:
    """Return the time as it is stored, some seconds ago."""
    return stored_form(datetime.now(UTC) - timedelta(seconds=ago))


def stored_form(moment: datetime) -> str:
    """Return a moment as it is stored."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def is_believable(stored: datetime | float) -> bool:
    """Tell whether a stored time, in Unix seconds if it is a number, is not in the future."""
    seconds = stored.timestamp() if isinstance(stored, datetime) else stored
    return seconds <= time.time() + TOLERANCE_SECONDS
