"""Seed data: media, and cards of every kind."""

from ..resources import cards, media
from ..storage import Record, Store
from .accounts import SHOP, of_shop

IMAGE, SQUARE, VIDEO, TALL, GIF = (
    "3_1790412874512007168",
    "3_1790412951338500096",
    "13_1790413002217308160",
    "13_1790413077454729216",
    "16_1790413120555520000",
)
BANNER = "4k2b1"  # account media
COLLECTION, TOUR, SHOP_APP = "7cqs1", "7cqs2", "7cqs4"
POLL, CONVERSATION, IMAGE_CONVERSATION = "7cqt1", "7cqt8", "7cp02"
CREATED = "2024-03-02T10:30:00Z"

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


def _details(page: str, title: str) -> Record:
    destination = {"type": "WEBSITE", "url": f"https://shop.example/{page}"}
    return {"type": "DETAILS", "title": title, "destination": destination}


INSTALL_BUTTON: Record = {
    "type": "BUTTON",
    "label": {"type": "ENUM", "value": "INSTALL"},
    "destination": {"type": "APP", "country_code": "DE", "android_store_app_id": "example.nordlicht"},
}
CARDS: dict[str, Record] = {
    COLLECTION: {
        "name": "Spring collection",
        "components": [{"type": "MEDIA", "media_key": IMAGE}, _details("spring", "The spring collection")],
    },
    TOUR: {
        "name": "Workshop tour",
        "slides": [
            [{"type": "MEDIA", "media_key": VIDEO}, _details("workshop", "See how mugs are made")],
            [{"type": "MEDIA", "media_key": SQUARE}, _details("hats", "Hats for the way home")],
        ],
    },
    SHOP_APP: {
        "name": "Shop app",
        "components": [{"type": "SWIPEABLE_MEDIA", "media_keys": [IMAGE, SQUARE]}, INSTALL_BUTTON],
    },
}
POLL_REQUEST: Record = {
    "id": POLL,
    "name": "Favourite mug",
    "first_choice": "White",
    "second_choice": "Blue",
    "third_choice": "Speckled",
    "duration_in_minutes": 1440,
}
QUESTION_REQUEST: Record = {
    "id": IMAGE_CONVERSATION,
    "name": "Tea or coffee",
    "media_key": IMAGE,
    "title": "Which is yours?",
    "first_cta": "#TeamTea",
    "first_cta_tweet": "Tea for me #TeamTea",
    "second_cta": "#TeamCoffee",
    "second_cta_tweet": "Coffee, black #TeamCoffee",
    "thank_you_text": "See you in the shop",
}
CONVERSATION_REQUEST: Record = {
    "id": CONVERSATION,
    "name": "Mug or glass",
    "media_key": VIDEO,
    "first_cta": "#TeamMug",
    "first_cta_tweet": "A mug for me, please #TeamMug",
    "second_cta": "#TeamGlass",
    "second_cta_tweet": "I take the glass #TeamGlass",
    "thank_you_text": "Cheers!",
    "thank_you_url": "https://shop.example/cheers",
}


def seed(store: Store) -> None:
    """Add media and cards to an account, with the fields that the handlers would store."""
    for key, fields in LIBRARY.items():
        whole = {"id": key} | (media.uploaded_media(key) or {}) | fields
        media.MEDIA_LIBRARY.put(store, whole, owner=SHOP, created_at=CREATED)
        media.add_preroll(of_shop(store), whole, CREATED)
    banner = {"creative_type": "BANNER", "video_id": None, "media_url": f"{media.HOST}/banner.png"}
    store.add(media.ACCOUNT_MEDIA, BANNER, banner, owner=SHOP, created_at=CREATED)
    _add_cards(store)


def _add_cards(store: Store) -> None:
    for id, fields in CARDS.items():
        card = cards.with_uri(cards.composed(of_shop(store), {"id": id, **fields}))
        cards.CARDS.put(store, card, owner=SHOP, created_at=CREATED)
    poll = cards.with_uri(cards.poll_fields(of_shop(store), POLL_REQUEST, CREATED))
    cards.POLL_CARDS.put(store, poll, owner=SHOP, created_at=CREATED)
    video = cards.new_conversation(of_shop(store), cards.VIDEO, CONVERSATION_REQUEST)
    cards.VIDEOS.put(store, video, owner=SHOP, created_at=CREATED)
    image = cards.new_conversation(of_shop(store), cards.IMAGE, QUESTION_REQUEST)
    cards.IMAGES.put(store, image, owner=SHOP, created_at="2023-11-20T09:00:00Z")
