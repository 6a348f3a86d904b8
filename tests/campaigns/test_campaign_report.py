"""The page of --report says what a plan changes, what became of it and what was wrong, with escaped texts."""

import json

import pytest

from tests.emulator.seeded import KNITTERS
from tests.report.reading import Read

NAME = "<script>alert(1)</script>"
FILE = {
    "campaigns": [
        {"id": KNITTERS, "daily_budget": "16"},
        {"name": NAME, "funding_instrument_id": "4a1n0", "daily_budget": "9"},
    ]
}


def page(adsctl) -> str:
    html = (adsctl.home / "page.html").read_text()
    assert NAME not in html
    return " ".join(" ".join(Read(html).texts).split())


@pytest.mark.parametrize("service_name", ["x"])
def test_a_page_shows_a_plan_and_then_what_was_made_of_it(adsctl, service, service_name):
    file = adsctl.file("shop.json", json.dumps(FILE))
    adsctl("campaigns", "plan", file, "--report", "page.html", code=10)
    shown = page(adsctl)
    for text in (
        "1 to create, 1 to update",
        KNITTERS,
        "daily_budget",
        "15.00 EUR",
        "16.00 EUR",
        NAME,
        "Money",
    ):
        assert text in shown, text
    adsctl("campaigns", "apply", file, "-y", "--report", "page.html")
    assert "1 created, 1 updated" in page(adsctl)
    adsctl("campaigns", "plan", file, "--report", "page.html")
    assert "no differences" in page(adsctl)


def test_a_page_tells_mistakes_and_what_was_refused(adsctl, service):
    wrong = adsctl.file("wrong.json", json.dumps({"campaigns": [{"name": "A", "objective": 1}]}))
    adsctl("campaigns", "plan", wrong, "--report", "page.html", code=3)
    assert "campaigns[0].objective" in page(adsctl) and "campaigns[0].funding_instrument_id" in page(adsctl)
    active = {"campaigns": [{"id": KNITTERS, "entity_status": "ACTIVE"}]}
    file = adsctl.file("shop.json", json.dumps(active))
    adsctl("campaigns", "apply", file, "--report", "page.html", code=12)
    assert "not confirmed" in page(adsctl) and "What to do: " in page(adsctl)
    adsctl.file("notes.html", "mine")
    assert "notes.html" in adsctl("campaigns", "plan", file, "--report", "notes.html", code=2).stderr
    assert (adsctl.home / "notes.html").read_text() == "mine"
