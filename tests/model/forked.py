"""Commands in forked children: they can be killed at any step, and start 20 times as fast as processes."""

import io
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import time_machine

from ads_cli.__main__ import main
from ads_cli.audiences import operations
from ads_cli.client import client, transport
from ads_cli.emulator.app import Emulator
from tests.adsctl import completed

from .mishaps import NOTHING, Mishap, Service, kill_on_disk

TIMEOUT_SECONDS = 60


class Forked:
    """Runs commands against an emulator that every address leads to."""

    def __init__(self, home: Path, database: Path, environment: Mapping[str, str]) -> None:
        self.home, self.database, self.environment = home, database, environment
        self.clock = 0.0  # seconds by which the machine's clock is ahead
        self.operations_of_a_request = 20  # of audiences: short lists need several requests
        self.stand_between: Callable[[Service], object] = _ignore  # a lying service
        self.changes = 0  # requests of the last command that change data

    def __call__(
        self,
        *words: object,
        mishap: Mishap = NOTHING,
        prepare: Callable[[Service], Callable[[], None]] = lambda service: _nothing,
        **env: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command until it ends, or is killed.

        `prepare` is called in the child with the service; what it returns is called at the end.
        """
        argv = [*map(str, words)]
        alive, closed_at_exit = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            try:
                self._run(argv, mishap, prepare, env)
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                os._exit(1)
        os.close(closed_at_exit)
        ended, _, _ = select.select([alive], [], [], TIMEOUT_SECONDS)
        os.close(alive)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out, err, counted = ((self.home / name).read_bytes() for name in ("out", "err", "changes"))
        self.changes = len(counted)
        assert ended, f"{argv} does not end\n{err.decode()}"
        return completed(argv, code, out, err, None)

    def _run(
        self,
        argv: list[str],
        mishap: Mishap,
        prepare: Callable[[Service], Callable[[], None]],
        env: Mapping[str, str],
    ) -> None:
        """Become the command; does not return."""
        os.chdir(self.home)
        os.environ.clear()
        os.environ.update(self.environment | env)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(_created(name), descriptor)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(number, mode, closefd=False), "utf-8", line_buffering=True)
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if self.clock:
            time_machine.travel(time.time() + self.clock).start()
        service = Service(Emulator(self.database), mishap, _created("changes"))
        self.stand_between(service)
        transport.connect = lambda url, tls: transport.EmulatorTransport(service)
        client.backoff = lambda failures: 0.0
        operations.MAX_OPERATIONS = self.operations_of_a_request
        if mishap.kind == "kill on the disk":
            kill_on_disk(mishap.step)
        finish = prepare(service)
        code = main(argv)
        finish()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _created(name: str) -> int:
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)


def _nothing() -> None:
    pass


def _ignore(service: Service) -> None:
    pass
