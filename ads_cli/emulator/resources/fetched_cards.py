"""Cards of any kind, by their addresses or one by its id.

They are answered in the older form: one flat record, whose fields depend on the type of the card.
"""

from typing import Any

from ...api.cards import FetchCard, FetchCards
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage.store import Record
from .accounts import require_account, require_record
from .cards import CARD, COMPONENT_CARDS
from .media import LIBRARY, image_size, video_fields


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
