"""The types of targeting criteria and of what is searched for them, and the rules of each type."""

import re
from typing import Any, Literal, NamedTuple

from .types import IAB_PATTERN, IAB_WORDS
from .validation import rule

OperatorType = Literal["EQ", "NE", "GTE", "LT"]
TargetingType = Literal[
    "AGE",
    "APP_LIST",
    "APP_STORE_CATEGORY",
    "APP_STORE_CATEGORY_LOOKALIKE",
    "BROAD_KEYWORD",
    "CAMPAIGN_ENGAGEMENT",
    "CAMPAIGN_ENGAGEMENT_LOOKALIKE",
    "CONTENT_PUBLISHER_USER",
    "CONVERSATION",
    "CUSTOM_AUDIENCE",
    "CUSTOM_AUDIENCE_EXPANDED",
    "DEVICE",
    "ENGAGEMENT_TYPE",
    "EVENT",
    "EXACT_KEYWORD",
    "FOLLOWERS_OF_USER",
    "GENDER",
    "IAB_CATEGORY",
    "INTEREST",
    "LANGUAGE",
    "LIVE_TV_EVENT",
    "LOCATION",
    "NETWORK_ACTIVATION_DURATION",
    "NETWORK_OPERATOR",
    "PHRASE_KEYWORD",
    "PLATFORM",
    "PLATFORM_VERSION",
    "SIMILAR_TO_FOLLOWERS_OF_USER",
    "TV_SHOW",
    "UNORDERED_KEYWORD",
    "USER_ENGAGEMENT",
    "USER_ENGAGEMENT_LOOKALIKE",
    "WIFI_ONLY",
]
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
KEYWORDS = ("BROAD_KEYWORD", "EXACT_KEYWORD", "PHRASE_KEYWORD", "UNORDERED_KEYWORD")
# People who resemble others: the type, and that of the others.
LOOKALIKES = {
    "APP_STORE_CATEGORY_LOOKALIKE": "APP_STORE_CATEGORY",
    "CAMPAIGN_ENGAGEMENT_LOOKALIKE": "CAMPAIGN_ENGAGEMENT",
    "CUSTOM_AUDIENCE_EXPANDED": "CUSTOM_AUDIENCE",
    "USER_ENGAGEMENT_LOOKALIKE": "USER_ENGAGEMENT",
}
ENGAGEMENTS = ("CAMPAIGN_ENGAGEMENT", "USER_ENGAGEMENT")  # what ENGAGEMENT_TYPE goes with
# The operators of the types that do not have both EQ and NE.
OTHER_OPERATORS: tuple[OperatorType, ...] = ("EQ", "NE")
OPERATORS: dict[str, tuple[OperatorType, ...]] = {
    "APP_LIST": ("NE",),
    "CONTENT_PUBLISHER_USER": ("NE",),
    "NETWORK_ACTIVATION_DURATION": ("LT", "GTE"),
    **dict.fromkeys(LOOKALIKES, ("EQ",)),
}


class Form(NamedTuple):
    """What the values of a type look like."""

    pattern: re.Pattern[str]
    words: str


class Most(NamedTuple):
    """How many criteria of some types a line item has at most."""

    types: tuple[str, ...]
    most: int
    noun: str


_ENGAGEMENT_TYPES = ("IMPRESSION", "ENGAGEMENT", "VIDEO_VIEW", "VIDEO_VIEW_PARTIAL", "VIDEO_VIEW_COMPLETE")
_USER = Form(re.compile(r"[0-9]+"), "the id of a user, in digits")
VALUE_FORMS = {
    "AGE": Form(
        re.compile(r"AGE_([0-9]{2}_TO_[0-9]{2}|OVER_[0-9]{2})"), "an age bucket, such as AGE_21_TO_34"
    ),
    "CONTENT_PUBLISHER_USER": _USER,
    "ENGAGEMENT_TYPE": Form(
        re.compile("|".join(_ENGAGEMENT_TYPES)), f"one of {', '.join(_ENGAGEMENT_TYPES)}"
    ),
    "FOLLOWERS_OF_USER": _USER,
    "GENDER": Form(re.compile("[12]"), "1 for men, 2 for women"),
    "IAB_CATEGORY": Form(re.compile(IAB_PATTERN), IAB_WORDS),
    "NETWORK_ACTIVATION_DURATION": Form(re.compile(r"[0-9]+"), "a number of months"),
    "SIMILAR_TO_FOLLOWERS_OF_USER": _USER,
    "USER_ENGAGEMENT": _USER,
    "USER_ENGAGEMENT_LOOKALIKE": _USER,
}
MOST = (
    Most(KEYWORDS, 1000, "keywords"),
    Most(("INTEREST",), 100, "interests"),
    Most(("SIMILAR_TO_FOLLOWERS_OF_USER",), 100, "users whose followers are resembled"),
    Most(("LOCATION",), 2000, "locations"),
    Most(("AGE",), 1, "age bucket"),
    Most(("EVENT",), 1, "event"),
    Most(("CONTENT_PUBLISHER_USER",), 50, "excluded publishers"),
)
MOST_PUBLISHERS_WITH_CURATED_CATEGORY = 5


@rule("targeting_value")
def value_fits_type(item: Any) -> str | None:
    """Require the form that the values of a type have."""
    form = VALUE_FORMS.get(item.targeting_type)
    if form is None or form.pattern.fullmatch(item.targeting_value):
        return None
    return f"{item.targeting_value!r} is not allowed for {item.targeting_type}: {form.words}"


@rule("operator_type")
def operator_fits_type(item: Any) -> str | None:
    """Allow the operators of a type."""
    operator, allowed = item.operator_type or "EQ", OPERATORS.get(item.targeting_type, OTHER_OPERATORS)
    if operator in allowed:
        return None
    return f"{operator} is not for {item.targeting_type}, which has {' or '.join(allowed)}"
