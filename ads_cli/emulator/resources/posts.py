"""Posts of an advertiser."""

from collections import Counter

from ...api.parts import params_of
from ...api.posts import CreatePost, CreatePostAsAdvertiser, RenamePost
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext, handler
from ..core.params import value_or_default
from ..core.responses import Result
from ..storage import ids, user_table
from ..storage.store import Record
from .accounts import require_account, require_record
from .cards import CARD
from .media import find_media

POST = "post"
SINGLE_MEDIA = ("GIF", "VIDEO")  # a post can have one of these, and no other media
WRITE_ONLY = ("as_user_id", "conversation_settings", "trim_user", "post_mode")
AnyPost = CreatePost | CreatePostAsAdvertiser


@handler(CreatePostAsAdvertiser)
@handler(CreatePost)
def create_post(context: RequestContext, request: AnyPost) -> Result:
    """Create a post; its author is the signed-in user unless another one is named."""
    with context.store.transaction():
        require_account(context, request.account_id)
        _check(context, request)
        fields: Record = {"name": None, "text": "", "card_uri": None, "media_keys": []}
        fields |= {name: value for name, value in params_of(request).items() if name not in WRITE_ONLY}
        fields |= {"nullcast": value_or_default(request, "nullcast"), "user": _author(context, request)}
        return Result(context.store.add(POST, ids.random_number(), fields, owner=request.account_id))


@handler(RenamePost)
def rename_post(context: RequestContext, request: RenamePost) -> Result:
    """Rename a post."""
    account, post = request.account_id, request.post_id
    with context.store.transaction():
        require_record(context, account, POST, post)
        return Result(context.store.update(POST, post, {"name": request.name}, owner=account))


def _check(context: RequestContext, request: AnyPost) -> None:
    """Raise ApiError for media that a post cannot combine, unknown cards, and posts for other users."""
    media = find_media(context.store, request.account_id, "media_keys", request.media_keys or [])
    types = Counter(record["media_type"] for record in media)
    if len(media) > 1 and any(types[media_type] for media_type in SINGLE_MEDIA):
        combined = ", ".join(f"{count} {media_type}" for media_type, count in types.items())
        reason = f"a GIF or a video cannot be combined with other media; sent: {combined}"
        raise invalid_parameter("media_keys", reason)
    card = (request.card_uri or "").removeprefix("card://")
    if card and context.store.find(CARD, card, owner=request.account_id) is None:
        raise invalid_parameter("card_uri", f"the card {card} does not exist")
    if request.nullcast is False and _author_id(context, request) != context.user:
        reason = f"an organic post (nullcast=false) must be by the signed-in user {context.user}"
        raise invalid_parameter("as_user_id", reason)


def _author_id(context: RequestContext, request: AnyPost) -> str:
    return context.user if request.as_user_id is None else str(request.as_user_id)


def _author(context: RequestContext, request: AnyPost) -> Record:
    author: Record = {"id": _author_id(context, request)}
    if request.trim_user:
        return author
    return author | {"screen_name": user_table.screen_name(context.store, author["id"])}
