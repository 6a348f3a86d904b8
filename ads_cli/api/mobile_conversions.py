"""Conversions of mobile apps, one at a time, and the ads they are attributed to."""

from typing import Annotated, Literal

from msgspec import Meta

from .amounts import currency_problem
from .endpoint import Request, endpoint
from .measurement import ConversionType, OsType
from .rates import Rate
from .types import ClickDays, ExactMoment, Moment, Name, Texts, ViewWindow, within_click_window
from .validation import rule

EVENT_COLUMNS = "app_id os_type conversion_type conversion_time platform_attribution"
EVENT_FIELDS = (*("hashed_device_id", "click_window", "view_through_window", "partner_client_id"),)
MORE_EVENT_FIELDS = (
    *("conversion_value_micro", "limit_ad_tracking", "event_metadata"),
    *("off_platform_engagement_type", "off_platform_engagement_time", "tpn_attribution"),
)
CONVERSIONS = Rate("conversions", 60_000, 900.0, "account")
APP_ID_WORDS = "digits, or the name of a package"
AppId = Annotated[
    str,
    Meta(
        pattern=r"^([0-9]+|[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+)\Z",
        description="Id in the store",
        extra={"expected": APP_ID_WORDS},
    ),
]
MoreDevices = Annotated[Texts, Meta(description="SHA-256 of the SHA-1 of further device ids")]
HashedDevice = Annotated[Name, Meta(description="HMAC-SHA-256 of the advertising id of the device")]


@within_click_window
class MobileConversion(Request, kw_only=True):
    """What a conversion in an app is identified by."""

    app_id: AppId
    os_type: OsType
    conversion_type: ConversionType
    conversion_time: ExactMoment
    hashed_device_id: HashedDevice
    click_window: Annotated[ClickDays, Meta(extra={"default": 14})] | None = None
    view_through_window: ViewWindow | None = None
    off_platform_engagement_type: Literal["CLICK", "VIEW"] | None = None
    off_platform_engagement_time: Moment | None = None


@endpoint(
    "POST /12/conversion_event",
    "measurement conversion-events create",
    columns=EVENT_COLUMNS,
    extra_fields=(*EVENT_FIELDS, *MORE_EVENT_FIELDS),
    record_id="hashed_device_id",
    x_rate=CONVERSIONS,
    example="--app-id 1066718842 --os-type IOS --conversion-type PURCHASE "
    "--conversion-time 2026-03-01T08:00:00.000Z "
    "--hashed-device-id 8b1ab1a43f1cbeb1b1a0a2e7ac8a3a6b",
)
class CreateConversionEvent(MobileConversion, kw_only=True):
    """Report a conversion in a mobile app, and learn whether an ad led to it."""

    device_ip_address: Name | None = None
    level: int | None = None
    number_items: int | None = None
    price_currency: Annotated[Name, Meta(description="A code of ISO 4217")] | None = None
    price_micro: int | None = None
    user_payment_info: bool | None = None

    @rule("price_currency")
    def currency_of_iso_4217(self) -> str | None:
        """Require a currency of ISO 4217."""
        return currency_problem(self.price_currency)


@endpoint(
    "GET /12/conversion_attribution",
    "measurement conversion-attribution get",
    columns=EVENT_COLUMNS,
    extra_fields=(*EVENT_FIELDS, "extra_device_ids"),
    record_id="hashed_device_id",
    x_rate=CONVERSIONS,
    example="--app-id 1066718842 --os-type IOS --conversion-type INSTALL "
    "--conversion-time 2026-03-01T08:00:00.000Z "
    "--hashed-device-id 8b1ab1a43f1cbeb1b1a0a2e7ac8a3a6b",
)
class GetConversionAttribution(MobileConversion, kw_only=True):
    """Show which ad a conversion in a mobile app is attributed to."""

    extra_device_ids: (
        Annotated[Texts, Meta(description="SHA-256 of the SHA-1 of further device ids")] | None
    ) = None
