"""A plan can be reviewed: records by their names, below what they lie in, and what stays; its page too."""

import json
import re

from tests.campaigns.files import DIFFERENCES, document, spring
from tests.campaigns.test_refused_changes import below
from tests.emulator.seeded import CLICKS, FILMS, HAMBURG, KNITTERS, REACH, SPRING, WINTER
from tests.report.reading import Read, read

VALUE = re.compile(r"\b[0-9a-f]{16}\b")  # of a location, which no person knows
HAMBURG_TO_AUSTRIA = {"targeting": [{"LOCATION": "Austria"}, {"LANGUAGE": "de"}]}


def planned(adsctl, file: dict, *words: str):
    return adsctl("campaigns", "plan", "-", "-o", "table", *words, input=json.dumps(file), code=DIFFERENCES)


def test_a_replaced_value_is_one_line_of_names_below_what_it_lies_in(adsctl, service):
    drawn = planned(adsctl, below(HAMBURG, REACH, **HAMBURG_TO_AUSTRIA), "--prune").stdout
    assert drawn == (
        "  campaign Hamburg knows us (8wku3)\n"
        "    line item All of Hamburg (9d4c2)\n"
        "~     LOCATION: Hamburg, Germany → Austria\n"
    )


def test_without_prune_the_old_value_stays_and_that_is_said(adsctl, service):
    done = planned(adsctl, below(HAMBURG, REACH, **HAMBURG_TO_AUSTRIA))
    assert "+     LOCATION: Austria\n" in done.stdout
    stays = "1 in the account and not in the file stays; --prune deletes it: LOCATION: Hamburg, Germany"
    assert stays in done.stdout
    assert "1 record in the account and not in the file stays; --prune deletes it\n" in done.stderr
    whole, _ = spring(adsctl)
    adsctl("campaigns", "plan", "-", input=json.dumps(whole))
    whole["campaigns"][0]["line_items"].pop()
    assert "1 record in the account" in adsctl("campaigns", "plan", "-", input=json.dumps(whole)).stderr


def test_what_no_option_deletes_is_not_said_to_stay(adsctl, service):
    renamed = {"campaigns": [{"id": SPRING, "name": "Summer collection"}]}
    assert "stay" not in planned(adsctl, renamed).stderr
    assert "stay" in planned(adsctl, {"scope": "account", **renamed}).stderr
    named = {"q": "Spring", "campaigns": []}
    assert "1 record in" in adsctl("campaigns", "plan", "-", input=json.dumps(named)).stderr


def test_posts_are_named_by_their_texts_and_new_ones_by_their_files_too(adsctl, service):
    adsctl.file("mugs.jpg", b"\xff\xd8\xff")
    ads = [{"text": "Mugs for\nwinter", "media": ["mugs.jpg"], "as_user_id": "1184672519"}]
    drawn = planned(adsctl, below(HAMBURG, REACH, ads=ads), "--prune").stdout
    assert '+     ad "Mugs for winter" (new post)\n' in drawn and "media: mugs.jpg\n" in drawn
    assert '-     ad "The mugs of spring are here" (post 1790415000000000001)\n' in drawn
    assert "Our fire bowls are back" in drawn and "(scheduled post 1790415000000000004)" in drawn


def test_media_are_named_by_their_files(adsctl, service):
    films = document(adsctl, "--ids", FILMS)
    films["campaigns"][0]["line_items"][0]["ads"] = []
    assert '-     ad "workshop.mp4" (account media ' in planned(adsctl, films, "--prune").stdout


def test_an_audience_has_its_name_and_its_id(adsctl, service):
    targeting = [{"EXCLUDE CUSTOM_AUDIENCE": "Customers"}]
    drawn = planned(adsctl, below(HAMBURG, REACH, targeting=targeting)).stdout
    assert "+     EXCLUDE CUSTOM_AUDIENCE: Customers (1nmth)\n" in drawn


def test_what_pays_has_its_name_and_times_are_where_the_account_is(adsctl, service):
    item = {"name": "Hats", "objective": "REACH", "product_type": "PROMOTED_POSTS", "bid_strategy": "AUTO"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2031-12-01T08:00:00Z"}
    new = {"name": "Hats", "funding_instrument_id": "4a1n3", "daily_budget": 1200, "line_items": [item]}
    file = {"campaigns": [new, {"id": KNITTERS, "daily_budget": 1500}]}
    drawn = planned(adsctl, file).stdout
    assert "funding_instrument_id: Order 2026-117, brand (4a1n3)\n" in drawn
    assert "start_time: 2031-12-01 09:00 CET\n" in drawn and "daily_budget: 1,200.00 EUR\n" in drawn
    assert "daily_budget: 15.00 → 1,500.00 EUR\n" in drawn
    planned(adsctl, file, "--report", "plan.html")
    page = read(adsctl.home / "plan.html").text
    assert "Order 2026-117, brand (4a1n3)" in page and "2031-12-01 09:00 CET" in page
    assert (
        "2031-12-01T08:00:00Z"
        in adsctl("campaigns", "plan", "-", "-o", "json", input=json.dumps(file), code=10).stdout
    )


def test_campaigns_that_stay_are_named(adsctl, service):
    said = planned(adsctl, {"scope": "account", "campaigns": [{"id": SPRING, "name": "Summer"}]}).stderr
    assert "stay; --prune deletes them, of these campaign Winter sale (8wkt0)" in said


def test_the_limit_of_the_account_is_said(adsctl, service):
    guard = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_account_daily_budget: 300 EUR\n"))}
    file = json.dumps({"campaigns": [{"id": SPRING, "daily_budget": 70}]})
    words = ("campaigns", "plan", "-", "--report", "plan.html")
    said = " ".join(adsctl(*words, input=file, code=DIFFERENCES, **guard).stderr.split())
    limit = "the account's limit bounds it: 300 EUR a day (max_account_daily_budget, "
    assert limit in said and limit in read(adsctl.home / "plan.html").text
    assert "limit" not in adsctl(*words[:3], input=file, code=DIFFERENCES).stderr


def test_a_line_item_of_another_kind_than_those_of_its_campaign_is_refused_before_anything_is_sent(
    adsctl, service
):
    item = {"name": "Hats", "objective": "REACH", "product_type": "PROMOTED_POSTS", "bid_strategy": "AUTO"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2031-12-01"}
    file = {"campaigns": [{"id": SPRING, "line_items": [item]}]}
    refused = adsctl("campaigns", "apply", "-", "--yes", input=json.dumps(file), code=3).stderr
    assert "objective: the line items of a campaign have the same objective" in refused
    both = [item, {**item, "name": "Gloves", "objective": "ENGAGEMENTS"}]
    new = {"name": "New", "funding_instrument_id": "4a1n0", "daily_budget": 5, "line_items": both}
    refused = adsctl(
        "campaigns", "apply", "-", "--yes", input=json.dumps({"campaigns": [new]}), code=3
    ).stderr
    assert "those of New have REACH" in refused
    assert json.loads(adsctl("changes", "list", "-o", "json").stdout) == []


def test_a_plan_has_colors_as_a_diff_of_products(adsctl, service):
    drawn = planned(adsctl, {"campaigns": [{"id": SPRING, "daily_budget": 70}]}, "--color", "always").stdout
    assert "daily_budget: \x1b[31m60.00\x1b[0m → \x1b[32m70.00 EUR\x1b[0m\n" in drawn


def test_a_budget_that_does_not_count_says_why(adsctl, service):
    def said(campaign: str, **fields) -> str:
        return planned(adsctl, {"campaigns": [{"id": campaign, **fields}]}).stderr

    same = "daily budgets of what may serve: 0.00 → 0.00 EUR\n"
    paused = said(KNITTERS, daily_budget=200)
    assert same in paused
    assert "the campaign People who knit (8wku4) is paused: its daily budget counts once it serves" in paused
    ended = said(WINTER, daily_budget=200)
    assert same in ended and "the campaign Winter sale (8wkt0) has ended" in ended
    bound = "the campaign Spring collection (8wku2) is bound by its line items: 45.00 EUR a day together"
    assert bound in said(SPRING, daily_budget=200)
    inner = planned(adsctl, below(SPRING, CLICKS, daily_budget=50)).stderr
    assert "60.00 → 60.00 EUR" in inner
    assert "the campaign Spring collection (8wku2) bounds its line items: 60.00 EUR a day together" in inner
    assert "bounds" not in planned(adsctl, below(SPRING, CLICKS, daily_budget=21)).stderr
    new = {"name": "New", "funding_instrument_id": "4a1n0", "daily_budget": 7}
    created = planned(adsctl, {"campaigns": [new]}).stderr
    assert same in created and "what is created paused counts once it is active" in created


def test_a_dry_run_shows_its_plan_once(adsctl, service):
    document = json.dumps({"campaigns": [{"id": SPRING, "daily_budget": 70}]})
    done = adsctl("campaigns", "apply", "-", "--dry-run", "-o", "table", input=document)
    assert (done.stdout + done.stderr).count("daily_budget: 60.00 → 70.00 EUR") == 1
    done = adsctl("campaigns", "apply", "-", "--dry-run", "-o", "json", input=document)
    assert json.loads(done.stdout)[0]["after"] == {"daily_budget": "70.00"}


def test_the_page_of_a_plan_has_names_of_account_records_and_values(adsctl, service):
    planned(adsctl, below(HAMBURG, REACH, **HAMBURG_TO_AUSTRIA), "--report", "page.html")
    html = (adsctl.home / "page.html").read_text()
    text = " ".join(" ".join(Read(html).texts).split())
    assert "Account Nordlicht Shop (18ce54d4x5t)" in text
    assert "line item All of Hamburg (9d4c2) › LOCATION: Austria" in text
    stays = (
        "campaign Hamburg knows us (8wku3) › line item All of Hamburg (9d4c2) › LOCATION: Hamburg, Germany"
    )
    assert "What stays" in text and stays in text
    assert not VALUE.search(text)
