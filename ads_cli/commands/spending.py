"""Confirm what begins to spend, or may spend more, naming the amounts."""

from collections.abc import Sequence
from datetime import UTC, datetime

from ..api.amounts import currency_problem
from ..api.daily_bound import CampaignSpending, daily_bound
from ..api.endpoint import Request
from ..api.spending import DAILY_BUDGET, UNLIMITED, named_record
from ..client.spending import SOURCES, SpendingChange, spending_changes
from ..console.invocation import Invocation
from ..errors import UsageError


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


def confirm_spending(call: Invocation, requests: Sequence[Request]) -> None:
    """Ask before records are created active, activated, or may spend more. Raise NotConfirmedError.

    A record that serves already is asked about in three cases:

    - A limit is removed, or rises to more than twice its value.
    - An end that has passed is put off.
    - It gets a new ad.
    """
    if not call.flags.get("yes") and (question := spending_question(call, requests)):
        call.confirm(question)


def spending_question(call: Invocation, requests: Sequence[Request]) -> str:
    """Return what is asked about requests; nothing where nothing spends more."""
    kinds: dict[str, list[SpendingChange]] = {}
    for change in spending_changes(call.stored, requests):
        kinds.setdefault(change.what, []).append(change)
    currencies = Currencies(call)
    return "; ".join(_question(currencies, changes) for changes in kinds.values())


def _question(currencies: Currencies, changes: Sequence[SpendingChange]) -> str:
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
        }[first.what].format(_records(changes))
    if first.what == "raise":
        return f"{what}: {_raises(currencies, changes)}"
    return f"{what}, which may spend {_daily(currencies, changes)}"


def _records(changes: Sequence[SpendingChange]) -> str:
    request = changes[0].request
    field = named_record(request) or ""
    noun = field.removesuffix("_id").replace("_", " ")
    return f"{len(changes):,} {noun}s" if len(changes) > 1 else f"the {noun} {getattr(request, field)}"


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


def _raises(currencies: Currencies, changes: Sequence[SpendingChange]) -> str:
    """Name the limits of the records that rise most, before and after."""
    ordered = sorted(changes, key=lambda change: max(limit.factor for limit in change.raises), reverse=True)
    named = []
    for change in ordered[:MOST_NAMED]:
        currency = _currency(currencies, change)
        limits = ", ".join(
            "{} from {} to {}".format(limit.limit, *limit.words(currency)) for limit in change.raises
        )
        field = named_record(change.request) or ""
        named.append(limits if len(changes) == 1 else f"{getattr(change.request, field)} {limits}")
    rest = len(changes) - len(named)
    return "; ".join([*named, *([f"and {rest:,} more"] if rest else [])])


def _currency(currencies: Currencies, change: SpendingChange) -> str:
    """Return the currency of a change; nothing where the service has none."""
    currency = change.before.get("currency") if change.before else currencies.of(change.request)
    return currency if isinstance(currency, str) else ""


SIGNS = {"create": "+", "update": "~", "delete": "-"}  # of changes that are shown before they are made


def value_change(before: str, after: str, currency: str) -> str:
    """Write what a value was and becomes, amounts with their currency: `15.00 -> 20.00 EUR`."""
    if not after:
        return f"{before} {currency}".rstrip() + " -> null"
    return f"{before or 'null'} -> {after} {currency}".rstrip()
