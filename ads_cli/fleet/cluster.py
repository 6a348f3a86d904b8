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
        self._heard_at = float("-inf")  # when a connection last worked
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
            link = self._link = self._link or SchedulerLink(self._scheduler, self._board)
            link.tell(self._signal)
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
            self._link.close()
        self._link = None

    def _lose(self, error: LostError) -> None:
        """Take back every task, which its worker ends; raise UnavailableError after too long."""
        self._leave()
        for key in [*self._running]:
            self._take_back(key)
        self._members.forget()
        if time.monotonic() - self._heard_at > self._max_wait:
            what = f"the scheduler at {self._scheduler} was lost"
            hint = "start it and its workers again, and then this command with --resume"
            if self._heard_at == float("-inf"):
                what = f"no Dask scheduler can be reached at {self._scheduler}"
                hint = "start one there with: dask scheduler; or correct --scheduler, such as tls://10.0.0.5:8786"
            raise UnavailableError(f"{what}: {error}", hint=hint) from None
        time.sleep(BEAT_SECONDS)

    def _take_back_lost(self, link: SchedulerLink) -> None:
        """Take back the tasks of workers that have left: Dask would wait for a worker of the same address."""
        for key, (_, member) in [*self._running.items()]:
            if member not in self._members.connected.values():
                link.cancel(key)
                self._take_back(key)

    def _take_back(self, key: str) -> None:
        """Let a task start again. Nobody else gets its leases yet: its home may return with its record."""
        task, member = self._running.pop(key)
        self._members.homes[task.name] = member.home, time.monotonic() + member.lease_seconds
        self._queue.put_back(task)

    def _can_start(self, task: Task) -> bool:
        members = self._members
        return bool(task.name in members.ended or members.choose(task) or members.find_problem(task))

    def _start(self, link: SchedulerLink, task: Task) -> None:
        """Give a task to a worker; end one that has ended before, or that no worker can run."""
        if result := self._members.ended.get(task.name):
            self._end(task, result)
        elif member := self._members.choose(task):
            account = task.lane if task.lane and not task.is_part else f"{self._board} {task.digest}"
            leases = f"adsctl-{sha256(account.encode()).hexdigest()[:16]}", member.token(task)
            key = f"adsctl-{task.digest}-{uuid4().hex}"
            self._running[key] = task, member  # a link that is lost now may have sent it
            order = task, self._run, self._board, *leases
            link.submit(carry_out, *order, key=key, worker=member.address)
            self._on_event(Started(task, member.name))
        elif error := self._members.find_problem(task):
            self._fail(task, error)

    def _handle_ended(self, link: SchedulerLink, wait: float) -> None:
        """Wait for a worker to answer, and handle all answers that are there."""
        while ended := link.next_ended(wait):
            (key, answer), wait = ended, 0.0
            if answer is None:  # it was told to stop
                self._take_back(key)
            elif isinstance(answer, Exception):
                problem = UnavailableError(f"no worker could run it: {answer}")
                self._fail(self._running.pop(key)[0], problem.as_dict())
            else:
                self._end(self._running.pop(key)[0], *answer)

    def _fail(self, task: Task, error: dict[str, Any]) -> None:
        self._end(task, TaskResult.ended(task, error["exit_code"], error=error))

    def _end(self, task: Task, result: TaskResult, log: str = "") -> None:
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
        self.connected: dict[tuple[str, str], Member] = {}  # by address and local directory
        self._unfit: dict[tuple[str, str], str] = {}  # why others cannot run anything
        self._left: list[tuple[float, Member]] = []  # and when; it may return
        self._joined_at = 0.0  # when a worker last joined, if one has
        self._seen_at = time.monotonic()  # when a worker was last connected
        self.homes: dict[str, tuple[str, float]] = {}  # where alone a lost task may run, and until when
        self.ended: dict[str, TaskResult] = {}  # by task: what has ended well by the records of workers

    def refresh(self, link: SchedulerLink) -> None:
        """Add the workers that have joined, and remove those that have left.

        One that cannot be reached is asked again with the next call. Raises StateError where the first
        workers are unfit; later ones are left out.
        """
        now, names, is_first = time.monotonic(), link.workers(), not self._joined_at
        self._left += [(now, self.connected.pop(worker)) for worker in self.connected.keys() - names.keys()]
        self._left = [(left_at, member) for left_at, member in self._left if now - left_at < RETURN_SECONDS]
        self._unfit = {worker: problem for worker, problem in self._unfit.items() if worker in names}
        new = sorted(names.keys() - self.connected.keys() - self._unfit.keys())
        answers = link.survey(self._run, self._tasks, [address for address, _ in new]) if new else {}
        for worker in new:
            answer = answers.get(worker[0])
            if isinstance(answer, Member):
                self.connected[worker] = answer
                self.ended |= answer.ended
                self._joined_at = now
            elif answer:
                self._unfit[worker] = f"the worker {names[worker]} at {worker[0]} {answer}"
                if is_first:
                    raise StateError(self._unfit[worker], hint=SAME_VERSIONS)
        if self.connected:
            self._seen_at = now

    def forget(self) -> None:
        """Ask all again, once the scheduler is back: what they run may end while nobody listens."""
        self._seen_at = time.monotonic()
        self._left += [(self._seen_at, member) for member in self.connected.values()]
        self.connected.clear()

    def require(self, scheduler: str, max_wait: float) -> None:
        """Raise UnavailableError where there has been no worker that can run tasks for too long."""
        what, patience = f"the scheduler at {scheduler} has had no worker that can run tasks", max_wait
        if not self._joined_at:
            what = f"no worker has joined the scheduler at {scheduler}"
            patience = min(max_wait, FIRST_WORKER_SECONDS)
        if not self.connected and time.monotonic() - self._seen_at > patience:
            message = "; ".join([f"{what} for {patience:g} s", *self._unfit.values()])
            raise UnavailableError(message, hint=f"start workers with: dask worker {scheduler}")

    def choose(self, task: Task) -> Member | None:
        """Choose the worker with the most free threads; None where the task must wait.

        Tasks of a token run on one worker at a time: more could send no more.
        """
        home, until = self.homes.get(task.name, ("", 0.0))
        busy = Counter(member.address for _, member in self._running.values())
        holders = {member.token(other): member.address for other, member in self._running.values()}
        holders.pop("", None)  # has no limits
        able = [
            member
            for member in self.connected.values()
            if member.threads > busy[member.address]
            and (time.monotonic() >= until or member.home == home)
            and not member.problem(task)
            and holders.get(member.token(task), member.address) == member.address
        ]
        return max(able, key=lambda member: member.threads - busy[member.address], default=None)

    def find_problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error of a task that no worker can run, once no further one joins or returns."""
        if not self.connected or time.monotonic() - self._joined_at < SETTLE_SECONDS:
            return None
        members = [*self.connected.values(), *(member for _, member in self._left)]
        errors = [(member.name, error) for member in members if (error := member.problem(task))]
        if len(errors) < len(members):
            return None
        mildest = min((error for _, error in errors), key=lambda error: severity(error["exit_code"]))
        reasons = "; ".join(dict.fromkeys(f"{name}: {error['message']}" for name, error in errors))
        return mildest | {"message": f"no worker can run it: {reasons}"}


def _require_fit(task: Task) -> None:
    """Raise UsageError for a task that must not begin again where its job is not known, or has a secret."""
    if task.is_once:
        raise UsageError(
            f"task {task.name!r}: what a lost worker had sent would be sent, and counted, again",
            hint="run it in a fleet of one machine, without --engine",
        )
    masked = [shown for word in (task.name, *task.words) if (shown := mask_address(word)) != word]
    if secrets := [*masked, *secret_words(task.words)]:
        raise UsageError(
            f"task {task.name!r}: {secrets[0]} may hold a secret, which would pass through the scheduler",
            hint="put an address into a variable of the workers, and write @NAME, or all into a script there",
        )
