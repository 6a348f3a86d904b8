"""Times in ISO 8601, converted to UTC."""

from datetime import UTC, datetime
from typing import Any


class Time(str):
    """A time in UTC, in the format of the service: `2026-03-01T08:00:00Z`."""

    @classmethod
    def parse(cls, text: Any) -> "Time":
        """Parse ISO 8601 with any offset; raise ValueError for anything else."""
        moment = datetime.fromisoformat(text if isinstance(text, str) else "")
        if moment.tzinfo is None:
            raise ValueError("a time needs an offset, or Z")
        return cls(moment.astimezone(UTC).isoformat().replace("+00:00", "Z"))

    @property
    def moment(self) -> datetime:
        """The time as a datetime."""
        return datetime.fromisoformat(self)


class ExactTime(Time):
    """A time in UTC with milliseconds, as conversions have it: `2026-03-01T08:00:00.000Z`."""

    @classmethod
    def parse(cls, text: Any) -> "ExactTime":
        """Parse ISO 8601 with any offset; raise ValueError for anything else."""
        moment = Time.parse(text).moment
        return cls(moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))


class DayOrTime(Time):
    """A time, or a plain date for its first moment in UTC."""

    @classmethod
    def parse(cls, text: Any) -> "DayOrTime":
        """Parse ISO 8601, with an offset unless it is a plain date; raise ValueError for anything else."""
        is_day = isinstance(text, str) and len(text) == len("2026-03-01")
        return cls(Time.parse(f"{text}T00:00:00Z" if is_day else text))


def decode_custom(type_: Any, value: Any) -> Any:
    """Parse a value of a custom type, for msgspec's `dec_hook`."""
    return type_.parse(value)
