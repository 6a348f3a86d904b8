"""A/B tests: which part of the users sees which campaigns or line items."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ...api import ab_tests
from ...api.ab_tests import ListAbTests
from ...api.line_items import APP_OBJECTIVES
from ..core.handlers import RequestContext
from ..core.responses import invalid_parameter
from ..storage import Record, random_base36, utc_now
from .collection import Collection
from .serving import LINE_ITEM

SHORTEST, SHORTEST_OF_APPS = timedelta(days=1), timedelta(days=5)
GROUP: Record = {"name": None, "description": None}


def as_test(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a test as it is stored; raise ApiError for what the state does not allow."""
    start, end, now = _moment(after["start_time"]), _moment(after["end_time"]), datetime.now(UTC)
    status = _status(before) if before else "SCHEDULED"
    if before and (frozen := _changed(before, after) - _changeable(status)):
        raise invalid_parameter(min(frozen), f"cannot be changed while the test is {status}")
    if status == "SCHEDULED" and start <= now:
        raise invalid_parameter("start_time", "is not in the future")
    if end <= now or end - start < SHORTEST:
        raise invalid_parameter("end_time", "must be in the future, and a day or more after start_time")
    account = context.path_params["account_id"]
    groups = [_group(group, before) for group in after["user_groups"]]
    ids = [id for group in groups for id in group["entity_ids"]]
    kind = after["entity_type"].lower()
    taken = {id for test in _others(context, account, before) for id in _entity_ids(test)}
    for id in ids:
        if context.store.find(kind, id, owner=account) is None:
            raise invalid_parameter("user_groups", f"the {kind.replace('_', ' ')} {id} does not exist")
        if id in taken or ids.count(id) > 1:
            raise invalid_parameter("user_groups", f"{id} is in a test already")
    _require_fitting(context, account, after, ids)
    by = {"user_id": context.user, "username": "nordlicht"}
    entities = [{"id": id, "account_id": account} for id in ids]
    made = {"created_by": before["created_by"] if before else by, "updated_by": by}
    return {**after, "user_groups": groups, "entities": entities, **made}


def _require_fitting(context: RequestContext, account: str, test: Record, ids: list[str]) -> None:
    """Raise ApiError unless a test is of whole campaigns, and long enough for their objective."""
    find_all = context.store.find_all
    line_items = [one for one in find_all(LINE_ITEM, account) if {one["id"], one["campaign_id"]} & {*ids}]
    if test["entity_type"] == "LINE_ITEM":
        whole = find_all(LINE_ITEM, account, campaign_id=line_items[0]["campaign_id"])
        if {one["id"] for one in whole} != {*ids}:
            raise invalid_parameter("user_groups", "must be all line items of one campaign")
    is_of_apps = any(one["objective"] in APP_OBJECTIVES for one in line_items)
    if is_of_apps and _moment(test["end_time"]) - _moment(test["start_time"]) < SHORTEST_OF_APPS:
        reason = f"must be {SHORTEST_OF_APPS.days} days or more after start_time, for a test of apps"
        raise invalid_parameter("end_time", reason)


def with_status(context: RequestContext, record: Record) -> Record:
    """Return a test with the status that its times mean."""
    return {**record, "status": _status(record)}


def conditions(context: RequestContext, request: ListAbTests) -> Mapping[str, Any]:
    """Return the conditions of a list in SQL."""
    found: dict[str, Any] = {}
    now = utc_now()
    start, end = "json_extract(data, '$.start_time')", "json_extract(data, '$.end_time')"
    if request.status == "SCHEDULED":
        found[f"{start} > ?"] = now
    elif request.status == "LIVE":
        found |= {f"{start} <= ?": now, f"{end} > ?": now}
    elif request.status == "COMPLETED":
        found[f"{end} <= ?"] = now
    if request.live_during:
        found |= {f"{start} < (?)": request.live_during[-1], f"{end} > (?)": request.live_during[0]}
    if request.user_id:
        found["json_extract(data, '$.created_by.user_id') = ?"] = str(request.user_id)
    if request.username:
        found["json_extract(data, '$.created_by.username') = ?"] = request.username
    return found


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _status(test: Record) -> str:
    now = datetime.now(UTC)
    if _moment(test["start_time"]) > now:
        return "SCHEDULED"
    return "LIVE" if _moment(test["end_time"]) > now else "COMPLETED"


def _changeable(status: str) -> set[str]:
    """Name the fields that can be changed in a status."""
    always = {"end_time"} if status != "COMPLETED" else set()
    if status != "SCHEDULED":
        return always
    return {"name", "description", "start_time", "user_groups", *always}


def _changed(before: Record, after: Record) -> set[str]:
    return {name for name, value in after.items() if before.get(name) != value}


def _group(group: Record, before: Record | None) -> Record:
    """Return a user group: one of the test before, changed, or a new one."""
    known = {each["id"]: each for each in before["user_groups"]} if before else {}
    if (id := group.get("id")) and id not in known:
        raise invalid_parameter("user_groups", f"the user group {id} does not exist")
    merged = {**GROUP, **known.get(id or "", {"id": random_base36()}), **group}
    for name in ("entity_ids", "size"):
        if name not in merged:
            raise invalid_parameter("user_groups", f"{name} is required in a new group")
    return merged


def _others(context: RequestContext, account: str, before: Record | None) -> list[Record]:
    tests = context.store.find_all(AB_TESTS.kind, account)
    own = before["id"] if before else None
    return [test for test in tests if test["id"] != own and _status(test) != "COMPLETED"]


def _entity_ids(test: Record) -> list[str]:
    return [id for group in test["user_groups"] for id in group["entity_ids"]]


AB_TESTS = Collection(
    ab_tests.AB_TESTS,
    defaults={"name": None, "description": None},
    sortable=("start_time", "end_time", "entity_type"),
    prepare=as_test,
    shown=with_status,
    conditions=conditions,
)
