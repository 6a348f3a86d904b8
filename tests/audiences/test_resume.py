"""A resumed user upload sends every person once, whatever has expired since it started."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import time_machine

from ads_cli.audiences.list_columns import ColumnOptions, ListColumns
from ads_cli.audiences.operations import ParamsResolver
from ads_cli.audiences.packing import PackingOptions
from ads_cli.audiences.plan import ListSettings
from ads_cli.audiences.upload import audience_upload
from ads_cli.runs.job import Acknowledgement, JobOptions
from tests.audiences.conftest import OPERATIONS, digest
from tests.stored import stored

PEOPLE, EXPIRING = 3 * OPERATIONS + 1, 20
PUSH = ("audiences", "push", "people.csv", "--audience", "aud", "-o", "json", "--concurrency", "1")
PUSH += ("--users-per-operation", "1", "--max-attempts", "1")
HOUR_SECONDS = 3600
EVERYBODY = {digest(f"user{number}@x.de") for number in range(PEOPLE)}


def in_an_hour() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def shop(remote, small_requests):
    """A shop whose list was sent up to the third of four requests; the first people expire in an hour."""
    expires = in_an_hour()
    rows = (f"user{n}@x.de,{expires if n < EXPIRING else ''}\n" for n in range(PEOPLE))
    remote.env["ADSCTL_ACCOUNT"] = "acc"
    remote.file("people.csv", "email,expires_at\n" + "".join(rows))
    return remote


def stop(shop, audience, *words: str) -> None:
    """Push until the service fails, after two requests."""
    audience.fails_after = 2
    shop(*PUSH, *words, code=8)
    audience.fails_after = None
    assert len(audience.users) == 2 * OPERATIONS


@pytest.mark.parametrize("words", [(), ("--skip-invalid",)])
def test_people_who_expired_since_the_start_do_not_shift_the_requests(shop, audience, words):
    stop(shop, audience, *words)
    with time_machine.travel(time.time() + 2 * HOUR_SECONDS, tick=True):
        done = shop(*PUSH, *words, "--resume")
    summary = json.loads(done.stdout)
    assert "resuming job" in done.stderr and audience.users == EVERYBODY
    assert (summary["accepted"], summary["failed"], summary["requests"]) == (PEOPLE, 0, 2)


def test_an_option_that_expired_since_the_start_does_not_prevent_a_resume(shop, audience):
    words = ("--expires-at", in_an_hour())
    stop(shop, audience, *words)
    with time_machine.travel(time.time() + 2 * HOUR_SECONDS, tick=True):
        assert "must be later than now" in shop(*PUSH, *words, code=2).stderr
        shop(*PUSH, *words, "--resume")
    assert audience.users == EVERYBODY


def test_people_who_expired_are_refused_where_the_file_has_changed(shop, audience):
    stop(shop, audience)
    shop.file("people.csv", (shop.home / "people.csv").read_text() + "late@x.de,\n")
    with time_machine.travel(time.time() + 2 * HOUR_SECONDS, tick=True):
        done = shop(*PUSH, "--resume", code=3)
    assert f"{EXPIRING:,} rows" in done.stderr and len(audience.bodies) == 2


def test_nobody_has_expired_by_a_clock_that_was_ahead_once_it_is_right(shop, audience):
    with time_machine.travel(time.time() + 14 * 365 * 24 * HOUR_SECONDS, tick=True):
        stop(shop, audience, "--skip-invalid")
    done = shop(*PUSH, "--skip-invalid", "--resume")
    assert audience.users == EVERYBODY and json.loads(done.stdout)["invalid"] == 0


def of_other_content(shop) -> None:
    for batch, answer in stored(shop, "SELECT batch, answer FROM sends WHERE answer IS NOT NULL"):
        ack = msgspec.structs.replace(msgspec.json.decode(answer, type=Acknowledgement), digest="")
        stored(shop, "UPDATE sends SET answer = ? WHERE batch = ?", msgspec.json.encode(ack).decode(), batch)


def of_the_other_batch(shop) -> None:
    for change in ("batch = batch - 2", "batch = -1 - batch"):
        stored(shop, f"UPDATE sends SET {change}")


@pytest.mark.parametrize("change", [of_other_content, of_the_other_batch])
def test_an_acknowledgement_of_something_else_does_not_count(shop, audience, change):
    stop(shop, audience)
    change(shop)
    audience.users.clear()
    summary = json.loads(shop(*PUSH, "--resume").stdout)
    assert audience.users == EVERYBODY
    assert (summary["accepted"], summary["requests"]) == (PEOPLE, 4)
    (job,) = json.loads(shop("jobs", "list", "-o", "json").stdout)
    assert (job["state"], job["acknowledged"]) == ("ended", 4)


TASK = {"ADSCTL_JOB_GROUP": "run-1"}  # as the tasks of a fleet have it that fill one list


@pytest.mark.parametrize(
    ("between", "env", "requests"),
    [
        (("other.csv",), TASK, 2),
        (("other.csv",), {}, 4),
        (("other.csv",), {"ADSCTL_JOB_GROUP": "run-2"}, 4),
        (("other.csv", "--operation", "delete", "--yes"), TASK, 4),
    ],
    ids=["a part", "another push", "a part of another run", "what removes people"],
)
def test_a_part_of_a_list_resumes_where_it_stopped_whatever_other_parts_have_added_since(
    shop, audience, between, env, requests
):
    shop.env |= TASK
    stop(shop, audience)
    shop.file("other.csv", "email\nother@x.de\n")
    shop("audiences", "push", *between, "--audience", "aud", **{"ADSCTL_JOB_GROUP": "", **env})
    assert json.loads(shop(*PUSH, "--resume").stdout)["requests"] == requests
    assert audience.users >= EVERYBODY


# A value of each option that changes the requests; the others say what a reading is for.
OTHERS = {"region": "DE", "users_per_operation": 5, "allow_clear_text": True, "keep_partial": True}
NO_REQUEST = {"sends", "key"}


def job_of(packing: PackingOptions, country: str | None = None) -> JobOptions:
    upload = audience_upload("acc", "aud")
    columns = ListColumns(ColumnOptions(country=country), upload.identifiers)
    settings = ListSettings(upload, columns, ParamsResolver.of_options({}), packing, Path())
    feed = SimpleNamespace(format_name="csv", encoding=None, options=SimpleNamespace(of_content={}))
    return settings.job_options(feed, ["phone_number", "Home"], skip_invalid=False)


def test_a_list_that_is_packed_otherwise_is_another_job():
    assert OTHERS.keys() == {*PackingOptions._fields} - NO_REQUEST
    plain = job_of(PackingOptions())
    same = [name for name, value in OTHERS.items() if job_of(PackingOptions(**{name: value})) == plain]
    assert same == [] and job_of(PackingOptions(), country="Home") != plain
