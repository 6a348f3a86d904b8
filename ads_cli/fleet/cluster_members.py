"""The workers of a cluster: who may run a task, and what has ended on them.

A worker is an address for as long as it is connected. Its home is the state folder that it uses, which
outlives it and may have several workers: records, journals and windows of requests are there.
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from ..errors import StateError, UnavailableError
from .cluster_link import SchedulerLink
from .cluster_worker import Inquiry, Survey, survey
from .engine import TaskResult, severity
from .records import RunId
from .run_task import SIGNAL_BASE
from .tasks import Task

REFRESH_SECONDS = 1.0  # between two looks at who is connected
FIRST_WORKER_SECONDS = 60.0
SETTLE_SECONDS = 5.0  # in which the workers of a cluster join, one after another
RETURN_SECONDS = 60.0  # in which a worker that was lost returns


class Member(msgspec.Struct):
    """A worker: an address for as long as it is connected."""

    address: str
    name: str
    threads: int
    local_directory: str  # tells it from an earlier worker of its address: Dask makes one at each start
    survey: Survey
    unfit: dict[str, Any] | None = None  # why it cannot run anything
    left_at: float | None = None  # of one that is not connected, and may return

    def problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error that keeps it from running a task; one without an account signs nothing."""
        return self.unfit or (self.survey.problems.get(task.profile) if task.uses_account else None)

    def token(self, task: Task) -> str:
        """Return the token whose limits a task uses there."""
        return self.survey.tokens.get(task.profile, "") if task.uses_account else ""


class Members:
    """The workers that a fleet has seen, by what the scheduler and they themselves tell of them."""

    def __init__(self, run: RunId, tasks: Sequence[Task]) -> None:
        self._run, self._tasks = run, tuple(tasks)
        self._members: dict[str, Member] = {}  # by address
        self._homes: set[str] = set()  # of every fit worker that ever joined
        self._refreshed_at = float("-inf")
        self._fit_at = time.monotonic()  # when a fit worker was last connected
        self._joined_at = 0.0
        self._ended: dict[str, TaskResult] = {}  # by task: the records of workers
        self._failed_before: set[tuple[str, bytes]] = set()  # in an earlier run, by home
        self._busy: Counter[str] = Counter()  # tasks by address
        self._holders: dict[str, str] = {}  # the address that has tasks of a token
        self.lease_seconds = 0.0  # the longest of all workers

    def refresh(self, link: SchedulerLink) -> None:
        """Add the workers that have joined, and note those that have left.

        Raises StateError where the first workers are unfit; later ones are left out.
        """
        now = time.monotonic()
        if now - self._refreshed_at < REFRESH_SECONDS:
            return
        self._refreshed_at = now
        workers = link.workers()
        for member in [*self._members.values()]:
            worker = workers.get(member.address)
            if worker and worker["local_directory"] == member.local_directory:
                member.left_at = None
            elif member.left_at is None:
                member.left_at = now
            elif now - member.left_at > RETURN_SECONDS:
                del self._members[member.address]
        if new := {address: worker for address, worker in workers.items() if not self.is_present(address)}:
            self._add(link, new)
        if self._fit:
            self._fit_at = now

    def require(self, scheduler: str, max_wait: float) -> None:
        """Raise UnavailableError where there has been no fit worker for too long."""
        what, patience = f"the scheduler at {scheduler} has had no worker that can run tasks", max_wait
        if not self._homes:
            what = f"no worker has joined the scheduler at {scheduler}"
            patience = min(max_wait, FIRST_WORKER_SECONDS)
        if not self._fit and time.monotonic() - self._fit_at > patience:
            unfit = (member.unfit["message"] for member in self._present if member.unfit)
            raise UnavailableError(
                "; ".join([f"{what} for {patience:g} s", *unfit]),
                hint=f"start workers with: dask worker {scheduler}",
            )

    def renew(self) -> None:
        """Look at once who is connected: it is to another scheduler."""
        self._refreshed_at = float("-inf")

    def is_present(self, address: str) -> bool:
        """Whether a worker is connected."""
        member = self._members.get(address)
        return member is not None and member.left_at is None

    def has_home(self, home: str) -> bool:
        """Whether a worker of a home is connected."""
        return any(member.survey.home == home for member in self._present)

    def home_of(self, address: str) -> str:
        """Return the home of a worker."""
        member = self._members.get(address)
        return member.survey.home if member else ""

    def load(self, running: Iterable[tuple[Task, str]]) -> None:
        """Note what runs at which address."""
        self._busy, self._holders = Counter(), {}
        for task, address in running:
            self._busy[address] += 1
            if address in self._members and (token := self._members[address].token(task)):
                self._holders[token] = address

    def choose(self, task: Task, home: str = "") -> Member | None:
        """Choose a worker for a task: one of a home, then the most free threads; None where none may yet.

        Tasks of a token run on one worker at a time: more could send no more.
        """
        free = [
            member
            for member in self._able(task)
            if member.left_at is None
            and member.threads > self._busy[member.address]
            and self._holders.get(member.token(task), member.address) == member.address
        ]
        preference = {
            member.address: (member.survey.home == home, member.threads - self._busy[member.address])
            for member in free
        }
        return max(free, key=lambda member: preference[member.address], default=None)

    def refuse(self, address: str, profile: str, error: dict[str, Any]) -> None:
        """Note that a worker cannot use a profile."""
        if member := self._members.get(address):
            member.survey.problems[profile] = error

    def find_problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error of a task that no worker can run, once no further one joins.

        Unfit workers alone say nothing of a task: fit ones are waited for.
        """
        if not self._fit or self._able(task) or time.monotonic() - self._joined_at < SETTLE_SECONDS:
            return None
        members = sorted(self._members.values(), key=attrgetter("name"))
        errors = [(member.name, error) for member in members if (error := member.problem(task))]
        mildest = min((error for _, error in errors), key=lambda error: severity(error["exit_code"]))
        reasons = "; ".join(f"{name}: {error['message']}" for name, error in errors)
        return mildest | {"message": f"no worker can run it: {reasons}"}

    def result(self, link: SchedulerLink, task: Task, *, ask: bool) -> TaskResult | None:
        """Return the result of a task by the record of a worker; `ask` asks them all again."""
        if ask:
            addresses = [member.address for member in self._fit]
            for answer in self._survey(link, addresses, [task]).values():
                if isinstance(answer, Survey):
                    self._note(answer, is_new=False)
        return self._ended.pop(task.name, None)

    @property
    def _present(self) -> list[Member]:
        return [member for member in self._members.values() if member.left_at is None]

    @property
    def _fit(self) -> list[Member]:
        return [member for member in self._present if not member.unfit]

    def _able(self, task: Task) -> list[Member]:
        """The workers that can run a task: those that are connected, and those that may return."""
        return [member for member in self._members.values() if not member.problem(task)]

    def _add(self, link: SchedulerLink, new: Mapping[str, Mapping[str, Any]]) -> None:
        """Add workers as fit or unfit; one that cannot be reached is asked again with the next call."""
        is_first = not self._homes
        differences = link.check_versions()
        answers = self._survey(link, [address for address in new if address not in differences], self._tasks)
        for address, worker in new.items():
            answer, difference = answers.get(address), differences.get(address)
            if isinstance(answer, Survey):
                self._join(address, worker, answer)
                self._note(answer, is_new=answer.home not in self._homes)
                self._homes.add(answer.home)
            elif difference or answer is not None:
                error = StateError(
                    f"the worker {worker['name']} at {address} "
                    + (f"has {difference}" if difference else f"cannot run adsctl: {answer}"),
                    hint="install the same version of ads-cli[fleet] and of Python on every worker and here",
                )
                if is_first:
                    raise error
                self._join(address, worker, Survey(address, 0.0, {}, {}, {}), error.as_dict())

    def _join(
        self, address: str, worker: Mapping[str, Any], answer: Survey, unfit: dict[str, Any] | None = None
    ) -> None:
        """Add a worker, in place of those of its home that have left."""
        for member in [*self._members.values()]:
            if member.left_at is not None and member.survey.home == answer.home:
                del self._members[member.address]
        self._members[address] = Member(
            address, str(worker["name"]), int(worker["nthreads"]), worker["local_directory"], answer, unfit
        )
        self._joined_at = time.monotonic()

    def _survey(self, link: SchedulerLink, addresses: list[str], tasks: Sequence[Task]) -> dict[str, Any]:
        """Return the answer of each worker, or the error of it; one that cannot be reached has none."""
        if not addresses:
            return {}
        answers = link.ask(survey, msgspec.json.encode(Inquiry(self._run, tuple(tasks))), addresses)
        surveys: dict[str, Any] = {}
        for address, answer in answers.items():
            try:
                surveys[address] = (
                    msgspec.json.decode(answer, type=Survey) if isinstance(answer, bytes) else answer
                )
            except msgspec.DecodeError as error:
                surveys[address] = error
        return {address: answer for address, answer in surveys.items() if not isinstance(answer, OSError)}

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
