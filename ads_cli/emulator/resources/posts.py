"""Posts of an advertiser: published ones, and lists and previews of those of every type."""

from typing import Any

from ...api.parts import params_of
from ...api.posts import CreatePost, CreatePostAsAdvertiser, ListPosts, PreviewPosts, RenamePost
from ..core.handlers import RequestContext, handler
from ..core.paging import list_page
from ..core.params import value_or_default
from ..core.responses import Result
from ..storage.store import Record
from .accounts import require_account, require_record
from .post_content import DRAFT, POST, SCHEDULED, author, author_id, check_content, publish
from .publishing import WAITING, in_account_up_to_date

WRITE_ONLY = ("as_user_id", "trim_user", "post_mode")
KINDS = {"DRAFT": DRAFT, "PUBLISHED": POST, "SCHEDULED": SCHEDULED}
PREVIEW_HOST = "https://preview.example"
AnyPost = CreatePost | CreatePostAsAdvertiser


@handler(CreatePostAsAdvertiser)
@handler(CreatePost)
def create_post(context: RequestContext, request: AnyPost) -> Result:
    """Create a post; its author is the advertiser unless another user is named."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        user = author_id(context, account, request.as_user_id)
        fields: Record = {"name": None, "text": "", "card_uri": None, "media_keys": []}
        fields |= {name: value for name, value in params_of(request).items() if name not in WRITE_ONLY}
        fields |= {name: value_or_default(request, name) for name in ("nullcast", "conversation_settings")}
        check_content(context, account, user, fields)
        fields |= {"user": author(context.store, user, trimmed=False)}
        post = publish(context.store, account, fields)
    return Result(_created(post, trim_user=request.trim_user))


@handler(RenamePost)
def rename_post(context: RequestContext, request: RenamePost) -> Result:
    """Rename a post."""
    account, post = request.account_id, request.post_id
    with context.store.transaction():
        require_record(context, account, POST, post)
        renamed = context.store.update(POST, post, {"name": request.name}, owner=account)
    return Result(_created(renamed))


def _created(post: Record, *, trim_user: bool | None = None) -> Record:
    """Return a post as the answer to its creation does, which does not say who may reply."""
    shown = {name: value for name, value in post.items() if name != "conversation_settings"}
    return shown | {"user": {"id": post["user"]["id"]}} if trim_user else shown


@handler(ListPosts)
def list_posts(context: RequestContext, request: ListPosts) -> Result:
    """List the posts of one type and one author."""
    account = in_account_up_to_date(context, request)
    page = list_page(
        context.store,
        request,
        KINDS[request.post_type],
        owner=account,
        ids=request.post_ids,
        where=_conditions(context, request),
    )
    return page._replace(data=[_listed(context, request, post) for post in page.data])


def _conditions(context: RequestContext, request: ListPosts) -> dict[str, Any]:
    """Return the conditions of a list, in SQL."""
    is_published = request.post_type == "PUBLISHED"
    user = author_id(context, request.account_id, request.user_id)
    where: dict[str, Any] = {f"json_extract(data, '$.{'user.id' if is_published else 'user_id'}') = ?": user}
    if request.post_type == "SCHEDULED":
        where["json_extract(data, '$.scheduled_status') = ?"] = WAITING
    if (timeline := value_or_default(request, "timeline_type")) != "ALL":
        where["json_extract(data, '$.nullcast') = ?"] = timeline == "NULLCAST"
    if request.name:
        where["instr(casefold(json_extract(data, '$.name')), ?) = 1"] = request.name.casefold()
    if not request.include_mentions_and_replies:
        where["substr(json_extract(data, '$.text'), 1, 1) <> ?"] = "@"
    return where


def _listed(context: RequestContext, request: ListPosts, post: Record) -> Record:
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
        "user": author(context.store, user, trimmed=request.trim_user),
        "created_at": post["created_at"],
    } | card


@handler(PreviewPosts)
def preview_posts(context: RequestContext, request: PreviewPosts) -> Result:
    """Return HTML for each post of the type; others are left out."""
    account = in_account_up_to_date(context, request)
    kind = KINDS[request.post_type]
    found = (id for id in dict.fromkeys(request.post_ids) if context.store.find(kind, id, owner=account))
    return Result([{"post_id": id, "preview": _preview(account, id)} for id in found])


def _preview(account: str, post: str) -> str:
    address = f"{PREVIEW_HOST}/accounts/{account}/posts/{post}"
    return f'<iframe class="post-preview" src="{address}" width="550" height="560"></iframe>'
