"""What rules have done: the log of changes has the name of the rule in `by`."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ..api.spending import ACTIVE, STATUS
from ..checks.facts import Facts
from ..checks.outcome import Record
from ..stored_times import stored_form
from .rules import WatchRule

HOUR = timedelta(hours=1)
CLOCK_TOLERANCE = timedelta(minutes=5)  # between this machine and the service, with the time of a request
BY = "rule "  # before the name of the rule, in the log


class History:
    """The changes of this machine, oldest first, that may have been applied."""

    def __init__(self, changes: Sequence[Mapping[str, Any]]) -> None:
        self._by_id: dict[str, list[Mapping[str, Any]]] = {}
        for change in changes:
            for id in change["ids"]:
                self._by_id.setdefault(id, []).append(change)

    def why_not(self, rule: WatchRule, record: Record, facts: Facts) -> str:
        """Say why a rule may not act on a record now; "" where it may."""
        own = self._by_id.get(str(record["id"]), [])
        if rule.at_most and rule.do != "tell":
            count, window = rule.at_most
            since = stored_form(facts.now - window)
            acted = [change for change in own if change["by"] == BY + rule.name and change["time"] >= since]
            if len(acted) >= count:
                return f"it acted {len(acted)} times in {window.days} days, and may {count}"
            if rule.change and rule.change.share is not None and count == 1 and not acted:
                return _changed_elsewhere(record, facts, window)
        if rule.do == "activate":
            if not self._was_paused_by_rule(str(record["id"])):
                return "it was not paused by a rule"
            if datetime.fromisoformat(own[-1]["time"]) > facts.now + CLOCK_TOLERANCE:
                return "the log says that it was paused later than now: is the clock of this machine right?"
            if _is_newer(record, own[-1]["time"], facts):
                return "something else has changed it since a rule paused it"
        return ""

    def _was_paused_by_rule(self, id: str) -> bool:
        """Tell whether the last change of the status of a record was a pause by a rule."""
        for change in reversed(self._by_id.get(id, [])):
            status = _set_of(change, id).get(STATUS)
            if status is not None:
                return bool(status != ACTIVE and str(change["by"] or "").startswith(BY))
        return False


def _is_newer(record: Record, logged: str, facts: Facts) -> bool:
    """Tell whether a record was changed after the last change of it in the log, which is of this machine."""
    changed = facts.moment(record, "updated_at")
    since = datetime.fromisoformat(logged) + CLOCK_TOLERANCE
    return changed is not None and changed > since


def _set_of(change: Mapping[str, Any], id: str) -> Mapping[str, Any]:
    """Return what a change has set of a record."""
    fields = change["fields"]
    if isinstance(fields, list):
        return dict(zip(change["ids"], fields, strict=False)).get(id) or {}
    return fields or {}


def _changed_elsewhere(record: Record, facts: Facts, window: timedelta) -> str:
    """Say that somebody changed a record lately: another machine may have applied the same share."""
    age = facts.age(record, "updated_at")
    created = facts.age(record, "created_at")
    if age is None or age >= window or (created is not None and created <= age):
        return ""
    if age < -HOUR:
        return "it was changed later than now: is the clock of this machine right?"
    return f"it was changed {max(age // HOUR, 0)} hours ago, and may be once in {window.days} days"
