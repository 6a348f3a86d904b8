"""The answers of service x where its public reference shows another shape than the specification."""

from collections.abc import Callable
from typing import Any

from .classic_posts import classic_post, renamed_post
from .responses import Result

Record = dict[str, Any]
# Commands whose `data` is a list with one record, where others answer with the record itself.
ONE_IN_A_LIST = ("accounts create", "cards get", "cards update", "cards delete")
# The public SDK of the service, whose reference lists what the SDK reads as one object.
SDK_USER_AGENT = "twitter-ads version:"
MANAGED = ("created_at", "updated_at", "deleted")


def in_shape_of_x(result: Result, command: str, user_agent: str) -> Result:
    """Return the result of a command as service x answers it to a client."""
    change = SHAPES.get(command) or SHAPES.get(command.rpartition(" ")[0])
    data = result.data
    if change:
        data = [*map(change, data)] if isinstance(data, list) else change(data)
    if command in ONE_IN_A_LIST and not user_agent.startswith(SDK_USER_AGENT):
        data = [data]
    return result._replace(data=data)


def _without_managed_fields(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in MANAGED}


def _scheduled_feed(record: Record) -> Record:
    """Return a scheduled feed with its times, in milliseconds, though no record beside it has them."""
    times = {name: record[name].replace("Z", ".000Z") for name in ("created_at", "updated_at")}
    return _without_managed_fields(record) | times


def _older_card(card: Record) -> Record:
    """Return a card whose numbers are texts, without what is not set."""
    found = {name: value for name, value in card.items() if value is not None}
    return {name: value if isinstance(value, bool) else str(value) for name, value in found.items()}


def _changed_audience(audience: Record) -> Record:
    """Return an audience with whether the account owns it in place of who does; only the owner changes it."""
    changed = {name: value for name, value in audience.items() if name != "owner_account_id"}
    return changed | {"is_owner": True}


SHAPES: dict[str, Callable[[Record], Record]] = {
    "audiences update": _changed_audience,
    "catalog": _without_managed_fields,
    "catalog feeds": _scheduled_feed,
    "catalog sets": _without_managed_fields,
    "cards image-conversation": _older_card,
    "cards poll": _older_card,
    "cards video-conversation": _older_card,
    "posts create": classic_post,
    "posts list": classic_post,
    "posts rename": renamed_post,
}
