"""Posts of an advertiser: published, drafts and scheduled. Lists and previews of posts of every type."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from ...api import posts
from ...api.parts import params_of
from ..core.handlers import AccountContext, RequestContext, handler
from ..core.paging import field_is, json_field, list_page
from ..core.request import value_or_default
from ..core.responses import ApiError, HttpResponse, Result, invalid_parameter
from ..storage import Record, random_number, screen_name, utc_now, without
from .accounts import advertiser_of
from .cards import CARD
from .collection import EVERYWHERE, Collection
from .media import LIBRARY, find_media

POST, DRAFT, SCHEDULED = "post", "draft_post", "scheduled_post"  # the kinds of their records
SINGLE_MEDIA = ("GIF", "VIDEO")  # a post can have one of these, and no other media


def author_id(context: RequestContext, user_id: int | None) -> str:
    """Return the author of a post: the advertiser, unless another user is named."""
    return advertiser_of(context) if user_id is None else str(user_id)


def _author(context: RequestContext, user: str, *, trimmed: bool | None = None) -> Record:
    """Return the author as posts have it; trimmed, it is an id alone."""
    return {"id": user} if trimmed else {"id": user, "screen_name": screen_name(context.store, user)}


def publish(
    context: AccountContext, content: Record, *, id: str | None = None, at: str | None = None
) -> Record:
    """Store a published post, whose media are posted from now on."""
    post = context.store.add(POST, id or random_number(), content, owner=context.account, created_at=at)
    for key in content["media_keys"]:
        context.store.update(LIBRARY, key, {"posted": True}, owner=context.account)
    return post


def _check_content(context: RequestContext, user: str, post: Mapping[str, Any]) -> None:
    """Raise ApiError for media that a post cannot combine, unknown cards, and organic posts of others."""
    _check_media(context, post["media_keys"])
    _check_card(context, post["card_uri"])
    if post["nullcast"] is False and user != context.user:
        reason = f"an organic post (nullcast=false) must be by the signed-in user {context.user}"
        raise invalid_parameter("as_user_id", reason)


def _check_media(context: RequestContext, keys: list[str]) -> None:
    """Raise ApiError for media that are not in the library, or that a post cannot combine."""
    media = find_media(context, "media_keys", keys)
    types = Counter(record["media_type"] for record in media)
    if len(media) > 1 and any(types[media_type] for media_type in SINGLE_MEDIA):
        combined = ", ".join(f"{count} {media_type}" for media_type, count in types.items())
        reason = f"a GIF or a video cannot be combined with other media; sent: {combined}"
        raise invalid_parameter("media_keys", reason)


def _check_card(context: RequestContext, card_uri: str | None) -> None:
    """Raise ApiError for a card that does not exist."""
    card = (card_uri or "").removeprefix("card://")
    if card and context.find(CARD, card) is None:
        raise invalid_parameter("card_uri", f"the card {card} does not exist")


PROMOTION = "scheduled_promoted_post"
WAITING = "SCHEDULED"  # the status of a post that is not published yet


def in_account_up_to_date(context: RequestContext, request: Any) -> str:
    """Return the account in the path, after what is due in it was published."""
    if _due(context):
        with context.store.transaction():
            for post in _due(context):  # another request may have published some
                changes = _publish_scheduled(context, post)
                context.store.update(SCHEDULED, post["id"], changes, owner=context.account)
    return context.account


def _due(context: RequestContext) -> list[Record]:
    """Return the posts whose time has come, in its order."""
    now, waiting = utc_now(), context.find_all(SCHEDULED, scheduled_status=WAITING)
    return sorted((post for post in waiting if post["scheduled_at"] <= now), key=itemgetter("scheduled_at"))


def _publish_scheduled(context: RequestContext, scheduled: Record) -> Record:
    """Publish a post, and return how that ended. One whose card or media no longer exist fails."""
    at = scheduled["scheduled_at"]
    try:
        _check_media(context, scheduled["media_keys"])
        _check_card(context, scheduled["card_uri"])
    except ApiError:
        return {"scheduled_status": "FAILED", "completed_at": at}
    content = {name: scheduled[name] for name in ("name", "text", "card_uri", "media_keys", "nullcast")}
    user = _author(context, scheduled["user_id"])
    fields = content | {"user": user, "conversation_settings": "EVERYONE", "scheduled_at": at}
    post = publish(context, fields, at=at)
    for promotion in context.find_all(PROMOTION, scheduled_post_id=scheduled["id"]):
        context.store.update(PROMOTION, promotion["id"], {"post_id": post["id"]}, owner=context.account)
    return {"scheduled_status": "SUCCESS", "completed_at": at, "post_id": post["id"]}


WRITE_ONLY = ("as_user_id", "trim_user", "post_mode")
KINDS = {"DRAFT": DRAFT, "PUBLISHED": POST, "SCHEDULED": SCHEDULED}
PREVIEW_HOST = "https://preview.example"
NewPost = posts.CreatePost | posts.CreatePostAsAdvertiser
UnpublishedList = posts.ListDrafts | posts.ListScheduledPosts


@handler(posts.CreatePostAsAdvertiser)
@handler(posts.CreatePost)
def _create_post(context: RequestContext, request: NewPost) -> Result:
    """Create a post; its author is the advertiser unless another user is named."""
    with context.store.transaction():
        user = author_id(context, request.as_user_id)
        fields: Record = {"name": None, "text": "", "card_uri": None, "media_keys": []}
        fields |= {name: value for name, value in params_of(request).items() if name not in WRITE_ONLY}
        fields |= {name: value_or_default(request, name) for name in ("nullcast", "conversation_settings")}
        _check_content(context, user, fields)
        fields |= {"user": _author(context, user)}
        post = publish(context, fields)
    return Result(_created(post, trim_user=request.trim_user))


@handler(posts.RenamePost)
def _rename_post(context: RequestContext, request: posts.RenamePost) -> Result:
    with context.store.transaction():
        post = context.require(POST, request.post_id)
        renamed = context.store.update(POST, post["id"], {"name": request.name}, owner=context.account)
    return Result(_created(renamed))


def _created(post: Record, *, trim_user: bool | None = None) -> Record:
    """Return a post as the answer to its creation does, which does not say who may reply."""
    shown = without(post, "conversation_settings")
    return shown | {"user": {"id": post["user"]["id"]}} if trim_user else shown


@handler(posts.ListPosts)
def _list_posts(context: RequestContext, request: posts.ListPosts) -> Result:
    owner = in_account_up_to_date(context, request)
    kind, where = KINDS[request.post_type], _conditions(context, request)
    page = list_page(context.store, request, kind, owner=owner, ids=request.post_ids, where=where)
    return page._replace(data=[_listed(context, request, post) for post in page.data])


def _conditions(context: RequestContext, request: posts.ListPosts) -> dict[str, Any]:
    is_published = request.post_type == "PUBLISHED"
    user = author_id(context, request.user_id)
    where: dict[str, Any] = field_is("user.id" if is_published else "user_id", user)
    if request.post_type == "SCHEDULED":
        where |= field_is("scheduled_status", WAITING)
    if (timeline := value_or_default(request, "timeline_type")) != "ALL":
        where[f"{json_field('nullcast')} = ?"] = timeline == "NULLCAST"
    if request.name:
        where[f"instr(casefold({json_field('name')}), ?) = 1"] = request.name.casefold()
    if not request.include_mentions_and_replies:
        where[f"substr({json_field('text')}, 1, 1) <> ?"] = "@"
    return where


def _listed(context: RequestContext, request: posts.ListPosts, post: Record) -> Record:
    """Return a post as lists do, whatever its type."""
    user = post["user"]["id"] if "user" in post else post["user_id"]
    card = {"card_uri": post["card_uri"]} if post["card_uri"] else {}
    return {
        "id": post["id"],
        "name": post["name"],
        "full_text": post["text"],
        "display_text_range": [0, len(post["text"])],
        "nullcast": post["nullcast"],
        "conversation_settings": post.get("conversation_settings", "EVERYONE"),
        "post_type": request.post_type,
        "post_id": post["id"],
        "scheduled_at": post.get("scheduled_at"),
        "user": _author(context, user, trimmed=request.trim_user),
        "created_at": post["created_at"],
    } | card


@handler(posts.PreviewPosts)
def _preview_posts(context: RequestContext, request: posts.PreviewPosts) -> Result:
    """Return HTML for each post of the type; others are left out."""
    account = in_account_up_to_date(context, request)
    kind = KINDS[request.post_type]
    ids = (id for id in dict.fromkeys(request.post_ids) if context.find(kind, id))
    return Result([{"post_id": id, "preview": _preview(account, id)} for id in ids])


def _preview(account: str, post: str) -> str:
    address = f"{PREVIEW_HOST}/accounts/{account}/posts/{post}"
    return f'<iframe class="post-preview" src="{address}" width="550" height="560"></iframe>'


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
    emptied = {name: value for name, value in CONTENT.items() if after[name] is None}
    after = after | emptied
    user = after.pop("as_user_id", None)
    if before is None:
        after["user_id"] = author_id(context, user)
    if not after["text"] and not after["media_keys"]:
        message = "text: is required unless media_keys is set"
        raise ApiError(400, "TWEET_CANNOT_BE_BLANK", message, parameter="text")
    _check_content(context, after["user_id"], after)
    return after


def _of_author(context: RequestContext, request: UnpublishedList) -> Mapping[str, Any]:
    return field_is("user_id", author_id(context, request.user_id))


def _shown(context: RequestContext, post: Record) -> Record:
    """Return a post without `deleted`: a deleted one says so by its status."""
    shown = without(post, "deleted")
    if post["deleted"]:
        shown["scheduled_status" if "scheduled_status" in post else "status"] = "DELETED"
    return shown


DRAFTS = Collection(
    posts.DRAFTS,
    defaults=CONTENT,
    purged_in=EVERYWHERE,
    new_id=random_number,
    prepare=_prepared,
    shown=_shown,
    conditions=_of_author,
)


@handler(posts.PreviewDraft)
def _preview_draft(context: RequestContext, request: posts.PreviewDraft) -> HttpResponse:
    """Say that the signed-in user was notified of a draft; no notification is sent."""
    DRAFTS.find(context, context.account, request.draft_post_id)
    message = f"A preview was sent to the devices of the user {context.user}"
    return HttpResponse.json(
        {"request": {"params": context.names.to_wire(context.echoed)}, "message": message}
    )


def _prepared_schedule(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a post with its whole minute. Raise ApiError if it is published, or too many are due then."""
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
    waiting = context.find_all(SCHEDULED, scheduled_status=WAITING)
    others = [post for post in waiting if moved is None or post["id"] != moved["id"]]
    count = sum(start <= datetime.fromisoformat(post["scheduled_at"]) < end for post in others)
    if count >= MAX_IN_WINDOW:
        message = f"scheduled_at: {count} posts are scheduled from {start:%H:%M} to {end:%H:%M} UTC already"
        raise ApiError(400, "SCHEDULED_TWEET_LIMIT_EXCEEDED", message, parameter="scheduled_at")


SCHEDULED_POSTS = Collection(
    posts.SCHEDULED,
    defaults=CONTENT
    | {"scheduled_at": None, "scheduled_status": WAITING, "completed_at": None, "post_id": None},
    purged_in=EVERYWHERE,
    scope=in_account_up_to_date,
    new_id=random_number,
    prepare=_prepared_schedule,
    shown=_shown,
    before_delete=lambda context, post: _require_waiting(post),
    conditions=_of_author,
)
