"""The searches for values of targeting criteria, one for each kind of value."""

from collections.abc import Callable
from typing import Annotated, Literal, Unpack

from msgspec import Meta

from .endpoint import EndpointOptions, R, Request, Resource
from .rates import QUARTER_HOUR_SECONDS, Rate, per_quarter_hour
from .types import Country, Cursor, Language, Moment, PageSize

SEARCHES = Rate("targeting-search", 400, QUARTER_HOUR_SECONDS)
VALUE = "targeting_value"
COLUMNS = f"{VALUE} name"
TYPE = "targeting_type"
SEARCH = Resource(
    "/12/targeting_criteria", columns=COLUMNS, extra_fields=TYPE, record_id=VALUE, x_rate=SEARCHES
)

ConversationType = Literal[
    "ACTORS",
    "ATHLETES",
    "BOOK_GENRES",
    "BOOKS",
    "BRAND_CATEGORIES",
    "BRANDS",
    "CELEBRITIES",
    "COACHES",
    "DIGITAL_CREATORS",
    "ENTERTAINMENT_BRANDS",
    "ENTERTAINMENT_PERSONALITIES",
    "FICTIONAL_CHARACTERS",
    "JOURNALISTS",
    "LIFESTYLES",
    "MOVIE_GENRES",
    "MOVIES",
    "MUSIC_GENRES",
    "MUSICIANS",
    "NEWS_STORIES",
    "NEWS",
    "PERSONS",
    "PLACES",
    "PODCASTS",
    "POLITICAL_AFFILIATIONS",
    "POLITICIANS",
    "PRODUCTS",
    "RADIO_STATIONS",
    "SPORTS_LEAGUES",
    "SPORTS_PERSONALITIES",
    "SPORTS_TEAMS",
    "SPORTS",
    "TRENDS",
    "TV_SHOWS",
    "VIDEO_GAME_PLATFORMS",
    "VIDEO_GAME_PUBLISHERS",
    "VIDEO_GAMES",
]
EventType = Literal[
    "CONFERENCE", "HOLIDAY", "MUSIC_AND_ENTERTAINMENT", "OTHER", "POLITICS", "RECURRING", "SPORTS"
]
LocationType = Literal["COUNTRIES", "REGIONS", "METROS", "CITIES", "POSTAL_CODES"]
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


def search(kind: str, further: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
    """Bind the search for values of a kind, whose table has further columns."""
    options.setdefault("columns", f"{COLUMNS} {further}".rstrip())
    return SEARCH.endpoint(f"GET /{kind}", f"targeting search {kind.replace('_', '-')}", **options)


@search("app_store_categories", "os_type", example="--q games --os-type IOS")
class SearchAppStoreCategories(Request):
    """Find categories of installed apps."""

    q: Words | None = None
    os_type: Literal["ANDROID", "IOS"] | None = None


@search("conversations", "conversation_type", example="--conversation-type SPORTS")
class SearchConversations(Request):
    """Find topics that people talk about."""

    conversation_type: ConversationType | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@search("devices", "manufacturer os_type", example="--q tablet")
class SearchDevices(Request):
    """Find devices."""

    q: Words | None = None
    count: PageSize | None = None


@search(
    "events",
    "event_type start_time end_time country_code",
    extra_fields="is_global reach top_users top_posts top_hashtags gender_breakdown_percentage "
    "device_breakdown_percentage country_breakdown_percentage",
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


@search("interests", example="--q knitting")
class SearchInterests(Request):
    """Find interests. A line item can have 100."""

    q: Words | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@search("languages", example="--q german")
class SearchLanguages(Request):
    """Find languages."""

    q: Words | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@search("locations", "location_type country_code", example="--q hamburg --location-type CITIES")
class SearchLocations(Request):
    """Find countries, regions, market areas (METROS), cities and postal codes."""

    q: Words | None = None
    location_type: LocationType | None = None
    country_code: Country | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@search("network_operators", "country_code", example="--country-code DE")
class SearchNetworkOperators(Request):
    """Find operators of mobile networks in a country."""

    q: Words | None = None
    country_code: Annotated[Country, Meta(extra={"default": "US"})] | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@search("platform_versions", "number os_type", example="--q ios")
class SearchPlatformVersions(Request):
    """Find versions of operating systems."""

    q: Words | None = None


@search("platforms", extra_fields=f"{TYPE} localized_name", example="--lang de")
class SearchPlatforms(Request):
    """Find platforms: operating systems, and browsers on computers."""

    q: Words | None = None
    lang: Language | None = None
    count: PageSize | None = None


@SEARCH.endpoint(
    "GET /tv_markets",
    "targeting search tv-markets",
    columns="locale name country_code",
    extra_fields="",
    record_id="locale",
    example="-o ids",
    x_rate=per_quarter_hour(2000),
)
class SearchTvMarkets(Request):
    """List the TV markets, whose locales the search for TV shows takes."""


@search(
    "tv_shows",
    "genre estimated_users",
    extra_fields="locales",
    example="--locale de-DE --q kitchen",
    x_rate=per_quarter_hour(2000),
)
class SearchTvShows(Request, kw_only=True):
    """Find TV shows of a market."""

    locale: LocaleOfMarket
    q: Words | None = None
    count: ShowsPerPage | None = None
    cursor: Cursor | None = None
