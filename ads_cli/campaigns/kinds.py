"""The kinds of records that a file of campaigns holds, each with the requests that are declared for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

from ..api import campaigns, line_items, promoted, targeting
from ..api.endpoint import Request

LISTS = ("line_items", "targeting", "ads", "tracking_tags")  # below campaigns
TYPE, OPERATOR, VALUE = "targeting_type", "operator_type", "targeting_value"


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of record, with its requests."""

    name: str  # in a plan
    list_name: str  # the key of a file that holds records of it
    create: type[Request]
    delete: type[Request]
    list: type[Request]
    update: type[Request] | None = None
    parent_field: str = ""  # the field of a request that names the record above
    own_fields: tuple[str, ...] = ()  # by which records without a name are known
    renamed: Mapping[str, str] = field(default_factory=dict)  # keys of a file, by field
    of_several: Mapping[str, str] = field(default_factory=dict)  # fields, of a list in a request
    only_for: Mapping[str, str] = field(default_factory=dict)  # of line items that a list is asked for
    below: tuple[str, ...] = ()  # keys of lists in a record

    @property
    def id_field(self) -> str:
        """Name the field of a request that is the id of a record."""
        return str(self.delete.endpoint.id_field)

    @property
    def noun(self) -> str:
        """Name it in messages."""
        return self.name.replace("_", " ")

    @cached_property
    def is_named(self) -> bool:
        """Whether its records have a key, or a name."""
        return not self.own_fields


CAMPAIGN = Kind(
    "campaign",
    "campaigns",
    campaigns.CreateCampaign,
    campaigns.DeleteCampaign,
    campaigns.ListCampaigns,
    campaigns.UpdateCampaign,
    below=("line_items",),
)
LINE_ITEM = Kind(
    "line_item",
    "line_items",
    line_items.CreateLineItem,
    line_items.DeleteLineItem,
    line_items.ListLineItems,
    line_items.UpdateLineItem,
    parent_field="campaign_id",
    below=("targeting", "ads", "tracking_tags"),
)
TARGETING = Kind(
    "targeting",
    "targeting",
    targeting.AddCriterion,
    targeting.DeleteCriterion,
    targeting.ListCriteria,
    parent_field="line_item_id",
    own_fields=(TYPE, OPERATOR, VALUE),
)
_ad = partial(Kind, "ad", "ads", parent_field="line_item_id")
POST = _ad(
    promoted.CreatePromotedPosts,
    promoted.DeletePromotedPost,
    promoted.ListPromotedPosts,
    own_fields=("post_id",),
    renamed={"post_id": "post"},
    of_several={"post_ids": "post_id"},
)
SCHEDULED_POST = _ad(
    promoted.CreateScheduledPromotedPost,
    promoted.DeleteScheduledPromotedPost,
    promoted.ListScheduledPromotedPosts,
    own_fields=("scheduled_post_id",),
    renamed={"scheduled_post_id": "scheduled_post"},
)
ACCOUNT = _ad(
    promoted.CreatePromotedAccount,
    promoted.DeletePromotedAccount,
    promoted.ListPromotedAccounts,
    own_fields=("user_id",),
    only_for={"product_type": "PROMOTED_ACCOUNT"},
)
MEDIA = _ad(
    promoted.CreateMediaCreative,
    promoted.DeleteMediaCreative,
    promoted.ListMediaCreatives,
    own_fields=("account_media_id", "landing_url"),
)
CALL_TO_ACTION = _ad(
    promoted.CreateCallToAction,
    promoted.DeleteCallToAction,
    promoted.ListCallToActions,
    promoted.UpdateCallToAction,
    own_fields=("call_to_action", "call_to_action_url"),
)
TAG = Kind(
    "tracking_tag",
    "tracking_tags",
    line_items.CreateTrackingTag,
    line_items.DeleteTrackingTag,
    line_items.ListTrackingTags,
    line_items.UpdateTrackingTag,
    parent_field="line_item_id",
    own_fields=("tracking_tag_type", "tracking_tag_url"),
)
KINDS = (CAMPAIGN, LINE_ITEM, TARGETING, POST, SCHEDULED_POST, ACCOUNT, MEDIA, CALL_TO_ACTION, TAG)


def identity(kind: Kind) -> tuple[str, ...]:
    """Name the fields that identify records of a kind without an id. All of them must be shown."""
    if kind is MEDIA:  # what is shown before a video has no landing URL
        return kind.own_fields[:1]
    return kind.own_fields or ("name",)


@cache
def kinds_in(list_name: str) -> tuple[Kind, ...]:
    """Return the kinds of records that a list of a file holds."""
    return tuple(kind for kind in KINDS if kind.list_name == list_name)
