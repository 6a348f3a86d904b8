"""Publish scheduled posts whose time has come.

The emulator does nothing between requests: posts are published by the next request that may show them.
"""

from contextlib import nullcontext
from typing import Any

from ..core.errors import ApiError
from ..core.handlers import RequestContext
from ..storage.store import Record, Store, utc_now
from .accounts import require_account
from .post_content import SCHEDULED, author, check_card, check_media, publish

PROMOTION = "scheduled_promoted_post"
WAITING = "SCHEDULED"  # the status of a post that is not published yet
DUE = (
    "SELECT id FROM records WHERE kind = ? AND owner = ? AND json_extract(data, '$.scheduled_status') = ?"
    " AND json_extract(data, '$.scheduled_at') <= ? ORDER BY json_extract(data, '$.scheduled_at'), seq"
)


def in_account_up_to_date(context: RequestContext, request: Any) -> str:
    """Return the account of a request, whose user must have it, after what is due in it was published."""
    account: str = request.account_id
    require_account(context, account)
    _publish_due(context.store, account)
    return account


def _publish_due(store: Store, account: str) -> None:
    """Publish the posts of an account whose time has come; one whose card or media are gone fails."""
    due = (SCHEDULED, account, WAITING, utc_now())
    if not store.connection.execute(f"{DUE} LIMIT 1", due).fetchone():
        return
    with nullcontext() if store.connection.in_transaction else store.transaction():
        for (post,) in store.connection.execute(DUE, due).fetchall():
            record = store.find(SCHEDULED, post, owner=account)
            if record is not None:
                store.update(SCHEDULED, post, _published(store, account, record), owner=account)


def _published(store: Store, account: str, scheduled: Record) -> Record:
    """Publish a post, and return how that ended."""
    at = scheduled["scheduled_at"]
    try:
        check_media(store, account, scheduled["media_keys"])
        check_card(store, account, scheduled["card_uri"])
    except ApiError:
        return {"scheduled_status": "FAILED", "completed_at": at}
    content = {name: scheduled[name] for name in ("name", "text", "card_uri", "media_keys", "nullcast")}
    user = author(store, scheduled["user_id"], trimmed=False)
    fields = content | {"user": user, "conversation_settings": "EVERYONE", "scheduled_at": at}
    post = publish(store, account, fields, at=at)
    for promotion in store.find_all(PROMOTION, account, scheduled_post_id=scheduled["id"]):
        store.update(PROMOTION, promotion["id"], {"post_id": post["id"]}, owner=account)
    return {"scheduled_status": "SUCCESS", "completed_at": at, "post_id": post["id"]}
