"""The connection of a fleet to the scheduler of a Dask cluster."""

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future, Security, Variable
from distributed.versions import VersionMismatchWarning

from ..errors import StateError
from .cluster_worker import Member, survey
from .records import RunId
from .tasks import Task

CONNECT_SECONDS = 10
RETRIES = 2  # of a task whose worker could not carry it out, for whatever reason
# What must have one version everywhere, with its name in messages.
ALIKE = {"python": "Python", "ads-cli": "adsctl", "distributed": "distributed"}
SAME_VERSIONS = (
    "install the same version of ads-cli[fleet] (not only its source) and of Python on all machines"
)


class LostError(Exception):
    """The scheduler cannot be reached, or the connection to it has broken."""


class SchedulerLink:
    """A connection; each call raises LostError once it is broken."""

    def __init__(self, address: str, board: str) -> None:
        self._board = board  # the variable that all workers look at
        self._futures: dict[str, Future[Any]] = {}
        self._ended: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        # What Dask has to say of a lost scheduler is said by the fleet.
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            with _talking(), warnings.catch_warnings():
                warnings.simplefilter("ignore", VersionMismatchWarning)
                # Certificates are those of Dask's settings.
                security = Security(require_encryption=True) if address.startswith("tls://") else None
                self._client = Client(
                    address, timeout=CONNECT_SECONDS, set_as_default=False, name="adsctl", security=security
                )
        except ValueError as error:  # of the address
            raise LostError(str(error)) from None
        except TypeError as error:  # from Dask, where its settings name no certificates
            hint = "set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"
            raise StateError(f"{address} needs certificates: {error}", hint=hint) from None

    def workers(self) -> dict[tuple[str, str], str]:
        """Return the name of each worker, by its address and its local directory."""
        with _talking(self._client):
            workers: dict[str, Any] = self._client.scheduler_info()["workers"]
        return {(address, its["local_directory"]): str(its["name"]) for address, its in workers.items()}

    def survey(self, run: RunId, tasks: Sequence[Task], workers: list[str]) -> dict[str, Member | str]:
        """Ask workers what they can run; return the answer of each, or why it cannot run anything.

        One that cannot be reached has none. Raises StateError if the scheduler has other versions.
        """
        with _talking(self._client):
            versions: Any = self._client.get_versions(packages=["ads-cli"])
            own, others = versions["client"], versions["workers"]
            if difference := _difference(versions["scheduler"], own):
                raise StateError(f"the scheduler {difference}", hint=SAME_VERSIONS)
            problems = {
                address: _difference(others[address], own) for address in workers if address in others
            }
            alike = [address for address, problem in problems.items() if not problem]
            answers = self._client.run(survey, run, tuple(tasks), workers=alike, on_error="return")
        return {address: problem for address, problem in problems.items() if problem} | {
            address: answer if isinstance(answer, Member) else f"cannot run adsctl: {answer}"
            for address, answer in answers.items()
            if not isinstance(answer, OSError)
        }

    def submit(self, function: Callable[..., Any], *args: Any, key: str, worker: str) -> None:
        """Let a worker call a function; `next_ended` returns its answer."""
        with _talking(self._client):
            future = self._client.submit(
                function, *args, key=key, workers=[worker], pure=False, retries=RETRIES
            )
            self._futures[key] = future
            future.add_done_callback(self._fetch)

    def _fetch(self, future: "Future[Any]") -> None:
        """Fetch an answer, in a thread of Dask: it waits if its worker has been lost, until `cancel`."""
        try:
            answer = future.exception() if future.status == "error" else future.result()
        except BaseException as error:
            answer = LostError(str(error) or type(error).__name__)
        self._ended.put((str(future.key), answer))

    def next_ended(self, timeout: float) -> tuple[str, Any] | None:
        """Wait for a function to end; return its key, and its answer or its exception."""
        with _talking(self._client), suppress(Empty):
            key, answer = self._ended.get(timeout=timeout)
            if self._futures.pop(key, None):
                if isinstance(answer, LostError):
                    raise answer
                return key, answer
        return None

    def cancel(self, key: str) -> None:
        """Forget a task; its worker ends it."""
        with _talking(self._client):
            self._futures.pop(key).cancel()

    def tell(self, signum: int) -> None:
        """Tell the workers which signal ends the tasks of the fleet; 0: none."""
        with _talking(self._client):
            Variable(self._board, self._client).set(signum)

    def close(self) -> None:
        """Leave the cluster; workers end what still runs."""
        with suppress(Exception):
            Variable(self._board, self._client).delete()
            self._client.close(timeout=1)


@contextmanager
def _talking(client: Client | None = None) -> Iterator[None]:
    """Raise LostError for what Dask raises where the connection is broken."""
    try:
        # After a loss Dask connects again by itself, but has then forgotten every future.
        if client and client.status != "running":
            raise LostError("the connection to the scheduler is broken")
        yield
    except (OSError, RuntimeError, asyncio.CancelledError, futures.CancelledError) as error:
        raise LostError(str(error) or type(error).__name__) from error


def _difference(other: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Say what differs, such as "has adsctl 0.1 (here 0.2)"; what is unknown on both sides does too."""
    pairs = [(name, _version(other, package), _version(own, package)) for package, name in ALIKE.items()]
    differing = [
        f"{name} {its} (here {here})" for name, its, here in pairs if its != here or its == "unknown"
    ]
    return f"has {', '.join(differing)}" if differing else ""


def _version(side: Mapping[str, Any], package: str) -> str:
    version = str(side["packages"].get(package) or "unknown")
    return ".".join(version.split(".")[:2]) if package == "python" else version
