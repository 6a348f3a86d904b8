"""Names in place of ids: in arguments, options and files, and in what is asked and refused."""

import json

import pytest

from ads_cli.api.fields import fields_of
from ads_cli.api.record_names import GROUPS, NAMED_BY, SAME, cannot_be_id
from ads_cli.api.registry import request_of, requests_for
from ads_cli.client.record_names import RecordNames, label
from ads_cli.config.settings import Settings
from ads_cli.console.completion_ids import NAMED, completions

SPRING, HAMBURG, CLICKS, CUSTOMERS, ON_SALE = "8wku2", "8wku3", "9d4c1", "1nmth", "8s3k1"


def shown(adsctl, *words: str, code: int = 0):
    done = adsctl.local("-q", *words, "-o", "json", code=code)
    return json.loads(done.stdout if code == 0 else done.stderr.splitlines()[-1])


def refused(adsctl, *words: str, code: int) -> str:
    return adsctl.local("-q", *words, code=code).stderr


@pytest.mark.parametrize("service", ["generic", "x"])
def test_each_named_kind_has_a_list_that_shows_its_names(service):
    for field, group in GROUPS.items():
        listing = request_of((*group.split(), "list"), service)
        assert NAMED_BY.get(field, "name") in listing.endpoint.record_fields, field


def test_every_id_of_what_has_a_name_takes_it():
    """A new resource with names belongs into GROUPS, or into the kinds that are left out by what they are."""
    others = {"account_id", "post_id", "card_id", "draft_post_id", "scheduled_post_id", "product_catalog_id"}
    own = {
        request.endpoint.id_field
        for request in requests_for("generic")
        if request.endpoint.id_field
        and request.endpoint.record_id == "id"
        and "name" in request.endpoint.record_fields
        and any(field.name == request.endpoint.id_field and field.type.is_id for field in fields_of(request))
    }
    criteria = {"targeting_criterion_id"}  # whose name is that of their value
    assert own - others - criteria <= {*GROUPS, *SAME}


@pytest.mark.parametrize(
    "words",
    [
        ("campaigns", "get", "Spring collection"),
        ("campaigns", "get", " spring COLLECTION "),
        ("campaigns", "get", "Spring collection", "--service", "x"),
        ("campaigns", "update", "Spring collection", "--name", "Other"),
        ("campaigns", "update", "Spring collection", "--set", "name=Other"),
        ("campaigns", "activate", "Spring collection", "--yes"),
    ],
)
def test_an_argument_takes_a_name(adsctl, words):
    assert shown(adsctl, *words)["id"] == SPRING


def test_several_names_and_ids_stand_beside_each_other(adsctl):
    listed = shown(adsctl, "campaigns", "get", "Hamburg knows us", SPRING)
    assert [record["id"] for record in listed] == [HAMBURG, SPRING]
    items = shown(adsctl, "line-items", "list", "--campaign-ids", f"Hamburg knows us,{SPRING}")
    assert {item["campaign_id"] for item in items} == {HAMBURG, SPRING}


@pytest.mark.parametrize(
    "words",
    [
        ("targeting", "list", "--line-items", "Visits to the shop"),
        ("audiences", "targeted", "Customers"),
        ("audiences", "permissions", "list", "--audience", "Customers"),
        ("audiences", "permissions", "list", "--audience", "Customers", "--service", "x"),
        ("catalog", "sets", "get", "On sale"),
        ("campaigns", "tree", "Spring collection"),
        ("campaigns", "pull", "--ids", "Spring collection"),
        ("stats", "get", "--since", "7d", "--ids", "Spring collection", "--metrics", "impressions"),
    ],
)
def test_options_and_custom_commands_take_names(adsctl, words):
    named = {"Visits to the shop": CLICKS, "Customers": CUSTOMERS, "On sale": ON_SALE}
    with_ids = [named.get(word, SPRING if word == "Spring collection" else word) for word in words]
    by_name = adsctl.local("-q", *words).stdout
    assert by_name and by_name == adsctl.local("-q", *with_ids).stdout


def test_a_dry_run_shows_the_id(adsctl):
    words = ("tracking-tags", "create", "--line-item", "Visits to the shop", "--dry-run")
    tag = ("--tracking-tag-type", "IMPRESSION_TAG", "--tracking-tag-url", "https://ad.doubleclick.net/a")
    assert f"line_item_id={CLICKS}" in adsctl.local("-q", *words, *tag).stdout


def test_a_file_names_parents_and_records(adsctl):
    adsctl.file("changes.csv", "campaign_id,name\nSpring collection,Spring\n8wku3,Hamburg\n")
    changed = shown(adsctl, "campaigns", "update", "-f", "changes.csv")
    assert [(record["id"], record["name"]) for record in changed] == [
        (SPRING, "Spring"),
        (HAMBURG, "Hamburg"),
    ]
    adsctl.file(
        "criteria.yaml",
        "- {line_item_id: Garden and balcony, targeting_type: INTEREST, targeting_value: Coffee}\n",
    )
    added = shown(adsctl, "targeting", "add", "-f", "criteria.yaml")
    assert (added["line_item_id"], added["name"]) == ("9d4c4", "Food and drink/Coffee")
    adsctl.file("changes.csv", "campaign_id,name\nNobody,Spring\n8wku3,Hamburg\n")
    assert "there is no campaign named 'Nobody'" in refused(
        adsctl, "campaigns", "update", "-f", "changes.csv", code=3
    )


def test_what_no_record_has_is_5_and_what_several_have_is_2_with_their_ids(adsctl):
    missing = refused(adsctl, "campaigns", "get", "Spring", code=5)
    assert "there is no campaign named 'Spring'; did you mean 'Spring collection'?" in missing
    shown(adsctl, "campaigns", "update", HAMBURG, "--name", "Spring collection")
    several = refused(adsctl, "campaigns", "get", "Spring collection", code=2)
    assert "2 campaigns are named 'Spring collection': " in several
    assert SPRING in several and HAMBURG in several
    deleted = ("campaigns", "delete", HAMBURG, "--yes")
    shown(adsctl, *deleted)
    assert shown(adsctl, "campaigns", "get", "Spring collection")["id"] == SPRING


def test_the_404_of_what_may_be_an_id_names_the_record_with_that_name(adsctl):
    shown(adsctl, "campaigns", "update", SPRING, "--name", "spring")
    hint = shown(adsctl, "campaigns", "get", "spring", code=5)["error"]["hint"]
    assert f"the campaign named 'spring' has the id {SPRING}" in hint
    assert "named" not in shown(adsctl, "campaigns", "get", "summer", code=5)["error"]["hint"]


def test_a_404_asks_the_list_of_the_kind_that_it_names_and_no_other():
    asked = []

    class Lists:
        def pages(self, request, limit):
            asked.append(request.endpoint.command)
            return []

    names = RecordNames(
        Lists, "generic", lambda option: "a1", lambda field, id: None, lambda field, records: None
    )
    for field in GROUPS:
        names.id_of(field, f"some-{field}")
    names.not_found_hint("the line item some-line_item_id does not exist", Lists)
    assert asked == ["line-items list"]
    names.not_found_hint("NOT_FOUND", Lists)  # which of them is not known
    names.not_found_hint("the post xsome-campaign_id does not exist", Lists)
    assert asked == ["line-items list"]


def test_lists_of_people_take_names_and_a_diff_of_none_is_5(adsctl):
    adsctl.file("people.csv", "email\na@x.de\nb@x.de\n")
    named = adsctl.local("audiences", "push", "people.csv", "--audience", "Customers", "--yes")
    assert named.returncode == 0
    again = adsctl.local("-q", "audiences", "diff", "people.csv", "--audience", CUSTOMERS, "-o", "json")
    assert json.loads(again.stdout)["created"] == 0
    remembered = json.loads(
        adsctl.local("audiences", "remembered", "--audience", "Customers", "-o", "json").stdout
    )
    assert [ledger["target"] for ledger in remembered] == [CUSTOMERS]
    for audience in ("none", "No such list"):
        refused(adsctl, "audiences", "diff", "people.csv", "--audience", audience, code=5)
    refused(adsctl, "audiences", "do-not-reach", "diff", "people.csv", "--list", "none", code=5)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (
            ("campaigns", "update", SPRING, "--daily-budget", "600"),
            "Raise the campaign Spring collection (8wku2): daily budget from 60.00 EUR to 600.00 EUR",
        ),
        (("campaigns", "delete", SPRING), "Delete the campaign Spring collection (8wku2)"),
        (
            ("campaigns", "delete", SPRING, HAMBURG),
            "Delete 2 campaigns: Spring collection (8wku2), Hamburg knows us (8wku3)",
        ),
        (("audiences", "delete", CUSTOMERS), "Delete the audience Customers (1nmth), which line items"),
        (("catalog", "sets", "delete", ON_SALE), "Delete the product set On sale (8s3k1)"),
    ],
)
def test_questions_say_the_name_first(adsctl, words, question):
    assert question in refused(adsctl, *words, code=12)


def test_refusals_of_the_guard_say_the_name_first(adsctl):
    adsctl.file("guard.yaml", "max_account_daily_budget: 100 EUR\n")
    words = ("campaigns", "update", SPRING, "--entity-status", "ACTIVE", "--daily-budget", "", "--yes")
    done = adsctl.local("-q", *words, "--service", "x", code=12, ADSCTL_GUARD=str(adsctl.home / "guard.yaml"))
    assert "with the campaign Advent calendar (8wkt5), whose daily spend has no bound" in done.stderr


def test_a_product_set_takes_the_ids_of_products(adsctl):
    adsctl.file(
        "feed.csv",
        "id,title,description,brand,availability,condition,price,link,image_link\n"
        + "".join(
            f"SKU-{n},Mug,A mug,Nord,in stock,new,5 EUR,https://x.example/{n},https://x.example/{n}.jpg\n"
            for n in (1, 2)
        ),
    )
    adsctl.local("-q", "products", "push", "feed.csv", "--yes")
    made = shown(
        adsctl,
        *["catalog", "sets", "create", "--name", "Mugs", "--type", "MANUAL", "--products", "SKU-1,SKU-2"],
    )
    assert made["product_ids"] == ["SKU-1", "SKU-2"]
    assert shown(adsctl, "catalog", "sets", "update", "Mugs", "--product-keys", "SKU-2")["product_ids"] == [
        "SKU-2"
    ]
    assert "Mugs" in adsctl.local("catalog", "sets", "list").stdout


def test_targeting_takes_names_and_their_last_parts(adsctl):
    words = ("targeting", "add", "--line-item", "Garden and balcony", "--targeting-type")
    assert shown(adsctl, *words, "INTEREST", "--targeting-value", "Coffee")["name"] == "Food and drink/Coffee"
    assert shown(adsctl, *words, "LOCATION", "--targeting-value", "DK")["name"] == "Denmark"
    assert "neither a name nor a value" in refused(
        adsctl, *words, "INTEREST", "--targeting-value", "Nix", code=5
    )


def test_a_country_is_found_by_its_code(adsctl):
    (found,) = shown(adsctl, "targeting", "search", "locations", "--q", "DE")
    assert found["name"] == "Germany"
    everything = shown(adsctl, "targeting", "search", "--q", "DE")
    assert [record["name"] for record in everything if record["targeting_type"] == "LOCATION"] == ["Germany"]
    assert len(shown(adsctl, "targeting", "search", "locations", "--q", "Ber")) >= 1


def test_what_cannot_be_an_id():
    assert all(map(cannot_be_id, ("Spring", "spring sale", "grün", "A")))
    assert not any(map(cannot_be_id, ("8wku2", "spring", "spring-sale", "3_42", "../x", "a/b")))
    assert label("campaign_id", "8wku2", {"name": "Two\nlines"}) == "Two lines (8wku2)"
    assert label("campaign_id", "8wku2", {"name": None}) == "8wku2"


def test_names_that_a_shell_may_be_offered_are_completed(adsctl):
    assert {*NAMED} == {*GROUPS.values()}
    shown(adsctl, "campaigns", "update", SPRING, "--name", "Spring2031")
    shown(adsctl, "campaigns", "list")
    offered = dict(completions(Settings({"profile": "local"}, adsctl.environment), "campaigns"))
    assert offered[SPRING] == "Spring2031" and offered["Spring2031"] == SPRING
    assert offered["Hamburg knows us"] == "8wku3"  # the scripts quote it


def test_the_tasks_of_a_fleet_take_names(adsctl):
    adsctl.file("people.csv", "email\na@x.de\n")
    lines = ("audiences push people.csv --audience 'Customers'", "campaigns get 'Spring collection'")
    tasks = [{"name": line.split()[0], "profile": "local", "run": line} for line in lines]
    adsctl.file("fleet.yaml", json.dumps({"tasks": tasks}))
    done = adsctl("fleet", "run", "fleet.yaml", "--yes", "-o", "json")
    assert [task["exit_code"] for task in json.loads(done.stdout)] == [0, 0]


def test_a_name_that_may_be_an_id_is_named_by_the_hint_whatever_was_sent(adsctl):
    adsctl.local("audiences", "update", "Customers", "--name", "customers", "--yes")
    people = adsctl.file("people.csv", "email\na@shop.example\n")
    for words in (("push", people), ("sync", people), ("diff", people)):
        done = adsctl.local("audiences", *words, "--audience", "customers", "--yes", code=5)
        assert "the audience named 'customers' has the id 1nmth" in " ".join(done.stderr.split())
