"""Audiences that are combined from others, as a tree of segments."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .audiences import COLUMNS, FIELDS, AudienceName
from .conditions import at_least_one, required_when, requires
from .endpoint import Batch, endpoint
from .types import Id, InAccount
from .validation import rule

COMBINATIONS = "/12/batch/accounts/{account_id}/custom_audiences"
MAX_LEAVES = 10


@requires("child_segments", "boolean_operator")
@at_least_one("custom_audience_id", "child_segments")
class Segment(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An audience, or segments that an operator joins; the service negates it unless told otherwise."""

    child_segments: list["Segment"]
    boolean_operator: Literal["AND", "OR"] | None = None
    custom_audience_id: Id | None = None
    lookback_window: Literal[1, 7, 14, 30] | None = None
    frequency: int | None = None
    frequency_comparator: Literal["NUM_GTE", "NUM_GT", "NUM_EQ", "NUM_LTE", "NUM_LT"] | None = None
    negate: Annotated[bool, Meta(extra={"default": True})] | None = None

    @property
    def leaves(self) -> list["Segment"]:
        """The segments that have none inside them."""
        inner = [leaf for segment in self.child_segments for leaf in segment.leaves]
        return inner or [self]


@endpoint(
    f"POST {COMBINATIONS}",
    "audiences combine",
    columns=COLUMNS,
    extra_fields=(*FIELDS, "metadata"),
    params_in="json",
    batch=Batch(COMBINATIONS, 10),
)
class CombineAudiences(InAccount):
    """Create audiences that are combined from others."""


@required_when("segments", audience_type=("FLEXIBLE",))
class CombineAudience(CombineAudiences, kw_only=True):
    """Create one of them: there is no request for one alone."""

    name: AudienceName
    audience_type: Literal["FLEXIBLE", "MOBILE_AUDIENCE"]
    segments: Segment | None = None

    @rule("segments")
    def few_leaves(self) -> str | None:
        """Limit the audiences of a tree."""
        count = len(self.segments.leaves) if self.segments else 0
        return f"name {count} audiences, at most {MAX_LEAVES} are allowed" if count > MAX_LEAVES else None
