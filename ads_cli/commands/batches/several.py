"""Show, change or delete several records by one command: those of several ids, or all that --where finds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...api.amounts import amount_names, fields_of_amounts, money_fields
from ...api.endpoint import Request
from ...api.names import neutral_name, to_neutral
from ...api.parts import batch_request, encode_operation, operation
from ...api.records import differing_fields
from ...api.spending import may_spend_more
from ...batches.upload import DONE, OPERATIONS, BatchUpload, Items
from ...client.prepared_request import PreparedRequest
from ...console.progress import progress
from ...console.results import show, show_prepared_requests
from ...errors import AdsctlError, IncompleteError, NotFoundError, RefusedError, UsageError
from ...output.text import cell, counted, listed, safe
from ...spelling import suggestion
from ...uploads.upload import Batch
from ..spending import spending_question
from .current import Record, RecordSearch, in_units

ACTIONS = {"PUT": "update", "DELETE": "delete"}
SIGNS = {"update": "~", "delete": "-"}
MOST_NAMED = 5  # ids in a question
RequestOf = Callable[[dict[str, Any]], Request]  # makes a request of the values of its options


class SeveralRecords(RecordSearch):
    """Sends a request for each record of a command; many at once where the service can."""

    def show(self, *, envelope: bool) -> None:
        """Print the records; raise an error where some of the ids are those of none."""
        found = self.find()
        ids = {str(record.get("id")) for record in found}
        missing = [id for id in dict.fromkeys(self._chosen.ids) if id not in ids]
        words = f"there is no {self.singular} {listed(missing)}"
        if missing and not found:
            raise NotFoundError(words)
        show(self._call, self._any_request, {"data": found} if envelope else found)
        if missing:
            raise IncompleteError(words, hint="the others are shown")

    @property
    def _any_request(self) -> Request:
        """A request of the command, by whose endpoint records are shown."""
        own = {name: self._values[name] for name in self._kind.endpoint.path_fields if name in self._values}
        return self._kind(**own | {self._id_field: "-"})

    def change(self, request_of: RequestOf, *, envelope: bool) -> None:
        """Ask once, and send a request for each record; raise IncompleteError where some are refused."""
        call, chosen = self._call, self._chosen
        records: dict[str, Record] = {}
        if chosen.where or chosen.settings:
            records = {str(record["id"]): record for record in map(to_neutral, self.find())}
            call.stored.note(self._id_field, records)
        ids = [*records] if chosen.where else [*dict.fromkeys(chosen.ids)]
        if missing := [id for id in ids if id not in records] if chosen.settings else []:
            raise NotFoundError(f"there is no {self.singular} {listed(missing)}", hint="nothing was changed")
        requests = self._requests(ids, records, request_of)
        if chosen.where and self._action == "update":
            requests = [each for each in requests if differing_fields(each, records[self._id(each)])]
        if chosen.where or chosen.settings:
            for line in self._drawn(requests, records):
                call.messages.say(line)
        if not requests:
            differ = ", or none of them differs" if records and self._action == "update" else ""
            call.messages.say(f"no {self.noun} match{differ}")
        elif call.dry_run:
            call.writes.approve(map(call.client.prepare, requests))
            if call.is_plan:
                self._confirm(requests)
            show_prepared_requests(call, self._prepared(requests))
            return
        else:
            call.writes.approve(map(call.client.prepare, requests))
            self._confirm(requests)
        self._report(requests, *self._sent(requests), envelope=envelope)

    def _requests(
        self, ids: Sequence[str], records: Mapping[str, Record], request_of: RequestOf
    ) -> list[Request]:
        """Make a request for each record; raise UsageError that names all whose amounts cannot be set."""
        made, wrong = list[Request](), dict[tuple[str, str], list[str]]()
        for id in ids:
            try:
                own = {**self._values, self._id_field: id, **self.settings_of(records.get(id, {}))}
                made.append(request_of(own))
            except UsageError as error:
                if not self._chosen.settings:
                    raise
                wrong.setdefault((error.message, error.hint), []).append(id)
        if wrong:
            hints = dict.fromkeys(hint for _, hint in wrong if hint)
            lines = (self._of(message, some) for (message, _), some in wrong.items())
            raise UsageError("\n".join(lines), hint="; ".join(["nothing was changed", *hints]))
        return made

    def _of(self, message: str, ids: Sequence[str]) -> str:
        """Name the records that a message is about."""
        return f"{message} ({self.singular if len(ids) == 1 else self.noun} {listed(ids)})"

    @property
    def _action(self) -> str:
        return ACTIONS[self._kind.endpoint.method]

    def _id(self, request: Request) -> str:
        return str(getattr(request, self._id_field))

    def settings_of_one(self) -> dict[str, str]:
        """Return the values of --set for the only record; raise NotFoundError where there is none."""
        found = [*map(to_neutral, self.find())]
        if not found:
            raise NotFoundError(f"there is no {self.singular} {self._chosen.ids[0]}")
        try:
            return self.settings_of(found[0])
        except UsageError as error:
            error.message = self._of(error.message, [str(found[0].get("id"))])
            raise

    def settings_of(self, record: Record) -> dict[str, str]:
        """Return the values of --set for a record, as options have them; raise UsageError."""
        from ...campaigns.copying import RELATIVE, relative_amount

        amounts, found = fields_of_amounts(self._kind), dict[str, str]()
        known = {*amounts, *self._kind.__struct_fields__} - {"account_id", self._id_field}
        for text in self._chosen.settings:
            path, equals, value = text.partition("=")
            name = path if path in amounts else neutral_name(path.replace("-", "_"))
            if not equals or name not in known:
                raise UsageError(
                    f"--set {text}: is not FIELD=VALUE{suggestion(name, known)}",
                    hint="as in --set daily_budget=+10%",
                )
            field = amounts.get(name, name)
            names = {field, *(each for each, of in amounts.items() if of == field)}
            if any(self._values.get(each) is not None for each in names) or names & found.keys():
                raise UsageError(f"--set {text}: {name} is given twice")
            if RELATIVE.fullmatch(value) and field in money_fields(self._kind):
                currency = str(record.get("currency") or "")
                value = relative_amount(value, in_units(record, field), currency, name)
                name = amount_names(field)[0]
            found[name] = "" if value == "null" else value
        return found

    def _drawn(self, requests: Sequence[Request], records: Mapping[str, Record]) -> Iterator[str]:
        """Draw a plan: a line for each record, and one for each field that changes."""
        for request in requests:
            record = records[self._id(request)]
            name = f" {record['name']!r}" if record.get("name") else ""
            yield safe(f"{SIGNS[self._action]} {self.singular} {record['id']}{name}")
            if self._action == "update":
                for field in differing_fields(request, record):
                    after = {**record, field: getattr(request, field)}
                    names = (_shown(field, each) for each in (record, after))
                    yield safe(f"    {amount_names(field)[0]}: {' -> '.join(names)}")

    def _confirm(self, requests: Sequence[Request]) -> None:
        """Ask once about all: what is deleted, what --where has found, what may spend more."""
        call, endpoint = self._call, self._kind.endpoint
        ids = [*map(self._id, requests)]
        names = f"{counted(len(requests), self.singular, self.noun)} ({listed(ids, MOST_NAMED)})"
        questions = []
        if prompt := endpoint.confirm_prompt:
            what, mark, consequence = prompt.partition(";")
            questions.append(f"{what.split()[0]} {names}{mark}{consequence}")
        elif self._chosen.where:
            questions.append(f"Change {names}")
        if any(map(may_spend_more, requests)) and not call.flags.get("yes"):
            questions.append(spending_question(call, requests))
        if question := "; ".join(filter(None, questions)):
            call.confirm(question)

    def _batches(self, requests: Sequence[Request]) -> Iterator[tuple[BatchUpload, Batch]]:
        """Cut requests into those that the service takes at once."""
        batch = self._kind.endpoint.batch
        assert batch
        many = batch_request(self._kind)(account_id=self._values["account_id"])
        upload = BatchUpload(many, self._action, self.noun, OPERATIONS)
        for at in range(0, len(requests), batch.size):
            some = requests[at : at + batch.size]
            bodies = [encode_operation(operation(each, self._call.settings.names)) for each in some]
            places = [(at + number, 0) for number in range(len(some))]
            yield upload, Batch(at // batch.size, Items(bodies, [*map(self._id, some)]), places)

    def _prepared(self, requests: Sequence[Request]) -> Iterator[PreparedRequest]:
        if self._kind.endpoint.batch:
            yield from (upload.prepare(self._call.client, batch) for upload, batch in self._batches(requests))
        else:
            yield from map(self._call.client.prepare, requests)

    def _sent(self, requests: Sequence[Request]) -> tuple[list[Any], dict[str, str], AdsctlError | None]:
        """Send everything; return the answers, why some are refused, and what has stopped it."""
        call, answers, refused = self._call, list[Any](), dict[str, str]()
        with progress(call.messages, "Sending", len(requests)) as on_progress:
            try:
                if self._kind.endpoint.batch:
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
                return answers, refused, error
        return answers, refused, None

    def _report(
        self,
        requests: Sequence[Request],
        answers: list[Any],
        refused: Mapping[str, str],
        stopped: AdsctlError | None,
        *,
        envelope: bool,
    ) -> None:
        """Print what the service answered; raise the error of what it refused, or of what has stopped it."""
        call, done = self._call, DONE[self._action]
        request = requests[0] if requests else self._any_request
        if answers or not stopped:
            show(call, request, {"data": answers} if envelope else answers)
        words = f"{len(answers):,} of {counted(len(requests), self.singular, self.noun)} {done}"
        reasons = "\n".join(f"{id}: {reason}" for id, reason in refused.items())
        if stopped:
            stopped.message = "\n".join(filter(None, (f"{words}: {stopped.message}", reasons)))
            again = "what is done is shown; run it again for the others"
            stopped.hint = "; ".join(filter(None, (stopped.hint, again)))
            raise stopped
        if refused:
            raise IncompleteError(f"{words}; refused by the service:\n{reasons}")
        if requests:
            call.messages.say(words)


class _Repeatable:
    """Notes no attempts: what is repeated has the same effect."""

    def may_be_applied(self, batch: int) -> bool:
        return False

    def note_attempt(self, batch: int, keys: list[str]) -> None:
        pass

    def withdraw_attempt(self, batch: int) -> None:
        pass


def _shown(field: str, record: Record) -> str:
    value = record.get(field)
    if field.endswith("_local_micro"):
        with suppress(TypeError, ValueError):
            value = in_units({**record, field: int(value)}, field) if value not in (None, "") else None
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return cell(None if value in (None, "") else value if isinstance(value, bool) else str(value)) or "null"
