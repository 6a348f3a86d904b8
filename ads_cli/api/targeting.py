"""Targeting criteria: who sees the ads of a line item, by type. Suggestions for more criteria."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from .endpoint import BatchEndpoint, Resource, endpoint
from .types import (
    IAB_PATTERN,
    IAB_WORDS,
    Id,
    Ids,
    InAccount,
    Language,
    LineItemId,
    LineItemIds,
    PageInAccount,
    Texts,
    WithDeleted,
    delete_one,
)
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
KEYWORDS = ("BROAD_KEYWORD", "EXACT_KEYWORD", "PHRASE_KEYWORD", "UNORDERED_KEYWORD")
# People who resemble others: the type, and that of the others.
LOOKALIKES = {
    "APP_STORE_CATEGORY_LOOKALIKE": "APP_STORE_CATEGORY",
    "CAMPAIGN_ENGAGEMENT_LOOKALIKE": "CAMPAIGN_ENGAGEMENT",
    "CUSTOM_AUDIENCE_EXPANDED": "CUSTOM_AUDIENCE",
    "USER_ENGAGEMENT_LOOKALIKE": "USER_ENGAGEMENT",
}
ENGAGEMENTS = ("CAMPAIGN_ENGAGEMENT", "USER_ENGAGEMENT")  # what ENGAGEMENT_TYPE goes with
USUAL_OPERATORS: tuple[OperatorType, ...] = ("EQ", "NE")
# Those of the types that do not have both.
OPERATORS: dict[str, tuple[OperatorType, ...]] = {
    "APP_LIST": ("NE",),
    "CONTENT_PUBLISHER_USER": ("NE",),
    "NETWORK_ACTIVATION_DURATION": ("LT", "GTE"),
    **dict.fromkeys(LOOKALIKES, ("EQ",)),
}


class ValueForm(NamedTuple):
    """What the values of a type look like."""

    pattern: re.Pattern[str]
    words: str


class CriteriaLimit(NamedTuple):
    """How many criteria of some types a line item has at most."""

    types: tuple[str, ...]
    maximum: int
    noun: str


_ENGAGEMENT_TYPES = ("IMPRESSION", "ENGAGEMENT", "VIDEO_VIEW", "VIDEO_VIEW_PARTIAL", "VIDEO_VIEW_COMPLETE")
_USER = ValueForm(re.compile(r"[0-9]+"), "the id of a user, in digits")
VALUE_FORMS = {
    "AGE": ValueForm(
        re.compile(r"AGE_([0-9]{2}_TO_[0-9]{2}|OVER_[0-9]{2})"), "an age bucket, such as AGE_21_TO_34"
    ),
    "CONTENT_PUBLISHER_USER": _USER,
    "ENGAGEMENT_TYPE": ValueForm(
        re.compile("|".join(_ENGAGEMENT_TYPES)), f"one of {', '.join(_ENGAGEMENT_TYPES)}"
    ),
    "FOLLOWERS_OF_USER": _USER,
    "GENDER": ValueForm(re.compile("[12]"), "1 for men, 2 for women"),
    "IAB_CATEGORY": ValueForm(re.compile(IAB_PATTERN), IAB_WORDS),
    "NETWORK_ACTIVATION_DURATION": ValueForm(re.compile(r"[0-9]+"), "a number of months"),
    "SIMILAR_TO_FOLLOWERS_OF_USER": _USER,
    "USER_ENGAGEMENT": _USER,
    "USER_ENGAGEMENT_LOOKALIKE": _USER,
}
LIMITS = (
    CriteriaLimit(KEYWORDS, 1000, "keywords"),
    CriteriaLimit(("INTEREST",), 100, "interests"),
    CriteriaLimit(("SIMILAR_TO_FOLLOWERS_OF_USER",), 100, "users whose followers are resembled"),
    CriteriaLimit(("LOCATION",), 2000, "locations"),
    CriteriaLimit(("AGE",), 1, "age bucket"),
    CriteriaLimit(("EVENT",), 1, "event"),
    CriteriaLimit(("CONTENT_PUBLISHER_USER",), 50, "excluded publishers"),
)


def exclude_each_other(criterion: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a line item cannot have two criteria: two ages, or one value twice, be it of a lookalike."""
    types = {criterion["targeting_type"], other["targeting_type"]}
    if any(limit.maximum == 1 and types <= {*limit.types} for limit in LIMITS):
        return True
    of = {LOOKALIKES.get(type_, type_) for type_ in types}
    return len(of) == 1 and criterion["targeting_value"] == other["targeting_value"]


MAX_PUBLISHERS_WITH_CURATED_CATEGORY = 5
TargetingValue = Annotated[
    str, Meta(min_length=1, description="What is targeted: a keyword, or a value that a search finds")
]
Operator = Annotated[OperatorType, Meta(description="NE excludes the value; LT and GTE compare it")]


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
    operator, allowed = item.operator_type or "EQ", OPERATORS.get(item.targeting_type, USUAL_OPERATORS)
    if operator in allowed:
        return None
    return f"{operator} is not for {item.targeting_type}, which has {' or '.join(allowed)}"


CRITERIA = Resource(
    "/12/accounts/{account_id}/targeting_criteria",
    "targeting_criterion_id",
    group="targeting",
    example="ft10a",
    parents=("line_item_id",),
    columns="id line_item_id targeting_type operator_type targeting_value name deleted",
    extra_fields="location_type localized_name created_at updated_at",
    batch=BatchEndpoint("/12/batch/accounts/{account_id}/targeting_criteria", 500),
)


@CRITERIA.list(example="--line-items 9d4c1,9d4c2 --lang de")
class ListCriteria(PageInAccount, kw_only=True):
    """List the targeting criteria of line items. There is no list of a whole account."""

    line_item_ids: LineItemIds
    targeting_criterion_ids: Ids | None = None
    lang: Language | None = None


@CRITERIA.get()
class GetCriterion(InAccount, kw_only=True):
    """Show one targeting criterion."""

    targeting_criterion_id: Id
    lang: Language | None = None
    with_deleted: WithDeleted | None = None


@CRITERIA.create(
    "targeting add", example="--line-item 9d4c1 --targeting-type INTEREST --targeting-value 6004"
)
class AddCriterion(InAccount, kw_only=True):
    """Add a targeting criterion to a line item. It cannot be changed: delete it, and add another.

    Followers, audiences, interests, keywords and TV shows add people; locations, genders, ages, languages,
    devices and platforms limit who of them is reached. Several values of one type add up. Without criteria a
    line item reaches everybody. 'adsctl targeting search' finds the values. UNORDERED_KEYWORD is deprecated.
    """

    line_item_id: LineItemId
    targeting_type: TargetingType
    targeting_value: TargetingValue
    operator_type: Operator | None = "EQ"

    own_value = value_fits_type
    own_operator = operator_fits_type


DeleteCriterion = delete_one(CRITERIA, "Delete a targeting criterion.", recreatable=True)


SuggestionCount = Annotated[int, Meta(ge=1, le=50, description="Suggestions", extra={"default": 30})]


@endpoint(
    "GET /12/accounts/{account_id}/targeting_suggestions",
    "targeting suggest",
    columns="suggestion_type suggestion_value",
    record_id="suggestion_value",
    example="--suggestion-type KEYWORD --targeting-values knitting,wool",
)
class ListSuggestions(InAccount, kw_only=True):
    """Suggest keywords or users like those that are targeted already."""

    suggestion_type: Literal["KEYWORD", "USER_ID"]
    targeting_values: Annotated[Texts, Meta(description="Keywords, or user ids; not both")]
    count: SuggestionCount | None = None

    @rule("targeting_values")
    def values_fit_type(self) -> str | None:
        """Require ids for suggestions of users."""
        other = [value for value in self.targeting_values if not _USER.pattern.fullmatch(value)]
        if self.suggestion_type != "USER_ID" or not other:
            return None
        return f"{other[0]!r} is not a user id; for suggestion_type USER_ID all values are ids"
