"""A person at a keyboard, for the tests: a folder of its own, an environment of its own, and adsctl."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from ads_cli.__main__ import main
from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

SECRETS = {
    "ADSCTL_CONSUMER_KEY": "dpf43f3p2l4k3l03",
    "ADSCTL_CONSUMER_SECRET": "kd94hf93k423kf44",
    "ADSCTL_ACCESS_TOKEN": "nnch734d00sl2jdk",
    "ADSCTL_ACCESS_TOKEN_SECRET": "pfkkdhi9sl3r4s00",
}


# The peak as the process itself sees it: ru_maxrss begins with that of the tests which start it.
MEASURED = """
import re, sys
from pathlib import Path
from ads_cli.__main__ import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""


def heed_signals() -> None:
    """Heed what a shell tells jobs in its background to ignore; the tests may be such a job."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@dataclass
class Person:
    """Runs adsctl in a folder of its own; nothing of the machine's own settings is seen."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ADSCTL_CONFIG_DIR": str(self.home / "config"),
            "ADSCTL_STATE_DIR": str(self.home / "state"),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            **self.env,
        }

    def command(self, *words: object) -> list[str]:
        return [sys.executable, "-m", "ads_cli", *map(str, words)]

    def __call__(self, *words: object, input: str | bytes | None = None, code: int | None = 0, **env: str):
        """Run adsctl; the exit code must be `code`, unless that is None."""
        done = subprocess.run(
            self.command(*words),
            input=input.encode() if isinstance(input, str) else input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            env=self.environment | env,
            cwd=self.home,
            timeout=120,
        )
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        if code is not None:
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def popen(self, *words: object, **env: str) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment | env,
            cwd=self.home,
            preexec_fn=heed_signals,
        )

    def local(self, *words: object, **options):
        """Run adsctl against the emulator on this machine."""
        return self("--profile", "local", *words, **options)

    def installed(self, *options: str) -> dict[str, str]:
        """Put `adsctl` on the path, with options of its own, and give the environment that finds it."""
        (self.home / "bin").mkdir(exist_ok=True)
        run = f'#!/bin/sh\nexec {shlex.join(self.command(*options))} "$@"\n'
        self.file("bin/adsctl", run).chmod(0o755)
        return self.environment | {"PATH": f"{self.home}/bin:{self.environment['PATH']}"}

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.home / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture
def adsctl(tmp_path: Path) -> Person:
    """Somebody who has just installed adsctl."""
    return Person(tmp_path)


@pytest.fixture(scope="session")
def first_world(tmp_path_factory) -> Path:
    """The emulator's database as it is at first, made once and copied wherever it is needed."""
    database = tmp_path_factory.mktemp("world") / "emulator.db"
    Emulator(database).close()
    return database


class Inside(Person):
    """Runs adsctl in the process of the tests, which takes a tenth of the time."""

    def __init__(
        self, person: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
    ) -> None:
        super().__init__(person.home, person.env)
        self.patch, self.capsys = monkeypatch, capsys

    def __call__(self, *words: object, code: int | None = 0, **env: str):
        with self.patch.context() as patch, Path(os.devnull).open() as nothing:
            for name in [name for name in os.environ if name.startswith("ADSCTL_")]:
                patch.delenv(name)
            for name, value in (self.environment | env).items():
                patch.setenv(name, value)
            patch.chdir(self.home)
            patch.setattr(sys, "stdin", nothing)
            patch.setattr(sys, "unraisablehook", sys.unraisablehook)
            signals = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
            try:
                ended = main([*map(str, words)])
            finally:
                for number, handler in signals.items():
                    signal.signal(number, handler)
        stdout, stderr = self.capsys.readouterr()
        done = subprocess.CompletedProcess(words, ended, stdout, stderr)
        if code is not None:
            assert ended == code, f"exit {ended}\n{stdout}\n{stderr}"
        return done


@pytest.fixture
def inside(adsctl: Person, first_world: Path, monkeypatch, capsys) -> Inside:
    """Somebody whose emulator is made already, and whose adsctl runs in the process of the tests."""
    (adsctl.home / "state").mkdir()
    shutil.copy(first_world, adsctl.home / "state" / "emulator.db")
    return Inside(adsctl, monkeypatch, capsys)


@pytest.fixture
def remote(adsctl: Person, httpserver: HTTPServer) -> Person:
    """Somebody who is signed in, through the environment, to a service on this machine."""
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= SECRETS | {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ADS_SANDBOX_URL": address,
    }
    return adsctl


PRODUCT = {
    "id": "sku-1",
    "title": "Enamel mug",
    "description": "A mug, white, for home and camp.",
    "availability": "in stock",
    "condition": "new",
    "price": "12.50 EUR",
    "link": "https://shop.example/mug",
    "image_link": "https://images.example/mug.jpg",
    "brand": "Nordlicht",
}


class Service:
    """A served emulator that remembers the batches of products it was sent."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.puts: list[list[str]] = []
        self.busy = 0
        self.idle = threading.Condition()
        self.before: Callable[[int], None] = lambda put: None  # hears how many PUTs came before

    def __call__(self, environ, start_response):
        with self.idle:
            self.busy += 1
        try:
            return self.answer(environ, start_response)
        finally:
            with self.idle:
                self.busy -= 1
                self.idle.notify_all()

    def settle(self) -> None:
        """Wait until every request that came has been handled."""
        with self.idle:
            assert self.idle.wait_for(lambda: self.busy == 0, 30)

    def answer(self, environ, start_response):
        if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].endswith("/products"):
            length = int(environ["CONTENT_LENGTH"])
            body = environ["wsgi.input"].read(length)
            environ["wsgi.input"] = BytesIO(body)
            if len(body) == length:  # else the client was killed while it was sending
                self.before(len(self.puts))
                self.puts.append([product["id"] for product in json.loads(body)["products"]])
        return self.emulator(environ, start_response)

    @property
    def stored(self) -> list[str]:
        """List the ids in the catalog's store, variants that a list hides included."""
        return [product["id"] for product in self.emulator.data.products()]


@pytest.fixture
def service(adsctl: Person, tmp_path: Path) -> Iterator[Service]:
    """A service on this machine; `adsctl` is signed in to it."""
    emulator = Emulator(tmp_path / "service.db")
    found = Service(emulator)
    with running(found) as address:
        adsctl.env |= variables(emulator, address)
        yield found
    emulator.close()


def feed(rows: int, **changes: str) -> str:
    """Write a feed of so many valid products, in CSV."""
    product = PRODUCT | changes
    lines = [",".join(product)]
    lines += [",".join(f'"{v}"' for v in (product | {"id": f"sku-{n}"}).values()) for n in range(1, rows + 1)]
    return "\n".join(lines) + "\n"
