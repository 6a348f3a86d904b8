"""Check stored times against the clock: one that was wrong once must not decide for years what is done.

A time in the future is not believed: the clock was wrong when it was stored, or is wrong now. What it would
spare is done again.
"""

import os
import time
from datetime import datetime
from pathlib import Path

TOLERANCE_SECONDS = 300.0  # by which the clocks of machines that share a state folder may differ


def is_believable(stored: datetime | float) -> bool:
    """Tell whether a stored time, in Unix seconds if it is a number, is not in the future."""
    seconds = stored.timestamp() if isinstance(stored, datetime) else stored
    return seconds <= time.time() + TOLERANCE_SECONDS


def is_older(path: Path, seconds: float) -> bool:
    """Tell whether a file was last changed so long ago; one of the future ages from now on. Raise OSError."""
    changed, now = path.stat().st_mtime, time.time()
    if not is_believable(changed):
        os.utime(path, (now, now))
    return now - changed > seconds
