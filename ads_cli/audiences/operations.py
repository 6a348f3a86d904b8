"""Operations encoded as JSON: thousands of them in one text, split where a request is full."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from ..api.time import Time
from ..api.users import MAX_BODY_BYTES, MAX_OPERATIONS
from ..errors import UsageError
from ..output.text import Lines
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
        # Times and types need no escape.
        times = zip(self._fields[1:], self[1:], strict=True)
        members = "".join(f'"{name}":"{value}",' for name, value in times if value)
        return f'{{"operation_type":"{self.operation_type}","params":{{{members}"users":['


class ParamsResolver(NamedTuple):
    """Resolves the parameters of each row: its own columns, and else the command's options."""

    default: OperationParams
    now: datetime = NEVER  # of the start, so that all rows are validated against the same time
    is_at_once: bool = False  # whether the list cannot keep when people are to be added

    @classmethod
    def of_options(cls, options: Mapping[str, str | None], *, is_at_once: bool = False) -> "ParamsResolver":
        """Return a resolver with the options as defaults; raise UsageError with every problem."""
        resolver = cls(OperationParams(OPERATION_TYPES["update"]), is_at_once=is_at_once)
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
        params_of_rows, invalid = list[OperationParams](), dict[int, Problems]()
        parsed: dict[tuple[str, ...], tuple[OperationParams, Problems]] = {}
        for number, values in enumerate(zip(*own.values(), strict=True)):
            texts = tuple(["" if value is None else str(value) for value in values])
            if texts not in parsed:
                parsed[texts] = self.parse(dict(zip(own, texts, strict=True)))
            params, problems = parsed[texts]
            params_of_rows.append(params)
            if problems:
                invalid[number] = list(problems)
        return params_of_rows, invalid

    def parse(self, texts: Mapping[str, str | None]) -> tuple[OperationParams, Problems]:
        """Parse one set of parameters, and return its problems."""
        problems: Problems = []
        values = {name: value.strip() for name, value in texts.items() if value and value.strip()}
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
        if self.is_at_once and times["effective_at"]:
            problems.append(("effective_at", "this list adds people at once, and cannot keep it"))
        end = Time(times["expires_at"]).moment if times["expires_at"] else None
        if end and times["effective_at"] and end <= Time(times["effective_at"]).moment:
            problems.append(("expires_at", "must be later than effective_at"))
        elif end and end <= self.now:
            problems.append(("expires_at", "must be later than now"))
        return OperationParams(operation_type, times["effective_at"], times["expires_at"]), problems


def _raise_problems(problems: Problems) -> None:
    if problems:
        lines = (f"{as_option(name.replace('_type', ''))}: {reason}" for name, reason in problems)
        raise UsageError(Lines(lines))


Numbers = Sequence[int]


@dataclass(frozen=True, slots=True)
class Operations:
    """Some operations as JSON, separated by commas, and the rows that their users come from."""

    body: bytes | memoryview  # empty where it is not sent
    body_ends: Numbers  # offset where each operation ends in the body
    row_ends: Numbers  # index in `rows` where the users of each operation end
    rows: Numbers  # of all users: counted from 0 while packing, record numbers afterwards

    @classmethod
    def single(cls, body: bytes, rows: Numbers) -> "Operations":
        """Return one operation."""
        return cls(body, [len(body)], [len(rows)], rows)

    def __len__(self) -> int:
        return len(self.body_ends)

    def __iter__(self) -> Iterator["Operations"]:
        return (self.slice(number, number + 1) for number in range(len(self)))

    def body_start(self, number: int) -> int:
        """Return the offset where an operation begins in the body."""
        return self.body_ends[number - 1] + 1 if number else 0

    def slice(self, begin: int, end: int) -> "Operations":
        """Return the operations from `begin` to `end`."""
        if (begin, end) == (0, len(self)):
            return self
        offset, first_row = self.body_start(begin), self.row_ends[begin - 1] if begin else 0
        body_ends, row_ends = self.body_ends[begin:end], self.row_ends[begin:end]
        return Operations(
            memoryview(self.body)[offset : body_ends[-1]],
            array("q", (at - offset for at in body_ends)),
            array("q", (row - first_row for row in row_ends)),
            self.rows[first_row : row_ends[-1]],
        )

    def with_records(self, records: Numbers) -> "Operations":
        """Return the operations with rows replaced by the record numbers that they index."""
        rows = self.rows
        has_gaps = len(rows) - 1 != rows[-1] - rows[0]
        return replace(
            self, rows=[records[row] for row in rows] if has_gaps else records[rows[0] : rows[-1] + 1]
        )


def split_requests(packed: Iterable[Operations]) -> Iterator[list[Operations]]:
    """Split operations into requests, with as many in each as both limits allow."""
    request: list[Operations] = []
    count, size = 0, 1  # of the body: a bracket, then each operation with a comma or the other bracket
    for operations in packed:
        at = 0
        while at < len(operations):
            start = operations.body_start(at)
            end = bisect_right(operations.body_ends, start + MAX_BODY_BYTES - size - 1, at)
            if not request:  # one that is too large is sent alone
                end = max(end, at + 1)
            end = min(end, at + MAX_OPERATIONS - count)
            if end > at:
                request.append(operations.slice(at, end))
                size += operations.body_ends[end - 1] - start + 1
                count, at = count + end - at, end
            if at < len(operations):
                yield request
                request, count, size = [], 0, 1
    if request:
        yield request


def body_pieces(request: Iterable[Operations]) -> list[bytes | memoryview]:
    """Return the body of a request in pieces."""
    pieces = [piece for operations in request for piece in (b",", operations.body)]
    return [b"[", *pieces[1:], b"]"]


class SentParams(msgspec.Struct):
    """What an operation carries as it is sent."""

    users: list[dict[str, list[str]]]
    effective_at: str = ""
    expires_at: str = ""


class SentOperation(msgspec.Struct):
    """An operation as it is sent."""

    operation_type: str
    params: SentParams


_decode_operations = msgspec.json.Decoder(list[SentOperation]).decode


def operations_of(operations: Operations) -> list[SentOperation]:
    """Return operations as they are sent."""
    return _decode_operations(b"".join(body_pieces([operations])))


def count_users(request: Iterable[Operations]) -> int:
    """Count the users of a request."""
    return sum(len(operations.rows) for operations in request)
