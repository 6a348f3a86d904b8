"""What a fleet keeps at the scheduler of a cluster for its workers to read, and what it knows of them."""

import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from signal import SIGTERM
from typing import Any
from uuid import uuid4

import msgspec

from .. import __version__
from ..errors import StateError, UnavailableError
from .cluster_link import LostError, SchedulerLink
from .cluster_members import Member, Members
from .cluster_worker import Board, Inquiry, Order, Survey, TaskOutcome, shares_of, survey
from .engine import TaskResult
from .records import RunId
from .run_task import SIGNAL_BASE
from .tasks import Task

STORED = "stored"


class SharedState:
    """The board that all workers look at, the shares of each home, and a variable for each outcome."""

    def __init__(self) -> None:
        self.board = f"adsctl-{uuid4().hex}"
        self._beat = 0
        self._share_changes = 0
        self._published: dict[str, str] = {}  # the shares of each home
        self._announced: set[str] = set()  # the variables for outcomes

    def outcome_name(self, task: Task) -> str:
        """Name the variable for the outcome of a task."""
        return f"{self.board}-{task.digest}"

    def order(self, task: Task, run: RunId) -> Order:
        """Return what a worker receives of a task: it holds the lease of its account, which parts share."""
        lease = self.outcome_name(task)
        if task.lane and not task.is_part:
            lease = f"adsctl-{sha256(task.lane.encode()).hexdigest()[:16]}"
        return Order(task, run, __version__, f"{lease}-lease", self.outcome_name(task), self.board)

    def announce(self, link: SchedulerLink, task: Task) -> None:
        """Set the variable for an outcome, once: reading one that is not set is an error at the scheduler."""
        name = self.outcome_name(task)
        if name not in self._announced:
            link.put(name, "")
            self._announced.add(name)

    def outcome(self, link: SchedulerLink, task: Task) -> TaskOutcome | None:
        """Return what a worker has reported of a task; None where there is nothing, or the fleet has it."""
        text = link.get(self.outcome_name(task))
        return msgspec.json.decode(text, type=TaskOutcome) if text not in ("", STORED) else None

    def mark_stored(self, link: SchedulerLink, task: Task) -> None:
        """Replace an outcome that the fleet has: Dask may yet run the task again, which must find one."""
        with suppress(LostError):
            link.put(self.outcome_name(task), STORED)

    def publish(self, link: SchedulerLink, members: Members, stop_signals: Sequence[int]) -> None:
        """Publish that the fleet runs, and what share of each limit the homes have."""
        now, changed = time.monotonic(), False
        for home in members.homes:
            text = msgspec.json.encode(members.shares(home, now)).decode()
            if self._published.get(home) != text:
                link.put(shares_of(self.board, home), text)
                self._published[home] = text
                changed = True
        self._share_changes += changed
        self._put(link, stop_signals[0] if stop_signals else 0)

    def renew(self) -> None:
        """Begin again, at a scheduler that knows nothing."""
        self._published.clear()
        self._announced.clear()

    def leave(self, link: SchedulerLink, members: Members, *, is_done: bool) -> None:
        """Forget what was announced; what still runs is to end."""
        link.delete(*self._announced, *(shares_of(self.board, home) for home in members.homes))
        if is_done:
            link.delete(self.board)
        else:
            self._put(link, SIGTERM)

    def _put(self, link: SchedulerLink, stop: int) -> None:
        self._beat += 1
        board = Board(self._beat, stop, self._share_changes)
        link.put(self.board, msgspec.json.encode(board).decode())


REFRESH_SECONDS = 1.0  # between two looks at who is connected
FIRST_WORKER_SECONDS = 60.0


class WorkerRegistry:
    """Keeps the members of a fleet as the scheduler has them, and what tasks have ended at their homes."""

    def __init__(self, members: Members, run: RunId, tasks: Sequence[Task]) -> None:
        self._members, self._run, self._tasks = members, run, tuple(tasks)
        self._refreshed_at = float("-inf")
        self._failed_before: set[tuple[str, bytes]] = set()  # in an earlier run, by home
        self._seen_at = time.monotonic()  # when there was a worker
        self.lease_seconds = 0.0  # the longest of all workers
        self._ended: dict[str, TaskResult] = {}  # by task: the records of workers

    def refresh(self, link: SchedulerLink) -> None:
        """Add the workers that have joined, and note those that have left.

        Raises StateError where the first workers have other versions; later ones are left out.
        """
        now = time.monotonic()
        if now - self._refreshed_at < REFRESH_SECONDS:
            return
        self._refreshed_at = now
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

    def outcome(self, link: SchedulerLink, task: Task, *, ask: bool) -> TaskOutcome | None:
        """Return the outcome of a task by the record of a worker; `ask` asks them all again."""
        if ask:
            addresses = [member.address for member in self._members.present]
            for answer in self._survey(link, addresses, [task]).values():
                if isinstance(answer, Survey):
                    self._note(answer, is_new=False)
        result = self._ended.pop(task.name, None)
        return TaskOutcome(result, "") if result else None

    def _add(self, link: SchedulerLink, new: dict[str, Any]) -> None:
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

    def _survey(self, link: SchedulerLink, addresses: list[str], tasks: Sequence[Task]) -> dict[str, Any]:
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
                self._ended[name] = result
