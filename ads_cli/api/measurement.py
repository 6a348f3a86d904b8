"""What measures conversions: event tags of apps and websites, lists of apps, and providers."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .types import (
    ClickDays,
    Id,
    Ids,
    InAccount,
    Name,
    PageInAccount,
    RecordInAccount,
    ViewDays,
    sortable,
    within_click_window,
)

APP_LIST_FIELDS = "apps created_at updated_at deleted"
MANAGED = "created_at updated_at"

OsType = Literal["IOS", "ANDROID"]
ConversionType = Literal[
    "PURCHASE",
    "SIGN_UP",
    "INSTALL",
    "RE_ENGAGE",
    "UPDATE",
    "TUTORIAL_COMPLETE",
    "RESERVATION",
    "ADD_TO_CART",
    "ADD_TO_WISHLIST",
    "LOGIN",
    "CHECKOUT_INITIATED",
    "SEARCH",
    "LEVEL_ACHIEVED",
    "ACHIEVEMENT_UNLOCKED",
    "CONTENT_VIEW",
    "SHARE",
    "INVITE",
    "ADDED_PAYMENT_INFO",
    "SPENT_CREDITS",
    "RATED",
]
Retargeting = Annotated[bool, Meta(description="Collect an audience of those who convert")]
StoreIdentifiers = Annotated[
    list[Name], Meta(min_length=1, max_length=500, description="Ids of the stores, separated by commas")
]
AppTagSort = Annotated[
    str,
    sortable(
        "post_view_attribution_window",
        "post_engagement_attribution_window",
        "assisted_conversion",
        "provider_app_event_name",
    ),
]


APP_TAGS = Resource(
    "/12/accounts/{account_id}/app_event_tags",
    "app_event_tag_id",
    example="q8d02",
    columns="id app_store_identifier os_type conversion_type provider_app_event_name status deleted",
    extra_fields="provider_app_event_id deep_link_scheme post_view_attribution_window "
    "post_engagement_attribution_window retargeting_enabled last_tracked_at created_at "
    "updated_at",
)


@APP_TAGS.list("measurement app-event-tags list", example="--sort-by created_at-desc")
class ListAppEventTags(PageInAccount):
    """List the event tags of apps."""

    app_event_tag_ids: Ids | None = None
    sort_by: AppTagSort | None = None


@APP_TAGS.get("measurement app-event-tags get")
class GetAppEventTag(RecordInAccount, kw_only=True):
    """Show one event tag of an app."""

    app_event_tag_id: Id


@APP_TAGS.create(
    "measurement app-event-tags create",
    example="--app-store-identifier example.nordlicht.shop --os-type ANDROID --conversion-type LOGIN "
    "--provider-app-event-id evt-login --provider-app-event-name login",
)
class CreateAppEventTag(InAccount, kw_only=True):
    """Create an event tag for an app, whose events a provider reports."""

    app_store_identifier: Name
    os_type: OsType
    conversion_type: ConversionType
    provider_app_event_id: Name
    provider_app_event_name: Name
    deep_link_scheme: Name | None = None
    post_engagement_attribution_window: Annotated[ClickDays, Meta(extra={"default": 30})] | None = None
    post_view_attribution_window: Annotated[ViewDays, Meta(extra={"default": 1})] | None = None
    retargeting_enabled: Annotated[Retargeting, Meta(extra={"default": True})] | None = None


@APP_TAGS.delete("measurement app-event-tags delete", id_field="id")
class DeleteAppEventTag(InAccount, kw_only=True):
    """Delete an event tag of an app."""

    id: Id


APP_LISTS = Resource(
    "/12/accounts/{account_id}/app_lists", "app_list_id", example="r5b13", extra_fields=MANAGED
)


@APP_LISTS.list("measurement app-lists list", extra_fields=APP_LIST_FIELDS, example="--sort-by name-asc")
class ListAppLists(PageInAccount):
    """List the lists of apps."""

    app_list_ids: Ids | None = None


@APP_LISTS.get("measurement app-lists get", columns="id name apps deleted")
class GetAppList(RecordInAccount, kw_only=True):
    """Show one list of apps."""

    app_list_id: Id


@APP_LISTS.create(
    "measurement app-lists create",
    columns="id name apps deleted",
    example='--name "Outdoor apps" --app-store-identifiers 1029384756,example.trails',
)
class CreateAppList(InAccount, kw_only=True):
    """Create a list of apps, at most 100 in an account."""

    name: Name
    app_store_identifiers: StoreIdentifiers


@APP_LISTS.delete("measurement app-lists delete", columns="id name apps deleted")
class DeleteAppList(InAccount, kw_only=True):
    """Delete a list of apps."""

    app_list_id: Id


PROVIDERS = Resource(
    "/11/accounts/{account_id}/app_event_provider_configurations",
    "id",
    example="s2c44",
    record_kind="app_event_provider_configuration",
    columns="id provider_name provider_advertiser_id provider_advertiser_identifier deleted",
    extra_fields=MANAGED,
)


@PROVIDERS.list("measurement app-event-provider-configurations list", example="--with-deleted")
class ListProviderConfigurations(PageInAccount):
    """List the provider that reports the events of apps."""

    ids: Ids | None = None


@PROVIDERS.get("measurement app-event-provider-configurations get")
class GetProviderConfiguration(RecordInAccount, kw_only=True):
    """Show one provider of app events."""

    id: Id


@PROVIDERS.create(
    "measurement app-event-provider-configurations create",
    example="--provider-advertiser-id nordlicht-0418 --account 18ce55gze09",
)
class CreateProviderConfiguration(InAccount, kw_only=True):
    """Name the advertiser at the provider of app events, one in an account."""

    provider_advertiser_id: Name


@PROVIDERS.delete(
    "measurement app-event-provider-configurations delete",
    confirm_prompt="Delete the provider configuration {id}",
)
class DeleteProviderConfiguration(InAccount, kw_only=True):
    """Delete the provider of app events."""

    id: Id


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
    example="o3f71",
    columns="id name type status click_window view_through_window retargeting_enabled deleted",
    extra_fields="website_tag_id embed_code last_tracked_at",
)


@WEB_TAGS.list("measurement web-event-tags list", example="--sort-by name-asc")
class ListWebEventTags(PageInAccount):
    """List the event tags of websites."""

    web_event_tag_ids: Ids | None = None


@WEB_TAGS.get("measurement web-event-tags get")
class GetWebEventTag(RecordInAccount, kw_only=True):
    """Show one event tag of a website, with the code to embed."""

    web_event_tag_id: Id


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


@WEB_TAGS.delete("measurement web-event-tags delete")
class DeleteWebEventTag(InAccount, kw_only=True):
    """Delete an event tag of a website."""

    web_event_tag_id: Id
