"""The guard of a client: judges every write before it is sent.

A run that is known in advance is judged as a whole before its first request; what was approved then is not
judged again when it is sent.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from ..api.endpoint import Request
from ..api.fields import fields_of
from ..api.spending import ACTIVE, is_on, lifting_fields, may_serve
from ..config.guard import ActiveHours, Amount, Guard, Limit, Percentage
from ..errors import GuardError, StateError
from .prepared_request import PreparedRequest
from .spending import CAMPAIGN_ID, LINE_ITEM_ID, SOURCES, AccountSpending, Record, StoredRecords, micros
from .writes import Dialect, Operation, Write, write_of

KEYS = {"daily budget": "max_daily_budget", "total budget": "max_total_budget", "bid": "max_bid"}
KEYS_WITHOUT_RECORDS = {"read_only", "deny", "max_changes"}  # which are judged by the requests alone
END = "end_time"
FLEET_COUNT = "ADSCTL_FLEET_COUNT"  # in the environment of the tasks of a fleet: the path of this one's count
HINT = "adsctl guard show lists the limits; one is changed where it stands, and by no option"


class RecordChange(NamedTuple):
    """An operation in its account, and the record that it changes, where that was read."""

    account: str
    operation: Operation
    digest: bytes  # of what it changes, and how
    before: Record = {}

    @property
    def resumes(self) -> bool:
        """Whether what is active and has ended may serve again, or may as far as it can be read."""
        values, before, now = self.operation.values, self.before, datetime.now(UTC)
        if END not in values or self.operation.action != "update":
            return False
        has_ended = not before or (is_on(before) and not may_serve(before, now))
        return has_ended and may_serve({**before, **values}, now)


@cache
def limited_fields(kind: type[Request]) -> Mapping[str, str]:
    """Return the name of each limit of spending that a request may set, by its field."""
    limits = ((field.name, field.type.extra("limit")) for field in fields_of(kind))
    return {name: limit for name, limit in limits if limit in KEYS}


def count_in_fleet(fleet_count: Path, limit: Limit, count: int) -> int:
    """Return how many records all tasks of a fleet's run change, this one `count` of them.

    If that is allowed, it is noted in a file for the task and the limit. A task that is resumed counts as
    much as it did at most.
    """
    from ..config.atomic_files import atomic, make_folder
    from ..config.file_locks import locked

    folder = fleet_count.parent / blake2b(limit.source.encode(), digest_size=8).hexdigest()
    task = fleet_count.name
    make_folder(folder)
    with locked(fleet_count.parent / "lock"):
        counts = {path.name: int(path.read_text()) for path in folder.iterdir() if path.name[0] != "."}
        counts[task] = max(count, counts.get(task, 0))
        if (total := sum(counts.values())) <= limit.value:
            with atomic(folder / task) as stream:
                stream.write(str(counts[task]))
    return total


class WriteGuard:
    """Judges the writes of one invocation; thread-safe."""

    def __init__(
        self,
        guard: Callable[[], Guard],
        dialect: Callable[[], Dialect],
        stored: Callable[[str], StoredRecords],
        lock_account: Callable[[str], None],
        fleet_count: Path | None,
    ) -> None:
        self._fleet_count = fleet_count
        self._read, self._dialect = guard, cache(dialect)
        self._spending = _SpendingJudge(lambda: self.guard, stored, lock_account)
        self._lock = threading.RLock()
        self._guard: Guard | None = None
        # What was judged, and is asked again when it is sent. All is still judged by its kind.
        self._approved: set[bytes] = set()  # digests of operations: counts and amounts are not judged again
        self._counted: set[str] = set()  # paths of pushes: their rows are not counted again
        self._passed: set[tuple[str, str]] = set()  # methods and addresses of products, not even read again
        self._is_planned = False  # changes of a plan differ when they are sent: no sum is judged again
        self._count = 0  # records that this run changes

    @property
    def guard(self) -> Guard:
        """The limits; raise StateError where they cannot be read."""
        with self._lock:
            if self._guard is None:
                self._guard = self._read()
            return self._guard

    def write_of(self, prepared: PreparedRequest) -> Write:
        """Return what a request changes."""
        counts = bool(self.guard.of("max_changes")) and urlsplit(prepared.url).path not in self._counted
        return write_of(prepared, self._dialect(), counts=counts)

    def approve(self, requests: Iterable[PreparedRequest]) -> None:
        """Judge all writes of a run, before the first; raise GuardError for the first that is refused."""
        if self.guard:
            self._judge([self.write_of(each) for each in requests])

    def approve_plan(self, requests: Iterable[tuple[PreparedRequest, str]]) -> None:
        """Judge a plan before its first request: each change as a request, and what names a new record.

        What is sent then has ids, and several changes in a batch: its sums and number are not judged again.
        """
        if not self.guard:
            return
        writes = []
        for prepared, new_id in requests:
            write = self.write_of(prepared)
            if new_id:
                (created,) = write.operations
                self._spending.planned[new_id] = created.values
                write = write._replace(operations=[created._replace(new_id=new_id)])
            writes.append(write)
        self._judge(writes)
        self._is_planned = True

    def approve_rows(self, requests: Sequence[PreparedRequest], rows: int | None) -> None:
        """Judge a push by its requests without rows, and the number of these; None where it is not known.

        The first request has the rows; the others come before or after them.
        """
        if not self.guard:
            return
        without_body = [msgspec.structs.replace(each, body=b"") for each in requests]
        writes = [write_of(each, self._dialect()) for each in without_body]
        self._judge([write._replace(records=0) for write in writes[1:]])
        self._judge([write._replace(records=rows or 0) for write in writes[:1]])
        if rows is not None:
            self._counted |= {urlsplit(each.url).path for each in requests}

    def note_completed(self, planned: PreparedRequest, completed: PreparedRequest) -> None:
        """Take a request as approved that differs from an approved one by what was made since: media keys."""
        if not self.guard:
            return
        with self._lock:
            if _digests(self.write_of(planned)) <= self._approved:
                self._approved |= _digests(self.write_of(completed))

    def require(self, prepared: PreparedRequest) -> Write | None:
        """Judge a request that is about to be sent; return what it changes, None without a guard."""
        if not self.guard:
            return None
        if prepared.declared and (prepared.method, prepared.url) in self._passed:
            return None
        write = self.write_of(prepared)
        is_counted = urlsplit(prepared.url).path in self._counted
        self._judge([write._replace(records=0) if is_counted else write])
        if is_counted and write.subject == "products":  # what is in its body is not judged
            self._passed.add((prepared.method, prepared.url))
        return write

    def _judge(self, writes: Sequence[Write]) -> None:
        """Judge what was not approved yet, and approve it."""
        with self._lock:
            due: list[RecordChange] = []
            count = 0
            for write in writes:
                if write.endpoint and not write.endpoint.changes:
                    continue
                self._judge_kind(write)
                changes = (
                    RecordChange(write.account, each, _digest(write, each)) for each in write.operations
                )
                new = [change for change in changes if change.digest not in self._approved]
                count += len(new) if write.operations else write.records
                due += new
            self._judge_count(count)
            self._spending.judge(due, with_sum=not self._is_planned)
            self._count += count
            self._approved |= {change.digest for change in due}

    def _judge_count(self, count: int) -> None:
        """Judge how many records the run changes, with `count` more of them."""
        for limit in self.guard.of("max_changes") if not self._is_planned else ():
            own = self._count + count
            total = count_in_fleet(self._fleet_count, limit, own) if self._fleet_count and count else own
            if total > limit.value:
                of_fleet = f" of a fleet, {own:,} of this task" if total > own else ""
                raise refused(f"{total:,} changes{of_fleet}", limit)

    def _judge_kind(self, write: Write) -> None:
        """Judge what needs no amounts."""
        for limit in self.guard.of("read_only"):
            if limit.value:
                raise refused("every change", limit)
        for limit in self.guard.of("deny"):
            if words := sorted(limit.value & write.words):
                raise refused(f"{_what(write)} ({', '.join(words)})", limit)
        if write.problem:
            effective = next(limit for limit in self.guard.limits if limit.is_effective)
            raise refused(f"a request that cannot be judged, as {write.problem}", effective)


class _SpendingJudge(msgspec.Struct, eq=False):
    """Judges budgets, bids, hours and sums of changes, by what the service has; for one thread at a time."""

    guard: Callable[[], Guard]
    stored: Callable[[str], StoredRecords]  # of an account
    lock_account: Callable[[str], None]
    planned: dict[str, Record] = {}  # records that a plan creates, by what names them
    accounts: dict[str, AccountSpending] = {}  # by id, with the changes that were allowed so far

    def judge(self, due: Sequence[RecordChange], *, with_sum: bool) -> None:
        """Raise the error of the first change that a limit refuses; `with_sum` as one with all before."""
        concerned = [change for change in due if _concerns_spending(change.operation)]
        if {limit.key for limit in self.guard().limits} <= KEYS_WITHOUT_RECORDS:
            is_denied = any("activate" in limit.value for limit in self.guard().of("deny"))
            concerned = [change for change in concerned if is_denied and END in change.operation.values]
        if not concerned:
            return
        changes = self._with_records(concerned)
        for change in changes:
            for limit in self.guard().of("deny") if change.resumes else ():
                if "activate" in limit.value:
                    raise refused("to let anything that has ended serve again", limit)
            self._judge_amounts(change)
            self._judge_hours(change)
        if with_sum:
            self._judge_sum(changes)

    def _with_records(self, changes: Sequence[RecordChange]) -> list[RecordChange]:
        """Add the records that are changed: one list request for those of one kind."""
        found: dict[tuple[str, str], Record] = {}
        for account in {change.account for change in changes}:
            operations = [change.operation for change in changes if change.account == account]
            for field in (CAMPAIGN_ID, LINE_ITEM_ID):
                ids = [op.id for op in operations if op.id_field == field and op.id]
                records = self.stored(account).read(field, ids)
                found |= {(field, identifier): record for identifier, record in records.items()}
        return [each._replace(before=found.get(each.operation.key, {})) for each in changes]

    def _judge_amounts(self, change: RecordChange) -> None:
        """Judge the budgets and the bid that a record gets, or has while it is activated."""
        op = change.operation
        assert op.kind
        for field, name in limited_fields(op.kind).items():
            is_set = field in op.values
            old, new = micros(change.before.get(field)), micros(op.values.get(field))
            value = new if is_set else old
            for limit in self.guard().of(KEYS[name]):
                if is_set and new is None and op.action == "update":
                    raise refused(f"to remove the {name}", limit)
                if value is None or not (is_set or op.activates or change.resumes):
                    continue
                self._require_currency(change, limit)
                if value > limit.value.micros or value < 0:
                    raise refused(f"a {name} of {_amount(value, limit)}", limit)
            is_changed = (is_set or _is_lifted(op, field)) and op.action == "update"
            for limit in self.guard().of("max_increase") if is_changed else ():
                self._judge_increase(name, old, new, change, limit)

    def _judge_increase(
        self, name: str, old: int | None, new: int | None, change: RecordChange, limit: Limit
    ) -> None:
        """Judge a raise by more than a percentage of what the service has."""
        share: Percentage = limit.value
        if not change.before:
            raise refused(f"a {name} whose value before cannot be read", limit)
        if old is None:
            return  # it gets a limit that it has not had
        if new is None:
            raise refused(f"to remove the {name}", limit)
        if min(old, new) < 0 or new * 1_000_000 > old * (1_000_000 + share.millionths):
            currency = _currency_of(change.before) or ""
            before, after = (Amount(max(each, 0), currency) for each in (old, new))
            raise refused(f"to raise the {name} from {before} to {after}".rstrip(), limit)

    def _judge_hours(self, change: RecordChange) -> None:
        """Judge activations and raises outside of the hours."""
        op, now = change.operation, datetime.now(UTC)
        for limit in self.guard().of("active_hours"):
            hours: ActiveHours = limit.value
            if hours.contains(now):
                continue
            if op.activates and not (op.action == "update" and change.before.get("entity_status") == ACTIVE):
                raise refused("to activate anything now", limit)
            if change.resumes:
                raise refused("to let anything that has ended serve again now", limit)
            for field, name in limited_fields(op.kind).items() if op.kind and op.action == "update" else ():
                old, new = micros(change.before.get(field)), micros(op.values.get(field))
                is_higher = new is None if old is not None else not change.before
                is_changed = field in op.values or _is_lifted(op, field)
                if is_changed and (is_higher or (old is not None and new is not None and new > old)):
                    raise refused(f"to raise the {name} now", limit)

    def _judge_sum(self, changes: Sequence[RecordChange]) -> None:
        """Judge what may be spent in a day, by all campaigns of each account."""
        limits = self.guard().of("max_account_daily_budget")
        for account in dict.fromkeys(change.account for change in changes) if limits else ():
            if account not in self.accounts:
                self.lock_account(account)
                records = {field: self.stored(account).all(field) for field in (CAMPAIGN_ID, LINE_ITEM_ID)}
                self.accounts[account] = AccountSpending(records, datetime.now(UTC))
            spending = self.accounts[account]
            after = spending.after(each.operation for each in changes if each.account == account)
            before, total = spending.total, after.total
            for limit in limits:
                if unbounded := after.unbounded - spending.unbounded:
                    raise refused(f"the campaign {min(unbounded)}, whose daily spend has no bound", limit)
                if total > before:
                    for change in changes:
                        if change.account == account:
                            self._require_currency(change, limit)
                if before < total > limit.value.micros:
                    raise refused(f"up to {_amount(total, limit)} a day in the account {account}", limit)
            self.accounts[account] = after

    def _require_currency(self, change: RecordChange, limit: Limit) -> None:
        """Raise an error unless a limit is in the currency of the account."""
        currency = _currency_of(change.before)
        currency = currency or self._named_currency(change.account, change.operation.values)
        if currency is None:
            raise refused("an amount in a currency that cannot be read", limit)
        if currency != limit.value.currency:
            raise StateError(
                f"{limit.key} is {limit.text} ({limit.source}), and the account is in {currency}: "
                "amounts are not converted",
                hint=f"write the limit in {currency}",
            )

    def _named_currency(self, account: str, values: Record) -> str | None:
        """Return the currency of what a new record belongs to, which a plan may create too."""
        for field in SOURCES:
            if identifier := str(values.get(field) or ""):
                if identifier in self.planned:
                    return self._named_currency(account, self.planned[identifier])
                return _currency_of(self.stored(account).read(field, [identifier])[identifier])
        return None


def _concerns_spending(op: Operation) -> bool:
    """Whether a change may concern budgets, bids or what is active."""
    return op.kind is not None and (op.activates or bool(limited_fields(op.kind))) and op.action != "delete"


def _is_lifted(op: Operation, field: str) -> bool:
    """Whether a change lets the service choose a limit, as with `bid_strategy: AUTO`."""
    name, lifted = lifting_fields(op.kind).get(field, ("", "")) if op.kind else ("", "")
    return name in op.values and str(op.values[name] or lifted).upper() == lifted


def _digests(write: Write) -> set[bytes]:
    return {_digest(write, operation) for operation in write.operations}


def _digest(write: Write, op: Operation) -> bytes:
    path = write.endpoint.path if write.endpoint else ""
    encoded = msgspec.json.encode([op.action, path, sorted(op.values.items(), key=str)], enc_hook=str)
    return blake2b(encoded, digest_size=16).digest()


def _currency_of(record: Record) -> str | None:
    currency = record.get("currency")
    return currency if isinstance(currency, str) and currency else None


def _amount(value: int, limit: Limit) -> str:
    return "an amount that cannot be read" if value < 0 else str(Amount(value, limit.value.currency))


def _what(write: Write) -> str:
    return f"adsctl {write.endpoint.command}" if write.endpoint else "a raw request"


def refused(what: str, limit: Limit) -> GuardError:
    """Return the error for a change that a limit refuses."""
    return GuardError(f"the guard refuses {what}: {limit.key} is {limit.text} ({limit.source})", hint=HINT)
