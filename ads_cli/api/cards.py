"""Cards made of components, and cards of any kind by their addresses."""

from typing import Annotated

from msgspec import Meta

from .components import CardType, Composed
from .endpoint import endpoint
from .types import CardUri, Cursor, Id, Ids, InAccount, PageInAccount, WithDeleted, sortable
from .validation import rule

CARD_COLUMNS = "id name card_type card_uri deleted"
FETCHED_COLUMNS = "id name card_type title card_uri deleted"
CARD_FIELDS = ("components", "slides", "created_at", "updated_at")

CardUris = Annotated[
    list[CardUri], Meta(min_length=1, max_length=200, description="Only these, separated by commas")
]
CardName = Annotated[str, Meta(min_length=1, max_length=80)]
CardQuery = Annotated[str, Meta(max_length=80, description="Only names that start with this, ignoring case")]
CardSort = Annotated[str, sortable("name")]
CardPageSize = Annotated[int, Meta(ge=1, le=200, description="Records per page", extra={"default": 100})]


@endpoint(
    "GET /12/accounts/{account_id}/cards",
    "cards list",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    example="--card-types IMAGE_WEBSITE,IMAGE_APP --q Spring",
)
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


@endpoint(
    "GET /12/accounts/{account_id}/cards/{card_id}",
    "cards get",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    example="7cqs1",
)
class GetCard(OneCard):
    """Show one card."""


@endpoint(
    "POST /12/accounts/{account_id}/cards",
    "cards create",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    params_in="json",
    example="-f card.yaml",
)
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


@endpoint(
    "PUT /12/accounts/{account_id}/cards/{card_id}",
    "cards update",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    params_in="json",
    example="7cqs1 --name 'Summer collection'",
)
class UpdateCard(Composed, kw_only=True):
    """Replace fields of a card."""

    card_id: Id
    name: CardName | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/{card_id}",
    "cards delete",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    confirm_prompt="Delete the card {card_id}",
    example="7cqs1",
)
class DeleteCard(InAccount):
    """Delete a card."""

    card_id: Id


@endpoint(
    "GET /12/accounts/{account_id}/cards/all",
    "cards fetch",
    columns=FETCHED_COLUMNS,
    example="card://7cqs1 card://7cqt1",
)
class FetchCards(InAccount, kw_only=True):
    """Show cards of any kind by their addresses, as posts have them."""

    card_uris: Annotated[CardUris, Meta(extra={"argument": "CARD..."})]
    with_deleted: WithDeleted | None = None


@endpoint(
    "GET /12/accounts/{account_id}/cards/all/{card_id}",
    "cards fetch",
    columns=FETCHED_COLUMNS,
    example="7cqs1",
)
class FetchCard(OneCard):
    """Show one card of any kind by its id."""

    card_id: Annotated[Id, Meta(extra={"argument": "CARD..."})]
