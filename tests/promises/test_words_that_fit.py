"""Small promises: placeholders, confirmations, columns, and who is signed in."""

import itertools
import json

import pytest

from tests.conftest import PRODUCT, feed


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/12/accounts/{acount_id}/cards", "account_id"),
        ("/12/product_catalogs/{catalog_id}/products", "product_catalog_id"),
        ("/12/accounts?with={account-id}", "account_id"),
    ],
)
def test_an_unknown_placeholder_is_refused_with_a_suggestion(adsctl, service, path, meant):
    for words in (("GET", path), ("DELETE", path, "--dry-run"), ("GET", path, "--as-curl")):
        said = adsctl("api", *words, code=2).stderr
        assert f"did you mean {{{meant}}}?" in said, said


def test_braces_that_are_no_placeholder_are_sent(adsctl, service):
    shown = adsctl("api", "GET", '/12/accounts?q={"a":1}', "--as-curl").stdout
    assert "%7B%22a%22%3A1%7D" in shown


@pytest.fixture
def shop(adsctl):
    """A configuration with two profiles, of which another than `shop` is in use."""
    adsctl("profile", "set", "trial", "ads_url=https://trial.example", "account=abc")
    adsctl("profile", "set", "shop", "ads_url=https://shop.example")
    return adsctl


def test_removing_a_profile_names_that_profile_alone(shop):
    said = shop("profile", "remove", "shop", code=12).stderr
    assert (
        "Remove the profile shop and its stored secrets" in said and "trial" not in said and "abc" not in said
    )


def test_what_changes_no_service_names_no_profile(shop):
    assert "trial" not in shop("emulator", "reset", code=12).stderr
    shop.file("feed.csv", feed(3))
    shop("products", "push", "feed.csv", "--catalog", "7", "--max-attempts", "1", code=None)
    assert "trial" not in shop("jobs", "clean", "--all", code=12).stderr
    assert (
        "(profile trial, account abc)" in shop("cards", "image-conversation", "delete", "x", code=12).stderr
    )


def test_a_column_that_no_empty_list_can_have_is_named(adsctl):
    done = adsctl.local("products", "list", "--columns", "id,titel,unheard")
    assert "--columns: 'titel' is not a known column; did you mean 'title'?" in done.stderr
    assert "unheard" in done.stderr and "'id'" not in done.stderr


@pytest.mark.parametrize("format", ["json", "jsonl", "yaml", "ids", "none"])
def test_columns_that_a_format_ignores_are_mentioned(adsctl, format):
    done = adsctl.local("accounts", "list", "--columns", "nmae", "-o", format)
    assert f"--columns has no effect on {format}" in done.stderr


def test_columns_that_only_some_records_have_are_shown(adsctl):
    adsctl.file("feed.csv", feed(3))
    adsctl.local("products", "push", "feed.csv")
    adsctl.file("feed.csv", feed(1, color="red"))
    adsctl.local("products", "push", "feed.csv")
    done = adsctl.local("products", "list", "--columns", "color")
    assert done.stdout.splitlines() == ["color", "red", "", ""] and "--columns" not in done.stderr


def test_findings_count_the_rows_that_they_do_not_list(adsctl):
    adsctl.file("feed.csv", feed(9, price="cheap"))
    report = json.loads(adsctl("products", "check", "feed.csv", "-o", "json", code=3).stdout)
    (finding,) = report["findings"]
    assert (finding["rows"], len(finding["lines"]), finding["more_rows"]) == (9, 5, 4)
    header, row = adsctl("products", "check", "feed.csv", "-o", "tsv", code=3).stdout.splitlines()
    assert dict(zip(header.split("\t"), row.split("\t"), strict=True))["more_rows"] == "4"
    assert "lines 2, 3, 4, 5, 6, …" in adsctl("products", "check", "feed.csv", "-o", "table", code=3).stdout


def test_a_report_counts_the_kinds_of_mistakes_that_it_leaves_out(adsctl):
    tags = ("".join(letters) for letters in itertools.product("abcdefgh", repeat=4))
    products = [PRODUCT | {"id": tag, "price": f"'{tag}\""} for tag in itertools.islice(tags, 1005)]
    adsctl.file("feed.json", json.dumps(products))
    report = json.loads(adsctl("products", "check", "feed.json", "-o", "json", code=3).stdout)
    assert (len(report["findings"]), report["omitted"]) == (1000, 5)


@pytest.mark.parametrize("where", ["profile", "only"])
def test_a_dry_run_of_changes_finds_the_catalog_as_a_push_does(adsctl, service, where):
    catalog = adsctl.env.pop("ADSCTL_CATALOG")
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "push", "feed.csv", "--changed")
    if where == "profile":
        adsctl("profile", "set", "shop", f"catalog={catalog}")
    adsctl.file("feed.csv", feed(4))
    done = adsctl("products", "push", "feed.csv", "--changed", "--dry-run", "-o", "json")
    assert json.loads(done.stdout)["skipped"] == 3 and f"/{catalog}/products" in done.stderr
    assert len(service.stored) == 3


@pytest.mark.parametrize(
    "words", [("-h",), ("products", "-h"), ("products", "push", "-h"), ("jobs", "clean", "-h")]
)
def test_h_shows_the_help_that_help_shows(adsctl, words):
    path = words[:-1]
    assert adsctl(*words).stdout == adsctl(*path, "--help").stdout
    assert adsctl("help", *path).stdout == adsctl(*path, "--help").stdout
