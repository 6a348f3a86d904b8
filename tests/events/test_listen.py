"""events listen: each event once, over one connection after the other, until a reason ends it."""

import json
import signal
import socket
import threading
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.events import stream as stream_limits
from ads_cli.events.event import MAX_EVENT_BYTES
from ads_cli.events.lines import LineCutter, TooLongLine
from ads_cli.webhooks.signature import LEGACY_HEADER, WebhookKeys, check_delivery
from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.conftest import SECRETS
from tests.events.receivers import receiver
from tests.events.stream import refuses, sends, stream_service, waits
from tests.events.webhook import event
from tests.raw_service import raw_service

END = b"\r\n"
PROBLEMS = "https://platform.example/problems/"


def ids(done) -> list[str]:
    return [json.loads(line)["data"]["event_uuid"] for line in done.stdout.splitlines()]


def disconnect(reason: str) -> bytes:
    problem = {
        "title": "operational-disconnect",
        "type": f"{PROBLEMS}operational-disconnect",
        "disconnect_type": reason,
        "detail": "This stream has been disconnected.",
    }
    return json.dumps({"errors": [problem]}).encode() + END


def too_many() -> dict:
    return {
        "title": "ConnectionException",
        "detail": "This stream is currently at the maximum allowed connection limit.",
        "connection_issue": "TooManyConnections",
        "type": f"{PROBLEMS}streaming-connection",
    }


def test_events_are_lines_of_json_and_heartbeats_are_not(adsctl, clock):
    pieces = (END, event("1", text="ä")[:20], event("1", text="ä")[20:] + END + END + event("2") + b"\n", END)
    with stream_service(adsctl, sends(*pieces, then=waits)) as service:
        done = adsctl("events", "listen", "--limit", "2")
    assert ids(done) == ["1", "2"]
    assert json.loads(done.stdout.splitlines()[0]) == json.loads(event("1", text="ä"))
    (request,) = service.requests
    assert request.startswith("GET /2/activity/stream HTTP/1.1") and "Bearer bearer-token" in request
    assert "user-agent: adsctl/" in request.lower()


def test_what_events_cost_is_said_once_before_it_starts(adsctl, clock):
    with stream_service(adsctl, sends(event("1") + END), sends(event("2") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "2")
        one = adsctl("events", "listen", "--limit", "1", "--kind", "post.create")
    assert done.stderr.count("costs 0.001 to 0.010 USD") == 1
    assert one.stderr.startswith("note: each delivered post.create costs 0.005 USD (August 2026)")
    local = adsctl.local("events", "listen", "--limit", "0", code=2)
    assert "USD" not in local.stderr


def test_a_closed_stream_is_opened_again_at_once_and_no_event_comes_twice(adsctl, clock):
    first, again = event("1") + END + event("2") + END, event("2") + END + event("3") + END
    with stream_service(adsctl, sends(first), sends(again, then=waits)) as service:
        done = adsctl("events", "listen", "--limit", "3")
    assert ids(done) == ["1", "2", "3"]
    assert "the service closed the stream without a reason; reconnecting at once" in done.stderr
    assert [("backfill_minutes=1" in request) for request in service.requests] == [False, True]


def test_the_same_id_with_another_content_is_dropped_and_said(adsctl, clock):
    content = event("1", text="a") + END + event("1", text="b") + END + event("2") + END
    with stream_service(adsctl, sends(content, then=waits)):
        done = adsctl("events", "listen", "--limit", "2")
    assert ids(done) == ["1", "2"]
    assert "post.create 1: dropped, since its id is that of an earlier event" in done.stderr


def test_events_without_an_id_are_all_printed(adsctl, clock):
    with stream_service(adsctl, sends((event("") + END) * 2, then=waits)):
        assert len(adsctl("events", "listen", "--limit", "2").stdout.splitlines()) == 2


def test_the_first_events_are_those_of_the_last_minutes_where_that_is_asked_for(adsctl, clock):
    with stream_service(adsctl, sends(event("1") + END, then=waits)) as service:
        adsctl("events", "listen", "--limit", "1", "--backfill", "5")
        assert "more than" not in adsctl("events", "listen", "--backfill", "6", code=2).stdout
    assert "backfill_minutes=5" in service.requests[0]


def test_where_the_app_may_not_have_events_repeated_the_stream_is_opened_without(adsctl, clock):
    problem = {"title": "Invalid Request", "detail": "backfill", "type": f"{PROBLEMS}invalid-request"}
    answers = (sends(event("1") + END), refuses(400, problem), sends(event("2") + END))
    answers += (sends(event("3") + END, then=waits),)
    with stream_service(adsctl, *answers) as service:
        done = adsctl("events", "listen", "--limit", "3")
    assert ids(done) == ["1", "2", "3"]
    assert done.stderr.count("the service repeats no events for this app; those of a gap are missing") == 1
    assert [("backfill" in request) for request in service.requests] == [False, True, False, False]


def test_failures_are_waited_for_as_the_service_advises(adsctl, clock):
    answers = [refuses(503, {})] * 3 + [refuses(429, too_many())] * 2 + [sends(event("1") + END, then=waits)]
    with stream_service(adsctl, *answers):
        done = adsctl("events", "listen", "--limit", "1")
    waited = [line.rpartition("; reconnecting ")[2] for line in done.stderr.splitlines() if "reconn" in line]
    assert waited == ["in 5 s", "in 10 s", "in 20 s", "in 60 s", "in 120 s"]
    assert clock.skipped == pytest.approx(215, abs=1)


def test_connections_that_fail_are_waited_for_a_little_longer_each_time(adsctl, clock):
    answers = [lambda connection: None] * 4 + [sends(event("1") + END, then=waits)]
    with stream_service(adsctl, *answers):
        done = adsctl("events", "listen", "--limit", "1")
    waited = [line.rpartition("; reconnecting ")[2] for line in done.stderr.splitlines() if "reconn" in line]
    assert waited == ["at once", "in 0.25 s", "in 0.5 s", "in 0.75 s"]


def test_a_limit_whose_end_is_stated_is_waited_for_until_then(adsctl, clock):
    limited = refuses(429, {"errors": [{"code": 88, "message": "Rate limit exceeded"}]}, Retry_After=30)
    with stream_service(adsctl, limited, sends(event("1") + END, then=waits)):
        assert "reconnecting in 30 s" in adsctl("events", "listen", "--limit", "1").stderr


@pytest.mark.parametrize(
    ("status", "body", "code", "message"),
    [
        (429, too_many(), 7, "TooManyConnections"),
        (503, {}, 8, "--max-wait is over"),
        (401, {"title": "Unauthorized", "type": "about:blank", "status": 401}, 4, "Unauthorized"),
        (403, {"title": "Forbidden", "type": f"{PROBLEMS}client-forbidden"}, 4, "Forbidden"),
        (404, {"errors": [{"message": "no such stream"}]}, 5, "no such stream"),
        (400, too_many() | {"connection_issue": "RulesInvalidIssue"}, 6, "RulesInvalidIssue"),
        (307, {}, 8, "the service redirects to another address"),
        (204, {}, 8, "is not understood"),
    ],
)
def test_a_refusal_ends_with_its_code(adsctl, clock, status, body, code, message):
    with stream_service(adsctl, refuses(status, body, Location="https://elsewhere.example/")):
        done = adsctl("events", "listen", code=code)
    assert message in done.stderr and done.stdout == ""
    assert clock.skipped <= 900.5


def test_without_the_token_of_the_app_nothing_is_opened(adsctl, clock):
    with stream_service(adsctl, waits) as service:
        del adsctl.env["ADSCTL_BEARER_TOKEN"]
        assert "adsctl auth bearer issue" in adsctl("events", "listen", code=4).stderr
    assert service.accepted == 0


@pytest.mark.parametrize("reason", ["ForceDisconnect", "InvalidRules", "ClientApplicationStateDegraded"])
def test_a_disconnection_that_would_come_again_ends_it(adsctl, clock, reason):
    with stream_service(adsctl, sends(event("1") + END, disconnect(reason))) as service:
        done = adsctl("events", "listen", code=6)
    assert reason in done.stderr and ids(done) == ["1"] and service.accepted == 1


@pytest.mark.parametrize(
    "reason", ["OperationalDisconnect", "UpstreamUncleanDisconnect", "SlowReader", "New"]
)
def test_any_other_disconnection_is_followed_by_a_new_connection(adsctl, clock, reason):
    with stream_service(adsctl, sends(disconnect(reason)), sends(event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1")
    assert f"the service ended the stream: {reason}; reconnecting" in done.stderr and ids(done) == ["1"]


def test_a_used_up_quota_ends_it_as_a_limit(adsctl, clock):
    problem = {"title": "UsageCapExceeded", "type": f"{PROBLEMS}usage-capped", "detail": "cap reached"}
    with stream_service(adsctl, sends(json.dumps({"errors": [problem]}).encode() + END)):
        assert "cap reached" in adsctl("events", "listen", code=7).stderr


def test_a_missed_heartbeat_opens_the_stream_again(adsctl, clock, monkeypatch):
    monkeypatch.setattr(stream_limits, "SILENCE_SECONDS", 0.2)
    with stream_service(adsctl, sends(END, then=waits), sends(event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1")
    assert "the stream was silent for 0.2 s; reconnecting at once" in done.stderr and ids(done) == ["1"]


def test_half_a_line_whose_bytes_come_for_an_hour_opens_the_stream_again(adsctl, clock):
    def trickles(connection: socket.socket) -> None:
        while True:
            clock.skipped += 5  # within the time of a heartbeat
            connection.sendall(b"1\r\n \r\n")
            threading.Event().wait(0.01)

    answers = (sends(b'{"data":', then=trickles), sends(event("1") + END, then=waits))
    with stream_service(adsctl, *answers):
        done = adsctl("events", "listen", "--limit", "1")
    assert "the stream stopped in the middle of a line; reconnecting" in done.stderr and ids(done) == ["1"]


def test_a_line_that_is_too_long_is_dropped_and_said(adsctl, clock):
    long = b'{"data":"' + b"a" * MAX_EVENT_BYTES + b'"}' + END
    with stream_service(adsctl, sends(long, event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1")
    assert ids(done) == ["1"]
    assert "an event was dropped: its line has more than 4,194,304 bytes" in done.stderr


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"data": "\xf0\x9f"}', "it is not UTF-8 at byte 11"),
        (b"<html>", "it is not JSON"),
        (b"[]", "it is not an object"),
    ],
)
def test_a_line_that_cannot_be_read_is_dropped_and_said(adsctl, clock, line, reason):
    with stream_service(adsctl, sends(line + END + event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1")
    assert f"a line of the stream was dropped: {reason}" in done.stderr and ids(done) == ["1"]


def test_only_the_kinds_that_are_named_are_printed(adsctl, clock):
    kinds = ("post.create", "like.create", "chat.conversation_join", "of.tomorrow")
    content = END.join(event(kind, kind) for kind in kinds) + END
    with stream_service(adsctl, sends(content * 2, then=waits)):
        named = ("--kind", "like.create", "--kind", "chat.conversation.join")
        done = adsctl("events", "listen", *named, "--limit", "2")
        assert ids(done) == ["like.create", "chat.conversation_join"]
        assert ids(adsctl("events", "listen", "--limit", "4")) == [*kinds]
    refused = adsctl("events", "listen", "--kind", "post.creat", code=2).stderr
    assert "'post.creat' is not a kind of events; did you mean 'post.create'?" in refused


def test_events_are_forwarded_as_they_came_and_signed_as_deliveries(adsctl, clock):
    with receiver() as (server, url), stream_service(adsctl, sends(event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1", "--forward-to", url)
    ((body, headers),) = server.received
    assert body == event("1")
    keys = WebhookKeys(SECRETS["ADSCTL_CONSUMER_SECRET"])
    assert check_delivery(keys, body, headers.items()) == "valid"
    assert LEGACY_HEADER in {*map(str.lower, headers)}
    assert "post.create 1: the receiver answered 200" in done.stderr and ids(done) == ["1"]


@pytest.mark.parametrize(
    ("answers", "posts", "message"),
    [
        ((503, 429), 3, "the receiver answered 503: try later; retrying in 1 s"),
        ((500,) * 4, 4, "post.create 1 was not forwarded: the receiver answered 500"),
        ((400,), 1, "post.create 1 was not forwarded: the receiver answered 400: try later"),
        ((302,), 1, "the receiver answered 302, a redirect, which is not followed"),
    ],
)
def test_a_receiver_that_fails_is_asked_again_where_that_may_help(adsctl, clock, answers, posts, message):
    with receiver(*answers) as (server, url), stream_service(adsctl, sends(event("1") + END, then=waits)):
        done = adsctl("events", "listen", "--limit", "1", "--forward-to", url)
    assert message in done.stderr and len(server.received) == posts and ids(done) == ["1"]


def test_what_the_receiver_has_refused_is_not_printed_again_where_the_stream_repeats_it(adsctl, clock):
    repeated = sends(event("1") + END + event("2") + END, then=waits)
    with receiver(400) as (server, url), stream_service(adsctl, sends(event("1") + END), repeated):
        done = adsctl("events", "listen", "--limit", "2", "--forward-to", url)
    assert ids(done) == ["1", "2"] and len(server.received) == 2


@pytest.mark.parametrize("path", ["", "/", "/events/", "/events?key=a%2Fb"])
def test_events_are_posted_to_the_very_address(adsctl, clock, path):
    with receiver() as (server, url), stream_service(adsctl, sends(event("1") + END, then=waits)):
        address = url.removesuffix("/events") + path
        adsctl("events", "listen", "--limit", "1", "--forward-to", address)
    assert server.paths == [path or "/"]


def test_a_receiver_that_never_answers_is_given_up(adsctl, clock, monkeypatch):
    monkeypatch.setattr("ads_cli.events.forwarding.ANSWER_TIMEOUT_SECONDS", 0.2)
    with stream_service(adsctl, sends(event("1") + END, then=waits)), raw_service(waits) as silent:
        done = adsctl("events", "listen", "--limit", "1", "--forward-to", silent.address)
    assert "post.create 1 was not forwarded: the receiver did not answer within 0.2 s" in done.stderr


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://shop.example/events", "is not https"),
        ("localhost:3000", "does not begin with https://"),
        ("http://user:password@localhost/", "holds a user name or a password"),
        ("http://localhost/?a=\x00", "the address is not valid"),
    ],
)
def test_events_are_not_forwarded_to_another_machine_in_the_clear(adsctl, address, message):
    done = adsctl("events", "listen", "--forward-to", address, code=2, **SECRETS)
    assert message in done.stderr and "password@" not in done.stderr


@contextmanager
def listening(adsctl, *options: str):
    process = adsctl.beside("--profile", "local", "events", "listen", *options)
    try:
        while b"listening to events" not in (line := process.stderr.readline()):
            assert line, "it has ended"
        yield process
    finally:
        process.terminate()
        process.wait(TIMEOUT_SECONDS)
        process.stdout.close()
        process.stderr.close()


def opened(adsctl, *options: str, earlier: frozenset[str] = frozenset()) -> frozenset[str]:
    """Wait until a stream is open that was not among earlier ones; return all that are open."""
    streams = frozenset[str]()

    def is_open() -> bool:
        nonlocal streams
        listed = adsctl(*options, "events", "connections", "list", "-o", "ids", code=None)
        streams = frozenset(listed.stdout.split())
        return bool(streams - earlier)

    wait_until(is_open, "the stream was not opened")
    return streams


LOCAL = ("--profile", "local")


def triggered(adsctl, kind: str, *words: str) -> None:
    """Trigger what open streams get; the seeded webhook gets some events too."""
    assert "stream" in adsctl("emulator", "trigger", kind, *words).stdout


def test_an_event_of_the_emulator_is_printed_by_the_profile_local(adsctl):
    adsctl.local("events", "subscribe", "follow.follow", "--user-id", "1184672519", "--yes")
    with listening(adsctl, "--limit", "2") as process:
        first = opened(adsctl, *LOCAL)
        triggered(adsctl, "post.create", *LOCAL)  # to which the emulator is subscribed from the start
        triggered(adsctl, "disconnect", *LOCAL)
        opened(adsctl, *LOCAL, earlier=first)
        triggered(adsctl, "follow.follow", *LOCAL)
        stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    kinds = [json.loads(line)["data"]["event_type"] for line in stdout.splitlines()]
    assert (kinds, process.returncode) == (["post.create", "follow.follow"], 0), stderr
    assert b"the service ended the stream: OperationalDisconnect; reconnecting at once" in stderr


def test_an_event_of_a_served_emulator_is_printed(adsctl, service):
    process = adsctl.beside("events", "listen", "--limit", "1")
    try:
        opened(adsctl)
        triggered(adsctl, "post.create", "--database", str(service.emulator.database))
        stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert json.loads(stdout)["data"]["event_type"] == "post.create" and process.returncode == 0, stderr


@pytest.mark.parametrize("option", ["--to data.xlsx", "--query data.xlsx", "--columns x", "--output csv"])
def test_options_of_results_are_refused(adsctl, option):
    done = adsctl.local("events", "listen", *option.split(), code=2)
    option = option if "csv" in option else option.split()[0]
    assert f"{option} has no effect on events" in done.stderr


def test_a_silent_emulator_is_noticed_too(adsctl, monkeypatch):
    monkeypatch.setattr(stream_limits, "SILENCE_SECONDS", 0.2)  # its own are 15 seconds apart
    done = adsctl.local("events", "listen", "--max-wait", "1s", code=8)
    assert "the stream was silent for 0.2 s; reconnecting at once" in done.stderr
    assert "--max-wait is over" in done.stderr.splitlines()[-1] and done.stdout == ""


def test_a_third_stream_of_the_emulator_is_refused(adsctl):
    with listening(adsctl) as first, listening(adsctl) as second:
        opened(adsctl, *LOCAL)
        triggered(adsctl, "post.create", *LOCAL)
        wait_until(
            lambda: len(adsctl.local("events", "connections", "list", "-o", "ids").stdout.split()) == 2,
            "two connections",
        )
        third = adsctl.local("events", "listen", "--max-wait", "1s", code=7)
        assert "TooManyConnections" in third.stderr and "close another stream first" in third.stderr
        assert first.poll() is second.poll() is None


def test_a_connection_that_is_closed_from_outside_ends_it(adsctl):
    with listening(adsctl) as process:
        opened(adsctl, *LOCAL)
        triggered(adsctl, "post.create", *LOCAL)
        adsctl.local("events", "connections", "delete", "--all", "--yes")
        _, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 6 and b"ForceDisconnect" in stderr, stderr


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_its_code(adsctl, signum):
    with listening(adsctl) as process:
        process.send_signal(signum)
        _, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 128 + signum and f"stopped by {signum.name}" in stderr.decode()


def test_a_closed_pipe_ends_it_as_it_ends_a_list(adsctl):
    with listening(adsctl) as process:
        process.stdout.close()
        opened(adsctl, *LOCAL)
        triggered(adsctl, "post.create", *LOCAL)
        assert process.wait(TIMEOUT_SECONDS) == 141


@given(st.lists(st.binary(max_size=30).map(lambda text: text.replace(b"\n", b" "))), st.integers(1, 40))
def test_lines_are_the_same_whatever_the_pieces(texts, size):
    content = b"".join(text + b"\n" for text in texts)
    cutter = LineCutter(max_bytes=25)
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    cut = [line for piece in pieces for line in cutter.feed(piece, 0.0)]
    kept = [None if isinstance(line, TooLongLine) else line for line in cut]
    assert kept == [text.rstrip(b"\r") if len(text) <= 25 else None for text in texts]
