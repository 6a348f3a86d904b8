"""Write records as a workbook: amounts, rates and times in cells of their type."""

import pickle
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from tempfile import TemporaryFile
from typing import IO, Any, TypeGuard

from ..api.amounts import MICROS_PER_UNIT, as_amount, decimals_of
from ..api.metrics import BEFORE
from .column_types import MICRO, ColumnType, base_of, is_change, type_of
from .figures import MAX_DECIMALS, number_of
from .table_view import Record, is_total, named_total
from .workbook import FormattedNumber, decimals_format, is_exact, open_workbook

MICROS = re.compile(r"[+-]?[0-9]{1,22}(\.[0-9]{1,6})?")  # as many digits as Decimal keeps
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # not of a week, as in 2026-W01-1
TIME_COLUMN = re.compile(r"(?:.*_)?(?:at|time|date|day|start|end|since|until)")
MIDNIGHT = time()
CHANGE_FORMAT = "+0.0%;-0.0%;0.0%"
CURRENCY_CODE = re.compile("[A-Z]{3}")


def time_of(value: Any) -> Any:
    """Return the date or time that a text in ISO 8601 states, by its own clock; anything else as it is."""
    if not isinstance(value, str) or not DAY.match(value):
        return value
    with suppress(ValueError):
        return date.fromisoformat(value) if len(value) == len("2026-01-01") else datetime.fromisoformat(value)
    return value


def write_records(
    stream: IO[bytes],
    records: Iterable[Record],
    columns: Sequence[str],
    *,
    name: str,
    keeps_columns: bool = False,
) -> int:
    """Write a workbook of one sheet: amounts, rates and times in cells of their type, ids last, totals bold.

    Columns without a value are left out, unless `keeps_columns`. Micro-units beside a column of the amount
    stay as they are. Returns the number of rows.
    """
    with TemporaryFile() as file, open_workbook(stream) as workbook:
        rows = _TypedRows(columns, file)
        for record in records:
            rows.add(record)
        kept = [*range(len(columns))] if keeps_columns else rows.order()
        sheet = workbook.add_sheet(name, [rows.heads[at] for at in kept])
        has_totals = False
        for values, is_total in rows.read():
            if is_total and not has_totals:
                has_totals = True
                sheet.filter_rows()
            sheet.write([values[at] for at in kept], is_total=is_total)
        if not has_totals:
            sheet.filter_rows()
        return sheet.count


class _TypedRows:
    """Rows with the values of their cells, in a temporary file, since all decide which columns there are."""

    def __init__(self, columns: Sequence[str], file: IO[bytes]) -> None:
        self._columns, self._file, self._count = columns, file, 0
        amounts = [column.removesuffix(MICRO) for column in columns]
        pairs = zip(amounts, columns, strict=True)
        self.heads = [column if amount in columns else amount for amount, column in pairs]
        self._types = [
            "text" if column.endswith(MICRO) and head == column else type_of(column)
            for head, column in zip(self.heads, columns, strict=True)
        ]
        self._is_time = [TIME_COLUMN.fullmatch(column) is not None for column in columns]
        self._filled = [False] * len(columns)
        self._has_clock = [False] * len(columns)

    def add(self, record: Record) -> None:
        """Add a record. Sums are called so in a column that the others fill, and fill none themselves."""
        total = is_total(record)
        if total:
            filled = [name for name, has in zip(self._columns, self._filled, strict=True) if has]
            record = named_total(record, filled or self._columns)
        values = [self._value(at, column, record) for at, column in enumerate(self._columns)]
        for at, value in enumerate(values):
            if value is not None and value != "" and not (total and self._count):
                self._filled[at] = True
                if isinstance(value, datetime) and value.time() != MIDNIGHT:
                    self._has_clock[at] = True
        pickle.dump((values, total), self._file)
        self._count += 1

    def _value(self, at: int, column: str, record: Record) -> Any:
        value, currency = record.get(column), str(record.get("currency") or "")
        if self._is_time[at]:
            return time_of(value)
        if is_change(column):
            return _change(column, record, value)
        return typed(self._types[at], value, currency)

    def order(self) -> list[int]:
        """Return the columns that have a value, ids last; all where none has."""
        filled = [at for at, is_filled in enumerate(self._filled) if is_filled] or [*range(len(self._filled))]
        return sorted(filled, key=lambda at: self._types[at] == "id")

    def read(self) -> Iterator[tuple[list[Any], bool]]:
        """Yield the values of each row, and whether it is a total; times without a clock are dates."""
        self._file.seek(0)
        for _ in range(self._count):
            values, total = pickle.load(self._file)
            for at, value in enumerate(values):
                if isinstance(value, datetime) and not self._has_clock[at]:
                    values[at] = value.date()
            yield values, total


def typed(type: ColumnType, value: Any, currency: str) -> Any:
    """Return a number as a cell of its type; anything else as it is."""
    match type:
        case "micro":
            return _money(_amount(value, currency), currency)
        case "amount":
            return _money(value, currency)
        case "percent" if _is_number(value):
            return FormattedNumber(value, "0.00%")
        case "ratio" if _is_number(value):
            return FormattedNumber(value, "#,##0.00")
        case "count" if _is_number(value):
            return FormattedNumber(value, "#,##0")
    return value


def _is_number(value: Any) -> TypeGuard[int | float | Decimal]:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _money(value: Any, currency: str) -> Any:
    """Return an amount with the decimals of its currency; what is less than its smallest coin has more."""
    if not _is_number(value):
        return value
    decimals = decimals_of(currency)
    if value and abs(value) < 10**-decimals:
        decimals = MAX_DECIMALS
    code = f'\\ "{currency}"' if CURRENCY_CODE.fullmatch(currency) else ""
    return FormattedNumber(value, decimals_format(decimals) + code)


def _change(column: str, record: Record, value: Any) -> Any:
    """Return a change as a part of what the number was, where that is known."""
    base = base_of(column)
    now, before = number_of(record.get(base)), number_of(record.get(base + BEFORE))
    if now is None or before is None:
        return value
    return FormattedNumber(float(now / before - 1), CHANGE_FORMAT) if before else None


def _amount(micros: Any, currency: Any) -> Any:
    """Return micro-units in units of a currency: a number, its text, and those within a list or a record."""
    if isinstance(micros, list):
        return [_as_json(_amount(micro, currency)) for micro in micros]
    if isinstance(micros, dict):
        return {key: _as_json(_amount(micros_of_key, currency)) for key, micros_of_key in micros.items()}
    if isinstance(micros, str) and MICROS.fullmatch(micros):
        micros = Decimal(micros)
    if isinstance(micros, float) and not micros.is_integer():
        return micros / MICROS_PER_UNIT
    if isinstance(micros, Decimal) and not (micros.is_finite() and micros == micros.to_integral_value()):
        return micros.scaleb(-6)
    if isinstance(micros, bool) or not isinstance(micros, int | float | Decimal):
        return micros
    return Decimal(as_amount(int(micros), str(currency or "")).replace(",", ""))


def _as_json(amount: Any) -> Any:
    if not isinstance(amount, Decimal):
        return amount
    return float(amount) if is_exact(amount) else f"{amount:f}"
