"""Seed data: apps, audiences, and the categories of the service."""

from ..storage import audience_user_table
from ..storage.audience_user_table import identifier_hash
from ..storage.store import Record, Store
from . import line_items
from .line_items import PREROLLS, STARTED

CUSTOMERS, READERS = "1nmth", "1nmu0"
UNSUBSCRIBED, COMPLAINTS = "3k1a7", "3k1b2"
CHOSEN_CATEGORY = "6c0f1"  # of a line item
PARTNER = "18ce56pq1rw"  # account of another user

APPS: tuple[Record, ...] = (
    {"id": "4p1", "app_store_identifier": "example.nordlicht.shop", "os_type": "ANDROID"},
    {"id": "4p2", "app_store_identifier": "1066718842", "os_type": "IOS"},
    {"id": "4p0", "app_store_identifier": "example.nordlicht.catalogue", "os_type": "ANDROID"},
)
LISTS: tuple[Record, ...] = (
    {
        "id": UNSUBSCRIBED,
        "name": "Unsubscribed",
        "description": "Who wants no more of our mail",
        "list_size": 1840,
        "targetable": True,
        "reasons_not_targetable": [],
    },
    {
        "id": COMPLAINTS,
        "name": "Complaints",
        "description": None,
        "list_size": 0,
        "targetable": False,
        "reasons_not_targetable": ["PROCESSING", "TOO_SMALL"],
    },
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
)
CREATED = "2024-03-02T10:00:00Z"


def seed(store: Store, *, user: str, other_user: str, account: str, shared_with: str) -> None:
    """Add campaigns and audiences to an account, and share one audience with another account."""
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
    _add_audiences(store, account, shared_with)


def _add_audiences(store: Store, account: str, shared_with: str) -> None:
    for audience, name in ((CUSTOMERS, "Customers"), (READERS, "Readers of the newsletter")):
        store.add("audience", audience, {"name": name}, owner=account, created_at=CREATED)
    permission = {
        "tailored_audience_id": CUSTOMERS,
        "granted_account_id": shared_with,
        "permission_level": "READ_ONLY",
    }
    store.add("tailored_audience_permission", "2p4x9", permission, owner=CUSTOMERS, created_at=STARTED)
    for record in LISTS:
        _add(store, "do_not_reach_list", record, account, CREATED)
        _add_users(store, record["id"], record["list_size"])
    _add_users(store, CUSTOMERS, 2350)
    _add_users(store, READERS, 412)


def _add_users(store: Store, audience: str, count: int) -> None:
    """Add users that match no real identifier."""
    users = [[identifier_hash(audience, "email", str(number))] for number in range(1, count + 1)]
    audience_user_table.add_users(store, audience, users)


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
