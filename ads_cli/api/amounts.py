"""Budgets and amounts in whole units of a currency, as people type them, beside micro-units."""

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from ..spelling import as_option
from .conditions import at_most
from .endpoint import Request
from .fields import marked_fields
from .problems import Problem, quoted
from .types import MAX_MICROS, Micro
from .validation import Rule, rule

MICROS_PER_UNIT = 1_000_000  # of every currency
# The currencies of the service whose units have no hundredths.
NO_DECIMALS = frozenset({"CLP", "JPY", "KRW", "VND"})
THREE_DECIMALS = frozenset({"BHD", "IQD", "KWD", "TND"})


def decimals_of(currency: str) -> int:
    """Return how many decimals an amount in a currency has: 2 in EUR, none in JPY, 3 in KWD."""
    return 0 if currency in NO_DECIMALS else 3 if currency in THREE_DECIMALS else 2


def as_amount(micros: int, currency: str) -> str:
    """Write micro-units as an amount with the decimals of its currency, or more where it has parts of those.

    12500000 is 12.50 in EUR and 455000 is 0.455; a bid may be less than the smallest coin.
    """
    amount = Decimal(micros).scaleb(-6)
    digits = max(decimals_of(currency), -int(amount.normalize().as_tuple().exponent))
    return f"{amount:,.{digits}f}"


def currency_problem(code: str | None) -> str | None:
    """Require a currency of ISO 4217, where one is given."""
    if code is None:
        return None
    from .iso_codes import CURRENCIES

    return None if code in CURRENCIES else f"{code} is not a currency of ISO 4217"


def thousands_problem(amount: Decimal, currency: str) -> str | None:
    """Require another spelling of 5.000 EUR, which some mean as five thousand."""
    if amount < 1 or amount.as_tuple().exponent != -3 or decimals_of(currency) == 3:
        return None
    return f"{amount} may be meant as {amount.scaleb(3):f}: write that, or {amount.normalize():f}"


def currency_exists(field: str) -> Rule:
    """Make a rule for a field with a currency."""

    @rule(field)
    def currency_of_iso_4217(item: Any) -> str | None:
        """Require a currency of ISO 4217."""
        return currency_problem(getattr(item, field))

    return currency_of_iso_4217


# So few digits that Decimal rounds none away; no budget has so many. No exponent: in 1e3, one wrong key is a
# factor of ten.
AMOUNT = r"[+-]?([0-9]{1,20}(\.[0-9]{0,8})?|\.[0-9]{1,8})"
EXPONENT = r"[0-9]{1,8}(\.[0-9]{1,8})?[eE][+-]?[0-9]{1,2}"
LOCAL_AMOUNT = r"[^0-9+-]*([0-9]{1,15})(?:[.,]([0-9]{1,2}))?[^0-9%]*"
CurrencyOf = Callable[[Request], str | None]  # None where it is not known


def micros_of(text: str) -> int | None:
    """Return an amount in whole units as millionths; None where it is not one of at most six decimals."""
    if not re.fullmatch(AMOUNT, text):
        return None
    micros = Decimal(text) * MICROS_PER_UNIT
    return int(micros) if micros == micros.to_integral_value() else None


def _suggested_amount(text: str) -> str:
    """Suggest the amount that was meant by one with a comma or an exponent: `12,50`.

    Not by one with a currency, `12 USD`: it may be another one than that of the account.
    """
    if re.fullmatch(EXPONENT, text):
        return f"; did you mean {Decimal(text):f}?"
    if not (match := re.fullmatch(LOCAL_AMOUNT, text)):
        return ", as in 1.50"
    if re.search(r"[^\W\d_]|[^\x00-\x7f]|\$", text):
        return "; write a number alone, of the currency of the account"
    return f"; did you mean {'.'.join(filter(None, match.groups()))}?"


def amount_names(field: str) -> list[str]:
    """Return the names under which a field of micro-units takes whole units, the usual one first.

    `daily_budget_amount_local_micro` is `daily_budget`, or `daily_budget_amount`.
    """
    amount = field.removesuffix("_local_micro")
    return [amount.removesuffix("_amount"), amount] if amount.endswith("_budget_amount") else [amount]


def fields_of_amounts(kind: type[Request]) -> dict[str, str]:
    """Return the field of micro-units of each name that takes whole units."""
    return {name: field for field in money_fields(kind) for name in amount_names(field)}


def money_fields(kind: type[Request]) -> Collection[str]:
    """Name the fields of a request that hold millionths."""
    return marked_fields(kind, "money").keys()


def as_units(micros: str) -> str:
    """Write micro-units in whole units, as plainly as they can be typed: 12500000 is 12.5."""
    return f"{(Decimal(micros) / MICROS_PER_UNIT).normalize():f}"


def in_units(message: str, amounts: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """Write amounts of a message in whole units, and their fields as the options that were used.

    `amounts` are the names of options by field, `texts` the amounts that they gave by these names.
    """
    for field, name in amounts.items():
        message = re.sub(rf"\b{micros_of(texts[name])}\b", texts[name], message)
        message = message.replace(field, as_option(name))
    return message


class Converted(NamedTuple):
    """Values with their amounts in micro-units."""

    values: dict[str, Any]
    amounts: dict[str, str]  # by field: the name of what was in whole units
    problems: list[Problem]


def in_micros(kind: type[Request], values: dict[str, Any]) -> Converted:
    """Replace amounts in whole units by micro-units, where they are valid."""
    fields = fields_of_amounts(kind)
    converted = Converted({name: value for name, value in values.items() if name not in fields}, {}, [])
    for name, field in fields.items():
        if name not in values:
            continue
        value, micros = values[name], micros_of(str(values[name]))
        if value is None:
            converted.values.setdefault(field, None)
            continue
        if converted.values.get(field) is not None:
            problem = f"cannot be used with {converted.amounts.get(field, field)}"
        elif micros is None:
            correction = _suggested_amount(str(value))
            problem = f"{quoted(value)} is not an amount of at most six decimals{correction}"
        elif micros <= 0:
            problem = f"{quoted(value)} is not more than 0"
        elif micros > MAX_MICROS:
            problem = f"{quoted(value)} is more than {MAX_MICROS // MICROS_PER_UNIT:,}"
        else:
            converted.values[field], converted.amounts[field] = str(micros), name
            continue
        converted.problems.append(Problem(name, problem))
    return converted


def too_precise(request: Request, amounts: Mapping[str, str], currency_of: CurrencyOf) -> list[Problem]:
    """Find amounts in whole units that have more decimals than their currency, where that is known.

    `amounts` are their names by field.
    """
    micros = {field: getattr(request, field) for field in amounts}
    fractions = {field: amount for field, amount in micros.items() if amount % MICROS_PER_UNIT}
    currency = currency_of(request) if fractions else None
    if currency is None:
        return []
    problems = {field: precision_problem(amount, currency) for field, amount in fractions.items()}
    return [Problem(amounts[field], text) for field, text in problems.items() if text]


def precision_problem(micros: int, currency: str) -> str | None:
    """Say that an amount has more decimals than its currency."""
    decimals = decimals_of(currency)
    if not micros % (MICROS_PER_UNIT // 10**decimals):
        return None
    return f"{as_amount(micros, currency)} has too many decimals: {currency} has {decimals or 'none'}"


def unknown_currency(request: Request) -> None:
    """Name no currency, as a CurrencyOf that knows none."""


MICRO_WORDS = "Millionths of the currency's unit"
Budget = Annotated[Micro, Meta(gt=0, description=MICRO_WORDS)]


@at_most("daily_budget_amount_local_micro", "total_budget_amount_local_micro")
class BudgetFields(Request):
    """A daily and a total budget."""

    total_budget_amount_local_micro: Annotated[Budget, Meta(extra={"limit": "total budget"})] | None = None
    daily_budget_amount_local_micro: Annotated[Budget, Meta(extra={"limit": "daily budget"})] | None = None
