"""What measures conversions of apps: event tags, lists of apps, and providers."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .types import ClickDays, Id, Ids, InAccount, Name, PageInAccount, ViewDays, WithDeleted, sortable

APP_TAGS = "/12/accounts/{account_id}/app_event_tags"
APP_LISTS = "/12/accounts/{account_id}/app_lists"
PROVIDERS = "/11/accounts/{account_id}/app_event_provider_configurations"
APP_TAG_COLUMNS = "id app_store_identifier os_type conversion_type provider_app_event_name status deleted"
APP_TAG_FIELDS = (
    *("provider_app_event_id", "deep_link_scheme", "post_view_attribution_window"),
    *("post_engagement_attribution_window", "retargeting_enabled", "last_tracked_at"),
    *("created_at", "updated_at"),
)
APP_LIST_FIELDS = ("apps", "created_at", "updated_at", "deleted")
PROVIDER_COLUMNS = "id provider_name provider_advertiser_id provider_advertiser_identifier deleted"
MANAGED = ("created_at", "updated_at")

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


@endpoint(
    f"GET {APP_TAGS}",
    "measurement app-event-tags list",
    columns=APP_TAG_COLUMNS,
    extra_fields=APP_TAG_FIELDS,
    example="--sort-by created_at-desc",
)
class ListAppEventTags(PageInAccount):
    """List the event tags of apps."""

    app_event_tag_ids: Ids | None = None
    sort_by: (
        Annotated[
            str,
            sortable(
                "post_view_attribution_window",
                "post_engagement_attribution_window",
                "assisted_conversion",
                "provider_app_event_name",
            ),
        ]
        | None
    ) = None


@endpoint(
    f"GET {APP_TAGS}/{{app_event_tag_id}}",
    "measurement app-event-tags get",
    columns=APP_TAG_COLUMNS,
    extra_fields=APP_TAG_FIELDS,
    example="q8d02",
)
class GetAppEventTag(InAccount, kw_only=True):
    """Show one event tag of an app."""

    app_event_tag_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {APP_TAGS}",
    "measurement app-event-tags create",
    columns=APP_TAG_COLUMNS,
    extra_fields=APP_TAG_FIELDS,
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


@endpoint(
    f"DELETE {APP_TAGS}/{{id}}",
    "measurement app-event-tags delete",
    columns=APP_TAG_COLUMNS,
    extra_fields=APP_TAG_FIELDS,
    confirm_prompt="Delete the app event tag {id}",
    example="q8d02",
)
class DeleteAppEventTag(InAccount, kw_only=True):
    """Delete an event tag of an app."""

    id: Id


@endpoint(
    f"GET {APP_LISTS}",
    "measurement app-lists list",
    extra_fields=APP_LIST_FIELDS,
    example="--sort-by name-asc",
)
class ListAppLists(PageInAccount):
    """List the lists of apps."""

    app_list_ids: Ids | None = None


@endpoint(
    f"GET {APP_LISTS}/{{app_list_id}}",
    "measurement app-lists get",
    columns="id name apps deleted",
    extra_fields=MANAGED,
    example="r5b13",
)
class GetAppList(InAccount, kw_only=True):
    """Show one list of apps."""

    app_list_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {APP_LISTS}",
    "measurement app-lists create",
    columns="id name apps deleted",
    extra_fields=MANAGED,
    example='--name "Outdoor apps" --app-store-identifiers 1029384756,example.trails',
)
class CreateAppList(InAccount, kw_only=True):
    """Create a list of apps, at most 100 in an account."""

    name: Name
    app_store_identifiers: Annotated[
        list[Name], Meta(min_length=1, max_length=500, description="Ids of the stores, separated by commas")
    ]


@endpoint(
    f"DELETE {APP_LISTS}/{{app_list_id}}",
    "measurement app-lists delete",
    columns="id name apps deleted",
    extra_fields=MANAGED,
    confirm_prompt="Delete the app list {app_list_id}",
    example="r5b13",
)
class DeleteAppList(InAccount, kw_only=True):
    """Delete a list of apps."""

    app_list_id: Id


@endpoint(
    f"GET {PROVIDERS}",
    "measurement app-event-provider-configurations list",
    columns=PROVIDER_COLUMNS,
    extra_fields=MANAGED,
    example="--with-deleted",
)
class ListProviderConfigurations(PageInAccount):
    """List the provider that reports the events of apps."""

    ids: Ids | None = None


@endpoint(
    f"GET {PROVIDERS}/{{id}}",
    "measurement app-event-provider-configurations get",
    columns=PROVIDER_COLUMNS,
    extra_fields=MANAGED,
    example="s2c44",
)
class GetProviderConfiguration(InAccount, kw_only=True):
    """Show one provider of app events."""

    id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {PROVIDERS}",
    "measurement app-event-provider-configurations create",
    columns=PROVIDER_COLUMNS,
    extra_fields=MANAGED,
    example="--provider-advertiser-id nordlicht-0418 --account 18ce55gze09",
)
class CreateProviderConfiguration(InAccount, kw_only=True):
    """Name the advertiser at the provider of app events, one in an account."""

    provider_advertiser_id: Name


@endpoint(
    f"DELETE {PROVIDERS}/{{id}}",
    "measurement app-event-provider-configurations delete",
    columns=PROVIDER_COLUMNS,
    extra_fields=MANAGED,
    confirm_prompt="Delete the provider configuration {id}",
    example="s2c44",
)
class DeleteProviderConfiguration(InAccount, kw_only=True):
    """Delete the provider of app events."""

    id: Id
