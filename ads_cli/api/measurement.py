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
    ViewDays,
    delete_one,
    get_one,
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
    group="measurement app-event-tags",
    example="q8d02",
    columns="id app_store_identifier os_type conversion_type provider_app_event_name status deleted",
    extra_fields="provider_app_event_id deep_link_scheme post_view_attribution_window "
    "post_engagement_attribution_window retargeting_enabled last_tracked_at created_at "
    "updated_at",
)


@APP_TAGS.list(example="--sort-by created_at-desc")
class ListAppEventTags(PageInAccount):
    """List the event tags of apps."""

    app_event_tag_ids: Ids | None = None
    sort_by: AppTagSort | None = None


GetAppEventTag = get_one(APP_TAGS, "Show one event tag of an app.")


@APP_TAGS.create(
    example="--app-store-identifier example.nordlicht.shop --os-type ANDROID --conversion-type LOGIN "
    "--provider-app-event-id evt-login --provider-app-event-name login"
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


DeleteAppEventTag = delete_one(APP_TAGS, "Delete an event tag of an app.", id_field="id")


APP_LISTS = Resource(
    "/12/accounts/{account_id}/app_lists",
    "app_list_id",
    group="measurement app-lists",
    example="r5b13",
    extra_fields=MANAGED,
)


@APP_LISTS.list(extra_fields=APP_LIST_FIELDS, example="--sort-by name-asc")
class ListAppLists(PageInAccount):
    """List the lists of apps."""

    app_list_ids: Ids | None = None


GetAppList = get_one(APP_LISTS, "Show one list of apps.", columns="id name apps deleted")


@APP_LISTS.create(
    columns="id name apps deleted",
    example='--name "Outdoor apps" --app-store-identifiers 1029384756,example.trails',
)
class CreateAppList(InAccount, kw_only=True):
    """Create a list of apps, at most 100 in an account."""

    name: Name
    app_store_identifiers: StoreIdentifiers


DeleteAppList = delete_one(APP_LISTS, "Delete a list of apps.", columns="id name apps deleted")


PROVIDERS = Resource(
    "/11/accounts/{account_id}/app_event_provider_configurations",
    "id",
    group="measurement app-event-provider-configurations",
    example="s2c44",
    record_kind="app_event_provider_configuration",
    columns="id provider_name provider_advertiser_id provider_advertiser_identifier deleted",
    extra_fields=MANAGED,
)


@PROVIDERS.list(example="--with-deleted")
class ListProviderConfigurations(PageInAccount):
    """List the provider that reports the events of apps."""

    ids: Ids | None = None


GetProviderConfiguration = get_one(PROVIDERS, "Show one provider of app events.")


@PROVIDERS.create(example="--provider-advertiser-id nordlicht-0418 --account 18ce55gze09")
class CreateProviderConfiguration(InAccount, kw_only=True):
    """Name the advertiser at the provider of app events, one in an account."""

    provider_advertiser_id: Name


DeleteProviderConfiguration = delete_one(
    PROVIDERS, "Delete the provider of app events.", confirm_prompt="Delete the provider configuration {id}"
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
    group="measurement web-event-tags",
    example="o3f71",
    columns="id name type status click_window view_through_window retargeting_enabled deleted",
    extra_fields="website_tag_id embed_code last_tracked_at",
)


@WEB_TAGS.list(example="--sort-by name-asc")
class ListWebEventTags(PageInAccount):
    """List the event tags of websites."""

    web_event_tag_ids: Ids | None = None


GetWebEventTag = get_one(WEB_TAGS, "Show one event tag of a website, with the code to embed.")


@WEB_TAGS.create(
    example="--name Checkout --type CHECKOUT_INITIATED --click-window 30 --view-through-window 1 "
    "--retargeting-enabled"
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


@WEB_TAGS.update(example="o3f71 --click-window 14")
@within_click_window
class UpdateWebEventTag(InAccount, kw_only=True):
    """Change an event tag of a website."""

    web_event_tag_id: Id
    name: Name | None = None
    type: WebEventType | None = None
    click_window: ClickDays | None = None
    view_through_window: ViewDays | None = None
    retargeting_enabled: Retargeting | None = None


DeleteWebEventTag = delete_one(WEB_TAGS, "Delete an event tag of a website.")
