"""Judge what changes spend: budgets, bids, hours and sums, by the account before and after them.

A record begins to serve by its own status, by that of its campaign, by an end that is put off, or by a new
ad. All four are judged alike. A change is refused where what must be known cannot be read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from ..api.daily_bound import daily_budget
from ..api.spending import ACTIVE, PAUSED, REASONS, STATUS, is_on, may_serve, status_field
from ..config.guard import Guard, Limit
from ..errors import NotFoundError, RefusedError
from ..spelling import as_stored
from .record_changes import RecordChange, key_of, limits_of, micros, named_by, switches, touched
from .record_names import record_words
from .spending import CAMPAIGN_ID, LINE_ITEM_ID, SOURCES, AccountSpending, Record, StoredRecords, field_of
from .spending_limits import (
    BID,
    DAILY,
    HOURS,
    INCREASE,
    KEYS,
    SUM,
    TOTAL,
    SpendingLimits,
    currency_of,
    refused,
)
from .writes import Operation


class SpendingJudge(msgspec.Struct, eq=False):
    """Judges changes by what the service has; for one thread at a time."""

    guard: Callable[[], Guard]
    stored: Callable[[str], StoredRecords]  # of an account
    lock_account: Callable[[str], None]
    planned: dict[str, Operation] = {}  # creations of a plan, by what names their records
    planned_names: dict[str, str] = {}  # what named records in the plan, by the ids that they got
    approved: set[tuple[str, str, bool]] = set()  # what a plan updates, and whether it activates that
    accounts: dict[str, AccountSpending] = {}  # by id, with the changes that were allowed so far
    summed: set[str] = set()  # the accounts of which all was read

    @property
    def _by_limits(self) -> SpendingLimits:
        return SpendingLimits(self.guard, self._named_currency)

    def judge(self, due: Sequence[RecordChange]) -> None:
        """Raise the error of the first change that a limit refuses, or that cannot be compared."""
        for op in (change.operation for change in due) if self._limits else ():
            if op.kind and status_field(op.kind) and (undeclared := sorted(op.undeclared)):
                what = f"a request that cannot be judged, as it has no field {undeclared[0]!r}"
                raise refused(what, self._limits[0])
        try:
            for account in dict.fromkeys(change.account for change in due) if self._limits else ():
                own = [change for change in due if change.account == account]
                concerned = [change for change in own if self._concerns(change.operation)]
                if concerned or account in self.accounts:
                    self._judge_account(account, own, self._with_records(account, concerned))
        except (RefusedError, NotFoundError) as error:
            what = f"what cannot be compared with the service: {error.message}"
            raise refused(what, self._limits[0]) from None

    def approve_updates(self, due: Sequence[RecordChange]) -> None:
        """Note the updates of a plan as judged. It may send a status apart from the other fields."""
        for op in (change.operation for change in due if change.operation.id):
            self.approved |= {(*op.key, False), (*op.key, op.activates)}

    def judge_sent(self, due: Sequence[RecordChange]) -> None:
        """Judge what a plan sends by its amounts, and as any change what was not planned so."""
        for change in due:
            op = change.operation
            for field, name in limits_of(op).items():
                for limit in self.guard().of(KEYS[name]) if field in op.values else ():
                    self._by_limits.judge_amount(name, micros(op.values, field), limit, change)
        updates = [change for change in due if change.operation.action == "update"]
        self.judge(
            [
                update
                for update in updates
                if (*(op := update.operation).key, op.activates) not in self.approved
            ]
        )

    def note_created(self, account: str, op: Operation, record: Record) -> None:
        """Take a record that a plan has created: it is activated as planned only if it is as planned."""
        field, identifier, spending = field_of(op), str(record.get("id")), self.accounts.get(account)
        if field not in (CAMPAIGN_ID, LINE_ITEM_ID) or (spending and identifier in spending.records[field]):
            return  # an earlier record, which the plan has not created
        campaign = str(record.get(CAMPAIGN_ID) or "")
        record = {**record, CAMPAIGN_ID: self.planned_names.get(campaign, campaign)}
        if planned := self._planned_as(field, record):
            self.planned_names[identifier] = planned
            self.approved.add((field, identifier, self.planned[planned].activates))
            if self.planned[planned].activates:
                return
        self.stored(account).note(field, {identifier: record})
        if spending:
            own = {**spending.records[field], identifier: record}
            self.accounts[account] = AccountSpending({**spending.records, field: own}, spending.now)

    def _planned_as(self, field: str, record: Record) -> str:
        """Return what named a record in the plan: one of its limits and parent, if possible of its name."""
        candidates = []
        for planned, op in self.planned.items():
            values = {CAMPAIGN_ID: "", **dict.fromkeys(limits_of(op)), **op.values}
            is_same = values[CAMPAIGN_ID] == record[CAMPAIGN_ID] and all(
                micros(values, name) == micros(record, name) for name in limits_of(op)
            )
            if is_same and field_of(op) == field and planned not in self.planned_names.values():
                is_named = as_stored(str(values.get("name"))) == as_stored(str(record.get("name")))
                candidates.append((not is_named, planned))
        return min(candidates, default=(False, ""))[1]

    @property
    def _limits(self) -> list[Limit]:
        """The limits that judge by what the service has."""
        return [limit for limit in self.guard().limits if _reads(limit)]

    @property
    def _keys(self) -> set[str]:
        return {limit.key for limit in self._limits}

    def _concerns(self, op: Operation) -> bool:
        """Whether keys judge a change by what the service has, or by its amounts."""
        is_planned = named_by(op) and key_of(op)[1] in self.planned  # judged as it is created
        if op.kind is None or op.action == "delete" or is_planned:
            return False
        names, keys = touched(op), self._keys
        of_amounts = bool(keys - {"deny", BID}) or ("bid" in names and BID in keys)
        return bool(switches(op) and keys - {INCREASE}) or bool(names and of_amounts)

    def _judge_account(
        self, account: str, own: Sequence[RecordChange], concerned: Sequence[RecordChange]
    ) -> None:
        """Judge the changes of an account, `concerned` with the records before them, and note them."""
        changes = [change for change in concerned if not named_by(change.operation)]
        for change in changes:  # what needs nothing else to be read
            self._by_limits.judge_amounts(change)
            self._by_limits.judge_increase(change)
            self._by_limits.judge_time(change)
        before = self._read(account, concerned)
        operations = [self._with_currency(account, change.operation) for change in own]
        after = before.after(operations)
        started = [*_started(concerned, after)]
        for change in started:
            self._by_limits.judge_amounts(change)
            self._by_limits.judge_time(change)
        for change in (*changes, *started):
            self._by_limits.judge_bounds(change, after)
        more = [
            change
            for change in (*changes, *started)
            if change.may_spend_more and after.may_serve(change.after)
        ]
        for limit in self.guard().of(SUM) if more else ():
            self._by_limits.judge_sum(account, after, limit, more)
        self.accounts[account] = after

    def _with_records(self, account: str, changes: Sequence[RecordChange]) -> list[RecordChange]:
        """Add the records that are changed or get an ad, by one list request for each kind."""
        befores: dict[tuple[str, str], Record] = {}
        for field in (CAMPAIGN_ID, LINE_ITEM_ID):
            keys = [key_of(change.operation) for change in changes]
            ids = [identifier for named_field, identifier in keys if named_field == field and identifier]
            records = self._required(account, field, ids)
            befores |= {(field, identifier): record for identifier, record in records.items()}
        return [change._replace(before=befores.get(key_of(change.operation), {})) for change in changes]

    def _required(self, account: str, field: str, ids: Iterable[str]) -> dict[str, Record]:
        """Return records; raise GuardError for one that cannot be read."""
        records = self.stored(account).read(field, ids, is_required=True)
        if unread := [identifier for identifier, record in records.items() if not record]:
            what = record_words(field, unread[0], {})
            raise refused(f"what needs {what}, which cannot be read", self._limits[0])
        if field == CAMPAIGN_ID and (ended := [*_ended(records)]):
            return _without_wrong_ends(records, self.stored(account).line_items_of(ended))
        return records

    def _read(self, account: str, changes: Sequence[RecordChange]) -> AccountSpending:
        """Return what changes are judged by, without them: all of the account where its sum may rise."""
        spending = self.accounts.get(account)
        more = [change for change in changes if change.may_spend_more]
        if SUM in self._keys and more:
            if not spending or account not in self.summed:
                spending = self._all(account)
                self.summed.add(account)
            self._require_listed(account, spending, more)
        if spending and account in self.summed:
            return spending
        records = self._some(account, changes, more)
        if spending:  # with the changes that were allowed
            records = {field: {**by_id, **spending.records[field]} for field, by_id in records.items()}
        return AccountSpending(records, datetime.now(UTC))

    def _some(
        self, account: str, changes: Sequence[RecordChange], more: Sequence[RecordChange]
    ) -> dict[str, dict[str, Record]]:
        """Return what is changed, the campaigns of `more` that matter, and line items of these."""
        own: dict[str, dict[str, Record]] = {CAMPAIGN_ID: {}, LINE_ITEM_ID: {}}
        for change in changes:
            field, identifier = key_of(change.operation)
            if change.before:
                own[field][identifier] = change.before
        keys, campaigns = self._keys, own[CAMPAIGN_ID]
        above = {str(change.after.get(CAMPAIGN_ID) or "") for change in more if _needs_campaign(change, keys)}
        above -= {"", *self.planned}
        campaigns |= self._required(account, CAMPAIGN_ID, sorted(above - campaigns.keys()))
        whole = {change.operation.id for change in changes if _needs_line_items(change, keys)} - {""}
        if keys & {DAILY, TOTAL}:
            whole |= {campaign for campaign in above if daily_budget(campaigns[campaign]) is None}
        own[LINE_ITEM_ID] |= self.stored(account).line_items_of(sorted(whole))
        return own

    def _all(self, account: str) -> AccountSpending:
        """Return the campaigns and line items of an account, which no other command may raise meanwhile."""
        self.lock_account(account)
        campaigns, items = (self.stored(account).all(field) for field in (CAMPAIGN_ID, LINE_ITEM_ID))
        records = {CAMPAIGN_ID: _without_wrong_ends(campaigns, items), LINE_ITEM_ID: items}
        return AccountSpending(records, datetime.now(UTC))

    def _require_listed(self, account: str, listed: AccountSpending, changes: Sequence[RecordChange]) -> None:
        """Raise GuardError where lists of an account lack what is changed, or the campaign of a line item."""
        records = listed.records
        keys = [key_of(change.operation) for change in changes if change.before]
        missing = [
            record_words(field, identifier, self._known(account, field, identifier))
            for field, identifier in keys
            if identifier not in records[field]
        ]
        items = [record for record in records[LINE_ITEM_ID].values() if may_serve(record, listed.now)]
        above = {str(item.get(CAMPAIGN_ID) or "") for item in (*items, *(change.after for change in changes))}
        above -= {"", *self.planned, *records[CAMPAIGN_ID]}
        others = self.stored(account).read(CAMPAIGN_ID, sorted(above), is_required=True)
        missing += [
            record_words(CAMPAIGN_ID, campaign, others[campaign])
            for campaign in others
            if others[campaign].get("deleted") is not True
        ]
        if missing:
            (limit, *_) = self.guard().of(SUM)
            raise refused(f"a sum that cannot be read, as {missing[0]} is not listed", limit)

    def _known(self, account: str, field: str, identifier: str) -> Record:
        """Return a record that was read; an empty one otherwise."""
        return self.stored(account).cached(field, identifier) or {}

    def _named_currency(self, account: str, values: Record) -> str | None:
        """Return the currency of what a new record belongs to, which a plan may create too."""
        for field in SOURCES:
            if identifier := str(values.get(field) or ""):
                if identifier in self.planned:
                    return self._named_currency(account, self.planned[identifier].values)
                return currency_of(
                    self.stored(account).read(field, [identifier], is_required=True)[identifier]
                )
        return None

    def _with_currency(self, account: str, op: Operation) -> Operation:
        """Add to a campaign that is made active the currency that it counts in."""
        is_campaign = op.action == "create" and field_of(op) == CAMPAIGN_ID
        if not (is_campaign and op.activates and self.guard().of(SUM)):
            return op
        return op._replace(values={**op.values, "currency": self._named_currency(account, op.values)})


def _reads(limit: Limit) -> bool:
    """Whether a limit judges by what the service has."""
    if limit.key == "deny":
        return "activate" in limit.value
    if limit.key == HOURS:
        return not limit.value.contains(datetime.now(UTC))
    return limit.key in (*KEYS.values(), SUM, INCREASE)


def _needs_campaign(change: RecordChange, keys: set[str]) -> bool:
    """Whether a line item is judged by its campaign: by its budget, or as it gets a new ad."""
    if named_by(change.operation):
        return may_serve(change.before, datetime.now(UTC))
    return bool(keys & {DAILY, TOTAL}) and daily_budget(change.after) is None


def _needs_line_items(change: RecordChange, keys: set[str]) -> bool:
    """Whether a campaign is judged by its line items, which begin to serve with it or bound it."""
    if change.operation.id_field != CAMPAIGN_ID:
        return False
    if change.begins:
        return bool(keys & {DAILY, TOTAL, BID})
    return bool(keys & {DAILY, TOTAL}) and daily_budget(change.after) is None


def _started(changes: Sequence[RecordChange], after: AccountSpending) -> Iterator[RecordChange]:
    """Yield what begins to serve by a change of another record, as an activation of its own.

    What is new has no id yet, and is judged as it is created.
    """
    for change in changes:
        field, identifier = key_of(change.operation)
        if named_by(change.operation):
            record = after.records[LINE_ITEM_ID].get(identifier, change.before)
            if after.may_serve(record):
                yield _activation(change, identifier, record, "a new ad")
        elif field == CAMPAIGN_ID and change.begins:
            campaign = record_words(field, identifier, change.before)
            for id, record in after.line_items_of(identifier).items():
                if "id" in record:
                    yield _activation(change, id, record, campaign)


def _activation(change: RecordChange, identifier: str, record: Record, switch: str) -> RecordChange:
    """Return the activation of a line item that serves by a change of another record."""
    from ..api.line_items import UpdateLineItem

    op = Operation("update", UpdateLineItem, {LINE_ITEM_ID: identifier, STATUS: ACTIVE})
    return change._replace(operation=op, before={**record, STATUS: PAUSED}, switch=switch)


def _ended(campaigns: Mapping[str, Record]) -> Iterator[str]:
    """Yield the ids of campaigns that are on, and of which the service says that they have ended."""
    now = datetime.now(UTC)
    return (id for id, record in campaigns.items() if is_on(record) and not may_serve(record, now))


def _without_wrong_ends(
    campaigns: Mapping[str, Record], line_items: Mapping[str, Record]
) -> dict[str, Record]:
    """Return campaigns, of which none has ended that has a line item which may serve."""
    running = {item[CAMPAIGN_ID] for item in line_items.values() if may_serve(item, datetime.now(UTC))}
    wrong = {id: {**campaigns[id], REASONS: None} for id in _ended(campaigns) if id in running}
    return {**campaigns, **wrong}
