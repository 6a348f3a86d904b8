"""Answers of another shape: numbers as ids, one object in place of a list, missing fields."""

import csv
import json

import pytest
from pytest_httpserver import HTTPServer

from tests.conftest import feed

X = ("--service", "x")
CATALOGS = "/12/product_catalogs"


def serve(httpserver: HTTPServer, path: str, **body: object) -> None:
    httpserver.expect_request(path).respond_with_data(json.dumps(body))


def answered(adsctl, *words: str):
    return json.loads(adsctl.local(*words, *X, "--yes", "-o", "json").stdout)


def test_one_object_in_place_of_a_list_is_one_record(remote, httpserver):
    serve(httpserver, CATALOGS, data={"id": 7, "name": "Shop"})
    assert json.loads(remote("catalog", "list", "-o", "json").stdout) == {"id": 7, "name": "Shop"}
    serve(httpserver, "/12/accounts", data={"id": "a1", "name": "Shop"}, next_cursor=None)
    assert remote("accounts", "list", "-o", "ids").stdout == "a1\n"
    rows = remote("accounts", "list", "--all", "-o", "tsv", "--columns", "id,name").stdout.splitlines()
    assert rows == ["id\tname", "a1\tShop"]


@pytest.mark.parametrize("data", [[{"id": 7, "name": "Shop"}], {"id": 7, "name": "Shop"}])
def test_a_catalog_whose_id_is_a_number_is_found(remote, httpserver, data):
    serve(httpserver, CATALOGS, data=data)
    serve(httpserver, f"{CATALOGS}/7/products", data=[{"product_key": "pk1", "id": 5}], next_cursor=None)
    assert remote("products", "list", "-o", "ids").stdout == "pk1\n"


def test_a_body_without_data_is_no_record(remote, httpserver):
    httpserver.expect_request(CATALOGS).respond_with_data('{"id": "7"}')
    assert "no list of records" in remote("products", "list", code=8).stderr


def test_a_list_of_one_card_is_shown_as_the_card_is(remote, httpserver):
    card = {
        "id": "c1",
        "name": "Mugs",
        "card_type": "IMAGE_WEBSITE",
        "card_uri": "card://c1",
        "deleted": False,
    }
    path, given = "/12/accounts/a1/cards/c1", ("-A", "a1", "--yes", "-o", "tsv")
    shown = []
    for data in (card, [card]):
        httpserver.clear()
        serve(httpserver, path, data=data)
        changes = (("get",), ("update", "--name", "Mugs"), ("delete",))
        shown += [remote("cards", verb, "c1", *rest, *given).stdout for verb, *rest in changes]
    assert len(set(shown)) == 1 and "c1\tMugs" in shown[0]


def test_a_new_account_is_a_list_of_one(adsctl):
    (made,) = answered(adsctl, "accounts", "create")
    assert adsctl.local("accounts", "get", made["id"], *X, "-o", "ids").stdout.strip() == made["id"]


def test_records_without_times_and_deleted_are_shown(adsctl):
    (catalog,) = answered(adsctl, "catalog", "list")
    assert set(catalog) == {"id", "name"}
    assert set(answered(adsctl, "catalog", "delete", catalog["id"])) == {"id", "name"}
    assert adsctl.local("catalog", "list", *X, "-o", "ids").stdout == ""


def test_posts_have_numbers_as_ids(adsctl):
    post = answered(adsctl, "posts", "create", "--text", "Mugs")
    assert post["id"] == int(post["id_str"]) and post["user"]["id"] == 1184672519
    renamed = answered(adsctl, "posts", "rename", str(post["id"]), "--name", "Blue mugs")
    assert renamed["name"] == "Blue mugs" and "deleted" not in renamed
    assert (renamed["full_text"], renamed["tweet_id"]) == ("Mugs", post["id_str"]) and "text" not in renamed
    words = ("posts", "rename", str(post["id"]), "--name", "Mugs", "--columns", "text,full_text")
    assert adsctl.local(*words, *X, "-o", "tsv").stdout.splitlines()[1] == "\tMugs"
    assert answered(adsctl, "cards", "poll", "get", "7cqt1")["duration_in_minutes"].isdecimal()


@pytest.mark.parametrize("service", ["x", "generic"])
def test_a_push_needs_no_product_keys(adsctl, service):
    adsctl.file("feed.csv", feed(2))
    at = ("--service", service)
    for counts in ((2, 0), (0, 2)):
        (job,) = csv.DictReader(
            adsctl.local("products", "push", "feed.csv", *at, "-o", "csv").stdout.splitlines()
        )
        assert (int(job["created"]), int(job["unchanged"])) == counts
