"""The options of `stats get` and `stats export`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import msgspec

from ...api.metrics import ALL_GROUPS, DERIVED_UNITS, METRICS
from ...api.names import Names, X
from ...console.invocation import Invocation
from ...console.parameters import choice, flag, option
from ...errors import UsageError
from ...spelling import comma_list, suggestion

if TYPE_CHECKING:
    from ...statistics.entities import EntityLookup
    from ...statistics.periods import Calendar, Period
    from ...statistics.query import StatsQuery

DERIVED_NAMES = tuple(DERIVED_UNITS)
SINGLE = tuple(metric for metrics in METRICS.values() for metric in metrics)
ENTITIES = ("ACCOUNT", "CAMPAIGN", "LINE_ITEM", "PROMOTED_POST", "PROMOTED_ACCOUNT", "FUNDING_INSTRUMENT")
JOBS_ONLY = "MEDIA_CREATIVE"
ENTITIES_OF_JOBS = (*ENTITIES, JOBS_ONLY)
NEVER_ACTIVE = ("ACCOUNT", JOBS_ONLY)  # which the list of active entities does not have


class StatisticsOptions(msgspec.Struct, frozen=True):
    """The options of a query that is answered at once."""

    entities: ClassVar[Sequence[str]] = ENTITIES

    since: Annotated[
        str,
        option("TIME", "From when: 7d, 48h, yesterday, last-month, a date, or a whole hour of the account"),
    ]
    entity: Annotated[str, option("KIND", f"Kind of entity: {', '.join(ENTITIES)}", offers=ENTITIES)] = (
        "CAMPAIGN"
    )
    ids: Annotated[str | None, option("A,B", "Of these entities, by ids or names")] = None
    all: Annotated[bool, flag("Of every entity, deleted ones too")] = False
    active: Annotated[bool, flag("Of the entities that were active then")] = False
    until: Annotated[
        str | None,
        option("TIME", "Until when, which is not included (default: the end of the last whole day)"),
    ] = None
    granularity: Annotated[
        Literal["TOTAL", "DAY", "HOUR"], choice("What one row is of", case_sensitive=False)
    ] = "DAY"
    metrics: Annotated[
        str | None,
        option(
            "A,B",
            f"Groups ({', '.join(ALL_GROUPS)}) or single metrics (default: ENGAGEMENT,BILLING); also"
            f" {', '.join(DERIVED_NAMES)}; 'adsctl help metrics'",
            offers=(*ALL_GROUPS, *DERIVED_NAMES, *SINGLE),
        ),
    ] = None
    placement: Annotated[
        Literal["ALL_ON_PLATFORM", "ALL_ON_TWITTER", "SPOTLIGHT", "TREND"],
        option("[ALL_ON_PLATFORM|SPOTLIGHT|TREND]", "Where the ads were shown", case_sensitive=False),
    ] = "ALL_ON_PLATFORM"

    def with_ids(self, call: Invocation) -> Self:
        """Return the options with ids in place of the names of entities."""
        from ...api.record_names import field_of_kind

        if not self.ids or not (field := field_of_kind(self.kind)):
            return self
        ids = call.records.ids_of(field, comma_list(self.ids)) or [self.ids]
        return msgspec.structs.replace(self, ids=",".join(ids))

    def account(self, call: Invocation) -> "tuple[dict[str, str], Calendar]":
        """Ask for the name and the time zone of the account."""
        from ...console.account_zone import account_with_zone
        from ...statistics.periods import Calendar, utc_now

        account = account_with_zone(call)
        name = str(account.get("name") or "")
        return {call.account: name}, Calendar(account["timezone"], utc_now())

    def query(
        self,
        lookup: "EntityLookup",
        calendar: "Calendar",
        earlier: "Callable[[StatsQuery], StatsQuery | None]",
        *,
        segmentation: str | None = None,
        country: str | None = None,
        platform: str | None = None,
    ) -> "StatsQuery":
        """Return the query. `earlier` returns the one to compare it with. Raise UsageError."""
        from ...statistics.derived import parse_shown
        from ...statistics.query import StatsQuery

        entity = self.kind
        groups, metrics, shown = parse_shown(self.metrics, entity)
        period = calendar.period(self.since, self.until, self.granularity)
        placement = X.to_neutral({"placement": self.placement})["placement"]
        segments = (segmentation, country, platform)
        query = StatsQuery(
            entity, (), period, self.granularity, groups, metrics, placement, *segments, shown=shown
        )
        before = earlier(query)
        # What was active before, and is no more, was something before.
        periods = [period, *([before.period] if before else [])]
        return msgspec.structs.replace(query, ids=self._ids(lookup, entity, periods))

    def _ids(self, lookup: "EntityLookup", entity: str, periods: "Sequence[Period]") -> tuple[str, ...]:
        """Return the ids that are chosen; raise UsageError unless they are in one way."""
        from ...api.parts import path_segment
        from ...statistics.query import unique

        if entity == "ACCOUNT" and not (self.ids or self.all or self.active):
            return (lookup.account,)
        if sum(map(bool, (self.ids, self.all, self.active))) != 1:
            raise UsageError(
                "--ids, --all, --active: give one of them", hint="--active asks for those that were active"
            )
        if self.ids:
            if not (named := unique(self.ids.split(","))):
                raise UsageError("--ids: names no entity", hint="separate ids by commas")
            for id in named:
                path_segment(id, "--ids")  # raises UsageError
            return named
        if self.all:
            return unique(lookup.ids(entity))
        if entity in NEVER_ACTIVE:
            raise UsageError(f"--active: the service lists no active entities of {entity}", hint="use --all")
        return unique(id for period in periods for id in lookup.active_ids(entity, period))

    def columns(self, names: Names, *, has_segments: bool, is_compared: bool) -> tuple[str, ...]:
        """Name the columns of the rows; raise UsageError for metrics or an entity that there are not."""
        from ...statistics.derived import metric_columns, parse_shown
        from ...statistics.rows import KEYS, SEGMENT_KEYS

        _, metrics, shown = parse_shown(self.metrics, self.kind)
        keys = SEGMENT_KEYS if has_segments else KEYS
        return *keys, *metric_columns(metrics, shown, names, is_compared=is_compared)

    @property
    def kind(self) -> str:
        """The kind of entity; raise UsageError for another one."""
        entity: str = X.to_neutral({"entity": self.entity.strip().upper().replace("-", "_")})["entity"]
        if entity == JOBS_ONLY and entity not in self.entities:
            raise UsageError(
                f"--entity: statistics of {JOBS_ONLY} come by jobs only", hint="use 'stats export'"
            )
        if entity not in self.entities:
            raise UsageError(
                f"--entity: {self.entity!r} is not a kind of entity{suggestion(entity, self.entities)}",
                hint=f"one of {', '.join(self.entities)}",
            )
        return entity


class StatsJobOptions(StatisticsOptions, frozen=True):
    """The options of a query by jobs."""

    entities: ClassVar[Sequence[str]] = ENTITIES_OF_JOBS

    entity: Annotated[
        str, option("KIND", f"Kind of entity: {', '.join(ENTITIES_OF_JOBS)}", offers=ENTITIES_OF_JOBS)
    ] = "CAMPAIGN"


class ResultOptions(msgspec.Struct, frozen=True):
    """What is made of the rows."""

    group_by: Annotated[
        str | None, option("COLUMNS", "Add up rows that are equal in these, such as campaign,start")
    ] = None
    totals: Annotated[bool, flag("Add a row with the total of all")] = False
    sort: Annotated[str | None, option("[-]COLUMN", "Sort by this column, as in -spend: largest first")] = (
        None
    )
    top: Annotated[int | None, option("N", "Show the first N rows only", min=1)] = None
    compare: Annotated[
        str | None,
        option(
            "previous|year|DATE..DATE",
            "Add what each number was then, and the change, as in spend, spend_before, spend_change",
        ),
    ] = None
    into: Annotated[
        str | None, option("sqlite:FILE", "Store the rows in a table, and replace what an earlier run stored")
    ] = None
    plot: Annotated[str | None, option("FILE.svg|png", "Draw the rows here, as lines or bars")] = None
    report: Annotated[str | None, option("FILE.html", "Write a page about the rows here, for a browser")] = (
        None
    )
    title: Annotated[str | None, option("TEXT", "The title of the page of --report")] = None
    logo: Annotated[
        str | None, option("FILE", "A picture at the top of that page: png, jpeg or svg, up to 1 MB")
    ] = None
    force: Annotated[bool, flag("Replace an existing file")] = False
