"""Creatives of the small world: media, cards of every kind, posts."""

import msgspec

from ...api.cards import CreateCard, CreatePoll, CreateVideoConversation
from ..core.store import Record, Store
from ..resources import cards, conversations, media, polls, posts

IMAGE, SQUARE, VIDEO, TALL, GIF = (
    "3_1790412874512007168",
    "3_1790412951338500096",
    "13_1790413002217308160",
    "13_1790413077454729216",
    "16_1790413120555520000",
)
BANNER = "4k2b1"  # account media
POST = "1790415000000000001"
COLLECTION, TOUR, SHOP_APP, POLL, CONVERSATION, OLD = "7cqs1", "7cqs2", "7cqs4", "7cqt1", "7cqt8", "7cp02"
MADE = "2024-03-02T10:30:00Z"

LIBRARY: dict[str, Record] = {
    IMAGE: {"name": "Spring table", "file_name": "spring-table.jpg"},
    SQUARE: {"name": "Blue hats", "file_name": "hats_blue.jpg", "aspect_ratio": "1:1"},
    VIDEO: {
        "name": "Workshop tour",
        "file_name": "workshop.mp4",
        "title": "How a mug is made",
        "description": "A tour of the workshop in spring",
        "posted": True,
    },
    TALL: {"name": "Kiln", "file_name": "kiln-tall.mp4", "aspect_ratio": "9:16", "duration": 8.5},
    GIF: {"name": "Steam", "file_name": "steam.gif"},
}


def _leads_to(page: str, title: str) -> Record:
    destination = {"type": "WEBSITE", "url": f"https://shop.example/{page}"}
    return {"type": "DETAILS", "title": title, "destination": destination}


INSTALL: Record = {
    "type": "BUTTON",
    "label": {"type": "ENUM", "value": "INSTALL"},
    "destination": {"type": "APP", "country_code": "DE", "android_store_app_id": "example.nordlicht"},
}
CARDS: dict[str, Record] = {
    COLLECTION: {
        "name": "Spring collection",
        "components": [{"type": "MEDIA", "media_key": IMAGE}, _leads_to("spring", "The spring collection")],
    },
    TOUR: {
        "name": "Workshop tour",
        "slides": [
            [{"type": "MEDIA", "media_key": VIDEO}, _leads_to("workshop", "See how mugs are made")],
            [{"type": "MEDIA", "media_key": SQUARE}, _leads_to("hats", "Hats for the way home")],
        ],
    },
    SHOP_APP: {
        "name": "Shop app",
        "components": [{"type": "SWIPEABLE_MEDIA", "media_keys": [IMAGE, SQUARE]}, INSTALL],
    },
}
ASKED: Record = {
    "name": "Favourite mug",
    "first_choice": "White",
    "second_choice": "Blue",
    "third_choice": "Speckled",
    "duration_in_minutes": 1440,
}
TALKED: Record = {
    "name": "Mug or glass",
    "media_key": VIDEO,
    "first_cta": "#TeamMug",
    "first_cta_tweet": "A mug for me, please #TeamMug",
    "second_cta": "#TeamGlass",
    "second_cta_tweet": "I take the glass #TeamGlass",
    "thank_you_text": "Cheers!",
    "thank_you_url": "https://shop.example/cheers",
}


def seed(store: Store, *, user: str, account: str) -> None:
    """Fill the media library, and make of it what the handlers would.

    The rules of the requests are not tried here: some of them load what takes long.
    """
    for key, told in LIBRARY.items():
        media.add(store, account, (media.new(key) or {}) | told, created_at=MADE)
    banner = {"creative_type": "BANNER", "video_id": None, "media_url": f"{media.HOST}/banner.png"}
    store.add(media.ACCOUNT_MEDIA, BANNER, banner, owner=account, created_at=MADE)
    for card, values in CARDS.items():
        request = msgspec.convert(values | {"account_id": account}, CreateCard)
        fields = {"name": request.name} | cards.composed(store, account, request)
        cards.add(store, account, fields, id=card, created_at=MADE)
    asked = polls.poll(store, msgspec.convert(ASKED | {"account_id": account}, CreatePoll), MADE)
    cards.add(store, account, asked, id=POLL, created_at=MADE)
    chosen = msgspec.convert(TALKED | {"account_id": account}, CreateVideoConversation)
    talked = conversations.conversation(store, user, chosen)
    cards.add(store, account, talked, id=CONVERSATION, created_at=MADE)
    old = {"name": "Tea or coffee", "title": "Which is yours?", "card_type": cards.IMAGE_CONVERSATION}
    cards.add(store, account, old, id=OLD, created_at="2023-11-20T09:00:00Z")
    said: Record = {
        "name": "Spring",
        "text": "The mugs of spring are here",
        "card_uri": f"card://{COLLECTION}",
    }
    said |= {"media_keys": [], "nullcast": True, "user": {"id": user}}
    store.add(posts.POST, POST, said, owner=account, created_at=MADE)
