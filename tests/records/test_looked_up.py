"""What a lost answer may have created is looked up: settled where a list tells, refused where it does not."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from functools import partial

import pytest
from msgspec.structs import replace

from ads_cli.api.catalog import CreateProductSet
from ads_cli.api.line_items import CreateLineItem
from ads_cli.client.transport import Sender
from ads_cli.http.retry import CLOCK
from ads_cli.runs.look_up import Look, look_for
from tests.records.conftest import ADD, COUNT, SIZE, keyword_file, words

NORTH = {"name": "North", "funding_instrument_id": "4a1n0", "daily_budget": "5"}
CREATE = ("campaigns", "create", "-o", "json", "-f", "campaigns.json")
OPTIONS = ("--name", "North", "--funding-instrument-id", "4a1n0")


def file_of(adsctl, *names: str) -> None:
    records = [NORTH | {"name": name} for name in names]
    adsctl.file("campaigns.json", json.dumps(records if len(names) > 1 else records[0]))


def named(adsctl, name: str = "North") -> list[str]:
    listed = json.loads(adsctl("campaigns", "list", "--all", "--with-draft", "-o", "json").stdout)
    return [record["id"] for record in listed if record["name"] == name]


def ids_in(done) -> list[str]:
    shown = json.loads(done.stdout)
    return [record["id"] for record in (shown if isinstance(shown, list) else [shown])]


FILES = [("North",), ("North", "South"), ("North", "North", "South")]


@pytest.mark.parametrize("names", FILES)
def test_what_was_created_is_found_shown_and_not_sent_again(adsctl, service, waits, writes, names):
    file_of(adsctl, *names)
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    done = adsctl(*CREATE, "--resume")
    assert "created by a request whose answer was lost" in done.stderr
    assert len(ids_in(done)) == len(names) == len({*ids_in(done)})
    assert len(named(adsctl)) == names.count("North") and len(writes) == 1 and waits.total == 0
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (job["state"], job["sent"]) == ("ended", len(names))
    assert json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)["ids"] == ids_in(done)


@pytest.mark.parametrize("names", FILES)
def test_what_was_not_created_is_sent_again_once_a_list_would_show_it(adsctl, service, waits, writes, names):
    file_of(adsctl, *names)
    service.fail("POST * reset times=1")
    adsctl(*CREATE, code=8)
    done = adsctl(*CREATE, "--resume")
    assert 119 <= waits.total <= 120 and "looking for it for" in done.stderr
    assert len(ids_in(done)) == len(names) and len(named(adsctl)) == names.count("North")


def test_a_list_that_lags_is_asked_until_it_shows_what_was_created(adsctl, service, waits, writes, lag):
    file_of(adsctl, "North", "South")
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    lag("/campaigns", lambda record: record["name"] == "South", seconds=60)
    assert len(ids_in(adsctl(*CREATE, "--resume"))) == 2
    assert 60 <= waits.total < 120 and len(writes) == 1


def test_a_wait_that_is_not_allowed_creates_nothing(adsctl, service, waits, writes):
    file_of(adsctl, "North")
    service.fail("POST * reset times=1")
    adsctl(*CREATE, code=8)
    refused = adsctl(*CREATE, "--resume", "--max-wait", "5", code=12).stderr
    assert "the service may not list it yet" in refused and waits.total == 0 and not named(adsctl)
    assert refused.count("nothing was created again") == 1 and "a longer --max-wait waits" in refused


def test_an_equal_record_that_somebody_else_has_created_is_a_doubt(adsctl, service, waits, writes):
    file_of(adsctl, "North")
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    other = adsctl.home / "other"
    adsctl("campaigns", "create", *OPTIONS, "--daily-budget", "5", ADSCTL_STATE_DIR=str(other))
    refused = adsctl(*CREATE, "--resume", code=12).stderr
    assert "1 campaign may have been created by a request whose answer was lost" in refused
    assert all(id in refused for id in named(adsctl)) and "--uncertain skip" in refused
    adsctl(*CREATE, "--resume", "--uncertain", "skip")
    assert len(named(adsctl)) == 2


def test_a_record_of_this_tool_is_not_taken_for_what_was_lost(adsctl, service, waits, writes):
    file_of(adsctl, "North")
    service.fail("POST * reset times=1")
    adsctl(*CREATE, code=8)
    adsctl("campaigns", "create", *OPTIONS, "--daily-budget", "5")
    adsctl(*CREATE, "--resume")
    assert len(named(adsctl)) == 2


def test_what_was_found_once_is_not_what_another_request_has_created(adsctl, service, waits, writes):
    """Of two files with equal records, the second one's was not created."""
    for fault, file in (("reset-after", "north"), ("reset", "south")):
        file_of(adsctl, "North")
        (adsctl.home / "campaigns.json").rename(adsctl.home / f"{file}.json")
        if file == "south":
            adsctl.file("south.json", (adsctl.home / "south.json").read_text().replace("{", "{ "))
        words = (*CREATE[:-1], f"{file}.json")
        service.fail(f"POST * {fault} times=1")
        adsctl(*words, code=8)
        adsctl(*words, "--resume")
    assert len(named(adsctl)) == 2


def test_a_record_that_is_named_so_and_differs_is_a_doubt(adsctl, service, waits):
    file_of(adsctl, "North")
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    (id,) = named(adsctl)
    adsctl("campaigns", "update", id, "--daily-budget", "7", "--yes")
    assert id in adsctl(*CREATE, "--resume", code=12).stderr


def test_a_part_of_what_one_request_was_to_create_is_a_doubt(adsctl, service, waits, lag):
    file_of(adsctl, "North", "South")
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    lag("/campaigns", lambda record: record["name"] == "South", seconds=1000)
    assert named(adsctl)[0] in adsctl(*CREATE, "--resume", code=12).stderr
    assert 119 <= waits.total <= 120


def test_records_before_the_attempt_are_not_taken_for_it(adsctl, service, waits, lie):
    file_of(adsctl, "North")
    other = adsctl.home / "other"
    adsctl("campaigns", "create", *OPTIONS, "--daily-budget", "5", ADSCTL_STATE_DIR=str(other))
    lie(
        "/campaigns", lambda records: [{**record, "created_at": "2026-01-01T00:00:00Z"} for record in records]
    )
    service.fail("POST * reset times=1")
    adsctl(*CREATE, code=8)
    adsctl(*CREATE, "--resume")
    assert len(named(adsctl)) == 2


@pytest.fixture
def clocks(monkeypatch, waits):
    """Let the clock of the service be ahead of that of the runs; return who creates a record before them."""
    send = Sender.send

    def begin(adsctl, ahead: int, before: int | None) -> None:
        others: list[str] = []
        begun = datetime.fromtimestamp(CLOCK.time() + ahead, UTC)

        def moved(record: dict) -> dict:
            created = begun + timedelta(seconds=1)
            if record["id"] in others:
                created -= timedelta(seconds=before or 0)
            return {**record, "created_at": f"{created:%Y-%m-%dT%H:%M:%SZ}"}

        def answered(self, prepared, *args, **options):
            response = send(self, prepared, *args, **options)
            data = response.body["data"]
            if prepared.method == "GET" and isinstance(data, list):
                response = replace(response, body={**response.body, "data": [*map(moved, data)]})
            date = formatdate(CLOCK.time() + ahead, usegmt=True)
            return replace(response, headers={**response.headers, "date": date})

        if before is not None:
            elsewhere = {"ADSCTL_STATE_DIR": str(adsctl.home / "other")}
            adsctl("campaigns", "create", *OPTIONS, "--daily-budget", "5", **elsewhere)
            others += named(adsctl)
        monkeypatch.setattr(Sender, "send", answered)

    return begin


@pytest.mark.parametrize("ahead", [0, 200, -200])
@pytest.mark.parametrize("fault", ["reset", "reset-after"])
def test_what_somebody_else_has_created_before_is_never_settled_as_ours(
    adsctl, service, waits, clocks, ahead, fault
):
    file_of(adsctl, "North")
    clocks(adsctl, ahead, before=60)
    (other,) = named(adsctl)
    service.fail(f"POST * {fault} times=1")
    adsctl(*CREATE, code=8)
    if fault == "reset":
        message = adsctl(*CREATE, "--resume", code=12).stderr
        assert "one that was created earlier, by the service's clock, may be its record" in message
        assert other in message
        return
    (own,) = ids_in(adsctl(*CREATE, "--resume"))
    assert own != other and len(named(adsctl)) == 2


@pytest.mark.parametrize("ahead", [200, -200, -2000])
def test_a_clock_that_is_wrong_hides_nothing_that_was_created(adsctl, service, waits, clocks, ahead):
    file_of(adsctl, "North")
    clocks(adsctl, ahead, before=None)
    service.fail("POST * reset-after times=1")
    adsctl(*CREATE, code=8)
    assert ids_in(adsctl(*CREATE, "--resume")) == named(adsctl)


def test_a_decision_is_taken_without_looking(adsctl, service, waits, lie):
    file_of(adsctl, "North")
    service.fail("POST * reset times=1")
    adsctl(*CREATE, code=8)
    lie("/campaigns", lambda records: pytest.fail("looked"))
    assert json.loads(adsctl(*CREATE, "--resume", "--uncertain", "resend").stdout)["name"] == "North"
    assert waits.total == 0


@pytest.mark.parametrize("fault", ["reset-after", "reset"])
def test_what_has_no_name_is_found_by_its_values_in_its_line_items(
    adsctl, batches, small_batches, waits, fault
):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, fault)
    adsctl(*ADD, code=8)
    batches.before = lambda number: batches.fail()
    adsctl(*ADD, "--resume")
    assert sorted(batches.keywords()) == words(COUNT)
    assert [len(sent) for sent in batches.sent[1:]] == (
        [SIZE] * (fault == "reset") + [SIZE, COUNT - 2 * SIZE]
    )


def test_the_whole_answer_of_the_only_record_is_shown(adsctl, service, waits):
    file_of(adsctl, "North")
    shown = json.loads(adsctl(*CREATE, "--envelope").stdout)
    assert shown["data"]["name"] == "North" and "request" in shown


def looked(values, *records, started, known=frozenset(), kind=CreateLineItem) -> Look:
    (look,) = look_for(kind, [[values]], records, started, known)
    return look


MINE = {"id": "a", "name": "North", "created_at": "2026-11-23T12:00:01Z"}
AT_NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_records_that_may_be_the_lost_one_are_asked_about():
    mine = MINE | {"bid_amount_local_micro": 5, "placements": ["x", "y"]}
    values = {"name": "North", "bid_amount_local_micro": "5", "placements": "x,y", "goal": "1"}
    look = partial(looked, values, started=AT_NOON)
    assert look(mine).found == [mine] and not look(mine).doubt
    assert look(mine, known={"a"}) == look() == Look()
    assert look(mine | {"created_at": "2026-11-23T11:00:00Z"}) == Look()
    assert look(mine | {"name": "Other"}) == Look()
    assert look(mine | {"name": " North "}).found
    assert "a" in look(mine | {"bid_amount_local_micro": 6}).doubt
    assert "a, b" in look(mine, mine | {"id": "b"}).doubt
    assert look({"id": "a"}).doubt and look(mine | {"created_at": "yesterday"}).doubt


def test_another_record_of_the_same_name_is_no_part_of_a_list_that_lags():
    values = {"name": "North", "bid_amount_local_micro": "5"}
    look = looked(values, MINE | {"bid_amount_local_micro": 6}, started=AT_NOON)
    assert look.doubt and not look.is_partial
    twice = [[{"name": "North"}, {"name": "North"}]]
    first = partial(look_for, CreateLineItem, twice, started=AT_NOON, known_ids=())
    (half,), (whole,) = first(records=[MINE]), first(records=[MINE, MINE | {"id": "b"}])
    assert half.doubt and half.is_partial and len(whole.found) == 2


def test_objects_are_compared_whole():
    cheap = {"attribute": "price", "operator": "lt", "value": "5"}
    values = {"name": "North", "filters": [cheap]}
    look = partial(looked, values, started=AT_NOON, kind=CreateProductSet)
    assert look(MINE | {"filters": [dict(reversed(cheap.items()))]}).found
    assert look(MINE | {"filters": [cheap | {"id": 1}]}).doubt
    assert look(MINE | {"filters": [cheap | {"value": "6"}]}).doubt
    assert look(MINE | {"filters": [cheap, cheap]}).doubt


def test_any_record_alike_is_asked_about_where_the_time_of_a_creation_is_to_come():
    look = looked({"name": "North"}, MINE, started=datetime(2240, 1, 1, tzinfo=UTC))
    assert not look.found and look.doubt.endswith(": a")
