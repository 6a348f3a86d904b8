"""The media that a line item shows, and what the call to action of its preroll videos says."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .promoted import TIMES, PromotionsPage
from .types import Id, Ids, InAccount, LineItemId, LineItemOfAd, WithDeleted

MEDIA_COLUMNS = (
    "id line_item_id account_media_id creative_type landing_url entity_status approval_status deleted"
)
ACTION_COLUMNS = "id line_item_id call_to_action call_to_action_url deleted"
MEDIA = "/12/accounts/{account_id}/media_creatives"
ACTIONS = "/12/accounts/{account_id}/preroll_call_to_actions"

CallToAction = Literal["GO_TO", "SEE_MORE", "SHOP", "VISIT_SITE", "WATCH_NOW"]
ActionUrl = Annotated[str, Meta(min_length=1, description="Where the call to action leads")]


@endpoint(
    f"GET {MEDIA}",
    "promoted media list",
    columns=MEDIA_COLUMNS,
    extra_fields=TIMES,
    example="--campaign-id 8wkv1",
)
class ListMediaCreatives(PromotionsPage, kw_only=True):
    """List the media that line items show."""

    campaign_id: Annotated[Id, Meta(description="Only of this campaign")] | None = None
    media_creative_ids: Ids | None = None


@endpoint(
    f"GET {MEDIA}/{{media_creative_id}}",
    "promoted media get",
    columns=MEDIA_COLUMNS,
    extra_fields=TIMES,
    example="7pm01",
)
class GetMediaCreative(InAccount, kw_only=True):
    """Show one medium of a line item."""

    media_creative_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {MEDIA}",
    "promoted media create",
    columns=MEDIA_COLUMNS,
    extra_fields=TIMES,
    example="--line-item 9d4e1 --account-media-id 4k2b1",
)
class CreateMediaCreative(InAccount, kw_only=True):
    """Show a medium of the account by a line item."""

    line_item_id: LineItemOfAd
    account_media_id: Annotated[Id, Meta(description="See 'adsctl media account list'")]
    landing_url: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="Where a click leads; required for objective WEBSITE_CLICKS, but for a preroll",
            ),
        ]
        | None
    ) = None


@endpoint(
    f"DELETE {MEDIA}/{{media_creative_id}}",
    "promoted media delete",
    columns=MEDIA_COLUMNS,
    extra_fields=TIMES,
    confirm_prompt="Take the medium {media_creative_id} from its line item",
    example="7pm01",
)
class DeleteMediaCreative(InAccount, kw_only=True):
    """Take a medium from its line item."""

    media_creative_id: Id


@endpoint(
    f"GET {ACTIONS}",
    "promoted call-to-actions list",
    columns=ACTION_COLUMNS,
    extra_fields=TIMES,
    example="--line-items 9d4e1",
)
class ListCallToActions(PromotionsPage, kw_only=True):
    """List the calls to action of preroll videos."""

    preroll_call_to_action_ids: Ids | None = None


@endpoint(
    f"GET {ACTIONS}/{{preroll_call_to_action_id}}",
    "promoted call-to-actions get",
    columns=ACTION_COLUMNS,
    extra_fields=TIMES,
    example="7pc01",
)
class GetCallToAction(InAccount, kw_only=True):
    """Show one call to action."""

    preroll_call_to_action_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {ACTIONS}",
    "promoted call-to-actions create",
    columns=ACTION_COLUMNS,
    extra_fields=TIMES,
    example="--line-item 9d4e1 --call-to-action SHOP --call-to-action-url https://shop.example/films",
)
class CreateCallToAction(InAccount, kw_only=True):
    """Add a call to action to the preroll videos of a line item with objective PREROLL_VIEWS."""

    line_item_id: LineItemId
    call_to_action: CallToAction
    call_to_action_url: ActionUrl


@endpoint(
    f"PUT {ACTIONS}/{{preroll_call_to_action_id}}",
    "promoted call-to-actions update",
    columns=ACTION_COLUMNS,
    extra_fields=TIMES,
    example="7pc01 --call-to-action WATCH_NOW",
)
class UpdateCallToAction(InAccount, kw_only=True):
    """Change a call to action."""

    preroll_call_to_action_id: Id
    call_to_action: CallToAction | None = None
    call_to_action_url: ActionUrl | None = None


@endpoint(
    f"DELETE {ACTIONS}/{{preroll_call_to_action_id}}",
    "promoted call-to-actions delete",
    columns=ACTION_COLUMNS,
    extra_fields=TIMES,
    confirm_prompt="Delete the call to action {preroll_call_to_action_id}",
    example="7pc01",
)
class DeleteCallToAction(InAccount, kw_only=True):
    """Delete a call to action."""

    preroll_call_to_action_id: Id
