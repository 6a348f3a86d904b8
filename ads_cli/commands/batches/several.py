"""Show, change or delete several records by one command: those of several ids, or all that --where finds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import normalize

from ...api.amounts import amount_names, as_amount, fields_of_amounts, money_fields
from ...api.endpoint import Request
from ...api.names import neutral_name, to_neutral
from ...api.parts import batch_request, encode_operation, operation
from ...api.records import differing_fields
from ...api.spending import ACTIVE, DRAFT, PAUSED, STATUS, may_spend_more
from ...api.time import Time, is_plain_date
from ...batches.upload import DONE, OPERATIONS, BatchUpload, Items
from ...client.prepared_request import PreparedRequest
from ...client.response import not_understood
from ...console.invocation import Invocation
from ...console.progress import progress
from ...console.results import show, show_prepared_requests
from ...errors import AdsctlError, IncompleteError, NotFoundError, RefusedError, UsageError
from ...feeds.transforms import ParsedAmount, Where, text_of
from ...output.table_view import MONEY, header
from ...output.text import Lines, cell, counted, listed, safe, singular
from ...spelling import as_stored, suggestion
from ...uploads.upload import Batch
from ..spending import SIGNS, spending_question, value_change
from . import Record, request_of_group

IDS_PER_REQUEST, PAGE_SIZE = 200, 1000
MOST_NAMED = 5  # ids in a question
STATUSES = (ACTIVE, PAUSED, DRAFT)
FLAGS = ("deleted", "servable", "standard_delivery")  # fields of records that are true or false
RequestOf = Callable[[dict[str, Any]], Request]  # makes a request of the values of its options


class Chosen(NamedTuple):
    """What a command line says of the records that are meant."""

    ids: Sequence[str]
    where: Sequence[str]
    settings: Sequence[str]

    @property
    def is_one(self) -> bool:
        """Whether one record is named, and nothing of it is needed."""
        return len(self.ids) <= 1 and not self.where

    def require_one_way(self, file: str | None) -> None:
        """Raise UsageError where records are named in two ways."""
        if self.where and self.ids:
            raise UsageError("--where: stands in place of ids", hint="give ids, or --where")
        if file and (not self.is_one or self.settings):
            named = "--where" if self.where else "--set" if self.settings else "several ids"
            raise UsageError(f"--file: cannot be used with {named}", hint="the file names its records")


@dataclass
class RecordSearch:
    """Finds the records that a command line names, or that `--where` describes, in the list of their kind."""

    call: Invocation
    kind: type[Request]
    values: Mapping[str, Any]  # of options, and the account
    chosen: Chosen

    def __post_init__(self) -> None:
        endpoint = self.kind.endpoint
        self.id_field = str(endpoint.id_field)
        self._group = endpoint.command.split()[:-1]
        # Not `Endpoint.noun`, which names jobs on disk: here, promoted posts are no posts.
        self.noun = endpoint.batch.noun if endpoint.batch else " ".join(self._group).replace("-", " ")
        self.singular = singular(self.noun)

    def named(self, ids: Sequence[str]) -> str:
        """Name records by their ids: `line items 9d4c1, 9d4c2`."""
        return f"{self.singular if len(ids) == 1 else self.noun} {listed(ids)}"

    def find(self) -> list[Any]:
        """Return the records that are meant, as the service sends them, in the order of the ids."""
        if not self.chosen.where:
            ids = [*dict.fromkeys(self.chosen.ids)]
            records = {str(record.get("id")): record for record in self._listed(ids)}
            return [records[id] for id in ids if id in records]
        conditions, matching, unknown = self._conditions(), list[Any](), 0
        names = {self._amounts.get(condition.column, condition.column) for condition in conditions}
        for record in self._listed():
            neutral = to_neutral(record)
            if not names <= neutral.keys():
                unknown += 1  # what is not shown is neither equal nor another value
            elif all(self._holds(condition, neutral) for condition in conditions):
                matching.append(record)
        if unknown:
            what = counted(unknown, self.singular, self.noun)
            self.call.messages.note(
                f"--where: {what} left out: the service does not show {', '.join(sorted(names))} of each"
            )
        return matching

    def _listed(self, ids: Sequence[str] | None = None) -> Iterator[Any]:
        """List records by their ids, or all of them."""
        kind = request_of_group(self.call, self._group, "list")
        known, own = {*kind.__struct_fields__}, f"{self.id_field}s"
        shared = {name: value for name, value in self.values.items() if name in known and value is not None}
        shared |= {"with_draft": True} if "with_draft" in known else {}
        parts: list[Any] = [None]
        if ids is not None:
            parts = [[*ids[at : at + IDS_PER_REQUEST]] for at in range(0, len(ids), IDS_PER_REQUEST)]
        for part in parts:
            for page in self.call.client.pages(kind(**{**shared, "count": PAGE_SIZE, own: part})):
                if not all(record.get("id") for record in page.records):
                    raise not_understood(f"one of the {self.noun} has no id")
                yield from page.data if isinstance(page.data, list) else [page.data]

    def _conditions(self) -> list[Where]:
        endpoint, fields = self.kind.endpoint, self.kind.endpoint.record_fields
        # What records have, and what a change sets; not the account of a request, nor its other options.
        settable = {*self.kind.__struct_fields__} if endpoint.method == "PUT" else set[str]()
        known = {*fields, *self._amounts, *settable.difference(endpoint.path_fields)}
        headings = {header(name): name for name in fields}
        conditions = []
        for text in self.chosen.where:
            condition = Where.parse(text)
            name = neutral_name(condition.column.replace("-", "_"))
            if name == self.id_field:
                name = endpoint.record_id
            elif name not in known:  # it may be the heading of a table
                name = headings.get(name.lower(), name)
            if name not in known:
                near = suggestion(name, known)
                raise UsageError(
                    f"--where: {condition.column!r} is not a field of {self.noun}{near}",
                    hint=f"fields: {', '.join(sorted(headings))}",
                )
            value = condition.value
            if condition.operator.endswith("~"):
                value = normalize("NFC", value)  # a blank at its end counts
            elif value:
                value = self._comparable(name, as_stored(value))
            conditions.append(Where(name, condition.operator, value))
        return conditions

    def _comparable(self, name: str, text: str) -> str:
        """Return a value as records have it; raise UsageError for one that no record can have."""
        problem = ""
        if name in self._amounts or name.endswith(MONEY):
            if not (amount := ParsedAmount.parse(text)) or amount.currency:
                problem = "is not an amount, as in 9.50"
        elif name.endswith(("_at", "_time")):
            try:
                if not is_plain_date(text):
                    return Time.parse(text)
                Time.parse(f"{text}T00:00:00Z")
            except ValueError:
                problem = "is not a time, as in 2031-12-01 or 2031-12-01T08:00:00Z"
        elif name == STATUS and text not in STATUSES:
            problem = f"is not one of {', '.join(STATUSES)}"
        elif name.endswith("_status") and not text.isupper():  # more statuses than are known
            problem = "is not a status, as in RUNNING"
        elif name in FLAGS and text not in ("true", "false"):
            problem = "is neither true nor false"
        if problem:
            raise UsageError(f"--where: {text!r} {problem}")
        return text

    @cached_property
    def _amounts(self) -> dict[str, str]:
        """Name the fields of micro-units by the names of their amounts in whole units."""
        fields = (name for name in self.kind.endpoint.record_fields if name.endswith(MONEY))
        return {name: field for field in fields for name in amount_names(field)}

    def _holds(self, condition: Where, record: Record) -> bool:
        field = self._amounts.get(condition.column)
        value = in_units(record, field) if field else record.get(condition.column)
        return condition.holds(as_stored(text_of(value)))


class SendingResult(NamedTuple):
    """What became of requests: the answers, why some were refused, by id, and what has stopped the others."""

    answers: list[Any]
    refused: dict[str, str]
    stopped: AdsctlError | None = None


class SeveralRecords:
    """Shows or changes the records that a search finds; many by one request where the service can."""

    def __init__(self, search: RecordSearch) -> None:
        self._search, self._call, self._kind = search, search.call, search.kind
        self._endpoint = search.kind.endpoint
        self._is_relative = False  # a setting changes what a record has, by a share or an amount

    def show(self, *, envelope: bool) -> None:
        """Print the records; raise an error where some of the ids are those of none."""
        search = self._search
        records = search.find()
        ids = {str(record.get("id")) for record in records}
        missing = [id for id in dict.fromkeys(search.chosen.ids) if id not in ids]
        words = f"there is no {search.singular} {listed(missing)}"
        if missing and not records:
            raise NotFoundError(words)
        show(self._call, self._any_request, {"data": records} if envelope else records)
        if missing:
            raise IncompleteError(words, hint="the others are shown")

    @property
    def _any_request(self) -> Request:
        """A request of the command, by whose endpoint records are shown."""
        values = self._search.values
        own = {name: values[name] for name in self._endpoint.path_fields if name in values}
        return self._kind(**own | {self._search.id_field: "-"})

    def change(self, request_of: RequestOf, *, envelope: bool) -> None:
        """Ask once, and send a request for each record; raise IncompleteError where some are refused."""
        call, search, chosen = self._call, self._search, self._search.chosen
        is_update = self._endpoint.action == "update"
        records: dict[str, Record] = {}
        if chosen.where or chosen.settings:
            records = {str(record["id"]): record for record in map(to_neutral, search.find())}
            call.stored.note(search.id_field, records)
        ids = [*records] if chosen.where else [*dict.fromkeys(chosen.ids)]
        if missing := [id for id in ids if id not in records] if chosen.settings else []:
            raise NotFoundError(
                f"there is no {search.singular} {listed(missing)}", hint="nothing was changed"
            )
        requests = self._requests(ids, records, request_of)
        if chosen.where and is_update:
            requests = [
                request for request in requests if differing_fields(request, records[self._id(request)])
            ]
        for line in self._drawn(requests, records) if records else ():
            call.messages.say(line)
        if not requests:
            differ = ", or none of them differs" if records and is_update else ""
            call.messages.say(f"no {search.noun} match{differ}")
            show(call, self._any_request, {"data": []} if envelope else [])
            return
        call.writes.approve(self._prepared(requests))  # as they are sent: each change is counted once
        if not call.dry_run or call.is_plan:
            self._confirm(requests)
        if call.dry_run:
            show_prepared_requests(call, self._prepared(requests))
        else:
            self._report(requests, self._send(requests), envelope=envelope)

    def _requests(
        self, ids: Sequence[str], records: Mapping[str, Record], request_of: RequestOf
    ) -> list[Request]:
        """Make a request for each record; raise UsageError that names all whose amounts cannot be set."""
        search = self._search
        made, wrong = list[Request](), dict[tuple[str, str], list[str]]()
        for id in ids:
            try:
                own = {**search.values, search.id_field: id, **self._settings_of(records.get(id, {}))}
                made.append(request_of(own))
            except UsageError as error:
                if not search.chosen.settings:
                    raise
                wrong.setdefault((error.message, error.hint), []).append(id)
        if wrong:
            hints = dict.fromkeys(hint for _, hint in wrong if hint)
            lines = (f"{message} ({search.named(some)})" for (message, _), some in wrong.items())
            raise UsageError(Lines(lines), hint="; ".join(["nothing was changed", *hints]))
        return made

    def _id(self, request: Request) -> str:
        return str(getattr(request, self._search.id_field))

    def settings_of_one(self) -> dict[str, str]:
        """Return the values of --set for the only record; raise NotFoundError where there is none."""
        search = self._search
        records = [*map(to_neutral, search.find())]
        if not records:
            raise NotFoundError(f"there is no {search.singular} {search.chosen.ids[0]}")
        try:
            return self._settings_of(records[0])
        except UsageError as error:
            error.message += f" ({search.named([str(records[0].get('id'))])})"
            raise

    def _settings_of(self, record: Record) -> dict[str, str]:
        """Return the values of --set for a record, as options have them; raise UsageError."""
        from ...campaigns.copying import RELATIVE, relative_amount

        search, amounts, texts = self._search, fields_of_amounts(self._kind), dict[str, str]()
        known = {*amounts, *self._kind.__struct_fields__} - {"account_id", search.id_field}
        for text in search.chosen.settings:
            path, equals, value = text.partition("=")
            name = path if path in amounts else neutral_name(path.replace("-", "_"))
            if not equals or name not in known:
                raise UsageError(
                    f"--set {text}: is not FIELD=VALUE{suggestion(name, known)}",
                    hint="as in --set daily_budget=+10%",
                )
            field = amounts.get(name, name)
            names = {field, *(amount for amount, of in amounts.items() if of == field)}
            if any(search.values.get(amount) is not None for amount in names) or names & texts.keys():
                raise UsageError(f"--set {text}: {name} is given twice")
            if RELATIVE.fullmatch(value) and field in money_fields(self._kind):
                self._is_relative = True
                currency = str(record.get("currency") or "")
                value = relative_amount(value, in_units(record, field), currency, name)
                name = amount_names(field)[0]
            texts[name] = "" if value == "null" else value
        return texts

    def _drawn(self, requests: Sequence[Request], records: Mapping[str, Record]) -> Iterator[str]:
        """Draw a plan: a line for each record, and one for each field that changes."""
        for request in requests:
            record = records[self._id(request)]
            name = f" {record['name']!r}" if record.get("name") else ""
            yield safe(f"{SIGNS[self._endpoint.action]} {self._search.singular} {record['id']}{name}")
            if self._endpoint.action == "update":
                for field in differing_fields(request, record):
                    after = {**record, field: getattr(request, field)}
                    currency = str(record.get("currency") or "") if field.endswith(MONEY) else ""
                    change = value_change(_shown(field, record), _shown(field, after), currency)
                    yield safe(f"    {amount_names(field)[0]}: {change}")

    def _confirm(self, requests: Sequence[Request]) -> None:
        """Ask once about all: what is deleted, what --where has found, what may spend more."""
        call, search = self._call, self._search
        ids = [*map(self._id, requests)]
        names = f"{counted(len(requests), search.singular, search.noun)} ({listed(ids, MOST_NAMED)})"
        questions = []
        if prompt := self._endpoint.confirm_prompt:
            what, mark, consequence = prompt.partition(";")
            questions.append(f"{what.split()[0]} {names}{mark}{consequence}")
        elif search.chosen.where:
            questions.append(f"Change {names}")
        if any(map(may_spend_more, requests)) and not call.flags.get("yes"):
            questions.append(spending_question(call, requests))
        if question := "; ".join(filter(None, questions)):
            call.confirm(question)

    def _batches(self, requests: Sequence[Request]) -> Iterator[tuple[BatchUpload, Batch]]:
        """Cut requests into those that the service takes at once."""
        batch = self._endpoint.batch
        assert batch
        many = batch_request(self._kind)(account_id=self._search.values["account_id"])
        upload = BatchUpload(many, self._endpoint.action, self._search.noun, OPERATIONS)
        for at in range(0, len(requests), batch.size):
            some = requests[at : at + batch.size]
            bodies = [encode_operation(operation(item, self._call.settings.names)) for item in some]
            places = [(at + number, 0) for number in range(len(some))]
            yield upload, Batch(at // batch.size, Items(bodies, [*map(self._id, some)]), places)

    def _prepared(self, requests: Sequence[Request]) -> Iterator[PreparedRequest]:
        if self._endpoint.batch:
            yield from (upload.prepare(self._call.client, batch) for upload, batch in self._batches(requests))
        else:
            yield from map(self._call.client.prepare, requests)

    def _send(self, requests: Sequence[Request]) -> SendingResult:
        """Send everything, as far as it comes."""
        call, answers, refused = self._call, list[Any](), dict[str, str]()
        with progress(call.messages, "Sending", len(requests)) as on_progress:
            try:
                if self._endpoint.batch:
                    for upload, batch in self._batches(requests):
                        ack = upload.send(call.client, batch, _Repeatable())
                        answers += ack.answer
                        refused |= {self._id(requests[number]): reason for number, reason in ack.failed}
                        on_progress(len(answers) + len(refused))
                else:
                    for request in requests:
                        try:
                            answers.append(call.client.call(request).data)
                        except (RefusedError, NotFoundError) as error:
                            refused[self._id(request)] = error.message
                        on_progress(len(answers) + len(refused))
            except AdsctlError as error:
                return SendingResult(answers, refused, error)
        return SendingResult(answers, refused)

    def _report(self, requests: Sequence[Request], sent: SendingResult, *, envelope: bool) -> None:
        """Print what the service answered; raise the error of what it refused, or of what has stopped it."""
        call, search, stopped = self._call, self._search, sent.stopped
        if sent.answers or not stopped:
            show(call, requests[0], {"data": sent.answers} if envelope else sent.answers)
        total = counted(len(requests), search.singular, search.noun)
        words = f"{len(sent.answers):,} of {total} {DONE[self._endpoint.action]}"
        reasons = [f"{id}: {reason}" for id, reason in sent.refused.items()]
        if stopped:
            stopped.message = Lines([f"{words}: {stopped.message}", *reasons])
            hints = (stopped.hint, *self._how_to_go_on(requests, sent, stopped))
            stopped.hint = "; ".join(filter(None, hints))
            raise stopped
        if sent.refused:
            raise IncompleteError(Lines([f"{words}; refused by the service:", *reasons]))
        call.messages.say(words)

    def _how_to_go_on(
        self, requests: Sequence[Request], sent: SendingResult, stopped: AdsctlError
    ) -> Iterator[str]:
        """Yield the hints for what is left; a relative change that may be applied must not be repeated."""
        ids = [*map(self._id, requests)]
        answered, batch = len(sent.answers) + len(sent.refused), self._endpoint.batch
        sent_until = answered + (batch.size if batch and stopped.may_be_applied else 0)
        lost, unsent = ids[answered:sent_until], ids[sent_until:]
        if not (self._is_relative and (sent.answers or lost)):
            yield "what is done is shown; run it again for the others"
            return
        stopped.retryable = False  # not by the same command
        yield "what is done is shown, and would change again"
        if unsent:
            yield f"run it again for the others alone, by their ids: {' '.join(unsent)}"
        if lost:
            yield f"an answer was lost, look first whether these have changed: {' '.join(lost)}"


class _Repeatable:
    """Notes no attempts: what is repeated has the same effect."""

    def may_be_applied(self, batch: int) -> bool:
        return False

    def note_attempt(self, batch: int, keys: list[str]) -> None:
        pass

    def withdraw_attempt(self, batch: int) -> None:
        pass


def in_units(record: Record, field: str) -> str | None:
    """Return an amount of a record in units of its currency."""
    micros = record.get(field)
    if not isinstance(micros, int) or isinstance(micros, bool):
        return None
    return as_amount(micros, str(record.get("currency") or "")).replace(",", "")


def _shown(field: str, record: Record) -> str:
    value = record.get(field)
    if field.endswith(MONEY):
        with suppress(TypeError, ValueError):
            value = in_units({**record, field: int(value)}, field) if value not in (None, "") else None
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return cell(None if value in (None, "") else value if isinstance(value, bool) else str(value))
