"""The connection of a fleet to the scheduler of a Dask cluster."""

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
from distributed import Client, Future, Security, Variable
from distributed.versions import VersionMismatchWarning

from ..errors import StateError
from .cluster_worker import Member, survey
from .records import RunId
from .tasks import Task

CONNECT_SECONDS = 10
RETRIES = 2  # of a task whose worker could not carry it out, for whatever reason
# What must have one version everywhere, with its name in messages.
ALIKE = {"python": "Python", "ads-cli": "adsctl"}
ALIKE |= {name: name for name in ("distributed", "msgpack", "cloudpickle")}
UNKNOWN = "unknown"  # in place of a version
SAME_VERSIONS = (
    "install the same version of ads-cli[fleet] and of Python on the scheduler, on every worker and here, "
    "with pip or uv: a copy of its source alone has no version"
)


class LostError(Exception):
    """The scheduler cannot be reached, or the connection to it has broken."""


class SchedulerLink:
    """A connection; each call raises LostError once it is broken."""

    def __init__(self, address: str) -> None:
        self._futures: dict[str, Future[Any]] = {}
        self._ended: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        # What Dask has to say of a lost scheduler is said by the fleet.
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
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
        except ValueError as error:  # of the address
            raise LostError(str(error)) from None
        except TypeError as error:  # from Dask, where its settings name no certificates
            hint = "set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT and …__CLIENT__KEY"
            raise StateError(f"{address} needs certificates: {error}", hint=hint) from None

    @contextmanager
    def _talking(self) -> Iterator[Client]:
        with _lost_where_broken():
            # After a loss Dask connects again by itself, but has then forgotten every future.
            if self._client.status != "running":
                raise LostError("the connection to the scheduler is broken")
            yield self._client

    def workers(self) -> dict[tuple[str, str], str]:
        """Return the name of each worker, by its address and its local directory."""
        with self._talking() as client:
            workers: dict[str, Any] = client.scheduler_info()["workers"]
        return {(address, its["local_directory"]): str(its["name"]) for address, its in workers.items()}

    def survey(self, run: RunId, tasks: Sequence[Task], workers: list[str]) -> dict[str, Member | str]:
        """Ask workers what they can run; return the answer of each, or why it cannot run anything.

        One that cannot be reached has none. Raises StateError if the scheduler has other versions.
        """
        with self._talking() as client:
            versions: Any = client.get_versions(packages=["ads-cli"])
            answers = client.run(survey, run, tuple(tasks), workers=workers, on_error="return")
        if difference := _difference(versions["scheduler"], versions["client"]):
            raise StateError(f"the scheduler {difference}", hint=SAME_VERSIONS)
        return {
            address: _difference(versions["workers"][address], versions["client"]) or _member(answer)
            for address, answer in answers.items()
            if address in versions["workers"] and not isinstance(answer, OSError)
        }

    def submit(self, function: Callable[..., Any], *words: Any, key: str, worker: str) -> None:
        """Let a worker call a function; `next_ended` returns its answer."""
        with self._talking() as client:
            future = client.submit(function, *words, key=key, workers=[worker], pure=False, retries=RETRIES)
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
        with self._talking(), suppress(Empty):
            key, answer = self._ended.get(timeout=timeout)
            if self._futures.pop(key, None):
                if isinstance(answer, LostError):
                    raise answer
                return key, answer
        return None

    def cancel(self, key: str) -> None:
        """Forget a task; its worker ends it."""
        with self._talking():
            self._futures.pop(key).cancel()

    def put(self, name: str, value: int) -> None:
        """Set a variable."""
        with self._talking() as client:
            Variable(name, client).set(value)

    def close(self, *variables: str) -> None:
        """Leave the cluster, and delete variables; workers end what still runs."""
        with suppress(Exception):
            for name in variables:
                Variable(name, self._client).delete()
            self._client.close(timeout=1)


@contextmanager
def _lost_where_broken() -> Iterator[None]:
    """Raise LostError for what Dask raises where a connection is broken."""
    try:
        yield
    except (OSError, RuntimeError, asyncio.CancelledError, futures.CancelledError) as error:
        raise LostError(str(error) or type(error).__name__) from error


def _difference(other: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Say what differs, such as "has adsctl 0.1 (here 0.2)"; what is unknown on both sides does too."""
    versions = {name: (_version(other, package), _version(own, package)) for package, name in ALIKE.items()}
    differing = [name for name, (its, here) in versions.items() if its != here or here == UNKNOWN]
    shown = (f"{name} {versions[name][0]} (here {versions[name][1]})" for name in differing)
    return f"has {', '.join(shown)}" if differing else ""


def _version(side: Mapping[str, Any], package: str) -> str:
    version = str(side["packages"].get(package) or UNKNOWN)
    return ".".join(version.split(".")[:2]) if package == "python" else version


def _member(answer: Any) -> Member | str:
    try:
        return msgspec.json.decode(answer, type=Member)
    except (TypeError, msgspec.DecodeError) as error:
        return f"cannot run adsctl: {answer if isinstance(answer, Exception) else error}"
