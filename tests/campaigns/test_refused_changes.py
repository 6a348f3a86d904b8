"""What the service refuses of a file of campaigns: what else is left out, what stays, and what is told."""

import json

import pytest

from ads_cli.client.transport import Sender
from tests.campaigns.files import apply, document, plan, pull, short
from tests.campaigns.kills import Moment, alternately, run_until_it_ends
from tests.emulator.seeded import (
    BANNER,
    CARD,
    CLICKS,
    FILMS,
    FOLLOWERS,
    HAMBURG,
    KNITTERS,
    PREROLLS,
    REACH,
    SPRING,
    SUMMER,
)
from tests.emulator_data import update_record


def below(campaign: str, item: str, **fields) -> dict:
    """A file with a line item of a campaign."""
    return {"campaigns": [{"id": campaign, "line_items": [{"id": item, **fields}]}]}


def shown(adsctl, group: str, id: str) -> dict:
    return json.loads(adsctl(*group.split(), "get", id, "-o", "json").stdout)


def ads(adsctl, campaign: str) -> list[dict]:
    (item,) = document(adsctl, "--ids", campaign)["campaigns"][0]["line_items"]
    return item["ads"]


@pytest.mark.parametrize(
    "fields", [{"daily_budget": "60"}, {"ads": [{"post": "1790415000000000010"}], "daily_budget": "60"}]
)
def test_what_cannot_be_paused_is_left_as_it_is(adsctl, service, fields):
    service.fail("PUT */line_items/* status=400 times=1")
    message = apply(adsctl, below(HAMBURG, REACH, entity_status="PAUSED", **fields), code=9).stderr
    item = shown(adsctl, "line-items", REACH)
    assert item["entity_status"] == "ACTIVE" and item["daily_budget_amount_local_micro"] == 35_000_000
    assert "it is not paused, so its other changes and those below it were left out" in message
    assert len(ads(adsctl, HAMBURG)) == 2


def test_a_pause_that_is_refused_leaves_nothing_else_out_where_nothing_else_changes(adsctl, service):
    service.fail("PUT */line_items/* status=400 times=1")
    message = apply(adsctl, below(HAMBURG, REACH, entity_status="PAUSED"), code=9).stderr
    assert "refused by the service" in message and "left out" not in message


def test_what_lies_below_a_campaign_that_cannot_be_paused_spends_no_more(adsctl, service):
    adsctl("line-items", "update", SUMMER, "--entity-status", "PAUSED")
    items = [{"id": CLICKS, "daily_budget": "50"}, {"id": SUMMER, "entity_status": "ACTIVE"}]
    file = {"campaigns": [{"id": SPRING, "entity_status": "PAUSED", "line_items": items}]}
    service.fail("PUT */campaigns/* status=400 times=1")
    message = apply(adsctl, file, code=9).stderr
    assert shown(adsctl, "campaigns", SPRING)["entity_status"] == "ACTIVE"
    assert shown(adsctl, "line-items", SUMMER)["entity_status"] == "PAUSED"
    assert shown(adsctl, "line-items", CLICKS)["daily_budget_amount_local_micro"] == 20_000_000
    assert "left out" in message and "updated" not in message
    apply(adsctl, file)
    assert plan(adsctl, file, code=0) == []


def test_an_ad_stays_where_the_one_in_its_place_is_refused(adsctl, service):
    file = below(FILMS, PREROLLS, ads=[{"id": "7pm01", "account_media_id": "nothere1"}])
    assert "create ad" in apply(adsctl, file, "--replace", code=9).stderr
    assert [ad.get("account_media_id") for ad in ads(adsctl, FILMS)].count(None) == 1, "the call to action"
    assert len(ads(adsctl, FILMS)) == 2
    file["campaigns"][0]["line_items"][0]["ads"][0]["account_media_id"] = BANNER
    apply(adsctl, file, "--replace")
    assert (
        BANNER in [ad.get("account_media_id") for ad in ads(adsctl, FILMS)] and len(ads(adsctl, FILMS)) == 2
    )
    assert plan(adsctl, file, "--replace", code=0) == []


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("PUT */line_items/* status=400", 9, ()),
        ("PUT */campaigns/* status=400", 9, ("--resume",)),
        ("PUT * status=503", 8, ()),
    ],
)
def test_a_campaign_whose_replacement_could_not_be_activated_is_replaced_by_the_next_apply(
    adsctl, service, fault, code, words
):
    file = document(adsctl, "--ids", HAMBURG)
    file["campaigns"][0]["funding_instrument_id"] = CARD
    listed = adsctl("campaigns", "list", "--all", "-o", "ids").stdout.split()
    service.fail(f"{fault} times=1")
    apply(adsctl, file, "--replace", "--max-attempts", "1", code=code)
    assert shown(adsctl, "campaigns", HAMBURG)["entity_status"] == "ACTIVE"
    apply(adsctl, file, "--replace", *words)
    adsctl("campaigns", "get", HAMBURG, code=5)
    assert plan(adsctl, file, "--replace", code=0) == []
    assert len(adsctl("campaigns", "list", "--all", "-o", "ids").stdout.split()) == len(listed)


@pytest.mark.parametrize(
    ("id", "new"),
    [
        ("ft10d", {"AGE": "AGE_35_TO_54"}),
        ("ft10h", {"BROAD_KEYWORD": "plastic"}),
        ("ft10g", {"CUSTOM_AUDIENCE_EXPANDED": "1nmth"}),
    ],
)
def test_a_criterion_that_excludes_the_one_in_its_place_is_deleted_first_and_told_so(
    adsctl, service, id, new
):
    file = below(SPRING, CLICKS, targeting=[{"id": id, **new}])
    words = ("campaigns", "apply", "-", "--replace")
    message = adsctl(*words, input=json.dumps(file), code=12).stderr
    assert "deleted before what takes its place is made: 1 criterion" in message
    apply(adsctl, file, "--replace")
    assert plan(adsctl, file, "--replace", code=0) == []


def test_a_criterion_that_may_stand_beside_the_one_in_its_place_stays_until_that_is_made(adsctl, service):
    file = below(SPRING, CLICKS, targeting=[{"id": "ft10b", "LOCATION": "Switzerland"}])
    message = adsctl("campaigns", "apply", "-", "--replace", input=json.dumps(file), code=12).stderr
    assert "deleted before" not in message
    engaged = below(SPRING, CLICKS, targeting=[{"id": "ft10b", "ENGAGEMENT_TYPE": "IMPRESSION"}])
    assert "ENGAGEMENT_TYPE goes with" in apply(adsctl, engaged, "--replace", code=9).stderr
    assert shown(adsctl, "targeting", "ft10b")["deleted"] is False
    apply(adsctl, file, "--replace")
    assert plan(adsctl, file, "--replace", code=0) == []


def preroll(adsctl, service) -> str:
    """A preroll of the account."""
    update_record(service.emulator, "account_media", BANNER, {"creative_type": "PREROLL"})
    return BANNER


@pytest.mark.parametrize("prune", [(), ("--prune", "--max-delete", "100%")])
def test_a_landing_url_that_the_service_does_not_keep_makes_no_second_ad(adsctl, service, prune):
    ad = {"account_media_id": preroll(adsctl, service), "landing_url": "https://shop.example/films"}
    file = below(FILMS, PREROLLS, ads=[ad])
    apply(adsctl, file, *prune)
    (made,) = [record for record in ads(adsctl, FILMS) if record.get("account_media_id") == BANNER]
    assert plan(adsctl, file, *prune[:1], code=0) == []
    assert "landing_url" not in made
    service.fail("POST */media_creatives reset-after times=1")
    file["campaigns"][0]["line_items"][0]["ads"].append({**ad, "landing_url": "https://shop.example/2"})
    apply(adsctl, file, code=8)
    assert plan(adsctl, file, code=0) == []


def test_a_landing_url_makes_another_ad_of_what_is_no_preroll(adsctl, service):
    ad = {"account_media_id": BANNER, "landing_url": "https://shop.example/films"}
    apply(adsctl, below(FILMS, PREROLLS, ads=[ad]))
    other = below(FILMS, PREROLLS, ads=[ad | {"landing_url": "https://shop.example/2"}])
    assert short(plan(adsctl, other)) == [("create", "ad")]
    assert short(plan(adsctl, below(FILMS, PREROLLS, ads=[{"account_media_id": BANNER}]))) == [
        ("create", "ad")
    ]


BOTH_ACTIVE = {
    "campaigns": [
        {
            "id": KNITTERS,
            "entity_status": "ACTIVE",
            "line_items": [{"id": FOLLOWERS, "entity_status": "ACTIVE"}],
        }
    ]
}


def statuses(adsctl) -> list[str]:
    both = shown(adsctl, "campaigns", KNITTERS), shown(adsctl, "line-items", FOLLOWERS)
    return [record["entity_status"] for record in both]


def test_a_campaign_below_which_an_activation_is_refused_is_not_activated(adsctl, service):
    service.fail("PUT */line_items/* status=400 times=1")
    message = apply(adsctl, BOTH_ACTIVE, code=9).stderr
    assert statuses(adsctl) == ["PAUSED", "PAUSED"] and "updated" not in message
    apply(adsctl, BOTH_ACTIVE)
    assert statuses(adsctl) == ["ACTIVE", "ACTIVE"]


def test_a_change_whose_activation_is_refused_is_not_counted(adsctl, service, monkeypatch):
    send = Sender.send

    def refusing(self, prepared, *args, **options):
        service.fail(*["PUT * status=400"] * ("entity_status=ACTIVE" in prepared.url))
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", refusing)
    file = {"campaigns": [{"id": KNITTERS, "daily_budget": "16", "entity_status": "ACTIVE"}]}
    message = apply(adsctl, file, code=9).stderr
    campaign = shown(adsctl, "campaigns", KNITTERS)
    assert campaign["daily_budget_amount_local_micro"] == 16_000_000
    assert campaign["entity_status"] == "PAUSED" and "updated" not in message


def test_nothing_above_a_refused_ad_is_activated_or_counted(adsctl, service):
    file = json.loads(json.dumps(BOTH_ACTIVE))
    file["campaigns"][0]["line_items"][0]["ads"] = [{"post": "1790415000000000010"}]
    service.fail("POST */promoted_posts status=400")
    message = apply(adsctl, file, code=9).stderr
    assert statuses(adsctl) == ["PAUSED", "PAUSED"]
    assert "refused by the service" in message and "updated" not in message


def test_an_account_that_the_line_item_cannot_promote_is_told_and_the_rest_is_sent(adsctl, service):
    file = below(HAMBURG, REACH, ads=[{"user_id": "1184672520"}], daily_budget="36")
    for _ in range(2):
        message = apply(adsctl, file, code=9).stderr
        assert "campaigns[0].line_items[0].ads[0] (create ad user 1184672520)" in message
        assert shown(adsctl, "line-items", REACH)["daily_budget_amount_local_micro"] == 36_000_000


def test_what_the_service_has_made_by_itself_counts_as_created(adsctl, service):
    app = {"ios_app_store_identifier": "1066718842", "android_app_store_identifier": "example.nordlicht.shop"}
    item = {"name": "Install it", "objective": "APP_INSTALLS", "product_type": "PROMOTED_POSTS", **app}
    item |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2031-01-01", "bid_strategy": "AUTO"}
    item["targeting"] = [{"PLATFORM": "0"}, {"PLATFORM": "1"}, {"LANGUAGE": "de"}]
    file = {"campaigns": [{"name": "App", "funding_instrument_id": "4a1n0", "line_items": [item]}]}
    file["campaigns"][0]["daily_budget"] = 5
    assert "5 created" in apply(adsctl, file).stderr
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["sent"] == job["rows"] == 5


def test_what_is_made_and_cannot_be_activated_counts_as_created(adsctl, service):
    new = {"name": "New", "funding_instrument_id": "4a1n0", "daily_budget": 5, "entity_status": "ACTIVE"}
    service.fail("PUT */campaigns/* status=400 times=1")
    message = apply(adsctl, {"campaigns": [new]}, code=9).stderr
    assert "1 created" in message and "updated" not in message


def changing_lists(service, change) -> None:
    """Change the records of each list that the service answers."""
    answer = service.answer

    def changed(environ, start_response):
        started = []
        body = b"".join(answer(environ, lambda *head: started.append(head)))
        status, headers, *rest = started[0]
        if environ["REQUEST_METHOD"] == "GET" and status.startswith("200"):
            document = json.loads(body)
            if isinstance(document.get("data"), list):
                change(environ["PATH_INFO"].rpartition("/")[2], document["data"])
                body = json.dumps(document).encode()
        lengths = [("Content-Length", str(len(body)))]
        headers = [header for header in headers if header[0].lower() not in ("content-length", "etag")]
        start_response(status, headers + lengths, *rest)
        return [body]

    service.answer = changed


LISTS = {
    "campaigns",
    "line_items",
    "targeting_criteria",
    "promoted_posts",
    "promoted_accounts",
    "tracking_tags",
}


def test_a_record_that_is_listed_twice_is_one(adsctl, service):
    before, doubled = pull(adsctl, "-o", "json"), set[str]()

    def double(name: str, records: list[dict]) -> None:
        if name in LISTS and records:
            doubled.add(name)
            records.extend(records)

    changing_lists(service, double)
    assert pull(adsctl, "-o", "json") == before
    assert plan(adsctl, before, "--prune", code=0) == []
    apply(adsctl, below(HAMBURG, REACH, daily_budget="36"))
    assert doubled == LISTS


@pytest.mark.parametrize(
    ("of", "field"),
    [
        ("campaigns", "id"),
        ("line_items", "id"),
        ("line_items", "campaign_id"),
        ("targeting_criteria", "id"),
        ("targeting_criteria", "line_item_id"),
    ],
)
def test_a_record_that_does_not_say_which_it_is_ends_with_a_message(adsctl, service, of, field):
    changing_lists(service, lambda name, records: [record.pop(field) for record in records if name == of])
    message = adsctl("campaigns", "pull", code=8).stderr
    assert f"a record of the response has no {field}" in message


def test_a_call_to_action_is_no_ad_that_is_asked_about(adsctl, service):
    words = ("--call-to-action", "VISIT_SITE", "--call-to-action-url", "https://shop.example/1")
    adsctl("promoted", "call-to-actions", "create", "--line-item", PREROLLS, *words)
    action = {"call_to_action": "SEE_MORE", "call_to_action_url": "https://shop.example/2"}
    adsctl("campaigns", "apply", "-", input=json.dumps(below(FILMS, PREROLLS, ads=[action])))
    medium = below(FILMS, PREROLLS, ads=[{"account_media_id": BANNER}])
    adsctl("campaigns", "apply", "-", input=json.dumps(medium), code=12)


@pytest.mark.parametrize("others", [0, 2])
def test_what_is_gone_before_it_is_deleted_counts_as_deleted(adsctl, service, monkeypatch, others):
    (item,) = document(adsctl, "--ids", KNITTERS)["campaigns"][0]["line_items"]
    file = below(KNITTERS, FOLLOWERS, targeting=item["targeting"][: -1 - others])
    gone = plan(adsctl, file, "--prune")[0]["id"]
    send, emulator = Sender.send, service.emulator

    def deleting(self, prepared, *args, **options):
        if prepared.method != "GET":
            with emulator.store.transaction():
                emulator.store.delete("targeting_criterion", gone, owner=emulator.account)
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", deleting)
    message = apply(adsctl, file, "--prune", "--max-delete", "100%").stderr
    assert f"{1 + others} deleted" in message
    assert plan(adsctl, file, "--prune", code=0) == []


def check_killed_replacement_without_names(adsctl, monkeypatch, moment: Moment) -> None:
    file = below(FILMS, PREROLLS, ads=[{"id": "7pm01", "account_media_id": BANNER}])
    item = {"id": CLICKS, "targeting": [{"id": "ft10d", "AGE": "AGE_35_TO_54"}]}
    file["campaigns"].append({"id": SPRING, "line_items": [item]})
    run = ("--replace", "--resume")
    run_until_it_ends(monkeypatch, lambda: apply(adsctl, file, *run), moment)
    assert len(ads(adsctl, FILMS)) == 2
    assert plan(adsctl, file, "--replace", code=0) == plan(adsctl, file, code=0) == []


def test_what_has_no_name_is_replaced_once_whenever_a_run_is_killed(adsctl, service, monkeypatch):
    check_killed_replacement_without_names(adsctl, monkeypatch, alternately())


@pytest.mark.parametrize("unlisted", ["campaigns", "line_items"])
def test_what_an_apply_has_made_is_not_made_again_where_a_list_lacks_it(adsctl, service, unlisted):
    item = {"name": "Hats", "objective": "REACH", "product_type": "PROMOTED_POSTS"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "start_time": "2031-12-01"}
    hats = {"name": "Hats", "funding_instrument_id": CARD, "daily_budget": "5", "line_items": [item]}
    apply(adsctl, {"campaigns": [hats]})
    before = document(adsctl)
    service.fail(f"GET */{unlisted} empty")
    message = apply(adsctl, {"campaigns": [hats]}, code=8).stderr
    assert "is there, and the service does not list it" in message
    service.fail()
    assert document(adsctl) == before


def test_what_an_apply_has_made_and_somebody_has_deleted_is_made_again(adsctl, service):
    hats = {"name": "Hats", "funding_instrument_id": CARD, "daily_budget": "5"}
    apply(adsctl, {"campaigns": [hats]})
    (id,) = [record["id"] for record in document(adsctl)["campaigns"] if record["name"] == "Hats"]
    adsctl("campaigns", "delete", id, "--yes")
    apply(adsctl, {"campaigns": [hats]})
    assert [record["name"] for record in document(adsctl)["campaigns"]].count("Hats") == 1
