"""The records of a file as declared requests."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Protocol

import msgspec

from ..api.amounts import (
    CurrencyOf,
    amount_names,
    as_units,
    in_micros,
    in_units,
    money_fields,
    unknown_currency,
)
from ..api.endpoint import Request
from ..api.fields import fields_by_name
from ..api.names import Names, neutral_name, to_neutral
from ..api.parts import encode_operation, operation, operation_of
from ..api.problems import Problem
from ..api.records import CURRENCY, CurrentOf, Resolve, values_of_record
from ..api.spending import changes_nothing, problems_of_currency, request_of
from ..api.validation import parsed_or_text
from ..errors import ContentError, NotFoundError, UsageError
from ..feeds.row import Row
from ..feeds.rows import Rows
from ..feeds.source import Source
from ..spelling import as_known, as_option, by_folded, comma_list
from ..validation import CheckedRow

NO_AMOUNTS: Mapping[str, str] = {}
NO_RECORD: Mapping[str, Any] = {}
OPERATION_KEYS = ("operation_type", "params")  # of the service's own form of an operation


class FilesOfRecords(Protocol):
    """Takes the files that records name in place of media keys."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the fields that name them."""

    def take(self, values: dict[str, Any]) -> None:
        """Put placeholders into a record, in place; raise ContentError where a field names no file."""

    def add_for(self, request: Request) -> None:
        """Note what a whole request tells of its files."""


class RecordReader:
    """Reads one record at a time; `options` outrank what it says.

    One object reads the file several times, and must answer the same each time.
    """

    def __init__(
        self,
        kind: type[Request],
        names: Names,
        options: dict[str, Any],
        amounts: Mapping[str, str] = NO_AMOUNTS,
        currency_of: CurrencyOf = unknown_currency,
        files: FilesOfRecords | None = None,
        current_of: CurrentOf = lambda id: NO_RECORD,
        resolve: Resolve = lambda values: None,
    ) -> None:
        self.kind = kind
        self._files = files
        self._names = names  # of the service, on the wire
        self.not_sent: dict[str, None] = {}  # fields that are read only, of all records of the service
        self.options = options
        self._fields = fields_by_name(kind)
        self._amounts = amounts  # names of options in whole units, by field
        self._option_amounts = {name: as_units(options[field]) for field, name in amounts.items()}
        self._currency_of = currency_of
        self._current_of = current_of
        self._resolve = resolve
        self.postponed_rules: Collection[str] = ()  # not applied to what may have been sent
        self._own_id = kind.endpoint.id_field or ""
        self._known_by_folded = by_folded((*self.known, kind.endpoint.record_id))
        self._row_by_id: dict[str, Row] = {}  # the first of each record

    @property
    def known(self) -> tuple[str, ...]:
        """Name the fields that a file may have."""
        amounts = (name for field in money_fields(self.kind) for name in amount_names(field))
        files = self._files.names if self._files else ()
        return (*self._fields, *amounts, *files, *OPERATION_KEYS)

    def read(self, row: Row) -> CheckedRow:
        """Return the request of a record, and everything that is wrong with it."""
        if row.problem:
            return CheckedRow(row, None, [Problem("", row.problem)])
        values, problems = self._params(as_known(row.values, self._known_by_folded))
        if problems:
            return CheckedRow(row, None, problems)
        values = as_known(values, self._known_by_folded)
        values = to_neutral({name: self._value(name, value) for name, value in values.items()})
        if self._files:
            values = deepcopy(values)  # the row stays as it was read
            try:
                self._files.take(values)
            except ContentError as error:
                return CheckedRow(row, None, [Problem("", error.message)])
        request, problems = self._request(values, row)
        if request and not problems and changes_nothing(request):
            problems = [Problem("", "has nothing to change")]
        if self._files and request:
            self._files.add_for(request)
        return CheckedRow(row, None if problems else request, problems)

    def _request(self, values: dict[str, Any], row: Row) -> tuple[Request | None, list[Problem]]:
        """Make the request of the values of a record, and of the options."""
        record, amounts, problems = in_micros(self.kind, values)
        values, left_out, mismatches = values_of_record(self.kind, record, self.options, self._current_of)
        self.not_sent |= dict.fromkeys(left_out)
        values = values | self.options
        try:
            self._resolve(values)
        except (NotFoundError, UsageError) as error:
            return None, [*problems, *mismatches, Problem("", error.message)]
        of_row = {field: name for field, name in amounts.items() if field not in self.options}
        names = {**of_row, **self._amounts}
        request, fields = request_of(self.kind, values, names, self._currency_of, self.postponed_rules)
        of_record = self._without_options(fields)
        if request:
            of_record += problems_of_currency(request, record.get(CURRENCY), self._currency_of)
        return request, [*problems, *mismatches, *of_record, *self._repeated(values, row)]

    def encode(self, item: Any) -> bytes:
        """Return a request as an operation of a batch, or by its own names where there is none."""
        if self.kind.endpoint.batch is None:
            return msgspec.json.encode(item, enc_hook=str)
        return encode_operation(operation(item, self._names))

    def id_of(self, item: Any) -> str:
        """Return the id of the record that a request changes; nothing where it creates one."""
        return str(getattr(item, self._own_id)) if self._own_id else ""

    def _params(self, values: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
        """Take the parameters out of an operation as the service has it."""
        if values.keys().isdisjoint(OPERATION_KEYS):
            return values, []
        expected, actual = operation_of(self.kind), values.get("operation_type")
        if actual != expected:
            command = self.kind.endpoint.command
            problem = f"must be {expected} for 'adsctl {command}', not {actual!r}"
            return {}, [Problem("operation_type", problem)]
        params = values.get("params")
        if isinstance(params, str):
            params = parsed_or_text(params)
        if not isinstance(params, dict):
            return {}, [Problem("params", "must be an object with fields")]
        others = [Problem(name, "is not a known field") for name in values if name not in OPERATION_KEYS]
        return params, others

    def _value(self, name: str, value: Any) -> Any:
        """Read a cell of a table: lists are separated by commas, what is nested is JSON."""
        field = self._fields.get(neutral_name(name))
        if not isinstance(value, str) or field is None:
            return value
        if field.type.is_comma_list:
            return comma_list(value)
        return parsed_or_text(value) if field.type.is_nested else value

    def _without_options(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems of the record; raise UsageError for one of an option."""
        of_record = []
        for problem in problems:
            field = self._fields.get(problem.field)
            if problem.field in self._amounts.values():
                raise UsageError(f"{as_option(problem.field)}: {problem.message}")
            if field and field.name in self.options:
                amount = self._amounts.get(field.name)
                option = as_option(amount) if amount else field.option
                raise UsageError(
                    f"{option}: {in_units(problem.message, self._amounts, self._option_amounts)}"
                )
            of_record.append(problem)
        return of_record

    def _repeated(self, values: dict[str, Any], row: Row) -> list[Problem]:
        own_id = values.get(self._own_id) if self._own_id else None
        if not isinstance(own_id, str):
            return []
        first = self._row_by_id.setdefault(own_id, row)
        if first.record == row.record:
            return []
        where = f"on line {first.line}" if first.line != row.line else f"record {first.record}"
        return [Problem(self._own_id, f"{own_id!r} is also {where}", rule="repeated")]


class RequestReader(RecordReader):
    """Returns requests that are made already: that of a whole document, or those of a command line."""

    def __init__(
        self, kind: type[Request], names: Names, options: dict[str, Any], requests: Sequence[Request]
    ) -> None:
        super().__init__(kind, names, options)
        self._requests = requests

    def read(self, row: Row) -> CheckedRow:
        """Return the request of a row."""
        return CheckedRow(row, self._requests[row.line - 1], [])


class RequestRows(Rows):
    """The rows of a `RequestReader`, which have no values."""

    def __init__(self, source: Source, count: int) -> None:
        super().__init__(source, (), (), {})
        self._count = count

    def _read(self) -> Iterator[Row]:
        return (Row(number, {}) for number in range(1, self._count + 1))
