"""Which worker of a cluster may run a task, and what share of each limit it has."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..client.allowance import Share, account_scope
from .allowance import Division
from .outcome import severity
from .tasks import Task

PARTS = 16  # of a limit, at least: a worker that joins later gets one of another worker's
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
    is_present: bool = True
    busy: int = 0

    def problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error that keeps it from running a task; one without an account signs nothing."""
        return self.unfit or (self.problems.get(task.profile) if task.account else None)


class Members:
    """The workers that a fleet has seen, and the limits divided among their homes."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)
        self._members: dict[str, Member] = {}  # by address
        self._divisions: dict[str, Division] = {}  # by scope
        self._joined_at = 0.0
        self._absent: dict[str, float] = {}  # homes without a worker, since when

    @property
    def present(self) -> Sequence[Member]:
        """The workers that are connected."""
        return [member for member in self._members.values() if member.is_present]

    @property
    def homes(self) -> set[str]:
        """The homes of all workers that were seen."""
        return {member.home for member in self._members.values()}

    def join(self, member: Member, now: float) -> None:
        """Add a worker."""
        self._members[member.address] = member
        self._joined_at = now
        self._absent.pop(member.home, None)

    def keep(self, addresses: Iterable[str], now: float) -> None:
        """Note which workers are connected."""
        connected = set(addresses)
        for member in self._members.values():
            member.is_present = member.address in connected
        here = {member.home for member in self.present}
        self._absent = {home: self._absent.get(home, now) for home in self.homes - here}
        for home in [home for home, since in self._absent.items() if now - since > RETURN_SECONDS]:
            self._forget(home, self._absent.pop(home))
        for division in self._divisions.values():
            division.spread(now)

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

    def _forget(self, home: str, seen_at: float) -> None:
        """Give back the shares of a home that does not return; what it sent counts for another window."""
        self._members = {address: each for address, each in self._members.items() if each.home != home}
        for division in self._divisions.values():
            division.leave(home, seen_at)

    def choose(self, task: Task, now: float) -> Member | None:
        """Choose the worker with the most free threads that may run a task; None where none may yet."""
        free = [each for each in self._able(task) if each.is_present and each.busy < each.threads]
        for member in sorted(free, key=lambda each: each.busy - each.threads):
            if self._has_share(member, task, now):
                return member
        return None

    def release(self, address: str) -> None:
        """Note that a task on a worker has ended."""
        if member := self._members.get(address):
            member.busy -= 1

    def move(self, old: str, new: str) -> None:
        """Note that a task runs on another worker than it was sent to."""
        if member := self._members.get(new):
            member.busy += 1
            self.release(old)

    def refuse(self, address: str, profile: str, error: dict[str, Any]) -> None:
        """Note that a worker cannot use a profile."""
        if member := self._members.get(address):
            member.problems[profile] = error

    def find_problem(self, task: Task, now: float) -> dict[str, Any] | None:
        """Return the error of a task that no worker can run, once no further one joins."""
        if not self._members or self._able(task) or now - self._joined_at < SETTLE_SECONDS:
            return None
        found = {member.name: member.problem(task) for member in self._members.values()}
        errors = {name: error for name, error in sorted(found.items()) if error}
        nearest = min(errors.values(), key=lambda error: severity(error["exit_code"]))
        reasons = "; ".join(f"{name}: {error['message']}" for name, error in errors.items())
        return nearest | {"message": f"no worker can run it: {reasons}"}

    def shares(self, home: str, now: float) -> dict[str, Share]:
        """Return the share that a home has of each limit."""
        shares = {scope: each.shares(now).get(home) for scope, each in self._divisions.items()}
        return {scope: share for scope, share in shares.items() if share}

    def _able(self, task: Task) -> list[Member]:
        return [each for each in self._members.values() if not each.problem(task)]

    def _has_share(self, member: Member, task: Task, now: float) -> bool:
        """Whether the home of a worker has a share of each limit that a task uses; give it one if it may."""
        return all(
            self._join_division(scope, number, member, task, now)
            for scope, number in self._scopes(member, task).items()
        )

    def _scopes(self, member: Member, task: Task) -> dict[str, int]:
        """Return the limits that a task uses, and how many tasks may use each at the same time.

        One job at a time has the account's limit for itself: the service states what remains of it.
        """
        if not task.account:
            return {}
        scope = member.scopes[task.profile]
        same_token = sum(member.scopes.get(each.profile) == scope for each in self._tasks)
        scopes = {scope: same_token}
        if task.is_part:
            account = account_scope(task.account.rpartition(" ")[2])
            scopes[account] = sum(each.account == task.account for each in self._tasks)
        return scopes

    def _join_division(self, scope: str, tasks: int, member: Member, task: Task, now: float) -> bool:
        division = self._divisions.get(scope)
        if division is None:
            division = self._divisions[scope] = self._divide(tasks, member, task, now)
        elif len({part.holder for part in division.parts if part.holder}) < tasks:
            division.join(member.home, now)
        return member.home in division.shares(now)

    def _divide(self, tasks: int, first: Member, task: Task, now: float) -> Division:
        """Divide a limit among as many homes as can use it at once, beginning with that of a worker."""
        busy: Counter[str] = Counter()
        for member in self._able(task):
            if member.is_present and member.home != first.home:
                busy[member.home] += member.busy
        others = sorted(busy, key=lambda home: busy[home])[: max(0, tasks - 1)]
        division = Division.among(max(PARTS, 1 + len(others)))
        for home in (first.home, *others):
            division.join(home, now)
        division.spread(now)
        return division
