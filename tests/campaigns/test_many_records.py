"""Records that one command changes by several requests: what is read, and what is told when one fails."""

import json
import signal

import pytest

from ads_cli.client.transport import Sender
from ads_cli.errors import Interrupted
from tests.emulator.seeded import CARD, HAMBURG, KNITTERS, SPRING

DAY = "daily_budget_amount_local_micro"
MASS = ("campaigns", "update", "--where", "name~^Mass")
RAISED = (*MASS, "--set", "daily_budget=+10%", "-y", "--max-attempts", "1", "-o", "json")


def records(adsctl, *words: str, code: int = 0) -> list[dict]:
    return json.loads(adsctl("-q", *words, "-o", "json", code=code).stdout)


def create(adsctl, count: int, **fields: object) -> None:
    made = [
        {"name": f"Mass {n}", "funding_instrument_id": CARD, "daily_budget": 10} | fields
        for n in range(count)
    ]
    adsctl("campaigns", "create", "-f", adsctl.file("mass.json", json.dumps(made)), "-y")


def budgets(adsctl) -> list[int]:
    return [record[DAY] for record in records(adsctl, "campaigns", "get", "--where", "name~^Mass")]


@pytest.fixture
def fail_at(service, monkeypatch):
    """Let a write from now on, by its number, fail as it is said, and what comes after it."""

    def failing(number: int, *faults: str) -> None:
        send, sent = Sender.send, []

        def counted(self, prepared, *arguments, **options):
            if prepared.method != "GET":
                sent.append(prepared)
                if len(sent) == number:
                    service.fail(*faults)
            return send(self, prepared, *arguments, **options)

        monkeypatch.setattr(Sender, "send", counted)

    return failing


def error_of(done) -> dict:
    return json.loads(done.stderr.splitlines()[-1])["error"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [("no-app-access", 4), ("reset times=1", 8), ("reset-after times=1", 8)],
    ids=["refused", "lost before it was applied", "lost after that"],
)
def test_a_share_that_was_added_to_some_records_is_added_to_the_others_alone(
    adsctl, service, fail_at, fault, code
):
    create(adsctl, 81)
    fail_at(2, f"POST /12/batch/* {fault}")
    done = adsctl(*RAISED, code=code)
    error = error_of(done)
    assert len(json.loads(done.stdout)) == 40 and "40 of 81 campaigns updated" in error["message"]
    assert error["hint"].endswith("--resume") and error["retryable"] is False, "a script would repeat it"
    service.fail()
    again = error_of(adsctl(*RAISED, code=11))
    assert "may have changed some of its records" in again["message"] and "--resume" in again["hint"]
    assert len(records(adsctl, *RAISED, "--resume")) == 81
    assert budgets(adsctl) == [11_000_000] * 81
    assert "no unfinished run" in adsctl(*RAISED, "--resume", code=11).stderr
    adsctl(*RAISED)
    assert {*budgets(adsctl)} == {12_100_000}


def test_what_a_condition_finds_no_longer_is_changed_by_the_run_that_had_found_it(adsctl, service, fail_at):
    create(adsctl, 50)
    cheap = ("campaigns", "update", "--where", "name~^Mass", "--where", "daily_budget<10.50")
    words = (*cheap, "--set", "daily_budget=+10%", "-y", "--max-attempts", "1")
    fail_at(2, "POST /12/batch/* reset-after times=1")
    adsctl(*words, code=8)
    adsctl(*words, "--resume")
    assert budgets(adsctl) == [11_000_000] * 50


@pytest.mark.parametrize("fault", ["reset", "reset-after"])
def test_the_only_change_by_a_share_whose_answer_was_lost_is_not_made_twice(adsctl, service, fail_at, fault):
    words = ("campaigns", "update", SPRING, "--set", "daily_budget=+10%", "--max-attempts", "1")
    fail_at(1, f"PUT * {fault} times=1")
    assert error_of(adsctl(*words, "-o", "json", code=8))["retryable"] is False
    assert "--resume" in adsctl(*words, code=11).stderr
    done = adsctl(*words, "--resume", "-o", "json")
    changed = json.loads(done.stdout)
    assert changed["id"] == SPRING and changed[DAY] == 66_000_000 and "~" not in done.stderr


def test_a_share_that_the_service_refuses_leaves_no_run_behind(adsctl, service):
    words = ("campaigns", "update", SPRING, "--set", "daily_budget=+10%")
    service.fail("PUT * status=422")
    assert "nothing was changed" in adsctl(*words, code=6).stderr
    service.fail()
    assert records(adsctl, *words)[DAY] == 66_000_000


def test_a_share_that_a_signal_stops_says_what_is_done(adsctl, service, monkeypatch):
    create(adsctl, 81)
    send, sent = Sender.send, []

    def stopped(self, prepared, *arguments, **options):
        if "/batch/" in prepared.url:
            sent.append(prepared)
            if len(sent) == 2:
                raise Interrupted(signal.SIGINT)
        return send(self, prepared, *arguments, **options)

    monkeypatch.setattr(Sender, "send", stopped)
    done = adsctl(*RAISED, code=130)
    assert len(json.loads(done.stdout)) == 40
    error = error_of(done)
    assert "40 of 81 campaigns updated" in error["message"] and error["hint"].endswith("--resume")
    adsctl(*RAISED, "--resume")
    assert budgets(adsctl) == [11_000_000] * 81


def test_a_whole_amount_may_be_set_again(adsctl, service, fail_at):
    create(adsctl, 50)
    fail_at(2, "POST /12/batch/* status=503")
    words = (*MASS, "--set", "daily_budget=12", "-y", "--max-attempts", "1", "-o", "json")
    error = json.loads(adsctl(*words, code=8).stderr.splitlines()[-1])["error"]
    assert "40 of 50 campaigns updated" in error["message"] and error["retryable"]
    assert error["hint"].endswith("--resume")
    service.fail()
    assert len(records(adsctl, *words)) == 10
    assert budgets(adsctl) == [12_000_000] * 50


def test_many_ids_are_read_by_requests_of_200_and_drafts_are_found(adsctl, service, monkeypatch):
    asked = []
    send = Sender.send
    monkeypatch.setattr(
        Sender,
        "send",
        lambda self, prepared, *words, **options: (
            asked.append(prepared.url) or send(self, prepared, *words, **options)
        ),
    )
    ids = [f"none{n}" for n in range(200)]
    known = adsctl("campaigns", "get", *ids, SPRING, HAMBURG, KNITTERS, "-o", "ids", code=9).stdout.split()
    assert known == [SPRING, HAMBURG, KNITTERS]
    assert [url.count("none") for url in asked if "campaign_ids=" in url] == [200, 0]
    create(adsctl, 2, entity_status="DRAFT")
    assert len(records(adsctl, "campaigns", "get", "--where", "entity_status=DRAFT")) >= 2


def test_the_service_may_refuse_one_of_those_that_are_changed_singly(adsctl, service, writes):
    ads = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    service.fail(f"DELETE */{ads[0]} status=422")
    done = adsctl("promoted", "posts", "delete", *ads[:3], "-y", code=9)
    assert f"{ads[0]}: " in done.stderr and len(writes) == 3
    service.fail(f"DELETE */{ads[3]} no-app-access")
    assert "0 of 2" in adsctl("promoted", "posts", "delete", *ads[3:5], "-y", code=4).stderr
    assert len(writes) == 4, "what no other request would be allowed ends the command"
    left = [record["id"] for record in records(adsctl, "promoted", "posts", "list")]
    assert left == [ads[0], *ads[3:]]


def test_campaigns_that_are_deleted_though_the_answer_was_lost_are_counted_and_shown(adsctl, service):
    service.fail("POST /12/batch/* reset-after times=1")
    done = adsctl("campaigns", "delete", SPRING, HAMBURG, "--yes", "-o", "ids")
    assert done.stdout.split() == [SPRING, HAMBURG] and "2 of 2 campaigns deleted" in done.stderr


@pytest.mark.parametrize(
    ("words", "ids"), [(("campaigns",), (SPRING, HAMBURG, KNITTERS)), (("promoted", "posts"), None)]
)
@pytest.mark.parametrize("fault", ["reset", "reset-after"])
def test_a_deletion_whose_answer_was_lost_is_repeated_by_its_run(adsctl, service, words, ids, fail_at, fault):
    ids = ids or [record["id"] for record in records(adsctl, *words, "list")][:3]
    deletion = (*words, "delete", *ids, "-y", "-o", "json", "--max-attempts", "1")
    fail_at(1, f"* * {fault} times=1")
    assert error_of(adsctl(*deletion, code=8))["hint"].endswith("--resume")
    done = adsctl(*deletion, "--resume")
    assert [record["id"] for record in json.loads(done.stdout)] == [*ids] and "3 of 3" in done.stderr
