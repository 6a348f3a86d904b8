"""Confirm what destroys records, begins to spend, or may spend more, naming the amounts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..api.amounts import currency_problem
from ..api.daily_bound import CampaignSpending, daily_bound
from ..api.endpoint import Request
from ..api.record_names import fields_that_take_names, noun_of
from ..api.spending import DAILY_BUDGET, UNLIMITED, may_spend_more, named_record
from ..client.spending import SOURCES, SpendingChange, spending_changes
from ..errors import UsageError
from ..output.text import counted
from .invocation import Invocation


def checked_currency(named: str | None) -> str | None:
    """Return the code that --currency names; raise UsageError for one that does not exist."""
    code = named.upper() if named else None
    if problem := currency_problem(code):
        raise UsageError(f"--currency: {problem}", hint="as in EUR")
    return code


class Currencies:
    """Looks up the currencies of what requests change or belong to; `named` is what --currency says."""

    def __init__(self, call: Invocation, named: str | None = None) -> None:
        self._call = call
        self._named = checked_currency(named)

    def of(self, request: Request) -> str | None:
        """Return the currency of a request's amounts; None where it is not known."""
        if currency := self._named or getattr(request, "currency", None):
            return str(currency)
        if self._call.dry_run and not (self._call.is_plan or self._call.settings.is_local):
            return None  # nothing is sent
        for field in SOURCES:
            if identifier := getattr(request, field, None):
                currency = self._call.stored.record(field, identifier).get("currency")
                return currency if isinstance(currency, str) else None
        return None


MOST_NAMED = 5  # records that rise are named: those that rise most


def confirm_requests(
    call: Invocation,
    requests: Sequence[Request],
    named: str = "",
    *,
    records: str = "",
    is_change: bool = False,
) -> None:
    """Ask once before requests of a kind that destroy records or may spend more. Raise NotConfirmedError.

    `named` says what several are about, or counts the rows of an upload, and `records` names some of these.
    A change of it is asked for too where `is_change`. A record that serves already is asked about in three
    cases:

    - A limit is removed, or rises to more than twice its value.
    - An end that has passed is put off.
    - It gets a new ad.
    """
    if not requests or call.flags.get("yes"):
        return
    prompt, questions = requests[0].endpoint.confirm_prompt, list[str]()
    if prompt and named and "{rows}" not in prompt:
        what, mark, consequence = prompt.partition(";")
        questions.append(f"{what.split()[0]} {named}{mark}{consequence}")
    elif prompt:
        asked = prompt.format(rows=named, **_labels(call, requests[0]))
        questions.append(": ".join(filter(None, (asked, records))))
    elif is_change:
        questions.append(f"Change {named}")
    if any(map(may_spend_more, requests)):
        questions.append(spending_question(call, requests))
    if question := "; ".join(filter(None, questions)):
        call.confirm(question)


def _labels(call: Invocation, request: Request) -> dict[str, Any]:
    """Return the values of a request, with the names of records before their ids."""
    values, fields = msgspec.structs.asdict(request), fields_that_take_names(type(request))
    return values | {
        name: call.records.label(field, values[name])
        for name, field in fields.items()
        if field and isinstance(values[name], str)
    }


def spending_question(call: Invocation, requests: Sequence[Request]) -> str:
    """Return what is asked about requests; nothing where nothing spends more."""
    kinds: dict[str, list[SpendingChange]] = {}
    for change in spending_changes(call.stored, requests):
        kinds.setdefault(change.what, []).append(change)
    currencies = Currencies(call)
    return "; ".join(_question(call, currencies, changes) for changes in kinds.values())


def _question(call: Invocation, currencies: Currencies, changes: Sequence[SpendingChange]) -> str:
    """Say what changes of one kind do."""
    first = changes[0]
    if first.what == "create":
        count = len(changes)
        group = first.request.endpoint.command.split()[0].replace("-", " ")
        what = (
            f"Create {count:,} active {group}" if count > 1 else f"Create an active {group.removesuffix('s')}"
        )
    else:
        what = {
            "activate": "Activate {}",
            "resume": "Let {} serve again",
            "advertise": f"Add {_ads(first.request)} to {{}}",
            "raise": "Raise {}",
        }[first.what].format(_records(call, changes))
    if first.what == "raise":
        return f"{what}: {_raises(call, currencies, changes)}"
    return f"{what}, which may spend {_daily(currencies, changes)}"


def _records(call: Invocation, changes: Sequence[SpendingChange]) -> str:
    request = changes[0].request
    field = named_record(request) or ""
    if len(changes) > 1:
        return counted(len(changes), noun_of(field))
    return call.records.words(field, str(getattr(request, field)))


def _ads(request: Request) -> str:
    """Say how many ads a request adds: one for each item of its list."""
    values = (getattr(request, name) for name in request.__struct_fields__)
    count = next((len(value) for value in values if isinstance(value, list)), 1)
    return "an ad" if count == 1 else f"{count:,} ads"


def _daily(currencies: Currencies, changes: Sequence[SpendingChange]) -> str:
    """Say how much records may spend a day: each by its own daily budget, or by that of its campaign."""
    spending = {}
    for number, change in enumerate(changes):
        budget = change.campaign.get(DAILY_BUDGET) if change.budget is None else change.budget
        label = change.campaign_id if change.budget is None else ""
        # Nothing of its status: what has ended may spend that as soon as it serves again.
        spending[label or number] = CampaignSpending(
            label or str(number), {DAILY_BUDGET: budget}, change.line_items, _currency(currencies, change)
        )
    bound = daily_bound(spending.values(), datetime.now(UTC))
    if not bound.unbounded:
        return f"up to {bound.bounded or 0} a day"
    whose = "that can be read" if any(change.is_unknown for change in changes) else "of {} own"
    without = f"without a daily budget {whose} ({UNLIMITED})"
    if not bound.amounts:
        return without.format("its")
    return f"up to {bound.bounded} a day, and {len(bound.unbounded):,} {without.format('their')}"


def _raises(call: Invocation, currencies: Currencies, changes: Sequence[SpendingChange]) -> str:
    """Name the limits of the records that rise most, before and after."""
    ordered = sorted(changes, key=lambda change: max(limit.factor for limit in change.raises), reverse=True)
    named = []
    for change in ordered[:MOST_NAMED]:
        currency = _currency(currencies, change)
        limits = ", ".join(
            "{} from {} to {}".format(limit.limit, *limit.words(currency)) for limit in change.raises
        )
        field = named_record(change.request) or ""
        record = call.records.label(field, str(getattr(change.request, field)))
        named.append(limits if len(changes) == 1 else f"{record} {limits}")
    rest = len(changes) - len(named)
    return "; ".join([*named, *([f"and {rest:,} more"] if rest else [])])


def _currency(currencies: Currencies, change: SpendingChange) -> str:
    """Return the currency of a change; nothing where the service has none."""
    currency = change.before.get("currency") if change.before else currencies.of(change.request)
    return currency if isinstance(currency, str) else ""
