"""Durations, counts, shares and sizes, as options and settings state them."""

import re
from typing import NamedTuple

from .errors import NotConfirmedError, UsageError

SECONDS_PER_UNIT = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
DURATION = r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ms|[smh]?)"
DECIMAL_UNITS = {unit: 1000**power for power, unit in enumerate(("b", "kb", "mb", "gb", "tb"))}
BINARY_UNITS = {unit: 1024**power for power, unit in enumerate(("", "kib", "mib", "gib", "tib"))}
SHARE = r"([0-9]{1,10})(?:(?:\.([0-9]{1,6}))? ?(%))?"
SIZE = r"([0-9]{1,15}(?:\.[0-9]{1,12})?) ?([a-z]*)"
MAX_SECONDS = 31 * 24 * 3600
MAX_COUNT = 10**9


def parse_duration(text: str, name: str, *, may_be_zero: bool = False) -> float:
    """Parse `500ms`, `30s`, `15m`, `2h` or plain seconds; raise UsageError, naming `name`, otherwise."""
    match = re.fullmatch(DURATION, text.strip())
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


class CountOrShare(NamedTuple):
    """A number of things, or a percentage of all of them in millionths of a percent."""

    number: int
    is_percentage: bool

    def of(self, total: int) -> int:
        """Return the number of whole things, where there are `total`."""
        return self.number * total // 10**8 if self.is_percentage else self.number


def parse_share(text: str, name: str) -> CountOrShare:
    """Parse `100`, `10%` or `0.5%`; raise UsageError, naming `name`, otherwise."""
    if match := re.fullmatch(SHARE, text.strip()):
        whole, fraction, percent = match.groups()
        if not percent:
            return CountOrShare(int(whole), is_percentage=False)
        millionths = int(whole + (fraction or "").ljust(6, "0"))
        if millionths <= 100 * 10**6:
            return CountOrShare(millionths, is_percentage=True)
    raise UsageError(f"{name}: {text!r} is neither a number nor a percentage", hint="write 100 or 10%")


class DeletionLimit(NamedTuple):
    """How much may be deleted, as --max-delete says it."""

    text: str
    most: CountOrShare

    @classmethod
    def parse(cls, text: str) -> "DeletionLimit":
        """Parse the value of the option; raise UsageError."""
        return cls(text, parse_share(text, "--max-delete"))


class Deletions(NamedTuple):
    """What a run would delete, held against --max-delete."""

    number: int
    total: int  # of which they are
    sentence: str  # on both
    limit: DeletionLimit

    @property
    def excess(self) -> str:
        """Say that they are too many; empty where they are not."""
        is_more = self.number > self.limit.most.of(self.total)
        return f"{self.sentence}, and --max-delete is {self.limit.text}" if is_more else ""

    def require_few(self, hint: str) -> None:
        """Raise NotConfirmedError where they are too many; the hint says what was done, and shows them."""
        if excess := self.excess:
            hint = f"{hint}; if that is right, add --max-delete {self.number}"
            raise NotConfirmedError(excess, hint=hint)


def parse_size(text: str, name: str) -> int:
    """Parse `500MB`, `2GiB` or plain bytes; raise UsageError, naming `name`, otherwise."""
    match = re.fullmatch(SIZE, text.strip().lower())
    unit = (DECIMAL_UNITS | BINARY_UNITS).get(match[2]) if match else None
    size = int(float(match[1]) * unit) if match and unit else 0
    if size < 1:
        raise UsageError(f"{name}: {text!r} is not a size", hint="write 500MB, 2GiB or plain bytes")
    return size


def size_text(size: int) -> str:
    """Write a number of bytes for people: `2 GiB`, `500 MB`, `1.5 MB`."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor and (unit[1] != "i" or size % factor == 0):
            return f"{size / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size:,} bytes"
