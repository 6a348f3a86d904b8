"""Times as they are typed: without an offset, they are in the time zone of the account."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ...api.endpoint import Request
from ...api.fields import Field, fields_of, marked_fields
from ...api.time import Time
from ...console.account_zone import account_with_zone
from ...console.invocation import Invocation
from ...errors import UnavailableError

NOT_ASKED = (
    "a dry run does not ask for the time zone of the account: a day is shown as one in UTC, "
    "and a time of day needs an offset"
)


class LocalTime(NamedTuple):
    """A time that was typed without an offset."""

    field: Field
    typed: str
    time: datetime

    def in_zone(self, zone: ZoneInfo) -> Time | None:
        """Return the moment that it is in a zone; None where that is outside of the calendar."""
        try:
            return Time.of(self.time.replace(tzinfo=zone))
        except OverflowError:
            return None


def local_times(kind: type[Request], values: Mapping[str, Any]) -> list[LocalTime]:
    """Return the options that are times without an offset, of requests about an account."""
    if "account" not in marked_fields(kind, "common").values():
        return []
    typed = ((field, values.get(field.name)) for field in fields_of(kind) if _is_moment(field))
    read = ((field, str(text), _parsed(str(text))) for field, text in typed if text)
    return [LocalTime(field, text, time) for field, text, time in read if time]


def with_moments(call: Invocation, kind: type[Request], values: dict[str, Any]) -> None:
    """Replace times without an offset by the moments that they are where the account is, and say so."""
    if not (times := local_times(kind, values)):
        return
    if call.dry_run and not (call.is_plan or call.settings.is_local):
        call.messages.warn(NOT_ASKED)
        return
    zone = _required_zone(call)
    for local in times:
        if moment := local.in_zone(zone):
            values[local.field.name] = moment
            call.messages.say(
                f"{local.field.option} {local.typed} is in {zone.key}, the account's zone: {moment}"
            )


def _required_zone(call: Invocation) -> ZoneInfo:
    """Return the time zone of the account; raise UnavailableError where it is not known."""
    zone = account_with_zone(call)["timezone"]
    try:
        return ZoneInfo(zone)
    except (LookupError, ValueError):
        raise UnavailableError(f"the account has the time zone {zone!r}, which is not known") from None


def _is_moment(field: Field) -> bool:
    base = field.type.base
    return isinstance(base, type) and issubclass(base, Time)


def _parsed(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return None if time.tzinfo else time
