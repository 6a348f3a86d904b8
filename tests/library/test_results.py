"""What a notebook shows, plans of campaigns, uploads, and the names of resources."""

from typing import get_args

import pytest

import ads_cli
from ads_cli.library.resources import GetResource, ListResource
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tests.emulator.seeded import SPRING

CAMPAIGN = "name: Winter, funding_instrument_id: 4a1n0, daily_budget: 25, entity_status: ACTIVE"


def test_a_table_of_a_notebook_is_text_whatever_it_holds():
    rows = ads_cli.Rows([{"id": "<b>1</b>", "name": "a\x1b[31m\u202e&", "days": [1], "on": None}] * 102)
    html = rows._repr_html_()
    assert "<td>&lt;b&gt;1&lt;/b&gt;</td><td>a\\x1b[31m\\u202e&amp;</td><td>[1]</td><td></td>" in html
    assert html.count("<tr>") == 101 and "and 2 more" in html and "<b>" not in html
    assert rows == [*rows] and rows.columns == ("id", "name", "days", "on")
    assert ads_cli.Rows()._repr_html_().startswith("<table>")


def test_statistics_are_rows_with_numbers(ads):
    rows = ads.stats(since="7d", active=True, metrics=["impressions", "clicks"])
    assert rows and all(isinstance(row["impressions"], int) for row in rows)
    assert "<th>impressions</th>" in rows._repr_html_()


def test_a_plan_is_carried_out_once_and_only_while_nothing_has_changed(ads, python):
    python.file("shop.yaml", f"campaigns:\n- {{{CAMPAIGN}}}\n")
    plan = ads.plan("shop.yaml")
    assert plan and [change["action"] for change in plan.changes] == ["create"]
    assert "Winter" in plan._repr_html_() and repr(plan) == "<Plan of shop.yaml: 1 changes>"
    with pytest.raises(ads_cli.NotConfirmedError, match="1 record active"):
        ads.apply(plan)
    (created,) = ads.apply(plan, confirm=True)
    assert ads.get("campaigns", created["id"])["name"] == "Winter"
    assert not ads.plan("shop.yaml")
    python.file("shop.yaml", f"campaigns:\n- {{id: {SPRING}, name: April}}\n")
    plan = ads.plan("shop.yaml")
    ads.call("campaigns update", id=SPRING, name="May")
    with pytest.raises(ads_cli.NotConfirmedError, match="has changed since the plan was made"):
        ads.apply(plan, confirm=True)
    (renamed,) = ads.apply("shop.yaml", confirm=True)
    assert (renamed["before"], renamed["after"]) == ({"name": "May"}, {"name": "April"})


def test_media_are_uploaded_once_and_an_error_has_what_was_done(ads, python):
    hero = ROOT / "examples" / "hero.png"
    (record,) = ads.upload(hero, alt_text="A mug")
    assert record["status"] == "uploaded" and ads.upload(hero)[0]["media_key"] == record["media_key"]
    python.file("broken.png", "no picture")
    with pytest.raises(ads_cli.ContentError) as failed:
        ads.upload("broken.png")
    assert isinstance(failed.value.result, ads_cli.Rows)


def test_values_are_those_of_python(ads):
    from datetime import UTC, datetime
    from decimal import Decimal

    values = {"name": "Tour, 'two'", "daily_budget": Decimal("12.50"), "funding_instrument_id": "4a1n0"}
    (campaign,) = ads.call("campaigns create", **values)
    assert campaign["daily_budget_amount_local_micro"] == 12_500_000 and campaign["name"] == "Tour, 'two'"
    line_item = {"campaign_id": campaign["id"], "objective": "REACH", "product_type": "PROMOTED_POSTS"}
    line_item |= {"placements": ["ALL_ON_PLATFORM"], "bid_strategy": "AUTO", "name": "a"}
    start = datetime(2027, 1, 1, tzinfo=UTC)
    (created,) = ads.call("line-items create", **line_item, start_time=start)
    assert created["start_time"] == "2027-01-01T00:00:00Z" and created["placements"] == ["ALL_ON_PLATFORM"]
    key = next(ads.list("media library", media_type="IMAGE"))["media_key"]
    (card,) = ads.call(
        "cards create",
        name="Mugs",
        components=[
            {"type": "MEDIA", "media_key": key},
            {
                "type": "DETAILS",
                "title": "Mugs",
                "destination": {"type": "WEBSITE", "url": "https://x.example"},
            },
        ],
    )
    assert card["name"] == "Mugs"
    assert ads.call("campaigns update", campaign_id=campaign["id"], name="Other", dry_run=True)[0]["method"]
    assert ads.call("campaigns get", [campaign["id"], SPRING])[1]["id"] == SPRING
    for wrong in (object(), [["a"]], ["a,b"], "a\0"):
        with pytest.raises(ads_cli.UsageError):
            ads.call("campaigns update", id=SPRING, name=wrong)


@pytest.mark.parametrize(("names", "verb"), [(ListResource, "list"), (GetResource, "get")])
def test_the_resources_that_a_type_checker_knows_are_those_of_the_commands(names, verb):
    groups = {command.rpartition(" ")[0] for command in COMMANDS if command.endswith(f" {verb}")}
    assert sorted(get_args(names)) == sorted(groups - {"stats"})
