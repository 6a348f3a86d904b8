"""Event tags of websites, which count conversions."""

from typing import Literal

from .endpoint import endpoint
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

WEB_TAGS = "/12/accounts/{account_id}/web_event_tags"
WEB_TAG_COLUMNS = "id name type status click_window view_through_window retargeting_enabled deleted"
WEB_TAG_FIELDS = ("website_tag_id", "embed_code", "last_tracked_at")

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


@endpoint(
    f"GET {WEB_TAGS}",
    "measurement web-event-tags list",
    columns=WEB_TAG_COLUMNS,
    extra_fields=WEB_TAG_FIELDS,
    example="--sort-by name-asc",
)
class ListWebEventTags(PageInAccount):
    """List the event tags of websites."""

    web_event_tag_ids: Ids | None = None


@endpoint(
    f"GET {WEB_TAGS}/{{web_event_tag_id}}",
    "measurement web-event-tags get",
    columns=WEB_TAG_COLUMNS,
    extra_fields=WEB_TAG_FIELDS,
    example="o3f71",
)
class GetWebEventTag(InAccount, kw_only=True):
    """Show one event tag of a website, with the code to embed."""

    web_event_tag_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {WEB_TAGS}",
    "measurement web-event-tags create",
    columns=WEB_TAG_COLUMNS,
    extra_fields=WEB_TAG_FIELDS,
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


@endpoint(
    f"PUT {WEB_TAGS}/{{web_event_tag_id}}",
    "measurement web-event-tags update",
    columns=WEB_TAG_COLUMNS,
    extra_fields=WEB_TAG_FIELDS,
    example="o3f71 --click-window 14",
)
@within_click_window
class UpdateWebEventTag(InAccount, kw_only=True):
    """Change an event tag of a website."""

    web_event_tag_id: Id
    name: Name | None = None
    type: WebEventType | None = None
    click_window: ClickDays | None = None
    view_through_window: ViewDays | None = None
    retargeting_enabled: Retargeting | None = None


@endpoint(
    f"DELETE {WEB_TAGS}/{{web_event_tag_id}}",
    "measurement web-event-tags delete",
    columns=WEB_TAG_COLUMNS,
    extra_fields=WEB_TAG_FIELDS,
    confirm_prompt="Delete the web event tag {web_event_tag_id}",
    example="o3f71",
)
class DeleteWebEventTag(InAccount, kw_only=True):
    """Delete an event tag of a website."""

    web_event_tag_id: Id
