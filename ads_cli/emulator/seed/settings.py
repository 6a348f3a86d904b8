"""Seed data: settings, tracking tags and a recommendation."""

from ..resources.campaigns import RECOMMENDATION
from ..resources.line_items import TRACKING_TAGS
from ..resources.settings import ACCESS, TAX, USER
from ..storage import Record, Store
from .line_items import CARD, CLICKS, INSTALLS, SPRING, STARTED

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


def seed(store: Store, *, user: str, other_user: str, account: str, managed: str) -> None:
    """Add settings to two accounts, one of them managed by an agency, and tags to the line items of one."""

    def add(kind: str, identifier: str, owner: str, fields: Record) -> None:
        store.add(kind, identifier, fields, owner=owner, created_at=STARTED)

    add(TAX, account, account, TAXES)
    add(TAX, managed, managed, MANAGED_TAXES)
    add(USER, user, account, {"notification_email": "ads@nordlicht.example", "contact_phone": "+49405550114"})
    add(USER, other_user, account, {"notification_email": "team@kontoracht.example"})
    add(ACCESS, user, managed, {"permissions": ["AD_MANAGER", "POST_COMPOSER"]})
    for tag, line_item, type, url in TAGS:
        fields = {"line_item_id": line_item, "tracking_tag_type": type, "tracking_tag_url": url}
        add(TRACKING_TAGS.kind, tag, account, fields)
    store.delete(TRACKING_TAGS.kind, TAGS[-1][0], owner=account)
    recommended = {
        "account_id": account,
        "funding_instrument_id": CARD,
        "status": "PENDING",
        "message": "Reach more people who are interested in handmade tableware",
        "changes": [CHANGES],
    }
    add(RECOMMENDATION, "5rc01", account, recommended)
