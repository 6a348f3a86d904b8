"""Seed data: apps, and the categories of the service."""

from ..storage import Record, Store
from . import line_items
from .line_items import PREROLLS, STARTED

CHOSEN_CATEGORY = "6c0f1"  # of a line item
PARTNER = "18ce56pq1rw"  # account of another user

APPS: tuple[Record, ...] = (
    {"id": "4p1", "app_store_identifier": "example.nordlicht.shop", "os_type": "ANDROID"},
    {"id": "4p2", "app_store_identifier": "1066718842", "os_type": "IOS"},
    {"id": "4p0", "app_store_identifier": "example.nordlicht.catalogue", "os_type": "ANDROID"},
)
BUSINESSES = {
    "Arts and crafts": ["IAB9-2", "IAB9-6"],
    "Books and literature": ["IAB1-1"],
    "Fashion": ["IAB18", "IAB18-1", "IAB18-3"],
    "Food and drink": ["IAB8"],
    "Travel": ["IAB20"],
}
CURATED = {
    "Makers": (["DE", "AT", "CH"], "Workshops, tools and what is made with them"),
    "Outdoors": (["DE", "NO", "SE", "US"], "Hiking, camping and the sea"),
    "Home cooking": (["US", "GB"], "Recipes and kitchens"),
}
FEATURES = (
    "REACH_AND_FREQUENCY_ANALYTICS",
    "REACH_FREQUENCY_CAP",
    "PREROLL_VIEWS_OBJECTIVE",
    "PROMOTED_MEDIA_POLLS",
    "SHARE_AUDIENCE_OUTSIDE_BUSINESS",
)
CREATED = "2024-03-02T10:00:00Z"


def seed(store: Store, *, user: str, other_user: str, account: str) -> None:
    """Add campaigns and apps to an account, and another account to share audiences with."""
    _add_categories(store)
    _add_partner_account(store, other_user)
    for key in FEATURES:
        store.add("feature", key, {}, owner=account, created_at=CREATED)
    for app in APPS:
        deep_link = {"deep_link_pattern": "nordlicht://", "conversion_tracking_enabled": True}
        _add(store, "account_app", app | deep_link, account, CREATED)
    store.delete("account_app", APPS[-1]["id"], owner=account)
    line_items.seed(store, user=user, account=account)
    chosen = {"line_item_id": PREROLLS, "curated_category_id": "cc1"}
    store.add("line_item_curated_category", CHOSEN_CATEGORY, chosen, owner=account, created_at=STARTED)


def _add_categories(store: Store) -> None:
    """Add the categories that the service defines for all accounts."""
    for number, (name, codes) in enumerate(BUSINESSES.items(), 1):
        business = {"name": name, "iab_categories": codes}
        store.add("business_category", f"bc{number}", business, owner="", created_at=CREATED)
    for number, (name, (countries, description)) in enumerate(CURATED.items(), 1):
        fields: Record = {
            "name": name,
            "description": description,
            "country_codes": countries,
            "publisher_user_ids": [str(2_000_000 + number)],
            "videos_monetized_in_last_thirty_days": 40 * number,
        }
        store.add("curated_category", f"cc{number}", fields, owner="", created_at=CREATED)


def _add_partner_account(store: Store, user: str) -> None:
    """Add an account of another user, to share audiences with."""
    fields = {
        "name": "Kontor Acht",
        "business_name": "Kontor Acht",
        "business_id": "72311",
        "timezone": "Europe/Vienna",
        "timezone_switch_at": CREATED,
        "industry_type": "AGENCY",
        "approval_status": "ACCEPTED",
    }
    store.add("account", PARTNER, fields, owner=user, created_at=CREATED)


def _add(store: Store, kind: str, record: Record, account: str, at: str) -> Record:
    fields = {name: value for name, value in record.items() if name != "id"}
    return store.add(kind, record["id"], fields, owner=account, created_at=at)
