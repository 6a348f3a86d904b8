"""Which entities statistics are asked of."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..api.ids import path_segment
from ..api.statistics import MAX_ACTIVE_PERIOD, ListActiveEntities
from ..errors import UsageError
from .described import Directory
from .fetch import times_of
from .periods import Period
from .question import unique

if TYPE_CHECKING:
    from ..client.client import Client

NEVER_ACTIVE = ("ACCOUNT", "MEDIA_CREATIVE")  # entities that the list of active ones does not have


def select_ids(
    directory: Directory, entity: str, period: Period, *, ids: str | None, all: bool, active: bool
) -> tuple[str, ...]:
    """Return the ids that the options choose; raise UsageError unless they do so in one way."""
    if entity == "ACCOUNT" and not (ids or all or active):
        return (directory.account,)
    if sum(map(bool, (ids, all, active))) != 1:
        raise UsageError(
            "--ids, --all, --active: give one of them", hint="--active asks for those that were active"
        )
    if ids:
        return _named(ids)
    if all:
        return unique(directory.ids(entity))
    if entity in NEVER_ACTIVE:
        raise UsageError(f"--active: the service lists no active entities of {entity}", hint="use --all")
    return unique(_active(directory.client, directory.account, entity, period))


def _named(ids: str) -> tuple[str, ...]:
    if not (found := unique(ids.split(","))):
        raise UsageError("--ids: names no entity", hint="separate ids by commas")
    for id in found:
        path_segment(id, "--ids")
    return found


def _active(client: "Client", account: str, entity: str, period: Period) -> Iterator[str]:
    """Yield the entities whose numbers may have changed in a period."""
    for window in period.windows(MAX_ACTIVE_PERIOD):
        values: dict[str, Any] = {"account_id": account, "entity": entity, **times_of(window)}
        request = ListActiveEntities(**values)
        for record in client.call(request).records:
            yield str(record.get("entity_id"))
