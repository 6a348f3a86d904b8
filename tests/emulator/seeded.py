"""Ids of what a new emulator has, by names; `ads_cli/emulator/seed/records.json` has the records."""

import re
from pathlib import Path

SHOP, CAFE, DELETED = "18ce54d4x5t", "18ce55gze09", "18ce53wo3nm"  # accounts
PARTNER = "18ce56pq1rw"  # the account of another user, who shares audiences
PRODUCT_SET, CHOSEN_SET = "8s3k1", "8s3k2"
EURO_MICRO = 1_000_000

CARD, ORDER, ENDED_ORDER = "4a1n0", "4a1n3", "4a1n7"  # funding instruments
SPRING, HAMBURG, KNITTERS, APP, FILMS = "8wku2", "8wku3", "8wku4", "8wku7", "8wkv1"  # campaigns
WINTER, ADVENT, AUTUMN = "8wkt0", "8wkt5", "8wkv4"
CLICKS, REACH, FOLLOWERS, INSTALLS, PREROLLS = "9d4c1", "9d4c2", "9d4c3", "9d4d1", "9d4e1"  # line items
ENDED, LOOKS, SUMMER = "9d4c9", "9d4e7", "9d4c4"
CHOSEN_CATEGORY = "6c0f1"  # the curated category of a line item
# What line items have unless they say otherwise.
LINE_ITEM_FIELDS = {
    "pay_by": "IMPRESSION",
    "start_time": "2026-03-01T08:00:00Z",
    "placements": ["ALL_ON_PLATFORM"],
    "product_type": "PROMOTED_POSTS",
}

CUSTOMERS, READERS, REGULARS, FAIR = "1nmth", "1nmu0", "1nmu7", "1nkc4"  # audiences
INSTALLED, BASKETS = "1nmw1", "1nmw2"
UNSUBSCRIBED = "3k1a7"  # a do-not-reach list
GERMANY, AUSTRIA, KNITTING = "c6427515d41b1183", "c8edae6217cf4e99", "8005"  # targeting values

IMAGE, SQUARE, GIF = "3_1790412874512007168", "3_1790412951338500096", "16_1790413120555520000"  # media
VIDEO, TALL = "13_1790413002217308160", "13_1790413077454729216"
BANNER = "4k2b1"  # account media
COLLECTION, TOUR, SHOP_APP = "7cqs1", "7cqs2", "7cqs4"  # cards
POLL, CONVERSATION, IMAGE_CONVERSATION = "7cqt1", "7cqt8", "7cp02"

SPRING_POST, DONE = "1790415000000000001", "1790415000000000005"
OFFER, WINTER_POST, GREEN_DRAFT = "1790415000000000003", "1790415000000000004", "1790416000000000001"
ENDED_POST = "7pt00"  # a promoted post

PURCHASES, VISITS = "o3f71", "o3f72"  # web event tags
TRAIL_APPS, PROVIDER, SPRING_TEST = "r5b13", "s2c44", "u4e91"

RECORDS = Path(__file__).parents[2] / "ads_cli/emulator/seed/records.json"


def named(id: str) -> str:
    """Return the name of a campaign or a line item, then its id, as messages have it."""
    (name,) = re.findall(f'"id": "{id}",[^{{}}]*?"name": "([^"]*)"', RECORDS.read_text(encoding="utf-8"))
    return f"{name} ({id})"
