"""A/B tests: groups of campaigns or line items, each shown to a part of the people."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ...api import ab_tests
from ...api.ab_tests import ListAbTests, size_problem
from ...api.line_items import APP_OBJECTIVES
from ..core.handlers import RequestContext
from ..core.paging import field_is, json_field
from ..core.responses import invalid_parameter
from ..storage import Record, random_base36, screen_name, utc_now
from .campaigns import LINE_ITEM
from .collection import Collection

SHORTEST, SHORTEST_OF_APPS = timedelta(days=1), timedelta(days=5)
NEW_GROUP: Record = {"name": None, "description": None}
CHANGEABLE = {  # by the status of a test
    "SCHEDULED": {"name", "description", "start_time", "end_time", "user_groups"},
    "LIVE": {"end_time"},
    "COMPLETED": set[str](),
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a test as it is stored; raise ApiError for what the state does not allow."""
    start, end, now = _moment(after["start_time"]), _moment(after["end_time"]), datetime.now(UTC)
    status = _status(before) if before else "SCHEDULED"
    if before:
        changed = {name for name, value in after.items() if before.get(name) != value}
        if frozen := changed - CHANGEABLE[status]:
            raise invalid_parameter(min(frozen), f"cannot be changed while the test is {status}")
    if status == "SCHEDULED" and start <= now:
        raise invalid_parameter("start_time", "is not in the future")
    if end <= now or end - start < SHORTEST:
        raise invalid_parameter("end_time", "must be in the future, and a day or more after start_time")
    groups = [_group(group, before) for group in after["user_groups"]]
    if before:
        _require_same_groups(after["user_groups"], before["user_groups"])
    if problem := size_problem(group["size"] for group in groups):
        raise invalid_parameter("user_groups", problem)
    ids = [id for group in groups for id in group["entity_ids"]]
    if before is None or groups != before["user_groups"]:
        _require_allowed(context, after["entity_type"], ids, before)
    _require_length(context, ids, end - start)
    by = {"user_id": context.user, "username": screen_name(context.store, context.user)}
    return after | {
        "user_groups": groups,
        "entities": [{"id": id, "account_id": context.account} for id in ids],
        "created_by": before["created_by"] if before else by,
        "updated_by": by,
    }


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _status(test: Record) -> str:
    now = datetime.now(UTC)
    if _moment(test["start_time"]) > now:
        return "SCHEDULED"
    return "LIVE" if _moment(test["end_time"]) > now else "COMPLETED"


def _group(group: Record, before: Record | None) -> Record:
    """Return a user group: one of the test before, changed, or a new one."""
    groups = {group["id"]: group for group in before["user_groups"]} if before else {}
    if (id := group.get("id")) and id not in groups:
        raise invalid_parameter("user_groups", f"the user group {id} does not exist")
    merged: Record = NEW_GROUP | groups.get(id or "", {"id": random_base36()}) | group
    for name in ("entity_ids", "size"):
        if name not in merged:
            raise invalid_parameter("user_groups", f"{name} is required in a new group")
    return merged


def _require_same_groups(groups: list[Record], before: list[Record]) -> None:
    """Raise ApiError where ids name only some of the groups of a test."""
    ids = [group["id"] for group in groups if group.get("id")]
    if ids and sorted(ids) != sorted(group["id"] for group in before):
        raise invalid_parameter("user_groups", "must have no id where groups are added or removed")


def _require_allowed(
    context: RequestContext, entity_type: str, ids: list[str], before: Record | None
) -> None:
    """Raise ApiError unless entities exist, are in one group of one test, and are whole campaigns."""
    kind = entity_type.lower()  # the values of the API are the kinds of the records
    others = [test for test in context.find_all(AB_TESTS.kind) if not before or test["id"] != before["id"]]
    running = [test for test in others if _status(test) != "COMPLETED"]
    used_ids = {id for test in running for group in test["user_groups"] for id in group["entity_ids"]}
    for id in ids:
        if context.find(kind, id) is None:
            raise invalid_parameter("user_groups", f"the {kind.replace('_', ' ')} {id} does not exist")
        if id in used_ids or ids.count(id) > 1:
            raise invalid_parameter("user_groups", f"{id} is in a test already")
    if kind == LINE_ITEM:
        campaign = context.require(LINE_ITEM, ids[0])["campaign_id"]
        if {item["id"] for item in context.find_all(LINE_ITEM, campaign_id=campaign)} != {*ids}:
            raise invalid_parameter("user_groups", "must be all line items of one campaign")


def _require_length(context: RequestContext, ids: list[str], length: timedelta) -> None:
    """Raise ApiError for a test of apps that is too short."""
    line_items = [item for item in context.find_all(LINE_ITEM) if {item["id"], item["campaign_id"]} & {*ids}]
    if length < SHORTEST_OF_APPS and any(item["objective"] in APP_OBJECTIVES for item in line_items):
        reason = f"must be {SHORTEST_OF_APPS.days} days or more after start_time, for a test of apps"
        raise invalid_parameter("end_time", reason)


def _conditions(context: RequestContext, request: ListAbTests) -> Mapping[str, Any]:
    """Return the conditions of a list in SQL. All times are texts in one form, which sort as times do."""
    now, start, end = utc_now(), json_field("start_time"), json_field("end_time")
    of_status: dict[str | None, dict[str, str]] = {
        "SCHEDULED": {f"{start} > ?": now},
        "LIVE": {f"{start} <= ?": now, f"{end} > ?": now},
        "COMPLETED": {f"{end} <= ?": now},
    }
    conditions = of_status.get(request.status, {})
    if request.live_during:  # in parentheses: equal conditions would be one key
        conditions |= {f"{start} < (?)": request.live_during[-1], f"{end} > (?)": request.live_during[0]}
    user = str(request.user_id) if request.user_id else None
    return (
        conditions | field_is("created_by.user_id", user) | field_is("created_by.username", request.username)
    )


AB_TESTS = Collection(
    ab_tests.AB_TESTS,
    defaults={"name": None, "description": None},
    sortable=("start_time", "end_time", "entity_type"),
    prepare=_prepared,
    shown=lambda context, record: record | {"status": _status(record)},
    conditions=_conditions,
)
