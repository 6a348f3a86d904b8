"""Show, change or delete the records of several ids, or all that --where finds, by one command."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from ...api.amounts import amount_names, as_amount
from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.records import differing_fields
from ...client.record_names import label
from ...console.account_zone import zone_for
from ...console.conditions import Record
from ...console.results import says_dry_run, show
from ...console.spending import confirm_requests
from ...errors import AdsctlError, IncompleteError, Interrupted, NotFoundError, StateError, UsageError
from ...feeds.locations import InMemory
from ...feeds.registry import FORMATS
from ...feeds.source import Source
from ...output.table_view import MONEY, local_times
from ...output.text import SIGNS, Lines, cell, listed, safe, value_change
from ...records.plan import BatchPlan, place_of_records, record_plan
from ...records.reader import RequestReader, RequestRows
from ...runs.batch_upload import DONE
from ...runs.creations import unfinished
from ...runs.job import UNFINISHED, Job, answers
from ...runs.jobs import list_jobs, unfinished_jobs
from ...runs.journal import Journal
from ...runs.push import PushResult
from ...runs.sends import Counts, count_sends, read_planned, read_sends
from ..records.current import show_only, show_requests
from ..runs.options import SendOptions
from ..runs.reports import how_to_resume
from ..runs.sending import Sending
from .search import RecordSearch
from .settings import Setting

MOST_NAMED = 5  # ids in a question
COPIED = "it cannot be resumed, since the state folder may be a copy: look which records have changed"
CHANGED_SINCE = "it was changed since the plan was made"
NO_JOB_HINT = "adsctl jobs list shows the runs that are known"
Planned = dict[str, dict[str, str]]  # values of options that settings give each record, by its id
Amounts = dict[str, dict[str, Any]]  # that were changed by a share or an amount, by id and field
RequestOf = Callable[[dict[str, Any]], Request]  # makes a request of the values of its options


class StoredPlan(msgspec.Struct):
    """What a run has computed before it sent anything."""

    values: Planned = {}
    before: Amounts = {}  # of which the values were computed
    job: str = ""


def stored_plan(state_dir: Path, job: Job) -> StoredPlan:
    """Return what a run has computed."""
    return msgspec.json.decode("".join(read_planned(state_dir, job.job)) or "{}", type=StoredPlan)


def show_several(search: RecordSearch, *, envelope: bool) -> None:
    """Print records; raise an error where some of the ids are those of none."""
    records = search.find()
    ids = {str(record.get("id")) for record in records}
    missing = [id for id in dict.fromkeys(search.ids) if id not in ids]
    words = f"there is no {search.singular} {listed(missing)}"
    if missing and not records:
        raise NotFoundError(words)
    _show(search, records, envelope=envelope)
    if missing:
        raise IncompleteError(words, hint="the others are shown")


def _show(search: RecordSearch, records: Sequence[Any], *, envelope: bool) -> None:
    path = {name: search.values[name] for name in search.kind.endpoint.path_fields if name in search.values}
    request = search.kind(**path | {search.id_field: "-"})  # any one, by whose endpoint they are shown
    show(search.call, request, {"data": records} if envelope else records)


@dataclass
class RecordChanges:
    """Changes of the records that a search finds; many by one request where the service can."""

    search: RecordSearch
    settings: Sequence[Setting]
    resume: bool = False
    unchanged: str = ""  # said of records that have the values already; these are left out
    route: type[Request] | None = None  # of the service, which stands for an update with no other field
    given: Planned = field(default_factory=dict)  # the values of each record, where they were computed before
    expected: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # `changed_since`, by id
    shows_result: bool = True  # by itself; else whoever runs it does
    refused: dict[str, str] = field(default_factory=dict)  # why the service refused records, by id

    @cached_property
    def _before(self) -> dict[str, Record]:
        """The records before, where they are needed; raise NotFoundError where one is missing."""
        search = self.search
        if not (search.where or self.settings or self.unchanged):
            return {}
        records = {str(record["id"]): record for record in map(to_neutral, search.find())}
        search.call.stored.note(search.id_field, records)
        if missing := [id for id in search.ids if id not in records]:
            words = f"there is no {search.singular} {listed(missing)}"
            raise NotFoundError(words, hint="nothing was changed")
        return records

    def _requests(self, request_of: RequestOf, planned: Planned) -> list[Request]:
        """Make a request for each record that differs; raise UsageError that names all that cannot be set.

        What an earlier run has planned is not computed again: it may have changed some of the records.
        """
        search, before = self.search, {} if planned else self._before
        made, wrong = list[Request](), dict[tuple[str, str], list[str]]()
        for id in planned or (before if search.where else dict.fromkeys(search.ids)):
            try:
                if id not in planned:
                    planned[id] = {setting.name: setting.of(before[id]) for setting in self.settings}
                made.append(request_of({**search.values, search.id_field: id, **planned[id]}))
            except UsageError as error:
                if not self.settings:
                    raise
                wrong.setdefault((error.message, error.hint), []).append(id)
        if wrong:
            hints = dict.fromkeys(hint for _, hint in wrong if hint)
            lines = (f"{message} ({search.named(ids)})" for (message, _), ids in wrong.items())
            raise UsageError(Lines(lines), hint="; ".join(["nothing was changed", *hints]))
        if (search.where or self.unchanged) and before and self._action == "update":
            made = [request for request in made if differing_fields(request, before[search.id_of(request)])]
        return made

    @property
    def _adds_up(self) -> bool:
        """Whether another run of the same command is another change."""
        return any(setting.is_relative for setting in self.settings)

    @property
    def _action(self) -> str:
        return self.search.kind.endpoint.action

    def run(self, request_of: RequestOf, *, envelope: bool) -> None:
        """Ask once, and send a request for each record; raise IncompleteError where some are refused."""
        source = self._source()
        stored = self._unfinished(source)
        is_resumed = bool(stored.values)
        stored.values = stored.values or dict(self.given)
        requests = self._requests(request_of, stored.values)
        if not is_resumed:
            self._describe(requests)
        if not requests:
            self._show_unchanged(envelope=envelope)
            return
        plan = self._plan(source, requests)
        if is_resumed:
            self._require_unchanged(plan, stored)
        else:
            self._require_settled(plan)
            stored.values = {id: stored.values[id] for id in map(self.search.id_of, requests)}
        if self._approve(plan, requests):
            self._send(plan, stored, envelope=envelope)

    def _describe(self, requests: Sequence[Request]) -> None:
        """Draw what changes, and name the records that have the values already."""
        call = self.search.call
        if self._before and not (self.is_one or says_dry_run(call)):
            for line in self._drawn(requests):
                call.messages.say(line)
        if self.unchanged:
            self._say_unchanged(requests)

    def _plan(self, source: Source, requests: Sequence[Request]) -> BatchPlan:
        search, kind = self.search, self.route or self.search.kind
        place = {"account_id": search.values["account_id"]}
        if self.route:
            requests = [kind(**place, **{search.id_field: search.id_of(request)}) for request in requests]
        reader = RequestReader(kind, search.call.settings.names, place, requests)
        rows = RequestRows(source, len(requests))
        plan = record_plan(rows, reader, None, lambda request: request, is_only=self.is_one)
        if self.expected:
            plan.upload = replace(plan.upload, left_out=self._left_out)
        plan.file.validate()
        return plan

    def _left_out(self, requests: Sequence[Request]) -> dict[int, str]:
        """Say which records are no longer what a plan was made of, right before their requests are sent."""
        search = self.search
        ids = [*map(search.id_of, requests)]
        records = {str(record["id"]): record for record in map(to_neutral, search.listed(ids))}
        search.call.stored.note(search.id_field, records)  # for the log of changes
        reasons = (changed_since(self.expected.get(id, {}), records.get(id)) for id in ids)
        return {number: why for number, why in enumerate(reasons) if why}

    def _approve(self, plan: BatchPlan, requests: Sequence[Request]) -> bool:
        """Let the guard judge the requests, and ask, or show them. Tell whether they are to be sent."""
        search, call = self.search, self.search.call
        call.writes.approve(plan.requests(call.client))  # as they are sent: each change is counted once
        if not call.dry_run or call.is_plan:
            confirm_requests(call, requests, self._named(requests), is_change=bool(search.where))
        if call.dry_run:
            show_requests(call, plan)
        return not call.dry_run

    def _send(self, plan: BatchPlan, stored: StoredPlan, *, envelope: bool) -> None:
        """Note what is planned, unless it is already; send it, and show the result."""
        options = SendOptions(concurrency=1, resume=self.resume)
        sending = Sending(self.search.call, plan, options, is_one_change=False)
        with sending.begun() as journal:
            if not stored.job:
                stored.before, stored.job = self._amounts([*stored.values]), journal.job.job
                journal.plan([msgspec.json.encode(stored).decode()])
                journal.flush()
            self._end(plan, journal, sending.send(journal), envelope=envelope)

    def _named(self, requests: Sequence[Request]) -> str:
        """Count the records, and name the first of them, for a question; "" for one alone."""
        search, call = self.search, self.search.call
        if self.is_one or call.flags.get("yes"):
            return ""
        ids = [*map(search.id_of, requests)]
        labels = call.records.labels(search.id_field, ids[:MOST_NAMED])
        more = f" and {len(ids) - MOST_NAMED:,} more" if len(ids) > MOST_NAMED else ""
        return f"{search.counted(len(ids))}: {', '.join(labels)}{more}"

    def _say_unchanged(self, requests: Sequence[Request]) -> None:
        """Name the records that have the values already."""
        search, changed = self.search, {*map(self.search.id_of, requests)}
        same = [id for id in self._before if id not in changed]
        if same and not search.where:
            labels = search.call.records.labels(search.id_field, same)
            search.call.messages.say(safe(f"{self.unchanged}: {listed(labels)}"))

    def _show_unchanged(self, *, envelope: bool) -> None:
        """Show the records that were named, none of which differs; or say that none was found."""
        search = self.search
        if search.ids:
            records = search.find()
            _show(search, records[0] if self.is_one else records, envelope=envelope)
            return
        differ = ", or none of them differs" if self._before and self._action == "update" else ""
        search.call.messages.say(f"no {search.noun} match{differ}")
        _show(search, [], envelope=envelope)

    @property
    def is_one(self) -> bool:
        """Whether the command names one record alone."""
        return not self.search.where and len({*self.search.ids}) == 1

    def _source(self) -> Source:
        """Return what the command line says, by which an unfinished run of it is known."""
        search = self.search
        texts = [f"{setting.name}={setting.value}" for setting in self.settings]
        values = {name: value for name, value in search.values.items() if value is not None}
        words = [search.kind.endpoint.command, search.ids, search.where, texts, values]
        words += [self.given] if self.given else []
        content = msgspec.json.encode(words, enc_hook=str, order="sorted")
        label = f"{search.noun} {listed([*search.ids], MOST_NAMED) or ' '.join(search.where)}"
        source = Source(InMemory(content, label), FORMATS["json"])
        source.raw().read()  # now it has a digest
        return source

    def _amounts(self, ids: Sequence[str], records: Mapping[str, Record] | None = None) -> Amounts:
        """Return the amounts of records to which settings add."""
        fields = [setting.field for setting in self.settings if setting.is_relative]
        records = self._before if fields and records is None else records or {}
        return {id: {field: records[id].get(field) for field in fields} for id in ids if id in records}

    def _require_unchanged(self, plan: BatchPlan, stored: StoredPlan) -> None:
        """Raise StateError where something else has changed an amount that is not acknowledged."""
        search = self.search
        acknowledged = read_sends(search.call.settings.state_dir, stored.job).acknowledged
        batches = (batch for batch in plan.batches() if batch.number not in acknowledged)
        pending = {search.id_of(item): item for batch in batches for item in batch.items.records}
        ids = [id for id in pending if stored.before.get(id)]
        records = {str(record["id"]): record for record in map(to_neutral, search.listed(ids) if ids else ())}
        changed = [
            id
            for id, amounts in self._amounts(ids, records).items()
            if amounts != stored.before[id] and differing_fields(pending[id], records[id])
        ]
        if changed:
            hint = f"nothing was sent; adsctl jobs show {stored.job} says what was done before"
            raise StateError(
                f"{search.named(changed)} changed since the new amounts were computed",
                hint=f"{hint}; adsctl jobs discard {stored.job} gives the rest up",
            )

    def _require_settled(self, plan: BatchPlan) -> None:
        """Raise StateError where a run in other words has not ended that adds to one of these amounts."""
        search, state_dir = self.search, self.search.call.settings.state_dir
        ids = {*map(search.id_of, plan.file.items)} if self._adds_up else set[str]()
        kinds = f"{search.kind.endpoint.noun} of %"
        values = search.call.service, search.values["account_id"], kinds, self._action
        condition = "service = ? AND target = ? AND kind LIKE ? AND upload = ? AND ended IS NULL"
        for job in list_jobs(state_dir, condition, values) if ids else ():
            before, counts = stored_plan(state_dir, job).before, count_sends(state_dir, job.job)
            is_answered = counts.get(job.job, Counts()).sent == job.rows  # though it has not shown that
            if not is_answered and any(before.get(id) for id in ids):
                raise unfinished(job, "changed", f"resume it with: {job.resume}")

    def _unfinished(self, source: Source) -> StoredPlan:
        """Return what the run to be resumed has planned; nothing where none is resumed.

        Raise StateError where a run of a change that would add up has not ended, and is not resumed.
        """
        search, state_dir = self.search, self.search.call.settings.state_dir
        noun = search.kind.endpoint.noun
        target = place_of_records(search.call.service, noun, source, search.values["account_id"])
        jobs = unfinished_jobs(state_dir, target)
        job = jobs[-1] if jobs else None
        if job and self.resume and job.state == UNFINISHED:
            return stored_plan(state_dir, job)
        if job and self._adds_up:
            how = COPIED if self.resume else f"resume it with: {job.resume}"
            raise unfinished(job, "changed", how)
        if self.resume and self._adds_up:
            raise StateError("there is no unfinished run of this command to resume", hint=NO_JOB_HINT)
        return StoredPlan()

    def _drawn(self, requests: Sequence[Request]) -> Iterator[str]:
        """Draw a plan: a line for each record, and one for each field that changes."""
        search = self.search
        for request in requests:
            record = self._before[search.id_of(request)]
            title = label(search.id_field, str(record["id"]), record)
            yield safe(f"{SIGNS[self._action]} {search.singular} {title}")
            for changed in differing_fields(request, record) if self._action == "update" else ():
                after = {**record, changed: getattr(request, changed)}
                currency = str(record.get("currency") or "") if changed.endswith(MONEY) else ""
                change = value_change(_shown(changed, record), _shown(changed, after), currency)
                line = safe(f"    {amount_names(changed)[0]}: {change}")
                yield local_times(line, lambda: zone_for(search.call))

    def _end(self, plan: BatchPlan, journal: Journal, result: PushResult, *, envelope: bool) -> None:
        """Print what the service answered; raise the error of what it refused, or of what has stopped it."""
        search, stopped, requests = self.search, result.error, plan.file.items
        acks = [*journal.acknowledgements()]
        records, failed = answers(acks), [refusal for ack in acks for refusal in ack.failed]
        if self.is_one and self.shows_result:
            show_only(search.call, plan, journal, envelope=envelope)
        elif self.shows_result and (records or not stopped):
            _show(search, records, envelope=envelope)
        words = f"{len(records):,} of {search.counted(len(requests))} {DONE[self._action]}"
        self.refused = {search.id_of(requests[number - 1]): reason for number, reason in failed}
        reasons = [f"{id}: {reason}" for id, reason in self.refused.items()]
        if stopped:
            self._raise_stopped(journal, stopped, "" if self.is_one else words, reasons)
        journal.finish()
        if reasons:
            raise IncompleteError(Lines([f"{words}; refused by the service:", *reasons]))
        if not self.is_one:
            search.call.messages.say(words)

    def _raise_stopped(
        self, journal: Journal, stopped: AdsctlError | Interrupted, words: str, reasons: Sequence[str]
    ) -> NoReturn:
        if words:
            stopped.message = Lines([f"{words}: {stopped.message}", *reasons])
        if journal.has_sent:
            stopped.hint = how_to_resume(stopped, self.search.call.command_line)
            stopped.retryable = stopped.retryable and not self._adds_up
        else:
            journal.remove()
            stopped.hint = "; ".join(filter(None, (stopped.hint, "nothing was changed")))
        raise stopped


def changed_since(expected: Mapping[str, Any], record: Record | None) -> str:
    """Say what of a record is no longer what a plan was made of; "" where all of it is."""
    if record is None:
        return f"{CHANGED_SINCE}: it is gone"
    changed = [name for name, value in expected.items() if record.get(name) != value]
    if not changed:
        return ""
    changes = (
        f"{amount_names(name)[0]} {_shown(name, {**record, name: expected[name]})} → {_shown(name, record)}"
        for name in changed
    )
    return f"{CHANGED_SINCE}: {', '.join(changes)}"


def _shown(name: str, record: Record) -> str:
    value = record.get(name)
    if name.endswith(MONEY):
        with suppress(TypeError, ValueError):
            value = (
                as_amount(int(value), str(record.get("currency") or "")) if value not in (None, "") else None
            )
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return cell(None if value in (None, "") else value if isinstance(value, bool) else str(value))
