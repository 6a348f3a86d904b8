"""The connection of a fleet to the scheduler of a Dask cluster."""

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, TypeAlias

from distributed import Client, Future, Security, Variable
from distributed.versions import VersionMismatchWarning

from ..errors import StateError, UnavailableError
from .cluster_worker import LostContactError

CONNECT_SECONDS = 10
MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.5, 10.0
READ_TIMEOUT = "200 ms"  # for a variable that may not be set
RESULT_SECONDS = 30
RETRIES = 2  # of a task whose worker could not carry it out, for whatever reason
# Must have one version everywhere. Dask reports its own requirements; others are asked for by distribution.
OWN_DISTRIBUTIONS = {"ads-cli": "adsctl"}  # with what messages call them
ALIKE = ("python", *OWN_DISTRIBUTIONS, "distributed", "msgpack", "cloudpickle")

# The future of a task, or a message of a worker.
Event: TypeAlias = Future[bytes] | dict[str, Any]
MISSING = "none"  # in place of a version


class LostError(Exception):
    """The scheduler cannot be reached, or has been started again."""


class SchedulerLink:
    """A connection; each call raises LostError once it is broken."""

    def __init__(self, address: str, board: str) -> None:
        self._events: SimpleQueue[Event] = SimpleQueue()
        # What dask has to say of a lost scheduler is said by the fleet.
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with _lost_where_broken(), warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)
            self._client = Client(
                address,
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                name="adsctl",
                # Certificates are those of Dask's settings.
                security=Security(require_encryption=True) if address.startswith("tls://") else None,
            )
            try:
                self._client.subscribe_topic(board, lambda event: self._events.put(event[1]))
                self.scheduler_id = str(self._client.scheduler_info()["id"])
            except BaseException:
                self.close()
                raise

    @contextmanager
    def _talking(self) -> Iterator[Client]:
        with _lost_where_broken():
            if self._client.status != "running":
                raise LostError("the connection to the scheduler is broken")
            yield self._client

    def workers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what the scheduler knows of each worker, by address."""
        with self._talking() as client:
            return dict(client.scheduler_info()["workers"])

    def check_versions(self) -> Mapping[str, str]:
        """Return what is wrong with workers, by address; raise StateError if the scheduler cannot be used."""
        with self._talking() as client:
            asked: Any = client.get_versions(packages=[*OWN_DISTRIBUTIONS])
        own = _versions(asked["client"])
        if missing := [_shown(name) for name in ALIKE if own[name] == MISSING]:
            hint = "install ads-cli[fleet] here with pip or uv: a copy of its source alone has no version"
            raise StateError(f"the version of {', '.join(missing)} is unknown here", hint=hint)
        if difference := _difference(own, _versions(asked["scheduler"])):
            raise StateError(
                f"the scheduler has {difference}",
                hint="install the same versions on the scheduler, on every worker and here",
            )
        workers = {
            address: _difference(own, _versions(answer)) for address, answer in asked["workers"].items()
        }
        return {address: difference for address, difference in workers.items() if difference}

    def ask(self, function: Callable[[bytes], bytes], message: bytes, workers: list[str]) -> dict[str, Any]:
        """Call a function on workers; return the answer of each, or its exception."""
        with self._talking() as client:
            return dict(client.run(function, message, workers=workers, on_error="return"))

    def submit(
        self, function: Callable[[bytes], bytes], message: bytes, key: str, worker: str
    ) -> Future[bytes]:
        """Let a worker call a function; `next_event` returns its future."""
        with self._talking() as client:
            future = client.submit(function, message, key=key, workers=[worker], pure=False, retries=RETRIES)
            future.add_done_callback(self._events.put)
            return future

    def cancel(self, future: Future[bytes]) -> None:
        """Forget a task; what of it runs is not ended."""
        with self._talking():
            future.cancel()

    def next_event(self, timeout: float) -> Event | None:
        """Wait for a future that is done, or a message of a worker."""
        with self._talking(), suppress(Empty):
            return self._events.get(timeout=timeout)
        return None

    def result(self, future: Future[bytes]) -> bytes:
        """Return what a function has returned; raise LostContactError, or RemoteError for any other error."""
        with self._talking():
            if future.status == "error":
                error = future.exception(timeout=RESULT_SECONDS)
                raise error if isinstance(error, LostContactError) else RemoteError(str(error))
            return bytes(future.result(timeout=RESULT_SECONDS))

    def put(self, name: str, value: str) -> None:
        """Set a variable."""
        with self._talking() as client:
            Variable(name, client).set(value)

    def get(self, name: str) -> str:
        """Return the value of a variable; "" if it is not set."""
        with self._talking() as client:
            try:
                return str(Variable(name, client).get(timeout=READ_TIMEOUT))
            except TimeoutError:
                return ""

    def delete(self, *names: str) -> None:
        """Delete variables."""
        with self._talking() as client:
            for name in names:
                Variable(name, client).delete()

    def close(self) -> None:
        """Leave the cluster; tasks that are not awaited are released there."""
        with suppress(Exception):
            self._client.close(timeout=1)


class RemoteError(Exception):
    """A function has failed on a worker, or with its workers."""


@contextmanager
def _lost_where_broken() -> Iterator[None]:
    """Raise LostError for what Dask raises where a connection is broken."""
    try:
        yield
    except (RemoteError, LostError, LostContactError):
        raise
    except (OSError, RuntimeError, asyncio.CancelledError, futures.CancelledError) as error:
        raise LostError(str(error) or type(error).__name__) from error


class SchedulerConnector:
    """Connects to a scheduler, and again after it was lost."""

    def __init__(self, address: str, board: str, max_wait: float) -> None:
        self._address, self._board = address, board
        self._max_wait = max_wait  # seconds without a scheduler
        self._scheduler_id = ""
        self._backoff = MIN_BACKOFF_SECONDS
        self._has_worked = True  # since the last connection was made
        self.current: SchedulerLink | None = None
        self.lost_at = 0.0  # monotonic seconds, of a link that had worked

    def open(self) -> None:
        """Connect for the first time; raise UnavailableError."""
        try:
            self.current = SchedulerLink(self._address, self._board)
            self._scheduler_id = self.current.scheduler_id
        except (LostError, ValueError) as error:
            hint = "start one there with: dask scheduler; or correct --scheduler, such as tls://10.0.0.5:8786"
            message = f"no Dask scheduler can be reached at {self._address}: {error}"
            raise UnavailableError(message, hint=hint) from None
        except TypeError as error:  # from Dask, where its settings name no certificates
            hint = "set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"
            raise StateError(f"{self._address} needs certificates: {error}", hint=hint) from None

    def reopen(self) -> tuple[SchedulerLink | None, bool]:
        """Try once to connect again; return the link, and whether it is to another scheduler.

        It is another one until `accept` is called, however often it is lost meanwhile.
        """
        try:
            self.current = SchedulerLink(self._address, self._board)
        except LostError as error:
            self._wait(error)
            return None, False
        return self.current, self.current.scheduler_id != self._scheduler_id

    def accept(self, link: SchedulerLink) -> None:
        """Note that a link has worked: its scheduler knows all that the one before knew."""
        self._scheduler_id, self._has_worked = link.scheduler_id, True

    def lose(self, error: LostError) -> None:
        """Give up a link that is broken; one that has not worked is waited for like one that was refused."""
        if self.current is None:
            return
        self.current.close()
        self.current = None
        if self._has_worked:
            self.lost_at, self._backoff, self._has_worked = monotonic(), MIN_BACKOFF_SECONDS, False
        else:
            self._wait(error)

    def _wait(self, error: LostError) -> None:
        """Wait before the next try; raise UnavailableError where none has worked for too long."""
        if monotonic() - self.lost_at > self._max_wait:
            hint = "start it and its workers again, and then this command with --resume"
            message = f"the scheduler at {self._address} was lost: {error}"
            raise UnavailableError(message, hint=hint) from None
        sleep(self._backoff)
        self._backoff = min(2 * self._backoff, MAX_BACKOFF_SECONDS)


def _versions(answer: Mapping[str, Any]) -> dict[str, str]:
    packages = answer["packages"]
    versions = {name: str(packages.get(name) or MISSING) for name in ALIKE}
    return versions | {"python": ".".join(versions["python"].split(".")[:2])}


def _difference(own: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Say what differs, such as "adsctl 0.1 (here 0.2)"."""
    differing = [name for name in ALIKE if own[name] != other[name]]
    return ", ".join(f"{_shown(name)} {other[name]} (here {own[name]})" for name in differing)


def _shown(distribution: str) -> str:
    return OWN_DISTRIBUTIONS.get(distribution, distribution)
