"""The names of entities, joined to their statistics by one listing of each kind."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..api.endpoint import Request
from ..api.parts import path_segment
from ..api.statistics import MAX_ACTIVE_PERIOD, ListActiveEntities
from ..errors import UsageError
from .answers import times_of
from .periods import Period
from .query import unique
from .rows import EntityInfo

if TYPE_CHECKING:
    from ..client.client import Client


IDS_AT_ONCE = 200
USED = ("name", "description", "post_id", "campaign_id", "line_item_id", "currency")
OWN_IDS = {"CAMPAIGN": "campaign_id", "LINE_ITEM": "line_item_id"}  # a row names its own entity there too
OWN_FIELDS = ("line_item_id", "post_id")
Record = Mapping[str, Any]


class EntityLookup:
    """Finds the ids, names, campaigns and currencies of entities."""

    def __init__(self, client: "Client", account: str) -> None:
        self.client, self.account = client, account
        self._listed: dict[tuple[str, str], Record] = {}  # by entity and id

    def ids(self, entity: str) -> Iterator[str]:
        """Yield the ids of every entity of a kind, deleted ones too: they have statistics."""
        if entity == "ACCOUNT":
            yield self.account
            return
        for record in self._records(entity, None):
            id = str(record.get("id"))
            self._listed[entity, id] = {name: record.get(name) for name in USED}
            yield id

    def describe(self, entity: str, ids: Iterable[str]) -> dict[str, EntityInfo]:
        """Describe entities; one that no listing has is left out."""
        if entity == "ACCOUNT":
            instruments = self._records("FUNDING_INSTRUMENT", None)
            currencies = {str(one["currency"]) for one in instruments if one.get("currency")}
            only = next(iter(currencies)) if len(currencies) == 1 else None
            return {id: EntityInfo(currency=only) for id in ids}
        listed = {id: self._listed.get((entity, id)) for id in ids}
        records = {id: record for id, record in listed.items() if record is not None}
        missing = [id for id in listed if id not in records]
        records |= {str(one.get("id")): one for one in self._records(entity, missing)}
        line_items = self._related("LINE_ITEM", records.values(), "line_item_id")
        campaigns = self._related("CAMPAIGN", [*records.values(), *line_items.values()], "campaign_id")
        described = {}
        for id, record in records.items():
            line_item = line_items.get(str(record.get("line_item_id")), {})
            campaign_id = record.get("campaign_id") or line_item.get("campaign_id")
            own = {OWN_IDS[entity]: id} if entity in OWN_IDS else {}
            campaign = record if entity == "CAMPAIGN" else campaigns.get(str(campaign_id), {})
            currency = next((one["currency"] for one in (record, line_item) if one.get("currency")), None)
            name = record.get("name") or record.get("description") or record.get("post_id")
            named = {"campaign_id": campaign_id} | {each: record.get(each) for each in OWN_FIELDS} | own
            described[id] = EntityInfo(name, campaign.get("name") or campaign_id, currency, **named)
        return described

    def _related(self, entity: str, records: Iterable[Record], field: str) -> dict[str, Record]:
        ids = dict.fromkeys(str(one[field]) for one in records if one.get(field))
        return {str(one.get("id")): one for one in self._records(entity, [*ids])} if ids else {}

    def _records(self, entity: str, ids: list[str] | None) -> Iterator[dict[str, Any]]:
        """List the records of some ids, or all."""
        request, id_field = _listing(entity)
        rest = iter(ids or ())
        few: list[str] | None
        while (few := None if ids is None else [*islice(rest, IDS_AT_ONCE)]) is None or few:
            values = {"account_id": self.account, "with_deleted": True, id_field: few}
            values |= {"count": 1000} if "count" in request.__struct_fields__ else {}
            for response in self.client.pages(request(**values)):
                yield from response.records
            if few is None:
                return


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


NEVER_ACTIVE = ("ACCOUNT", "MEDIA_CREATIVE")  # entities that the list of active ones does not have


def select_ids(
    directory: EntityLookup, entity: str, period: Period, *, ids: str | None, all: bool, active: bool
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
