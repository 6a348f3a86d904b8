"""Conversions of websites, which ads_cli/conversions reads from files, and those of mobile apps."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .amounts import currency_exists
from .endpoint import Request, endpoint
from .measurement import ConversionType, OsType
from .rates import Rate
from .types import ClickDays, ExactMoment, Id, Moment, Name, Number, Texts, ViewWindow, within_click_window
from .users import Digest
from .validation import rule

CONVERSIONS = Rate("conversions", 60_000, 900.0, "account")
MAX_CONVERSIONS = 500  # in a request
PEOPLE = ("platform_click_id", "hashed_email", "hashed_phone_number")  # identifiers that name a person
BROWSER = ("ip_address", "user_agent")


class ConversionIdentifier(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a person who converted is found by."""

    platform_click_id: Name | None = None
    hashed_email: Digest | None = None
    hashed_phone_number: Digest | None = None
    ip_address: Name | None = None
    user_agent: Name | None = None


class ConversionContent(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was bought or looked at."""

    content_id: str | None = None
    content_group_id: str | None = None
    content_name: str | None = None
    content_price: Number | None = None
    content_type: str | None = None
    num_items: int | None = None


class Conversion(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A conversion on a website."""

    conversion_time: ExactMoment
    event_id: Annotated[Name, Meta(description="The id of a web event tag, or tw-PIXEL-ID of it")]
    identifiers: Annotated[list[ConversionIdentifier], Meta(min_length=1)]
    number_items: Annotated[int, Meta(gt=0)] | None = None
    price_currency: Annotated[Name, Meta(extra={"default": "USD"})] | None = None
    value: Number | None = None
    conversion_id: Annotated[Name, Meta(description="Counts once with that of the pixel")] | None = None
    description: str | None = None
    contents: list[ConversionContent] | None = None

    @rule("identifiers")
    def names_a_person(self) -> str | None:
        """Require what names a person, or an address together with a browser."""
        is_found = self._has_person() or self._has_browser()
        return None if is_found else f"needs one of {', '.join(PEOPLE)}, or both of {' and '.join(BROWSER)}"

    @rule("identifiers", "warning")
    def names_more_than_a_browser(self) -> str | None:
        """Warn of an address and a browser alone: the service takes them, but finds fewer people by them."""
        if self._has_person() or not self._has_browser():
            return None
        return f"finds few people by {' and '.join(BROWSER)} alone; add one of {', '.join(PEOPLE)}"

    def _has_person(self) -> bool:
        return any(getattr(identifier, name) for identifier in self.identifiers for name in PEOPLE)

    def _has_browser(self) -> bool:
        return any(all(getattr(identifier, name) for name in BROWSER) for identifier in self.identifiers)

    currency_of_iso_4217 = currency_exists("price_currency")


@endpoint(
    "POST /12/measurement/conversions/{pixel_id}",
    "conversions send",
    columns="conversions_processed debug_id",
    record_id="debug_id",
    params_in="json",
    x_rate=msgspec.structs.replace(CONVERSIONS, per="token"),
    sensitive=True,
)
class SendConversions(Request, kw_only=True):
    """Report conversions of a website."""

    pixel_id: Annotated[Id, Meta(description="The pixel of the website", extra={"option": "pixel"})]
    conversions: Annotated[
        list[Conversion], Meta(min_length=1, max_length=MAX_CONVERSIONS, extra={"argument": "FILE"})
    ]


EVENT_COLUMNS = "app_id os_type conversion_type conversion_time platform_attribution"
EVENT_FIELDS = "hashed_device_id click_window view_through_window partner_client_id"
MORE_EVENT_FIELDS = (
    "conversion_value_micro limit_ad_tracking event_metadata off_platform_engagement_type "
    "off_platform_engagement_time tpn_attribution"
)
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
    extra_fields=f"{EVENT_FIELDS} {MORE_EVENT_FIELDS}",
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

    currency_of_iso_4217 = currency_exists("price_currency")


@endpoint(
    "GET /12/conversion_attribution",
    "measurement conversion-attribution get",
    columns=EVENT_COLUMNS,
    extra_fields=f"{EVENT_FIELDS} extra_device_ids",
    record_id="hashed_device_id",
    x_rate=CONVERSIONS,
    example="--app-id 1066718842 --os-type IOS --conversion-type INSTALL "
    "--conversion-time 2026-03-01T08:00:00.000Z "
    "--hashed-device-id 8b1ab1a43f1cbeb1b1a0a2e7ac8a3a6b",
)
class GetConversionAttribution(MobileConversion, kw_only=True):
    """Show which ad a conversion in a mobile app is attributed to."""

    extra_device_ids: MoreDevices | None = None
