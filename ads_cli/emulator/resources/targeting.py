"""Targeting criteria of line items, and the search for what they may target."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from ...api import targeting, targeting_search
from ...api.endpoint import Request
from ..core.handlers import AccountContext, RequestContext, handler
from ..core.paging import page_of
from ..core.request import value_or_default
from ..core.responses import ApiError, Result, invalid_parameter
from ..storage import Record, utc_now
from ..targeting import find_value, localized, suggestions_for, values_of
from . import audiences
from .campaigns import CAMPAIGN, CRITERION
from .collection import Collection

CATEGORY = "line_item_curated_category"
PUBLISHER, CONTENT = "CONTENT_PUBLISHER_USER", "IAB_CATEGORY"
TYPE, VALUE = "targeting_type", "targeting_value"
GENDERS = {"1": "Male", "2": "Female"}
# Values of the world outside of the emulator's, by what they look like.
FOREIGN = {
    "LOCATION": (re.compile("[0-9a-f]{16}"), "locations"),
    "INTEREST": (re.compile("[0-9]+"), "interests"),
}


def _has_category(context: RequestContext, line_item: str) -> bool:
    return bool(context.find_all(CATEGORY, line_item_id=line_item))


def require_fitting_targeting(context: RequestContext, line_item: str, category: Record) -> None:
    """Raise ApiError unless a line item targets a country of a category, and nothing that it excludes.

    In which country a location from outside of the emulator's world lies is not known: it counts.
    """
    criteria = context.find_all(CRITERION, line_item_id=line_item)
    if any(criterion[TYPE] == CONTENT for criterion in criteria):
        reason = f"the line item {line_item} has content categories, and cannot have a curated one"
        raise invalid_parameter("curated_category_id", reason)
    most = targeting.MAX_PUBLISHERS_WITH_CURATED_CATEGORY
    if sum(criterion[TYPE] == PUBLISHER for criterion in criteria) > most:
        reason = f"the line item {line_item} excludes more than {most} publishers"
        raise invalid_parameter("curated_category_id", reason)
    targeted = {*_countries(criteria)}
    if None not in targeted and not targeted & {*category["country_codes"]}:
        countries = ", ".join(category["country_codes"])
        reason = f"the line item {line_item} must first target a country of the category: {countries}"
        raise invalid_parameter("curated_category_id", reason)


def _countries(criteria: Sequence[Record]) -> Iterator[str | None]:
    for criterion in criteria:
        if criterion[TYPE] == "LOCATION" and criterion["operator_type"] == "EQ":
            place = find_value("LOCATION", criterion[VALUE])
            yield place["country_code"] if place else None


def _require_new(new: Record, same: Sequence[Record]) -> None:
    """Raise ApiError where a criterion with the same value has its type, or that of its lookalikes."""
    opposites = {
        targeting.LOOKALIKES.get(new[TYPE]),
        *(type_name for type_name, of in targeting.LOOKALIKES.items() if of == new[TYPE]),
    }
    for other in same:
        if other[TYPE] == new[TYPE]:
            raise invalid_parameter(VALUE, f"the line item has it already: {other['id']}")
        if other[TYPE] in opposites:
            reason = f"the line item has it as {other[TYPE]}, which cannot stand beside {new[TYPE]}"
            raise invalid_parameter(VALUE, reason)


def _require_room(context: RequestContext, new: Record, counts: Mapping[str, int]) -> None:
    """Raise ApiError where the line item has as many criteria of a type as it can have."""
    for limit in targeting.LIMITS:
        count, most = sum(counts.get(type_, 0) for type_ in limit.types), limit.maximum
        if new[TYPE] == PUBLISHER and _has_category(context, new["line_item_id"]):
            most = targeting.MAX_PUBLISHERS_WITH_CURATED_CATEGORY
        if new[TYPE] in limit.types and count >= most:
            raise invalid_parameter(TYPE, f"a line item has at most {most} {limit.noun}")


def _require_market(show: Record, places: Sequence[Record]) -> None:
    """Raise ApiError unless the line item targets a place in the market of a TV show."""
    targeted = {*_countries(places)}
    if not targeted:
        raise ApiError(400, "INVALID_TV_SHOW_LOCATIONS", "a TV show needs a LOCATION first, in its market")
    markets = {locale["country"] for locale in show.get("locales", ())}
    if markets and None not in targeted and not targeted & markets:
        message = f"{show['name']} is not shown where the line item targets: {', '.join(sorted(markets))}"
        raise ApiError(400, "TV_SHOW_OUTSIDE_MARKET", message)


def find_named(context: AccountContext, new: Record) -> Record:
    """Return what a criterion names; raise ApiError if that does not exist."""
    type_, value = new[TYPE], new[VALUE]
    of = targeting.LOOKALIKES.get(type_, type_)
    if of == "CUSTOM_AUDIENCE":
        return _audience(context, value)
    if of == "CAMPAIGN_ENGAGEMENT":
        campaign = context.find(CAMPAIGN, value)
        if campaign is None:
            raise invalid_parameter(VALUE, f"the campaign {value} does not exist")
        return campaign
    if type_ == "GENDER":
        return {"name": GENDERS[value]}
    if type_ == "AGE":
        return {"name": value.removeprefix("AGE_").replace("_", " ").lower()}
    named = find_value(type_, value)
    if named is None and type_ in FOREIGN:
        pattern, kind = FOREIGN[type_]
        if not pattern.fullmatch(value):
            raise invalid_parameter(VALUE, f"{value!r} names none of the {kind}")
    return named or {}


def _audience(context: AccountContext, audience: str) -> Record:
    """Return an audience that the account owns or shares; raise ApiError if it cannot be targeted."""
    is_shared = audiences.granted_level(context, audience) is not None
    record = context.store.find(audiences.AUDIENCE, audience, owner=None if is_shared else context.account)
    if record is None:
        raise invalid_parameter(VALUE, f"the audience {audience} does not exist")
    described = audiences.described(context.store, record)
    if reasons := described["reasons_not_targetable"]:
        reason = f"the audience {audience} cannot be targeted: {', '.join(reasons)}"
        raise invalid_parameter(VALUE, reason)
    return described


# By the identifier of an app that a line item has: the platform of its store.
PLATFORMS = {"android_app_store_identifier": "1", "ios_app_store_identifier": "0"}


def _checked(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a criterion with its name; raise ApiError if the line item cannot have it."""
    line_item = {"line_item_id": after["line_item_id"]}
    _require_new(after, context.find_all(CRITERION, **line_item, targeting_value=after[VALUE]))
    counts = context.store.counts(CRITERION, context.account, TYPE, **line_item)
    _require_room(context, after, counts)
    if after[TYPE] == "ENGAGEMENT_TYPE" and not counts.keys() & {*targeting.ENGAGEMENTS}:
        engagements = " or ".join(targeting.ENGAGEMENTS)
        raise invalid_parameter(TYPE, f"ENGAGEMENT_TYPE goes with {engagements}: add that first")
    if after[TYPE] == CONTENT and _has_category(context, after["line_item_id"]):
        reason = "the line item has a curated category, which excludes content categories"
        raise invalid_parameter(TYPE, reason)
    named = find_named(context, after)
    if after[TYPE] == "TV_SHOW":
        _require_market(named, context.find_all(CRITERION, **line_item, targeting_type="LOCATION"))
    return {"id": after["id"], **stored_fields(after, named)}


def stored_fields(new: Record, record: Record) -> Record:
    """Return the fields of a criterion whose value names `found`."""
    location = {"location_type": record.get("location_type")} if new[TYPE] == "LOCATION" else {}
    return {
        "line_item_id": new["line_item_id"],
        "name": record.get("name", new[VALUE]),
        **{name: new[name] for name in (TYPE, VALUE, "operator_type")},
        **location,
    }


def target_platforms_of_app(context: RequestContext, line_item: Record) -> None:
    """Let a new line item that advertises an app target the platforms of the app's stores."""
    for field, platform in PLATFORMS.items():
        if line_item[field]:
            CRITERIA.add(context, {"line_item_id": line_item["id"], TYPE: "PLATFORM", VALUE: platform})


def _shown(context: RequestContext, criterion: Record) -> Record:
    """Add the name in the language of the request."""
    language = context.echoed.get("lang")
    return criterion | ({"localized_name": localized(criterion["name"], language)} if language else {})


CRITERIA = Collection(
    targeting.CRITERIA,
    defaults={"operator_type": "EQ"},
    filters={"line_item_ids": "line_item_id"},
    sortable=("line_item_id", "name", "targeting_type", "targeting_value"),
    entity="TARGETING_CRITERIA",
    prepare=_checked,
    shown=_shown,
)


# By kind: what some answers say of their data.
DATA_TYPES = {"events": {"data_type": "event"}, "platform_versions": {"data_type": "platform_version"}}
EQUAL = ("os_type", "conversation_type", "location_type", "country_code")  # names of fields and parameters


@handler(targeting_search.SearchAppStoreCategories)
@handler(targeting_search.SearchConversations)
@handler(targeting_search.SearchDevices)
@handler(targeting_search.SearchInterests)
@handler(targeting_search.SearchLanguages)
@handler(targeting_search.SearchLocations)
@handler(targeting_search.SearchNetworkOperators)
@handler(targeting_search.SearchPlatformVersions)
@handler(targeting_search.SearchTvMarkets)
def _search(context: RequestContext, request: Request) -> Result:
    """Find values by the parameters of their kind."""
    wanted = {name: value for name in EQUAL if (value := value_or_default(request, name))}
    values = [value for value in _values(request) if wanted.items() <= value.items()]
    return _page(request, values)


@handler(targeting_search.SearchPlatforms)
def _search_platforms(context: RequestContext, request: targeting_search.SearchPlatforms) -> Result:
    values = _values(request)
    if language := request.lang:
        values = [platform | {"localized_name": localized(platform["name"], language)} for platform in values]
    return _page(request, values)


@handler(targeting_search.SearchEvents)
def _search_events(context: RequestContext, request: targeting_search.SearchEvents) -> Result:
    start = request.start_time or utc_now()
    values = [
        event
        for event in _values(request)
        if event["end_time"] > start
        and (request.end_time is None or event["start_time"] <= request.end_time)
        and (request.event_types is None or event["event_type"] in request.event_types)
        and (request.country_codes is None or event["country_code"] in request.country_codes)
    ]
    return _page(request, values)


@handler(targeting_search.SearchTvShows)
def _search_tv_shows(context: RequestContext, request: targeting_search.SearchTvShows) -> Result:
    """Find the shows of a TV market; raise ApiError for a locale that no market has."""
    if request.locale not in [market["locale"] for market in values_of("tv_markets")]:
        raise invalid_parameter("locale", f"{request.locale} is not the locale of a TV market")
    language, country = request.locale.split("-")
    context.echoed["locale"] = {"languageCode": language, "countryCode": country}
    locale = {"language": language, "country": country}
    return _page(request, [show for show in _values(request) if locale in show["locales"]])


@handler(targeting.ListSuggestions)
def _list_suggestions(context: RequestContext, request: targeting.ListSuggestions) -> Result:
    suggestions = suggestions_for(request.suggestion_type, request.targeting_values)
    count = value_or_default(request, "count")
    named = [{"suggestion_type": request.suggestion_type, "suggestion_value": value} for value in suggestions]
    return Result(named[:count])


def _values(request: Request) -> list[Record]:
    """List the values of the kind that a request searches, with all words of its `q`."""
    words = (getattr(request, "q", None) or "").casefold().split()
    values = values_of(_kind(request))
    return [value for value in values if all(word in value["name"].casefold() for word in words)]


def _page(request: Request, records: list[Record]) -> Result:
    """Return one page of what was found; a kind without pages has no cursor."""
    count = value_or_default(request, "count") or len(records)
    page = page_of(records, _kind(request), getattr(request, "cursor", None), count)
    if not hasattr(request, "cursor"):
        page = page._replace(next_cursor=UNSET)
    return page._replace(beside=DATA_TYPES.get(_kind(request), {}))


def _kind(request: Request) -> str:
    return request.endpoint.path.rpartition("/")[2]
