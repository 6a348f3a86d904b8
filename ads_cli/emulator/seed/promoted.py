"""Seed data: what the line items promote."""

from ..resources import promoted
from ..resources.media import ACCOUNT_MEDIA
from ..resources.promoted import CALL_TO_ACTIONS, MEDIA_CREATIVES
from ..storage import Record, Store
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
from .posts import SPRING_POST, WINTER

TOUR, HATS = "1790415000000000010", "1790415000000000011"
POLL, SHOP_APP = "1790415000000000012", "1790415000000000013"
POSTS = {
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


def seed(store: Store, *, user: str, account: str) -> None:
    """Add what the line items of an account promote."""

    def add(kind: str, id: str, fields: Record, at: str = STARTED) -> None:
        store.add(kind, id, fields, owner=account, created_at=at)

    posts = promoted.PROMOTED_POSTS
    ended = {"line_item_id": ENDED, "post_id": SPRING_POST}
    add(posts.kind, ENDED_POST, {**posts.defaults, **ended}, EARLIER)
    for id, (line_item, post) in POSTS.items():
        add(posts.kind, id, {**posts.defaults, "line_item_id": line_item, "post_id": post})
    accounts = promoted.PROMOTED_ACCOUNTS
    add(accounts.kind, ACCOUNT, {**accounts.defaults, "line_item_id": FOLLOWERS, "user_id": user})
    scheduled = promoted.SCHEDULED_POSTS
    promotion = {"line_item_id": REACH, "scheduled_post_id": WINTER}
    add(scheduled.kind, SCHEDULED_POST, {**scheduled.defaults, **promotion})
    media = MEDIA_CREATIVES
    film = store.find_all(ACCOUNT_MEDIA, account, creative_type="PREROLL")[0]
    shown = {"line_item_id": PREROLLS, "account_media_id": film["id"], "creative_type": "PREROLL"}
    add(media.kind, MEDIUM, {**media.defaults, **shown})
    action = {"call_to_action": "SHOP", "call_to_action_url": "https://shop.example/workshop"}
    add(CALL_TO_ACTIONS.kind, CALL_TO_ACTION, {"line_item_id": PREROLLS, **action})
