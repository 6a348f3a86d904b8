"""What a line item promotes: posts, scheduled posts, accounts, media, and the calls to action of prerolls."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .types import (
    Id,
    Ids,
    InAccount,
    LineItemId,
    LineItemIds,
    LineItemOfAd,
    PageInAccount,
    delete_one,
    get_one,
    sortable,
)

TIMES = "created_at updated_at"

PostId = Annotated[int, Meta(ge=1)]


class PromotionsPage(PageInAccount, kw_only=True):
    """A list of what line items promote."""

    line_item_ids: LineItemIds | None = None


POSTS = Resource(
    "/12/accounts/{account_id}/promoted_posts",
    "promoted_post_id",
    group="promoted posts",
    example="7pt01",
    parents=("line_item_id",),
    takes_several=True,
    columns="id line_item_id post_id entity_status approval_status deleted",
    extra_fields=TIMES,
)


@POSTS.list(example="--line-items 9d4c1,9d4c2")
class ListPromotedPosts(PromotionsPage, kw_only=True):
    """List promoted posts. Those of deleted line items are shown by --with-deleted only."""

    promoted_post_ids: Ids | None = None
    sort_by: Annotated[str, sortable("paused")] | None = None


GetPromotedPost = get_one(POSTS, "Show one promoted post.")


@POSTS.create(example="--line-item 9d4c2 --posts 1790415000000000010,1790415000000000011")
class CreatePromotedPosts(InAccount, kw_only=True):
    """Promote posts by a line item. What is promoted by it cannot be changed, only deleted."""

    line_item_id: LineItemOfAd
    post_ids: Annotated[
        list[PostId],
        Meta(
            min_length=1,
            max_length=50,
            description="The posts",
            extra={"alias": "posts", "records": True},
        ),
    ]


DeletePromotedPost = delete_one(
    POSTS,
    "End the promotion of a post. The id is that of the promotion, not of the post, which stays.",
    confirm_prompt="End the promotion {promoted_post_id} of a post",
)


ACCOUNTS = Resource(
    "/12/accounts/{account_id}/promoted_accounts",
    "promoted_account_id",
    group="promoted accounts",
    example="7pa01",
    parents=("line_item_id",),
    takes_several=True,
    columns="id line_item_id user_id entity_status approval_status deleted",
    extra_fields=TIMES,
)


@ACCOUNTS.list(example="--line-items 9d4c3")
class ListPromotedAccounts(PromotionsPage, kw_only=True):
    """List the promoted accounts."""

    promoted_account_ids: Ids | None = None
    sort_by: Annotated[str, sortable("paused")] | None = None


GetPromotedAccount = get_one(ACCOUNTS, "Show one promoted account.")


@ACCOUNTS.create(example="--line-item 9d4c3 --user-id 1184672520")
class CreatePromotedAccount(InAccount, kw_only=True):
    """Promote the account of a user by a line item. Nothing happens where it is promoted already."""

    line_item_id: LineItemOfAd
    user_id: Annotated[int, Meta(ge=1, description="The user whose account is promoted")]


DeletePromotedAccount = delete_one(
    ACCOUNTS,
    "End the promotion of an account.",
    confirm_prompt="End the promotion {promoted_account_id} of an account",
)


SCHEDULED = Resource(
    "/12/accounts/{account_id}/scheduled_promoted_posts",
    "scheduled_promoted_post_id",
    group="promoted scheduled",
    example="7ps01",
    parents=("line_item_id",),
    takes_several=True,
    columns="id line_item_id scheduled_post_id post_id deleted",
    extra_fields=TIMES,
)


@SCHEDULED.list(example="--line-items 9d4c1")
class ListScheduledPromotedPosts(PromotionsPage, kw_only=True):
    """List the scheduled posts that are promoted once they are published."""

    scheduled_promoted_post_ids: Ids | None = None


GetScheduledPromotedPost = get_one(SCHEDULED, "Show one promotion of a scheduled post.")


@SCHEDULED.create(example="--line-item 9d4c2 --scheduled-post-id 1790415000000000003")
class CreateScheduledPromotedPost(InAccount, kw_only=True):
    """Promote a scheduled post by a line item, from the moment that it is published."""

    line_item_id: LineItemOfAd
    scheduled_post_id: Annotated[int, Meta(ge=1, description="The scheduled post")]


DeleteScheduledPromotedPost = delete_one(
    SCHEDULED,
    "Cancel the promotion of a scheduled post, before it is published.",
    confirm_prompt="Cancel the promotion {scheduled_promoted_post_id} of a scheduled post",
)


CallToAction = Literal["GO_TO", "SEE_MORE", "SHOP", "VISIT_SITE", "WATCH_NOW"]
ActionUrl = Annotated[str, Meta(min_length=1, description="Where the call to action leads")]
LandingUrl = Annotated[
    str,
    Meta(
        min_length=1,
        description="Where a click leads; required for objective WEBSITE_CLICKS, but for a preroll",
    ),
]
PREROLLS = ("PREROLL", "VAST_PREROLL")  # creative types; the service ignores their landing URL


MEDIA = Resource(
    "/12/accounts/{account_id}/media_creatives",
    "media_creative_id",
    group="promoted media",
    example="7pm01",
    parents=("line_item_id", "account_media_id"),
    takes_several=True,
    columns="id line_item_id account_media_id creative_type landing_url entity_status approval_status "
    "deleted",
    extra_fields=TIMES,
)


@MEDIA.list(example="--campaign-id 8wkv1")
class ListMediaCreatives(PromotionsPage, kw_only=True):
    """List the media that line items show."""

    campaign_id: Annotated[Id, Meta(description="Only of this campaign")] | None = None
    media_creative_ids: Ids | None = None


GetMediaCreative = get_one(MEDIA, "Show one medium of a line item.")


@MEDIA.create(example="--line-item 9d4e1 --account-media-id 4k2b1")
class CreateMediaCreative(InAccount, kw_only=True):
    """Show a medium of the account by a line item."""

    line_item_id: LineItemOfAd
    account_media_id: Annotated[Id, Meta(description="See 'adsctl media account list'")]
    landing_url: LandingUrl | None = None


DeleteMediaCreative = delete_one(
    MEDIA,
    "Take a medium from its line item.",
    confirm_prompt="Take the medium {media_creative_id} from its line item",
)


ACTIONS = Resource(
    "/12/accounts/{account_id}/preroll_call_to_actions",
    "preroll_call_to_action_id",
    group="promoted call-to-actions",
    example="7pc01",
    parents=("line_item_id",),
    takes_several=True,
    columns="id line_item_id call_to_action call_to_action_url deleted",
    extra_fields=TIMES,
)


@ACTIONS.list(example="--line-items 9d4e1")
class ListCallToActions(PromotionsPage, kw_only=True):
    """List the calls to action of preroll videos."""

    preroll_call_to_action_ids: Ids | None = None


GetCallToAction = get_one(ACTIONS, "Show one call to action.")


@ACTIONS.create(
    example="--line-item 9d4e1 --call-to-action SHOP --call-to-action-url https://shop.example/films"
)
class CreateCallToAction(InAccount, kw_only=True):
    """Add a call to action to the preroll videos of a line item with objective PREROLL_VIEWS."""

    line_item_id: LineItemId  # not LineItemOfAd: a button on ads that exist, which spends nothing itself
    call_to_action: CallToAction
    call_to_action_url: ActionUrl


@ACTIONS.update(example="7pc01 --call-to-action WATCH_NOW")
class UpdateCallToAction(InAccount, kw_only=True):
    """Change a call to action."""

    preroll_call_to_action_id: Id
    call_to_action: CallToAction | None = None
    call_to_action_url: ActionUrl | None = None


DeleteCallToAction = delete_one(
    ACTIONS,
    "Delete a call to action.",
    confirm_prompt="Delete the call to action {preroll_call_to_action_id}",
)
