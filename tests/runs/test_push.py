"""The push as a library: it takes a client, a plan, a journal and an observer, and returns a result."""

from pathlib import Path

import pytest

from ads_cli.client.client import Client
from ads_cli.client.prepared_request import UserKeys
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core.faults import parse_fault
from ads_cli.errors import UnavailableError
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.products.plans import push_plan
from ads_cli.products.sync_state import SyncState
from ads_cli.runs.job import Job
from ads_cli.runs.journal import Journal
from ads_cli.runs.push import Push, PushResult
from tests.conftest import feed

SERVICE = "http://emulator.localhost"
ROWS = 60


class Observer:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.progress: list[int] = []
        self.rejections: list[tuple[str, str]] = []
        self.warnings: list[tuple[str, str]] = []

    def on_progress(self, rows: int) -> None:
        self.progress.append(rows)

    def on_rejection(self, place: str, reason: str) -> None:
        self.rejections.append((place, reason))

    def on_warning(self, place: str, warning: str) -> None:
        self.warnings.append((place, warning))


class Pushing:
    """Pushes one file with the library alone: no command, no options, no terminal."""

    def __init__(self, folder: Path, emulator: Emulator) -> None:
        self.folder, self.emulator = folder, emulator
        self.path = folder / "feed.csv"
        self.path.write_text(feed(ROWS))
        self.observer = Observer()

    def plan(self):
        rows = read_rows(open_source(str(self.path)), roots=("products",), known=PRODUCT_SCHEMA.known)
        return push_plan(rows, self.emulator.catalog, SyncState(self.folder, SERVICE, "c"), None)

    def client(self, **options) -> Client:
        return Client(
            address=lambda base: SERVICE,
            credentials=lambda: UserKeys(*self.emulator.credentials),
            app=self.emulator,
            **options,
        )

    def run(self, job: str = "j1", *, resume: bool = False, **options) -> tuple[PushResult, Journal]:
        plan = self.plan()
        report = plan.file.validate(lambda rows: None)
        new = Job(
            job=job,
            key=plan.key(SERVICE, skip_invalid=False),
            noun=plan.noun,
            file="feed.csv",
            rows=report.rows,
            batches=plan.batch_count,
            started="2026-03-01T00:00:00Z",
        )
        journal = Journal(self.folder, new, resume=resume)
        client = self.client(max_attempts=1)
        result = Push(client, plan, journal, self.observer, concurrency=1, **options).run()
        journal.close()
        return result, journal


@pytest.fixture
def pushing(tmp_path: Path):
    emulator = Emulator(tmp_path / "emulator.db")
    yield Pushing(tmp_path, emulator)
    emulator.close()


def test_a_push_prints_nothing_and_returns_what_it_came_to(pushing, capfd):
    result, journal = pushing.run()
    assert (result.error, result.unsent, result.rejected) == (None, 0, 0)
    assert journal.totals == {"created": ROWS}
    progress = pushing.observer.progress  # what is on disk so far, after each batch and at the end
    assert len(progress) == 4 and progress == sorted(progress) and progress[-1] == ROWS
    assert capfd.readouterr() == ("", "")


def test_an_error_of_the_service_is_returned_and_the_next_run_resumes(pushing):
    pushing.emulator.faults = [parse_fault("PUT * status=503 times=1 retry-after=0")]
    result, journal = pushing.run()
    assert isinstance(result.error, UnavailableError) and journal.totals.total() < ROWS
    result, journal = pushing.run("j2", resume=True)
    assert result.error is None and journal.resumed and journal.job.job == "j1"
    assert journal.totals == {"created": ROWS}


def test_rejected_rows_reach_the_observer_with_their_lines_and_stop_the_push_where_asked(pushing):
    pushing.emulator.faults = [parse_fault("PUT * partial")]
    result, journal = pushing.run(max_errors=1)
    places = [place for place, _ in pushing.observer.rejections]
    assert places[0] == f"{pushing.path}:2" and len(places) == result.rejected
    assert result.unsent > 0 and result.unsent == ROWS - journal.totals.total()
    assert result.error is None
