"""Product catalogs, their product sets, and the feeds that the service fetches on a schedule."""

from functools import cache
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from .conditions import only_for, required_when
from .endpoint import Request, Resource
from .rates import per_quarter_hour
from .types import Id, InCatalog, Name, Url, UserId, delete_one
from .validation import rule

PRODUCT_CATALOGS = Resource("/12/product_catalogs", "product_catalog_id", group="catalog")


@PRODUCT_CATALOGS.list(example="-o ids", x_rate=per_quarter_hour(1000))
class ListCatalogs(Request):
    """List your product catalogs."""

    user_id: UserId | None = None


@PRODUCT_CATALOGS.create(example="--name 'Nordlicht Shop'", x_rate=per_quarter_hour(20))
class CreateCatalog(Request):
    """Create your product catalog.

    A user has one catalog for all products.
    """

    name: Name
    user_id: UserId | None = None


@PRODUCT_CATALOGS.update(
    "catalog rename", example="7310248000000000001 --name 'Nordlicht Shop'", x_rate=per_quarter_hour(20)
)
class RenameCatalog(Request):
    """Rename a product catalog."""

    product_catalog_id: Id
    name: Name


@PRODUCT_CATALOGS.delete(
    confirm_prompt="Delete the catalog {product_catalog_id} and all its products; this cannot be undone",
    example="7310248000000000001",
    x_rate=per_quarter_hour(20),
)
class DeleteCatalog(Request):
    """Delete a product catalog with all its products.

    This cannot be undone.
    """

    product_catalog_id: Id


FilterAttribute = Literal[
    "price",
    "product_type",
    "store_product_category",
    "sale_price",
    "inventory",
    "custom_label_0",
    "custom_label_1",
    "custom_label_2",
    "custom_label_3",
    "custom_label_4",
]
FilterOperator = Literal["GREATER_THAN", "EQUAL_TO", "LESS_THAN", "MATCH", "NOT_CONTAINS", "CONTAINS"]


PRODUCT_SETS = Resource(
    "/12/product_catalogs/{product_catalog_id}/product_sets",
    "product_set_id",
    group="catalog sets",
    example="8s3k1",
    deleted_for_good=True,
    columns="id name type processing_status description",
    extra_fields="filters product_ids",
    params_in="json",
)


@PRODUCT_SETS.list(x_rate=per_quarter_hour(2000))
class ListProductSets(InCatalog):
    """List the product sets of a catalog."""


@PRODUCT_SETS.get(x_rate=per_quarter_hour(2000))
class GetProductSet(InCatalog):
    """Show one product set."""

    product_set_id: Id


class Filter(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One condition of a FILTERED product set."""

    attribute: FilterAttribute
    operator: FilterOperator
    value: str


Filters = Annotated[
    list[Filter],
    Meta(
        max_length=30,
        description="Conditions of a FILTERED set, as in 'product_type CONTAINS Shoes; price LESS_THAN 50'",
        extra={"in_words": True},
    ),
]
ProductKeys = Annotated[
    list[Id],
    Meta(
        max_length=50,
        description="Members of a MANUAL set, separated by commas: the ids of products, or their keys",
        extra={"alias": "products"},
    ),
]


@PRODUCT_SETS.create(
    example="--name Mugs --type FILTERED --filters 'product_type CONTAINS Mugs; price LESS_THAN 20'",
    x_rate=per_quarter_hour(100),
)
@required_when("filters", type=("FILTERED",))
@required_when("product_keys", type=("MANUAL",))
@only_for("filters", type=("FILTERED",))
@only_for("product_keys", type=("MANUAL",))
class CreateProductSet(InCatalog):
    """Create a product set, from products (MANUAL) or from conditions (FILTERED)."""

    name: Name
    type: Literal["MANUAL", "FILTERED"]
    description: str | None = None
    filters: Filters | None = None
    product_keys: ProductKeys | None = None


@PRODUCT_SETS.update(example="8s3k2 --name 'Gifts for gardeners'", x_rate=per_quarter_hour(500))
class UpdateProductSet(InCatalog, kw_only=True):
    """Change a MANUAL product set; a FILTERED one cannot be changed."""

    product_set_id: Id
    name: Name | None = None
    description: str | None = None
    product_keys: ProductKeys | None = None


DeleteProductSet = delete_one(
    PRODUCT_SETS,
    "Delete a product set; its products stay. This cannot be undone.",
    InCatalog,
    x_rate=per_quarter_hour(100),
)


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
        names = time_zones() if self.time_zone else ()
        unknown = names and self.time_zone not in names
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
    group="catalog feeds",
    columns="id feed_url feed_format frequency repeat start_time time_zone",
    extra_fields="product_catalog_id created_at updated_at",
)


@SCHEDULED_FEEDS.list(x_rate=per_quarter_hour(1000))
class ListScheduledFeeds(InCatalog):
    """List the feeds that the service itself imports into a catalog."""


@SCHEDULED_FEEDS.create(
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


@SCHEDULED_FEEDS.update(example="2qr94ocg7biz7bvp --start-time 04:10", x_rate=per_quarter_hour(20))
class UpdateScheduledFeed(Schedule, kw_only=True):
    """Change when or from where the service imports a feed."""

    scheduled_feed_id: Id
    feed_url: FeedUrl | None = None
    feed_format: Literal["CSV", "TSV", "XML"] | None = None
    start_time: StartTime | None = None
    time_zone: TimeZone | None = None


DeleteScheduledFeed = delete_one(
    SCHEDULED_FEEDS,
    "Let the service import a feed no more; the products stay.",
    InCatalog,
    confirm_prompt="Stop the imports of the feed {scheduled_feed_id} into the catalog {product_catalog_id}",
    example="2qr94ocg7biz7bvp",
    x_rate=per_quarter_hour(20),
)
