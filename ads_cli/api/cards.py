"""Cards made of components, and cards of any kind by their addresses."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .conditions import at_least_one, excludes, requires
from .endpoint import Resource
from .iso_codes import COUNTRIES
from .types import (
    CardUri,
    Cursor,
    FewPerPage,
    Id,
    Ids,
    InAccount,
    Name,
    PageInAccount,
    WithDeleted,
    delete_one,
    get_one,
    sortable,
)
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
    media = sum(isinstance(component, Media | SwipeableMedia) for component in components)
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
        if not self.slides:
            return None if self.slides is None else "is empty"
        problems = [
            f"slides[{index}] {problem}"
            for index, slide in enumerate(self.slides)
            if (problem := composition_problem(slide))
        ]
        return "; ".join(problems) or None


CardUris = Annotated[
    list[CardUri], Meta(min_length=1, max_length=200, description="Only these, separated by commas")
]
CardName = Annotated[str, Meta(min_length=1, max_length=80)]
CardQuery = Annotated[str, Meta(max_length=80, description="Only names that start with this, ignoring case")]
CardSort = Annotated[str, sortable("name")]


CARDS = Resource(
    "/12/accounts/{account_id}/cards",
    "card_id",
    group="cards",
    example="7cqs1",
    columns="id name card_type card_uri deleted",
    extra_fields="components slides created_at updated_at",
    params_in="json",
)


@CARDS.list(example="--card-types IMAGE_WEBSITE,IMAGE_APP --q Spring")
class ListCards(InAccount):
    """List the cards made of components.

    --include-legacy-cards lists polls and the other older types too.
    """

    card_types: Annotated[list[CardType], Meta(min_length=1, description="Only these types")] | None = None
    card_id: Ids | None = None
    card_ids: Annotated[Ids, Meta(description="The same as --card-id")] | None = None
    card_uris: CardUris | None = None
    include_legacy_cards: Annotated[bool, Meta(description="List older card types too")] | None = None
    q: CardQuery | None = None
    count: FewPerPage | None = None
    cursor: Cursor | None = None
    sort_by: CardSort | None = None
    with_deleted: WithDeleted | None = None

    def __post_init__(self) -> None:
        """Send the ids under both names: the reference names them as no other list of cards does."""
        self.card_id = self.card_id or self.card_ids
        self.card_ids = self.card_ids or self.card_id

    @rule("card_ids")
    def same_ids(self) -> str | None:
        """Require the same ids where both are given."""
        return None if self.card_ids == self.card_id else "differs from card_id"


class OneCard(InAccount):
    """The parameters to show a card of any type."""

    card_id: Id
    with_deleted: WithDeleted | None = None


class ListOlderCards(PageInAccount):
    """The parameters of lists of older card types."""

    card_ids: Ids | None = None
    q: CardQuery | None = None
    sort_by: CardSort | None = None


GetCard = get_one(CARDS, "Show one card.", OneCard)


@CARDS.create(example="-f card.yaml")
class CreateCard(Composed, kw_only=True):
    """Create a card of components, or a carousel of slides.

    Its media must be in the media library.
    """

    name: CardName

    @rule("components")
    def components_or_slides(self) -> str | None:
        """Require one of the two."""
        is_empty = self.components is None and self.slides is None
        return "is required unless slides is set" if is_empty else None


@CARDS.update(example="7cqs1 --name 'Summer collection'")
class UpdateCard(Composed, kw_only=True):
    """Replace fields of a card."""

    card_id: Id
    name: CardName | None = None


DeleteCard = delete_one(CARDS, "Delete a card.")


ALL_CARDS = Resource(
    "/12/accounts/{account_id}/cards/all", "card_id", columns="id name card_type title card_uri deleted"
)


@ALL_CARDS.list("cards fetch", example="card://7cqs1 card://7cqt1")
class FetchCards(InAccount, kw_only=True):
    """Show cards of any kind by their addresses, as posts have them."""

    card_uris: Annotated[CardUris, Meta(extra={"argument": "CARD..."})]
    with_deleted: WithDeleted | None = None


@ALL_CARDS.get("cards fetch", example="7cqs1")
class FetchCard(OneCard):
    """Show one card of any kind by its id."""

    card_id: Annotated[Id, Meta(extra={"argument": "CARD..."})]
