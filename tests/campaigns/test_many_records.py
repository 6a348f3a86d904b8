"""Records that one command changes by several requests: what is read, and what is told when one fails."""

import json

import pytest

from ads_cli.client.transport import Sender
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
def failing_second(service, monkeypatch):
    """Let the second request of several fail as it is said, until `service.fail()`."""
    send, sent = Sender.send, []

    def failing(fault: str) -> None:
        def counted(self, prepared, *arguments, **options):
            if "/batch/" in prepared.url:
                sent.append(prepared)
                if len(sent) == 2:
                    service.fail(fault)
            return send(self, prepared, *arguments, **options)

        monkeypatch.setattr(Sender, "send", counted)

    return failing


def test_a_share_is_never_advised_again_for_what_it_has_changed(adsctl, service, failing_second):
    create(adsctl, 81)
    failing_second("POST /12/batch/* no-app-access")
    done = adsctl(*RAISED, code=4)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    changed = [record["id"] for record in json.loads(done.stdout)]
    assert len(changed) == 40 and "40 of 81 campaigns updated" in error["message"]
    left = error["hint"].rpartition(": ")[2].split()
    assert len(left) == 41 and not {*left} & {*changed} and "would change again" in error["hint"]
    service.fail()
    adsctl("campaigns", "update", *left, "--set", "daily_budget=+10%", "-y")
    assert budgets(adsctl) == [11_000_000] * 81


def test_what_a_lost_answer_may_have_changed_is_told_apart_from_what_was_not_sent(
    adsctl, service, failing_second
):
    create(adsctl, 81)
    failing_second("POST /12/batch/* reset-after times=1")
    done = adsctl(*RAISED, code=8)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["retryable"] is False, "a script would repeat the command"
    unsent, lost = (part.rpartition(": ")[2].split() for part in error["hint"].split("; ")[-2:])
    assert len(unsent) == 1 and len(lost) == 40
    assert "whether these have changed" in error["hint"]
    adsctl("campaigns", "update", *unsent, "--set", "daily_budget=+10%", "-y")
    assert budgets(adsctl) == [11_000_000] * 81, "the service had applied what it did not answer"


def test_a_whole_amount_is_advised_again_for_the_others(adsctl, service, failing_second):
    create(adsctl, 50)
    failing_second("POST /12/batch/* status=503")
    words = (*MASS, "--set", "daily_budget=12", "-y", "--max-attempts", "1", "-o", "json")
    error = json.loads(adsctl(*words, code=8).stderr.splitlines()[-1])["error"]
    assert "40 of 50 campaigns updated" in error["message"] and error["retryable"]
    assert error["hint"].endswith("what is done is shown; run it again for the others")
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
