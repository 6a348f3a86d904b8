"""Seed data: whom the line items target."""

from ..resources import targeting, targeting_rules
from ..storage import ids
from ..storage.store import Record, Store
from ..targeting.values import key_of
from .audiences import CUSTOMERS
from .line_items import (
    CALENDAR,
    CLICKS,
    FOLLOWERS,
    INSTALLS,
    LOOKS,
    PREROLLS,
    REACH,
    SALE,
    STARTED,
    SUMMER,
)

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
    PREROLLS: (
        ("LOCATION", GERMANY),
        ("INTEREST", CERAMICS),
        ("CONTENT_PUBLISHER_USER", "!2000017"),
    ),
    SUMMER: (("LOCATION", GERMANY), ("LANGUAGE", "de"), ("INTEREST", GARDENING)),
    SALE: (("LOCATION", GERMANY), ("LOCATION", AUSTRIA), ("INTEREST", KNITTING), ("INTEREST", WOOL)),
    CALENDAR: (("LOCATION", GERMANY), ("LOCATION", SWITZERLAND), ("EXACT_KEYWORD", "advent calendar")),
    LOOKS: (("LOCATION", GERMANY), ("GENDER", "2"), ("INTEREST", KNITWEAR)),
}
FIRST_ID = "ft10a"


def seed(store: Store, *, account: str) -> None:
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
            fields = targeting.stored_fields(new, targeting_rules.find_named(store, account, new))
            store.add(targeting.CRITERIA.kind, ids.base36(number), fields, owner=account, created_at=STARTED)
            number += 1
