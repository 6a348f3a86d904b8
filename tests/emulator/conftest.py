import shutil
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.api.names import SERVICES
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from tests.effort import THOROUGH

from .client import Client, InProcess
from .sign_in import SignIn

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try each case of a table under one of the services, in turn; with THOROUGH under both."""
    cases: dict[Hashable, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.path.parent == FOLDER and hasattr(item, "callspec"):
            others = {name: value for name, value in item.callspec.params.items() if name != "service_name"}
            if others and not THOROUGH:
                cases[item.path, item.originalname, repr(others)].append(item)
    pairs = (pair for pair in cases.values() if len(pair) == len(SERVICES))
    left_out = {pair[number % len(SERVICES)] for number, pair in enumerate(pairs)}
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def database(tmp_path: Path, seeded_database: Path) -> Path:
    """A copy of the seeded database."""
    return Path(shutil.copy(seeded_database, tmp_path / "emulator.db"))


@pytest.fixture
def emulator(database: Path, service_name: str) -> Iterator[Emulator]:
    with closing(Emulator(database, service=service_name)) as emulator:
        yield emulator


@pytest.fixture
def local(emulator: Emulator) -> Client:
    """A client in the same process."""
    return Client(emulator, InProcess(emulator))


@pytest.fixture
def served(emulator: Emulator) -> Iterator[Client]:
    """A client that uses a socket."""
    with running(emulator) as address, closing(Client.over_http(emulator, address)) as client:
        yield client


@pytest.fixture
def faulty(database: Path) -> Iterator[Callable[..., Client]]:
    """Return a function that creates in-process clients of an emulator with faults."""
    opened = []

    def make(*faults: str) -> Client:
        emulator = Emulator(database, faults=faults)
        opened.append(emulator)
        return Client(emulator, InProcess(emulator))

    yield make
    for emulator in opened:
        emulator.close()


@pytest.fixture
def sign_in(local: Client) -> SignIn:
    return SignIn(local)
