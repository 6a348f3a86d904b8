"""Cards made of components, polls, and conversation cards.

All cards are records of one kind; their type decides which endpoints return them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, get_args

from ...api import cards, conversations
from ...api.cards import CardType, FetchCard, FetchCards, ListCards
from ...api.endpoint import Resource
from ...api.time import Time
from ...api.validation import convert
from ..core.handlers import AccountContext, RequestContext, handler
from ..core.paging import field_in
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, utc_now, without
from .accounts import require_feature
from .collection import EVERYWHERE, Collection
from .media import LIBRARY, find_media, media_size, require_fit_for_card, require_ratio, video_fields

CARD = "card"
COMPONENT_CARDS: tuple[str, ...] = get_args(CardType)
COMPOSITION = ("components", "slides")
SORTABLE = ("name", "card_type")
SQUARE, IMAGE_RATIO, VIDEO_RATIO = "1:1", "1.91:1", "16:9"
CARD_RATIOS = {"IMAGE": (SQUARE, IMAGE_RATIO), "VIDEO": (SQUARE, VIDEO_RATIO)}


def composed(context: AccountContext, card: Record) -> Record:
    """Return a card with what its components or slides determine, including its type."""
    name = "components" if card.get("slides") is None else "slides"
    slides = card.get("slides") or [card.get("components") or []]
    components = [component for slide in slides for component in slide]
    keys = [component["media_key"] for component in components if "media_key" in component]
    swipeable = [key for component in components for key in component.get("media_keys", ())]
    media = find_media(context, name, [*keys, *swipeable])
    for record in media:
        require_fit_for_card(record, name, *CARD_RATIOS.get(record["media_type"], (SQUARE,)))
    media_types = sorted({record["media_type"] for record in media})
    is_mixed = len(media_types) > 1
    media_type = "MIXED_MEDIA" if is_mixed else media_types[0]
    goal = "APP" if any(component["type"] == "BUTTON" for component in components) else "WEBSITE"
    if name == "slides":
        layout = "_MULTI_DEST_CAROUSEL"
    elif swipeable:
        layout = "_SINGLE_DEST_CAROUSEL" if is_mixed else "_CAROUSEL"
    else:
        layout = ""
    card_type = f"{media_type}{layout}_{goal}"
    if card_type not in COMPONENT_CARDS:
        raise invalid_parameter(name, f"would make a card of type {card_type}, which does not exist")
    composition = {name: card.get(name) for name in COMPOSITION}
    return {**without(card, *COMPOSITION), "card_type": card_type, **composition}


def with_uri(card: Record) -> Record:
    """Add to a card its address, by which posts name it."""
    return card | {"card_uri": f"card://{card['id']}"}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a card with what its components or slides determine; raise ApiError for older kinds."""
    if before is None:
        return with_uri(composed(context, after))
    if before["card_type"] not in COMPONENT_CARDS:
        message = f"cards of type {before['card_type']} cannot be updated here"
        raise ApiError(405, "METHOD_NOT_ALLOWED", message)
    changed = {name: after[name] for name in COMPOSITION if after[name] != before[name]}
    return after | composed(context, changed) if changed else after


def _require_components(context: RequestContext, card: Record) -> None:
    """Raise ApiError (404) for older kinds, which have requests of their own."""
    if card["card_type"] not in COMPONENT_CARDS:
        raise not_found(CARD, card["id"])


def _of_types(context: RequestContext, request: ListCards) -> Mapping[str, Any]:
    """List the cards made of components, on request also the older kinds."""
    types = request.card_types or (None if request.include_legacy_cards else COMPONENT_CARDS)
    return field_in("card_type", types)


CARDS = Collection(
    cards.CARDS,
    filters={"card_uris": "card_uri"},
    sortable=SORTABLE,
    prepare=_prepared,
    before_delete=_require_components,
    conditions=_of_types,
)


@handler(FetchCards)
def _fetch_cards(context: RequestContext, request: FetchCards) -> Result:
    """Return the cards with some addresses; unknown ones are left out."""
    ids = (uri.removeprefix("card://") for uri in dict.fromkeys(request.card_uris))
    deleted = bool(request.with_deleted)
    records = (context.find(CARD, id, with_deleted=deleted) for id in ids)
    return Result([_flat(context, card) for card in records if card])


@handler(FetchCard)
def _fetch_card(context: RequestContext, request: FetchCard) -> Result:
    card = context.require(CARD, request.card_id, with_deleted=bool(request.with_deleted))
    return Result(_flat(context, card))


def _flat(context: RequestContext, card: Record) -> Record:
    """Return a card as one record of texts, without what is not set."""
    if card["card_type"] in COMPONENT_CARDS:
        parts = card["components"] or card["slides"][0]
        own = without(card, *COMPOSITION)
        for part in parts:
            own |= _flat_part(context, card, part)
        card = own
    return {name: _text(value) for name, value in card.items() if value is not None}


def _text(value: Any) -> Any:
    return value if isinstance(value, bool | str) else str(value)


def _flat_part(context: RequestContext, card: Record, part: Record) -> Record:
    """Return the fields of a card that one of its components determines; of several media, the first."""
    if "destination" not in part:
        key = part.get("media_key") or part["media_keys"][0]
        media = context.find(LIBRARY, key, with_deleted=True)
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
    width, height = media_size(media)
    name = "wide_app_image" if card_type.endswith("_APP") else "image"
    return {name: media["media_url"], "image_display_width": width, "image_display_height": height}


TEXT_POLLS = "TEXT_POLLS"
POLLS = (TEXT_POLLS, "VIDEO_POLLS", "IMAGE_POLLS", "GIF_POLLS")
MEDIA_POLLS = "PROMOTED_MEDIA_POLLS"  # the feature of polls with media
CHOICES = ("first_choice", "second_choice", "third_choice", "fourth_choice")


def poll_fields(context: AccountContext, poll: Record, start: str) -> Record:
    """Return a poll that starts at a time; the media key is write-only."""
    end = datetime.fromisoformat(start) + timedelta(minutes=poll["duration_in_minutes"])
    times = {"start_time": start, "end_time": Time.parse(end.isoformat())}
    shown = dict.fromkeys(("name", *CHOICES, "duration_in_minutes")) | without(poll, "media_key")
    return shown | times | _poll_media(context, poll.get("media_key"))


def _poll_media(context: AccountContext, media_key: str | None) -> Record:
    """Return the type of a poll, and the fields of its video."""
    if media_key is None:
        return {"card_type": TEXT_POLLS}
    (media,) = find_media(context, "media_key", [media_key])
    if media["media_type"] == "IMAGE":
        require_ratio(media, "media_key", IMAGE_RATIO)
    require_fit_for_card(media, "media_key", IMAGE_RATIO, VIDEO_RATIO)
    fields: Record = {"card_type": f"{media['media_type']}_POLLS"}
    if media["media_type"] == "VIDEO":
        fields |= video_fields(media)
    return fields


def _prepared_poll(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a poll that starts now; raise ApiError for media that the account or the poll cannot have."""
    if "media_key" in after:
        require_feature(context, MEDIA_POLLS, "media_key")
    return with_uri(poll_fields(context, after, utc_now()))


Collection(
    conversations.POLL,
    sortable=(*SORTABLE, "start_time", "end_time"),
    only={"card_type": POLLS},
    purged_in=EVERYWHERE,
    prepare=_prepared_poll,
)


class ConversationKind(NamedTuple):
    """A kind of conversation cards, and the media that it shows."""

    media_type: str
    aspect_ratio: str
    create: type[conversations.NewConversation]

    @property
    def fields(self) -> list[str]:
        """The fields that a request may set and that a card shows."""
        return [name for name in self.create.__struct_fields__ if name not in ("account_id", *WRITE_ONLY)]


# Media keys that responses do not include, with the required media type.
WRITE_ONLY = {
    "poster_media_key": "IMAGE",
    "unlocked_image_media_key": "IMAGE",
    "unlocked_video_media_key": "VIDEO",
}
IMAGE = ConversationKind("IMAGE", IMAGE_RATIO, conversations.CreateImageConversation)
VIDEO = ConversationKind("VIDEO", VIDEO_RATIO, conversations.CreateVideoConversation)


def new_conversation(context: AccountContext, kind: ConversationKind, fields: Record) -> Record:
    """Return a new card as it is stored."""
    shown = dict.fromkeys(kind.fields) | _with_media(context, kind, fields)
    return with_uri(shown | {"card_type": f"{kind.media_type}_CONVERSATION"})


def _with_media(context: AccountContext, kind: ConversationKind, fields: Record) -> Record:
    """Return fields of a card with what its media determine; raise ApiError for media that it cannot show."""
    shown = without(fields, *WRITE_ONLY)
    if key := fields.get("media_key"):
        (media,) = find_media(context, "media_key", [key], kind.media_type)
        require_ratio(media, "media_key", kind.aspect_ratio)
        require_fit_for_card(media, "media_key", kind.aspect_ratio)
        shown |= _shown_media(media, context.user)
    for name, media_type in WRITE_ONLY.items():
        if key := fields.get(name):
            (media,) = find_media(context, name, [key], media_type)
            if name == "poster_media_key":
                shown["poster_media_url"] = media["media_url"]
    return shown


def _shown_media(media: Record, user: str) -> Record:
    """Return the fields of a conversation that shows an image or a video."""
    url, (width, height) = media["media_url"], media_size(media)
    if media["media_type"] == "IMAGE":
        return {"media_url": url, "image_display_width": width, "image_display_height": height}
    of_video = {"poster_media_url": media["poster_media_url"], "video_owner_id": user}
    return {"media_url": url, **of_video, "video_width": width, "video_height": height}


def _declare_conversations(kind: ConversationKind, resource: Resource, purged_in: Sequence[str]) -> None:
    def prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
        """Return a card with its media; a changed one must satisfy the rules of a new one."""
        if before is None:
            return new_conversation(context, kind, after)
        changed = {name: value for name, value in after.items() if value != before.get(name)}
        after = before | _with_media(context, kind, changed)
        values = {name: after[name] for name in kind.fields if name in after}
        convert(kind.create, values | {"account_id": context.account})
        return after

    Collection(
        resource,
        sortable=(*SORTABLE, "title"),
        only={"card_type": [f"{kind.media_type}_CONVERSATION"]},
        purged_in=purged_in,
        prepare=prepared,
    )


_declare_conversations(IMAGE, conversations.IMAGE_CONVERSATIONS, ("x",))  # the specification marks them only
_declare_conversations(VIDEO, conversations.VIDEO_CONVERSATIONS, EVERYWHERE)
