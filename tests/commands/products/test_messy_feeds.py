"""Feeds as people have them, checked and pushed by following only what each check says to type next."""

import json
import shlex
from collections.abc import Callable, Mapping

import pytest

from tests.adsctl import Adsctl
from tests.commands.products import messy_feeds
from tests.commands.products.messy_feeds import MessyFeed
from tests.conftest import PRODUCT

MAX_COMMANDS = 3  # a check, another one that follows it, and the push
OPEN = "…"


def completed(words: list[str], answers: Mapping[str, str]) -> list[str]:
    """Put the owner's answers where a command leaves values open."""
    words = [*words]
    for at, word in enumerate(words):
        if OPEN in word:
            field, equals, _ = word.partition("=")
            is_pair = bool(equals) and not word.startswith("https://")
            answer = answers[field if is_pair else words[at - 1][2:].replace("-", "_")]
            words[at] = f"{field}={answer}" if is_pair else answer
    return words


def next_words(said: str, words: list[str], feed: MessyFeed) -> list[str]:
    """Return what to type after a check that found mistakes."""
    if "add --sheet" in said:  # choices that are no mistakes of a row
        return [*words, "--sheet", feed.answers["sheet"]]
    if "name its encoding" in said:
        return [*words, "--encoding", feed.answers["encoding"]]
    (line,) = (line for line in said.splitlines() if line.startswith("try: adsctl "))
    return completed(shlex.split(line.removeprefix("try: adsctl ").partition("  # ")[0]), feed.answers)


@pytest.mark.parametrize("make", messy_feeds.FEEDS, ids=lambda make: make.__name__)
def test_a_messy_feed_is_pushed_by_following_what_each_check_says(adsctl, make: Callable[[], MessyFeed]):
    follow_checks(adsctl, make())


def follow_checks(adsctl: Adsctl, feed: MessyFeed) -> None:
    """Type what each check of a feed says, until it is pushed."""
    adsctl.file(feed.name, feed.content)
    words, commands = ["products", "check", feed.name], 0
    while words[1] == "check" and commands < 2 * MAX_COMMANDS:
        done, commands = adsctl(*words, code=None), commands + 1
        if done.returncode:
            words = next_words(done.stderr, words, feed)
        else:
            words[1] = "push"
    done, commands = adsctl.local(*words, "-o", "json", code=None), commands + 1
    assert done.returncode == (9 if "--skip-invalid" in words else 0), done.stderr
    assert json.loads(done.stdout)["created"] == feed.products
    assert commands <= MAX_COMMANDS + len({"sheet", "encoding"} & {*feed.answers}) + (
        "--skip-invalid" in words
    )


def suggested(adsctl, *words: str) -> list[str]:
    """Check a feed with mistakes; return the words of the command to type next, without those typed."""
    done = adsctl("products", "check", *words, code=3)
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("try: adsctl "))
    command = shlex.split(line.removeprefix("try: adsctl ").partition("  # ")[0])
    return command[2 + len(words) :] if command[1] == "check" else command


def feed_of(*changes: dict) -> str:
    return json.dumps([PRODUCT | {"id": f"sku-{number}"} | change for number, change in enumerate(changes)])


def test_an_address_with_a_host_and_no_scheme_is_never_completed_as_a_path(adsctl):
    addresses = ["shop.example/p/1", "www.shop.example/p/1", "//shop.example/p/1"]
    adsctl.file("feed.json", feed_of(*({"link": address} for address in addresses), {}))
    assert suggested(adsctl, "feed.json") == ["--fix", "https"]
    done = adsctl(
        *("products", "check", "feed.json", "--fix", "https", "--diff", "-o", "json"),
        *("--base-url", "https://other.example"),
    )
    changed = [record["after"] for record in json.loads(done.stdout)["changes"]]
    assert changed == ["https://shop.example/p/1", "https://www.shop.example/p/1"]


def test_a_row_of_totals_implies_no_default(adsctl):
    adsctl.file("feed.json", feed_of({"description": "<b>x</b>"}, {}, dict.fromkeys(PRODUCT, None)))
    assert suggested(adsctl, "feed.json") == ["--fix", "html"]


def test_where_no_option_helps_the_valid_rows_are_pushed_and_the_others_written(adsctl):
    adsctl.file("feed.json", feed_of({}, {"sale_price": "99999 EUR"}, {}))
    words = ["feed.json", "--fix=html", "--diff", "--write-recipe", "r.yaml"]
    command = suggested(adsctl, *words)
    assert command == [
        *("products", "push", "feed.json", "--fix=html", "--skip-invalid", "--failed-out", "failed.csv")
    ]
    report = json.loads(adsctl("products", "check", "feed.json", "-o", "json", code=3).stdout)
    assert report["try"]["valid"] == 2 and report["try"]["rows"] == 3 and not report["try"]["choices"]
    done = adsctl.local(*command, code=9)
    assert "--skip-invalid" not in done.stderr


@pytest.mark.parametrize(
    ("offer", "options"),
    [
        ({"price": "9.50", "priceCurrency": "EUR"}, ["--set", "price={offers.price} {offers.priceCurrency}"]),
        ({"price": 9.5}, ["--set", "price={offers.price}", "--currency", OPEN]),
    ],
)
def test_nested_values_of_crawlers_are_suggested_as_fields(adsctl, offer, options):
    adsctl.file("feed.json", feed_of(*[{"price": None, "offers": offer}] * 2))
    assert suggested(adsctl, "feed.json") == options
    adsctl("products", "check", "feed.json", *completed(options, {"currency": "EUR"}))


def test_a_nested_value_of_something_else_is_no_field(adsctl):
    adsctl.file("feed.json", feed_of({"availability": None, "category": {"name": "Tea", "value": 1}}))
    assert suggested(adsctl, "feed.json") == ["--default", f"availability={OPEN}"]


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859-2"])
def test_the_encoding_of_a_polish_feed_is_recognized(adsctl, encoding):
    feed = messy_feeds.magento()
    adsctl.file(feed.name, feed.content.decode().replace("kubka", "kawową").encode(encoding))
    options = suggested(adsctl, feed.name)
    assert options[options.index("--encoding") + 1] == encoding


@pytest.mark.parametrize(
    "text", ["Crème brûlée, 3 m³, ±5 °C", "¿Qué? ¡Sí! œuf n¹", "Smørrebrød, blåbær; ½-¾ l"]
)
def test_a_text_of_western_europe_is_not_called_polish(adsctl, text):
    adsctl.file("feed.csv", f"id,title\n1,{text}\n".encode("cp1252"))
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "as cp1252 it reads" in said and "--encoding cp1250" not in said


def test_a_list_that_is_nested_in_a_document_is_named(adsctl):
    records = [{"product_id": number, "product_title": "Mug"} for number in range(3)]
    result = {"total": 3, "categories": [{"name": "Mugs"}], "products": {"the product": records}}
    adsctl.file("feed.json", json.dumps({"query_response": {"resp_code": 200, "result": result}}))
    said = adsctl("products", "check", "feed.json", code=3).stderr
    assert "jq '.query_response.result.products.\"the product\"'" in said, said
    adsctl.file("feed.json", '{"total": 3, "names": ["a"], "product": {}}')
    assert "jq" not in adsctl("products", "check", "feed.json", code=3).stderr


def test_a_column_is_never_suggested_for_what_only_the_service_fills(adsctl):
    adsctl.file("feed.json", feed_of({"productId": "7", "itemGroupKey": "8"}))
    assert "product_key" not in adsctl("products", "check", "feed.json").stderr
