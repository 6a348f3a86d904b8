"""Ids that adsctl gives to jobs, changes and plans.

Digits at random would now and then look like a telephone number or a digest, which are masked for an
assistant: it could not apply the plan that it was shown. So what is random in an id has letters alone.
"""

import secrets
from datetime import datetime

LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")  # in the same order; without vowels, no words


def random_letters(length: int) -> str:
    """Return letters at random, four bits each."""
    return secrets.token_hex(-(-length // 2))[:length].translate(LETTERS)


def new_job_id(now: datetime) -> str:
    """Return an id for a job: UTC, microseconds in five letters, and seven at random. So ids sort by time.

    Of two jobs that begin in the same microsecond, one in 268 million has the id of the other.
    """
    return f"{now:%Y%m%d-%H%M%S}-{f'{now.microsecond:05x}'.translate(LETTERS)}{random_letters(7)}"


def new_change_id(now: datetime) -> str:
    """Return the id of a change: no other process makes the same one, whatever the clock does."""
    return f"{int(now.timestamp()):x}-{random_letters(8)}"
