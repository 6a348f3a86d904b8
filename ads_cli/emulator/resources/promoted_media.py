"""The media that line items show, and the calls to action of their preroll videos."""

from collections.abc import Mapping
from typing import Any

from ...api.promoted_media import (
    CreateCallToAction,
    CreateMediaCreative,
    DeleteCallToAction,
    DeleteMediaCreative,
    GetCallToAction,
    GetMediaCreative,
    ListCallToActions,
    ListMediaCreatives,
    UpdateCallToAction,
)
from ..core.errors import ApiError, invalid_parameter
from ..core.handlers import RequestContext
from ..storage.store import Record
from .collection import Collection
from .media import ACCOUNT_MEDIA
from .promoted import ACCEPTED, BY_LINE_ITEM, IN_LINE_ITEM
from .serving import LINE_ITEM

PREROLLS = ("PREROLL", "VAST_PREROLL")  # creative types


def _of_campaign(context: RequestContext, request: ListMediaCreatives) -> Mapping[str, Any]:
    """Limit a list to the line items of a campaign."""
    of_campaign = (
        "SELECT id FROM records WHERE kind = 'line_item' AND json_extract(data, '$.campaign_id') = ?"
    )
    within = f"json_extract(data, '$.line_item_id') IN ({of_campaign})"
    return {within: request.campaign_id} if request.campaign_id else {}


def _of_medium(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a creative with its type; raise ApiError if a click on it leads nowhere."""
    account = context.path_params["account_id"]
    medium = context.store.find(ACCOUNT_MEDIA, after["account_media_id"], owner=account)
    line_item = context.store.find(LINE_ITEM, after["line_item_id"], owner=account)
    assert medium and line_item  # its parents
    is_preroll = medium["creative_type"] in PREROLLS
    if line_item["objective"] == "WEBSITE_CLICKS" and not is_preroll and not after["landing_url"]:
        message = "landing_url: is required for objective WEBSITE_CLICKS"
        raise ApiError(400, "MISSING_PARAMETER", message, parameter="landing_url")
    landing_url = None if is_preroll else after["landing_url"]
    return after | {"creative_type": medium["creative_type"], "landing_url": landing_url}


MEDIA_CREATIVES = Collection(
    kind="media_creative",
    list=ListMediaCreatives,
    get=GetMediaCreative,
    create=CreateMediaCreative,
    delete=DeleteMediaCreative,
    defaults={
        "line_item_id": None,
        "account_media_id": None,
        "creative_type": None,
        "landing_url": None,
        **ACCEPTED,
    },
    parents={**IN_LINE_ITEM, "account_media_id": ACCOUNT_MEDIA},
    ids="media_creative_ids",
    filters=BY_LINE_ITEM,
    prepare=_of_medium,
    conditions=_of_campaign,
)


def _before_films(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a line item that shows no prerolls."""
    account = context.path_params["account_id"]
    line_item = context.store.find(LINE_ITEM, after["line_item_id"], owner=account)
    if line_item and line_item["objective"] != "PREROLL_VIEWS":
        reason = f"the line item {line_item['id']} has objective {line_item['objective']}, not PREROLL_VIEWS"
        raise invalid_parameter("line_item_id", reason)
    return after


CALL_TO_ACTIONS = Collection(
    kind="preroll_call_to_action",
    list=ListCallToActions,
    get=GetCallToAction,
    create=CreateCallToAction,
    update=UpdateCallToAction,
    delete=DeleteCallToAction,
    defaults={"line_item_id": None, "call_to_action": None, "call_to_action_url": None},
    parents=IN_LINE_ITEM,
    ids="preroll_call_to_action_ids",
    filters=BY_LINE_ITEM,
    prepare=_before_films,
)
