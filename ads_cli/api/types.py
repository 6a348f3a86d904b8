"""Field types and base classes shared by many requests; FieldType.extra explains the keys of `extra`."""

from sys import float_info
from typing import Annotated, Literal, Unpack, cast

from msgspec import Meta, defstruct

from .conditions import at_most, excludes
from .endpoint import EndpointOptions, Request, Resource
from .time import DayOrTime, ExactTime, Time

# Any text without control characters and the characters that have a meaning in a URL; not "." or "..".
ID_PATTERN = r"^(?!\.{1,2}\Z)[^\x00-\x1f\x7f-\x9f/?#%]+\Z"
ID_WORDS = "an id, without / ? # % and control characters"
Id = Annotated[str, Meta(pattern=ID_PATTERN, extra={"expected": ID_WORDS, "is_id": True})]
AccountId = Annotated[Id, Meta(description="The account to work in", extra={"common": "account"})]
CatalogId = Annotated[Id, Meta(description="The product catalog to work in", extra={"common": "catalog"})]
Ids = Annotated[list[Id], Meta(min_length=1, max_length=200, description="Only these, separated by commas")]
Name = Annotated[str, Meta(min_length=1)]
ShortName = Annotated[str, Meta(min_length=1, max_length=255)]
CARD_URI_WORDS = "card:// and the id of a card"
CardUri = Annotated[str, Meta(pattern=r"^card://[^/?#%\s]+\Z", extra={"expected": CARD_URI_WORDS})]
NameBegins = Annotated[str, Meta(description="Only names that start with this")]
OfFunding = Annotated[Ids, Meta(description="Only of these funding instruments")]
Texts = Annotated[list[Name], Meta(min_length=1)]
TIME_WORDS = "ISO 8601 with an offset, such as 2026-03-01T08:00:00Z"
Moment = Annotated[Time, Meta(extra={"expected": TIME_WORDS})]
ExactMoment = Annotated[ExactTime, Meta(extra={"expected": TIME_WORDS})]
DAY_OR_TIME_WORDS = f"{TIME_WORDS}, or a day in UTC, such as 2026-03-01"
LOCAL_TIME_WORDS = (
    "a day or a time where the account is, such as 2026-03-01 or 2026-03-01T08:00, or a time with an offset,"
    " such as 2026-03-01T08:00:00Z"
)


def in_local_words(text: str) -> str:
    """Describe times as an option takes them, which may be local ones; those of files may not."""
    return text.replace(DAY_OR_TIME_WORDS, LOCAL_TIME_WORDS).replace(TIME_WORDS, LOCAL_TIME_WORDS)


DayOrMoment = Annotated[DayOrTime, Meta(extra={"expected": DAY_OR_TIME_WORDS})]
# JSON has neither NaN nor infinity: they would be sent as null.
Number = Annotated[float, Meta(ge=-float_info.max, le=float_info.max)]
MAX_MICROS = 2**63 - 1  # of a 64-bit integer; what is more is no amount that a service can store
# Millionths of the currency unit; a second option accepts whole units: --bid-amount 1.50.
Micro = Annotated[int, Meta(le=MAX_MICROS, extra={"money": True})]
# Whether it may spend at once. A command sends PAUSED by default, and confirms ACTIVE.
SpendingStatus = Annotated[
    Literal["ACTIVE", "DRAFT", "PAUSED"],
    Meta(description="PAUSED by default; ACTIVE begins to spend as soon as it may", extra={"spends": True}),
]
# Of a record that exists: a command confirms ACTIVE where it is not.
ChangedStatus = Annotated[
    Literal["ACTIVE", "PAUSED"], Meta(description="ACTIVE spends as soon as it may", extra={"spends": True})
]
LineItemId = Annotated[Id, Meta(description="The line item", extra={"alias": "line_item"})]
LineItemOfAd = Annotated[
    Id,
    Meta(
        description="The line item; a new ad in one that serves is confirmed",
        extra={"alias": "line_item", "new_ad": True},
    ),
]
LineItemIds = Annotated[
    Ids, Meta(description="Only of these line items, separated by commas", extra={"alias": "line_items"})
]
Url = Annotated[
    str,
    Meta(
        pattern=r"^(?i:https?)://[^\s/?#]\S*\Z",
        extra={"expected": "a URL that starts with https:// or http://"},
    ),
]
Country = Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z", extra={"expected": "two capital letters, as in US"})]
IAB_PATTERN, IAB_WORDS = "IAB[0-9]+(-[0-9]+)?", "an IAB code, such as IAB9-2"
IabCode = Annotated[str, Meta(pattern=rf"^{IAB_PATTERN}\Z", extra={"expected": IAB_WORDS})]
Language = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]{2}\Z",
        description="Give names in this language too",
        extra={"expected": "two small letters, as in de"},
    ),
]
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z", extra={"expected": "a code of ISO 4217, such as EUR"})]
UserId = Annotated[int, Meta(description="The user who owns it")]

PageSize = Annotated[int, Meta(ge=1, le=1000, description="Records per page", extra={"default": 200})]
FewPerPage = Annotated[int, Meta(ge=1, le=200, description="Records per page", extra={"default": 100})]
Cursor = Annotated[str, Meta(description="Where to start: next_cursor of the previous page")]
ALWAYS_SORTABLE = ("created_at", "updated_at", "deleted")


def sortable(*attributes: str) -> Meta:
    """Say by which further attributes a list is sorted."""
    listed = ", ".join((*ALWAYS_SORTABLE, *attributes))
    description = f"Attribute and direction, such as created_at-desc; attributes: {listed}"
    return Meta(description=description, extra={"sortable": attributes})


SortBy = Annotated[str, sortable()]
WithDeleted = Annotated[bool, Meta(description="Show deleted records too")]
WithDraft = Annotated[bool, Meta(description="Show drafts too")]
WithTotalCount = Annotated[bool, Meta(description="Count all records too; not with a cursor")]


class InAccount(Request, kw_only=True):
    """A request for resources of an account."""

    account_id: AccountId


class InCatalog(Request):
    """A request for resources of a product catalog."""

    product_catalog_id: CatalogId


@excludes("with_total_count", "cursor")
class LivePage(Request):
    """The parameters of lists that cannot show deleted records."""

    count: PageSize | None = None
    cursor: Cursor | None = None
    sort_by: SortBy | None = None
    with_total_count: WithTotalCount | None = None


class Page(LivePage):
    """The parameters of most lists."""

    with_deleted: WithDeleted | None = None


class PageInAccount(Page, kw_only=True):
    """A list of resources of an account."""

    account_id: AccountId


class RecordInAccount(InAccount, kw_only=True):
    """The parameters to show one record of an account, which may be deleted."""

    with_deleted: WithDeleted | None = None


def get_one(
    resource: Resource, about: str, kind: type[Request] = RecordInAccount, **options: Unpack[EndpointOptions]
) -> type[Request]:
    """Declare a request that shows one record: it takes the id, and the fields of `kind`."""
    return resource.get(**options)(_of_one(resource, about, kind, options))


def delete_one(
    resource: Resource, about: str, kind: type[Request] = InAccount, **options: Unpack[EndpointOptions]
) -> type[Request]:
    """Declare a request that deletes one record: it takes the id, and the fields of `kind`."""
    return resource.delete(**options)(_of_one(resource, about, kind, options))


def _of_one(resource: Resource, about: str, kind: type[Request], options: EndpointOptions) -> type[Request]:
    id_field = options.get("id_field", resource.id_field)
    fields = [] if id_field in kind.__struct_fields__ else [(id_field, Id)]
    made = defstruct("OfOne", fields, bases=(kind,), kw_only=True, namespace={"__doc__": about})
    return cast(type[Request], made)


ClickDays = Annotated[Literal[1, 7, 14, 30], Meta(description="Days after a click")]
ViewDays = Annotated[Literal[0, 1, 7, 14, 30], Meta(description="Days after a view")]
ViewWindow = Annotated[ViewDays, Meta(extra={"default": 1})]

within_click_window = at_most("view_through_window", "click_window")
