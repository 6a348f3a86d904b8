"""Loops of a file of campaigns: their values stand anywhere below, and a loop may be on any record."""

import json
import os

import pytest

from tests.campaigns.files import DIFFERENCES, plan
from tests.campaigns.test_campaign_posts import FILE
from tests.media.made import picture

HEAD = FILE.partition("    ads:\n")[0]
AUTHOR = "as_user_id: 1184672519"
SLIDE = (
    "[{type: MEDIA, media: '%s'}, {type: DETAILS, title: 'Mugs in %s', "
    "destination: {type: WEBSITE, url: 'https://shop.example/%s'}}]"
)


@pytest.fixture
def shop(adsctl):
    (adsctl.home / "a.csv").write_text("loc\nGermany\nAustria\n")
    for name in ("cups.png", "mugs.png"):
        (adsctl.home / name).write_bytes(picture("PNG", 1200, 628))


def planned(adsctl, kind: str, text: str) -> list[dict]:
    return [change["after"] for change in plan(adsctl, text) if change["kind"] == kind]


def refused(adsctl, text: str) -> list[str]:
    """Return what is said of the lines of a file that is not valid."""
    message = adsctl("campaigns", "plan", "-", input=text, code=3).stderr
    return [line for line in message.splitlines() if "campaigns[0]" in line]


@pytest.mark.parametrize("beside", ["operator_type: NE", "targeting_value: France", "LT LOCATION: France"])
def test_targeting_in_short_form_has_nothing_beside_its_type(adsctl, service, beside):
    both = "".join(f"    - {{LOCATION: {name}, {beside}}}\n" for name in ("Germany", "Austria"))
    first, second = refused(adsctl, f"{HEAD}    targeting:\n{both}")
    assert "targeting[0]: must be one type with its value" in first
    assert "targeting[1]: must be one type with its value" in second


def test_targeting_in_short_form_may_be_a_loop(adsctl, service, shop):
    text = f"{HEAD}    targeting:\n    - {{for: {{rows: a.csv}}, EXCLUDE LOCATION: '{{loc}}'}}\n"
    criteria = planned(adsctl, "targeting", text)
    assert len(criteria) == 2 and {record["operator_type"] for record in criteria} == {"NE"}
    (message,) = refused(adsctl, text.replace("EXCLUDE", "BROAD_KEYWORD: mugs, EXCLUDE"))
    assert "targeting[0]: must be one type with its value" in message


@pytest.mark.parametrize("folder", ["", "ads/", "q[1]/"])
def test_an_ad_that_makes_a_post_may_be_a_loop(adsctl, service, shop, folder):
    (adsctl.home / folder).mkdir(exist_ok=True)
    for name in ("cups.png", "mugs.png"):
        (adsctl.home / name).rename(adsctl.home / folder / name)
    ad = f"{{for: {{files: '*.png'}}, text: 'Hello {{file}}', media: ['{{file}}'], {AUTHOR}}}"
    (adsctl.home / folder / "ads.yaml").write_text(f"{HEAD}    ads:\n    - {ad}\n")
    words = ("-q", "campaigns", "plan", f"{folder}ads.yaml", "-o", "json")
    changes = json.loads(adsctl(*words, code=DIFFERENCES).stdout)
    ads = [change["after"] for change in changes if change["kind"] == "ad"]
    assert [record["media"] for record in ads] == [["cups.png"], ["mugs.png"]]
    assert [record["text"] for record in ads] == ["Hello cups.png", "Hello mugs.png"]


def test_a_mistake_in_a_new_post_of_a_loop_is_told_once(adsctl, service, shop):
    ad = f"{{for: {{files: '*.png'}}, text: Hello, media: ['{{file}}'], medium: a, {AUTHOR}}}"
    (message,) = refused(adsctl, f"{HEAD}    ads:\n    - {ad}\n")
    assert "ads[0].medium: is not a field of a new post" in message


def test_placeholders_in_slides_stand_for_their_values(adsctl, service, shop):
    slides = ", ".join(SLIDE % (name, "{loc}", "{loc}") for name in ("cups.png", "mugs.png"))
    ad = f"{{for: {{rows: a.csv}}, text: 'Hello {{loc}}', card: {{slides: [{slides}]}}, {AUTHOR}}}"
    ads = planned(adsctl, "ad", f"{HEAD}    ads:\n    - {ad}\n")
    for record, name in zip(ads, ("Germany", "Austria"), strict=True):
        details = [slide[1] for slide in record["card"]["slides"]]
        assert {detail["title"] for detail in details} == {f"Mugs in {name}"}
        assert {detail["destination"]["url"] for detail in details} == {f"https://shop.example/{name}"}
    (message,) = refused(adsctl, f"{HEAD}    ads:\n    - {ad.replace('Mugs in {loc}', 'Mugs in {land}')}\n")
    assert "ads[0].card: {land} is not a column of the loop" in message


def test_a_loop_names_files_by_the_values_of_the_loop_around_it(adsctl, service, shop):
    text = HEAD.replace("Posted", "Posted {file}\n  for: {files: '?.csv'}")
    text += "    targeting:\n    - {for: {rows: '%s'}, LOCATION: '{loc}'}\n"
    assert len(planned(adsctl, "targeting", text % "{file}")) == 2
    (message,) = refused(adsctl, text % "{fiel}")
    assert "targeting[0].for.rows: {fiel} is not a column of the loop; did you mean 'file'" in message


CAMPAIGN = """campaigns:
- name: 'Winter {%s}'
  for: {%s}
  funding_instrument_id: "4a1n0"
  daily_budget: 5
"""


def names(adsctl, placeholder: str, loop: str) -> list[str]:
    return [record["name"] for record in planned(adsctl, "campaign", CAMPAIGN % (placeholder, loop))]


@pytest.mark.parametrize("start", ["", "{}/"])
def test_a_loop_over_files_takes_neither_folders_nor_what_is_hidden(adsctl, service, shop, start):
    (adsctl.home / "old.png").mkdir()
    (adsctl.home / ".hidden.png").write_bytes(b"")
    start = start.format(adsctl.home)
    made = names(adsctl, "file", f"files: '{start}*.png'")
    assert made == [f"Winter {start}cups.png", f"Winter {start}mugs.png"]


def test_a_loop_takes_a_file_whose_name_looks_like_a_pattern(adsctl, service, shop):
    (adsctl.home / "mugs.png").rename(adsctl.home / "mugs[1].png")
    assert names(adsctl, "file", "files: 'mugs[1].png'") == ["Winter mugs[1].png"]


def test_a_loop_over_profiles_has_a_turn_for_each(adsctl, service):
    assert names(adsctl, "profile", "profiles: [nord, sued]") == ["Winter nord", "Winter sued"]


def test_a_value_of_a_row_is_written_as_a_template_of_a_feed_writes_it(adsctl, service):
    values = [["a", "b"], True, 2, None, {"x": "y"}]
    adsctl.file("rows.json", json.dumps([{"of": value, "no": number} for number, value in enumerate(values)]))
    made = names(adsctl, "no}: {of", "rows: rows.json")
    assert made == ["Winter 0: a, b", "Winter 1: true", "Winter 2: 2", "Winter 3: ", 'Winter 4: {"x":"y"}']


def test_a_cell_without_a_value_is_empty(adsctl, service):
    adsctl.file("rows.csv", "no,of\n1,\n2,Austria\n")
    assert names(adsctl, "no} {of", "rows: rows.csv") == ["Winter 1 ", "Winter 2 Austria"]


def test_a_loop_reads_rows_from_an_address(adsctl, service, httpserver):
    httpserver.expect_request("/rows.csv").respond_with_data("of\nAustria\n")
    assert names(adsctl, "of", f"rows: '{httpserver.url_for('/rows.csv')}'") == ["Winter Austria"]


def test_a_row_that_cannot_be_read_is_told(adsctl, service):
    adsctl.file("rows.csv", "of,no\nAustria,1,2\n")
    (message,) = refused(adsctl, CAMPAIGN % ("of", "rows: rows.csv"))
    assert "campaigns[0].for.rows: rows.csv:2: " in message


@pytest.mark.parametrize("pattern", ["*x**.csv", ".", r"a\0*"])
def test_a_pattern_that_cannot_be_is_told(adsctl, service, shop, pattern):
    (message,) = refused(adsctl, HEAD.replace("Posted", f'Posted\n  for: {{files: "{pattern}"}}'))
    assert "campaigns[0].for.files: " in message


def test_a_file_whose_name_is_not_utf_8_is_told(adsctl, service):
    path = os.fsencode(adsctl.home) + b"/caf\xe9.png"
    with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b"a picture")
    (message,) = refused(adsctl, HEAD.replace("Posted", 'Posted {file}\n  for: {files: "*.png"}'))
    assert "campaigns[0].for.files: " in message and "is not UTF-8; rename it" in message
