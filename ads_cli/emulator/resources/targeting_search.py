"""The searches for values of targeting criteria, and suggestions."""

from msgspec import UNSET

from ...api.endpoint import Request
from ...api.fields import fields_of
from ...api.targeting import ListSuggestions
from ...api.targeting_search import (
    SearchAppStoreCategories,
    SearchConversations,
    SearchDevices,
    SearchEvents,
    SearchInterests,
    SearchLanguages,
    SearchLocations,
    SearchNetworkOperators,
    SearchPlatforms,
    SearchPlatformVersions,
    SearchTvMarkets,
    SearchTvShows,
)
from ..core.handlers import RequestContext, handler
from ..core.paging import Seq, decode_cursor, encode_cursor
from ..core.request import value_or_default
from ..core.responses import Result, invalid_parameter
from ..storage import Record, utc_now
from ..targeting import localized, suggestions_for, values_of
from .accounts import require_account

# By kind: what some answers say of their data.
DATA_TYPES = {"events": {"data_type": "event"}, "platform_versions": {"data_type": "platform_version"}}
EQUAL = ("os_type", "conversation_type", "location_type", "country_code")  # names of fields and parameters


@handler(SearchAppStoreCategories)
@handler(SearchConversations)
@handler(SearchDevices)
@handler(SearchInterests)
@handler(SearchLanguages)
@handler(SearchLocations)
@handler(SearchNetworkOperators)
@handler(SearchPlatformVersions)
@handler(SearchTvMarkets)
def search(context: RequestContext, request: Request) -> Result:
    """Find values by the parameters of their kind."""
    wanted = {name: value for name in EQUAL if (value := value_or_default(request, name))}
    found = [value for value in _values(request) if wanted.items() <= value.items()]
    return _page(request, found)


@handler(SearchPlatforms)
def search_platforms(context: RequestContext, request: SearchPlatforms) -> Result:
    """Find platforms, with their names in another language where one is asked for."""
    found = _values(request)
    if language := request.lang:
        found = [platform | {"localized_name": localized(platform["name"], language)} for platform in found]
    return _page(request, found)


@handler(SearchEvents)
def search_events(context: RequestContext, request: SearchEvents) -> Result:
    """Find events that take place within a time."""
    start = request.start_time or utc_now()
    found = [
        event
        for event in _values(request)
        if event["end_time"] > start
        and (request.end_time is None or event["start_time"] <= request.end_time)
        and (request.event_types is None or event["event_type"] in request.event_types)
        and (request.country_codes is None or event["country_code"] in request.country_codes)
    ]
    return _page(request, found)


@handler(SearchTvShows)
def search_tv_shows(context: RequestContext, request: SearchTvShows) -> Result:
    """Find the shows of a TV market; raise ApiError for a locale that no market has."""
    if request.locale not in [market["locale"] for market in values_of("tv_markets")]:
        raise invalid_parameter("locale", f"{request.locale} is not the locale of a TV market")
    language, country = request.locale.split("-")
    context.echoed["locale"] = {"languageCode": language, "countryCode": country}
    locale = {"language": language, "country": country}
    return _page(request, [show for show in _values(request) if locale in show["locales"]])


@handler(ListSuggestions)
def list_suggestions(context: RequestContext, request: ListSuggestions) -> Result:
    """Suggest further keywords or users."""
    require_account(context, request.account_id)
    found = suggestions_for(request.suggestion_type, request.targeting_values)
    count = value_or_default(request, "count")
    named = [{"suggestion_type": request.suggestion_type, "suggestion_value": value} for value in found]
    return Result(named[:count])


def _values(request: Request) -> list[Record]:
    """List the values of the kind that a request searches, with all words of its `q`."""
    words = (getattr(request, "q", None) or "").casefold().split()
    values = values_of(_kind(request))
    return [value for value in values if all(word in value["name"].casefold() for word in words)]


def _page(request: Request, found: list[Record]) -> Result:
    """Return one page of what was found; a kind without pages has no cursor."""
    names = {field.name for field in fields_of(type(request))}
    cursor: str | None = getattr(request, "cursor", None)
    (start,) = decode_cursor(cursor, tuple[Seq]) if cursor else (0,)
    end = start + value_or_default(request, "count") if "count" in names else len(found)
    more = encode_cursor(end) if end < len(found) else None
    next_cursor = more if "cursor" in names else UNSET
    return Result(found[start:end], next_cursor, beside=DATA_TYPES.get(_kind(request), {}))


def _kind(request: Request) -> str:
    return request.endpoint.path.rpartition("/")[2]
