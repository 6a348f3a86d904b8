"""A job is resumed, and the sync state used, only where nothing else can have changed the catalog since."""

import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing

import pytest
import time_machine

from ads_cli.store import database
from tests.conftest import PRODUCT, feed
from tests.effort import tries
from tests.products.stopping import list_jobs, run
from tests.stored import stored

ROWS, BATCHES, STOP_AT = 100, 4, 2
WINTER, SPRING = "Winter mug", "Spring mug"
SUPERSEDED = "something else may have been sent to the same place since the unfinished push"
DAY_SECONDS = 24 * 3600


@pytest.fixture
def unfinished(adsctl, service):
    """Winter's feed, of which two of four batches are acknowledged; spring's feed has the same ids."""
    adsctl.file("winter.csv", feed(ROWS, title=WINTER))
    adsctl.file("spring.csv", feed(ROWS, title=SPRING))
    stop_in_the_middle(adsctl, service, "winter.csv")
    return adsctl


def stop_in_the_middle(adsctl, service, file: str, *words: str) -> None:
    """Push until the service fails, after some batches."""
    begin = len(service.puts)
    service.before = lambda put: service.fail("PUT * status=503") if put - begin == STOP_AT else None
    options = ("--concurrency", "1", "--max-attempts", "1")
    adsctl("products", "push", file, *options, *words, code=8)
    service.before = lambda put: None
    service.fail()


def push(adsctl, *words: str, code: int = 0, **env: str):
    done = adsctl("products", "push", *words, "-o", "json", code=code, **env)
    return json.loads(done.stdout), done.stderr


def ours(service) -> set[str]:
    """The titles of the rows of the feed."""
    return {p["title"] for p in service.emulator.data.products() if p["id"].startswith("sku-")}


def by_push(adsctl, service) -> None:
    push(adsctl, "spring.csv")


def with_the_clock_set_back(adsctl, service) -> None:
    with time_machine.travel(time.time() - DAY_SECONDS, tick=True):
        push(adsctl, "spring.csv")


def applied_though_the_answer_was_lost(adsctl, service) -> None:
    service.fail("PUT * reset-after")
    push(adsctl, "spring.csv", "--max-attempts", "1", code=8)
    service.fail()


def by_api(adsctl, service) -> None:
    product = PRODUCT | {"id": "sku-3", "title": SPRING}
    adsctl.file("products.json", json.dumps({"products": [product]}))
    path = f"/12/product_catalogs/{service.emulator.catalog}/products"
    adsctl("api", "PUT", path, "--input", "products.json")


def by_delete(adsctl, service) -> None:
    keys = [p["product_key"] for p in service.emulator.data.products() if p["id"] in ("sku-3", "sku-4")]
    adsctl("products", "delete", *keys, "--yes")


def before_an_older_copy_of_the_state_folder_was_restored(adsctl, service) -> None:
    state, copy = adsctl.home / "state", adsctl.home / "copy"
    shutil.copytree(state, copy)
    push(adsctl, "winter.csv", "--resume")
    push(adsctl, "spring.csv")
    shutil.rmtree(state)
    shutil.copytree(copy, state)


CHANGES = [
    by_push,
    with_the_clock_set_back,
    applied_though_the_answer_was_lost,
    by_api,
    by_delete,
    before_an_older_copy_of_the_state_folder_was_restored,
]
# Both ways to name a job ask the same question about what was sent since.
NAMED = [("--resume", change) for change in CHANGES] + [
    ("--job", change) for change in CHANGES[: tries(1, 6)]
]


@pytest.mark.parametrize(("how", "change"), NAMED)
def test_a_push_starts_from_the_beginning_where_something_else_was_sent(unfinished, service, change, how):
    (job,) = list_jobs(unfinished)
    change(unfinished, service)
    named = [job] * (how == "--job")
    summary, said = push(unfinished, "winter.csv", how, *named)
    assert f"starting from the beginning: {SUPERSEDED}" in said
    assert summary["requests"] == BATCHES and ours(service) == {WINTER} and len(service.stored) == ROWS


@pytest.mark.parametrize("days", [0, 31])
def test_a_removed_job_is_not_needed_to_know_that_something_else_was_sent(unfinished, service, days):
    (winter,) = list_jobs(unfinished)
    push(unfinished, "spring.csv")
    stored(unfinished, "DELETE FROM runs WHERE id != ?", winter)
    stored(unfinished, "UPDATE runs SET used = used - ?", days * DAY_SECONDS)
    summary, said = push(unfinished, "winter.csv", "--resume")
    assert "starting from the beginning" in said
    assert summary["requests"] == BATCHES and ours(service) == {WINTER}


def test_a_job_is_resumed_where_nothing_else_was_sent(unfinished, service):
    unfinished("catalog", "rename", service.emulator.catalog, "--name", "Renamed")
    unfinished("products", "list")
    unfinished.file("products.json", json.dumps({"products": [PRODUCT | {"id": "sku-3"}]}))
    path = f"/12/product_catalogs/{service.emulator.catalog}/products"
    unfinished("api", "PUT", path, "--input", "products.json", "--dry-run")
    summary, said = push(unfinished, "winter.csv", "--resume")
    assert "resuming job" in said and summary["requests"] == BATCHES - STOP_AT


def test_a_request_of_api_that_fails_ends_the_epoch_too(unfinished, service):
    unfinished.file("products.json", json.dumps({"products": [PRODUCT]}))
    service.fail("PUT * status=400")
    path = f"/12/product_catalogs/{service.emulator.catalog}/products"
    unfinished("api", "PUT", path, "--input", "products.json", code=6)
    service.fail()
    assert SUPERSEDED in push(unfinished, "winter.csv", "--resume")[1]


def test_a_push_that_begins_while_another_runs_is_not_resumed(adsctl, service):
    """The other one may overwrite what this one has sent, also after this one was stopped."""
    adsctl.file("winter.csv", feed(ROWS, title=WINTER))
    adsctl.file("spring.csv", feed(ROWS, title=SPRING))
    winter_waits, spring_stopped = threading.Event(), threading.Event()

    def before(put: int) -> None:
        if put == 0:
            winter_waits.set()
            spring_stopped.wait(60)

    service.before = before
    winter = adsctl.beside("products", "push", "winter.csv", "--concurrency", "1")
    assert winter_waits.wait(60)
    service.puts.append([])  # winter's first request
    stop_in_the_middle(adsctl, service, "spring.csv")
    spring_stopped.set()
    winter.communicate(timeout=60)
    assert winter.returncode == 0 and ours(service) == {WINTER}
    summary, said = push(adsctl, "spring.csv", "--resume")
    assert SUPERSEDED in said and summary["requests"] == BATCHES and ours(service) == {SPRING}


def test_a_superseded_job_is_listed_so_and_removed_with_the_ended_ones(unfinished, service):
    push(unfinished, "spring.csv")
    listed = json.loads(unfinished("jobs", "list", "-o", "json").stdout)
    assert [job["state"] for job in listed] == ["superseded", "ended"]
    assert "2 jobs removed" in unfinished("jobs", "clean").stderr


def test_another_push_while_a_file_is_validated_sends_nothing_of_a_selection(adsctl, service, monkeypatch):
    from ads_cli.products import selection

    adsctl.file("winter.csv", feed(ROWS, title=WINTER))
    push(adsctl, "winter.csv", "--changed")
    adsctl.file("winter.csv", feed(ROWS, title=WINTER) + feed(ROWS + 1).splitlines()[-1] + "\n")
    read_index = selection.read_index

    def read_then_push(*arguments):
        index = read_index(*arguments)
        if index[1]:
            monkeypatch.undo()
            adsctl.file("spring.csv", feed(ROWS, title=SPRING))
            assert run(adsctl, "products", "push", "spring.csv")[0] == 0
        return index

    monkeypatch.setattr(selection, "read_index", read_then_push)
    before = len(service.puts) + BATCHES
    done = adsctl("products", "push", "winter.csv", "--changed", code=11)
    assert "while winter.csv was validated" in done.stderr and len(service.puts) == before
    push(adsctl, "winter.csv", "--changed")
    assert ours(service) - {PRODUCT["title"]} == {WINTER}


def test_the_sync_state_of_an_older_copy_of_the_state_folder_is_not_used(adsctl, service):
    adsctl.file("winter.csv", feed(ROWS, title=WINTER))
    adsctl.file("spring.csv", feed(ROWS, title=SPRING))
    push(adsctl, "winter.csv", "--changed")
    state, copy = adsctl.home / "state", adsctl.home / "copy"
    shutil.copytree(state, copy)
    push(adsctl, "spring.csv", "--changed")
    shutil.rmtree(state)
    shutil.copytree(copy, state)
    summary, said = push(adsctl, "winter.csv", "--changed")
    assert summary["skipped"] == 0 and ours(service) == {WINTER}
    assert "something else may have changed this catalog since the last push: every row is sent" in said


def test_an_epoch_that_cannot_be_ended_stops_the_request(unfinished, service, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    unfinished.file("products.json", json.dumps({"products": [PRODUCT]}))
    path = f"/12/product_catalogs/{service.emulator.catalog}/products"
    before = len(service.puts)
    with closing(sqlite3.connect(unfinished.home / "state" / "state.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        done = unfinished("api", "PUT", path, "--input", "products.json", code=11)
    assert "was locked by another process" in done.stderr and len(service.puts) == before
