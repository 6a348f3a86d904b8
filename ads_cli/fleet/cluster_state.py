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
        now = time.monotonic()
        for home in sorted(members.homes | self._published.keys()):  # one that is forgotten has no share
            text = msgspec.json.encode(members.shares(home, now)).decode()
            if self._published.get(home) != text:
                # Counted first: if a later share cannot be stored, workers are still told of this one.
                self._share_changes += 1
                link.put(shares_of(self.board, home), text)
                self._published[home] = text
        self._put(link, stop_signals[0] if stop_signals else 0)

    def renew(self) -> None:
        """Begin again, at a scheduler that knows nothing."""
        self._published.clear()
        self._announced.clear()

    def leave(self, link: SchedulerLink, *, is_done: bool) -> None:
        """Forget what was announced; what still runs is to end."""
        link.delete(*self._announced, *(shares_of(self.board, home) for home in self._published))
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
        self._homes: set[str] = set()  # of every fit worker that ever joined; members forget those that left
        self._failed_before: set[tuple[str, bytes]] = set()  # in an earlier run, by home
        self._fit_at = time.monotonic()  # when a fit worker was last connected
        self.lease_seconds = 0.0  # the longest of all workers
        self._ended: dict[str, TaskResult] = {}  # by task: the records of workers

    def refresh(self, link: SchedulerLink) -> None:
        """Add the workers that have joined, and note those that have left.

        Raises StateError where the first workers are unfit; later ones are left out.
        """
        now = time.monotonic()
        if now - self._refreshed_at < REFRESH_SECONDS:
            return
        self._refreshed_at = now
        workers = link.workers()
        self._members.refresh({address: each["local_directory"] for address, each in workers.items()}, now)
        known = {member.address for member in self._members.present}
        if new := {address: workers[address] for address in workers if address not in known}:
            self._add(link, new)
        if self._members.fit:
            self._fit_at = now

    def require_workers(self, scheduler: str, max_wait: float) -> None:
        """Raise UnavailableError where there has been no fit worker for too long."""
        what, patience = f"the scheduler at {scheduler} has had no worker that can run tasks", max_wait
        if not self._homes:
            what = f"no worker has joined the scheduler at {scheduler}"
            patience = min(max_wait, FIRST_WORKER_SECONDS)
        if not self._members.fit and time.monotonic() - self._fit_at > patience:
            unfit = (member.unfit["message"] for member in self._members.present if member.unfit)
            raise UnavailableError(
                "; ".join([f"{what} for {patience:g} s", *unfit]),
                hint=f"start workers with: dask worker {scheduler}",
            )

    def outcome(self, link: SchedulerLink, task: Task, *, ask: bool) -> TaskOutcome | None:
        """Return the outcome of a task by the record of a worker; `ask` asks them all again."""
        if ask:
            addresses = [member.address for member in self._members.fit]
            for answer in self._survey(link, addresses, [task]).values():
                if isinstance(answer, Survey):
                    self._note(answer, is_new=False)
        result = self._ended.pop(task.name, None)
        return TaskOutcome(result, "") if result else None

    def _add(self, link: SchedulerLink, new: dict[str, Any]) -> None:
        """Add workers as fit or unfit; one that cannot be reached is asked again with the next call."""
        is_first = not self._homes
        differences = link.check_versions()
        answers = self._survey(link, [each for each in new if each not in differences], self._tasks)
        for address, worker in new.items():
            answer = answers.get(address)
            if isinstance(answer, Survey):
                self._join(address, worker, answer)
            elif difference := differences.get(address):
                self._leave_out(address, worker, f"has {difference}", is_first=is_first)
            elif answer is not None:
                self._leave_out(address, worker, f"cannot run adsctl: {answer}", is_first=is_first)

    def _join(self, address: str, worker: dict[str, Any], answer: Survey) -> None:
        self._members.join(_member(address, worker, answer), time.monotonic())
        self._note(answer, is_new=answer.home not in self._homes)
        self._homes.add(answer.home)

    def _leave_out(self, address: str, worker: dict[str, Any], what: str, *, is_first: bool) -> None:
        """Note an unfit worker; raise StateError where no fit one ever joined."""
        error = StateError(
            f"the worker {worker['name']} at {address} {what}",
            hint="install the same version of ads-cli[fleet] and of Python on every worker and here",
        )
        if is_first:
            raise error
        nothing = Survey(address, 0.0, {}, {}, {})
        self._members.join(_member(address, worker, nothing, unfit=error.as_dict()), time.monotonic())

    def _survey(self, link: SchedulerLink, addresses: list[str], tasks: Sequence[Task]) -> dict[str, Any]:
        """Return the answer of each worker, or the error of it; one that cannot be reached has none."""
        if not addresses:
            return {}
        message = msgspec.json.encode(Inquiry(self._run, tuple(tasks)))
        answers = link.ask(survey, message, addresses)
        return {
            address: _read(answer) if isinstance(answer, bytes) else answer
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


def _member(
    address: str, worker: dict[str, Any], answer: Survey, unfit: dict[str, Any] | None = None
) -> Member:
    """Return a worker as the scheduler describes it, with what it answers."""
    return Member(
        address,
        str(worker["name"]),
        int(worker["nthreads"]),
        answer.home,
        answer.scopes,
        answer.problems,
        unfit,
        local_directory=worker["local_directory"],
    )


def _read(answer: bytes) -> Survey | msgspec.DecodeError:
    """Decode the answer of a worker; one that is not understood is an error of that worker."""
    try:
        return msgspec.json.decode(answer, type=Survey)
    except msgspec.DecodeError as error:
        return error
