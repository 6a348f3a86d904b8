"""Show the responses of declared requests, and the requests of a dry run."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.endpoint import Endpoint, Request
from ..masking import Mask, mask_header
from ..numbers import parse_count
from ..output.printer import keys_of
from ..output.text import as_json
from .invocation import Invocation

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from .conditions import Narrowing


# Commands that show records of their own group; `accounts apps`, for one, shows no accounts.
RECORD_VERBS = ("list", "get", "create", "add", "update", "rename", "grant", "subscribe", "subscriptions")


def show(call: Invocation, request: Request, document: Any) -> None:
    """Print a document with the columns of its endpoint. Note its ids for completion."""
    endpoint, wrapped = request.endpoint, None
    if endpoint.data_key and isinstance(document, dict):
        wrapped = document.get(endpoint.data_key)
    records = document if wrapped is None else wrapped
    _record_ids(call, endpoint, records if isinstance(records, list) else [records])
    name_others(call)
    if not call.printer.shows_documents:
        document = records
    call.printer.show(document, endpoint.columns, endpoint.record_id, endpoint.extra_fields)


def show_list(
    call: Invocation,
    request: Request,
    *,
    envelope: bool,
    all: bool,
    limit: str | None,
    narrowing: "Narrowing | None" = None,
) -> None:
    """Print a list of declared records; note the ids of its first page for completion.

    What a `narrowing` is applied to are the records of all pages.
    """
    endpoint, most = request.endpoint, None if limit is None else parse_count(limit, "--limit")

    def responses() -> "Iterator[Response]":
        # The cursor of an envelope has to follow the last record that is shown.
        pages = call.client.pages(request, limit=most if envelope and not narrowing else None)
        for number, response in enumerate(pages):
            if number == 0:
                _record_ids(call, endpoint, response.data)
            yield response

    *group, verb = endpoint.command.split()
    noun = verb if verb.endswith("s") else group[-1] if group else ""
    call.printer.noun = noun.replace("-", " ") if verb in RECORD_VERBS and noun else "results"
    name_others(call)
    shape = (endpoint.columns, endpoint.record_id, endpoint.extra_fields)
    show_pages(
        call,
        responses(),
        *shape,
        envelope=envelope,
        all=all,
        limit=most,
        is_cut_unasked=limit is None and not getattr(request, "count", None),
        narrowing=narrowing,
    )


# What records have besides their own ids that options take, by what it is recorded as.
OTHER_IDS = {"users": "user_id", "card-uris": "card_uri", "item-groups": "item_group_key"}
MORE = "there are more"  # the first words of what says that a list was cut
SHARED_IDS = ("cards",)  # groups below which every id is one of the group's too


def name_others(call: Invocation) -> None:
    """Let tables on a terminal name the records whose ids they would show, with a request for each kind."""
    call.printer.names_of = partial(_names_of, call)


def _names_of(call: Invocation, column: str, ids: Sequence[str]) -> Mapping[str, str]:
    from ..api.record_names import SAME
    from .account_zone import QUICKLY

    return call.with_flags(QUICKLY).records.names(SAME.get(column, column), ids)


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
    narrowing: "Narrowing | None" = None,
) -> None:
    """Print a list: one page, all pages, or `limit` records.

    A response that is not a list is printed as it is. Without `columns`, the columns are those of the
    records.
    """
    pages = Pages(responses, None if all or limit or narrowing else 1)
    printer, shown = call.printer, pages.records()
    if narrowing:
        shown = narrowing.applied(shown)
    if printer.streams and columns and not envelope:
        printer.show_records(islice(shown, limit), columns, key, others)
    else:
        records = list(islice(shown, limit))
        assert pages.first
        merged = records if pages.is_list else pages.first.data
        body = pages.first.body
        if envelope and pages.is_list and isinstance(body, dict):
            body = {**body, "data": merged, "next_cursor": None if narrowing else pages.cursor}
        document = body if envelope else merged
        printer.show(document, columns or keys_of(document), key, others)
    if narrowing:
        return  # all was read, or as much as --limit asked for
    if isinstance(pages.total, int):
        call.messages.say(f"{pages.total:,} in total")
    if pages.cursor or pages.rest_of_page:
        show_more = call.messages.warn if is_cut_unasked else call.messages.say
        show_more(f"{MORE}: {more_hint}")


class Pages:
    """Pages as they are read, with the first response and the last cursor."""

    first: "Response | None" = None  # once records were read; there always is one
    cursor: str | None = None
    rest_of_page = 0  # records of the last page that were not taken

    def __init__(self, responses: "Iterator[Response]", max_pages: int | None) -> None:
        self._responses = islice(responses, max_pages)

    @property
    def is_list(self) -> bool:
        """Whether the pages hold a list."""
        return self.first is not None and isinstance(self.first.data, list)

    @property
    def total(self) -> int | None:
        """The number of records on all pages, if the service sent it."""
        body = self.first and self.first.body
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
    if _is_said(call, [prepared]):
        return
    if call.printer.has_columns:
        _print_prepared(call, document)
    else:
        call.printer.show(document, tuple(document), "url")


def show_prepared_requests(call: Invocation, requests: "Iterable[PreparedRequest]") -> None:
    """Print requests that the guard has approved, with secrets masked; one document is a list of them."""
    requests = [*requests]
    if _is_said(call, requests):
        return
    documents = [*map(_document_of, requests)]
    if call.printer.has_columns:
        for document in documents:
            _print_prepared(call, document)
    else:
        call.printer.show(documents, ("method", "url", "headers", "body"), "url")


def says_dry_run(call: Invocation) -> bool:
    """Whether a person is told in words what a dry run would do."""
    return call.dry_run and not call.is_plan and (call.printer.draws or call.parsed.told is not None)


def _is_said(call: Invocation, requests: "Sequence[PreparedRequest]") -> bool:
    """Say to a person what requests would do, in place of them; with --verbose before them."""
    if not says_dry_run(call):
        return False
    from .dry_run import sentences

    lines = sentences(call, requests)
    if call.parsed.told is not None:
        call.parsed.told += lines
        return True
    for line in lines:
        print(line, file=call.out)
    return bool(lines) and not call.messages.is_verbose


def _document_of(prepared: "PreparedRequest") -> dict[str, Any]:
    tokens = prepared.declared.endpoint.tokens if prepared.declared else ("user1",)
    document: dict[str, Any] = {
        "method": prepared.method,
        "url": Mask()(prepared.url),
        "headers": {
            "Authorization": "OAuth ***" if "user1" in tokens else "Bearer ***",
            **{name: mask_header(name, value) for name, value in prepared.headers.items()},
        },
    }
    if body := prepared.body or b"".join(prepared.pieces):
        document["headers"]["Content-Type"] = prepared.content_type
        text = body.decode("utf-8", "replace")
        document["body"] = _decoded(text if prepared.declared else Mask()(text))
    return document


def _print_prepared(call: Invocation, document: dict[str, Any]) -> None:
    print(f"{document['method']} {document['url']}", file=call.out)
    if "body" in document:
        print(as_json(document["body"], indent=2), file=call.out)


def _decoded(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body
