"""Components of cards, and the card types they make."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .conditions import at_least_one, excludes, requires
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
COUNTRY_WORDS = "is not a country of ISO 3166-1; write two capital letters, such as DE"


class CardPart(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of all parts of a card."""


class Website(CardPart, tag="WEBSITE", tag_field="type"):
    """The destination of DETAILS: a web page."""

    url: Name


@at_least_one("ios_app_store_identifier", "android_store_app_id")
@requires("ios_deep_link", "ios_app_store_identifier")
@requires("android_store_deep_link", "android_store_app_id")
class App(CardPart, tag="APP", tag_field="type"):
    """The destination of a BUTTON: an app in a store, or a deep link if it is installed."""

    country_code: str
    ios_app_store_identifier: Name | None = None
    ios_deep_link: Name | None = None
    android_store_app_id: Name | None = None
    android_store_deep_link: Name | None = None

    @rule("country_code")
    def country_exists(self) -> str | None:
        """Require a country of ISO 3166-1."""
        return None if self.country_code in COUNTRIES else f"{self.country_code!r} {COUNTRY_WORDS}"


class Label(CardPart):
    """The text of a BUTTON."""

    type: Literal["ENUM"]
    value: Literal["BOOK", "CONNECT", "INSTALL", "OPEN", "ORDER", "PLAY", "SHOP"]


class Media(CardPart, tag="MEDIA", tag_field="type"):
    """One image or video."""

    media_key: Id


class SwipeableMedia(CardPart, tag="SWIPEABLE_MEDIA", tag_field="type"):
    """Images and videos to swipe through, with one destination."""

    media_keys: Annotated[list[Id], Meta(min_length=2, max_length=6)]


class CardDetails(CardPart, tag="DETAILS", tag_field="type"):
    """A title with a link to a website."""

    title: Name
    destination: Website


class Button(CardPart, tag="BUTTON", tag_field="type"):
    """A button with a link to an app."""

    label: Label
    destination: App


Component = Media | SwipeableMedia | CardDetails | Button
Components = Annotated[
    list[Component], Meta(description="A MEDIA or SWIPEABLE_MEDIA and a DETAILS or BUTTON, from the top down")
]
Slides = Annotated[
    list[list[Component]], Meta(description="Slides of a carousel, each a list of components; order matters")
]


def composition_problem(components: Sequence[Component]) -> str | None:
    """Return why components do not make a card or slide, or None."""
    media = sum(isinstance(one, Media | SwipeableMedia) for one in components)
    problems = []
    if media != 1:
        problems.append(f"needs one MEDIA or SWIPEABLE_MEDIA component, and has {media}")
    if (others := len(components) - media) != 1:
        problems.append(f"needs one DETAILS or BUTTON component, and has {others}")
    return "; ".join(problems) or None


@excludes("slides", "components")
class Composed(InAccount):
    """The content of a card: components, or slides of components."""

    components: Components | None = None
    slides: Slides | None = None

    @rule("components")
    def components_fit(self) -> str | None:
        """Require one media component and one with a destination."""
        return None if self.components is None else composition_problem(self.components)

    @rule("slides")
    def slides_fit(self) -> str | None:
        """Require the same of each slide."""
        if self.slides is None:
            return None
        problems = [
            f"slides[{index}] {problem}"
            for index, slide in enumerate(self.slides)
            if (problem := composition_problem(slide))
        ]
        return "; ".join(problems) or (None if self.slides else "is empty")
