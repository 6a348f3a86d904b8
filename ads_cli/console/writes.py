"""What every write of an invocation passes: the guard."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..client.guard import WriteGuard
from ..client.writes import Dialect
from ..config.file_locks import locked
from ..config.guard import read_guard
from ..errors import AdsctlError

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..uploads.plan import Plan
    from .invocation import Invocation

BASES = ("ads", "platform", "sandbox")


class Writes:
    """The writes of one invocation."""

    def __init__(self, call: "Invocation") -> None:
        self._call = call

    @cached_property
    def guard(self) -> WriteGuard:
        """The guard of the profile and of the files for all profiles."""
        return WriteGuard(
            lambda: read_guard(self._call.settings), self._dialect, self._call.stored_of, self._lock_account
        )

    @contextmanager
    def passing(self, prepared: "PreparedRequest") -> Iterator[Callable[["Response"], None]]:
        """Let a write pass, or raise the error of what refuses it."""
        self.guard.require(prepared)
        yield lambda response: None

    def approve(self, requests: "Iterable[PreparedRequest]") -> None:
        """Judge a run before its first request; a dry run is judged by `guard check` alone."""
        if self._is_judged:
            self.guard.approve(requests)

    def approve_push(self, plan: "Plan") -> None:
        """Judge a push before its first request, as far as it is known."""
        if not (self._is_judged and self.guard.guard):
            return
        requests = [*map(self._call.client.prepare, plan.write_requests())]
        self.guard.approve_rows(requests, None if plan.parts else plan.due)

    @property
    def _is_judged(self) -> bool:
        return not self._call.dry_run or self._call.is_guard_check

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
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = sha256(f"{self._call.service} {account}".encode()).hexdigest()[:16]
        self._call.hold(locked(folder / f"{name}.lock"))
