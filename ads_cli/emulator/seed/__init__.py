"""Seed data of a new database: a small shop with accounts, campaigns, audiences, media, cards and posts.

`records.json` has the records, in the order in which they are stored: groups of one kind and owner, whose
`shared` fields every record of the group has. A record that is `deleted` is deleted once it is stored. A
time that is {"days": N} is N days from the seeding. Whatever else follows from a record is added here, by the
functions that handle requests.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import msgspec

from ...api.statistics import CreateJob
from ...api.validation import convert
from ..core.handlers import AccountContext
from ..resources import campaigns, cards, catalogs, line_items, measurement, media, posts, promoted, targeting
from ..resources.audiences import NEW_AUDIENCE
from ..resources.history import Interval, note_change
from ..resources.statistics import JOB, new_job
from ..storage import Record, Store, audience_user_table, without
from ..storage.audience_user_table import identifier_hash
from ..targeting import key_of
from .credentials import USER, seed_credentials

SHOP, CATALOG = "18ce54d4x5t", "7310248000000000001"  # the default account and catalog
OF_APP = "app"  # in place of the owner, whose key is random
JOB_NUMBER = "1638457211049000000"
# Of their records, records.json leaves out fields that have the default.
COLLECTIONS = (
    *(campaigns.FUNDING_INSTRUMENTS, campaigns.CAMPAIGNS, line_items.LINE_ITEMS, catalogs.PRODUCT_SETS),
    *(posts.DRAFTS, posts.SCHEDULED_POSTS, promoted.PROMOTED_POSTS, promoted.PROMOTED_ACCOUNTS),
    *(promoted.SCHEDULED_POSTS, promoted.MEDIA_CREATIVES, targeting.CRITERIA),
    *(measurement.WEB_EVENT_TAGS, measurement.APP_EVENT_TAGS),
)
DEFAULTS: dict[str, Mapping[str, Any]] = {
    "audience": NEW_AUDIENCE,
    "post": without(posts.CONTENT, "user_id"),
    **{collection.kind: collection.defaults for collection in COLLECTIONS},
}


class SeedGroup(msgspec.Struct, forbid_unknown_fields=True):
    """Records of one kind and owner."""

    kind: str
    records: list[Record]
    owner: str = ""
    shared: Record = {}
    created_at: str | Record | None = None  # unless a record has another one


def seed(store: Store) -> None:
    """Fill a new database; its keys and tokens are random."""
    seed_credentials(store)
    for name, value in {"user": USER, "account": SHOP, "catalog": CATALOG}.items():
        store.insert("settings", name=name, value=value)  # the user is the one of the sign-in pages
    text = files(__package__).joinpath("records.json").read_bytes()
    for group in msgspec.json.decode(text, type=list[SeedGroup]):
        owner = store.setting("consumer_key") if group.owner == OF_APP else group.owner
        context = AccountContext(store, owner, USER)
        for record in group.records:
            _add(context, group.kind, {"created_at": group.created_at} | group.shared | record)
    _add_job(store)


def _add(context: AccountContext, kind: str, record: Record) -> None:
    """Store a record of `records.json`, and what follows from it."""
    record = {name: _with_time(value) for name, value in record.items()}
    at, is_deleted = record.pop("created_at"), record.pop("deleted", False)
    fields = {**DEFAULTS.get(kind, {}), **record}
    if kind in CARD_MAKERS:
        fields = CARD_MAKERS[kind](context, record, at)
        kind = cards.CARD
    ADDERS.get(kind, _store)(context, kind, fields, at)
    if is_deleted:
        context.store.delete(kind, record["id"], owner=context.account)


def _with_time(value: Any) -> Any:
    """Return a value, or where it is a number of days from now, that time."""
    if isinstance(value, dict) and value.keys() == {"days"}:
        return f"{datetime.now(UTC) + timedelta(days=value['days']):%Y-%m-%dT08:00:00Z}"
    return value


def _store(context: AccountContext, kind: str, fields: Record, at: str | None) -> Record:
    return context.store.add(kind, fields["id"], without(fields, "id"), owner=context.account, created_at=at)


def _with_history(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    added = _store(context, kind, fields, at)
    note_change(context.store, context.account, context.user, kind.upper(), "CREATE", added, {})


def _with_users(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    """Store an audience or a do-not-reach list, with as many users, who match no real identifier."""
    id, count = fields["id"], fields.pop("users")
    owner = {"owner_account_id": context.account} if kind == "audience" else {}
    _store(context, kind, fields | owner, at)
    users = [[identifier_hash(id, "email", str(number))] for number in range(1, count + 1)]
    audience_user_table.add_users(context.store, id, users)


def _media(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    whole = {"id": fields["id"]} | (media.uploaded_media(fields["id"]) or {}) | fields
    _store(context, kind, whole, at)
    media.add_preroll(context, whole, at)


def _post(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    posts.publish(context, without(fields, "id"), id=fields["id"], at=at)


def _criterion(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    """Store a criterion with the name of its value; the key of a place is derived from a list of names."""
    if isinstance(value := fields["targeting_value"], list):
        fields["targeting_value"] = key_of(*value)
    named = targeting.stored_fields(fields, targeting.find_named(context, fields))
    _store(context, kind, {"id": fields["id"]} | named, at)


def _media_creative(context: AccountContext, kind: str, fields: Record, at: str | None) -> None:
    """Store a media creative of the first preroll video of the account, whose id is random."""
    (video, *_) = context.find_all(media.ACCOUNT_MEDIA, creative_type="PREROLL")
    _store(context, kind, fields | {"account_media_id": video["id"]}, at)


# By kind: how to store what is not just a record.
ADDERS: dict[str, Callable[[AccountContext, str, Record, str | None], Any]] = {
    "audience": _with_users,
    "campaign": _with_history,
    "do_not_reach_list": _with_users,
    "library_media": _media,
    "line_item": _with_history,
    "media_creative": _media_creative,
    "post": _post,
    "targeting_criterion": _criterion,
}
# The kinds of cards: how a card is made of what a request has.
CARD_MAKERS: dict[str, Callable[[AccountContext, Record, str], Record]] = {
    "card": lambda context, record, at: cards.with_uri(cards.composed(context, record)),
    "poll": lambda context, record, at: cards.with_uri(cards.poll_fields(context, record, at)),
    "image_conversation": lambda context, record, at: cards.new_conversation(context, cards.IMAGE, record),
    "video_conversation": lambda context, record, at: cards.new_conversation(context, cards.VIDEO, record),
}


def _add_job(store: Store) -> None:
    """Add a job about the last week of two line items."""
    now = datetime.now(UTC)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    period = Interval(today - timedelta(days=7), today)
    values = {
        "account_id": SHOP,
        "entity": "LINE_ITEM",
        "entity_ids": ["9d4c1", "9d4c2"],
        "start_time": period.start.isoformat(),
        "end_time": period.end.isoformat(),
        "granularity": "TOTAL",
        "placement": "ALL_ON_PLATFORM",
        "metric_groups": ["ENGAGEMENT", "BILLING"],
    }
    job = new_job(JOB_NUMBER, convert(CreateJob, values), period, now)
    store.add(JOB, JOB_NUMBER, job, owner=SHOP)
