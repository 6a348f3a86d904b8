"""Targeting criteria: who sees the ads of a line item; and suggestions for more of them."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import BatchEndpoint, Resource, endpoint
from .targeting_types import OperatorType, TargetingType, operator_fits_type, value_fits_type
from .types import Id, Ids, InAccount, Language, LineItemId, LineItemIds, PageInAccount, Texts, WithDeleted
from .validation import rule

BATCH = BatchEndpoint("/12/batch/accounts/{account_id}/targeting_criteria", 500)


CRITERIA = Resource(
    "/12/accounts/{account_id}/targeting_criteria",
    "targeting_criterion_id",
    parents=("line_item_id",),
    columns="id line_item_id targeting_type operator_type targeting_value name deleted",
    extra_fields="location_type localized_name created_at updated_at",
    batch=BATCH,
)


@CRITERIA.list("targeting list", example="--line-items 9d4c1,9d4c2 --lang de")
class ListCriteria(PageInAccount, kw_only=True):
    """List the targeting criteria of line items. There is no list of a whole account."""

    line_item_ids: LineItemIds
    targeting_criterion_ids: Ids | None = None
    lang: Language | None = None


@CRITERIA.get("targeting get", example="ft10a")
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
    targeting_value: Annotated[
        str, Meta(min_length=1, description="What is targeted: a keyword, or a value that a search finds")
    ]
    operator_type: (
        Annotated[
            OperatorType,
            Meta(description="NE excludes the value; LT and GTE compare it", extra={"default": "EQ"}),
        ]
        | None
    ) = None

    own_value = value_fits_type
    own_operator = operator_fits_type


@CRITERIA.delete(
    "targeting delete",
    confirm_prompt="Delete the targeting criterion {targeting_criterion_id}",
    example="ft10a",
)
class DeleteCriterion(InAccount, kw_only=True):
    """Delete a targeting criterion."""

    targeting_criterion_id: Id


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
        other = [value for value in self.targeting_values if not value.isdecimal()]
        if self.suggestion_type != "USER_ID" or not other:
            return None
        return f"{other[0]!r} is not a user id; for suggestion_type USER_ID all values are ids"
