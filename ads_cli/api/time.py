"""Times in ISO 8601, converted to UTC. `FieldType.is_time` knows their types."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

OUTSIDE = "in UTC it is outside of the calendar"


class Time(str):
    """A time in UTC, in the format of the service: `2026-03-01T08:00:00Z`.

    Fractions of a second are cut off: JavaScript writes the last one of a day as `T23:59:59.999Z`.
    """

    @classmethod
    def parse(cls, text: Any) -> "Time":
        """Parse ISO 8601 with any offset; raise ValueError for anything else."""
        return cls.of(_in_utc(text))

    @classmethod
    def of(cls, moment: datetime) -> "Time":
        """Return a moment, which has an offset, as the service writes it."""
        return cls(moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))

    @property
    def moment(self) -> datetime:
        """The time as a datetime."""
        return datetime.fromisoformat(self)


class ExactTime(Time):
    """A time in UTC with milliseconds, as conversions have it: `2026-03-01T08:00:00.000Z`."""

    @classmethod
    def parse(cls, text: Any) -> "ExactTime":
        """Parse ISO 8601 with any offset; raise ValueError for anything else."""
        return cls(_in_utc(text).isoformat(timespec="milliseconds").replace("+00:00", "Z"))


class DayOrTime(Time):
    """A time, or a plain date for its first moment in UTC."""

    @classmethod
    def parse(cls, text: Any) -> "DayOrTime":
        """Parse ISO 8601, with an offset unless it is a plain date; raise ValueError for anything else."""
        return cls(Time.parse(f"{text}T00:00:00Z" if is_plain_date(text) else text))


class HourOrDay(str):
    """A whole hour with its offset, or a plain date, which begins at midnight in the account's time zone."""

    @classmethod
    def parse(cls, text: Any) -> "HourOrDay":
        """Parse ISO 8601, with an offset unless it is a plain date; raise ValueError for anything else."""
        if is_plain_date(text):
            day = date.fromisoformat(text)
            if day in (date.min, date.max):  # some zones begin it before the calendar, or end it after
                raise ValueError(OUTSIDE)
            return cls(day)
        _in_utc(text)
        moment = datetime.fromisoformat(text)
        if moment.minute or moment.second or moment.microsecond:
            raise ValueError("it is not a whole hour")
        if (moment.utcoffset() or timedelta()) % timedelta(minutes=1):
            raise ValueError("its offset is not in whole minutes")
        return cls(moment.isoformat().replace("+00:00", "Z"))

    @property
    def is_day(self) -> bool:
        """Whether it is a plain date."""
        return is_plain_date(self)

    def moment(self, zone: tzinfo) -> datetime:
        """Return the time; a plain date begins at midnight in a time zone."""
        moment = datetime.fromisoformat(self)
        return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _in_utc(text: Any) -> datetime:
    """Parse ISO 8601 with any offset; raise ValueError for anything else."""
    moment = datetime.fromisoformat(text if isinstance(text, str) else "")
    if moment.tzinfo is None:
        raise ValueError("a time needs an offset, or Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(OUTSIDE) from None


def is_plain_date(text: Any) -> bool:
    """Tell whether a text may be a date without a time."""
    return isinstance(text, str) and len(text) == len("2026-03-01")


def decode_custom(type_: Any, value: Any) -> Any:
    """Parse a value of a custom type, for msgspec's `dec_hook`."""
    return type_.parse(value)
