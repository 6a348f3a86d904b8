"""The names of entities, joined to their statistics by one listing of each kind."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..api.registry import requests_named
from ..api.statistics import MAX_ACTIVE_PERIOD, ListActiveEntities
from ..parallel import batched
from .answers import times_of
from .periods import Period
from .rows import EntityInfo

if TYPE_CHECKING:
    from ..client.client import Client

IDS_AT_ONCE = 200
# The commands that list entities.
GROUPS = {
    "CAMPAIGN": ("campaigns",),
    "FUNDING_INSTRUMENT": ("funding-instruments",),
    "LINE_ITEM": ("line-items",),
    "PROMOTED_POST": ("promoted", "posts"),
    "PROMOTED_ACCOUNT": ("promoted", "accounts"),
    "MEDIA_CREATIVE": ("promoted", "media"),
}
ById = Mapping[str, EntityInfo]


class EntityLookup:
    """Finds the ids, names, campaigns and currencies of entities."""

    def __init__(self, client: "Client", account: str) -> None:
        self.client, self.account = client, account
        self._listed: dict[tuple[str, str], EntityInfo] = {}  # by entity and id

    def ids(self, entity: str) -> Iterator[str]:
        """Yield the ids of every entity of a kind, deleted ones too: they have statistics."""
        if entity == "ACCOUNT":
            yield self.account
            return
        for id, listed in self._list(entity):
            self._listed[entity, id] = listed
            yield id

    def active_ids(self, entity: str, period: Period) -> Iterator[str]:
        """Yield the ids of the entities whose numbers may have changed in a period."""
        return (str(record.get("entity_id")) for record in self.active(entity, period))

    def active(self, entity: str, period: Period) -> Iterator[Mapping[str, Any]]:
        """Yield which entities have changed in a period, as the service says it; one may be repeated."""
        for window in period.windows(MAX_ACTIVE_PERIOD):
            values: dict[str, Any] = {"account_id": self.account, "entity": entity, **times_of(window)}
            yield from self.client.call(ListActiveEntities(**values)).records

    def describe(self, entity: str, ids: Sequence[str]) -> dict[str, EntityInfo]:
        """Describe entities; one that no listing has is left out."""
        if entity == "ACCOUNT":
            # An account has no currency of its own, and no sum of amounts in several.
            currencies = {info.currency for _, info in self._list("FUNDING_INSTRUMENT") if info.currency}
            only = currencies.pop() if len(currencies) == 1 else None
            return {id: EntityInfo(currency=only) for id in ids}
        infos = {id: self._listed[entity, id] for id in ids if (entity, id) in self._listed}
        infos |= self._by_id(entity, (id for id in ids if id not in infos))
        line_items, campaigns = self._owners(entity, infos)
        return {id: _with_owners(info, line_items, campaigns) for id, info in infos.items()}

    def _owners(self, entity: str, infos: ById) -> tuple[ById, ById]:
        """Return the line items and the campaigns that entities lie in, or are."""
        line_items: ById = infos
        if entity != "LINE_ITEM":
            line_items = self._by_id("LINE_ITEM", (info.line_item_id for info in infos.values()))
        if entity == "CAMPAIGN":
            return line_items, infos
        inside = (*infos.values(), *line_items.values())
        return line_items, self._by_id("CAMPAIGN", (info.campaign_id for info in inside))

    def _by_id(self, entity: str, ids: Iterable[str | None]) -> dict[str, EntityInfo]:
        """List some entities, each once."""
        infos = dict[str, EntityInfo]()
        for few in batched(dict.fromkeys(str(id) for id in ids if id), IDS_AT_ONCE):
            infos |= self._list(entity, few)
        return infos

    def _list(self, entity: str, ids: list[str] | None = None) -> Iterator[tuple[str, EntityInfo]]:
        """List the entities of a kind, or some of them, with their ids."""
        (request,) = requests_named((*GROUPS[entity], "list"))
        values = {"account_id": self.account, "with_deleted": True, f"{entity.lower()}_ids": ids}
        values |= {"count": 1000} if "count" in request.__struct_fields__ else {}
        for response in self.client.pages(request(**values)):
            for record in response.records:
                yield str(record.get("id")), info_of(entity, record)


def info_of(entity: str, record: Mapping[str, Any]) -> EntityInfo:
    """Describe an entity by its own record; a campaign or a line item lies in itself."""
    id, post_id = str(record.get("id")), record.get("post_id")
    return EntityInfo(
        record.get("name") or record.get("description") or post_id,
        currency=record.get("currency"),
        campaign_id=id if entity == "CAMPAIGN" else record.get("campaign_id"),
        line_item_id=id if entity == "LINE_ITEM" else record.get("line_item_id"),
        post_id=post_id,
    )


def _with_owners(entity: EntityInfo, line_items: ById, campaigns: ById) -> EntityInfo:
    """Add the campaign; what is promoted has the campaign and the currency of its line item."""
    line_item = line_items.get(str(entity.line_item_id), EntityInfo())
    campaign_id = entity.campaign_id or line_item.campaign_id
    campaign = campaigns.get(str(campaign_id), EntityInfo())
    return entity._replace(
        campaign=campaign.name or campaign_id,
        campaign_id=campaign_id,
        currency=entity.currency or line_item.currency,
    )
