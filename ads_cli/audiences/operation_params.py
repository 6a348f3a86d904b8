"""The parameters of an operation beside its users: update or delete, and the times."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..api.time import Time
from ..errors import UsageError
from ..spelling import as_option

OPERATION_TYPES = {"update": "Update", "delete": "Delete"}
PARAMS_FIELDS = ("operation_type", "effective_at", "expires_at")
Problems = list[tuple[str, str]]  # field and reason
NEVER = datetime.min.replace(tzinfo=UTC)  # before which nothing expires


class OperationParams(NamedTuple):
    """What an operation carries beside its users."""

    operation_type: str
    effective_at: str = ""
    expires_at: str = ""

    @property
    def json_start(self) -> str:
        """Return the JSON of an operation up to its users."""
        times = zip(self._fields[1:], self[1:], strict=True)
        members = "".join(f'"{name}":"{value}",' for name, value in times if value)
        return f'{{"operation_type":"{self.operation_type}","params":{{{members}"users":['


class ParamsResolver(NamedTuple):
    """Resolves the parameters of each row: its own columns, and else the command's options."""

    default: OperationParams
    now: datetime = NEVER  # of the start, so that all rows are validated against the same time
    takes_effective_at: bool = True  # False for do-not-reach lists

    @classmethod
    def of_options(
        cls, options: Mapping[str, str | None], *, takes_effective_at: bool = True
    ) -> "ParamsResolver":
        """Return a resolver with the options as defaults; raise UsageError with every problem."""
        resolver = cls(OperationParams(OPERATION_TYPES["update"]), takes_effective_at=takes_effective_at)
        params, problems = resolver.parse(options)
        _raise_problems(problems)
        return resolver._replace(default=params)

    def at(self, now: datetime) -> "ParamsResolver":
        """Return a resolver for a time of start; raise UsageError where the options have expired by then."""
        resolver = self._replace(now=now)
        _raise_problems(resolver.parse(self.default._asdict())[1])
        return resolver

    def resolve(
        self, own: Mapping[str, Sequence[Any]]
    ) -> tuple[OperationParams | list[OperationParams], dict[int, Problems]]:
        """Return the parameters for all rows, or for each where rows have columns of their own."""
        if not own:
            return self.default, {}
        params_of_rows, invalid, parsed = [], {}, {}
        for number, values in enumerate(zip(*own.values(), strict=True)):
            if values not in parsed:
                parsed[values] = self.parse(dict(zip(own, values, strict=True)))
            params, problems = parsed[values]
            params_of_rows.append(params)
            if problems:
                invalid[number] = list(problems)
        return params_of_rows, invalid

    def parse(self, texts: Mapping[str, Any]) -> tuple[OperationParams, Problems]:
        """Parse one set of parameters, and return its problems."""
        problems: Problems = []
        values = {name: str(value).strip() for name, value in texts.items() if value and str(value).strip()}
        operation_type = self.default.operation_type
        if word := values.get("operation_type"):
            operation_type = OPERATION_TYPES.get(word.lower(), "")
            if not operation_type:
                problems.append(("operation_type", f"is not one of {', '.join(OPERATION_TYPES.values())}"))
        times = {}
        for name in PARAMS_FIELDS[1:]:
            try:
                times[name] = Time.parse(values[name]) if name in values else getattr(self.default, name)
            except ValueError:
                problems.append((name, "is not a time: ISO 8601 with an offset, as 2026-03-01T08:00:00Z"))
                times[name] = ""
        if times["effective_at"] and not self.takes_effective_at:
            problems.append(("effective_at", "is not for do-not-reach lists"))
        begins = Time(times["effective_at"]).moment if times["effective_at"] else self.now
        if times["expires_at"] and Time(times["expires_at"]).moment <= begins:
            what = "effective_at" if times["effective_at"] else "now"
            problems.append(("expires_at", f"must be later than {what}"))
        return OperationParams(operation_type, times["effective_at"], times["expires_at"]), problems


def _raise_problems(problems: Problems) -> None:
    if problems:
        lines = (f"{as_option(name.replace('_type', ''))}: {reason}" for name, reason in problems)
        raise UsageError("\n".join(lines))
