"""What every write of an invocation passes: the guard, and the log of changes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..client.guard import FLEET_COUNT, FleetCount, WriteGuard
from ..client.writes import Dialect, Write
from ..config.atomic_files import make_folder
from ..config.change_log import UNKNOWN, ChangeBegun, ChangeEnded, ChangeLog
from ..config.file_locks import locked
from ..config.guard import read_guard
from ..errors import AdsctlError, GuardError
from ..numbers import parse_count
from .change_records import begun, made_ids

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..uploads.plan import Plan
    from .change_records import Caller

BASES = ("ads", "platform", "sandbox")
PART = "/append"  # of a file, whose end is logged


class Writes:
    """The writes of one invocation."""

    def __init__(self, call: "Caller") -> None:
        self._call = call
        self._in_push = False
        self._told: set[str] = set()  # what a dry run was told of the guard

    @cached_property
    def guard(self) -> WriteGuard:
        """The guard of the profile and of the files for all profiles."""
        settings = self._call.settings
        counts = settings.environ.get(FLEET_COUNT)
        is_sent = not self._call.dry_run
        return WriteGuard(
            lambda: read_guard(settings),
            self._dialect,
            self._call.stored_of,
            self._lock_account if is_sent else lambda account: None,
            fleet=FleetCount(Path(counts)) if counts and is_sent else None,
        )

    @contextmanager
    def passing(self, prepared: "PreparedRequest") -> Iterator[Callable[["Response"], None]]:
        """Let a write pass, with a line in the log before and after; raise the error of what refuses it."""
        write = self.guard.require(prepared)
        if self._in_push:  # which is one change
            yield lambda response: None
            return
        write = write or self.guard.write_of(prepared)
        if not _is_logged(write, prepared):
            yield lambda response: None
            return
        made: list[str] = []
        with self._logged(begun(self._call, write, prepared)) as ended:
            yield lambda response: made.extend(made_ids(write, response))
            ended.ids = made

    @contextmanager
    def push(self, plan: "Plan", job: str) -> Iterator[ChangeEnded]:
        """Log a push as one change, whose counts are noted on what this yields."""
        requests = [self._call.client.prepare(request) for request in plan.write_requests()]
        write = self.guard.write_of(requests[0])
        entry = begun(self._call, write, requests[0])
        entry.job, entry.fields = job, {"rows": plan.due}
        entry.ids = [plan.place(self._call.service).id]
        self._in_push = True
        try:
            with self._logged(entry) as ended:
                yield ended
        finally:
            self._in_push = False

    @contextmanager
    def _logged(self, entry: ChangeBegun) -> Iterator[ChangeEnded]:
        """Log a change, and then what became of it."""
        days = parse_count(self._call.settings.get("changes_days") or "", "changes_days")
        log = ChangeLog(self._call.settings.state_dir, days)
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

    def approve(self, requests: "Iterable[PreparedRequest]") -> None:
        """Judge a run before its first request; a dry run is told what the guard would refuse."""
        with self._judging():
            self.guard.approve(requests)

    def approve_plan(self, requests: "Iterable[tuple[PreparedRequest, str]]") -> None:
        """Judge a plan before its first request: its changes, and what names each record that is new."""
        with self._judging():
            self.guard.approve_plan(requests)

    def approve_push(self, plan: "Plan") -> None:
        """Judge a push before its first request, as far as it is known."""
        with self._judging():
            if self.guard.guard:
                requests = [*map(self._call.client.prepare, plan.write_requests())]
                self.guard.approve_rows(requests, None if plan.parts else plan.due)

    @contextmanager
    def _judging(self) -> Iterator[None]:
        """Let a dry run that only shows what it would send warn where the guard would refuse that."""
        if not self._call.dry_run or self._call.is_guard_check:
            yield
            return
        try:
            yield
        except AdsctlError as error:
            messages, is_refused = self._call.messages, isinstance(error, GuardError)
            text = f"{'without --dry-run, ' if is_refused else 'the guard cannot judge it: '}{error.message}"
            if text not in self._told:
                self._told.add(text)
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
        folder = self._call.settings.state_dir / "guard"
        make_folder(folder)
        name = sha256(f"{self._call.service} {account}".encode()).hexdigest()[:16]
        self._call.hold(locked(folder / f"{name}.lock"))


def _is_logged(write: Write, prepared: "PreparedRequest") -> bool:
    """Whether a request is a change of its own."""
    if prepared.url.endswith(PART):
        return False
    return write.endpoint is None or write.endpoint.changes
