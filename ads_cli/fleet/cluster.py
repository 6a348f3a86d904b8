"""Run the tasks of a fleet on the workers of a Dask cluster.

The fleet decides which task may start, and where; Dask carries it there, and to another worker if that one is
lost. A lease at the scheduler keeps two workers from running jobs of one account: a worker that hears nothing
of the scheduler ends its task before the lease can pass to another one. What a task came to is kept at the
scheduler until the fleet has stored it, so that a task that has ended is not run again when its worker dies.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import FrameType
from uuid import uuid4

import msgspec
from distributed import Future

from .. import __version__
from ..config.atomic_files import atomic
from ..errors import Interrupted, UnavailableError
from ..signals import handled_by
from .cluster_bulletin import Bulletin
from .cluster_link import Event, Link, LostError, RemoteError, connect
from .cluster_members import Member, Members
from .cluster_messages import Order, Outcome, Refusal, failed, require_nothing_secret
from .cluster_roll import Roll
from .cluster_worker import carry_out
from .engine import Ended, OnEvent, Started
from .queue import Limits, TaskQueue
from .records import Records, Run
from .tasks import Task

BEAT_SECONDS = 0.5
STOP_SECONDS = 30.0  # for tasks to end after a signal
MAX_BACKOFF_SECONDS = 10.0


class Waiting(msgspec.Struct):
    """A task that waits for a worker."""

    task: Task
    not_before: float = 0.0  # monotonic seconds
    was_started: bool = False  # on a worker that was lost: it may have ended
    home: str = ""  # of that worker, which has its record


class Flight(msgspec.Struct):
    """A task on a worker."""

    task: Task
    address: str
    future: Future[bytes]


class ClusterEngine:
    """Runs tasks on a Dask cluster; an engine runs once."""

    def __init__(
        self, scheduler: str, run: Run, state_dir: Path, limits: Limits, max_wait: float = 900.0
    ) -> None:
        self._scheduler, self._run, self._limits = scheduler, run, limits
        self._max_wait = max_wait  # seconds without a scheduler or a worker
        self._records = Records(state_dir, run)
        self._bulletin = Bulletin()
        self._stop_signals: list[int] = []
        self._stopped_at = 0.0
        self._link: Link | None = None
        self._scheduler_id = ""
        self._lost_at = 0.0
        self._backoff = BEAT_SECONDS
        self._ready: list[Waiting] = []
        self._flights: dict[str, Flight] = {}  # by the key of the future

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks; after a signal, stop them, and raise Interrupted once they have ended.

        Raises UnavailableError where no scheduler or no worker is found, StateError where one has another
        version.
        """
        for task in tasks:
            require_nothing_secret(task)
        self._queue, self._on_event = TaskQueue(tasks, self._limits), on_event
        self._members = Members(tasks)
        self._roll = Roll(self._members, self._run, tasks)
        self._failures = 0
        with handled_by(self._on_signal):
            self._link = connect(self._scheduler, self._bulletin.board)
            self._scheduler_id = self._link.scheduler_id
            try:
                while not self._is_done:
                    self._step()
            finally:
                if self._link:
                    self._bulletin.leave(self._link, self._members, is_done=not self._flights)
                    self._link.close()
        if self._stop_signals:
            raise Interrupted(self._stop_signals[0])

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._stop_signals.append(signum)
        if len(self._stop_signals) > 1:
            raise Interrupted(signum)

    @property
    def _is_done(self) -> bool:
        if self._stopped_at and time.monotonic() - self._stopped_at > STOP_SECONDS:
            return True
        return self._queue.is_done

    def _step(self) -> None:
        """Place tasks on workers, and wait a moment for what happens."""
        try:
            link = self._link or self._reconnect()
            if link is None:
                return
            self._roll.call(link)
            if self._stop_signals:
                self._stop()
            self._place(link)
            self._bulletin.tell(link, self._members, self._stop_signals)
            event = link.next_event(BEAT_SECONDS)
            while event is not None:
                self._handle(link, event)
                event = link.next_event(0)
        except LostError:
            self._lose()
        if not self._members.present and time.monotonic() - self._roll.seen_at > self._max_wait:
            raise UnavailableError(f"no worker has joined the scheduler at {self._scheduler}")

    def _stop(self) -> None:
        """Let nothing further start; the board tells the workers."""
        if not self._stopped_at:
            self._stopped_at = time.monotonic()
            self._queue.stop()
        self._drop(self._ready)

    def _drop(self, waiting: Sequence[Waiting]) -> None:
        """Give up tasks that are not running."""
        for each in waiting:
            self._queue.end(each.task, failed=False)
        self._ready = [each for each in self._ready if each not in waiting]

    def _place(self, link: Link) -> None:
        """Start what may start on workers that have a free thread."""
        most = self._limits.max_failures
        if most is not None and self._failures >= most:
            self._drop([each for each in self._ready if not each.was_started])
        free = sum(member.threads for member in self._members.present) - len(self._flights) - len(self._ready)
        while free > 0 and (task := self._queue.take()):
            self._ready.append(Waiting(task))
            free -= 1
        now = time.monotonic()
        for waiting in [each for each in self._ready if each.not_before <= now]:
            if self._members.is_expected(waiting.home):
                continue
            if outcome := self._found(link, waiting):
                self._end(link, waiting.task, outcome)
            elif error := self._members.problem(waiting.task):
                self._end(link, waiting.task, failed(waiting.task, error))
            elif member := self._members.choose(waiting.task, now):
                self._bulletin.tell(link, self._members, self._stop_signals)  # of its share
                self._submit(link, waiting.task, member)
            else:
                continue
            self._ready.remove(waiting)

    def _found(self, link: Link, waiting: Waiting) -> Outcome | None:
        """Return what a task has come to without the fleet's hearing of it."""
        if waiting.was_started:
            if text := link.get(self._bulletin.ended(waiting.task)):
                return msgspec.json.decode(text, type=Outcome)
            self._roll.ask(link, [waiting.task])
        result = self._roll.ended.pop(waiting.task.name, None)
        return Outcome(result, "") if result else None

    def _submit(self, link: Link, task: Task, member: Member) -> None:
        lease = (
            f"adsctl-{_digest(task.account)}"
            if task.account and not task.is_part
            else self._bulletin.ended(task)
        )
        order = Order(
            task,
            self._run,
            __version__,
            f"{lease}-lease",
            ended=self._bulletin.ended(task),
            board=self._bulletin.board,
        )
        message = msgspec.json.encode(order)
        self._bulletin.announce(link, task)
        key = f"{self._bulletin.ended(task)}-{uuid4().hex}"
        self._flights[key] = Flight(
            task, member.address, link.submit(carry_out, message, key, member.address)
        )
        member.busy += 1

    def _handle(self, link: Link, event: Event) -> None:
        """Handle the message of a worker that has begun, or the future of a task."""
        if isinstance(event, dict):
            for each in [each for each in self._flights.values() if each.task.name == event["task"]]:
                self._members.move(each.address, event["address"])
                each.address = event["address"]
                self._on_event(Started(each.task, event["worker"]))
            return
        key = str(event.key)
        flight = self._flights.get(key)
        if flight is None:
            return
        refusal, outcome = None, link.get(self._bulletin.ended(flight.task))
        if not outcome:  # else the result may be on a worker that has died since
            try:
                answer = link.result(event)
                refusal = msgspec.json.decode(answer, type=Refusal) if answer else None
            except RemoteError as error:
                problem = UnavailableError(f"no worker could carry it out: {error}").as_dict()
                outcome = msgspec.json.encode(failed(flight.task, problem)).decode()
        del self._flights[key]
        self._members.release(flight.address)
        if outcome:
            self._end(link, flight.task, msgspec.json.decode(outcome, type=Outcome))
            return
        if refusal and refusal.error:
            self._members.refuse(refusal.worker, flight.task.profile, refusal.error)
        self._ready.append(Waiting(flight.task, time.monotonic() + BEAT_SECONDS))

    def _end(self, link: Link, task: Task, outcome: Outcome) -> None:
        """Store what a task came to, and only then forget it at the scheduler."""
        result = outcome.result
        if self._records.find(task) != result:  # the state folder may be that of the worker
            if outcome.log:
                with atomic(self._records.log(task)) as log:
                    log.write(outcome.log)
            self._records.store(task, result)
        self._queue.end(task, failed=result.status == "failed")
        self._failures += result.status == "failed"
        self._on_event(Ended(task, result))
        with suppress(LostError):
            link.delete(self._bulletin.ended(task))

    def _lose(self) -> None:
        """Take back every task; each ends where it runs, as its worker hears nothing of the scheduler."""
        if self._link:
            self._link.close()
            self._lost_at, self._backoff = time.monotonic(), BEAT_SECONDS
        self._link = None
        for each in self._flights.values():
            home = self._members.home_of(each.address)
            self._ready.append(Waiting(each.task, was_started=True, home=home))
            self._members.release(each.address)
        self._flights.clear()

    def _reconnect(self) -> Link | None:
        """Connect again; the leases of a scheduler that was started again are lost, and are waited for."""
        try:
            self._link = Link(self._scheduler, self._bulletin.board)
        except LostError as error:
            if time.monotonic() - self._lost_at > self._max_wait:
                raise UnavailableError(
                    f"the scheduler at {self._scheduler} was lost: {error}",
                    hint="start it and its workers again, then run: adsctl fleet run --resume",
                ) from None
            time.sleep(self._backoff)
            self._backoff = min(2 * self._backoff, MAX_BACKOFF_SECONDS)
            return None
        if self._link.scheduler_id != self._scheduler_id:
            self._scheduler_id = self._link.scheduler_id
            self._bulletin.renew()
            self._members.keep((), time.monotonic())
            for waiting in self._ready:
                waiting.not_before = self._lost_at + self._roll.lease_seconds
                self._bulletin.announce(self._link, waiting.task)
        return self._link


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
