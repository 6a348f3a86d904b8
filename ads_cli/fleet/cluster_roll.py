"""Call the roll of a cluster: which workers there are, what each can use, and what has ended there."""

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from ..errors import StateError, UnavailableError
from .cluster_link import Link
from .cluster_members import Member, Members
from .cluster_messages import Inquiry, Survey
from .cluster_worker import survey
from .engine import TaskResult
from .records import Run
from .run_task import SIGNAL_BASE
from .tasks import Task

CALL_SECONDS = 1.0  # between two calls
FIRST_WORKER_SECONDS = 60.0


class Roll:
    """Keeps the members of a fleet true."""

    def __init__(self, members: Members, run: Run, tasks: Sequence[Task]) -> None:
        self._members, self._run, self._tasks = members, run, tuple(tasks)
        self._called_at = float("-inf")
        self._failed_before: set[tuple[str, bytes]] = set()  # in an earlier run, by home
        self._seen_at = time.monotonic()  # when there was a worker
        self.lease_seconds = 0.0  # the longest of all workers
        self.ended: dict[str, TaskResult] = {}  # by task: the records of workers

    def call(self, link: Link) -> None:
        """Add the workers that have joined, and note those that have left.

        Raises StateError where the first workers have other versions; later ones are left out.
        """
        now = time.monotonic()
        if now - self._called_at < CALL_SECONDS:
            return
        self._called_at = now
        workers = link.workers()
        self._members.keep(workers, now)
        known = {member.address for member in self._members.present}
        if new := {address: workers[address] for address in workers if address not in known}:
            self._add(link, new)
        if self._members.present:
            self._seen_at = now

    def require_workers(self, scheduler: str, max_wait: float) -> None:
        """Raise UnavailableError where there has been no worker for too long."""
        patience = max_wait if self._members.homes else min(max_wait, FIRST_WORKER_SECONDS)
        if not self._members.present and time.monotonic() - self._seen_at > patience:
            raise UnavailableError(
                f"no worker has joined the scheduler at {scheduler} for {patience:g} s",
                hint=f"start workers with: dask worker {scheduler}",
            )

    def ask(self, link: Link, tasks: Sequence[Task]) -> None:
        """Ask all workers again which of these tasks have ended there."""
        addresses = [member.address for member in self._members.present]
        for answer in self._survey(link, addresses, tasks).values():
            if isinstance(answer, Survey):
                self._note(answer, is_new=False)

    def _add(self, link: Link, new: dict[str, Any]) -> None:
        is_first, now = not self._members.homes, time.monotonic()
        differences = link.check_versions()
        answers = self._survey(link, [each for each in new if each not in differences], self._tasks)
        for address, worker in new.items():
            if address not in answers and address not in differences:
                continue  # it is asked again with the next call, if it is still there
            name, answer = str(worker["name"]), answers.get(address)
            if isinstance(answer, Survey):
                is_new = answer.home not in self._members.homes
                threads, scopes = int(worker["nthreads"]), answer.scopes
                member = Member(address, name, threads, answer.home, scopes, answer.problems)
                self._members.join(member, now)
                self._note(answer, is_new=is_new)
                continue
            what = f"has {differences[address]}" if address in differences else f"cannot run adsctl: {answer}"
            error = StateError(
                f"the worker {name} at {address} {what}",
                hint="install the same version of ads-cli[fleet] and of Python on every worker and here",
            )
            if is_first:
                raise error
            self._members.join(Member(address, name, 0, address, {}, {}, unfit=error.as_dict()), now)

    def _survey(self, link: Link, addresses: list[str], tasks: Sequence[Task]) -> dict[str, Any]:
        """Return the answer of each worker, or its exception; one that cannot be reached has none."""
        if not addresses:
            return {}
        message = msgspec.json.encode(Inquiry(self._run, tuple(tasks)))
        answers = link.ask(survey, message, addresses)
        return {
            address: msgspec.json.decode(answer, type=Survey) if isinstance(answer, bytes) else answer
            for address, answer in answers.items()
            if not isinstance(answer, OSError)
        }

    def _note(self, answer: Survey, *, is_new: bool) -> None:
        """Note what has ended, in this run or well in an earlier one; what was stopped has not ended."""
        self.lease_seconds = max(self.lease_seconds, answer.lease_seconds)
        for name, result in answer.ended.items():
            key = answer.home, msgspec.json.encode(result)
            if (result.exit_code or 0) >= SIGNAL_BASE:
                continue
            if is_new and result.status != "ok":
                self._failed_before.add(key)
            elif key not in self._failed_before:
                self.ended[name] = result
