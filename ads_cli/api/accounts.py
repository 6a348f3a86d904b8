"""Advertising accounts, the apps and promotable users in them, their change history and features."""

from typing import Annotated, Literal

from msgspec import Meta

from .conditions import later_than
from .endpoint import Request, Resource
from .time import Time
from .types import (
    Cursor,
    Id,
    Ids,
    InAccount,
    Moment,
    Name,
    NameBegins,
    Page,
    PageInAccount,
    PageSize,
    Texts,
    WithDeleted,
    delete_one,
    sortable,
)
from .validation import rule

Industry = Literal[
    "AGENCY",
    "BUSINESS_TO_BUSINESS",
    "ONLINE_SERVICES",
    "EDUCATION",
    "FINANCIAL",
    "HEALTH",
    "GOVERNMENT",
    "MEDIA",
    "MOBILE",
    "RESTAURANT",
    "RETAIL",
    "TECHNOLOGY",
    "TRAVEL",
    "OTHER",
]


ACCOUNTS = Resource(
    "/12/accounts",
    "account_id",
    group="accounts",
    columns="id name business_name timezone approval_status industry_type deleted",
)


@ACCOUNTS.list(example="--q Nordlicht --with-deleted")
class ListAccounts(Page):
    """List the advertising accounts you have access to."""

    account_ids: Ids | None = None
    q: NameBegins | None = None
    sort_by: Annotated[str, sortable("name")] | None = None


@ACCOUNTS.get(example="18ce54d4x5t")
class GetAccount(Request):
    """Show one advertising account."""

    account_id: Id
    with_deleted: WithDeleted | None = None


@ACCOUNTS.create(base="sandbox", example="-o ids")
class CreateAccount(Request):
    """Create an account in the sandbox."""


@ACCOUNTS.update(
    extra_fields="business_id timezone_switch_at created_at updated_at",
    example="18ce54d4x5t --name 'Nordlicht Shop' --industry-type RETAIL",
)
class UpdateAccount(Request):
    """Change the name or the industry of an account."""

    account_id: Id
    name: Name | None = None
    industry_type: Industry | None = None


DeleteAccount = delete_one(
    ACCOUNTS,
    "Delete an account of the sandbox.",
    Request,
    base="sandbox",
    confirm_prompt="Delete the account {account_id} of the sandbox",
    example="18ce55gze09",
)


APPS = Resource(
    "/12/accounts/{account_id}/account_apps",
    record_kind="account_app",
    columns="id app_store_identifier os_type deep_link_pattern conversion_tracking_enabled deleted",
)


@APPS.list("accounts apps", example="--sort-by os_type-desc")
class ListApps(PageInAccount):
    """List the apps of an account."""


PROMOTABLE_USERS = Resource(
    "/12/accounts/{account_id}/promotable_users",
    "promotable_user_id",
    group="accounts promotable-users",
    columns="id user_id promotable_user_type deleted",
)


@PROMOTABLE_USERS.list(example="--sort-by created_at-desc")
class ListPromotableUsers(PageInAccount):
    """List the users whose posts an account may promote; the FULL one is the advertiser."""

    promotable_user_ids: Ids | None = None


@PROMOTABLE_USERS.get(example="l310s")
class GetPromotableUser(InAccount):
    """Show one user whose posts an account may promote."""

    promotable_user_id: Id
    with_deleted: WithDeleted | None = None


Entity = Literal["CAMPAIGN", "LINE_ITEM", "PROMOTED_POST", "TARGETING_CRITERIA", "PROMOTED_ACCOUNT"]


def _whole_hour(time: Time | None) -> str | None:
    if time is None or not (time.moment.minute or time.moment.second):
        return None
    return f"{time} is not a whole hour in UTC, such as 2026-03-01T08:00:00Z"


FromHour = Annotated[Moment, Meta(description="Changes from this whole hour")]
BeforeHour = Annotated[Moment, Meta(description="Changes before this whole hour")]
HISTORY = Resource(
    "/12/accounts/{account_id}/account_history",
    columns="change_time change_type entity entity_id change_by changes",
    record_id="entity_id",
)
EXAMPLE = (
    "--entity-type LINE_ITEM --entity-id 9d4c1 --start-time 2026-02-20T10:00Z --end-time 2026-02-21T10:00Z"
)


@later_than("end_time", "start_time")
class History(InAccount, kw_only=True):
    """The parameters of the change history."""

    entity_type: Entity
    entity_id: Id
    start_time: FromHour | None = None
    end_time: BeforeHour | None = None
    user_id: Annotated[int, Meta(description="Only changes by this user")] | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None

    @rule("start_time")
    def starts_on_the_hour(self) -> str | None:
        """Require a whole hour."""
        return _whole_hour(self.start_time)

    @rule("end_time")
    def ends_on_the_hour(self) -> str | None:
        """Require a whole hour."""
        return _whole_hour(self.end_time)


@HISTORY.list("accounts history", example=EXAMPLE, service="generic")
class ListHistory(History, kw_only=True):
    """List changes in an account, with time and user.

    The service offers this as a beta, to selected accounts only.
    """

    start_time: FromHour
    end_time: BeforeHour


@HISTORY.list("accounts history", example=EXAMPLE, service="x")
class ListWholeHistory(History):
    """List changes in an account, with time and user; without a period, all that the service keeps."""


KNOWN_FEATURES = (  # keys that can be added in the sandbox, and asked for
    "AGE_TARGETING",
    "ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE",
    "AWARENESS_OBJECTIVE",
    "BRAND_TPN",
    "CHARGE_FOR_GOOD_CLICK",
    "CONVERSATION_CARD",
    "CONVERSATION_CARD_FOUR_OPTIONS",
    "CONVERSATION_CARD_UNLOCK",
    "CPI_CHARGING",
    "DIRECT_MESSAGE_CARD",
    "DR_TAP",
    "ENGAGER_RETARGETING",
    "EVENT_TARGETING",
    "INSTALLED_APP_CATEGORY_TARGETING",
    "MOBILE_CONVERSION_TRANSACTION_VALUE",
    "OPTIMIZED_ACTION_BIDDING",
    "PREROLL_VIEWS_OBJECTIVE",
    "REACH_AND_FREQUENCY_ANALYTICS",
    "REACH_FREQUENCY_CAP",
    "VALIDATED_AGE_TARGETING",
    "VIDEO_APP_DOWNLOAD_CARD",
    "VIDEO_VIEWS_MIDROLL_OBJECTIVE",
)
READ_FEATURES = (  # keys that can be asked for only: seen in answers, or named elsewhere
    *("CITY_TARGETING", "PROMOTED_MEDIA_POLLS", "SHARE_AUDIENCE_OUTSIDE_BUSINESS", "UNIVERSAL_LOOKALIKE"),
    "WEBSITE_CLICKS_CPM_BILLING",
)
FeatureKeys = Annotated[Texts, Meta(description="Names of features", extra={"seen": KNOWN_FEATURES})]
SeenFeatureKeys = Annotated[
    Texts, Meta(description="Only these", extra={"seen": (*KNOWN_FEATURES, *READ_FEATURES)})
]


FEATURES = Resource(
    "/12/accounts/{account_id}/features", example="--feature-keys REACH_FREQUENCY_CAP", columns=""
)


@FEATURES.get("accounts features list")
class ListFeatures(InAccount):
    """List the features of an account."""

    feature_keys: SeenFeatureKeys | None = None


@FEATURES.create("accounts features add", base="sandbox", example="--feature-keys AGE_TARGETING,CPI_CHARGING")
class AddFeatures(InAccount, kw_only=True):
    """Add features to an account of the sandbox."""

    feature_keys: FeatureKeys


@FEATURES.delete(
    "accounts features remove",
    base="sandbox",
    confirm_prompt="Remove the features {feature_keys} from the account {account_id} of the sandbox",
)
class RemoveFeatures(InAccount, kw_only=True):
    """Remove features from an account of the sandbox, and list those that remain."""

    feature_keys: FeatureKeys
