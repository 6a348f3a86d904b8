"""The answers of service x where its public reference shows another shape than the specification."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

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


def _classic_post(post: Record) -> Record:
    """Return a post with a number as its id, and the time in the older form."""
    made = datetime.fromisoformat(post["created_at"]).strftime("%a %b %d %H:%M:%S +0000 %Y")
    user = post["user"] | _classic_id(post["user"])
    return _without_managed_fields(post) | _classic_id(post) | {"created_at": made, "user": user}


def _renamed_post(post: Record) -> Record:
    """Return a post as the answer to its new name has it."""
    text = post.pop("text")
    tweet = {"post_id": post["id"], "post_type": "PUBLISHED"}
    return _classic_post(post) | tweet | {"full_text": text, "display_text_range": [0, len(text)]}


def _classic_id(record: Record) -> Record:
    return {"id": int(record["id"]), "id_str": record["id"]}


def _older_card(card: Record) -> Record:
    """Return a card whose numbers are texts, without what is not set."""
    found = {name: value for name, value in card.items() if value is not None}
    return {name: value if isinstance(value, bool) else str(value) for name, value in found.items()}


SHAPES: dict[str, Callable[[Record], Record]] = {
    "catalog": _without_managed_fields,
    "catalog feeds": _scheduled_feed,
    "catalog sets": _without_managed_fields,
    "cards poll": _older_card,
    "cards video-conversation": _older_card,
    "posts": _classic_post,
    "posts rename": _renamed_post,
}
