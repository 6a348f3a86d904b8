"""Lists that leave out fields or records, that list others too, or that have texts in another form."""

import json
from collections.abc import Callable
from unicodedata import normalize

import pytest
from msgspec.structs import replace

from ads_cli.client.transport import Sender
from tests.campaigns.files import apply, document, plan, pull, short
from tests.emulator.seeded import CARD, CLICKS, HAMBURG, KNITTERS, REACH, SPRING

BUDGET = "daily_budget_amount_local_micro"
SNOW = {"name": "Snow", "funding_instrument_id": CARD, "daily_budget": "5"}


def without(*names: str) -> Callable[[list[dict]], list[dict]]:
    return lambda records: [
        {name: value for name, value in record.items() if name not in names} for record in records
    ]


def names(adsctl) -> list[str]:
    return [record["name"] for record in json.loads(pull(adsctl, "-o", "json"))["campaigns"]]


@pytest.mark.parametrize(
    ("end", "field", "id", "wanted"),
    [
        ("/campaigns", BUDGET, SPRING, {"daily_budget": "10"}),
        ("/campaigns", "entity_status", SPRING, {"entity_status": "PAUSED"}),
        ("/line_items", BUDGET, CLICKS, {"daily_budget": "10"}),
        ("/line_items", "end_time", CLICKS, {"end_time": "2033-01-01T00:00:00Z"}),
    ],
)
def test_a_field_that_a_list_leaves_out_is_asked_for_by_id(adsctl, service, lie, end, field, id, wanted):
    campaign = {"id": id, **wanted} if id == SPRING else {"id": SPRING, "line_items": [{"id": id, **wanted}]}
    expected = plan(adsctl, {"campaigns": [campaign]})
    lie(end, without(field))
    assert plan(adsctl, {"campaigns": [campaign]}) == expected
    apply(adsctl, {"campaigns": [campaign]})
    assert plan(adsctl, {"campaigns": [campaign]}, code=0) == []


@pytest.mark.parametrize("wanted", ["10", None])
def test_a_field_that_the_service_shows_nowhere_is_never_equal(adsctl, service, lie, wanted):
    lie("/campaigns", without(BUDGET))
    lie(f"/campaigns/{SPRING}", without(BUDGET))
    (change,) = plan(adsctl, {"campaigns": [{"id": SPRING, "daily_budget": wanted}]})
    assert change["before"] == {"daily_budget": "?"}
    message = adsctl(
        "campaigns",
        "plan",
        "-",
        input=json.dumps({"campaigns": [{"id": SPRING, "daily_budget": "10"}]}),
        code=10,
        COLUMNS="100",
    ).stdout
    assert "?" in message


def test_what_cannot_be_changed_is_not_replaced_where_it_is_not_shown(adsctl, service, lie):
    file = {"campaigns": [{"id": SPRING, "line_items": [{"id": CLICKS, "objective": "WEBSITE_CLICKS"}]}]}
    assert plan(adsctl, file, code=0) == []
    lie("/line_items", without("objective"))
    assert plan(adsctl, file, code=0) == []
    lie(f"/line_items/{CLICKS}", without("objective"))
    for words in ((), ("--replace",)):
        message = apply(adsctl, file, *words, code=8).stderr
        assert f"the service does not show objective of the line item {CLICKS}" in message


@pytest.mark.parametrize(("end", "field"), [("/campaigns", "name"), ("/line_items", "name")])
def test_what_has_no_name_in_a_list_is_not_created_again(adsctl, service, lie, end, field):
    item = {"name": "Hats", "objective": "REACH", "product_type": "PROMOTED_POSTS"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "start_time": "2031-12-01"}
    file = {"campaigns": [SNOW | {"line_items": [item]}]}
    apply(adsctl, file)
    (adsctl.home / "state" / "state.db").rename(adsctl.home / "other-machine")
    lie(end, without(field))
    assert plan(adsctl, file, code=0) == []
    (campaign,) = [record for record in document(adsctl)["campaigns"] if record["name"] == "Snow"]
    id = campaign["id"] if end == "/campaigns" else campaign["line_items"][0]["id"]
    lie(f"{end}/{id}", without(field))
    message = apply(adsctl, file, code=8).stderr
    assert f"the service does not show name of the {end.strip('/')[:-1].replace('_', ' ')} {id}" in message


def test_a_field_that_the_service_never_shows_is_told(adsctl, service, lie):
    lie("/line_items", without("audience_expansion"))
    item = {"id": CLICKS, "audience_expansion": "DEFINED"}
    file = json.dumps({"campaigns": [{"id": SPRING, "line_items": [item]}]})
    message = adsctl("campaigns", "plan", "-", input=file, code=None).stderr
    assert "the service never shows audience_expansion: not compared" in message


def test_pruning_deletes_nothing_that_a_filter_has_not_left(adsctl, service, lie):
    """The service ignores `q`, and lists all campaigns."""
    file = {"q": "Snow", "campaigns": [SNOW]}
    apply(adsctl, {"campaigns": [SNOW, SNOW | {"name": "snow in May"}]})
    before = names(adsctl)
    all_of = json.loads(adsctl("campaigns", "list", "--all", "--with-draft", "-o", "json").stdout)
    lie("/campaigns", lambda records: all_of)
    (change,) = plan(adsctl, file, "--prune")
    assert (change["action"], change["name"]) == ("delete", "snow in May")
    apply(adsctl, file, "--prune", "--max-delete", "100%")
    assert {*before} - {"snow in May"} == {
        record["name"]
        for record in json.loads(adsctl("campaigns", "list", "--all", "-o", "json").stdout)
        if record["name"] != "snow in May"
    }


def test_a_file_of_a_filter_has_what_the_filter_means_and_no_more(adsctl, service, lie):
    all_of = json.loads(adsctl("campaigns", "list", "--all", "--with-draft", "-o", "json").stdout)
    lie("/campaigns", lambda records: all_of)
    some = json.loads(pull(adsctl, "-o", "json", "--q", "hamburg"))["campaigns"]
    assert [record["id"] for record in some] == [HAMBURG]
    some = json.loads(pull(adsctl, "-o", "json", "--ids", KNITTERS))["campaigns"]
    assert [record["id"] for record in some] == [KNITTERS]
    made = adsctl("campaigns", "copy", KNITTERS, "-o", "json").stdout
    assert [record["name"] for record in json.loads(made) if record["kind"] == "campaign"] == [
        "Copy of People who knit"
    ]


@pytest.mark.parametrize("condition", ["daily_budget!=35", "daily_budget=", "daily_budget<1000"])
def test_a_condition_on_what_is_not_shown_deletes_nothing(adsctl, service, lie, condition):
    lie("/line_items", without(BUDGET))
    done = adsctl("line-items", "delete", "--where", condition, "--yes")
    assert "the service does not show daily_budget_amount_local_micro of each" in done.stderr
    assert "no line items match" in done.stderr


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_condition_keeps_a_name_in_whatever_form_it_is_written(adsctl, service, form):
    made = ("--funding-instrument-id", CARD, "--daily-budget", "5")
    adsctl("campaigns", "create", "--name", normalize("NFC", "Café"), *made)
    ids = adsctl("campaigns", "get", "--where", f"name={normalize(form, 'Café')} ", "-o", "ids").stdout
    assert len(ids.split()) == 1


FORMS = {
    "trimmed": str.strip,
    "composed": lambda text: normalize("NFC", text),
    "both": lambda text: normalize("NFC", text).strip(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_name_in_the_form_of_the_service_is_the_same_name(adsctl, service, lie, form):
    def as_stored(records: list[dict]) -> list[dict]:
        return [
            {**record, "name": FORMS[form](record["name"])} if record.get("name") else record
            for record in records
        ]

    lie("/campaigns", as_stored)
    lie("/line_items", as_stored)
    item = {"name": normalize("NFD", " Hüte "), "objective": "REACH", "product_type": "PROMOTED_POSTS"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "start_time": "2031-12-01"}
    file = {"campaigns": [SNOW | {"name": normalize("NFD", "Übermorgen "), "line_items": [item]}]}
    apply(adsctl, file)
    assert plan(adsctl, file, code=0) == []
    (adsctl.home / "state" / "state.db").rename(adsctl.home / "other-machine")
    assert plan(adsctl, file, code=0) == [], "another machine finds it too"


def test_names_that_the_service_stores_as_one_are_told_beside_each_other(adsctl, service):
    file = json.dumps({"campaigns": [SNOW, SNOW | {"name": "Snow "}]})
    assert "is also on line" in adsctl("campaigns", "plan", "-", input=file, code=3).stderr


def test_a_name_that_the_service_has_changed_is_told_once_and_differs_no_more(adsctl, service, monkeypatch):
    send = Sender.send

    def shouting(self, prepared, *args, **options):
        response = send(self, prepared, *args, **options)
        data = response.body.get("data") if isinstance(response.body, dict) else None
        if "/campaigns" not in prepared.url or not data:
            return response
        loud = [
            {**record, "name": record["name"].upper()}
            for record in (data if isinstance(data, list) else [data])
        ]
        return replace(response, body={**response.body, "data": loud if isinstance(data, list) else loud[0]})

    monkeypatch.setattr(Sender, "send", shouting)
    assert "stores the name 'Snow' as 'SNOW'" in apply(adsctl, {"campaigns": [SNOW]}).stderr
    assert plan(adsctl, {"campaigns": [SNOW]}, code=0) == []
    ice = {"campaigns": [SNOW | {"name": "Ice", "key": "Snow"}]}
    assert short(plan(adsctl, ice)) == [("update", "campaign")]
    assert "stores the name 'Ice' as 'ICE'" in apply(adsctl, ice).stderr
    assert plan(adsctl, ice, code=0) == []


def test_a_rename_that_the_service_ignores_stays_a_difference(adsctl, service, lie, monkeypatch):
    send = Sender.send

    def ignoring(self, prepared, *args, **options):
        response = send(self, prepared, *args, **options)
        data = response.body.get("data")
        if f"/campaigns/{SPRING}" in prepared.url:
            return replace(response, body={**response.body, "data": {**data, "name": "Spring sale"}})
        return response

    monkeypatch.setattr(Sender, "send", ignoring)
    lie("/campaigns", lambda records: [{**record, "name": "Spring sale"} for record in records])
    file = {"campaigns": [{"id": SPRING, "name": "Summer sale"}]}
    for _ in range(2):
        assert "stores the name" not in apply(adsctl, file).stderr
        assert short(plan(adsctl, file)) == [("update", "campaign")]


@pytest.mark.parametrize(
    "text",
    [
        "scope: account\ncampaigns:\n",
        f"campaigns:\n- id: {SPRING}\n  line_items:\n",
        f"campaigns:\n- id: {SPRING}\n  line_items:\n  - id: {CLICKS}\n    targeting:\n",
        f"campaigns:\n- id: {SPRING}\n  line_items:\n  - id: {CLICKS}\n    ads: null\n",
        json.dumps({"campaigns": [{"id": SPRING, "line_items": None}]}),
        "account:\ncampaigns: []\n",
        "q: ''\ncampaigns: []\n",
    ],
)
def test_a_key_with_nothing_after_it_is_no_empty_list(adsctl, service, text):
    adsctl.file("cut.yaml", text)
    message = adsctl(
        "campaigns", "apply", "cut.yaml", "--prune", "--max-delete", "100%", "--yes", code=3
    ).stderr
    assert "is empty; " in message


def test_an_empty_list_is_written_as_one(adsctl, service):
    item = {"id": CLICKS, "targeting": []}
    changes = plan(adsctl, {"campaigns": [{"id": SPRING, "line_items": [item]}]}, "--prune")
    assert {change["action"] for change in changes} == {"delete"}


def test_a_key_of_two_files_is_not_one_record(adsctl, service):
    first = adsctl.file("first.json", json.dumps({"campaigns": [SNOW | {"key": "main"}]}))
    second = adsctl.file("second.json", json.dumps({"campaigns": [SNOW | {"key": "main", "name": "Frost"}]}))
    apply(adsctl, str(first))
    before = names(adsctl)
    message = apply(adsctl, str(second), code=3).stderr
    assert (
        "'main' is the key of campaign" in message and "first.json" in message and "second.json:1" in message
    )
    assert names(adsctl) == before
    assert "'main' is the key of" in adsctl("campaigns", "plan", second, code=3).stderr
    first.write_text(first.read_text().replace("Snow", "Rain"))
    apply(adsctl, str(first))
    assert "Rain" in names(adsctl) and "Snow" not in names(adsctl), "its own file renames it"
    second.write_text(first.read_text().replace("Rain", "Hail"))
    first.unlink()
    apply(adsctl, str(second))
    assert "Hail" in names(adsctl) and "Rain" not in names(adsctl), "a file that was moved stays its own"


def test_a_name_that_is_the_key_of_another_file_is_told(adsctl, service):
    apply(adsctl, str(adsctl.file("first.json", json.dumps({"campaigns": [SNOW | {"key": "main"}]}))))
    second = adsctl.file("second.json", json.dumps({"campaigns": [SNOW | {"name": "main"}]}))
    assert "'main' is the key of campaign" in apply(adsctl, str(second), code=3).stderr


@pytest.mark.parametrize(("end", "id"), [("/campaigns", HAMBURG), ("/line_items", REACH)])
def test_a_copy_has_the_limits_of_its_original_or_is_none(adsctl, service, lie, end, id):
    words = ("campaigns", "copy", HAMBURG, "--dry-run", "-o", "json")
    expected = adsctl(*words).stdout
    lie(end, without(BUDGET))
    assert adsctl(*words).stdout == expected
    lie(f"{end}/{id}", without(BUDGET))
    assert (
        f"the service does not show daily_budget of the {end[1:-1].replace('_', ' ')} {id}"
        in adsctl(*words, code=8).stderr
    )


@pytest.mark.parametrize("service_name", ["x"])
def test_a_value_that_is_not_shown_is_removed_and_not_taken_for_nothing(adsctl, service, lie):
    lie("/line_items", without("end_time"))
    lie(f"/line_items/{CLICKS}", without("end_time"))
    for words in (("--where", f"id={CLICKS}"), (CLICKS,)):
        done = adsctl("line-items", "update", *words, "--set", "end_time=null", code=12)
        assert "nothing to change" not in done.stderr and "none of them differs" not in done.stderr


# Lists that lag after a lost answer.


ITEM = {"name": "Hats", "objective": "REACH", "product_type": "PROMOTED_POSTS"} | {
    "placements": ["ALL_ON_PLATFORM"],
    "bid_strategy": "AUTO",
    "start_time": "2031-12-01",
}
TAG = {"tracking_tag_type": "CLICK_TRACKER", "tracking_tag_url": "https://m.example/c"}


@pytest.mark.parametrize(
    ("file", "route", "end", "is_new"),
    [
        ({"campaigns": [SNOW]}, "campaigns", "/campaigns", lambda record: record["name"] == "Snow"),
        (
            {"campaigns": [{"id": HAMBURG, "line_items": [ITEM]}]},
            "line_items",
            "/line_items",
            lambda record: record["name"] == "Hats",
        ),
        (
            {"campaigns": [{"id": HAMBURG, "line_items": [{"id": REACH, "tracking_tags": [TAG]}]}]},
            "tracking_tags",
            "/tracking_tags",
            lambda record: record["tracking_tag_url"] == TAG["tracking_tag_url"],
        ),
    ],
    ids=["campaign", "line item", "what has no name"],
)
def test_what_a_lost_answer_has_created_is_not_created_again_by_a_list_that_lags(
    adsctl, service, lag, waits, file, route, end, is_new
):
    service.fail(f"POST */{route} reset-after times=1")
    apply(adsctl, file, code=8)
    lag(end, is_new)
    message = apply(adsctl, file, code=12).stderr
    assert "1 record may have been created by a request whose answer was lost" in message
    assert (
        "may be there, created by a request whose answer was lost"
        in adsctl("campaigns", "plan", "-", input=json.dumps(file), code=10).stderr
    )
    assert waits.total == 0
    message = apply(adsctl, file, "--resume", "-v").stderr
    assert 10 <= waits.total < 30, "it is found as soon as it is listed"
    assert plan(adsctl, file, code=0) == []
    assert json.dumps(document(adsctl)).count("Hats" if route == "line_items" else "m.example/c") <= 1
    assert names(adsctl).count("Snow") == (route == "campaigns")


def test_what_was_never_created_is_created_once_a_list_would_show_it(adsctl, service, waits):
    service.fail("POST */campaigns reset times=1")
    apply(adsctl, {"campaigns": [SNOW]}, code=8)
    assert "may have been created" in apply(adsctl, {"campaigns": [SNOW]}, code=12).stderr
    waits.waited.append(121)  # somebody waits
    apply(adsctl, {"campaigns": [SNOW]})
    assert names(adsctl).count("Snow") == 1


def test_a_wait_is_no_longer_than_max_wait_allows(adsctl, service, waits):
    service.fail("POST */campaigns reset times=1")
    apply(adsctl, {"campaigns": [SNOW]}, code=8)
    assert (
        "may not list it yet"
        in apply(adsctl, {"campaigns": [SNOW]}, "--resume", "--max-wait", "5", code=12).stderr
    )
    assert waits.total == 0


def test_another_file_does_not_settle_what_is_uncertain(adsctl, service, lag):
    service.fail("POST */campaigns reset-after times=1")
    apply(adsctl, {"campaigns": [SNOW]}, code=8)
    lag("/campaigns", lambda record: record["name"] == "Snow")
    apply(adsctl, {"campaigns": [SNOW | {"name": "Frost"}]})
    assert "may have been created" in apply(adsctl, {"campaigns": [SNOW]}, code=12).stderr


def test_an_attempt_of_a_clock_that_was_wrong_is_waited_for_once(adsctl, service, waits):
    waits.waited.append(15 * 365 * 86400)
    service.fail("POST */campaigns reset times=1")
    apply(adsctl, {"campaigns": [SNOW]}, code=8)
    waits.waited.clear()
    apply(adsctl, {"campaigns": [SNOW]}, "--resume")
    assert waits.total == 120 and names(adsctl).count("Snow") == 1


@pytest.mark.parametrize(
    ("end", "is_hidden"),
    [
        ("/campaigns", lambda record: record["name"] == "Snow"),
        ("/line_items", lambda record: record["name"] == "Hats"),
    ],
    ids=["campaign", "line item"],
)
def test_what_the_file_has_by_its_id_is_not_said_to_be_deleted_where_a_list_lags(
    adsctl, service, lag, end, is_hidden
):
    adsctl.file("snow.json", json.dumps({"campaigns": [SNOW | {"line_items": [ITEM]}]}))
    adsctl("campaigns", "apply", "snow.json", "--write-ids", "--yes")
    lag(end, is_hidden)
    message = adsctl("campaigns", "apply", "snow.json", "--yes", code=8).stderr
    assert (
        "is there, and the service does not list it" in message and "created" not in message.split("hint")[0]
    )
    adsctl("campaigns", "plan", "snow.json", code=8)


AGES = [{"AGE": "AGE_25_TO_54"}]
LISTS = {
    "campaigns": ("/campaigns", "name", "Snow"),
    "line items": ("/line_items", "name", "Hats"),
    "targeting": ("/targeting_criteria", "targeting_value", "AGE_25_TO_54"),
    "tracking tags": ("/tracking_tags", "tracking_tag_url", TAG["tracking_tag_url"]),
}


@pytest.mark.parametrize("late", [*([name] for name in LISTS), [*LISTS]], ids=" and ".join)
def test_what_a_run_has_created_a_moment_ago_is_waited_for_and_not_created_again(
    adsctl, service, lag, waits, late
):
    item = ITEM | {"targeting": AGES, "tracking_tags": [TAG]}
    file = {"campaigns": [SNOW | {"line_items": [item]}, SNOW | {"name": "Ice", "line_items": [ITEM]}]}
    apply(adsctl, file)
    made = document(adsctl)
    for seconds, name in enumerate(late, 30):
        end, field, value = LISTS[name]
        lag(end, lambda record, field=field, value=value: record.get(field) == value, seconds)
    message = apply(adsctl, file, code=8).stderr
    assert "is there, and the service does not list it" in message and "--resume waits" in message
    assert waits.total == 0
    assert "that an earlier run has created: looking for it" in apply(adsctl, file, "--resume").stderr
    assert 30 <= waits.total <= 120 and document(adsctl) == made


def test_a_criterion_that_was_deleted_since_is_created_again_at_once(adsctl, service, waits):
    file = {"campaigns": [SNOW | {"line_items": [ITEM | {"targeting": AGES}]}]}
    apply(adsctl, file)
    made = next(campaign for campaign in document(adsctl)["campaigns"] if campaign["name"] == "Snow")
    ids = adsctl("targeting", "list", "--line-item-ids", made["line_items"][0]["id"], "-o", "ids").stdout
    adsctl("targeting", "delete", *ids.split(), "--yes")
    assert short(plan(adsctl, file)) == [("create", "targeting")]
    apply(adsctl, file)
    assert plan(adsctl, file, code=0) == [] and waits.total == 0


def test_a_criterion_that_the_file_has_by_its_id_is_looked_for_where_its_list_lags(adsctl, service, lag):
    item = {"id": CLICKS, "targeting": [{"id": "ft10d", "AGE": "AGE_25_TO_54"}]}
    lag("/targeting_criteria", lambda record: record["id"] == "ft10d")
    message = apply(adsctl, {"campaigns": [{"id": SPRING, "line_items": [item]}]}, code=8).stderr
    assert "the targeting ft10d is there, and the service does not list it" in message


def test_an_id_that_was_deleted_or_lies_elsewhere_is_told_as_before(adsctl, service):
    files = {"1nothere": {}, SPRING: {"id": SPRING, "line_items": [{"id": "9d4d1", "name": "Hats"}]}}
    for id, campaign in files.items():
        file = {"campaigns": [{"id": id, "name": "Snow", **campaign}]}
        message = apply(adsctl, file, code=3).stderr
        assert f"has no campaign {id}" in message or "9d4d1" in message
