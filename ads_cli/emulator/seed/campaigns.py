"""Seed data: campaigns, line items, apps, audiences, and the categories of the service."""

from ..resources import history
from ..storage import audience_user_table
from ..storage.audience_user_table import identifier_hash
from ..storage.store import Record, Store

SPRING, APP, FILMS = "8wku2", "8wku7", "8wkv1"
CLICKS, REACH, FOLLOWERS, INSTALLS, PREROLLS, ENDED = "9d4c1", "9d4c2", "9d4c3", "9d4d1", "9d4e1", "9d4c9"
CUSTOMERS, READERS = "1nmth", "1nmu0"
UNSUBSCRIBED, COMPLAINTS = "3k1a7", "3k1b2"
CHOSEN_CATEGORY = "6c0f1"  # of a line item
PARTNER = "18ce56pq1rw"  # account of another user
EURO_MICRO = 1_000_000

CAMPAIGNS: tuple[Record, ...] = (
    {"id": SPRING, "name": "Spring collection", "budget_optimization": "LINE_ITEM"},
    {"id": APP, "name": "Shop app", "budget_optimization": "CAMPAIGN"},
    {"id": FILMS, "name": "Workshop films", "budget_optimization": "LINE_ITEM"},
)
CAMPAIGN: Record = {"entity_status": "ACTIVE", "currency": "EUR", "end_time": None}
LINE_ITEM: Record = {
    "name": None,
    "campaign_id": None,
    "objective": None,
    "entity_status": "ACTIVE",
    "bid_strategy": "AUTO",
    "bid_amount_local_micro": None,
    "total_budget_amount_local_micro": None,
    "daily_budget_amount_local_micro": None,
    "goal": None,
    "pay_by": "IMPRESSION",
    "audience_expansion": None,
    "frequency_cap": None,
    "duration_in_days": None,
    "start_time": "2026-03-01T08:00:00Z",
    "end_time": None,
    "advertiser_domain": None,
    "advertiser_user_id": None,
    "categories": None,
    "android_app_store_identifier": None,
    "ios_app_store_identifier": None,
    "placements": ["ALL_ON_PLATFORM"],
    "currency": "EUR",
    "product_type": "PROMOTED_POST",
    "creative_source": "MANUAL",
    "standard_delivery": True,
    "target_cpa_local_micro": None,
    "primary_web_event_tag": None,
    "automatic_tweet_promotion": None,
}
LINE_ITEMS: tuple[Record, ...] = (
    {
        "id": CLICKS,
        "name": "Visits to the shop",
        "campaign_id": SPRING,
        "objective": "WEBSITE_CLICKS",
        "bid_strategy": "TARGET",
        "bid_amount_local_micro": 450_000,
        "daily_budget_amount_local_micro": 20 * EURO_MICRO,
        "total_budget_amount_local_micro": 500 * EURO_MICRO,
        "goal": "LINK_CLICKS",
        "pay_by": "LINK_CLICK",
        "audience_expansion": "DEFINED",
    },
    {
        "id": REACH,
        "name": "All of Hamburg",
        "campaign_id": SPRING,
        "objective": "REACH",
        "daily_budget_amount_local_micro": 35 * EURO_MICRO,
        "goal": "MAX_REACH",
        "frequency_cap": 3,
        "duration_in_days": 7,
    },
    {
        "id": FOLLOWERS,
        "name": "People who knit",
        "campaign_id": SPRING,
        "objective": "FOLLOWERS",
        "entity_status": "PAUSED",
        "goal": "FOLLOWERS",
        "product_type": "PROMOTED_ACCOUNT",
    },
    {
        "id": ENDED,
        "name": "Winter clearance",
        "campaign_id": SPRING,
        "objective": "WEBSITE_CLICKS",
        "goal": "LINK_CLICKS",
    },
    {
        "id": INSTALLS,
        "name": "Install the shop app",
        "campaign_id": APP,
        "objective": "APP_INSTALLS",
        "bid_strategy": "MAX",
        "bid_amount_local_micro": 2 * EURO_MICRO,
        "total_budget_amount_local_micro": 900 * EURO_MICRO,
        "goal": "APP_INSTALLS",
        "pay_by": "APP_CLICK",
        "android_app_store_identifier": "example.nordlicht.shop",
        "ios_app_store_identifier": "1066718842",
    },
    {
        "id": PREROLLS,
        "name": "Before films about crafts",
        "campaign_id": FILMS,
        "objective": "PREROLL_VIEWS",
        "total_budget_amount_local_micro": 250 * EURO_MICRO,
        "goal": "PREROLL",
        "categories": ["IAB9-2", "IAB18"],
        "advertiser_domain": "nordlicht.example",
        "placements": ["PUBLISHER_NETWORK"],
        "product_type": "MEDIA",
    },
)
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
FEATURES = ("REACH_AND_FREQUENCY_ANALYTICS", "REACH_FREQUENCY_CAP", "PREROLL_VIEWS_OBJECTIVE")
CREATED, STARTED, ENDED_START = "2024-03-02T10:00:00Z", "2026-02-20T10:05:00Z", "2025-11-15T09:30:00Z"


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
    for campaign in CAMPAIGNS:
        added = _add(store, "campaign", CAMPAIGN | campaign, account, ENDED_START)
        history.write(store, account, user, "CAMPAIGN", "CREATE", added, {})
    for line_item in LINE_ITEMS:
        at = ENDED_START if line_item["id"] == ENDED else STARTED
        added = _add(store, "line_item", LINE_ITEM | line_item, account, at)
        history.write(store, account, user, "LINE_ITEM", "CREATE", added, {})
    store.delete("line_item", ENDED, owner=account)
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
