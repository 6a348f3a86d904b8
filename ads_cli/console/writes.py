"""What every write of an invocation passes: the guard, and the log of changes."""

import getpass
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import msgspec

from ..api.amounts import money_fields
from ..client.answers import is_compared, require_sent
from ..client.guard import FLEET_COUNT, FleetCount, WriteGuard
from ..client.prepared_request import PreparedRequest
from ..client.spending import SOURCES, Record, StoredRecords
from ..client.writes import Dialect, Operation, Write
from ..config.file_locks import locked, state_lock
from ..config.guard import Guard, read_guard
from ..config.settings import Settings
from ..errors import AdsctlError, GuardError
from ..masking import MASK, is_private_name, mask_address, mask_undeclared
from ..output.text import shell_command
from ..own_ids import new_change_id
from ..people_masking import LISTS, WHERE, mask_people
from ..store.changes import UNKNOWN, ChangeBegun, ChangeEnded, ChangeLog
from ..stored_times import utc_text

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.response import Response
    from ..output.messages import Messages
    from ..uploads.plan import Plan
    from .options import CommandLine
    from .planned import PlannedWrites

# Besides what `is_private_name` tells: names whose values the log has of no person, ids of users among them.
OF_USERS = re.compile(r"user|owner|city|tax_id|device|click_id|screen", re.IGNORECASE)
FIELD_NAME = re.compile(r"[\w-]+")
MAX_BYTES = 20_000  # of the fields of a change


class Caller(Protocol):
    """What is needed of the invocation that sends a request; importing that would be a cycle."""

    flags: dict[str, Any]
    settings: Settings
    parsed: "CommandLine"

    @property
    def client(self) -> "Client":
        """The client."""

    @property
    def messages(self) -> "Messages":
        """Messages on stderr."""

    @property
    def service(self) -> str:
        """The identity of the service."""

    @property
    def dry_run(self) -> bool:
        """Whether nothing is sent that changes anything."""

    def stored_of(self, account: str) -> StoredRecords:
        """Return the records of an account."""


def begun(call: Caller, write: Write, prepared: PreparedRequest) -> ChangeBegun:
    """Return a change that is about to be sent, as the log has it."""
    ids, fields, before = _changed(call, write)
    path, words = urlsplit(prepared.url).path, call.parsed.words
    id_field = write.endpoint.id_field if write.endpoint else ""
    if id_field and _is_personal(id_field):
        words = tuple(_without_id(word, ids) for word in words)
        ids, path = [MASK], f"{path.rpartition('/')[0]}/{MASK}"
    return ChangeBegun(
        id=new_change_id(datetime.now(UTC)),
        time=utc_text(),
        profile=call.settings.profile,
        account=write.account or call.settings.get("account"),
        user=_user(),
        command=call.parsed.mask(shell_command(["adsctl", *_shown(words)])),
        method=prepared.method,
        path=call.parsed.mask(path),
        ids=ids,
        fields=fields,
        before=before,
        job=call.parsed.job,
        by=call.parsed.by or ("fleet" if call.settings.environ.get(FLEET_COUNT) else None),
    )


def recent_changes(settings: Settings, account: str) -> dict[str, dict[str, Record]]:
    """Return what this machine has set lately of the records of an account, by the field of their ids.

    Lists may not show it yet. Of a record that is new, its id is among what was set.
    """
    from ..batches.upload import LISTED_AFTER_SECONDS

    changes: dict[str, dict[str, Record]] = {}
    for change in ChangeLog(settings.state_dir).since(utc_text(LISTED_AFTER_SECONDS)):
        path, ids, values = change["path"], change["ids"], change["fields"]
        groups = path.split("/")
        field = next((source for source in SOURCES if SOURCES[source].replace("-", "_") in groups), "")
        own = changes.setdefault(field, {})
        several = values if isinstance(values, list) else [values or {}] * len(ids)
        is_new = change["method"] == "POST" and path.rpartition("/")[2] not in ids
        for identifier, fields in zip(ids, several, strict=False) if change["account"] == account else ():
            if not fields:
                own.pop(identifier, None)  # it was deleted
            else:
                new = {"id": identifier} if is_new and "name" in fields else {}
                own[identifier] = {**own.get(identifier, {}), **new, **fields}
    return changes


def created_ids(write: Write, response: "Response") -> list[str]:
    """Return the ids of the records in an answer."""
    field = write.endpoint.record_id if write.endpoint else "id"
    data = response.data if write.operations else None
    records = data if isinstance(data, list) else [data]
    ids = [record.get(field) for record in records if isinstance(record, dict)]
    return [str(id) for id in ids if isinstance(id, str | int) and not _is_personal(field)]


def _changed(call: Caller, write: Write) -> tuple[list[str], Any, Any]:
    """Return the ids, the fields that are set and what they were, by record where there are several."""
    if not write.operations:  # rows of a file, or a request that is not understood
        return [], None, None
    ids = [operation.id for operation in write.operations if operation.id]
    fields = [_fields(call, operation, is_raw=write.is_raw) for operation in write.operations]
    before = [
        _before(call, write, operation, set_)
        for operation, set_ in zip(write.operations, fields, strict=True)
    ]
    if len(msgspec.json.encode(fields)) > MAX_BYTES:
        return ids, dict.fromkeys(chain.from_iterable(fields), "..."), None
    if len(fields) == 1:
        return ids, fields[0] or None, before[0]
    return ids, fields, before if any(before) else None


def _fields(call: Caller, operation: Operation, *, is_raw: bool) -> dict[str, Any]:
    """Return what an operation sets, by neutral names; of what is not declared, only the names."""
    kind = operation.kind
    if operation.action == "delete" or (kind and kind.endpoint.sensitive):
        return {}
    own = {"account_id", *(kind.endpoint.path_fields if kind else ()), kind and kind.endpoint.id_field}
    money = money_fields(kind) if kind else []
    declared = kind.__struct_fields__ if kind else ()
    fields = {}
    for name, value in operation.values.items():
        if name in own:
            continue
        is_unknown = name not in declared or (is_raw and _is_nested(value))
        is_count = name in money and re.fullmatch("[0-9]{1,18}", str(value))
        fields[name] = MASK if is_unknown else _masked(call, name, int(value) if is_count else value)
    return fields


def _is_nested(value: Any) -> bool:
    """Tell whether a value has fields, which a raw request may name at will."""
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_is_nested, value)))


def _is_personal(name: str) -> bool:
    """Tell whether the value of a field or an option is a person's, or secret."""
    return is_private_name(name) or bool(OF_USERS.search(name))


def _masked(call: Caller, name: str, value: Any) -> Any:
    if _is_personal(name):
        return MASK
    if isinstance(value, dict):
        return {key: _masked(call, str(key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(call, name, item) for item in value]
    return call.parsed.mask(mask_people(mask_address(value))) if isinstance(value, str) else value


def _before(
    call: Caller, write: Write, operation: Operation, fields: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the fields of a record were, if it was read. --verbose reads it."""
    field = operation.kind.endpoint.id_field if operation.kind else None
    if field not in SOURCES or not operation.id or operation.action == "create":
        return None
    stored = call.stored_of(write.account)
    record = stored.cached(field, operation.id)
    if record is None and call.flags.get("verbose"):
        try:
            record = stored.read(field, [operation.id])[operation.id]
        except AdsctlError:
            return None
    if record is None:
        return None
    shown = {name: _masked(call, name, record[name]) for name in fields if name in record}
    return {name: MASK if fields[name] == MASK else value for name, value in shown.items()} or None


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without such a user
        return ""


def _without_id(word: str, ids: list[str]) -> str:
    """Return a word without the id that it is, or that the path in it ends with."""
    folder, slash, last = word.rpartition("/")
    return f"{folder}{slash}{MASK}" if last in ids else word


def _shown(words: tuple[str, ...]) -> list[str]:
    """Return the words of a command line without what is personal or secret."""
    shown, is_hidden = [], False
    hidden = {WHERE} if LISTS in words else ()
    for word in mask_undeclared(words):
        name, equals, _ = word.partition("=")
        is_name = bool(equals or word.startswith("--")) and bool(FIELD_NAME.fullmatch(name))
        is_personal = is_name and (name in hidden or _is_personal(name.replace("-", "_")))
        if is_hidden and not word.startswith("--"):
            shown.append(MASK)
        elif is_personal and equals:
            shown.append(f"{name}={MASK}")
        else:
            shown.append(mask_people(mask_address(word)))
        is_hidden = is_personal and not equals
    return shown


BASES = ("ads", "platform", "sandbox")
SEGMENT_PATH = "/append"  # of a part of a file: the log has the request that ends the upload


class Writes:
    """The writes of one invocation."""

    def __init__(self, call: Caller) -> None:
        self._call = call
        self._in_push = False
        self._warned: set[str] = set()  # texts about the guard that a dry run has shown

    @cached_property
    def guard(self) -> WriteGuard:
        """The guard of the profile and of the files for all profiles."""
        settings = self._call.settings
        counts = settings.environ.get(FLEET_COUNT)
        is_sent = not self._call.dry_run
        return WriteGuard(
            self._read_guard,
            self._dialect,
            self._call.stored_of,
            self._lock_account if is_sent else lambda account: None,
            msgspec.json.decode(counts, type=FleetCount) if counts and is_sent else None,
        )

    def _read_guard(self) -> Guard:
        """Read the guard; raise StateError where an assistant would have more than its server has checked."""
        guard, mandate = read_guard(self._call.settings), self._call.parsed.mandate
        if mandate:
            mandate.require_guard(guard)
        return guard

    @cached_property
    def _planned(self) -> "PlannedWrites | None":
        """What holds the changes of a command that an assistant runs; None of any other command."""
        if not self._call.parsed.mandate:
            return None
        from .planned import PlannedWrites

        call = self._call
        return PlannedWrites(call.client, call.parsed, call.messages, self.guard.write_of)

    @contextmanager
    def passing(self, prepared: PreparedRequest) -> Iterator[Callable[["Response"], None]]:
        """Let a write pass, with a line in the log before and after; raise the error of what refuses it."""
        write = self.guard.require(prepared)
        if self._in_push:  # which is one change
            yield lambda response: None
            return
        write = write or self.guard.write_of(prepared)
        if not _is_logged(write, prepared):
            yield lambda response: None
            return
        if self._planned:
            self._planned.require(prepared)
        with self._logged(begun(self._call, write, prepared)) as ended:

            def note(response: "Response") -> None:
                ended.ids = created_ids(write, response)
                data = response.neutral_data
                self.guard.note_created(write, data if isinstance(data, list) else [data])

            yield note

    def check_answer(self, prepared: PreparedRequest, response: "Response") -> None:
        """Raise UnavailableError where the answer to a declared write contradicts what was sent."""
        if prepared.declared and is_compared(prepared.declared.endpoint):
            require_sent(self.guard.write_of(prepared), response)

    @contextmanager
    def push(self, plan: "Plan", job: str) -> Iterator[ChangeEnded]:
        """Log a push as one change, whose counts are noted on what this yields."""
        requests = [self._call.client.prepare(request) for request in plan.write_requests()]
        write = self.guard.write_of(requests[0])
        entry = begun(self._call, write, requests[0])
        entry.job, entry.fields = job, {"rows": plan.due}
        entry.ids = [plan.target(self._call.service).id]
        self._in_push = True
        try:
            with self._logged(entry) as ended:
                yield ended
        finally:
            self._in_push = False

    @contextmanager
    def _logged(self, entry: ChangeBegun) -> Iterator[ChangeEnded]:
        """Log a change, and then what became of it."""
        log = ChangeLog(self._call.settings.state_dir, self._call.settings.changes_days)
        log.begin(entry)
        ended = ChangeEnded(id=entry.id, outcome="ok")
        try:
            yield ended
        except BaseException as error:
            may_be_applied = getattr(error, "may_be_applied", not isinstance(error, AdsctlError))
            ended.outcome = UNKNOWN if may_be_applied else getattr(error, "code", UNKNOWN)
            raise
        finally:
            if not log.end(ended):
                self._call.messages.warn(f"the log of changes does not say how {entry.id} ended")

    def approve(self, requests: Iterable[PreparedRequest]) -> None:
        """Judge a run before its first request. A dry run reports what the guard would refuse."""
        if self._planned:
            requests = [*requests]
            self._planned.look(requests)
        with self._judging():
            self.guard.approve(requests)

    def approve_plan(self, requests: Iterable[tuple[PreparedRequest, str]], seen: Iterable[Any] = ()) -> None:
        """Judge a plan before its first request: its changes, and what names each record that is new.

        `seen` is what it was made of, for an assistant whose plan must still be the same.
        """
        if self._planned:
            requests = [*requests]
            self._planned.look_at_rows((request for request, _ in requests), seen)
        with self._judging():
            self.guard.approve_plan(requests)

    def approve_push(self, plan: "Plan", seen: Iterable[Any] = ()) -> None:
        """Judge a push before its first request, as far as it is known. `seen` is that of `approve_plan`."""
        if self._planned:
            requests = [*map(self._call.client.prepare, plan.write_requests())]
            key = plan.key(self._call.service, skip_invalid=False)
            self._planned.look_at_rows(requests, chain([key, plan.due], seen))
        with self._judging():
            if self.guard.guard:
                requests = [*map(self._call.client.prepare, plan.write_requests())]
                self.guard.approve_rows(requests, plan.due)

    @contextmanager
    def _judging(self) -> Iterator[None]:
        """Let a dry run that only shows what it would send warn where the guard would refuse that."""
        if not self._call.dry_run or self._call.parsed.is_guard_check:
            yield
            return
        try:
            yield
        except AdsctlError as error:
            messages, is_refused = self._call.messages, isinstance(error, GuardError)
            text = f"{'without --dry-run, ' if is_refused else 'the guard cannot judge it: '}{error.message}"
            if text not in self._warned:
                self._warned.add(text)
                messages.warn(text) if is_refused else messages.note(text)

    def _dialect(self) -> Dialect:
        settings = self._call.settings
        prefixes = set()
        for base in BASES:
            try:
                prefixes.add(urlsplit(settings.address(base)).path.rstrip("/"))
            except AdsctlError:  # not set, and so no request goes there
                continue
        return Dialect(settings.names, settings.service, frozenset(prefixes))

    def _lock_account(self, account: str) -> None:
        """Hold the lock of an account until the command ends: another one would not see this one's sum."""
        path = state_lock(self._call.settings.state_dir, "guard", self._call.service, account)
        self._call.parsed.locks.enter_context(locked(path))


def _is_logged(write: Write, prepared: PreparedRequest) -> bool:
    """Whether a request is a change of its own."""
    if prepared.url.endswith(SEGMENT_PATH):
        return False
    return write.endpoint is None or write.endpoint.changes


def ask_guard(tree: Any, line: "CommandLine") -> None:
    """Raise GuardError where the guard would refuse a command line, which is a dry run."""
    line.is_guard_check = True
    with (
        line.locks,
        redirect_stdout(io.StringIO()),
        tree.make_context(tree.name, [*line.words], obj=line) as inner,
    ):
        tree.invoke(inner)
    line.resources.close()
