"""Commands in forked children: they can be killed at any step, and start 20 times as fast as processes."""

import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import time_machine

from ads_cli.__main__ import main
from ads_cli.audiences import operations
from ads_cli.client import client, transport
from ads_cli.emulator.app import Emulator
from tests.adsctl import completed
from tests.processes.child import encoded, fork, take_over

from .mishaps import NOTHING, Mishap, Service, kill_on_disk

TIMEOUT_SECONDS = 60


class Commands:
    """Runs commands against an emulator that every address leads to."""

    def __init__(self, home: Path, database: Path, environment: Mapping[str, str]) -> None:
        self.home, self.database, self.environment = home, database, environment
        self.clock = 0.0  # seconds by which the machine's clock is ahead
        self.operations_of_a_request = 20  # of audiences: short lists need several requests
        self.stand_between: Callable[[Service], object] = lambda service: None  # a lying service
        self.changes = 0  # requests of the last command that change data

    def __call__(
        self,
        *words: object,
        mishap: Mishap = NOTHING,
        prepare: Callable[[Service], Callable[[], None]] = lambda service: lambda: None,
        **env: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command until it ends, or is killed.

        `prepare` is called in the child with the service; what it returns is called at the end.
        """
        argv = [*map(str, words)]
        child = fork(lambda: self._run(argv, mishap, prepare, env))
        ended, _, _ = select.select([child.descriptor], [], [], TIMEOUT_SECONDS)
        code = child.end()
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
    ) -> int:
        """Become the command; return its exit code."""
        streams = {0: os.open(os.devnull, os.O_RDONLY), 1: self._created("out"), 2: self._created("err")}
        take_over(self.home, encoded(self.environment | env), streams)
        if self.clock:
            time_machine.travel(time.time() + self.clock).start()
        service = Service(Emulator(self.database), mishap, self._created("changes"))
        self.stand_between(service)
        transport.through_proxy = lambda kind, url, tls: transport.EmulatorTransport(service)
        client.backoff = lambda failures: 0.0
        operations.MAX_OPERATIONS = self.operations_of_a_request
        if mishap.kind == "kill on the disk":
            kill_on_disk(mishap.step)
        finish = prepare(service)
        code = main(argv)
        finish()
        return code

    def _created(self, name: str) -> int:
        return os.open(self.home / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
