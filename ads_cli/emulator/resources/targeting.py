"""Targeting criteria of line items."""

from ...api.targeting import AddCriterion, DeleteCriterion, GetCriterion, ListCriteria
from ..core.handlers import RequestContext
from ..storage.store import Record
from ..targeting.values import localized
from . import targeting_rules
from .collection import Collection
from .serving import CRITERION, LINE_ITEM

# By the identifier of an app that a line item has: the platform of its store.
PLATFORMS = {"android_app_store_identifier": "1", "ios_app_store_identifier": "0"}


def _checked(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a criterion with its name; raise ApiError if the line item cannot have it."""
    return stored_fields(after, targeting_rules.check(context, after))


def stored_fields(new: Record, found: Record) -> Record:
    """Return the fields of a criterion whose value names `found`."""
    location = {"location_type": found.get("location_type")} if new["targeting_type"] == "LOCATION" else {}
    return {
        "line_item_id": new["line_item_id"],
        "name": found.get("name", new["targeting_value"]),
        "targeting_type": new["targeting_type"],
        "targeting_value": new["targeting_value"],
        "operator_type": new["operator_type"],
        **location,
    }


def target_platforms_of_app(context: RequestContext, line_item: Record) -> None:
    """Let a new line item that advertises an app target the platforms of the app's stores."""
    for field, platform in PLATFORMS.items():
        if line_item[field]:
            fields = {
                "line_item_id": line_item["id"],
                "targeting_type": "PLATFORM",
                "targeting_value": platform,
            }
            CRITERIA.add(context, context.path_params["account_id"], fields)


def _shown(context: RequestContext, criterion: Record) -> Record:
    """Add the name in the language of the request."""
    language = context.echoed.get("lang")
    return criterion | ({"localized_name": localized(criterion["name"], language)} if language else {})


CRITERIA = Collection(
    kind=CRITERION,
    list=ListCriteria,
    get=GetCriterion,
    create=AddCriterion,
    delete=DeleteCriterion,
    defaults={"operator_type": "EQ"},
    parents={"line_item_id": LINE_ITEM},
    ids="targeting_criterion_ids",
    filters={"line_item_ids": "line_item_id"},
    sortable=("line_item_id", "name", "targeting_type", "targeting_value"),
    entity="TARGETING_CRITERIA",
    prepare=_checked,
    shown=_shown,
)
