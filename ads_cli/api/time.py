"""Moments, as people write them and as the service wants them."""

from datetime import UTC, datetime
from typing import Any


class Time(str):
    """A moment in UTC, written as the service does: `2026-03-01T08:00:00Z`."""

    @classmethod
    def parse(cls, text: Any) -> "Time":
        """Read ISO 8601 with any offset; raise ValueError for anything else."""
        moment = datetime.fromisoformat(text if isinstance(text, str) else "")
        if moment.tzinfo is None:
            raise ValueError("a time needs an offset, or Z")
        return cls(moment.astimezone(UTC).isoformat().replace("+00:00", "Z"))

    @property
    def moment(self) -> datetime:
        """Give it as something to compute with."""
        return datetime.fromisoformat(self)


def parsed(kind: Any, value: Any) -> Any:
    """Read a value of a kind that msgspec does not know by itself."""
    return kind.parse(value)
