"""What may spend money: new records are paused by default, and limits of spending are declared.

A field that `spends` is the status of a record. One with a `limit` bounds what it spends. `lifts` is the
value of another field with which a limit is ignored. `new_ad` marks the record that a request adds an ad to.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, TypeVar, cast

from ..errors import NotFoundError
from .amounts import CurrencyOf, as_amount, currency_problem, money_fields, too_precise
from .endpoint import Request
from .fields import Field, fields_by_name, marked_fields
from .problems import Problem
from .records import CURRENCY
from .registry import requests_named
from .time import Time
from .types import MAX_MICROS
from .validation import check, errors_in

R = TypeVar("R", bound=Request)

ACTIVE, PAUSED, DRAFT = "ACTIVE", "PAUSED", "DRAFT"
STATUS = "entity_status"
DAILY_BUDGET = "daily_budget_amount_local_micro"
TOTAL_BUDGET = "total_budget_amount_local_micro"
END, REASONS = "end_time", "reasons_not_servable"
FACTOR = 2  # a limit that rises to more than this is confirmed


class Unreadable(Enum):
    """The type of UNREADABLE."""

    UNREADABLE = "an unknown value"


UNREADABLE: Final = Unreadable.UNREADABLE  # the value of a limit that a record does not tell


UNLIMITED = "unlimited"  # in words: a limit that there is not


class Raise(NamedTuple):
    """A limit that a change raises or removes."""

    limit: str  # its name, such as "daily budget"
    before: int | str | None  # millionths, or a time; None where it could not be read
    after: int | str | None  # None where there is no limit any more; words where it could not be read

    def words(self, currency: str) -> tuple[str, str]:
        """Write both values, amounts with their currency."""
        before = UNREADABLE.value if self.before is None else limit_words(self.before, currency)
        return before, limit_words(self.after, currency)

    @property
    def factor(self) -> float:
        """By how much it rises."""
        if isinstance(self.before, int) and isinstance(self.after, int):
            return self.after / max(self.before, 1)
        return float("inf")


def limit_words(value: int | str | None, currency: str) -> str:
    """Write a limit, an amount with its currency where that is one; `unlimited` where there is none."""
    if isinstance(value, int):
        code = "" if currency_problem(currency) else currency
        return f"{as_amount(value, code)} {code}".rstrip()
    return value or UNLIMITED


def status_field(kind: type[Request]) -> Field | None:
    """Return the field that says whether a record may spend; None where a request has none."""
    if kind.endpoint.method not in ("POST", "PUT"):
        return None
    return next((fields_by_name(kind)[name] for name in marked_fields(kind, "spends")), None)


def paused_by_default(kind: type[Request], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a request, whose new record is paused where they give it no status, or null."""
    field = status_field(kind)
    if field is None or kind.endpoint.method != "POST" or values.get(field.name) is not None:
        return values
    return {**values, field.name: PAUSED}


@cache
def update_of_activation(kind: type[Request]) -> type[Request] | None:
    """Return the update that an activation stands for, which sets the status to ACTIVE. None for others.

    Pass that update to `is_active` and `may_spend_more`: an activation itself has no status.
    """
    *group, verb = kind.endpoint.command.split()
    return requests_named((*group, "update"))[0] if verb == "activate" else None


def request_of(
    kind: type[R],
    values: dict[str, Any],
    amounts: Mapping[str, str],
    currency_of: CurrencyOf,
    postponed_rules: Collection[str] = (),
) -> tuple[R | None, list[Problem]]:
    """Convert values to a request whose new record is paused, unless they say otherwise.

    Returns None and what is wrong where they are not valid; `amounts` are the names of those in whole units.
    """
    request, errors = check(kind, paused_by_default(kind, values))
    problems = [problem for problem in errors_in(errors) if problem.rule not in postponed_rules]
    if request is not None and not problems:
        problems = too_precise(request, amounts, currency_of)
    return (None if problems else request), problems


def problems_of_currency(request: Request, currency: Any, currency_of: CurrencyOf) -> list[Problem]:
    """Find amounts of a new record that another one has in another currency: 6000 JPY are no 6000 EUR."""
    kind = type(request)
    amounts = [name for name in money_fields(kind) if getattr(request, name) is not None]
    if not (currency and amounts) or CURRENCY in fields_by_name(kind) or kind.endpoint.method != "POST":
        return []
    try:
        expected = currency_of(request)
    except NotFoundError:
        return []  # the service says so
    if expected in (None, currency):
        return []
    return [
        Problem(
            CURRENCY,
            f"is {currency!r}, and the amounts would be in {expected}; write them in {expected}",
        )
    ]


def changes_nothing(request: Request) -> bool:
    """Whether an update names a record, and nothing of it."""
    endpoint = request.endpoint
    changeable = [name for name in request.__struct_fields__ if name not in endpoint.path_fields]
    is_update = endpoint.method == "PUT" and bool(changeable)  # an activation has nothing to name
    return is_update and all(getattr(request, name) is None for name in changeable)


def is_active(request: Request) -> bool:
    """Whether a request asks for a record that may spend at once.

    False for an activation (`PUT …/activate`), which has no status: pass the update that
    `update_of_activation` names.
    """
    field = status_field(type(request))
    return field is not None and getattr(request, field.name) == ACTIVE


def parent_of_ad(kind: type[Request]) -> str | None:
    """Name the field of the record that a request adds an ad to; None of one that adds none."""
    return next(iter(marked_fields(kind, "new_ad")), None) if kind.endpoint.method == "POST" else None


def named_record(request: Request) -> str | None:
    """Name the field of the record that a request changes, or adds an ad to."""
    return parent_of_ad(type(request)) or request.endpoint.id_field


def _limits(kind: type[Request]) -> Mapping[str, str]:
    """Return the names of the limits that an update may change, by field."""
    return marked_fields(kind, "limit") if kind.endpoint.method == "PUT" else {}


@cache
def lifting_fields(kind: type[Request]) -> dict[str, tuple[str, str]]:
    """Return the field, and its value, with which a limit is ignored, by the field of the limit."""
    lifting = marked_fields(kind, "lifts").items()
    # `after_update` empties a field to the value that lifts a limit, so there may be only one.
    assert all(len(lifts) == 1 for _, lifts in lifting)
    return {limit: (name, value) for name, lifts in lifting for value, limit in lifts.items()}


def may_spend_more(request: Request) -> bool:
    """Whether more may be spent after a request, as far as it tells without what the service has.

    As with `is_active`, pass the update that `update_of_activation` names in place of an activation.
    """
    kind = type(request)
    return is_active(request) or parent_of_ad(kind) is not None or _touches_limit(request)


def raises(request: Request, before: Mapping[str, Any]) -> list[Raise]:
    """Return the limits of a record that an update removes, or raises to more than FACTOR of what they were.

    An end counts only where it is removed or cannot be read: one that is put off spends no more a day.
    """
    return raised_limits(type(request), before, after_update(request, before), FACTOR)


def raised_limits(
    kind: type[Request], before: Mapping[str, Any], after: Mapping[str, Any], factor: int = 1
) -> list[Raise]:
    """Return the limits of a record that are removed, or rise to more than `factor` of what they were.

    A limit counts as raised where its value before or after cannot be read, or is out of range. An end that
    is put off counts where any rise does.
    """
    lifting, problems = lifting_fields(kind), []
    for field, limit in _limits(kind).items():
        names = (field, *lifting.get(field, ())[:1])
        if all(before.get(name, UNREADABLE) == after.get(name, UNREADABLE) for name in names):
            continue
        old, new = _value(kind, field, before), _value(kind, field, after)
        is_higher = isinstance(old, int) and isinstance(new, int) and new > factor * old
        is_later = factor == 1 and isinstance(old, str) and isinstance(new, str) and new > old
        is_removed = new is None and old is not None
        if is_higher or is_later or is_removed or old is UNREADABLE or new is UNREADABLE:
            before_it = None if old is UNREADABLE else old
            after_it = new.value if new is UNREADABLE else new
            problems.append(Raise(limit, before_it, after_it))
    return problems


def limit_values(kind: type[Request], record: Mapping[str, Any]) -> dict[str, int | str]:
    """Return the limits that a record has, by their names; words where one cannot be read."""
    values = {limit: _value(kind, field, record) for field, limit in _limits(kind).items() if field in record}
    return {
        limit: value.value if value is UNREADABLE else value
        for limit, value in values.items()
        if value is not None
    }


def after_update(request: Request, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as an update leaves it."""
    own = request.endpoint.path_fields
    own_values = {name: getattr(request, name) for name in request.__struct_fields__ if name not in own}
    values = {name: value for name, value in own_values.items() if value is not None}
    return after_change(type(request), before, values)


def after_change(
    kind: type[Request] | None, before: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a record as new values leave it.

    What they empty is None, or the value that lifts a limit: the service may choose that one. With another
    end it has not ended, whatever the service has said before.
    """
    lifting = dict(lifting_fields(kind).values()) if kind else {}
    emptied = {name: lifting.get(name) for name, value in values.items() if value in (None, "")}
    reasons = {REASONS: None} if END in values else {}
    return {**before, **reasons, **values, **emptied}


def _touches_limit(request: Request) -> bool:
    """Whether an update may change a limit."""
    fields = _limits(type(request))
    lifting = (name for name, _ in lifting_fields(type(request)).values())
    return bool(fields) and any(getattr(request, name) is not None for name in (*fields, *lifting))


def _value(kind: type[Request], field: str, record: Mapping[str, Any]) -> int | str | Unreadable | None:
    """Return a limit of a record: millionths, a time, None where there is none, or UNREADABLE."""
    if field in (lifting := lifting_fields(kind)):
        name, lifted = lifting[field]
        if record.get(name) == lifted:
            return None
    value: object = record.get(field, UNREADABLE)
    if value is None:
        return None
    if field in money_fields(kind):
        is_amount = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_MICROS
        return cast(int, value) if is_amount else UNREADABLE
    return Time.of(moment) if isinstance(value, str) and (moment := _moment(value)) else UNREADABLE


def _moment(value: Any) -> datetime | None:
    return _parsed(value) if isinstance(value, str) else None


@lru_cache(10_000)
def _parsed(text: str) -> datetime | None:  # most ends of an account are the same few
    try:
        return Time.parse(text).moment
    except ValueError:
        return None


def is_on(record: Mapping[str, Any]) -> bool:
    """Whether a record is neither paused nor deleted; one that does not tell is on."""
    return record.get("deleted") is not True and record.get(STATUS) not in (PAUSED, DRAFT)


def may_serve(record: Mapping[str, Any], now: datetime) -> bool:
    """Whether a record may spend, now or later, apart from what it belongs to; one that does not tell may."""
    return is_on(record) and not _has_ended(record, now)


def surely_serves(record: Mapping[str, Any], now: datetime) -> bool:
    """Whether a record tells that it may spend: what it leaves out, or cannot be read, tells nothing."""
    is_endless = record.get(END, UNREADABLE) is None
    is_read = record.get(STATUS) == ACTIVE and (is_endless or _moment(record.get(END)) is not None)
    return is_read and may_serve(record, now)


def puts_off(end: Any, record: Mapping[str, Any]) -> bool:
    """Whether a record ends later by another end than by its own, or one of them cannot be read."""
    if record.get(END, UNREADABLE) is None:
        return False
    old, new = _moment(record.get(END)), _moment(end)
    return old is None or new is None or new > old


def _has_ended(record: Mapping[str, Any], now: datetime) -> bool:
    reasons, end = record.get(REASONS), _moment(record.get(END))
    return (isinstance(reasons, list) and "EXPIRED" in reasons) or (end is not None and end <= now)
