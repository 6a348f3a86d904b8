"""What a command shows, another one takes: `get -o json | create -f -`, and records that were edited."""

import json

import pytest

from tests.emulator.seeded import HAMBURG, KNITTERS, SPRING

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])


def shown(adsctl, *words: str) -> str:
    return adsctl("-q", *words, "-o", "json").stdout


@pytest.mark.parametrize(
    ("service_name", "group", "id"),
    [
        ("generic", "campaigns", KNITTERS),
        ("x", "campaigns", KNITTERS),
        ("x", "line-items", "9d4c3"),
        ("generic", "line-items", "9d4b4"),
        ("generic", "cards", "7cqs1"),
        ("x", "cards", "7cqs1"),
    ],
)
def test_a_record_that_is_shown_is_created_again(adsctl, service, service_name, group, id):
    before = json.loads(shown(adsctl, group, "get", id))
    done = adsctl(group, "create", "-f", "-", "-v", "-y", "-o", "json", input=json.dumps(before))
    made, old = json.loads(done.stdout), before[0] if isinstance(before, list) else before
    assert made["id"] != old["id"] and made["name"] == old["name"]
    assert "not sent, since it is read only: " in done.stderr and "created_at" in done.stderr
    quiet = adsctl(group, "create", "-f", "-", "-y", input=json.dumps(old))
    assert "read only" not in quiet.stderr


@both_services
@pytest.mark.parametrize("group", ["line-items", "cards"])
def test_a_list_that_is_shown_is_created_again(adsctl, service, service_name, group):
    listed = shown(adsctl, group, "list", "--all")
    made = json.loads(adsctl("-q", group, "create", "-f", "-", "-y", "-o", "json", input=listed).stdout)
    names = [record["name"] for record in json.loads(listed)]
    assert [record["name"] for record in made] == names and len(names) > 2
    assert len(json.loads(shown(adsctl, group, "list", "--all"))) == 2 * len(names)


@both_services
def test_a_record_that_was_edited_is_changed_where_it_differs(adsctl, service, service_name, writes):
    record = json.loads(shown(adsctl, "campaigns", "get", SPRING))
    done = adsctl("campaigns", "update", "-f", "-", "-o", "json", input=json.dumps(record))
    assert "nothing to change" in done.stderr and json.loads(done.stdout) == record and not writes
    edited = json.dumps(record | {"name": "Summer", "daily_budget_amount_local_micro": 61_000_000})
    adsctl("campaigns", "update", "-f", "-", input=edited)
    ((method, url),) = writes
    assert method == "PUT" and url.partition("?")[0].endswith(f"/campaigns/{SPRING}")
    assert "name=Summer" in url and "61000000" in url and url.count("=") == 2
    done = adsctl(
        "campaigns", "update", "-f", "-", input=json.dumps(record | {"campaign_id": HAMBURG}), code=3
    )
    assert HAMBURG in done.stderr and SPRING in done.stderr


@pytest.mark.parametrize(
    ("service_name", "format"),
    [("generic", "json"), ("x", "json"), ("generic", "csv"), ("x", "yaml"), ("generic", "jsonl")],
)
def test_of_a_list_only_what_was_edited_is_sent(adsctl, service, service_name, format, writes):
    listed = adsctl("-q", "campaigns", "list", "--all", "-o", format).stdout
    words = ("campaigns", "update", "-f", "-", "--format", format, "-o", "ids")
    assert adsctl(*words, input=listed).stdout == "" and not writes, (
        "with values that only the service answers"
    )
    done = adsctl(*words, input=listed.replace("Winter", "Summer").replace("Hamburg", "Bremen"))
    assert done.stdout.split() == ["8wkt0", HAMBURG] and len(writes) == 1
    assert "5 records unchanged" in done.stderr
    names = adsctl("-q", "campaigns", "list", "--all", "-o", "csv", "--columns", "name").stdout
    assert "Bremen knows us" in names and "Summer sale" in names


def test_a_value_that_only_the_service_answers_replaces_no_other(adsctl):
    record = json.loads(adsctl.local("line-items", "get", "9d4c1", "-o", "json").stdout)
    edited = json.dumps(record | {"pay_by": "ENGAGEMENT"})
    refused = adsctl.local("line-items", "update", "-f", "-", input=edited, code=3)
    assert "pay_by: 'ENGAGEMENT' is not one of" in refused.stderr


def test_a_row_is_valid_or_not_whatever_the_order_of_the_rows(adsctl):
    rows = ["8wkv4,First,DRAFT,", "8wku3,Second,,2026-01-01T00:00:00Z"]
    for ordered in (rows, rows[::-1]):
        file = adsctl.file("e.csv", "\n".join(["id,name,entity_status,created_at", *ordered]))
        refused = adsctl.local("campaigns", "update", "-f", file, "--dry-run", code=3).stderr
        assert f"e.csv:{ordered.index(rows[0]) + 2}: entity_status" in refused


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.csv", "name,entity_status,created_at\nx,FOO,2026-01-01T00:00:00Z\n"),
        ("d.yaml", "{name: x, entity_status: FOO, created_at: 2026-01-01T00:00:00Z}\n"),
    ],
)
def test_a_record_without_an_id_is_not_looked_up(adsctl, name, text):
    file = adsctl.file(name, text)
    refused = adsctl.local("campaigns", "update", "-f", file, code=None)
    assert refused.returncode in (2, 3) and "entity_status" in refused.stderr and "None" not in refused.stderr


@pytest.mark.parametrize("name", ["d.csv", "d.yaml"])
def test_the_id_of_a_record_may_be_that_of_the_command(adsctl, name):
    text = {
        "d.csv": "name,entity_status,created_at\nx,DRAFT,2026-01-01T00:00:00Z\n",
        "d.yaml": "{name: x, entity_status: DRAFT, created_at: 2026-01-01T00:00:00Z}\n",
    }[name]
    done = adsctl.local("campaigns", "update", "8wkv4", "-f", adsctl.file(name, text), "--dry-run")
    assert "8wkv4" in done.stdout + done.stderr and "DRAFT" not in done.stdout + done.stderr


def test_problems_of_an_operation_are_in_the_order_of_its_keys(adsctl):
    names = [f"{letter}x" for letter in "qwertyuiop"]
    keys = "".join(f", {name}: 1" for name in names)
    file = adsctl.file("o.yaml", f"- {{Operation-Type: Create, Params: {{name: a}}{keys}}}\n")
    refused = adsctl.local("campaigns", "create", "-f", file, code=3).stderr
    at = [refused.index(f" {name}: is not a known field") for name in names]
    assert at == sorted(at)


def test_a_carousel_whose_slides_are_in_another_order_is_changed(adsctl, service):
    card = json.loads(shown(adsctl, "cards", "get", "7cqs2"))
    reordered = card | {"slides": card["slides"][::-1]}
    adsctl("cards", "update", "-f", "-", input=json.dumps(reordered))
    assert json.loads(shown(adsctl, "cards", "get", "7cqs2"))["slides"] == reordered["slides"]


def test_cards_of_a_list_are_changed_and_one_that_is_refused_is_named(adsctl, service, writes):
    cards = json.loads(shown(adsctl, "cards", "list", "--all"))
    cards[0]["name"], cards[1]["id"] = "Renamed", "nope"
    done = adsctl("cards", "update", "-f", "-", "-o", "ids", input=json.dumps(cards), code=5)
    assert "nope" in done.stderr and not writes, "what is not there is told first"
    cards[1]["id"] = cards[2]["id"]
    done = adsctl("cards", "update", "-f", "-", input=json.dumps(cards[:1] + cards[2:] + cards[1:2]), code=3)
    assert cards[2]["id"] in done.stderr
    done = adsctl("cards", "update", "-f", "-", "-o", "ids", input=json.dumps([cards[0], cards[2]]))
    assert done.stdout.split() == [cards[0]["id"]] and [method for method, _ in writes] == ["PUT"]


def test_a_list_of_cards_that_was_stopped_is_resumed_and_none_is_made_twice(adsctl, service):
    card = {"name": "Mugs", "components": json.loads(shown(adsctl, "cards", "list"))[0]["components"]}
    file = adsctl.file("cards.json", json.dumps([card | {"name": f"Mugs {n}"} for n in range(4)]))
    before = len(json.loads(shown(adsctl, "cards", "list", "--all")))
    service.fail("POST */cards reset-after times=1")
    adsctl("cards", "create", "-f", file, code=8)
    service.fail()
    assert "--resume" in adsctl("cards", "create", "-f", file, code=11).stderr
    assert "4 created" in adsctl("cards", "create", "-f", file, "--resume").stderr
    after = json.loads(shown(adsctl, "cards", "list", "--all"))
    assert len(after) == before + 4
    assert len({card["name"] for card in after if card["name"].startswith("Mugs ")}) == 4


@pytest.mark.parametrize(
    ("service_name", "format"), [("generic", "csv"), ("x", "json"), ("generic", "one.json")]
)
@pytest.mark.parametrize(
    ("group", "id", "field", "value", "known"),
    [
        ("campaigns", SPRING, "funding_instrument_id", "4a1n7", "4a1n0"),
        ("campaigns", SPRING, "currency", "JPY", "EUR"),
        ("line-items", "9d4c1", "objective", "REACH", "WEBSITE_CLICKS"),
        ("line-items", "9d4c1", "campaign_id", HAMBURG, SPRING),
    ],
)
def test_an_edit_of_what_cannot_be_changed_is_told(
    adsctl, service, service_name, writes, format, group, id, field, value, known
):
    """Somebody moves a campaign to another funding instrument, or writes its budget in yen, in a table."""
    edited = {"id": id, "name": "Edited", "daily_budget": "21", field: value}
    other = {"id": "8wku4" if group == "campaigns" else "9d4c3", "name": "Other"}
    text = json.dumps(edited if format == "one.json" else [edited, other])
    if format == "csv":
        text = f"{','.join(edited)}\n{','.join(edited.values())}\n{other['id']},Other,,\n"
    words = (group, "update", "-f", "-", "--format", format.removeprefix("one."), "--yes")
    message = adsctl(*words, input=text, code=3).stderr
    assert f"{field}: is '{value}', and cannot be changed from '{known}'" in message and not writes
    adsctl(*words, input=text.replace(value, known))
    assert len(writes) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_amounts_in_another_currency_are_not_taken_for_that_of_a_new_campaign(adsctl, service, writes, count):
    """Campaigns of an account in yen are created in one in euros: 6000 JPY are no 6000 EUR."""
    row = "{name: Osaka, funding_instrument_id: 4a1n0, daily_budget: 6000, currency: JPY}"
    for text in (f"- {row}\n" * count, row):
        message = adsctl("campaigns", "create", "-f", "-", input=text, code=3).stderr
        assert "currency: is 'JPY', and the amounts would be in EUR" in message and not writes
    adsctl("campaigns", "create", "-f", "-", input=f"- {row}\n".replace("JPY", "EUR") * count)
    assert len(writes) == 1
