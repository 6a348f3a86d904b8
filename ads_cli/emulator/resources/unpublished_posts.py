"""Posts that are not published yet: drafts, and posts that are scheduled."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ...api import posts
from ...api.posts import ListDrafts, ListScheduledPosts, PreviewDraft
from ..core.handlers import RequestContext, handler
from ..core.responses import ApiError, HttpResponse, invalid_parameter, message_response
from ..storage import Record, random_number
from .accounts import require_account
from .collection import Collection
from .posts import SCHEDULED, WAITING, author_id, check_content, in_account_up_to_date

CONTENT: Record = {
    "name": None,
    "text": "",
    "user_id": None,
    "nullcast": True,
    "card_uri": None,
    "media_keys": [],
}
MAX_IN_WINDOW, WINDOW_MINUTES = 30, 15


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a post with its author and what was emptied; raise ApiError for content that it cannot have."""
    account = context.path_params["account_id"]
    emptied = {name: value for name, value in CONTENT.items() if after[name] is None}
    after = after | emptied
    user = after.pop("as_user_id", None)
    if before is None:
        after["user_id"] = author_id(context, account, user)
    if not after["text"] and not after["media_keys"]:
        message = "text: is required unless media_keys is set"
        raise ApiError(400, "TWEET_CANNOT_BE_BLANK", message, parameter="text")
    check_content(context, account, after["user_id"], after)
    return after


def _of_author(context: RequestContext, request: ListDrafts | ListScheduledPosts) -> Mapping[str, Any]:
    user = author_id(context, request.account_id, request.user_id)
    return {"json_extract(data, '$.user_id') = ?": user}


def _shown(context: RequestContext, post: Record) -> Record:
    """Return a post without `deleted`: a deleted one says so by its status."""
    shown = {name: value for name, value in post.items() if name != "deleted"}
    if post["deleted"]:
        shown["scheduled_status" if "scheduled_status" in post else "status"] = "DELETED"
    return shown


DRAFTS = Collection(
    posts.DRAFTS,
    defaults=CONTENT,
    permanent=True,
    new_id=random_number,
    prepare=_prepared,
    shown=_shown,
    conditions=_of_author,
)


@handler(PreviewDraft)
def preview_draft(context: RequestContext, request: PreviewDraft) -> HttpResponse:
    """Say that the signed-in user was notified of a draft; nobody is."""
    require_account(context, request.account_id)
    DRAFTS.find(context, request.account_id, request.draft_post_id)
    message = f"A preview was sent to the devices of the user {context.user}"
    return message_response(message, context.echoed, context.names)


def _prepared_schedule(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a post with its whole minute; raise ApiError if it is published, or too many are due with it."""
    if before is not None:
        _require_waiting(before)
    after = _prepared(context, after, before)
    at = datetime.fromisoformat(str(after["scheduled_at"])).replace(second=0, microsecond=0)
    if before is None or str(after["scheduled_at"]) != before["scheduled_at"]:
        _require_room(context, at, before)
    return after | {"scheduled_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}


def _require_waiting(post: Record) -> None:
    if post["scheduled_status"] != WAITING:
        reason = f"its status is {post['scheduled_status']}; only a post that is {WAITING} can be changed"
        raise invalid_parameter("scheduled_post_id", reason)


def _require_room(context: RequestContext, at: datetime, moved: Record | None) -> None:
    """Raise ApiError where the window of a time is full."""
    start = at.replace(minute=at.minute - at.minute % WINDOW_MINUTES)
    end = start + timedelta(minutes=WINDOW_MINUTES)
    (count,) = context.store.connection.execute(
        "SELECT count(*) FROM records WHERE kind = ? AND owner = ? AND id <> ? AND NOT deleted"
        " AND json_extract(data, '$.scheduled_status') = ?"
        " AND json_extract(data, '$.scheduled_at') >= ? AND json_extract(data, '$.scheduled_at') < ?",
        (
            SCHEDULED,
            context.path_params["account_id"],
            moved["id"] if moved else "",
            WAITING,
            *(f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in (start, end)),
        ),
    ).fetchone()
    if count >= MAX_IN_WINDOW:
        message = f"scheduled_at: {count} posts are scheduled from {start:%H:%M} to {end:%H:%M} UTC already"
        raise ApiError(400, "SCHEDULED_TWEET_LIMIT_EXCEEDED", message, parameter="scheduled_at")


SCHEDULED_POSTS = Collection(
    posts.SCHEDULED,
    defaults=CONTENT
    | {"scheduled_at": None, "scheduled_status": WAITING, "completed_at": None, "post_id": None},
    permanent=True,
    scope=in_account_up_to_date,
    new_id=random_number,
    prepare=_prepared_schedule,
    shown=_shown,
    deleted=lambda context, post: _require_waiting(post),
    conditions=_of_author,
)
