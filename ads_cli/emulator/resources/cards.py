"""Cards made of components, polls, and what all kinds of cards share.

All cards are records of one kind; their type decides which endpoints return them.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, get_args

import msgspec

from ...api.cards import (
    Button,
    CardType,
    Composed,
    CreateCard,
    DeleteCard,
    FetchCard,
    FetchCards,
    GetCard,
    ListCards,
    Media,
    SwipeableMedia,
    UpdateCard,
)
from ...api.conversations import CreatePoll, DeletePoll, GetPoll, ListPolls
from ...api.time import Time
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, Store, random_base36, utc_now
from .accounts import require_account, require_record
from .media import LIBRARY, find_media, image_size, require_fit_for_card, video_fields
from .settings import require_feature

CARD = "card"
COMPONENT_CARDS: tuple[str, ...] = get_args(CardType)
SORTABLE = ("name", "card_type")
SQUARE, IMAGE_RATIO, VIDEO_RATIO = "1:1", "1.91:1", "16:9"
CARD_RATIOS = {"IMAGE": (SQUARE, IMAGE_RATIO), "VIDEO": (SQUARE, VIDEO_RATIO)}


def add_card(
    store: Store, account: str, fields: Record, *, id: str | None = None, created_at: str | None = None
) -> Record:
    """Store a new card, with a card_uri derived from its id."""
    id = id or random_base36()
    return store.add(CARD, id, fields | {"card_uri": f"card://{id}"}, owner=account, created_at=created_at)


def require_card(
    context: RequestContext,
    account: str,
    card: str,
    types: Collection[str],
    *,
    with_deleted: bool | None = None,
) -> Record:
    """Return a card of one of some types; raise ApiError (404) if there is none."""
    record = require_record(context, account, CARD, card, with_deleted=with_deleted)
    if record["card_type"] not in types:
        raise not_found(CARD, card)
    return record


def component_fields(store: Store, account: str, request: Composed) -> Record:
    """Return the fields of a card that its components or slides determine, including its type."""
    has_slides = request.slides is not None
    slides = request.slides or [request.components or []]
    name = "slides" if has_slides else "components"
    components = [component for slide in slides for component in slide]
    keys = [component.media_key for component in components if isinstance(component, Media)]
    swipeable = [component.media_keys for component in components if isinstance(component, SwipeableMedia)]
    media = find_media(store, account, name, [*keys, *(key for keys in swipeable for key in keys)])
    for record in media:
        require_fit_for_card(record, name, *CARD_RATIOS.get(record["media_type"], (SQUARE,)))
    media_types = {record["media_type"] for record in media}
    is_mixed = len(media_types) > 1
    goal = "APP" if any(isinstance(component, Button) for component in components) else "WEBSITE"
    if has_slides:
        layout = "_MULTI_DEST_CAROUSEL"
    elif swipeable:
        layout = "_SINGLE_DEST_CAROUSEL" if is_mixed else "_CAROUSEL"
    else:
        layout = ""
    if is_mixed:
        media_type = "MIXED_MEDIA"
    else:
        (media_type,) = media_types
    card_type = f"{media_type}{layout}_{goal}"
    if card_type not in COMPONENT_CARDS:
        raise invalid_parameter(name, f"would make a card of type {card_type}, which does not exist")
    return {
        "card_type": card_type,
        "components": msgspec.to_builtins(request.components),
        "slides": msgspec.to_builtins(request.slides),
    }


@handler(ListCards)
def list_cards(context: RequestContext, request: ListCards) -> Result:
    """List the cards made of components, on request also the older kinds."""
    require_account(context, request.account_id)
    types = request.card_types or (None if request.include_legacy_cards else COMPONENT_CARDS)
    return list_page(
        context.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_id,
        sortable=SORTABLE,
        where=field_in("card_type", types) | field_in("card_uri", request.card_uris),
    )


@handler(GetCard)
def get_card(context: RequestContext, request: GetCard) -> Result:
    """Return one card of any kind."""
    account, card = request.account_id, request.card_id
    return Result(require_record(context, account, CARD, card, with_deleted=request.with_deleted))


@handler(CreateCard)
def create_card(context: RequestContext, request: CreateCard) -> Result:
    """Create a card from components or slides."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        fields = {"name": request.name} | component_fields(context.store, account, request)
        return Result(add_card(context.store, account, fields))


@handler(UpdateCard)
def update_card(context: RequestContext, request: UpdateCard) -> Result:
    """Replace the name, and the components or slides."""
    account, card = request.account_id, request.card_id
    with context.store.transaction():
        card_type = require_record(context, account, CARD, card)["card_type"]
        if card_type not in COMPONENT_CARDS:
            raise ApiError(405, "METHOD_NOT_ALLOWED", f"cards of type {card_type} cannot be updated here")
        fields: Record = {} if request.name is None else {"name": request.name}
        if request.components is not None or request.slides is not None:
            fields |= component_fields(context.store, account, request)
        return Result(context.store.update(CARD, card, fields, owner=account))


@handler(DeleteCard)
def delete_card(context: RequestContext, request: DeleteCard) -> Result:
    """Mark a card made of components as deleted."""
    return delete_of_type(context, request.account_id, request.card_id, COMPONENT_CARDS)


def delete_of_type(
    context: RequestContext, account: str, card: str, types: Collection[str], *, permanently: bool = False
) -> Result:
    """Delete a card of one of some types; the answer says that it is deleted, even if it is gone."""
    with context.store.transaction():
        require_card(context, account, card, types)
        deleted = context.store.delete(CARD, card, owner=account)
        if permanently:
            context.store.purge(CARD, account, card)
        return Result(deleted)


@handler(FetchCards)
def fetch_cards(context: RequestContext, request: FetchCards) -> Result:
    """Return the cards with some addresses; unknown ones are left out."""
    account = request.account_id
    require_account(context, account)
    ids = (uri.removeprefix("card://") for uri in dict.fromkeys(request.card_uris))
    deleted = bool(request.with_deleted)
    found = (context.store.find(CARD, id, owner=account, with_deleted=deleted) for id in ids)
    return Result([_flat(context, account, card) for card in found if card])


@handler(FetchCard)
def fetch_card(context: RequestContext, request: FetchCard) -> Result:
    """Return one card."""
    account = request.account_id
    card = require_record(context, account, CARD, request.card_id, with_deleted=request.with_deleted)
    return Result(_flat(context, account, card))


def _flat(context: RequestContext, account: str, card: Record) -> Record:
    """Return a card as one record of texts, without what is not set."""
    if card["card_type"] in COMPONENT_CARDS:
        parts = card["components"] or card["slides"][0]
        own = {name: value for name, value in card.items() if name not in ("components", "slides")}
        for part in parts:
            own |= _flat_part(context, account, card, part)
        card = own
    return {name: _text(value) for name, value in card.items() if value is not None}


def _text(value: Any) -> Any:
    return value if isinstance(value, bool | str) else str(value)


def _flat_part(context: RequestContext, account: str, card: Record, part: Record) -> Record:
    """Return the fields of a card that one of its components determines; of several media, the first."""
    if "destination" not in part:
        key = part.get("media_key") or part["media_keys"][0]
        media = context.store.find(LIBRARY, key, owner=account, with_deleted=True)
        return _media_fields(context.user, card["card_type"], media) if media else {}
    destination = {name: value for name, value in part["destination"].items() if name != "type"}
    if "url" not in destination:
        return destination | {"app_cta": part["label"]["value"]}
    url = destination["url"]
    return {
        "title": part["title"],
        "website_url": url,
        "website_dest_url": url,
        "website_display_url": url.partition("://")[2].partition("/")[0],
        "website_shortened_url": f"https://short.example/{card['id']}",
    }


def _media_fields(user: str, card_type: str, media: Record) -> Record:
    if media["media_type"] == "VIDEO":
        return video_fields(media) | {"video_content_id": media["media_key"], "video_owner_id": user}
    width, height = image_size(media)
    name = "wide_app_image" if card_type.endswith("_APP") else "image"
    return {name: media["media_url"], "image_display_width": width, "image_display_height": height}


TEXT_POLLS = "TEXT_POLLS"
POLLS = (TEXT_POLLS, "VIDEO_POLLS", "IMAGE_POLLS", "GIF_POLLS")
MEDIA_POLLS = "PROMOTED_MEDIA_POLLS"  # the feature of polls with media


def poll_fields(store: Store, request: CreatePoll, start: str) -> Record:
    """Return the fields of a poll that starts at a time; the media key is write-only."""
    end = datetime.fromisoformat(start) + timedelta(minutes=request.duration_in_minutes)
    return {
        "name": request.name,
        "first_choice": request.first_choice,
        "second_choice": request.second_choice,
        "third_choice": request.third_choice,
        "fourth_choice": request.fourth_choice,
        "duration_in_minutes": request.duration_in_minutes,
        "start_time": start,
        "end_time": Time.parse(end.isoformat()),
        **_poll_media(store, request),
    }


def _poll_media(store: Store, request: CreatePoll) -> Record:
    """Return the type of a poll, and the fields of its video."""
    if request.media_key is None:
        return {"card_type": TEXT_POLLS}
    (media,) = find_media(store, request.account_id, "media_key", [request.media_key])
    if media["media_type"] == "IMAGE" and media["aspect_ratio"] != IMAGE_RATIO:
        reason = f"the aspect ratio of the image is {media['aspect_ratio']}, not {IMAGE_RATIO}"
        raise invalid_parameter("media_key", reason)
    require_fit_for_card(media, "media_key", IMAGE_RATIO, VIDEO_RATIO)
    fields: Record = {"card_type": f"{media['media_type']}_POLLS"}
    if media["media_type"] == "VIDEO":
        fields |= video_fields(media)
    return fields


@handler(ListPolls)
def list_polls(context: RequestContext, request: ListPolls) -> Result:
    """List the poll cards of an account."""
    require_account(context, request.account_id)
    return list_page(
        context.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "start_time", "end_time"),
        where=field_in("card_type", POLLS),
    )


@handler(GetPoll)
def get_poll(context: RequestContext, request: GetPoll) -> Result:
    """Return one poll card."""
    account, card, deleted = request.account_id, request.card_id, request.with_deleted
    return Result(require_card(context, account, card, POLLS, with_deleted=deleted))


@handler(CreatePoll)
def create_poll(context: RequestContext, request: CreatePoll) -> Result:
    """Create a poll card."""
    with context.store.transaction():
        require_account(context, request.account_id)
        if request.media_key is not None:
            require_feature(context, request.account_id, MEDIA_POLLS, "media_key")
        fields = poll_fields(context.store, request, utc_now())
        return Result(add_card(context.store, request.account_id, fields))


@handler(DeletePoll)
def delete_poll(context: RequestContext, request: DeletePoll) -> Result:
    """Delete a poll card."""
    return delete_of_type(context, request.account_id, request.card_id, POLLS, permanently=True)
