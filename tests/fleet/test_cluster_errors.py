"""What a fleet tells of a cluster that it cannot use, before anything runs."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from ads_cli.errors import StateError
from ads_cli.fleet.cluster_link import ALIKE, LostError, SchedulerLink
from ads_cli.fleet.records import RunId
from ads_cli.masking import secret_words
from tests.adsctl import TIMEOUT_SECONDS
from tests.ports import free_port

from .shops import NAMES, Company, Shops

SHOP, OTHER, NOBODYS = NAMES[:3]


@pytest.fixture(scope="module")
def company(tmp_path_factory, seeded_database) -> Iterator[Company]:
    """Two workers: one has a profile of its own, one is not signed in."""
    folder = tmp_path_factory.mktemp("company")
    emulator = Emulator(shutil.copyfile(seeded_database, folder / "service.db"))
    shops = Shops(emulator)
    with running(shops) as address, closing(Company(folder, shops, address, {})) as company:
        company.hire("w1", "--no-nanny", shops=[SHOP, OTHER])
        company.hire("w2", "--no-nanny", shops=[OTHER, NOBODYS], is_signed_in=False)
        company.wait_for_workers()
        yield company
    emulator.close()


@pytest.fixture
def shops(company) -> Iterator[Shops]:
    company.shops.forget()
    yield company.shops


def error_of(company: Company, fleet: str, code: int, *options: str, **words: str) -> dict:
    done = company.office(*company.words(fleet, **words), *options, code=code)
    return json.loads(done.stderr.splitlines()[-1])["error"]


def test_a_task_goes_to_the_worker_that_has_its_profile(company, shops):
    records = company.run(company.feeds([SHOP, OTHER], 25))
    assert [(record["status"], record["worker"]) for record in records] == [("ok", "w1")] * 2


def test_only_runs_a_task_anew_on_its_worker_and_a_resume_runs_none_again(company, shops):
    fleet = company.feeds([SHOP, OTHER], 25)
    company.run(fleet)
    company.run(fleet, "--only", SHOP)
    assert len(company.run(fleet, "--resume")) == 2
    assert [{*shops.sent(name).values()} for name in (SHOP, OTHER)] == [{2}, {1}]


def test_a_task_that_no_worker_can_run_fails_and_tells_why_of_each(company, shops, monkeypatch):
    monkeypatch.setattr("ads_cli.fleet.cluster.SETTLE_SECONDS", 0.5)
    ok, failed = company.run(company.feeds([SHOP, NOBODYS], 25), code=4)
    assert ok["status"] == "ok" and failed["exit_code"] == 4
    assert f"w1: there is no profile '{NOBODYS}'" in failed["error"]["message"]
    assert "w2: not signed in" in failed["error"]["message"]


def test_without_a_scheduler_a_fleet_ends_with_8_and_says_how_to_start_one(company, monkeypatch):
    monkeypatch.setattr("ads_cli.fleet.cluster_link.CONNECT_SECONDS", 0.5)
    address = f"tcp://127.0.0.1:{free_port()}"
    error = error_of(company, company.feeds([SHOP], 25), 8, scheduler=address)
    assert f"no Dask scheduler can be reached at {address}" in error["message"]
    assert "dask scheduler" in error["hint"]


def test_a_task_that_dask_has_cancelled_for_a_broken_connection_is_lost(company):
    with closing(SchedulerLink(company.cluster.address, "board")) as link:
        worker = next(address for address, _ in link.workers())
        link.submit(time.sleep, TIMEOUT_SECONDS, key="key", worker=worker)
        link._futures["key"].cancel()
        with pytest.raises(LostError, match="cancelled"):
            link.next_ended(TIMEOUT_SECONDS)


def test_a_worker_that_cannot_answer_is_unfit_and_one_that_is_gone_is_asked_later(company, monkeypatch):
    def survey(run, tasks, dask_worker):
        if dask_worker.name == "w1":
            raise ConnectionError
        raise KeyError("home")

    monkeypatch.setattr("ads_cli.fleet.cluster_link.survey", survey)
    with closing(SchedulerLink(company.cluster.address, "board")) as link:
        names = {address: name for (address, _), name in link.workers().items()}
        answers = link.survey(RunId("fleet", "run"), [], [*names])
    told = {names[address]: answer for address, answer in answers.items()}
    assert told == {"w2": "cannot run adsctl: 'home'"}


def test_a_worker_with_another_version_is_told_before_anything_runs(company, shops):
    other = company.folder / "other" / "ads_cli-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: ads-cli\nVersion: 9.9.9\n")
    path = f"{other.parent}:{company.office.environment['PYTHONPATH']}"
    worker = company.hire("w9", "--no-nanny", PYTHONPATH=path)
    company.wait_for_workers()
    error = error_of(company, company.feeds([SHOP], 25), 11)
    worker.end()
    del company.cluster.workers["w9"]
    assert "the worker w9 at tcp://" in error["message"] and "has adsctl 9.9.9 (here " in error["message"]
    assert "install the same version" in error["hint"]
    assert shops.puts == []


@pytest.mark.parametrize("package", ALIKE)
def test_a_version_that_is_unknown_here_is_not_taken_for_that_of_the_workers(company, monkeypatch, package):
    with closing(SchedulerLink(company.cluster.address, "board")) as link:
        versions = link._client.get_versions(packages=["ads-cli"])
        for side in (versions["client"], versions["scheduler"], *versions["workers"].values()):
            side["packages"] = dict(side["packages"], **{package: None})
        monkeypatch.setattr(link._client, "get_versions", lambda packages: versions)
        shown = f"the scheduler has {ALIKE[package]} unknown \\(here unknown"
        with pytest.raises(StateError, match=shown):
            link.survey(RunId("fleet", "run"), [], [address for address, _ in link.workers()])


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("a.csv --on-failure \"curl -H 'X-Api-Key: s3cret'\"", "X-Api-Key=***"),
        ("a.csv '--set=api_key=s3cret'", "api_key=***"),
        ("https://shop.example/feed.csv?key=s3cret", "https://shop.example/feed.csv?***"),
        ("a.csv --on-failure 'true https://hook.example/?s3cret'", "true https://hook.example/?***"),
        ("a.csv '--on-failure=true https://hook.example/?s3cret'", "true https://hook.example/?***"),
    ],
)
def test_a_command_with_a_secret_is_not_sent_through_the_scheduler(company, shops, options, shown):
    run = {"name": "nord", "profile": SHOP, "run": f"products push {options}"}
    fleet = str(company.office.file("secret.yaml", json.dumps({"tasks": [run]})))
    error = error_of(company, fleet, 2)
    assert "s3cret" not in json.dumps(error)
    assert "task 'nord': " in error["message"] and f"{shown} may hold a secret" in error["message"]
    assert "the workers" in error["hint"]
    assert b"s3cret" not in company.cluster.log.read_bytes()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["api", "POST", "/x", "-H", "X-Api-Key: s3cret"], "X-Api-Key:***"),
        (["api", "POST", "/x", "-HX-Shop:s3cret"], "-HX-Shop:***"),
        (["api", "POST", "/x", "-H", "Cookie: a=s3cret"], "Cookie:***"),
        (["api", "POST", "/x", "-f", "api_key=s3cret"], "api_key=***"),
        (["api", "POST", "/x?sig=s3cret"], "sig=***"),
        (["api", "POST", "/x", "-F", 'a={"session_key": "s3cret"}'], "session_key=***"),
        (["api", "POST", "/x", "--form=clientSecret=s3cret"], "clientSecret=***"),
    ],
)
def test_words_that_hold_a_secret_are_found_and_shown_without_it(words, shown):
    assert [*secret_words(words)] == [shown]


def test_words_that_hold_no_secret_are_not_taken_for_one():
    words = [
        "api",
        "POST",
        "/x?name=a",
        "-H",
        "Accept-Language: de",
        "-f",
        "media_key=3_1",
        "-F",
        'a={"key": 1}',
    ]
    assert not [*secret_words([*words, "--token-store=file", "--name", "Forgot your password: click"])]


def test_what_counts_each_time_it_is_sent_does_not_run_on_a_cluster(company):
    company.office.file("orders.csv", "conversion_time,event_id,email\n2026-03-01T09:00:00Z,o3f71,a@x.de\n")
    run = {"name": "orders", "profile": SHOP, "run": "conversions send orders.csv --pixel o8z6j"}
    fleet = str(company.office.file("orders.yaml", json.dumps({"tasks": [run]})))
    error = error_of(company, fleet, 2)
    assert "task 'orders': what a lost worker had sent would be sent, and counted, again" in error["message"]
    assert "without --engine" in error["hint"]


def test_the_engine_and_its_scheduler_belong_together(adsctl):
    fleet = adsctl.file("fleet.yaml", "tasks: [{name: a, run: products check feed.csv}]\n")
    lacking = adsctl("fleet", "run", fleet, "--engine", "dask", code=2).stderr
    assert "--engine dask needs --scheduler ADDRESS" in lacking
    alone = adsctl("fleet", "run", fleet, "--scheduler", "tcp://127.0.0.1:1", code=2).stderr
    assert "--scheduler is that of --engine dask" in alone
