"""The stream of events: lines, heartbeats, faults, and the connections that it has."""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from urllib.parse import urlencode, urlsplit

import pytest

from ads_cli.emulator.core.faults import parse_fault
from ads_cli.emulator.deliveries import stream
from tests.adsctl import wait_until

USER = "1184672519"
TIMEOUT_SECONDS = 20.0


@pytest.fixture
def emulator(service):
    """The served emulator, which the commands of `adsctl` are signed in to."""
    return service.emulator


@contextmanager
def opened(service, **params: str) -> Iterator[HTTPResponse]:
    parts = urlsplit(service.address)
    with closing(HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_SECONDS)) as connection:
        token = service.emulator.bearer_token()
        path = f"/2/activity/stream?{urlencode(params)}" if params else "/2/activity/stream"
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        with closing(connection.getresponse()) as response:
            yield response


def event(response: HTTPResponse) -> dict:
    """Return the next line that is no heartbeat."""
    while True:
        line = response.readline()
        assert line.endswith(b"\r\n"), line
        if line.strip():
            return json.loads(line)


def trigger(adsctl, *words: str, code: int = 0) -> list[dict]:
    done = adsctl("emulator", "trigger", *words, "--retry-delays", "", "-o", "json", code=code)
    rows = json.loads(done.stdout) if done.stdout else []
    return [row for row in rows if row["receiver"].startswith("stream")]


def connections(adsctl, status: str = "active") -> list[dict]:
    return json.loads(adsctl("events", "connections", "list", "--status", status, "-o", "json").stdout)


def test_an_open_stream_gets_the_events_that_the_app_is_subscribed_to(adsctl, service):
    with opened(service) as response:
        assert response.status == 200 and response.readline() == b"\r\n"
        (row,) = trigger(adsctl, "follow.follow")
        assert (row["outcome"], row["answer"]) == ("sent", "written to the connection")
        data = event(response)["data"]
        assert data["event_uuid"] == row["event_uuid"] and data["filter"] == {"user_id": USER}
        assert trigger(adsctl, "follow.follow", "--user-id", "5", code=5) == []
        trigger(adsctl, "post.create", "--duplicates", "1")
        assert event(response) == event(response)


def test_private_kinds_come_over_the_stream_too(adsctl, service):
    adsctl("events", "subscribe", "dm.received", "--user-id", USER, "--yes")
    with opened(service) as response:
        response.readline()
        trigger(adsctl, "dm.received")
        assert "direct_message_events" in event(response)["data"]["payload"]


def test_a_stream_without_events_has_empty_lines(service, monkeypatch):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.1)
    with opened(service) as response:
        assert [response.readline() for _ in range(4)] == [b"\r\n"] * 4


def test_a_third_connection_is_one_too_many(adsctl, service):
    with opened(service) as one, opened(service) as other, opened(service) as third:
        assert (one.status, other.status, third.status) == (200, 200, 429)
        problem = json.loads(third.read())
        assert problem["type"].endswith("/streaming-connection")
        assert problem["connection_issue"] == "TooManyConnections"
        assert len(connections(adsctl)) == 2


def test_a_connection_ends_when_its_client_hangs_up(adsctl, service):
    with opened(service) as response:
        response.readline()
        (connection,) = connections(adsctl)
        assert connection["client_ip"] == "127.0.0.1" and "disconnected_at" not in connection
    wait_until(lambda: not connections(adsctl), "the connection is still open")
    (ended, *_) = connections(adsctl, "inactive")
    assert ended["id"] == connection["id"] and ended["disconnect_reason"] == "client_disconnect"


@pytest.mark.parametrize("reason", ["OperationalDisconnect", "SlowReader"])
def test_a_stream_ends_with_a_reason(adsctl, service, reason):
    with opened(service) as response:
        response.readline()
        (row,) = trigger(adsctl, "disconnect", "--reason", reason)
        assert row["outcome"] == "sent"
        (problem,) = event(response)["errors"]
        assert problem["disconnect_type"] == reason and problem["title"] == "operational-disconnect"
        assert response.read() == b""
    assert connections(adsctl, "inactive")[0]["disconnect_reason"] == reason


@pytest.mark.parametrize("how", ["by id", "all"])
def test_a_connection_that_is_deleted_ends(adsctl, service, how):
    with opened(service) as response:
        response.readline()
        (connection,) = connections(adsctl)
        words = ("--all",) if how == "all" else (connection["id"],)
        done = json.loads(adsctl("events", "connections", "delete", *words, "--yes", "-o", "json").stdout)
        assert (done["successful_kills"], done["failed_kills"]) == (1, 0)
        assert event(response)["errors"][0]["disconnect_type"] == "ForceDisconnect"
        assert response.read() == b""
    (ended, *_) = connections(adsctl, "inactive")
    assert ended["disconnect_reason"] == "operator_disconnect"
    message = adsctl("events", "connections", "delete", connection["id"], "--yes", code=5).stderr
    assert "1 were not closed" in message


def test_connections_of_another_stream_stay_open(adsctl, service):
    with opened(service) as response:
        response.readline()
        adsctl("events", "connections", "delete", "--endpoint", "filtered_stream", "--yes")
        assert len(connections(adsctl)) == 1
    message = adsctl("events", "connections", "delete", "--yes", code=2).stderr
    assert "--endpoint" in message and "--all" in message


@pytest.mark.parametrize(("fault", "begins"), [("silence", b""), ("half-line", b'{"data":')])
def test_a_stream_falls_silent(adsctl, service, monkeypatch, fault, begins):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.1)
    with opened(service) as response:
        response.readline()
        trigger(adsctl, fault)
        trigger(adsctl, "follow.follow")
        response.fp.raw._sock.settimeout(0.4)
        received = b""
        with pytest.raises(TimeoutError):
            while True:
                received += response.read1(1)
        assert received.lstrip(b"\r\n").startswith(begins) and b"follow" not in received
        assert not received.lstrip(b"\r\n").endswith(b"\n")


def test_no_stream_is_open(adsctl, service):
    assert "events listen" in adsctl("emulator", "trigger", "disconnect", code=5).stderr


def test_a_stream_repeats_the_events_of_some_minutes(adsctl, service):
    last = "SELECT max(seq) FROM events WHERE kind = 'event'"

    def aged(minutes: float) -> str:
        trigger(adsctl, "post.create")
        with service.emulator.store.transaction() as connection:
            query = f"UPDATE events SET at = ? WHERE seq = ({last})"
            connection.execute(query, (time.time() - 60 * minutes,))
        body = service.emulator.store.value(f"SELECT body FROM events WHERE seq = ({last})")
        return json.loads(body)["data"]["event_uuid"]

    older, newer = aged(8), aged(2)
    with opened(service, backfill_minutes="5") as response:
        assert event(response)["data"]["event_uuid"] == newer
        (row,) = trigger(adsctl, "post.create")
        assert event(response)["data"]["event_uuid"] == row["event_uuid"]
    now = time.time()

    def moment(minutes: int) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 60 * minutes))

    with opened(service, start_time=moment(10), end_time=moment(1)) as response:
        assert [event(response)["data"]["event_uuid"] for _ in range(2)] == [older, newer]
        assert response.read() == b""  # such a stream ends
    assert connections(adsctl, "inactive")[0]["disconnect_reason"] == "completed"
    for params in (
        {"backfill_minutes": "6"},
        {"start_time": moment(25 * 60)},
        {"end_time": moment(5)},
        {"start_time": moment(5), "end_time": moment(6)},
    ):
        with opened(service, **params) as response:
            assert response.status == 400
            assert json.loads(response.read())["type"].endswith("/invalid-request")


def test_a_fault_breaks_a_stream(service):
    service.emulator.faults = [parse_fault("GET /2/activity/stream truncate")]
    with opened(service) as response, pytest.raises(IncompleteRead):
        assert "X-Emulator-Fault" not in response.headers and response.readline() == b"\r\n"
        response.read()
    service.emulator.faults = [parse_fault("GET /2/activity/stream reset-after")]
    with pytest.raises(ConnectionError), opened(service):
        pass
    service.emulator.faults = [parse_fault("GET /2/activity/stream status=503")]
    with opened(service) as response:
        assert response.status == 503


def test_a_stream_takes_the_token_of_the_app_alone(service):
    parts = urlsplit(service.address)
    with closing(HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_SECONDS)) as connection:
        connection.request("GET", "/2/activity/stream", headers={"Authorization": "Bearer other"})
        assert connection.getresponse().status == 401


def test_a_stream_of_this_process_has_the_events_of_another_one(adsctl, emulator, monkeypatch):
    """As with the profile `local`, where no server is between."""
    lines = stream.lines(
        emulator.store,
        emulator.credentials.consumer_key,
        str(stream.open_connection(emulator.store, emulator.credentials.consumer_key, "127.0.0.1")),
        None,
        None,
    )
    assert next(lines) == b"\r\n"
    adsctl(
        "emulator", "trigger", "post.create", "--retry-delays", "", code=9
    )  # the stream is not read meanwhile
    line = next(filter(None, lines))
    assert json.loads(line)["data"]["event_type"] == "post.create"
    lines.close()
    assert connections(adsctl) == []


def test_a_connection_whose_process_is_gone_is_closed(adsctl, emulator):
    app = emulator.credentials.consumer_key
    id = stream.open_connection(emulator.store, app, "127.0.0.1")
    emulator.store.update(stream.CONNECTION, id, {"alive_at": time.time() - 60}, owner=app)
    assert connections(adsctl) == []
    assert connections(adsctl, "inactive")[0]["id"] == id
