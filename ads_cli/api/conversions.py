"""Conversions of websites; ads_cli/conversions reads them from files."""

from typing import Annotated

import msgspec
from msgspec import Meta

from .amounts import currency_problem
from .endpoint import Request, endpoint
from .mobile_conversions import CONVERSIONS
from .types import ExactMoment, Id, Name
from .users import Digest
from .validation import rule

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
    content_price: float | None = None
    content_type: str | None = None
    num_items: int | None = None


class Conversion(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A conversion on a website."""

    conversion_time: ExactMoment
    event_id: Annotated[Name, Meta(description="The id of a web event tag, or tw-PIXEL-ID of it")]
    identifiers: Annotated[list[ConversionIdentifier], Meta(min_length=1)]
    number_items: Annotated[int, Meta(gt=0)] | None = None
    price_currency: Annotated[Name, Meta(extra={"default": "USD"})] | None = None
    value: float | None = None
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
        is_alone = self._has_browser() and not self._has_person()
        return (
            f"finds few people by {' and '.join(BROWSER)} alone; add one of {', '.join(PEOPLE)}"
            if is_alone
            else None
        )

    def _has_person(self) -> bool:
        return any(getattr(each, name) for each in self.identifiers for name in PEOPLE)

    def _has_browser(self) -> bool:
        return any(all(getattr(each, name) for name in BROWSER) for each in self.identifiers)

    @rule("price_currency")
    def currency_of_iso_4217(self) -> str | None:
        """Require a currency of ISO 4217."""
        return currency_problem(self.price_currency)


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
        list[Conversion],
        Meta(min_length=1, max_length=MAX_CONVERSIONS, extra={"argument": "FILE"}),
    ]
