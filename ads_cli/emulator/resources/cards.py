"""Cards made of components, and what cards of all kinds share.

Every card is a record of one kind; its type tells which endpoints show it.
"""

from collections.abc import Collection
from typing import get_args

import msgspec

from ...api.cards import CreateCard, DeleteImageConversation, GetCard, ListCards, UpdateCard
from ...api.components import Button, CardType, Composed, Media, SwipeableMedia
from ..core import ids
from ..core.paging import among, listed
from ..core.responses import ApiError, Result, invalid, not_found
from ..core.routing import Call, handles
from ..core.store import Record, Store
from .accounts import held, known
from .media import in_library

CARD = "card"
COMPOSED: tuple[str, ...] = get_args(CardType)
IMAGE_CONVERSATION = "IMAGE_CONVERSATION"
SORTABLE = ("name", "card_type")


def add(
    store: Store, account: str, fields: Record, *, id: str | None = None, created_at: str | None = None
) -> Record:
    """Write down a new card, under an address of its own."""
    id = id or ids.word()
    return store.add(CARD, id, fields | {"card_uri": f"card://{id}"}, owner=account, created_at=created_at)


def card_of(
    call: Call, account: str, card: str, types: Collection[str], *, with_deleted: bool | None = None
) -> Record:
    """Give a card of some types; a card of another type is not found."""
    found = held(call, account, CARD, card, with_deleted=bool(with_deleted))
    if found["card_type"] not in types:
        raise not_found("the card", card)
    return found


def composed(store: Store, account: str, request: Composed) -> Record:
    """Give the fields of a card that follow from its components or slides, its type among them."""
    in_slides = request.slides is not None
    slides = request.slides or [request.components or []]
    name = "slides" if in_slides else "components"
    parts = [part for slide in slides for part in slide]
    keys = [part.media_key for part in parts if isinstance(part, Media)]
    several = [part.media_keys for part in parts if isinstance(part, SwipeableMedia)]
    media = in_library(store, account, name, [*keys, *(key for keys in several for key in keys)])
    types = {one["media_type"] for one in media}
    mixed = len(types) > 1
    goal = "APP" if any(isinstance(part, Button) for part in parts) else "WEBSITE"
    if in_slides:
        shape = "_MULTI_DEST_CAROUSEL"
    elif several:
        shape = "_SINGLE_DEST_CAROUSEL" if mixed else "_CAROUSEL"
    else:
        shape = ""
    card_type = f"{'MIXED_MEDIA' if mixed else types.pop()}{shape}_{goal}"
    if card_type not in COMPOSED:
        raise invalid(name, f"would make a card of type {card_type}, which there is not")
    return {
        "card_type": card_type,
        "components": msgspec.to_builtins(request.components),
        "slides": msgspec.to_builtins(request.slides),
    }


@handles(ListCards)
def list_cards(call: Call, request: ListCards) -> Result:
    """List the cards made of components, and the older kinds on request."""
    known(call, request.account_id)
    types = request.card_types or (None if request.include_legacy_cards else COMPOSED)
    return listed(
        call.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_id,
        sortable=SORTABLE,
        also=among("card_type", types) | among("card_uri", request.card_uris),
    )


@handles(GetCard)
def get_card(call: Call, request: GetCard) -> Result:
    """Show one card, of any kind."""
    return Result(
        held(call, request.account_id, CARD, request.card_id, with_deleted=bool(request.with_deleted))
    )


@handles(CreateCard)
def create_card(call: Call, request: CreateCard) -> Result:
    """Create a card of components or slides."""
    account = request.account_id
    with call.store.writing():
        known(call, account)
        fields = {"name": request.name} | composed(call.store, account, request)
        return Result(add(call.store, account, fields))


@handles(UpdateCard)
def update_card(call: Call, request: UpdateCard) -> Result:
    """Replace the name, and the components by components or slides."""
    account, card = request.account_id, request.card_id
    with call.store.writing():
        card_type = held(call, account, CARD, card)["card_type"]
        if card_type not in COMPOSED:
            raise ApiError(405, "METHOD_NOT_ALLOWED", f"cards of type {card_type} cannot be updated here")
        fields: Record = {} if request.name is None else {"name": request.name}
        if request.components is not None or request.slides is not None:
            fields |= composed(call.store, account, request)
        return Result(call.store.change(CARD, card, fields, owner=account))


@handles(DeleteImageConversation)
def delete_image_conversation(call: Call, request: DeleteImageConversation) -> Result:
    """Delete an image conversation, which only an older service could make."""
    account, card = request.account_id, request.card_id
    with call.store.writing():
        card_of(call, account, card, [IMAGE_CONVERSATION])
        return Result(call.store.delete(CARD, card, owner=account))
