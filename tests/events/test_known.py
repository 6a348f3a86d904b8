"""What was received is known: for two days on the disk, and for as many events as fit in memory."""

import pytest

from ads_cli.events.event import read_event
from ads_cli.events.known import KEPT_SECONDS, KnownDeliveries, RecentEvents
from ads_cli.http.retry import Clock
from tests.events.webhook import event


class Days(Clock):
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


def delivery(id: str, **payload: object):
    return read_event(event(id, **payload))


def test_deliveries_are_known_to_their_receiver_for_two_days(tmp_path, closed_stores):
    clock = Days()
    known = KnownDeliveries(tmp_path, "default 8788", clock)
    known.add(delivery("1"))
    assert known.familiarity(delivery("1")) == "same" and known.familiarity(delivery("2")) == "new"
    assert known.familiarity(delivery("1", text="other")) == "changed"
    assert KnownDeliveries(tmp_path, "default 8788", clock).familiarity(delivery("1")) == "new"  # not written
    known.write()
    clock.now += KEPT_SECONDS - 1
    again = KnownDeliveries(tmp_path, "default 8788", clock)
    again.add(delivery("2"))
    again.write()
    assert again.familiarity(delivery("1")) == "same"
    assert KnownDeliveries(tmp_path, "default 8789", clock).familiarity(delivery("1")) == "new"
    clock.now += 3601
    again.add(delivery("3"))
    again.write()
    assert [again.familiarity(delivery(id)) for id in "123"] == ["new", "same", "same"]


def test_what_was_handed_on_is_written_after_a_moment_though_more_keep_coming(tmp_path, closed_stores):
    clock = Days()
    known = KnownDeliveries(tmp_path, "default 8788", clock)
    known.add(delivery("1"))
    clock.now += 1
    known.add(delivery("2"))
    assert KnownDeliveries(tmp_path, "default 8788", clock).familiarity(delivery("1")) == "same"


def test_a_stream_knows_the_latest_events():
    recent = RecentEvents(most=2)
    for id in ("1", "2", "3", ""):
        recent.add(delivery(id))
    assert [recent.familiarity(delivery(id)) for id in ("1", "2", "3", "")] == ["new", "same", "same", "new"]
    assert recent.familiarity(delivery("3", text="other")) == "changed"


@pytest.mark.parametrize("id", ['"a"', "-12", "9" * 400, f'"{"a" * 400}"', "null", "1.5", "true", "[]"])
def test_any_id_is_read(id):
    read = read_event(f'{{"data": {{"event_uuid": {id}}}}}'.encode())
    assert len(read.id) <= 200 and bool(read.id) == (id[0] in '"-9')
