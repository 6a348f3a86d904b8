"""Run the tasks of a fleet on the workers of a Dask cluster.

The fleet decides which task may start, and where, and where again if that worker is lost. Leases keep two
workers from running jobs of one account, or of one token: a worker that hears nothing of the scheduler ends
its task before its leases can pass to another one. What a task comes to is the result of its future; its
worker keeps a record of it too, by which it is found where that result was lost.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

from ..config.atomic_files import atomic
from ..errors import Interrupted, StateError, UnavailableError, UsageError
from ..masking import mask_address, secret_words
from ..signals import handled_by
from .cluster_link import SAME_VERSIONS, LostError, SchedulerLink
from .cluster_worker import Member, carry_out
from .engine import Ended, OnEvent, Started, TaskResult, severity
from .records import Records, RunId
from .tasks import RunLimits, Task, TaskQueue

BEAT_SECONDS = 0.5
RECONNECT_SECONDS = 1.0  # between two tries
STOP_SECONDS = 30.0  # for tasks to end after a signal
FIRST_WORKER_SECONDS = 60.0
SETTLE_SECONDS = 5.0  # in which the workers of a cluster join, one after another
RETURN_SECONDS = 60.0  # in which a worker that was lost returns


class ClusterEngine:
    """Runs tasks on a Dask cluster; an engine runs once."""

    def __init__(
        self, scheduler: str, run: RunId, state_dir: Path, limits: RunLimits, max_wait: float
    ) -> None:
        self._scheduler, self._run, self._limits = scheduler, run, limits
        self._max_wait = max_wait  # seconds without a scheduler or a worker
        self._records = Records(state_dir, run)
        self._board = f"adsctl-{uuid4().hex}"  # the variable that all workers look at
        self._link: SchedulerLink | None = None
        self._heard_at: float | None = None  # when a connection last worked
        self._signal, self._stopped_at = 0, float("inf")
        self._running: dict[str, tuple[Task, Member]] = {}  # by the key of the future

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks; after a signal, stop them, and raise Interrupted once they have ended.

        Raises UnavailableError where no scheduler or no worker is found, StateError where one has other
        versions, UsageError for a task that has a secret, or must not be run again.
        """
        for task in tasks:
            _require_fit(task)
        self._begin(tasks, on_event)
        with handled_by(self._on_signal):
            try:
                while not self._is_done:
                    self._step()
            finally:
                self._leave()
        if self._signal:
            raise Interrupted(self._signal)

    def _begin(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        self._queue, self._on_event = TaskQueue(tasks, self._limits), on_event
        self._members = Members(self._run, tasks, self._running)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        if self._signal:
            raise Interrupted(signum)
        self._signal, self._stopped_at = signum, time.monotonic()
        self._queue.stop()

    @property
    def _is_done(self) -> bool:
        return self._queue.is_done or time.monotonic() - self._stopped_at > STOP_SECONDS

    def _step(self) -> None:
        """Place tasks on workers, and wait a moment for what happens."""
        try:
            link = self._link = self._link or SchedulerLink(self._scheduler)
            link.put(self._board, self._signal)
            self._members.refresh(link)
            self._handle_ended(link, 0.0)
            self._take_back_lost(link)
            while task := self._queue.take(self._can_start):
                self._start(link, task)
            self._handle_ended(link, BEAT_SECONDS)
            self._heard_at = time.monotonic()
            self._members.require(self._scheduler, self._max_wait)
        except LostError as error:
            self._lose(error)

    def _leave(self) -> None:
        if self._link:
            self._link.close(self._board)
        self._link = None

    def _lose(self, error: LostError) -> None:
        """Take back every task, which its worker ends; raise UnavailableError after too long."""
        self._leave()
        for key in [*self._running]:
            self._take_back(key)
        self._members.remove_all()
        if self._heard_at is None:
            hint = "start one there with: dask scheduler; or correct --scheduler, such as tls://10.0.0.5:8786"
            message = f"no Dask scheduler can be reached at {self._scheduler}: {error}"
            raise UnavailableError(message, hint=hint) from None
        if time.monotonic() - self._heard_at > self._max_wait:
            hint = "start it and its workers again, and then this command with --resume"
            message = f"the scheduler at {self._scheduler} was lost: {error}"
            raise UnavailableError(message, hint=hint) from None
        time.sleep(RECONNECT_SECONDS)

    def _take_back_lost(self, link: SchedulerLink) -> None:
        """Take back the tasks of workers that have left: Dask would wait for a worker of the same address."""
        for key, (_, member) in [*self._running.items()]:
            if member not in self._members:
                link.cancel(key)
                self._take_back(key)

    def _take_back(self, key: str) -> None:
        """Let a task start again. Nobody else gets its leases yet: its home may return with its record."""
        task, member = self._running.pop(key)
        self._members.wait_for_home(task, member)
        self._queue.put_back(task)

    def _can_start(self, task: Task) -> bool:
        members = self._members
        return bool(task.name in members.ended or members.choose(task) or members.find_problem(task))

    def _start(self, link: SchedulerLink, task: Task) -> None:
        """Give a task to a worker; end one that has ended before, or that no worker can run."""
        if result := self._members.ended.get(task.name):
            self._end(task, result)
        elif member := self._members.choose(task):
            key = f"adsctl-{task.digest}-{uuid4().hex}"
            self._running[key] = task, member  # a link that is lost now may have sent it
            link.submit(carry_out, *self._order(task, member), key=key, worker=member.address)
            self._on_event(Started(task, member.name))
        elif error := self._members.find_problem(task):
            self._fail(task, error)

    def _order(self, task: Task, member: Member) -> tuple[Any, ...]:
        """Return what a worker receives of a task; parts of one list share their account."""
        account = task.lane if task.lane and not task.is_part else f"{self._board} {task.digest}"
        account_lease = f"adsctl-{sha256(account.encode()).hexdigest()[:16]}"
        token = member.token(task)
        return task, self._run, self._board, account_lease, token and f"adsctl-{token}"

    def _handle_ended(self, link: SchedulerLink, wait: float) -> None:
        """Wait for a worker to answer, and handle all answers that are there."""
        while ended := link.next_ended(wait):
            wait = 0.0
            key, answer = ended
            if answer is None:  # it was told to stop
                self._take_back(key)
                continue
            task, _ = self._running.pop(key)
            if isinstance(answer, Exception):
                self._fail(task, UnavailableError(f"no worker could run it: {answer}").as_dict())
            else:
                self._end(task, *answer)

    def _fail(self, task: Task, error: dict[str, Any]) -> None:
        self._end(task, TaskResult.ended(task, error["exit_code"], error=error))

    def _end(self, task: Task, result: TaskResult, log: str = "") -> None:
        """Store the result of a task."""
        if self._records.find(task) != result:  # the state folder may be that of the worker
            if log:
                with atomic(self._records.log(task)) as stream:
                    stream.write(log)
            self._records.store(task, result)
        self._queue.end(task, failed=result.status == "failed")
        self._on_event(Ended(task, result))


class Members:
    """The workers of a cluster: who may run a task, and what has ended on them."""

    def __init__(self, run: RunId, tasks: Sequence[Task], running: Mapping[str, tuple[Task, Member]]) -> None:
        self._run, self._tasks, self._running = run, tasks, running
        self._members: dict[tuple[str, str], Member] = {}  # by address and local directory
        self._unfit: dict[tuple[str, str], str] = {}  # why others cannot run anything
        self._left: list[tuple[float, Member]] = []  # and when; it may return
        self._homes: dict[str, tuple[str, float]] = {}  # where alone a lost task may run, and until when
        self._has_started = False  # once a worker has joined
        self._joined_at = 0.0
        self._seen_at = time.monotonic()  # when a worker was last connected
        self.ended: dict[str, TaskResult] = {}  # by task: what has ended well by the records of workers

    def __contains__(self, member: Member) -> bool:
        return (member.address, member.local_directory) in self._members

    def refresh(self, link: SchedulerLink) -> None:
        """Add the workers that have joined, and remove those that have left.

        Raises StateError where the first workers are unfit; later ones are left out.
        """
        now, names = time.monotonic(), link.workers()
        self._remove(self._members.keys() - names.keys())
        self._left = [(left_at, member) for left_at, member in self._left if now - left_at < RETURN_SECONDS]
        self._unfit = {worker: problem for worker, problem in self._unfit.items() if worker in names}
        if new := {
            worker: name for worker, name in names.items() if worker not in self._members | self._unfit
        }:
            self._add(link, new)
        if self._members:
            self._seen_at = now

    def remove_all(self) -> None:
        """Ask all again, once the scheduler is back: what they run may end while nobody listens."""
        self._remove(set(self._members))
        self._seen_at = time.monotonic()

    def _remove(self, workers: set[tuple[str, str]]) -> None:
        self._left += [(time.monotonic(), self._members.pop(worker)) for worker in workers]

    def _add(self, link: SchedulerLink, new: dict[tuple[str, str], str]) -> None:
        """Add workers as fit or unfit; one that cannot be reached is asked again with the next call."""
        is_first = not self._has_started
        answers = link.survey(self._run, self._tasks, [address for address, _ in new])
        for (address, directory), name in new.items():
            answer = answers.get(address)
            if isinstance(answer, Member):
                self._members[address, directory] = answer
                self._has_started, self._joined_at = True, time.monotonic()
                self.ended |= answer.ended
            elif answer:
                problem = self._unfit[address, directory] = f"the worker {name} at {address} {answer}"
                if is_first:
                    raise StateError(problem, hint=SAME_VERSIONS)

    def require(self, scheduler: str, max_wait: float) -> None:
        """Raise UnavailableError where there has been no worker that can run tasks for too long."""
        what, patience = f"the scheduler at {scheduler} has had no worker that can run tasks", max_wait
        if not self._has_started:
            what = f"no worker has joined the scheduler at {scheduler}"
            patience = min(max_wait, FIRST_WORKER_SECONDS)
        if not self._members and time.monotonic() - self._seen_at > patience:
            message = "; ".join([f"{what} for {patience:g} s", *self._unfit.values()])
            raise UnavailableError(message, hint=f"start workers with: dask worker {scheduler}")

    def wait_for_home(self, task: Task, member: Member) -> None:
        """Let a task run only where its record and its journal are, until others can get its leases."""
        self._homes[task.name] = member.home, time.monotonic() + member.lease_seconds

    def choose(self, task: Task) -> Member | None:
        """Choose the worker with the most free threads; None where the task must wait.

        Tasks of a token run on one worker at a time: more could send no more.
        """
        home, until = self._homes.get(task.name, ("", 0.0))
        busy = Counter(member.address for _, member in self._running.values())
        holders = {member.token(other): member.address for other, member in self._running.values()}
        holders.pop("", None)  # has no limits
        able = [
            member
            for member in self._members.values()
            if member.threads > busy[member.address]
            and (time.monotonic() >= until or member.home == home)
            and not member.problem(task)
            and holders.get(member.token(task), member.address) == member.address
        ]
        return max(able, key=lambda member: member.threads - busy[member.address], default=None)

    def find_problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error of a task that no worker can run, once no further one joins or returns."""
        if not self._members or time.monotonic() - self._joined_at < SETTLE_SECONDS:
            return None
        members = [*self._members.values(), *(member for _, member in self._left)]
        errors = [(member.name, error) for member in members if (error := member.problem(task))]
        if len(errors) < len(members):
            return None
        mildest = min((error for _, error in errors), key=lambda error: severity(error["exit_code"]))
        reasons = "; ".join(dict.fromkeys(f"{name}: {error['message']}" for name, error in errors))
        return mildest | {"message": f"no worker can run it: {reasons}"}


def _require_fit(task: Task) -> None:
    """Raise UsageError for a task that must not begin again without its journal, or has a secret."""
    if task.is_once:
        raise UsageError(
            f"task {task.name!r}: what a lost worker had sent would be sent, and counted, again",
            hint="run it in a fleet of one machine, without --engine",
        )
    words = (task.name, *task.words)
    masked = [shown for word in words if (shown := mask_address(word)) != word]
    if secrets := [*masked, *secret_words(task.words)]:
        raise UsageError(
            f"task {task.name!r}: {secrets[0]} may hold a secret, which would pass through the scheduler",
            hint="put an address into a variable of the workers, and write @NAME; "
            "where none is read, put the command into a script that the workers have",
        )
