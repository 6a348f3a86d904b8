"""`webhooks replay` delivers the events of a time again."""

import json
import time
from datetime import UTC, datetime, timedelta

import pytest
from werkzeug import Response

from ads_cli.emulator.deliveries import replay

USER = "1184672519"


def minute(ago: timedelta) -> str:
    return f"{datetime.now(UTC) - ago:%Y%m%d%H%M}"


def times(first: timedelta, last: timedelta) -> tuple[str, ...]:
    return ("--from-date", minute(first), "--to-date", minute(last))


HOUR = timedelta(hours=1)
DURING = times(HOUR, HOUR / 3)


@pytest.fixture
def delivered(adsctl, emulator, receiver, webhook) -> list[str]:
    """The ids of two events that were delivered an hour and half an hour ago, and of one of yesterday."""
    subscribe = ("events", "subscribe", "post.create", "--user-id", USER, "--webhook", webhook, "--yes")
    adsctl.local(*subscribe)
    for _ in range(4):
        adsctl.local("emulator", "trigger", "post.create")
    ids = [message["data"]["event_uuid"] for message in receiver.messages]
    with emulator.store.transaction() as connection:
        query = "SELECT seq FROM events WHERE webhook = ? ORDER BY seq"
        rows = connection.execute(query, (webhook,)).fetchall()
        ages = (20 * 3600, 3000, 2400, 60)
        for (seq,), age in zip(rows, ages, strict=True):
            connection.execute("UPDATE events SET at = ? WHERE seq = ?", (time.time() - age, seq))
    receiver.bodies.clear()
    receiver.headers.clear()
    receiver.challenges.clear()
    return ids[1:3]


def test_the_events_of_a_time_are_delivered_again_oldest_first(adsctl, receiver, webhook, delivered):
    job = json.loads(adsctl.local("webhooks", "replay", "--webhook", webhook, *DURING, "-o", "json").stdout)
    *events, last = receiver.messages
    assert [event["data"]["event_uuid"] for event in events] == delivered
    status = last["replay_job_status"]
    assert (status["job_id"], status["webhook_id"]) == (job["job_id"], webhook)
    assert status["job_state"] == "Complete"
    assert receiver.signatures == ["valid"] * 3 and len(receiver.challenges) == 1


def test_what_fails_again_is_not_retried_and_leaves_the_job_incomplete(adsctl, receiver, webhook, delivered):
    receiver.statuses = [500]
    adsctl.local("webhooks", "replay", "--webhook", webhook, *DURING)
    assert len(receiver.bodies) == 3
    assert receiver.messages[-1]["replay_job_status"]["job_state"] == "Incomplete"


def test_a_receiver_that_fails_the_challenge_gets_nothing_again(adsctl, receiver, webhook, delivered):
    receiver.answer = Response("{}")
    words = ("webhooks", "replay", "--webhook", webhook, *DURING)
    assert "CrcValidationFailed" in adsctl.local(*words, code=6).stderr and not receiver.bodies
    receiver.answer = None
    adsctl.local(*words)  # the failed one has ended


def test_one_replay_of_a_webhook_runs_at_a_time(service, adsctl):
    webhook = "1790415000000000101"
    words = ("webhooks", "replay", "--webhook", webhook, *DURING)
    running = replay.begin(service.emulator.store, webhook)
    message = adsctl(*words, code=6).stderr
    assert "ReplayConflictError" in message and "is running" in message
    running.end()
    adsctl(*words)


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        (timedelta(minutes=20), timedelta(minutes=12), "from_date"),
        (timedelta(hours=25), timedelta(hours=24), "from_date"),
        (timedelta(minutes=50), timedelta(minutes=2), "to_date"),
        (timedelta(minutes=50), timedelta(minutes=55), "to_date"),
        (timedelta(hours=5), timedelta(hours=2), "to_date"),
    ],
)
def test_a_time_that_cannot_be_replayed_is_refused(adsctl, first, last, field):
    words = ("--webhook", "1790415000000000101", *times(first, last))
    message = adsctl.local("webhooks", "replay", *words, code=6).stderr
    assert "QueryParamInvalid" in message and f"parameter {field}" in message and "2 hours" in message


def test_a_minute_is_twelve_digits(adsctl):
    words = ("webhooks", "replay", "--webhook", "1790415000000000101", "--to-date", "202603010900")
    assert "yyyymmddhhmm" in adsctl.local(*words, "--from-date", "2026-03-01", code=2).stderr
    assert "QueryParamInvalid" in adsctl.local(*words, "--from-date", "202613010900", code=6).stderr
    assert "WebhookIdInvalid" in adsctl.local("webhooks", "replay", "--webhook", "5", *DURING, code=6).stderr
