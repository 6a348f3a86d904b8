"""Seed data: audiences of all sizes, those that are shared, and a do-not-reach list."""

from ..resources import targeting
from ..resources.audience_users import DO_NOT_REACH, NAME
from ..resources.audiences import AUDIENCE, NEW_AUDIENCE, PERMISSION
from ..resources.targeting import find_named
from ..storage import Record, Store, audience_user_table, base36
from ..storage.audience_user_table import identifier_hash
from ..targeting import key_of
from .accounts import CAFE, PARTNER, SHOP, of_shop
from .line_items import CALENDAR, CLICKS, FOLLOWERS, INSTALLS, LOOKS, PREROLLS, REACH, SALE, STARTED, SUMMER

CUSTOMERS, READERS, REGULARS, BUYERS, FAIR = "1nmth", "1nmu0", "1nmu7", "1nmv2", "1nkc4"
INSTALLED, BASKETS = "1nmw1", "1nmw2"
UNSUBSCRIBED = "3k1a7"
CREATED, SHARED = "2024-03-02T10:00:00Z", "2026-02-20T10:05:00Z"
MOBILE = "MOBILE_AUDIENCE"
# Id, name, description, type and users of the audiences of an account.
AUDIENCES = (
    (CUSTOMERS, "Customers", "Everyone who bought in the shop", "CRM", 2350),
    (READERS, "Readers of the newsletter", None, "CRM", 412),
    (REGULARS, "Regular customers", "Five orders or more", "CRM", 64),
    (BUYERS, "Spring buyers 2026", "Filled from April on", "CRM", 0),
    (INSTALLED, "Installed the shop app", None, MOBILE, 1280),
    (BASKETS, "Left a full basket in the app", None, MOBILE, 730),
)


def seed(store: Store) -> None:
    """Add audiences to an account, and share one of them, and one of a partner with it."""
    for audience in AUDIENCES:
        _add(store, SHOP, *audience)
    _add(store, PARTNER, FAIR, "Visitors of the crafts fair", "Hamburg, 2025", "CRM", 890)
    _share(store, "2p4x9", CUSTOMERS, CAFE)
    _share(store, "2p5a1", FAIR, SHOP)
    people = {"name": NAME, "description": "Who wants no more of our mail"}
    store.add(DO_NOT_REACH, UNSUBSCRIBED, people, owner=SHOP, created_at=CREATED)
    _add_users(store, UNSUBSCRIBED, 1840)


def _add(
    store: Store, account: str, audience: str, name: str, description: str | None, type: str, users: int
) -> None:
    given = {"name": name, "description": description, "audience_type": type, "owner_account_id": account}
    store.add(AUDIENCE, audience, NEW_AUDIENCE | given, owner=account, created_at=CREATED)
    _add_users(store, audience, users)


def _share(store: Store, permission: str, audience: str, account: str) -> None:
    fields = {
        "tailored_audience_id": audience,
        "granted_account_id": account,
        "permission_level": "READ_ONLY",
    }
    store.add(PERMISSION, permission, fields, owner=audience, created_at=SHARED)


def _add_users(store: Store, audience: str, count: int) -> None:
    """Add users that match no real identifier."""
    users = [[identifier_hash(audience, "email", str(number))] for number in range(1, count + 1)]
    audience_user_table.add_users(store, audience, users)


GERMANY, AUSTRIA, SWITZERLAND = (
    key_of("COUNTRIES", code, name)
    for code, name in (("DE", "Germany"), ("AT", "Austria"), ("CH", "Switzerland"))
)
HAMBURG = key_of("CITIES", "DE", "Hamburg")
KNITTING, WOOL, CERAMICS, GARDENING, KITCHENS, KNITWEAR = "8005", "8009", "8003", "9003", "9005", "15003"
# By line item: type and value; "!" excludes the value.
CRITERIA = {
    CLICKS: (
        ("LOCATION", GERMANY),
        ("LOCATION", AUSTRIA),
        ("LANGUAGE", "de"),
        ("AGE", "AGE_25_TO_54"),
        ("INTEREST", KITCHENS),
        ("BROAD_KEYWORD", "handmade mugs"),
        ("CUSTOM_AUDIENCE", CUSTOMERS),
        ("BROAD_KEYWORD", "!plastic"),
    ),
    REACH: (("LOCATION", HAMBURG), ("LANGUAGE", "de")),
    FOLLOWERS: (
        ("LOCATION", GERMANY),
        ("LOCATION", AUSTRIA),
        ("LOCATION", SWITZERLAND),
        ("INTEREST", KNITTING),
        ("INTEREST", WOOL),
        ("CUSTOM_AUDIENCE", CUSTOMERS),
    ),
    INSTALLS: (("LOCATION", GERMANY), ("PLATFORM", "0"), ("PLATFORM", "1"), ("CUSTOM_AUDIENCE", CUSTOMERS)),
    PREROLLS: (("LOCATION", GERMANY), ("INTEREST", CERAMICS), ("CONTENT_PUBLISHER_USER", "!2000017")),
    SUMMER: (("LOCATION", GERMANY), ("LANGUAGE", "de"), ("INTEREST", GARDENING)),
    SALE: (("LOCATION", GERMANY), ("LOCATION", AUSTRIA), ("INTEREST", KNITTING), ("INTEREST", WOOL)),
    CALENDAR: (("LOCATION", GERMANY), ("LOCATION", SWITZERLAND), ("EXACT_KEYWORD", "advent calendar")),
    LOOKS: (("LOCATION", GERMANY), ("GENDER", "2"), ("INTEREST", KNITWEAR)),
}
FIRST_ID = "ft10a"


def seed_criteria(store: Store) -> None:
    """Add targeting criteria to the line items of an account, with ids that follow each other."""
    number = int(FIRST_ID, 36)
    for line_item, criteria in CRITERIA.items():
        for targeting_type, text in criteria:
            new: Record = {
                "line_item_id": line_item,
                "targeting_type": targeting_type,
                "targeting_value": text.removeprefix("!"),
                "operator_type": "NE" if text.startswith("!") else "EQ",
            }
            fields = targeting.stored_fields(new, find_named(of_shop(store), new))
            store.add(targeting.CRITERIA.kind, base36(number), fields, owner=SHOP, created_at=STARTED)
            number += 1
