"""Which worker of a cluster may run a task, and what share of each limit it has.

A worker is an address for as long as it is connected. Its home is the state folder that it uses, which
outlives it and may have several workers: records, journals and windows of requests are there. A scope is
what the service limits, a token or an account; a share is the part of that limit which a home may use.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from ..client.shared_window import LimitShare
from .engine import severity
from .quota_allocator import FleetLimits, scopes_of_task
from .tasks import Task

SETTLE_SECONDS = 5.0  # in which the workers of a cluster join, one after another
RETURN_SECONDS = 60.0  # in which a worker that was lost returns to its share


class Member(msgspec.Struct):
    """A worker: an address for as long as it is connected."""

    address: str
    name: str
    threads: int
    home: str
    scopes: Mapping[str, str]  # of the limits of each profile's token
    problems: dict[str, dict[str, Any]]  # why it cannot use a profile
    unfit: dict[str, Any] | None = None  # why it cannot run anything
    is_present: bool = True  # connected; of one that is not, tasks are taken back, and it is surveyed again
    local_directory: str = ""  # tells it from an earlier worker of its address: Dask makes one at each start

    def problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error that keeps it from running a task; one without an account signs nothing."""
        return self.unfit or (self.problems.get(task.profile) if task.uses_account else None)


class Members:
    """The workers that a fleet has seen, and the shares of limits that their homes need."""

    def __init__(self, tasks: Iterable[Task], limits: FleetLimits) -> None:
        self._tasks, self._limits = tuple(tasks), limits
        self._members: dict[str, Member] = {}  # by address
        self._running: Counter[str] = Counter()  # tasks by address, which may be that of no member yet
        self._joined_at = 0.0
        self._absent: dict[str, float] = {}  # homes without a worker, since when

    @property
    def present(self) -> Sequence[Member]:
        """The workers that are connected."""
        return [member for member in self._members.values() if member.is_present]

    @property
    def fit(self) -> Sequence[Member]:
        """The workers that are connected and can run adsctl."""
        return [member for member in self.present if not member.unfit]

    @property
    def homes(self) -> set[str]:
        """The homes that have a worker, or had one and are not yet forgotten."""
        return {member.home for member in self._members.values()} | self._absent.keys()

    def join(self, member: Member, now: float) -> None:
        """Add a worker, in place of an earlier one of its address, whose home may be another one."""
        if earlier := self._members.get(member.address):
            self._absent.setdefault(earlier.home, now)
        self._members[member.address] = member
        self._joined_at = now
        self._absent.pop(member.home, None)

    def refresh(self, local_directories: Mapping[str, str], now: float) -> None:
        """Note which workers are connected, by address, and give back what homes had that do not return.

        Tells the allocator, too, and raises LostError where that is not possible.
        """
        for member in self._members.values():
            member.is_present = local_directories.get(member.address) == member.local_directory
        here = {member.home for member in self.present}
        self._absent = {home: self._absent.get(home, now) for home in self.homes - here}
        for home in [home for home, since in self._absent.items() if now - since > RETURN_SECONDS]:
            self._forget(home, now)
        self._limits.refresh(now)

    def is_expected(self, home: str) -> bool:
        """Whether the workers of a home have left, and may return."""
        return home in self._absent

    def is_present(self, address: str) -> bool:
        """Whether a worker is connected."""
        member = self._members.get(address)
        return member is not None and member.is_present

    def home_of(self, address: str) -> str:
        """Return the home of a worker."""
        member = self._members.get(address)
        return member.home if member else ""

    def _forget(self, home: str, now: float) -> None:
        """Give back the shares of a home that does not return; what it sent counts for another window."""
        del self._absent[home]
        self._members = {address: each for address, each in self._members.items() if each.home != home}
        self._limits.give_back(home, now)

    def choose(self, task: Task, now: float, home: str = "") -> Member | None:
        """Choose a worker that may run a task; None where none may yet.

        The one that may begin the soonest is preferred, then one of a home, then the most free threads.
        Shares are claimed for each that is considered, and kept where none is chosen. Raise LostError.
        """
        free = [each for each in self._able(task) if each.is_present and self._free_threads(each) > 0]
        scopes = {each.address: self._scopes(each, task) for each in free}

        def preference(each: Member) -> tuple[float, bool, int]:
            delays = (self._limits.delay(scope, each.home, now) for scope in scopes[each.address])
            return max(delays, default=0.0), each.home != home, -self._free_threads(each)

        for member in sorted(free, key=preference):
            for scope, tasks in scopes[member.address].items():
                self._claim(scope, tasks, member, task, now)
            if scopes[member.address].keys() <= self.shares(member.home, now).keys():
                return member
        return None

    def start(self, address: str) -> None:
        """Note that a task is sent to a worker."""
        self._running[address] += 1

    def release(self, address: str) -> None:
        """Note that a task on a worker has ended."""
        self._running[address] -= 1

    def move(self, old: str, new: str) -> None:
        """Note that a task runs on another worker than it was sent to, which may not have joined yet."""
        self.release(old)
        self.start(new)

    def refuse(self, address: str, profile: str, error: dict[str, Any]) -> None:
        """Note that a worker cannot use a profile."""
        if member := self._members.get(address):
            member.problems[profile] = error

    def find_problem(self, task: Task, now: float) -> dict[str, Any] | None:
        """Return the error of a task that no worker can run, once no further one joins.

        Unfit workers alone say nothing of a task: fit ones are waited for.
        """
        is_runnable = any(each.is_present or self.is_expected(each.home) for each in self._able(task))
        if not self.fit or is_runnable or now - self._joined_at < SETTLE_SECONDS:
            return None
        members = sorted(self._members.values(), key=attrgetter("name"))
        errors = [(each.name, error) for each in members if (error := each.problem(task))]
        mildest = min((error for _, error in errors), key=lambda error: severity(error["exit_code"]))
        reasons = "; ".join(f"{name}: {error['message']}" for name, error in errors)
        return mildest | {"message": f"no worker can run it: {reasons}"}

    def shares(self, home: str, now: float) -> dict[str, LimitShare]:
        """Return the share that a home has of each limit."""
        return self._limits.shares(home, now)

    def _free_threads(self, member: Member) -> int:
        return member.threads - self._running[member.address]

    def _able(self, task: Task) -> list[Member]:
        return [each for each in self._members.values() if not each.problem(task)]

    def _scopes(self, member: Member, task: Task) -> dict[str, int]:
        """Return the limits that a task uses, and how many tasks may use each at the same time.

        One job at a time has the account's limit for itself: the service states what remains of it.
        """
        token = member.scopes.get(task.profile, "")
        same_token = sum(member.scopes.get(each.profile) == token for each in self._tasks)
        same_lane = sum(each.lane == task.lane for each in self._tasks)
        return dict(zip(scopes_of_task(task, token), (same_token, same_lane), strict=False))

    def _claim(self, scope: str, tasks: int, member: Member, task: Task, now: float) -> None:
        """Claim a share for the home of a worker, if no more homes can use one than tasks can."""
        claimed = self._limits.claimed(scope)
        if member.home in claimed:
            return
        useful = {each.home for each in self._able(task)} & set(claimed)
        if not self._limits.is_divided(scope):
            self._limits.claim(scope, self._homes_for(tasks, member, task), now)
        elif len(useful) < tasks or scope in self.shares(member.home, now):
            self._limits.claim(scope, [member.home], now)

    def _homes_for(self, tasks: int, first: Member, task: Task) -> list[str]:
        """Return as many homes as can use a limit at once, beginning with that of a worker."""
        busy: Counter[str] = Counter()
        for member in self._able(task):
            if member.is_present and member.home != first.home:
                busy[member.home] += self._running[member.address]
        return [first.home, *sorted(busy, key=lambda home: busy[home])[: max(0, tasks - 1)]]
