"""Seed data: users, credentials, accounts, a catalog; categories and publishers."""

import secrets

from ..core.handlers import AccountContext
from ..resources import catalogs
from ..resources.lookup import CONTENT_CATEGORY, IAB_CATEGORY, PUBLISHER
from ..storage import SERVICE, Record, Store, without

CATEGORIES_CREATED = "2024-03-02T10:00:00Z"
# Tiers 1 and 2 of the taxonomy of the IAB: the names below a category, by their number.
IAB_CATEGORIES: dict[str, tuple[str, dict[int, str]]] = {
    "IAB1": ("Arts & Entertainment", {1: "Books & Literature", 2: "Celebrity Fan/Gossip", 3: "Fine Art",
        4: "Humor", 5: "Movies", 6: "Music", 7: "Television"}),
    "IAB2": ("Automotive", {3: "Buying/Selling Cars", 15: "Motorcycles", 23: "Vintage Cars"}),
    "IAB3": ("Business", {1: "Advertising", 4: "Business Software", 11: "Marketing"}),
    "IAB4": ("Careers", {1: "Career Planning", 4: "Job Search"}),
    "IAB5": ("Education", {5: "College Life", 8: "Homework/Study Tips"}),
    "IAB6": ("Family & Parenting", {1: "Adoption", 2: "Babies & Toddlers", 6: "Special Needs Kids"}),
    "IAB7": ("Health & Fitness", {1: "Exercise", 30: "Headaches/Migraines", 44: "Weight Loss"}),
    "IAB8": ("Food & Drink", {5: "Cocktails/Beer", 6: "Coffee/Tea", 9: "Dining Out", 18: "Wine"}),
    "IAB9": ("Hobbies & Interests", {2: "Arts/Crafts", 6: "Candle & Soap Making", 15: "Jewelry Making",
        23: "Photography", 31: "Woodworking"}),
    "IAB10": ("Home & Garden", {4: "Gardening", 7: "Interior Decorating"}),
    "IAB12": ("News", {1: "International News", 2: "National News", 3: "Local News"}),
    "IAB13": ("Personal Finance", {1: "Beginning Investing", 5: "Insurance"}),
    "IAB14": ("Society", {1: "Dating", 7: "Weddings"}),
    "IAB15": ("Science", {4: "Geology", 10: "Weather"}),
    "IAB16": ("Pets", {3: "Cats", 4: "Dogs"}),
    "IAB17": ("Sports", {4: "Bicycling", 12: "Football", 32: "Sailing", 44: "World Soccer"}),
    "IAB18": ("Style & Fashion", {1: "Beauty", 3: "Fashion", 4: "Jewelry", 6: "Accessories"}),
    "IAB19": ("Technology & Computing", {6: "Cell Phones", 18: "Internet Technology"}),
    "IAB20": ("Travel", {3: "Air Travel", 10: "Canada", 12: "Cruises", 19: "Hotels"}),
    "IAB21": ("Real Estate", {1: "Apartments", 3: "Buying/Selling Homes"}),
    "IAB22": ("Shopping", {1: "Contests & Freebies", 2: "Couponing"}),
}  # fmt: skip
# Id, name, codes of the IAB, publishers and videos of the last thirty days.
CONTENT_CATEGORIES = (
    ("ct1", "Arts, music and film", ["IAB1", "IAB1-5", "IAB1-6"], 214, 18240),
    ("ct2", "Crafts and hobbies", ["IAB9", "IAB9-2", "IAB9-15"], 61, 2930),
    ("ct3", "Food and drink", ["IAB8", "IAB8-6", "IAB8-9"], 97, 6110),
    ("ct4", "Home and garden", ["IAB10", "IAB10-4", "IAB10-7"], 48, 1885),
    ("ct5", "News", ["IAB12", "IAB12-1", "IAB12-2"], 380, 51200),
    ("ct6", "Sports", ["IAB17", "IAB17-12", "IAB17-44"], 296, 40770),
    ("ct7", "Style", ["IAB18", "IAB18-1", "IAB18-3"], 133, 8425),
)
# User, name, content categories, countries with ads, countries with promotion, and whether it is restricted.
PUBLISHERS: tuple[tuple[str, str, list[str], list[str], list[str], bool], ...] = (
    ("2000011", "tonundfeuer", ["ct2"], ["DE", "AT", "CH"], ["DE", "AT"], False),
    ("2000012", "kuechenradio", ["ct3"], ["DE"], ["DE"], False),
    ("2000013", "nordsport", ["ct6"], ["DE", "DK", "NO", "SE"], ["DE"], False),
    ("2000014", "morgenblick", ["ct5"], ["DE", "AT"], [], True),
    ("2000015", "workshopfilms", ["ct2", "ct4"], ["DE", "GB", "US"], ["US"], False),
    ("2000016", "stadtundstil", ["ct7", "ct1"], ["DE", "FR"], ["DE", "FR"], False),
    ("2000017", "lautundbunt", ["ct1"], ["DE"], ["DE"], False),
)


def seed_categories(store: Store) -> None:
    """Add the categories and publishers."""

    def add(kind: str, identifier: str, fields: Record) -> None:
        store.add(kind, identifier, fields, owner=SERVICE, created_at=CATEGORIES_CREATED)

    for code, (name, below) in IAB_CATEGORIES.items():
        add(IAB_CATEGORY, code, {"parent_id": None, "name": name})
        for number, further in below.items():
            add(IAB_CATEGORY, f"{code}-{number}", {"parent_id": code, "name": further})
    for category, name, codes, publishers, videos in CONTENT_CATEGORIES:
        numbers = {
            "publishers_in_last_thirty_days": publishers,
            "videos_monetized_in_last_thirty_days": videos,
        }
        add(CONTENT_CATEGORY, category, {"name": name, "iab_categories": codes, **numbers})
    for user, username, categories, monetizable, promotable, restricted in PUBLISHERS:
        fields = {
            "username": username,
            "content_category_ids": categories,
            "monetizable_country_codes": monetizable,
            "promotion_eligible_country_codes": promotable,
            "monetization_restricted": restricted,
        }
        add(PUBLISHER, user, fields)


USER, OTHER_USER = "1184672519", "1184672520"
SCREEN_NAMES = {USER: "nordlicht", OTHER_USER: "kontoracht"}
# Registered callbacks; several ports, because another program may listen on one.
CALLBACKS = tuple(
    f"http://{host}:{port}/callback" for port in range(8976, 8980) for host in ("127.0.0.1", "localhost")
)
# The public app of OAuth 2.0, and its redirects; the app of OAuth 1.0a is a confidential one of OAuth 2.0.
CLIENT_ID = "adsctl-emulator"
REDIRECTS = tuple(f"http://127.0.0.1:{port}/callback" for port in (*range(8080, 8084), *range(8976, 8980)))
SHOP, CAFE, DELETED = "18ce54d4x5t", "18ce55gze09", "18ce53wo3nm"
CATALOG = "7310248000000000001"
PRODUCT_SET = "8s3k1"
CHOSEN_SET = "8s3k2"
PRODUCT_SETS: tuple[Record, ...] = (
    {
        "id": PRODUCT_SET,
        "name": "On sale",
        "type": "FILTERED",
        "filters": [{"attribute": "sale_price", "operator": "GREATER_THAN", "value": "0"}],
    },
    {"id": CHOSEN_SET, "name": "Chosen by hand", "description": "For gardeners", "type": "MANUAL"},
)
ACCOUNTS = (
    {
        "id": SHOP,
        "name": "Nordlicht Shop",
        "business_name": "Nordlicht Handels GmbH",
        "business_id": "72045",
        "timezone": "Europe/Berlin",
        "timezone_switch_at": "2024-02-29T23:00:00Z",
        "industry_type": "RETAIL",
    },
    {
        "id": CAFE,
        "name": "Café Kastanie (managed by Kontor Acht)",
        "business_name": "Kontor Acht",
        "business_id": "72311",
        "timezone": "Europe/Vienna",
        "timezone_switch_at": "2024-05-31T22:00:00Z",
        "industry_type": "AGENCY",
    },
    {
        "id": DELETED,
        "name": "Nordlicht Outlet",
        "business_name": "Nordlicht Handels GmbH",
        "business_id": "72045",
        "timezone": "Europe/Berlin",
        "timezone_switch_at": "2023-09-30T22:00:00Z",
        "industry_type": "RETAIL",
    },
)
PARTNER = "18ce56pq1rw"  # of another user, who shares audiences
PARTNER_ACCOUNT = {
    "name": "Kontor Acht",
    "business_name": "Kontor Acht",
    "business_id": "72311",
    "timezone": "Europe/Vienna",
    "timezone_switch_at": "2024-03-02T10:00:00Z",
    "industry_type": "AGENCY",
    "approval_status": "ACCEPTED",
}
PROMOTABLE_USERS = (
    ("l310s", SHOP, USER, "FULL"),
    ("l3110", SHOP, OTHER_USER, "REPOSTS_ONLY"),
    ("l3123", CAFE, USER, "FULL"),
)


def of_shop(store: Store) -> AccountContext:
    """Return what is done in the name of the shop."""
    return AccountContext(store, SHOP, USER)


CREATED = ("2024-03-01T09:15:00Z", "2024-06-01T07:30:00Z", "2023-10-01T08:00:00Z")


def seed(store: Store) -> None:
    """Add users, credentials, accounts and a catalog with one product set."""
    _add_credentials(store)
    for account, created_at in zip(ACCOUNTS, CREATED, strict=True):
        fields = without(account, "id") | {"approval_status": "ACCEPTED"}
        store.add("account", account["id"], fields, owner=USER, created_at=created_at)
    store.add("account", PARTNER, PARTNER_ACCOUNT, owner=OTHER_USER, created_at=CATEGORIES_CREATED)
    for promotable, owner, user, type in PROMOTABLE_USERS:
        of_user = {"user_id": user, "promotable_user_type": type}
        store.add("promotable_user", promotable, of_user, owner=owner, created_at=CREATED[0])
    store.delete("account", DELETED, owner=USER)
    store.add("product_catalog", CATALOG, {"name": "Nordlicht Shop"}, owner=USER, created_at=CREATED[0])
    for record in PRODUCT_SETS:
        processed = record | {"processing_status": "DONE"}
        catalogs.PRODUCT_SETS.put(store, processed, owner=CATALOG, created_at=CREATED[0])


def _add_credentials(store: Store) -> None:
    """Register an app and the users, with an access token of the app's owner."""
    consumer_key, consumer_secret, secret = (secrets.token_urlsafe(24) for _ in range(3))
    token = f"{USER}-{secrets.token_urlsafe(24)}"
    key = {"consumer_key": consumer_key}
    callbacks, redirects = "\n".join(CALLBACKS), "\n".join(REDIRECTS)
    store.insert(
        "apps", **key, consumer_secret=consumer_secret, name="adsctl", owner=USER, callbacks=callbacks
    )
    for id, client_secret in ((CLIENT_ID, ""), (consumer_key, consumer_secret)):
        app = {"client_id": id, "client_secret": client_secret, "name": "adsctl", "redirects": redirects}
        store.insert("oauth2_apps", **app)
    for user, screen_name in SCREEN_NAMES.items():
        store.insert("users", id=user, screen_name=screen_name)
    store.insert("tokens", token=token, secret=secret, **key, user_id=USER, access="write")
    settings = {
        "consumer_key": consumer_key,
        "access_token": token,
        "user": USER,  # the user signed in to the sign-in pages
        "account": SHOP,
        "catalog": CATALOG,
    }
    for name, value in settings.items():
        store.insert("settings", name=name, value=value)
