"""What cards are made of: components, shown from the top down; and the types of card that they make."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .iso_codes import COUNTRIES
from .types import Id, InAccount, Name
from .validation import rule

CardType = Literal[
    "IMAGE_APP",
    "IMAGE_CAROUSEL_APP",
    "IMAGE_CAROUSEL_WEBSITE",
    "IMAGE_MULTI_DEST_CAROUSEL_WEBSITE",
    "IMAGE_WEBSITE",
    "MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE",
    "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP",
    "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE",
    "VIDEO_APP",
    "VIDEO_CAROUSEL_APP",
    "VIDEO_CAROUSEL_WEBSITE",
    "VIDEO_MULTI_DEST_CAROUSEL_WEBSITE",
    "VIDEO_WEBSITE",
]
COUNTRY_WORDS = "is not a country of ISO 3166-1; write two capital letters, as in DE"


class Part(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of everything in a card."""


class Website(Part, tag="WEBSITE", tag_field="type"):
    """Where DETAILS lead: a page of the web."""

    url: Name


class App(Part, tag="APP", tag_field="type"):
    """Where a BUTTON leads: an app in a store, or, where it is installed, a place inside it."""

    country_code: str
    ios_app_store_identifier: Name | None = None
    ios_deep_link: Name | None = None
    android_store_app_id: Name | None = None
    android_store_deep_link: Name | None = None

    @rule("country_code")
    def country_exists(self) -> str | None:
        """Look the country up in ISO 3166-1."""
        return None if self.country_code in COUNTRIES else f"{self.country_code!r} {COUNTRY_WORDS}"

    @rule("ios_app_store_identifier")
    def in_a_store(self) -> str | None:
        """Ask for the app's name in one of the stores."""
        named = self.ios_app_store_identifier or self.android_store_app_id
        return None if named else "is required where android_store_app_id is not given"

    @rule("ios_deep_link")
    def ios_link_of_an_app(self) -> str | None:
        """Take a link into the iOS app with the app only."""
        lonely = self.ios_deep_link and not self.ios_app_store_identifier
        return "needs ios_app_store_identifier" if lonely else None

    @rule("android_store_deep_link")
    def android_link_of_an_app(self) -> str | None:
        """Take a link into the Android app with the app only."""
        lonely = self.android_store_deep_link and not self.android_store_app_id
        return "needs android_store_app_id" if lonely else None


class Label(Part):
    """What stands on a BUTTON."""

    type: Literal["ENUM"]
    value: Literal["BOOK", "CONNECT", "INSTALL", "OPEN", "ORDER", "PLAY", "SHOP"]


class Media(Part, tag="MEDIA", tag_field="type"):
    """One image or video."""

    media_key: Id


class SwipeableMedia(Part, tag="SWIPEABLE_MEDIA", tag_field="type"):
    """Images and videos to swipe through, all with one destination."""

    media_keys: Annotated[list[Id], Meta(min_length=2, max_length=6)]


class Details(Part, tag="DETAILS", tag_field="type"):
    """A title that leads to a website."""

    title: Name
    destination: Website


class Button(Part, tag="BUTTON", tag_field="type"):
    """A button that leads to an app."""

    label: Label
    destination: App


Component = Media | SwipeableMedia | Details | Button
Components = Annotated[
    list[Component], Meta(description="A MEDIA or SWIPEABLE_MEDIA and a DETAILS or BUTTON, from the top down")
]
Slides = Annotated[
    list[list[Component]], Meta(description="Slides of a carousel, each a list of components; order matters")
]


def misfit(components: Sequence[Component]) -> str | None:
    """Say why components make no card together, or no slide of one."""
    media = sum(isinstance(one, Media | SwipeableMedia) for one in components)
    told = []
    if media != 1:
        told.append(f"needs one MEDIA or SWIPEABLE_MEDIA component, and has {media}")
    if (others := len(components) - media) != 1:
        told.append(f"needs one DETAILS or BUTTON component, and has {others}")
    return "; ".join(told) or None


class Composed(InAccount):
    """What a card is made of: components, or slides that are made of them."""

    components: Components | None = None
    slides: Slides | None = None

    @rule("slides")
    def either(self) -> str | None:
        """Keep components and slides apart."""
        both = self.components is not None and self.slides is not None
        return "cannot be used with components" if both else None

    @rule("components")
    def components_fit(self) -> str | None:
        """Ask for one media component and one that leads somewhere."""
        return None if self.components is None else misfit(self.components)

    @rule("slides")
    def slides_fit(self) -> str | None:
        """Ask the same of each slide."""
        if self.slides is None:
            return None
        told = [f"slides[{n}] {reason}" for n, slide in enumerate(self.slides) if (reason := misfit(slide))]
        return "; ".join(told) or (None if self.slides else "is empty")
