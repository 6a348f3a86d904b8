"""Scheduled feeds: what the service itself imports into a catalog."""

from functools import cache
from typing import Annotated, Literal, get_args

from msgspec import Meta

from .endpoint import Resource
from .products import Url
from .rates import per_quarter_hour
from .types import Id, InCatalog
from .validation import rule

Frequency = Literal["HOURLY", "DAILY", "WEEKLY"]
Day = Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
Hours = Literal["1", "2", "3", "4", "6", "8", "12"]
HOURS = get_args(Hours)
Repeat = Annotated[
    Literal[Day, Hours], Meta(description="The day of a WEEKLY import, or the hours between HOURLY ones")
]
FeedUrl = Annotated[Url, Meta(description="Where the service finds the feed")]
StartTime = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", extra={"expected": "HH:MM, such as 03:10"})
]
TimeZone = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*\Z",
        extra={"expected": "the name of a time zone, such as Europe/Berlin"},
    ),
]


@cache
def time_zones() -> set[str]:
    """Return the names of all time zones: none where a system has no zones."""
    from zoneinfo import available_timezones

    return available_timezones()


class Schedule(InCatalog, kw_only=True):
    """When the service imports a feed."""

    frequency: Frequency | None = None
    repeat: Repeat | None = None
    time_zone: TimeZone | None = None

    @rule("time_zone")
    def time_zone_of_iana(self) -> str | None:
        """Require a time zone that exists."""
        known = time_zones() if self.time_zone else ()
        unknown = known and self.time_zone not in known
        return f"{self.time_zone} is not a time zone of the IANA" if unknown else None

    @rule("repeat")
    def repeat_by_frequency(self) -> str | None:
        """Require a day or hours as the frequency needs them; that of the feed itself is not known here."""
        if self.frequency == "DAILY" and self.repeat:
            return "is not for frequency DAILY"
        if self.frequency == "HOURLY" and self.repeat not in HOURS:
            return f"must be one of {', '.join(HOURS)} when frequency is HOURLY"
        if self.frequency == "WEEKLY" and (self.repeat is None or self.repeat in HOURS):
            return "must be a day, such as MONDAY, when frequency is WEEKLY"
        return None


SCHEDULED_FEEDS = Resource(
    "/12/product_catalogs/{product_catalog_id}/scheduled_feeds",
    "scheduled_feed_id",
    columns="id feed_url feed_format frequency repeat start_time time_zone",
    extra_fields=("product_catalog_id", "created_at", "updated_at"),
)


@SCHEDULED_FEEDS.list("catalog feeds list", x_rate=per_quarter_hour(1000))
class ListScheduledFeeds(InCatalog):
    """List the feeds that the service itself imports into a catalog."""


@SCHEDULED_FEEDS.create(
    "catalog feeds create",
    example="--feed-url https://shop.example/feed.csv --feed-format CSV --frequency DAILY"
    " --start-time 03:10 --time-zone Europe/Berlin",
    x_rate=per_quarter_hour(20),
)
class CreateScheduledFeed(Schedule, kw_only=True):
    """Let the service import a feed at set times.

    An import adds and updates products; those that are missing from the feed stay.
    """

    feed_url: FeedUrl
    feed_format: Literal["CSV", "TSV", "XML"]
    frequency: Frequency
    start_time: StartTime
    time_zone: TimeZone


@SCHEDULED_FEEDS.update(
    "catalog feeds update", example="2qr94ocg7biz7bvp --start-time 04:10", x_rate=per_quarter_hour(20)
)
class UpdateScheduledFeed(Schedule, kw_only=True):
    """Change when or from where the service imports a feed."""

    scheduled_feed_id: Id
    feed_url: FeedUrl | None = None
    feed_format: Literal["CSV", "TSV", "XML"] | None = None
    start_time: StartTime | None = None
    time_zone: TimeZone | None = None


@SCHEDULED_FEEDS.delete(
    "catalog feeds delete",
    confirm_prompt="Stop the imports of the feed {scheduled_feed_id} into the catalog {product_catalog_id}",
    example="2qr94ocg7biz7bvp",
    x_rate=per_quarter_hour(20),
)
class DeleteScheduledFeed(InCatalog):
    """Let the service import a feed no more; the products stay."""

    scheduled_feed_id: Id
