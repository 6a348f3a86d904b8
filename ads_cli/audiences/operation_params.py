"""What an operation says beside its users: whether they come or go, and from when to when."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..api.time import Time
from ..errors import UsageError
from ..spelling import as_option
from .packing import Head

OPERATIONS = {"update": "Update", "delete": "Delete"}
FIELDS = ("operation_type", "effective_at", "expires_at")
Problems = list[tuple[str, str]]


class Heads(NamedTuple):
    """The heads of rows: what the options say, unless a row says otherwise."""

    default: Head
    now: datetime  # of the start, so that every row is judged by the same
    takes_effective: bool = True  # a do-not-reach list has no beginning

    @classmethod
    def given(cls, options: Mapping[str, str | None], *, takes_effective: bool = True) -> "Heads":
        """Make heads of options; raise UsageError with every reason."""
        heads = cls(Head(OPERATIONS["update"]), datetime.now(UTC), takes_effective)
        head, problems = heads.head(options)
        if problems:
            told = (f"{as_option(name.replace('_type', ''))}: {reason}" for name, reason in problems)
            raise UsageError("\n".join(told))
        return heads._replace(default=head)

    def of(self, columns: dict[str, Any], rows: int) -> tuple[Head | list[Head], dict[int, Problems]]:
        """Take the columns that make heads out of `columns`; give a head for all or for each row."""
        own = {name: columns.pop(name) for name in FIELDS if name in columns}
        if not own:
            return self.default, {}
        heads, wrong, known = [], {}, {}
        for number, values in enumerate(zip(*own.values(), strict=True)):
            if values not in known:
                known[values] = self.head(dict(zip(own, values, strict=True)))
            head, problems = known[values]
            heads.append(head)
            if problems:
                wrong[number] = list(problems)
        return heads, wrong

    def head(self, given: Mapping[str, Any]) -> tuple[Head, Problems]:
        """Make one head, and say what is wrong with it."""
        problems: Problems = []
        values = {name: str(value).strip() for name, value in given.items() if value and str(value).strip()}
        operation = self.default.operation_type
        if word := values.get("operation_type"):
            operation = OPERATIONS.get(word.lower(), "")
            if not operation:
                problems.append(("operation_type", f"is not one of {', '.join(OPERATIONS.values())}"))
        times = {}
        for name in FIELDS[1:]:
            try:
                times[name] = Time.parse(values[name]) if name in values else getattr(self.default, name)
            except ValueError:
                problems.append((name, "is not a time: ISO 8601 with an offset, as 2026-03-01T08:00:00Z"))
                times[name] = ""
        if times["effective_at"] and not self.takes_effective:
            problems.append(("effective_at", "is not for do-not-reach lists"))
        begins = Time(times["effective_at"]).moment if times["effective_at"] else self.now
        if times["expires_at"] and Time(times["expires_at"]).moment <= begins:
            what = "effective_at" if times["effective_at"] else "now"
            problems.append(("expires_at", f"must be later than {what}"))
        return Head(operation, times["effective_at"], times["expires_at"]), problems
