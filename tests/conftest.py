"""Fixtures: adsctl in a home folder of its own, and services on this machine for it to talk to."""

import gc
import json
import os
import re
import shutil
import ssl
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import pytest
import trustme
from hypothesis import HealthCheck, settings
from oauthlib.oauth1.rfc5849 import utils as oauth
from pytest_httpserver import HTTPServer

from ads_cli.__main__ import GC_THRESHOLD
from ads_cli.client.transport import Sender
from ads_cli.commands.emulator import variables
from ads_cli.config.environment import CONFIG_FILES, STATE_FILES
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.server import running
from ads_cli.fleet import run_task
from ads_cli.http import retry
from ads_cli.store import close_stores
from tests.adsctl import ROOT, Adsctl, reset_ignored_signals
from tests.effort import tries
from tests.processes.server import COMMANDS, program, server
from tests.programs import explained

# How fast a machine is proves nothing. A property that sets no number of its own is tried with this one.
settings.register_profile(
    "untimed",
    deadline=None,
    max_examples=tries(25, 100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")


class ForkedTask:
    """What the process of a task runs, in place of a start of adsctl: a fifth of the time."""

    def format(self, path: list[str]) -> str:
        return program(server(COMMANDS))


run_task.PROGRAM = ForkedTask()

gc.set_threshold(GC_THRESHOLD)  # as a process of adsctl does; at the default, it takes a tenth of the time
oauth.quote = lru_cache(1 << 14)(oauth.quote)  # of the same texts in each request: a tenth of its time
retry.FIRST_BACKOFF_SECONDS = 0.05  # nothing that is repeated here needs time to recover
MANY_DESCRIPTORS = 400  # of 1,024, above which pexpect cannot wait for any


@pytest.fixture(scope="session", autouse=True)
def signals() -> None:
    """Hand signals on to every process that tests start."""
    reset_ignored_signals()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Close what commands that failed have left open: with this threshold, it is rarely collected."""
    descriptor = os.dup(2)  # the first that is free
    os.close(descriptor)
    if descriptor > MANY_DESCRIPTORS:
        gc.collect()


# Tests that mostly wait. One worker begins with them, while the others compute.
WAITING = ("tests/chaos/", "tests/fleet/", "tests/model/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(WAITING))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave the collected tests out of each later search for garbage."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.stats.get("skipped", [])
    for line in explained(report.longrepr[2] for report in reports):
        terminalreporter.write_line(line)


EXAMPLES = ROOT / "examples"

SECRETS = {
    "ADSCTL_CONSUMER_KEY": "dpf43f3p2l4k3l03",
    "ADSCTL_CONSUMER_SECRET": "kd94hf93k423kf44",
    "ADSCTL_ACCESS_TOKEN": "nnch734d00sl2jdk",
    "ADSCTL_ACCESS_TOKEN_SECRET": "pfkkdhi9sl3r4s00",
}


@pytest.fixture(scope="session")
def seeded_database(tmp_path_factory) -> Path:
    """The database of a new emulator, seeded once and copied wherever one is needed."""
    database = tmp_path_factory.mktemp("seeded") / "emulator.db"
    Emulator(database).close()
    return database


@pytest.fixture
def closed_stores() -> Iterator[None]:
    """Close what a test has opened of a state folder without a command."""
    yield
    close_stores()


@pytest.fixture
def writes(monkeypatch) -> list[tuple[str, str]]:
    """The requests that change anything, as methods and addresses, as they are sent."""
    found: list[tuple[str, str]] = []
    send = Sender.send

    def recorded(self, prepared, *arguments, **options):
        if prepared.method != "GET":
            found.append((prepared.method, prepared.url))
        return send(self, prepared, *arguments, **options)

    monkeypatch.setattr(Sender, "send", recorded)
    return found


@pytest.fixture
def adsctl(tmp_path: Path, seeded_database: Path) -> Iterator[Adsctl]:
    """adsctl, just installed; whatever it leaves in its folders is described by `adsctl help files`."""
    yield Adsctl(tmp_path, emulator_database=seeded_database)
    for folder, described in (("config", CONFIG_FILES), ("state", STATE_FILES)):
        own = {*described, *(f"{Path(name).stem}.lock" for name in described)}
        left = (path.name for path in (tmp_path / folder).glob("*"))
        assert {re.sub("-(wal|shm|journal)$", "", name) for name in left} <= own  # what SQLite has beside


@pytest.fixture
def remote(adsctl: Adsctl, httpserver: HTTPServer) -> Adsctl:
    """adsctl, signed in through the environment to pytest-httpserver."""
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= SECRETS | {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ADS_SANDBOX_URL": address,
    }
    return adsctl


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """A certificate authority that no system trusts."""
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    """What a server for `localhost` under the authority needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    return context


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path) -> dict[str, str]:
    """The variable that makes adsctl trust the authority."""
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return {"SSL_CERT_FILE": str(path)}


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
    """A served emulator that records the products it is sent, the keys it is to delete, and its listings."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.address = ""  # once it is served
        self.puts: list[list[str]] = []
        self.deletes: list[list[str]] = []
        self.lists = 0  # pages that were asked for
        self.busy = 0
        self.idle = threading.Condition()
        self.recording = threading.Lock()
        self.before: Callable[[int], None] = lambda put: None  # called with the number of earlier PUTs,
        self.before_delete: Callable[[int], None] = lambda delete: None  # and of earlier DELETEs
        self.before_list: Callable[[], None] = lambda: None

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
        """Wait until no request is in flight."""
        with self.idle:
            assert self.idle.wait_for(lambda: self.busy == 0, 30)

    def answer(self, environ, start_response):
        method = environ["REQUEST_METHOD"] if environ["PATH_INFO"].endswith("/products") else ""
        if method == "GET":
            self.before_list()
            self.lists += 1
        if method in ("PUT", "DELETE"):
            length = int(environ["CONTENT_LENGTH"])
            body = environ["wsgi.input"].read(length)
            environ["wsgi.input"] = BytesIO(body)
            if len(body) == length:  # else the client was killed while it was sending
                self.record(method, json.loads(body))
        return self.emulator(environ, start_response)

    def record(self, method: str, sent: dict) -> None:
        is_delete = method == "DELETE"
        found, before = (self.deletes, self.before_delete) if is_delete else (self.puts, self.before)
        with self.recording:
            number = len(found)
            found.append(sent["product_keys"] if is_delete else [each["id"] for each in sent["products"]])
        before(number)

    def fail(self, *faults: str) -> None:
        """Inject faults, as `emulator serve --fault` does; none ends them."""
        self.emulator.faults = [*map(parse_fault, faults)]

    @property
    def stored(self) -> list[str]:
        """The ids in the catalog, with the variants that lists hide."""
        return [product["id"] for product in self.emulator.data.products()]


@pytest.fixture
def service_name() -> str:
    """The service whose names the emulator speaks; tests under both have it as a parameter."""
    return "generic"


@pytest.fixture
def is_strict() -> bool:
    """Whether the emulator refuses unknown parameters under service x too: adsctl sends none."""
    return True


@pytest.fixture
def service(
    adsctl: Adsctl, tmp_path: Path, seeded_database: Path, service_name: str, is_strict: bool
) -> Iterator[Service]:
    """A served emulator; `adsctl` is signed in to it."""
    database = shutil.copyfile(seeded_database, tmp_path / "service.db")
    emulator = Emulator(database, service=service_name, strict=is_strict)
    found = Service(emulator)
    with running(found) as address:
        adsctl.env |= variables(emulator, address)
        found.address = address
        yield found
    emulator.close()


def feed(rows: int, **changes: str) -> str:
    """Return a CSV feed of that many valid products, sku-1 onwards."""
    product = PRODUCT | changes
    lines = [",".join(product)]
    lines += [",".join(f'"{v}"' for v in (product | {"id": f"sku-{n}"}).values()) for n in range(1, rows + 1)]
    return "\n".join(lines) + "\n"
