"""Servers that have loaded adsctl, and fork a process for each command: most of its time is that of imports.

A forked process takes a fifth of the time. It has the words, the folder, the environment, the streams and the
signals of whoever asks (`client.py`, or `Process`), but not its limits and other files.
"""

import atexit
import gc
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from ads_cli.__main__ import main
from tests.processes.child import Child, encoded, fork, take_over
from tests.processes.client import STREAMS, ask, received

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("client.py")
COMMANDS = """
ctypes filelock getpass http.server oauthlib.oauth2 rich.console rich.table ruamel.yaml
ads_cli.audiences.plan ads_cli.auth.grants ads_cli.auth.secret_stores ads_cli.auth.secrets
ads_cli.auth.sign_in ads_cli.cli.error_boundary ads_cli.cli.request_commands ads_cli.cli.tree
ads_cli.client.answers ads_cli.client.signing ads_cli.client.transport
ads_cli.commands.audiences ads_cli.commands.auth.login ads_cli.commands.campaigns.files
ads_cli.commands.campaigns.applying ads_cli.commands.campaigns.lookups
ads_cli.commands.products ads_cli.commands.products.check_end ads_cli.commands.products.offline
ads_cli.commands.requests.run ads_cli.commands.runs.jobs ads_cli.commands.runs.recipe
ads_cli.commands.runs.sending ads_cli.config.strict_yaml
ads_cli.config.trusted_files ads_cli.client.client ads_cli.console.completion_ids ads_cli.console.results
ads_cli.console.spending ads_cli.console.writes ads_cli.output.table_view
ads_cli.emulator.app ads_cli.feeds.formats.csv ads_cli.feeds.transforms ads_cli.fleet.run_task
ads_cli.fleet.task_process
ads_cli.http.network ads_cli.products.feeds.kinds.reading ads_cli.products.plans
ads_cli.products.pushed_feeds ads_cli.runs.push ads_cli.runs.targets ads_cli.store.notes
"""
STARTERS = ("ads_cli.fleet.run_task", "ads_cli.commands.mcp.child")  # of processes of other commands
ASSISTANTS = f"""{COMMANDS}
anyio._backends._asyncio anyio._core._subprocesses mcp.server.stdio
ads_cli.commands.changes ads_cli.commands.guard ads_cli.commands.campaigns.page
ads_cli.commands.campaigns.tree ads_cli.commands.mcp.server ads_cli.commands.mcp.tools
ads_cli.commands.products.sync ads_cli.commands.stats
"""
CLUSTERS = """
distributed.cli.dask_scheduler distributed.cli.dask_worker ads_cli.cli.error_boundary ads_cli.commands.fleet
ads_cli.console.results ads_cli.fleet.cluster ads_cli.fleet.cluster_worker
"""


@cache
def server(modules: str) -> str:
    """Start a server that has loaded modules, and ends with this process; return its socket."""
    path = f"{tempfile.mkdtemp(prefix='adsctl-')}/socket"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.processes.server", path, *modules.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        cwd=ROOT,
        start_new_session=True,
    )
    atexit.register(process.stdin.close)
    assert process.stdout.readline() == b"ready\n"
    return path


def program(path: str) -> str:
    """Return what a Python that a command starts runs for another command, of a fleet or of an assistant."""
    return f"import sys; sys.argv.insert(1, {path!r}); exec(open({str(CLIENT)!r}).read())"


def client(modules: str = COMMANDS) -> list[str]:
    """Return the words that run a command in a forked process, which has loaded modules."""
    return [sys.executable, "-I", "-S", str(CLIENT), server(modules)]


class Process:
    """A forked `python -m PROGRAM WORDS`, or a script, that knows Dask; its output is appended to files."""

    def __init__(
        self, name: str, program: str, words: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        with Path(os.devnull).open() as none, self.out.open("ab") as out, self.err.open("ab") as err:
            streams = {number: file.fileno() for number, file in enumerate((none, out, err))}
            surroundings = (bytes(folder), encoded(environment), 0o022, [])
            self._server, self.pid = ask(server(CLUSTERS), streams, [program, *words], *surroundings)
        self._code: int | None = None

    def send_signal(self, signum: int) -> None:
        os.kill(self.pid, signum)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code."""
        if self._code is None:
            assert select.select([self._server], [], [], timeout)[0], "the process does not end"
            self._code = received(self._server)
            self._server.close()
        return self._code


def serve(path: str) -> None:
    """Fork processes until standard input is closed."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    running: list[tuple[Child, socket.socket]] = []  # each with who waits for it
    poll = select.poll()
    for each in (0, listener):
        poll.register(each, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if 0 in ready:
            shutil.rmtree(Path(path).parent)
            return
        for child, asker in [each for each in running if ready & {each[0].descriptor, each[1].fileno()}]:
            poll.unregister(child.descriptor)
            poll.unregister(asker)
            running.remove((child, asker))
            send(asker, child.end())
            asker.close()
        if listener.fileno() in ready:
            asker, _ = listener.accept()
            child = fork(partial(become_command, asker, path))
            send(asker, child.pid)
            running.append((child, asker))
            poll.register(child.descriptor, select.POLLIN)
            poll.register(asker, select.POLLHUP)


def send(asker: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        asker.sendall(number.to_bytes(4, sys.byteorder, signed=True))


def become_command(asker: socket.socket, path: str) -> int:
    """Run in a forked process what is asked for; return its exit code."""
    os.closerange(3, asker.fileno())  # what the server holds for others
    os.closerange(asker.fileno() + 1, 1024)
    _, descriptors, _, _ = socket.recv_fds(asker, 1, len(STREAMS))
    with asker, asker.makefile("rb") as request:
        streams, sys.argv, folder, environment, mask, ignored = marshal.load(request)
    os.umask(mask)
    take_over(folder, environment, dict(zip(streams, descriptors, strict=True)), ignored)
    read_at_start()
    for module in filter(None, map(sys.modules.get, STARTERS)):
        module.PROGRAM = program(path)
    code, name = 0, sys.argv[0]
    try:
        if name == "adsctl":
            code = main()
        elif name.endswith(".py"):
            runpy.run_path(name, run_name="__main__")
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code or 0
    threading._shutdown()  # what Python does when it ends, but for taking objects down: most of the time
    atexit._run_exitfuncs()
    return code


def read_at_start() -> None:
    """Read again what Python and Dask have read from the environment when they started."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if paths := [path for path in given if path not in ("", *sys.path)]:
        sys.path[:0] = paths
        sys.modules.pop("sitecustomize", None)
        with suppress(ImportError):
            import_module("sitecustomize")
    if dask := sys.modules.get("dask"):
        dask.config.refresh()


if __name__ == "__main__":
    for module in map(import_module, sys.argv[2:]):
        if module.__name__ == "ads_cli.emulator.app":
            module.load_router("generic")
    gc.freeze()
    serve(sys.argv[1])
