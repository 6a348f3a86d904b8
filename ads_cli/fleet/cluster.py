"""Run the tasks of a fleet on the workers of a Dask cluster.

The fleet decides which task may start, and where, and where again if that worker is lost. A lease keeps two
workers from running jobs of one account: a worker that hears nothing of the fleet ends its task before the
lease can pass to another one. The scheduler keeps the result of a task until the fleet has ended, so that
a task that has ended is not run again when its worker dies.

A task is in one of three places: the queue, `_ready` (taken from the queue, not on a worker), `_running`.
Each call of the link may raise LostError; what was not yet moved between the three then stays where it is.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import msgspec
from distributed import Future

from ..config.atomic_files import atomic
from ..errors import Interrupted, UnavailableError, UsageError
from ..masking import mask_address, secret_words
from ..signals import handled_by
from .cluster_link import Event, LostError, RemoteError, SchedulerConnector, SchedulerLink
from .cluster_members import Member, Members
from .cluster_state import SharedState, WorkerRegistry
from .cluster_worker import LostContactError, Refusal, TaskOutcome, carry_out
from .engine import Ended, OnEvent, Started, TaskResult
from .quota_allocator import REFRESH_SECONDS, FleetLimits
from .records import Records, RunId
from .tasks import RunLimits, Task, TaskQueue

BEAT_SECONDS = 0.5
STOP_SECONDS = 30.0  # for tasks to end after a signal


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
        self._shared = SharedState()
        self._connection = SchedulerConnector(scheduler, self._shared.board, max_wait)
        # The allocator goes by the clock of the scheduler.
        self._shares = FleetLimits(self._shared.board, lambda claims, now: self._connection.claim(claims))
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
        self._members = Members(tasks, self._shares)
        self._registry = WorkerRegistry(self._members, self._run, tasks)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._signals.append(signum)
        if len(self._signals) > 1:
            raise Interrupted(signum)

    def _leave(self, link: SchedulerLink) -> None:
        """Give back what nothing uses, and let what still runs end."""
        with suppress(LostError):
            if not self._running:
                self._shares.leave(time.monotonic())
            self._shared.leave(link, is_done=not self._running)
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
            self._registry.refresh(link)
            self._shares.silence_seconds = self._registry.lease_seconds + REFRESH_SECONDS
            self._replace(link)
            self._give_up()
            self._place(link)
            self._shared.publish(link, self._members, self._signals)
            event = link.next_event(BEAT_SECONDS)
            while event is not None:
                self._handle(link, event)
                event = link.next_event(0)
            self._connection.accept(link)
        except LostError as error:
            self._lose(error)
        self._registry.require_workers(self._scheduler, self._max_wait)

    def _give_up(self) -> None:
        """Let nothing further start after a signal, or too many failures."""
        if self._signals and self._stopped_at == float("inf"):
            self._stopped_at = time.monotonic()
            self._queue.stop()
        for ready in [*self._ready] if self._queue.is_stopped else ():
            if self._signals or not ready.was_started:
                self._ready.remove(ready)
                self._queue.end(ready.task, failed=False)

    def _place(self, link: SchedulerLink) -> None:
        """Start what may start on workers that have a free thread."""
        free = sum(member.threads for member in self._members.fit) - len(self._running) - len(self._ready)
        while free > 0 and (task := self._queue.take()):
            self._ready.append(ReadyTask(task))
            free -= 1
        now = time.monotonic()
        for ready in [*self._ready]:
            if ready.not_before <= now and self._start_or_end(link, ready, now):
                self._ready.remove(ready)

    def _start_or_end(self, link: SchedulerLink, ready: ReadyTask, now: float) -> bool:
        """End a task that has an outcome or cannot run, else start it; return False where it must wait."""
        task = ready.task
        outcome = self._shared.outcome(link, task) if ready.was_started else None
        if not outcome and now < ready.home_until and self._members.is_expected(ready.home):
            return False
        outcome = outcome or self._registry.outcome(link, task, ask=ready.was_started)
        if not outcome and (error := self._members.find_problem(task, now)):
            outcome = _failed(task, error)
        if outcome:
            self._end(link, task, outcome)
            return True
        member = self._members.choose(task, now, ready.home)
        if member:
            self._submit(link, ready, member)
        return member is not None

    def _submit(self, link: SchedulerLink, ready: ReadyTask, member: Member) -> None:
        task = ready.task
        self._shared.publish(link, self._members, self._signals)  # its share, which it needs
        self._shared.announce(link, task)
        key = f"{self._shared.outcome_name(task)}-{uuid4().hex}"
        message = msgspec.json.encode(self._shared.order(task, self._run))
        future = link.submit(carry_out, message, key, member.address)
        self._running[key] = RunningTask(ready, member.address, future)
        self._members.start(member.address)

    def _handle(self, link: SchedulerLink, event: Event) -> None:
        """Handle the message of a worker that has begun, or the future of a task."""
        if isinstance(event, dict):
            for each in [each for each in self._running.values() if each.ready.task.name == event["task"]]:
                self._members.move(each.address, event["address"])
                each.address = event["address"]
                self._on_event(Started(each.ready.task, event["worker"]))
        elif running := self._running.get(str(event.key)):
            # The scheduler has the outcome; the future's result may be on a worker that has died since.
            task = running.ready.task
            outcome = self._shared.outcome(link, task) or self._refused(link, running)
            del self._running[str(event.key)]
            self._members.release(running.address)
            if outcome:
                self._end(link, task, outcome)
            else:
                self._place_again(running, not_before=time.monotonic() + BEAT_SECONDS)

    def _refused(self, link: SchedulerLink, running: RunningTask) -> TaskOutcome | None:
        """Note why a worker has not run a task; return the outcome of one that cannot be run.

        None where the task is to be placed again: the contact to the fleet was lost, its worker has no share
        of the limits yet, or cannot use the profile, which is noted so that another worker is chosen.
        """
        try:
            answer = link.result(running.future)
        except LostContactError:
            return None
        except RemoteError as error:
            problem = UnavailableError(f"no worker could run it: {error}")
            return _failed(running.ready.task, problem.as_dict())
        refusal = msgspec.json.decode(answer, type=Refusal) if answer else None
        if refusal and refusal.error:
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
        self._shared.mark_stored(link, task)

    def _lose(self, error: LostError) -> None:
        """Take back every task; each ends where it runs, as its worker hears nothing of the scheduler."""
        for key in [*self._running]:
            self._take_back(key, float("inf"))
        self._connection.lose(error)

    def _replace(self, link: SchedulerLink) -> None:
        """Take back the tasks of workers that have left: Dask would wait for a worker of the same address.

        No other worker gets their leases for a while: until then, their homes may return with what they know.
        """
        for key, each in [*self._running.items()]:
            if not self._members.is_present(each.address):
                link.cancel(each.future)
                self._take_back(key, time.monotonic() + self._registry.lease_seconds)

    def _take_back(self, key: str, home_until: float) -> None:
        running = self._running.pop(key)
        self._members.release(running.address)
        home = self._members.home_of(running.address)
        self._place_again(running, not_before=0.0, home=home, home_until=home_until)

    def _place_again(self, running: RunningTask, **changes: Any) -> None:
        self._ready.append(msgspec.structs.replace(running.ready, was_started=True, **changes))

    def _reconnect(self) -> SchedulerLink | None:
        """Connect again; one that was started again knows nothing, and what it had leased is waited for."""
        link, is_other = self._connection.reopen()
        if link and is_other:
            self._shares.restore(time.monotonic())  # before `keep`, which tells the allocator of claims alone
            self._shared.renew()
            self._members.refresh({}, time.monotonic())
            for ready in self._ready:
                ready.not_before = self._connection.lost_at + self._registry.lease_seconds
                self._shared.announce(link, ready.task)
        return link


def _failed(task: Task, error: dict[str, Any]) -> TaskOutcome:
    """Return the outcome of a task that no worker can run."""
    return TaskOutcome(TaskResult.ended(task, error["exit_code"], error=error), "")


def _require_repeatable(tasks: Iterable[Task]) -> None:
    """Raise UsageError for a task that must not begin again on a worker that has not its journal."""
    if task := next((each for each in tasks if each.is_once), None):
        raise UsageError(
            f"task {task.name!r}: what a lost worker had sent would be sent, and counted, again",
            hint="run it in a fleet of one machine, without --engine",
        )


def _require_nothing_secret(tasks: Collection[Task]) -> None:
    """Raise UsageError for a command line that must not pass through a scheduler."""
    for task, word in ((each, word) for each in tasks for word in (each.name, *each.words)):
        if (shown := mask_address(word)) != word:
            raise UsageError(
                f"task {task.name!r}: {shown} may hold a secret, which would pass through the scheduler",
                hint="put the address into a variable of the workers, and write @NAME; "
                "where none is read, into a script that the workers have",
            )
    for each in tasks:
        if secret := next(secret_words(each.words), None):
            raise UsageError(
                f"task {each.name!r}: {secret} may hold a secret, which would pass through the scheduler",
                hint="put the command into a script that the workers have",
            )
