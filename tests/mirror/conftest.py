"""What tests of the mirror share."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count

import pytest

from tests.adsctl import Adsctl
from tests.feeds.locations.s3_server import S3Server, running_s3
from tests.mirror.postgres_server import PostgresServer, running_postgres
from tests.service_in_process import service  # noqa: F401
from tests.statistics.conftest import NOON, Stats, noon, stats  # noqa: F401

FILE = "ads.db"


@dataclass
class Mirror:
    """Runs `mirror` against a served emulator, into a SQLite file."""

    adsctl: Adsctl
    stats: Stats

    def run(self, *words: str, code: int = 0, **options):
        return self.adsctl("mirror", "run", "--into", f"sqlite:{FILE}", *words, code=code, **options)

    def rows(self, query: str, *values: object) -> list[tuple]:
        with closing(sqlite3.connect(self.adsctl.home / FILE)) as db, db:
            return db.execute(query, values).fetchall()

    def content(self) -> dict[str, list[tuple]]:
        """Return all tables but that of the runs, without when their rows were written."""
        listed = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = [name for (name,) in listed if name != "mirror_accounts"]
        columns = {
            name: [
                f'"{column}"'
                for _, column, *_ in self.rows(f'PRAGMA table_info("{name}")')
                if column not in ("_fivetran_synced", "asked_at", "finished_at")
            ]
            for name in names
        }
        return {
            name: sorted(self.rows(f'SELECT {", ".join(columns[name])} FROM "{name}"'), key=repr)
            for name in names
        }


@pytest.fixture
def mirror(stats, noon) -> Mirror:  # noqa: F811
    noon.move_to(NOON, tick=False)  # what is charged is estimated anew at each moment
    return Mirror(stats.adsctl, stats)


@pytest.fixture
def requests(service) -> list[tuple[str, dict[str, list[str]]]]:  # noqa: F811
    """The paths and the parameters of the requests that the service gets."""
    from urllib.parse import parse_qs

    seen: list[tuple[str, dict[str, list[str]]]] = []
    answer = service.answer

    def recorded(environ, start_response):
        parameters = parse_qs(environ.get("QUERY_STRING", ""))
        seen.append((f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}", parameters))
        return answer(environ, start_response)

    service.answer = recorded
    return seen


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 server with the bucket `warehouse`."""
    with running_s3() as server:
        server.put("warehouse")
        yield server


NUMBERS = count()


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """The name of a new database."""
    name = f"ads{next(NUMBERS)}"
    postgres.rows(f"CREATE DATABASE {name}")
    return name
