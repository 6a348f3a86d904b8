"""Show the responses of declared requests, and the requests of a dry run."""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.audience_insights import HOURS_PER_VALUE, SearchKeywords
from ..api.endpoint import Endpoint, Request
from ..api.names import to_neutral
from ..masking import Mask, mask_header
from ..numbers import parse_count
from ..output.charts import ChartRow, draw
from ..output.printer import Printer, keys_of
from ..output.text import as_json
from .invocation import Invocation

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response


MAX_NUMBERS, MAX_NUMBER = 10_000, 10**15  # what is more is shown as a document


def draw_keywords(printer: Printer, request: SearchKeywords, data: Any) -> bool:
    """Draw the posts with the keywords by day, and related keywords. Return False if that is impossible."""
    if not isinstance(data, dict):
        return False
    volume, related = data.get("post_volume") or [], data.get("related_keywords") or []
    if not (isinstance(volume, list) and isinstance(related, list) and len(volume) <= MAX_NUMBERS):
        return False
    if not all(type(number) is int and 0 <= number <= MAX_NUMBER for number in volume):
        return False
    rows = list(_days(request, volume))
    title = f"Posts with {', '.join(request.keywords)}, by {request.granularity.lower()} (UTC)"
    words = [str(word) for word in related]
    draw(printer.stream, title, rows, "Related keywords", words, color=printer.color)
    return True


def _days(request: SearchKeywords, volume: list[int]) -> Iterator[ChartRow]:
    """Split the numbers into days; the hours of all days are aligned."""
    step = timedelta(hours=HOURS_PER_VALUE[request.granularity])
    start = request.start_time.moment
    moments = [(start + n * step, number) for n, number in enumerate(volume)]
    for day, of_day in groupby(moments, key=lambda moment: moment[0].date()):
        numbers = list(of_day)
        missing = numbers[0][0].hour if request.granularity == "HOUR" else 0
        yield ChartRow(f"{day:%m-%d}", [*[None] * missing, *(number for _, number in numbers)])


# Commands that show records of their own group; `accounts apps`, for one, shows no accounts.
RECORD_VERBS = ("list", "get", "create", "add", "update", "rename", "grant")


def show(call: Invocation, request: Request, document: Any) -> None:
    """Print a document with the columns of its endpoint, or draw its chart. Note its ids for completion."""
    endpoint = request.endpoint
    _record_ids(call, endpoint, document if isinstance(document, list) else [document])
    if (
        isinstance(request, SearchKeywords)
        and call.printer.draws
        and draw_keywords(call.printer, request, to_neutral(document))
    ):
        return
    call.printer.show(document, endpoint.columns, endpoint.record_id, endpoint.extra_fields)


def show_list(call: Invocation, request: Request, *, envelope: bool, all: bool, limit: str | None) -> None:
    """Print a list of declared records; note the ids of its first page for completion."""
    endpoint, most = request.endpoint, None if limit is None else parse_count(limit, "--limit")

    def responses() -> "Iterator[Response]":
        # The cursor of an envelope has to follow the last record that is shown.
        pages = call.client.pages(request, limit=most if envelope else None)
        for number, response in enumerate(pages):
            if number == 0:
                _record_ids(call, endpoint, response.data)
            yield response

    *group, verb = endpoint.command.split()
    call.printer.noun = (group[-1] if verb in RECORD_VERBS and group else "results").replace("-", " ")
    shape = (endpoint.columns, endpoint.record_id, endpoint.extra_fields)
    show_pages(
        call,
        responses(),
        *shape,
        envelope=envelope,
        all=all,
        limit=most,
        is_cut_unasked=limit is None and not getattr(request, "count", None),
    )


# What records have besides their own ids that options take, by what it is recorded as.
OTHER_IDS = {"users": "user_id", "card-uris": "card_uri", "item-groups": "item_group_key"}
MORE = "there are more"  # the first words of what says that a list was cut
SHARED_IDS = ("cards",)  # groups below which every id is one of the group's too


def _record_ids(call: Invocation, endpoint: Endpoint, records: Any) -> None:
    from .completion_ids import record_ids

    *group, verb = endpoint.command.split()
    if verb not in RECORD_VERBS:
        return
    listed = records if isinstance(records, list) else ()
    existing = [record for record in listed if isinstance(record, dict) and not record.get("deleted")]
    kinds = {" ".join(group): endpoint.record_id} | OTHER_IDS
    if group[0] in SHARED_IDS:
        kinds |= {group[0]: endpoint.record_id}
    if group == ["products"]:
        kinds |= {"product-ids": "id"}
    for kind, key in kinds.items():
        record_ids(call.settings, kind, call.settings.names.name(key), existing, call.mask)


def show_pages(
    call: Invocation,
    responses: "Iterator[Response]",
    columns: tuple[str, ...] = (),
    key: str = "id",
    others: tuple[str, ...] = (),
    *,
    envelope: bool,
    all: bool,
    limit: int | None = None,
    is_cut_unasked: bool = True,
    more_hint: str = "--all shows them, --limit N some of them",
) -> None:
    """Print a list: one page, all pages, or `limit` records.

    A response that is not a list is printed as it is. Without `columns`, the columns are those of the
    records.
    """
    pages = Pages(responses, None if all or limit else 1)
    printer = call.printer
    if printer.streams and columns and not envelope:
        printer.show_records(islice(pages.records(), limit), columns, key, others)
    else:
        records = list(islice(pages.records(), limit))
        merged = records if pages.is_list else pages.first.data
        body = pages.first.body
        if envelope and pages.is_list and isinstance(body, dict):
            body = {**body, "data": merged, "next_cursor": pages.cursor}
        document = body if envelope else merged
        printer.show(document, columns or keys_of(document), key, others)
    if isinstance(pages.total, int):
        call.messages.say(f"{pages.total:,} in total")
    if pages.cursor or pages.rest_of_page:
        show_more = call.messages.warn if is_cut_unasked else call.messages.say
        show_more(f"{MORE}: {more_hint}")


class Pages:
    """Pages as they are read, with the first response and the last cursor."""

    first: "Response"  # once records were read; there always is one
    cursor: str | None = None
    rest_of_page = 0  # records of the last page that were not taken

    def __init__(self, responses: "Iterator[Response]", max_pages: int | None) -> None:
        self._responses = islice(responses, max_pages)

    @property
    def is_list(self) -> bool:
        """Whether the pages hold a list."""
        return isinstance(self.first.data, list)

    @property
    def total(self) -> int | None:
        """The number of records on all pages, if the service sent it."""
        body = self.first.body
        return body.get("total_count") if self.is_list and isinstance(body, dict) else None

    def records(self) -> Iterator[Any]:
        """Yield the records of all pages."""
        for number, response in enumerate(self._responses):
            if number == 0:
                self.first = response
            self.cursor = response.next_cursor
            data = response.data
            records = data if isinstance(data, list) else [data] if isinstance(data, dict) else []
            for count, record in enumerate(records, 1):
                self.rest_of_page = len(records) - count
                yield record


def show_request(call: Invocation, request: Request) -> None:
    """Print the request of a dry run, with secrets masked."""
    from ..api.parts import request_parts
    from ..client.prepared_request import build_request

    endpoint = request.endpoint
    parts = request_parts(request, call.settings.names)
    prepared = build_request(endpoint, parts, call.settings.address(endpoint.base))
    show_prepared(call, msgspec.structs.replace(prepared, declared=type(request)))


def show_prepared(call: Invocation, prepared: "PreparedRequest") -> None:
    """Print a prepared request, with secrets masked, once the guard has approved it."""
    call.writes.approve([prepared])
    document = _document_of(prepared)
    if call.printer.has_columns:
        _print_prepared(document)
    else:
        call.printer.show(document, tuple(document), "url")


def show_prepared_requests(call: Invocation, requests: "Iterable[PreparedRequest]") -> None:
    """Print requests that the guard has approved, with secrets masked; one document is a list of them."""
    documents = [*map(_document_of, requests)]
    if call.printer.has_columns:
        for document in documents:
            _print_prepared(document)
    else:
        call.printer.show(documents, ("method", "url", "headers", "body"), "url")


def _document_of(prepared: "PreparedRequest") -> dict[str, Any]:
    document: dict[str, Any] = {
        "method": prepared.method,
        "url": Mask()(prepared.url),
        "headers": {
            "Authorization": "OAuth ***",
            **{name: mask_header(name, value) for name, value in prepared.headers.items()},
        },
    }
    if body := prepared.body or b"".join(prepared.pieces):
        document["headers"]["Content-Type"] = prepared.content_type
        text = body.decode("utf-8", "replace")
        document["body"] = _decoded(text if prepared.declared else Mask()(text))
    return document


def _print_prepared(document: dict[str, Any]) -> None:
    print(f"{document['method']} {document['url']}")
    if "body" in document:
        print(as_json(document["body"], indent=2))


def _decoded(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body
