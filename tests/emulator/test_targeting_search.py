"""The searches for values of targeting criteria, and suggestions."""

import json
import re
import threading
from functools import cache
from pathlib import Path

import pytest
import yaml
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.api.iso_codes import COUNTRIES
from ads_cli.api.registry import requests_of
from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import SECRETS

from .client import errors
from .wire_names import service_name, x_only  # noqa: F401

FACTS = Path(__file__).parent.parent / "data" / "service" / "targeting.yaml"
SEARCH = "/12/targeting_criteria"
NEEDED = {"tv_shows": {"locale": "de-DE"}}
KINDS = [request.endpoint.path.rpartition("/")[2] for request in requests_of("targeting_search")]


@pytest.fixture
def find(local):
    def send(kind: str, **query):
        response = local.get(f"{SEARCH}/{kind}", **NEEDED.get(kind, {}) | query)
        assert response.status_code == 200, response.text
        return response.json()["data"]

    return send


@cache
def facts() -> dict[str, set[str]]:
    """The fields of the records of each search."""
    facts = yaml.load(FACTS.read_bytes(), yaml.CSafeLoader)
    records = {
        endpoint["path"].rpartition("/")[2]: endpoint["answer"]["record"]
        for endpoint in facts["endpoints"]
        if endpoint["path"].startswith(f"{SEARCH}/")
    }
    return {kind: {*facts["records"][record]["fields"]} for kind, record in records.items()}


def test_there_are_twelve_searches():
    assert {*KINDS} == facts().keys() and len(KINDS) == 12


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_has_the_fields_of_the_service(find, kind):
    wanted = {name.replace("tweets", "posts") for name in facts()[kind]} - {"localized_name"}
    records = find(kind)
    assert records and all(record.keys() == wanted for record in records)
    ids = [record.get("targeting_value", record.get("locale")) for record in records]
    assert len({*ids}) == len(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_some_answers_name_the_type_of_their_data(local, kind):
    body = local.get(f"{SEARCH}/{kind}", **NEEDED.get(kind, {})).json()
    assert body.get("data_type") == {"events": "event", "platform_versions": "platform_version"}.get(kind)


def test_every_country_can_be_targeted(find):
    records = find("locations", location_type="COUNTRIES", count=1000)
    assert {record["country_code"] for record in records} == COUNTRIES


@pytest.mark.parametrize(
    ("kind", "query", "name"),
    [
        ("interests", {"q": "KNIT"}, "Hobbies and crafts/Knitting"),
        ("interests", {"q": "crafts wool"}, "Hobbies and crafts/Yarn and wool"),
        ("locations", {"q": "hamburg", "location_type": "CITIES"}, "Hamburg, Germany"),
        ("locations", {"country_code": "AT", "location_type": "CITIES"}, "Graz, Austria"),
        ("app_store_categories", {"q": "games", "os_type": "IOS"}, "Games"),
        ("conversations", {"conversation_type": "SPORTS"}, "Handball"),
        ("devices", {"q": "iphone"}, "iPhone 15"),
        ("events", {"event_types": "HOLIDAY,SPORTS", "country_codes": "SE,AQ"}, None),
        ("languages", {"q": "germ"}, "German"),
        ("network_operators", {"country_code": "DE"}, "Telekom"),
        ("network_operators", {}, "Verizon"),  # of the United States
        ("platform_versions", {"q": "android 14"}, "Android 14"),
        ("platforms", {"q": "ios"}, "iOS"),
        ("tv_shows", {"q": "kitchen"}, "The Sunday Kitchen"),
    ],
)
def test_a_search_finds_what_fits_and_nothing_else(find, kind, query, name):
    records = find(kind, **query)
    names = [record["name"] for record in records]
    assert name in names or (name is None and len(records) > 0)
    words = query.get("q", "").casefold().split()
    assert all(word in name.casefold() for name in names for word in words)
    for parameter in {"os_type", "location_type", "country_code", "conversation_type"} & query.keys():
        assert {record[parameter] for record in records} == {query[parameter]}


def test_the_cursor_of_another_search_is_refused(local):
    cursor = local.get(f"{SEARCH}/interests", count=2).json()["next_cursor"]
    refused = local.get(f"{SEARCH}/locations", cursor=cursor)
    assert errors(refused) == [("INVALID_PARAMETER", "cursor")]


def test_a_search_goes_on_where_its_page_ended(local, find):
    whole = find("interests", count=1000)
    pages, cursor = [], None
    while True:
        query = {"cursor": cursor} if cursor else {}
        page = local.get(f"{SEARCH}/interests", count=40, **query).json()
        pages += page["data"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == whole and len(whole) > 80


@pytest.mark.parametrize("kind", ["app_store_categories", "devices", "platform_versions", "platforms"])
def test_a_search_without_pages_has_no_cursor(local, kind):
    assert "next_cursor" not in local.get(f"{SEARCH}/{kind}").json()
    assert local.get(f"{SEARCH}/{kind}", cursor="x").status_code == 400


def test_events_are_to_come_unless_a_time_is_named(find):
    past = find("events", start_time="2020-01-01T00:00:00Z", count=1000)
    coming = find("events", count=1000)
    assert {event["name"] for event in coming} < {event["name"] for event in past}
    starts = [event["start_time"] for event in coming]
    assert starts == sorted(starts)
    assert find("events", end_time="2020-01-01T00:00:00Z") == []


def test_platforms_have_names_in_other_languages(find):
    (desktop,) = find("platforms", q="desktop", lang="de")
    assert (desktop["name"], desktop["localized_name"]) == (
        "Desktop and laptop computers",
        "Computer und Laptops",
    )


def test_shows_belong_to_a_market(local, find):
    markets = {market["locale"] for market in find("tv_markets")}
    for locale in markets:
        language, country = locale.split("-")
        for show in find("tv_shows", locale=locale):
            assert {"language": language, "country": country} in show["locales"]
            assert isinstance(show["targeting_value"], int) and show["estimated_users"] >= 1000
    assert errors(local.get(f"{SEARCH}/tv_shows", locale="is-IS")) == [("INVALID_PARAMETER", "locale")]
    assert errors(local.get(f"{SEARCH}/tv_shows")) == [("MISSING_PARAMETER", "locale")]


def test_the_locale_of_shows_is_repeated_in_parts(local):
    repeated = local.get(f"{SEARCH}/tv_shows", locale="de-AT").json()["request"]["params"]
    assert repeated["locale"] == {"languageCode": "de", "countryCode": "AT"}


def test_suggestions_resemble_what_is_given_and_are_counted(local):
    path = f"/12/accounts/{local.emulator.account}/targeting_suggestions"
    query = {"suggestion_type": "KEYWORD", "targeting_values": "knitting"}
    records = local.get(path, **query).json()["data"]
    values = [record["suggestion_value"] for record in records]
    assert {"sewing", "yarn and wool"} < {*values} and "knitting" not in values
    assert [
        record["suggestion_value"] for record in local.get(path, **query, count=2).json()["data"]
    ] == values[:2]
    users = local.get(path, suggestion_type="USER_ID", targeting_values="1,2").json()["data"]
    assert len(users) == 30 and all(user["suggestion_value"].isdecimal() for user in users)
    assert local.get(path, suggestion_type="USER_ID", targeting_values="2,1").json()["data"] == users


@x_only
def test_the_searches_share_the_limit_that_is_stated_for_them(local):
    left = [
        int(local.get(f"{SEARCH}/{kind}").headers["x-rate-limit-remaining"])
        for kind in ("interests", "languages")
    ]
    assert left == [399, 398]
    response = local.get(f"{SEARCH}/tv_markets")
    assert response.headers["x-rate-limit-limit"] == "2000"


def test_a_search_of_several_kinds_names_the_type_of_each_value(adsctl):
    records = json.loads(adsctl.local("targeting", "search", "--q", "knit", "-o", "json").stdout)
    assert {record["targeting_type"] for record in records} == {"INTEREST"}
    words = ("targeting", "search", "--q", "knit", "--locale", "en-US")
    records = json.loads(adsctl.local(*words, "-o", "json").stdout)
    assert {record["targeting_type"] for record in records} == {"INTEREST", "TV_SHOW"}
    places = adsctl.local("targeting", "search", "--q", "hamburg", "-o", "tsv").stdout.splitlines()
    assert places[0].split("\t") == [
        *("targeting_type", "targeting_value", "name"),
        *("location_type", "country_code"),
    ]
    assert len(places) > 2 and all("Hamburg" in place for place in places[1:])


def test_a_search_of_several_kinds_asks_each_that_takes_words(remote, httpserver):
    httpserver.expect_request(f"{SEARCH}/interests").respond_with_json({"data": [], "next_cursor": "c"})
    for kind in KINDS:
        httpserver.expect_request(f"{SEARCH}/{kind}").respond_with_json({"data": []})
    done = remote("targeting", "search", "--q", "wool hats")
    asked = {request.path: request.query_string.decode() for request, _ in httpserver.log}
    without_words = {"conversations", "events", "tv_markets", "tv_shows"}
    assert asked == {f"{SEARCH}/{kind}": "q=wool%20hats" for kind in {*KINDS} - without_words}
    assert "there are more: add --all to adsctl targeting search interests" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--q", "x", "interests"), "the options of interests belong after it"),
        (("--locale", "de-DE"), "--q is required where no kind is named"),
        (("--q", "x", "--locale", "german"), "--locale: 'german' is not allowed"),
        (("conversations", "--q", "x"), "no such option: --q"),
        (("tv-markets", "--count", "2"), "no such option: --count"),
        (("tv-shows", "--q", "x"), "--locale: is required"),
        (("planets",), "has no command 'planets'"),
    ],
)
def test_what_a_search_does_not_take_is_refused(adsctl, words, message):
    assert message in adsctl.local("targeting", "search", *words, code=2).stderr


def test_a_search_of_several_kinds_asks_four_at_a_time(adsctl):
    four, asking, most = threading.Barrier(4, timeout=TIMEOUT_SECONDS), [], []

    def answer(request: Request) -> Response:
        asking.append(request.path)
        four.wait()
        most.append(len(asking))
        four.wait()
        asking.remove(request.path)
        return Response('{"data": []}', content_type="application/json")

    with HTTPServer(threaded=True) as server:
        server.expect_request(re.compile(f"{SEARCH}/.*")).respond_with_handler(answer)
        adsctl("targeting", "search", "--q", "wool", **SECRETS, ADSCTL_ADS_URL=server.url_for(""))
        server.check()
    assert most == [4] * 8
