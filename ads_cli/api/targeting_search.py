"""The searches for values of targeting criteria, one for each kind of value."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Request, Resource
from .rates import QUARTER_HOUR_SECONDS, Rate, per_quarter_hour
from .targeting_types import ConversationType, EventType, LocationType
from .types import Country, Cursor, Language, Moment, PageSize

SEARCHES = Rate("targeting-search", 400, QUARTER_HOUR_SECONDS)
VALUE = "targeting_value"
COLUMNS = f"{VALUE} name"
TYPE = ("targeting_type",)
SEARCH = Resource(
    "/12/targeting_criteria", columns=COLUMNS, extra_fields=TYPE, record_id=VALUE, x_rate=SEARCHES
)

Words = Annotated[str, Meta(description="Only what has these words; all without it")]
LocaleOfMarket = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]{2}-[A-Z]{2}\Z",
        description="The locale of a TV market",
        extra={"expected": "a language and a country, as in en-US"},
    ),
]
ShowsPerPage = Annotated[int, Meta(ge=1, le=50, description="Records per page", extra={"default": 50})]


@SEARCH.endpoint(
    "GET /app_store_categories",
    "targeting search app-store-categories",
    columns=f"{COLUMNS} os_type",
    example="--q games --os-type IOS",
)
class SearchAppStoreCategories(Request):
    """Find categories of installed apps."""

    q: Words | None = None
    os_type: Literal["ANDROID", "IOS"] | None = None


@SEARCH.endpoint(
    "GET /conversations",
    "targeting search conversations",
    columns=f"{COLUMNS} conversation_type",
    example="--conversation-type SPORTS",
)
class SearchConversations(Request):
    """Find topics that people talk about."""

    conversation_type: ConversationType | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /devices",
    "targeting search devices",
    columns=f"{COLUMNS} manufacturer os_type",
    example="--q tablet",
)
class SearchDevices(Request):
    """Find devices."""

    q: Words | None = None
    count: PageSize | None = None


@SEARCH.endpoint(
    "GET /events",
    "targeting search events",
    columns=f"{COLUMNS} event_type start_time end_time country_code",
    extra_fields=(
        *("is_global", "reach", "top_users", "top_posts", "top_hashtags", "gender_breakdown_percentage"),
        *("device_breakdown_percentage", "country_breakdown_percentage"),
    ),
    example="--event-types HOLIDAY,SPORTS --country-codes DE,FR",
)
class SearchEvents(Request):
    """Find events that are to come. A line item can have one."""

    event_types: Annotated[list[EventType], Meta(min_length=1)] | None = None
    country_codes: Annotated[list[Country], Meta(min_length=1)] | None = None
    start_time: Annotated[Moment, Meta(extra={"default": "now"})] | None = None
    end_time: Moment | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /interests",
    "targeting search interests",
    example="--q knitting",
)
class SearchInterests(Request):
    """Find interests. A line item can have 100."""

    q: Words | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /languages",
    "targeting search languages",
    example="--q german",
)
class SearchLanguages(Request):
    """Find languages."""

    q: Words | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /locations",
    "targeting search locations",
    columns=f"{COLUMNS} location_type country_code",
    example="--q hamburg --location-type CITIES",
)
class SearchLocations(Request):
    """Find countries, regions, market areas (METROS), cities and postal codes."""

    q: Words | None = None
    location_type: LocationType | None = None
    country_code: Country | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /network_operators",
    "targeting search network-operators",
    columns=f"{COLUMNS} country_code",
    example="--country-code DE",
)
class SearchNetworkOperators(Request):
    """Find operators of mobile networks in a country."""

    q: Words | None = None
    country_code: Annotated[Country, Meta(extra={"default": "US"})] | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@SEARCH.endpoint(
    "GET /platform_versions",
    "targeting search platform-versions",
    columns=f"{COLUMNS} number os_type",
    example="--q ios",
)
class SearchPlatformVersions(Request):
    """Find versions of operating systems."""

    q: Words | None = None


@SEARCH.endpoint(
    "GET /platforms",
    "targeting search platforms",
    extra_fields=(*TYPE, "localized_name"),
    example="--lang de",
)
class SearchPlatforms(Request):
    """Find platforms: operating systems, and browsers on computers."""

    q: Words | None = None
    lang: Language | None = None
    count: PageSize | None = None


@SEARCH.endpoint(
    "GET /tv_markets",
    "targeting search tv-markets",
    columns="locale name country_code",
    extra_fields=(),
    record_id="locale",
    example="-o ids",
    x_rate=per_quarter_hour(2000),
)
class SearchTvMarkets(Request):
    """List the TV markets, whose locales the search for TV shows takes."""


@SEARCH.endpoint(
    "GET /tv_shows",
    "targeting search tv-shows",
    columns=f"{COLUMNS} genre estimated_users",
    extra_fields=("locales",),
    example="--locale de-DE --q kitchen",
    x_rate=per_quarter_hour(2000),
)
class SearchTvShows(Request, kw_only=True):
    """Find TV shows of a market."""

    locale: LocaleOfMarket
    q: Words | None = None
    count: ShowsPerPage | None = None
    cursor: Cursor | None = None
