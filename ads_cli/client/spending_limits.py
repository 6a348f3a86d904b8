"""The limits of a guard on what a change spends: amounts, bounds, raises, hours and sums."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from ..api.daily_bound import daily_budget
from ..api.spending import TOTAL_BUDGET
from ..config.guard import ActiveHours, Amount, Guard, Limit, Percentage
from ..errors import GuardError, StateError
from .record_changes import RecordChange, limits_of, micros
from .record_names import record_words
from .spending import CAMPAIGN_ID, AccountSpending, Record, field_of

DAILY, TOTAL, BID = "max_daily_budget", "max_total_budget", "max_bid"
KEYS = {"daily budget": DAILY, "total budget": TOTAL, "bid": BID}
SUM, INCREASE, HOURS = "max_account_daily_budget", "max_increase", "active_hours"
HINT = "adsctl guard show lists the limits; one is changed where it stands, and by no option"


class SpendingLimits(msgspec.Struct, eq=False):
    """Judges one change by each limit; raises GuardError for the first that refuses it."""

    guard: Callable[[], Guard]
    currency: Callable[[str, Record], str | None]  # of an account, and of a record that is new in it

    def judge_amounts(self, change: RecordChange) -> None:
        """Judge the budgets and the bid that a record gets, or has when it begins to serve."""
        op = change.operation
        for field, name in limits_of(op).items():
            is_set = field in op.values
            if op.action == "create" and not is_set:
                continue
            value = micros(op.values if is_set else change.before, field)
            for limit in self.guard().of(KEYS[name]):
                if is_set and value is None and op.action == "update":
                    raise refused(f"to remove the {name} of {change.subject}", limit)
                if value is None or not (is_set or change.begins):
                    continue
                self._require_currency(change, limit)
                self.judge_amount(name, value, limit, change)

    def judge_amount(self, name: str, value: int | None, limit: Limit, change: RecordChange) -> None:
        """Judge one amount, that a change sets or with which its record begins to serve."""
        if value is not None and not 0 <= value <= limit.value.micros:
            switched = f", by {change.switch}" if change.switch else ""
            raise refused(f"a {name} of {_amount(value, limit)} of {change.subject}{switched}", limit)

    def judge_bounds(self, change: RecordChange, after: AccountSpending) -> None:
        """Judge whether what begins to serve, or is raised, has a bound."""
        if not (change.may_spend_more and after.may_serve(change.after)):
            return
        op, record = change.operation, change.after
        is_campaign = field_of(op) == CAMPAIGN_ID
        identifier = (op.id or op.new_id) if is_campaign else str(record.get(CAMPAIGN_ID))
        own = daily_budget(record)
        bound = after.bound_of(identifier) if own is None else None
        daily = own if bound is None else None if bound.unbounded else bound.amounts.total()
        for limit in self.guard().of(DAILY):
            if daily is None:
                raise refused(f"{change.subject}, whose daily spend has no bound", limit)
            # A record with a daily budget of its own is judged by that, elsewhere.
            if change.begins and own is None and daily > limit.value.micros:
                self._require_currency(change, limit)
                raise refused(f"{change.subject}, which may spend {_amount(daily, limit)} a day", limit)
        for limit in self.guard().of(TOTAL) if daily is None else ():
            records = [record, after.campaign_of(record)]
            items = [*after.line_items_of(identifier).values()] if is_campaign else []
            if not any(_has_total(record) for record in records) and not (
                items and all(map(_has_total, items))
            ):
                raise refused(f"{change.subject}, whose spend has no bound", limit)

    def judge_increase(self, change: RecordChange) -> None:
        """Judge a raise by more than a percentage of what the service has."""
        for limit in self.guard().of(INCREASE):
            share: Percentage = limit.value
            for name, old, new in change.steps():
                if old is None:
                    continue  # it gets a limit that it has not had
                if new is None:
                    raise refused(f"to remove the {name} of {change.subject}", limit)
                if min(old, new) < 0:
                    unread = f"a {name} of {change.subject} that cannot be read, or whose value before cannot"
                    raise refused(unread, limit)
                if new * 1_000_000 > old * (1_000_000 + share.millionths):
                    currency = currency_of(change.before) or ""
                    before, after = (Amount(micros, currency) for micros in (old, new))
                    what = f"to raise the {name} of {change.subject} from {before} to {after}"
                    raise refused(what.rstrip(), limit)

    def judge_time(self, change: RecordChange) -> None:
        """Judge whether anything may begin to serve or be raised, at all and at this time."""
        what = (
            "to activate anything"
            if change.operation.activates
            else "to let anything that has ended serve again"
        )
        if change.switch:
            what = f"to let {change.subject} serve by {change.switch}"
        for limit in self.guard().of("deny"):
            if change.begins and "activate" in limit.value:
                raise refused(what, limit)
        for limit in self.guard().of(HOURS):
            hours: ActiveHours = limit.value
            if hours.contains(datetime.now(UTC)):
                continue
            if change.begins:
                raise refused(f"{what} now", limit)
            for step in change.steps():
                if step.is_raise:
                    raise refused(f"to raise the {step.name} of {change.subject} now", limit)

    def judge_sum(
        self, account: str, after: AccountSpending, limit: Limit, changes: Sequence[RecordChange]
    ) -> None:
        """Judge what may be spent in a day by all campaigns of an account, once any of them is raised."""
        bound = after.bound()
        if bound.unbounded or bound.amounts.keys() - {limit.value.currency}:
            for identifier, record in after.records[CAMPAIGN_ID].items():
                spends = after.bound_of(identifier)
                if spends.unbounded or spends.amounts:
                    whose = record_words(CAMPAIGN_ID, identifier, record)
                    self._require_equal(currency_of(record), limit, whose)
        if bound.unbounded:
            changed = {str(change.after.get(CAMPAIGN_ID, change.operation.id)) for change in changes}
            campaign = min(bound.unbounded & changed or bound.unbounded)
            named = record_words(CAMPAIGN_ID, campaign, after.records[CAMPAIGN_ID].get(campaign, {}))
            what = f"more, with {named}, whose daily spend has no bound"
            raise refused(what, limit, f"give it a daily budget, or pause it; {HINT}")
        if (total := bound.amounts.total()) > limit.value.micros:
            raise refused(f"up to {_amount(total, limit)} a day in the account {account}", limit)

    def _require_currency(self, change: RecordChange, limit: Limit) -> None:
        """Raise an error unless a limit is in the currency of the account."""
        currency = currency_of(change.before)
        currency = currency or self.currency(change.account, change.after)
        self._require_equal(currency, limit, "the account")

    @staticmethod
    def _require_equal(currency: str | None, limit: Limit, whose: str) -> None:
        if currency is None:
            raise refused(f"an amount in a currency that cannot be read, of {whose}", limit)
        if currency != limit.value.currency:
            raise StateError(
                f"{limit.key} is {limit.text} ({limit.source}), and {whose} is in {currency}: "
                "amounts are not converted",
                hint=f"write the limit in {currency}, or pause what is in another currency",
            )


def refused(what: str, limit: Limit, hint: str = HINT) -> GuardError:
    """Return the error for a change that a limit refuses."""
    return GuardError(f"the guard refuses {what}: {limit.key} is {limit.text} ({limit.source})", hint=hint)


def _has_total(record: Record) -> bool:
    return (micros(record, TOTAL_BUDGET) or 0) > 0


def currency_of(record: Record) -> str | None:
    """Return the currency that a record names."""
    currency = record.get("currency")
    return currency if isinstance(currency, str) and currency else None


def _amount(value: int, limit: Limit) -> str:
    return "an amount that cannot be read" if value < 0 else str(Amount(value, limit.value.currency))
