"""What a worker of a Dask cluster does for a fleet, and the messages that both exchange.

`survey` and `carry_out` are called on the worker, with messages of JSON and with nothing secret: it finds
profiles and secrets where it runs.
"""

import os
import platform
import signal
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import dask.config
import msgspec
from dask.utils import parse_timedelta
from distributed import Semaphore, Variable, Worker, get_worker

from .. import __version__
from ..client.shared_window import Allowance, LimitShare
from ..config.atomic_files import make_folder
from ..config.settings import Settings
from ..errors import AdsctlError, StateError
from ..signals import turn_off_core_dumps
from ..uploads.write_epochs import boot_id
from .engine import TaskResult
from .quota_allocator import scope_of_profile, scopes_of_task
from .records import Records, RunId
from .run_task import TaskProcess
from .tasks import Task

POLL_SECONDS = 0.5
READ_TIMEOUT = "1 s"  # for a variable to be set; a fleet sets each before it is read
ANSWER_SECONDS = 2  # for the scheduler to answer: a network may drop what is sent without an error
# Parts of a lease without a word of the fleet, after which a task is stopped, and then killed: it must
# have ended before another worker gets the lease.
QUIET_PART, KILL_PART = 0.4, 0.8


class Inquiry(msgspec.Struct, frozen=True):
    """What the fleet asks each worker before it runs anything."""

    run: RunId
    tasks: tuple[Task, ...]


class Survey(msgspec.Struct, frozen=True):
    """What a worker answers."""

    home: str
    lease_seconds: float
    scopes: dict[str, str]  # of the limits of each profile's token
    problems: dict[str, dict[str, Any]]  # why it cannot use a profile: the error
    ended: dict[str, TaskResult]  # of the records in its state folder, by task


class Order(msgspec.Struct, frozen=True):
    """A task for a worker."""

    task: Task
    run: RunId
    version: str  # of adsctl
    lease: str  # what must be held while it runs: that of its account
    ended: str  # the variable for its outcome
    board: str  # the variable of the fleet's board, and the topic of its events


class Board(msgspec.Struct, frozen=True):
    """What the fleet tells all workers, again and again: its silence ends their tasks."""

    beat: int
    stop: int = 0  # the signal that ends the tasks
    shares: int = 0  # changes of the shares


class TaskOutcome(msgspec.Struct, frozen=True):
    """The result of a task, and the end of its log."""

    result: TaskResult
    log: str


class Refusal(msgspec.Struct, frozen=True):
    """Why a worker does not run a task."""

    worker: str
    error: dict[str, Any] | None = None  # None: it has no share of the limits of the token yet


class LostContactError(Exception):
    """A task was ended, since the fleet or the scheduler was silent, or took its share back."""


def shares_of(board: str, home: str) -> str:
    """Name the variable with the shares of a home."""
    return f"{board}-shares-{home}"


class Home(NamedTuple):
    """A state folder on a machine: its processes share windows of requests, also after a restart."""

    id: str
    state_dir: Path

    @classmethod
    def find(cls) -> "Home":
        """Return the home of this process. The clock of requests starts again with the machine."""
        state_dir = Settings({}).state_dir
        make_folder(state_dir)
        status = state_dir.stat()
        identity = f"{platform.node()} {boot_id()} {status.st_dev} {status.st_ino}"
        return cls(sha256(identity.encode()).hexdigest()[:16], state_dir)

    @property
    def allowance(self) -> Allowance:
        """The shares of the limits that its processes keep."""
        return Allowance(self.state_dir / "fleet" / "allowance" / self.id)


def lease_seconds() -> float:
    """Return how long the scheduler keeps a lease that is not refreshed."""
    return float(parse_timedelta(dask.config.get("distributed.scheduler.locks.lease-timeout")))


def is_running(worker: Worker) -> bool:
    """Whether a worker is connected to its scheduler."""
    return worker.status.name in ("running", "paused")


def read(variable: Variable) -> str | None:
    """Return the value of a variable; None if the fleet has deleted it, or the scheduler is silent."""
    try:
        return str(variable.get(timeout=READ_TIMEOUT, callback_timeout=ANSWER_SECONDS))
    except TimeoutError:
        return None


class BoardReader:
    """Reads the fleet's board, and grants the shares of the limits that it tells of."""

    def __init__(self, name: str, home: Home) -> None:
        self._board, self._shares = Variable(name), Variable(shares_of(name, home.id))
        self._allowance = home.allowance
        self._seen = -1  # changes of the shares
        self._granted: dict[str, LimitShare] = {}  # by scope

    def read(self) -> Board | None:
        """Return what the fleet tells, if anything."""
        text = read(self._board)
        return msgspec.json.decode(text, type=Board) if text else None

    def has_shares(self, scopes: Collection[str]) -> bool:
        """Whether there is a share of each limit; what was stored of another one is not to be used."""
        return self._granted.keys() >= set(scopes)

    def grant(self) -> Board | None:
        """Read the board, and store the shares; another fleet may have stored older ones meanwhile."""
        board = self.read()
        # None says nothing of the shares: those that were read last stay, and the next call reads again.
        if board and board.shares != self._seen and (shares := read(self._shares)) is not None:
            self._granted = msgspec.json.decode(shares, type=dict[str, LimitShare])
            self._seen = board.shares
        for scope, share in self._granted.items():
            if not self._is_stored(scope, share):
                self._allowance.grant(share, scope)
        return board

    def _is_stored(self, scope: str, share: LimitShare) -> bool:
        with suppress(StateError):
            return self._allowance.share(scope) == share
        return False


class Watch(threading.Thread):
    """Ends the process of a task on the fleet's word, when nothing is heard of it, or without its shares."""

    def __init__(
        self, process: TaskProcess, board: BoardReader, scopes: Collection[str], worker: Worker
    ) -> None:
        super().__init__(daemon=True)
        self.reason = ""  # why it has ended the process, other than by the fleet's word
        self._process, self._board, self._worker = process, board, worker
        self._scopes = scopes  # of the limits that the task needs a share of
        self._has_ended = threading.Event()
        self._lease_seconds = lease_seconds()

    def run(self) -> None:
        """Look at the board until the process has ended."""
        beat, heard, sent_stop = -1, time.monotonic(), 0
        while not self._has_ended.wait(POLL_SECONDS):
            with suppress(Exception):  # whatever keeps the board from being read is silence
                board = self._board.grant()
                if board and board.beat != beat:
                    beat, heard = board.beat, time.monotonic()
                if board and board.stop != sent_stop:
                    sent_stop = board.stop
                    self._process.send_signal(sent_stop)
            quiet = time.monotonic() - heard
            reason = ""
            if quiet > QUIET_PART * self._lease_seconds or not is_running(self._worker):
                reason = "heard nothing of the fleet"
            elif not self._board.has_shares(self._scopes):
                reason = "has no share of the limits any more"
            if reason and not self.reason:
                self.reason = reason
                self._process.send_signal(signal.SIGTERM)
            if quiet > KILL_PART * self._lease_seconds:
                self._process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def end(self) -> None:
        """Stop looking."""
        self._has_ended.set()
        self.join()


MAX_LOG_BYTES = 64 * 1024  # that come home


def survey(message: bytes) -> bytes:
    """Answer which profiles this worker can use, and which tasks have ended here."""
    turn_off_core_dumps()  # of Dask's process, which finds the tokens
    inquiry = msgspec.json.decode(message, type=Inquiry)
    home = Home.find()
    records = Records(home.state_dir, inquiry.run)
    scopes: dict[str, str] = {}
    problems: dict[str, dict[str, Any]] = {}
    for profile in sorted({task.profile for task in inquiry.tasks}):
        try:
            scopes[profile] = scope_of_profile(profile, os.environ)
        except AdsctlError as error:
            problems[profile] = error.as_dict()
    ended = {task.name: result for task in inquiry.tasks if (result := records.find(task))}
    return msgspec.json.encode(Survey(home.id, lease_seconds(), scopes, problems, ended))


def carry_out(message: bytes) -> bytes:
    """Run a task, unless it has ended; return a refusal, or nothing once its outcome is at the scheduler.

    Dask calls this again on another worker if this one is lost, even if the task had ended by then: the
    outcome at the scheduler, or the record in a shared state folder, tells so.
    """
    order = msgspec.json.decode(message, type=Order)
    worker, home = get_worker(), Home.find()
    board = BoardReader(order.board, home)
    try:
        scopes = _scopes(order)
    except AdsctlError as error:
        return msgspec.json.encode(Refusal(worker.address, error.as_dict()))
    board.grant()
    if not board.has_shares(scopes):
        return msgspec.json.encode(Refusal(worker.address))
    lease, ended = Semaphore(1, order.lease), Variable(order.ended)
    while not lease.acquire(timeout=POLL_SECONDS):
        if not is_running(worker) or (state := board.read()) is None or state.stop:
            raise LostContactError(f"{worker.name} was stopped before it could begin")
    try:
        if (outcome := read(ended)) is None:
            raise LostContactError("the fleet has ended")
        if not outcome:
            ended.set(msgspec.json.encode(_run(order, board, scopes, worker, home)).decode())
    finally:
        lease.release()
    return b""


def _scopes(order: Order) -> list[str]:
    """Return the limits that a task needs a share of; raise AdsctlError where this worker cannot run it."""
    if order.version != __version__:
        raise StateError(f"adsctl is {__version__} here, and {order.version} where the fleet was started")
    token = scope_of_profile(order.task.profile, os.environ) if order.task.uses_account else ""
    return scopes_of_task(order.task, token)


def _run(
    order: Order, board: BoardReader, scopes: Collection[str], worker: Worker, home: Home
) -> TaskOutcome:
    """Run a task in a process, for as long as the fleet can be heard, and the task has its shares."""
    name = str(worker.name)
    worker.log_event(order.board, {"task": order.task.name, "worker": name, "address": worker.address})
    environment = os.environ | home.allowance.environment()
    process = TaskProcess(order.task, order.run, name, home.state_dir, environment)
    watch = Watch(process, board, scopes, worker)
    watch.start()
    try:
        result = process.wait()
    finally:
        watch.end()
    if watch.reason and result.exit_code:
        raise LostContactError(f"{name} {watch.reason}, and stopped the task {order.task.name!r}")
    log = Records(home.state_dir, order.run).log(order.task)
    return TaskOutcome(result, _tail(log))


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
