"""Confirm what begins to spend, naming the daily budgets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..api.endpoint import Request
from ..api.money import as_amount
from ..api.spending import ACTIVE, is_active, status_field
from ..console.currencies import Currencies
from ..console.invocation import Invocation

DAILY = "daily_budget_amount_local_micro"
CURRENCY = "currency"


def confirm_spending(call: Invocation, requests: Sequence[Request]) -> None:
    """Ask before records are created active, or paused ones are activated; raise NotConfirmedError.

    What is active already spends on as before, and is not asked about.
    """
    if call.flags.get("yes"):
        return
    currencies, budgets, count = Currencies(call), Counter[str](), 0
    without_budget = 0
    for request in filter(is_active, requests):
        before = currencies.own_record(request)
        if before and before.get(_status(request)) == ACTIVE:
            continue
        count += 1
        daily = _daily_budget(request, before)
        if daily is None:
            without_budget += 1
        else:
            budgets[currencies.of(request) or ""] += daily
    if count:
        call.confirm(_question(requests[0], count, budgets, without_budget))


def _status(request: Request) -> str:
    field = status_field(type(request))
    assert field
    return field.name


def _daily_budget(request: Request, before: Mapping[str, Any]) -> int | None:
    given = getattr(request, DAILY, None)
    found = before.get(DAILY) if given is None else given
    return found if isinstance(found, int) else None


def _question(request: Request, count: int, budgets: Counter[str], without_budget: int) -> str:
    """Say what begins to spend, and how much a day."""
    endpoint = request.endpoint
    group = endpoint.command.split()[0].replace("-", " ")
    noun = group if count > 1 else group.removesuffix("s")
    own_id = endpoint.id_field and getattr(request, endpoint.id_field)
    if own_id:
        what = f"Activate {count:,} {noun}" if count > 1 else f"Activate the {noun} {own_id}"
    else:
        what = f"Create {count:,} active {noun}" if count > 1 else f"Create an active {noun}"
    amounts = [
        f"{as_amount(micros, currency)} {currency}".strip() for currency, micros in sorted(budgets.items())
    ]
    spends = f"up to {' and '.join(amounts)} a day" if amounts else "without a daily budget of its own"
    if amounts and without_budget:
        spends += f", and {without_budget:,} without a daily budget of their own"
    return f"{what}, which may spend {spends}"
