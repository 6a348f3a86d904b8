"""Events of the emulator: who is subscribed to one, what is delivered, and what streams are told.

Streams read the table `events`, so that an event may be made by another process than that of the stream.
"""

import time
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from ...api.events import DEPRECATED_KINDS, OF_APP, OF_KEYWORD
from ...api.names import EVENTS
from ..storage import Record, Store
from .challenge import WEBHOOK
from .faults import FILTERED_STREAM, DisconnectType, StreamFault
from .payloads import Example

SUBSCRIPTION, LINK, USER = "activity_subscription", "stream_link", "account_activity_user"
EVENT = "event"  # the kind of a row that streams deliver
KEPT_SECONDS = 24 * 3600.0  # for which events can be delivered again


class Occurrence(NamedTuple):
    """Something that happens, which may be an event for several subscribers."""

    kind: str
    user: str
    other: str
    keyword: str = ""
    direction: str = "inbound"
    payload: Record | None = None  # in place of the example


class Delivery(NamedTuple):
    """One message: its body, and where it goes."""

    body: bytes
    event: str = ""  # its id, where it has one
    webhook: Record | None = None
    to_stream: bool = False


def deliveries_of(store: Store, app: str, service: str, what: Occurrence) -> Iterator[Delivery]:
    """Yield what an occurrence delivers: to subscriptions, to linked webhooks, and to those of users."""
    example = Example(what.user, what.other, is_inbound=what.direction == "inbound")
    webhooks = {webhook["id"]: webhook for webhook in store.find_all(WEBHOOK, app)}
    names = EVENTS[service]

    def encoded(message: Any) -> bytes:
        return msgspec.json.encode(names.to_wire(message, ("type",)))

    if what.kind == FILTERED_STREAM:
        match = {**example.of_filtered_stream(), **(what.payload or {})}
        for link in store.find_all(LINK, app):
            yield Delivery(encoded(match), webhook=webhooks.get(link["webhook_id"]))
        return
    content = {"payload": what.payload} if what.payload else example.of_kind(what.kind)
    for subscription in store.find_all(SUBSCRIPTION, app):
        if _matches(subscription, what):
            data = {
                "event_uuid": str(uuid.uuid4()),
                "event_type": subscription["event_type"],
                "filter": subscription["filter"],
                **({"tag": subscription["tag"]} if subscription["tag"] else {}),
                **content,
            }
            webhook = webhooks.get(subscription["webhook_id"])
            yield Delivery(encoded({"data": data}), data["event_uuid"], webhook, to_stream=True)
    activity = example.of_account_activity(what.kind) if what.payload is None else None
    for user in store.find_all(USER, app, user_id=what.user) if activity else ():
        yield Delivery(encoded(activity), webhook=webhooks.get(user["webhook_id"]))


def _matches(subscription: Record, what: Occurrence) -> bool:
    kinds = (DEPRECATED_KINDS.get(kind, kind) for kind in (subscription["event_type"], what.kind))
    if len({*kinds}) > 1:
        return False
    about = subscription["filter"]
    if what.kind in OF_KEYWORD:
        return not what.keyword or str(about.get("keyword", "")).casefold() == what.keyword.casefold()
    if about.get("direction") not in (None, what.direction):
        return False
    return what.kind in OF_APP or about.get("user_id") in (None, what.user)


def note(store: Store, app: str, delivery: Delivery, copies: int = 1) -> int:
    """Store an event for the streams, and for a replay; return the number of its last copy."""
    webhook = delivery.webhook["id"] if delivery.webhook else ""
    kind = EVENT if delivery.to_stream else WEBHOOK
    for _ in range(copies):
        seq = _insert(store, app, kind, delivery.body, webhook)
    return seq


def note_fault(store: Store, app: str, kind: StreamFault, reason: DisconnectType) -> int:
    """Tell the streams of an app to end, to fall silent, or to send half a line."""
    return _insert(store, app, kind, reason.encode(), "")


def _insert(store: Store, app: str, kind: str, body: bytes, webhook: str) -> int:
    with store.transaction() as connection:
        connection.execute("DELETE FROM events WHERE at < ?", (time.time() - KEPT_SECONDS,))
        query = "INSERT INTO events (app, kind, webhook, at, body) VALUES (?, ?, ?, ?, ?) RETURNING seq"
        (seq,) = connection.execute(query, (app, kind, webhook, time.time(), body)).fetchone()
    return int(seq)
