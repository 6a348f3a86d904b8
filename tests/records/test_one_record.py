"""A file of one record is created once, as one of several is."""

import json

import pytest

from tests.effort import THOROUGH
from tests.products.stopping import list_jobs

CAMPAIGN = {"name": "Autumn", "funding_instrument_id": "4a1n0"}
FILES = {
    "one.yaml": "name: Autumn\nfunding_instrument_id: 4a1n0\n",
    "list.yaml": "- name: Autumn\n  funding_instrument_id: 4a1n0\n",
    "one.json": json.dumps(CAMPAIGN),
    "list.json": json.dumps([CAMPAIGN]),
    "one.jsonl": json.dumps(CAMPAIGN),
    "one.csv": "name,funding_instrument_id\nAutumn,4a1n0\n",
    "-": "name: Autumn\nfunding_instrument_id: 4a1n0\n",
}
CAMPAIGNS = ("campaigns", "create", "-o", "json", "-f")
CARD = (
    "name: Card\ncomponents:\n- {type: MEDIA, media_key: 3_1790412874512007168}\n"
    "- {type: DETAILS, title: Mugs, destination: {type: WEBSITE, url: 'https://shop.example'}}\n"
)
COMBINED = (
    '[{"name": "All", "audience_type": "FLEXIBLE", "segments": {"boolean_operator": "OR", "negate": false,'
    ' "child_segments": [{"custom_audience_id": "1nmw1", "negate": false, "child_segments": []}]}}]'
)
CONVERSION = "conversion_time,event_id,platform_click_id\n2026-10-01T10:00:00Z,o3f71,click-1\n"
LINE_ITEM = (
    "campaign_id: 8wku2\nname: L\nobjective: WEBSITE_CLICKS\nproduct_type: PROMOTED_POSTS\n"
    "placements: [ALL_ON_PLATFORM]\nbid_strategy: AUTO\nstart_time: 2027-01-01T00:00:00Z\n"
)
KINDS = {
    "campaign": ("campaigns", "campaign.yaml", CAMPAIGNS, FILES["one.yaml"]),
    "line item": ("line_items", "line.yaml", ("line-items", "create", "-o", "json", "-f"), LINE_ITEM),
    "criterion": (
        "targeting_criteria",
        "word.csv",
        ("targeting", "add", "-o", "json", "-f"),
        "line_item_id,targeting_type,targeting_value\n9d4c1,PHRASE_KEYWORD,word 1\n",
    ),
    "card": ("cards", "card.yaml", ("cards", "create", "-o", "json", "-f"), CARD),
    "combined audience": (
        "custom_audiences",
        "audiences.json",
        ("audiences", "combine", "-o", "json", "-f"),
        COMBINED,
    ),
    "product set": (
        "product_sets",
        "set.yaml",
        ("catalog", "sets", "create", "-o", "json", "-f"),
        "name: Gifts\ntype: FILTERED\nfilters: [{attribute: price, operator: LESS_THAN, value: 50}]\n",
    ),
    "conversion": (
        "conversions",
        "orders.csv",
        ("conversions", "send", "--pixel", "o8z6j", "-o", "json"),
        CONVERSION,
    ),
}

UNLISTED = ("conversion", "product set")


@pytest.fixture
def posted(service) -> list[str]:
    """The paths of the requests that change anything."""
    paths: list[str] = []
    answer = service.answer

    def noting(environ, start_response):
        if environ["REQUEST_METHOD"] != "GET":
            paths.append(environ["PATH_INFO"])
        return answer(environ, start_response)

    service.answer = noting
    return paths


def given(adsctl, name: str) -> dict[str, str]:
    """Write a file; return how it is given where it is standard input."""
    if name == "-":
        return {"input": FILES[name]}
    adsctl.file(name, FILES[name])
    return {}


def campaigns(adsctl) -> list[str]:
    listed = json.loads(adsctl("campaigns", "list", "--all", "-o", "json").stdout)
    return [record["id"] for record in listed if record["name"] == "Autumn"]


@pytest.mark.parametrize("name", FILES)
def test_a_lost_answer_is_not_followed_by_the_same_creation(adsctl, service, posted, name):
    stdin = given(adsctl, name)
    service.fail("POST * reset-after times=1")
    lost = adsctl(*CAMPAIGNS, name, code=8, **stdin).stderr
    assert "may be created" in lost and "--uncertain skip" in lost
    for _ in range(2):
        refused = adsctl(*CAMPAIGNS, name, code=11, **stdin).stderr
        assert "has not ended" in refused and "looks up what a lost answer has created" in refused
    found = json.loads(adsctl(*CAMPAIGNS, name, "--resume", **stdin).stdout)
    assert len(posted) == 1 and campaigns(adsctl) == [found["id"]]
    assert "has ended" in adsctl(*CAMPAIGNS, name, "--resume", code=11, **stdin).stderr


@pytest.mark.parametrize("name", FILES if THOROUGH else ("one.yaml", "one.csv", "-"))
def test_a_creation_that_did_not_happen_is_sent_again_once_that_is_said(adsctl, service, posted, name):
    stdin = given(adsctl, name)
    service.fail("POST * status=500 times=1")
    adsctl(*CAMPAIGNS, name, code=8, **stdin)
    again = adsctl(*CAMPAIGNS, name, "--resume", "--uncertain", "resend", **stdin)
    made = json.loads(again.stdout)
    assert made["name"] == "Autumn" and campaigns(adsctl) == [made["id"]] and len(posted) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_creation_has_a_journal(adsctl, service, posted, kind):
    part, name, command, content = KINDS[kind]
    adsctl.file(name, content)
    service.fail("POST * reset-after times=1")
    adsctl(*command, name, code=8)
    assert [part in path for path in posted] == [True]
    adsctl(*command, name, code=11)
    if kind in UNLISTED:
        adsctl(*command, name, "--resume", code=12)
        adsctl(*command, name, "--resume", "--uncertain", "skip")
    else:
        adsctl(*command, name, "--resume")
    assert len(posted) == 1
    message = adsctl(*command, name, code=None).stderr
    assert f"{name} was sent before" in message and len(posted) == 2


@pytest.mark.parametrize("fault", ["status=400", "status=403", "status=404", "status=429"])
def test_what_is_refused_is_sent_again_without_a_question(adsctl, service, posted, fault):
    given(adsctl, "one.yaml")
    service.fail(f"POST * {fault} times=1")
    adsctl(*CAMPAIGNS, "one.yaml", "--max-attempts", "1", code=None)
    assert not list_jobs(adsctl)
    adsctl(*CAMPAIGNS, "one.yaml")
    assert len(campaigns(adsctl)) == 1


def test_a_record_that_is_sent_again_on_purpose_is_warned_of(adsctl, service):
    given(adsctl, "one.yaml")
    (first, second) = (adsctl(*CAMPAIGNS, "one.yaml", "-q") for _ in range(2))
    assert first.stderr == "" and "one.yaml was sent before" in second.stderr
    assert len(campaigns(adsctl)) == 2
    (job, _) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (job["state"], job["rows"], job["sent"], job["noun"]) == ("ended", 1, 1, "campaigns")
    shown = json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)
    assert shown["ids"] == [json.loads(first.stdout)["id"]]


def test_the_record_of_a_file_that_was_longer_is_not_created_again(adsctl, service, posted):
    adsctl.file("campaigns.csv", "name,funding_instrument_id\nAutumn,4a1n0\nWinter,4a1n0\n")
    service.fail("POST * reset-after times=1")
    adsctl(*CAMPAIGNS, "campaigns.csv", code=8)
    adsctl.file("campaigns.csv", FILES["one.csv"])
    given(adsctl, "one.yaml")
    for name in ("campaigns.csv", "one.yaml"):
        adsctl(*CAMPAIGNS, name, code=11)
        message = adsctl(*CAMPAIGNS, name, "--resume", code=12).stderr
        assert "of which 1 are no longer in the file" in message, "which nothing is known of"
    adsctl(*CAMPAIGNS, "campaigns.csv", "--resume", "--uncertain", "skip")
    assert len(posted) == 1


def test_a_record_that_is_corrected_after_a_lost_answer_is_not_created_beside_it(adsctl, service, posted):
    given(adsctl, "one.yaml")
    service.fail("POST * reset-after times=1")
    adsctl(*CAMPAIGNS, "one.yaml", code=8)
    adsctl.file("one.yaml", FILES["one.yaml"].replace("Autumn", "Winter"))
    adsctl(*CAMPAIGNS, "one.yaml", code=11)
    refused = adsctl(*CAMPAIGNS, "one.yaml", "--resume", "--uncertain", "skip", code=11).stderr
    assert "an earlier run has sent other campaigns" in refused and len(posted) == 1


def test_a_dry_run_and_an_update_have_no_job(adsctl, service):
    given(adsctl, "one.yaml")
    adsctl(*CAMPAIGNS, "one.yaml", "--dry-run")
    adsctl.file("name.yaml", "name: Other\n")
    adsctl("campaigns", "update", "8wku2", "-f", "name.yaml")
    assert not list_jobs(adsctl)
