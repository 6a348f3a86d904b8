"""adsctl for the shells of tests: a server that has loaded it forks a process for each command.

A process of adsctl spends most of its time on imports; a forked one takes a fifth of it. It has the words,
the folder, the environment, the streams and the signals of the caller, but not its limits and other files.
"""

import atexit
import gc
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, TextIO

from ads_cli.__main__ import main
from tests.loaded_client import FORWARDED, STREAMS

ROOT = Path(__file__).parent.parent
CLIENT = Path(__file__).with_name("loaded_client.py")
LOADED = (
    "audiences.plan", "auth.secret_stores", "auth.secrets", "cli.error_boundary", "cli.request_commands",
    "http.network", "client.signing", "client.transport", "commands.audiences", "commands.campaigns",
    "commands.products", "commands.uploads.push", "config.writers", "console.clients", "console.results",
    "console.presentation", "emulator.app", "feeds.transforms", "feeds.formats.csv",
    "products.feeds.kinds.reading", "fleet.task_process", "products.plans", "uploads.push",
)  # fmt: skip
LOADED_OF_OTHERS = ("filelock", "rich.table")


@cache
def client() -> list[str]:
    """Start a server that ends with this process; return the words that run a command in it."""
    path = f"{tempfile.mkdtemp(prefix='adsctl-')}/socket"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.loaded", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        cwd=ROOT,
        start_new_session=True,
    )
    assert server.stdin and server.stdout
    atexit.register(server.stdin.close)
    assert server.stdout.readline() == b"ready\n"
    return [sys.executable, "-I", "-S", str(CLIENT), path]


class Running(NamedTuple):
    """A process that runs a command, and the client that waits for it."""

    pid: int
    descriptor: int  # readable once the process has ended
    client: socket.socket  # hung up once the client has ended

    def end(self) -> None:
        """Kill the process of a client that has ended, and tell any other how its process has ended."""
        os.kill(self.pid, signal.SIGKILL)
        send(self.client, os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]))

    def close(self) -> None:
        os.close(self.descriptor)
        self.client.close()


def become_command(path: str) -> None:
    """Serve until standard input is closed, and exit; return in each process that is to run a command."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    running: list[Running] = []
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(listener, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if 0 in ready:
            shutil.rmtree(Path(path).parent)
            sys.exit()
        for ended in [each for each in running if ready & {each.descriptor, each.client.fileno()}]:
            poll.unregister(ended.descriptor)
            poll.unregister(ended.client)
            running.remove(ended)
            ended.end()
            ended.close()
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            pid = os.fork()
            if not pid:
                for each in (listener, *running):
                    each.close()
                return take_over(connection)
            send(connection, pid)
            running.append(Running(pid, os.pidfd_open(pid), connection))
            poll.register(running[-1].descriptor, select.POLLIN)
            poll.register(connection, select.POLLHUP)


def send(client: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        client.sendall(number.to_bytes(4, sys.byteorder, signed=True))


def take_over(client: socket.socket) -> None:
    """Give this process the words, folder, environment, streams and ignored signals of a client."""
    _, descriptors, _, _ = socket.recv_fds(client, 1, len(STREAMS))
    with client, client.makefile("rb") as request:
        words, folder, environment, mask, streams, ignored = marshal.load(request)
    given = dict(zip(streams, descriptors, strict=True))
    for number, name in zip(STREAMS, ("stdin", "stdout", "stderr"), strict=True):
        os.close(number)
        if number in given:
            os.dup2(given[number], number)
        setattr(sys, name, opened(number) if number in given else None)
    for descriptor in descriptors:
        os.close(descriptor)
    sys.argv = ["adsctl", *words]
    os.chdir(folder)
    os.umask(mask)
    os.environ.clear()
    os.environb.update(environment)
    time.tzset()
    for number in FORWARDED:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else default)


def opened(number: int) -> TextIO:
    """Open a standard stream as Python does when it starts."""
    mode, errors = ("r" if number == 0 else "w"), ("backslashreplace" if number == 2 else "surrogateescape")
    return open(number, mode, 1 if number == 2 else -1, "utf-8", errors, "\n", closefd=False)


if __name__ == "__main__":
    for name in (*(f"ads_cli.{name}" for name in LOADED), *LOADED_OF_OTHERS):
        import_module(name)
    import_module("ads_cli.emulator.app").load_router("generic")
    gc.freeze()
    become_command(sys.argv[1])
    code = main()
    threading._shutdown()  # what Python does when it ends, but for taking objects down: most of the time
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(code)
