"""What every write of an invocation passes: the guard, and the log of changes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from ..client.answers import is_compared, require_sent
from ..client.guard import FLEET_COUNT, FleetCount, WriteGuard
from ..client.prepared_request import PreparedRequest
from ..client.response import Response
from ..client.writes import Dialect, Write
from ..config.file_locks import locked, state_lock
from ..config.guard import Guard, read_guard
from ..errors import AdsctlError, GuardError
from ..store.changes import UNKNOWN, ChangeBegun, ChangeEnded, ChangeLog
from .caller import Caller
from .host import SilentHost
from .logged_changes import as_answered, begun, created_ids

if TYPE_CHECKING:
    from ..runs.plan import Plan
    from .options import CommandLine
    from .planned import PlannedWrites

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
            lambda: self.dialect,
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
    def passing(self, prepared: PreparedRequest) -> Iterator[Callable[[Response], None]]:
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
        entry = begun(self._call, write, prepared)
        with self._logged(entry) as ended:

            def note(response: Response) -> None:
                ended.ids = created_ids(write, response)
                data = response.neutral_data
                answers = data if isinstance(data, list) else [data]
                ended.records = as_answered(self._call, entry, write, answers)
                self.guard.note_created(write, answers)

            yield note

    def check_answer(self, prepared: PreparedRequest, response: Response) -> None:
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
        requests = [*map(self._call.client.prepare, plan.write_requests())]
        if self._planned:
            key = plan.key(self._call.service, skip_invalid=False)
            self._planned.look_at_rows(requests, chain([key, plan.due], seen))
        with self._judging():
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

    @property
    def dialect(self) -> Dialect:
        """How requests are written to the service."""
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
    rehearse(tree, line)


def rehearse(tree: Any, line: "CommandLine") -> None:
    """Run a command line, which is a dry run, without its result."""
    line.host = SilentHost(line.host)
    with line.locks, tree.make_context(tree.name, [*line.words], obj=line) as inner:
        tree.invoke(inner)
    line.resources.close()
