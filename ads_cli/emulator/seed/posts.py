"""Seed data: posts that are published, drafted and scheduled, and what line items promote."""

from datetime import UTC, datetime, timedelta

from ..resources import promoted
from ..resources.collection import Collection
from ..resources.media import ACCOUNT_MEDIA
from ..resources.posts import CONTENT, DRAFT, SCHEDULED, WAITING, publish
from ..storage import Record, Store
from . import creatives
from .accounts import SHOP, USER, of_shop
from .line_items import (
    CALENDAR,
    CLICKS,
    EARLIER,
    ENDED,
    FOLLOWERS,
    INSTALLS,
    LOOKS,
    PREROLLS,
    REACH,
    SALE,
    STARTED,
    SUMMER,
)

SPRING_POST, PUBLISHED_POST = "1790415000000000001", "1790415000000000016"
GREEN_DRAFT, MARKET_DRAFT, IDEA_DRAFT = "1790416000000000001", "1790416000000000002", "1790416000000000003"
OFFER, WINTER, DONE = "1790415000000000003", "1790415000000000004", "1790415000000000005"

POSTS: dict[str, Record] = {
    SPRING_POST: {
        "name": "Spring",
        "text": "The mugs of spring are here",
        "card_uri": f"card://{creatives.COLLECTION}",
    },
    "1790415000000000010": {
        "name": "Workshop tour",
        "text": "Forty steps from clay to cup: a tour of our workshop ☕️",
        "media_keys": [creatives.VIDEO],
    },
    "1790415000000000011": {
        "name": "Spring hats",
        "text": "Hats for windy days, of wool from Jutland 🧶",
        "media_keys": [creatives.IMAGE, creatives.SQUARE],
    },
    "1790415000000000012": {
        "name": "Favourite mug",
        "text": "White, blue or speckled: which one is yours?",
        "card_uri": f"card://{creatives.POLL}",
    },
    "1790415000000000013": {
        "name": "Shop app",
        "text": "The whole shop in your pocket",
        "card_uri": f"card://{creatives.SHOP_APP}",
    },
    "1790415000000000014": {
        "name": "Crafts fair",
        "text": "We are at the crafts fair in Kiel this weekend: stand 14, beside the kiln!",
        "nullcast": False,
    },
    "1790415000000000015": {"text": "@kontoracht Thank you, see you there!", "nullcast": False},
}
DRAFTS: dict[str, Record] = {
    GREEN_DRAFT: {
        "name": "Green mugs",
        "text": "The green mugs are coming. Who is first? 💚",
        "media_keys": [creatives.IMAGE],
    },
    MARKET_DRAFT: {
        "name": "Christmas market",
        "text": "Advent at Nordlicht: 24 doors, 24 small things",
        "card_uri": f"card://{creatives.COLLECTION}",
    },
    IDEA_DRAFT: {"text": "Something about glazes?", "nullcast": False},
}
CREATED = "2024-03-02T10:30:00Z"
DRAFTED = "2026-02-18T16:20:00Z"


def seed(store: Store) -> None:
    """Add posts to an account; the scheduled ones lie ahead of the time of the seeding."""
    for number, (post, fields) in enumerate(POSTS.items()):
        made = datetime.fromisoformat(CREATED) + timedelta(days=9 * number, minutes=47 * number)
        _add_post(store, post, fields, made)
    for draft, fields in DRAFTS.items():
        content = CONTENT | {"user_id": USER} | fields
        store.add(DRAFT, draft, content, owner=SHOP, created_at=DRAFTED)
    _add_scheduled(store)


def _add_post(store: Store, post: str, fields: Record, made: datetime) -> None:
    content = {name: value for name, value in CONTENT.items() if name != "user_id"} | fields
    of_user = {"conversation_settings": "EVERYONE", "user": {"id": USER}}
    publish(of_shop(store), content | of_user, id=post, at=_text(made))


def _add_scheduled(store: Store) -> None:
    """Schedule posts for the next days, and one that was published."""
    today = datetime.now(UTC).replace(hour=8, minute=0)
    tomorrow, later, published = (today + timedelta(days=days) for days in (1, 4, -6))
    done = {"name": "New glazes", "text": "Three new glazes: moss, rust and fog"}
    _add_post(store, PUBLISHED_POST, done | {"scheduled_at": _text(published)}, published)
    offer = {"name": "Offer of the week", "text": "This week: two mugs for the price of one ☕️☕️"}
    winter = {
        "name": "Winter evening",
        "text": "Long evenings need warm hands. Our fire bowls are back 🔥",
        "media_keys": [creatives.SQUARE],
    }
    success = {"scheduled_status": "SUCCESS", "completed_at": _text(published), "post_id": PUBLISHED_POST}
    for post, fields, at in (
        (DONE, done | success, published),
        (OFFER, offer, tomorrow),
        (WINTER, winter, later),
    ):
        waiting = {"scheduled_status": WAITING, "completed_at": None, "post_id": None}
        content = CONTENT | {"user_id": USER, "scheduled_at": _text(at)} | waiting | fields
        store.add(SCHEDULED, post, content, owner=SHOP, created_at=_text(published - timedelta(days=3)))


def _text(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:00Z}"


HATS, POLL, SHOP_APP = "1790415000000000011", "1790415000000000012", "1790415000000000013"
TOUR = "1790415000000000010"
PROMOTED = {
    "7pt01": (CLICKS, SPRING_POST),
    "7pt02": (CLICKS, TOUR),
    "7pt03": (REACH, SPRING_POST),
    "7pt04": (INSTALLS, SHOP_APP),
    "7pt05": (SUMMER, SPRING_POST),
    "7pt06": (SALE, HATS),
    "7pt07": (CALENDAR, POLL),
    "7pt08": (LOOKS, HATS),
}
ENDED_POST = "7pt00"
ACCOUNT, SCHEDULED_POST, MEDIUM, CALL_TO_ACTION = "7pa01", "7ps01", "7pm01", "7pc01"


def seed_promoted(store: Store) -> None:
    """Add what the line items of an account promote."""

    def add(collection: Collection, id: str, line_item: str, fields: Record, at: str = STARTED) -> None:
        record = {"id": id, "line_item_id": line_item, **fields}
        collection.put(store, record, owner=SHOP, created_at=at)

    add(promoted.PROMOTED_POSTS, ENDED_POST, ENDED, {"post_id": SPRING_POST}, EARLIER)
    for id, (line_item, post) in PROMOTED.items():
        add(promoted.PROMOTED_POSTS, id, line_item, {"post_id": post})
    add(promoted.PROMOTED_ACCOUNTS, ACCOUNT, FOLLOWERS, {"user_id": USER})
    add(promoted.SCHEDULED_POSTS, SCHEDULED_POST, REACH, {"scheduled_post_id": WINTER})
    film = store.find_all(ACCOUNT_MEDIA, SHOP, creative_type="PREROLL")[0]
    shown = {"account_media_id": film["id"], "creative_type": "PREROLL"}
    add(promoted.MEDIA_CREATIVES, MEDIUM, PREROLLS, shown)
    action = {"call_to_action": "SHOP", "call_to_action_url": "https://shop.example/workshop"}
    add(promoted.CALL_TO_ACTIONS, CALL_TO_ACTION, PREROLLS, action)
