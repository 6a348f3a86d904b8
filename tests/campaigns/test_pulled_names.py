"""`campaigns pull`: names in place of the values of targeting, where they name nothing else."""

import json

import pytest

from ads_cli.campaigns import targeting_names
from tests.emulator.seeded import CLICKS

HAMBURG_CITY, MUNICH = "79c18e6e393484a1", "0f797b50346f313a"


def target(adsctl, type_: str, value: str) -> None:
    words = ("--line-item", CLICKS, "--targeting-type", type_, "--targeting-value", value)
    adsctl("targeting", "add", *words)


def pull(adsctl, name: str = "shop.yaml", *words: str) -> str:
    adsctl("campaigns", "pull", name, "--force", *words)
    return (adsctl.home / name).read_text()


@pytest.mark.parametrize("name", ["shop.yaml", "shop.json", "shop.xlsx"])
def test_right_after_a_pull_nothing_differs(adsctl, service, name):
    for value in (HAMBURG_CITY, MUNICH):
        target(adsctl, "LOCATION", value)
    adsctl("campaigns", "pull", name)
    adsctl("campaigns", "plan", name)


def test_values_with_a_name_of_their_own_are_written_by_it(adsctl, service):
    target(adsctl, "LOCATION", MUNICH)
    text = pull(adsctl)
    for line in ("LOCATION: Munich, Germany", "LOCATION: Austria", "CUSTOM_AUDIENCE: Customers"):
        assert f"    - {line}\n" in text.replace('"', "")
    assert "INTEREST: Home and garden/Kitchens\n" in text and "LANGUAGE: German\n" in text
    assert "AGE: AGE_25_TO_54  # 25 to 54" in text  # it has no search
    assert text == pull(adsctl, "again.yaml")
    (criterion,) = [
        inner["LOCATION"]
        for campaign in json.loads(pull(adsctl, "shop.json"))["campaigns"]
        for item in campaign["line_items"]
        for inner in item["targeting"]
        if "Munich, Germany" in inner.values()
    ]
    assert criterion == "Munich, Germany"


def test_a_value_whose_name_another_has_stays_what_it_is(adsctl, service):
    target(adsctl, "LOCATION", HAMBURG_CITY)
    assert f"LOCATION: {HAMBURG_CITY}  # Hamburg, Germany" in pull(adsctl).replace('"', "")


def test_a_file_may_have_values_too(adsctl, service):
    text = pull(adsctl)
    adsctl.file("shop.yaml", text.replace("LOCATION: Austria", "LOCATION: c8edae6217cf4e99"))
    assert (adsctl.home / "shop.yaml").read_text() != text
    adsctl("campaigns", "plan", "shop.yaml")


def test_a_search_that_is_refused_leaves_values(adsctl, service):
    service.fail("GET /12/targeting_criteria/locations status=403")
    text = pull(adsctl)
    assert "LOCATION: c8edae6217cf4e99  # Austria" in text and "LANGUAGE: German\n" in text


def test_of_very_many_values_some_stay_without_a_name(adsctl, service, monkeypatch):
    monkeypatch.setattr(targeting_names, "MOST_SEARCHED", 1)
    assert "  # Austria" in pull(adsctl)
    adsctl("campaigns", "plan", "shop.yaml")
