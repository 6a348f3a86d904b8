"""Event tags of websites, which count conversions."""

from typing import Literal

from .endpoint import Resource
from .measurement import Retargeting
from .types import (
    ClickDays,
    Id,
    Ids,
    InAccount,
    Name,
    PageInAccount,
    ViewDays,
    WithDeleted,
    within_click_window,
)

WebEventType = Literal[
    "SITE_VISIT",
    "PURCHASE",
    "DOWNLOAD",
    "SIGN_UP",
    "CUSTOM",
    "ADD_TO_CART",
    "ADD_TO_WISHLIST",
    "ADDED_PAYMENT_INFO",
    "CHECKOUT_INITIATED",
    "CONTENT_VIEW",
    "PRODUCT_CUSTOMIZATION",
    "SEARCH",
    "START_TRIAL",
    "SUBSCRIBE",
]


WEB_TAGS = Resource(
    "/12/accounts/{account_id}/web_event_tags",
    "web_event_tag_id",
    columns="id name type status click_window view_through_window retargeting_enabled deleted",
    extra_fields=("website_tag_id", "embed_code", "last_tracked_at"),
)


@WEB_TAGS.list("measurement web-event-tags list", example="--sort-by name-asc")
class ListWebEventTags(PageInAccount):
    """List the event tags of websites."""

    web_event_tag_ids: Ids | None = None


@WEB_TAGS.get("measurement web-event-tags get", example="o3f71")
class GetWebEventTag(InAccount, kw_only=True):
    """Show one event tag of a website, with the code to embed."""

    web_event_tag_id: Id
    with_deleted: WithDeleted | None = None


@WEB_TAGS.create(
    "measurement web-event-tags create",
    example="--name Checkout --type CHECKOUT_INITIATED --click-window 30 --view-through-window 1 "
    "--retargeting-enabled",
)
@within_click_window
class CreateWebEventTag(InAccount, kw_only=True):
    """Create an event tag for a website.

    The answer has the code to embed in its pages.
    """

    name: Name
    type: WebEventType
    click_window: ClickDays
    view_through_window: ViewDays
    retargeting_enabled: Retargeting


@WEB_TAGS.update("measurement web-event-tags update", example="o3f71 --click-window 14")
@within_click_window
class UpdateWebEventTag(InAccount, kw_only=True):
    """Change an event tag of a website."""

    web_event_tag_id: Id
    name: Name | None = None
    type: WebEventType | None = None
    click_window: ClickDays | None = None
    view_through_window: ViewDays | None = None
    retargeting_enabled: Retargeting | None = None


@WEB_TAGS.delete(
    "measurement web-event-tags delete",
    confirm_prompt="Delete the web event tag {web_event_tag_id}",
    example="o3f71",
)
class DeleteWebEventTag(InAccount, kw_only=True):
    """Delete an event tag of a website."""

    web_event_tag_id: Id
