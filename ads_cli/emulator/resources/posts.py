"""Posts made for an advertiser."""

from collections import Counter

from ...api.parts import params_of
from ...api.posts import CreatePost, RenamePost
from ..core import ids
from ..core.incoming import value_of
from ..core.responses import Result, invalid
from ..core.routing import Call, handles
from ..core.store import Record
from .accounts import held, known
from .cards import CARD
from .media import in_library

POST = "post"
ALONE = ("GIF", "VIDEO")  # what takes the whole room of a post
UNSHOWN = ("as_user_id", "conversation_settings", "trim_user", "post_mode")


@handles(CreatePost)
def create_post(call: Call, request: CreatePost) -> Result:
    """Create a post; who may reply to it is kept from this answer."""
    with call.store.writing():
        known(call, request.account_id)
        _check(call, request)
        fields: Record = {"name": None, "text": "", "card_uri": None, "media_keys": []}
        fields |= {name: value for name, value in params_of(request).items() if name not in UNSHOWN}
        fields |= {"nullcast": value_of(request, "nullcast"), "user": _author(call, request)}
        return Result(call.store.add(POST, ids.number(), fields, owner=request.account_id))


@handles(RenamePost)
def rename_post(call: Call, request: RenamePost) -> Result:
    """Give a post another name."""
    account, post = request.account_id, request.post_id
    with call.store.writing():
        held(call, account, POST, post)
        return Result(call.store.change(POST, post, {"name": request.name}, owner=account))


def _check(call: Call, request: CreatePost) -> None:
    """Refuse media that does not fit into one post, cards that are not there, and speaking for others."""
    media = in_library(call.store, request.account_id, "media_keys", request.media_keys or [])
    types = Counter(one["media_type"] for one in media)
    if len(media) > 1 and any(types[alone] for alone in ALONE):
        found = ", ".join(f"{count} {media_type}" for media_type, count in types.items())
        raise invalid("media_keys", f"a GIF or a video has to stand alone, and these are {found}")
    card = (request.card_uri or "").removeprefix("card://")
    if card and call.store.find(CARD, card, owner=request.account_id) is None:
        raise invalid("card_uri", f"the card {card} does not exist")
    if request.nullcast is False and str(request.as_user_id) != call.user:
        message = f"an organic post (nullcast=false) is for the signed-in user {call.user} only"
        raise invalid("as_user_id", message)


def _author(call: Call, request: CreatePost) -> Record:
    author: Record = {"id": str(request.as_user_id)}
    if request.trim_user:
        return author
    names = call.store.connection.execute("SELECT screen_name FROM users WHERE id = ?", (author["id"],))
    return author | {"screen_name": next((name for (name,) in names), None)}
