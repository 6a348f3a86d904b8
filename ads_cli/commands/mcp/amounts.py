"""Amounts as an assistant is shown them: in units, with their currency."""

from collections.abc import Mapping
from typing import Any

from ...api.amounts import amount_names, as_amount

MICRO, LOCAL_MICRO = "_micro", "_local_micro"  # how the names of amounts in millionths end


def unit_name(name: str) -> str:
    """Return what an amount in units is called: `daily_budget` of `daily_budget_amount_local_micro`."""
    return amount_names(name)[0] if name.endswith(LOCAL_MICRO) else name.removesuffix(MICRO)


def only_currency(data: Any) -> str:
    """Return the currency of records, where all that name one name the same."""
    records = data if isinstance(data, list) else [data]
    named = {record.get("currency") for record in records if isinstance(record, Mapping)} - {None}
    return str(named.pop()) if len(named) == 1 else ""


def in_units(data: Any, currency: str = "") -> Any:
    """Return data whose amounts are texts such as `60.00 EUR`, under the names of `unit_name`.

    `currency` is that of records which name none.
    """
    if isinstance(data, list):
        return [in_units(item, currency) for item in data]
    if not isinstance(data, Mapping):
        return data
    currency = str(data.get("currency") or currency)
    shown = dict[str, Any]()
    for name, value in data.items():
        is_amount = name.endswith(MICRO) and unit_name(name) not in data
        shown[unit_name(name) if is_amount else name] = (
            _amount(value, currency) if is_amount else in_units(value, currency)
        )
    return shown


def _amount(value: Any, currency: str) -> Any:
    if isinstance(value, list):
        return [_amount(item, currency) for item in value]
    if type(value) is not int:
        return value
    return f"{as_amount(value, currency).replace(',', '')} {currency}".rstrip()
