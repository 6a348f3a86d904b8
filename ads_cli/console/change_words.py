"""What a change does, in words: fields before and after, amounts in units with their currency."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..api.amounts import amount_names, as_amount, currency_problem
from ..output.diff_view import shown_value, with_currency
from ..output.table_view import MONEY
from ..store.changes import ChangedRecord


def changes_in_words(fields: Mapping[str, Any], before: Mapping[str, Any] | None, currency: str) -> str:
    """Write what changes in one line, as in `daily_budget 60.00 → 70.00 EUR, name Spring → Summer`.

    A value before that is not known is left out.
    """
    words = []
    for name, value in fields.items():
        is_known, is_money = before is not None and name in before, name.endswith(MONEY)
        unit = currency if is_money and currency and not currency_problem(currency) else ""
        old = _text(before[name], unit, is_money=is_money) if before and is_known else None
        old, new = with_currency(old, _text(value, unit, is_money=is_money), unit)
        change = f"{shown_value(old)} → {shown_value(new)}" if is_known else shown_value(new)
        words.append(f"{amount_names(name)[0] if is_money else name} {change}")
    return ", ".join(words)


def each_record(
    records: Sequence[ChangedRecord], fields: Any, before: Any
) -> Iterator[tuple[ChangedRecord, Mapping[str, Any], Mapping[str, Any] | None]]:
    """Yield the records of a change, each with the fields that are set and what they were, where known.

    Of a change with more than the log keeps, the log has only the names of the fields: then nothing is known.
    """
    if len(records) == 1:
        fields, before = [fields], [before]
    for number, record in enumerate(records):
        own = fields[number] if isinstance(fields, list) else None
        yield record, own or {}, before[number] if isinstance(before, list) else None


def record_in_words(noun: str, name: str, id: str) -> str:
    """Name a record by its name and its id, or by its id alone."""
    return f"{noun} {f'{name} ({id})' if name and id else name or id}".strip()


def _text(value: Any, currency: str, *, is_money: bool) -> str | None:
    if value is None or value == "":
        return None
    if is_money and str(value).isdecimal():
        return as_amount(int(value), currency)
    return ", ".join(map(str, value)) if isinstance(value, list) else shown_value(value)
