"""Campaigns as a file: pulled, compared and carried out; nothing is created twice, or touched beside it."""

import json

import pexpect
import pytest

from ads_cli.client.transport import Sender
from tests.campaigns.files import COUNTRIES, apply, document, plan, pull, recorded, short, spring
from tests.effort import every
from tests.emulator.seeded import CAFE, CARD, CLICKS, GERMANY, KNITTERS, SHOP, SUMMER

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])


@pytest.mark.parametrize(("service_name", "account"), [("generic", SHOP), ("x", SHOP), ("generic", CAFE)])
def test_two_pulls_are_the_same_bytes_and_a_plan_of_one_says_nothing(adsctl, service, service_name, account):
    adsctl("campaigns", "pull", "a.yaml", "-A", account)
    adsctl("campaigns", "pull", "b.json", "-A", account)
    adsctl("campaigns", "pull", "a.yaml", "-A", account)
    assert (adsctl.home / "a.yaml").read_text() == pull(adsctl, "-A", account)
    for file in ("a.yaml", "b.json"):
        assert plan(adsctl, (adsctl.home / file).read_text(), "-A", account, "--prune", code=0) == []
    named = (adsctl.home / "a.yaml").read_text()
    assert (account == CAFE) != ("PROMOTED_POSTS" in named)


def test_pull_replaces_what_it_has_written_and_no_other_file(adsctl, service):
    adsctl("campaigns", "pull", "shop.yaml")
    adsctl("campaigns", "update", KNITTERS, "--name", "Knitting people")
    adsctl("campaigns", "pull", "shop.yaml")
    file = adsctl.home / "shop.yaml"
    file.write_text(file.read_text() + "# mine\n")
    assert "--force" in adsctl("campaigns", "pull", "shop.yaml", code=2).stderr
    assert file.read_text().endswith("# mine\n")
    adsctl("campaigns", "pull", "shop.yaml", "--force")
    assert not file.read_text().endswith("# mine\n")


@both_services
def test_what_somebody_changed_by_hand_is_a_difference_and_is_undone(adsctl, service, service_name):
    before = document(adsctl)
    adsctl("campaigns", "update", KNITTERS, "--daily-budget", "20", "--name", "Küche ☕")
    adsctl("line-items", "update", SUMMER, "--total-budget", "90", "--end-time", "2031-01-01T00:00:00+02:00")
    adsctl(
        "targeting",
        "add",
        "--line-item",
        SUMMER,
        "--targeting-type",
        "AGE",
        "--targeting-value",
        "AGE_25_TO_54",
    )
    changes = plan(adsctl, before)
    assert short(changes) == [("update", "line_item"), ("update", "campaign")]
    by_id = {change["id"]: change for change in changes}
    assert by_id[KNITTERS]["before"] == {"name": "Küche ☕", "daily_budget": "20.00"}
    assert by_id[KNITTERS]["after"] == {"name": "People who knit", "daily_budget": "15.00"}
    assert by_id[SUMMER]["before"]["total_budget"] == "90.00"
    assert by_id[SUMMER]["after"]["total_budget"] is None
    assert ("delete", "targeting") in short(plan(adsctl, before, "--prune"))
    message = apply(adsctl, before, "--dry-run").stderr
    assert "daily_budget: 20.00 → 15.00 EUR\n" in message and "total_budget: 90.00 EUR → nothing\n" in message
    if service_name == "generic":
        message = apply(adsctl, before, code=3).stderr
        assert "cannot remove a value" in message and "end_time" in message
        return
    apply(adsctl, before, "--prune")
    assert document(adsctl) == before


@both_services
def test_a_file_is_carried_out_once_from_the_top_down(adsctl, service, service_name, winter):
    before = document(adsctl)
    assert [*{action for action, _ in short(plan(adsctl, COUNTRIES))}] == ["create"]
    made = json.loads(apply(adsctl, winter, "--write-ids").stdout)
    assert all(change["id"] for change in made) and len(made) == 17
    assert apply(adsctl, winter).stdout == "[]\n"
    after = document(adsctl)
    known = {record["id"] for record in before["campaigns"]}
    new = [record for record in after["campaigns"] if record["id"] not in known]
    assert [record for record in after["campaigns"] if record["id"] in known] == before["campaigns"]
    new = {record["name"]: record for record in new}
    assert {name: record["entity_status"] for name, record in new.items()} == {
        "Winter Germany": "PAUSED",
        "Winter Austria": "PAUSED",
        "Solo": "ACTIVE",
    }
    (line_item,) = new["Winter Austria"]["line_items"]
    assert line_item["entity_status"] == "ACTIVE" and line_item["daily_budget"] == "12.50"
    assert len(line_item["targeting"]) == 3 and len(line_item["ads"]) == 2
    text = (adsctl.home / winter).read_text()
    assert f'- id: "{new["Solo"]["id"]}"\n  name: Solo\n' in text and "# one for each country" in text


@pytest.mark.parametrize("line_break", every(2, ["\r\n", "\r", "\u2028", "\x85"]))
def test_ids_are_written_into_the_lines_of_any_file(adsctl, service, winter, line_break):
    text = COUNTRIES.replace("\n", line_break).replace(line_break, "\n", 1)
    (adsctl.home / winter).write_bytes(text.encode())
    made = json.loads(apply(adsctl, winter, "--write-ids").stdout)
    (solo,) = [change["id"] for change in made if change["name"] == "Solo"]
    after = (adsctl.home / winter).read_bytes().decode()
    assert after == text.replace("- name: Solo", f'- id: "{solo}"\n  name: Solo')
    assert apply(adsctl, winter).stdout == "[]\n"


def test_a_file_with_an_empty_id_can_still_be_read_after_ids_were_written(adsctl, service, winter):
    text = COUNTRIES.replace("- name: Solo", "- id: null\n  name: Solo")
    adsctl.file(winter, text)
    message = apply(adsctl, winter, "--write-ids").stderr
    assert "0 ids written" in message and "have no place for their ids" in message
    assert (adsctl.home / winter).read_text() == text
    assert apply(adsctl, winter).stdout == "[]\n"


def test_nothing_begins_to_spend_unasked_and_what_is_paused_is_not_asked_about(adsctl, service, winter):
    message = adsctl("campaigns", "apply", winter, code=12).stderr
    assert "15" in message or "17 to create" in message
    assert "not confirmed" in message and "daily budgets of what may serve" in message
    paused = COUNTRIES.replace("entity_status: ACTIVE\n", "\n")
    adsctl("campaigns", "apply", "-", input=paused)
    assert plan(adsctl, paused, code=0) == []


def test_an_apply_that_finds_no_differences_shows_no_bar(adsctl, service):
    child = adsctl.terminal("campaigns", "apply", adsctl.file("shop.json", pull(adsctl)))
    child.expect(pexpect.EOF)
    assert "0/0" not in child.before


def test_what_is_activated_is_created_paused_and_activated_last(adsctl, service, winter, monkeypatch):
    sent = recorded(monkeypatch)
    apply(adsctl, winter)
    active = ["ACTIVE" in "".join(request) for request in sent]
    assert active == [False] * (len(sent) - 2) + [True] * 2, sent


def test_each_change_is_counted_once_whatever_requests_it_takes(adsctl, service, winter):
    made = json.loads(apply(adsctl, winter).stdout)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["sent"] == job["rows"] == len(made)


def test_without_prune_nothing_is_deleted_and_with_it_only_what_the_lists_lack(adsctl, service):
    file, campaign = spring(adsctl)
    campaign["line_items"] = [record for record in campaign["line_items"] if record["id"] == CLICKS]
    campaign["line_items"][0]["targeting"].pop()
    assert plan(adsctl, file, code=0) == []
    changes = plan(adsctl, file, "--prune")
    assert {action for action, _ in short(changes)} == {"delete"}
    assert short(changes)[-1] == ("delete", "line_item")
    assert "--max-delete" in apply(adsctl, file, "--prune", code=12).stderr
    apply(adsctl, file, "--prune", "--max-delete", "100%")
    assert [record["id"] for record in spring(adsctl)[1]["line_items"]] == [CLICKS]
    assert len(document(adsctl)["campaigns"]) > 6  # campaigns are deleted only by a file of the whole account


def test_what_is_deleted_has_the_key_that_it_was_created_with(adsctl, service):
    file = document(adsctl)
    criteria = next(
        item["targeting"]
        for record in file["campaigns"]
        for item in record["line_items"]
        if item["targeting"]
    )
    removed = [criteria.pop() for _ in range(len(criteria))]
    deleted = {change["key"] for change in plan(adsctl, file, "--prune")}
    apply(adsctl, file, "--prune", "--max-delete", "100%", "--yes")
    criteria += removed
    assert deleted == {change["key"] for change in plan(adsctl, file)}


def test_campaigns_are_pruned_by_a_file_that_covers_the_account(adsctl, service):
    file = document(adsctl)
    assert file["scope"] == "account"
    file["campaigns"] = [record for record in file["campaigns"] if record["id"] != KNITTERS]
    apply(adsctl, file, "--prune", "--max-delete", "50%")
    assert KNITTERS not in {record["id"] for record in document(adsctl)["campaigns"]}
    assert plan(adsctl, file, "--prune", code=0) == []


@pytest.mark.parametrize("output", ["yaml", "json"])
def test_a_mistake_that_only_the_account_tells_has_its_line(adsctl, service, output):
    adsctl("campaigns", "pull", f"shop.{output}")
    file = adsctl.home / f"shop.{output}"
    lines = file.read_text().splitlines()
    number = next(number for number, line in enumerate(lines) if "WEBSITE_CLICKS" in line)
    lines[number] = lines[number].replace("WEBSITE_CLICKS", "REACH")
    file.write_text("\n".join(lines))
    message = adsctl("campaigns", "plan", file.name, code=3).stderr
    assert f"shop.{output}:{number + 1}: campaigns[0].line_items[0].objective: cannot be changed" in message


def test_a_file_that_covers_names_by_their_beginning_makes_nothing_twice(adsctl, service):
    snow = {"name": "Snow", "funding_instrument_id": CARD, "daily_budget": "5"}
    file = {"q": "Snow", "campaigns": [snow, snow | {"name": "Frost"}]}
    apply(adsctl, file)
    assert plan(adsctl, file, code=0) == []
    made = {record["name"]: record["id"] for record in document(adsctl)["campaigns"]}
    adsctl("campaigns", "update", made["Snow"], "--name", "Old snow")
    (change,) = plan(adsctl, file, "--prune")
    assert (change["action"], change["id"], change["after"]) == ("update", made["Snow"], {"name": "Snow"})


def test_pruning_by_the_beginning_of_names_is_measured_by_the_campaigns_that_have_it(adsctl, service):
    campaigns = [{"name": f"Snow {n}", "funding_instrument_id": CARD, "daily_budget": "5"} for n in (1, 2)]
    apply(adsctl, {"campaigns": campaigns})
    file = {"q": "Snow", "campaigns": campaigns[:1]}
    assert "1 of 2 records would be deleted" in apply(adsctl, file, "--prune", code=12).stderr
    apply(adsctl, file, "--prune", "--max-delete", "1")
    names = {record["name"] for record in document(adsctl)["campaigns"]}
    assert "Snow 1" in names and "Snow 2" not in names and "Hamburg knows us" in names


def test_a_criterion_that_is_named_in_two_ways_is_told(adsctl, service):
    document = f"""\
campaigns:
- id: {KNITTERS}
  line_items:
  - name: People who knit
    targeting:
    - LOCATION: Germany
    - LOCATION: {GERMANY}
"""
    message = adsctl("campaigns", "plan", "-", input=document, code=3).stderr
    assert "standard input:7: campaigns[0].line_items[0].targeting[1]: it is also on line 6" in message


def test_values_that_were_found_by_names_in_any_case_are_pulled_and_planned_again(adsctl, service):
    targeting = [{"DEVICE": "iphone 15"}, {"NETWORK_OPERATOR": "verizon"}]
    item = {"name": "People who knit", "targeting": targeting}
    document = json.dumps({"campaigns": [{"id": KNITTERS, "line_items": [item]}]})
    made = plan(adsctl, json.loads(document))
    values = [change["after"]["targeting_value"] for change in made if change["kind"] == "targeting"]
    assert len(values) == 2 and "verizon" not in values
    adsctl("campaigns", "apply", "-", "--yes", input=document)
    adsctl("campaigns", "pull", "all.yaml")
    adsctl("campaigns", "plan", "all.yaml")


def test_the_audiences_of_an_account_are_listed_once_for_all_criteria(adsctl, service, monkeypatch):
    urls, send = [], Sender.send

    def noting(self, prepared, *args, **options):
        urls.append(prepared.url)
        return send(self, prepared, *args, **options)

    monkeypatch.setattr(Sender, "send", noting)
    targeting = [{"CUSTOM_AUDIENCE": name} for name in ("Customers", "1nmw1", "Readers of the newsletter")]
    item = {"name": "People who knit", "targeting": targeting}
    plan(adsctl, {"campaigns": [{"id": KNITTERS, "line_items": [item]}]})
    assert len([url for url in urls if "/custom_audiences?" in url]) == 2  # its own, and those shared with it


BAD = """\
campaigns:
- name: One
  funding_instrument_id: 4a1n0
  daly_budget: 5
  line_items:
  - name: Inner
    objective: CLICKS
    daily_budget: 12,50
    targeting:
    - LOCATION: Atlantis
- name: One
  funding_instrument_id: 4a1n0
- id: 9d4c1
- id: nowhere1
  name: Gone
- {name: Post, funding_instrument_id: 4a1n0, line_items: [{name: A, ads: [{banana: 1}]}]}
"""


def test_all_mistakes_are_told_at_once_with_file_line_and_path(adsctl, service):
    (adsctl.home / "bad.yaml").write_text(BAD)
    message = adsctl("campaigns", "plan", "bad.yaml", code=3).stderr
    for expected in (
        "bad.yaml:4: campaigns[0].daly_budget: is not a field of a campaign; did you mean 'daily_budget'",
        "bad.yaml:7: campaigns[0].line_items[0].objective: 'CLICKS' is not one of",
        "bad.yaml:8: campaigns[0].line_items[0].daily_budget: '12,50' is not an amount",
        "bad.yaml:10: campaigns[0].line_items[0].targeting[0].targeting_value: 'Atlantis'",
        "bad.yaml:11: campaigns[1]: the name 'One' is also on line 2",
        "bad.yaml:13: campaigns[2].id:",
        "bad.yaml:14: campaigns[3].id:",
        "bad.yaml:16: campaigns[4].line_items[0].ads[0]:",
    ):
        assert expected in message, (expected, message)


def test_a_file_names_its_account(adsctl, service):
    adsctl("campaigns", "plan", "-", input="account: Nordlicht Shop\ncampaigns: []\n")
    other = "account: Café Kastanie (managed by Kontor Acht)\ncampaigns: []\n"
    refused = adsctl("campaigns", "plan", "-", input=other, code=3).stderr
    assert "add --account 'Café Kastanie (managed by Kontor Acht)'" in refused
    adsctl("campaigns", "plan", "-", "--account", "18ce55gze09", input=other)
    adsctl("campaigns", "plan", "-", input="account: Nowhere\ncampaigns: []\n", code=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("account: other1\ncampaigns: []\n", "is for account other1"),
        ("campaigns: {a: 1}\n", "campaigns: must be a list"),
        ("- a\n", "must be a mapping"),
        ("campaigns:\n- name: A {land}\n  for: {rows: markets.csv}\n", "{land} is not a column"),
        ("campaigns:\n- name: A {country}\n  for: {rows: nowhere.csv}\n", "nowhere.csv"),
        ("campaigns:\n- name: A\n  for: {files: '/nowhere/*.jpg'}\n", "matches no file"),
        ("campaigns:\n- name: A\n  for: {lines: markets.csv}\n", "must be a mapping with one of rows"),
        ("campaigns:\n- name: A\n  name: B\n", "is repeated"),
        ("campaigns: &a []\n", "anchors"),
        ("campaigns: [\n", "neither YAML nor JSON"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(adsctl, service, winter, text, expected):
    assert expected in adsctl("campaigns", "plan", "-", input=text, code=3).stderr


def test_the_example_is_a_file(adsctl, service):
    example = adsctl("campaigns", "pull", "--example").stdout
    for field in ("bid_amount", "frequency_cap", "primary_web_event_tag", "purchase_order_number"):
        assert f"{field}:" in example
    assert "create" in {action for action, _ in short(plan(adsctl, example))}


@pytest.mark.parametrize("service_name", ["x"])
def test_targeting_that_the_service_adds_by_itself_is_there_and_not_refused(adsctl, service, service_name):
    app = {"ios_app_store_identifier": "1066718842", "android_app_store_identifier": "example.nordlicht.shop"}
    item = {"name": "Install it", "objective": "APP_INSTALLS", "product_type": "PROMOTED_POSTS", **app}
    item |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2031-01-01", "bid_strategy": "AUTO"}
    item["targeting"] = [{"PLATFORM": "0"}, {"PLATFORM": "1"}, {"LANGUAGE": "de"}]
    campaign = {"name": "App", "funding_instrument_id": CARD, "daily_budget": 5, "line_items": [item]}
    apply(adsctl, {"campaigns": [campaign]})
    assert plan(adsctl, {"campaigns": [campaign]}, "--prune", code=0) == []


def test_what_is_deleted_with_a_campaign_counts_among_the_records(adsctl, service):
    whole = {"account": SHOP, "scope": "account", "campaigns": []}
    message = apply(adsctl, whole, "--prune", code=12).stderr
    deleted, listed = message.partition(" records would be deleted")[0].split()[-3::2]
    assert int(deleted.strip('"')) == int(listed) > 20


def test_a_key_that_reads_like_a_note_of_a_replacement_is_a_key(adsctl, service):
    campaign = {"name": "Other", "key": f"in place of {KNITTERS}", "funding_instrument_id": CARD}
    for _ in range(2):
        apply(adsctl, {"campaigns": [campaign | {"daily_budget": 5}]})
    pulled = json.loads(pull(adsctl, "-o", "json", "--ids", KNITTERS))
    assert plan(adsctl, pulled, "--replace", code=0) == []
