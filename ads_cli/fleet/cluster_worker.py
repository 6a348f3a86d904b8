"""What a worker of a Dask cluster does for a fleet, and the messages that both exchange.

`survey` and `carry_out` are called on the worker, with messages of JSON and with nothing secret: it finds
profiles and secrets where it runs.
"""

import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import dask.config
import msgspec
from dask.utils import parse_timedelta
from distributed import Semaphore, Variable, Worker, get_worker

from .. import __version__
from ..client.shared_window import token_scope, windows_variable
from ..config.atomic_files import make_folder
from ..config.settings import Settings
from ..errors import AdsctlError, StateError
from ..signals import turn_off_core_dumps
from ..store.file_identity import boot_id
from .engine import TaskResult
from .records import Records, RunId
from .run_task import TaskProcess
from .tasks import Task

WAITING = "waiting"  # in place of an outcome
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
    tokens: dict[str, str]  # a digest of each profile's token; "" where it has no limits
    problems: dict[str, dict[str, Any]]  # why it cannot use a profile: the error
    ended: dict[str, TaskResult]  # of the records in its state folder, by task


class Order(msgspec.Struct, frozen=True):
    """A task for a worker."""

    task: Task
    run: RunId
    version: str  # of adsctl
    account_lease: str  # held while it runs, as that of its token is, which only the worker can name
    ended: str  # the variable for its outcome
    board: str  # the variable of the fleet's board, and the topic of its events


class Board(msgspec.Struct, frozen=True):
    """What the fleet tells all workers, again and again: its silence ends their tasks."""

    beat: int
    stop: int = 0  # the signal that ends the tasks


class TaskOutcome(msgspec.Struct, frozen=True):
    """The result of a task, and the end of its log."""

    result: TaskResult
    log: str


class Refusal(msgspec.Struct, frozen=True):
    """Why a worker does not run a task."""

    worker: str
    error: dict[str, Any]


class LostContactError(Exception):
    """A task was ended, since the fleet or the scheduler was silent."""


def find_home() -> tuple[str, Path]:
    """Return the id of this machine's state folder, and the folder: it outlives a worker."""
    state_dir = Settings({}).state_dir
    make_folder(state_dir)
    status = state_dir.stat()
    identity = f"{platform.node()} {boot_id()} {status.st_dev} {status.st_ino}"
    return sha256(identity.encode()).hexdigest()[:16], state_dir


def token_of(profile: str, environ: Mapping[str, str]) -> str:
    """Name the limits of a profile's token, as this machine finds the token; raise AdsctlError."""
    from ..auth.secrets import Secrets, refuse_grant
    from ..masking import Mask

    settings = Settings({"profile": profile}, environ)
    if settings.is_local:
        return ""
    refuse_grant(settings)
    return token_scope(Secrets(settings, Mask(), {}).user().holder)


def lease_seconds() -> float:
    """Return how long the scheduler keeps a lease that is not refreshed."""
    return float(parse_timedelta(dask.config.get("distributed.scheduler.locks.lease-timeout")))


def is_running(worker: Worker) -> bool:
    """Whether a worker is connected to its scheduler."""
    return worker.status.name in ("running", "paused")


def read(name: str) -> str:
    """Return the value of a variable; "" if it is not set, or the scheduler is silent."""
    try:
        return str(Variable(name).get(timeout=READ_TIMEOUT, callback_timeout=ANSWER_SECONDS))
    except TimeoutError:
        return ""


def read_board(name: str) -> Board | None:
    """Return what the fleet tells, if anything."""
    text = read(name)
    return msgspec.json.decode(text, type=Board) if text else None


class ProcessLease:
    """A lease that the tasks of this process hold together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._holders = 0

    def acquire(self, timeout: float) -> bool:
        """Hold it for one more task; return False if another process has it."""
        with self._lock:
            if not self._holders:
                # A new one each time: the scheduler may be another one than that of the last fleet.
                self._semaphore = Semaphore(1, self._name)
                if not self._semaphore.acquire(timeout=timeout):
                    return False
            self._holders += 1
            return True

    def release(self) -> None:
        """Hold it for one task less."""
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._semaphore.release()


TOKEN_LEASES: dict[str, ProcessLease] = {}


@contextmanager
def held(lease: Semaphore | ProcessLease, require_fleet: Callable[[], None]) -> Iterator[None]:
    """Hold a lease, once nobody else does."""
    while not lease.acquire(timeout=POLL_SECONDS):
        require_fleet()
    try:
        yield
    finally:
        lease.release()


class Watch(threading.Thread):
    """Ends the process of a task on the fleet's word, or when nothing is heard of it."""

    def __init__(self, process: TaskProcess, board: str, worker: Worker) -> None:
        super().__init__(daemon=True)
        self.has_lost_contact = False
        self._process, self._board, self._worker = process, board, worker
        self._has_ended = threading.Event()
        self._lease_seconds = lease_seconds()

    def run(self) -> None:
        """Look at the board until the process has ended."""
        beat, heard, sent_stop = -1, time.monotonic(), 0
        while not self._has_ended.wait(POLL_SECONDS):
            with suppress(Exception):  # whatever keeps the board from being read is silence
                board = read_board(self._board)
                if board and board.beat != beat:
                    beat, heard = board.beat, time.monotonic()
                if board and board.stop != sent_stop:
                    sent_stop = board.stop
                    self._process.send_signal(sent_stop)
            quiet = time.monotonic() - heard
            is_silent = quiet > QUIET_PART * self._lease_seconds or not is_running(self._worker)
            if is_silent and not self.has_lost_contact:
                self.has_lost_contact = True
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
    home, state_dir = find_home()
    records = Records(state_dir, inquiry.run)
    tokens: dict[str, str] = {}
    problems: dict[str, dict[str, Any]] = {}
    for profile in sorted({task.profile for task in inquiry.tasks}):
        try:
            tokens[profile] = token_of(profile, os.environ)
        except AdsctlError as error:
            problems[profile] = error.as_dict()
    ended = {task.name: result for task in inquiry.tasks if (result := records.find(task))}
    return msgspec.json.encode(Survey(home, lease_seconds(), tokens, problems, ended))


def carry_out(message: bytes) -> bytes:
    """Run a task, unless it has ended; return a refusal, or nothing once its outcome is at the scheduler.

    Dask may call this again if this worker is lost, even if the task had ended by then: the outcome at the
    scheduler, or the record in a shared state folder, tells so.
    """
    order = msgspec.json.decode(message, type=Order)
    worker = get_worker()
    try:
        token = _token(order)
    except AdsctlError as error:
        return msgspec.json.encode(Refusal(worker.address, error.as_dict()))

    def require_fleet() -> None:
        if not is_running(worker) or (board := read_board(order.board)) is None or board.stop:
            raise LostContactError(f"{worker.name} was stopped before it could begin")

    # Always in this order: a task that waits for a token holds none that another one could wait for.
    with ExitStack() as leases:
        leases.enter_context(held(Semaphore(1, order.account_lease), require_fleet))
        if token:
            shared = TOKEN_LEASES.setdefault(token, ProcessLease(f"adsctl-{token}"))
            leases.enter_context(held(shared, require_fleet))
        _run_once(order, worker)
    return b""


def _token(order: Order) -> str:
    """Return the token whose limits a task uses; raise AdsctlError where this worker cannot run it."""
    if order.version != __version__:
        raise StateError(f"adsctl is {__version__} here, and {order.version} where the fleet was started")
    return token_of(order.task.profile, os.environ) if order.task.uses_account else ""


def _run_once(order: Order, worker: Worker) -> None:
    """Run a task that has no outcome yet."""
    outcome = read(order.ended)
    if not outcome:
        raise LostContactError("the fleet has ended")
    if outcome == WAITING:
        Variable(order.ended).set(msgspec.json.encode(_run(order, worker)).decode())


def _run(order: Order, worker: Worker) -> TaskOutcome:
    """Run a task in a process, for as long as the fleet can be heard."""
    name, (_, state_dir) = str(worker.name), find_home()
    worker.log_event(order.board, {"task": order.task.name, "worker": name})
    environment = os.environ | windows_variable(state_dir)
    process = TaskProcess(order.task, order.run, name, state_dir, environment)
    watch = Watch(process, order.board, worker)
    watch.start()
    try:
        result = process.wait()
    finally:
        watch.end()
    if watch.has_lost_contact and result.exit_code:
        raise LostContactError(f"{name} heard nothing of the fleet, and stopped {order.task.name!r}")
    return TaskOutcome(result, _tail(Records(state_dir, order.run).log(order.task)))


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
