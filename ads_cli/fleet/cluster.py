"""Run the tasks of a fleet on the workers of a Dask cluster.

The fleet decides which task may start, and where, and where again if that worker is lost. Leases keep two
workers from running jobs of one account, or of one token: a worker that hears nothing of the fleet ends its
task before its leases can pass to another one. The scheduler keeps the result of a task until the fleet has
ended, so that a task that has ended is not run again when its worker dies.

A task is in one of three places: the queue, `_ready` (taken from the queue, not on a worker), `_running`.
Each call of the link may raise LostError; what was not yet moved between the three then stays where it is.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from signal import SIGTERM
from types import FrameType
from typing import Any
from uuid import uuid4

import msgspec
from distributed import Future

from .. import __version__
from ..config.atomic_files import atomic
from ..errors import Interrupted, UnavailableError, UsageError
from ..masking import mask_address, secret_words
from ..signals import handled_by
from .cluster_link import Event, LostError, RemoteError, SchedulerConnector, SchedulerLink
from .cluster_members import Members
from .cluster_worker import WAITING, Board, LostContactError, Order, Refusal, TaskOutcome, carry_out
from .engine import Ended, OnEvent, Started, TaskResult
from .records import Records, RunId
from .tasks import RunLimits, Task, TaskQueue

BEAT_SECONDS = 0.5
STOP_SECONDS = 30.0  # for tasks to end after a signal
STORED = "stored"  # in place of an outcome that the fleet has


class ReadyTask(msgspec.Struct):
    """A task that waits for a worker."""

    task: Task
    not_before: float = 0.0  # monotonic seconds
    was_started: bool = False  # it may have ended
    home: str = ""  # of the worker that was lost with it: its record and its journal are there
    home_until: float = 0.0  # when it is waited for no longer


class RunningTask(msgspec.Struct):
    """A task on a worker."""

    ready: ReadyTask  # as it was placed, and is placed again where the worker does not end it
    address: str
    future: Future[bytes]


class ClusterEngine:
    """Runs tasks on a Dask cluster; an engine runs once."""

    def __init__(
        self, scheduler: str, run: RunId, state_dir: Path, limits: RunLimits, max_wait: float
    ) -> None:
        self._scheduler, self._run, self._limits = scheduler, run, limits
        self._max_wait = max_wait  # seconds without a scheduler or a worker
        self._records = Records(state_dir, run)
        self._board = f"adsctl-{uuid4().hex}"  # the variable that all workers look at
        self._beat = 0
        self._announced: set[str] = set()  # the variables for outcomes
        self._connection = SchedulerConnector(scheduler, self._board, max_wait)
        self._signals: list[int] = []
        self._stopped_at = float("inf")
        self._ready: list[ReadyTask] = []
        self._running: dict[str, RunningTask] = {}  # by the key of the future

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks; after a signal, stop them, and raise Interrupted once they have ended.

        Raises UnavailableError where no scheduler or no worker is found, StateError where one has other
        versions, UsageError for a task that has a secret, or must not be run again.
        """
        _require_repeatable(tasks)
        _require_nothing_secret(tasks)
        self._begin(tasks, on_event)
        with handled_by(self._on_signal):
            self._connection.open()
            try:
                while not self._is_done:
                    self._step()
            finally:
                if link := self._connection.current:
                    self._leave(link)
        if self._signals:
            raise Interrupted(self._signals[0])

    def _begin(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        self._queue, self._on_event = TaskQueue(tasks, self._limits), on_event
        self._members = Members(self._run, tasks)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._signals.append(signum)
        if len(self._signals) > 1:
            raise Interrupted(signum)

    def _leave(self, link: SchedulerLink) -> None:
        """Forget what was announced, and let what still runs end."""
        with suppress(LostError):
            link.delete(*self._announced)
            if self._running:
                self._publish(link, SIGTERM)
            else:
                link.delete(self._board)
        link.close()

    @property
    def _is_done(self) -> bool:
        return self._queue.is_done or time.monotonic() - self._stopped_at > STOP_SECONDS

    def _step(self) -> None:
        """Place tasks on workers, and wait a moment for what happens."""
        try:
            link = self._connection.current or self._reconnect()
            if link is None:
                return
            self._members.refresh(link)
            self._replace(link)
            self._give_up()
            self._publish(link, self._signals[0] if self._signals else 0)
            self._place(link)
            event = link.next_event(BEAT_SECONDS)
            while event is not None:
                self._handle(link, event)
                event = link.next_event(0)
            self._connection.accept(link)
        except LostError as error:
            self._lose(error)
        self._members.require(self._scheduler, self._max_wait)

    def _give_up(self) -> None:
        """Let nothing further start after a signal, or too many failures."""
        if self._signals and self._stopped_at == float("inf"):
            self._stopped_at = time.monotonic()
            self._queue.stop()
        for ready in [*self._ready] if self._queue.is_stopped else ():
            if self._signals or not ready.was_started:
                self._ready.remove(ready)
                self._queue.end(ready.task, failed=False)

    def _publish(self, link: SchedulerLink, stop: int) -> None:
        """Tell the workers that the fleet runs, or how it stops."""
        self._beat += 1
        link.put(self._board, msgspec.json.encode(Board(self._beat, stop)).decode())

    def _place(self, link: SchedulerLink) -> None:
        """Start what may start on workers that have a free thread."""
        self._load()
        now = time.monotonic()
        for ready in [*self._ready]:
            if ready.not_before <= now and self._start_or_end(link, ready, now):
                self._ready.remove(ready)
        while task := self._queue.take(self._may_start):
            self._ready.append(ReadyTask(task))
            if self._start_or_end(link, self._ready[-1], now):
                self._ready.pop()

    def _load(self) -> None:
        self._members.load((running.ready.task, running.address) for running in self._running.values())

    def _may_start(self, task: Task) -> bool:
        return bool(self._members.choose(task) or self._members.find_problem(task))

    def _start_or_end(self, link: SchedulerLink, ready: ReadyTask, now: float) -> bool:
        """End a task that has an outcome or cannot run, else start it; return False where it must wait."""
        task = ready.task
        outcome = self._outcome(link, task) if ready.was_started else None
        if not outcome and now < ready.home_until and not self._members.has_home(ready.home):
            return False
        if not outcome and (result := self._members.result(link, task, ask=ready.was_started)):
            outcome = TaskOutcome(result, "")
        if not outcome and (error := self._members.find_problem(task)):
            outcome = _failed(task, error)
        if outcome:
            self._end(link, task, outcome)
            return True
        member = self._members.choose(task, ready.home)
        if member:
            self._submit(link, ready, member.address)
        return member is not None

    def _submit(self, link: SchedulerLink, ready: ReadyTask, address: str) -> None:
        self._announce(link, ready.task)
        key = f"{self._outcome_name(ready.task)}-{uuid4().hex}"
        future = link.submit(carry_out, msgspec.json.encode(self._order(ready.task)), key, address)
        self._running[key] = RunningTask(ready, address, future)
        self._load()

    def _order(self, task: Task) -> Order:
        """Return what a worker receives of a task: it holds the lease of its account, which parts share."""
        lease = self._outcome_name(task)
        if task.lane and not task.is_part:
            lease = f"adsctl-{sha256(task.lane.encode()).hexdigest()[:16]}"
        return Order(task, self._run, __version__, f"{lease}-lease", self._outcome_name(task), self._board)

    def _outcome_name(self, task: Task) -> str:
        """Name the variable for the outcome of a task."""
        return f"{self._board}-{task.digest}"

    def _announce(self, link: SchedulerLink, task: Task) -> None:
        """Set the variable for an outcome, once: reading one that is not set is an error at the scheduler."""
        name = self._outcome_name(task)
        if name not in self._announced:
            link.put(name, WAITING)
            self._announced.add(name)

    def _outcome(self, link: SchedulerLink, task: Task) -> TaskOutcome | None:
        """Return what a worker has reported of a task; None where there is nothing, or the fleet has it."""
        text = link.get(self._outcome_name(task))
        return msgspec.json.decode(text, type=TaskOutcome) if text not in ("", WAITING, STORED) else None

    def _handle(self, link: SchedulerLink, event: Event) -> None:
        """Handle the message of a worker that has begun, or the future of a task."""
        if isinstance(event, dict):
            for task in [running.ready.task for running in self._running.values()]:
                if task.name == event["task"]:
                    self._on_event(Started(task, event["worker"]))
        elif running := self._running.get(str(event.key)):
            # The scheduler has the outcome; the future's result may be on a worker that has died since.
            task = running.ready.task
            outcome = self._outcome(link, task) or self._refused(link, running)
            del self._running[str(event.key)]
            if outcome:
                self._end(link, task, outcome)
            else:
                self._place_again(running, not_before=time.monotonic() + BEAT_SECONDS)

    def _refused(self, link: SchedulerLink, running: RunningTask) -> TaskOutcome | None:
        """Note why a worker has not run a task; return the outcome of one that cannot be run.

        None where the task is to be placed again: the contact to the fleet was lost, or its worker cannot use
        the profile, which is noted so that another worker is chosen.
        """
        try:
            answer = link.result(running.future)
        except LostContactError:
            return None
        except RemoteError as error:
            problem = UnavailableError(f"no worker could run it: {error}")
            return _failed(running.ready.task, problem.as_dict())
        if answer:
            refusal = msgspec.json.decode(answer, type=Refusal)
            self._members.refuse(refusal.worker, running.ready.task.profile, refusal.error)
        return None

    def _end(self, link: SchedulerLink, task: Task, outcome: TaskOutcome) -> None:
        """Store the result of a task, and only then delete it at the scheduler."""
        result = outcome.result
        if self._records.find(task) != result:  # the state folder may be that of the worker
            if outcome.log:
                with atomic(self._records.log(task)) as log:
                    log.write(outcome.log)
            self._records.store(task, result)
        self._queue.end(task, failed=result.status == "failed")
        self._on_event(Ended(task, result))
        if self._outcome_name(task) in self._announced:
            with suppress(LostError):  # Dask may yet run the task again, which must find an outcome
                link.put(self._outcome_name(task), STORED)

    def _lose(self, error: LostError) -> None:
        """Take back every task; each ends where it runs, as its worker hears nothing of the scheduler."""
        for key in [*self._running]:
            self._take_back(key)
        self._connection.lose(error)

    def _replace(self, link: SchedulerLink) -> None:
        """Take back the tasks of workers that have left: Dask would wait for a worker of the same address."""
        for key, running in [*self._running.items()]:
            if not self._members.is_present(running.address):
                link.cancel(running.future)
                self._take_back(key)

    def _take_back(self, key: str) -> None:
        """Place a task again: nobody else gets its leases yet, so its home may return with its record."""
        running = self._running.pop(key)
        self._place_again(
            running,
            not_before=0.0,
            home=self._members.home_of(running.address),
            home_until=time.monotonic() + self._members.lease_seconds,
        )

    def _place_again(self, running: RunningTask, **changes: Any) -> None:
        self._ready.append(msgspec.structs.replace(running.ready, was_started=True, **changes))

    def _reconnect(self) -> SchedulerLink | None:
        """Connect again; one that was started again knows nothing, and what it had leased is waited for."""
        link, is_other = self._connection.reopen()
        if link and is_other:
            self._announced.clear()
            self._members.renew()
            for ready in self._ready:
                ready.not_before = self._connection.lost_at + self._members.lease_seconds
                self._announce(link, ready.task)
        return link


def _failed(task: Task, error: dict[str, Any]) -> TaskOutcome:
    """Return the outcome of a task that no worker can run."""
    return TaskOutcome(TaskResult.ended(task, error["exit_code"], error=error), "")


def _require_repeatable(tasks: Iterable[Task]) -> None:
    """Raise UsageError for a task that must not begin again on a worker that has not its journal."""
    if task := next((task for task in tasks if task.is_once), None):
        raise UsageError(
            f"task {task.name!r}: what a lost worker had sent would be sent, and counted, again",
            hint="run it in a fleet of one machine, without --engine",
        )


def _require_nothing_secret(tasks: Collection[Task]) -> None:
    """Raise UsageError for a command line that must not pass through a scheduler."""
    for task in tasks:
        for word in (task.name, *task.words):
            if (shown := mask_address(word)) != word:
                raise UsageError(
                    f"task {task.name!r}: {shown} may hold a secret, which would pass through the scheduler",
                    hint="put the address into a variable of the workers, and write @NAME; "
                    "where none is read, into a script that the workers have",
                )
        if secret := next(secret_words(task.words), None):
            raise UsageError(
                f"task {task.name!r}: {secret} may hold a secret, which would pass through the scheduler",
                hint="put the command into a script that the workers have",
            )
