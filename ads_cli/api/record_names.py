"""Which fields of requests take the name of a record in place of its id."""

import re
from collections.abc import Mapping
from functools import cache

from .endpoint import Request
from .fields import fields_of

# The group of commands whose list shows the names, by the field that holds the id of a record.
GROUPS = {
    "account_id": "accounts",
    "campaign_id": "campaigns",
    "line_item_id": "line-items",
    "funding_instrument_id": "funding-instruments",
    "custom_audience_id": "audiences",
    "do_not_reach_list_id": "audiences do-not-reach",
    "curated_category_id": "accounts curated-categories",
    "product_catalog_id": "catalog",
    "product_set_id": "catalog sets",
    "web_event_tag_id": "measurement web-event-tags",
    "app_list_id": "measurement app-lists",
    "ab_test_id": "measurement ab-tests",
}
NAMED_BY = {"funding_instrument_id": "description"}  # the field of a record, where it is not `name`
SAME = {"tailored_audience_id": "custom_audience_id"}  # the other name of a field
NOUNS = {
    "product_catalog_id": "catalog",
    "custom_audience_id": "audience",
    "do_not_reach_list_id": "do-not-reach list",
    "ab_test_id": "A/B test",
}
# The fields of ids whose kind another field tells.
KIND_FIELDS = {"entity_id": "entity_type", "entity_ids": "entity"}
IN_NO_ID = re.compile(r"[ A-Z\xa0-\U0010ffff]")  # blanks, capitals, letters beyond ASCII
IN_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f]|%[0-9A-Fa-f]{2}")  # it is refused as an id


def cannot_be_id(text: str) -> bool:
    """Tell whether a text can only be the name of a record."""
    return bool(IN_NO_ID.search(text)) and not IN_NO_NAME.search(text)


def noun_of(field: str) -> str:
    """Name the kind of record whose id a field holds: `line item`."""
    return NOUNS.get(field) or field.removesuffix("_id").replace("_", " ")


def field_of_kind(kind: str) -> str:
    """Return the field of the ids of a kind, as requests name it: LINE_ITEM. "" where it has no names."""
    field = f"{kind.lower()}_id"
    return field if field in GROUPS else ""


@cache
def fields_that_take_names(request: type[Request]) -> Mapping[str, str]:
    """Return the fields of a request that hold ids of named records, with the key of each in GROUPS.

    That of a field of KIND_FIELDS is empty: it depends on the request.
    """
    fields: dict[str, str] = {}
    for field in fields_of(request):
        item = field.type.item if field.type.base is list else field.type
        single = field.name.removesuffix("s")
        source = SAME.get(single, single)
        if item.is_id and source in GROUPS:
            fields[field.name] = source
        elif item.is_id and KIND_FIELDS.get(field.name) in request.__struct_fields__:
            fields[field.name] = ""
    return fields
