"""The answers of service x where its public reference shows another shape than the specification."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from .responses import Result

Record = dict[str, Any]
# Commands whose `data` is a list with one record, where others answer with the record itself.
# The reference lists cards too (get, update, delete), but its public SDK reads one object there.
ONE_IN_A_LIST = ("accounts create",)
MANAGED = ("created_at", "updated_at", "deleted")


def in_shape_of_x(result: Result, command: str) -> Result:
    """Return the result of a command as service x answers it."""
    change = SHAPES.get(command.rpartition(" ")[0])
    data = result.data
    if change:
        data = [*map(change, data)] if isinstance(data, list) else change(data)
    if command in ONE_IN_A_LIST:
        data = [data]
    return result._replace(data=data)


def _without_managed_fields(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in MANAGED}


def _classic_post(post: Record) -> Record:
    """Return a post with a number as its id, and the time in the older form."""
    made = datetime.fromisoformat(post["created_at"]).strftime("%a %b %d %H:%M:%S +0000 %Y")
    user = post["user"] | _classic_id(post["user"])
    return _without_managed_fields(post) | _classic_id(post) | {"created_at": made, "user": user}


def _classic_id(record: Record) -> Record:
    return {"id": int(record["id"]), "id_str": record["id"]}


def _poll(card: Record) -> Record:
    """Return a poll whose numbers are texts."""
    numbers = {name: str(value) for name, value in card.items() if isinstance(value, int | float)}
    return card | {name: text for name, text in numbers.items() if name != "deleted"}


SHAPES: dict[str, Callable[[Record], Record]] = {
    "catalog": _without_managed_fields,
    "catalog sets": _without_managed_fields,
    "cards poll": _poll,
    "posts": _classic_post,
}
