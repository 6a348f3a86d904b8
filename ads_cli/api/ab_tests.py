"""A/B tests: which of several campaigns or line items works better."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from .conditions import at_least_one, excludes, later_than
from .endpoint import Resource
from .types import Cursor, Id, Ids, InAccount, Moment, PageSize, SortBy, WithDeleted
from .validation import rule

MAX_LINE_ITEM_GROUPS = 5  # api/examples/measurement-ab-tests.yaml names it too
SIZE_ROUNDING = 0.011  # thirds of 100.00 differ by so much

AbTestId = Annotated[Id, Meta(description="The A/B test")]
TestName = Annotated[str, Meta(max_length=255)]
TestNameBegins = Annotated[str, Meta(min_length=1, max_length=80, description="The beginning of the name")]
Description = Annotated[str, Meta(max_length=1024)]
SIZE_WORDS = "a percentage from 1.00 to 99.00 with two decimals at most"
SIZE_PATTERN = r"^(([1-9]|[1-8][0-9]|9[0-8])(\.[0-9]{1,2})?|99(\.00?)?)\Z"
Size = Annotated[str, Meta(pattern=SIZE_PATTERN, extra={"expected": SIZE_WORDS})]
PERIOD_WORDS = "Two times, the earlier one first"
Period = Annotated[list[Moment], Meta(min_length=2, max_length=2, description=PERIOD_WORDS)]
Username = Annotated[
    str, Meta(pattern=r"^[^@\s]+\Z", description="Who created it", extra={"expected": "a name without @"})
]
Entities = Annotated[list[Id], Meta(min_length=1)]


class UserGroup(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of the users, and the campaigns or line items that they see."""

    entity_ids: Entities
    size: Size
    name: TestName | None = None
    description: Description | None = None


@at_least_one("entity_ids", "id")
@at_least_one("size", "id")
class ChangedGroup(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A user group of a test that exists, by its id, or a new one."""

    id: Id | None = None
    entity_ids: Entities | None = None
    size: Size | None = None
    name: TestName | None = None
    description: Description | None = None


@rule("end_time")
def lasts_a_day(test: Any) -> str | None:
    """Require a day or more, where both times are given."""
    if test.start_time is None or test.end_time is None:
        return None
    length = test.end_time.moment - test.start_time.moment
    # `later_than` reports an end that is not after the start.
    return "is not a day after start_time" if timedelta() < length < timedelta(days=1) else None


@rule("user_groups")
def entities_are_in_one_group(test: Any) -> str | None:
    """Accept a campaign or line item once: it belongs to one test at most."""
    ids = [id for group in test.user_groups or () for id in group.entity_ids or ()]
    repeated = next((id for id in ids if ids.count(id) > 1), None)
    return f"names {repeated} more than once" if repeated else None


def size_problem(sizes: Iterable[str]) -> str | None:
    """Return what is wrong with the sizes of all groups of a test, which add up to 100 percent."""
    total = sum(map(Decimal, sizes), Decimal())
    return None if total == 100 else f"has sizes of {total} percent together, not 100.00"


AB_TESTS = Resource(
    "/12/accounts/{account_id}/ab_tests",
    "ab_test_id",
    group="measurement ab-tests",
    columns="id name entity_type status start_time end_time deleted",
    extra_fields="description entities user_groups created_by updated_by created_at updated_at",
    params_in="json",
)


@AB_TESTS.list(example="--status LIVE")
@excludes("user_id", "username")
class ListAbTests(InAccount, kw_only=True):
    """List the A/B tests of an account."""

    ab_test_ids: Ids | None = None
    q: TestNameBegins | None = None
    status: Literal["SCHEDULED", "LIVE", "COMPLETED"] | None = None
    live_during: Period | None = None
    user_id: Annotated[int, Meta(description="Who created it")] | None = None
    username: Username | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None
    sort_by: SortBy | None = None
    with_deleted: WithDeleted | None = None

    @rule("live_during")
    def earlier_first(self) -> str | None:
        """Require the times in their order."""
        if self.live_during is None or self.live_during[0].moment <= self.live_during[1].moment:
            return None
        return "has the later time first"


@AB_TESTS.create(example="--file ab-test.yaml")
@later_than("end_time", "start_time")
class CreateAbTest(InAccount, kw_only=True):
    """Create an A/B test, of one day or longer.

    Its parts of the users add up to 100 percent. A campaign or line item belongs to one test at most.
    """

    name: TestName | None = None
    description: Description | None = None
    entity_type: Literal["CAMPAIGN", "LINE_ITEM"]
    start_time: Moment
    end_time: Moment
    user_groups: Annotated[list[UserGroup], Meta(min_length=2, max_length=30)]

    @rule("user_groups")
    def sizes_add_up(self) -> str | None:
        """Require parts of all users."""
        return size_problem(group.size for group in self.user_groups)

    once = entities_are_in_one_group

    @rule("user_groups")
    def line_items_share_equally(self) -> str | None:
        """Limit a test of line items to five groups of equal size, with one line item each."""
        if self.entity_type != "LINE_ITEM":
            return None
        where = "where entity_type is LINE_ITEM"
        if (count := len(self.user_groups)) > MAX_LINE_ITEM_GROUPS:
            return f"has {count} groups, at most {MAX_LINE_ITEM_GROUPS} are allowed {where}"
        if (most := max(len(group.entity_ids) for group in self.user_groups)) > 1:
            return f"has a group of {most} line items, at most 1 is allowed in each"
        smallest, *_, largest = sorted((group.size for group in self.user_groups), key=float)
        if float(largest) - float(smallest) > SIZE_ROUNDING:
            return f"has sizes from {smallest} to {largest}, equal ones are needed {where}"
        return None

    length = lasts_a_day


@AB_TESTS.update(
    example="""u4e91 --name "Spring again" --user-groups '[{"id": "u4e91-1"}, {"id": "u4e91-2"}]'"""
)
@later_than("end_time", "start_time")
class UpdateAbTest(InAccount, kw_only=True):
    """Change an A/B test.

    Once it is live, only its end can be changed. Groups replace those there are: each is named by id, or none
    where some are added or removed.
    """

    ab_test_id: AbTestId
    name: TestName | None = None
    description: Description | None = None
    start_time: Moment | None = None
    end_time: Moment | None = None
    user_groups: Annotated[list[ChangedGroup], Meta(min_length=2, max_length=30)] | None = None

    @rule("user_groups")
    def sizes_add_up(self) -> str | None:
        """Require parts of all users, where all are named."""
        sizes = [group.size for group in self.user_groups or ()]
        return size_problem(size for size in sizes if size) if sizes and all(sizes) else None

    @rule("user_groups")
    def all_or_none_have_an_id(self) -> str | None:
        """Refuse groups with and without an id together."""
        if len({group.id is None for group in self.user_groups or ()}) < 2:
            return None
        return "has groups with and without id: where some are added or removed, none may have one"

    once = entities_are_in_one_group
    length = lasts_a_day


@AB_TESTS.delete(confirm_prompt="Delete the A/B test {ab_test_id}; this cannot be undone", example="u4e91")
class DeleteAbTest(InAccount, kw_only=True):
    """Delete an A/B test.

    This cannot be undone.
    """

    ab_test_id: AbTestId
