"""What line items promote: posts, scheduled posts, accounts, media, and the calls to action of prerolls."""

from collections.abc import Mapping
from typing import Any

from ...api import promoted
from ..core.handlers import RequestContext, handler
from ..core.paging import json_field, of_live
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, empty
from .campaigns import LINE_ITEM
from .collection import Collection
from .media import ACCOUNT_MEDIA
from .posts import POST, SCHEDULED, WAITING, in_account_up_to_date

ACCEPTED = {"entity_status": "ACTIVE", "approval_status": "ACCEPTED"}
TAKES_ACCOUNTS = "PROMOTED_ACCOUNT"  # product_type of line items
BY_LINE_ITEM = {"line_item_ids": "line_item_id"}


def _of_live_line_items(context: RequestContext, request: promoted.ListPromotedPosts) -> Mapping[str, Any]:
    """Leave out what deleted line items promote, unless deleted records are asked for."""
    return {} if request.with_deleted else of_live(LINE_ITEM, request.account_id)


def _require_new_promotion(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a post that a line item promotes already, or under service x does not exist."""
    if context.service == "x" and context.store.find(POST, str(after["post_id"])) is None:
        raise not_found(POST, str(after["post_id"]))
    same = {"line_item_id": after["line_item_id"], "post_id": str(after["post_id"])}
    if context.find_all(PROMOTED_POSTS.kind, **same):
        reason = f"the line item {same['line_item_id']} promotes the post {same['post_id']} already"
        raise invalid_parameter("post_ids", reason)
    return after | same


PROMOTED_POSTS = Collection(
    promoted.POSTS,
    defaults=empty("line_item_id post_id") | ACCEPTED,
    filters=BY_LINE_ITEM,
    entity="PROMOTED_POST",
    prepare=_require_new_promotion,
    conditions=_of_live_line_items,
)


@handler(promoted.CreatePromotedPosts)
def _create_promoted_posts(context: RequestContext, request: promoted.CreatePromotedPosts) -> Result:
    """Promote posts by a line item: all of them, or none."""
    with context.store.transaction():
        posts = [
            PROMOTED_POSTS.add(context, {"line_item_id": request.line_item_id, "post_id": post})
            for post in request.post_ids
        ]
    return Result(posts, total_count=len(posts))


def _require_fitting_line_items(
    context: RequestContext, request: promoted.ListPromotedAccounts
) -> Mapping[str, Any]:
    """Raise ApiError if none of the line items that are asked for takes promoted accounts."""
    named = request.line_item_ids or []
    records = [context.find(LINE_ITEM, identifier) for identifier in named]
    if named and not any(record and record["product_type"] == TAKES_ACCOUNTS for record in records):
        raise invalid_parameter("line_item_ids", f"none of them has product_type {TAKES_ACCOUNTS}")
    return {}


PROMOTED_ACCOUNTS = Collection(
    promoted.ACCOUNTS,
    defaults=empty("line_item_id user_id") | ACCEPTED,
    filters=BY_LINE_ITEM,
    entity="PROMOTED_ACCOUNT",
    conditions=_require_fitting_line_items,
)


@handler(promoted.CreatePromotedAccount)
def _create_promoted_account(context: RequestContext, request: promoted.CreatePromotedAccount) -> Result:
    """Promote an account; return the promotion that there is where the line item has it already."""
    line_item, user = request.line_item_id, str(request.user_id)
    with context.store.transaction():
        record = context.find(LINE_ITEM, line_item)
        if record and record["product_type"] != TAKES_ACCOUNTS:
            message = f"the line item {line_item} has product_type {record['product_type']}"
            raise ApiError(400, "INCOMPATIBLE_LINE_ITEM", message, parameter="line_item_id")
        fields = {"line_item_id": line_item, "user_id": user}
        same = context.find_all(PROMOTED_ACCOUNTS.kind, **fields)
        return Result(same[0] if same else PROMOTED_ACCOUNTS.add(context, fields))


def _require_waiting_post(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError unless the post waits for its time, and is not promoted by the line item yet."""
    post = str(after["scheduled_post_id"])
    record = context.find(SCHEDULED, post)
    if record is None:
        raise invalid_parameter("scheduled_post_id", f"the scheduled post {post} does not exist")
    if record["scheduled_status"] != WAITING:
        raise invalid_parameter("scheduled_post_id", f"the post {post} is {record['scheduled_status']}")
    same = {"line_item_id": after["line_item_id"], "scheduled_post_id": post}
    if context.find_all(SCHEDULED_POSTS.kind, **same):
        reason = f"the line item {after['line_item_id']} promotes the scheduled post {post} already"
        raise invalid_parameter("scheduled_post_id", reason)
    return after | same


def _require_unpublished(context: RequestContext, promotion: Record) -> None:
    """Raise ApiError once the post is published."""
    post = context.find(SCHEDULED, promotion["scheduled_post_id"])
    if post and post["scheduled_status"] != WAITING:
        raise invalid_parameter("scheduled_promoted_post_id", f"its post is {post['scheduled_status']}")


SCHEDULED_POSTS = Collection(
    promoted.SCHEDULED,
    defaults=empty("line_item_id scheduled_post_id post_id"),
    scope=in_account_up_to_date,
    filters=BY_LINE_ITEM,
    prepare=_require_waiting_post,
    before_delete=_require_unpublished,
)


def _of_campaign(context: RequestContext, request: promoted.ListMediaCreatives) -> Mapping[str, Any]:
    """Limit a list to the line items of a campaign."""
    of_campaign = f"SELECT id FROM records WHERE kind = '{LINE_ITEM}' AND {json_field('campaign_id')} = ?"
    within = f"{json_field('line_item_id')} IN ({of_campaign})"
    return {within: request.campaign_id} if request.campaign_id else {}


def _with_creative_type(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a creative with its type; raise ApiError if a click on it leads nowhere."""
    medium = context.find(ACCOUNT_MEDIA, after["account_media_id"])
    line_item = context.find(LINE_ITEM, after["line_item_id"])
    assert medium and line_item  # its parents
    is_preroll = medium["creative_type"] in promoted.PREROLLS
    if line_item["objective"] == "WEBSITE_CLICKS" and not is_preroll and not after["landing_url"]:
        message = "landing_url: is required for objective WEBSITE_CLICKS"
        raise ApiError(400, "MISSING_PARAMETER", message, parameter="landing_url")
    landing_url = None if is_preroll else after["landing_url"]
    return after | {"creative_type": medium["creative_type"], "landing_url": landing_url}


MEDIA_CREATIVES = Collection(
    promoted.MEDIA,
    defaults=empty("line_item_id account_media_id creative_type landing_url") | ACCEPTED,
    filters=BY_LINE_ITEM,
    prepare=_with_creative_type,
    conditions=_of_campaign,
)


def _require_preroll_line_item(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a line item that shows no prerolls."""
    line_item = context.find(LINE_ITEM, after["line_item_id"])
    if line_item and line_item["objective"] != "PREROLL_VIEWS":
        reason = f"the line item {line_item['id']} has objective {line_item['objective']}, not PREROLL_VIEWS"
        raise invalid_parameter("line_item_id", reason)
    return after


Collection(
    promoted.ACTIONS,
    defaults=empty("line_item_id call_to_action call_to_action_url"),
    filters=BY_LINE_ITEM,
    prepare=_require_preroll_line_item,
)
