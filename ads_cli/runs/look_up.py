"""Look in an account for what requests without an answer may have created.

A request is applied whole or not at all. It has created records where as many new ones as it was to create
are listed, each alike to what was sent. It has created none where none is listed that may be one of them.
What lies between is a doubt, which only somebody who looks can settle. What was created before the request
was sent, by the clock of the service, is never taken for what it has created.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..api.fields import fields_by_name
from ..api.names import to_neutral
from ..api.parts import params_of
from ..api.registry import is_of_service, requests_named
from ..http.retry import http_date
from ..output.text import listed
from ..stored_times import is_believable
from .lost import look_until_listed, seconds_until_listed

if TYPE_CHECKING:
    from ..client.client import Client

BEGINNING, END = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
CLOCKS_DIFFER = timedelta(minutes=5)  # by so much at most, as signatures allow
SERVERS_DIFFER = timedelta(seconds=2)  # by so much at most, with the full seconds that the service states
CREATED = "created_at"
DRAFT = "DRAFT"  # the status of what is listed with `with_draft` only
MOST_IDS = 200  # that a list is filtered by at once
MOST_NAMED = 5  # records in a message

Values = Mapping[str, Any]  # by neutral names
Matches = Callable[[type[Request], Values, Values], bool]


class LostRequest(NamedTuple):
    """A request whose answer was lost."""

    at: float  # Unix seconds at which it was sent
    records: Sequence[Values]  # what it was to create
    names: Sequence[str]  # of these, in messages


class Look(NamedTuple):
    """What a look in an account has found of one request. Without both, it has certainly created nothing."""

    found: Sequence[Any] = ()  # the records that it has created, in the order in which they were sent
    doubt: str = ""  # why it may have created some
    is_partial: bool = False  # whether lists that lag may be the reason of the doubt


LookUp = Callable[[Sequence[LostRequest]], Sequence[Look]]


def values_of(request: Request) -> dict[str, Any]:
    """Return what a request creates, by neutral names."""
    place = {name: getattr(request, name) for name in request.endpoint.path_fields}
    return {name: value for name, value in (place | params_of(request)).items() if value is not None}


def listing_of(kind: type[Request], service: str) -> type[Request] | None:
    """Return the list that shows what a request creates, and when that was; None where there is none."""
    group = tuple(kind.endpoint.command.split()[:-1])
    with suppress(KeyError):
        for listing in requests_named((*group, "list")):
            fields = fields_by_name(listing)
            required = {name for name, field in fields.items() if field.required}
            known = {*kind.endpoint.path_fields, *(f"{name}s" for name in fields_by_name(kind))}
            if is_of_service(listing, service) and CREATED in listing.endpoint.record_fields:
                return listing if required <= known else None
    return None


def look_up(
    client: "Client",
    kind: type[Request],
    listing: type[Request],
    lost: Sequence[LostRequest],
    known_ids: Collection[str],
    say: Callable[[str], None],
) -> Sequence[Look]:
    """Look for what requests have created, until a list would show it."""
    wanted = [request.records for request in lost]
    since = datetime.fromtimestamp(min(request.at for request in lost), UTC)

    def look() -> tuple[Sequence[Look], Sequence[str], float]:
        records, ahead = _listed_records(client, listing, [*chain(*wanted)])
        looks = look_for(kind, wanted, records, since, known_ids, ahead)
        missing = [
            request
            for request, result in zip(lost, looks, strict=True)
            if result.is_partial or not (result.found or result.doubt)
        ]
        seconds = [seconds_until_listed(client.clock.time() - request.at) for request in missing]
        return looks, [name for request in missing for name in request.names], max(seconds, default=0.0)

    return look_until_listed(client, look, say)


def _listed_records(
    client: "Client", listing: type[Request], wanted: Sequence[Values]
) -> tuple[list[Any], timedelta]:
    """Return the records where others were to be created, and how far the clock of the service is ahead."""
    records: list[Any] = []
    ahead: list[float] = []
    fields = fields_by_name(listing)
    place = {name: wanted[0][name] for name in listing.endpoint.path_fields}
    if "with_draft" in fields and any(values.get("entity_status") == DRAFT for values in wanted):
        place["with_draft"] = True
    filters = [
        name for name in fields if name.endswith("_ids") and all(name[:-1] in values for values in wanted)
    ]
    parents = next(iter(filters), "")
    ids = [*dict.fromkeys(str(values[parents[:-1]]) for values in wanted)] if parents else []
    for first in range(0, max(len(ids), 1), MOST_IDS):
        chosen = {parents: ids[first : first + MOST_IDS]} if parents else {}
        for page in client.pages(listing(**place, **chosen)):
            records += page.data if isinstance(page.data, list) else [page.data]
            if date := http_date(page.headers.get("date", "")):
                ahead.append(date - client.clock.time())
    return records, timedelta(seconds=max(ahead, default=0.0))


def look_for(
    kind: type[Request],
    requests: Sequence[Sequence[Values]],
    records: Sequence[Any],
    started: datetime,
    known_ids: Collection[str],
    ahead: timedelta = timedelta(),
) -> list[Look]:
    """Look among the records of an account for those that requests of a kind have created since a time.

    The clock of the service is `ahead` of ours. Ours may have been set since: what was created shortly before
    is a doubt.
    """
    record_id = kind.endpoint.record_id
    is_known = is_believable(started)
    since = started - CLOCKS_DIFFER if is_known else BEGINNING
    sent_at = started + ahead - SERVERS_DIFFER if is_known else END
    earlier: list[Values] = []
    news: list[Any] = []
    neutrals: list[Values] = []
    for record in records:
        neutral = to_neutral(record)
        created = _time(neutral.get(CREATED)) if isinstance(neutral, dict) else None
        if created is None:
            return [Look(doubt="the list does not say when its records were created") for _ in requests]
        if created < min(since, sent_at) or str(neutral.get(record_id)) in known_ids:
            continue
        if created < sent_at:
            earlier.append(neutral)
        else:
            news.append(record)
            neutrals.append(neutral)
    near = [[_matching(kind, neutrals, values, _may_be) for values in request] for request in requests]
    alike = [[_matching(kind, neutrals, values, _is_alike) for values in request] for request in requests]
    # How often something was sent that all of these records are alike to.
    sent = Counter(matching for request in alike for matching in request)
    owners = Counter(index for matching in sent for index in matching)
    unused = {matching: iter(matching) for matching in sent}
    looks = []
    for request, near_of_each, alike_of_each in zip(requests, near, alike, strict=True):
        candidates = sorted({index for matching in near_of_each for index in matching})
        before = [record for record in earlier if any(_may_be(kind, record, values) for values in request)]
        # Only too few are listed; none is too many, or alike to two that differ.
        is_clear = all(owners[index] == 1 for index in candidates) and all(
            len(matching) <= sent[matching] for matching in alike_of_each
        )
        if before and not candidates:
            ids = listed([str(record.get(record_id)) for record in before], MOST_NAMED)
            words = f"one that was created earlier, by the service's clock, may be its record: {ids}"
            looks.append(Look(doubt=words, is_partial=True))
        elif not candidates:
            looks.append(Look())
        elif is_clear and all(len(matching) == sent[matching] for matching in alike_of_each):
            looks.append(Look([news[next(unused[matching])] for matching in alike_of_each]))
        else:
            ids = listed([str(neutrals[index].get(record_id)) for index in candidates], MOST_NAMED)
            words = f"one of those that were created since may be its record: {ids}"
            looks.append(Look(doubt=words, is_partial=is_clear))
    return looks


def _matching(
    kind: type[Request], records: Sequence[Values], values: Values, matches: Matches
) -> tuple[int, ...]:
    return tuple(index for index, record in enumerate(records) if matches(kind, record, values))


def _may_be(kind: type[Request], record: Values, values: Values) -> bool:
    """Whether a record may have been created with values: no service gives it another name or parent."""
    return all(
        _is_same(kind, name, values[name], record[name])
        for name in values
        if (name == "name" or name.endswith("_id")) and record.get(name) is not None
    )


def _is_alike(kind: type[Request], record: Values, values: Values) -> bool:
    shared = [name for name in values if record.get(name) is not None]
    return bool(shared) and all(_is_same(kind, name, values[name], record[name]) for name in shared)


def _is_same(kind: type[Request], name: str, value: Any, stored: Any) -> bool:
    field = fields_by_name(kind).get(name)
    return field.type.is_same(value, stored) if field else bool(value == stored)


def _time(text: Any) -> datetime | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(str(text))
        return moment if moment.tzinfo else None
    return None
