"""`stats pace`: whether the budget of the month, and those of campaigns, will be spent."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict

import typer

from ...api.amounts import decimals_of
from ...console.drawing import console_of
from ...console.invocation import Invocation
from ...console.shown import Result, shows
from ...output.text import safe
from ..runs.options import ShownOptions, with_options
from . import facts_of, required

if TYPE_CHECKING:
    from ...checks.month import PaceOf

Number = Decimal | float | None  # in units of the currency


class PaceRecord(TypedDict):
    """The pace of a budget; `state` says why where it is not known."""

    kind: str
    name: str | None
    since: str
    until: str
    spent: Number
    expected: Number
    forecast: Number
    forecast_low: Number
    forecast_high: Number
    budget: Number
    currency: str | None
    state: str
    id: str


PACES = Result(PaceRecord)
ASKED = ("spent", "forecast", "budget")  # that a table shows however narrow it is
BAR_WIDTH = 40


@shows(PACES)
@with_options(shown=ShownOptions)
def show_pace(ctx: typer.Context, *, shown: ShownOptions) -> None:
    """Show whether budgets will be spent.

    It shows the month of the account, whose budget is monthly_budget of the profile, and each active campaign
    that has a total budget and an end. What is expected by now follows the weekdays' shares of the last five
    weeks. The forecast is what has been spent, and the mean of the last seven days for the days to come; four
    of five such forecasts end between its low and its high.

    For example: adsctl stats pace
    """
    from ...checks.month import paces
    from ...statistics.files import as_numbers, as_texts

    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    with required():
        found = [*paces(facts_of(call, "7d"))]
    if call.printer.is_for_people and not (shown.where or shown.sort):
        _draw(call, found)
    else:
        printer = call.printer
        has_types = printer.shows_documents or printer.is_binary or printer.is_table
        # Also for a table: conditions compare what JSON has.
        written = as_numbers if has_types else as_texts
        records = [*map(written, map(_record, found))]
        shown.show(call, records, PACES.columns, "paces", PACES.key, asked=ASKED)


def _record(of: "PaceOf") -> PaceRecord:
    own = of.pace
    return {
        "kind": of.kind,
        "id": str(of.record.get("id")),
        "name": of.record.get("name"),
        "since": of.first.isoformat(),
        "until": of.last.isoformat(),
        "spent": own and _rounded(own.spent, of.currency),
        "expected": own and _rounded(own.expected, of.currency),
        "forecast": own and _rounded(own.forecast, of.currency),
        "forecast_low": own and _rounded(own.low, of.currency),
        "forecast_high": own and _rounded(own.high, of.currency),
        "budget": of.budget,
        "currency": of.currency or None,
        "state": of.state or "known",
    }


def _rounded(value: Decimal | None, currency: str) -> Decimal | None:
    return None if value is None else value.quantize(Decimal(1).scaleb(-decimals_of(currency)))


def _draw(call: Invocation, shown: "list[PaceOf]") -> None:
    """Print each pace with a bar: what was spent, the forecast, and where the budget ends."""
    from rich.text import Text

    console = console_of(call)
    for number, of in enumerate(shown):
        if number:
            console.print()
        name = str(of.record.get("name") or of.record.get("id"))
        days = f"{of.first.day} {of.first:%b} to {of.last.day} {of.last:%b %Y}"
        console.print(Text.assemble((safe(name), "bold"), f"  {days}"))
        if not of.pace:
            console.print(Text(f"  not known: {of.state}", "dim"))
            continue
        console.print(Text("  ").append_text(_bar(of)))
        for line in _lines(of):
            console.print(Text(f"  {line}"))


def _bar(of: "PaceOf") -> Any:
    from rich.text import Text

    assert of.pace
    whole = max(of.pace.high, of.budget or Decimal(0), Decimal("0.01"))
    spent, forecast = (int(BAR_WIDTH * value / whole) for value in (of.pace.spent, of.pace.forecast))
    bar = Text("█" * spent, "cyan").append("░" * (forecast - spent), "cyan")
    bar.append(" " * (BAR_WIDTH - len(bar)))
    if of.budget is not None:
        at = min(int(BAR_WIDTH * of.budget / whole), BAR_WIDTH)
        bar = bar[:at].append("│", "bold").append_text(bar[at:])
    return bar


def _lines(of: "PaceOf") -> Iterator[str]:
    from ...checks.money import money

    assert of.pace
    own, code = of.pace, of.currency
    expected = f", {money(own.expected, code)} expected by now" if own.expected is not None else ""
    yield f"spent {money(own.spent, code)}{expected}"
    budget = f", of a budget of {money(of.budget, code)}" if of.budget is not None else ""
    yield f"will be {money(own.forecast, code)} ({money(own.low, '')} to {money(own.high, code)}){budget}"
