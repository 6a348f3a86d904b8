"""What posts of every type share: their author, and the rules for what they show."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext
from ..storage import ids, user_table
from ..storage.store import Record, Store
from .accounts import advertiser_of
from .cards import CARD
from .media import LIBRARY, find_media

POST, DRAFT, SCHEDULED = "post", "draft_post", "scheduled_post"  # the kinds of their records
SINGLE_MEDIA = ("GIF", "VIDEO")  # a post can have one of these, and no other media


def author_id(context: RequestContext, account: str, user_id: int | None) -> str:
    """Return the author of a post: the advertiser, unless another user is named."""
    return advertiser_of(context, account) if user_id is None else str(user_id)


def author(store: Store, user: str, *, trimmed: bool | None) -> Record:
    """Return the author as posts have it; trimmed, it is an id alone."""
    return {"id": user} if trimmed else {"id": user, "screen_name": user_table.screen_name(store, user)}


def publish(
    store: Store, account: str, content: Record, *, id: str | None = None, at: str | None = None
) -> Record:
    """Store a published post, whose media are posted from now on."""
    post = store.add(POST, id or ids.random_number(), content, owner=account, created_at=at)
    for key in content["media_keys"]:
        store.update(LIBRARY, key, {"posted": True}, owner=account)
    return post


def check_content(context: RequestContext, account: str, user: str, post: Mapping[str, Any]) -> None:
    """Raise ApiError for media that a post cannot combine, unknown cards, and organic posts of others."""
    check_media(context.store, account, post["media_keys"])
    check_card(context.store, account, post["card_uri"])
    if post["nullcast"] is False and user != context.user:
        reason = f"an organic post (nullcast=false) must be by the signed-in user {context.user}"
        raise invalid_parameter("as_user_id", reason)


def check_media(store: Store, account: str, keys: list[str]) -> None:
    """Raise ApiError for media that are not in the library, or that a post cannot combine."""
    media = find_media(store, account, "media_keys", keys)
    types = Counter(record["media_type"] for record in media)
    if len(media) > 1 and any(types[media_type] for media_type in SINGLE_MEDIA):
        combined = ", ".join(f"{count} {media_type}" for media_type, count in types.items())
        reason = f"a GIF or a video cannot be combined with other media; sent: {combined}"
        raise invalid_parameter("media_keys", reason)


def check_card(store: Store, account: str, card_uri: str | None) -> None:
    """Raise ApiError for a card that does not exist."""
    card = (card_uri or "").removeprefix("card://")
    if card and store.find(CARD, card, owner=account) is None:
        raise invalid_parameter("card_uri", f"the card {card} does not exist")
