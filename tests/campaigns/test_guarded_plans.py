"""Claims about the guard and plans of campaigns: one that is refused sends nothing."""

import json
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from ads_cli.client.transport import Sender
from tests.campaigns.files import document, recorded
from tests.emulator.seeded import ADVENT, CARD, HAMBURG, KNITTERS, REACH, named
from tests.guarded import pause_unbounded

PLAN = {
    "campaigns": [
        {
            "name": f"New {number}",
            "funding_instrument_id": CARD,
            "entity_status": "ACTIVE",
            "line_items": [
                {
                    "name": f"Inner {number}",
                    "objective": "REACH",
                    "product_type": "PROMOTED_POSTS",
                    "placements": ["ALL_ON_PLATFORM"],
                    "bid_strategy": "AUTO",
                    "start_time": "2031-01-01",
                    "daily_budget": 20,
                    "entity_status": "ACTIVE",
                    "targeting": [{"BROAD_KEYWORD": "mugs"}, {"BROAD_KEYWORD": "cups"}],
                }
            ],
        }
        for number in range(2)
    ]
}
CHANGES = 8


@pytest.fixture
def guarded(adsctl, service):
    """Return what runs a command under a guard."""

    def run(guard: str, *words: str, code: int = 12, input: str | None = None):
        (adsctl.home / "guard.yaml").write_text(guard)
        env = {"ADSCTL_GUARD": str(adsctl.home / "guard.yaml")}
        return adsctl(*words, "--yes", code=code, input=input, **env)

    return run


@pytest.mark.parametrize(
    "guard",
    [
        "read_only: true",
        "deny: [activate]",
        "deny: [create]",
        "max_daily_budget: 19 EUR",
        "max_account_daily_budget: 100 EUR",
        f"max_changes: {CHANGES - 1}",
    ],
)
@pytest.mark.parametrize("check", [False, True])
def test_a_refused_plan_sends_nothing(adsctl, guarded, guard, check, monkeypatch):
    sent = recorded(monkeypatch)
    (adsctl.home / "plan.json").write_text(json.dumps(PLAN))
    words = ("campaigns", "apply", "plan.json")
    message = guarded(guard + "\n", *(("guard", "check", "--", *words) if check else words)).stderr
    assert guard.split(":")[0] in message and not sent


def test_a_refused_deletion_or_copy_sends_nothing(adsctl, guarded, monkeypatch):
    file = document(adsctl)
    file["campaigns"] = [
        {**record, "name": f"{record['name']} 2"} for record in file["campaigns"] if record["id"] != KNITTERS
    ]
    sent = recorded(monkeypatch)
    prune = ("campaigns", "apply", "-", "--prune", "--max-delete", "50%")
    assert "deny" in guarded("deny: [delete]\n", *prune, input=json.dumps(file)).stderr
    assert "read_only" in guarded("read_only: true\n", "campaigns", "copy", KNITTERS).stderr
    copy = ("campaigns", "copy", HAMBURG, KNITTERS, "--active", "--set", "daily_budget=90")
    assert "max_daily_budget" in guarded("max_daily_budget: 89 EUR\n", *copy).stderr
    assert not sent


def test_a_plan_within_the_limits_is_carried_out(adsctl, guarded):
    pause_unbounded(adsctl, "--yes")  # of the service that is served
    limits = f"max_changes: {CHANGES}\nmax_daily_budget: 20 EUR\nmax_account_daily_budget: 5000 EUR\n"
    guarded(limits, "campaigns", "apply", "-", input=json.dumps(PLAN), code=0)
    made = [record for record in document(adsctl)["campaigns"] if record["name"].startswith("New")]
    assert [record["entity_status"] for record in made] == ["ACTIVE"] * 2
    assert {record["line_items"][0]["daily_budget"] for record in made} == {"20.00"}


CHEAP, DEAR = (
    {"name": name, "funding_instrument_id": CARD, "daily_budget": budget, "entity_status": status}
    for name, budget, status in (("Cheap", 5, "ACTIVE"), ("Dear", 5000, "PAUSED"))
)


@pytest.fixture
def answer_creations(monkeypatch):
    """Change the records of the answers to creations of one kind, by default batches of campaigns."""
    send = Sender.send

    def start(change, ending: str = "/campaigns") -> None:
        def lying(self, prepared, *args, **options):
            response = send(self, prepared, *args, **options)
            content = prepared.body or b"".join(prepared.pieces)
            is_creation = b"Create" in content or (ending != "/campaigns" and prepared.method == "POST")
            if not (is_creation and urlsplit(prepared.url).path.endswith(ending)):
                return response
            return replace(response, body={**response.body, "data": change(response.body["data"])})

        monkeypatch.setattr(Sender, "send", lying)

    return start


def test_a_campaign_is_not_activated_in_place_of_another_one(adsctl, guarded, answer_creations):
    pause_unbounded(adsctl, "--yes")
    answer_creations(lambda records: records[::-1])
    guarded(
        "max_account_daily_budget: 500 EUR",
        *("campaigns", "apply", "-"),
        input=json.dumps({"campaigns": [CHEAP, DEAR]}),
        code=None,
    )
    made = {record["name"]: record for record in document(adsctl)["campaigns"]}
    assert made["Dear"]["daily_budget"] == "5000.00"
    assert made["Dear"].get("entity_status", "PAUSED") == "PAUSED"


ADS = {"ads": [{"post": "1790415000000000010"}, {"post": "1790415000000000011"}]}


def test_several_posts_that_one_request_makes_ads_of_are_allowed(adsctl, guarded):
    plan = {"campaigns": [{"id": HAMBURG, "line_items": [{"id": REACH, **ADS}]}]}
    done = guarded("max_changes: 2", "campaigns", "apply", "-", input=json.dumps(plan), code=0)
    assert "2 created" in done.stderr


def test_an_answer_without_records_is_an_error_of_the_service(adsctl, guarded, answer_creations):
    answer_creations(lambda records: [{}] * len(records), "/promoted_posts")
    plan = {"campaigns": [{"id": HAMBURG, "line_items": [{"id": REACH, **ADS}]}]}
    done = guarded("max_changes: 2", "campaigns", "apply", "-", input=json.dumps(plan), code=8)
    assert "it names no new record" in done.stderr


def test_a_campaign_that_was_there_is_not_activated_as_what_was_created(adsctl, guarded, answer_creations):
    pause_unbounded(adsctl, "--yes")
    answer_creations(lambda records: [{**record, "id": ADVENT} for record in records])
    limits, plan = "max_account_daily_budget: 500 EUR", json.dumps({"campaigns": [CHEAP]})
    done = guarded(limits, "campaigns", "apply", "-", input=plan)
    assert f"with the campaign {named(ADVENT)}, whose daily spend has no bound" in done.stderr
    assert json.loads(adsctl("campaigns", "get", ADVENT, "-o", "json").stdout)["entity_status"] == "PAUSED"
