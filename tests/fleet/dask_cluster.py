"""A Dask cluster of real processes on this machine: a scheduler, and workers with homes of their own."""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import psutil

from tests.adsctl import ROOT, Adsctl
from tests.ports import HOST, free_port
from tests.processes.server import Process

LEASE_SECONDS = 6
# A lease is that of a worker that was lost for as long as this; half a minute otherwise.
SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__LOCKS__LEASE_TIMEOUT": f"{LEASE_SECONDS}s",
    "DASK_DISTRIBUTED__SCHEDULER__LOCKS__LEASE_VALIDATION_INTERVAL": "500ms",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # looks at every thread each 10 ms
    "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver",  # a nanny's worker starts at once
}


class Proxy:
    """A network that can be cut: every connection through it is closed."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._pairs: set[socket.socket] = set()
        self._is_cut = False
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Close every connection, and refuse new ones until it is mended."""
        self._is_cut = True
        for connection in list(self._pairs):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        with near, suppress(OSError):
            if self._is_cut:
                return
            with socket.create_connection((HOST, self._target)) as far:
                self._pairs |= {near, far}
                back = threading.Thread(target=self._copy, args=(far, near), daemon=True)
                back.start()
                self._copy(near, far)
                back.join()
                self._pairs -= {near, far}

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


def words_of(process: psutil.Process) -> list[str]:
    """The command line of a process; none of one that has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def is_forkserver(process: psutil.Process) -> bool:
    return "multiprocessing.forkserver" in " ".join(words_of(process))


class Worker:
    """A worker that is started again whenever it ends, as a supervisor does."""

    def __init__(self, home: Adsctl, name: str, port: int, options: tuple[str, ...]) -> None:
        self.home, self.name = home, name
        address = f"tcp://{HOST}:{port}"
        self._words = ["worker", address, "--no-dashboard", "--name", name, "--nthreads", "2", *options]
        self._is_over = False
        self.process = self._start()
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

    def _start(self) -> Process:
        return Process("worker", "dask", self._words, self.home.environment | SETTINGS, self.home.home)

    def _supervise(self) -> None:
        while True:
            self.process.wait()
            if self._is_over:
                return
            self.process = self._start()

    def kill(self) -> None:
        """Kill the process that runs tasks; a nanny or a supervisor starts another one."""
        parent = psutil.Process(self.process.pid)
        forked = [
            child for server in parent.children() if is_forkserver(server) for child in server.children()
        ]
        (forked or [parent])[0].kill()

    def end(self) -> None:
        self._is_over = True
        for process in [*psutil.Process(self.process.pid).children(recursive=True), self.process]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._thread.join()


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: dict[str, Worker] = {}
        self.start_scheduler()

    def start_scheduler(self) -> None:
        words = ["scheduler", "--host", HOST, "--port", str(self.port), "--dashboard-address", ":0"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(ROOT)}
        self.scheduler = Process("scheduler", "dask", words, environment | SETTINGS, self.folder)
        self.log = self.scheduler.err

    def registrations(self, name: str) -> int:
        """Count how often a worker has joined the scheduler."""
        return self.log.read_text().count(f"name: {name}\n")

    def restart_scheduler(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()
        self.start_scheduler()

    def add(self, home: Adsctl, name: str, *options: str, port: int = 0) -> Worker:
        worker = self.workers[name] = Worker(home, name, port or self.port, options)
        return worker

    def end(self) -> None:
        for worker in self.workers.values():
            worker.end()
        self.scheduler.kill()
        self.scheduler.wait()
