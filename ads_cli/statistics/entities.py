"""The names of entities, joined to their statistics by one listing of each kind."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..api.statistics import MAX_ACTIVE_PERIOD, ListActiveEntities
from .answers import times_of
from .periods import Period
from .rows import EntityInfo

if TYPE_CHECKING:
    from ..client.client import Client


IDS_AT_ONCE = 200


class ListedEntity(NamedTuple):
    """What is used of the record of an entity."""

    id: str = ""
    name: str | None = None
    campaign_id: str | None = None  # of a campaign its own, likewise below
    line_item_id: str | None = None
    post_id: str | None = None
    currency: str | None = None

    @classmethod
    def of(cls, entity: str, record: Mapping[str, Any]) -> "ListedEntity":
        """Return what is used of a record."""
        id = str(record.get("id"))
        post_id = record.get("post_id")
        return cls(
            id,
            name=record.get("name") or record.get("description") or post_id,
            campaign_id=id if entity == "CAMPAIGN" else record.get("campaign_id"),
            line_item_id=id if entity == "LINE_ITEM" else record.get("line_item_id"),
            post_id=post_id,
            currency=record.get("currency"),
        )


UNKNOWN = ListedEntity()
ById = Mapping[str, ListedEntity]


class EntityLookup:
    """Finds the ids, names, campaigns and currencies of entities."""

    def __init__(self, client: "Client", account: str) -> None:
        self.client, self.account = client, account
        self._listed: dict[tuple[str, str], ListedEntity] = {}  # by entity and id

    def ids(self, entity: str) -> Iterator[str]:
        """Yield the ids of every entity of a kind, deleted ones too: they have statistics."""
        if entity == "ACCOUNT":
            yield self.account
            return
        for listed in self._list(entity):
            self._listed[entity, listed.id] = listed
            yield listed.id

    def active_ids(self, entity: str, period: Period) -> Iterator[str]:
        """Yield the ids of the entities whose numbers may have changed in a period."""
        for window in period.windows(MAX_ACTIVE_PERIOD):
            values: dict[str, Any] = {"account_id": self.account, "entity": entity, **times_of(window)}
            for record in self.client.call(ListActiveEntities(**values)).records:
                yield str(record.get("entity_id"))

    def describe(self, entity: str, ids: Sequence[str]) -> dict[str, EntityInfo]:
        """Describe entities; one that no listing has is left out."""
        if entity == "ACCOUNT":
            # An account has no currency of its own, and no sum of amounts in several.
            currencies = {one.currency for one in self._list("FUNDING_INSTRUMENT") if one.currency}
            only = currencies.pop() if len(currencies) == 1 else None
            return {id: EntityInfo(currency=only) for id in ids}
        found = {id: self._listed[entity, id] for id in ids if (entity, id) in self._listed}
        found |= self._by_id(entity, (id for id in ids if id not in found))
        line_items, campaigns = self._owners(entity, found)
        return {id: _info_of(one, line_items, campaigns) for id, one in found.items()}

    def _owners(self, entity: str, found: ById) -> tuple[ById, ById]:
        """Return the line items and the campaigns that entities lie in, or are."""
        line_items: ById = found
        if entity != "LINE_ITEM":
            line_items = self._by_id("LINE_ITEM", (one.line_item_id for one in found.values()))
        if entity == "CAMPAIGN":
            return line_items, found
        inside = (*found.values(), *line_items.values())
        return line_items, self._by_id("CAMPAIGN", (one.campaign_id for one in inside))

    def _by_id(self, entity: str, ids: Iterable[str | None]) -> dict[str, ListedEntity]:
        """List some entities, each once."""
        known = iter(dict.fromkeys(str(id) for id in ids if id))
        found = dict[str, ListedEntity]()
        while few := [*islice(known, IDS_AT_ONCE)]:
            found |= {one.id: one for one in self._list(entity, few)}
        return found

    def _list(self, entity: str, ids: list[str] | None = None) -> Iterator[ListedEntity]:
        """List the entities of a kind, or some of them."""
        request, id_field = _listing(entity)
        values = {"account_id": self.account, "with_deleted": True, id_field: ids}
        values |= {"count": 1000} if "count" in request.__struct_fields__ else {}
        for response in self.client.pages(request(**values)):
            for record in response.records:
                yield ListedEntity.of(entity, record)


def _info_of(entity: ListedEntity, line_items: ById, campaigns: ById) -> EntityInfo:
    """Describe an entity; what is promoted has the campaign and the currency of its line item."""
    line_item = line_items.get(str(entity.line_item_id), UNKNOWN)
    campaign_id = entity.campaign_id or line_item.campaign_id
    campaign = campaigns.get(str(campaign_id), UNKNOWN)
    return EntityInfo(
        entity.name,
        campaign.name or campaign_id,
        entity.currency or line_item.currency,
        campaign_id=campaign_id,
        line_item_id=entity.line_item_id,
        post_id=entity.post_id,
    )


def _listing(entity: str) -> tuple[type[Request], str]:
    """Return the request that lists entities, and its field of ids."""
    from importlib import import_module

    module, name, field = {
        "CAMPAIGN": ("campaigns", "ListCampaigns", "campaign_ids"),
        "FUNDING_INSTRUMENT": ("funding_instruments", "ListFundingInstruments", "funding_instrument_ids"),
        "LINE_ITEM": ("line_items", "ListLineItems", "line_item_ids"),
        "PROMOTED_POST": ("promoted", "ListPromotedPosts", "promoted_post_ids"),
        "PROMOTED_ACCOUNT": ("promoted", "ListPromotedAccounts", "promoted_account_ids"),
        "MEDIA_CREATIVE": ("promoted", "ListMediaCreatives", "media_creative_ids"),
    }[entity]
    request: type[Request] = getattr(import_module(f"ads_cli.api.{module}"), name)
    return request, field
