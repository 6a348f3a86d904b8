"""Cards made of components, and cards of any kind by their addresses."""

from typing import Annotated

from msgspec import Meta

from .components import CardType, Composed
from .endpoint import Resource
from .types import CardUri, Cursor, Id, Ids, InAccount, PageInAccount, WithDeleted, sortable
from .validation import rule

CardUris = Annotated[
    list[CardUri], Meta(min_length=1, max_length=200, description="Only these, separated by commas")
]
CardName = Annotated[str, Meta(min_length=1, max_length=80)]
CardQuery = Annotated[str, Meta(max_length=80, description="Only names that start with this, ignoring case")]
CardSort = Annotated[str, sortable("name")]
CardPageSize = Annotated[int, Meta(ge=1, le=200, description="Records per page", extra={"default": 100})]


CARDS = Resource(
    "/12/accounts/{account_id}/cards",
    "card_id",
    columns="id name card_type card_uri deleted",
    extra_fields=("components", "slides", "created_at", "updated_at"),
    params_in="json",
)


@CARDS.list("cards list", example="--card-types IMAGE_WEBSITE,IMAGE_APP --q Spring")
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
    count: CardPageSize | None = None
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


@CARDS.get("cards get", example="7cqs1")
class GetCard(OneCard):
    """Show one card."""


@CARDS.create("cards create", example="-f card.yaml")
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


@CARDS.update("cards update", example="7cqs1 --name 'Summer collection'")
class UpdateCard(Composed, kw_only=True):
    """Replace fields of a card."""

    card_id: Id
    name: CardName | None = None


@CARDS.delete("cards delete", confirm_prompt="Delete the card {card_id}", example="7cqs1")
class DeleteCard(InAccount):
    """Delete a card."""

    card_id: Id


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
