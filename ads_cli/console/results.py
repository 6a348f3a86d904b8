"""Answers of declared requests, shown: one, a list over its pages, or the request itself."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..api.endpoint import Endpoint, Request
from ..errors import UsageError
from .invocation import Invocation

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response

# The commands that show records of their group; `accounts apps` shows no accounts.
KNOWN_AFTER = ("list", "get", "create", "add", "update", "rename", "grant")


def show(call: Invocation, request: Request, document: Any) -> None:
    """Print a document by the columns of its endpoint, or by its view where a terminal can show that."""
    endpoint = request.endpoint
    _remember(call, endpoint, document if isinstance(document, list) else [document])
    if endpoint.chart and call.printer.draws:
        from .charts import VIEWS

        if VIEWS[endpoint.chart](call.printer, request, document):
            return
    call.printer.show(document, endpoint.columns, endpoint.record_id, endpoint.extra_fields)


def show_list(call: Invocation, request: Request, *, envelope: bool, all: bool, limit: str | None) -> None:
    """Print a list of declared records."""
    endpoint = request.endpoint

    def seen() -> "Iterator[Response]":
        for number, answer in enumerate(call.client.pages(request)):
            if number == 0:
                _remember(call, endpoint, answer.data)
            yield answer

    shape = (endpoint.columns, endpoint.record_id, endpoint.extra_fields)
    show_pages(call, seen(), *shape, envelope=envelope, all=all, most=_limit(limit))


def _remember(call: Invocation, endpoint: Endpoint, records: Any) -> None:
    """Keep the ids of records for completion."""
    from .completion_ids import remember

    *group, verb = endpoint.command.split()
    if verb not in KNOWN_AFTER:
        return
    found = [record for record in records or () if isinstance(record, dict) and not record.get("deleted")]
    remember(call.settings, " ".join(group), endpoint.record_id, found)


def show_pages(
    call: Invocation,
    answers: "Iterator[Response]",
    columns: tuple[str, ...] = (),
    key: str = "id",
    others: tuple[str, ...] = (),
    *,
    envelope: bool,
    all: bool,
    most: int | None = None,
    more: str = "--all shows them, --limit N some of them",
) -> None:
    """Print a list: a page of it, all of it, or so many records.

    What is no list is printed as it is; without `columns`, with all that its records have.
    """
    from ..output.printer import keys_of

    pages = Pages(answers, None if all or most else 1)
    printer = call.printer
    if printer.streams and columns and not envelope:
        printer.show_records(islice(pages.records(), most), columns, key, others)
    else:
        records = list(islice(pages.records(), most))
        merged = records if pages.is_list else pages.first.data
        whole = pages.first.body
        if envelope and pages.is_list and isinstance(whole, dict):
            whole = {**whole, "data": merged, "next_cursor": pages.cursor}
        shown = whole if envelope else merged
        printer.show(shown, columns or keys_of(shown), key, others)
    if isinstance(pages.total, int):
        call.messages.say(f"{pages.total:,} in all")
    if pages.cursor:
        call.messages.say(f"there are more: {more}")


class Pages:
    """Pages as they are read, and what was seen of them: the first answer and the last cursor."""

    def __init__(self, answers: "Iterator[Response]", most: int | None) -> None:
        self._answers = islice(answers, most)
        self._first: Response | None = None
        self.cursor: str | None = None

    @property
    def first(self) -> "Response":
        """Give the first answer; there always is one."""
        assert self._first is not None
        return self._first

    @property
    def is_list(self) -> bool:
        """Tell whether the pages hold a list at all."""
        return isinstance(self.first.data, list)

    @property
    def total(self) -> int | None:
        """Give how many records there are on all pages, where the service said so."""
        return (
            self.first.body.get("total_count") if self.is_list and isinstance(self.first.body, dict) else None
        )

    def records(self) -> Iterator[Any]:
        """Give the records of all pages."""
        for answer in self._answers:
            self._first = self._first or answer
            self.cursor = answer.next_cursor
            yield from answer.data if isinstance(answer.data, list) else ()


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--limit: {text!r} is not a whole number of 1 or more")
    return int(text)


def show_request(call: Invocation, request: Request) -> None:
    """Print the request that would be sent, secrets masked, and send nothing."""
    from ..api.parts import request_parts
    from ..client.prepared_request import build_request

    endpoint = request.endpoint
    show_outgoing(call, build_request(endpoint, request_parts(request), call.settings.address(endpoint.base)))


def show_outgoing(call: Invocation, prepared: "PreparedRequest") -> None:
    """Print a request as it would go over the wire."""
    shown: dict[str, Any] = {
        "method": prepared.method,
        "url": prepared.url,
        "headers": {"Authorization": "OAuth ***", **prepared.headers},
    }
    if prepared.body:
        shown["headers"]["Content-Type"] = prepared.content_type
        shown["body"] = _readable(prepared.body)
    if call.printer.format in ("table", "tsv", "csv"):
        print(f"{prepared.method} {prepared.url}")
        if prepared.body:
            print(json.dumps(shown["body"], ensure_ascii=False, indent=2))
    else:
        call.printer.show(shown, tuple(shown), "url")


def _readable(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
