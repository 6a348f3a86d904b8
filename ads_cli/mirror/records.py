"""The records of an account, as rows of their tables. Each list is asked for once."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.accounts import ListPromotableUsers
from ..api.posts import ListPosts
from ..api.registry import request_of
from ..api.time import Time
from ..campaigns.account import list_all
from ..errors import UnavailableError
from ..parallel import batched
from ..runs.job import Job
from ..runs.jobs import list_jobs
from ..statistics.rows import amounts
from ..store.changes import ChangeLog
from .contract import ACCOUNTS, CAMPAIGNS, LINE_ITEMS, POST_URLS, POSTS, PROMOTED_POSTS, id_of_post
from .destination import Row, Value
from .further import CHANGES, RUNS, tables
from .spool import Spool
from .tables import SYNCED, UNITS, Column, Record, Table, Type

if TYPE_CHECKING:
    from ..client.client import Client

IDS_AT_ONCE = 200  # in one request
TARGETING = "targeting_criterion_history"
EVERYTHING = ("with_deleted", "with_draft", "include_legacy_cards")  # options of lists
MAX_BIGINT = 2**63
# The tables of the entities that have statistics.
TABLES_OF_ENTITIES = {
    "CAMPAIGN": CAMPAIGNS.name,
    "LINE_ITEM": LINE_ITEMS.name,
    "PROMOTED_POST": PROMOTED_POSTS.name,
    "PROMOTED_ACCOUNT": "promoted_account_history",
    "MEDIA_CREATIVE": "media_creative_history",
}

Flight = tuple[datetime | None, datetime | None]  # when a line item begins and ends


class Entity(NamedTuple):
    """What statistics need to know of a campaign, a line item or what it promotes: columns of its table."""

    campaign_id: str | None
    line_item_id: str | None
    currency: str | None
    tweet_id: str | None


class Machine(NamedTuple):
    """Where this machine remembers what it has done, and at which service."""

    state_dir: Path
    service: str  # its identity


class Records:
    """Reads the records of one account."""

    def __init__(
        self,
        client: "Client",
        machine: Machine,
        account: Record,
        shared: Mapping[str, Value],
        written: datetime,
    ) -> None:
        self._client, self._machine = client, machine
        self._shared, self.written = dict(shared), written  # `shared`: account or catalog, by its column
        self._spools: dict[str, Spool] = {}
        self._entities: dict[str, dict[str, Entity]] = {}
        self._urls: list[Record] = []
        # Other tables have the records that the list of their name has.
        self._readers: dict[str, Callable[[], Iterable[Record]]] = {
            ACCOUNTS.name: lambda: [account],
            CAMPAIGNS.name: self._campaigns,
            TARGETING: self._targeting,
            POSTS.name: self._posts,
            POST_URLS.name: self._post_urls,
            CHANGES.name: self._changes,
            RUNS.name: self._runs,
        }

    def rows(self, table: Table) -> Spool:
        """Return the rows of a table."""
        if table.name not in self._spools:
            self._spools[table.name] = Spool(f"what {table.source} lists", self._read(table))
        return self._spools[table.name]

    def entities(self, entity: str) -> Mapping[str, Entity]:
        """Return the entities of a kind by id, deleted ones too, with their currencies."""
        if entity not in self._entities:
            rows = self._named_rows(tables()[TABLES_OF_ENTITIES[entity]])
            entities = {row["id"]: Entity(*map(row.get, Entity._fields)) for row in rows}
            if entity not in ("CAMPAIGN", "LINE_ITEM"):
                line_items = self.entities("LINE_ITEM")
                for id, own in entities.items():
                    line_item = line_items.get(own.line_item_id or "")
                    entities[id] = own._replace(currency=line_item and line_item.currency)
            self._entities[entity] = entities
        return self._entities[entity]

    def _named_rows(self, table: Table) -> Iterator[dict[str, Any]]:
        return (dict(zip(table.names, row, strict=True)) for row in self.rows(table))

    def _read(self, table: Table) -> Iterator[Row]:
        """Yield the rows of a table, each key once: a record may be on two pages of a list that changes."""
        make, seen = row_maker(table, self._shared | {SYNCED: self.written}), set[tuple[Value, ...]]()
        places = [table.names.index(name) for name in table.key]
        records = self._readers.get(table.name, partial(self._list, table))
        for record in records():
            row = make(record)
            key = tuple(row[place] for place in places)
            if key not in seen:
                seen.add(key)
                yield row

    def _list(self, table: Table, **values: Any) -> Iterator[Record]:
        request = request_of((*table.source.split(),), self._client.service)
        fields = request.__struct_fields__
        whole = {name: True for name in EVERYTHING if name in fields}
        return list_all(self._client, request, **{table.owner: self._shared[table.owner]}, **whole, **values)

    def _campaigns(self) -> Iterator[Record]:
        """Yield the campaigns, with the times of their line items."""
        flights = defaultdict[str | None, list[Flight]](list)
        for line_item in self._named_rows(LINE_ITEMS):
            if not line_item["deleted"]:
                flights[line_item["campaign_id"]].append((line_item["start_time"], line_item["end_time"]))
        for record in self._list(CAMPAIGNS):
            yield {**record, **_flight(flights[str(record.get("id"))])}

    def _targeting(self) -> Iterator[Record]:
        """Yield the targeting criteria: there is no list of a whole account."""
        for few in batched(self.entities("LINE_ITEM"), IDS_AT_ONCE):
            yield from self._list(tables()[TARGETING], line_item_ids=few)

    def _changes(self) -> Iterable[Record]:
        return ChangeLog(self._machine.state_dir).changes(
            self._machine.service, str(self._shared[POSTS.owner])
        )

    def _runs(self) -> Iterable[Record]:
        return map(_run_record, list_jobs(self._machine.state_dir, "service = ?", (self._machine.service,)))

    def _posts(self) -> Iterator[Record]:
        """Yield the posts that are promoted, and note the addresses in their texts."""
        missing = {own.tweet_id for own in self.entities("PROMOTED_POST").values() if own.tweet_id}
        for user in self._authors():
            if not missing:
                break
            for few in batched(sorted(missing), IDS_AT_ONCE):
                for post in self._posts_of(user, few):
                    id = id_of_post(post)
                    missing.discard(id)
                    urls = (post.get("entities") or {}).get("urls") or ()
                    self._urls += ({**url, "tweet_id": id, "index": i} for i, url in enumerate(urls))
                    yield post

    def _post_urls(self) -> Iterable[Record]:
        self.rows(POSTS)
        return self._urls

    def _posts_of(self, user: int | None, ids: list[str]) -> Iterator[dict[str, Any]]:
        return list_all(
            self._client,
            ListPosts,
            account_id=self._shared[POSTS.owner],
            post_type="PUBLISHED",
            timeline_type="ALL",
            post_ids=ids,
            user_id=user,
            include_mentions_and_replies=True,
        )

    def _authors(self) -> Iterator[int | None]:
        """Yield whose posts may be promoted: None for the advertiser, whom most are of, then the others."""
        yield None
        for user in list_all(self._client, ListPromotableUsers, account_id=self._shared[POSTS.owner]):
            if str(user.get("user_id")).isdecimal():
                yield int(user["user_id"])


def _run_record(job: Job) -> Record:
    named = {name: getattr(job, name) for name in ("action", "noun", "file", "state", "profile")}
    numbers = {"row_count": job.rows, "started_at": job.started}
    return {"id": job.job, "target": f"{job.key.target.kind} {job.key.target.id}", **numbers, **named}


def _flight(line_items: Sequence[Flight]) -> Record:
    """Return when the first of some line items begins, and the last ends; None where one does not end."""
    starts = [start for start, _ in line_items if start]
    ends = [end for _, end in line_items if end]
    last = max(ends, default=None) if len(ends) == len(line_items) else None
    return {"start_time": min(starts, default=None), "end_time": last}


def row_maker(table: Table, shared: Mapping[str, Value]) -> Callable[[Record], Row]:
    """Return what makes rows of records: `shared` has the values of columns that all of them have."""
    readers = [_reader(table, column, shared) for column in table.columns]
    return lambda record: tuple(read(record) for read in readers)


def _reader(table: Table, column: Column, shared: Mapping[str, Value]) -> Callable[[Record], Value]:
    name = column.name
    if name in shared:
        value = shared[name]
        return lambda record: value
    if column.type == "numeric" and name.endswith(UNITS):
        return lambda record: amounts([record.get(column.source)], record.get("currency"))[0]
    get = column.read or (lambda record: record.get(column.field))
    convert = CONVERTERS[column.type]

    def read(record: Record) -> Value:
        value = get(record)
        if value is None and name == "updated_at" and column.is_key:
            value = record.get("created_at")  # a version without a time would be taken for the newest
        if value is None and column.is_key:
            raise UnavailableError(f"{table.source}: a record of the response has no {column.source}")
        try:
            return None if value is None else convert(value)
        except (ValueError, TypeError, ArithmeticError):
            id = record.get("id") or record.get("media_key") or record.get("product_key")
            raise UnavailableError(
                f"{table.source}: {column.source} of {id} is not a valid {column.type}: {value!r:.80}"
            ) from None

    return read


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.replace("\0", "")  # which no database stores
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _integer(value: Any) -> int:
    number = int(value)
    if isinstance(value, bool) or number != (value if isinstance(value, float) else number):
        raise ValueError
    if not -MAX_BIGINT <= number < MAX_BIGINT:
        raise OverflowError
    return number


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not (number := Decimal(str(value))).is_finite():
        raise ValueError
    return number


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):  # it is from another row
        return value
    return Time.parse(value).moment.astimezone(UTC).replace(tzinfo=None)


# By hand: msgspec.convert takes five times as long for single values, and accepts other ones.
CONVERTERS: Mapping[Type, Callable[[Any], Value]] = {
    "text": _text,
    "timestamp": _moment,
    "boolean": _boolean,
    "integer": _integer,
    "bigint": _integer,
    "numeric": _decimal,
}
