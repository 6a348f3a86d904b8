"""Rows of statistics from files, of any number of accounts: what a page over all of them is made of."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..api.metrics import ALL_GROUPS, BEFORE, METRICS, TOTAL
from ..api.names import X, neutral_name
from ..errors import ContentError, UsageError
from .answers import MAX_NUMBER, can_be
from .chart_data import ChartData
from .derived import SPEND_COLUMN
from .periods import HOUR, Period
from .query import StatsQuery, all_columns, amount_column, columns_of, is_money
from .rows import (
    CURRENCY,
    POST,
    SEGMENT_KEYS,
    SEGMENT_VALUE,
    Row,
    StatsTable,
    earlier_name,
    in_several_campaigns,
)

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
OWNER = ("account", "entity", "entity_id", "placement")  # whose numbers a row has
SEGMENT = ("segment", SEGMENT_VALUE)  # and of which of the people; empty for all of them
LONGEST_DAY = timedelta(hours=25)
HINT = "name files that 'stats get' or 'stats export' wrote, without --group-by"
Record = Mapping[str, Any]


class _TimedRecord(NamedTuple):
    """A record with its times; one that was written without an offset has that of UTC."""

    record: Record
    start: datetime
    end: datetime

    @classmethod
    def of(cls, record: Record) -> "_TimedRecord":
        """Read the times of a record; raise ContentError."""
        try:
            times = [datetime.fromisoformat(str(record[name])) for name in ("start", "end")]
        except (KeyError, ValueError) as error:
            raise ContentError(f"a row has a time that cannot be read: {error}", hint=HINT) from None
        return cls(record, *(time.replace(tzinfo=time.tzinfo or UTC) for time in times))

    @property
    def owner(self) -> Row:
        """Whose numbers it has."""
        return tuple(self.record.get(name) or "" for name in OWNER)

    @property
    def segment(self) -> Row:
        """Of which of the people its numbers are."""
        return tuple(self.record.get(name) or "" for name in SEGMENT)

    @property
    def local(self) -> Period:
        """Its times without their offset.

        Days of one account have different offsets in summer and winter, and must still follow each other.
        """
        return Period(self.start.replace(tzinfo=None), self.end.replace(tzinfo=None))

    @property
    def is_hour(self) -> bool:
        """Tell whether it is of an hour, which the clock may repeat with another offset."""
        return self.end - self.start <= HOUR

    @property
    def key(self) -> Row:
        """What tells it from the rows of others, but for its segment.

        The times of rows have offsets only where they are of an hour.
        """
        return *self.owner, *((self.start, self.end) if self.is_hour else self.local)

    def begins_within(self, earlier: "_TimedRecord") -> bool:
        """Tell whether it begins before another row has ended."""
        if self.is_hour and earlier.is_hour:
            return self.start < earlier.end
        return self.local.start < earlier.local.end


class StoredRows(NamedTuple):
    """Rows, the query that they answer, and whether they say what the numbers were before.

    `left_out` names the metrics that some of them do not have: their sums would be those of a part.
    """

    query: StatsQuery
    gathered: ChartData
    accounts: list[str]  # those of the rows, then files without rows by their names
    is_compared: bool  # each number has an earlier one, which may be empty
    is_compared_in_part: bool
    left_out: list[str]
    negative: list[str]  # amounts that are below 0 in some rows


def read_stored(paths: Iterable[Path]) -> StoredRows:
    """Read rows from files. Raise ContentError for a record that is not a row, or cannot be added."""
    paths = [*paths]
    by_segment = _by_segment(paths)
    _refuse_overlaps(next(iter(segments.values())) for segments in by_segment.values())
    unsorted = (row for segments in by_segment.values() for row in segments.values())
    rows = sorted(unsorted, key=attrgetter("local"))  # a chart has the times in their order
    records = [row.record for row in rows]
    if not records:
        raise ContentError(f"no rows in {', '.join(map(str, paths))}", hint=HINT)
    entities = {str(record["entity"]) for record in records}
    if len(entities) != 1:
        listed = " and ".join(sorted(entities))
        raise ContentError(f"the files have rows of {listed}, which cannot be added up", hint=HINT)
    metrics, left_out = _metrics_of(records)
    if not metrics:
        raise ContentError(
            f"no numbers that can be added up in {', '.join(map(str, paths))}",
            hint="export all of them with the same --metrics"
            if left_out
            else "ratios have no sum: export what they are made of too, as in --metrics spend,clicks,cpc",
        )
    query = _query(rows, entities.pop(), metrics)
    columns = records[0].keys() & query.columns
    has_earlier = {earlier_name(column) in record for record in records for column in columns}
    is_compared = has_earlier == {True}
    earlier = map(earlier_name, query.columns) if is_compared else ()
    named = (*query.columns, *earlier)
    cells = (_row(row, named) for row in rows)
    currencies = {record.get(CURRENCY) or None for record in records}
    posts = ((record.get(POST), record.get("campaign_id")) for record in records)
    table = StatsTable(SEGMENT_KEYS, named, cells, in_several_campaigns(posts))
    gathered = ChartData(query.columns, currencies)
    for _ in gathered.watch(table).rows:
        pass
    negative = [
        column
        for column in query.columns
        if is_money(column) and any(str(record.get(column)).startswith("-") for record in records)
    ]
    accounts = dict.fromkeys(str(record.get("account") or "") for record in records)
    accounts |= dict.fromkeys(path.stem for path in paths if next(_records(path), None) is None)
    return StoredRows(query, gathered, [*accounts], is_compared, len(has_earlier) > 1, left_out, negative)


def _by_segment(paths: Iterable[Path]) -> dict[Row, dict[Row, _TimedRecord]]:
    """Return the rows of files by what they are of, then by segment; a later file corrects an earlier one.

    Raises ContentError where that would count people twice: all of them beside a part, or parts of two kinds.
    """
    by_segment = dict[Row, dict[Row, _TimedRecord]]()
    for path in paths:
        own = dict[Row, dict[Row, _TimedRecord]]()
        for record in _records(path):
            timed = _TimedRecord.of(record)
            own.setdefault(timed.key, {})[timed.segment] = timed
        for key, segments in own.items():
            earlier = by_segment.get(key, segments)
            is_mixed = len(segments) > 1 and ("", "") in segments
            if is_mixed or earlier.keys().isdisjoint(segments):
                row = next(iter(segments.values()))
                raise ContentError(
                    f"{path}: rows of {row.record['entity_id']} at {row.local.start.isoformat()} would count"
                    " people twice: they are of other segments than those beside them",
                    hint="name files of one --segment-by, or of none; of metros, those of one country",
                )
            by_segment[key] = segments
    return by_segment


def _records(path: Path) -> Iterator[Record]:
    suffix = path.suffix.lower()
    if suffix not in (*SEPARATORS, *JSON_LINES):
        extensions = ", ".join((*SEPARATORS, *JSON_LINES))
        raise UsageError(f"{path}: the name ends in none of {extensions}", hint=HINT)
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            lines: Iterable[Any]
            lines = _table_records(stream, suffix) if suffix in SEPARATORS else map(_loaded, stream)
            for number, record in enumerate(lines, 1):
                if not _is_flat(record) or not record.get("entity"):
                    raise ContentError(f"{path}: record {number:,} is not a row of statistics", hint=HINT)
                if record["entity"] == TOTAL:
                    continue
                if not record.get("entity_id") or not record.get("start"):
                    raise ContentError(f"{path}: record {number:,} is not that of an entity", hint=HINT)
                yield _neutral(record)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except (csv.Error, ValueError) as error:
        raise ContentError(f"{path} cannot be read: {error}", hint=HINT) from None


def _table_records(stream: IO[str], suffix: str) -> Iterator[Record]:
    """Read lines of cells. Nothing is quoted in TSV, and a line that was cut off has lists as cells."""
    quoting: Any = csv.QUOTE_MINIMAL if suffix == ".csv" else csv.QUOTE_NONE
    missing: Any = []
    return csv.DictReader(stream, delimiter=SEPARATORS[suffix], quoting=quoting, restval=missing)


def _is_flat(record: Any) -> bool:
    """Tell whether a record has plain values only; a line with more cells than columns has a list of them."""
    return isinstance(record, dict) and not any(isinstance(value, list | dict) for value in record.values())


def _loaded(line: str) -> Any:
    try:
        return json.loads(line, parse_float=Decimal)
    except RecursionError:
        raise ValueError("a line is nested too deeply") from None


def _neutral(record: Record) -> Record:
    """Give columns and values the names that the tool has for them, whichever service wrote them."""
    named: Record = X.to_neutral({_neutral_column(name): value for name, value in record.items()})
    return named


def _neutral_column(name: str) -> str:
    """Name a column as the tool does; spend is what is charged."""
    column = name.removesuffix(BEFORE)
    neutral = SPEND_COLUMN if column == "spend" else neutral_name(column)
    return neutral + name[len(column) :]


@cache
def _all_metrics() -> tuple[str, ...]:
    return tuple(metric for metrics in METRICS.values() for metric in metrics)


def _metrics_of(records: Sequence[Record]) -> tuple[tuple[str, ...], list[str]]:
    """Return the metrics whose columns all records have or none has, and those that only some have."""
    columns = {*all_columns(_all_metrics())}
    names = {frozenset(record) for record in records}
    present, common = columns.intersection(frozenset().union(*names)), columns.intersection(*names)
    metrics, left_out = list[str](), list[str]()
    for metric in _all_metrics():
        if own := present.intersection(columns_of(metric)):
            if own <= common:
                metrics.append(metric)
            else:
                left_out.append(amount_column(metric))
    return tuple(metrics), left_out


def _refuse_overlaps(rows: Iterable[_TimedRecord]) -> None:
    """Raise ContentError where rows of one owner would count a time twice."""
    latest = dict[Row, _TimedRecord]()  # by owner
    for row in sorted(rows, key=attrgetter("start")):
        earlier = latest.get(row.owner)
        if earlier and row.begins_within(earlier):
            raise ContentError(
                f"rows of {row.record['entity_id']} overlap at {row.local.start.isoformat()}",
                hint="name files of one --granularity",
            )
        latest[row.owner] = row


def _query(rows: Sequence[_TimedRecord], entity: str, metrics: tuple[str, ...]) -> StatsQuery:
    starts, ends = zip(*(row.local for row in rows), strict=True)
    records = [row.record for row in rows]
    longest = max(row.end - row.start for row in rows)
    granularity = "HOUR" if longest <= HOUR else "DAY" if longest <= LONGEST_DAY else "TOTAL"
    groups = tuple(group for group in ALL_GROUPS if {*metrics} & {*METRICS[group]})
    ids = tuple(dict.fromkeys(str(record["entity_id"]) for record in records))
    placement = str(records[0].get("placement") or "")
    period = Period(min(starts), max(ends))
    has_segments = any(record.get("segment") for record in records)
    segmentation = "yes" if has_segments else None
    return StatsQuery(entity, ids, period, granularity, groups, metrics, placement, segmentation)


def _row(row: _TimedRecord, named: Iterable[str]) -> Row:
    keys = [row.record.get(name) or None for name in SEGMENT_KEYS]
    keys[SEGMENT_KEYS.index("start")] = row.local.start.isoformat()
    return *keys, *(_number(name, row.record.get(name)) for name in named)


def _number(column: str, value: Any) -> int | Decimal | None:
    if value in (None, ""):
        return None
    try:
        number = Decimal(str(value))
        is_sensible = -MAX_NUMBER < number < MAX_NUMBER  # an error for NaN
        is_sensible = is_sensible and can_be(column.removesuffix(BEFORE), number)
    except InvalidOperation:
        is_sensible = False
    if not is_sensible:
        raise ContentError(f"{value!r} stands where a number of {column} is expected", hint=HINT)
    return int(number) if number == number.to_integral_value() and "." not in str(value) else number
