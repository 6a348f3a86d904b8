"""Seed data: what pays for campaigns, campaigns in several states, their line items; settings of accounts."""

from ..resources import campaigns, line_items
from ..resources.accounts import ACCESS, CONTACT, TAX
from ..resources.campaigns import FUNDING_INSTRUMENTS as FUNDING
from ..resources.campaigns import LINE_ITEM, RECOMMENDATION
from ..resources.collection import Collection
from ..resources.history import note_change
from ..resources.line_items import TRACKING_TAGS
from ..storage import Record, Store, without
from .accounts import CAFE, OTHER_USER, SHOP, USER

CHOSEN_CATEGORY = "6c0f1"  # of a line item

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


def seed(store: Store) -> None:
    """Add campaigns and apps to an account, and the categories of the service."""
    _add_categories(store)
    for key in FEATURES:
        store.add("feature", key, {}, owner=SHOP, created_at=CREATED)
    for app in APPS:
        deep_link = {"deep_link_pattern": "nordlicht://", "conversion_tracking_enabled": True}
        store.add("account_app", app["id"], without(app, "id") | deep_link, owner=SHOP, created_at=CREATED)
    store.delete("account_app", APPS[-1]["id"], owner=SHOP)
    _seed_campaigns(store)
    chosen = {"line_item_id": PREROLLS, "curated_category_id": "cc1"}
    store.add("line_item_curated_category", CHOSEN_CATEGORY, chosen, owner=SHOP, created_at=STARTED)


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


CARD, ORDER, CREDIT, ENDED_ORDER = "4a1n0", "4a1n3", "4a1n5", "4a1n7"
SPRING, HAMBURG, KNITTERS, APP, FILMS = "8wku2", "8wku3", "8wku4", "8wku7", "8wkv1"
WINTER, ADVENT, AUTUMN = "8wkt0", "8wkt5", "8wkv4"
CLICKS, REACH, FOLLOWERS, INSTALLS, PREROLLS, ENDED = "9d4c1", "9d4c2", "9d4c3", "9d4d1", "9d4e1", "9d4c9"
SALE, CALENDAR, LOOKS, SUMMER = "9d4b1", "9d4b4", "9d4e7", "9d4c4"
EURO_MICRO = 1_000_000
DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"
STARTED, EARLIER = "2026-02-20T10:05:00Z", "2025-11-15T09:30:00Z"

FUNDING_INSTRUMENTS: tuple[Record, ...] = (
    {
        "id": CARD,
        "type": "CREDIT_CARD",
        "description": "Visa ending in 4242",
        "start_time": "2024-03-01T00:00:00Z",
        "credit_limit_local_micro": 5000 * EURO_MICRO,
    },
    {
        "id": ORDER,
        "type": "INSERTION_ORDER",
        "description": "Order 2026-117, brand",
        "start_time": "2026-01-01T00:00:00Z",
        "end_time": "2031-12-31T23:00:00Z",
        "io_header": "2026-117",
        "funded_amount_local_micro": 12000 * EURO_MICRO,
    },
    {
        "id": CREDIT,
        "type": "CREDIT_LINE",
        "description": "Credit line of Nordlicht Handels GmbH",
        "start_time": "2025-06-01T00:00:00Z",
        "credit_limit_local_micro": 20000 * EURO_MICRO,
        "credit_remaining_local_micro": 13450 * EURO_MICRO,
    },
    {
        "id": ENDED_ORDER,
        "type": "INSERTION_ORDER",
        "description": "Order 2025-081, Advent",
        "start_time": "2025-11-01T00:00:00Z",
        "end_time": "2026-01-31T23:00:00Z",
        "io_header": "2025-081",
        "funded_amount_local_micro": 3000 * EURO_MICRO,
    },
)
CAMPAIGNS: tuple[Record, ...] = (
    {"id": WINTER, "name": "Winter sale", "funding": CARD, DAY: 40 * EURO_MICRO},
    {"id": ADVENT, "name": "Advent calendar", "funding": ENDED_ORDER, TOTAL: 3000 * EURO_MICRO},
    {
        "id": SPRING,
        "name": "Spring collection",
        "funding": CARD,
        DAY: 60 * EURO_MICRO,
        TOTAL: 2400 * EURO_MICRO,
    },
    {"id": HAMBURG, "name": "Hamburg knows us", "funding": ORDER, DAY: 80 * EURO_MICRO},
    {
        "id": KNITTERS,
        "name": "People who knit",
        "funding": CREDIT,
        DAY: 15 * EURO_MICRO,
        "entity_status": "PAUSED",
    },
    {
        "id": APP,
        "name": "Shop app",
        "funding": CREDIT,
        TOTAL: 1800 * EURO_MICRO,
        "budget_optimization": "CAMPAIGN",
    },
    {"id": FILMS, "name": "Workshop films", "funding": ORDER, DAY: 30 * EURO_MICRO, TOTAL: 900 * EURO_MICRO},
    {"id": AUTUMN, "name": "Autumn looks", "funding": CARD, "entity_status": "DRAFT"},
)
WEB: Record = {"objective": "WEBSITE_CLICKS", "goal": "LINK_CLICKS"}
LINE_ITEMS: tuple[Record, ...] = (
    WEB
    | {
        "id": CLICKS,
        "name": "Visits to the shop",
        "campaign_id": SPRING,
        "bid_strategy": "TARGET",
        "bid_amount_local_micro": 450_000,
        DAY: 20 * EURO_MICRO,
        TOTAL: 500 * EURO_MICRO,
        "pay_by": "LINK_CLICK",
        "audience_expansion": "DEFINED",
    },
    WEB | {"id": SUMMER, "name": "Garden and balcony", "campaign_id": SPRING, DAY: 25 * EURO_MICRO},
    {
        "id": REACH,
        "name": "All of Hamburg",
        "campaign_id": HAMBURG,
        "objective": "REACH",
        DAY: 35 * EURO_MICRO,
        "goal": "MAX_REACH",
        "frequency_cap": 3,
        "duration_in_days": 7,
    },
    {
        "id": FOLLOWERS,
        "name": "People who knit",
        "campaign_id": KNITTERS,
        "objective": "FOLLOWERS",
        "entity_status": "PAUSED",
        "goal": "FOLLOWERS",
        "product_type": "PROMOTED_ACCOUNT",
    },
    WEB | {"id": ENDED, "name": "Winter clearance", "campaign_id": SPRING, "created_at": EARLIER},
    {
        "id": INSTALLS,
        "name": "Install the shop app",
        "campaign_id": APP,
        "objective": "APP_INSTALLS",
        "bid_strategy": "MAX",
        "bid_amount_local_micro": 2 * EURO_MICRO,
        TOTAL: 900 * EURO_MICRO,
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
        TOTAL: 250 * EURO_MICRO,
        "goal": "PREROLL",
        "categories": ["IAB9-2", "IAB18"],
        "advertiser_domain": "nordlicht.example",
        "placements": ["PUBLISHER_NETWORK"],
        "product_type": "MEDIA",
    },
    WEB
    | {
        "id": SALE,
        "name": "Wool and wax",
        "campaign_id": WINTER,
        DAY: 40 * EURO_MICRO,
        "start_time": "2025-12-27T00:00:00Z",
        "end_time": "2026-01-15T23:00:00Z",
        "created_at": EARLIER,
    },
    {
        "id": CALENDAR,
        "name": "A door a day",
        "campaign_id": ADVENT,
        "objective": "ENGAGEMENTS",
        "goal": "ENGAGEMENT",
        "pay_by": "ENGAGEMENT",
        "start_time": "2025-12-01T00:00:00Z",
        "created_at": EARLIER,
    },
    WEB
    | {
        "id": LOOKS,
        "name": "Autumn looks",
        "campaign_id": AUTUMN,
        "entity_status": "DRAFT",
        "start_time": None,
    },
)
LINE_ITEM_FIELDS: Record = {
    "pay_by": "IMPRESSION",
    "start_time": "2026-03-01T08:00:00Z",
    "placements": ["ALL_ON_PLATFORM"],
    "product_type": "PROMOTED_POSTS",
}


def _seed_campaigns(store: Store) -> None:
    """Add funding, campaigns and line items to an account, with the history of their creation."""
    for record in FUNDING_INSTRUMENTS:
        of_account = {"account_id": SHOP, "currency": "EUR"}
        FUNDING.put(store, of_account | record, owner=SHOP, created_at=record["start_time"])
    funding_of: dict[str, str] = {record["id"]: record["funding"] for record in CAMPAIGNS}

    def add(collection: Collection, record: Record, campaign: str, created_at: str) -> None:
        paid = {"funding_instrument_id": funding_of[campaign], "currency": "EUR"}
        added = collection.put(store, paid | record, owner=SHOP, created_at=created_at)
        note_change(store, SHOP, USER, collection.entity, "CREATE", added, {})

    for record in CAMPAIGNS:
        add(campaigns.CAMPAIGNS, without(record, "funding"), record["id"], EARLIER)
    for record in LINE_ITEMS:
        whole = LINE_ITEM_FIELDS | without(record, "created_at")
        add(line_items.LINE_ITEMS, whole, record["campaign_id"], record.get("created_at", STARTED))
    store.delete(LINE_ITEM, ENDED, owner=SHOP)


TAGS = (
    ("6tt01", CLICKS, "IMPRESSION_TAG", "https://measure.example/i?campaign=spring&ord=[timestamp]"),
    ("6tt02", CLICKS, "CLICK_TRACKER", "https://measure.example/c?campaign=spring"),
    ("6tt03", INSTALLS, "IMPRESSION_TAG", "https://measure.example/i?campaign=app&ord=[timestamp]"),
    ("6tt00", CLICKS, "IMPRESSION_TAG", "https://measure.example/i?campaign=winter"),
)
TAXES: Record = {
    "tax_id": "DE811234567",
    "tax_category": "BUSINESS_WITH_VAT",
    "bill_to": "ADVERTISER",
    "business_relationship": "SELF",
    "invoice_jurisdiction": "NONE",
    "address_company": "Nordlicht Handels GmbH",
    "address_first_name": "Ina",
    "address_last_name": "Petersen",
    "address_email": "buchhaltung@nordlicht.example",
    "address_street1": "Speicherstraße 14",
    "address_city": "Hamburg",
    "address_postal_code": "20457",
    "address_country": "DE",
}
MANAGED_TAXES: Record = {
    "bill_to": "AGENCY",
    "business_relationship": "AGENCY",
    "address_company": "Kontor Acht",
    "address_city": "Wien",
    "address_country": "AT",
}
CHANGES: Record = {
    "entity_type": "campaigns",
    "operation_type": None,
    "params": {"campaign_id": SPRING},
    "dependent_entities": [
        {
            "entity_type": "line_items",
            "operation_type": "Update",
            "params": {"line_item_id": CLICKS, "audience_expansion": "EXPANDED"},
            "dependent_entities": [
                {
                    "entity_type": "targeting_criteria",
                    "operation_type": "Create",
                    "params": {
                        "line_item_id": CLICKS,
                        "targeting_type": "BROAD_KEYWORD",
                        "targeting_value": "stoneware",
                    },
                    "dependent_entities": [],
                }
            ],
        }
    ],
}


def seed_settings(store: Store) -> None:
    """Add settings to two accounts, one of them managed by an agency, and tags to the line items of one."""

    def add(kind: str, identifier: str, owner: str, fields: Record) -> None:
        store.add(kind, identifier, fields, owner=owner, created_at=STARTED)

    add(TAX, SHOP, SHOP, TAXES)
    add(TAX, CAFE, CAFE, MANAGED_TAXES)
    contact = {"notification_email": "ads@nordlicht.example", "contact_phone": "+49405550114"}
    add(CONTACT, USER, SHOP, contact)
    add(CONTACT, OTHER_USER, SHOP, {"notification_email": "team@kontoracht.example"})
    add(ACCESS, USER, CAFE, {"permissions": ["AD_MANAGER", "POST_COMPOSER"]})
    for tag, line_item, type, url in TAGS:
        fields = {"line_item_id": line_item, "tracking_tag_type": type, "tracking_tag_url": url}
        add(TRACKING_TAGS.kind, tag, SHOP, fields)
    store.delete(TRACKING_TAGS.kind, TAGS[-1][0], owner=SHOP)
    recommended = {
        "account_id": SHOP,
        "funding_instrument_id": CARD,
        "status": "PENDING",
        "message": "Reach more people who are interested in handmade tableware",
        "changes": [CHANGES],
    }
    add(RECOMMENDATION, "5rc01", SHOP, recommended)
