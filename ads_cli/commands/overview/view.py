"""The overview of an account, drawn for people: names first, ids last where there is room."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ...api.amounts import as_amount, decimals_of
from ...api.spending import DAILY_BUDGET, TOTAL_BUDGET
from ...checks.money import money
from ...console.drawing import console_of, next_command
from ...console.invocation import Invocation
from ...output.table_view import state_style
from ...output.text import safe
from . import CampaignLine, Overview

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


GAP = 2
LANDS_AT_LEAST, LANDS_AT_MOST = Decimal("0.95"), Decimal("1.05")  # of the month's budget
NAME_LEAST, LABEL_WIDTH = 16, 11
MOMENT = timedelta(seconds=1)  # before the end of a period, which is not in it
STATED_BY_STATUS = ("PAUSED_BY_ADVERTISER", "DRAFT")  # reasons that somebody wanted
# What the tables of columns are, and how they are aligned.
HEADINGS = ("CAMPAIGN", "STATUS", "BUDGET", "SPENT", "PACE", "CTR", "PER RESULT", "RESULT", "ID")
RIGHT = ("BUDGET", "SPENT", "PACE", "CTR", "PER RESULT")
LEFT_OUT_FIRST = ("ID", "RESULT")  # where a terminal is narrow
LIMITS = {  # of funding instruments: what they have, in words
    "credit_remaining_local_micro": "{} of credit left",
    "funded_amount_local_micro": "{} funded",
    "credit_limit_local_micro": "up to {}",
}


def draw(call: Invocation, shown: Overview) -> None:
    """Draw the account, what pays, the campaigns, and what is in the way of those that do not deliver."""
    console = console_of(call)
    account, month_end = shown.account, f"to {shown.month_end.day} {shown.month_end:%b}"
    _line(console, "", (str(account.get("name")), "bold"), (f"{account['timezone']}  {call.account}", "dim"))
    _line(console, "today", (f"up to {shown.today}", "cyan"))
    _line(console, month_end, (f"up to {shown.month}", "cyan"))
    if (of := shown.pace) and of.pace and of.budget is not None:
        lands = f"lands at {money(of.pace.forecast, of.currency)} of {money(of.budget, of.currency)}"
        is_off = not LANDS_AT_LEAST <= of.pace.forecast / of.budget <= LANDS_AT_MOST
        _line(
            console,
            "",
            (f"spent {money(of.pace.spent, of.currency)}", ""),
            (lands, "yellow" if is_off else "green"),
        )
    for number, (record, findings) in enumerate(shown.funding):
        state = "; ".join(found.words for found in findings) or _limit(record)
        about = (str(record.get("description") or record.get("type")), "")
        label = "" if number else "paid with"
        _line(console, label, about, (state, "yellow" if findings else ""), label_width=LABEL_WIDTH)
    console.print()
    start, end = shown.period.start, shown.period.end
    currencies = {str(line.campaign.get("currency") or "") for line in shown.lines}
    only = currencies.pop() if len(currencies) == 1 else ""
    last = end - MOMENT
    days = (f"{start.day} {start:%b} to {last.day} {last:%b %Y}", "bold")
    _line(console, "", days, (f"amounts in {only}" if only else "", "dim"))
    if shown.lines:
        console.print(_table(console, shown.lines, with_currency=not only))
    else:
        console.print("the account has no campaigns")
    _draw_findings(call, console, shown.lines)


def _line(console: "Console", label: str, *parts: tuple[str, str], label_width: int = 0) -> None:
    """Print texts in a line, each in its style, after a label."""
    from rich.text import Text

    width = max(label_width, LABEL_WIDTH if label else 0)
    line = Text("  ").join(Text(safe(text), style) for text, style in parts if text)
    console.print(Text(f"{label:{width}}").append_text(line))


def _limit(record: Any) -> str:
    """Say what a funding instrument has, by the first field that tells."""
    currency = str(record.get("currency") or "")
    for field, words in LIMITS.items():
        if isinstance(micros := record.get(field), int):
            return words.format(f"{as_amount(micros, currency)} {currency}")
    return currency


def _table(console: "Console", lines: Sequence[CampaignLine], *, with_currency: bool) -> "Table":
    """Return the table of the campaigns, with the columns for which there is room."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    rows = [[*_cells(line, with_currency=with_currency)] for line in lines]
    shown = [number for number, heading in enumerate(HEADINGS) if any(row[number] for row in rows)]
    widths = {n: max(cell_len(HEADINGS[n]), *(cell_len(row[n]) for row in rows)) for n in shown}
    for heading in LEFT_OUT_FIRST:
        number = HEADINGS.index(heading)
        if number in widths and sum(widths.values()) + GAP * (len(widths) - 1) > console.width:
            del widths[number]
    others = sum(widths.values()) - widths[0] + GAP * (len(widths) - 1)
    widths[0] = max(NAME_LEAST, min(widths[0], console.width - others))
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", show_edge=False)
    for number, width in widths.items():
        heading = HEADINGS[number]
        justify: Any = "right" if heading in RIGHT else "left"
        table.add_column(Text(heading), width=width, no_wrap=True, overflow="ellipsis", justify=justify)
    for line, row in zip(lines, rows, strict=True):
        cells = [Text(safe(row[number])) for number in widths]
        cells[0].stylize("bold")
        cells[1].stylize(state_style(line.status) or "yellow")
        table.add_row(*cells)
    return table


def _cells(line: CampaignLine, *, with_currency: bool) -> Iterator[str]:
    campaign, numbers = line.campaign, line.numbers
    currency = str(campaign.get("currency") or "")
    code = f" {currency}" if with_currency else ""
    yield str(campaign.get("name") or "(no name)")
    yield line.status
    budgets = ((campaign.get(DAILY_BUDGET), "/day"), (campaign.get(TOTAL_BUDGET), " total"))
    amounts = (
        f"{as_amount(micros, currency)}{code}{of}" for micros, of in budgets if isinstance(micros, int)
    )
    yield next(amounts, "")
    yield _amount(numbers.spend, currency, code)
    yield "" if line.pace is None else f"{100 * line.pace:.0f} %"
    yield "" if numbers.ctr is None else f"{100 * numbers.ctr:.2f} %"
    yield _amount(numbers.cost_per_result, currency, code)
    yield numbers.result if numbers.cost_per_result is not None else ""
    yield str(campaign["id"])


def _amount(value: Decimal | None, currency: str, code: str) -> str:
    return "" if value is None else f"{value:,.{decimals_of(currency)}f}{code}"


def _draw_findings(call: Invocation, console: "Console", lines: Sequence[CampaignLine]) -> None:
    """Say of each campaign that does not deliver why, with the next command."""
    from rich.text import Text

    for line in lines:
        found = next(iter(line.findings), None)
        if found and found.code not in STATED_BY_STATUS:
            console.print()
            console.print(Text.assemble((safe(found.name), "bold"), f" {safe(found.words)}"))
            console.print(Text(f"  {next_command(call, found.command)}"), soft_wrap=True)
