"""How the time of a function grows with the length of its input."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.effort import THOROUGH

T = TypeVar("T")

# Shorter times say nothing; the input is made longer until it takes as long.
MIN_SECONDS = 0.02 if THOROUGH else 0.004
MAX_LENGTH = 10_000_000 if THOROUGH else 1_000_000
# Four times the length takes four times as long, sixteen times if it is quadratic. Twice is measured twice as
# far as noise goes; what grows faster than the square of the length never ends the first measurement.
MAX_RATIO = 9.0
QUADRATIC_RATIO = 20.0
LENGTHS = (12, 17, 24, 33, 46, 65, 90, 270, 810, 2400, 9600)
ATTEMPTS = 6
SUSPICIOUS_SECONDS, SUSPICIOUS_SECONDS_PER_UNIT = 0.001, 3e-7


def assert_linear(run: Callable[[T], object], make: Callable[[int], T], length: int) -> None:
    """Fail if the processor time for an input of four times the length is that of a quadratic function."""
    short = seconds(run, make(length))
    while short < MIN_SECONDS and length < MAX_LENGTH:
        length *= 4
        short = seconds(run, make(length))
    for _ in range(ATTEMPTS):  # noise makes times longer, never shorter
        ratio = seconds(run, make(4 * length)) / max(short, MIN_SECONDS)
        if ratio < MAX_RATIO:
            return
        short = min(short, seconds(run, make(length)))
    raise AssertionError(f"4 times the length of {length:,} took {ratio:.1f} times as long")


def seconds(run: Callable[[T], object], value: T) -> float:
    """Return the processor time of a call, in seconds."""
    begun = time.process_time()
    run(value)
    return time.process_time() - begun


def is_linear(run: Callable[[T], object], make: Callable[[int], T]) -> bool:
    """Tell whether time grows with the length; short inputs first, so that an exponential function ends."""
    for length in LENGTHS:
        if seconds(run, make(length)) > SUSPICIOUS_SECONDS + length * SUSPICIOUS_SECONDS_PER_UNIT:
            break
    else:
        return True
    while seconds(run, make(length)) < MIN_SECONDS and length < MAX_LENGTH:
        length = length * 7 // 5
    ratio = _ratio(run, make, length)
    # What looks at no more than 1,000 characters is quadratic up to there: longer texts show that it is not.
    # An exponential function has a greater ratio, and would not end on them.
    return ratio < MAX_RATIO or (ratio < QUADRATIC_RATIO and _ratio(run, make, 10 * length) < MAX_RATIO)


def _ratio(run: Callable[[T], object], make: Callable[[int], T], length: int) -> float:
    """Return how much longer a text takes than one of a quarter of its length; noise makes times longer."""
    long, short = make(length), make(length // 4)
    return min(seconds(run, long) for _ in range(3)) / min(seconds(run, short) for _ in range(ATTEMPTS))
